#include "vesica/studies/claims.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "vesica/io/file_error.h"
#include "vesica/studies/random.h"

namespace vesica::studies {
namespace {

namespace fs = std::filesystem;
constexpr char kFree[] = "free", kDone[] = "done";

std::string read_first_line(const std::string& path) {
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  return line;
}

// Processes of one machine (and one container) can see whether the others live.
std::string find_machine() {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  std::error_code code;
  const std::string space = fs::read_symlink("/proc/self/ns/pid", code).string();
  return fmt::format("{} {} {}", host, read_first_line("/proc/sys/kernel/random/boot_id"), space);
}

// When a process began, in ticks since the machine did: its number may be another's later.
std::string find_process_start(long pid) {
  const std::string line = read_first_line(fmt::format("/proc/{}/stat", pid));
  const size_t bracket = line.rfind(')');
  if (bracket == std::string::npos) return "";
  std::istringstream words(line.substr(bracket + 1));
  std::string word;
  for (int k = 0; k < 20 && words >> word; ++k) {
    if (k == 0 && (word == "Z" || word == "X")) return "";  // dead, and not buried
  }
  return word;
}

std::string make_worker_name() {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  std::string plain;
  for (const char* c = host; *c != '\0' && plain.size() < 24; ++c) {
    plain += std::isalnum(static_cast<unsigned char>(*c)) != 0 ? *c : '-';
  }
  static std::atomic<std::uint64_t> count{0};
  const auto now =
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  const auto salt =
      mix_bits(now ^ mix_bits(static_cast<std::uint64_t>(getpid()) + (count++ << 32)));
  return fmt::format("{}-{}-{:08x}", plain, getpid(), static_cast<std::uint32_t>(salt));
}

double stamp_of(const std::string& path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0) return -1;
  return static_cast<double>(info.st_mtim.tv_sec) +
         1e-9 * static_cast<double>(info.st_mtim.tv_nsec);
}

// `now`: by the clock that stamps the files, or about so.
bool is_worker_alive(const std::string& path, double now) {
  std::ifstream stream(path);
  std::string machine, start;
  long pid = 0;
  if (!std::getline(stream, machine) || !(stream >> pid) || !(stream >> start)) {
    const double stamp = stamp_of(path);  // gone, or just being written
    return stamp >= 0 && now - stamp < 1;
  }
  if (machine == find_machine()) {
    // Another user's may not be signalled, and lives.
    const bool is_there = kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM;
    return is_there && find_process_start(pid) == start;
  }
  return now - stamp_of(path) < kDeadAfter;
}

int count_in(const std::string& folder, double now) {
  int count = 0;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    if (is_worker_alive(entry.path().string(), now)) ++count;
  }
  return count;
}

void make_folder(const std::string& path) {
  std::error_code code;
  fs::create_directories(path, code);
  if (code) throw FileError(fmt::format("{}: cannot be made: {}", path, code.message()));
}

}  // namespace

Worker::Worker(const std::string& folder)
    : folder_((fs::path(folder) / "workers").string()), name_(make_worker_name()) {
  make_folder(folder_);
  const std::string path = path_of(name_);
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    throw FileError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  }
  const std::string text =
      fmt::format("{}\n{}\n{}\n", find_machine(), getpid(), find_process_start(getpid()));
  const bool written = std::fputs(text.c_str(), file) >= 0;
  if (std::fclose(file) != 0 || !written) {
    throw FileError(fmt::format("{}: cannot be written; is the disk full?", path));
  }
}

Worker::~Worker() {
  std::error_code code;
  fs::remove(path_of(name_), code);
}

std::string Worker::path_of(const std::string& name) const {
  return (fs::path(folder_) / name).string();
}

void Worker::beat() const { utimensat(AT_FDCWD, path_of(name_).c_str(), nullptr, 0); }

bool Worker::is_alive(const std::string& other) const {
  if (other == name_) return true;
  beat();
  return is_worker_alive(path_of(other), stamp_of(path_of(name_)));
}

int Worker::count_alive() const {
  beat();
  return count_in(folder_, stamp_of(path_of(name_)));
}

int Worker::leave() const {
  beat();
  const double now = stamp_of(path_of(name_));
  std::error_code code;
  fs::remove(path_of(name_), code);
  return count_in(folder_, now);
}

int count_workers(const std::string& folder) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return count_in((fs::path(folder) / "workers").string(),
                  std::chrono::duration<double>(now).count());
}

std::uint64_t Claims::calc_block_size(std::uint64_t runs) { return (runs + 999) / 1000; }

Claims::Claims(const std::string& folder, std::uint64_t runs, const Worker& worker)
    : folder_((fs::path(folder) / "claims").string()),
      runs_(runs),
      size_(calc_block_size(runs)),
      worker_(worker) {
  std::error_code code;
  if (fs::is_directory(folder_, code)) return;
  const std::string aside = fmt::format("{}.{}", folder_, worker.name());
  make_folder(aside);
  for (std::uint64_t b = 0; b < block_count(); ++b) {
    const std::string path = fmt::format("{}/{:06}~0~{}", aside, b, kFree);
    const int descriptor = open(path.c_str(), O_CREAT | O_WRONLY, 0644);
    if (descriptor < 0) {
      throw FileError(fmt::format("{}: cannot be made: {}", path, std::strerror(errno)));
    }
    close(descriptor);
  }
  if (std::rename(aside.c_str(), folder_.c_str()) != 0) {
    fs::remove_all(aside, code);  // another was quicker
    if (!fs::is_directory(folder_, code)) {
      throw FileError(fmt::format("{}: cannot be made: {}", folder_, std::strerror(errno)));
    }
  }
}

std::uint64_t Claims::end_run(std::uint64_t block) const {
  return std::min(runs_, (block + 1) * size_);
}

std::string Claims::name_of_entry(const Entry& entry) const {
  return fmt::format("{}/{:06}~{}~{}", folder_, entry.block, entry.generation, entry.owner);
}

void Claims::list() {
  entries_.clear();
  std::error_code code;
  for (const auto& file : fs::directory_iterator(folder_, code)) {
    const std::string name = file.path().filename().string();
    const size_t first = name.find('~'), second = name.find('~', first + 1);
    if (second == std::string::npos) continue;
    Entry entry;
    const char* data = name.data();
    std::from_chars(data, data + first, entry.block);
    std::from_chars(data + first + 1, data + second, entry.generation);
    entry.owner = name.substr(second + 1);
    entries_.push_back(std::move(entry));
  }
  if (code) throw FileError(fmt::format("{}: cannot be read: {}", folder_, code.message()));
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.block < b.block; });
}

bool Claims::rename_entry(const Entry& from, const std::string& owner, bool counts) {
  Entry to = from;
  to.owner = owner;
  if (counts) ++to.generation;
  const std::string target = name_of_entry(to);
  if (std::rename(name_of_entry(from).c_str(), target.c_str()) == 0) return true;
  // NFS may answer a repeated request with "no such file" though the first was heard.
  const int reason = errno;
  struct stat info = {};
  if (stat(target.c_str(), &info) == 0) return true;
  if (reason != ENOENT) {
    throw FileError(
        fmt::format("{}: cannot be renamed: {}", name_of_entry(from), std::strerror(reason)));
  }
  return false;
}

bool Claims::take_entry(Entry* entry) {
  const bool taken = rename_entry(*entry, worker_.name(), true);
  entry->owner = worker_.name();  // or another's, who was quicker: not to be tried again
  ++entry->generation;
  if (taken) mine_[entry->block] = entry->generation;
  return taken;
}

std::optional<std::uint64_t> Claims::take(bool* had_owner) {
  if (had_owner != nullptr) *had_owner = false;
  // What is known, then what there is.
  for (int pass = 0; pass < 2; ++pass) {
    if (entries_.empty() || pass == 1) list();
    for (Entry& entry : entries_) {
      if (entry.owner == kFree && take_entry(&entry)) return entry.block;
    }
  }
  std::map<std::string, bool> alive;
  for (Entry& entry : entries_) {
    if (entry.owner == kFree || entry.owner == kDone) continue;
    const auto [found, is_new] = alive.try_emplace(entry.owner, true);
    if (is_new) found->second = worker_.is_alive(entry.owner);
    if (found->second || !take_entry(&entry)) continue;
    if (had_owner != nullptr) *had_owner = true;
    return entry.block;
  }
  return std::nullopt;
}

bool Claims::take_done(std::uint64_t block) {
  if (entries_.empty()) list();
  for (Entry& entry : entries_) {
    if (entry.block == block && entry.owner == kDone) return take_entry(&entry);
  }
  return false;
}

void Claims::mark_done(std::uint64_t block) {
  const auto found = mine_.find(block);
  if (found == mine_.end()) return;
  // Not there any more where somebody took it over meanwhile.
  rename_entry({block, found->second, worker_.name()}, kDone, false);
  mine_.erase(found);
}

}  // namespace vesica::studies
