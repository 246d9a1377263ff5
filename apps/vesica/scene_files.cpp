#include "apps/vesica/scene_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "vesica/io/file_error.h"
#include "vesica/io/marker_map.h"
#include "vesica/io/unknown_word.h"
#include "vesica/report/run_files.h"

namespace vesica::app {

namespace fs = std::filesystem;

namespace {

// Where the data that come along may be: $VESICA_DATA, or beside the tool.
std::vector<fs::path> data_folders() {
  if (const char* data = std::getenv("VESICA_DATA")) return {data};
  std::error_code code;
  const fs::path tool = fs::read_symlink("/proc/self/exe", code).parent_path();
  return {(tool / "../share/vesica").lexically_normal(), (tool / "../..").lexically_normal()};
}

// A folder of them; empty where there is none.
fs::path data_folder(const char* name) {
  std::error_code code;
  for (const fs::path& data : data_folders()) {
    if (fs::is_directory(data / name, code)) return data / name;
  }
  return {};
}

std::string explain_no_data() {
  std::string places;
  for (const fs::path& data : data_folders()) {
    places += fmt::format("{}{}", places.empty() ? "" : ", ", data.string());
  }
  return fmt::format(
      "the scenes that come with Vesica are not found in {}; set VESICA_DATA to the folder that "
      "holds scenes/ and studies/",
      places);
}

std::string describe_node(const std::optional<InputNode>& node) {
  if (!node) return "nothing";
  return node->is_map() ? "a mapping" : node->is_list() ? "a list" : node->text();
}

std::string compare_nodes(const std::string& path, const std::optional<InputNode>& one,
                          const std::optional<InputNode>& other) {
  const bool both = one && other;
  if (both && one->is_map() && other->is_map()) {
    std::vector<std::string> keys;
    for (const auto& entry : one->entries()) keys.push_back(entry.first);
    for (const auto& entry : other->entries()) keys.push_back(entry.first);
    for (const std::string& key : keys) {
      static constexpr std::string_view kFree[] = {"title", "description", "duration", "output"};
      if (path.empty() && std::find(std::begin(kFree), std::end(kFree), key) != std::end(kFree)) {
        continue;
      }
      const std::string found =
          compare_nodes(path.empty() ? key : path + "." + key, one->find(key), other->find(key));
      if (!found.empty()) return found;
    }
    return "";
  }
  if (both && one->is_list() && other->is_list() && one->size() == other->size()) {
    for (size_t k = 0; k < one->size(); ++k) {
      const std::string found =
          compare_nodes(fmt::format("{}.{}", path, k), one->at(k), other->at(k));
      if (!found.empty()) return found;
    }
    return "";
  }
  const bool scalars = both && one->is_scalar() && other->is_scalar();
  if (scalars && one->text() == other->text()) return "";
  // A run has copies of the files that its scene names.
  if (scalars && path.ends_with(".file") && have_same_content(one->text(), other->text()))
    return "";
  return fmt::format("{}: {} in the run, {} here", path, describe_node(one), describe_node(other));
}

}  // namespace

void make_self_contained(InputFile* file) {
  for (const InputNode& name : list_named_files(*file)) {
    const std::string path = find_named_file(*file, name.text());
    if (path != name.text()) file->set(name.path(), nlohmann::json(path).dump());
  }
}

std::string find_difference(const InputFile& one, const InputFile& other) {
  return compare_nodes("", one.root(), other.root());
}

void apply_settings(const std::vector<std::string>& settings, InputFile* file) {
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError(fmt::format("--set {}: expected path=value", setting));
    }
    file->set(setting.substr(0, equals), setting.substr(equals + 1));
  }
}

fs::path scenes_folder() { return data_folder("scenes"); }
fs::path marker_models_folder() { return data_folder("studies/markers"); }
fs::path studies_folder() { return data_folder("studies"); }

fs::path forces_folder() { return data_folder("studies/forces"); }

fs::path marker_maps_folder() { return data_folder("studies/markers/maps"); }

namespace {

// Of everything that comes along and can be named on the command line.
std::vector<std::string> list_input_names() {
  std::vector<std::string> names;
  std::error_code code;
  for (const fs::path& folder :
       {scenes_folder(), marker_models_folder(), marker_maps_folder(), studies_folder()}) {
    for (const auto& file : fs::directory_iterator(folder, code)) {
      if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
    }
  }
  return names;
}

}  // namespace

std::string find_input(const std::string& name) {
  std::error_code code;
  const bool is_folder = fs::is_directory(name, code);
  if (fs::exists(name, code) && !is_folder) return name;
  for (const fs::path& folder : {scenes_folder(), marker_models_folder(), marker_maps_folder(),
                                 studies_folder(), forces_folder()}) {
    if (folder.empty() || name.find('/') != std::string::npos) continue;
    const fs::path scene = folder / (name + (fs::path(name).extension() == ".yaml" ? "" : ".yaml"));
    if (fs::exists(scene, code)) return scene.string();
  }
  if (is_folder) return name;  // the reader says what it is
  if (scenes_folder().empty()) {
    throw FileError(fmt::format("{}: there is no such file, and {}", name, explain_no_data()));
  }
  const std::vector<std::string> names = list_input_names();
  const std::string_view nearest =
      find_nearest_word(fs::path(name).stem().string(), {names.begin(), names.end()});
  throw FileError(fmt::format(
      "{}: there is no such file, and nothing of that name comes with Vesica{} (see: vesica list)",
      name, nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

std::string choose_out_folder(const std::string& input) {
  const std::string name = fs::path(input).stem().string();
  if (name.find_first_not_of('.') == std::string::npos) {  // out/.. is elsewhere
    throw InputError(fmt::format(
        "{}: its name gives no folder for what is written; choose one with --out", input));
  }
  return "out/" + name;
}

std::vector<SceneEntry> list_scenes() {
  std::vector<SceneEntry> entries;
  std::error_code code;
  for (const auto& file : fs::directory_iterator(scenes_folder(), code)) {
    if (file.path().extension() != ".yaml") continue;
    const InputFile input = InputFile::load(file.path().string());
    const auto title = input.root().find("title");
    entries.push_back({file.path().stem().string(),
                       input.root().find("contact") ? "probe" : "simulate",
                       title ? title->text() : ""});
  }
  for (const auto& file : fs::directory_iterator(marker_models_folder(), code)) {
    if (file.path().extension() != ".yaml") continue;
    const InputFile input = InputFile::load(file.path().string());
    const auto study = input.root().find("study");
    entries.push_back({file.path().stem().string(), "markers",
                       study ? study->text() : input.root().at("model").text()});
  }
  for (const auto& file : fs::directory_iterator(studies_folder(), code)) {
    if (file.path().extension() != ".yaml") continue;
    const InputFile input = InputFile::load(file.path().string());
    const auto title = input.root().find("title");
    const bool is_fit = input.root().find("type").has_value();  // of a bench experiment, of a foot
    entries.push_back(
        {file.path().stem().string(), is_fit ? "identify" : "study", title ? title->text() : ""});
  }
  for (const auto& file : fs::directory_iterator(forces_folder(), code)) {
    if (file.path().extension() != ".yaml") continue;
    const InputFile input = InputFile::load(file.path().string());
    const auto title = input.root().find("forces_population");
    entries.push_back({file.path().stem().string(), "forces", title ? title->text() : ""});
  }
  for (const auto& file : fs::directory_iterator(marker_maps_folder(), code)) {
    if (file.path().extension() != ".yaml") continue;
    const InputFile input = InputFile::load(file.path().string());
    entries.push_back(
        {file.path().stem().string(), "--map", "marker names: " + read_marker_map(input).title});
  }
  if (entries.empty()) throw FileError(explain_no_data());
  std::sort(entries.begin(), entries.end(),
            [](const SceneEntry& a, const SceneEntry& b) { return a.name < b.name; });
  return entries;
}

}  // namespace vesica::app
