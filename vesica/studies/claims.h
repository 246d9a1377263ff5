// Who runs what, where only files are shared: blocks of runs, each a file whose name says who has
// it. Taking one is a rename, which exactly one of several processes can do, also over NFS.
//
//   claims/000012~0~free      nobody has begun
//   claims/000012~1~NAME      worker NAME has it; the number counts how often it was taken
//   claims/000012~1~done      all its runs are in journals, on disk
//   workers/NAME              touched every second while the worker lives
//
// A worker is dead when its file is gone, when its process is gone (on the same machine), or when
// its file has not been touched for a minute (elsewhere). Its claims are then free for the taking.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vesica::studies {

// This process among all that work on a study.
class Worker {
 public:
  explicit Worker(const std::string& folder);  // of the study
  ~Worker();                                   // takes the file away
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  const std::string& name() const { return name_; }
  void beat() const;  // "I am alive"
  // By the rules above, by the clock that stamps the files.
  bool is_alive(const std::string& other) const;
  int count_alive() const;
  // Takes the file away, then counts the others: of several that leave, the last finds none.
  int leave() const;

 private:
  std::string path_of(const std::string& name) const;
  std::string folder_, name_;
};

// Whose files say that they live, for whoever is not one of them.
int count_workers(const std::string& folder);

inline constexpr double kDeadAfter = 60;  // [s]

class Claims {
 public:
  // Makes the blocks where nobody has yet.
  Claims(const std::string& folder, std::uint64_t runs, const Worker& worker);

  // So many runs to a block: at most a thousand blocks.
  static std::uint64_t calc_block_size(std::uint64_t runs);
  std::uint64_t block_size() const { return size_; }
  std::uint64_t block_count() const { return (runs_ + size_ - 1) / size_; }
  std::uint64_t first_run(std::uint64_t block) const { return block * size_; }
  std::uint64_t end_run(std::uint64_t block) const;

  // Takes one: the first that is free, else one of a dead worker. Nothing where there is neither.
  // `had_owner`: somebody may have finished some of its runs.
  std::optional<std::uint64_t> take(bool* had_owner = nullptr);
  // One that is called done, though its runs are not all there (a disk that lost them, or runs to
  // be tried again).
  bool take_done(std::uint64_t block);
  void mark_done(std::uint64_t block);
  void look_again() { entries_.clear(); }

 private:
  struct Entry {
    std::uint64_t block = 0;
    long generation = 0;
    std::string owner;
  };
  void list();
  std::string name_of_entry(const Entry& entry) const;
  bool take_entry(Entry* entry);
  bool rename_entry(const Entry& from, const std::string& owner, bool counts);

  std::string folder_;
  std::uint64_t runs_, size_;
  const Worker& worker_;
  std::vector<Entry> entries_;          // as they were when last looked at
  std::map<std::uint64_t, long> mine_;  // blocks of this worker: their count
};

}  // namespace vesica::studies
