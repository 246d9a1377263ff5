// From an ellipsoid's own motion to the numbers of the foot that carries it: poses, velocities and
// the chain rule. Internal to biomechanics/.
#pragma once

#include "vesica/biomechanics/foot_forces.h"

namespace vesica::foot_chain {

// What an ellipsoid's contact hangs on, besides the stiffness in which it is linear: position of
// its centre, rotation vector, velocity of the centre, spin (all W), radii, damping.
inline constexpr int kPosition = 0, kRotation = 3, kVelocity = 6, kSpin = 9, kRadii = 12,
                     kDamping = 15, kDirections = 16;

// Derivatives of the directions of an ellipsoid by the columns of FootOrder, the stiffness left
// out. `chain` has kDirections rows and a column each.
void calc_chain(const FootModel& foot, const FootFrame& frame, int ellipsoid,
                Eigen::Matrix<double, kDirections, Eigen::Dynamic>* chain);

}  // namespace vesica::foot_chain
