// Solids of many cells in a scene: what a step costs against the number of cells and of contacts.
// A block rests on a floor of tiles. In the first table the floor grows and the block stays; in the
// second the tiles shrink under the block. Last, a peg goes into a hole of seventeen cells, as
// shipped. Arguments: the folder of the scenes.
#include <fmt/format.h>

#include <cmath>

#include "bench/timing.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/fixed_step.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/simulate.h"

namespace vesica::bench {
namespace {

struct Result {
  int touching = 0;
  double load_seconds = 0, step_microseconds = 0;
};

Result measure(int tiles, double tile) {
  const double first = -0.5 * tile * (tiles - 1);
  const std::string text = fmt::format(
      "vesica: 1\nbodies:\n"
      "  block: {{mass: 4, shape: {{type: box, size: [0.2, 0.2, 0.1]}}, pose: {{position: [0.003, "
      "0.002, 0.0499], axis: [0, 0, 1], angle: 0.2}}}}\n"
      "  floor:\n    fixed: true\n    shape: {{type: solid, cells: [{{intersect: [{{type: box, "
      "size: [{0}, {0}, 0.02]}}], pose: {{position: [{1}, {1}, -0.01]}}, repeat: [{{count: {2}, "
      "step: [{0}, 0, 0]}}, {{count: {2}, step: [0, {0}, 0]}}]}}]}}\n"
      "contacts:\n  - between: [block, floor]\n    cells: separate\n    max_pairs: 2000\n"
      "    normal: {{law: volumetric, stiffness: 1.0e7, damping: 2}}\n"
      "    friction: {{law: brown_mcphee, mu_s: 0.6, mu_d: 0.5, v_t: 1.0e-2}}\n"
      "duration: 1\nsolver: {{method: rk4, step: 1.0e-4}}\n",
      tile, first, tiles);
  Result result;
  const double start = thread_nanoseconds();
  const System<double> system(make_scene<double>(read_model(InputFile::parse(text, "cells.yaml"))),
                              true);
  result.load_seconds = 1e-9 * (thread_nanoseconds() - start);
  State<double> state = system.make_initial_state();
  std::vector<ContactChange> changes;
  auto data = system.make_evaluation<double>();
  FixedStepper<double, double> stepper(system, FixedStepMethod::kRk4);
  auto step = [&] {
    changes.clear();
    stepper.step(state.t + 1e-4, &state, &data, &changes);
  };
  for (int k = 0; k < 20; ++k) step();
  std::vector<double> times;
  for (int k = 0; k < 100; ++k) {
    const double before = thread_nanoseconds();
    step();
    times.push_back(1e-3 * (thread_nanoseconds() - before));
  }
  result.step_microseconds = median(times);
  for (const auto& slot : state.memory) result.touching += slot.touching;
  return result;
}

void print_row(int tiles, const Result& r) {
  fmt::print("  {:>7}{:>11}{:>15.2f}{:>19.1f}{:>21.2f}\n", tiles * tiles, r.touching,
             r.load_seconds, r.step_microseconds, r.step_microseconds / std::max(1, r.touching));
}

// Solver, tolerance, ledger and recording as in the file; time of the thread.
void time_peg(const std::string& scenes) {
  constexpr int kRepeats = 5;
  const Model model = load_model(scenes + "/peg_in_hole.yaml");
  const RunOptions options = make_run_options(model);
  const System<double> system(make_scene<double>(model), model.run.ledger);
  std::vector<double> rates;
  for (int k = 0; k < kRepeats; ++k) {
    const double start = thread_nanoseconds();
    const RunResult result = simulate(system, options);
    rates.push_back(result.end_time / (1e-9 * (thread_nanoseconds() - start)));
  }
  fmt::print(
      "\npeg_in_hole as shipped: {:.2f} simulated seconds per second of the thread (median "
      "of {}; target 1)\n",
      median(rates), kRepeats);
}

void run(const std::string& scenes) {
  fmt::print("a block on a floor of tiles, rk4 step (4 evaluations)\n\n");
  const char* const kHead =
      "    cells   contacts   reading [s]   step (median) [us]   us a contact\n";
  fmt::print("tiles of 0.1 m, ever more of them\n{}", kHead);
  for (int tiles : {3, 10, 32, 100}) print_row(tiles, measure(tiles, 0.1));
  fmt::print("\na floor of 0.6 m in ever smaller tiles\n{}", kHead);
  for (int tiles : {3, 10, 32, 100}) print_row(tiles, measure(tiles, 0.6 / tiles));
  time_peg(scenes);
}

}  // namespace
}  // namespace vesica::bench

int main(int count, char** arguments) { vesica::bench::run(count > 1 ? arguments[1] : "scenes"); }
