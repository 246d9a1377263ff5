// Files for the tests of this folder.
#pragma once

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "tests/support/support.h"

namespace vesica::test {

// A folder that is gone at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    folder_ = std::filesystem::temp_directory_path() /
              ("vesica_io_" + std::to_string(std::random_device{}()));
    std::filesystem::create_directories(folder_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

// All recordings with one of the extensions, in order of their names; none where the folder is
// absent.
inline std::vector<std::filesystem::path> shared_files(
    std::initializer_list<const char*> extensions) {
  std::vector<std::filesystem::path> result;
  if (!std::filesystem::exists(shared_data())) return result;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shared_data())) {
    const std::string extension = entry.path().extension().string();
    if (std::find(extensions.begin(), extensions.end(), extension) != extensions.end()) {
      result.push_back(entry.path());
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace vesica::test
