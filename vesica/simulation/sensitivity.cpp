#include "vesica/simulation/sensitivity.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "vesica/simulation/fixed_step.h"
#include "vesica/simulation/recording.h"

namespace vesica {
namespace {

// The trajectory in any scalar: rows at the recording interval, final state, touchdowns.
template <class T>
struct Trajectory {
  std::vector<double> times;
  std::vector<T> rows;
  std::vector<T> state;
  long touchdowns = 0;
  double seconds = 0;
};

template <class T>
Trajectory<T> run(const System<T>& system, const RunOptions& options, bool record) {
  const auto start = std::chrono::steady_clock::now();
  Trajectory<T> result;
  result.state.resize(static_cast<size_t>(system.layout().size()));
  system.calc_initial_state(result.state.data());
  auto data = system.template make_data<T>();
  auto scratch = system.template make_data<T>();
  std::vector<T> rates(result.state.size());
  FixedStepper<T, T> stepper(system, static_cast<FixedStepMethod>(options.solver));
  system.find_parts(0, result.state.data(), &data);
  copy_memories(data, &scratch);
  system.calc_rates(0, result.state.data(), rates.data(), &scratch);
  const T start_energy = calc_energies(system, result.state.data(), scratch).mechanical();
  const long steps = static_cast<long>(std::ceil(options.duration / options.step - 1e-9));
  double next = 0;
  for (long k = 0; k <= steps; ++k) {
    const double t = static_cast<double>(k) * options.step;
    if (record && options.interval > 0 && t >= next - 1e-9 * options.interval) {
      copy_memories(data, &scratch);
      system.calc_rates(t, result.state.data(), rates.data(), &scratch);
      result.times.push_back(t);
      append_row(system, result.state.data(), scratch, start_energy, &result.rows);
      next = static_cast<double>(result.times.size()) * options.interval;
    }
    if (k == steps) break;
    stepper.step(t, options.step, &result.state, &data);
    for (size_t c = 0; c < data.toggled.size(); ++c) {
      if (data.toggled[c] && data.touching[c] && k > 0) ++result.touchdowns;
    }
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

constexpr int kTogether = 4;  // derivatives that one run carries

double add_batch(InputFile file, const RunOptions& options, const std::vector<std::string>& paths,
                 size_t first, SensitivityResult* result,
                 std::vector<std::vector<double>>* columns) {
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
  const auto trajectory = run(system, options, true);
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
                                       const std::vector<std::string>& paths) {
  if (!is_fixed_step(options.solver)) {
    throw InputError(
        fmt::format("sensitivities run through the explicit fixed-step methods, not {}; add --set "
                    "'solver={{method: rk4, step: 1e-4}}'",
                    solver_name(options.solver)));
  }
  SensitivityResult result;
  result.paths = paths;
  const System<double> plain(read_scene<double>(file), options.ledger);
  const auto reference = run(plain, options, true);
  result.end_time = std::ceil(options.duration / options.step - 1e-9) * options.step;

  std::vector<std::vector<double>> columns;
  double seconds = 0;
  for (size_t first = 0; first < paths.size(); first += kTogether) {
    seconds += add_batch(file, options, paths, first, &result, &columns);
  }
  result.cost = reference.seconds > 0 ? seconds / reference.seconds : 0;

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
  if (reference.touchdowns > 0) {
    result.warnings.push_back(
        fmt::format("{} touchdowns fell on a step: the derivative jumps, by an amount that shrinks "
                    "with the step, "
                    "where a touchdown moves to the next step",
                    reference.touchdowns));
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
