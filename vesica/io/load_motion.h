// Any motion file by its name.
#pragma once

#include <string>

#include "vesica/io/motion_data.h"

namespace vesica {

// By extension: .trc, .mot, .sto, .c3d, .csv (a table over time, or a pressure film if it begins
// so), .lst (emed), .asf (F-Scan). InputError for any other.
MotionTrial load_motion(const std::string& path);

}  // namespace vesica
