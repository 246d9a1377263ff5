// Constants that a motion does not hold and that have left what a body can be: a joint centre half
// a metre from its segment fits nearly as well as the right one where two segments hardly move in
// each other, and residuals of soft tissue decide. Such a place is no minimum to report.
#pragma once

#include <string>
#include <vector>

#include "vesica/markers/identify.h"

namespace vesica::markers {

// Parameters without a prior that ended more than 20 cm, 60 deg or a factor of two from where the
// functional fits and the model begin, and the others of their joint or marker.
std::vector<int> find_runaways(const Identification& id, const std::vector<Trial>& trials);

// Weak priors for them, as the start has: 5 cm, 0.3 rad or 30 % about where they begin.
void hold_parameters(const std::vector<int>& parameters, const std::vector<Trial>& trials,
                     Model& model);

}  // namespace vesica::markers
