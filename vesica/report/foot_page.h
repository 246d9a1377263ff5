// The page of a foot study: verdicts, errors beside placebo and mean curve, curves of every stance,
// the ellipsoids under the foot as it moves, parameters.
#pragma once

#include <string>

#include "vesica/identification/foot_study.h"

namespace vesica {

std::string make_foot_page(const FootStudy& study, const std::string& subtitle);

}  // namespace vesica
