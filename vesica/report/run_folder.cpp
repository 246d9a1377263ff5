#include "vesica/report/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "vesica/io/csv.h"
#include "vesica/io/file_error.h"
#include "vesica/io/text_input.h"
#include "vesica/simulation/recording.h"
#include "vesica/simulation/recording_hdf5.h"

namespace vesica {
namespace {

namespace fs = std::filesystem;

std::string file_in(const std::string& folder, const char* name, const std::string& remedy) {
  const fs::path path = fs::path(folder) / name;
  std::error_code code;
  if (!fs::is_regular_file(path, code)) {
    throw FileError(fmt::format("{}: there is no such file; {}", path.string(), remedy));
  }
  return path.string();
}

nlohmann::ordered_json load_summary(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  try {
    auto json = nlohmann::ordered_json::parse(text);
    for (const char* key : {"solver", "energy", "final_state", "contacts"}) {
      // A scene without contacts has null here.
      if (!json.is_object() || !json.contains(key) ||
          !(json[key].is_object() || json[key].is_null())) {
        throw InputError(fmt::format(
            "{}: expected an object '{}', as vesica simulate writes it; run the scene again", path,
            key));
      }
    }
    return json;
  } catch (const nlohmann::json::parse_error& error) {
    const size_t byte = std::min(error.byte, text.size());
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte), '\n');
    throw InputError(fmt::format(
        "{}:{}: this is not JSON (truncated?); expected the summary that vesica simulate writes; "
        "run the scene again",
        path, line));
  }
}

std::vector<std::string> find_mismatches(const RunFolder& run) {
  std::vector<std::string> findings;
  const auto gaps = std::count_if(run.recording.values.begin(), run.recording.values.end(),
                                  [](double v) { return !std::isfinite(v); });
  if (run.summary.contains("running")) {
    findings.push_back(fmt::format(
        "The run has not ended: it is still going, or it was killed. This is what it had written. "
        "To go on: vesica simulate --from {}{}",
        run.folder, explain_earlier_run(run.folder)));
  }
  if (const auto from = run.summary.find("continued"); from != run.summary.end()) {
    findings.push_back(fmt::format(
        "The run goes on from {} at {:.9g} s: {}.", from->value("run", std::string("another")),
        from->value("time", 0.0), from->value("counted", std::string("events are those since"))));
  }
  if (gaps > 0) {
    findings.push_back(fmt::format(
        "{} values of the recording are missing or not a number; they show as gaps.", gaps));
  }
  const auto hash = run.summary.find("hash");
  if (hash != run.summary.end() && hash->is_string() &&
      hash->get<std::string>() != calc_hash(run.recording)) {
    findings.push_back(
        "The recording is not the one that summary.json was written with (their hashes differ): "
        "figures and plots may not belong together. Run the scene again.");
  }
  return findings;
}

}  // namespace

bool RunFolder::has(const std::string& name) const {
  return recording.find(name) < recording.columns.size();
}

std::vector<double> RunFolder::column(const std::string& name) const {
  const size_t index = recording.find(name);
  if (index == recording.columns.size()) {
    throw InputError(
        fmt::format("{}: the recording has no column '{}', which summary.json asks for; the "
                    "files are not of "
                    "one run: run the scene again",
                    folder, name));
  }
  return recording.column(index);
}

std::string find_run_folder(const std::string& folder) {
  std::error_code code;
  if (!fs::is_directory(folder, code)) {
    throw FileError(fmt::format(
        "{}: there is no such folder; expected one that vesica simulate wrote (vesica simulate "
        "bouncing_ball writes out/bouncing_ball)",
        folder));
  }
  const fs::path partial = fs::path(folder) / kPartialFolder;
  return fs::is_directory(partial, code) ? partial.string() : folder;
}

std::string explain_earlier_run(const std::string& folder) {
  const fs::path path(folder);
  std::error_code code;
  if (path.filename() != kPartialFolder || !fs::exists(path.parent_path() / "summary.json", code)) {
    return "";
  }
  return fmt::format("; an earlier run, which ended, is in {}: to use that, remove {}",
                     path.parent_path().string(), folder);
}

std::string explain_partial(const std::string& given, const std::string& folder) {
  if (folder == given) return "";
  return fmt::format(
      "note: {}: its last run has not ended: it is still going, or it was killed; what it left in "
      "{} is used{}\n",
      given, folder, explain_earlier_run(folder));
}

std::string find_run_recording(const std::string& folder) {
  for (const char* name : {"recording.csv", "recording.h5"}) {
    const fs::path path = fs::path(folder) / name;
    std::error_code code;
    if (fs::is_regular_file(path, code)) return path.string();
  }
  return "";
}

namespace {

TimeTable load_recording(const std::string& path) {
  if (path.ends_with(".h5")) return load_hdf5(path);
  if (fs::path(path).parent_path().filename() != kPartialFolder) return load_csv(path).analog;
  // A program that was killed may have been in the middle of a line.
  std::ifstream stream = open_input(path);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  text.erase(text.rfind('\n') + 1);
  std::istringstream whole(text);
  return read_csv(whole, path).analog;
}

}  // namespace

RunFolder load_run_folder(const std::string& given) {
  const std::string folder = find_run_folder(given);
  const std::string remedy = folder == given
                                 ? "a run folder comes from vesica simulate SCENE --out FOLDER"
                                 : "the run was killed before it left one, or has just begun" +
                                       explain_earlier_run(folder);
  const std::string summary = file_in(folder, "summary.json", remedy);
  std::string recording = find_run_recording(folder);
  if (recording.empty()) {
    recording = file_in(folder, "recording.csv",
                        "simulate with --format csv or h5 and an output interval above zero");
  }
  const std::string scene = file_in(folder, "scene.yaml", "run the scene again to get it");
  RunFolder run{
      folder, load_summary(summary), load_recording(recording), InputFile::load(scene), {}};
  run.findings = find_mismatches(run);
  return run;
}

}  // namespace vesica
