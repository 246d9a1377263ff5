// Slides along an axis.
#pragma once

#include "vesica/multibody/joint.h"

namespace vesica {

template <>
struct JointKinematics<JointType::kPrismatic> : TableRates<JointType::kPrismatic> {
  template <class P, class T>
  static void calc_motion(const Joint<P>& joint, const T* q, const T*, JointMotion<T>* m) {
    const Vec3<T> axis = joint.axis.template cast<T>();
    m->X_FM.R_WB.setIdentity();
    m->X_FM.p_WB = axis * q[0];
    m->H[0] = {detail::make_zero<T>(), axis};
  }
};

}  // namespace vesica
