#include "vesica/studies/runner.h"

#include <fmt/format.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "vesica/io/file_error.h"
#include "vesica/io/output_file.h"
#include "vesica/math/parallel.h"
#include "vesica/studies/manifest.h"
#include "vesica/studies/scheduler.h"

namespace vesica::studies {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The run that a thread is at, and how it is stopped.
struct Slot {
  std::mutex guard;
  bool is_busy = false;
  clockid_t clock = CLOCK_MONOTONIC;
  double begin = 0;
  std::atomic<bool> stop = false, timed_out = false;
};

double read_clock(clockid_t clock) {
  timespec t = {};
  if (clock_gettime(clock, &t) != 0) return 0;
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// One process of a study: its journal, its threads, and a thread that keeps house (limits of time,
// the disk, the heartbeat, progress).
class Process {
 public:
  Process(const Study& study, const RunnerOptions& options, const std::string& worker, int threads,
          std::function<void(Journal&)> every_second)
      : study_(study),
        options_(options),
        journal_((fs::path(options.folder) / "journals" / (worker + ".journal")).string()),
        every_second_(std::move(every_second)),
        slots_(static_cast<size_t>(threads)),
        housekeeper_([this] { keep_house(); }) {}

  ~Process() { stop_housekeeping(); }

  // Executes, writes the journal; nothing where it was stopped.
  std::optional<RunRow> execute(std::uint64_t run, int attempt, int worker) {
    Slot& slot = slots_[static_cast<size_t>(worker)];
    begin(&slot);
    ExecuteOptions how;
    how.stop = &slot.stop;
    how.timed_out = &slot.timed_out;
    how.make_keeper = options_.make_keeper;
    if (study_.keeps_folders) {
      how.folder = (fs::path(options_.folder) / "runs" / fmt::format("{:06}", run)).string();
    }
    journal_.begin_run(run, study_.outputs.size(), study_.curves.size(), attempt);
    std::optional<RunRow> row;
    try {
      row = execute_run(study_, run, how);
      Journal::end_run();
      end(&slot);
      journal_.add(*row, attempt);
      ++executed_;
    } catch (const Interrupted&) {
      Journal::end_run();
      end(&slot);
      return std::nullopt;
    } catch (...) {
      Journal::end_run();
      end(&slot);
      is_failing_ = true;
      throw;
    }
    return row;
  }

  bool should_stop() const { return is_failing_ || (options_.stop != nullptr && *options_.stop); }
  void fail() { is_failing_ = true; }
  std::uint64_t executed() const { return executed_; }
  Journal& journal() { return journal_; }

  // Ends the house-keeping; what went wrong in it is thrown here.
  void finish() {
    stop_housekeeping();
    if (error_) std::rethrow_exception(error_);
    journal_.sync();
  }

 private:
  static void begin(Slot* slot) {
    const std::lock_guard lock(slot->guard);
    if (pthread_getcpuclockid(pthread_self(), &slot->clock) != 0) slot->clock = CLOCK_MONOTONIC;
    slot->begin = read_clock(slot->clock);
    slot->stop = slot->timed_out = false;
    slot->is_busy = true;
  }
  static void end(Slot* slot) {
    const std::lock_guard lock(slot->guard);
    slot->is_busy = false;
  }

  void look_at_slots() {
    const bool stops = should_stop();
    for (Slot& slot : slots_) {
      const std::lock_guard lock(slot.guard);
      if (!slot.is_busy || slot.stop) continue;
      if (stops) slot.stop = true;
      if (read_clock(slot.clock) - slot.begin > study_.time_limit) {
        slot.timed_out = true;
        slot.stop = true;
      }
    }
  }

  void keep_house() {
    auto last = Clock::now();
    std::unique_lock lock(guard_);
    while (!ends_) {
      wake_.wait_for(lock, 100ms);
      lock.unlock();
      look_at_slots();
      if (seconds_since(last) > 0.5) {
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
  void stop_housekeeping() {
    {
      const std::lock_guard lock(guard_);
      ends_ = true;
    }
    wake_.notify_all();
    if (housekeeper_.joinable()) housekeeper_.join();
  }

  const Study& study_;
  const RunnerOptions& options_;
  Journal journal_;
  std::function<void(Journal&)> every_second_;
  std::vector<Slot> slots_;
  std::atomic<bool> is_failing_ = false;
  std::atomic<std::uint64_t> executed_ = 0;
  std::mutex guard_;
  std::condition_variable wake_;
  bool ends_ = false;
  std::exception_ptr error_;
  std::thread housekeeper_;  // last: it uses all of the above
};

// Takes runs until there are none to take.
void work(Scheduler& scheduler, Process& process, int threads) {
  for_each_index(threads, threads, [&](int, int worker) {
    while (!process.should_stop()) {
      const auto run = scheduler.next();
      if (!run) return;
      const auto row = process.execute(*run, scheduler.attempt_of(*run), worker);
      if (!row) return;
      scheduler.note_finished(*run, row->status);
    }
  });
}

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

// --- MPI. Rank 0 begins with its worker's name and what it runs, or with the end. Rank r sends
// [finished run, status, ...] with a first word; rank 0 answers with runs and their attempts. A
// rank that cannot go on says why, and leaves.
enum Word : std::uint64_t { kAsk, kLeave, kRuns, kWait, kEnd, kOnDisk, kWhy };

void append_text(const std::string& text, std::vector<std::uint64_t>* words) {
  for (const char c : text) words->push_back(static_cast<unsigned char>(c));
}
// All after the first word.
std::string take_text(const std::vector<std::uint64_t>& words) {
  std::string text;
  for (size_t k = 1; k < words.size(); ++k) text += static_cast<char>(words[k]);
  return text;
}

// Above so many ranks the first has enough to do with the others' requests.
constexpr int kRanksWithScheduler = 16;

struct RankState {
  std::vector<std::uint64_t> handed;  // runs it has
  bool has_left = false, is_on_disk = false;
};

class Dispatcher {
 public:
  Dispatcher(MpiSession& mpi, Scheduler& scheduler, Process& process, int threads)
      : mpi_(mpi),
        scheduler_(scheduler),
        process_(process),
        threads_(threads),
        ranks_(static_cast<size_t>(mpi.size())) {}

  bool serve() {
    int from = 0;
    bool any = false;
    while (mpi_.receive(&from, &words_)) {
      any = true;
      RankState& rank = ranks_[static_cast<size_t>(from)];
      if (words_[0] == kOnDisk) {
        rank.is_on_disk = true;
        continue;
      }
      if (words_[0] == kWhy) {
        reasons_ += fmt::format("\n  rank {}: {}", from, take_text(words_));
        continue;
      }
      note_finished();
      if (words_[0] == kLeave) {
        rank.has_left = true;
        process_.fail();
      }
      answer(from);
    }
    return any;
  }
  bool is_everybody_on_disk() const {
    return std::all_of(ranks_.begin() + 1, ranks_.end(),
                       [](const RankState& r) { return r.is_on_disk; });
  }
  bool has_anybody_left() const {
    return std::any_of(ranks_.begin(), ranks_.end(), [](const RankState& r) { return r.has_left; });
  }
  const std::string& reasons() const { return reasons_; }  // of those that left
  void end() { ends_ = true; }
  // Somebody asked, and there was nothing to take.
  bool has_found_none() const { return has_found_none_; }
  // What went wrong in here.
  const std::exception_ptr& error() const { return error_; }

 private:
  void note_finished() {
    for (size_t k = 2; k + 1 < words_.size(); k += 2) {
      scheduler_.note_finished(words_[k], static_cast<Status>(words_[k + 1]));
      ++finished_;
    }
  }
  // As many as take a rank about 50 ms, so that messages cost nothing beside the runs; one at a
  // time towards the end.
  std::uint64_t choose_count() const {
    const double each = finished_ == 0
                            ? 1
                            : seconds_since(begin_) * static_cast<double>(ranks_.size()) /
                                  static_cast<double>(finished_);
    const std::uint64_t left =
        (scheduler_total_ - std::min(scheduler_total_, scheduler_.finished())) /
        (2 * ranks_.size());
    const auto by_time = static_cast<std::uint64_t>(std::clamp(0.05 / each, 1.0, 256.0));
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(threads_), std::min(by_time, left));
  }
  void take_runs(std::vector<std::uint64_t>* words) {
    const std::uint64_t count = choose_count();
    while ((words->size() - 1) / 2 < count) {
      const auto run = scheduler_.next();
      if (!run) break;
      words->push_back(*run);
      words->push_back(static_cast<std::uint64_t>(scheduler_.attempt_of(*run)));
    }
    if (words->size() > 1) return;
    has_found_none_ = true;
    // What others have, until they are done, or dead.
    if (seconds_since(last_look_) < 1) return;
    last_look_ = Clock::now();
    scheduler_.look_around();
  }
  void answer(int to) {
    std::vector<std::uint64_t> words = {kRuns};
    if (!ends_ && !process_.should_stop()) {
      try {
        take_runs(&words);
      } catch (...) {  // whoever asked gets an answer all the same
        error_ = std::current_exception();
        process_.fail();
      }
    }
    if (words.size() == 1) {
      const bool over = ends_ || process_.should_stop() || scheduler_.is_all_finished();
      words[0] = over ? kEnd : kWait;
    }
    mpi_.send(to, words);
  }

  MpiSession& mpi_;
  Scheduler& scheduler_;
  Process& process_;
  int threads_;
  std::vector<RankState> ranks_;
  std::vector<std::uint64_t> words_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_look_ = begin_;
  std::uint64_t finished_ = 0, scheduler_total_ = scheduler_.total();
  bool ends_ = false, has_found_none_ = false;
  std::string reasons_;
  std::exception_ptr error_;
};

void sleep_a_little() { std::this_thread::sleep_for(50us); }

std::string describe_error(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an unknown error";
  }
}

// What the first rank tells the others before they begin.
struct Hello {
  std::string worker, hash, study;  // the study as YAML
};

std::vector<std::uint64_t> make_hello_words(const Hello& hello) {
  std::vector<std::uint64_t> words = {kRuns};
  append_text(hello.worker + "\n" + hello.hash + "\n" + hello.study, &words);
  return words;
}

Hello read_hello(const std::vector<std::uint64_t>& words) {
  const std::string text = take_text(words);
  const size_t first = text.find('\n'), second = text.find('\n', first + 1);
  return {text.substr(0, first), text.substr(first + 1, second - first - 1),
          text.substr(second + 1)};
}

// Rows of ranks belong together only where all run the same, into the same folder.
void check_same_study(const Study& study, const RunnerOptions& options, const Hello& hello) {
  if (calc_study_hash(study, options.version) != hello.hash) {
    auto lines =
        list_differences(InputFile::parse(hello.study, "study of the first rank"), study.file);
    if (lines.empty()) lines.push_back("an input file, or the version of vesica");
    throw InputError(
        fmt::format("{}: is not what the first rank runs:\n  {}\ngive all ranks the same study",
                    study.file.name(), fmt::join(lines, "\n  ")));
  }
  // Names of files may come late over a network.
  std::error_code code;
  const fs::path file = fs::path(options.folder) / "workers" / hello.worker;
  for (int k = 0; k < 50 && !fs::exists(file, code); ++k) std::this_thread::sleep_for(100ms);
  if (!fs::exists(file, code)) {
    throw InputError(fmt::format(
        "{}: is not the folder of the first rank; give all ranks the same --out, on a disk that "
        "all machines share",
        options.folder));
  }
}

void send_reason(MpiSession& mpi, const std::string& why) {
  std::vector<std::uint64_t> words = {kWhy};
  append_text(why, &words);
  mpi.send(0, words);
}

// Any rank but the first.
StudyOutcome work_as_rank(const Study& study, const RunnerOptions& options, int threads) {
  MpiSession& mpi = *options.mpi;
  int from = 0;
  std::vector<std::uint64_t> words;
  const auto wait = [&] {
    while (!mpi.receive(&from, &words)) sleep_a_little();
  };
  wait();  // until the first rank has made the folder
  if (words[0] == kEnd) return {};
  std::unique_ptr<Process> process;
  std::exception_ptr error;
  try {
    const Hello hello = read_hello(words);
    check_same_study(study, options, hello);
    process =
        std::make_unique<Process>(study, options, fmt::format("{}.{}", hello.worker, mpi.rank()),
                                  threads, [](Journal& journal) { journal.sync(); });
  } catch (...) {
    error = std::current_exception();
  }
  std::vector<std::uint64_t> report = {kAsk, 0};
  while (true) {
    if (error || process->should_stop()) report[0] = kLeave;
    if (error) send_reason(mpi, describe_error(error));
    mpi.send(0, report);
    wait();
    if (words[0] == kEnd) break;
    report = {kAsk, 0};
    if (words[0] == kWait) {
      std::this_thread::sleep_for(100ms);
      continue;
    }
    const size_t count = (words.size() - 1) / 2;
    std::vector<std::optional<Status>> ended(count);
    try {
      std::atomic<size_t> next = 0;
      for_each_index(threads, threads, [&](int, int worker) {
        for (size_t k = next++; k < count && !process->should_stop(); k = next++) {
          const auto row =
              process->execute(words[1 + 2 * k], static_cast<int>(words[2 + 2 * k]), worker);
          if (row) ended[k] = row->status;
        }
      });
    } catch (...) {
      error = std::current_exception();
    }
    for (size_t k = 0; k < count; ++k) {
      if (!ended[k]) continue;
      report.push_back(words[1 + 2 * k]);
      report.push_back(static_cast<std::uint64_t>(*ended[k]));
    }
  }
  StudyOutcome outcome;
  if (process) {
    try {
      outcome.executed = process->executed();
      process->finish();
    } catch (...) {
      if (!error) error = std::current_exception();
    }
  }
  mpi.send(0, {kOnDisk});
  if (error) std::rethrow_exception(error);
  return outcome;
}

// The first rank: answers the others, and works itself in threads of its own where they are few.
void dispatch(const Study& study, const RunnerOptions& options, const Worker& worker,
              Scheduler& scheduler, Process& process, int threads) {
  MpiSession& mpi = *options.mpi;
  const auto hello =
      make_hello_words({worker.name(), calc_study_hash(study, options.version), study.file.dump()});
  for (int r = 1; r < mpi.size(); ++r) mpi.send(r, hello);
  Dispatcher dispatcher(mpi, scheduler, process, threads);
  std::exception_ptr error;
  std::atomic<bool> works = mpi.size() < kRanksWithScheduler;
  std::thread own;
  if (works) {
    own = std::thread([&] {
      try {
        do {
          work(scheduler, process, threads);
          if (process.should_stop() || scheduler.is_all_finished()) break;
          std::this_thread::sleep_for(100ms);
          scheduler.look_around();
        } while (options.waits);
      } catch (...) {
        error = std::current_exception();
        process.fail();
      }
      works = false;
    });
  }
  while (!dispatcher.is_everybody_on_disk()) {
    const bool over = !works && (process.should_stop() || scheduler.is_all_finished() ||
                                 (!options.waits && dispatcher.has_found_none()));
    if (over) dispatcher.end();
    if (!dispatcher.serve()) sleep_a_little();
  }
  if (own.joinable()) own.join();
  if (error) std::rethrow_exception(error);
  if (dispatcher.error()) std::rethrow_exception(dispatcher.error());
  if (dispatcher.has_anybody_left() && !(options.stop != nullptr && *options.stop)) {
    throw RunError(
        fmt::format("a rank has stopped; what is finished is kept, the same command goes on{}",
                    dispatcher.reasons()));
  }
}

void make_folders(const Study& study, const RunnerOptions& options) {
  try_folder(options.folder);
  settle_folder(study, options.version, options.folder);
  std::error_code code;
  const fs::path journals = fs::path(options.folder) / "journals";
  fs::create_directories(journals, code);
  if (code)
    throw FileError(fmt::format("{}: cannot be made: {}", journals.string(), code.message()));
}

}  // namespace

bool leave_study(MpiSession& mpi, const std::string& why) {
  if (mpi.rank() == 0) {
    for (int r = 1; r < mpi.size(); ++r) mpi.send(r, {kEnd});
    return true;
  }
  int from = 0;
  std::vector<std::uint64_t> words;
  const auto wait = [&] {
    while (!mpi.receive(&from, &words)) sleep_a_little();
  };
  wait();
  if (words[0] == kEnd) return false;
  send_reason(mpi, why);
  mpi.send(0, {kLeave, 0});
  wait();
  mpi.send(0, {kOnDisk});
  return true;
}

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
  std::vector<int> attempts(study.runs(), -1);
  reader.read_new([&](const JournalEntry& entry, const JournalReader::Where&) {
    const std::uint64_t run = entry.row.run;
    if (run >= state.size() || entry.attempt <= attempts[run]) return;  // as in the table
    attempts[run] = entry.attempt;
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
