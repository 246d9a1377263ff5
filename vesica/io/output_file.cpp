#include "vesica/io/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <random>
#include <set>

#include "vesica/io/file_error.h"

namespace vesica {
namespace {

// Names that a signal handler can read: no allocation, no lock. More files at once than there is
// room for are written all the same; only a signal would leave them behind.
constexpr size_t kLongestName = 4096;
struct AsideName {
  enum State { kFree, kTaken, kReady };
  std::atomic<int> state{kFree};
  char name[kLongestName];
};
std::array<AsideName, 16> g_aside_names;

std::mutex g_written_mutex;
std::set<std::string> g_written;  // paths, as they were given

int remember_aside(const std::string& name) {
  if (name.size() >= kLongestName) return -1;
  for (size_t k = 0; k < g_aside_names.size(); ++k) {
    int expected = AsideName::kFree;
    if (!g_aside_names[k].state.compare_exchange_strong(expected, AsideName::kTaken)) continue;
    std::memcpy(g_aside_names[k].name, name.c_str(), name.size() + 1);
    g_aside_names[k].state = AsideName::kReady;
    return static_cast<int>(k);
  }
  return -1;
}

// A process's number alone may be another's too: on another machine, or in another container.
std::string make_aside_name(const std::string& path) {
  static const auto kSalt = [] {
    std::random_device device;
    return std::array<unsigned, 2>{device(), device()};
  }();
  return fmt::format("{}.{}-{:08x}{:08x}.part", path, getpid(), kSalt[0], kSalt[1]);
}

void make_parent(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return;
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) {
    throw FileError(
        fmt::format("{}: the folder cannot be made: {}", folder.string(), code.message()));
  }
}

void write_bytes(const AsideFile& file, std::string_view text) {
  std::FILE* stream = std::fopen(file.aside().c_str(), "wb");
  if (!stream) file.fail(errno);
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  int reason = errno;
  if (std::fclose(stream) != 0 && written) reason = errno;
  if (!written || reason != 0) file.fail(reason);
}

}  // namespace

AsideFile::AsideFile(std::string path) : path_(std::move(path)), aside_(make_aside_name(path_)) {
  make_parent(path_);
  slot_ = remember_aside(aside_);
}

AsideFile::~AsideFile() {
  if (!committed_) ::unlink(aside_.c_str());
  if (slot_ >= 0) g_aside_names[static_cast<size_t>(slot_)].state = AsideName::kFree;
}

void AsideFile::fail(int error_number) const {
  throw FileError(
      fmt::format("{}: cannot be written: {}", path_,
                  error_number != 0 ? std::strerror(error_number) : "is the disk full?"));
}

void AsideFile::commit() {
  std::error_code code;
  std::filesystem::rename(aside_, path_, code);
  if (code) throw FileError(fmt::format("{}: cannot be written: {}", path_, code.message()));
  committed_ = true;
  const std::lock_guard<std::mutex> guard(g_written_mutex);
  g_written.insert(path_);
}

std::set<std::string> list_written_files() {
  const std::lock_guard<std::mutex> guard(g_written_mutex);
  return g_written;
}

void remove_aside_files() noexcept {
  for (const AsideName& aside : g_aside_names) {
    if (aside.state == AsideName::kReady) ::unlink(aside.name);
  }
}

std::string path_within(const std::string& folder, const std::string& name,
                        const std::string& what) {
  constexpr size_t kLongest = 200;  // file systems take 255 bytes, and endings are added
  if (name.empty() || name == "." || name == ".." || name.size() > kLongest ||
      name.find_first_of(std::string_view("/\\\0\n", 4)) != std::string::npos) {
    throw InputError(fmt::format(
        "{} '{}' becomes the name of a file: it cannot be empty, '.' or '..', have slashes or line "
        "breaks, or be longer than {} bytes",
        what, name.substr(0, 60), kLongest));
  }
  return (std::filesystem::path(folder) / name).string();
}

namespace {

// Size and time of a file: whether it is still as it was written.
std::string describe_state(const std::filesystem::path& path) {
  std::error_code code;
  const auto size = std::filesystem::file_size(path, code);
  if (code) return {};
  const auto time = std::filesystem::last_write_time(path, code);
  return code ? std::string() : fmt::format("{} {}", size, time.time_since_epoch().count());
}

}  // namespace

void remove_earlier_files(const std::string& folder, const std::string& command) {
  namespace fs = std::filesystem;
  const fs::path list = fs::path(folder) / (".written_by_" + command);
  std::set<std::string> now;
  for (const std::string& path : list_written_files()) {
    const fs::path relative = fs::path(path).lexically_relative(folder);
    if (!relative.empty() && *relative.begin() != "..") now.insert(relative.string());
  }
  // A line: size, time, name.
  std::ifstream stream(list);
  for (std::string line; std::getline(stream, line);) {
    const size_t second = line.find(' ', line.find(' ') + 1);
    if (second == std::string::npos) continue;
    const fs::path name = fs::path(line.substr(second + 1)).lexically_normal();
    if (name.empty() || name.is_absolute() || *name.begin() == "..") continue;
    if (now.contains(name.string())) continue;
    const fs::path path = fs::path(folder) / name;
    std::error_code code;
    if (describe_state(path) != line.substr(0, second)) continue;
    fs::remove(path, code);
    // A folder of a model that is no longer in the study.
    if (name.has_parent_path() && fs::is_empty(path.parent_path(), code)) {
      fs::remove(path.parent_path(), code);
    }
  }
  std::string text;
  for (const std::string& name : now) {
    const std::string state = describe_state(fs::path(folder) / name);
    if (!state.empty()) text += fmt::format("{} {}\n", state, name);
  }
  save_text(list.string(), text);
}

std::string resolve_path(const std::string& folder, const std::string& name) {
  const std::filesystem::path path(name);
  return path.is_absolute() || folder.empty() ? name
                                              : (std::filesystem::path(folder) / path).string();
}

void save_text(const std::string& path, std::string_view text) {
  AsideFile file(path);
  write_bytes(file, text);
  file.commit();
}

void try_folder(const std::string& folder) {
  const AsideFile trial((std::filesystem::path(folder) / ".vesica").string());
  std::FILE* stream = std::fopen(trial.aside().c_str(), "wb");
  int reason = stream ? 0 : errno;
  if (stream) {
    if (std::fputc('\n', stream) == EOF) reason = errno;
    if (std::fclose(stream) != 0 && reason == 0) reason = errno;
  }
  if (reason != 0) {
    throw FileError(
        fmt::format("{}: nothing can be written there: {}", folder, std::strerror(reason)));
  }
}

void try_file(const std::string& path) {
  const std::filesystem::path target(path);
  std::error_code code;
  if (std::filesystem::is_directory(target, code)) {
    throw FileError(fmt::format("{}: is a folder; give the name of a file", path));
  }
  try_folder(target.has_parent_path() ? target.parent_path().string() : ".");
}

}  // namespace vesica
