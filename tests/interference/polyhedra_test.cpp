#include "vesica/interference/polyhedra/polyhedra.h"
#include "vesica/interference/mesh/half_space_mesh.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/geometry/sample_meshes.h"
#include "tests/interference/overlap_checks.h"
#include "tests/interference/polyhedra_reference.h"
#include "tests/support/support.h"
#include "vesica/interference/convex_distance.h"
#include "vesica/math/jet.h"

namespace vesica::polyhedra_test {
namespace {

Pose<double> random_pose(std::mt19937_64& random, double spread) {
  return {test::random_rotation(random), test::random_vector(random, spread)};
}

ConvexPolyhedron random_hull(std::mt19937_64& random, int points, const Vec3d& size) {
  return ConvexPolyhedron(test::make_random_hull(random, points, size), "hull");
}

struct Errors {
  double volume = 0, centroid = 0, M = 0, area_vector = 0;
};

// In units of rounding: eps times the size times the surface of the shared part, with a length
// (centroid: over the volume) or a square of lengths more.
Errors compare(const ConvexPolyhedron& i, const Pose<double>& X_WI, const ConvexPolyhedron& j,
               const Pose<double>& X_WJ) {
  const auto result = calc_polyhedra_overlap(i, X_WI, j, X_WJ, PolyhedraNormal::kAreaVector, false);
  const auto& o = result.overlap;
  const auto reference = test::calc_reference(i, X_WI, j, X_WJ);
  Errors e;
  const double size = i.ball_radius() + j.ball_radius() + X_WI.p_WB.norm() + X_WJ.p_WB.norm();
  const double unit = 2.2e-16 * size * reference.area;
  if (reference.area == 0) return e;
  const double length = std::sqrt(reference.area);
  e.volume = std::abs(o.volume - reference.volume) / unit;
  if (o.volume > 0) {
    e.centroid = (o.p_WC - reference.centroid).norm() / (unit * length / o.volume);
    e.M = (o.M_W - reference.M).matrix().norm() / (unit * length * length);
  }
  e.area_vector = (result.area_vector - reference.area_vector_j).norm() / (2.2e-16 * size * length);
  return e;
}

void keep_largest(const Errors& e, Errors* largest) {
  largest->volume = std::max(largest->volume, e.volume);
  largest->centroid = std::max(largest->centroid, e.centroid);
  largest->M = std::max(largest->M, e.M);
  largest->area_vector = std::max(largest->area_vector, e.area_vector);
}

TEST(Polyhedra, RandomBoxesAndHullsMatchQuadruplePrecision) {
  std::mt19937_64 random(1);
  Errors largest;
  int shared = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const auto size = [&] { return Vec3d(test::random_between(random, 0.2, 2), 1, 0.7); };
    const auto i = trial % 3 ? make_box_polyhedron(size()) : random_hull(random, 12, size());
    const auto j = trial % 2 ? make_box_polyhedron(size()) : random_hull(random, 9, size());
    const Pose<double> X_WI = random_pose(random, 0.6), X_WJ = random_pose(random, 0.6);
    const auto o = calc_overlap(i, X_WI, j, X_WJ);
    shared += o.volume > 0;
    const auto e = compare(i, X_WI, j, X_WJ);
    keep_largest(e, &largest);
  }
  EXPECT_GT(shared, 150);
  EXPECT_LT(largest.volume, 3);        // measured 0.6
  EXPECT_LT(largest.centroid, 0.3);    // measured 0.05
  EXPECT_LT(largest.M, 0.5);           // measured 0.11
  EXPECT_LT(largest.area_vector, 10);  // measured 2.7
}

TEST(Polyhedra, AlignedBoxesHaveTheirClosedForm) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 300; ++trial) {
    const Vec3d a(1, 0.8, 0.6), b(0.5, 0.9, 1.1);
    Pose<double> X_WI, X_WJ;
    X_WI.p_WB = test::random_vector(random, 0.8);
    X_WJ.p_WB = test::random_vector(random, 0.3);
    const auto o = calc_overlap(make_box_polyhedron(a), X_WI, make_box_polyhedron(b), X_WJ);
    const Vec3d low = (X_WI.p_WB - a / 2).cwiseMax(X_WJ.p_WB - b / 2);
    const Vec3d high = (X_WI.p_WB + a / 2).cwiseMin(X_WJ.p_WB + b / 2);
    const Vec3d s = high - low;
    if (s.minCoeff() > 0) {
      EXPECT_NEAR(o.volume, s.prod(), 1e-15);
      EXPECT_LT((o.p_WC - (low + high) / 2).norm(), 1e-14);
      const Vec3d m = s.prod() / 12 * s.cwiseProduct(s);
      const Mat3d expected = m.asDiagonal();
      EXPECT_LT((o.M_W.matrix() - expected).norm(), 1e-15);
    } else {
      EXPECT_EQ(o.volume, 0);
      EXPECT_NEAR(o.distance, (-s).cwiseMax(0).norm(), 1e-14);
    }
  }
}

TEST(Polyhedra, RandomPointsAgree) {
  std::mt19937_64 random(11);
  const auto i = random_hull(random, 12, Vec3d(1, 1, 1)),
             j = random_hull(random, 20, Vec3d(1, 1, 1));
  const Pose<double> X_WI = random_pose(random, 0.3), X_WJ = random_pose(random, 0.3);
  const auto is_inside = [](const ConvexPolyhedron& body, const Pose<double>& X, const Vec3d& p) {
    const Vec3d x = X.R_WB.transpose() * (p - X.p_WB);
    for (const Plane& plane : body.planes()) {
      if (plane.normal.dot(x) > plane.offset) return false;
    }
    return true;
  };
  const auto o = calc_overlap(i, X_WI, j, X_WJ);
  constexpr int kPoints = 200000;
  constexpr double kSide = 4;
  int inside = 0;
  Vec3d sum = Vec3d::Zero();
  for (int k = 0; k < kPoints; ++k) {
    const Vec3d p = o.p_WC + Vec3d(test::random_between(random, -kSide / 2, kSide / 2),
                                   test::random_between(random, -kSide / 2, kSide / 2),
                                   test::random_between(random, -kSide / 2, kSide / 2));
    if (!is_inside(i, X_WI, p) || !is_inside(j, X_WJ, p)) continue;
    ++inside;
    sum += p - o.p_WC;
  }
  const double share = o.volume / std::pow(kSide, 3), spread = std::sqrt(share * kPoints);
  EXPECT_GT(inside, 1000);
  EXPECT_NEAR(inside, share * kPoints, 4 * spread);  // four standard deviations
  EXPECT_LT((sum / inside).norm(), 4 * std::sqrt(o.M_W.trace() / o.volume / inside));
}

TEST(Polyhedra, ChangingPlacesTurnsTheContactRound) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const auto i = random_hull(random, 14, Vec3d(1, 1, 1));
    const auto j = make_box_polyhedron(Vec3d(1, 0.8, 0.6));
    const Pose<double> X_WI = random_pose(random, 0.7), X_WJ = random_pose(random, 0.7);
    const auto a = test::list_outputs(calc_overlap(i, X_WI, j, X_WJ));
    const auto b = test::list_outputs(swapped(calc_overlap(j, X_WJ, i, X_WI)));
    // Apart and near parallel, the shortest line's place is not unique; all else is.
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 2e-12) << trial;
  }
}

TEST(Polyhedra, ABoxOnAMuchLargerOneIsABoxOnAHalfSpace) {
  std::mt19937_64 random(8);
  const Vec3d size(0.5, 0.4, 0.3);
  const auto box = make_box_polyhedron(size), table = make_box_polyhedron(Vec3d(8, 8, 8));
  for (int trial = 0; trial < 200; ++trial) {
    const Pose<double> X_WS = random_pose(random, 1);  // of the surface
    const Pose<double> X_WJ = {X_WS.R_WB, X_WS * Vec3d(0, 0, -4)};
    const Pose<double> X_WI = {test::random_rotation(random),
                               X_WS * Vec3d(0, 0, test::random_between(random, 0, 0.4))};
    const auto a =
        test::list_outputs(calc_overlap(box, X_WI, table, X_WJ, PolyhedraNormal::kPlane));
    const auto b = calc_overlap(Box<double>{size}, X_WI, HalfSpace{}, X_WS);
    auto expected = test::list_outputs(b);
    if (b.volume == 0) continue;
    // The half-space's potential counts columns to the surface; overhanging ones are cut short
    // here.
    constexpr std::size_t kPotential = 15, kDeepest = 16;
    ASSERT_EQ(std::string(test::output_name(kPotential)), "potential");
    EXPECT_LE(a[kPotential], expected[kPotential] + 1e-14 * b.volume);
    // The lowest point on a half-space, the middle of the column between solids.
    for (std::size_t r = 0; r < 3; ++r) {
      expected[kDeepest + r] -= 0.5 * b.distance * b.n_W[static_cast<Eigen::Index>(r)];
    }
    for (std::size_t k = 0; k < expected.size(); ++k) {
      if (k == kPotential) continue;
      EXPECT_NEAR(a[k], expected[k], 2e-14) << test::output_name(k);
    }
  }
}

// The least distance of a vertex to a face or of an edge to an edge, tried one by one.
double calc_distance_by_trial(const ConvexPolyhedron& i, const Pose<double>& X_WI,
                              const ConvexPolyhedron& j, const Pose<double>& X_WJ) {
  double least = 1e300;
  const auto to_segment = [](const Vec3d& p, const Vec3d& a, const Vec3d& b) {
    const double t = std::clamp((p - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
    return (p - a - t * (b - a)).norm();
  };
  struct Triangle3 {
    Vec3d x[3];
  };
  const auto place = [](const ConvexPolyhedron& body, const Pose<double>& X) {
    std::vector<Triangle3> triangles;
    for (const auto& t : body.make_triangles()) {
      triangles.push_back(
          {{X * body.vertices()[t[0]], X * body.vertices()[t[1]], X * body.vertices()[t[2]]}});
    }
    return triangles;
  };
  const auto from_vertices = [&](const Triangle3& s, const Triangle3& t) {
    for (const Vec3d& p : s.x) {
      const Vec3d n = (t.x[1] - t.x[0]).cross(t.x[2] - t.x[0]).normalized();
      bool over = true;
      for (int e = 0; e < 3; ++e) {
        const Vec3d &a = t.x[e], &b = t.x[(e + 1) % 3];
        over = over && n.dot((b - a).cross(p - a)) >= 0;
        least = std::min(least, to_segment(p, a, b));
      }
      if (over) least = std::min(least, std::abs(n.dot(p - t.x[0])));
    }
  };
  for (const auto& s : place(i, X_WI)) {
    for (const auto& t : place(j, X_WJ)) {
      from_vertices(s, t);
      from_vertices(t, s);
      for (int e = 0; e < 3; ++e) {
        for (int f = 0; f < 3; ++f) {
          const Vec3d &a = s.x[e], &b = t.x[f];
          const Vec3d u = s.x[(e + 1) % 3] - a, v = t.x[(f + 1) % 3] - b, w = b - a;
          const Vec3d n = u.cross(v);
          if (n.squaredNorm() < 1e-20) continue;
          const double along_u = w.cross(v).dot(n) / n.squaredNorm();
          const double along_v = w.cross(u).dot(n) / n.squaredNorm();
          if (along_u < 0 || along_u > 1 || along_v < 0 || along_v > 1) continue;
          least = std::min(least, std::abs(n.normalized().dot(w)));
        }
      }
    }
  }
  return least;
}

TEST(Polyhedra, DistanceIsTheShortestLineAndReachesZeroFromBothSides) {
  std::mt19937_64 random(9);
  for (int trial = 0; trial < 300; ++trial) {
    const auto i = trial % 2 ? random_hull(random, 14, Vec3d(1, 1, 1))
                             : make_box_polyhedron(Vec3d(0.9, 0.5, 0.2));
    const auto j = make_box_polyhedron(Vec3d(1, 0.8, 0.6));
    Pose<double> X_WI = random_pose(random, 2);
    const Pose<double> X_WJ = random_pose(random, 0.5);
    const auto o = calc_overlap(i, X_WI, j, X_WJ);
    if (o.volume > 0) continue;
    EXPECT_NEAR(o.distance, calc_distance_by_trial(i, X_WI, j, X_WJ), 1e-13);
    // Along the shortest line the gap closes one to one and goes on below zero. How it goes on
    // depends on the feature: the depth along n is at most what was moved.
    const Vec3d start = X_WI.p_WB;
    for (const double gap : {1e-3, 1e-6, 1e-9}) {
      X_WI.p_WB = start - (o.distance - gap) * o.n_W;
      EXPECT_NEAR(calc_overlap(i, X_WI, j, X_WJ).distance, gap, 1e-14);
      X_WI.p_WB = start - (o.distance + gap) * o.n_W;
      const auto pressed = calc_overlap(i, X_WI, j, X_WJ);
      EXPECT_LT(pressed.distance, 0) << trial << " " << gap;
      EXPECT_GT(pressed.distance, -3 * gap) << trial << " " << gap;
    }
  }
}

// ---- Depth field

TEST(Polyhedra, ColumnsGiveVolumePotentialShadowAndLongest) {
  std::mt19937_64 random(10);
  int tried = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const auto i = random_hull(random, 14, Vec3d(1, 1, 1));
    const auto j = make_box_polyhedron(Vec3d(1, 0.8, 0.6));
    const Pose<double> X_WI = random_pose(random, 0.7), X_WJ = random_pose(random, 0.7);
    const auto o = calc_overlap(i, X_WI, j, X_WJ);
    if (o.volume < 1e-3) continue;
    ++tried;
    const auto figures = calc_patch_figures(i, X_WI, j, X_WJ);
    Vec3d u, v;
    make_basis<double>(o.n_W, &u, &v);
    const auto b = calc_shadow_bounds(i, X_WI, j, X_WJ, o.p_WC, u, v);
    constexpr int kCells = 400;
    const double du = (b.u_max - b.u_min) / kCells, dv = (b.v_max - b.v_min) / kCells;
    std::vector<double> depth;
    sample_columns(i, X_WI, j, X_WJ, o.p_WC, u, v, b.u_min, b.v_min, du, dv, kCells, kCells,
                   &depth);
    double volume = 0, potential = 0, longest = 0, shadow = 0;
    for (const double f : depth) {
      volume += f * du * dv;
      potential += 0.5 * f * f * du * dv;
      shadow += f > 0 ? du * dv : 0;
      longest = std::max(longest, f);
    }
    // Midpoint rule on 400 x 400 cells.
    EXPECT_NEAR(volume / o.volume, 1, 1e-3);             // measured 2e-4
    EXPECT_NEAR(potential / o.potential, 1, 1e-3);       // measured 1e-4
    EXPECT_NEAR(shadow / figures.shadow_area, 1, 1e-2);  // measured 2e-3
    EXPECT_LE(longest, figures.max_depth * (1 + 1e-12));
    EXPECT_GT(longest, 0.97 * figures.max_depth);  // measured 0.99
    EXPECT_LE(figures.max_depth, -o.distance * (1 + 1e-12));
    // No section of a convex solid across n is larger than its shadow.
    EXPECT_GT(figures.section_area, 0);
    EXPECT_LE(figures.section_area, figures.shadow_area * (1 + 1e-12));
  }
  EXPECT_GT(tried, 20);
}

// ---- Derivatives

TEST(Polyhedra, DerivativesMatchDifferences) {
  std::mt19937_64 random(3);
  for (const auto rule :
       {PolyhedraNormal::kAreaVector, PolyhedraNormal::kEigenvector, PolyhedraNormal::kPlane}) {
    double worst = 0;
    std::string where;
    int shared = 0;
    for (int trial = 0; trial < 300; ++trial) {
      const auto i = trial % 3 ? make_box_polyhedron(Vec3d(0.7, 1.1, 0.9))
                               : random_hull(random, 12, Vec3d(1, 1, 1));
      const auto j = trial % 2 ? make_box_polyhedron(Vec3d(1, 0.8, 0.6))
                               : random_hull(random, 9, Vec3d(1, 1, 1));
      const Pose<double> X_WI = random_pose(random, 0.8), X_WJ = random_pose(random, 0.8);
      const auto f = [&](const auto& X_I, const auto& X_J) {
        return calc_overlap(i, X_I, j, X_J, rule);
      };
      std::string here;
      shared += f(X_WI, X_WJ).volume > 0;
      const double error = test::find_worst_derivative(f, X_WI, X_WJ, 1e-5, &here);
      if (error > worst) worst = error, where = fmt::format("trial {}: {}", trial, here);
    }
    EXPECT_GT(shared, 150);
    EXPECT_LT(300 - shared, 150);
    EXPECT_LT(worst, 1e-6) << where;  // measured 4e-8, rounding over the step
  }
}

TEST(Polyhedra, CeresJetsGiveTheSameDerivatives) {
  using Jet = ceres::Jet<double, 3>;
  const auto i = make_box_polyhedron(Vec3d(0.5, 0.4, 0.3)), j = make_box_polyhedron(Vec3d(1, 1, 1));
  const Pose<double> X_WI = {as_rotation(quaternion_from_rotation_vector(Vec3d(0.3, 0.4, 0.2))),
                             Vec3d(0.4, 0.1, 0.6)};
  auto X_jet = cast_pose<Jet>(X_WI);
  auto X_dual = cast_pose<Dual<3>>(X_WI);
  for (int k = 0; k < 3; ++k) X_jet.p_WB[k].v[k] = X_dual.p_WB[k].v[k] = 1;
  const auto jet = test::list_outputs(calc_overlap(i, X_jet, j, Pose<double>{}));
  const auto dual = test::list_outputs(calc_overlap(i, X_dual, j, Pose<double>{}));
  ASSERT_GT(dual[1].a, 0);
  for (std::size_t k = 0; k < jet.size(); ++k) {
    EXPECT_EQ(jet[k].a, dual[k].a);
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(jet[k].v[d], dual[k].v[d], 1e-15);
  }
}

// Between a face, an edge and a corner contact the shared volume changes its faces; on both sides
// of every such change the derivatives are those of that side, and V's agree.
TEST(Polyhedra, SlopeOfTheVolumeIsTheAreaVectorThroughTransitions) {
  const auto i = make_box_polyhedron(Vec3d(0.5, 0.4, 0.3)), j = make_box_polyhedron(Vec3d(1, 1, 1));
  const Mat3d R = as_rotation(quaternion_from_rotation_vector(Vec3d(0.3, 0.4, 0.2)));
  const double h = 1e-6;
  double worst = 0;
  for (double x = 0; x < 0.8; x += 0.0017) {
    const auto at = [&](double s) {
      return calc_overlap(i, Pose<double>{R, Vec3d(x + s, 0.3 + x / 2, 0.62)}, j, Pose<double>{});
    };
    const Pose<double> X_WI = {R, Vec3d(x, 0.3 + x / 2, 0.62)};
    const auto r =
        calc_polyhedra_overlap(i, X_WI, j, Pose<double>{}, PolyhedraNormal::kAreaVector, true);
    const double difference = (at(h).volume - at(-h).volume) / (2 * h);
    EXPECT_NEAR(-r.area_vector.x(), -r.by_pose.volume[0], 1e-15);
    worst = std::max(worst, std::abs(-r.area_vector.x() - difference));
  }
  EXPECT_LT(worst, 1e-6);  // measured 2e-7: V is C1 with a second derivative of order 1
}

}  // namespace
}  // namespace vesica::polyhedra_test
