// Polyhedra whose faces, edges and corners coincide, touch or nearly do.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/geometry/sample_meshes.h"
#include "tests/interference/overlap_checks.h"
#include "tests/interference/polyhedra_reference.h"
#include "tests/support/support.h"
#include "vesica/interference/polyhedra/polyhedra.h"

namespace vesica::polyhedra_degenerate_test {
namespace {

constexpr double kEps = 2.3e-16;

// Two boxes, aligned in a frame that is itself turned and shifted, so that what coincides does so
// up to rounding only.
struct Aligned {
  Vec3d size_i, size_j, offset;  // offset: of i's centre from j's, in the common frame
  Vec3d low() const { return (offset - size_i / 2).cwiseMax(-size_j / 2); }
  Vec3d high() const { return (offset + size_i / 2).cwiseMin(size_j / 2); }
};

bool is_finite(const PolyhedraOverlap& r) {
  for (const double x : test::list_outputs(r.overlap)) {
    if (!std::isfinite(x)) return false;
  }
  const auto& by = r.by_pose;
  for (int k = 0; k < 6; ++k) {
    double sum = by.distance[k] + by.volume[k] + by.plane_offset[k] + by.potential[k];
    for (const auto& row : by.p_WC) sum += row[k];
    for (const auto& row : by.n_W) sum += row[k];
    for (const auto& row : by.M_W) sum += row[k];
    if (!std::isfinite(sum)) return false;
  }
  return true;
}

TEST(PolyhedraDegenerate, FlushFacesEdgesAndCornersInAnyOrientation) {
  std::mt19937_64 random(4);
  double worst_volume = 0, worst_centroid = 0, worst_gap = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    Aligned c;
    // Every axis: same size or not; flush low, flush high, centred, barely in, barely out,
    // anywhere.
    for (int k = 0; k < 3; ++k) {
      c.size_j[k] = 1;
      c.size_i[k] = trial % 2 ? 1 : test::random_between(random, 0.1, 3);
      const double inner = (c.size_j[k] - c.size_i[k]) / 2, outer = (c.size_j[k] + c.size_i[k]) / 2;
      const double tiny = test::random_log_between(random, 1e-17, 1e-6);
      const double choices[] = {0,
                                inner,
                                -inner,
                                outer,
                                -outer,
                                inner + tiny,
                                outer - tiny,
                                outer + tiny,
                                test::random_between(random, -outer, outer)};
      c.offset[k] = choices[random() % 9];
    }
    const Mat3d R = test::random_rotation(random);
    Pose<double> X_WJ = {R, test::random_vector(random, 1)}, X_WI = {R, X_WJ * c.offset};
    const auto i = make_box_polyhedron(c.size_i), j = make_box_polyhedron(c.size_j);
    for (const auto rule :
         {PolyhedraNormal::kAreaVector, PolyhedraNormal::kEigenvector, PolyhedraNormal::kPlane}) {
      const auto r = calc_polyhedra_overlap(i, X_WI, j, X_WJ, rule, true);
      const auto& o = r.overlap;
      ASSERT_TRUE(is_finite(r)) << trial;
      ASSERT_NEAR(o.n_W.norm(), 1, 1e-14);
      const Vec3d s = c.high() - c.low(), t = s.cwiseMax(0);
      // Places are known to eps times their size, about 4, which may move every face.
      const double size = 4;
      const Vec3d u = t + Vec3d::Constant(kEps * size);
      const double rounding = kEps * size * 2 * (u.x() * u.y() + u.y() * u.z() + u.z() * u.x());
      worst_volume = std::max(worst_volume, std::abs(o.volume - t.prod()) / rounding);
      if (s.minCoeff() > 0 && t.prod() > 1e4 * rounding) {
        const Vec3d centroid = X_WJ * Vec3d((c.low() + c.high()) / 2);
        worst_centroid = std::max(
            worst_centroid, (o.p_WC - centroid).norm() / (rounding * t.maxCoeff() / t.prod()));
      } else if (s.minCoeff() < 0) {
        worst_gap =
            std::max(worst_gap,
                     std::abs(std::max(o.distance, 0.0) - (-s).cwiseMax(0).norm()) / (kEps * size));
      }
    }
  }
  EXPECT_LT(worst_volume, 4);    // measured 1.1
  EXPECT_LT(worst_centroid, 2);  // measured 0.21
  EXPECT_LT(worst_gap, 8);       // measured 1.7
}

TEST(PolyhedraDegenerate, ABodyWithItselfIsTheBody) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 300; ++trial) {
    const auto body = ConvexPolyhedron(
        test::make_random_hull(random, 8 + trial % 40, Vec3d(1, 0.7, 0.4)), "hull");
    const Pose<double> X = {test::random_rotation(random), test::random_vector(random, 1)};
    const auto r = calc_polyhedra_overlap(body, X, body, X, PolyhedraNormal::kAreaVector, true);
    ASSERT_TRUE(is_finite(r));
    EXPECT_NEAR(r.overlap.volume, body.solid().volume, 1e-14);
    EXPECT_LT((r.overlap.p_WC - X * body.solid().centroid).norm(), 1e-14);
    EXPECT_LT((r.overlap.M_W - body.solid().M.rotated(X.R_WB)).matrix().norm(), 1e-15);
  }
}

TEST(PolyhedraDegenerate, FaintTouchesKeepTheirDepth) {
  // A box pressed flat, edge first and corner first into another, from 1e-14 to 1e-1 of its size.
  const auto i = make_box_polyhedron(Vec3d(0.5, 0.4, 0.3)), j = make_box_polyhedron(Vec3d(2, 2, 1));
  const Mat3d flat = Mat3d::Identity();
  const Mat3d edge = as_rotation(quaternion_from_rotation_vector(Vec3d(0.5, 0, 0)));
  const Mat3d corner = as_rotation(quaternion_from_rotation_vector(Vec3d(0.5, 0.4, 0.1)));
  int kind = 0;
  for (const Mat3d& R : {flat, edge, corner}) {
    for (double depth = 1e-14; depth < 0.2; depth *= 10) {
      Pose<double> X_WI{R, Vec3d(0.1, 0.2, 0)};
      double lowest = 0;
      for (const Vec3d& x : i.vertices()) lowest = std::min(lowest, (R * x).z());
      X_WI.p_WB.z() = 0.5 - lowest - depth;
      const auto o = calc_overlap(i, X_WI, j, Pose<double>{});
      // The place is rounded to 1e-16, and so is the depth.
      const double exact = 0.5 - lowest - X_WI.p_WB.z();
      EXPECT_NEAR(o.distance, -exact, 5e-16) << kind << " " << depth;
      EXPECT_LT((o.n_W - Vec3d::UnitZ()).norm(), 1e-15 + 1e-16 / depth) << kind << " " << depth;
      const auto reference = test::calc_reference(i, X_WI, j, Pose<double>{});
      EXPECT_NEAR(o.volume, reference.volume, 3e-16 * reference.area) << kind << " " << depth;
      EXPECT_LT((o.p_WC - X_WI.p_WB).norm(), 0.4);
    }
    ++kind;
  }
}

TEST(PolyhedraDegenerate, NeedlesAndPlates) {
  std::mt19937_64 random(6);
  double worst = 0;
  int shared = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const auto thin = [&] { return test::random_log_between(random, 1e-7, 1); };
    const auto i = make_box_polyhedron(Vec3d(1, thin(), thin()));
    const auto j = make_box_polyhedron(Vec3d(thin(), 1, thin()));
    const Pose<double> X_WI = {test::random_rotation(random), Vec3d::Zero()};
    // Middle to middle within the thinner of the two, so that they meet.
    const Pose<double> X_WJ = {test::random_rotation(random), test::random_vector(random, 1e-8)};
    const auto r = calc_polyhedra_overlap(i, X_WI, j, X_WJ, PolyhedraNormal::kAreaVector, true);
    ASSERT_TRUE(is_finite(r)) << trial;
    const auto reference = test::calc_reference(i, X_WI, j, X_WJ);
    shared += r.overlap.volume > 0;
    worst = std::max(worst, std::abs(r.overlap.volume - reference.volume) /
                                (kEps * 2 * (reference.area + 1e-30)));
  }
  EXPECT_GT(shared, 1900);
  EXPECT_LT(worst, 0.5);  // measured 0.04
}

TEST(PolyhedraDegenerate, FarFromTheOriginLosesOnlyTheRoundingOfThePlaces) {
  const auto box = make_box_polyhedron(Vec3d(1, 1, 1));
  const Vec3d far(1e6, -2e6, 3e6);  // places are rounded to 5e-10
  Pose<double> X_WI, X_WJ;
  X_WJ.p_WB = far;
  X_WI.p_WB = far + Vec3d(0.25, 0, 0.5);  // exact in binary
  const auto o = calc_overlap(box, X_WI, box, X_WJ);
  EXPECT_EQ(o.volume, 0.375);
  EXPECT_EQ((o.p_WC - far - Vec3d(0.125, 0, 0.25)).norm(), 0);
}

}  // namespace
}  // namespace vesica::polyhedra_degenerate_test
