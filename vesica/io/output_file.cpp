#include "vesica/io/output_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
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
#include <vector>

#include "vesica/io/file_error.h"

namespace vesica {
namespace {

namespace fs = std::filesystem;

// Names that a signal handler can read: no allocation, no lock. More files at once than there is
// room for are written all the same; only a signal would leave them behind.
constexpr size_t kLongestName = 4096;
struct NameSlot {
  enum State { kFree, kTaken, kReady };
  std::atomic<int> state{kFree};
  char name[kLongestName];
};
using NameSlots = std::array<NameSlot, 16>;
NameSlots g_aside_names;
NameSlots g_made_folders;  // in the order in which they were made: a folder after the one it is in

std::mutex g_written_mutex;
std::set<std::string> g_written;  // paths, as they were given
std::atomic<bool> g_keeps_recordings{false};
std::mutex g_recordings_mutex;
std::set<std::string> g_recordings;  // paths of what was read, as they were given

int remember_name(const std::string& name, NameSlots* slots) {
  if (name.size() >= kLongestName) return -1;
  for (size_t k = 0; k < slots->size(); ++k) {
    NameSlot& slot = (*slots)[k];
    int expected = NameSlot::kFree;
    if (!slot.state.compare_exchange_strong(expected, NameSlot::kTaken)) continue;
    std::memcpy(slot.name, name.c_str(), name.size() + 1);
    slot.state = NameSlot::kReady;
    return static_cast<int>(k);
  }
  return -1;
}

// What stands where a file is to be written, links followed.
enum class Place { kFile, kStream, kFolder, kOther };

Place look_at(const std::string& path) {
  std::error_code code;
  switch (fs::status(path, code).type()) {
    case fs::file_type::character:
    case fs::file_type::fifo:
      return Place::kStream;
    case fs::file_type::directory:
      return Place::kFolder;
    case fs::file_type::block:
    case fs::file_type::socket:
      return Place::kOther;
    default:
      return Place::kFile;  // or nothing yet
  }
}

// The file behind a redirected standard output, also as /dev/stdout: what is printed would write
// over it.
bool is_standard_output(const std::string& path) {
  struct stat named = {}, output = {};
  return ::stat(path.c_str(), &named) == 0 && ::fstat(STDOUT_FILENO, &output) == 0 &&
         S_ISREG(named.st_mode) && named.st_dev == output.st_dev && named.st_ino == output.st_ino;
}

void refuse_place(const std::string& path, Place place) {
  if (place == Place::kFile && is_standard_output(path)) {
    throw FileError(
        fmt::format("{}: standard output goes to this file; give the name of another", path));
  }
  if (place == Place::kFolder) {
    throw FileError(fmt::format("{}: is a folder; give the name of a file", path));
  }
  if (place == Place::kOther) {
    throw FileError(fmt::format("{}: is no file; give the name of one", path));
  }
}

void refuse_recording(const std::string& path) {
  if (!g_keeps_recordings) return;
  const std::lock_guard<std::mutex> guard(g_recordings_mutex);
  for (const std::string& input : g_recordings) {
    std::error_code code;
    if (fs::equivalent(path, input, code)) {
      throw FileError(fmt::format(
          "{}: this recording has been read and would be replaced; give the output another name or "
          "folder",
          path));
    }
  }
}

// The file that a symbolic link means, whether there is one yet or not.
std::string follow_links(const std::string& path) {
  fs::path target = path;
  std::error_code code;
  constexpr int kMostLinks = 40;  // as the kernel's
  for (int k = 0; k < kMostLinks && fs::is_symlink(target, code); ++k) {
    const fs::path named = fs::read_symlink(target, code);
    target = named.is_absolute() ? named : target.parent_path() / named;
  }
  return target.string();
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
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) make_folder(folder.string());
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

AsideFile::AsideFile(std::string path) : path_(std::move(path)) {
  const Place place = look_at(path_);
  refuse_place(path_, place);
  if (place == Place::kStream) {
    target_ = aside_ = path_;
    return;
  }
  refuse_recording(path_);
  target_ = follow_links(path_);
  aside_ = make_aside_name(target_);
  make_parent(target_);
  slot_ = remember_for_signal(aside_);
}

AsideFile::~AsideFile() {
  if (!committed_ && aside_ != target_) ::unlink(aside_.c_str());
  forget_for_signal(slot_);
}

int remember_for_signal(const std::string& path) { return remember_name(path, &g_aside_names); }

void forget_for_signal(int slot) {
  if (slot >= 0) g_aside_names[static_cast<size_t>(slot)].state = NameSlot::kFree;
}

void AsideFile::fail(int error_number) const {
  throw FileError(
      fmt::format("{}: cannot be written: {}", path_,
                  error_number != 0 ? std::strerror(error_number) : "is the disk full?"));
}

void keep_recordings(bool keep) { g_keeps_recordings = keep; }

void note_recording(const std::string& path) {
  const std::lock_guard<std::mutex> guard(g_recordings_mutex);
  g_recordings.insert(path);
}

void AsideFile::commit() {
  if (aside_ == target_) return;  // a device or a pipe has it all
  std::error_code code;
  fs::rename(aside_, target_, code);
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
  for (const NameSlot& aside : g_aside_names) {
    if (aside.state == NameSlot::kReady) ::unlink(aside.name);
  }
  remove_empty_folders();
}

void make_folder(const std::string& folder) {
  const auto fail = [&](const std::error_code& code) {
    throw FileError(fmt::format("{}: the folder cannot be made: {}", folder, code.message()));
  };
  std::error_code code;
  const fs::path path = fs::absolute(folder, code);
  if (code) fail(code);
  std::vector<fs::path> missing;
  for (fs::path each = path; !each.empty() && !fs::exists(each, code); each = each.parent_path()) {
    if (each.has_filename()) missing.push_back(each);
  }
  for (auto each = missing.rbegin(); each != missing.rend(); ++each) {
    // Remembered first: a signal may come between the two.
    const int slot = remember_name(each->string(), &g_made_folders);
    const bool is_new = fs::create_directory(*each, code);
    if (!is_new && slot >= 0) g_made_folders[static_cast<size_t>(slot)].state = NameSlot::kFree;
  }
  // Also where somebody else made them, or took them away, at the same time.
  fs::create_directories(path, code);
  if (code) fail(code);
}

void remove_empty_folders() noexcept {
  for (auto slot = g_made_folders.rbegin(); slot != g_made_folders.rend(); ++slot) {
    if (slot->state == NameSlot::kReady) ::rmdir(slot->name);  // only what is empty
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
  return (fs::path(folder) / name).string();
}

namespace {

// Size and time of a file: whether it is still as it was written.
std::string describe_state(const fs::path& path) {
  std::error_code code;
  const auto size = fs::file_size(path, code);
  if (code) return {};
  const auto time = fs::last_write_time(path, code);
  return code ? std::string() : fmt::format("{} {}", size, time.time_since_epoch().count());
}

}  // namespace

void remove_earlier_files(const std::string& folder, const std::string& command) {
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
  const fs::path path(name);
  return path.is_absolute() || folder.empty() ? name : (fs::path(folder) / path).string();
}

void save_text(const std::string& path, std::string_view text) {
  AsideFile file(path);
  write_bytes(file, text);
  file.commit();
}

void try_folder(const std::string& folder) {
  const AsideFile trial((fs::path(folder) / ".vesica").string());
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
  const Place place = look_at(path);
  refuse_place(path, place);
  if (place == Place::kStream) {
    if (::access(path.c_str(), W_OK) == 0) return;
    throw FileError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  }
  const fs::path target(follow_links(path));
  try_folder(target.has_parent_path() ? target.parent_path().string() : ".");
}

}  // namespace vesica
