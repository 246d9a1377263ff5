// Box with box: exact clipping next to CGAL's ways of intersecting two convex polyhedra, and what
// derivatives cost. Solids of many cells: cost against cells and contacts.
#include <fmt/format.h>

#include <random>

#include "bench/allocations.h"
#include "bench/cgal_boxes.h"
#include "bench/timing.h"
#include "vesica/interference/polyhedra/polyhedra.h"
#include "vesica/interference/polyhedra/polyhedral_contacts.h"
#include "vesica/interference/polyhedra/shared_polyhedron.h"

namespace vesica::bench {
namespace {

struct Case {
  Pose<double> X_WI, X_WJ;
};

Mat3d random_rotation(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const Quaternion<double> q{normal(random), normal(random), normal(random), normal(random)};
  return as_rotation(q);
}

// A box pressed into another by a few per cent of its size, in any orientation: corner, edge and
// face contacts as they come.
std::vector<Case> make_cases(const ConvexPolyhedron& box, std::size_t count) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<Case> cases;
  while (cases.size() < count) {
    Case c;
    c.X_WI.R_WB = random_rotation(random);
    c.X_WJ.R_WB = random_rotation(random);
    c.X_WI.p_WB = 2 * Vec3d(unit(random), unit(random), unit(random));
    const auto apart = calc_overlap(box, c.X_WI, box, c.X_WJ);
    if (apart.volume > 0) continue;
    c.X_WI.p_WB -= (apart.distance + 0.05 * (1 + unit(random))) * apart.n_W;
    if (calc_overlap(box, c.X_WI, box, c.X_WJ).volume > 0) cases.push_back(c);
  }
  return cases;
}

void run() {
  const Vec3d size(1, 0.8, 0.6);
  const auto box = make_box_polyhedron(size);
  const auto cases = make_cases(box, 1000);
  const auto few = std::vector<Case>(cases.begin(), cases.begin() + 10);
  std::vector<BoxPair> pairs, few_pairs;
  for (const Case& c : cases) {
    const Vec3d inside = calc_overlap(box, c.X_WI, box, c.X_WJ).p_WC;
    pairs.push_back(BoxPair{size, c.X_WI.R_WB, c.X_WI.p_WB, c.X_WJ.R_WB, c.X_WJ.p_WB, inside});
  }
  few_pairs.assign(pairs.begin(), pairs.begin() + 10);

  // The same volumes, or the comparison says nothing.
  double worst = 0;
  for (std::size_t k = 0; k < few.size(); ++k) {
    const double volume = calc_overlap(box, few[k].X_WI, box, few[k].X_WJ).volume;
    for (const double other :
         {intersect_half_spaces(few_pairs[k], false), intersect_half_spaces(few_pairs[k], true),
          intersect_meshes(few_pairs[k]), intersect_nef(few_pairs[k])}) {
      worst = std::max(worst, std::abs(other / volume - 1));
    }
  }

  const long before = allocation_count();
  for (const Case& c : cases) keep(calc_overlap(box, c.X_WI, box, c.X_WJ));
  const long allocations = allocation_count() - before;

  Rounds rounds;
  const auto add = [&](const char* name, const std::vector<Case>& list, auto f) {
    rounds.add(name, list.size(), [&list, f] {
      for (const Case& c : list) keep(f(c));
    });
  };
  const auto add_cgal = [&](const char* name, const std::vector<BoxPair>& list, auto f) {
    rounds.add(name, list.size(), [&list, f] {
      for (const BoxPair& p : list) keep(f(p));
    });
  };
  add("moments", cases, [&](const Case& c) {
    static detail::SharedPolyhedron shared;
    return shared.build(box, c.X_WI, box, c.X_WJ) ? shared.volume() : 0;
  });
  constexpr auto kNormal = PolyhedraNormal::kAreaVector;
  constexpr Wanted kNoDepth{true, false};
  add("overlap", cases,
      [&](const Case& c) { return calc_overlap(box, c.X_WI, box, c.X_WJ, kNormal, kNoDepth); });
  add("depth", cases, [&](const Case& c) { return calc_overlap(box, c.X_WI, box, c.X_WJ); });
  add("derivatives", cases, [&](const Case& c) {
    return calc_polyhedra_overlap(box, c.X_WI, box, c.X_WJ, kNormal, true, false);
  });
  add("dual", cases, [&](const Case& c) {
    return calc_overlap(box, seed_motion({c.X_WI, {}}).X_WB, box, c.X_WJ, kNormal, kNoDepth);
  });
  add_cgal("half_spaces", few_pairs,
           [](const BoxPair& p) { return intersect_half_spaces(p, false); });
  add_cgal("half_spaces_point", few_pairs,
           [](const BoxPair& p) { return intersect_half_spaces(p, true); });
  add_cgal("meshes", few_pairs, [](const BoxPair& p) { return intersect_meshes(p); });
  add_cgal("nef", few_pairs, [](const BoxPair& p) { return intersect_nef(p); });
  rounds.measure(15);

  fmt::print(
      "box-box, 1000 random touches up to 10% deep: medians; ratio to the whole overlap and to "
      "its moments alone\n");
  const auto row = [&](const char* title, const char* name) {
    fmt::print("  {:<52} {:>9.3f} us {:>8.1f} x {:>8.1f} x\n", title, 1e-3 * rounds.time(name),
               rounds.ratio(name, "overlap"), rounds.ratio(name, "moments"));
  };
  row("volume, centroid, second moment", "moments");
  row("whole overlap (n, distance, potential as well)", "overlap");
  row("  with its Jacobian by the relative pose", "derivatives");
  row("  as Dual<12>", "dual");
  row("CGAL halfspace_intersection_3, interior point given", "half_spaces_point");
  row("CGAL halfspace_intersection_3", "half_spaces");
  row("CGAL corefine_and_compute_intersection", "meshes");
  row("CGAL Nef_polyhedron_3 (*)", "nef");
  fmt::print("volumes agree to {:.1e}; {} allocations in {} overlaps\n", worst, allocations,
             cases.size());
}

// A floor of n x n cells, cubes of 0.1 m, and on it either one block of fixed size or a plate of as
// many cells as the floor, half a cell aside: contacts that do not grow with the cells, and
// contacts that do.
PolyhedralSolid make_plate(int n, double side, double height) {
  std::vector<ConvexPolyhedron> cells;
  const auto box = make_box_polyhedron(Vec3d(side, side, height));
  for (int x = 0; x < n; ++x) {
    for (int y = 0; y < n; ++y) {
      cells.push_back(make_moved(box, Mat3d::Identity(),
                                 side * Vec3d(x - 0.5 * (n - 1), y - 0.5 * (n - 1), 0)));
    }
  }
  return PolyhedralSolid(std::move(cells));
}

void run_many() {
  fmt::print("\nmany cells: one update of two moving solids (search, clipping, identity)\n");
  fmt::print("  {:>7} {:>9} {:>9} {:>11} {:>13} {:>12}\n", "cells", "contacts", "clipped",
             "update us", "us a contact", "allocations");
  for (const bool grows : {false, true}) {
    for (const int n : {3, 10, 32, 100}) {
      const auto floor = make_plate(n, 0.1, 0.1);
      const auto block = grows ? make_plate(n, 0.1, 0.1) : make_plate(2, 0.1, 0.1);
      PolyhedralContacts contacts;
      int step = 0;
      const auto update = [&] {
        ++step;
        const double turn = 1e-3 * std::sin(0.1 * step);
        const Pose<double> X_WI = {as_rotation(quaternion_from_rotation_vector(Vec3d(0, 0, turn))),
                                   Vec3d(0.03 + 1e-3 * std::sin(0.3 * step), 0.02, 0.0999)};
        contacts.update(block, X_WI, floor, Pose<double>{}, PolyhedraNormal::kAreaVector, false);
      };
      for (int k = 0; k < 130; ++k) update();  // two periods, so that buffers have their size
      std::vector<double> times(grows && n == 100 ? 10 : 60);
      const long before = allocation_count();
      for (double& time : times) {
        const double start = thread_nanoseconds();
        update();
        time = thread_nanoseconds() - start;
      }
      const long allocations = allocation_count() - before;
      const double time = 1e-3 * median(times);
      const auto count = static_cast<double>(contacts.alive().size());
      fmt::print("  {:>7} {:>9} {:>9} {:>11.1f} {:>13.2f} {:>12}\n", n * n + (grows ? n * n : 4),
                 contacts.alive().size(), contacts.tried(), time, time / count, allocations);
    }
  }
}

}  // namespace
}  // namespace vesica::bench

int main() {
  vesica::bench::run();
  vesica::bench::run_many();
  return 0;
}
