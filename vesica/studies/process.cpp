#include "vesica/studies/process.h"

#include <fmt/format.h>
#include <pthread.h>

#include <chrono>
#include <filesystem>

#include "vesica/math/parallel.h"

namespace vesica::studies {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

double read_clock(clockid_t clock) {
  timespec t = {};
  if (clock_gettime(clock, &t) != 0) return 0;
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// What is left of a run that has taken its process with it every time.
RunRow make_lost_row(const Study& study, const Task& task) {
  RunRow row;
  row.run = task.run;
  row.status = Status::kFailed;
  row.reason = fmt::format(
      "its process was killed {} times while at it, the last time with nothing else at "
      "work in it (out of memory?)",
      kMostLosses);
  row.cells.resize(study.outputs.size());
  row.curves.resize(study.curves.size());
  return row;
}

}  // namespace

Process::Process(const Study& study, const RunnerOptions& options, const std::string& worker,
                 int threads, std::function<void(Journal&)> every_second)
    : study_(study),
      options_(options),
      journal_((fs::path(options.folder) / "journals" / (worker + ".journal")).string()),
      every_second_(std::move(every_second)),
      slots_(static_cast<size_t>(threads)),
      housekeeper_([this] { keep_house(); }) {}

Process::~Process() { stop_housekeeping(); }

std::optional<RunRow> Process::execute(const Task& task, int worker) {
  Slot& slot = slots_[static_cast<size_t>(worker)];
  std::optional<RunRow> row;
  try {
    row =
        task.losses < kMostLosses ? execute_alone_or_not(task, &slot) : make_lost_row(study_, task);
    journal_.add(*row, task.attempt);
    ++executed_;
  } catch (const Interrupted&) {
    return std::nullopt;
  } catch (...) {
    is_failing_ = true;
    throw;
  }
  return row;
}

RunRow Process::execute_alone_or_not(const Task& task, Slot* slot) {
  // The last try is for this run alone, so that no other is blamed for what it does.
  std::shared_lock with_others(alone_, std::defer_lock);
  std::unique_lock alone(alone_, std::defer_lock);
  if (task.losses + 1 < kMostLosses) {
    with_others.lock();
  } else {
    alone.lock();
  }
  ExecuteOptions how;
  how.stop = &slot->stop;
  how.timed_out = &slot->timed_out;
  how.make_keeper = options_.make_keeper;
  if (study_.keeps_folders) {
    how.folder = (fs::path(options_.folder) / "runs" / fmt::format("{:06}", task.run)).string();
  }
  begin(task, slot);
  try {
    RunRow row = execute_run(study_, task.run, how);
    end(slot);
    return row;
  } catch (...) {
    leave(slot);
    end(slot);
    throw;
  }
}

void Process::finish() {
  stop_housekeeping();
  if (error_) std::rethrow_exception(error_);
  journal_.sync();
}

void Process::begin(const Task& task, Slot* slot) {
  journal_.begin_run(task.run, study_.outputs.size(), study_.curves.size(), task.attempt);
  const std::lock_guard lock(slot->guard);
  if (pthread_getcpuclockid(pthread_self(), &slot->clock) != 0) slot->clock = CLOCK_MONOTONIC;
  slot->task = task;
  slot->begin = read_clock(slot->clock);
  slot->stop = slot->timed_out = slot->has_left = false;
  slot->is_busy = true;
}

void Process::end(Slot* slot) {
  Journal::end_run();
  const std::lock_guard lock(slot->guard);
  slot->is_busy = false;
}

void Process::leave(Slot* slot) {
  const std::lock_guard lock(slot->guard);
  if (!slot->has_left) journal_.leave_run(slot->task.run, slot->task.attempt);
  slot->has_left = true;
}

void Process::look_at_slots() {
  const bool stops = should_stop();
  for (Slot& slot : slots_) {
    const std::lock_guard lock(slot.guard);
    if (!slot.is_busy || slot.stop) continue;
    if (read_clock(slot.clock) - slot.begin > study_.time_limit) {
      slot.timed_out = true;
      slot.stop = true;
    }
    if (!stops) continue;
    slot.stop = true;
    // At once: who stops a process often kills it a second later, whatever it is at.
    if (!slot.has_left) journal_.leave_run(slot.task.run, slot.task.attempt);
    slot.has_left = true;
  }
}

void Process::keep_house() {
  auto last = Clock::now();
  std::unique_lock lock(guard_);
  while (!ends_) {
    wake_.wait_for(lock, 100ms);
    lock.unlock();
    look_at_slots();
    if (Clock::now() - last > 500ms) {
      last = Clock::now();
      try {
        every_second_(journal_);
      } catch (...) {
        error_ = std::current_exception();
        is_failing_ = true;
        look_at_slots();
        lock.lock();
        return;
      }
    }
    lock.lock();
  }
}

void Process::stop_housekeeping() {
  {
    const std::lock_guard lock(guard_);
    ends_ = true;
  }
  wake_.notify_all();
  if (housekeeper_.joinable()) housekeeper_.join();
}

void work(Scheduler& scheduler, Process& process, int threads) {
  for_each_index(threads, threads, [&](int, int worker) {
    while (!process.should_stop()) {
      const auto task = scheduler.next();
      if (!task) return;
      const auto row = process.execute(*task, worker);
      if (!row) return;
      scheduler.note_finished(task->run, row->status);
    }
  });
}

}  // namespace vesica::studies
