// Turns about an axis and slides along it.
#pragma once

#include "vesica/multibody/joint.h"

namespace vesica {

template <>
struct JointKinematics<JointType::kCylindrical> : TableRates<JointType::kCylindrical> {
  template <class P, class T>
  static void calc_motion(const Joint<P>& joint, const T* q, const T*, JointMotion<T>* m) {
    const Vec3<T> axis = joint.axis.template cast<T>();
    m->X_FM.R_WB = calc_axis_rotation(axis, q[0]);
    m->X_FM.p_WB = axis * q[1];
    m->H[0] = {axis, detail::make_zero<T>()};
    m->H[1] = {detail::make_zero<T>(), axis};
  }
};

}  // namespace vesica
