// The load of a foot that moves as it is told: against the contact of `calc_contact` per ellipsoid,
// against differences, and mirrored.
#include "vesica/biomechanics/foot_forces.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "vesica/error.h"

namespace vesica::foot_forces_test {
namespace {

// A foot of three segments in a row, so that joints carry joints.
FootModel make_foot(std::mt19937& random) {
  std::uniform_real_distribution<double> unit(-1, 1);
  FootModel foot = make_brown_foot();
  foot.joints.push_back(
      {"tip",
       1,
       {as_rotation_123({0.2, 0.3 * unit(random), 0.4}), {0.01, 0.03, 0.002 * unit(random)}}});
  foot.ellipsoids.push_back({"tip", 2, {0.02, 0.03, 0.015}, {0.002, 0.01, -0.01}, {0.3, 0.2, 0.1}});
  return foot;
}

FootFrame make_frame(std::mt19937& random, const FootModel& foot) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto vector = [&](double size) -> Vec3d {
    return size * Vec3d(unit(random), unit(random), unit(random));
  };
  FootFrame frame;
  frame.foot.X_WB = {as_rotation_123(vector(0.3)), vector(0.3)};
  frame.foot.X_WB.p_WB.z() = 0.012 + 0.012 * unit(random);
  frame.foot.V_WB = {vector(2), vector(0.4)};
  for (size_t k = 0; k < foot.joints.size(); ++k) {
    frame.angles.push_back(0.5 * unit(random));
    frame.rates.push_back(3 * unit(random));
  }
  return frame;
}

FootFrame moved(const FootFrame& frame, int k, double h) {
  FootFrame other = frame;
  if (k < 3) other.foot.X_WB.p_WB[k] += h;
  if (k >= 3 && k < 6) {
    const Mat3d turn = as_rotation(quaternion_from_rotation_vector(h * Vec3d::Unit(k - 3)));
    other.foot.X_WB.R_WB = turn * frame.foot.X_WB.R_WB;
  }
  if (k >= 6 && k < 9) other.foot.V_WB.v_WB[k - 6] += h;
  if (k >= 9) other.foot.V_WB.w_WB[k - 9] += h;
  return other;
}

FootLoad calc_difference(const std::function<FootLoad(double)>& load, double h) {
  return (8 * (load(h) - load(-h)) - (load(2 * h) - load(-2 * h))) / (12 * h);
}

// Measured: 3e-9 of the largest column of its kind.
constexpr double kBound = 1e-7;
void expect_column(const Eigen::Vector3d& column, const FootLoad& difference, double scale) {
  EXPECT_LE((column - difference).norm(), kBound * scale)
      << column.transpose() << " instead of " << difference.transpose();
}

// Within a step of touchdown, where the load has a second derivative that jumps.
bool is_grazing(const FootModel& foot, const FootFrame& frame) {
  for (size_t e = 0; e < foot.ellipsoids.size(); ++e) {
    const auto touches = [&](double lift) {
      return calc_ellipsoid_load(foot, static_cast<int>(e), moved(frame, 2, lift))[0] > 0;
    };
    if (touches(-5e-5) != touches(5e-5)) return true;
  }
  return false;
}

TEST(FootForces, ColumnsMeetDifferences) {
  std::mt19937 random(1);
  int touching = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const FootModel foot = make_foot(random);
    const FootFrame frame = make_frame(random, foot);
    FootColumns columns(foot);
    const FootLoad load = calc_foot_load(foot, frame, &columns);
    EXPECT_LE((load - calc_foot_load(foot, frame)).norm(), 1e-12 * load.norm());
    if (load[0] < 20 || is_grazing(foot, frame)) continue;
    ++touching;
    const double h = 1e-5, scale = columns.all.middleCols<12>(columns.order.motion()).norm();
    const auto by = [&](auto change) {
      return calc_difference(
          [&](double step) {
            FootModel other = foot;
            change(other, step);
            return calc_foot_load(other, frame);
          },
          h);
    };
    expect_column(columns.all.col(FootOrder::kStiffness) * 1e7,
                  by([](FootModel& f, double s) { f.stiffness += 1e7 * s; }), scale);
    expect_column(columns.all.col(FootOrder::kDamping),
                  by([](FootModel& f, double s) { f.damping += s; }), scale);
    for (size_t e = 0; e < foot.ellipsoids.size(); ++e) {
      for (int k = 0; k < 9; ++k) {
        const auto difference = by([&](FootModel& f, double s) {
          FootEllipsoid& one = f.ellipsoids[e];
          (k < 3 ? one.radii : k < 6 ? one.position : one.angles)[k % 3] += s * 0.1;
        });
        expect_column(columns.all.col(columns.order.ellipsoid(static_cast<int>(e)) + k) * 0.1,
                      difference, scale);
      }
    }
    for (int k = 0; k < 12; ++k) {
      expect_column(
          columns.all.col(columns.order.motion() + k),
          calc_difference([&](double s) { return calc_foot_load(foot, moved(frame, k, s)); }, h),
          scale);
    }
    for (size_t j = 0; j < foot.joints.size(); ++j) {
      for (const bool rate : {false, true}) {
        const auto load_at = [&](double s) {
          FootFrame other = frame;
          (rate ? other.rates : other.angles)[j] += s;
          return calc_foot_load(foot, other);
        };
        const int joint = static_cast<int>(j);
        const int column = rate ? columns.order.rate(joint) : columns.order.angle(joint);
        expect_column(columns.all.col(column), calc_difference(load_at, h), scale);
      }
    }
  }
  EXPECT_GE(touching, 15);
}

TEST(FootForces, MirroredFootMirroredMotion) {
  std::mt19937 random(2);
  const Mat3d mirror = Vec3d(-1, 1, 1).asDiagonal();
  for (int trial = 0; trial < 20; ++trial) {
    const FootModel foot = make_foot(random);
    const FootFrame frame = make_frame(random, foot);
    FootFrame other = frame;
    other.foot.X_WB = {mirror * frame.foot.X_WB.R_WB * mirror, mirror * frame.foot.X_WB.p_WB};
    other.foot.V_WB = {-mirror * frame.foot.V_WB.w_WB, mirror * frame.foot.V_WB.v_WB};
    const FootLoad a = calc_foot_load(foot, frame), b = calc_foot_load(mirrored(foot), other);
    EXPECT_NEAR(a[0], b[0], 1e-11 * a[0]);
    EXPECT_NEAR(a[1], -b[1], 1e-11 * a[0]);
    EXPECT_NEAR(a[2], b[2], 1e-11 * a[0]);
  }
}

// A flat ellipsoid at rest: k V, at its centre.
TEST(FootForces, HalfASphereByHand) {
  FootModel foot;
  foot.stiffness = 2e7;
  foot.ellipsoids = {{"ball", 0, Vec3d::Constant(0.03), {0.01, 0.02, 0}, {0.4, 0.5, 0.6}}};
  FootFrame frame;
  frame.foot.X_WB.p_WB = {0.1, 0.2, 0};
  const FootLoad load = calc_foot_load(foot, frame);
  const double force = 2e7 * 2.0 / 3.0 * M_PI * std::pow(0.03, 3);
  EXPECT_NEAR(load[0], force, 1e-12 * force);
  EXPECT_NEAR(load[1] / load[0], 0.11, 1e-14);
  EXPECT_NEAR(load[2] / load[0], 0.22, 1e-14);
}

TEST(Foot, WhatMakesNoSenseIsRefused) {
  FootModel foot = make_brown_foot();
  EXPECT_NO_THROW(check(foot));
  foot.ellipsoids[1].segment = 2;
  EXPECT_THROW(check(foot), InputError);
  foot = make_brown_foot();
  foot.ellipsoids[0].radii.y() = 0;
  EXPECT_THROW(check(foot), InputError);
  foot = make_brown_foot();
  foot.stiffness = std::nan("");
  EXPECT_THROW(check(foot), InputError);
  foot = make_brown_foot();
  foot.joints[0].parent = 1;
  EXPECT_THROW(check(foot), InputError);
}

TEST(Foot, AnglesOfTheThreeTurnsComeBack) {
  const Vec3d angles(0.3, -1.2, 2.1);
  EXPECT_LE((as_angles_123(as_rotation_123(angles)) - angles).norm(), 1e-14);
}

}  // namespace
}  // namespace vesica::foot_forces_test
