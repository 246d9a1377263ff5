// A study on the ranks of an MPI job. Internal to studies/: runner.cpp calls it.
#pragma once

#include "vesica/studies/process.h"

namespace vesica::studies {

// Any rank but the first: asks, executes, reports, until it is told to end.
StudyOutcome work_as_rank(const Study& study, const RunnerOptions& options, int threads);

// The first rank: answers the others, and works itself in threads of its own where they are few.
// RunError, with the reasons, where a rank could not go on.
void dispatch(const Study& study, const RunnerOptions& options, const Worker& worker,
              Scheduler& scheduler, Process& process, int threads);

}  // namespace vesica::studies
