// Whole runs against what must hold for them: conservation, order of convergence, restitution,
// derivatives, energy.
#include "vesica/simulation/simulate.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/make_scene.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/simulation/loaded_scene.h"
#include "tests/support/support.h"
#include "vesica/simulation/fixed_step.h"
#include "vesica/simulation/recording.h"
#include "vesica/simulation/run.h"
#include "vesica/simulation/sensitivity.h"

namespace vesica::simulate_test {
namespace {

using Loaded = test::LoadedScene;
Loaded load(const std::string& text) { return test::load_scene(text); }

std::string ball_scene(const std::string& law, const std::string& friction,
                       const std::string& solver, const std::string& duration,
                       const std::string& start, const std::string& gravity = "[0, 0, -9.81]") {
  return fmt::format(
      "vesica: 1\ngravity: {}\nbodies:\n"
      "  ball:\n    mass: 0.5\n    shape: {{type: sphere, radius: 0.05}}\n{}"
      "  ground: {{fixed: true, shape: {{type: half_space}}}}\n"
      "contacts:\n  - between: [ball, ground]\n    normal: {}\n    friction: {}\n"
      "duration: {}\nsolver: {}\noutput: {{interval: 0.01}}\n",
      gravity, start, law, friction, duration, solver);
}

const char* const kElastic = "{law: volumetric, stiffness: 1.0e8}";
const char* const kNone = "{law: none}";

// One bounce of a ball dropped from 0.1 m takes 0.29 s; 100 of them.
const char* const kDropped = "    pose: {position: [0, 0, 0.15]}\n";

TEST(Simulate, BallKeepsItsEnergyOverAHundredBounces) {
  const auto rk4 =
      load(ball_scene(kElastic, kNone, "{method: rk4, step: 2.0e-5}", "29.5", kDropped));
  const auto fixed = simulate(rk4.system, rk4.options);
  EXPECT_GE(fixed.monitors[0].touchdowns, 100);
  const double scale = 0.5 * 9.81 * 0.1;  // what the ball falls through
  EXPECT_LT(std::abs(fixed.residual) / scale, 1e-6) << fixed.residual / scale;

  const auto cvode =
      load(ball_scene(kElastic, kNone, "{method: cvode, tolerance: 1.0e-14}", "29.5", kDropped));
  const auto adaptive = simulate(cvode.system, cvode.options);
  EXPECT_TRUE(adaptive.failure.empty()) << adaptive.failure;
  EXPECT_GE(adaptive.monitors[0].touchdowns, 100);
  EXPECT_LT(std::abs(adaptive.residual) / scale, 1e-8) << adaptive.residual / scale;
  RecordProperty("rk4_drift", fmt::format("{:.2e}", fixed.residual / scale));
  RecordProperty("cvode_drift", fmt::format("{:.2e}", adaptive.residual / scale));
}

TEST(Simulate, LedgerClosesWithEveryDissipation) {
  const std::string start =
      "    pose: {position: [0, 0, 0.08]}\n"
      "    velocity: {linear: [0.5, 0.2, 0], angular: [3, -2, 10]}\n";
  const char* const law = "{law: volumetric, stiffness: 1.0e8, damping: 0.3}";
  const char* const friction = "{law: brown_mcphee, mu_s: 0.5, mu_d: 0.4, v_t: 0.02}";
  const std::pair<const char*, double> solvers[] = {
      {"{method: rk4, step: 1.0e-5}", 1e-6},
      {"{method: cvode, tolerance: 1.0e-10}", 1e-6},
      {"{method: arkode, tolerance: 1.0e-10}", 1e-6},
      {"{method: dopri5, tolerance: 1.0e-10}", 1e-6},
      {"{method: rodas5p, tolerance: 1.0e-10}", 1e-6}};
  for (const auto& [solver, bound] : solvers) {
    const auto s = load(ball_scene(law, friction, solver, "1.5", start));
    const auto result = simulate(s.system, s.options);
    EXPECT_TRUE(result.failure.empty()) << result.failure;
    const double lost = result.start_energy - result.end_energy;
    EXPECT_GT(lost, 0.1);
    EXPECT_LT(std::abs(result.residual) / lost, bound) << solver << " " << result.residual / lost;
  }
}

// A ball that starts pressed in and is let go presses most at its start, one that is pushed down at
// its end: both count, with every kind of solver, also where no rows are recorded.
TEST(Simulate, PeaksAreOfTheStartAndTheEndToo) {
  constexpr double kRadius = 0.05, kDepth = 0.002;  // F = k pi d^2 (R - d/3)
  const double force = 1e8 * kPi * kDepth * kDepth * (kRadius - kDepth / 3);
  const std::string pressed = "    pose: {position: [0, 0, 0.048]}\n";
  for (const char* solver : {"{method: rk4, step: 1.0e-4}", "{method: dopri5, tolerance: 1.0e-4}",
                             "{method: cvode, tolerance: 1.0e-4}"}) {
    auto s = load(ball_scene(kElastic, kNone, solver, "0.02", pressed));
    for (const double interval : {0.01, 0.0}) {
      s.options.interval = interval;
      const ContactMonitor start = simulate(s.system, s.options).monitors[0];
      EXPECT_NEAR(start.max_force, force, 1e-6 * force) << solver;
      EXPECT_NEAR(start.max_depth, kDepth, 1e-12) << solver;
    }
  }
  const auto down = load(ball_scene(kElastic, kNone, "{method: rk4, step: 1.0e-3}", "0.001",
                                    pressed + "    velocity: {linear: [0, 0, -1]}\n"));
  const auto result = simulate(down.system, down.options);
  const double depth = kRadius - result.state[2];
  EXPECT_GT(depth, 1.2 * kDepth);
  EXPECT_GE(result.monitors[0].max_force,
            (1 - 1e-9) * 1e8 * kPi * depth * depth * (kRadius - depth / 3));
}

// A weight dropped on a soft strap: energy says how far it stretches, and the run names the strap
// once; a stiff one is not warned of.
TEST(Simulate, LigamentsStrainedTooFarAreNamed) {
  const auto warnings_of = [](double stiffness, LineMonitor* line) {
    const auto s = load(
        fmt::format("vesica: 1\ngravity: [0, 0, -10]\nbodies:\n  hook: {{fixed: true}}\n"
                    "  weight: {{mass: 1, inertia: [1, 1, 1], pose: {{position: [0, 0, -0.5]}}}}\n"
                    "forces:\n  - type: ligament\n    name: strap\n    points: [{{body: hook}}, "
                    "{{body: weight}}]\n    stiffness: {}\n    slack_length: 0.5\n"
                    "    toe_strain: 1.0e-4\nduration: 1\nsolver: {{method: dopri5}}\n",
                    stiffness));
    const RunResult result = simulate(s.system, s.options);
    *line = result.lines.at(0);
    return make_warnings(s.system, s.options, result);
  };
  LineMonitor line;
  const auto soft = warnings_of(100, &line);
  // From rest at the slack length to twice the static stretch, half a period later.
  EXPECT_NEAR(line.max_strain, 2 * 0.1 / 0.5, 1e-3);
  EXPECT_NEAR(line.time, kPi * std::sqrt(1.0 / 100), 0.03);
  const auto count = [](const std::vector<std::string>& warnings) {
    return std::count_if(warnings.begin(), warnings.end(), [](const std::string& w) {
      return w.find("ligament strap is strained by 40") != std::string::npos;
    });
  };
  EXPECT_EQ(count(soft), 1);
  for (const std::string& warning : warnings_of(1000, &line)) {
    EXPECT_EQ(warning.find("strap"), std::string::npos) << warning;
  }
}

TEST(Simulate, DirectImpactsReturnTheRestitution) {
  for (double e : {0.05, 0.2, 0.5, 0.8, 0.95}) {
    const auto s = load(ball_scene(
        fmt::format("{{law: volumetric, stiffness: 1.0e8, restitution: {}, v_small: 0.001}}", e),
        kNone, "{method: cvode, tolerance: 1.0e-10}", "0.3",
        "    pose: {position: [0, 0, 0.06]}\n    velocity: {linear: [0, 0, -0.5]}\n", "[0, 0, 0]"));
    const auto result = simulate(s.system, s.options);
    const double v = result.state[static_cast<size_t>(s.system.layout().velocity(0) + 2)];
    EXPECT_NEAR(v / 0.5, e, 1e-4) << e;
    ASSERT_GE(result.events.size(), 2u);
    // The touchdown is located: 0.01 m at 0.5 m/s.
    EXPECT_NEAR(result.events[0].time, 0.02, 1e-9);
  }
}

// A ball that stays pressed into the ground while it oscillates, slides, rolls and spins: smooth,
// so that every method shows its order.
TEST(Simulate, FixedStepMethodsConvergeWithTheirOrder) {
  const std::string start =
      "    pose: {position: [0, 0, 0.048]}\n"
      "    velocity: {linear: [0.3, 0, 0], angular: [0, 2, 5]}\n";
  const char* const law = "{law: volumetric, stiffness: 1.0e7, damping: 0.5}";
  const char* const friction = "{law: brown_mcphee, mu_s: 0.5, mu_d: 0.4, v_t: 0.2}";
  auto end_state = [&](const std::string& method, double h) {
    const auto s = load(
        ball_scene(law, friction, fmt::format("{{method: {}, step: {}, ledger: false}}", method, h),
                   "0.064", start));
    const auto result = simulate(s.system, s.options);
    EXPECT_EQ(result.monitors[0].steps_in_contact, result.statistics.steps);
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(
        result.state.data(), static_cast<Eigen::Index>(result.state.size())));
  };
  const Eigen::VectorXd reference = end_state("rk5", 1e-5);
  const std::tuple<const char*, double, double> cases[] = {{"euler", 1, 1e-4},
                                                           {"semi_implicit_euler", 1, 1e-4},
                                                           {"rk3", 3, 4e-4},
                                                           {"rk4", 4, 4e-4},
                                                           {"rk5", 5, 8e-4}};
  for (const auto& [method, order, h] : cases) {
    const double coarse = (end_state(method, h) - reference).norm();
    const double fine = (end_state(method, h / 2) - reference).norm();
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.25) << method << " " << coarse << " " << fine;
  }
}

TEST(Simulate, JacobianMatchesDifferences) {
  const auto s =
      load(ball_scene("{law: volumetric, stiffness: 1.0e7, damping: 0.5}",
                      "{law: brown_mcphee, mu_s: 0.5, mu_d: 0.4, v_t: 0.2}", "{method: cvode}", "1",
                      "    pose: {position: [0, 0, 0.048], axis: [1, 2, 3], angle: 0.5}\n"
                      "    velocity: {linear: [0.3, 0, 0.1], angular: [0, 2, 5]}\n"));
  const int n = s.system.layout().size();
  const auto [t, y, memory] = s.system.make_initial_state();
  auto data = s.system.make_evaluation<double>();
  detail::JacobianEvaluator evaluator(s.system);
  Eigen::MatrixXd J(n, n);
  evaluator.evaluate(t, y.data(), memory, data, J.data());
  for (int c = 0; c < 13; ++c) {
    Eigen::VectorXd plus(n), minus(n);
    const double h = 1e-6;
    auto moved = y;
    moved[static_cast<size_t>(c)] += h;
    s.system.calc_rates(t, moved.data(), memory, plus.data(), &data);
    moved[static_cast<size_t>(c)] -= 2 * h;
    s.system.calc_rates(t, moved.data(), memory, minus.data(), &data);
    EXPECT_LT(((plus - minus) / (2 * h) - J.col(c)).norm(), 1e-6 * (1 + J.col(c).norm())) << c;
  }
}

TEST(Simulate, CollidingSpheresKeepMomentumAndAngularMomentum) {
  const auto file = InputFile::load(test::source_dir() + "/scenes/two_spheres.yaml");
  const auto options = make_run_options(read_model(file));
  const System<double> system(make_scene<double>(read_model(file)), true);
  const auto result = simulate(system, options);
  auto momenta = [&](const double* y) {
    Eigen::Matrix<double, 6, 1> m = Eigen::Matrix<double, 6, 1>::Zero();
    for (int b = 0; b < 2; ++b) {
      const auto& body = system.scene().bodies[static_cast<size_t>(b)].inertia;
      const Vec3d p(y + system.layout().position(b)), v(y + system.layout().velocity(b)),
          w(y + system.layout().velocity(b) + 3);
      m.head<3>() += body.mass * v;
      m.tail<3>() += body.mass * p.cross(v) + body.I_B * w;
    }
    return m;
  };
  const std::vector<double> start = system.make_initial_state().y;
  EXPECT_EQ(result.monitors[0].touchdowns, 1);
  EXPECT_LT((momenta(start.data()) - momenta(result.state.data())).norm(), 1e-9);
}

TEST(Simulate, BallOnABeltRollsWithTwoSeventhsOfItsAcceleration) {
  auto file = InputFile::load(test::source_dir() + "/scenes/ball_on_belt.yaml");
  file.set("contacts.0.normal.damping", "0");  // no rolling resistance
  file.set("contacts.0.normal.stiffness", "5.0e10");
  const double depth = std::sqrt(0.3 * 9.80665 / (5e10 * kPi * 0.05));  // k pi R d^2 = m g
  file.set("bodies.ball.pose.position.2", fmt::format("{}", 0.05 - depth));
  const auto options = make_run_options(read_model(file));
  const System<double> system(make_scene<double>(read_model(file)), true);
  const auto result = simulate(system, options);
  const double* v = result.state.data() + system.layout().velocity(0);
  // Friction acts on the contact plane, R - d below the centre: a/a_belt = 1/(1 + 5/2 (1 - d/R)^2),
  // which is 2/7 for a rigid ball.
  const double ratio = 1 / (1 + 2.5 * square(1 - depth / 0.05));
  EXPECT_NEAR(ratio, 2.0 / 7, 2e-4);
  EXPECT_NEAR(v[0] / (0.5 * 4), ratio, 2e-5);
  EXPECT_LT(std::abs(result.residual), 1e-6 * result.largest_energy);
}

TEST(Simulate, SameInputGivesTheSameBytes) {
  const auto s = load(ball_scene(kElastic, "{law: brown_mcphee, mu_s: 0.5, mu_d: 0.4, v_t: 0.02}",
                                 "{method: cvode, tolerance: 1.0e-8}", "1", kDropped));
  const auto first = simulate(s.system, s.options), second = simulate(s.system, s.options);
  EXPECT_EQ(calc_hash(first.recording), calc_hash(second.recording));
  EXPECT_EQ(first.recording.rows(), 101u);
}

TEST(Simulate, StopKeepsWhatWasRecorded) {
  const auto s = load(ball_scene(kElastic, kNone, "{method: rk4, step: 1.0e-5}", "100", kDropped));
  std::atomic<bool> stop{false};
  RunControl control;
  control.progress = [&](double fraction) { stop = fraction > 0; };
  control.stop = &stop;
  const auto result = simulate(s.system, s.options, control);
  EXPECT_TRUE(result.interrupted);
  EXPECT_LT(result.end_time, 100);
  EXPECT_GE(result.recording.rows(), 1u);
  EXPECT_EQ(result.recording.values.size(),
            result.recording.rows() * result.recording.columns.size());
}

TEST(Simulate, AStepThatIsTooLongSaysSo) {
  const auto s = load(ball_scene("{law: volumetric, stiffness: 1.0e12, damping: 50}", kNone,
                                 "{method: euler, step: 1.0e-2}", "200", kDropped));
  const auto result = simulate(s.system, s.options);
  const auto warnings = make_warnings(s.system, s.options, result);
  ASSERT_FALSE(warnings.empty() && result.failure.empty());
  const std::string all = fmt::format("{} {}", fmt::join(warnings, " "), result.failure);
  EXPECT_NE(all.find("step"), std::string::npos) << all;
}

// The advice is from the step that was taken, not from one that the end of the run cut.
TEST(Simulate, AStepLongerThanTheRunSaysSo) {
  const auto advice = [](double step) {
    const auto s = test::load_scene(fmt::format(
        "vesica: 1\nbodies:\n  b: {{mass: 0.2, shape: {{type: sphere, radius: 0.03}}, pose: "
        "{{position: [0, 0, 0.029]}}}}\n  g: {{fixed: true, shape: {{type: half_space}}}}\n"
        "contacts: [{{between: [b, g], normal: {{law: volumetric, stiffness: 1.0e8, damping: "
        "2}}}}]\nduration: 0.02\nsolver: {{method: rk4, step: {}}}\n",
        step));
    return make_warnings(s.system, s.options, simulate(s.system, s.options));
  };
  const auto cut = advice(1), whole = advice(0.02);
  ASSERT_EQ(cut.size(), whole.size() + 1);
  EXPECT_EQ(cut[0], whole[0]);  // a step of 1.4 ms
  EXPECT_NE(cut[0].find("use a step of 1.4e-03 s"), std::string::npos) << cut[0];
  EXPECT_NE(cut[1].find("solver.step, 1 s, is longer than the duration"), std::string::npos);
}

// A law by depth pushes a box that lies at its corners, a capsule at its ends: warned of, that is
// in the summary of a run that failed or was stopped too. Standing on a corner, or with caps, by
// volume, or on a point, it is right.
TEST(Simulate, LawsByDepthOnWhatLiesFlatAreWarnedOf) {
  const char* const kDepth = "{law: hunt_crossley, stiffness: 1.0e6, damping: 0.5}";
  const char* const kVolume = "{law: volumetric, stiffness: 1.0e8, damping: 0.5}";
  const char* const kBox = "shape: {type: box, size: [0.1, 0.1, 0.02]}, pose: {position: [0, 0, ";
  const char* const kGround = "{type: half_space}";
  const char* const kTable = "{type: box, size: [1, 1, 0.2], pose: {position: [0, 0, -0.1]}}";
  const std::string flat = fmt::format("{}0.00999]}}", kBox);
  struct Case {
    std::string body, ground, normal;
    bool warned;
  };
  const Case cases[] = {
      {flat, kGround, kDepth, true},
      {flat, kTable, kDepth, false},  // perfectly level, it is pushed in its middle
      {fmt::format("{}0.00999], axis: [1, 2, 0], angle: 1.0e-4}}", kBox), kTable, kDepth, true},
      {flat, kGround, "{law: kelvin_voigt, stiffness: 1.0e5, damping: 10}", true},
      {flat, kGround, kVolume, false},
      {fmt::format("{}0.0482], axis: [1, 0, 0], angle: 60 deg}}", kBox), kGround, kDepth, true},
      {"shape: {type: capsule, radius: 0.02, length: 0.1}, pose: {position: [0, 0, 0.01999], axis: "
       "[0, 1, 0], angle: 90 deg}",
       kGround, kDepth, true},
      {"shape: {type: torus, radius: 0.05, tube_radius: 0.02}, pose: {position: [0, 0, 0.01999]}",
       kGround, kDepth, true},
      {"shape: {type: torus, radius: 0.05, tube_radius: 0.02}, pose: {position: [0, 0, 0.01999]}",
       kGround, kVolume, false},
      {"shape: {type: box, size: [0.1, 0.1, 0.1]}, pose: {position: [0, 0, 0.0865], axis: [1, -1, "
       "0], angle: 54.7356 deg}",
       kGround, kDepth, false},
      {"shape: {type: sphere, radius: 0.02}, pose: {position: [0, 0, 0.01999]}", kGround, kDepth,
       false},
      {"shape: {type: ellipsoid, radii: [0.02, 0.06, 0.04]}, pose: {position: [0, 0, 0.03999]}",
       kTable, kDepth, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.body + c.ground + c.normal);
    const auto s = test::load_scene(
        fmt::format("vesica: 1\nbodies:\n  b: {{mass: 0.3, {}\n  g: {{fixed: true, shape: {}}}\n"
                    "contacts: [{{between: [b, g], normal: {}, friction: {{law: none}}}}]\n"
                    "duration: 2 ms\nsolver: {{method: rk4, step: 2.0e-5}}\n",
                    c.body + "}", c.ground, c.normal));
    const RunResult result = simulate(s.system, s.options);
    EXPECT_GT(result.monitors[0].steps_in_contact, 10);
    bool warned = false;
    for (const auto& warning : make_warnings(s.system, s.options, result)) {
      warned = warned || warning.find("use a volumetric law") != std::string::npos;
    }
    EXPECT_EQ(warned, c.warned) << result.monitors[0].steps_at_corner << " of "
                                << result.monitors[0].steps_in_contact;
  }
}

// Sensitivities against central differences of the same discrete trajectory.
TEST(Sensitivity, MatchesDifferencesAwayFromEvents) {
  const std::string start =
      "    pose: {position: [0, 0, 0.048]}\n"
      "    velocity: {linear: [0.3, 0, 0], angular: [0, 2, 5]}\n";
  const std::string text = ball_scene("{law: volumetric, stiffness: 1.0e7, damping: 0.5}",
                                      "{law: brown_mcphee, mu_s: 0.5, mu_d: 0.4, v_t: 0.2}",
                                      "{method: rk4, step: 1.0e-4}", "0.1", start);
  const std::vector<std::pair<std::string, double>> parameters = {
      {"bodies.ball.velocity.linear.0", 0.3},
      {"bodies.ball.pose.position.2", 0.048},
      {"contacts.0.normal.stiffness", 1e7},
      {"contacts.0.friction.mu_d", 0.4},
      {"bodies.ball.mass", 0.5},
      {"bodies.ball.shape.radius", 0.05}};
  std::vector<std::string> paths;
  for (const auto& [path, value] : parameters) paths.push_back(path);
  const auto file = InputFile::parse(text, "test.yaml");
  const auto options = make_run_options(read_model(file));
  const auto result = simulate_sensitivity(read_model(file), options, paths);
  for (size_t p = 0; p < parameters.size(); ++p) {
    const auto& [path, value] = parameters[p];
    auto end_state = [&, &path = path](double x) {
      auto changed = InputFile::parse(text, "test.yaml");
      changed.set(path, fmt::format("{:.17g}", x));
      const System<double> system(make_scene<double>(read_model(changed)), options.ledger);
      return simulate(system, options).state;
    };
    const double h = 1e-5 * value;
    const auto plus = end_state(value + h), minus = end_state(value - h);
    double largest = 0, error = 0;
    for (size_t k = 0; k < 13; ++k) {
      const double difference = (plus[k] - minus[k]) / (2 * h);
      largest = std::max(largest, std::abs(difference));
      error = std::max(error, std::abs(difference - result.final_derivatives[p][k]));
    }
    EXPECT_LT(error, 1e-5 * largest) << path;
  }
  EXPECT_EQ(result.recording.columns.size(), 6 * make_recording(load(text).system).columns.size());
  EXPECT_FALSE(test::input_error_of([&] {
                 simulate_sensitivity(read_model(file), options, {"bodies.ball.color"});
               }).empty());
}

}  // namespace
}  // namespace vesica::simulate_test
