#include "tests/app/tool.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace vesica::test {
namespace fs = std::filesystem;

namespace {
std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}
}  // namespace

Workspace::Workspace() {
  std::string pattern = (fs::temp_directory_path() / "vesica_test_XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
}
Workspace::~Workspace() {
  std::error_code code;
  fs::remove_all(folder_, code);
}

std::string Workspace::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}
std::string Workspace::read(const std::string& name) const { return read_file(path(name)); }

std::vector<std::string> Workspace::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    const std::string name = fs::relative(entry.path(), folder_).string();
    if (!name.starts_with(".")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Outcome Workspace::run(const std::string& arguments) const {
  const std::string command =
      fmt::format("cd '{}' && '{}' {} >.out 2>.err </dev/null", folder_, VESICA_TOOL, arguments);
  const int status = std::system(command.c_str());
  Outcome outcome;
  // A signal is a crash, never an exit status.
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.out = read(".out");
  outcome.err = read(".err");
  return outcome;
}

std::string CaseText::text() const {
  return fmt::format(
      "vesica: 1\n"
      "bodies:\n"
      "  i:\n"
      "    shape: {}\n"
      "    pose: {}\n"
      "    velocity: {}\n"
      "  j:\n"
      "    shape: {}\n"
      "contact:\n"
      "  normal: {}\n"
      "  friction: {}\n"
      "{}",
      shape_i, pose_i, velocity_i, shape_j, normal, friction, more);
}

}  // namespace vesica::test
