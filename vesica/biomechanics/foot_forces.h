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

Motion<double> calc_segment_motion(const FootModel& foot, const FootFrame& frame, int segment);
// The ellipsoid as a body whose origin is its centre.
Motion<double> calc_ellipsoid_motion(const FootEllipsoid& e, const Motion<double>& segment);

// N, N x, N y: zero without contact.
using FootLoad = Eigen::Vector3d;

FootLoad calc_foot_load(const FootModel& foot, const FootFrame& frame);
// Of one ellipsoid.
FootLoad calc_ellipsoid_load(const FootModel& foot, int ellipsoid, const FootFrame& frame);

// What a friction law under an ellipsoid is given: load, slip at the centre of pressure, spin. No
// load without contact.
FrictionInput<double> calc_friction_input(const FootModel& foot, int ellipsoid,
                                          const FootFrame& frame);

// The numbers that a frame's load and pressure hang on, in the order of their columns.
class FootOrder {
 public:
  static constexpr int kStiffness = 0, kDamping = 1;
  static constexpr int kPerEllipsoid = 9;  // radii, position, angles

  explicit FootOrder(const FootModel& foot)
      : ellipsoids_(static_cast<int>(foot.ellipsoids.size())),
        joints_(static_cast<int>(foot.joints.size())) {}
  int ellipsoid(int k) const { return 2 + kPerEllipsoid * k; }
  // The foot's motion: position and rotation vector of its origin, its velocity, its spin (W).
  int motion() const { return ellipsoid(ellipsoids_); }
  int angle(int joint) const { return motion() + 12 + joint; }
  int rate(int joint) const { return motion() + 12 + joints_ + joint; }
  int contact() const { return motion(); }  // numbers of the foot itself
  int size() const { return motion() + 12 + 2 * joints_; }

 private:
  int ellipsoids_ = 0, joints_ = 0;
};

// Derivatives of a frame's load.
struct FootColumns {
  FootOrder order;
  Eigen::Matrix<double, 3, Eigen::Dynamic> all;
  Eigen::Matrix<double, 16, Eigen::Dynamic> chain;  // scratch

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
