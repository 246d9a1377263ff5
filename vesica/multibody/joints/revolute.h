// Turns about an axis.
#pragma once

#include "vesica/multibody/joint.h"

namespace vesica {

template <>
struct JointKinematics<JointType::kRevolute> : TableRates<JointType::kRevolute> {
  template <class P, class T>
  static void calc_motion(const Joint<P>& joint, const T* q, const T*, JointMotion<T>* m) {
    const Vec3<T> axis = joint.axis.template cast<T>();
    m->X_FM.R_WB = calc_axis_rotation(axis, q[0]);
    m->H[0] = {axis, detail::make_zero<T>()};
  }
};

}  // namespace vesica
