// A model, run.
#pragma once

#include "vesica/model/model.h"
#include "vesica/simulation/simulate.h"

namespace vesica {

// Makes the system, checks its start, and runs it as the model says. Throws InputError where the
// model cannot be run; what goes wrong on the way is in the result.
RunResult simulate(const Model& model, const RunControl& control = {});

}  // namespace vesica
