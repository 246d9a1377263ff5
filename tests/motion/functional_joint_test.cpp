#include "vesica/motion/functional_joint.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "tests/support/support.h"

namespace vesica::functional_joint_test {
namespace {

const std::vector<Vec3d> kThighInD = {Vec3d(0.05, -0.15, 0.02), Vec3d(-0.04, -0.20, 0.05),
                                      Vec3d(0.03, -0.30, 0.06), Vec3d(-0.02, -0.25, -0.04)};
const Vec3d kCenterInP(0.02, -0.08, 0.09);

// Noise as skin makes it: it forgets over `memory` frames (first-order process of given sigma).
class SlowNoise {
 public:
  SlowNoise(double sigma, double memory, std::mt19937_64& random)
      : sigma_(sigma), keep_(memory > 0.0 ? std::exp(-1.0 / memory) : 0.0), random_(random) {
    value_ = draw() * sigma_;
  }
  const Vec3d& next() {
    value_ = keep_ * value_ + std::sqrt(1.0 - keep_ * keep_) * sigma_ * draw();
    return value_;
  }

 private:
  Vec3d draw() {
    std::normal_distribution<double> normal;
    return Vec3d(normal(random_), normal(random_), normal(random_));
  }
  double sigma_, keep_;
  std::mt19937_64& random_;
  Vec3d value_;
};

// A star-and-arc like motion of the hip, in radians.
Mat3d rotation_at(double t) {
  using Eigen::AngleAxisd;
  return (AngleAxisd(0.6 * std::sin(1.9 * t), Vec3d::UnitZ()) *
          AngleAxisd(0.35 * std::sin(2.7 * t + 0.4), Vec3d::UnitX()) *
          AngleAxisd(0.3 * std::sin(1.3 * t + 1.0), Vec3d::UnitY()))
      .toRotationMatrix();
}

std::vector<std::vector<Vec3d>> make_ball_tracks(std::mt19937_64& random, double sigma,
                                                 double memory, int frames) {
  std::vector<std::vector<Vec3d>> tracks(kThighInD.size());
  for (size_t i = 0; i < kThighInD.size(); ++i) {
    SlowNoise noise(sigma, memory, random);
    for (int k = 0; k < frames; ++k) {
      tracks[i].push_back(kCenterInP + rotation_at(0.01 * k) * kThighInD[i] + noise.next());
    }
  }
  return tracks;
}

TEST(SphereCenter, ExactWithoutNoise) {
  std::mt19937_64 random(1);
  const JointCenter joint = fit_sphere_center(make_ball_tracks(random, 0.0, 0.0, 400));
  ASSERT_TRUE(joint.found);
  EXPECT_LT((joint.center_P - kCenterInP).norm(), 1e-9);
  for (size_t i = 0; i < kThighInD.size(); ++i)
    EXPECT_NEAR(joint.radii[i], kThighInD[i].norm(), 1e-9);
  EXPECT_LT(joint.rms, 1e-9);
}

TEST(SphereCenter, LimitsCoverTheTruthUnderCorrelatedNoise) {
  // 1 mm of noise that forgets within 0.1 s, 17 s at 100 Hz: the 95 % limits must hold in about 95
  // % of trials, while limits from frames taken as independent would be some four times too narrow.
  int inside = 0;
  constexpr int kTrials = 200;
  double width = 0.0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::mt19937_64 random(1000 + trial);
    const JointCenter joint = fit_sphere_center(make_ball_tracks(random, 0.001, 10.0, 1700));
    ASSERT_TRUE(joint.found);
    for (int i = 0; i < 3; ++i) {
      if (std::abs(joint.center_P[i] - kCenterInP[i]) < joint.half_width_P[i]) ++inside;
      width += joint.half_width_P[i] / (3.0 * kTrials);
    }
  }
  const double coverage = inside / (3.0 * kTrials);
  RecordProperty("coverage", std::to_string(coverage));
  RecordProperty("half_width_mm", std::to_string(1000.0 * width));
  // Measured 0.944 over 300 trials. A count of 600 with p = 0.95 scatters by 0.9 % (1.5 % if the
  // three axes were one).
  EXPECT_GT(coverage, 0.92);
  EXPECT_LT(coverage, 0.985);
}

TEST(SphereCenter, SaysWhichWayItDoesNotKnow) {
  // About z alone all markers run on circles: the centre may lie anywhere along z.
  std::mt19937_64 random(4);
  std::vector<std::vector<Vec3d>> tracks(kThighInD.size());
  for (size_t i = 0; i < kThighInD.size(); ++i) {
    SlowNoise noise(0.001, 5.0, random);
    for (int k = 0; k < 800; ++k) {
      const Mat3d R =
          Eigen::AngleAxisd(0.7 * std::sin(0.02 * k), Vec3d::UnitZ()).toRotationMatrix();
      tracks[i].push_back(kCenterInP + R * kThighInD[i] + noise.next());
    }
  }
  const JointCenter joint = fit_sphere_center(tracks);
  if (joint.found) {
    EXPECT_GT(joint.worst_half_width, 10.0 * joint.half_width_P.x());
    EXPECT_GT(std::abs(joint.worst_direction_P.z()), 0.95);
  }
}

std::vector<Pose<double>> make_ball_poses(std::mt19937_64& random, double sigma, double memory,
                                          int frames) {
  // Noise on the pose as a cluster of about 0.1 m makes it.
  SlowNoise shift(sigma, memory, random), turn(sigma / 0.1, memory, random);
  const Vec3d center_D(0.01, 0.22, -0.03);
  std::vector<Pose<double>> poses;
  for (int k = 0; k < frames; ++k) {
    const Mat3d R =
        rotation_at(0.01 * k) * as_rotation(quaternion_from_rotation_vector(turn.next()));
    const Mat3d R_true = rotation_at(0.01 * k);
    poses.push_back({R, kCenterInP - R_true * center_D + shift.next()});
  }
  return poses;
}

TEST(CommonPoint, ExactWithoutNoiseAndCoveredWithIt) {
  std::mt19937_64 random(1);
  const JointCenter exact = fit_common_point(make_ball_poses(random, 0.0, 0.0, 400));
  ASSERT_TRUE(exact.found);
  EXPECT_LT((exact.center_P - kCenterInP).norm(), 1e-9);
  EXPECT_LT((exact.center_D - Vec3d(0.01, 0.22, -0.03)).norm(), 1e-9);
  int inside = 0;
  constexpr int kTrials = 300;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::mt19937_64 seeded(5000 + trial);
    const JointCenter joint = fit_common_point(make_ball_poses(seeded, 0.0005, 10.0, 1700));
    for (int i = 0; i < 3; ++i) {
      if (std::abs(joint.center_P[i] - kCenterInP[i]) < joint.half_width_P[i]) ++inside;
    }
  }
  const double coverage = inside / (3.0 * kTrials);
  RecordProperty("coverage", std::to_string(coverage));
  EXPECT_GT(coverage, 0.92);
  EXPECT_LT(coverage, 0.985);
}

TEST(HingeAxis, ExactWithoutNoiseAndCoveredWithIt) {
  const Vec3d axis_P = Vec3d(0.1, -0.2, 1.0).normalized();
  const Vec3d point_P(0.03, -0.35, 0.02);
  const Mat3d R_0 = Eigen::AngleAxisd(0.4, Vec3d(1.0, 2.0, 0.5).normalized()).toRotationMatrix();
  const Vec3d origin_P(0.0, -0.5, 0.01);
  const auto make_poses = [&](std::mt19937_64& random, double sigma) {
    SlowNoise shift(sigma, 10.0, random), turn(sigma / 0.1, 10.0, random);
    std::vector<Pose<double>> poses;
    for (int k = 0; k < 900; ++k) {
      const double angle = 0.6 * (1.0 - std::cos(0.025 * k));
      const Mat3d turned = Eigen::AngleAxisd(angle, axis_P).toRotationMatrix();
      poses.push_back({turned * R_0 * as_rotation(quaternion_from_rotation_vector(turn.next())),
                       point_P + turned * (origin_P - point_P) + shift.next()});
    }
    return poses;
  };
  const auto distance_to_truth = [&](const Vec3d& p) {
    return (p - point_P - (p - point_P).dot(axis_P) * axis_P).norm();
  };
  std::mt19937_64 random(1);
  const JointAxis exact = fit_hinge_axis(make_poses(random, 0.0));
  ASSERT_TRUE(exact.found);
  EXPECT_LT((exact.axis_P - axis_P).norm(), 1e-6);
  EXPECT_LT((exact.axis_D - R_0.transpose() * axis_P).norm(), 1e-6);
  EXPECT_LT(distance_to_truth(exact.point_P), 1e-6);
  EXPECT_NEAR(exact.range, 1.2, 1e-3);
  EXPECT_LT(exact.hinge_ratio, 1e-3);

  int angle_inside = 0, point_inside = 0;
  constexpr int kTrials = 300;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::mt19937_64 seeded(9000 + trial);
    const JointAxis joint = fit_hinge_axis(make_poses(seeded, 0.0005));
    ASSERT_TRUE(joint.found);
    if (std::acos(std::min(1.0, joint.axis_P.dot(axis_P))) < joint.angle_half_width) ++angle_inside;
    // The limit holds where the axis passes the distal segment, at the stated point.
    if (distance_to_truth(joint.point_P) < joint.point_half_width) ++point_inside;
  }
  RecordProperty("angle_coverage", std::to_string(angle_inside / double(kTrials)));
  RecordProperty("point_coverage", std::to_string(point_inside / double(kTrials)));
  // A limit the worst way holds 95 % along that way and, across it, where the spread is smaller,
  // nearly always: between 0.86 (round spread) and 0.95 (flat). 300 trials scatter by 2 %.
  EXPECT_GT(angle_inside / double(kTrials), 0.83);
  EXPECT_GT(point_inside / double(kTrials), 0.83);
}

TEST(CommonPoint, WhatIsKnownStaysAndWhatTheMotionHidesToo) {
  std::mt19937_64 random(3);
  const Vec3d center_D(0.01, 0.22, -0.03);
  const auto ball = make_ball_poses(random, 0.0, 0.0, 30);
  const CommonPoint proximal =
      solve_common_point(ball, {Vec3d::Zero(), center_D}, {true, false}, 0);
  EXPECT_LT((proximal.center_P - kCenterInP).norm(), 1e-12);
  EXPECT_EQ(proximal.center_D, center_D);
  const CommonPoint distal =
      solve_common_point(ball, {kCenterInP, Vec3d::Ones()}, {false, true}, 0);
  EXPECT_LT((distal.center_D - center_D).norm(), 1e-12);
  EXPECT_EQ(distal.center_P, kCenterInP);

  // About z alone the point is free along z: it stays as far up as the start has it.
  std::vector<Pose<double>> hinge;
  for (int k = 0; k < 30; ++k) {
    const Mat3d R = Eigen::AngleAxisd(0.03 * k, Vec3d::UnitZ()).toRotationMatrix();
    hinge.push_back({R, kCenterInP - R * center_D});
  }
  const Vec3d up(0, 0, 0.5);
  const CommonPoint start{up, center_D - kCenterInP + up};
  const CommonPoint found = solve_common_point(hinge, start, {true, true}, 0.025);
  EXPECT_LT((found.center_P - Vec3d(kCenterInP.x(), kCenterInP.y(), 0.5)).norm(), 1e-12);
  EXPECT_LT((found.center_D.head<2>() - center_D.head<2>()).norm(), 1e-12);
}

TEST(HingeAxis, OneSideFollowsFromTheOther) {
  const Vec3d axis_P = Vec3d(0.1, -0.2, 1.0).normalized();
  const Mat3d R_0 = Eigen::AngleAxisd(0.4, Vec3d(1.0, 2.0, 0.5).normalized()).toRotationMatrix();
  const Vec3d axis_D = R_0.transpose() * axis_P;
  std::vector<Pose<double>> poses;
  for (int k = 0; k <= 20; ++k) {
    poses.push_back({Eigen::AngleAxisd(0.05 * k, axis_P).toRotationMatrix() * R_0, Vec3d::Zero()});
  }
  for (const SidesWanted& wanted :
       {SidesWanted{true, true}, SidesWanted{true, false}, SidesWanted{false, true}}) {
    CommonAxis start{axis_P, axis_D};
    // Far off but for the sense, where it is to be found.
    if (wanted.proximal) start.axis_P = Vec3d::UnitZ();
    if (wanted.distal) start.axis_D = Vec3d::UnitZ();
    const CommonAxis found = solve_common_axis(poses, start, wanted);
    EXPECT_LT((found.axis_P - axis_P).norm(), 1e-7);
    EXPECT_LT((found.axis_D - axis_D).norm(), 1e-7);
    EXPECT_NEAR(found.range, 1.0, 1e-7);
  }
}

TEST(HingeAxis, BallShowsAsNoHinge) {
  std::mt19937_64 random(8);
  const JointAxis joint = fit_hinge_axis(make_ball_poses(random, 0.0, 0.0, 1700));
  EXPECT_GT(joint.hinge_ratio, 0.2);
}

TEST(FunctionalJoint, RefusesWithoutMotion) {
  const std::vector<std::vector<Vec3d>> still(3, std::vector<Vec3d>(100, Vec3d(0.1, 0.2, 0.3)));
  EXPECT_FALSE(fit_sphere_center(still).found);
  EXPECT_FALSE(fit_common_point(std::vector<Pose<double>>(100)).found);
  EXPECT_FALSE(fit_common_point(std::vector<Pose<double>>(10)).found);
}

}  // namespace
}  // namespace vesica::functional_joint_test
