// Derivatives of a whole run by numbers of its scene: initial states, masses, sizes, parameters of
// laws. The fixed-step methods run on dual numbers, so the result is the exact derivative of the
// discrete trajectory.
//
// Where a contact's touchdown moves from one step to the next, that discrete trajectory has a small
// kink of the size of the step; with restitution the remembered impact speed changes there too. The
// derivative on either side is exact, the jump between them shrinks with the step: `warnings` names
// the touchdowns that happened. With RunOptions::locates_events steps end at the events, whose
// times carry derivatives: the trajectory is smooth, jumps at touchdown and lift-off included.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/model/model.h"
#include "vesica/simulation/simulate.h"

namespace vesica {

struct SensitivityResult {
  std::vector<std::string> paths;
  double end_time = 0;
  std::vector<std::string> final_names;
  std::vector<std::vector<double>> final_derivatives;  // per path
  TimeTable recording;  // d(output)/d(path) for every recorded column and path
  long grazes = 0;      // located events without a derivative
  double cost = 0;      // wall time over that of one plain simulation
  std::vector<std::string> warnings;
};

// Throws InputError where a path names no number or comes twice, or the solver has no fixed step;
// RunError where the run fails, Interrupted where it is told to stop. Warnings are those of the run
// too.
SensitivityResult simulate_sensitivity(const Model& model, const RunOptions& options,
                                       const std::vector<std::string>& paths,
                                       const RunControl& control = {});

nlohmann::ordered_json make_sensitivity_json(const SensitivityResult& result);

}  // namespace vesica
