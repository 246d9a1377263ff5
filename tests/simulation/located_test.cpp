// Fixed steps that end where contacts begin and end, and derivatives through those events.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "tests/simulation/loaded_scene.h"
#include "tests/support/support.h"
#include "vesica/simulation/sensitivity.h"

namespace vesica::located_test {
namespace {

struct Bounce {
  const char* name;
  const char* body;    // its shape, pose and velocity
  const char* normal;  // law
  const char* friction;
  const char* more = "";  // keys of the contact
  const char* ground = "fixed: true, shape: {type: half_space}";
};

const char* const kStart =
    "pose: {position: [0, 0, 0.07], axis: [1, 2, 3], angle: 0.9}, "
    "velocity: {linear: [0.3, 0.1, -0.2], angular: [1, -2, 3]}";
const char* const kSlip = "{law: brown_mcphee, mu_s: 0.5, mu_d: 0.4, v_t: 0.3}";
const char* const kRestitution =
    "{law: volumetric, stiffness: 2.0e7, restitution: 0.6, v_small: 0.01}";

// Everything that begins or ends with a jump: memory, states, the force itself, a moving plane.
const Bounce kBounces[] = {
    {"sphere", "shape: {type: sphere, radius: 0.05}", kRestitution, kSlip},
    {"ellipsoid", "shape: {type: ellipsoid, radii: [0.06, 0.04, 0.05]}", kRestitution, kSlip},
    {"box", "shape: {type: box, size: [0.06, 0.08, 0.07]}", kRestitution, kSlip},
    {"bristles", "shape: {type: sphere, radius: 0.05}", kRestitution,
     "{law: volumetric_bristle, mu_S: 0.5, mu_C: 0.4, sigma_0: 2.0e3, sigma_1: 20, v_S: 0.5, "
     "tau_dw: 0.1}"},
    {"depth", "shape: {type: sphere, radius: 0.05}",
     "{law: hunt_crossley, stiffness: 1.0e6, restitution_slope: 0.1, v_small: 0.01}", kSlip},
    {"force that jumps", "shape: {type: sphere, radius: 0.05}",
     "{law: kelvin_voigt, stiffness: 2.0e5, damping: 60}", kSlip},
    {"relaxation", "shape: {type: sphere, radius: 0.05}", kRestitution, kSlip,
     ", relaxation: {time: 5.0e-3}"},
    {"moving plane", "shape: {type: ellipsoid, radii: [0.06, 0.04, 0.05]}", kRestitution, kSlip, "",
     "prescribed: {amplitude: [0.01, 0, 0.004], frequency: 8, axis: [1, 0, 0], swing: 0.05}, "
     "shape: {type: half_space}"},
    {"polyhedra", "shape: {type: box, size: [0.06, 0.08, 0.07]}", kRestitution, kSlip, "",
     "fixed: true, shape: {type: box, size: [1, 1, 0.2]}, pose: {position: [0, 0, -0.1]}"},
};

std::string make_text(const Bounce& bounce, double step, double duration,
                      const char* events = "located") {
  return fmt::format(
      "vesica: 1\nbodies:\n  body: {{mass: 0.5, inertia: [5.0e-4, 6.0e-4, 7.0e-4], {}, {}}}\n"
      "  ground: {{{}}}\n"
      "contacts:\n  - {{between: [body, ground], normal: {}, friction: {}{}}}\n"
      "duration: {:.17g}\nsolver: {{method: rk4, step: {:.17g}, events: {}}}\n"
      "output: {{interval: 0.01}}\n",
      bounce.body, kStart, bounce.ground, bounce.normal, bounce.friction, bounce.more, duration,
      step, events);
}

std::vector<double> run(const std::string& text, const std::string& path = "", double value = 0) {
  auto file = InputFile::parse(text, "test.yaml");
  if (!path.empty()) file.set(path, fmt::format("{:.17g}", value));
  const RunOptions options = read_run_options(file);
  const System<double> system(read_scene<double>(file), options.ledger);
  const RunResult result = simulate(system, options);
  EXPECT_TRUE(result.failure.empty()) << result.failure;
  return result.state;
}

// Against differences of the same run, over a touchdown and a lift-off: measured 2.5e-7 at most.
TEST(Located, DerivativesThroughABounceMatchDifferences) {
  const std::vector<std::pair<std::string, double>> numbers = {
      {"bodies.body.pose.position.2", 0.07},
      {"bodies.body.velocity.linear.0", 0.3},
      {"bodies.body.velocity.linear.2", -0.2},
      {"bodies.body.velocity.angular.1", -2},
      {"bodies.body.mass", 0.5},
      {"bodies.body.inertia.1", 6e-4},
      {"contacts.0.normal.stiffness", 0}};
  for (const Bounce& bounce : kBounces) {
    const std::string text = make_text(bounce, 1e-4, 0.1);
    const auto file = InputFile::parse(text, "test.yaml");
    std::vector<std::string> paths;
    for (const auto& [path, value] : numbers) paths.push_back(path);
    const auto s = simulate_sensitivity(file, read_run_options(file), paths);
    const InputNode normal = file.root().at("contacts").at(size_t{0}).at("normal");
    const double stiffness = std::stod(normal.at("stiffness").text());
    for (size_t p = 0; p < numbers.size(); ++p) {
      const double value = numbers[p].second != 0 ? numbers[p].second : stiffness;
      const double h = 1e-6 * std::abs(value);
      const auto plus = run(text, numbers[p].first, value + h);
      const auto minus = run(text, numbers[p].first, value - h);
      double largest = 0, error = 0;
      for (size_t k = 0; k < 13; ++k) {
        const double difference = (plus[k] - minus[k]) / (2 * h);
        largest = std::max(largest, std::abs(difference));
        error = std::max(error, std::abs(difference - s.final_derivatives[p][k]));
      }
      EXPECT_LT(error, 2e-6 * largest) << bounce.name << " " << numbers[p].first;
    }
  }
}

// A stiff ball that is let go bounces at t1 = sqrt(2 H/g) with e times its speed; what is left is
// the time that it takes.
TEST(Located, ABounceInClosedForm) {
  const double g = 9.80665, r = 0.05, e = 0.6, z0 = 0.07, T = 0.1;
  const std::string text = fmt::format(
      "vesica: 1\nbodies:\n  ball: {{mass: 0.5, shape: {{type: sphere, radius: {}}}, pose: "
      "{{position: [0, 0, {}]}}}}\n  ground: {{fixed: true, shape: {{type: half_space}}}}\n"
      "contacts:\n  - {{between: [ball, ground], normal: {{law: volumetric, stiffness: 1.0e15, "
      "restitution: {}, v_small: 0.01}}, friction: {{law: none}}}}\n"
      "duration: {}\nsolver: {{method: rk4, step: 2.0e-6, events: located}}\n"
      "output: {{interval: 0}}\n",
      r, z0, e, T);
  const auto file = InputFile::parse(text, "test.yaml");
  const auto s =
      simulate_sensitivity(file, read_run_options(file),
                           {"bodies.ball.pose.position.2", "contacts.0.normal.restitution"});
  const double t1 = std::sqrt(2 * (z0 - r) / g), v1 = g * t1, left = T - t1;
  // z = r + e v1 (T - t1) - g/2 (T - t1)^2, dt1/dz0 = 1/v1, dv1/dz0 = g/v1
  const double by_height = e * g / v1 * left - e + g * left / v1;
  EXPECT_NEAR(s.final_derivatives[0][2], by_height, 1e-2 * std::abs(by_height));
  EXPECT_NEAR(s.final_derivatives[1][2], v1 * left, 1e-2 * v1 * left);
  EXPECT_NEAR(s.final_derivatives[0][9], (e + 1) * g / v1, 1e-2 * (e + 1) * g / v1);
}

// As the height changes, the touchdown passes over several steps: located, the derivative is a
// smooth function of it (measured 5e-7 in second differences); at the steps' starts it jumps
// (2e-3).
TEST(Located, DerivativesAreSmoothWhereTouchdownsPassSteps) {
  auto calc_roughness = [&](const char* events) {
    std::vector<double> slopes;
    for (int k = 0; k <= 12; ++k) {
      auto file = InputFile::parse(make_text(kBounces[0], 1e-4, 0.1, events), "test.yaml");
      file.set("bodies.body.pose.position.2", fmt::format("{:.17g}", 0.07 + 2e-5 * k));
      const auto s =
          simulate_sensitivity(file, read_run_options(file), {"bodies.body.pose.position.2"});
      slopes.push_back(s.final_derivatives[0][9]);
    }
    double rough = 0;
    for (size_t k = 1; k + 1 < slopes.size(); ++k) {
      rough = std::max(rough, std::abs(slopes[k + 1] - 2 * slopes[k] + slopes[k - 1]));
    }
    return rough / std::abs(slopes[0]);
  };
  const double located = calc_roughness("located"), stepped = calc_roughness("at_steps");
  EXPECT_LT(located, 1e-5);
  EXPECT_GT(stepped, 100 * located);
}

// Located fixed steps and the adaptive solvers agree on when contacts begin and end, and with what
// speed: measured 7e-10 s and 1e-8 m/s.
TEST(Located, FixedStepsMeetTheAdaptiveEvents) {
  for (const Bounce& bounce : kBounces) {
    auto file = InputFile::parse(make_text(bounce, 2e-5, 0.1), "test.yaml");
    const RunOptions fixed = read_run_options(file);
    const System<double> system(read_scene<double>(file), true);
    RunOptions adaptive = fixed;
    adaptive.tolerance = 1e-10;
    const auto a = simulate(system, fixed);
    for (const Solver solver : {Solver::kArkode, Solver::kDopri5, Solver::kRodas5p}) {
      SCOPED_TRACE(solver_name(solver));
      adaptive.solver = solver;
      const auto b = simulate(system, adaptive);
      ASSERT_EQ(a.events.size(), b.events.size()) << bounce.name;
      ASSERT_GE(a.events.size(), 2u) << bounce.name;
      for (size_t k = 0; k < a.events.size(); ++k) {
        EXPECT_NEAR(a.events[k].time, b.events[k].time, 1e-8) << bounce.name;
        EXPECT_NEAR(a.events[k].closing_speed, b.events[k].closing_speed, 1e-7) << bounce.name;
      }
    }
  }
}

// The worst difference of the final derivatives by a number to differences, of the largest.
double calc_error(const std::string& text, const std::string& path, double value, double h) {
  const auto file = InputFile::parse(text, "test.yaml");
  const auto s = simulate_sensitivity(file, read_run_options(file), {path});
  const auto plus = run(text, path, value + h), minus = run(text, path, value - h);
  double largest = 0, error = 0;
  for (size_t k = 0; k < s.final_names.size(); ++k) {
    const double difference = (plus[k] - minus[k]) / (2 * h);
    largest = std::max(largest, std::abs(difference));
    error = std::max(error, std::abs(difference - s.final_derivatives[0][k]));
  }
  EXPECT_GT(largest, 1) << path;
  return error / largest;
}

// Equal balls that touch down at the same instant: each event moves by itself, whichever of them
// the number moves. Measured 4e-11; where they move with the first it is 0.2.
TEST(Located, DerivativesThroughEventsAtTheSameInstant) {
  std::string text = "vesica: 1\nbodies:\n";
  for (const char* name : {"a", "b", "c"}) {
    text += fmt::format(
        "  {0}: {{mass: 0.16, shape: {{type: sphere, radius: 0.03}}, pose: {{position: [{1}, 0, "
        "0.1]}}}}\n",
        name, name[0] - 'a');
  }
  text += "  ground: {fixed: true, shape: {type: half_space}}\ncontacts:\n";
  for (const char* name : {"a", "b", "c"}) {
    text += fmt::format("  - {{between: [{}, ground], normal: {}}}\n", name, kRestitution);
  }
  text +=
      "duration: 0.2\nsolver: {method: rk4, step: 1.0e-4, events: located}\noutput: {interval: "
      "0}\n";
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_LT(calc_error(text, fmt::format("bodies.{}.pose.position.2", name), 0.1, 1e-6), 1e-9)
        << name;
  }
}

// A ball that rests is hit by what is given over time: all of it moves with the event. Long steps:
// what is left out is off by their order (a driven joint by 0.1 at any). Measured 6.4e-9.
TEST(Located, WhatIsGivenOverTimeMovesWithTheEvent) {
  const std::string shape = "mass: 1, shape: {type: sphere, radius: 0.03}";
  const std::string along = "type: prismatic, axis: [0, 0, 1]";
  const std::pair<const char*, std::string> pushes[] = {
      {"drive", "  piston: {" + shape + ", joint: {" + along +
                    ", parent: world, driven: {amplitude: 0.08, frequency: 2}}}\n"},
      {"drive that steps", "  piston: {" + shape + ", joint: {" + along +
                               ", parent: world, driven: {step: 0.08, from: 0, until: 0.1}}}\n"},
      {"torque", "  piston: {" + shape + ", joint: {" + along +
                     ", parent: world, rate: 0.5, motor: {input: torque, value: {amplitude: "
                     "100, frequency: 4}}}}\n"},
      {"position", "  piston: {" + shape + ", joint: {" + along +
                       ", parent: world, motor: {input: position, gain: 2.0e3, rate_gain: 50, "
                       "value: {amplitude: 0.1, frequency: 4}}}}\n"},
      {"force", "  piston: {" + shape + ", velocity: {linear: [0, 0, 0.5]}}\nforces:\n  - {type: " +
                    "force, body: piston, force: [0, 0, 100], from: 0, until: 0.2, ramp: 0.1}\n"},
      {"base", "  base: {prescribed: {amplitude: [0, 0, 0.05], frequency: 4}}\n  piston: {" +
                   shape + ", joint: {" + along +
                   ", parent: base, spring: {stiffness: 2.0e3, damping: 5}}}\n"}};
  for (const auto& [name, push] : pushes) {
    const std::string text =
        "vesica: 1\ngravity: [0, 0, 0]\nbodies:\n  ball: {mass: 0.16, shape: {type: sphere, "
        "radius: 0.03}, pose: {position: [0, 0, 0.0993]}}\n" +
        push +
        fmt::format("contacts:\n  - {{between: [ball, piston], normal: {}}}\n", kRestitution) +
        "duration: 0.1\nsolver: {method: rk4, step: 5.0e-4, events: located}\n"
        "output: {interval: 0}\n";
    SCOPED_TRACE(name);
    EXPECT_LT(calc_error(text, "bodies.ball.pose.position.2", 0.0993, 1e-7), 1e-7);
  }
}

// A ball that flies past a ceiling and reaches it with its highest point, 1e-13 m deep.
TEST(Located, GrazingContactsAreNamed) {
  const auto file = InputFile::parse(
      "vesica: 1\ngravity: [0, 0, -1]\nbodies:\n  ball: {mass: 1, shape: {type: sphere, radius: "
      "0.01}, velocity: {linear: [100, 0, 0.125]}}\n"
      "  ceiling: {fixed: true, shape: {type: half_space}, pose: {position: [0, 0, "
      "0.0178124999999], axis: [1, 0, 0], angle: 3.141592653589793}}\n"
      "contacts:\n  - {between: [ball, ceiling], normal: {law: volumetric, stiffness: 1.0e6}}\n"
      "duration: 0.1875\nsolver: {method: rk4, step: 0.0625, events: located}\n",
      "test.yaml");
  const auto s = simulate_sensitivity(file, read_run_options(file), {"bodies.ball.mass"});
  EXPECT_EQ(s.grazes, 2);
  ASSERT_FALSE(s.warnings.empty());
  EXPECT_NE(s.warnings.back().find("2 times a contact begins or ends where its bodies only graze"),
            std::string::npos);
}

// Rows within the step that ends where a force ends know nothing of what comes after: with a
// constant force the cubic between its ends is exact.
TEST(Located, RowsWithinAStepEndBeforeTheSwitch) {
  for (const char* events : {"located", "at_steps"}) {
    const auto scene = test::load_scene(fmt::format(
        "vesica: 1\ngravity: [0, 0, 0]\nbodies:\n  ball: {{mass: 2, inertia: [1, 1, 1]}}\n"
        "forces:\n  - {{type: force, body: ball, force: [0, 0, 6], from: 0, until: 0.1}}\n"
        "duration: 0.2\nsolver: {{method: rk4, step: 0.02, events: {}}}\n"
        "output: {{interval: 0.005}}\n",
        events));
    const RunResult result = simulate(scene.system, scene.options);
    const TimeTable& table = result.recording;
    const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                     [](const auto& c) { return c.name == "ball.velocity.z"; });
    ASSERT_NE(column, table.columns.end());
    const auto at = static_cast<size_t>(column - table.columns.begin());
    ASSERT_EQ(table.times.size(), 41u);
    for (size_t row = 0; row < table.times.size(); ++row) {
      EXPECT_NEAR(table.values[row * table.columns.size() + at],
                  3 * std::min(table.times[row], 0.1), 1e-14)
          << table.times[row];
    }
  }
}

TEST(Located, SensitivitiesStopWhenTheyAreTold) {
  const auto file = InputFile::parse(make_text(kBounces[0], 1e-4, 0.1), "test.yaml");
  const RunOptions options = read_run_options(file);
  std::atomic<bool> stop{true};
  RunControl control;
  control.stop = &stop;
  EXPECT_THROW(simulate_sensitivity(file, options, {"bodies.body.mass"}, control), Interrupted);
  // And while the derivatives run: the plain run is too short to tell how far it is.
  stop = false;
  control.progress = [&](double) { stop = true; };
  EXPECT_THROW(simulate_sensitivity(file, options, {"bodies.body.mass"}, control), Interrupted);
}

TEST(Located, APathTwiceIsNamed) {
  const auto file = InputFile::parse(make_text(kBounces[0], 1e-4, 0.1), "test.yaml");
  const std::string message = test::input_error_of([&] {
    simulate_sensitivity(file, read_run_options(file), {"bodies.body.mass", "bodies.body.mass"});
  });
  EXPECT_NE(message.find("bodies.body.mass is given twice"), std::string::npos) << message;
}

TEST(Located, AdaptiveSolversLocateAnyway) {
  auto file = InputFile::parse(make_text(kBounces[0], 1e-4, 0.1), "test.yaml");
  file.set("solver", "{method: cvode, events: located}");
  const std::string message = test::input_error_of([&] { read_run_options(file); });
  EXPECT_NE(message.find("adaptive ones locate events"), std::string::npos) << message;
}

}  // namespace
}  // namespace vesica::located_test
