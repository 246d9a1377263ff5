#pragma once

#include "vesica/report/motion_trial.h"

namespace vesica::app {

// A table for a terminal of 80 columns.
void print_trial(const TrialView& view);

}  // namespace vesica::app
