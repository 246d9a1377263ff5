// Whole runs with states: bristles that hold, states that begin and end with their contact,
// constraint relaxation, and contacts that do not know of each other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/recording.h"
#include "vesica/simulation/simulate.h"

namespace vesica::friction_test {
namespace {

const char* const kBristle =
    "{law: volumetric_bristle, mu_S: 0.8, mu_C: 0.6, sigma_0: 1e4, sigma_1: 60, v_S: 1 mm/s, "
    "tau_dw: 0.2 s}";
const char* const kBrown = "{law: brown_mcphee, mu_s: 0.8, mu_d: 0.6, v_t: 1 mm/s}";

struct Outcome {
  RunResult result;
  TimeTable recording;
  double at(const std::string& column, double time) const {
    const size_t c = recording.find(column);
    EXPECT_LT(c, recording.columns.size()) << column;
    for (size_t row = 0; row < recording.rows(); ++row) {
      if (recording.times[row] >= time - 1e-9) {
        return recording.values[row * recording.columns.size() + c];
      }
    }
    ADD_FAILURE() << "no row at " << time;
    return 0;
  }
};
Outcome run(const std::string& text) {
  const auto file = InputFile::parse(text, "test.yaml");
  const auto options = make_run_options(read_model(file));
  const System<double> system(make_scene<double>(read_model(file)), options.ledger);
  Outcome outcome{simulate(system, options), {}};
  EXPECT_TRUE(outcome.result.failure.empty()) << outcome.result.failure;
  outcome.recording = outcome.result.recording;
  return outcome;
}

// A block of 1 kg at rest on the ground, pulled by half its static limit.
std::string block(const std::string& friction, const std::string& duration) {
  return fmt::format(
      "vesica: 1\ngravity: [0, 0, -10]\nbodies:\n"
      "  block:\n    mass: 1\n    shape: {{type: box, size: [0.1, 0.1, 0.05]}}\n"
      "    pose: {{position: [0, 0, 0.0249]}}\n"
      "  ground: {{fixed: true, shape: {{type: half_space}}}}\n"
      "contacts:\n  - between: [block, ground]\n"
      "    normal: {{law: volumetric, stiffness: 1e7, damping: 1}}\n    friction: {}\n"
      "forces:\n  - {{type: force, body: block, point: [0, 0, -0.025], force: [4, 0, 0], ramp: "
      "0.2}}\n"
      "duration: {}\nsolver: {{method: cvode, tolerance: 1e-10}}\noutput: {{interval: 1}}\n",
      friction, duration);
}

TEST(Friction, BristlesHoldABlockForEver) {
  const auto held = run(block(kBristle, "60"));
  const double drift = std::abs(held.at("block.position.x", 60) - held.at("block.position.x", 1));
  EXPECT_LT(drift, 1e-9);
  EXPECT_GT(held.at("block.position.x", 1), 1e-6);  // it has bent before it held
  const auto creeping = run(block(kBrown, "10"));
  const double creep = creeping.at("block.position.x", 10) - creeping.at("block.position.x", 1);
  EXPECT_GT(creep, 1e-4);  // no velocity law holds
  RecordProperty("bristle_drift", fmt::format("{:.1e}", drift));
  RecordProperty("brown_creep_over_9_s", fmt::format("{:.1e}", creep));
}

TEST(Friction, TheLedgerCloses) {
  // A ball that lands spinning and sliding on bristles, bounces and rolls.
  const auto landed = run(fmt::format(
      "vesica: 1\nbodies:\n"
      "  ball:\n    mass: 0.5\n    shape: {{type: sphere, radius: 0.05}}\n"
      "    pose: {{position: [0, 0, 0.08]}}\n"
      "    velocity: {{linear: [0.5, 0.2, 0], angular: [3, 0, 20]}}\n"
      "  ground: {{fixed: true, shape: {{type: half_space}}}}\n"
      "contacts:\n  - between: [ball, ground]\n"
      "    normal: {{law: volumetric, stiffness: 1e9, restitution: 0.6, v_small: 0.02}}\n"
      "    friction: {}\n"
      "duration: 1\nsolver: {{method: cvode, tolerance: 1e-10}}\noutput: {{interval: 0.01}}\n",
      kBristle));
  EXPECT_GE(landed.result.monitors[0].touchdowns, 3);
  EXPECT_LT(std::abs(landed.result.residual), 1e-6 * landed.result.largest_energy);
  // What a changing load does with bent bristles is its own line, and small here.
  EXPECT_LT(std::abs(landed.result.non_potential_work), 0.05 * landed.result.largest_energy);
}

TEST(Friction, StatesEndWithTheContact) {
  const auto bounced =
      run("vesica: 1\nbodies:\n"
          "  ball:\n    mass: 0.5\n    shape: {type: sphere, radius: 0.05}\n"
          "    pose: {position: [0, 0, 0.0499]}\n    velocity: {linear: [0.5, 0, 2]}\n"
          "  ground: {fixed: true, shape: {type: half_space}}\n"
          "contacts:\n  - between: [ball, ground]\n"
          "    normal: {law: hunt_crossley, stiffness: 1e7, damping: 0.1}\n"
          "    friction: {law: bristle, mu_C: 0.5, sigma_0: 1e4, sigma_1: 50, v_S: 1e-3, dwell: "
          "false}\n"
          "    states: {z: [2e-5, 0, 0]}\n"
          "duration: 0.1\nsolver: {method: cvode, tolerance: 1e-9}\noutput: {interval: 0.001}\n");
  EXPECT_NEAR(bounced.at("ball-ground.z.x", 0), 2e-5, 1e-12);
  EXPECT_EQ(bounced.at("ball-ground.z.x", 0.1), 0);
}

// A fixed-step solver sees a touchdown late, with a depth that pushes at once; relaxed, the force
// starts from zero and the offset goes with its time constant (Gonthier 3.44-3.45).
TEST(Relaxation, StartsFromZeroAndFadesAway) {
  auto ball = [&](const std::string& relaxation, const std::string& rest) {
    return run(fmt::format(
        "vesica: 1\ngravity: [0, 0, -10]\nbodies:\n"
        "  ball:\n    mass: 0.5\n    shape: {{type: sphere, radius: 0.05}}\n{}"
        "  ground: {{fixed: true, shape: {{type: half_space}}}}\n"
        "contacts:\n  - between: [ball, ground]\n"
        "    normal: {{law: hunt_crossley, stiffness: 2e4, exponent: 1, damping: 20}}\n{}"
        "solver: {{method: rk4, step: 1e-3}}\n",
        rest, relaxation));
  };
  const std::string falling =
      "    pose: {position: [0, 0, 0.0501]}\n    velocity: {linear: [0, 0, -1]}\n";
  const std::string one_step = "duration: 0.002\noutput: {interval: 0.001}\n";
  const std::string relaxed = "    relaxation: {time: 0.5 s}\n";
  // Seen at the second step, about 0.9 mm deep.
  EXPECT_GT(ball(one_step, falling).at("ball-ground.normal_force", 0.002), 10);
  const auto soft = ball(relaxed + one_step, falling);
  const double offset = soft.at("ball-ground.relaxed", 0.002);
  EXPECT_GT(offset, 5e-4);
  // A ball that starts 1 mm deep: its offset fades, and it comes to rest where its weight says.
  const auto rest = ball(relaxed + "duration: 5\noutput: {interval: 0.5}\n",
                         "    pose: {position: [0, 0, 0.049]}\n");
  EXPECT_NEAR(rest.at("ball-ground.relaxed", 0.5) / 1e-3, std::exp(-1), 1e-9);
  EXPECT_NEAR(rest.at("ball-ground.relaxed", 5) / 1e-3, std::exp(-10), 1e-9);
  EXPECT_NEAR(-rest.at("ball-ground.distance", 5), 5.0 / 2e4, 1e-6);
}

TEST(Contacts, AddUp) {
  // One body on two grounds, apart from or in both: the wrench is the sum, whichever of the two is
  // listed first and whether or not the other touches.
  auto start = [&](const std::string& contacts) {
    return run(fmt::format(
                   "vesica: 1\nbodies:\n"
                   "  ball:\n    mass: 0.5\n    shape: {{type: sphere, radius: 0.05}}\n"
                   "    pose: {{position: [0, 0, 0.049]}}\n    velocity: {{linear: [0.1, 0.2, "
                   "0]}}\n"
                   "  ground: {{fixed: true, shape: {{type: half_space}}}}\n"
                   "  wall: {{fixed: true, shape: {{type: half_space}}, pose: {{position: [-0.048, "
                   "0, 0], axis: [0, 1, 0], angle: 90 deg}}}}\n"
                   "  far: {{fixed: true, shape: {{type: half_space}}, pose: {{position: [0, 0, "
                   "-1]}}}}\n"
                   "contacts:\n{}duration: 1e-5\nsolver: {{method: euler, step: 1e-5}}\n"
                   "output: {{interval: 1e-5}}\n",
                   contacts))
        .result.state;
  };
  auto contact = [&](const std::string& other, const std::string& friction) {
    return fmt::format(
        "  - between: [ball, {}]\n    normal: {{law: volumetric, stiffness: 1e8, damping: 0.1}}\n"
        "    friction: {}\n",
        other, friction);
  };
  const auto none = start(contact("far", kBrown));
  const auto ground = start(contact("ground", kBrown));
  const auto wall = start(contact("wall", "{law: none}"));
  for (const auto& order :
       {contact("far", kBrown) + contact("wall", "{law: none}") + contact("ground", kBrown),
        contact("ground", kBrown) + contact("far", kBrown) + contact("wall", "{law: none}")}) {
    const auto all = start(order);
    for (size_t k = 7; k < 13; ++k) {  // velocities after one step
      EXPECT_NEAR(all[k] - none[k], (ground[k] - none[k]) + (wall[k] - none[k]), 1e-12);
    }
    EXPECT_GT(std::abs(wall[7] - none[7]), 1e-5);
    EXPECT_GT(std::abs(ground[9] - none[9]), 1e-5);
  }
}

}  // namespace
}  // namespace vesica::friction_test
