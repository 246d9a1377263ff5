// Lines under tension: the law of a ligament, its energy, and what its path does to bodies.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/support.h"
#include "vesica/multibody/grood_suntay.h"
#include "vesica/multibody/line_element.h"

namespace vesica::lines_test {
namespace {

LigamentLaw<double> make_law() {
  LigamentLaw<double> law;
  law.stiffness = 83150;
  law.slack_length = 83.15 / (4 * 22.48 * 0.03) * 1e-3;  // ACL anterior, Brown 3.2
  law.toe_strain = 0.03;
  law.damping = 500;
  return law;
}

// The element at a length and a rate, without a path.
template <class T>
LineForce<T> force_at(const LigamentLaw<double>& law, const T& length, const T& rate) {
  LineForce<T> f;
  f.length = length;
  f.rate = rate;
  calc_line_action(law, 0.0, T(0), &f);
  return f;
}

// Brown 3.1, in his units (mm, N/mm) and with K1 by itself.
double brown_force(double K1, double K2, double L0, double L) {
  const double strain = (L - L0) / L0;
  if (strain <= 0) return 0;
  if (strain <= 0.06) return K1 * (L - L0) * (L - L0);
  return K2 * (L - 1.03 * L0);
}

TEST(Ligament, ForceIsThatOfTheSource) {
  const LigamentLaw<double> law = make_law();
  const double L0 = law.slack_length * 1e3;
  EXPECT_NEAR(law.toe_stiffness(), 22.48e6, 1e-6);
  for (double strain = -0.05; strain < 0.15; strain += 0.001) {
    const double L = L0 * (1 + strain);
    EXPECT_NEAR(force_at(law, L * 1e-3, 0.0).tension, brown_force(22.48, 83.15, L0, L), 1e-9);
  }
}

// Force and slope meet at both ends of the toe; the second derivative does not.
TEST(Ligament, ForceAndSlopeAreContinuous) {
  using D = Dual<4>;
  const LigamentLaw<double> law = make_law();
  for (const double strain : {0.0, 2 * law.toe_strain}) {
    for (const double rate : {0.0, 0.02, -0.02}) {
      const double L = law.slack_length * (1 + strain), step = 1e-12;
      const auto below = force_at(law, D::variable(L - step, 0), D(rate));
      const auto above = force_at(law, D::variable(L + step, 0), D(rate));
      EXPECT_NEAR(below.tension.a, above.tension.a, 1e-6);        // 2 K2 1e-12
      EXPECT_NEAR(below.tension.v[0], above.tension.v[0], 1e-2);  // of 8.3e4 N/m
      EXPECT_NEAR(below.stored.a, above.stored.a, 1e-9);
    }
  }
  // Where the damper is held at zero force is continuous, its slope is not.
  const double L = law.slack_length * 1.03, elastic = force_at(law, L, 0.0).tension;
  const double halt = -elastic / (force_at(law, L, 1.0).tension - elastic);
  EXPECT_NEAR(force_at(law, L, halt * (1 - 1e-9)).tension, 0, 1e-6);
  EXPECT_EQ(force_at(law, L, halt * (1 + 1e-9)).tension, 0);
}

// Along any motion the power of the line is stored or dissipated, and none is made.
TEST(Ligament, PowerIsStoredOrDissipated) {
  using D = Dual<4>;
  const LigamentLaw<double> law = make_law();
  for (double strain = -0.02; strain < 0.1; strain += 0.0037) {
    for (double rate = -1; rate < 1.01; rate += 0.1) {
      D length(law.slack_length * (1 + strain));
      length.v[0] = rate;  // along the motion
      const auto f = force_at(law, length, D(rate));
      EXPECT_NEAR(f.stored.v[0] + f.dissipated.a, f.tension.a * rate, 1e-9);
      EXPECT_GE(f.dissipated.a, 0);
      EXPECT_GE(f.tension.a, 0);
    }
  }
}

struct Bodies {
  std::vector<Motion<double>> motions;
  LineElement<double> line;
};

// Three bodies at random, a line through a point of the middle one.
Bodies make_bodies(std::mt19937_64& random) {
  Bodies b;
  for (int k = 0; k < 3; ++k) {
    Motion<double> m;
    m.X_WB = {test::random_rotation(random), test::random_vector(random, 0.5)};
    m.V_WB = {test::random_vector(random, 3), test::random_vector(random, 3)};
    b.motions.push_back(m);
    b.line.path.points.push_back({k, test::random_vector(random, 0.2)});
  }
  return b;
}

TEST(LinePath, LengthAndRateOfAPolygon) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 50; ++k) {
    const Bodies b = make_bodies(random);
    const auto length_at = [&](double dt) {
      double sum = 0;
      std::vector<Vec3d> points;
      for (size_t n = 0; n < 3; ++n) {
        const Motion<double>& m = b.motions[n];
        const auto turn = quaternion_from_rotation_vector(m.V_WB.w_WB * dt);
        points.push_back(m.X_WB.p_WB + m.V_WB.v_WB * dt +
                         as_rotation(turn) * m.X_WB.R_WB * b.line.path.points[n].p_B);
        if (n > 0) sum += (points[n] - points[n - 1]).norm();
      }
      return sum;
    };
    LineState<double> now;
    calc_line_state(b.line.path, b.motions, &now);
    EXPECT_NEAR(now.length, length_at(0), 1e-14);
    EXPECT_NEAR(now.rate, (length_at(1e-6) - length_at(-1e-6)) / 2e-6, 1e-8);  // 1e-9
  }
}

// The wrenches of a line sum to nothing, and its end pulls towards the next point.
TEST(LinePath, ActionIsReaction) {
  std::mt19937_64 random(4);
  for (int k = 0; k < 50; ++k) {
    const Bodies b = make_bodies(random);
    LineState<double> now;
    calc_line_state(b.line.path, b.motions, &now);
    Vec3d force = Vec3d::Zero(), moment = Vec3d::Zero();
    for (const auto& at : now.pulls) {
      force += at.pull;
      moment += at.p_W.cross(at.pull);
    }
    EXPECT_NEAR(force.norm(), 0, 1e-14);
    EXPECT_NEAR(moment.norm(), 0, 1e-14);
    EXPECT_NEAR(now.pulls[0].pull.norm(), 1, 1e-14);
    EXPECT_GT(now.pulls[0].pull.dot(now.pulls[1].p_W - now.pulls[0].p_W), 0);
  }
}

// Derivatives of the forces by pose and velocity of the first body, slack, in the toe and beyond:
// dual numbers against differences.
TEST(Ligament, DerivativesSlackAndTaut) {
  using D = Dual<12>;
  std::mt19937_64 random(5);
  for (const double strain : {-0.1, 0.03, 0.1}) {
    const Bodies b = make_bodies(random);
    LineState<double> length;
    calc_line_state(b.line.path, b.motions, &length);
    LigamentLaw<double> law = make_law();
    law.slack_length = length.length / (1 + strain);
    law.damping = 10;  // does not reach zero at these speeds
    LineElement<double> line = b.line;
    line.action = law;
    std::vector<Motion<D>> seeded;
    for (const auto& m : b.motions) seeded.push_back(cast_motion<D>(m));
    seeded[0] = seed_motion(b.motions[0]);
    LineForce<D> f;
    calc_line_force(line, 0.0, D(0), seeded, &f);
    EXPECT_EQ(f.tension.a > 0, strain > 0);
    const auto tension_at = [&](int direction, double step) {
      std::vector<Motion<double>> moved = b.motions;
      const int axis = direction % 3;
      Motion<double>& m = moved[0];
      if (direction < 3) m.X_WB.p_WB[axis] += step;
      if (direction / 3 == 1) {
        m.X_WB.R_WB =
            as_rotation(quaternion_from_rotation_vector(Vec3d::Unit(axis) * step)) * m.X_WB.R_WB;
      }
      if (direction / 3 == 2) m.V_WB.v_WB[axis] += step;
      if (direction / 3 == 3) m.V_WB.w_WB[axis] += step;
      LineForce<double> at;
      calc_line_force(line, 0.0, 0.0, moved, &at);
      return at.tension;
    };
    const double scale = law.stiffness;
    for (int d = 0; d < 12; ++d) {
      const double step = 1e-6;
      const double difference = (tension_at(d, step) - tension_at(d, -step)) / (2 * step);
      EXPECT_NEAR(f.tension.v[d], difference, 1e-7 * scale) << d << " " << strain;
    }
  }
}

TEST(LineActuator, PullsAsToldAndNeverPushes) {
  std::mt19937_64 random(6);
  Bodies b = make_bodies(random);
  LineActuator<double> actuator;
  actuator.input.offset = 100;
  actuator.input.rate = -50;
  b.line.action = actuator;
  LineForce<double> f;
  calc_line_force(b.line, 1.0, 0.0, b.motions, &f);
  EXPECT_EQ(f.tension, 50);
  EXPECT_NEAR(f.work, -50 * f.rate, 1e-12);
  calc_line_force(b.line, 3.0, 0.0, b.motions, &f);
  EXPECT_EQ(f.tension, 0);
  // To a length 2 mm shorter, at rest: k 2 mm.
  for (auto& m : b.motions) m.V_WB = {};
  actuator.follows_length = true;
  actuator.input.offset = f.length - 2e-3;
  actuator.input.rate = 0;
  actuator.stiffness = 1e4;
  b.line.action = actuator;
  calc_line_force(b.line, 0.0, 0.0, b.motions, &f);
  EXPECT_NEAR(f.tension, 20, 1e-9);
}

// A tibia turned by flexion, adduction and internal rotation in the order of its joint: hinge of
// the femur, floating axis, axis of the tibia. Built by rotations, other than the code, which uses
// dot products.
TEST(GroodSuntay, GivesBackWhatItWasTurnedBy) {
  std::mt19937_64 random(7);
  for (int k = 0; k < 100; ++k) {
    const double flexion = test::random_between(random, -0.2, 2.2);
    const double adduction = test::random_between(random, -0.3, 0.3);
    const double internal = test::random_between(random, -0.6, 0.6);
    const bool is_left = k % 2 == 1;
    const double side = is_left ? -1 : 1;
    const auto turn = [](const Vec3d& axis, double angle) {
      return as_rotation(quaternion_from_rotation_vector(axis * angle));
    };
    // Right: flexion moves the distal end back (about -x), adduction to the left (about +y),
    // internal rotation turns anterior to the left (about +z).
    const Mat3d R_UL = turn(Vec3d::UnitX(), -flexion) * turn(Vec3d::UnitY(), side * adduction) *
                       turn(Vec3d::UnitZ(), side * internal);
    Pose<double> X_WU{test::random_rotation(random), test::random_vector(random, 1)};
    const Vec3d H_U = test::random_vector(random, 0.05);
    const Pose<double> X_WL{X_WU.R_WB * R_UL, X_WU * H_U};
    const auto x = calc_grood_suntay(X_WU, X_WL, is_left);
    EXPECT_NEAR(x[0], flexion, 1e-13);
    EXPECT_NEAR(x[1], adduction, 1e-13);
    EXPECT_NEAR(x[2], internal, 1e-13);
    const Vec3d e2 = turn(Vec3d::UnitX(), -flexion) * Vec3d::UnitY();
    EXPECT_NEAR(x[3], side * H_U.x(), 1e-13);
    EXPECT_NEAR(x[4], H_U.dot(e2), 1e-13);
    EXPECT_NEAR(x[5], -H_U.dot(R_UL.col(2)), 1e-13);
  }
  // Straight below: apart by 3 mm, forward by 2, to the right by 1.
  const auto x =
      calc_grood_suntay<double>({}, {Mat3d::Identity(), Vec3d(1e-3, 2e-3, -3e-3)}, false);
  EXPECT_NEAR(x[3], 1e-3, 1e-15);
  EXPECT_NEAR(x[4], 2e-3, 1e-15);
  EXPECT_NEAR(x[5], 3e-3, 1e-15);
}

}  // namespace
}  // namespace vesica::lines_test
