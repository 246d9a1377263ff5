#include "vesica/studies/scheduler.h"

#include <algorithm>
#include <filesystem>

namespace vesica::studies {

Scheduler::Scheduler(const Study& study, const std::string& folder, const Worker& worker,
                     bool retries)
    : retries_(retries),
      reader_((std::filesystem::path(folder) / "journals").string()),
      worker_(worker),
      claims_(folder, study.runs(), worker),
      state_(study.runs(), -1) {
  read_journals();
  retries_ = false;  // what fails from now on has had its second chance
}

void Scheduler::see(const JournalEntry& entry) {
  const std::uint64_t run = entry.row.run;
  if (run >= state_.size() || entry.attempt < attempt_of(run)) return;
  const std::pair key(run, entry.attempt);
  if (entry.kind != JournalEntry::Kind::kFinished) {
    if (state_[run] >= 0) return;  // by another process, whose journal came first
    const int count = (begun_[key] += entry.kind == JournalEntry::Kind::kBegun ? 1 : -1);
    if (count <= 0) begun_.erase(key);
    return;
  }
  begun_.erase(key);
  if (retries_ && entry.row.status != Status::kDone) {
    attempts_[run] = entry.attempt + 1;
    if (state_[run] >= 0) {
      --finished_;
      if (state_[run] > 0) --not_done_;
    }
    state_[run] = -1;
    return;
  }
  if (entry.attempt > 0) attempts_[run] = entry.attempt;
  set_state(run, entry.row.status);
}

void Scheduler::set_state(std::uint64_t run, Status status) {
  finished_ += state_[run] < 0;
  not_done_ -= state_[run] > 0;  // of an earlier attempt
  not_done_ += status != Status::kDone;
  state_[run] = static_cast<std::int8_t>(status);
}

void Scheduler::read_journals() {
  reader_.read_new([this](const JournalEntry& entry, const JournalReader::Where&) { see(entry); });
}

// False: there is none to take.
bool Scheduler::take_block() {
  bool had_owner = false;
  auto block = claims_.take(&had_owner);
  if (block) {
    if (had_owner) read_journals();
  } else if (looks_for_lost_) {
    // Once: a block that is called done, and whose runs this process does not find.
    looks_for_lost_ = false;
    read_journals();
    for (std::uint64_t b = 0; b < claims_.block_count() && !block; ++b) {
      for (std::uint64_t run = claims_.first_run(b); run < claims_.end_run(b); ++run) {
        if (state_[run] >= 0) continue;
        if (claims_.take_done(b)) block = b;
        break;
      }
    }
    looks_for_lost_ = block.has_value();
  }
  if (!block) return false;
  std::uint64_t left = 0;
  for (std::uint64_t run = claims_.first_run(*block); run < claims_.end_run(*block); ++run) {
    if (state_[run] >= 0) continue;
    queue_.push_back(run);
    ++left;
  }
  if (left > 0) {
    open_[*block] = left;
  } else {
    finished_blocks_.push_back(*block);
  }
  return true;
}

std::optional<Task> Scheduler::next() {
  const std::lock_guard lock(guard_);
  while (queue_.empty()) {
    if (finished_ == state_.size() || !take_block()) return std::nullopt;
  }
  const std::uint64_t run = queue_.front();
  queue_.pop_front();
  const int attempt = attempt_of(run);
  const auto lost = begun_.find({run, attempt});
  return Task{run, attempt, lost == begun_.end() ? 0 : lost->second};
}

int Scheduler::attempt_of(std::uint64_t run) const {
  const auto found = attempts_.find(run);
  return found == attempts_.end() ? 0 : found->second;
}

void Scheduler::note_finished(std::uint64_t run, Status status) {
  const std::lock_guard lock(guard_);
  set_state(run, status);
  const auto open = open_.find(run / claims_.block_size());
  if (open == open_.end() || --open->second > 0) return;
  finished_blocks_.push_back(open->first);
  open_.erase(open);
}

std::vector<std::uint64_t> Scheduler::list_finished_blocks() {
  const std::lock_guard lock(guard_);
  return std::exchange(finished_blocks_, {});
}

void Scheduler::mark_done(const std::vector<std::uint64_t>& blocks) {
  const std::lock_guard lock(guard_);
  for (const std::uint64_t block : blocks) claims_.mark_done(block);
}

void Scheduler::look_around() {
  const std::lock_guard lock(guard_);
  read_journals();
  claims_.look_again();
  // Nobody else is there any more who could have what is missing. Not at every look: it reads the
  // files of all workers.
  if (!looks_for_lost_ && ++looks_ % 8 == 0) looks_for_lost_ = worker_.count_alive() == 1;
}

bool Scheduler::is_all_finished() const {
  const std::lock_guard lock(guard_);
  return finished_ == state_.size();
}
std::uint64_t Scheduler::finished() const {
  const std::lock_guard lock(guard_);
  return finished_;
}
std::uint64_t Scheduler::not_done() const {
  const std::lock_guard lock(guard_);
  return not_done_;
}
std::uint64_t Scheduler::waiting() const {
  const std::lock_guard lock(guard_);
  return queue_.size();
}

}  // namespace vesica::studies
