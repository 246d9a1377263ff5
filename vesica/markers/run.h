// One whole fit: checks, technical frames, identification, confidence, errors, warnings.
#pragma once

#include "vesica/markers/outputs.h"

namespace vesica::markers {

// Fills everything of `run` after model and trials. Throws InputError on data that cannot be used.
void run_identification(Run& run, const Options& options);

}  // namespace vesica::markers
