// What tests of `vesica study` share.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace vesica::test {

inline constexpr char kWork[] =
    "vesica: 1\nof: {function: work, set: {seconds: 4 ms}}\n"
    "design: {method: monte_carlo, runs: 200}\nvary:\n  x: {low: 0, high: 1}\noutputs: {y: y}\n";

// Of all journals: how often a run was finished.
inline std::vector<int> count_lines(const std::string& folder, size_t runs) {
  std::vector<int> count(runs, 0);
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/journals", code)) {
    std::ifstream stream(entry.path());
    std::string line;
    while (std::getline(stream, line) && !stream.eof()) {
      if (line.ends_with("\"begun\"]") || line.ends_with("\"left\"]")) continue;
      const size_t run = std::stoul(line.substr(line.find('[') + 1));
      if (run < runs) ++count[run];
    }
  }
  return count;
}

// Lines of all journals that end so: how often a run was begun, or left.
inline int count_notes(const std::string& folder, const std::string& word) {
  int count = 0;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/journals", code)) {
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);)
      count += line.ends_with("\"" + word + "\"]");
  }
  return count;
}

// Null: it is not installed. Open MPI leaks, which is none of ours where leaks are looked for.
inline const char* find_mpirun() {
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  return std::system("command -v mpirun >/dev/null 2>&1") == 0
             ? "mpirun --oversubscribe --bind-to none"
             : nullptr;
}

}  // namespace vesica::test
