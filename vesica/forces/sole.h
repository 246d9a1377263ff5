// Contact with the force imposed: the foot's height is solved so that a sole of seven springs and a
// toe carries the force that is given, and the centre of pressure is read off. Nothing is fitted.
//
// f_j = k max(0, D - y_j)^2 with y_j the heights of the sole's points above the floor and D found
// so that they carry what the toe does not: the sensitivity of contact to millimetres of height (80
// N/mm) is gone. The square is the volume of a sphere's cap to leading order.
//
// What it cannot know: the shape of this person's sole, and a toe that is not bent with the foot.
#pragma once

#include "vesica/forces/walk.h"

namespace vesica::forces {

// The centre of pressure (x, z of H) for a vertical force in body weights.
Vec2d calc_sole_pressure(const Walk& walk, const Body& body, int side, size_t frame, double force);

}  // namespace vesica::forces
