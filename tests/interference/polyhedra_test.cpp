#include "vesica/interference/polyhedra.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/geometry/sample_meshes.h"
#include "tests/interference/overlap_checks.h"
#include "tests/interference/polyhedra_reference.h"
#include "tests/support/support.h"
#include "vesica/interference/convex_distance.h"

namespace vesica {
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
  for (int trial = 0; trial < 600; ++trial) {
    const auto size = [&] { return Vec3d(test::random_between(random, 0.2, 2), 1, 0.7); };
    const auto i = trial % 3 ? make_box_polyhedron(size()) : random_hull(random, 12, size());
    const auto j = trial % 2 ? make_box_polyhedron(size()) : random_hull(random, 9, size());
    const Pose<double> X_WI = random_pose(random, 0.6), X_WJ = random_pose(random, 0.6);
    const auto o = calc_overlap(i, X_WI, j, X_WJ);
    shared += o.volume > 0;
    const auto e = compare(i, X_WI, j, X_WJ);
    keep_largest(e, &largest);
    EXPECT_LT(e.volume, 20) << trial;
  }
  EXPECT_GT(shared, 300);
  fmt::print("errors in roundings: V {:.2g} c {:.2g} M {:.2g} a {:.2g}; {} shared\n",
             largest.volume, largest.centroid, largest.M, largest.area_vector, shared);
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

// ---- Derivatives

TEST(Polyhedra, DerivativesMatchDifferences) {
  std::mt19937_64 random(3);
  for (const auto rule :
       {PolyhedraNormal::kAreaVector, PolyhedraNormal::kEigenvector, PolyhedraNormal::kPlane}) {
    double worst = 0;
    std::string where;
    std::vector<double> all;
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
      all.push_back(error);
      if (error > worst) worst = error, where = fmt::format("trial {}: {}", trial, here);
      if (error > 1e-5) fmt::print("{} {} {}\n", trial, error, here);
    }
    std::sort(all.begin(), all.end());
    fmt::print("rule {}: worst {:.2g} ({}), median {:.2g} 95% {:.2g}, {} shared\n", int(rule),
               worst, where, all[all.size() / 2], all[all.size() * 95 / 100], shared);
  }
}

}  // namespace
}  // namespace vesica
