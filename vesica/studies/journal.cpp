#include "vesica/studies/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "vesica/io/file_error.h"

namespace vesica::studies {
namespace {

namespace fs = std::filesystem;
using LineJson = nlohmann::json;

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t k = 0; k < 256; ++k) {
    std::uint32_t c = k;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1u) != 0 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[k] = c;
  }
  return table;
}
constexpr auto kCrcTable = make_crc_table();

// The line that a crash of this thread leaves, made before the run: a signal handler can only
// write.
constexpr size_t kLongestCrashLine = 4096;
thread_local char t_crash_line[kLongestCrashLine];
thread_local size_t t_crash_length = 0;
thread_local int t_crash_descriptor = -1;

constexpr std::array<int, 5> kCrashes = {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL};
// What was to happen before this room came: Open MPI and sanitizers have handlers of their own.
std::array<struct sigaction, kCrashes.size()> before_crashes;

extern "C" void on_crash(int signal, siginfo_t* info, void* context) {
  if (t_crash_length > 0) {
    if (write(t_crash_descriptor, t_crash_line, t_crash_length) < 0) t_crash_length = 0;
    fdatasync(t_crash_descriptor);
    t_crash_length = 0;
  }
  for (size_t k = 0; k < kCrashes.size(); ++k) {
    const struct sigaction& before = before_crashes[k];
    if (kCrashes[k] != signal || before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
      continue;
    }
    if ((before.sa_flags & SA_SIGINFO) != 0) {
      before.sa_sigaction(signal, info, context);
    } else {
      before.sa_handler(signal);
    }
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void handle_crashes() {
  static const bool kOnce = [] {
    for (size_t k = 0; k < kCrashes.size(); ++k) {
      struct sigaction action = {};
      action.sa_sigaction = on_crash;
      action.sa_flags = SA_SIGINFO | SA_NODEFER;
      sigaction(kCrashes[k], &action, &before_crashes[k]);
    }
    return true;
  }();
  static_cast<void>(kOnce);
}

// As format_cell writes it: also what std::stod refuses, a number below the least normal one.
double read_cell(const std::string& text) {
  if (text.empty()) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const char* last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, value);
  if (code != std::errc() || end != last) throw FileError("'" + text + "' is no number");
  return value;
}

std::string with_checksum(const std::string& payload) {
  return fmt::format("{:08x} {}", calc_crc32(payload), payload);
}

// Of a finished run; its warnings follow, where it has some.
constexpr size_t kRowEntries = 7;

constexpr char kBegunWord[] = "begun", kLeftWord[] = "left";

// [run, attempt, "begun"]
std::string make_note_line(std::uint64_t run, int attempt, const char* word) {
  return with_checksum(fmt::format("[{},{},\"{}\"]", run, attempt, word)) + "\n";
}

void read_row(const LineJson& json, RunRow* row) {
  const auto status = find_status(json[2].get<std::string>());
  if (!status) throw FileError("its status is none");
  row->status = *status;
  row->reason = json[3].get<std::string>();
  row->seconds = json[4].get<double>();
  row->cells = json[5].get<std::vector<std::string>>();
  for (const LineJson& values : json[6]) {
    auto& curve = row->curves.emplace_back();
    for (const LineJson& y : values) curve.push_back(read_cell(y.get<std::string>()));
  }
  if (json.size() > kRowEntries) row->warnings = json[kRowEntries].get<std::vector<std::string>>();
}

JournalEntry::Kind read_note(const std::string& word) {
  if (word == kBegunWord) return JournalEntry::Kind::kBegun;
  if (word == kLeftWord) return JournalEntry::Kind::kLeft;
  throw FileError("it has three entries, the last neither begun nor left");
}

}  // namespace

void sync_file(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  for (const std::string& name : {path, folder.empty() ? std::string(".") : folder.string()}) {
    const int descriptor = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) continue;  // a folder may be one to write to only
    const bool synced = ::fsync(descriptor) == 0;
    const int reason = errno;
    ::close(descriptor);
    // Some file systems cannot, and say so.
    if (!synced && reason != EINVAL && reason != ENOTSUP && reason != EROFS) {
      throw FileError(
          fmt::format("{}: does not get onto the disk: {}", name, std::strerror(reason)));
    }
  }
}

std::uint32_t calc_crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const char c : bytes) {
    crc = kCrcTable[(crc ^ static_cast<unsigned char>(c)) & 0xffu] ^ (crc >> 8);
  }
  return crc ^ 0xffffffffu;
}

std::string make_journal_line(const RunRow& row, int attempt) {
  LineJson curves = LineJson::array();
  for (const auto& curve : row.curves) {
    LineJson values = LineJson::array();
    for (const double y : curve) values.push_back(format_cell(y));
    curves.push_back(std::move(values));
  }
  LineJson line = {row.run,     attempt,   name_of(row.status), row.reason,
                   row.seconds, row.cells, std::move(curves)};
  if (!row.warnings.empty()) line.push_back(row.warnings);
  return with_checksum(line.dump(-1, ' ', false, LineJson::error_handler_t::replace));
}

std::optional<JournalEntry> parse_journal_line(std::string_view line) {
  if (line.size() < 10 || line[8] != ' ') return std::nullopt;
  std::uint32_t crc = 0;
  const auto [end, code] = std::from_chars(line.data(), line.data() + 8, crc, 16);
  const std::string_view payload = line.substr(9);
  if (code != std::errc() || end != line.data() + 8 || crc != calc_crc32(payload)) {
    return std::nullopt;
  }
  const LineJson json = LineJson::parse(payload, nullptr, false);
  JournalEntry entry;
  // Whole, as its checksum says: what cannot be read now never will be, and is not just run again.
  try {
    const size_t entries = json.is_array() ? json.size() : 0;
    if (entries != 3 && entries != kRowEntries && entries != kRowEntries + 1) {
      throw FileError("it has none of three, seven and eight entries");
    }
    entry.row.run = json[0].get<std::uint64_t>();
    entry.attempt = json[1].get<int>();
    if (entries >= kRowEntries) {
      read_row(json, &entry.row);
    } else {
      entry.kind = read_note(json[2].get<std::string>());
    }
  } catch (const std::exception& error) {
    throw FileError(
        fmt::format("a line of a journal is whole and cannot be read: {}; was it "
                    "written by another version? give another folder with --out",
                    error.what()));
  }
  return entry;
}

Journal::Journal(std::string path) : path_(std::move(path)) {
  descriptor_ = open(path_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0) {
    throw FileError(fmt::format("{}: cannot be made: {}", path_, std::strerror(errno)));
  }
  sync_file(path_);
}

Journal::~Journal() {
  if (is_dirty_) fdatasync(descriptor_);
  close(descriptor_);
  std::error_code code;
  if (fs::file_size(path_, code) == 0) fs::remove(path_, code);
}

void Journal::add(const RunRow& row, int attempt) {
  write_line(make_journal_line(row, attempt) + "\n");
}

void Journal::leave_run(std::uint64_t run, int attempt) {
  try {
    write_line(make_note_line(run, attempt, kLeftWord));
  } catch (const FileError&) {
    return;  // whoever adds a row next says so
  }
}

void Journal::write_line(const std::string& line) {
  const std::lock_guard lock(writing_);
  size_t written = 0;
  while (!is_broken_ && written < line.size()) {
    const ssize_t n = write(descriptor_, line.data() + written, line.size() - written);
    if (n < 0 && errno == EINTR) continue;
    is_broken_ = n <= 0;
    if (!is_broken_) written += static_cast<size_t>(n);
  }
  if (is_broken_) {
    throw FileError(
        fmt::format("{}: cannot be written: {}; what is finished is kept, the same command goes on "
                    "once there is room",
                    path_, std::strerror(errno)));
  }
  is_dirty_ = true;
}

void Journal::sync() {
  if (!is_dirty_.exchange(false)) return;
  if (fdatasync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) {
    throw FileError(fmt::format("{}: does not get onto the disk: {}", path_, std::strerror(errno)));
  }
}

void Journal::begin_run(std::uint64_t run, size_t outputs, size_t curves, int attempt) {
  handle_crashes();
  write_line(make_note_line(run, attempt, kBegunWord));
  RunRow row;
  row.run = run;
  row.status = Status::kFailed;
  row.reason = "the program crashed in this run";
  row.cells.resize(outputs);
  row.curves.resize(curves);
  const std::string line = make_journal_line(row, attempt) + "\n";
  if (line.size() > kLongestCrashLine) return;
  std::memcpy(t_crash_line, line.data(), line.size());
  t_crash_descriptor = descriptor_;
  t_crash_length = line.size();
}

void Journal::end_run() { t_crash_length = 0; }

void JournalReader::read_new(const See& see) {
  std::error_code code;
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder_, code)) {
    if (entry.path().extension() == ".journal") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    const auto [found, is_new] = index_.try_emplace(path, static_cast<int>(files_.size()));
    if (is_new) files_.push_back({path, 0});
    File& file = files_[static_cast<size_t>(found->second)];
    if (fs::file_size(path, code) <= file.offset) continue;
    std::ifstream stream(path, std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(file.offset));
    std::string line;
    while (std::getline(stream, line)) {
      if (stream.eof()) break;  // no newline: torn, or not all of it is there yet
      std::optional<JournalEntry> entry;
      try {
        entry = parse_journal_line(line);
      } catch (const FileError& error) {
        throw FileError(fmt::format("{}: at byte {}: {}", path, file.offset, error.what()));
      }
      if (entry) {
        see(*entry, {file.offset, static_cast<std::uint32_t>(line.size()), found->second});
      } else {
        ++torn_;
      }
      file.offset += line.size() + 1;
    }
  }
}

JournalEntry JournalReader::read_again(const Where& where) {
  const File& file = files_[static_cast<size_t>(where.file)];
  if (again_file_ != where.file) {
    again_.close();
    again_.clear();
    again_.open(file.path, std::ios::binary);
    again_file_ = where.file;
  }
  again_.seekg(static_cast<std::streamoff>(where.offset));
  std::string line(where.length, '\0');
  again_.read(line.data(), static_cast<std::streamsize>(line.size()));
  const auto entry = parse_journal_line(line);
  if (!entry) throw FileError(file.path + ": a line that was good before is not any more");
  return *entry;
}

}  // namespace vesica::studies
