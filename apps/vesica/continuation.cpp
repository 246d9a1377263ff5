#include "apps/vesica/continuation.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "apps/vesica/run_folder.h"
#include "apps/vesica/scene_files.h"
#include "vesica/io/units.h"
#include "vesica/simulation/checkpoint_file.h"
#include "vesica/simulation/recording.h"

namespace vesica::app {

namespace fs = std::filesystem;

namespace {

// RUN or RUN@TIME.
struct Origin {
  std::string folder;
  std::optional<double> time;
};

Origin parse_origin(const std::string& text) {
  const size_t at = text.rfind('@');
  std::error_code code;
  if (at == std::string::npos || fs::is_directory(text, code)) return {text, std::nullopt};
  try {
    return {text.substr(0, at), parse_quantity(text.substr(at + 1), dimension::kTime)};
  } catch (const InputError& error) {
    throw InputError(fmt::format("--from {}: expected RUN or RUN@TIME: {}", text, error.what()));
  }
}

// Times of states, for a message: as many as one reads.
std::string list_times(const std::vector<Checkpoint>& checkpoints) {
  constexpr size_t kShown = 10;
  std::string times;
  size_t count = 0;
  for (const Checkpoint& each : checkpoints) {
    if (each.cut || ++count > kShown) continue;
    times += fmt::format("{}{:.9g}", times.empty() ? "" : ", ", each.state.t);
  }
  if (count == 0) return "none";
  return fmt::format("those at {}{} s", times, count > kShown ? ", ..." : "");
}

// The last at or before a time. States that only the end of the run led to are passed over.
Checkpoint choose_checkpoint(const std::string& folder, std::optional<double> time) {
  const auto all = load_checkpoints((fs::path(folder) / "checkpoints.jsonl").string());
  const Checkpoint* chosen = nullptr;
  for (const Checkpoint& each : all) {
    if (each.cut || (time && each.state.t > *time + 1e-9 * std::abs(*time))) continue;
    chosen = &each;
  }
  if (!chosen) {
    throw InputError(fmt::format(
        "--from {}: there is no state to go on from{}; there are {} (output.checkpoints of a scene "
        "makes more)",
        folder, time ? fmt::format(" at or before {:.9g} s", *time) : "", list_times(all)));
  }
  return *chosen;
}

}  // namespace

Continuation find_continuation(const std::string& from, const std::string& scene_name,
                               const std::vector<std::string>& settings) {
  const Origin origin = parse_origin(from);
  const std::string folder = find_run_folder(origin.folder);
  const std::string path = (fs::path(folder) / "scene.yaml").string();
  const InputFile before = InputFile::load(path);
  InputFile scene = InputFile::load(scene_name.empty() ? path : find_input(scene_name));
  make_self_contained(&scene);
  apply_settings(settings, &scene);
  const std::string difference = find_difference(before, scene);
  if (!difference.empty()) {
    throw InputError(fmt::format(
        "--from {}: a run goes on with its own scene, only duration and output may change; {}",
        from, difference));
  }
  Continuation found{origin.folder, folder, choose_checkpoint(folder, origin.time),
                     std::move(scene)};
  const double duration = read_run_options(found.scene).duration;
  if (!(found.checkpoint.state.t < duration)) {
    throw InputError(fmt::format(
        "--from {}: the run has reached its duration of {:.6g} s; go on longer with --set "
        "duration={:.6g}, or from an earlier time (RUN@TIME)",
        from, duration, 2 * duration));
  }
  return found;
}

bool copy_rows(const Continuation& from, const RunOptions& run, const System<double>& system,
               RunWriter* writer) {
  const InputFile before = InputFile::load((fs::path(from.folder) / "scene.yaml").string());
  const std::string recording = find_run_recording(from.folder);
  if (recording.empty() || read_run_options(before).interval != run.interval) return false;
  const auto columns = make_recording(system).columns;
  std::vector<double> row(columns.size());
  for_each_row(recording, columns, count_rows(from.checkpoint.state.t, run.interval),
               [&](double t, const double* values) {
                 row.assign(values, values + columns.size());
                 writer->on_row(t, row);
               });
  return true;
}

std::string choose_folder(const Continuation& from, const std::string& out) {
  std::error_code code;
  if (!out.empty()) {
    if (fs::equivalent(out, from.run, code) || fs::equivalent(out, from.folder, code)) {
      throw InputError(fmt::format(
          "--out {}: holds the run that this one goes on from; choose another folder", out));
    }
    return out;
  }
  const std::string name = fs::path(from.run).lexically_normal().string();
  return fmt::format("{}_from_{:.6g}", name.ends_with('/') ? name.substr(0, name.size() - 1) : name,
                     from.checkpoint.state.t);
}

}  // namespace vesica::app
