// Force elements between bodies other than contact.
#pragma once

#include "vesica/math/pose.h"

namespace vesica {

// Linear spring and damper between a point of each body: tension k (l - l0) + d l'.
// Smoothness: C-infinity but where the points coincide (l = 0), where no direction is defined:
// there it gives no force, and without length and damper that of a spring in every direction.
template <class P>
struct Spring {
  int body_i = 0, body_j = 0;
  Vec3<P> p_I = Vec3<P>::Zero(), p_J = Vec3<P>::Zero();  // in body axes
  P stiffness{}, damping{}, length{};
};

template <class T>
struct SpringForce {
  Vec3<T> p_WI, p_WJ;  // ends
  Vec3<T> f_I;         // on i at its end; j gets the opposite
  T stored, dissipated;
};

template <class P, class T>
SpringForce<T> calc_spring(const Spring<P>& spring, const Motion<T>& i, const Motion<T>& j) {
  using std::sqrt;
  SpringForce<T> r;
  const Vec3<T> r_I = i.X_WB.R_WB * spring.p_I.template cast<T>();
  const Vec3<T> r_J = j.X_WB.R_WB * spring.p_J.template cast<T>();
  r.p_WI = i.X_WB.p_WB + r_I;
  r.p_WJ = j.X_WB.p_WB + r_J;
  const Vec3<T> d = r.p_WJ - r.p_WI;
  const T l2 = d.squaredNorm();
  if (value_of(l2) == 0) {
    // k (l - l0) d/l with l0 = 0; where l0 > 0 there is no derivative.
    r.f_I = d * (value_of(spring.length) == 0 ? T(spring.stiffness) : T(0));
    r.stored = T(0.5) * spring.stiffness * spring.length * spring.length;
    r.dissipated = T(0);
    return r;
  }
  const T l = sqrt(l2);
  const Vec3<T> e = d / l;
  const Vec3<T> v = j.V_WB.v_WB + j.V_WB.w_WB.cross(r_J) - i.V_WB.v_WB - i.V_WB.w_WB.cross(r_I);
  const T rate = e.dot(v);
  const T stretch = l - spring.length;
  r.f_I = e * T(spring.stiffness * stretch + spring.damping * rate);
  r.stored = T(0.5) * spring.stiffness * stretch * stretch;
  r.dissipated = spring.damping * rate * rate;
  return r;
}

// A force at a point of a body: constant in world axes (or in body axes: `follows`), switched on
// between two times with a cosine ramp, and possibly oscillating.
template <class P>
struct PointForce {
  int body = 0;
  Vec3<P> p_B = Vec3<P>::Zero();
  Vec3<P> force = Vec3<P>::Zero();
  bool follows = false;
  double from = 0, until = 1e300, ramp = 0;

  double factor(double t) const {
    if (t < from || t > until) return 0;
    if (ramp > 0 && t < from + ramp) return 0.5 - 0.5 * std::cos(kPi * (t - from) / ramp);
    if (ramp > 0 && t > until - ramp) return 0.5 - 0.5 * std::cos(kPi * (until - t) / ramp);
    return 1;
  }
  double factor_rate(double t) const {
    if (!(ramp > 0) || t < from || t > until) return 0;
    if (t < from + ramp) return 0.5 * kPi / ramp * std::sin(kPi * (t - from) / ramp);
    if (t > until - ramp) return -0.5 * kPi / ramp * std::sin(kPi * (until - t) / ramp);
    return 0;
  }
};

}  // namespace vesica
