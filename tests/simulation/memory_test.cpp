// What contacts remember: the speed with which they began, whenever and however they began.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/simulation/loaded_scene.h"
#include "vesica/simulation/fixed_step.h"

namespace vesica::memory_test {
namespace {

// A ball in the ground to a depth, with a given speed along z; restitution by every rule.
std::string make_ball(const std::string& normal, double speed, const std::string& solver,
                      double duration) {
  return fmt::format(
      "vesica: 1\ngravity: [0, 0, 0]\nbodies:\n"
      "  ball: {{mass: 0.5, inertia: [1.0e-3, 1.0e-3, 1.0e-3], shape: {{type: sphere, radius: "
      "0.1}}, pose: {{position: [0, 0, 0.099]}}, velocity: {{linear: [0, 0, {:.17g}]}}}}\n"
      "  ground: {{fixed: true, shape: {{type: half_space}}}}\n"
      "contacts:\n  - {{between: [ball, ground], normal: {}, friction: {{law: none}}}}\n"
      "forces:\n  - {{type: force, body: ball, force: [0, 0, -200], from: 0.001}}\n"
      "duration: {:.17g}\nsolver: {}\noutput: {{interval: 1.0e-5}}\n",
      speed, normal, duration, solver);
}

const char* const kLaws[] = {
    "{law: volumetric, stiffness: 1.0e8, restitution: 0.3, v_small: 0.01}",
    "{law: hunt_crossley, stiffness: 1.0e7, exponent: 1.5, restitution: 0.3, v_small: 0.01}",
};

// Begun at rest or while separating, the impact was one at v_small, and stays so: what is pushed in
// later is damped with that alpha, F = F_elastic (1 + alpha c), not with one that follows the
// speed.
TEST(Memory, ContactsThatBeginAtRestRememberThat) {
  for (const char* solver :
       {"{method: rk4, step: 1.0e-6}", "{method: cvode, tolerance: 1.0e-10}",
        "{method: arkode, tolerance: 1.0e-10}", "{method: dopri5, tolerance: 1.0e-10}",
        "{method: rodas5p, tolerance: 1.0e-10}"}) {
    for (const char* law : kLaws) {
      for (const double speed : {0.0, 1e-3}) {
        const auto scene = test::load_scene(make_ball(law, speed, solver, 0.0025));
        const RunResult run = simulate(scene.system, scene.options);
        ASSERT_TRUE(run.failure.empty()) << run.failure;
        ASSERT_EQ(run.final_state.memory.size(), 1u);
        EXPECT_TRUE(run.final_state.memory[0].contact.captured);
        EXPECT_NEAR(run.final_state.memory[0].contact.impact_speed, -speed, 1e-9) << solver;
        // By the law itself, at the last state.
        const auto& contact = scene.system.scene().contacts[0].contact;
        Motion<double> i, j;
        i.X_WB.p_WB.z() = run.state[2];
        i.V_WB.v_WB.z() = run.state[9];
        const auto expected = calc_contact(contact, i, j, ContactMemory<double>{-speed, true});
        const size_t width = run.recording.columns.size();
        size_t column = 0;
        while (run.recording.columns[column].name != "ball-ground.normal_force") ++column;
        const double force = run.recording.values[run.recording.values.size() - width + column];
        EXPECT_NEAR(force, expected.normal.force, 1e-6 * (1 + expected.normal.force)) << law;
      }
    }
  }
}

// The speed of a located touchdown is the speed of the touch, for any two shapes: a body that moves
// straight down on a face, an edge, a corner or a ball.
TEST(Memory, LocatedTouchdownsHaveTheSpeedOfTheTouch) {
  const char* const shapes[] = {
      "{type: sphere, radius: 0.05}", "{type: ellipsoid, radii: [0.05, 0.03, 0.02]}",
      "{type: box, size: [0.06, 0.05, 0.04]}", "{type: cylinder, radius: 0.03, length: 0.08}",
      "{type: cone, angle: 30 deg, height: 0.06}"};
  const char* const grounds[] = {"{type: half_space}",
                                 "{type: box, size: [1, 1, 0.1], pose: {position: [0, 0, -0.05]}}"};
  for (const char* solver :
       {"{method: cvode, tolerance: 1.0e-10}", "{method: arkode, tolerance: 1.0e-10}",
        "{method: dopri5, tolerance: 1.0e-10}", "{method: rodas5p, tolerance: 1.0e-10}"}) {
    for (const char* shape : shapes) {
      for (const char* ground : grounds) {
        const auto scene = test::load_scene(fmt::format(
            "vesica: 1\ngravity: [0, 0, 0]\nbodies:\n"
            "  top: {{mass: 0.5, inertia: [1.0e-3, 1.0e-3, 1.0e-3], shape: {}, pose: {{position: "
            "[0, 0, 0.12], axis: [1, 0.4, 0.2], angle: 0.6}}, velocity: {{linear: [0.2, 0.1, "
            "-0.73]}}}}\n"
            "  ground: {{fixed: true, shape: {}}}\n"
            "contacts:\n  - {{between: [top, ground], normal: {{law: volumetric, stiffness: 1.0e8, "
            "restitution: 0.5, v_small: 1.0e-4}}, friction: {{law: none}}}}\n"
            "duration: 0.2\nsolver: {}\n",
            shape, ground, solver));
        const RunResult run = simulate(scene.system, scene.options);
        ASSERT_TRUE(run.failure.empty()) << run.failure << " " << shape << " " << ground;
        ASSERT_FALSE(run.events.empty()) << shape << " " << ground;
        EXPECT_NEAR(run.events[0].closing_speed, 0.73, 1e-5) << solver << shape << ground;
      }
    }
  }
}

// A state can be copied and gone on from: the same bits as without the stop.
TEST(Memory, AStateIsAllThereIs) {
  const auto scene =
      test::load_scene(make_ball(kLaws[0], -0.5, "{method: rk4, step: 1.0e-5}", 0.01));
  auto go_on = [&](State<double> state, int steps) {
    FixedStepper<double, double> stepper(scene.system, FixedStepMethod::kRk4);
    auto data = scene.system.make_evaluation<double>();
    std::vector<ContactChange> changes;
    for (int k = 0; k < steps; ++k) stepper.step(state.t + 1e-5, &state, &data, &changes);
    return state;
  };
  const State<double> start = scene.system.make_initial_state();
  for (const int at : {1, 10, 137, 500}) {
    EXPECT_EQ(go_on(go_on(start, at), 1000 - at), go_on(start, 1000)) << at;
  }
}

}  // namespace
}  // namespace vesica::memory_test
