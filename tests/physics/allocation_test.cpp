// A step of an articulated scene with contact, bristles and a controller allocates nothing.
#include <gtest/gtest.h>

#include <cmath>

#include "bench/allocations.h"
#include "tests/support/support.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/fixed_step.h"
#include "vesica/simulation/make_scene.h"

namespace vesica::allocation_test {
namespace {

long count_in_steps(const InputFile& file, int steps) {
  const System<double> system(make_scene<double>(read_model(file)), true);
  State<double> state = system.make_initial_state();
  auto data = system.make_evaluation<double>();
  FixedStepper<double, double> stepper(system, FixedStepMethod::kEuler);
  std::vector<ContactChange> changes;
  changes.reserve(100);
  const long before = bench::allocation_count();
  for (int k = 0; k < steps; ++k) stepper.step(1e-3 * (k + 1), &state, &data, &changes);
  EXPECT_TRUE(std::isfinite(state.y[0]));
  return bench::allocation_count() - before;
}

TEST(Allocation, StepOfTheArmAllocatesNothing) {
  const auto arm = InputFile::load(test::source_dir() + "/scenes/arm_on_plate.yaml");
  EXPECT_EQ(count_in_steps(arm, 2000), 0);  // into contact
}

TEST(Allocation, StepOfALoopAllocatesNothing) {
  const auto bars = InputFile::parse(
      "vesica: 1\nbodies:\n"
      "  a: {mass: 1, inertia: [0.01, 0.01, 0.001], joint: {type: revolute, parent: world, axis: "
      "[0, "
      "1, 0], in_body: {position: [0, 0, -0.15]}, start: 0.2}}\n"
      "  b: {mass: 2, inertia: [0.08, 0.08, 0.001], joint: {type: revolute, parent: a, axis: [0, "
      "1, "
      "0], in_parent: {position: [0, 0, 0.15]}, in_body: {position: [0, 0, -0.35]}, start: 1.2}}\n"
      "  c: {mass: 1, inertia: [0.03, 0.03, 0.001], joint: {type: revolute, parent: b, axis: [0, "
      "1, "
      "0], in_parent: {position: [0, 0, 0.35]}, in_body: {position: [0, 0, -0.25]}, start: 1.5}}\n"
      "loops:\n  - {type: point, between: [c, world], frames: [{position: [0, 0, 0.25]}, "
      "{position: "
      "[0.6, 0, 0]}]}\n"
      "duration: 1\n",
      "bars.yaml");
  EXPECT_EQ(count_in_steps(bars, 500), 0);
}

}  // namespace
}  // namespace vesica::allocation_test
