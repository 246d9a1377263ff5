// Time as every solver sees it: pushes that begin and end at any moment, runs that end where they
// are asked to, rows where they are due, and a path that does not depend on what comes after it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/simulation/loaded_scene.h"

namespace vesica::time_test {
namespace {

const char* const kSolvers[] = {
    "{method: euler, step: 1.0e-3}",        "{method: semi_implicit_euler, step: 1.0e-3}",
    "{method: rk3, step: 1.0e-3}",          "{method: rk4, step: 1.0e-3}",
    "{method: rk5, step: 1.0e-3}",          "{method: cvode, tolerance: 1.0e-9}",
    "{method: arkode, tolerance: 1.0e-9}",  "{method: dopri5, tolerance: 1.0e-9}",
    "{method: rodas5p, tolerance: 1.0e-9}",
};

// A block in free space, pushed along x with 1 N s, however long the push.
RunResult push(const std::string& solver, double from, double length, double ramp,
               double duration) {
  const auto scene = test::load_scene(fmt::format(
      "vesica: 1\ngravity: [0, 0, 0]\nbodies:\n"
      "  block: {{mass: 2, inertia: [0.01, 0.01, 0.01], shape: {{type: sphere, radius: 0.1}}}}\n"
      "forces:\n  - {{type: force, body: block, force: [{:.17g}, 0, 0], from: {:.17g}, until: "
      "{:.17g}, ramp: "
      "{:.17g}}}\n"
      "duration: {:.17g}\nsolver: {}\noutput: {{interval: 0.01}}\n",
      1 / length, from, from + length, ramp, duration, solver));
  return simulate(scene.system, scene.options);
}

// 1 N s on 2 kg: half a metre per second, by every solver, from pulses of a microsecond to a second
// at odd times.
TEST(Time, NoPulseIsMissed) {
  for (const char* solver : kSolvers) {
    for (const double length : {1e-6, 1e-5, 3.3e-4, 1e-3, 0.0217, 0.3, 1.0}) {
      for (const double from : {0.0, 0.1 + 1e-7, M_PI / 10, 0.7654321}) {
        const RunResult run = push(solver, from, length, 0, 2);
        ASSERT_TRUE(run.failure.empty()) << run.failure;
        EXPECT_NEAR(run.state[7], 0.5, 1e-9) << solver << " " << length << " " << from;
        EXPECT_NEAR(run.state[0], 0.5 * (2 - from - 0.5 * length),
                    std::string(solver).find("euler") == std::string::npos ? 1e-8 : 6e-4)
            << solver << " " << length << " " << from;  // order one: half a step, 5e-4 s
      }
    }
  }
}

// With ramps the impulse is that of the plateau between their middles.
TEST(Time, RampsAreSmoothPulses) {
  for (const char* solver :
       {kSolvers[3], kSolvers[4], kSolvers[5], kSolvers[6], kSolvers[7], kSolvers[8]}) {
    for (const double length : {4e-3, 0.1, 0.7}) {
      const double ramp = 0.25 * length;
      const RunResult run = push(solver, 0.0123, length, ramp, 1);
      EXPECT_NEAR(run.state[7], 0.5 * (1 - ramp / length), 1e-7) << solver << " " << length;
    }
  }
}

// Runs end at their duration, also where it is no multiple of the step, and after restarts.
TEST(Time, RunsEndAtTheirDuration) {
  for (const char* solver : kSolvers) {
    for (const double duration : {0.1, 0.10005, 1.0 / 3, 0.7771}) {
      const RunResult run = push(solver, 0.05, 0.02, 0, duration);
      EXPECT_EQ(run.end_time, duration) << solver;
      EXPECT_NEAR(run.recording.times.back(), duration, 0.01 + 1e-12);
      // Rows at the multiples of the interval, whatever the steps.
      for (size_t k = 0; k < run.recording.times.size(); ++k) {
        EXPECT_NEAR(run.recording.times[k], 0.01 * static_cast<double>(k), 1e-12) << solver;
      }
    }
  }
}

// A row between two fixed steps is interpolated: free fall is a parabola, which a cubic meets.
TEST(Time, RowsBetweenStepsAreInterpolated) {
  const auto scene = test::load_scene(
      "vesica: 1\ngravity: [0, 0, -10]\nbodies:\n"
      "  ball: {mass: 2, inertia: [0.01, 0.01, 0.01], shape: {type: sphere, radius: 0.1}}\n"
      "duration: 0.5\nsolver: {method: rk4, step: 7.0e-3}\noutput: {interval: 0.003}\n");
  const RunResult run = simulate(scene.system, scene.options);
  ASSERT_EQ(run.recording.times.size(), 167u);
  const size_t width = run.recording.columns.size();
  for (size_t k = 0; k < run.recording.times.size(); ++k) {
    const double t = run.recording.times[k];
    EXPECT_NEAR(run.recording.values[k * width + 2], -5 * t * t, 1e-12);
  }
}

const char* const kDie =
    "vesica: 1\nbodies:\n"
    "  die:\n    mass: 0.1\n    inertia: [4.0e-5, 4.0e-5, 4.0e-5]\n"
    "    shape: {{type: box, size: [0.05, 0.05, 0.05]}}\n"
    "    pose: {{position: [0, 0, 0.1], axis: [1, 2, 0.5], angle: 0.7}}\n"
    "    velocity: {{linear: [0.3, 0.1, -1], angular: [3, 5, 2]}}\n"
    "  table: {{fixed: true, shape: {{type: box, size: [1, 1, 0.1]}}, pose: {{position: [0, 0, "
    "-0.05]}}}}\n"
    "contacts:\n  - between: [die, table]\n"
    "    normal: {{law: volumetric, stiffness: 1.0e9, restitution: 0.5, v_small: 1.0e-3}}\n"
    "    friction: {{law: brown_mcphee, mu_s: 0.4, mu_d: 0.3, v_t: 0.01}}\n"
    "duration: {}\nsolver: {}\noutput: {{interval: 0.005}}\n";

// The path up to t is the same whatever comes after: a longer run repeats the rows of a shorter one
// bit by bit, but for those of the last step, which may be 11 ms long.
TEST(Time, ThePathDoesNotDependOnTheDuration) {
  for (const char* solver :
       {"{method: rk4, step: 2.0e-5}", "{method: cvode, tolerance: 1.0e-8}",
        "{method: arkode, tolerance: 1.0e-8}", "{method: dopri5, tolerance: 1.0e-8}",
        "{method: rodas5p, tolerance: 1.0e-8}"}) {
    const auto a = test::load_scene(fmt::format(fmt::runtime(kDie), 0.12, solver));
    const auto b = test::load_scene(fmt::format(fmt::runtime(kDie), 0.3, solver));
    const RunResult x = simulate(a.system, a.options), y = simulate(b.system, b.options);
    ASSERT_TRUE(x.failure.empty()) << x.failure;
    ASSERT_GT(x.monitors[0].touchdowns, 0) << solver;
    const size_t width = x.recording.columns.size();
    const size_t same = (x.recording.times.size() - 3) * width;
    for (size_t k = 0; k < same; ++k) {
      ASSERT_EQ(x.recording.values[k], y.recording.values[k])
          << solver << " " << x.recording.columns[k % width].name << " at "
          << x.recording.times[k / width];
    }
  }
}

// A box that lies still costs few steps: nothing happens.
TEST(Time, RestIsCheap) {
  const auto scene = test::load_scene(
      "vesica: 1\ngravity: [0, 0, -10]\nbodies:\n"
      "  box: {mass: 1, inertia: [2.0e-3, 2.0e-3, 2.0e-3], shape: {type: box, size: [0.1, 0.1, "
      "0.1]}, pose: {position: [0, 0, 0.0499]}}\n"
      "  ground: {fixed: true, shape: {type: half_space}}\n"
      "contacts:\n  - {between: [box, ground], normal: {law: volumetric, stiffness: 1.0e7, "
      "damping: "
      "0.1}, friction: {law: brown_mcphee, mu_s: 0.5, mu_d: 0.4, v_t: 0.01}}\n"
      "duration: 10\nsolver: {method: cvode, tolerance: 1.0e-8}\n");
  const RunResult run = simulate(scene.system, scene.options);
  EXPECT_TRUE(run.failure.empty()) << run.failure;
  EXPECT_LT(run.statistics.steps, 500);  // measured 229
}

// A motor that pulls for a moment: its torque steps up and down again by ramps of 0.1 ms; and a
// driven base that jerks away under a cart on a spring: what the cart gets is what it gets from the
// same jerk with steps of a microsecond.
TEST(Time, MotorsAndDrivesThatSwitchAreSeen) {
  for (const char* solver :
       {kSolvers[3], kSolvers[4], kSolvers[5], kSolvers[6], kSolvers[7], kSolvers[8]}) {
    const auto motor = test::load_scene(fmt::format(
        "vesica: 1\ngravity: [0, 0, 0]\nbodies:\n"
        "  cart:\n    mass: 2\n    inertia: [0.01, 0.01, 0.01]\n"
        "    joint:\n      type: prismatic\n      parent: world\n      axis: [1, 0, 0]\n"
        "      motor:\n"
        "        - {{input: torque, value: {{step: 1000, from: 0.5003, until: 0.5004}}}}\n"
        "        - {{input: torque, value: {{step: -1000, from: 0.5013, until: 0.5014}}}}\n"
        "duration: 1\nsolver: {}\n",
        solver));
    const RunResult run = simulate(motor.system, motor.options);
    ASSERT_TRUE(run.failure.empty()) << run.failure;
    EXPECT_NEAR(run.state[1], 1000 * 1e-3 / 2, 1e-7) << solver;
  }
  std::vector<double> speeds;
  for (const char* solver :
       {"{method: rk4, step: 1.0e-6}", kSolvers[5], kSolvers[6], kSolvers[7], kSolvers[8]}) {
    const auto jerk = test::load_scene(fmt::format(
        "vesica: 1\ngravity: [0, 0, 0]\nbodies:\n"
        "  base: {{mass: 1, inertia: [0.01, 0.01, 0.01], joint: {{type: prismatic, parent: world, "
        "axis: [1, 0, 0], driven: {{step: 0.01, from: 0.0103, until: 0.0108}}}}}}\n"
        "  cart: {{mass: 2, inertia: [0.01, 0.01, 0.01], joint: {{type: prismatic, parent: base, "
        "axis: [1, 0, 0], spring: {{stiffness: 500, damping: 1}}}}}}\n"
        "duration: 0.05\nsolver: {}\n",
        solver));
    const RunResult run = simulate(jerk.system, jerk.options);
    ASSERT_TRUE(run.failure.empty()) << run.failure;
    speeds.push_back(run.state.at(static_cast<size_t>(jerk.system.layout().velocity(1))));
  }
  EXPECT_GT(std::abs(speeds[0]), 0.05);
  for (const double speed : speeds) EXPECT_NEAR(speed, speeds[0], 1e-6);
}

}  // namespace
}  // namespace vesica::time_test
