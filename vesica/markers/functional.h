// Functional first values of joint centres and axes, from the relative motion of two segments that
// both have three or more markers (motion/functional_joint.h).
#pragma once

#include "vesica/markers/all_frames.h"

namespace vesica::markers {

// Sets the start values of centre coordinates and axis angles that are parameters, where the frames
// tell enough. Centres solve R_P c_P + p_P = R_C c_C + p_C in least squares over all frames,
// nearest to the present start where that leaves freedom (along a hinge). Axes are what relative
// rotations leave in place.
void fit_joints(const AllFrames& frames, Model& model);

// The two angles of an Axis that make it point along `direction` (segment frame).
void set_axis_direction(const Axis& axis, const Vec3d& direction, double angles[2]);

}  // namespace vesica::markers
