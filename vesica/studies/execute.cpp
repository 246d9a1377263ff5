#include "vesica/studies/execute.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "vesica/identification/bench_study.h"
#include "vesica/io/file_error.h"
#include "vesica/io/output_file.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/recording.h"
#include "vesica/simulation/run_checks.h"
#include "vesica/simulation/summary.h"
#include "vesica/studies/functions.h"
#include "vesica/studies/marker_runs.h"

namespace vesica::studies {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kStatusNames = {"done", "failed", "not_converged",
                                                          "timed_out"};

double processor_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Words of an error on one line, for a cell.
std::string as_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return text;
}

// A folder of a run that cannot be written ends the study; a file that cannot be read, the run.
class CannotKeep : public FileError {
 public:
  using FileError::FileError;
};

template <typename Write>
void keep(Write&& write) {
  try {
    write();
  } catch (const FileError& error) {
    throw CannotKeep(error.what());
  }
}

bool is_set(const std::atomic<bool>* flag) { return flag != nullptr && *flag; }

// A run that was stopped: by its limit it is a row, by the user it is none.
void note_stop(const Study& study, const ExecuteOptions& options, const std::string& got_to,
               RunRow* row) {
  if (!is_set(options.timed_out)) throw Interrupted("interrupted");
  row->status = Status::kTimedOut;
  row->reason = fmt::format("stopped after {:g} s of processor time{}", study.time_limit, got_to);
}

void read_off(const Study& study, const RunLeavings& leavings, RunRow* row) {
  if (leavings.summary->contains("warnings")) {
    row->warnings = (*leavings.summary)["warnings"].get<std::vector<std::string>>();
  }
  for (const Reading& output : study.outputs) row->cells.push_back(take_reading(output, leavings));
  for (const Reading& curve : study.curves) row->curves.push_back(take_curve(curve, leavings));
}

std::vector<std::string> list_contacts(const System<double>& system) {
  std::vector<std::string> names;
  for (const auto& contact : system.scene().contacts) names.push_back(contact.name);
  return names;
}

void run_simulation(const Study& study, const RunInput& input, const ExecuteOptions& options,
                    RunRow* row) {
  const Model model = read_model(input.file);
  const RunOptions run = make_run_options(model);
  const System<double> system(make_scene<double>(model), run.ledger);
  check_start(model, system);
  RunControl control;
  control.stop = options.stop;
  const auto reads = [](const Reading& r) { return needs_recording(r); };
  control.keep_rows =
      std::any_of(study.outputs.begin(), study.outputs.end(), reads) || !study.curves.empty();
  if (control.keep_rows) {
    check_memory(model, run, static_cast<double>(make_recording(system).columns.size()));
  }
  std::unique_ptr<RunKeeper> keeper;
  if (!options.folder.empty() && options.make_keeper) {
    keep([&] { keeper = options.make_keeper(options.folder, system, run, input.file); });
    control.observer = keeper->observer();
  }
  const RunResult result = simulate(system, run, control);
  if (result.cannot_write) throw CannotKeep(result.failure);
  if (result.interrupted) {
    note_stop(study, options,
              fmt::format(", at {:.6g} s of {:.6g} s", result.end_time, run.duration), row);
  } else if (!result.failure.empty()) {
    row->status = Status::kFailed;
    row->reason = result.failure;
  }
  if (keeper) keep([&] { keeper->finish(result); });
  if (row->status != Status::kDone) return;
  const Json summary = make_summary(system, run, result);
  read_off(study,
           {&summary, &result.recording, &result.events, list_contacts(system), run.duration,
            &result.map_sums},
           row);
}

void save_leavings(const ExecuteOptions& options, const RunInput& input, const Json& summary) {
  if (options.folder.empty()) return;
  const fs::path folder(options.folder);
  keep([&] {
    save_text((folder / "input.yaml").string(), input.file.dump() + "\n");
    if (input.options) save_text((folder / "options.yaml").string(), input.options->dump() + "\n");
    save_text((folder / "summary.json").string(), summary.dump(2) + "\n");
  });
}

void run_fit(const Study& study, const RunInput& input, const ExecuteOptions& options,
             RunRow* row) {
  const BenchStudy fit = run_bench_study(input.file, options.stop);
  const Json summary = make_bench_json(fit);
  if (!fit.fit.converged) {
    row->status = Status::kNotConverged;
    row->reason = fmt::format("not converged after {} iterations", fit.fit.iterations);
  }
  save_leavings(options, input, summary);
  read_off(study, {&summary, nullptr, nullptr, {}, 0}, row);
}

void run_marker_fit(const Study& study, const RunInput& input, const ExecuteOptions& options,
                    RunRow* row) {
  const MarkerFit fit = fit_markers(input.file, *input.options, false, options.stop);
  if (!fit.converged) {
    row->status = Status::kNotConverged;
    row->reason = fit.message;
  }
  save_leavings(options, input, fit.summary);
  read_off(study, {&fit.summary, nullptr, nullptr, {}, 0}, row);
}

size_t find_function(const Study& study) {
  const auto& names = function_names();
  return static_cast<size_t>(std::find(names.begin(), names.end(), study.input_path) -
                             names.begin());
}

void run_function(const Study& study, const RunInput& input, const ExecuteOptions& options,
                  RunRow* row) {
  const Json summary = evaluate_function(find_function(study), input.file, options.stop);
  save_leavings(options, input, summary);
  read_off(study, {&summary, nullptr, nullptr, {}, 0}, row);
}

}  // namespace

std::string without_setting(std::string message) {
  constexpr std::string_view kPlace = " (--set)", kHead = "--set ";
  for (size_t at = message.find(kPlace); at != std::string::npos; at = message.find(kPlace, at)) {
    message.replace(at, kPlace.size(), " (as the study sets it)");
  }
  if (message.starts_with(kHead)) message.erase(0, kHead.size());
  return message;
}

std::string_view name_of(Status status) { return kStatusNames[static_cast<size_t>(status)]; }

std::optional<Status> find_status(std::string_view name) {
  const auto found = std::find(kStatusNames.begin(), kStatusNames.end(), name);
  if (found == kStatusNames.end()) return std::nullopt;
  return static_cast<Status>(found - kStatusNames.begin());
}

RunInput make_run_input(const Study& study,
                        const std::vector<std::pair<std::string, std::string>>& settings) {
  RunInput input{InputFile::parse(study.input_text, study.input_path), std::nullopt};
  if (study.command == Command::kMarkers) {
    input.options = InputFile::parse(study.options_text, study.file.name());
  }
  const auto set = [&](const std::pair<std::string, std::string>& setting) {
    const std::string first = setting.first.substr(0, setting.first.find('.'));
    const auto& keys = marker_option_keys();
    const bool is_option =
        input.options && std::find(keys.begin(), keys.end(), first) != keys.end();
    (is_option ? *input.options : input.file).set(setting.first, setting.second);
  };
  for (const auto& setting : study.settings) set(setting);
  for (const auto& setting : settings) set(setting);
  return input;
}

RunRow execute_run(const Study& study, std::uint64_t run, const ExecuteOptions& options) {
  RunRow row;
  row.run = run;
  const double begin = processor_seconds();
  try {
    const RunInput input = make_run_input(study, make_run_point(study, run).settings);
    switch (study.command) {
      case Command::kSimulate:
        run_simulation(study, input, options, &row);
        break;
      case Command::kIdentify:
        run_fit(study, input, options, &row);
        break;
      case Command::kMarkers:
        run_marker_fit(study, input, options, &row);
        break;
      case Command::kFunction:
        run_function(study, input, options, &row);
        break;
    }
  } catch (const Interrupted&) {
    note_stop(study, options, "", &row);
  } catch (const CannotKeep&) {
    throw;
  } catch (const std::exception& error) {
    if (is_set(options.stop)) {
      note_stop(study, options, "", &row);
    } else {
      row.status = Status::kFailed;
      row.reason = without_setting(error.what());
    }
  }
  check_inputs(study);  // before the row counts
  if (row.status == Status::kFailed || row.status == Status::kTimedOut) {
    row.cells.clear();
    row.curves.clear();
    row.warnings.clear();
  }
  row.reason = as_line(row.reason);
  row.cells.resize(study.outputs.size());
  row.curves.resize(study.curves.size());
  row.seconds = processor_seconds() - begin;
  return row;
}

void check_run_input(const Study& study, const RunInput& input) {
  switch (study.command) {
    case Command::kSimulate:
      read_model(input.file);
      break;
    case Command::kIdentify:
      run_bench_study(input.file);
      break;
    case Command::kMarkers:
      check_marker_input(input.file, *input.options);
      break;
    case Command::kFunction:
      if (study.input_path != "work") evaluate_function(find_function(study), input.file, nullptr);
      break;
  }
}

void probe_run(const Study& study, std::uint64_t run,
               const std::function<void(const RunLeavings&)>& look) {
  RunInput input = make_run_input(study, make_run_point(study, run).settings);
  switch (study.command) {
    case Command::kSimulate: {
      const Model model = read_model(input.file);
      RunOptions options = make_run_options(model);
      const double duration = options.duration;
      const System<double> system(make_scene<double>(model), options.ledger);
      check_start(model, system);
      // One short step: what there is to read does not depend on how long it runs.
      options.solver = Solver::kRk4;
      options.step = options.duration = std::min(options.duration, 1e-9);
      options.interval = 0;
      options.checkpoints.clear();
      const RunResult result = simulate(system, options);
      const Json summary = make_summary(system, options, result);
      const TimeTable recording = make_recording(system);
      std::vector<TimeTable> maps;
      for (const MapOptions& map : options.maps) maps.push_back(make_map_table(map));
      look({&summary, &recording, &result.events, list_contacts(system), duration, &maps});
      break;
    }
    case Command::kIdentify: {
      const Json summary = make_bench_json(run_bench_study(input.file));
      look({&summary, nullptr, nullptr, {}, 0});
      break;
    }
    case Command::kMarkers: {
      const MarkerFit fit = fit_markers(input.file, *input.options, true, nullptr);
      look({&fit.summary, nullptr, nullptr, {}, 0});
      break;
    }
    case Command::kFunction: {
      if (study.input_path == "work") {  // it may be told to fail, or to crash
        input.file.set("seconds", "0");
        input.file.set("end", "well");
      }
      const Json summary = evaluate_function(find_function(study), input.file, nullptr);
      look({&summary, nullptr, nullptr, {}, 0});
      break;
    }
  }
}

}  // namespace vesica::studies
