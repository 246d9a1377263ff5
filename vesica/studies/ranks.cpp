// The MPI half of the runner: the first rank hands out runs on request, the others work.
#include "vesica/studies/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "vesica/math/parallel.h"
#include "vesica/studies/manifest.h"

namespace vesica::studies {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// --- MPI. Rank 0 begins with its worker's name and what it runs, or with the end. Rank r sends
// [finished run, status, ...] with a first word; rank 0 answers with runs, their attempts and
// losses. A rank that cannot go on says why, and leaves.
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
  // As many as take a rank about 100 ms, so that messages cost nothing beside the runs; one at a
  // time towards the end.
  std::uint64_t choose_count() const {
    const double each = finished_ == 0
                            ? 1
                            : seconds_since(begin_) * static_cast<double>(ranks_.size()) /
                                  static_cast<double>(finished_);
    const std::uint64_t left =
        (scheduler_total_ - std::min(scheduler_total_, scheduler_.finished())) /
        (2 * ranks_.size());
    const auto by_time = static_cast<std::uint64_t>(std::clamp(0.1 / each, 1.0, 256.0));
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(threads_), std::min(by_time, left));
  }
  void take_runs(std::vector<std::uint64_t>* words) {
    const std::uint64_t count = choose_count();
    while ((words->size() - 1) / 3 < count) {
      const auto task = scheduler_.next();
      if (!task) break;
      words->insert(words->end(), {task->run, static_cast<std::uint64_t>(task->attempt),
                                   static_cast<std::uint64_t>(task->losses)});
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

// Between looks for messages. Ranks ask about every 100 ms, so that half a millisecond of waiting
// is nothing to them, and looking takes little from the runs beside it.
void sleep_a_little() { std::this_thread::sleep_for(300us); }

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

}  // namespace

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
    const size_t count = (words.size() - 1) / 3;
    std::vector<std::optional<Status>> ended(count);
    try {
      std::atomic<size_t> next = 0;
      for_each_index(threads, threads, [&](int, int worker) {
        for (size_t k = next++; k < count && !process->should_stop(); k = next++) {
          const std::uint64_t* at = &words[1 + 3 * k];
          const auto row =
              process->execute({at[0], static_cast<int>(at[1]), static_cast<int>(at[2])}, worker);
          if (row) ended[k] = row->status;
        }
      });
    } catch (...) {
      error = std::current_exception();
    }
    for (size_t k = 0; k < count; ++k) {
      if (!ended[k]) continue;
      report.push_back(words[1 + 3 * k]);
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

}  // namespace vesica::studies
