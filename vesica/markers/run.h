// One whole fit: checks, technical frames, identification, confidence, errors, warnings.
#pragma once

#include "vesica/markers/outputs.h"

namespace vesica::markers {

// Fills everything of `run` after model and trials. Throws InputError on data that cannot be used.
void run_identification(Run& run, const Options& options);

// Gait events of a recording, for the report's plots.
void add_events(const MotionTrial& motion, const std::string& trial, Run& run);

}  // namespace vesica::markers
