// One contact at many motions of body i, four at a time: for rollouts, sampling planners and fits
// that evaluate the same contact over a whole trajectory.
//
// The same templates as calc_contact, on the scalar Pack, so the result is that of calc_contact to
// rounding (a few 1e-14 of the wrench; tests/contact/batch_test.cpp). Structure of arrays:
// component k of every vector is one array with an entry per motion.
//
// Limits: a sphere or an ellipsoid (shape i) on a half-space (shape j), volumetric normal law, no,
// Brown-McPhee or Hollars friction; body j has one motion for the whole batch. calc_contact takes
// everything else.
#pragma once

#include <array>
#include <cstddef>

#include "vesica/contact/contact.h"

namespace vesica {

// Motions of body i in the world. A quaternion (w x y z) need not have unit length.
struct BatchMotions {
  std::size_t count = 0;
  std::array<const double*, 3> p_WI{};  // body origin [m]
  std::array<const double*, 4> q_WI{};
  std::array<const double*, 3> v_WI{};  // of the body origin [m/s]
  std::array<const double*, 3> w_WI{};  // [rad/s]
  // Closing speed at touchdown [m/s]; only a normal law with restitution reads it.
  const double* impact_speed = nullptr;
};

// The wrench on i in world axes, its moment about the origin of body i, where equations of motion
// take it. Entries of motions that do not touch are zero.
struct BatchWrenches {
  std::array<double*, 3> f_W{};       // [N]
  std::array<double*, 3> tau_Io_W{};  // [N m]
};

// Writes `motions.count` wrenches. Allocates nothing. Throws InputError where the contact is not
// one of the above or an array is missing.
void calc_contact_batch(const Contact<double>& contact, const BatchMotions& motions,
                        const Motion<double>& j, const BatchWrenches& wrenches);

}  // namespace vesica
