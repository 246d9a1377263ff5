#include "vesica/simulation/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/vesica/commands.h"
#include "apps/vesica/continuation.h"
#include "apps/vesica/input_kind.h"
#include "apps/vesica/progress.h"
#include "apps/vesica/scene_files.h"
#include "vesica/io/csv.h"
#include "vesica/io/file_error.h"
#include "vesica/io/folder_lock.h"
#include "vesica/io/output_file.h"
#include "vesica/model/model_file.h"
#include "vesica/report/run_files.h"
#include "vesica/report/run_folder.h"
#include "vesica/report/run_writer.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/recording.h"
#include "vesica/simulation/run_checks.h"
#include "vesica/simulation/scene_start.h"
#include "vesica/simulation/sensitivity.h"
#include "vesica/simulation/summary.h"

namespace vesica::app {
namespace {

namespace fs = std::filesystem;

struct SimulateOptions {
  std::string scene, from;
  std::vector<std::string> settings;
  std::vector<std::string> sensitivities;
  std::vector<std::string> formats;  // csv where none is given
};

// What rounds to zero has no sign.
std::string format_fixed(double x, int width, int decimals) {
  return fmt::format("{:>{}.{}f}", std::abs(x) < 0.5 * std::pow(10, -decimals) ? 0.0 : x, width,
                     decimals);
}

void print_ledger(const LedgerTable& ledger) {
  auto print = [](const LedgerRow& row) {
    fmt::print("  {:<34}{:>14.6g}{:>14.6g}{:>14.6g}\n", row.name, row.start, row.change, row.end);
  };
  fmt::print("\n  {:<34}{:>14}{:>14}{:>14}\n", "energy [J]", "start", "change", "end");
  for (const LedgerRow& row : ledger.parts) print(row);
  print(ledger.sum);
  for (const LedgerRow& row : ledger.causes) {
    fmt::print("    {:<46}{:>14.6g}\n", row.name, row.change);
  }
}

// What there is to look at, and how.
void print_where(const nlohmann::ordered_json& summary, const std::string& folder,
                 const std::vector<std::string>& formats) {
  if (summary["rows"].get<size_t>() == 0) {
    fmt::print("\n  the summary is in {}/ (with output.interval 0 there is no recording)\n",
               folder);
    return;
  }
  fmt::print("\n  recording and summary are in {}/\n", folder);
  if (formats == std::vector<std::string>{"sto"}) {
    fmt::print("  for a page of it, vesica report needs --format csv or h5 besides\n");
  } else {
    fmt::print("  look at it: vesica report {}\n", folder);
  }
}

// Of a run that goes on, what it did itself.
std::string say_simulated(const nlohmann::ordered_json& summary) {
  const double end = summary["end_time"].get<double>();
  if (!summary.contains("continued")) return fmt::format("{:.6g} s", end);
  const double begin = summary["continued"]["time"].get<double>();
  return fmt::format("{:.6g} s, up to {:.6g} s,", end - begin, end);
}

void print_summary(const nlohmann::ordered_json& summary, const std::string& folder,
                   const std::vector<std::string>& formats) {
  if (summary.contains("title")) fmt::print("{}\n\n", summary["title"].get<std::string>());
  const auto& solver = summary["solver"];
  fmt::print("  simulated {} with {} in {:.3g} s ({} steps, {} rejected; {:.3g} x real time)\n",
             say_simulated(summary), solver["method"].get<std::string>(),
             solver["seconds"].get<double>(), solver["steps"].get<long>(),
             solver["rejected"].get<long>(), solver["simulated_seconds_per_second"].get<double>());
  fmt::print("\n  {:<16}{:>36}{:>28}\n", "body, at the end", "position [m]", "velocity [m/s]");
  for (const auto& [name, body] : summary["final_state"].items()) {
    std::string line;
    for (const auto& x : body["position"]) line += format_fixed(x.get<double>(), 12, 5);
    for (const auto& x : body["velocity"]) line += format_fixed(x.get<double>(), 10, 4);
    fmt::print("  {:<16}{}\n", name, line);
  }
  if (!summary["contacts"].empty()) {
    fmt::print("\n  {:<24}{:>12}{:>18}{:>18}\n", "contact", "touchdowns", "peak force [N]",
               "deepest [mm]");
    for (const auto& [name, contact] : summary["contacts"].items()) {
      fmt::print("  {:<24}{:>12}{:>18.5g}{:>18.5g}\n", name, contact["touchdowns"].get<long>(),
                 contact["max_normal_force"].get<double>(),
                 contact["max_depth"].get<double>() * 1e3);
    }
  }
  print_ledger(make_ledger_table(summary["energy"]));
  for (const auto& warning : summary["warnings"]) {
    fmt::print("  warning: {}\n", warning.get<std::string>());
  }
  if (summary.contains("failure"))
    fmt::print("  failed: {}\n", summary["failure"].get<std::string>());
  if (summary.contains("interrupted")) {
    fmt::print("  interrupted: what was recorded is kept; go on: vesica simulate --from {}\n",
               folder);
  }
  if (summary.contains("continued")) {
    const auto& from = summary["continued"];
    fmt::print("  goes on from {} at {:.9g} s: {}\n", from["run"].get<std::string>(),
               from["time"].get<double>(), from["counted"].get<std::string>());
  }
  print_where(summary, folder, formats);
}

// Numbers of a row, at the least: eight bytes each in HDF5, a digit and a comma in CSV.
void check_room(const Model& model, const RunOptions& run, const System<double>& system,
                const std::vector<std::string>& formats, const std::string& folder) {
  const auto width = static_cast<double>(make_recording(system).columns.size() + 1);
  double bytes = 0;
  for (const std::string& format : formats) {
    bytes += width * (format == "h5" ? 8 : 2);
    if (format == "sto") check_memory(model, run, width);
  }
  check_disk(model, run, bytes, folder);
  check_map_disk(model, run, folder);
}

void run_simulation(const InputFile& file, const SimulateOptions& options, Common& common,
                    const std::string& folder, const std::optional<Continuation>& from) {
  const Model model = read_model(file);
  const RunOptions run = make_run_options(model);
  const std::vector<std::string> formats =
      options.formats.empty() ? std::vector<std::string>{"csv"} : options.formats;
  if (!options.formats.empty() && !(run.interval > 0)) {
    throw InputError(
        "--format: output.interval of the scene is 0, so that nothing is recorded; leave it out, "
        "or record with --set output.interval=0.01");
  }
  const System<double> system(make_scene<double>(model), run.ledger);
  if (!from) check_start(model, system);
  try_folder(folder);
  check_room(model, run, system, formats, folder);
  RunWriter writer({folder, formats}, system, run, file);
  if (model.equilibrium && !from) {
    writer.add_note("equilibrium", {{"residual", calc_rest_residual(model, system)}});
  }
  if (from) {
    const std::optional<double> first = copy_rows(*from, run, system, &writer);
    copy_maps(*from, run, &writer);
    const std::string recorded =
        !first        ? " is from the start"
        : *first == 0 ? " and the recording are from the start"
                      : fmt::format(" is from the start, the recording from {:.9g} s on", *first);
    writer.add_note("continued",
                    {{"run", from->folder},
                     {"time", from->checkpoint.state.t},
                     {"counted", fmt::format("events, steps and what the monitors saw are those "
                                             "from then on; the ledger{}",
                                             recorded)}});
  }
  keep_on_stop();
  RunResult result;
  {
    Progress progress("simulate", common.quiet || common.json);
    RunControl control;
    control.progress = [&](double fraction) { progress.update(fraction); };
    control.stop = &stop_requested();
    control.observer = &writer;
    control.keep_rows = false;
    if (from) control.from = &from->checkpoint;
    result = simulate(system, run, control);
  }
  if (result.cannot_write) throw FileError(result.failure);
  const auto summary = writer.finish(result);
  if (common.json) {
    fmt::print("{}\n", summary.dump(2));
  } else if (!common.quiet) {
    print_summary(summary, folder, formats);
  }
  if (result.interrupted) common.status = kInterrupted;
  if (!result.failure.empty()) {
    say("error: {}\n", result.failure);
    common.status = kFailed;
  }
}

std::string choose_folder(const SimulateOptions& options, const std::optional<Continuation>& from,
                          const std::string& out) {
  if (from) return choose_folder(*from, out);
  return out.empty() ? choose_out_folder(options.scene) : out;
}

void run_sensitivity(const InputFile& file, const SimulateOptions& options, const Common& common,
                     const std::string& folder) {
  const Model model = read_model(file);
  const RunOptions run = make_run_options(model);
  const System<double> system(make_scene<double>(model), run.ledger);
  check_start(model, system);
  const auto count = static_cast<double>(options.sensitivities.size());
  // A number of a batch carries four or twelve derivatives; all of them are gathered, and arranged
  // by rows.
  check_memory(model, run,
               static_cast<double>(make_recording(system).columns.size()) *
                   (1 + (count > 4 ? 12 : 4) + 2 * count));
  try_folder(folder);
  const FolderLock lock(folder);
  keep_on_stop();
  SensitivityResult result;
  {
    Progress progress("sensitivity", common.quiet || common.json);
    RunControl control;
    control.progress = [&](double fraction) { progress.update(fraction); };
    control.stop = &stop_requested();
    result = simulate_sensitivity(model, run, options.sensitivities, control);
  }
  fs::remove_all(fs::path(folder) / kNamedFilesFolder);
  const std::string scene = copy_named_files(file, folder).dump();
  clear_earlier_run(folder, scene);
  save_text((fs::path(folder) / "scene.yaml").string(), scene);
  const bool has_rows = !result.recording.times.empty();  // none with output.interval: 0
  if (has_rows) save_csv((fs::path(folder) / "sensitivity.csv").string(), result.recording);
  auto json = make_sensitivity_json(result);
  save_text((fs::path(folder) / "sensitivity.json").string(), json.dump(2) + "\n");
  if (common.json) {
    fmt::print("{}\n", json.dump(2));
    return;
  }
  if (common.quiet) return;
  fmt::print("derivatives of the final state (t = {:.6g} s)\n\n", result.end_time);
  // Paths that do not fit a column stand above the table, by numbers.
  constexpr size_t kWidth = 26;
  const auto& paths = options.sensitivities;
  const bool fits = std::all_of(paths.begin(), paths.end(),
                                [](const std::string& path) { return path.size() < kWidth; });
  std::string header = fmt::format("  {:<26}", "");
  for (size_t k = 0; k < paths.size(); ++k) {
    if (!fits) fmt::print("  [{}] by {}\n", k + 1, paths[k]);
    header += fmt::format("{:>{}}", fits ? paths[k] : fmt::format("[{}]", k + 1), kWidth);
  }
  fmt::print("{}{}\n", fits ? "" : "\n", header);
  for (size_t k = 0; k < result.final_names.size(); ++k) {
    std::string line = fmt::format("  {:<26}", result.final_names[k]);
    for (const auto& column : result.final_derivatives) line += fmt::format("{:>26.9g}", column[k]);
    fmt::print("{}\n", line);
  }
  for (const auto& warning : result.warnings) fmt::print("  warning: {}\n", warning);
  fmt::print("\n  cost of {:.2f} plain runs\n  {}\n", result.cost,
             has_rows ? fmt::format("all recorded outputs: {}/sensitivity.csv", folder)
                      : fmt::format("the same: {}/sensitivity.json", folder));
}

}  // namespace

void add_simulate(CommandLine& line, Common& common) {
  Command command =
      add_command(line, common, "simulate", "Run a scene; writes a recording and a summary");
  add_out(command, common);
  auto options = std::make_shared<SimulateOptions>();
  command.option("SCENE", &options->scene, "a YAML scene, or the name of one from `vesica list`");
  command
      .option("--from", &options->from,
              "go on with a run, from its last state or the one at or last before a time; --set "
              "duration=T to go on longer")
      .type_name("RUN[@T]");
  command.option("--set", &options->settings,
                 "change a number of the scene, for instance bodies.ball.mass=2 (repeatable)");
  command.option("--sensitivity", &options->sensitivities,
                 "derivatives of the final state and of all outputs by a number of the scene, "
                 "for instance bodies.ball.velocity.linear.0 (repeatable)");
  command
      .option("--format", &options->formats,
              "recording as csv (also without), sto (OpenSim), h5 (HDF5)")
      .one_of({"csv", "sto", "h5"})
      .delimiter(',');
  command.run([&common, options] {
    if (options->scene.empty() && options->from.empty()) {
      throw InputError("give a SCENE, or --from RUN to go on with a run; see vesica list");
    }
    std::optional<Continuation> from;
    if (!options->from.empty())
      from = find_continuation(options->from, options->scene, options->settings);
    if (from && !common.quiet) say("{}", explain_partial(from->run, from->folder));
    InputFile file = from ? from->scene : InputFile::load(find_input(options->scene));
    if (!from) {
      expect_input_for({"simulate", "probe"}, file);  // of a case it says more itself
      apply_settings(options->settings, &file);
      make_self_contained(&file);
    }
    const std::string folder = choose_folder(*options, from, common.out);
    if (!options->sensitivities.empty()) {
      if (from) throw InputError("--sensitivity runs from the start; leave --from out");
      if (!options->formats.empty()) {
        throw InputError("--sensitivity writes sensitivity.csv; leave --format out");
      }
      run_sensitivity(file, *options, common, folder);
      return;
    }
    run_simulation(file, *options, common, folder, from);
  });
}

}  // namespace vesica::app
