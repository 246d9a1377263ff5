// What is finished, on disk: a line for every run, appended by whoever ran it, and one when it was
// begun: a run whose process is killed from outside (for want of memory) leaves nothing else, and
// is to be tried a few times, not for ever.
//
// A process has one journal of its own, and journals are never changed, only appended to. A line is
// handed to the system at once (a process that is killed loses none) and to the disk within a
// second (after a power loss at most that second is run again). Every line has a checksum: one that
// is torn does not count.
#pragma once

#include <atomic>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "vesica/studies/execute.h"

namespace vesica::studies {

// The file and its name are on the disk after the call, also where the machine loses its power.
// Throws FileError.
void sync_file(const std::string& path);

// CRC-32 (IEEE 802.3), as zlib's.
std::uint32_t calc_crc32(std::string_view bytes);

// Without the newline. `attempt`: a later one replaces an earlier one.
std::string make_journal_line(const RunRow& row, int attempt);
// Nothing where the line is torn: its checksum is another. FileError where it is whole, and none of
// ours.
struct JournalEntry {
  enum class Kind { kFinished, kBegun, kLeft };  // left: given up for no fault of its own
  Kind kind = Kind::kFinished;
  RunRow row;  // begun and left: its number alone
  int attempt = 0;
};
std::optional<JournalEntry> parse_journal_line(std::string_view line);

class Journal {
 public:
  // A new file. FileError where it cannot be made.
  explicit Journal(std::string path);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // From any thread. After a failure (a full disk) every further call fails too, so that nothing
  // follows a torn line.
  void add(const RunRow& row, int attempt);
  // The run is given up and not to be blamed: it was stopped. A disk that has no room for this line
  // does not matter.
  void leave_run(std::uint64_t run, int attempt);
  // All that was added before the call is on the disk after it.
  void sync();

  // Notes that it is begun. A run that takes the process down with it (SIGSEGV, SIGABRT, ...)
  // leaves a row that says so: between these two calls of a thread, from the signal handler that
  // the first call installs.
  void begin_run(std::uint64_t run, size_t outputs, size_t curves, int attempt);
  static void end_run();

 private:
  void write_line(const std::string& line);

  std::string path_;
  int descriptor_ = -1;
  std::mutex writing_;
  bool is_broken_ = false;
  std::atomic<bool> is_dirty_ = false;
};

// Reads all journals of a folder, each time only what was added since.
class JournalReader {
 public:
  explicit JournalReader(std::string folder) : folder_(std::move(folder)) {}

  struct Where {
    std::uint64_t offset = 0;
    std::uint32_t length = 0;
    int file = 0;
  };
  using See = std::function<void(const JournalEntry&, const Where&)>;
  void read_new(const See& see);
  // A line again.
  JournalEntry read_again(const Where& where);
  std::uint64_t torn_lines() const { return torn_; }

 private:
  struct File {
    std::string path;
    std::uint64_t offset = 0;
  };
  std::string folder_;
  std::vector<File> files_;
  std::map<std::string, int> index_;
  std::uint64_t torn_ = 0;
  std::ifstream again_;  // of read_again, open at one file
  int again_file_ = -1;
};

}  // namespace vesica::studies
