// Turns about a point.
#pragma once

#include "vesica/multibody/joint.h"

namespace vesica {

template <>
struct JointKinematics<JointType::kSpherical> : TableRates<JointType::kSpherical> {
  template <class P, class T>
  static void calc_motion(const Joint<P>&, const T* q, const T*, JointMotion<T>* m) {
    m->X_FM.R_WB = as_rotation(Quaternion<T>{q[0], q[1], q[2], q[3]});
    for (int k = 0; k < 3; ++k) m->H[k] = {detail::make_unit<T>(k), detail::make_zero<T>()};
  }
};

}  // namespace vesica
