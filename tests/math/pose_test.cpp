#include "vesica/math/pose.h"

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace vesica::pose_test {
namespace {

TEST(Pose, RotationOfQuaternionIsOrthogonalWhateverItsLength) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 100; ++k) {
    const Mat3d R = test::random_rotation(random);
    EXPECT_LT((R * R.transpose() - Mat3d::Identity()).norm(), 1e-14);
    EXPECT_NEAR(R.determinant(), 1, 1e-14);
  }
}

TEST(Pose, ProductOfQuaternionsIsProductOfRotations) {
  const auto a = quaternion_from_rotation_vector(Vec3d(0.3, -1.2, 0.4));
  const auto b = quaternion_from_rotation_vector(Vec3d(-2.0, 0.1, 0.7));
  EXPECT_LT((as_rotation(a * b) - as_rotation(a) * as_rotation(b)).norm(), 1e-15);
}

TEST(Pose, RotationVectorMatchesAngleAxisThroughTheSeriesCutoff) {
  for (double angle : {1e-9, 0.99e-4, 1.01e-4, 0.5, 3.0}) {
    const Vec3d axis = Vec3d(1, 2, -2) / 3;
    const Mat3d expected = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
    EXPECT_LT((as_rotation(quaternion_from_rotation_vector(angle * axis)) - expected).norm(),
              1e-15);
  }
}

TEST(Pose, ShiftedWrenchDoesTheSameWork) {
  std::mt19937_64 random(2);
  for (int k = 0; k < 50; ++k) {
    const Wrench<double> F_A{test::random_vector(random, 1), test::random_vector(random, 1)};
    const Vec3d p_AB = test::random_vector(random, 1);
    const Vec3d v_A = test::random_vector(random, 1), w = test::random_vector(random, 1);
    const auto F_B = shift_wrench<double>(F_A, p_AB);
    const Vec3d v_B = v_A + w.cross(p_AB);
    EXPECT_NEAR(F_A.f_W.dot(v_A) + F_A.tau_W.dot(w), F_B.f_W.dot(v_B) + F_B.tau_W.dot(w), 1e-14);
  }
}

TEST(Pose, SeededMotionDifferentiatesPointsLikeFiniteDifferences) {
  std::mt19937_64 random(3);
  Motion<double> m;
  m.X_WB = {test::random_rotation(random), test::random_vector(random, 1)};
  const Vec3d point = test::random_vector(random, 1);
  const auto seeded = seed_motion(m);
  const Vec3<Dual<12>> moved = seeded.X_WB * cast_vector<Dual<12>>(point);
  const double step = 1e-6;
  for (int k = 0; k < 3; ++k) {
    const auto turned = [&](double angle) -> Vec3d {
      const Mat3d dR = as_rotation(quaternion_from_rotation_vector(angle * Vec3d(Vec3d::Unit(k))));
      return dR * m.X_WB.R_WB * point + m.X_WB.p_WB;
    };
    const Vec3d difference = (turned(step) - turned(-step)) / (2 * step);
    for (int r = 0; r < 3; ++r) {
      EXPECT_NEAR(moved[r].v[3 + k], difference[r], 1e-9);
      EXPECT_EQ(moved[r].v[k], r == k ? 1 : 0);
    }
  }
}

}  // namespace
}  // namespace vesica::pose_test
