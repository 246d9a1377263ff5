#include "vesica/report/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "vesica/io/file_error.h"

namespace vesica {
namespace {

namespace fs = std::filesystem;

void add_named_files(const InputNode& node, std::vector<InputNode>* files) {
  if (node.is_list()) {
    for (const InputNode& item : node.items()) add_named_files(item, files);
  }
  if (!node.is_map()) return;
  for (const auto& [key, value] : node.entries()) {
    if (key == "file" && value.is_scalar()) {
      files->push_back(value);
    } else {
      add_named_files(value, files);
    }
  }
}

// A name that no other file has: mesh.stl, mesh_2.stl, ...
std::string choose_name(const fs::path& source, const std::map<std::string, std::string>& taken) {
  const std::string stem = source.stem().string(), extension = source.extension().string();
  std::string name = stem + extension;
  const auto is_taken = [&] {
    return std::any_of(taken.begin(), taken.end(),
                       [&](const auto& entry) { return entry.second == name; });
  };
  for (int k = 2; is_taken(); ++k) name = fmt::format("{}_{}{}", stem, k, extension);
  return name;
}

}  // namespace

std::vector<InputNode> list_named_files(const InputFile& input) {
  std::vector<InputNode> files;
  add_named_files(input.root(), &files);
  return files;
}

std::string find_named_file(const InputFile& input, const std::string& name) {
  const fs::path path(name);
  return path.is_absolute()
             ? name
             : fs::absolute(fs::path(input.folder()) / path).lexically_normal().string();
}

InputFile copy_named_files(const InputFile& scene, const std::string& folder) {
  const std::vector<InputNode> names = list_named_files(scene);
  if (names.empty()) return scene;
  InputFile copied = InputFile::parse(scene.dump(), scene.name());
  const fs::path target = fs::path(folder) / kNamedFilesFolder;
  std::error_code code;
  fs::create_directories(target, code);
  if (code) throw FileError(fmt::format("{}: {}", target.string(), code.message()));
  std::map<std::string, std::string> taken;  // source to name
  for (const InputNode& node : names) {
    const std::string source = find_named_file(scene, node.text());
    const auto [entry, is_new] = taken.try_emplace(source);
    if (is_new) {
      entry->second = choose_name(source, taken);
      fs::copy_file(source, target / entry->second, fs::copy_options::overwrite_existing, code);
      if (code) {
        throw FileError(
            fmt::format("{}: cannot be copied to {}: {}", source, target.string(), code.message()));
      }
    }
    copied.set(node.path(),
               nlohmann::json(fmt::format("{}/{}", kNamedFilesFolder, entry->second)).dump());
  }
  return copied;
}

bool have_same_content(const std::string& one, const std::string& other) {
  std::error_code code;
  if (fs::equivalent(one, other, code)) return true;
  std::ifstream a(one, std::ios::binary), b(other, std::ios::binary);
  if (!a || !b) return false;
  using Bytes = std::istreambuf_iterator<char>;
  return std::equal(Bytes(a), Bytes(), Bytes(b), Bytes());
}

}  // namespace vesica
