// Which run is next, for one process: blocks from the claims, without what is finished.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vesica/studies/claims.h"
#include "vesica/studies/journal.h"

namespace vesica::studies {

// A run that takes its process with it so often is a row that says so.
inline constexpr int kMostLosses = 3;

struct Task {
  std::uint64_t run = 0;
  int attempt = 0;  // one more than what is to be replaced
  int losses = 0;   // how often a process has died while at this attempt
};

class Scheduler {
 public:
  // Reads the journals of the folder. `retries`: runs that failed, timed out or did not converge
  // count as not finished.
  Scheduler(const Study& study, const std::string& folder, const Worker& worker, bool retries);

  // From any thread. Nothing: all runs are finished, or others have what is left.
  std::optional<Task> next();
  // It is in a journal of this process, or of one that this process schedules for.
  void note_finished(std::uint64_t run, Status status);
  // Before and after the journal got onto the disk: blocks that are finished are marked then.
  std::vector<std::uint64_t> list_finished_blocks();
  void mark_done(const std::vector<std::uint64_t>& blocks);
  // What others have finished meanwhile.
  void look_around();

  bool is_all_finished() const;
  std::uint64_t total() const { return state_.size(); }
  std::uint64_t finished() const;
  std::uint64_t not_done() const;  // of these: failed, timed out, not converged
  std::uint64_t waiting() const;   // taken, and not handed out

 private:
  void read_journals();
  bool take_block();
  void see(const JournalEntry& entry);
  int attempt_of(std::uint64_t run) const;
  void set_state(std::uint64_t run, Status status);

  mutable std::mutex guard_;
  bool retries_;
  JournalReader reader_;
  const Worker& worker_;
  Claims claims_;
  std::vector<std::int8_t> state_;                   // by run: status, or -1
  std::unordered_map<std::uint64_t, int> attempts_;  // of runs that are not at their first
  // Of runs that were begun and are not finished, by run and attempt; of a block whose owner is
  // dead these are the losses.
  std::map<std::pair<std::uint64_t, int>, int> begun_;
  std::uint64_t finished_ = 0, not_done_ = 0;
  std::deque<std::uint64_t> queue_;
  std::map<std::uint64_t, std::uint64_t> open_;  // runs that are left in the blocks of this process
  std::vector<std::uint64_t> finished_blocks_;
  bool looks_for_lost_ = true;  // blocks that are called done and are not
  unsigned looks_ = 0;
};

}  // namespace vesica::studies
