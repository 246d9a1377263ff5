// Equations of motion of a tree.
//
//   forward   articulated bodies (Featherstone's method): u' from forces, O(bodies)
//   inverse   Newton-Euler: generalised forces from u', O(bodies)
//   mass matrix by composite bodies, O(bodies depth)
//   Jacobians, energies
// Wrenches on the bodies are taken at their origins, in world axes, gravity included; tau are
// generalised forces on the speeds. All functions work on data filled by calc_tree_motions, for the
// same tree, and allocate nothing.
//
// Why articulated bodies and not the mass matrix with Cholesky: see docs/theory/multibody.md, where
// both are timed; they agree to rounding (tests/multibody).
#pragma once

#include <Eigen/Core>

#include "vesica/multibody/tree.h"

namespace vesica {

template <class T>
using MatrixX = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

// Articulated inertias and the factors at the joints; from the pose alone.
template <class P, class T>
void factor_tree(const Tree<P>& tree, TreeData<T>* data);

// u' [nu] and data->acceleration, after factor_tree. Driven joints follow their signals.
template <class P, class T>
void calc_forward_dynamics(const Tree<P>& tree, const std::vector<Wrench<T>>& wrenches,
                           const T* tau, T* u_rates, TreeData<T>* data);

// M^-1 tau, after factor_tree: the response of u' to a generalised force [nu].
template <class P, class T>
void calc_response(const Tree<P>& tree, const T* tau, T* u_rates, TreeData<T>* data);

// The generalised forces [nu] that bring about u' [nu] under the wrenches. Leaves the force that
// each joint transmits to its body in data->force, and that of drives in data->drive_torque.
template <class P, class T>
void calc_inverse_dynamics(const Tree<P>& tree, const std::vector<Wrench<T>>& wrenches,
                           const T* u_rates, T* tau, TreeData<T>* data);

// M [nu x nu], sized by the caller.
template <class P, class T>
void calc_mass_matrix(const Tree<P>& tree, TreeData<T>* data, MatrixX<T>* M);

// Spin (rows 0-2) and velocity (3-5) of a point fixed on a body, by u; [6 x nu], sized by the
// caller. p_WQ: where the point is now.
template <class P, class T>
void calc_jacobian(const Tree<P>& tree, const TreeData<T>& data, int body, const Vec3<T>& p_WQ,
                   MatrixX<T>* J);

template <class P, class T>
T calc_kinetic_energy(const Tree<P>& tree, const TreeData<T>& data) {
  T energy(0);
  for (size_t b = 0; b < tree.bodies().size(); ++b) {
    if (tree.bodies()[b].joint.type == JointType::kGiven) continue;
    energy += calc_kinetic_energy(tree.bodies()[b].inertia, data.motions[b]);
  }
  return energy;
}

namespace detail {

// L D L^T of the symmetric n x n matrix in `a` (row by row, lower triangle used): L below the
// diagonal, 1/D on it.
template <class T>
void factor_ldl(int n, T* a) {
  for (int c = 0; c < n; ++c) {
    T* row = a + c * kMaxSpeeds;
    for (int k = 0; k < c; ++k) {
      T sum = row[k];
      for (int m = 0; m < k; ++m) sum -= row[m] * a[k * kMaxSpeeds + m];
      row[k] = sum;  // L D for now
    }
    T pivot = row[c];
    for (int k = 0; k < c; ++k) {
      const T l = row[k] * a[k * kMaxSpeeds + k];
      pivot -= l * row[k];
      row[k] = l;
    }
    row[c] = T(1) / pivot;
  }
}

// Inertia of the body alone, in world axes.
template <class P, class T>
Symmetric3<T> calc_world_inertia(const FreeBody<P>& body, const Mat3<T>& R_WB) {
  if (body.round) return Symmetric3<T>::identity(T(body.I_B(0, 0)));
  const Mat3<T> RI = R_WB * body.I_B.template cast<T>();
  auto entry = [&](int i, int j) { return T(RI.row(i).dot(R_WB.row(j))); };
  return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
}

// w x I w: what keeps the spin of a body alone.
template <class P, class T>
Vec3<T> calc_gyroscopic_torque(const FreeBody<P>& body, const Motion<T>& m) {
  if (body.round) return Vec3<T>(T(0), T(0), T(0));
  const Vec3<T> w_B = m.X_WB.R_WB.transpose() * m.V_WB.w_WB;
  return m.V_WB.w_WB.cross(m.X_WB.R_WB * (body.I_B.template cast<T>() * w_B));
}

template <class P>
bool is_solved(const TreeBody<P>& body) {
  return body.joint.type != JointType::kGiven && !body.is_lone;
}

// Inward: what the part of the tree outboard of each joint asks for. data->force holds the bodies'
// own bias on entry, and that of the articulated bodies afterwards.
template <class P, class T>
void sweep_inward(const Tree<P>& tree, const T* tau, bool with_bias, TreeData<T>* data) {
  for (int b = tree.size() - 1; b >= 0; --b) {
    const auto& body = tree.body(b);
    if (!is_solved(body)) continue;
    const auto at = static_cast<size_t>(b);
    const SpatialForce<T>& p = data->force[at];
    std::array<T, kMaxSpeeds>& z = data->rest[at];
    const std::array<T, kMaxSpeeds* kMaxSpeeds>& L = data->L[at];
    for (int k = 0; k < body.nu; ++k) {
      z[k] = tau[body.u_start + k] - dot(data->H[at][k], p);
      for (int m = 0; m < k; ++m) z[k] -= L[k * kMaxSpeeds + m] * z[m];
    }
    const bool has_bias = with_bias && data->has_bias[at];
    if (has_bias) {
      for (int k = 0; k < body.nu; ++k) z[k] -= dot(data->bias[at], data->U[at][k]);
    }
    const bool ends_here = body.joint.parent < 0 || body.on_moving_base;
    if (ends_here) continue;
    SpatialForce<T> passed = p;
    if (has_bias) passed += data->inertia[at] * data->bias[at];
    for (int k = 0; k < body.nu; ++k) {
      passed += data->U[at][k] * T(z[k] * L[k * kMaxSpeeds + k]);
    }
    data->force[static_cast<size_t>(body.joint.parent)] += shift_force(passed, data->r[at]);
  }
}

// Outward: accelerations.
template <class P, class T>
void sweep_outward(const Tree<P>& tree, bool with_bias, T* u_rates, TreeData<T>* data) {
  for (size_t b = 0; b < tree.bodies().size(); ++b) {
    const auto& body = tree.bodies()[b];
    if (!is_solved(body)) continue;
    SpatialMotion<T>& a = data->acceleration[b];
    const bool on_world = body.joint.parent < 0;
    if (!on_world) {
      a = shift_motion(data->acceleration[static_cast<size_t>(body.joint.parent)], data->r[b]);
    }
    T* rates = u_rates + body.u_start;
    const auto& L = data->L[b];
    for (int k = 0; k < body.nu; ++k) {
      T z = data->rest[b][k];
      if (!on_world) z -= dot(a, data->U[b][k]);
      rates[k] = z * L[k * kMaxSpeeds + k];
    }
    for (int k = body.nu - 1; k >= 0; --k) {
      for (int m = 0; m < k; ++m) rates[m] -= L[k * kMaxSpeeds + m] * rates[k];
    }
    if (on_world) a = SpatialMotion<T>::zero();
    if (with_bias && data->has_bias[b]) a += data->bias[b];
    for (int k = 0; k < body.nu; ++k) a += data->H[b][k] * rates[k];
  }
}

template <class P, class T>
void set_given_accelerations(const Tree<P>& tree, TreeData<T>* data) {
  for (size_t b = 0; b < tree.bodies().size(); ++b) {
    if (tree.bodies()[b].joint.type == JointType::kGiven) {
      data->acceleration[b] = data->given_acceleration[b];
    }
  }
}

}  // namespace detail

template <class P, class T>
void factor_tree(const Tree<P>& tree, TreeData<T>* data) {
  for (size_t b = 0; b < tree.bodies().size(); ++b) {
    const auto& body = tree.bodies()[b];
    if (!detail::is_solved(body)) continue;
    data->inertia[b] = SpatialInertia<T>::rigid(
        detail::calc_world_inertia(body.inertia, data->motions[b].X_WB.R_WB), T(body.inertia.mass));
  }
  for (int b = tree.size() - 1; b >= 0; --b) {
    const auto& body = tree.body(b);
    if (!detail::is_solved(body)) continue;
    const auto at = static_cast<size_t>(b);
    auto& U = data->U[at];
    T* L = data->L[at].data();
    const T mass(body.inertia.mass);
    for (int k = 0; k < body.nu; ++k) {
      const SpatialMotion<T>& H = data->H[at][k];
      // What carries nothing is still a rigid body about its mass centre.
      U[k] = body.has_children ? data->inertia[at] * H
                               : SpatialForce<T>{data->inertia[at].J * H.w, H.v * mass};
    }
    for (int k = 0; k < body.nu; ++k) {
      for (int m = 0; m <= k; ++m) L[k * kMaxSpeeds + m] = dot(data->H[at][k], U[m]);
    }
    detail::factor_ldl(body.nu, L);
    // L^-1 U from here on: the sweeps need nothing else.
    for (int k = 0; k < body.nu; ++k) {
      for (int m = 0; m < k; ++m) U[k] += U[m] * T(-L[k * kMaxSpeeds + m]);
    }
    if (body.joint.parent < 0 || body.on_moving_base) continue;
    SpatialInertia<T> passed = data->inertia[at];
    for (int k = 0; k < body.nu; ++k) passed.subtract_outer(U[k], L[k * kMaxSpeeds + k]);
    data->inertia[static_cast<size_t>(body.joint.parent)] += shift_inertia(passed, data->r[at]);
  }
}

template <class P, class T>
void calc_forward_dynamics(const Tree<P>& tree, const std::vector<Wrench<T>>& wrenches,
                           const T* tau, T* u_rates, TreeData<T>* data) {
  for (size_t b = 0; b < tree.bodies().size(); ++b) {
    const auto& body = tree.bodies()[b];
    if (body.joint.type == JointType::kGiven) continue;
    const Motion<T>& m = data->motions[b];
    const Wrench<T>& F = wrenches[b];
    if (body.is_lone) {
      const T* load = tau + body.u_start;
      T* a = u_rates + body.u_start;
      const Vec3<T> alpha =
          calc_angular_acceleration(body.inertia, m.X_WB.R_WB, m.V_WB.w_WB,
                                    Vec3<T>(F.tau_W + Vec3<T>(load[3], load[4], load[5])));
      for (int k = 0; k < 3; ++k) {
        a[k] = (F.f_W[k] + load[k]) * body.inertia.inverse_mass;
        a[3 + k] = alpha[k];
      }
      data->acceleration[b] = {alpha, Vec3<T>(a[0], a[1], a[2])};
      continue;
    }
    data->force[b] = {detail::calc_gyroscopic_torque(body.inertia, m) - F.tau_W, -F.f_W};
  }
  if (!tree.has_joints()) return;
  detail::set_given_accelerations(tree, data);
  detail::sweep_inward(tree, tau, true, data);
  detail::sweep_outward(tree, true, u_rates, data);
}

template <class P, class T>
void calc_response(const Tree<P>& tree, const T* tau, T* u_rates, TreeData<T>* data) {
  for (size_t b = 0; b < tree.bodies().size(); ++b) {
    const auto& body = tree.bodies()[b];
    data->force[b] = SpatialForce<T>::zero();
    if (body.joint.type == JointType::kGiven) data->acceleration[b] = SpatialMotion<T>::zero();
    if (!body.is_lone) continue;
    const T* load = tau + body.u_start;
    T* a = u_rates + body.u_start;
    const Mat3<T>& R = data->motions[b].X_WB.R_WB;
    const Vec3<T> torque_B = R.transpose() * Vec3<T>(load[3], load[4], load[5]);
    const Vec3<T> alpha = R * (body.inertia.I_B_inverse.template cast<T>() * torque_B);
    for (int k = 0; k < 3; ++k) {
      a[k] = load[k] * body.inertia.inverse_mass;
      a[3 + k] = alpha[k];
    }
  }
  detail::sweep_inward(tree, tau, false, data);
  detail::sweep_outward(tree, false, u_rates, data);
}

template <class P, class T>
void calc_inverse_dynamics(const Tree<P>& tree, const std::vector<Wrench<T>>& wrenches,
                           const T* u_rates, T* tau, TreeData<T>* data) {
  detail::set_given_accelerations(tree, data);
  for (size_t b = 0; b < tree.bodies().size(); ++b) {
    const auto& body = tree.bodies()[b];
    data->force[b] = SpatialForce<T>::zero();
    if (body.joint.type == JointType::kGiven) continue;
    const T* rates = u_rates + body.u_start;
    SpatialMotion<T>& a = data->acceleration[b];
    if (body.is_lone) {
      a = {Vec3<T>(rates[3], rates[4], rates[5]), Vec3<T>(rates[0], rates[1], rates[2])};
    } else {
      a = data->has_bias[b] ? data->bias[b] : SpatialMotion<T>::zero();
      if (body.joint.parent >= 0) {
        a += shift_motion(data->acceleration[static_cast<size_t>(body.joint.parent)], data->r[b]);
      }
      for (int k = 0; k < body.nu; ++k) a += data->H[b][k] * rates[k];
    }
    const Motion<T>& m = data->motions[b];
    const Vec3<T> I_alpha = detail::calc_world_inertia(body.inertia, m.X_WB.R_WB) * a.w;
    data->force[b] = {I_alpha + detail::calc_gyroscopic_torque(body.inertia, m) - wrenches[b].tau_W,
                      a.v * T(body.inertia.mass) - wrenches[b].f_W};
  }
  for (int b = tree.size() - 1; b >= 0; --b) {
    const auto& body = tree.body(b);
    if (body.joint.type == JointType::kGiven) continue;
    const auto at = static_cast<size_t>(b);
    const SpatialForce<T>& F = data->force[at];
    T* load = tau + body.u_start;
    if (body.is_lone) {
      for (int k = 0; k < 3; ++k) {
        load[k] = F.f[k];
        load[3 + k] = F.tau[k];
      }
      continue;
    }
    for (int k = 0; k < body.nu; ++k) load[k] = dot(data->H[at][k], F);
    for (size_t k = 0; k < body.joint.drive.size(); ++k) {
      data->drive_torque[at][k] = dot(data->H[at][k], F);
    }
    if (body.joint.parent >= 0 && !body.on_moving_base) {
      data->force[static_cast<size_t>(body.joint.parent)] += shift_force(F, data->r[at]);
    }
  }
}

template <class P, class T>
void calc_mass_matrix(const Tree<P>& tree, TreeData<T>* data, MatrixX<T>* M) {
  M->setConstant(T(0));
  for (size_t b = 0; b < tree.bodies().size(); ++b) {
    const auto& body = tree.bodies()[b];
    if (body.joint.type == JointType::kGiven) continue;
    const Symmetric3<T> I = detail::calc_world_inertia(body.inertia, data->motions[b].X_WB.R_WB);
    const T mass(body.inertia.mass);
    if (body.is_lone) {
      M->block(body.u_start, body.u_start, 3, 3).diagonal().setConstant(mass);
      M->block(body.u_start + 3, body.u_start + 3, 3, 3) = I.matrix();
    } else {
      data->inertia[b] = SpatialInertia<T>::rigid(I, mass);
    }
  }
  for (int b = tree.size() - 1; b >= 0; --b) {
    const auto& body = tree.body(b);
    if (!detail::is_solved(body)) continue;
    const auto at = static_cast<size_t>(b);
    if (body.joint.parent >= 0 && !body.on_moving_base) {
      data->inertia[static_cast<size_t>(body.joint.parent)] +=
          shift_inertia(data->inertia[at], data->r[at]);
    }
    for (int k = 0; k < body.nu; ++k) {
      SpatialForce<T> F = data->inertia[at] * data->H[at][k];
      const int column = body.u_start + k;
      for (int m = 0; m <= k; ++m) {
        const T entry = dot(data->H[at][m], F);
        (*M)(body.u_start + m, column) = entry;
        (*M)(column, body.u_start + m) = entry;
      }
      int inner = b;
      for (int a = body.joint.parent; a >= 0; inner = a, a = tree.body(a).joint.parent) {
        const auto& ancestor = tree.body(a);
        if (ancestor.joint.type == JointType::kGiven) break;
        F = shift_force(F, data->r[static_cast<size_t>(inner)]);
        for (int m = 0; m < ancestor.nu; ++m) {
          const T entry = dot(data->H[static_cast<size_t>(a)][m], F);
          (*M)(ancestor.u_start + m, column) = entry;
          (*M)(column, ancestor.u_start + m) = entry;
        }
      }
    }
  }
}

template <class P, class T>
void calc_jacobian(const Tree<P>& tree, const TreeData<T>& data, int body, const Vec3<T>& p_WQ,
                   MatrixX<T>* J) {
  J->setConstant(T(0));
  for (int b = body; b >= 0; b = tree.body(b).joint.parent) {
    const auto& link = tree.body(b);
    if (link.joint.type == JointType::kGiven) break;
    const Vec3<T> r = p_WQ - data.motions[static_cast<size_t>(b)].X_WB.p_WB;
    for (int k = 0; k < link.nu; ++k) {
      SpatialMotion<T> column;
      if (link.is_lone) {
        column = SpatialMotion<T>::zero();
        (k < 3 ? column.v[k] : column.w[k - 3]) = T(1);
      } else {
        column = data.H[static_cast<size_t>(b)][k];
      }
      column = shift_motion(column, r);
      for (int d = 0; d < 3; ++d) {
        (*J)(d, link.u_start + k) = column.w[d];
        (*J)(3 + d, link.u_start + k) = column.v[d];
      }
    }
  }
}

}  // namespace vesica
