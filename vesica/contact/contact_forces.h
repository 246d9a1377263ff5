// From the shared volume and the motion to the wrench: the one function that every contact goes
// through. The equations are those of docs/theory/contact.md.
//
//   c, v_t, w_n    kinematics at the centroid; of laws by depth, at the deepest column
//   f_n            normal law (normal_force.h)
//   delta          -(k alpha/f_n) M_t (n x w), shift of the centre of pressure: rolling resistance;
//                  where the foundation would pull it lifts instead (lifted_patch.h)
//   n x lever      a conservative contact presses at the screw axis of its wrench, and its torque
//                  is f_n lever (overlap.h)
//   f_t, tau_n     friction law (friction_force.h), slip taken at the centre of pressure, the
//                  radius of gyration standing for the patch
// which is the exact integral of the linearly damped Winkler foundation for friction linear in the
// slip, as long as all of it presses, but for the third moment of the depth field in the spread of
// the pressure (zero for a patch that is symmetric about its centroid): near lifting it is that of
// a shallow cap, else it is left out.
#pragma once

#include <algorithm>
#include <type_traits>
#include <variant>

#include "vesica/contact/friction_force.h"
#include "vesica/contact/kinematics.h"
#include "vesica/contact/lifted_patch.h"
#include "vesica/contact/normal_force.h"
#include "vesica/contact/velocity_friction.h"
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

// Whether the foundation lifts where it would pull (lifted_patch.h); as published it pulls.
inline bool lifts_patch(const ContactOptions& options) {
  return options.coupling == Coupling::kFull && options.rolling_tensor == RollingTensor::kFlattened;
}

template <class T>
struct ContactForces {
  Wrench<T> F_Ic_W;  // on i, moment about the centroid p_WC; j gets the opposite about that point
  Vec3<T> p_WC;
  Vec3<T> p_WP;  // centre of pressure, on the contact surface

  NormalForce<T> normal;
  T closing_speed;
  FrictionForce<T> friction;
  Vec3<T> slip;  // the velocity that friction opposes
  T spin;        // w_n
  Vec3<T> tau_roll;
  Vec3<T> w;  // relative spin

  // 1 + alpha c at the edge of a paraboloid patch with this second moment, where rolling lowers it
  // most: below zero that part of the patch lifts, or pulls (lifts_patch). Only for T = double.
  double edge_factor = 1;
  double patch_error = 0;  // of an integral over the patch, relative
  // Put into the elastic part by turning, beyond its force times the closing speed [W]: a pressure
  // that is not linear in the depth has its centre off the centroid.
  T turning_power{0.0};
};

// What a law, or the law in a variant, measures by.
template <class Law>
Measure measure_of(const Law& law) {
  if constexpr (requires { Law::kMeasure; }) {
    return Law::kMeasure;
  } else {
    return std::visit([](const auto& one) { return measure_of(one); }, law);
  }
}

// One law; a variant of laws has its own overload (patch_forces.h). `relaxed` is taken off the
// measure (constraint relaxation, Gonthier 3.44). Results are written where they stay: copied, and
// in pieces of another size than they were stored in, they wait for their own stores.
template <class Law, class T>
VESICA_INLINE void calc_normal_force(const Law& law, const Overlap<T>& o, const T& relaxed,
                                     const T& closing_speed, const ContactMemory<T>& memory,
                                     NormalForce<T>* force) {
  const T measure = calc_measure(Law::kMeasure, o) - relaxed;
  *force = law(o, select(measure > T(0), measure, T(0)), closing_speed, memory);
}
template <class Law, class T>
VESICA_INLINE void calc_friction_force(const Law& law, const FrictionInput<T>& in, const T* states,
                                       T* rates, FrictionForce<T>* force) {
  if constexpr (requires { law(in, states, rates); }) {
    *force = law(in, states, rates);
  } else {
    *force = calc_velocity_friction(law, in);
  }
}

template <class T>
ContactForces<T> no_contact_forces(const Overlap<T>& o, const ContactKinematics<T>& kinematics) {
  ContactForces<T> r;
  const T zero(0);
  const Vec3<T> none(zero, zero, zero);
  r.p_WC = o.p_WC;
  r.p_WP = o.p_WC + o.n_W * o.plane_offset;
  r.closing_speed = kinematics.closing_speed;
  r.w = kinematics.w;
  r.spin = kinematics.w_n;
  r.normal = NormalForce<T>::none();
  r.friction = no_friction<T>();
  r.F_Ic_W = {none, none};
  r.slip = r.tau_roll = none;
  return r;
}

// Mean spin of both bodies about n.
template <class T, class A, class B>
T calc_carrier_spin(const Motion<A>& i, const Motion<B>& j, const Vec3<T>& n) {
  return T(0.5) * n.dot(Vec3<T>(i.V_WB.w_WB + j.V_WB.w_WB));
}

// `states` and `rates` are those of the friction law, none for a law without; `relaxed`: see above.
template <class T, class A, class B, class Normal, class Friction>
ContactForces<T> calc_contact_forces(const Overlap<T>& o, const Motion<A>& i, const Motion<B>& j,
                                     const Normal& normal_law, const Friction& friction_law,
                                     const ContactOptions& options, const ContactMemory<T>& memory,
                                     const T* states = nullptr, T* rates = nullptr,
                                     const T& relaxed = T(0)) {
  using std::sqrt;
  const Mask<T> touching = is_touching(o);
  const Vec3<T>& n = o.n_W;
  const Measure measure = measure_of(normal_law);
  const auto kinematics = calc_kinematics(i, j, o, measure);
  ContactForces<T> r;
  if (!any_of(touching)) {
    r = no_contact_forces(o, kinematics);
    return r;
  }
  r.p_WC = o.p_WC;
  r.closing_speed = kinematics.closing_speed;
  r.w = kinematics.w;
  r.spin = kinematics.w_n;
  // From the centroid to where the law acts, and from there to the contact surface.
  const bool at_depth = measure == Measure::kDepth;
  Vec3<T> p_CL(T(0), T(0), T(0)), p_LS = p_CL;
  if (at_depth) {
    p_CL = o.p_WD - o.p_WC;
  } else {
    p_LS = n * o.plane_offset;
    if (o.is_conservative) p_LS = p_LS + n.cross(o.lever);
  }

  calc_normal_force(normal_law, o, relaxed, kinematics.closing_speed, memory, &r.normal);
  T f_n = r.normal.force;

  // Second moment, seen along n; a point has none. u is the rate at which the normal velocity
  // changes over the patch.
  const Mask<T> solid = o.volume > T(0);
  const T inverse_V = select(solid, T(1) / select(solid, o.volume, T(1)), T(0));
  const Vec3<T> Mn = o.M_W * n;
  const T M_nn = n.dot(Mn);
  // At the very touch rounding may leave a negative moment.
  const T moment = o.M_W.trace() - M_nn;
  const T r2 = select(moment > T(0), moment, T(0)) * inverse_V;
  const Vec3<T> u = n.cross(kinematics.w);
  const Vec3<T> Mu = o.M_W * u;
  const Vec3<T> Mt_u = Mu - n * n.dot(Mu);

  // Centre of pressure, and the spread of the pressure about it.
  const bool coupled = options.coupling == Coupling::kFull;
  Vec3<T> delta(T(0), T(0), T(0));
  T spread2 = r2;
  if constexpr (std::is_same_v<T, double>) r.edge_factor = r.normal.factor;
  if (!r.normal.rolls) {
    // The force stays at the centroid's foot.
  } else if (lifts_patch(options)) {
    // Everything per elastic force, so that what is relaxed or conservative rolls as it presses.
    const T& alpha = r.normal.alpha;
    const T& factor = r.normal.factor;
    const Mask<T> loaded = factor > T(0);
    delta = Mt_u * (-alpha * inverse_V / select(loaded, factor, T(1)));
    spread2 = r2 - delta.squaredNorm();
    if constexpr (std::is_same_v<T, double>) {
      r.edge_factor = factor - alpha * sqrt(std::max(0.0, 6 * inverse_V * u.dot(Mt_u)));
    }
    if (any_of(is_near_lifting(factor, alpha, T(u.dot(Mt_u)), inverse_V))) [[unlikely]] {
      const Vec3<T> lean = calc_patch_lean(Vec3<T>(Mn - n * M_nn), M_nn, o.volume, o.plane_offset);
      // Copies: what a call could see would be kept in memory on the short path too.
      const PatchLoad<T> load = calc_patch_load(T(factor), Vec3<T>(u * alpha),
                                                Vec3<T>(Mt_u * (alpha * inverse_V)), T(r2), lean);
      f_n = r.normal.force = r.normal.elastic * load.mean;
      const Mask<T> left = load.mean > T(0);
      const T inverse = select(left, T(1) / select(left, load.mean, T(1)), T(0));
      delta = load.first * inverse;
      spread2 = select(left, calc_spread(T(load.second * inverse - delta.squaredNorm()), r2), r2);
      if constexpr (std::is_same_v<T, double>) r.edge_factor = load.edge;
    }
  } else {
    // As published: the foundation may pull. Where it would over much of the patch the shift is
    // held to the radius of gyration, which keeps every torque proportional to f_n; edge_factor is
    // far below zero there. The extreme of rho.u over a paraboloid patch is sqrt(6 u.M_t.u/V).
    if constexpr (std::is_same_v<T, double>) {
      r.edge_factor =
          r.normal.factor - r.normal.alpha * sqrt(std::max(0.0, 6 * inverse_V * u.dot(Mt_u)));
    }
    const Mask<T> pressing = f_n > T(0);
    const T f_safe = select(pressing, f_n, T(1));
    delta = Mt_u * (-r.normal.roll / f_safe);
    const T lever2 = delta.squaredNorm();
    const Mask<T> too_far = lever2 > r2;
    if (any_of(too_far)) {
      const T shrink = sqrt(select(too_far, r2, T(1)) / select(too_far, lever2, T(1)));
      delta = delta * shrink;
    }
    spread2 = coupled ? T(r2 - select(too_far, r2, lever2)) : r2;
  }

  r.tau_roll = delta.cross(Vec3<T>(n * f_n));
  if (options.rolling_tensor != RollingTensor::kFlattened) {
    const Vec3<T> w_t = kinematics.w - n * kinematics.w_n;
    const Vec3<T> Jt_w = w_t * (o.M_W.trace() - M_nn) - (o.M_W * w_t - n * n.dot(o.M_W * w_t));
    const Vec3<T> J_w = options.rolling_tensor == RollingTensor::kVolume
                            ? Vec3<T>(w_t * o.M_W.trace() - o.M_W * w_t)
                            : Vec3<T>(Jt_w + w_t * (o.volume * square(o.plane_offset)));
    r.tau_roll = J_w * (-r.normal.roll);
  }

  const bool at_surface = options.apply_at == ApplyAt::kSurface;
  // To the point where friction acts.
  Vec3<T> p_LF = at_surface ? p_LS : Vec3<T>(n * T(0));
  if (coupled) p_LF = p_LF + delta;
  const Vec3<T> v = kinematics.v_t + kinematics.w.cross(p_LF);
  r.slip = v - n * n.dot(v);
  calc_friction_force(
      friction_law,
      FrictionInput<T>{f_n + r.normal.pull, n, r.slip, r.spin, spread2, calc_carrier_spin(i, j, n)},
      states, rates, &r.friction);

  r.F_Ic_W.f_W = n * f_n + r.friction.f_t;
  r.F_Ic_W.tau_W = r.tau_roll + p_LF.cross(r.friction.f_t) + n * r.friction.spin_torque;
  r.p_WP = o.p_WC + p_CL + p_LS + delta;
  if (at_depth) {
    r.F_Ic_W.tau_W = r.F_Ic_W.tau_W + p_CL.cross(r.F_Ic_W.f_W);
  } else if (o.is_conservative) {
    r.F_Ic_W.tau_W = r.F_Ic_W.tau_W + o.lever * f_n;
  }

  if constexpr (!std::is_same_v<Mask<T>, bool>) {
    for (int k = 0; k < 3; ++k) {
      r.F_Ic_W.f_W[k] = select(touching, r.F_Ic_W.f_W[k], T(0));
      r.F_Ic_W.tau_W[k] = select(touching, r.F_Ic_W.tau_W[k], T(0));
    }
  }
  return r;
}

}  // namespace vesica
