#include "vesica/motion/rigid_fit.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "tests/support/support.h"
#include "vesica/io/motion_data.h"

namespace vesica::rigid_fit_test {
namespace {

const std::vector<Vec3d> kShank = {Vec3d(0.05, 0.10, 0.02), Vec3d(-0.04, 0.05, 0.05),
                                   Vec3d(0.03, -0.12, 0.06), Vec3d(-0.02, -0.05, -0.04)};

Vec3d noise(std::mt19937_64& random, double sigma) {
  std::normal_distribution<double> normal(0.0, sigma);
  return Vec3d(normal(random), normal(random), normal(random));
}

Vec3d as_rotation_vector(const Mat3d& R) {
  const Eigen::AngleAxisd angle_axis(R);
  return angle_axis.angle() * angle_axis.axis();
}

TEST(RigidFit, ExactForExactMarkers) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const Pose<double> truth{test::random_rotation(random), test::random_vector(random, 3.0)};
    std::vector<Vec3d> measured;
    for (const Vec3d& p : kShank) measured.push_back(truth * p);
    if (trial % 2 == 1) measured[trial % 4] = Vec3d::Constant(kMissing);
    const RigidFit pose = fit_rigid(kShank, measured);
    ASSERT_TRUE(pose.found);
    EXPECT_EQ(pose.points, trial % 2 == 1 ? 3 : 4);
    EXPECT_LT((pose.X_WB.R_WB - truth.R_WB).norm(), 1e-12);
    EXPECT_LT((pose.X_WB.p_WB - truth.p_WB).norm(), 1e-12);
    EXPECT_NEAR(pose.X_WB.R_WB.determinant(), 1.0, 1e-12);
    EXPECT_LT(pose.rms, 1e-12);
  }
}

TEST(RigidFit, ErrorUnderNoiseIsTheCovarianceItStates) {
  std::mt19937_64 random(2);
  constexpr double kSigma = 0.001;
  constexpr int kTrials = 20000;
  Eigen::Matrix<double, 6, 6> sample = Eigen::Matrix<double, 6, 6>::Zero();
  double square = 0.0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Pose<double> truth{test::random_rotation(random), test::random_vector(random, 1.0)};
    std::vector<Vec3d> measured;
    for (const Vec3d& p : kShank) measured.push_back(truth * p + noise(random, kSigma));
    const RigidFit pose = fit_rigid(kShank, measured);
    Eigen::Matrix<double, 6, 1> error;
    error.head<3>() = as_rotation_vector(truth.R_WB.transpose() * pose.X_WB.R_WB);
    error.tail<3>() = truth.R_WB.transpose() * (pose.X_WB.p_WB - truth.p_WB);
    sample += error * error.transpose() / kTrials;
    square += pose.rms * pose.rms / kTrials;
  }
  const auto expected = calc_pose_covariance(kShank, kSigma);
  for (int i = 0; i < 6; ++i) {
    // 20000 trials: a variance scatters by 1 %; five of that.
    EXPECT_NEAR(sample(i, i) / expected(i, i), 1.0, 0.05) << i;
  }
  // 12 measured components, 6 fitted: 6 remain over 4 markers.
  EXPECT_NEAR(square, kSigma * kSigma * 6.0 / 4.0, 0.05 * kSigma * kSigma * 6.0 / 4.0);
}

TEST(RigidFit, NeverMirrors) {
  // The mirror image of a cluster fits best with a reflection; a rotation must come out anyway, and
  // the misfit must show.
  std::vector<Vec3d> mirrored;
  for (const Vec3d& p : kShank) mirrored.emplace_back(-p.x(), p.y(), p.z());
  const RigidFit pose = fit_rigid(kShank, mirrored);
  ASSERT_TRUE(pose.found);
  EXPECT_NEAR(pose.X_WB.R_WB.determinant(), 1.0, 1e-12);
  EXPECT_GT(pose.rms, 0.01);
}

TEST(RigidFit, WeightsDecideWhomToBelieve) {
  std::vector<Vec3d> measured = kShank;
  measured[3] += Vec3d(0.02, 0.0, 0.0);
  const std::vector<double> doubtful = {1.0, 1.0, 1.0, 1e-6};
  EXPECT_LT(fit_rigid(kShank, measured, doubtful).X_WB.p_WB.norm(), 1e-6);
  EXPECT_GT(fit_rigid(kShank, measured).X_WB.p_WB.norm(), 1e-3);
}

TEST(RigidFit, SaysWhenItCannot) {
  const std::vector<Vec3d> line = {Vec3d(0, 0, 0), Vec3d(0.1, 0, 0), Vec3d(0.2, 0, 0)};
  EXPECT_FALSE(fit_rigid(line, line).found);
  std::vector<Vec3d> two = kShank;
  two[0] = two[1] = Vec3d::Constant(kMissing);
  EXPECT_FALSE(fit_rigid(kShank, two).found);
}

TEST(MeanShape, IsTheTrueShapeUnderNoise) {
  std::mt19937_64 random(5);
  std::vector<std::vector<Vec3d>> frames(1000);
  for (std::vector<Vec3d>& frame : frames) {
    const Pose<double> X{test::random_rotation(random), test::random_vector(random, 1.0)};
    for (const Vec3d& p : kShank) frame.push_back(X * p + noise(random, 0.001));
  }
  const auto shape = find_mean_shape(frames);
  ASSERT_TRUE(shape);
  // Distances within the shape, which no choice of frame changes: noise over sqrt(1000), plus the
  // bias of aligning noisy frames, of order sigma^2 / size = 1e-5 m.
  for (int i = 0; i < 4; ++i) {
    for (int j = i + 1; j < 4; ++j) {
      EXPECT_NEAR(((*shape)[i] - (*shape)[j]).norm(), (kShank[i] - kShank[j]).norm(), 2e-4);
    }
  }
}

}  // namespace
}  // namespace vesica::rigid_fit_test
