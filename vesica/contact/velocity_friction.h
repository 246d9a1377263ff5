// Friction that is a function of the slip velocity: f_t = -drag(f_n, v) v, drag = f_n mu(v)/v and a
// viscous part.
//
// Such a law is a plain struct that gives
//   static constexpr std::string_view kName, void describe(Fields<P>&)   its parameters
//   T ratio(v^2)          mu(v)/v as a function of the square, regular at zero
//   T viscous(f_n)        viscous drag [N s/m], if it has one; or
//   T drag(f_n, v^2)      where the viscous part is not of that form
//   T spin_drag(f_n, w_n, r^2)   where spinning is not as below
//   double mu(v), mu_slope(v)   the curve and its analytic derivative, v >= 0
//   double speed_scale()  the slip over which mu(v) turns: resolves patch integrals
// Spin: the pressure's radius of gyration r stands for the patch, torque f_n r mu(r w_n), which is
// the exact integral for friction linear in the slip. Nothing of this kind can stick: under any
// load it creeps.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

#include "vesica/contact/friction_force.h"
#include "vesica/math/fields.h"
#include "vesica/math/smooth.h"

namespace vesica {

template <class Law, class T>
VESICA_INLINE T calc_drag(const Law& law, const T& f_n, const T& slip2) {
  if constexpr (requires { law.drag(f_n, slip2); }) {
    return law.drag(f_n, slip2);
  } else if constexpr (requires { law.viscous(f_n); }) {
    return f_n * law.ratio(slip2) + law.viscous(f_n);
  } else {
    return f_n * law.ratio(slip2);
  }
}

template <class Law, class T>
VESICA_INLINE T calc_spin_drag(const Law& law, const T& f_n, const T& w_n, const T& r2) {
  if constexpr (requires { law.spin_drag(f_n, w_n, r2); }) {
    return law.spin_drag(f_n, w_n, r2);
  } else {
    return r2 * calc_drag(law, f_n, T(r2 * w_n * w_n));
  }
}

template <class Law, class T>
VESICA_INLINE FrictionForce<T> calc_velocity_friction(const Law& law, const FrictionInput<T>& in) {
  FrictionForce<T> f = no_friction<T>();
  f.f_t = in.slip * (-calc_drag(law, in.f_n, T(in.slip.squaredNorm())));
  f.spin_torque = -calc_spin_drag(law, in.f_n, in.spin, in.spread2) * in.spin;
  return f;
}

// Frictionless.
template <class P>
struct NoFriction {
  static constexpr std::string_view kName = "none";
  void describe(Fields<P>&) {}
  template <class T>
  T ratio(const T&) const {
    return T(0);
  }
  double mu(double) const { return 0; }
  double mu_slope(double) const { return 0; }
  double speed_scale() const { return 1; }
};

}  // namespace vesica
