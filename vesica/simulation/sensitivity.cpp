#include "vesica/simulation/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "vesica/error.h"
#include "vesica/simulation/fixed_step.h"
#include "vesica/simulation/recording.h"
#include "vesica/simulation/switch_times.h"

namespace vesica {
namespace {

// The trajectory on dual numbers: rows at the recording interval, final state.
template <class T>
struct Trajectory {
  std::vector<double> times;
  std::vector<T> rows;
  std::vector<T> state;
  double seconds = 0;
};

template <class T>
Trajectory<T> run(const System<T>& system, const RunOptions& options,
                  const std::vector<double>& switches, const RunControl& control) {
  const auto start = std::chrono::steady_clock::now();
  Trajectory<T> result;
  State<T> state = system.make_initial_state();
  auto data = system.template make_evaluation<T>();
  auto scratch = system.template make_evaluation<T>();
  std::vector<T> rates(state.y.size());
  std::vector<ContactChange> changes;
  FixedStepper<T, T> stepper(system, static_cast<FixedStepMethod>(options.solver));
  system.find_parts(&state, &scratch, &changes);
  system.calc_rates(0, state.y.data(), state.memory, rates.data(), &scratch);
  const T start_energy = calc_energies(system, state.y.data(), scratch).mechanical();
  double next = 0;
  const double slack = 1e-9 * options.interval;
  auto stop = switches.begin();
  while (true) {
    // A row that falls within a step is that of its end: dual numbers are not interpolated.
    if (options.interval > 0 && state.t >= next - slack) {
      system.calc_rates(state.t, state.y.data(), state.memory, rates.data(), &scratch);
      result.times.push_back(state.t);
      append_row(system, state.y.data(), scratch, start_energy, &result.rows);
      next = static_cast<double>(result.times.size()) * options.interval;
    }
    if (state.t >= options.duration) break;
    const double until = stop == switches.end() ? options.duration : *stop;
    data.before = stop == switches.end() ? kInfinity : until;
    changes.clear();
    stepper.step(calc_step_end(state.t, options.step, until), &state, &data, &changes);
    for (const T& y : state.y) {
      if (std::isfinite(value_of(y))) continue;
      throw RunError(fmt::format(
          "the state is no longer finite at t = {:.6g} s; use a shorter solver.step", state.t));
    }
    if (stop != switches.end() && state.t >= *stop) {
      data.after = *stop;
      ++stop;
    }
    if (control.stop && control.stop->load(std::memory_order_relaxed)) {
      throw RunError("interrupted: no derivatives were written");
    }
    if (control.progress) control.progress(state.t / options.duration);
  }
  result.state = state.y;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

constexpr int kTogether = 4;  // derivatives that one run carries

double add_batch(InputFile file, const RunOptions& options, const std::vector<std::string>& paths,
                 size_t first, const std::vector<double>& switches, const RunControl& control,
                 SensitivityResult* result, std::vector<std::vector<double>>* columns) {
  const size_t count = std::min<size_t>(kTogether, paths.size() - first);
  file.seed({paths.begin() + static_cast<std::ptrdiff_t>(first),
             paths.begin() + static_cast<std::ptrdiff_t>(first + count)});
  const System<Dual<kTogether>> system(read_scene<Dual<kTogether>>(file), options.ledger);
  for (const std::string& unused : file.unused_seeds()) {
    throw InputError(fmt::format(
        "--sensitivity {}: {} has no number at that path that the motion depends on (lists count "
        "from 0: bodies.ball.pose.position.2)",
        unused, file.name()));
  }
  const auto trajectory = run(system, options, switches, control);
  for (size_t k = 0; k < count; ++k) {
    std::vector<double> final_state, column;
    for (const auto& x : trajectory.state) final_state.push_back(x.v[static_cast<int>(k)]);
    for (const auto& x : trajectory.rows) column.push_back(x.v[static_cast<int>(k)]);
    result->final_derivatives.push_back(std::move(final_state));
    columns->push_back(std::move(column));
  }
  result->recording.times = trajectory.times;
  return trajectory.seconds;
}

}  // namespace

SensitivityResult simulate_sensitivity(const InputFile& file, const RunOptions& options,
                                       const std::vector<std::string>& paths,
                                       const RunControl& control) {
  if (!is_fixed_step(options.solver)) {
    throw InputError(
        fmt::format("sensitivities run through the explicit fixed-step methods, not {}; add --set "
                    "'solver={{method: rk4, step: 1e-4}}'",
                    solver_name(options.solver)));
  }
  SensitivityResult result;
  result.paths = paths;
  const System<double> plain(read_scene<double>(file), options.ledger);
  const RunResult reference = simulate(plain, options, control);
  if (!reference.failure.empty()) throw RunError(reference.failure);
  result.end_time = reference.end_time;
  result.warnings = make_warnings(plain, options, reference);
  const std::vector<double> switches = find_switch_times(plain.scene(), options.duration);

  std::vector<std::vector<double>> columns;
  double seconds = 0;
  for (size_t first = 0; first < paths.size(); first += kTogether) {
    seconds += add_batch(file, options, paths, first, switches, control, &result, &columns);
  }
  const double plain_seconds = reference.statistics.seconds;
  result.cost = plain_seconds > 0 ? seconds / plain_seconds : 0;

  const TimeTable names = make_recording(plain);
  result.recording.name = "sensitivity";
  for (const std::string& path : paths) {
    for (const auto& column : names.columns) {
      result.recording.columns.push_back({fmt::format("d({})/d({})", column.name, path), ""});
    }
  }
  const size_t width = names.columns.size();
  for (size_t row = 0; row < result.recording.times.size(); ++row) {
    for (const auto& column : columns) {
      for (size_t c = 0; c < width; ++c) result.recording.values.push_back(column[row * width + c]);
    }
  }
  result.final_names = make_state_names(plain);
  for (auto& column : result.final_derivatives) column.resize(result.final_names.size());
  const auto touchdowns =
      std::count_if(reference.events.begin(), reference.events.end(),
                    [](const ContactEvent& e) { return e.touchdown && e.time > 0; });
  if (touchdowns > 0) {
    result.warnings.push_back(
        fmt::format("{} touchdowns fell on a step: the derivative jumps, by an amount that shrinks "
                    "with the step, where a touchdown moves to the next step",
                    touchdowns));
  }
  return result;
}

nlohmann::ordered_json make_sensitivity_json(const SensitivityResult& result) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["end_time"] = result.end_time;
  json["cost"] = result.cost;
  for (size_t p = 0; p < result.paths.size(); ++p) {
    Json column;
    for (size_t k = 0; k < result.final_names.size(); ++k) {
      column[result.final_names[k]] = result.final_derivatives[p][k];
    }
    json["final_state_by"][result.paths[p]] = column;
  }
  json["warnings"] = result.warnings;
  return json;
}

}  // namespace vesica
