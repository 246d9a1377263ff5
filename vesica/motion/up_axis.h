// Which way is up in a recording, by all that tells it.
#pragma once

#include <string>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/motion/gait_events.h"

namespace vesica {

struct UpAxis {
  Vec3d axis = Vec3d::UnitY();
  std::string name;         // "+y", ...
  bool is_certain = false;  // told by the user, by plates or by the data
  std::vector<std::string> warnings;
};

// `told` (x, y, z, -x, ...) decides where it is given. Else plates tell the line, as floors are
// level, and witnesses the sense along it: the side of the plates on which the markers are (weight
// 3), the pelvis against the feet (2), the order of the plates' corners (1.5 together), the spread
// of markers above the ground (1, io/motion_checks.h) and POINT:Y_SCREEN of a C3D (1). Without
// plates the markers tell, else the pelvis and the feet, else Y_SCREEN, else the habit of the
// format. A witness that says otherwise is named in the warnings. Throws InputError where `told` is
// no axis.
UpAxis find_up(const MotionTrial& trial, const GaitMarkers& gait, const std::string& told);

}  // namespace vesica
