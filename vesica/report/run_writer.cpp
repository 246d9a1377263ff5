#include "vesica/report/run_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "vesica/io/file_error.h"
#include "vesica/io/output_file.h"
#include "vesica/io/sto.h"
#include "vesica/report/run_files.h"
#include "vesica/simulation/recording.h"
#include "vesica/simulation/summary.h"

namespace vesica {

namespace fs = std::filesystem;

namespace {

// Files of pressure maps that an earlier run left, as its summary names them: other files may be
// called so too.
void remove_earlier_maps(const fs::path& folder) {
  std::ifstream stream(folder / "summary.json");
  const auto summary = nlohmann::json::parse(stream, nullptr, false);  // discarded: there is none
  if (!summary.is_object() || !summary.contains("pressure_maps")) return;
  for (const auto& map : summary["pressure_maps"]) {
    if (!map.is_object() || !map.contains("file") || !map["file"].is_string()) continue;
    const fs::path name = fs::path(map["file"].get<std::string>()).filename();
    if (!name.string().starts_with("pressure_")) continue;
    fs::remove(folder / name);
    fs::remove(folder / fs::path(name).replace_extension(".csv"));
  }
}

}  // namespace

void clear_earlier_run(const std::string& folder, const std::string& scene) {
  const fs::path path(folder);
  std::ifstream stream(path / "scene.yaml", std::ios::binary);
  using Bytes = std::istreambuf_iterator<char>;
  if (stream && std::string(Bytes(stream), Bytes()) == scene) return;
  remove_earlier_maps(path);
  for (const char* name :
       {"scene.yaml", "summary.json", "recording.csv", "recording.h5", "recording.sto",
        "checkpoints.jsonl", "report.html", "sensitivity.csv", "sensitivity.json"}) {
    fs::remove(path / name);
  }
}

RunWriter::RunWriter(Target target, const System<double>& system, const RunOptions& options,
                     const InputFile& scene)
    : target_(std::move(target)), system_(system), options_(options) {
  try_folder(target_.folder);
  lock_ = std::make_unique<FolderLock>(target_.folder);
  try {
    start_files(scene);
  } catch (...) {
    remove_partial();
    throw;
  }
}

void RunWriter::start_files(const InputFile& scene) {
  const fs::path partial = fs::path(target_.folder) / kPartialFolder;
  std::error_code code;
  fs::remove_all(partial, code);  // of a run that was killed
  fs::create_directory(partial, code);
  if (code) throw FileError(fmt::format("{}: {}", partial.string(), code.message()));
  scene_ = copy_named_files(scene, partial.string()).dump();
  save_text(path("scene.yaml"), scene_);
  table_ = make_recording(system_);
  const auto has = [&](const char* format) {
    return options_.interval > 0 && std::find(target_.formats.begin(), target_.formats.end(),
                                              format) != target_.formats.end();
  };
  keeps_rows_ = has("sto");
  if (has("csv")) csv_ = std::make_unique<CsvStream>(path("recording.csv"), table_.columns);
  if (has("h5")) h5_ = std::make_unique<Hdf5Stream>(path("recording.h5"), table_.columns);
  for (const MapOptions& map : options_.maps) {
    const std::string name = make_map_file_name(map);
    maps_.push_back(
        {name, std::make_unique<MapStream>(path(name + ".h5"), map),
         std::make_unique<CsvStream>(path(name + ".csv"), make_map_table(map).columns)});
  }
  checkpoints_ = std::make_unique<CheckpointFile>(path("checkpoints.jsonl"));
}

RunWriter::~RunWriter() {
  if (!has_begun_) remove_partial();
}

void RunWriter::remove_partial() const {
  std::error_code code;
  fs::remove_all(fs::path(target_.folder) / kPartialFolder, code);
}

std::string RunWriter::path(const std::string& name) const {
  return (fs::path(target_.folder) / kPartialFolder / name).string();
}

void RunWriter::on_row(double t, const std::vector<double>& values) {
  hash_.add(t, values.data(), values.size());
  ++rows_;
  has_begun_ = true;
  if (csv_) csv_->add_row(t, values.data());
  if (h5_) h5_->add_row(t, values.data());
  if (!keeps_rows_) return;
  table_.times.push_back(t);
  table_.values.insert(table_.values.end(), values.begin(), values.end());
}

void RunWriter::add_map_frame(size_t map, double t, const std::vector<double>& pressure,
                              const std::vector<double>& sums) {
  has_begun_ = true;
  maps_[map].h5->add_frame(t, pressure, sums);
  maps_[map].csv->add_row(t, sums.data());
}

void RunWriter::flush() {
  for (MapFiles& map : maps_) {
    map.h5->flush();
    map.csv->flush();
  }
  if (csv_) csv_->flush();
  if (h5_) h5_->flush();
}

// Rows first: a state to go on from has those before it.
void RunWriter::on_checkpoint(const Checkpoint& checkpoint) {
  has_begun_ = true;
  flush();
  checkpoints_->add(checkpoint, true);
}

void RunWriter::on_pulse(const RunResult& so_far, const Checkpoint& now) {
  has_begun_ = true;
  flush();
  checkpoints_->add(now, false);
  auto summary = summarise(so_far);
  summary["completed"] = false;
  summary["running"] = true;
  summary.erase("hash");  // more rows follow
  save_text(path("summary.json"), summary.dump(2) + "\n");
}

nlohmann::ordered_json RunWriter::summarise(const RunResult& result) const {
  auto summary = make_summary(system_, options_, result);
  summary["rows"] = rows_;
  summary["hash"] = hash_.text();
  for (const auto& [key, value] : notes_.items()) summary[key] = value;
  return summary;
}

nlohmann::ordered_json RunWriter::finish(const RunResult& result) {
  has_begun_ = true;
  if (csv_) csv_->close();
  if (h5_) h5_->close();
  for (MapFiles& map : maps_) {
    map.h5->close();
    map.csv->close();
  }
  checkpoints_->close();
  if (keeps_rows_ && table_.rows() > 0) save_sto(path("recording.sto"), table_);
  auto summary = summarise(result);
  save_text(path("summary.json"), summary.dump(2) + "\n");
  const fs::path folder(target_.folder);
  clear_earlier_run(target_.folder, scene_);
  std::vector<std::string> names = {"checkpoints.jsonl", "scene.yaml", "summary.json"};
  for (const char* format : {"csv", "h5", "sto"}) {
    const std::string name = fmt::format("recording.{}", format);
    fs::remove(folder / name);  // of an earlier run: it does not belong to this summary
    if (rows_ > 0 && fs::exists(path(name))) names.insert(names.begin(), name);
  }
  fs::remove(folder / "report.html");
  fs::remove_all(folder / kNamedFilesFolder);
  if (fs::exists(path(kNamedFilesFolder))) names.insert(names.begin(), kNamedFilesFolder);
  remove_earlier_maps(folder);
  for (const MapFiles& map : maps_) {
    names.insert(names.begin(), {map.name + ".csv", map.name + ".h5"});
  }
  for (const std::string& name : names) fs::rename(path(name), folder / name);
  fs::remove_all(folder / kPartialFolder);
  lock_.reset();
  return summary;
}

}  // namespace vesica
