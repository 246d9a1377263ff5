// The motion of a joint by its type: the one place where types part.
#pragma once

#include <utility>

#include "vesica/multibody/joints/cylindrical.h"
#include "vesica/multibody/joints/free.h"
#include "vesica/multibody/joints/planar.h"
#include "vesica/multibody/joints/prismatic.h"
#include "vesica/multibody/joints/revolute.h"
#include "vesica/multibody/joints/spherical.h"
#include "vesica/multibody/joints/universal.h"
#include "vesica/multibody/joints/weld.h"

namespace vesica {
namespace detail {

// f(JointKinematics<type>{}). The comparisons are with consecutive constants: compilers make the
// jump table of a switch of them.
template <class F, size_t... row>
void visit_joint(JointType type, const F& f, std::index_sequence<row...>) {
  static_cast<void>(
      ((type == joint_rows()[row].type ? (f(JointKinematics<joint_rows()[row].type>{}), true)
                                       : false) ||
       ...));
}
template <class F>
void visit_joint(JointType type, const F& f) {
  visit_joint(type, f, std::make_index_sequence<joint_rows().size()>{});
}

}  // namespace detail

template <class P, class T>
void calc_joint_motion(const Joint<P>& joint, const T* q, const T* u, JointMotion<T>* m) {
  m->X_FM.p_WB = detail::make_zero<T>();
  m->has_bias = false;
  detail::visit_joint(joint.type, [&](auto kinematics) { kinematics.calc_motion(joint, q, u, m); });
}

// q' from q and u.
template <class T>
void calc_coordinate_rates(JointType type, const T* q, const T* u, T* rates) {
  detail::visit_joint(type, [&](auto kinematics) { kinematics.calc_rates(q, u, rates); });
}

}  // namespace vesica
