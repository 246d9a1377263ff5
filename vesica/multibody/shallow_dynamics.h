// Forward dynamics of a tree that is none: every body hangs on the world by a joint of its own, or
// moves freely, and carries nothing. A mass on a guide, a disc in a plane, several of them; each
// has a mass matrix of its own, of a rigid body about its mass centre, and no articulated inertias
// are passed on. The same accelerations as articulated bodies give (dynamics.h), to rounding; those
// of the bodies (data->acceleration) are not written.
//
// Why it is worth a path of its own: for one body on a planar joint it halves what the equations of
// motion cost, on dual numbers (Jacobians) to a third.
#pragma once

#include "vesica/multibody/dynamics.h"

namespace vesica {

template <class P>
bool is_shallow(const Tree<P>& tree) {
  for (const auto& body : tree.bodies()) {
    if (body.joint.type == JointType::kGiven) continue;
    if (body.joint.parent >= 0 || body.has_children) return false;
  }
  return true;
}

namespace detail {

// The speeds first .. first + count - 1 of a body, which no others couple with: A u' = right, A =
// H^T U. Columns that slide have no w (joint_table.h).
template <class T>
void solve_speeds(int first, int count, bool slide, const SpatialMotion<T>* H,
                  const SpatialForce<T>* U, const T* right, T* u_rates) {
  T A[kMaxSpeeds * kMaxSpeeds];
  for (int k = 0; k < count; ++k) {
    const SpatialMotion<T>& column = H[first + k];
    for (int m = 0; m <= k; ++m) {
      const SpatialForce<T>& load = U[first + m];
      A[k * kMaxSpeeds + m] = slide ? T(column.v.dot(load.f)) : dot(column, load);
    }
  }
  factor_ldl(count, A);
  T* const x = u_rates + first;
  for (int k = 0; k < count; ++k) {
    x[k] = right[first + k];
    for (int m = 0; m < k; ++m) x[k] -= A[k * kMaxSpeeds + m] * x[m];
  }
  for (int k = count - 1; k >= 0; --k) {
    x[k] *= A[k * kMaxSpeeds + k];
    for (int m = k + 1; m < count; ++m) x[k] -= A[m * kMaxSpeeds + k] * x[m];
  }
}

template <class P, class T>
void calc_joint_rates(const TreeBody<P>& body, size_t b, const Wrench<T>& F, const T* tau,
                      T* u_rates, TreeData<T>* data) {
  const JointType type = body.joint.type;
  const auto& H = data->H[b];
  auto& U = data->U[b];
  auto& right = data->rest[b];
  const Motion<T>& motion = data->motions[b];
  const Vec3<T> torque = F.tau_W - calc_gyroscopic_torque(body.inertia, motion);
  const P& mass = body.inertia.mass;
  int turning = -1, slides = 0;  // the first that turns, and how many slide
  for (int k = 0; k < body.nu; ++k) {
    right[k] = tau[k];
    U[k] = SpatialForce<T>::zero();
    if (speed_is_angular(type, k)) {
      if (turning < 0) turning = k;
      U[k].tau = body.inertia.round ? Vec3<T>(H[k].w * T(body.inertia.I_B(0, 0)))
                                    : calc_world_inertia(body.inertia, motion.X_WB.R_WB) * H[k].w;
      right[k] += H[k].w.dot(torque);
    } else {
      ++slides;
    }
    if (body.is_off_joint || !speed_is_angular(type, k)) {
      U[k].f = H[k].v * mass;
      right[k] += H[k].v.dot(F.f_W);
    }
    if (data->has_bias[b]) right[k] -= dot(data->bias[b], U[k]);
  }
  if (body.is_off_joint) {
    solve_speeds(0, body.nu, false, H.data(), U.data(), right.data(), u_rates);
    return;
  }
  // About the mass centre sliding and turning are apart, and each kind stands together in the
  // table.
  const int turns = body.nu - slides, first_slide = turning == 0 ? turns : 0;
  if (type == JointType::kPlanar || type == JointType::kFree) {
    for (int k = first_slide; k < first_slide + slides; ++k) {
      u_rates[k] = right[k] * body.inertia.inverse_mass;  // along axes of a frame
    }
  } else if (slides > 0) {
    solve_speeds(first_slide, slides, true, H.data(), U.data(), right.data(), u_rates);
  }
  if (turns > 0) solve_speeds(turning, turns, false, H.data(), U.data(), right.data(), u_rates);
}

}  // namespace detail

// u' [nu], for a tree that is shallow.
template <class P, class T>
void calc_shallow_dynamics(const Tree<P>& tree, const std::vector<Wrench<T>>& wrenches,
                           const T* tau, T* u_rates, TreeData<T>* data) {
  for (size_t b = 0; b < tree.bodies().size(); ++b) {
    const auto& body = tree.bodies()[b];
    if (body.nu == 0) continue;
    const T* load = tau + body.u_start;
    T* a = u_rates + body.u_start;
    if (!body.is_lone) {
      detail::calc_joint_rates(body, b, wrenches[b], load, a, data);
      continue;
    }
    const Motion<T>& m = data->motions[b];
    const Vec3<T> alpha =
        calc_angular_acceleration(body.inertia, m.X_WB.R_WB, m.V_WB.w_WB,
                                  Vec3<T>(wrenches[b].tau_W + Vec3<T>(load[3], load[4], load[5])));
    for (int k = 0; k < 3; ++k) {
      a[k] = (wrenches[b].f_W[k] + load[k]) * body.inertia.inverse_mass;
      a[3 + k] = alpha[k];
    }
  }
}

}  // namespace vesica
