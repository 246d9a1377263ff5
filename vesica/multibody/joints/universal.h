// Turns about an axis of F, then about a second one that the first turn carries along.
#pragma once

#include "vesica/multibody/joint.h"

namespace vesica {

template <>
struct JointKinematics<JointType::kUniversal> : TableRates<JointType::kUniversal> {
  template <class P, class T>
  static void calc_motion(const Joint<P>& joint, const T* q, const T* u, JointMotion<T>* m) {
    const Vec3<T> axis = joint.axis.template cast<T>();
    const Vec3<T> second = joint.axis2.template cast<T>();
    const Mat3<T> R1 = calc_axis_rotation(axis, q[0]);
    m->X_FM.R_WB = R1 * calc_axis_rotation(second, q[1]);
    m->H[0] = {axis, detail::make_zero<T>()};
    m->H[1] = {R1 * second, detail::make_zero<T>()};
    m->bias = {axis.cross(m->H[1].w) * T(u[0] * u[1]), detail::make_zero<T>()};
    m->has_bias = true;
  }
};

}  // namespace vesica
