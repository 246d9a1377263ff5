#include "apps/vesica/continuation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "apps/vesica/scene_files.h"
#include "vesica/io/units.h"
#include "vesica/model/model_file.h"
#include "vesica/report/run_folder.h"
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
        "makes more){}",
        folder, time ? fmt::format(" at or before {:.9g} s", *time) : "", list_times(all),
        explain_earlier_run(folder)));
  }
  return *chosen;
}

}  // namespace

Continuation find_continuation(const std::string& from, const std::string& scene_name,
                               const std::vector<std::string>& settings) {
  const Origin origin = parse_origin(from);
  const std::string folder = find_run_folder(origin.folder);
  const std::string path = (fs::path(folder) / "scene.yaml").string();
  InputFile before = InputFile::load(path);
  make_self_contained(&before);
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
  const double duration = read_model(found.scene).run.duration;
  if (!(found.checkpoint.state.t < duration)) {
    throw InputError(
        fmt::format("--from {}: the run has reached {:.6g} s, its duration is {:.6g} s; go on "
                    "longer with --set "
                    "duration={:.6g}, or from an earlier time (RUN@TIME)",
                    from, found.checkpoint.state.t, duration,
                    2 * std::max(duration, found.checkpoint.state.t)));
  }
  return found;
}

namespace {

// Of a recording's first row; none where it has no rows.
std::optional<double> find_first_time(const std::string& recording,
                                      const std::vector<TimeTable::Column>& columns) {
  std::optional<double> first;
  for_each_row(recording, columns, 0, [](double, const double*) {});  // throws for other columns
  try {
    for_each_row(recording, columns, 1, [&](double t, const double*) { first = t; });
  } catch (const InputError&) {  // of too few rows
  }
  return first;
}

}  // namespace

std::optional<double> copy_rows(const Continuation& from, const RunOptions& run,
                                const System<double>& system, RunWriter* writer) {
  const InputFile before = InputFile::load((fs::path(from.folder) / "scene.yaml").string());
  const std::string recording = find_run_recording(from.folder);
  if (!(run.interval > 0)) return std::nullopt;
  const size_t passed = count_rows(from.checkpoint.state.t, run.interval);
  const double next = static_cast<double>(passed) * run.interval;
  if (recording.empty() || read_model(before).run.interval != run.interval) return next;
  const auto columns = make_recording(system).columns;
  const std::optional<double> first = find_first_time(recording, columns);
  if (!first) return next;
  // A run that itself went on with another interval has no rows from before.
  const auto missing = static_cast<size_t>(std::llround(*first / run.interval));
  if (missing >= passed) return next;
  std::vector<double> row(columns.size());
  for_each_row(recording, columns, passed - missing, [&](double t, const double* values) {
    row.assign(values, values + columns.size());
    writer->on_row(t, row);
  });
  return first;
}

namespace {

bool are_same(const MapOptions& a, const MapOptions& b) {
  const auto pose = [](const MapOptions& m) { return m.frame.value_or(model::Frame<>{}).pose(); };
  const auto region = [](const MapRegion& r, const MapRegion& s) {
    return r.name == s.name && r.x == s.x && r.y == s.y;
  };
  return a.title() == b.title() && a.contact == b.contact && a.body == b.body && a.size == b.size &&
         a.cell == b.cell && a.interval == b.interval && pose(a).R_WB == pose(b).R_WB &&
         pose(a).p_WB == pose(b).p_WB &&
         std::equal(a.regions.begin(), a.regions.end(), b.regions.begin(), b.regions.end(), region);
}

}  // namespace

void copy_maps(const Continuation& from, const RunOptions& run, RunWriter* writer) {
  if (run.maps.empty()) return;
  const auto before =
      read_model(InputFile::load((fs::path(from.folder) / "scene.yaml").string())).run.maps;
  for (size_t k = 0; k < run.maps.size(); ++k) {
    const MapOptions& map = run.maps[k];
    const auto path = fs::path(from.folder) / (make_map_file_name(map) + ".h5");
    if (std::none_of(before.begin(), before.end(),
                     [&](const MapOptions& other) { return are_same(map, other); }) ||
        !fs::exists(path)) {
      continue;
    }
    const MapSeries series = load_pressure_map(path.string());
    const double next = static_cast<double>(count_rows(from.checkpoint.state.t, map.interval));
    for (size_t f = 0; f < series.frames(); ++f) {
      const double t = series.sums.times[f];
      if (t > (next - 0.5) * map.interval) break;
      const size_t cells = series.cells(), width = series.sums.columns.size();
      const auto at = [](const std::vector<double>& v, size_t first, size_t count) {
        return std::vector<double>(v.begin() + static_cast<std::ptrdiff_t>(first),
                                   v.begin() + static_cast<std::ptrdiff_t>(first + count));
      };
      writer->add_map_frame(k, t, at(series.pressure, f * cells, cells),
                            at(series.sums.values, f * width, width));
    }
  }
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
