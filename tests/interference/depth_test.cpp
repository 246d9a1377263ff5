// One meaning of depth for every method: over the shared columns along n, the largest top of j
// minus bottom of i. Contact is shared volume, wherever the centroid of it lies.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "tests/interference/cell_families.h"
#include "tests/interference/overlap_checks.h"
#include "tests/support/support.h"
#include "vesica/geometry/convex_polyhedron.h"
#include "vesica/interference/pair.h"

namespace vesica::depth_test {
namespace {

using test::CellCase;
using test::random_between;

SolidParts make_parts(const Cell& cell) { return {{cell, 1}}; }
Cell placed(const Cell& cell, const Vec3d& p, const Mat3d& R = Mat3d::Identity()) {
  Pose<double> X;
  X.R_WB = R;
  X.p_WB = p;
  return moved(cell, X);
}
Pose<double> at(const Vec3d& p) {
  Pose<double> X;
  X.p_WB = p;
  return X;
}

const Pose<double> kOrigin;

// ---- The definition itself, by looking whether points are inside.

using Inside = std::function<bool(const Vec3d&)>;
Inside inside_of(const SolidParts& parts, const Pose<double>& X) {
  return [&parts, X](const Vec3d& p) {
    const Vec3d x = X.R_WB.transpose() * (p - X.p_WB);
    for (const SignedCell& part : parts) {
      if (part.sign > 0 && part.cell.contains(x)) return true;
    }
    return false;
  };
}

// From a point inside along d to where it ends, at most `reach` away.
double find_end(const Inside& inside, const Vec3d& p, const Vec3d& d, double reach) {
  const int steps = 300;
  double a = 0;
  for (int k = 1; k <= steps; ++k) {
    const double b = reach * k / steps;
    if (inside(p + b * d)) {
      a = b;
      continue;
    }
    double low = a, high = b;
    for (int m = 0; m < 45; ++m) {
      const double middle = 0.5 * (low + high);
      (inside(p + middle * d) ? low : high) = middle;
    }
    return low;
  }
  return reach;
}

// Depth of one column; 0 where it shares nothing that 200 steps see.
double calc_column_depth(const Inside& i, const Inside& j, const Vec3d& p, const Vec3d& n,
                         double from, double to, double reach) {
  double best = 0;
  const int steps = 200;
  for (int k = 0; k <= steps; ++k) {
    const Vec3d x = p + (from + (to - from) * k / steps) * n;
    if (!i(x) || !j(x)) continue;
    best = std::max(best, find_end(j, x, n, reach) + find_end(i, x, -n, reach));
    k += 20;  // the same stretch
  }
  return best;
}

// Zooms in on the deepest of 13 x 13 columns.
double calc_reference_depth(const Inside& i, const Inside& j, const Overlap<double>& o,
                            double reach, Vec3d* place) {
  Vec3d u, v;
  make_basis(o.n_W, &u, &v);
  const double along = std::sqrt(o.n_W.dot(o.M_W * o.n_W) / o.volume);
  double half = 2.5 * std::sqrt((o.M_W.trace()) / o.volume), best = 0;
  Vec3d center = o.p_WC;
  for (int zoom = 0; zoom < 10; ++zoom) {
    const Vec3d middle = center;
    for (int a = -6; a <= 6; ++a) {
      for (int b = -6; b <= 6; ++b) {
        const Vec3d p = middle + half / 6 * (a * u + b * v);
        const double depth = calc_column_depth(i, j, p, o.n_W, -4 * along, 4 * along, reach);
        if (depth > best) best = depth, center = p;
      }
    }
    half *= 0.35;
  }
  *place = center;
  return best;
}

TEST(Depth, IsTheDeepestColumnOfCellsInRandomPoses) {
  std::mt19937_64 random(71);
  double worst = 0;
  for (const auto& family : test::make_cell_families()) {
    for (int k = 0; k < 2; ++k) {
      const CellCase c = family.make_random(random);
      const SolidParts i = make_parts(c.i), j = make_parts(c.j);
      const Pose<double> origin;
      const auto o = calc_overlap(i, c.X, j, origin);
      ASSERT_GT(o.volume, 0) << family.name;
      Vec3d place;
      const double reference =
          calc_reference_depth(inside_of(i, c.X), inside_of(j, origin), o, 2, &place);
      worst = std::max(worst, std::abs(-o.distance / reference - 1));
      // No column of the search is deeper; the search itself stops at its finest grid.
      EXPECT_GT(-o.distance, reference * (1 - 1e-9)) << family.name << " " << k;
      EXPECT_NEAR(-o.distance / reference, 1, 5e-3) << family.name << " " << k;  // 1.7e-3
    }
  }
  RecordProperty("worst", fmt::format("{:.1e}", worst));
}

TEST(Depth, ClosedForms) {
  const SolidParts box = make_parts(make_box_cell(Vec3d::Constant(2)));
  const SolidParts ball = make_parts(make_cell({make_sphere(0.5)}));
  const SolidParts cylinder = make_parts(make_cylinder_cell(0.3, 0.8));
  const SolidParts cone = make_parts(make_cone_cell(0.5, 0.7));
  const Pose<double> origin;
  for (const double d : {1e-9, 1e-6, 1e-3, 0.05, 0.3}) {
    // A ball over a face: under its centre, whatever lies beside.
    auto o = calc_overlap(ball, at({0.2, -0.1, 1.5 - d}), box, origin);
    EXPECT_NEAR(-o.distance / d, 1, 1e-6 + 1e-15 / d) << d;
    EXPECT_LT((o.p_WD - Vec3d(0.2, -0.1, 1 - d / 2)).norm(), 1e-7) << d;
    // A cylinder on its side, one standing, and a cone on its tip.
    Pose<double> X = at({0.1, 0.2, 1.3 - d});
    X.R_WB = test::turned_to({1, 2, 0});
    o = calc_overlap(cylinder, X, box, origin);
    EXPECT_NEAR(-o.distance / d, 1, 1e-6 + 1e-15 / d) << d;
    EXPECT_LT((o.p_WD - Vec3d(0.1, 0.2, 1 - d / 2)).norm(), 1e-5) << d;  // middle of the line
    o = calc_overlap(cylinder, at({-0.4, 0.2, 1.4 - d}), box, origin);
    EXPECT_NEAR(-o.distance / d, 1, 1e-6 + 1e-15 / d) << d;
    EXPECT_LT((o.p_WD - Vec3d(-0.4, 0.2, 1 - d / 2)).norm(), 1e-6) << d;  // middle of the face
    o = calc_overlap(cone, at({-0.4, 0.2, 1 - d}), box, origin);
    EXPECT_NEAR(-o.distance / d, 1, 1e-6 + 1e-15 / d) << d;
    EXPECT_LT((o.p_WD - Vec3d(-0.4, 0.2, 1 - d / 2)).norm(), 1e-6) << d;
  }
}

// The same boxes by two methods: Hunt and Crossley's law once gave 451 N by one, 386 N by the
// other.
TEST(Depth, IsTheSameByPolyhedraAndBySlices) {
  std::mt19937_64 random(72);
  const Vec3d size(0.3, 0.4, 0.5);
  const ConvexPolyhedron a = make_box_polyhedron(size), b = make_box_polyhedron(2 * size);
  const SolidParts i = make_parts(make_box_cell(size)), j = make_parts(make_box_cell(2 * size));
  int touching = 0;
  double worst = 0, worst_place = 0;
  for (int k = 0; k < 300; ++k) {
    Pose<double> X = at(test::random_vector(random, 0.5)), Y = at({0.1, 0, 0});
    X.R_WB = test::random_rotation(random);
    Y.R_WB = test::random_rotation(random);
    const auto p = calc_overlap(a, X, b, Y);
    const auto s = calc_overlap(i, X, j, Y);
    if (!(p.volume > 1e-12)) continue;
    ++touching;
    worst = std::max(worst, std::abs(p.distance - s.distance));
    worst_place = std::max(worst_place, (p.p_WD - s.p_WD).norm());
    // Seen from the other side.
    const auto turned = calc_overlap(b, Y, a, X);
    EXPECT_NEAR(turned.distance, p.distance, 1e-12);
    EXPECT_LT((turned.p_WD - p.p_WD).norm(), 1e-6);
  }
  EXPECT_GT(touching, 100);
  RecordProperty("worst", fmt::format("{:.1e} {:.1e}", worst, worst_place));
  EXPECT_LT(worst, 1e-12);        // 7e-15
  EXPECT_LT(worst_place, 1e-11);  // 6e-15
}

TEST(Depth, SlopesMatchDifferences) {
  std::mt19937_64 random(73);
  const ConvexPolyhedron a = make_box_polyhedron({0.3, 0.4, 0.5});
  const ConvexPolyhedron b = make_convex_polyhedron(
      {{0, 0, 0.4}, {0.5, 0, -0.3}, {-0.4, 0.5, -0.3}, {-0.3, -0.6, -0.2}, {0.3, 0.4, 0.1}}, "b");
  std::string where;
  for (int k = 0; k < 10; ++k) {
    Pose<double> X = at(test::random_vector(random, 0.3)), Y;
    X.R_WB = test::random_rotation(random);
    Y.R_WB = test::random_rotation(random);
    const auto polyhedra = [&](const auto& X_I, const auto& X_J) {
      return calc_overlap(a, X_I, b, X_J);
    };
    if (!(polyhedra(X, Y).volume > 1e-6)) continue;
    EXPECT_LT(test::find_worst_derivative(polyhedra, X, Y, 1e-5, &where), 1e-5) << where;
  }
  CellPairOptions options;
  options.slices.tolerance = 1e-12;
  for (const auto& family : test::make_cell_families()) {
    const CellCase c = family.make_random(random);
    const SolidParts i = make_parts(c.i), j = make_parts(c.j);
    Pose<double> Y = at({0.3, 0.1, -0.2});
    Y.R_WB = test::random_rotation(random);
    const Pose<double> X{Y.R_WB * c.X.R_WB, Y * c.X.p_WB};
    const auto o = calc_overlap(i, seed_motion({X, {}}).X_WB, j, Y, options);
    const double depth = -o.distance.a, h = 1e-4 * depth;
    for (int d = 0; d < 6; ++d) {
      const auto up = calc_overlap(i, test::move_pose(X, d, h), j, Y, options);
      const auto down = calc_overlap(i, test::move_pose(X, d, -h), j, Y, options);
      EXPECT_NEAR(o.distance.v[d], (up.distance - down.distance) / (2 * h), 2e-4)
          << family.name << " " << d;
      // Places move as far as bodies turn about a far point, and slide fast where flat.
      for (int r = 0; r < 3; ++r) {
        const double slope = (up.p_WD[r] - down.p_WD[r]) / (2 * h);
        EXPECT_NEAR(o.p_WD[r].v[d], slope, 1e-3 * (10 + std::abs(slope)))
            << family.name << " " << d;
      }
    }
  }
}

// ---- Volumes whose centroid is not in them

// A plate with a round hole, its upper face at 0.
SolidParts make_plate(double hole) {
  Cell plate = placed(make_box_cell({2, 2, 0.5}), {0, 0, -0.25});
  plate.primitives.push_back(make_complement(make_cylinder(hole)));
  return make_parts(plate);
}

TEST(LostContacts, ABallOnAHoleTouches) {
  const double radius = 0.5, hole = 0.3;
  const SolidParts ball = make_parts(make_cell({make_sphere(radius)})), plate = make_plate(hole);
  // At this height the ball just touches the rim.
  const double rim = std::sqrt(radius * radius - hole * hole);
  for (const double d : {1e-6, 1e-4, 1e-2, 0.1}) {
    const auto o = calc_overlap(ball, at({0, 0, rim - d}), plate, Pose<double>{});
    ASSERT_GT(o.volume, 0) << d;
    EXPECT_TRUE(is_touching(o)) << d;
    EXPECT_LT((o.n_W - Vec3d::UnitZ()).norm(), 1e-6) << d;
    // All round the rim the ball's surface is as deep below the plate's face.
    EXPECT_NEAR(-o.distance / d, 1, 1e-6) << d;
    EXPECT_NEAR(o.p_WD.head<2>().norm(), hole, 1e-6) << d;
  }
  // Off the middle the deepest column is on the near side of the rim.
  const auto o = calc_overlap(ball, at({0.02, 0.01, rim - 0.01}), plate, Pose<double>{});
  Vec3d place;
  const double reference = calc_reference_depth(inside_of(ball, at({0.02, 0.01, rim - 0.01})),
                                                inside_of(plate, {}), o, 1, &place);
  EXPECT_NEAR(-o.distance / reference, 1, 1e-3);
}

TEST(LostContacts, RingsLumpsAndStoolsPressWithTheirWholeVolume) {
  const SolidParts floor = make_parts(placed(make_box_cell({4, 4, 1}), {0, 0, -0.5}));
  const SolidParts ground = make_parts(make_cell({make_half_space()}));
  const double d = 1e-3;
  // A tube standing up.
  Cell tube = make_cylinder_cell(0.5, 0.4);
  tube.primitives.push_back(make_complement(make_cylinder(0.4)));
  for (const SolidParts* under : {&floor, &ground}) {
    const auto o = calc_overlap(make_parts(tube), at({0.1, 0.2, 0.2 - d}), *under, kOrigin);
    EXPECT_NEAR(o.volume / (kPi * (0.25 - 0.16) * d), 1, 1e-7);
    EXPECT_NEAR(-o.distance / d, 1, 1e-9);
    EXPECT_LT((o.n_W - Vec3d::UnitZ()).norm(), 1e-9);
    EXPECT_NEAR((o.p_WC - Vec3d(0.1, 0.2, -d / 2)).norm(), 0, 1e-7);
  }
  // Stools: legs of a length each, one of them deepest.
  for (int legs = 3; legs <= 6; ++legs) {
    std::vector<Cell> cells = {placed(make_cylinder_cell(0.5, 0.1), {0, 0, 0.55})};
    for (int k = 0; k < legs; ++k) {
      const double angle = 2 * kPi * k / legs;
      cells.push_back(placed(make_cylinder_cell(0.05, 0.5),
                             {0.4 * std::cos(angle), 0.4 * std::sin(angle), 0.25 - (k == 1) * d}));
    }
    const SolidParts stool = make_solid_parts(make_solid(cells));
    const double foot = kPi * 0.05 * 0.05 * d;
    for (const SolidParts* under : {&floor, &ground}) {
      const auto o = calc_overlap(stool, at({0, 0, -d}), *under, kOrigin);
      EXPECT_NEAR(o.volume / (foot * (legs + 1)), 1, 1e-7) << legs;
      EXPECT_NEAR(-o.distance / (2 * d), 1, 1e-9) << legs;
      EXPECT_NEAR((o.p_WD - o.p_WC).head<2>().norm(), 0.4, 0.15) << legs;
    }
  }
  // A beam on two piers, and two balls as one solid.
  const SolidParts piers =
      make_solid_parts(make_solid({placed(make_box_cell({0.2, 0.5, 1}), {-1, 0, -0.5}),
                                   placed(make_box_cell({0.2, 0.5, 1}), {1, 0, -0.5})}));
  const SolidParts beam = make_parts(make_box_cell({3, 0.3, 0.2}));
  const auto o = calc_overlap(beam, at({0, 0, 0.1 - d}), piers, kOrigin);
  EXPECT_NEAR(o.volume / (2 * 0.2 * 0.3 * d), 1, 1e-9);
  EXPECT_NEAR(-o.distance / d, 1, 1e-9);
  const SolidParts balls =
      make_solid_parts(make_solid({placed(make_cell({make_sphere(0.2)}), {-0.5, 0, 0}),
                                   placed(make_cell({make_sphere(0.3)}), {0.5, 0, 0.1})}));
  const auto b = calc_overlap(balls, at({0, 0, 0.2 - d}), floor, kOrigin);
  const auto cap = [](double r, double h) { return kPi * h * h * (r - h / 3); };
  EXPECT_NEAR(b.volume / (cap(0.2, d) + cap(0.3, d)), 1, 1e-6);
  EXPECT_NEAR(-b.distance / d, 1, 1e-6);
}

// Holes leave several deepest columns: which one is found does not hang on which body comes first.
TEST(LostContacts, DepthsOfHollowBodiesAreTheSameFromBothSides) {
  std::mt19937_64 random(75);
  Cell tube = make_cylinder_cell(0.5, 0.4);
  tube.primitives.push_back(make_complement(make_cylinder(0.4)));
  const SolidParts ring = make_parts(tube), plate = make_plate(0.3);
  const SolidParts ball = make_parts(make_cell({make_sphere(0.5)}));
  int touching = 0;
  for (int k = 0; k < 60; ++k) {
    Pose<double> X = at(test::random_vector(random, 0.5));
    X.R_WB = test::random_rotation(random);
    const SolidParts& i = k % 2 == 0 ? ring : ball;
    const SolidParts& j = k % 3 == 0 ? ring : plate;
    const auto a = calc_overlap(i, X, j, kOrigin);
    if (!(a.volume > 1e-9)) continue;
    ++touching;
    const auto b = calc_overlap(j, kOrigin, i, X);
    // The worst is 8e-4: two columns that are nearly as deep.
    EXPECT_NEAR(b.distance / a.distance, 1, 2e-3) << k;
    EXPECT_LT(a.distance, 0) << k;
  }
  EXPECT_GT(touching, 20);
}

// Apart from a half-space the gap is exact for any convex cell, and the nearest for several.
TEST(Depth, GapsToAHalfSpaceAreExact) {
  const SolidParts ground = make_parts(make_cell({make_half_space()}));
  const SolidParts shape = make_parts(make_cell({make_ellipsoid({0.3, 0.2, 0.1})}));
  const SolidParts capsule = make_solid_parts(make_capsule(0.1, 0.4));
  const Ellipsoid<double> closed{Vec3d(0.3, 0.2, 0.1)};
  std::mt19937_64 random(76);
  for (int k = 0; k < 50; ++k) {
    Pose<double> X = at({0.1, 0.2, test::random_log_between(random, 1e-6, 3) + 0.3});
    X.R_WB = test::random_rotation(random);
    const auto b = calc_overlap(closed, X, HalfSpace{}, kOrigin);
    for (const bool turned : {false, true}) {
      const auto a = turned ? swapped(calc_overlap(ground, kOrigin, shape, X))
                            : calc_overlap(shape, X, ground, kOrigin);
      EXPECT_EQ(a.volume, 0);
      EXPECT_NEAR(a.distance, b.distance, 1e-10);
      EXPECT_LT((a.n_W - b.n_W).norm(), 1e-12);
      EXPECT_LT((a.p_WC - b.p_WC).norm(), 1e-6);
    }
    const double low = X.p_WB.z() - 0.2 * std::abs(X.R_WB(2, 2)) - 0.1;
    if (low <= 0) continue;
    EXPECT_NEAR(calc_overlap(capsule, X, ground, kOrigin).distance, low, 1e-10);
  }
}

// Cells that touch are one body: a column goes on through them.
TEST(LostContacts, ADeepColumnGoesThroughCellsThatTouch) {
  const auto stack = [](double width, double top) {
    return make_solid_parts(
        make_solid({placed(make_box_cell({width, width, 1}), {0, 0, top - 0.5}),
                    placed(make_box_cell({width, width, 1}), {0, 0, top - 1.5})}));
  };
  for (const double depth : {0.1, 0.9, 1.1, 1.7}) {
    const auto o = calc_overlap(stack(1, 2), at({0.2, 0.1, -depth}), stack(3, 0), kOrigin);
    EXPECT_NEAR(o.volume, depth, 1e-6);
    EXPECT_NEAR(o.n_W.z(), 1, 1e-9) << depth;
    EXPECT_NEAR(-o.distance, depth, 1e-6) << depth;
  }
}

// Wholly inside another body there is no area vector: out of the nearest surface.
TEST(LostContacts, ABodyInsideAnotherIsPressedOut) {
  const SolidParts ball = make_parts(make_cell({make_sphere(0.1)}));
  const SolidParts box = make_parts(make_box_cell({2, 2, 2}));
  const SolidParts ground = make_parts(make_cell({make_half_space()}));
  const double whole = 4 * kPi / 3 * 1e-3;
  auto o = calc_overlap(ball, at({0.1, 0.7, 0.2}), box, kOrigin);
  EXPECT_NEAR(o.volume / whole, 1, 1e-7);
  EXPECT_LT((o.n_W - Vec3d::UnitY()).norm(), 1e-9);
  EXPECT_NEAR(-o.distance, 0.4, 1e-8);
  o = calc_overlap(box, kOrigin, ball, at({0.1, 0.7, 0.2}));
  EXPECT_LT((o.n_W + Vec3d::UnitY()).norm(), 1e-9);
  // Out of the surface of the outer body that is nearest, not out of the inner one's own.
  const SolidParts small = make_parts(make_box_cell({0.2, 0.2, 0.2}));
  for (const bool of_slices : {true, false}) {
    const Pose<double> X = at({0.1, 0.2, 0.3});
    o = of_slices ? calc_overlap(small, X, box, kOrigin)
                  : calc_voxel_overlap(small, X, box, kOrigin, 0.02, ContactNormal::kAreaVector);
    EXPECT_LT((o.n_W - Vec3d::UnitZ()).norm(), 1e-9);
    EXPECT_NEAR(-o.distance, 0.8, 1e-8);
    o = of_slices ? calc_overlap(box, kOrigin, small, X)
                  : calc_voxel_overlap(box, kOrigin, small, X, 0.02, ContactNormal::kAreaVector);
    EXPECT_LT((o.n_W + Vec3d::UnitZ()).norm(), 1e-9);
    EXPECT_NEAR(-o.distance, 0.8, 1e-8);
  }
  o = calc_overlap(ball, at({0, 0, -5}), ground, kOrigin);
  EXPECT_NEAR(o.volume / whole, 1, 1e-7);
  EXPECT_LT((o.n_W - Vec3d::UnitZ()).norm(), 1e-12);
  EXPECT_NEAR(-o.distance, 5.1, 1e-8);
  o = calc_voxel_overlap(ball, at({0.1, 0.7, 0.2}), box, kOrigin, 0.02, ContactNormal::kAreaVector);
  EXPECT_GT(o.volume, 0.8 * whole);
  EXPECT_LT((o.n_W - Vec3d::UnitY()).norm(), 1e-9);
}

// Half-spaces: the plane is the contact surface and the volume has a potential, for cells too.
TEST(Depth, SolidsOnAHalfSpaceHaveItsPlaneAndAPotential) {
  const SolidParts ground = make_parts(make_cell({make_half_space()}));
  const SolidParts shape = make_parts(make_cell({make_ellipsoid({0.3, 0.2, 0.1})}));
  const Ellipsoid<double> closed{Vec3d(0.3, 0.2, 0.1)};
  std::mt19937_64 random(74);
  for (int k = 0; k < 50; ++k) {
    Pose<double> X = at({0.1, 0.2, random_between(random, -0.3, 0.08)}), Y = at({1, 2, 3});
    X.R_WB = test::random_rotation(random);
    Y.R_WB = test::random_rotation(random);
    X = {Y.R_WB * X.R_WB, Y * X.p_WB};
    const auto a = calc_overlap(shape, X, ground, Y);
    const auto b = calc_overlap(closed, X, HalfSpace{}, Y);
    EXPECT_NEAR(a.distance, b.distance, 1e-9);
    EXPECT_LT((a.n_W - b.n_W).norm(), 1e-12);
    EXPECT_NEAR(a.plane_offset, b.plane_offset, 1e-8);
    EXPECT_NEAR(a.potential, b.potential, 1e-9);
    EXPECT_LT((a.p_WD - b.p_WD).norm(), 1e-6);
    const auto turned = calc_overlap(ground, Y, shape, X);
    EXPECT_NEAR(turned.distance, b.distance, 1e-9);
    EXPECT_NEAR(turned.potential, b.potential, 1e-9);
    EXPECT_NEAR(turned.plane_offset, -b.plane_offset, 1e-8);
    EXPECT_LT((turned.p_WD - b.p_WD).norm(), 1e-6);
    // Voxels count the volume; all else is that of the exact shapes.
    const auto v = calc_voxel_overlap(shape, X, ground, Y, 0.01, ContactNormal::kAreaVector);
    if (v.volume == 0) continue;
    EXPECT_LT((v.n_W - b.n_W).norm(), 1e-12);
    EXPECT_NEAR(v.plane_offset, b.plane_offset, 0.01);
    EXPECT_NEAR(v.potential, v.volume * v.plane_offset, 1e-15);
    EXPECT_LT(std::abs((v.p_WC + v.plane_offset * v.n_W - Y.p_WB).dot(b.n_W)), 1e-12);
  }
}

}  // namespace
}  // namespace vesica::depth_test
