// One process of a study: its journal, its threads, and a thread that keeps house (limits of time,
// the disk, the heartbeat, progress). Internal to studies/.
#pragma once

#include <time.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "vesica/studies/runner.h"
#include "vesica/studies/scheduler.h"

namespace vesica::studies {

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class Process {
 public:
  Process(const Study& study, const RunnerOptions& options, const std::string& worker, int threads,
          std::function<void(Journal&)> every_second);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Executes, writes the journal; nothing where it was stopped. A task that has taken its process
  // with it too often is a row without being executed.
  std::optional<RunRow> execute(const Task& task, int worker);

  bool should_stop() const { return is_failing_ || (options_.stop != nullptr && *options_.stop); }
  void fail() { is_failing_ = true; }
  std::uint64_t executed() const { return executed_; }
  Journal& journal() { return journal_; }

  // Ends the house-keeping; what went wrong in it is thrown here.
  void finish();

 private:
  // The run that a thread is at, and how it is stopped.
  struct Slot {
    std::mutex guard;
    bool is_busy = false;
    Task task;
    clockid_t clock = CLOCK_MONOTONIC;
    double begin = 0;
    bool has_left = false;  // the journal says that this run is not to be blamed
    std::atomic<bool> stop = false, timed_out = false;
  };

  void begin(const Task& task, Slot* slot);
  static void end(Slot* slot);
  void leave(Slot* slot);
  void look_at_slots();
  void keep_house();
  void stop_housekeeping();
  RunRow execute_alone_or_not(const Task& task, Slot* slot);

  const Study& study_;
  const RunnerOptions& options_;
  Journal journal_;
  std::function<void(Journal&)> every_second_;
  std::vector<Slot> slots_;
  std::shared_mutex alone_;  // shared by runs as usual; a suspect has it for itself
  std::atomic<bool> is_failing_ = false;
  std::atomic<std::uint64_t> executed_ = 0;
  std::mutex guard_;
  std::condition_variable wake_;
  bool ends_ = false;
  std::exception_ptr error_;
  std::thread housekeeper_;  // last: it uses all of the above
};

// Takes runs until there are none to take.
void work(Scheduler& scheduler, Process& process, int threads);

}  // namespace vesica::studies
