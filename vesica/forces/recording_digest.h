// Which recording it is, whatever its file is called: for saying what a model has seen.
#pragma once

#include <string>

#include "vesica/io/motion_data.h"

namespace vesica::forces {

// Sixteen hexadecimal digits: of the number of frames, and how far apart pelvis and heels are on
// average, to 0.1 mm. So copies that were written with other digits, or moved, or turned into other
// axes, have the same. A part of a recording has another one.
std::string calc_recording_digest(const MarkerTracks& markers);

}  // namespace vesica::forces
