// Forces in joints and between frames: gradients of what they store, never a gain of energy.
#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "vesica/multibody/bushing.h"
#include "vesica/multibody/forces.h"
#include "vesica/multibody/joint_forces.h"
#include "vesica/multibody/prescribed_motion.h"

namespace vesica::forces_test {
namespace {

// The stored energy falls by the power that the force does, from any pose.
TEST(Bushing, ForceIsTheGradientOfItsEnergy) {
  using D = Dual<12>;
  std::mt19937_64 random(1);
  for (int k = 0; k < 200; ++k) {
    Bushing<double> bushing;
    bushing.X_IF = {test::random_rotation(random), test::random_vector(random, 0.2)};
    bushing.X_JF = {test::random_rotation(random), test::random_vector(random, 0.2)};
    bushing.stiffness = Vec3d(100, 300, 500);
    bushing.turning_stiffness = Vec3d(1, 2, 3);
    Motion<double> i, j;
    j.X_WB = {test::random_rotation(random), test::random_vector(random, 0.5)};
    // From nearly aligned frames to half a turn apart.
    const double angle = k % 4 == 0 ? 1e-9 : k % 4 == 1 ? 0.05 : test::random_between(random, 0, 3);
    const auto turn =
        quaternion_from_rotation_vector(test::random_vector(random, 1).normalized() * angle);
    const Mat3d R_WJ = j.X_WB.R_WB * bushing.X_JF.R_WB;
    i.X_WB.R_WB = R_WJ * as_rotation(turn) * bushing.X_IF.R_WB.transpose();
    i.X_WB.p_WB = test::random_vector(random, 0.5);
    const Motion<D> seeded = seed_motion(i);
    const auto F = calc_bushing<double, D>(bushing, seeded, cast_motion<D>(j));
    const auto plain = calc_bushing<double, double>(bushing, i, j);
    const Vec3d moment = plain.on_i.tau_W + (plain.p_WI - i.X_WB.p_WB).cross(plain.on_i.f_W);
    for (int d = 0; d < 3; ++d) {
      EXPECT_NEAR(F.stored.v[d], -plain.on_i.f_W[d], 1e-9);
      EXPECT_NEAR(F.stored.v[3 + d], -moment[d], 1e-9) << angle;
    }
  }
}

// Both bodies at once: what one gets the other loses, and no power comes from a common motion.
TEST(Bushing, DoesNothingInACommonMotion) {
  std::mt19937_64 random(2);
  Bushing<double> bushing;
  bushing.stiffness = Vec3d(100, 300, 500);
  bushing.damping = Vec3d(1, 2, 3);
  bushing.turning_damping = Vec3d(1, 2, 3);
  Motion<double> i, j;
  i.X_WB = {test::random_rotation(random), test::random_vector(random, 0.5)};
  j.X_WB = {test::random_rotation(random), test::random_vector(random, 0.5)};
  const Vec3d w = test::random_vector(random, 3), v = test::random_vector(random, 3);
  for (auto* m : {&i, &j}) m->V_WB = {w, v + w.cross(m->X_WB.p_WB)};
  const auto F = calc_bushing<double, double>(bushing, i, j);
  EXPECT_NEAR(F.dissipated, 0, 1e-12);
  EXPECT_GT(F.stored, 1);
}

TEST(JointForces, PowerIsStoredOrDissipated) {
  using D = Dual<4>;
  BrownMcPhee<double> law;
  law.mu_s = 0.3;
  law.mu_d = 0.2;
  law.v_t = 0.01;
  const JointAction<double> actions[] = {
      JointSpring<double>{.stiffness = 5, .damping = 0.3, .rest = 0.2},
      JointLimit<double>{.low = -0.5, .high = 0.5, .stiffness = 1000, .damping = 2},
      JointFriction<double>{.law = law, .load = 50, .radius = 0.03}};
  for (const auto& action : actions) {
    for (double q = -0.7; q < 0.75; q += 0.1) {
      for (double u = -2; u < 2.1; u += 0.25) {
        const JointForce<double> f{0, 0, action};
        D x(q);
        x.v[0] = u;  // along the motion
        const auto value = calc_joint_force<double, D>(f, 0, x, D(u));
        EXPECT_NEAR(value.stored.v[0] + value.dissipated.a, -value.force.a * u, 1e-10);
        EXPECT_GE(value.dissipated.a, 0) << q << " " << u;
      }
    }
  }
}

TEST(JointForces, LimitNeverPullsBack) {
  const JointForce<double> f{
      0, 0, JointLimit<double>{.low = -0.5, .high = 0.5, .stiffness = 1000, .damping = 2}};
  EXPECT_EQ(calc_joint_force(f, 0, 0.6, -10.0).force, 0);
  EXPECT_LT(calc_joint_force(f, 0, 0.6, 0.0).force, 0);
  EXPECT_GT(calc_joint_force(f, 0, -0.6, 0.0).force, 0);
  EXPECT_EQ(calc_joint_force(f, 0, 0.4, 1.0).force, 0);
}

TEST(JointForces, MotorsFollowTheirInputs) {
  JointMotor<double> motor;
  motor.type = MotorType::kPosition;
  motor.gain = 10;
  motor.rate_gain = 2;
  motor.input.offset = 0.1;
  motor.input.rate = 0.5;
  const JointForce<double> f{0, 0, motor};
  EXPECT_NEAR(calc_joint_force(f, 2.0, 0.6, 0.3).force, 10 * (1.1 - 0.6) + 2 * (0.5 - 0.3), 1e-12);
  motor.limit = 3;
  EXPECT_EQ(calc_joint_force(JointForce<double>{0, 0, motor}, 2.0, 0.6, 0.3).force, 3);
}

// Rates of a signal are its derivatives, for ramps and series too.
TEST(Signal, RatesAreDerivatives) {
  Signal<double> signal;
  signal.offset = 1;
  signal.rate = 0.3;
  signal.amplitude = 0.2;
  signal.frequency = 2;
  signal.step = 0.7;
  signal.step_from = 0.5;
  signal.step_until = 1.5;
  Signal<double> series;
  std::vector<double> times, values;
  for (int k = 0; k <= 40; ++k) {
    times.push_back(0.05 * k);
    values.push_back(std::sin(3 * times.back()));
  }
  series.recorded = std::make_shared<CubicSpline>(times, values);
  const double h = 1e-5;
  for (const auto& s : {signal, series}) {
    for (double t = 0.013; t < 1.95; t += 0.09) {
      const auto x = s.at(t), more = s.at(t + h), less = s.at(t - h);
      EXPECT_NEAR(x.rate, (more.value - less.value) / (2 * h), 1e-7);
      EXPECT_NEAR(x.acceleration, (more.rate - less.rate) / (2 * h), 1e-5);
      EXPECT_NEAR(x.jerk, (more.acceleration - less.acceleration) / (2 * h), 1e-4);
    }
  }
  EXPECT_EQ(series.at(5).rate, 0);
}

TEST(PointForce, FactorRateIsItsDerivative) {
  PointForce<double> force;
  force.from = 0.1;
  force.until = 0.9;
  force.ramp = 0.2;
  const double h = 1e-6;
  for (double t = 0.013; t < 1; t += 0.03) {
    EXPECT_NEAR(force.factor_rate(t), (force.factor(t + h) - force.factor(t - h)) / (2 * h), 1e-8);
  }
}

// Position and rotation, as a function and as a series whose quaternions have no unit length.
TEST(PrescribedMotion, AccelerationAndJerkAreDerivatives) {
  PrescribedMotion<double> function;
  function.amplitude = {0.1, -0.2, 0.3};
  function.a0 = {1, 2, 3};
  function.axis = Vec3<double>(1, 2, 2) / 3;
  function.w0 = 0.4;
  function.swing = 0.5;
  function.frequency = 1.5;
  function.phase = 0.3;
  std::vector<double> times;
  for (int k = 0; k <= 40; ++k) times.push_back(0.05 * k);
  const auto make_spline = [&](double a, double b) {
    std::vector<double> values;
    for (const double t : times) values.push_back(a + std::sin(b * t));
    return CubicSpline(times, values);
  };
  RecordedMotion record;
  for (const double b : {1.0, 2.0, 3.0}) record.position.push_back(make_spline(0, b));
  for (const double b : {0.5, 1.0, 1.5, 2.0}) {
    record.quaternion.push_back(make_spline(b == 0.5 ? 3 : 0, b));
  }
  PrescribedMotion<double> series;
  series.recorded = std::make_shared<RecordedMotion>(record);
  const double h = 1e-5;
  for (const auto& m : {function, series}) {
    for (double t = 0.013; t < 1.95; t += 0.09) {
      const auto a = m.acceleration(t), j = m.jerk(t);
      const auto more = m.at(t + h).V_WB, less = m.at(t - h).V_WB;
      EXPECT_LT((a.v - (more.v_WB - less.v_WB) / (2 * h)).norm(), 1e-6);
      EXPECT_LT((a.w - (more.w_WB - less.w_WB) / (2 * h)).norm(), 1e-6);
      const auto later = m.acceleration(t + h), before = m.acceleration(t - h);
      EXPECT_LT((j.v - (later.v - before.v) / (2 * h)).norm(), 1e-5);
      EXPECT_LT((j.w - (later.w - before.w) / (2 * h)).norm(), 1e-5);
    }
  }
}

}  // namespace
}  // namespace vesica::forces_test
