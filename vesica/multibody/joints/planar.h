// Slides in the plane of F's x and y, and turns about z.
#pragma once

#include "vesica/multibody/joint.h"

namespace vesica {

template <>
struct JointKinematics<JointType::kPlanar> : TableRates<JointType::kPlanar> {
  template <class P, class T>
  static void calc_motion(const Joint<P>&, const T* q, const T*, JointMotion<T>* m) {
    m->X_FM.R_WB = calc_axis_rotation(detail::make_unit<T>(2), q[2]);
    m->X_FM.p_WB = Vec3<T>(q[0], q[1], T(0));
    m->H[0] = {detail::make_zero<T>(), detail::make_unit<T>(0)};
    m->H[1] = {detail::make_zero<T>(), detail::make_unit<T>(1)};
    m->H[2] = {detail::make_unit<T>(2), detail::make_zero<T>()};
  }
};

}  // namespace vesica
