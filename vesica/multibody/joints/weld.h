// No motion.
#pragma once

#include "vesica/multibody/joint.h"

namespace vesica {

template <>
struct JointKinematics<JointType::kWeld> : TableRates<JointType::kWeld> {
  template <class P, class T>
  static void calc_motion(const Joint<P>&, const T*, const T*, JointMotion<T>* m) {
    m->X_FM.R_WB.setIdentity();
  }
};

}  // namespace vesica
