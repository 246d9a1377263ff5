// Where a subject walks to.
#pragma once

#include "vesica/io/motion_data.h"
#include "vesica/motion/gait_events.h"

namespace vesica {

// Horizontal: the way of the pelvis between the first and the last frame in which any one of its
// markers is seen, if that is half a metre; else (a treadmill, a static trial) where the toes point
// from the heels, on average over the frames that show both. Zero where neither tells.
Vec3d find_heading(const MarkerTracks& markers, const GaitMarkers& gait, const Vec3d& up);

}  // namespace vesica
