// Bodies of several parts: what cutting a body up preserves and what it does not, states that come
// and go with their pair, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/simulation/loaded_scene.h"
#include "tests/support/support.h"
#include "vesica/simulation/fixed_step.h"
#include "vesica/simulation/recording.h"
#include "vesica/simulation/simulate.h"

namespace vesica::parts_test {
namespace {

using Loaded = test::LoadedScene;
Loaded load(const std::string& text) { return test::load_scene(text); }

// One evaluation at the start.
struct Evaluated {
  Evaluation<double> data;
  ContactTotals<double> total;
};
Evaluated evaluate(const Loaded& scene) {
  State<double> state = scene.system.make_initial_state();
  std::vector<double> rates(state.y.size());
  std::vector<ContactChange> changes;
  Evaluated e{scene.system.make_evaluation<double>(), {}};
  scene.system.find_parts(&state, &e.data, &changes);
  scene.system.calc_rates(0, state.y.data(), state.memory, rates.data(), &e.data);
  e.total = calc_contact_totals(scene.system, e.data, 0);
  return e;
}

const char* const kLaw = "{law: volumetric, stiffness: 1.0e7, damping: 2}";
const char* const kBristle =
    "{law: volumetric_bristle, mu_S: 0.6, mu_C: 0.5, sigma_0: 1.0e4, sigma_1: 64, v_S: 1.0e-3, "
    "tau_dw: 0.2}";
const char* const kSolver = "{method: rk4, step: 5.0e-5}";

// A block of 0.2 x 0.2 x 0.1 m as 1, 4 or 16 cells, on a floor.
std::string make_block(int cuts, const std::string& floor, const std::string& rest) {
  const double edge = 0.2 / cuts, first = -0.1 + 0.5 * edge;
  const std::string cells = fmt::format(
      "{{type: solid, cells: [{{intersect: [{{type: box, size: [{0:.17g}, {0:.17g}, 0.1]}}], pose: "
      "{{position: [{1:.17g}, {1:.17g}, 0]}}, repeat: [{{count: {2}, step: [{0:.17g}, 0, 0]}}, "
      "{{count: {2}, step: [0, {0:.17g}, 0]}}]}}]}}",
      edge, first, cuts);
  return fmt::format(
      "vesica: 1\nbodies:\n  block:\n    mass: 4\n    shape: {}\n{}"
      "  floor: {{fixed: true, shape: {}}}\ncontacts:\n  - between: [block, floor]\n{}"
      "    normal: {}\n    friction: {}\n",
      cells, rest, floor, cuts > 1 ? "    cells: separate\n" : "", kLaw, kBristle);
}
const char* const kHalfSpace = "{type: half_space}";
const char* const kBoxFloor = "{type: box, size: [2, 2, 0.2], pose: {position: [0, 0, -0.1]}}";
std::string end_of_scene(const std::string& duration) {
  return fmt::format("duration: {}\nsolver: {}\noutput: {{interval: 0.01}}\n", duration, kSolver);
}

// On one flat face all cells have one normal, and the law is linear in volume: cutting changes
// nothing of the normal force, nor of its moment, with the block tilted and moving straight down.
TEST(Parts, CuttingKeepsForceAndMomentOnAFlatFace) {
  const std::string motion =
      "    pose: {position: [0.01, 0.02, 0.0489], axis: [1, 2, 0], angle: 0.004}\n"
      "    velocity: {linear: [0, 0, -0.1]}\n";
  for (const char* floor : {kHalfSpace, kBoxFloor}) {
    const auto whole = evaluate(load(make_block(1, floor, motion) + end_of_scene("1")));
    EXPECT_GT(whole.total.normal_force, 100);
    for (int cuts : {2, 4}) {
      const auto cut = evaluate(load(make_block(cuts, floor, motion) + end_of_scene("1")));
      EXPECT_EQ(cut.total.touching, cuts * cuts);
      const double scale = whole.total.normal_force;
      EXPECT_NEAR(cut.total.volume, whole.total.volume, 1e-12 * whole.total.volume);
      EXPECT_NEAR(cut.total.normal_force, scale, 1e-11 * scale);
      EXPECT_LT((cut.total.force - whole.total.force).norm(), 1e-10 * scale);
      EXPECT_LT((cut.total.moment - whole.total.moment).norm(), 1e-10 * scale);
    }
  }
}

// Round an edge the cells' normals differ: the volume stays, the force does not.
TEST(Parts, CuttingKeepsTheVolumeAlone) {
  // Tilted over the edge of a table, pressed in: top and side are cut.
  const std::string motion =
      "    pose: {position: [0, 0.003, 0.02], axis: [0, 1, 0], angle: 0.3}\n";
  const char* const kTable =
      "{type: box, size: [0.4, 0.4, 0.4], pose: {position: [-0.2, 0, -0.2]}}";
  const auto whole = evaluate(load(make_block(1, kTable, motion) + end_of_scene("1")));
  const auto cut = evaluate(load(make_block(4, kTable, motion) + end_of_scene("1")));
  EXPECT_NEAR(cut.total.volume, whole.total.volume, 1e-12 * whole.total.volume);
  EXPECT_GT((cut.total.force - whole.total.force).norm(), 1e-3 * whole.total.normal_force);
}

// 1,000 random poses: the volumes of the pairs add up to the whole.
TEST(Parts, VolumesAddUp) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  const char* const kTable = "{type: box, size: [0.4, 0.4, 0.4], pose: {position: [0, 0, -0.2]}}";
  const auto whole = load(make_block(1, kTable, "") + end_of_scene("1"));
  const auto cut = load(make_block(3, kTable, "") + end_of_scene("1"));
  auto volume_of = [](const Loaded& scene, const Pose<double>& X) {
    State<double> state = scene.system.make_initial_state();
    std::vector<double> rates(state.y.size());
    std::vector<ContactChange> changes;
    const Quaternion<double> q = as_quaternion(X.R_WB);
    const double place[] = {X.p_WB.x(), X.p_WB.y(), X.p_WB.z(), q.w, q.x, q.y, q.z};
    std::copy(place, place + 7, state.y.begin());
    auto data = scene.system.make_evaluation<double>();
    scene.system.find_parts(&state, &data, &changes);
    scene.system.calc_rates(0, state.y.data(), state.memory, rates.data(), &data);
    return calc_contact_totals(scene.system, data, 0).volume;
  };
  int touching = 0;
  for (int k = 0; k < 1000; ++k) {
    const Pose<double> X{test::random_rotation(random),
                         Vec3d(0.2 * unit(random), 0.2 * unit(random), 0.1 * unit(random))};
    const double V = volume_of(whole, X);
    touching += V > 0;
    EXPECT_NEAR(volume_of(cut, X), V, 1e-12 * 0.004);  // of the block's own volume
  }
  EXPECT_GT(touching, 800);
}

// A body of two balls is two contacts: the same as two bodies welded together, a ball each.
TEST(Parts, TwoShapesAreTwoContacts) {
  const std::string body =
      "    mass: 1\n    inertia: [0.01, 0.02, 0.02]\n    pose: {position: [0, 0, 0.04]}\n"
      "    velocity: {linear: [0.1, 0, -0.2], angular: [1, 2, 3]}\n";
  const std::string one = "{type: sphere, radius: 0.05, pose: {position: [0.1, 0, 0]}}";
  const std::string other = "{type: sphere, radius: 0.04, pose: {position: [-0.1, 0, 0]}}";
  const std::string ground = "  ground: {fixed: true, shape: {type: half_space}}\ncontacts:\n";
  auto contact = [](const char* name) {
    return fmt::format("  - {{between: [{}, ground], normal: {}, friction: {}}}\n", name, kLaw,
                       kBristle);
  };
  const auto together =
      load(fmt::format("vesica: 1\nbodies:\n  bar:\n{}    shapes: [{}, {}]\n{}{}{}", body, one,
                       other, ground, contact("bar"), end_of_scene("0.5")));
  EXPECT_EQ(together.system.layout().slots(), 2u);
  const auto run = simulate(together.system, together.options);
  EXPECT_TRUE(run.failure.empty()) << run.failure;
  EXPECT_LT(std::abs(run.residual), 1e-6);  // of 0.4 J; measured 2e-9

  const auto welded = load(fmt::format(
      "vesica: 1\nbodies:\n  bar:\n{}    shape: {}\n"
      "  end:\n    mass: 1.0e-12\n    inertia: [0, 0, 0]\n    joint: {{type: weld, parent: bar}}\n"
      "    shape: {}\n{}{}{}{}",
      body, one, other, ground, contact("bar"), contact("end"), end_of_scene("0.5")));
  const auto reference = simulate(welded.system, welded.options);
  for (size_t k = 0; k < 13; ++k) {  // both begin with the bar's coordinates and speeds
    EXPECT_NEAR(run.state[k], reference.state[k], 1e-10) << k;  // measured 1.2e-12
  }
}

// Bristles bend with their pair, and are gone when it parts.
TEST(Parts, StatesComeAndGo) {
  const std::string motion =
      "    pose: {position: [0, 0, 0.0499]}\n    velocity: {linear: [0.3, 0, 0]}\n";
  const auto scene = load(make_block(2, kBoxFloor, motion) + end_of_scene("0.2"));
  State<double> state = scene.system.make_initial_state();
  std::vector<double>& y = state.y;
  std::vector<ContactChange> changes;
  auto data = scene.system.make_evaluation<double>();
  FixedStepper<double, double> stepper(scene.system, FixedStepMethod::kRk4);
  for (int k = 0; k < 400; ++k) stepper.step(5e-5 * (k + 1), &state, &data, &changes);
  int bent = 0;
  for (size_t slot = 0; slot < scene.system.layout().slots(); ++slot) {
    bent += state.memory[slot].pair >= 0 && y[scene.system.layout().contact(slot)] > 1e-6;
  }
  EXPECT_EQ(bent, 4);
  y[2] += 1;  // lifted away
  stepper.step(401 * 5e-5, &state, &data, &changes);
  for (int k = scene.system.layout().contact_start(); k < scene.system.layout().controller(0);
       ++k) {
    EXPECT_EQ(y[static_cast<size_t>(k)], 0);
  }
  for (const auto& slot : state.memory) EXPECT_EQ(slot, SlotMemory<double>{});
}

// Adaptive and fixed steps see the same motion; parts are found in time.
TEST(Parts, AdaptiveAgreesWithFixed) {
  const std::string motion =
      "    pose: {position: [0, 0, 0.08], axis: [1, 0.3, 0], angle: 0.1}\n"
      "    velocity: {linear: [0.1, 0, -0.5]}\n";
  std::string text = make_block(2, kBoxFloor, motion) + end_of_scene("0.15");
  const auto fixed = load(text);
  const auto a = simulate(fixed.system, fixed.options);
  text.replace(text.find(kSolver), std::string(kSolver).size(),
               "{method: cvode, tolerance: 1.0e-9}");
  const auto adaptive = load(text);
  const auto b = simulate(adaptive.system, adaptive.options);
  EXPECT_TRUE(b.failure.empty()) << b.failure;
  EXPECT_EQ(a.monitors[0].touchdowns, b.monitors[0].touchdowns);
  for (size_t k = 0; k < 7; ++k) EXPECT_NEAR(a.state[k], b.state[k], 2e-6);  // measured 1.3e-7
  EXPECT_LT(std::abs(b.residual), 1e-5);
}

TEST(Parts, RefusesWhatCannotBe) {
  auto expect = [](const std::string& text, const std::string& words) {
    try {
      load(text);
      ADD_FAILURE() << "accepted: " << words;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  const std::string end = end_of_scene("1");
  const std::string one = make_block(1, kBoxFloor, "");
  expect(one + "    cells: separate\n" + end, "neither body has more than one cell");
  expect(one + "    max_pairs: 3\n" + end, "is for bodies of several shapes or separate cells");
  expect(make_block(2, kBoxFloor, "") + "    max_pairs: 0\n" + end, "max_pairs");
  expect(make_block(2, kBoxFloor, "") + "    states: {s_dw: 1}\n" + end,
         "a contact of one shape with one shape");
  // Balls that overlap, cell by cell, would count twice.
  expect(
      "vesica: 1\nbodies:\n  b:\n    mass: 1\n    inertia: [1, 1, 1]\n"
      "    shape: {type: solid, cells: [{intersect: [{type: sphere, radius: 1}]}, {intersect: "
      "[{type: sphere, radius: 1, pose: {position: [1, 0, 0]}}]}]}\n"
      "  g: {fixed: true, shape: {type: half_space}}\ncontacts:\n  - between: [b, g]\n"
      "    cells: separate\n    normal: {law: volumetric, stiffness: 1}\n" +
          end,
      "overlap");
}

// Where more pairs meet than there is room for, the run stops and says what to do.
TEST(Parts, SaysWhenThereIsNoRoom) {
  const auto scene = load(make_block(4, kBoxFloor, "    pose: {position: [0, 0, 0.0499]}\n") +
                          "    max_pairs: 5\n" + end_of_scene("0.1"));
  const auto run = simulate(scene.system, scene.options);
  EXPECT_NE(run.failure.find("max_pairs"), std::string::npos) << run.failure;
}

}  // namespace
}  // namespace vesica::parts_test
