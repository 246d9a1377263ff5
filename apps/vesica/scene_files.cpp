#include "apps/vesica/scene_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace vesica::app {

namespace fs = std::filesystem;

namespace {

// A folder of the data that come along: under $VESICA_DATA, or beside the tool.
fs::path data_folder(const char* name) {
  if (const char* data = std::getenv("VESICA_DATA")) return fs::path(data) / name;
  std::error_code code;
  const fs::path tool = fs::read_symlink("/proc/self/exe", code).parent_path();
  for (const char* relative : {"../share/vesica", "../.."}) {
    fs::path folder = (tool / relative / name).lexically_normal();
    if (fs::is_directory(folder, code)) return folder;
  }
  return {};
}

}  // namespace

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

std::string find_input(const std::string& name) {
  std::error_code code;
  if (fs::exists(name, code)) return name;
  for (const fs::path& folder : {scenes_folder(), marker_models_folder()}) {
    if (folder.empty() || name.find('/') != std::string::npos) continue;
    const fs::path scene = folder / (name + (fs::path(name).extension() == ".yaml" ? "" : ".yaml"));
    if (fs::exists(scene, code)) return scene.string();
  }
  throw InputError(fmt::format(
      "{}: there is no such file, and no scene of that name comes with Vesica (see: vesica list)",
      name));
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
  std::sort(entries.begin(), entries.end(),
            [](const SceneEntry& a, const SceneEntry& b) { return a.name < b.name; });
  return entries;
}

}  // namespace vesica::app
