// Which run is next, for one process: blocks from the claims, without what is finished.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "vesica/studies/claims.h"
#include "vesica/studies/journal.h"

namespace vesica::studies {

class Scheduler {
 public:
  // Reads the journals of the folder. `retries`: runs that failed, timed out or did not converge
  // count as not finished.
  Scheduler(const Study& study, const std::string& folder, const Worker& worker, bool retries);

  // From any thread. Nothing: all runs are finished, or others have what is left.
  std::optional<std::uint64_t> next();
  // The attempt that a run is: 0, or one more than what is to be replaced.
  int attempt_of(std::uint64_t run) const;
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
  void set_state(std::uint64_t run, Status status);

  const Study& study_;
  mutable std::mutex guard_;
  bool retries_;
  JournalReader reader_;
  const Worker& worker_;
  Claims claims_;
  std::vector<std::int8_t> state_;  // by run: status, or -1
  std::vector<std::uint8_t> attempts_;
  std::uint64_t finished_ = 0, not_done_ = 0;
  std::deque<std::uint64_t> queue_;
  std::map<std::uint64_t, std::uint64_t> open_;  // runs that are left in the blocks of this process
  std::vector<std::uint64_t> finished_blocks_;
  bool looks_for_lost_ = true;  // blocks that are called done and are not
  unsigned looks_ = 0;
};

}  // namespace vesica::studies
