// Runs a study: on the threads of this process, on the ranks of an MPI job, beside other processes
// that share the folder; goes on where earlier ones were stopped.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <string>

#include "vesica/studies/execute.h"
#include "vesica/studies/mpi.h"
#include "vesica/studies/table.h"

namespace vesica::studies {

// Where the study stands, over all workers.
struct StudyProgress {
  std::uint64_t runs = 0, finished = 0, not_done = 0;
  int workers = 1;           // processes that are alive, ranks counted one by one
  double seconds_left = -1;  // by the pace since this process began; negative: not known yet
};

struct RunnerOptions {
  std::string folder;
  std::string version;
  int threads = 0;       // 0: all cores; under MPI 1 a rank
  bool retries = false;  // what failed, timed out or did not converge, once more
  bool waits = true;     // for others that have what is left; false: ends then
  const std::atomic<bool>* stop = nullptr;
  MakeKeeper make_keeper{};
  std::function<void(const StudyProgress&)> progress{};  // about twice a second
  MpiSession* mpi = nullptr;                             // null: not under MPI
};

struct StudyOutcome {
  bool complete = false, interrupted = false;
  std::uint64_t finished = 0;  // by all
  std::uint64_t executed = 0;  // by this process
  TableCounts counts;          // of the table; where it is not complete, of what there is
};

// Leaves journals, and the table where all runs are finished (or this process was the last to
// stop). Throws InputError where the folder belongs to another study, FileError where it cannot be
// written. Under MPI only rank 0 has the table.
StudyOutcome run_study(const Study& study, const RunnerOptions& options);

// For a rank that does not get as far as run_study (it cannot read the study): the others end, and
// the first says why. False: the first did not get there either, and says so itself.
bool leave_study(MpiSession& mpi, const std::string& why);

// All runs in this process, one after the other or on threads, and nothing on disk: for callers
// that have a handful of runs. Rows by run.
std::vector<RunRow> run_in_memory(const Study& study, int threads, const std::atomic<bool>* stop);

// How it stands, from the folder alone.
StudyProgress look_at_folder(const Study& study, const std::string& folder);

}  // namespace vesica::studies
