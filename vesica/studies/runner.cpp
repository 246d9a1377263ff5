#include "vesica/studies/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>
#include <unordered_map>

#include "vesica/io/output_file.h"
#include "vesica/math/parallel.h"
#include "vesica/studies/manifest.h"
#include "vesica/studies/process.h"
#include "vesica/studies/ranks.h"

namespace vesica::studies {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// Progress over all workers, and the marks of what is on disk.
class Keeper {
 public:
  Keeper(const Study& study, const RunnerOptions& options, const Worker& worker,
         Scheduler& scheduler)
      : study_(study), options_(options), worker_(worker), scheduler_(scheduler) {}

  void keep(Journal& journal) {
    worker_.beat();
    const auto blocks = scheduler_.list_finished_blocks();
    journal.sync();
    scheduler_.mark_done(blocks);
    if (++count_ % 4 == 0) {
      workers_ = worker_.count_alive() + extra_ranks_;
      if (workers_ > 1 + extra_ranks_) scheduler_.look_around();
    }
    report();
  }
  void report() {
    if (!options_.progress) return;
    const std::uint64_t finished = scheduler_.finished();
    StudyProgress p{study_.runs(), finished, scheduler_.not_done(), workers_, -1};
    const double seconds = seconds_since(begin_);
    if (finished > first_ && seconds > 1) {
      p.seconds_left = seconds * static_cast<double>(study_.runs() - finished) /
                       static_cast<double>(finished - first_);
    }
    options_.progress(p);
  }
  void add_ranks(int ranks) {
    extra_ranks_ = ranks;
    workers_ = 1 + ranks;
  }

 private:
  const Study& study_;
  const RunnerOptions& options_;
  const Worker& worker_;
  Scheduler& scheduler_;
  Clock::time_point begin_ = Clock::now();
  std::uint64_t first_ = scheduler_.finished();
  int workers_ = 1, extra_ranks_ = 0;
  long count_ = 0;
};

void make_folders(const Study& study, const RunnerOptions& options) {
  try_folder(options.folder);
  settle_folder(study, options.version, options.folder);
  make_folder((fs::path(options.folder) / "journals").string());
}

}  // namespace

StudyOutcome run_study(const Study& study, const RunnerOptions& options) {
  const bool has_ranks = options.mpi != nullptr && options.mpi->size() > 1;
  const int threads = has_ranks ? std::max(1, options.threads) : calc_thread_count(options.threads);
  if (has_ranks && options.mpi->rank() > 0) return work_as_rank(study, options, threads);

  StudyOutcome outcome;
  std::unique_ptr<Worker> worker;
  std::unique_ptr<Scheduler> scheduler;
  std::unique_ptr<Keeper> keeper;
  std::unique_ptr<Process> process;
  try {
    make_folders(study, options);
    worker = std::make_unique<Worker>(options.folder);
    scheduler = std::make_unique<Scheduler>(study, options.folder, *worker, options.retries);
    keeper = std::make_unique<Keeper>(study, options, *worker, *scheduler);
    if (has_ranks) keeper->add_ranks(options.mpi->size() - 1);
    process = std::make_unique<Process>(study, options, worker->name(), threads,
                                        [&](Journal& journal) { keeper->keep(journal); });
  } catch (...) {
    if (has_ranks) leave_study(*options.mpi, "");
    throw;
  }
  if (has_ranks) {
    dispatch(study, options, *worker, *scheduler, *process, threads);
  } else {
    while (true) {
      work(*scheduler, *process, threads);
      if (process->should_stop() || scheduler->is_all_finished() || !options.waits) break;
      // Others have what is left: until they are done, or dead.
      std::this_thread::sleep_for(200ms);
      scheduler->look_around();
    }
  }
  outcome.executed = process->executed();
  process->finish();
  keeper->keep(process->journal());
  outcome.interrupted = options.stop != nullptr && *options.stop;
  // In this order: who leaves last finds nobody else, and all that the others have finished.
  const int others = worker->leave();
  scheduler->look_around();
  outcome.complete = scheduler->is_all_finished();
  outcome.finished = scheduler->finished();
  // Of several that stop half-way the last one says what there is; a whole table is never replaced
  // by a part.
  if (outcome.complete || others == 0) {
    outcome.counts = write_table(study, options.version, options.folder, worker->name());
  }
  return outcome;
}

std::vector<RunRow> run_in_memory(const Study& study, int threads, const std::atomic<bool>* stop) {
  std::vector<RunRow> rows(study.runs());
  for_each_index(static_cast<int>(rows.size()), calc_thread_count(threads), [&](int run, int) {
    ExecuteOptions how;
    how.stop = stop;
    rows[static_cast<size_t>(run)] = execute_run(study, static_cast<std::uint64_t>(run), how);
  });
  return rows;
}

StudyProgress look_at_folder(const Study& study, const std::string& folder) {
  JournalReader reader((fs::path(folder) / "journals").string());
  std::vector<std::int8_t> state(study.runs(), -1);
  std::unordered_map<std::uint64_t, int> attempts;  // but the first
  reader.read_new([&](const JournalEntry& entry, const JournalReader::Where&) {
    const std::uint64_t run = entry.row.run;
    if (entry.kind != JournalEntry::Kind::kFinished || run >= state.size()) return;
    const auto last = attempts.find(run);
    const int known = state[run] < 0 ? -1 : last == attempts.end() ? 0 : last->second;
    if (entry.attempt <= known) return;  // as in the table
    if (entry.attempt > 0) attempts[run] = entry.attempt;
    state[run] = static_cast<std::int8_t>(entry.row.status);
  });
  StudyProgress p;
  p.runs = study.runs();
  for (const std::int8_t s : state) {
    p.finished += s >= 0;
    p.not_done += s > 0;
  }
  p.workers = count_workers(folder);
  return p;
}

}  // namespace vesica::studies
