// From the shared volume and the motion to the wrench: the one function that every contact goes
// through. The equations are those of docs/theory/contact.md.
//
//   c, v_t, w_n                       kinematics at the centroid
//   f_n = k V (1 + alpha c)           normal law
//   delta = -(k alpha/f_n) M_t (n x w)   shift of the centre of pressure = rolling resistance
//   f_t = -drag(f_n, |v|) v           friction, slip taken at the centre of pressure
//   tau_n = -drag_spin w_n            spinning
// which is the exact integral of the linearly damped Winkler foundation for friction linear in the
// slip, but for the third moment of the depth field (zero for a patch that is symmetric about its
// centroid).
#pragma once

#include <algorithm>
#include <type_traits>

#include "vesica/contact/brown_mcphee.h"
#include "vesica/contact/kinematics.h"
#include "vesica/contact/volumetric_normal.h"
#include "vesica/interference/overlap.h"

namespace vesica {

// Where a source approximates; the first of each is exact and the default.
enum class RollingTensor { kFlattened, kVolume, kSurface };  // J_t, J_v, J_s (4.33-4.36, 4.67)
enum class ApplyAt { kSurface, kCentroid };
enum class Coupling { kFull, kNone };

struct ContactOptions {
  RollingTensor rolling_tensor = RollingTensor::kFlattened;
  ApplyAt apply_at = ApplyAt::kSurface;
  Coupling coupling = Coupling::kFull;
};

template <class T>
struct ContactForces {
  Wrench<T> F_Ic_W;  // on i, moment about the centroid p_WC; j gets the opposite about that point
  Vec3<T> p_WC;
  Vec3<T> p_WP;  // centre of pressure, on the contact surface

  NormalForce<T> normal;
  T closing_speed;
  Vec3<T> f_t;    // friction
  Vec3<T> slip;   // the velocity it opposes
  T spin_torque;  // about n
  T spin;         // w_n
  Vec3<T> tau_roll;
  Vec3<T> w;  // relative spin

  // 1 + alpha c at the edge of a paraboloid patch with this second moment, where rolling lowers it
  // most: below zero the closed forms let the foundation pull there. Only for T = double.
  double edge_factor = 1;
};

template <class T, class A, class B, class Normal, class Friction>
ContactForces<T> calc_contact_forces(const Overlap<T>& o, const Motion<A>& i, const Motion<B>& j,
                                     const Normal& normal_law, const Friction& friction_law,
                                     const ContactOptions& options,
                                     const ContactMemory<T>& memory) {
  using std::sqrt;
  ContactForces<T> r;
  r.p_WC = o.p_WC;
  const Mask<T> touching = o.volume > T(0);
  const Vec3<T>& n = o.n_W;
  const auto kinematics = calc_kinematics(i, j, o.p_WC, n);
  r.closing_speed = kinematics.closing_speed;
  r.w = kinematics.w;
  r.spin = kinematics.w_n;
  const Vec3<T> p_CS = n * o.plane_offset;
  r.p_WP = o.p_WC + p_CS;
  if (!any_of(touching)) {
    const T zero(0);
    const Vec3<T> none(zero, zero, zero);
    r.normal = {zero, zero, zero, T(1)};
    r.F_Ic_W = {none, none};
    r.f_t = r.slip = r.tau_roll = none;
    r.spin_torque = zero;
    return r;
  }

  r.normal = normal_law(o, kinematics.closing_speed, memory);
  const T f_n = r.normal.force;

  // Second moment, seen along n. u is the rate at which the normal velocity changes over the patch.
  const T inverse_V = T(1) / select(touching, o.volume, T(1));
  const Vec3<T> Mn = o.M_W * n;
  const T M_nn = n.dot(Mn);
  const T r2 = (o.M_W.trace() - M_nn) * inverse_V;
  const Vec3<T> u = n.cross(kinematics.w);
  const Vec3<T> Mu = o.M_W * u;
  const Vec3<T> Mt_u = Mu - n * n.dot(Mu);

  // Monitor: the extreme of rho.u over a paraboloid patch is sqrt(6 u.M_t.u/V).
  if constexpr (std::is_same_v<T, double>) {
    const double alpha = r.normal.roll / normal_law.stiffness;
    r.edge_factor = r.normal.factor - alpha * sqrt(std::max(0.0, 6 * inverse_V * u.dot(Mt_u)));
  }

  // Centre of pressure. Where the foundation would pull over much of the patch (fast rolling, or
  // separation so fast that f_n -> 0) the shift is held to the radius of gyration, which keeps
  // every torque proportional to f_n; edge_factor is far below zero there.
  const Mask<T> pressing = f_n > T(0);
  const T f_safe = select(pressing, f_n, T(1));
  Vec3<T> delta = Mt_u * (-r.normal.roll / f_safe);
  const T lever2 = delta.squaredNorm();
  const Mask<T> too_far = lever2 > r2;
  if (any_of(too_far)) {
    const T shrink = sqrt(select(too_far, r2, T(1)) / select(too_far, lever2, T(1)));
    delta = delta * shrink;
  }
  const T shift2 = select(lever2 > r2, r2, lever2);

  r.tau_roll = delta.cross(Vec3<T>(n * f_n));
  if (options.rolling_tensor != RollingTensor::kFlattened) {
    const Vec3<T> w_t = kinematics.w - n * kinematics.w_n;
    const Vec3<T> Jt_w = w_t * (o.M_W.trace() - M_nn) - (o.M_W * w_t - n * n.dot(o.M_W * w_t));
    const Vec3<T> J_w = options.rolling_tensor == RollingTensor::kVolume
                            ? Vec3<T>(w_t * o.M_W.trace() - o.M_W * w_t)
                            : Vec3<T>(Jt_w + w_t * (o.volume * square(o.plane_offset)));
    r.tau_roll = J_w * (-r.normal.roll);
  }

  const bool coupled = options.coupling == Coupling::kFull;
  const bool at_surface = options.apply_at == ApplyAt::kSurface;
  // From the centroid to the point where friction acts.
  Vec3<T> p_CF = at_surface ? p_CS : Vec3<T>(n * T(0));
  if (coupled) p_CF = p_CF + delta;
  const Vec3<T> v = kinematics.v_t + kinematics.w.cross(p_CF);
  r.slip = v - n * n.dot(v);
  r.f_t = r.slip * (-friction_law.drag(f_n, r.slip.squaredNorm()));
  // The spread of the pressure about its own centre.
  const T spread2 = coupled ? T(r2 - shift2) : r2;
  r.spin_torque = -friction_law.spin_drag(f_n, r.spin, spread2) * r.spin;

  r.F_Ic_W.f_W = n * f_n + r.f_t;
  r.F_Ic_W.tau_W = r.tau_roll + p_CF.cross(r.f_t) + n * r.spin_torque;
  r.p_WP = r.p_WP + delta;

  if constexpr (!std::is_same_v<Mask<T>, bool>) {
    for (int k = 0; k < 3; ++k) {
      r.F_Ic_W.f_W[k] = select(touching, r.F_Ic_W.f_W[k], T(0));
      r.F_Ic_W.tau_W[k] = select(touching, r.F_Ic_W.tau_W[k], T(0));
    }
  }
  return r;
}

}  // namespace vesica
