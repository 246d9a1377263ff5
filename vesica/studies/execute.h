// One run of a study: from its number to its row. A function of the study, its inputs and the
// number alone.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "vesica/simulation/simulate.h"
#include "vesica/studies/study.h"

namespace vesica::studies {

enum class Status { kDone, kFailed, kNotConverged, kTimedOut };
std::string_view name_of(Status status);
std::optional<Status> find_status(std::string_view name);

struct RunRow {
  std::uint64_t run = 0;
  Status status = Status::kDone;
  std::string reason;              // one line; empty where it is done
  std::vector<std::string> cells;  // of the outputs
  std::vector<std::vector<double>> curves;
  double seconds = 0;                   // of processor time: not of the table
  std::vector<std::string> warnings{};  // of a run that has outputs
};

// Writes the folder of a run of `simulate`: report/run_writer.h behind it, which this room does not
// see.
class RunKeeper {
 public:
  virtual ~RunKeeper() = default;
  virtual RunObserver* observer() = 0;
  virtual void finish(const RunResult& result) = 0;
};
using MakeKeeper = std::function<std::unique_ptr<RunKeeper>(
    const std::string& folder, const System<double>& system, const RunOptions& options,
    const InputFile& scene)>;

struct ExecuteOptions {
  const std::atomic<bool>* stop = nullptr;  // ends this run: `Interrupted` unless it timed out
  const std::atomic<bool>* timed_out = nullptr;
  std::string folder{};  // for what the run leaves; empty: nothing
  MakeKeeper make_keeper{};
};

// Throws Interrupted where it is stopped, FileError where its folder cannot be written, InputError
// where an input of the study is no longer what it was; everything else that goes wrong is a row
// with its reason.
RunRow execute_run(const Study& study, std::uint64_t run, const ExecuteOptions& options);

// The input of a run, as its reader gets it; the options of markers in a file of their own.
struct RunInput {
  InputFile file;
  std::optional<InputFile> options;
};
RunInput make_run_input(const Study& study,
                        const std::vector<std::pair<std::string, std::string>>& settings);

// What a reader says of an entry that was set, in words of a study: it speaks of --set, which
// nobody typed here.
std::string without_setting(std::string message);

// Reads an input as its command would, and computes next to nothing. Throws InputError.
void check_run_input(const Study& study, const RunInput& input);

// What a run leaves, in shape: names and paths, from as little computing as that takes. Calls
// `look` with it.
void probe_run(const Study& study, std::uint64_t run,
               const std::function<void(const RunLeavings&)>& look);

// The keys of `of: {markers: ...}` that are not the model's.
const std::vector<std::string_view>& marker_option_keys();

}  // namespace vesica::studies
