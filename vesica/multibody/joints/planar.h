// Slides in the plane of F's x and y, and turns about z.
#pragma once

#include "vesica/multibody/joint.h"

namespace vesica {

template <>
struct JointKinematics<JointType::kPlanar> : TableRates<JointType::kPlanar> {
  template <class P, class T>
  static void calc_motion(const Joint<P>&, const T* q, const T*, JointMotion<T>* m) {
    using std::cos;
    using std::sin;
    const T c = cos(q[2]), s = sin(q[2]), none(0), one(1);
    m->X_FM.R_WB << c, -s, none, s, c, none, none, none, one;
    m->X_FM.p_WB = Vec3<T>(q[0], q[1], T(0));
    m->H[0] = {detail::make_zero<T>(), detail::make_unit<T>(0)};
    m->H[1] = {detail::make_zero<T>(), detail::make_unit<T>(1)};
    m->H[2] = {detail::make_unit<T>(2), detail::make_zero<T>()};
  }
};

}  // namespace vesica
