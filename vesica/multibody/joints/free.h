// Every motion.
#pragma once

#include "vesica/multibody/joint.h"

namespace vesica {

template <>
struct JointKinematics<JointType::kFree> : TableRates<JointType::kFree> {
  template <class P, class T>
  static void calc_motion(const Joint<P>&, const T* q, const T*, JointMotion<T>* m) {
    m->X_FM = make_pose(Quaternion<T>{q[3], q[4], q[5], q[6]}, Vec3<T>(q[0], q[1], q[2]));
    for (int k = 0; k < 3; ++k) {
      m->H[k] = {detail::make_zero<T>(), detail::make_unit<T>(k)};
      m->H[3 + k] = {detail::make_unit<T>(k), detail::make_zero<T>()};
    }
  }
};

}  // namespace vesica
