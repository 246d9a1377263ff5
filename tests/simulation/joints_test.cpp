// Scenes with joints: closed forms, the ledger, messages.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/fixed_step.h"
#include "vesica/simulation/make_scene.h"
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

// A free body that carries another moves as if it were alone about their common mass centre.
TEST(Joints, FloatingTreeKeepsMomentum) {
  for (const char* const arm : {"type: spherical, rate: {angular: [5, 0, 1]}",
                                "type: cylindrical, axis: [1, 0, 2], rate: [5, 0.4], spring: "
                                "{coordinate: distance, stiffness: 40}"}) {
    SCOPED_TRACE(arm);
    const auto o = run(fmt::format(
        "vesica: 1\ngravity: [0, 0, 0]\nbodies:\n"
        "  hull: {{mass: 3, inertia: [0.1, 0.2, 0.3], velocity: {{linear: [1, 0, 0], angular: [1, "
        "2, 3]}}}}\n"
        "  arm:\n    mass: 1\n    inertia: [0.02, 0.02, 0.01]\n"
        "    joint: {{{}, parent: hull, in_parent: {{position: [0, 0, 0.3]}}, in_body: "
        "{{position: [0, 0, -0.3]}}}}\n{}",
        arm, kRun));
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
}

// A nut beside the vertical axis of a cylindrical joint: it swings about the axis on a torsion
// spring, with I = I_zz + m r^2, and along it on a spring about k z = -m g, each by itself.
struct Nut {
  double m = 2, I_zz = 0.03, r = 0.1, c = 1.2, k = 90, g = 9.81;
  double angle0 = 0.4, spin0 = 0.5, z0 = 0.05, v0 = 0.2;

  std::string text(const std::string& end) const {
    return fmt::format(
        "vesica: 1\ngravity: [0, 0, {}]\nbodies:\n  nut:\n    mass: {}\n    inertia: [0.01, 0.02, "
        "{}]\n    joint: {{type: cylindrical, parent: world, axis: [0, 0, 3], in_body: {{position: "
        "[{}, 0, 0]}}, start: [{:.17g}, {:.17g} m], rate: [{} rad/s, {} m/s], spring: "
        "[{{coordinate: angle, stiffness: {:.17g} N m/rad}}, {{coordinate: distance, stiffness: "
        "{:.17g} N/m}}]}}\n{}",
        -g, m, I_zz, -r, angle0, z0, spin0, v0, c, k, end);
  }
  double angle(double t) const {
    const double w = std::sqrt(c / (I_zz + m * r * r));
    return angle0 * std::cos(w * t) + spin0 / w * std::sin(w * t);
  }
  double distance(double t) const {
    const double w = std::sqrt(k / m), rest = -m * g / k;
    return rest + (z0 - rest) * std::cos(w * t) + v0 / w * std::sin(w * t);
  }
};

TEST(Joints, CylindricalTurnsAndSlidesAsTwoOscillators) {
  const Nut nut;
  const auto o = run(nut.text(kRun));
  const double angle = nut.angle(2), z = nut.distance(2);
  EXPECT_NEAR(o.column_end("nut.joint.angle"), angle, 1e-8);  // 4e-10 measured
  EXPECT_NEAR(o.column_end("nut.joint.distance"), z, 1e-8);   // 2e-9 measured
  EXPECT_NEAR(o.column_end("nut.position.x"), nut.r * std::cos(angle), 1e-8);
  EXPECT_NEAR(o.column_end("nut.position.y"), nut.r * std::sin(angle), 1e-8);
  EXPECT_NEAR(o.column_end("nut.position.z"), z, 1e-8);
  const auto unit = [&](const std::string& name) {
    return o.result.recording.columns[o.result.recording.find(name)].unit;
  };
  EXPECT_EQ(unit("nut.joint.angle"), "rad");
  EXPECT_EQ(unit("nut.joint.angle_rate"), "rad/s");
  EXPECT_EQ(unit("nut.joint.distance"), "m");
  EXPECT_EQ(unit("nut.joint.distance_rate"), "m/s");
}

TEST(Joints, CylindricalSensitivitiesMeetTheClosedForm) {
  const Nut nut;
  const double t = 0.7, h = 1e-6;
  const auto file = InputFile::parse(
      nut.text("duration: 0.7\nsolver: {method: rk4, step: 1.0e-3}\noutput: {interval: 0.1}\n"),
      "test.yaml");
  const auto s = simulate_sensitivity(
      read_model(file), make_run_options(read_model(file)),
      {"bodies.nut.joint.start.0", "bodies.nut.joint.start.1", "bodies.nut.joint.rate.1",
       "bodies.nut.joint.spring.0.stiffness", "bodies.nut.joint.spring.1.stiffness"});
  ASSERT_EQ(s.final_names.size(), 4u);
  EXPECT_EQ(s.final_names[0], "nut.joint.angle");
  EXPECT_EQ(s.final_names[1], "nut.joint.distance");
  EXPECT_EQ(s.final_names[2], "nut.joint.angle_rate");
  EXPECT_EQ(s.final_names[3], "nut.joint.distance_rate");
  double Nut::*const numbers[] = {&Nut::angle0, &Nut::z0, &Nut::v0, &Nut::c, &Nut::k};
  for (size_t p = 0; p < 5; ++p) {
    Nut more = nut, less = nut;
    more.*numbers[p] += h;
    less.*numbers[p] -= h;
    const double angle = (more.angle(t) - less.angle(t)) / (2 * h);
    const double distance = (more.distance(t) - less.distance(t)) / (2 * h);
    EXPECT_NEAR(s.final_derivatives[p][0], angle, 1e-7) << p;
    EXPECT_NEAR(s.final_derivatives[p][1], distance, 1e-7) << p;
  }
}

TEST(Joints, CylindricalEquilibriumWithALockedCoordinate) {
  const Nut nut;
  const auto open = make_scene<double>(
      read_model(InputFile::parse(nut.text("equilibrium: {}\nduration: 1\n"), "test.yaml")));
  EXPECT_NEAR(open.q0[0], 0, 1e-10);
  EXPECT_NEAR(open.q0[1], -nut.m * nut.g / nut.k, 1e-10);
  const auto locked = make_scene<double>(read_model(InputFile::parse(
      nut.text("equilibrium: {locked: [nut.joint.distance]}\nduration: 1\n"), "test.yaml")));
  EXPECT_NEAR(locked.q0[0], 0, 1e-10);
  EXPECT_EQ(locked.q0[1], nut.z0);
}

// A drive turns and lifts a body along a screw: its pose is that of the screw, and the work is what
// lifts the weight, for turning at a constant rate takes none.
TEST(Joints, CylindricalDriveIsAScrew) {
  const double m = 2, spin = 3, pitch = 0.05, r = 0.1, t = 2;
  const auto o = run(fmt::format(
      "vesica: 1\ngravity: [0, 0, -9.81]\nbodies:\n  nut:\n    mass: {}\n    inertia: [0.01, 0.02, "
      "0.03]\n    joint: {{type: cylindrical, parent: world, axis: [0, 0, 1], in_body: {{position: "
      "[{}, 0, 0]}}, driven: [{{rate: {}}}, {{rate: {}}}]}}\n"
      "  stone: {{mass: 1, inertia: [1, 1, 1]}}\n{}",
      m, -r, spin, spin * pitch, kRun));
  auto data = o.system.make_evaluation<double>();
  o.system.calc_motions(t, o.result.state.data(), &data);
  const Vec3d p(r * std::cos(spin * t), r * std::sin(spin * t), spin * pitch * t);
  const Vec3d v(-r * spin * std::sin(spin * t), r * spin * std::cos(spin * t), spin * pitch);
  EXPECT_LT((data.motions[0].X_WB.p_WB - p).norm(), 1e-14);
  EXPECT_LT((data.motions[0].V_WB.v_WB - v).norm(), 1e-14);
  EXPECT_LT((data.motions[0].V_WB.w_WB - Vec3d(0, 0, spin)).norm(), 1e-14);
  const double* l = o.result.state.data() + o.system.layout().ledger_start();
  EXPECT_NEAR(l[kMotorWork], m * 9.81 * spin * pitch * t, 1e-9);
}

// Every force in a joint on both coordinates of a cylindrical one, on a base that moves.
TEST(Joints, CylindricalLedgerCloses) {
  const auto o = run(
      "vesica: 1\nbodies:\n"
      "  base: {prescribed: {amplitude: [0.1, 0, 0.02], frequency: 1.5, axis: [0, 0, 1], spin: "
      "1}}\n"
      "  nut:\n    mass: 1\n    inertia: [0.02, 0.02, 0.01]\n"
      "    joint: {type: cylindrical, parent: base, axis: [0, 1, 1], in_body: {position: [0.1, 0, "
      "0.2]}, start: [0.5, 0.02], spring: [{coordinate: angle, stiffness: 3 N m/rad, damping: 0.1 "
      "N "
      "m s/rad}, {coordinate: distance, stiffness: 300 N/m, damping: 2 N s/m, rest: 1 cm}], "
      "limits: [{coordinate: angle, range: [-30 deg, 35 deg], stiffness: 200 N m/rad, damping: 0.5 "
      "s}, {coordinate: distance, range: [-4 cm, 3 cm], stiffness: 3000 N/m, damping: 0.5 s/m}], "
      "friction: [{coordinate: angle, load: 20, radius: 0.02, law: {law: brown_mcphee, mu_s: 0.3, "
      "mu_d: 0.2, v_t: 0.01}}, {coordinate: distance, load: 5, law: {law: brown_mcphee, mu_s: 0.3, "
      "mu_d: 0.2, v_t: 0.01}}], motor: [{coordinate: angle, input: position, value: {amplitude: "
      "0.5, frequency: 0.8}, gain: 5, rate_gain: 0.2}, {coordinate: distance, input: torque, "
      "value: {amplitude: 6 N, frequency: 1.1}}]}\n"
      "  arm:\n    mass: 0.3\n    inertia: [0.01, 0.02, 0.01]\n"
      "    joint: {type: revolute, parent: nut, axis: [1, 0, 0], in_parent: {position: [0.1, 0, "
      "0]}, "
      "in_body: {position: [0, 0, 0.1]}}\n" +
      std::string(kRun));
  const double* l = o.result.state.data() + o.system.layout().ledger_start();
  EXPECT_GT(l[kJointDamping], 1e-3);
  EXPECT_GT(l[kJointFriction], 1e-3);
  EXPECT_GT(std::abs(l[kMotorWork]), 1e-2);
  EXPECT_GT(std::abs(l[kPrescribedWork]), 1e-2);
  EXPECT_LT(std::abs(o.result.residual), 1e-6) << o.result.residual;  // 2e-9 measured
}

// A crank turns, its rod pushes a piston that may also turn in its bore: x = r cos q +
// sqrt(l^2 - r^2 sin^2 q), and nothing turns the piston.
TEST(Joints, CylindricalPistonClosesALoop) {
  const double r = 0.1, l = 0.3;
  const auto o = run(
      "vesica: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  crank: {mass: 1, inertia: [0.001, 0.001, 0.001], joint: {type: revolute, parent: world, "
      "axis: [0, 1, 0], in_body: {position: [-0.1, 0, 0]}, start: 0.3, rate: 8}}\n"
      "  rod: {mass: 0.5, inertia: [0.001, 0.004, 0.004], joint: {type: revolute, parent: crank, "
      "axis: [0, 1, 0], in_body: {position: [-0.15, 0, 0]}, start: -0.4}}\n"
      "  piston: {mass: 0.4, inertia: [0.001, 0.001, 0.001], joint: {type: cylindrical, parent: "
      "world, axis: [1, 0, 0], start: [0.2, 0.39]}}\n"
      "loops:\n  - {type: point, between: [rod, piston], frames: [{position: [0.15, 0, 0]}, "
      "{position: [0, 0, 0]}], rate: 100}\n" +
      std::string(kRun));
  const double q = o.column_end("crank.joint.angle");
  const double expected = r * std::cos(q) + std::sqrt(l * l - r * r * std::sin(q) * std::sin(q));
  EXPECT_GT(std::abs(q - 0.3), 2);  // it has turned far, 3.0 measured
  EXPECT_NEAR(o.column_end("piston.joint.distance"), expected, 1e-8);  // 2e-12 measured
  EXPECT_NEAR(o.column_end("piston.joint.angle"), 0.2, 1e-10);
  EXPECT_LT(std::abs(o.result.residual), 1e-6) << o.result.residual;  // 3e-9 measured
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
  const auto s = simulate_sensitivity(read_model(file), make_run_options(read_model(file)),
                                      {"bodies.link.joint.start"});
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
  const auto open = make_scene<double>(
      read_model(InputFile::parse(bodies + "equilibrium: {}\nduration: 1\n", "test.yaml")));
  const double a = open.q0[0], x = open.q0[1];
  EXPECT_NEAR(4 * a, 10 * (0.5 + 0.2 * (0.5 + x)) * std::sin(a), 1e-9);
  EXPECT_NEAR(50 * x, -0.2 * 10 * std::cos(a), 1e-9);
}

// A pendulum upside down on a torsion spring that is too weak for it: upright is a balance, but the
// pendulum rests at an angle; with a stronger spring it rests upright.
TEST(Joints, EquilibriumLeavesASaddle) {
  const auto rest = [](double stiffness, double start) {
    return make_scene<double>(read_model(InputFile::parse(
        fmt::format("vesica: 1\ngravity: [0, 0, -10]\nbodies:\n"
                    "  a: {{mass: 1, inertia: [0.01, 0.01, 0.01], joint: {{type: revolute, parent: "
                    "world, axis: [0, 1, 0], in_body: {{position: [0, 0, -0.5]}}, start: {}, "
                    "spring: {{stiffness: {}}}}}}}\nequilibrium: {{}}\nduration: 1\n",
                    start, stiffness),
        "test.yaml")));
  };
  const auto weak = rest(4, 0);
  EXPECT_GT(std::abs(weak.q0[0]), 0.5);
  EXPECT_NEAR(4 * weak.q0[0], 5 * std::sin(weak.q0[0]), 1e-9);
  ASSERT_EQ(weak.notes.size(), 1u);
  EXPECT_NE(weak.notes[0].find("a.joint.angle"), std::string::npos) << weak.notes[0];
  const auto strong = rest(6, 0.1);
  EXPECT_NEAR(strong.q0[0], 0, 1e-9);
  EXPECT_TRUE(strong.notes.empty());
  // From an angle Newton finds the stable one by itself.
  EXPECT_TRUE(rest(4, 1.5).notes.empty());
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
          "vesica: 1\nbodies:\n  a: {mass: 1, inertia: [0, 0, 0], joint: " + joint +
              "}\nduration: 1\n",
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
  EXPECT_NE(error("{type: weld, parent: world, axis: [0, 0, 1]}")
                .find("belongs to joints of type revolute, prismatic"),
            std::string::npos);
  const std::string nut = "{type: cylindrical, parent: world, axis: [0, 0, 1], ";
  EXPECT_NE(error(nut + "spring: {stiffness: 1}}").find("give 'coordinate': angle, distance"),
            std::string::npos);
  EXPECT_NE(error(nut + "spring: {coordinate: angle, stiffness: 1 N/m}}").find("N/m"),
            std::string::npos);
  EXPECT_NE(error(nut + "start: [1 cm, 1 rad]}").find("cm"), std::string::npos);
  EXPECT_NE(error(nut + "friction: {coordinate: distance, load: 1, radius: 0.1, law: {law: "
                        "brown_mcphee, mu_s: 0.3, mu_d: 0.2, v_t: 0.01}}}")
                .find("a slide has none"),
            std::string::npos);
}

}  // namespace
}  // namespace vesica::joints_test
