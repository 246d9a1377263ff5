// What the ground does to a foot that moves as it was measured (inverse simulation), with the
// derivatives that fits need.
//
// A frame's load is the sum over ellipsoids of f = k V (1 + alpha c), at their centres of pressure
// (rolling resistance included), as calc_contact_forces gives it: normal force N, and the moments
// N x, N y from which the centre of pressure follows. Friction is left out: an inverse simulation
// with a law of the velocity cannot tell it (Brown 5.3.3), because a measured foot that sticks has
// the noise of its measurement as speed.
//
// The ground is the plane z = 0 of the world W, z up.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "vesica/biomechanics/foot.h"
#include "vesica/contact/friction_force.h"

namespace vesica {

// One instant of a foot: its own motion, and its joints'.
struct FootFrame {
  double time = 0;
  Motion<double> foot;         // X_WF, V_WF
  std::vector<double> angles;  // one per joint [rad]
  std::vector<double> rates;   // [rad/s]
};

// N, N x, N y: zero without contact.
using FootLoad = Eigen::Vector3d;

FootLoad calc_foot_load(const FootModel& foot, const FootFrame& frame);
// Of one ellipsoid.
FootLoad calc_ellipsoid_load(const FootModel& foot, int ellipsoid, const FootFrame& frame);

// The motion of a segment; 0 is the foot's own.
Motion<double> calc_foot_segment(const FootModel& foot, const FootFrame& frame, int segment);

// What a friction law under an ellipsoid is given: load, slip at the centre of pressure, spin. No
// load without contact.
FrictionInput<double> calc_friction_input(const FootModel& foot, int ellipsoid,
                                          const FootFrame& frame);

// Derivatives of a frame's load.
struct FootColumns {
  static constexpr int kPerEllipsoid = 9;  // radii, position, angles
  Eigen::Vector3d by_stiffness, by_damping;
  Eigen::Matrix<double, 3, Eigen::Dynamic> by_ellipsoids;  // kPerEllipsoid each
  // By the foot's motion: position and rotation vector of its origin, its velocity, its spin (W).
  Eigen::Matrix<double, 3, 12> by_motion;
  Eigen::Matrix<double, 3, Eigen::Dynamic> by_angles, by_rates;  // a column per joint

  explicit FootColumns(const FootModel& foot);
};
// Writes all columns and returns the load. Allocates nothing.
FootLoad calc_foot_load(const FootModel& foot, const FootFrame& frame, FootColumns* columns);

// Imposed force: the height of the foot at which it carries `force` [N], everything else as in the
// frame, at rest (damping has no part in it: a measured force does not hang on the measured speed
// of a height that is not used). Only the height is solved for, so the centre of pressure that
// follows does not hang on the 80 N that a millimetre is worth. The result is the height to add to
// the frame's own [m]. Throws InputError for a force that is not positive or beyond what the
// wholly immersed foot carries.
double find_lift(const FootModel& foot, const FootFrame& frame, double force);

}  // namespace vesica
