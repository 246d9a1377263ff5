// Scenes with joints: closed forms, the ledger, messages.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/fixed_step.h"
#include "vesica/simulation/recording.h"
#include "vesica/simulation/sensitivity.h"
#include "vesica/simulation/simulate.h"

namespace vesica::joints_test {
namespace {

struct Outcome {
  System<double> system;
  RunResult result;
  double column_end(const std::string& name) const {
    return result.recording.column(result.recording.find(name)).back();
  }
};
Outcome run(const std::string& text) {
  const auto file = InputFile::parse(text, "test.yaml");
  const auto options = make_run_options(read_model(file));
  System<double> system(make_scene<double>(read_model(file)), options.ledger);
  RunResult result = simulate(system, options);
  EXPECT_TRUE(result.failure.empty()) << result.failure;
  return {std::move(system), std::move(result)};
}

const char* const kRun = "duration: 2\nsolver: {method: cvode, tolerance: 1.0e-11}\n";

// A point mass on a slide with spring and damper: x = exp(-d t/2m) (cos + ...) about k x = m g.
TEST(Joints, SlideOnASpringIsADampedOscillator) {
  const double m = 2, k = 80, d = 1.5, g = 9.81, x0 = 0.3, t = 2;
  const auto o = run(fmt::format(
      "vesica: 1\ngravity: [0, 0, -9.81]\nbodies:\n  mass:\n    mass: {}\n    inertia: [0, 0, 0]\n"
      "    joint: {{type: prismatic, parent: world, axis: [0, 0, 1], start: {}, spring: "
      "{{stiffness: {}, damping: {}}}}}\n{}",
      m, x0, k, d, kRun));
  const double rest = -m * g / k, decay = d / (2 * m), w = std::sqrt(k / m - decay * decay);
  const double a = x0 - rest;
  const double expected =
      rest + std::exp(-decay * t) * a * (std::cos(w * t) + decay / w * std::sin(w * t));
  EXPECT_NEAR(o.column_end("mass.joint.position"), expected, 1e-8);
  EXPECT_NEAR(o.column_end("mass.position.z"), expected, 1e-8);
  EXPECT_LT(std::abs(o.result.residual), 1e-6);  // 3e-8 measured, of 10 J exchanged
}

// Everything at once: springs, limits, friction, motor, a drive, a bushing, a moving base; the
// ledger accounts for all of it.
TEST(Joints, LedgerClosesWithEveryForceInAJoint) {
  const auto o = run(
      "vesica: 1\nbodies:\n"
      "  base: {prescribed: {amplitude: [0.1, 0, 0.02], frequency: 1.5, axis: [0, 0, 1], spin: "
      "1}}\n"
      "  a:\n    mass: 1\n    inertia: [0.02, 0.02, 0.01]\n"
      "    joint: {type: revolute, parent: base, axis: [0, 1, 0], in_body: {position: [0, 0, "
      "0.2]}, "
      "start: 0.5, spring: {stiffness: 3, damping: 0.1}, limits: {range: [-0.4, 0.6], stiffness: "
      "200, damping: 0.5}, friction: {load: 20, radius: 0.02, law: {law: brown_mcphee, mu_s: 0.3, "
      "mu_d: 0.2, v_t: 0.01}}}\n"
      "  b:\n    mass: 0.5\n    inertia: [0.01, 0.01, 0.01]\n"
      "    joint: {type: universal, parent: a, axes: [[1, 0, 0], [0, 1, 0]], in_parent: {position: "
      "[0, 0, -0.2]}, in_body: {position: [0, 0, 0.15]}, start: [0.2, -0.1], motor: {coordinate: "
      "angle2, input: position, value: {amplitude: 0.5, frequency: 0.8}, gain: 5, rate_gain: "
      "0.2}}\n"
      "  c:\n    mass: 0.3\n    inertia: [0.01, 0.02, 0.01]\n"
      "    joint: {type: revolute, parent: b, axis: [0, 0, 1], in_parent: {position: [0.1, 0, 0]}, "
      "in_body: {position: [-0.1, 0, 0]}, driven: {amplitude: 1, frequency: 1}}\n"
      "  d:\n    mass: 0.2\n    inertia: [0.001, 0.001, 0.001]\n"
      "    joint: {type: bushing, parent: c, in_parent: {position: [0.1, 0, 0]}, stiffness: 300, "
      "turning_stiffness: [2, 3, 4], damping: 0.5, turning_damping: 0.01}\n" +
      std::string(kRun));
  const double* l = o.result.state.data() + o.system.layout().ledger_start();
  EXPECT_GT(l[kJointDamping], 1e-3);
  EXPECT_GT(l[kJointFriction], 1e-3);
  EXPECT_GT(l[kSpringDamping], 1e-6);
  EXPECT_GT(std::abs(l[kMotorWork]), 1e-2);
  EXPECT_GT(std::abs(l[kPrescribedWork]), 1e-2);
  EXPECT_LT(std::abs(o.result.residual), 1e-6) << o.result.residual;  // 2e-9 measured
}

// A free body that carries another falls as if it were alone about their common mass centre.
TEST(Joints, FloatingTreeKeepsMomentum) {
  const auto o = run(
      "vesica: 1\ngravity: [0, 0, 0]\nbodies:\n"
      "  hull: {mass: 3, inertia: [0.1, 0.2, 0.3], velocity: {linear: [1, 0, 0], angular: [1, 2, "
      "3]}}\n"
      "  arm:\n    mass: 1\n    inertia: [0.02, 0.02, 0.01]\n"
      "    joint: {type: spherical, parent: hull, in_parent: {position: [0, 0, 0.3]}, in_body: "
      "{position: [0, 0, -0.3]}, rate: {angular: [5, 0, 1]}}\n" +
      std::string(kRun));
  auto data = o.system.make_evaluation<double>();
  auto momentum = [&](const double* y) {
    o.system.calc_motions(0, y, &data);
    Eigen::Matrix<double, 6, 1> p = Eigen::Matrix<double, 6, 1>::Zero();
    for (size_t b = 0; b < 2; ++b) {
      const auto& body = o.system.scene().bodies[b].inertia;
      const auto& m = data.motions[b];
      p.head<3>() += body.mass * m.V_WB.v_WB;
      p.tail<3>() += body.mass * m.X_WB.p_WB.cross(m.V_WB.v_WB) +
                     m.X_WB.R_WB * (body.I_B * (m.X_WB.R_WB.transpose() * m.V_WB.w_WB));
    }
    return p;
  };
  const std::vector<double> start = o.system.make_initial_state().y;
  const auto before = momentum(start.data()), after = momentum(o.result.state.data());
  EXPECT_LT((after - before).norm(), 1e-8 * before.norm());
}

// Sensitivity of a pendulum with a contact to its joint's start, against differences.
TEST(Joints, SensitivitiesMatchDifferences) {
  auto text = [](double start) {
    return fmt::format(
        "vesica: 1\nbodies:\n  ground: {{fixed: true, shape: {{type: half_space}}, pose: "
        "{{position: [0, 0, -0.45]}}}}\n"
        "  link:\n    mass: 1\n    inertia: [0.02, 0.02, 0.001]\n    shape: {{type: sphere, "
        "radius: "
        "0.1}}\n"
        "    joint: {{type: revolute, parent: world, axis: [0, 1, 0], in_body: {{position: [0, 0, "
        "0.4]}}, start: {:.12g}}}\n"
        "contacts:\n  - between: [link, ground]\n    normal: {{law: volumetric, stiffness: "
        "1.0e6}}\n"
        "    friction: {{law: brown_mcphee, mu_s: 0.3, mu_d: 0.2, v_t: 0.05}}\n"
        "duration: 0.5\nsolver: {{method: rk4, step: 1.0e-4}}\noutput: {{interval: 0.1}}\n",
        start);
  };
  const auto file = InputFile::parse(text(0.7), "test.yaml");
  const auto s = simulate_sensitivity(read_model(file), make_run_options(read_model(file)), {"bodies.link.joint.start"});
  ASSERT_EQ(s.final_names.front(), "link.joint.angle");
  const double h = 1e-5;
  const double difference = (run(text(0.7 + h)).column_end("link.joint.angle") -
                             run(text(0.7 - h)).column_end("link.joint.angle")) /
                            (2 * h);
  EXPECT_NEAR(s.final_derivatives[0][0], difference, 1e-4 * std::abs(difference));
}

// A pendulum on a torsion spring: k q = m g l sin q; and with a coordinate locked the other rests.
TEST(Joints, EquilibriumMeetsItsClosedForm) {
  const std::string bodies =
      "vesica: 1\ngravity: [0, 0, -10]\nbodies:\n"
      "  a: {mass: 1, inertia: [0.01, 0.01, 0.01], joint: {type: revolute, parent: world, axis: "
      "[0, "
      "1, 0], in_body: {position: [0, 0, -0.5]}, start: 1.5, spring: {stiffness: 4}}}\n"
      "  b: {mass: 0.2, inertia: [0.01, 0.01, 0.01], joint: {type: prismatic, parent: a, axis: [0, "
      "0, 1], start: 0.1, spring: {stiffness: 50}}}\n";
  const auto locked = make_scene<double>(read_model(InputFile::parse(
      bodies + "equilibrium: {locked: [b.joint.position]}\nduration: 1\n", "test.yaml")));
  EXPECT_EQ(locked.q0[1], 0.1);
  const double q = locked.q0[0];
  EXPECT_GT(std::abs(q), 0.1);
  EXPECT_NEAR(4 * q, 10 * (1 * 0.5 + 0.2 * 0.6) * std::sin(q), 1e-9);
  const auto open =
      make_scene<double>(read_model(InputFile::parse(bodies + "equilibrium: {}\nduration: 1\n", "test.yaml")));
  const double a = open.q0[0], x = open.q0[1];
  EXPECT_NEAR(4 * a, 10 * (0.5 + 0.2 * (0.5 + x)) * std::sin(a), 1e-9);
  EXPECT_NEAR(50 * x, -0.2 * 10 * std::cos(a), 1e-9);
}

// A ball on the ground sinks until the ground carries it.
TEST(Joints, EquilibriumOfABallOnTheGround) {
  const auto scene = make_scene<double>(read_model(InputFile::parse(
      "vesica: 1\ngravity: [0, 0, -10]\nbodies:\n  ball: {mass: 1, shape: {type: sphere, radius: "
      "0.1}, pose: {position: [0, 0, 0.098]}}\n  ground: {fixed: true, shape: {type: half_space}}\n"
      "contacts:\n  - between: [ball, ground]\n    normal: {law: volumetric, stiffness: 1.0e7}\n"
      "equilibrium: {}\nduration: 1\n",
      "test.yaml")));
  const double d = 0.1 - scene.q0[2];
  EXPECT_NEAR(1e7 * kPi * d * d * (0.3 - d) / 3, 10, 1e-6);
}

TEST(Joints, BadInputIsRefusedWithAReason) {
  auto error = [](const std::string& joint) {
    return test::input_error_of([&] {
      make_scene<double>(read_model(InputFile::parse(
          "vesica: 1\nbodies:\n  a: {mass: 1, inertia: [0, 0, 0], joint: " + joint + "}\n",
          "test.yaml")));
    });
  };
  EXPECT_NE(error("{type: revolute, parent: world, axis: [0, 0, 1]}").find("moves no mass"),
            std::string::npos);
  EXPECT_NE(error("{type: revolute, parent: wrld, axis: [0, 0, 1]}").find("test.yaml:3"),
            std::string::npos);
  EXPECT_NE(error("{type: revolut, parent: world}").find("revolute"), std::string::npos);
  EXPECT_NE(
      error("{type: universal, parent: world, axes: [[1, 0, 0], [2, 0, 0]]}").find("parallel"),
      std::string::npos);
  EXPECT_NE(error("{type: weld, parent: world, motor: {input: torque, value: 1}}").find("needs a"),
            std::string::npos);
}

}  // namespace
}  // namespace vesica::joints_test
