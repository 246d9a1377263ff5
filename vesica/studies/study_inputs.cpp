// Files that the runs of a study depend on, and whether they are still what they were.
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "vesica/io/file_error.h"
#include "vesica/io/output_file.h"
#include "vesica/io/sha256.h"
#include "vesica/studies/execute.h"
#include "vesica/studies/study_parts.h"

namespace vesica::studies {
namespace {

namespace fs = std::filesystem;

// Every word of the input that is the name of a file there.
void list_files(const InputNode& node, const std::string& folder, std::set<std::string>* paths) {
  if (node.is_map()) {
    for (const auto& [key, value] : node.entries()) list_files(value, folder, paths);
  } else if (node.is_list()) {
    for (const InputNode& item : node.items()) list_files(item, folder, paths);
  } else if (node.is_scalar()) {
    const std::string text = node.text();
    if (text.empty() || text.size() > 4096 || text.find('\n') != std::string::npos) return;
    const std::string path = resolve_path(folder, text);
    std::error_code code;
    if (fs::is_regular_file(path, code)) paths->insert(path);
  }
}

// When and how long: of a file that has not been written to since, all of it is the same.
struct FileStamp {
  std::int64_t modified = 0, modified_ns = 0, changed = 0, changed_ns = 0, size = -1;
  bool operator==(const FileStamp&) const = default;
};

FileStamp read_stamp(const std::string& path) {
  struct stat s = {};
  if (stat(path.c_str(), &s) != 0) return {};
  return {s.st_mtim.tv_sec, s.st_mtim.tv_nsec, s.st_ctim.tv_sec, s.st_ctim.tv_nsec, s.st_size};
}

// As it is now; read only where its stamp is another than the last time.
std::string find_sha256(const std::string& path) {
  struct Known {
    FileStamp stamp;
    std::string sha256;
  };
  static std::mutex guard;
  static std::map<std::string, Known> all;
  const std::lock_guard lock(guard);
  const FileStamp stamp = read_stamp(path);  // first, so that what is written meanwhile is seen
  Known& known = all[path];
  if (known.sha256.empty() || stamp != known.stamp) known = {stamp, calc_file_sha256(path)};
  return known.sha256;
}

}  // namespace

void hash_inputs(Study* study) {
  std::set<std::string> paths;
  if (study->command != Command::kFunction) {
    paths.insert(study->input_path);
    const RunInput input = make_run_input(*study, {});
    if (fs::path(study->input_path).extension() != ".osim") {
      list_files(input.file.root(), input.file.folder(), &paths);
    }
    if (input.options) list_files(input.options->root(), input.options->folder(), &paths);
    // Files that factors name are beside the input, recordings of markers beside the study.
    if (const auto vary = study->file.root().find("vary")) {
      list_files(*vary, input.file.folder(), &paths);
      if (input.options) list_files(*vary, input.options->folder(), &paths);
    }
  }
  for (const Fold& fold : study->folds) {
    paths.insert(fold.train.begin(), fold.train.end());
    paths.insert(fold.test.begin(), fold.test.end());
  }
  for (const std::string& path : paths) {
    study->inputs.push_back({fs::path(path).filename().string(), path, find_sha256(path)});
  }
}

void check_inputs(const Study& study) {
  for (const StudyInput& input : study.inputs) {
    std::string now;
    try {
      now = find_sha256(input.path);
    } catch (const FileError& error) {
      throw FileError(
          fmt::format("{}; it was there when the study began: put it back, and the same "
                      "command goes on",
                      error.what()));
    }
    if (now == input.sha256) continue;
    throw InputError(fmt::format(
        "{}: has changed while the study ran (sha256 {} when it began, {} now); its rows would not "
        "belong together: take back the change, and the same command goes on, or give another "
        "folder with --out",
        input.path, input.sha256.substr(0, 16), now.substr(0, 16)));
  }
}

}  // namespace vesica::studies
