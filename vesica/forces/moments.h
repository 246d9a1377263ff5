// Sagittal moments of ankle, knee and hip from a foot's force and the walk: from the foot upwards.
//
// Internal moments, what the joint does to the segment below it, about the axis to the right of the
// walk: M = sum of [(s - c) x m (a - g) + I w'] over the segments below - (p - c) x F - T.
// Segments as in walk.h; radii of gyration of de Leva 1996. Motion and forces below
// 6 Hz, both, as vesica markers has them.
#pragma once

#include <array>
#include <vector>

#include "vesica/forces/predict.h"

namespace vesica::forces {

enum SagittalJoint { kAnkle, kKnee, kHip, kJoints };
const char* name_of_joint(int joint);  // ankle_dorsiflexion, knee_flexion, hip_flexion

// [joint][frame], N m; positive in the direction of the name.
using LegMoments = std::array<std::vector<double>, kJoints>;
LegMoments calc_leg_moments(const Walk& walk, int side, double mass, const Track& force,
                            const std::vector<Vec2d>& pressure, double floor_height);

// rms over a stance of the difference from the moments with the measured force, % of their peak.
std::array<double, kJoints> calc_moment_errors(const Walk& walk, const MeasuredStance& measured,
                                               double mass, const FootForces& foot,
                                               double floor_height);

}  // namespace vesica::forces
