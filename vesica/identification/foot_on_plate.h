// Whether a plate saw one foot alone: two feet on one plate are noticed by where the load acts.
//
// The centre of pressure of one foot lies under its outline; that of two lies between them. The
// plate's corners are not needed (files with forces alone have none).
#pragma once

#include <string>

#include "vesica/identification/foot_trials.h"

namespace vesica {

// Empty where the load stays under the foot; else what is odd, in words. Looked at are frames above
// 100 N; the outline is that of the markers with 6 cm behind the heel, 12 cm ahead of the ball, 5
// cm to the sides; a twentieth of the frames may lie outside (noise, toe-off).
std::string find_second_foot(const FootStance& stance, const FootShape& shape);

}  // namespace vesica
