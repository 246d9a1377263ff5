#include "vesica/studies/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "vesica/io/output_file.h"
#include "vesica/io/sha256.h"
#include "vesica/studies/journal.h"

namespace vesica::studies {
namespace {

namespace fs = std::filesystem;
using ManifestJson = nlohmann::ordered_json;

constexpr std::string_view kWithoutEffect[] = {"title", "description", "best", "keep",
                                               "time_limit"};

std::string describe(const std::optional<InputNode>& node) {
  return node ? node->dump() : "nothing";
}

void compare(const std::string& path, const std::optional<InputNode>& there,
             const std::optional<InputNode>& here, std::vector<std::string>* lines) {
  if (there && here && there->is_map() && here->is_map()) {
    std::vector<std::string> keys;
    for (const auto& entry : there->entries()) keys.push_back(entry.first);
    for (const auto& entry : here->entries()) {
      if (std::find(keys.begin(), keys.end(), entry.first) == keys.end())
        keys.push_back(entry.first);
    }
    for (const std::string& key : keys) {
      const bool is_free =
          path.empty() && std::find(std::begin(kWithoutEffect), std::end(kWithoutEffect), key) !=
                              std::end(kWithoutEffect);
      if (!is_free) {
        compare(path.empty() ? key : path + "." + key, there->find(key), here->find(key), lines);
      }
    }
    return;
  }
  const std::string a = describe(there), b = describe(here);
  if (a != b) lines->push_back(fmt::format("{}: {} there, {} here", path, a, b));
}

// What rows depend on, as text: keys that have no effect are left out.
std::string make_essence(const Study& study) {
  std::string text;
  for (const auto& [key, node] : study.file.root().entries()) {
    if (std::find(std::begin(kWithoutEffect), std::end(kWithoutEffect), key) !=
        std::end(kWithoutEffect)) {
      continue;
    }
    text += key + ": " + node.dump() + "\n";
  }
  return text;
}

ManifestJson make_manifest(const Study& study, const std::string& version) {
  ManifestJson json;
  json["vesica"] = version;
  json["study"] = study.file.name();
  json["command"] = name_of(study.command);
  json["runs"] = study.runs();
  json["hash"] = calc_study_hash(study, version);
  json["inputs"] = ManifestJson::array();
  for (const StudyInput& input : study.inputs) {
    json["inputs"].push_back(
        {{"name", input.name}, {"path", input.path}, {"sha256", input.sha256}});
  }
  return json;
}

}  // namespace

std::string calc_study_hash(const Study& study, const std::string& version) {
  std::string all = version + "\n" + make_essence(study);
  for (const StudyInput& input : study.inputs) {
    all += fmt::format("{} {}\n", input.sha256, input.name);
  }
  return calc_sha256(all).substr(0, 16);
}

std::vector<std::string> list_differences(const InputFile& there, const InputFile& here) {
  std::vector<std::string> lines;
  compare("", there.root(), here.root(), &lines);
  return lines;
}

void settle_folder(const Study& study, const std::string& version, const std::string& folder) {
  const std::string manifest_path = (fs::path(folder) / "manifest.json").string();
  const std::string study_path = (fs::path(folder) / "study.yaml").string();
  std::error_code code;
  if (!fs::exists(manifest_path, code)) {
    save_text(study_path, study.file.dump() + "\n");
    sync_file(study_path);
    save_text(manifest_path, make_manifest(study, version).dump(2) + "\n");
    sync_file(manifest_path);  // before the first journal, which is nothing without it
    return;
  }
  std::ifstream stream(manifest_path);
  const auto noted = ManifestJson::parse(stream, nullptr, false);
  if (!noted.is_object() || !noted.contains("hash") || !noted["hash"].is_string()) {
    throw InputError(
        fmt::format("{}: is no manifest of a study; give another folder (--out)", manifest_path));
  }
  if (noted["hash"] == calc_study_hash(study, version)) return;
  std::vector<std::string> lines;
  if (noted.value("vesica", "") != version) {
    lines.push_back(fmt::format("version: {} there, {} here", noted.value("vesica", ""), version));
  }
  if (fs::exists(study_path, code)) {
    for (std::string& line : list_differences(InputFile::load(study_path), study.file)) {
      lines.push_back(std::move(line));
    }
  }
  for (const StudyInput& input : study.inputs) {
    bool is_known = false;
    for (const auto& other : noted["inputs"]) {
      if (other.value("name", "") != input.name) continue;
      is_known = true;
      if (other.value("sha256", "") != input.sha256) {
        lines.push_back(fmt::format("{}: sha256 {} there, {} here", input.path,
                                    other.value("sha256", "").substr(0, 16),
                                    input.sha256.substr(0, 16)));
      }
    }
    if (!is_known) lines.push_back(fmt::format("{}: not an input there", input.path));
  }
  throw InputError(
      fmt::format("{}: holds runs of another study; their rows would not belong together:\n  {}\n"
                  "take back the change, or give another folder with --out",
                  folder, fmt::join(lines, "\n  ")));
}

}  // namespace vesica::studies
