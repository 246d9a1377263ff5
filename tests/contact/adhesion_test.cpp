// Adhesion against closed forms: pull-off, rest, work, and a ball that hangs.
#include "vesica/contact/adhesion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/quadrature.h"
#include "vesica/simulation/simulate_model.h"

namespace vesica::adhesion_test {
namespace {

const Adhesion<double> kLaw{
    .stiffness = 1e6, .work_of_adhesion = 0.5, .radius = 0.02, .range = 1e-5, .damping = 0.3};
const double kPullOff = 2 * 3.14159265358979323846 * 0.5 * 0.02;  // 0.0628 N

NormalForce<double> at(double depth, double closing_speed = 0) {
  return kLaw(Overlap<double>{}, depth, closing_speed, ContactMemory<double>{});
}

TEST(Adhesion, PullsWithTheForceOfDerjaguinMullerAndToporov) {
  double least = 0;
  for (double d = 0; d < 1e-4; d += 1e-8) least = std::min(least, at(d).force);
  EXPECT_NEAR(least, -kPullOff, 1e-12 * kPullOff);
  EXPECT_EQ(at(0).force, 0);
  // Unloaded it rests at h + (F_a/k)^(2/3).
  const double rest = 1e-5 + std::pow(kPullOff / 1e6, 2.0 / 3);
  EXPECT_NEAR(at(rest).force, 0, 1e-12 * kPullOff);
  // What friction feels is what presses.
  EXPECT_NEAR(at(rest).force + at(rest).pull, kPullOff, 1e-12 * kPullOff);
}

TEST(Adhesion, HasTheEnergyOfItsForce) {
  for (const double d : {2e-6, 1e-5, 1.3e-5, 2e-4}) {
    using Number = Eigen::Matrix<long double, 1, 1>;
    const auto force = [](long double x) { return Number(at(static_cast<double>(x)).elastic); };
    const auto work = static_cast<double>(test::integrate(force, 0, d, 1e-16)(0));
    EXPECT_NEAR(at(d).energy, work, 1e-10 * std::abs(work) + 1e-18) << d;
  }
  // Damping takes, whichever way it moves, and never pulls by itself.
  for (const double c : {-100.0, -1.0, 0.5}) {
    const auto f = at(2e-5, c);
    EXPECT_GE((f.force - f.elastic) * c, 0);
    EXPECT_GE(f.force + f.pull, 0);
  }
}

// A ball under a ceiling: it hangs while it weighs less than the pull-off force, and falls when it
// weighs more.
TEST(Adhesion, ABallHangsUnderACeilingWhileItIsLight) {
  for (const double share : {0.5, 0.95, 1.05}) {
    const double weight = share * kPullOff;
    // k e^(3/2) = F_a - weight, where there is such a depth. It begins a little beside it: from far
    // off it would swing through and tear off.
    const double depth = 1e-5 + std::pow(std::max(0.0, kPullOff - weight) / 1e6, 2.0 / 3);
    Model m;
    m.bodies.push_back({.name = "ceiling",
                        .fixed = true,
                        .shapes = {{HalfSpace{}}},
                        .pose = model::Frame<>{}.turned(Vec3d(1, 0, 0), kPi)});
    m.bodies.push_back({.name = "ball",
                        .mass = weight / 9.80665,
                        .shapes = {{Sphere<double>{0.02}}},
                        .pose = model::Frame<>::at({0, 0, -0.02 + depth + 1e-7})});
    Adhesion<double> law = kLaw;
    law.damping = 100;
    m.contacts.push_back({.between = {"ball", "ceiling"}, .normal = law});
    m.run.duration = 0.1;
    const RunResult result = simulate(m);
    ASSERT_TRUE(result.failure.empty()) << result.failure;
    const auto z = result.recording.column(result.recording.find("ball.position.z"));
    if (share < 1) {
      EXPECT_NEAR(z.back(), -0.02 + depth, 3e-8) << share;  // 6.3e-9: it still swings
    } else {
      EXPECT_LT(z.back(), -0.0205) << share;
    }
  }
}

}  // namespace
}  // namespace vesica::adhesion_test
