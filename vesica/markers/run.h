// One whole fit: checks, technical frames, identification, confidence, errors, warnings.
#pragma once

#include "vesica/markers/outputs.h"

namespace vesica::markers {

struct RunOptions : Options {
  int every = 1;                  // constants from every N-th frame of each trial
  bool estimate_weights = false;  // weights from the noise of each marker
};

// Fills everything of `run` after model and trials. Throws InputError on data that cannot be used.
void run_identification(Run& run, const RunOptions& options);

}  // namespace vesica::markers
