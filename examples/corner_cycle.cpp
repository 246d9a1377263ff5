// A body is pressed on the face of a box, drawn over an edge or a corner, lifted, and brought back:
// what work the contact force does on the way. A force that derives from a potential does none; the
// volume times any normal does (docs/theory/energy.md).
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include "vesica/geometry/convex_hull.h"
#include "vesica/interference/polyhedra/polyhedra.h"
#include "vesica/interference/slices/cell_pair.h"

namespace {

using namespace vesica;
using FindOverlap = std::function<Overlap<double>(const Pose<double>&)>;

ConvexPolyhedron make_box(const Vec3d& size) {
  std::vector<Vec3d> corners;
  for (int k = 0; k < 8; ++k) {
    corners.emplace_back((k & 1 ? 0.5 : -0.5) * size.x(), (k & 2 ? 0.5 : -0.5) * size.y(),
                         (k & 4 ? 0.5 : -0.5) * size.z());
  }
  return ConvexPolyhedron(make_convex_hull(corners, "box"), "box");
}

// Simpson's rule, halved until it settles: forces have kinks where a new face is reached.
double integrate(const std::function<double(double)>& f, double a, double b, double f_a, double f_m,
                 double f_b, double tolerance, int depth) {
  const double m = 0.5 * (a + b), f_l = f(0.5 * (a + m)), f_r = f(0.5 * (m + b));
  const double whole = (b - a) / 6 * (f_a + 4 * f_m + f_b);
  const double halves = (b - a) / 12 * (f_a + 4 * f_l + 2 * f_m + 4 * f_r + f_b);
  if (depth == 0 || std::abs(halves - whole) < tolerance) return halves + (halves - whole) / 15;
  return integrate(f, a, m, f_a, f_l, f_m, tolerance / 2, depth - 1) +
         integrate(f, m, b, f_m, f_r, f_b, tolerance / 2, depth - 1);
}

// Net work over the work of the first leg, which presses.
double calc_cycle(const FindOverlap& find_overlap, const std::vector<Vec3d>& stations) {
  const Mat3d R = as_rotation(quaternion_from_rotation_vector(Vec3d(0.3, 0.4, 0.2)));
  double work = 0, pressing = 0;
  for (std::size_t leg = 0; leg + 1 < stations.size(); ++leg) {
    const Vec3d& from = stations[leg];
    const Vec3d path = stations[leg + 1] - from;
    const auto power = [&](double s) {
      const auto o = find_overlap({R, from + s * path});
      if (!(o.volume > 0)) return 0.0;
      return (o.is_conservative ? o.push : o.volume) * o.n_W.dot(path);
    };
    // Pieces, so that no short touch is missed.
    constexpr int kPieces = 16;
    double sum = 0;
    for (int k = 0; k < kPieces; ++k) {
      const double a = double(k) / kPieces, b = double(k + 1) / kPieces;
      const double tolerance = leg == 0 ? 1e-12 : 1e-8 * pressing / kPieces;
      sum += integrate(power, a, b, power(a), power(0.5 * (a + b)), power(b), tolerance, 12);
    }
    if (leg == 0) pressing = -sum;
    work += sum;
  }
  return work / pressing;
}

}  // namespace

int main() {
  const auto box_i = make_box({0.5, 0.4, 0.3}), box_j = make_box({1, 1, 1});
  const SolidParts box = {{make_box_cell({1, 1, 1}), 1}};
  const Vec3d r = Vec3d::Constant(0.2);
  const SolidParts ball = {{make_cell({make_sphere(r.x())}, Bounds{-r, r}), 1}};
  const SolidParts cylinder = {{make_cylinder_cell(0.15, 0.3), 1}};
  const Pose<double> still;

  const char* const kNormals[] = {"plane", "area_vector", "eigenvector", "conservative"};
  const PolyhedraNormal of_boxes[] = {PolyhedraNormal::kPlane, PolyhedraNormal::kAreaVector,
                                      PolyhedraNormal::kEigenvector,
                                      PolyhedraNormal::kConservative};
  const ContactNormal of_solids[] = {ContactNormal::kPlane, ContactNormal::kAreaVector,
                                     ContactNormal::kEigenvector, ContactNormal::kConservative};
  struct Case {
    const char* name;
    double height;                 // pressed on the face
    Vec3d over_edge, over_corner;  // drawn there
    std::function<Overlap<double>(const Pose<double>&, int)> overlap;
  };
  const auto solid_on_box = [&](const SolidParts& body) {
    return [&](const Pose<double>& X, int normal) {
      return calc_overlap(body, X, box, still, {{}, of_solids[normal]});
    };
  };
  const Case cases[] = {
      {"box",
       0.65,
       {0.62, 0.1, 0.6},
       {0.55, 0.5, 0.58},
       [&](const Pose<double>& X, int normal) {
         return calc_overlap(box_i, X, box_j, still, of_boxes[normal]);
       }},
      {"ball", 0.62, {0.58, 0.1, 0.6}, {0.56, 0.55, 0.58}, solid_on_box(ball)},
      {"cylinder", 0.62, {0.58, 0.1, 0.6}, {0.56, 0.55, 0.58}, solid_on_box(cylinder)}};

  std::printf("net work of a cycle, of the pressing work\n%-24s", "");
  for (const char* name : kNormals) std::printf("%14s", name);
  bool is_conservative = true;
  for (const Case& c : cases) {
    for (const bool corner : {false, true}) {
      const Vec3d end = corner ? c.over_corner : c.over_edge;
      const std::vector<Vec3d> stations = {
          {0.2, 0.1, 1}, {0.2, 0.1, c.height}, end, end + Vec3d(0.4, corner ? 0.4 : 0, 0.4)};
      std::printf("\n%-8s over %-11s", c.name, corner ? "a corner" : "an edge");
      for (int normal = 0; normal < 4; ++normal) {
        const double work =
            calc_cycle([&](const Pose<double>& X) { return c.overlap(X, normal); }, stations);
        // What quadrature leaves has either sign.
        std::printf("%+12.4f %%", std::abs(work) < 5e-7 ? 0.0 : 100 * work);
        if (normal == 3) is_conservative = is_conservative && std::abs(work) < 1e-6;
      }
    }
  }
  std::printf("\nconservative: %s 1e-6 in all\n", is_conservative ? "below" : "NOT below");
}
