// Elements of contact under a planar foot (Shourijeh & McPhee, sections 2.2 to 2.5), as templates
// over the scalar: derivatives by their parameters are exact.
//
// Normal force, with c the speed at which the element closes on the ground (positive while it
// approaches; the source's v_n), never below zero (13 as printed can pull):
//   spring           k |L - L_0|^n (1 + a c)       (2)  L the height of its upper end, L <= L_0
//   linear           k V (1 + a c)                 (6)  sphere of radius R about the moved point
//   hyper            k V^H + a V c                 (13)
//   ellipsoid        k V (1 + a c)                      half-axes r_x, r_y, turned by `tilt`
//   against hyper_ellipsoid  k V^H + a V c                      AH, AP or PT; across the plane r_y
//   again
// V is the exact volume below the ground; c and the slip are those of its centroid, which for the
// spring is the moved point itself. The normal force acts at the centroid; what rolling would add
// to its place (docs/theory/contact.md) is left out, as in the source.
//
// Friction on the foot along x, v the slip:
//   arctan   -f_n mu atan(v/v_s)                   (14, 15); its limit is mu pi/2
//   bristle  -f_n b, Gonthier's (contact/bristle.h) with mu_S = mu_C = mu, v_S = v_s, without dwell
//            and viscosity: bristles of stiffness sigma_0 that follow within tau = sigma_1/sigma_0.
//            The state is advanced from frame to frame by one implicit Euler step, which is of
//            first order in the frame's length and stable for any tau; without contact it is zero.
//
// Smoothness: C0 where an element touches (C1 for the volumes but H < 1/2), where a force would
// pull and where a bristle saturates, C-infinity elsewhere.
#pragma once

#include <algorithm>
#include <cmath>

#include "vesica/biomechanics/foot2d.h"
#include "vesica/contact/bristle.h"

namespace vesica {

enum class Foot2dElement { kSpring, kLinear, kHyper, kEllipsoid, kHyperEllipsoid };
enum class Foot2dFriction { kArctan, kBristle };

struct Foot2dType {
  Foot2dElement element = Foot2dElement::kSpring;
  Foot2dFriction friction = Foot2dFriction::kArctan;

  bool is_ellipsoid() const {
    return element == Foot2dElement::kEllipsoid || element == Foot2dElement::kHyperEllipsoid;
  }
  bool is_hyper() const {
    return element == Foot2dElement::kHyper || element == Foot2dElement::kHyperEllipsoid;
  }
};

// Of one element; what its type does not have is not read.
template <class T>
struct Foot2dParameters {
  T stiffness{};           // k_S [N/m^n], k_V [N/m^3], k_h [N/m^3H]
  T damping{};             // a_S, a_V [s/m], a_h [N s/m^4]
  T exponent{1.0};         // n_S, H
  T size{};                // L_0, R_V, r_x [m]
  T height{};              // r_y [m]
  T tilt{};                // of an ellipsoid [rad]
  T mu{}, v_s{1.0};        // friction; v_s [m/s]
  T dx{}, dy{};            // along and across its mount [m]
  T sigma_0{1.0}, tau{1};  // bristle [1/m, s]
};

// The state between frames: how far the bristles are bent [m].
template <class T>
struct Foot2dBristle {
  T z{0.0};
};

// On the foot, at one instant.
template <class T>
struct Foot2dForce {
  bool touches = false;
  T normal{0.0}, friction{0.0};  // [N], up and forward
  T x{0.0};                      // where they act [m]
};

namespace detail {

// A sphere of radius 1 cut at the depth d in 0 to 2: volume, and distance of its centroid from the
// centre.
template <class T>
T calc_cap_volume(const T& d) {
  return T(kPi / 3) * d * d * (T(3) - d);
}
template <class T>
T calc_cap_centroid(const T& d) {
  return T(0.75) * square(T(2) - d) / (T(3) - d);
}

template <class T>
struct Foot2dTouch {
  bool touches = false;
  T measure{};         // depth [m] or volume [m^3]
  T x{}, slip{}, c{};  // of the point of action
};

template <class T>
Foot2dTouch<T> touch_ground(const Foot2dType& type, const Foot2dParameters<T>& p,
                            const Foot2dMount& m) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  // Below this no force is left in double precision: powers of the depth have no slope at 0.
  constexpr double kTouch = 1e-9;  // [m]
  Foot2dTouch<T> out;
  const T rx = p.dx * m.cos - p.dy * m.sin, ry = p.dx * m.sin + p.dy * m.cos;
  const T x = m.x + rx, y = m.y + ry, vx = m.vx - m.spin * ry, vy = m.vy + m.spin * rx;
  if (type.element == Foot2dElement::kSpring) {
    out.measure = p.size - y;
    out.touches = out.measure > T(kTouch);
    out.x = x;
    out.slip = vx;
    out.c = -vy;
    return out;
  }
  if (!type.is_ellipsoid()) {
    const T depth = p.size - y;
    out.touches = depth > T(kTouch);
    if (!out.touches) return out;
    const T d = depth < p.size * 2.0 ? T(depth / p.size) : T(2);
    out.measure = cube(p.size) * calc_cap_volume(d);
    out.x = x;
    out.slip = vx + p.size * calc_cap_centroid(d) * m.spin;
    out.c = -vy;
    return out;
  }
  // Mapped onto the unit sphere: s = S n in the ellipsoid's axes, which stand at the angle q.
  const T c = cos(p.tilt), s = sin(p.tilt);
  const T cq = c * m.cos - s * m.sin, sq = s * m.cos + c * m.sin;
  const T s1 = p.size * sq, s2 = p.height * cq;
  const T w = sqrt(s1 * s1 + s2 * s2);
  const T depth = w - y;
  out.touches = depth > T(kTouch);
  if (!out.touches) return out;
  const T d = depth < w * 2.0 ? T(depth / w) : T(2);
  out.measure = p.size * square(p.height) * calc_cap_volume(d);
  const T reach = -calc_cap_centroid(d) / w;  // the centroid from the centre: reach S S n
  const T o1 = reach * p.size * s1, o2 = reach * p.height * s2;
  const T ox = o1 * cq - o2 * sq, oy = o1 * sq + o2 * cq;
  out.x = x + ox;
  out.slip = vx - m.spin * oy;
  out.c = -(vy + m.spin * ox);
  return out;
}

// One implicit Euler step of Gonthier's bristle, without dwell: the force over the load at its end.
template <class T>
T advance_foot2d_bristle(const Foot2dParameters<T>& p, const T& slip, double dt, T* z) {
  using std::exp;
  const T v2 = slip * slip;
  const T s = exp(-v2 / square(p.v_s));
  const T direction = slip * direction_ratio(v2, T(p.v_s * 0.01));
  const T rate = T(1) / p.tau, limit_z = p.mu / p.sigma_0;
  const T follow = (T(1) - s) * rate;
  T next = (*z + (s * slip + follow * limit_z * direction) * dt) / (T(1) + follow * dt);
  T b = p.sigma_0 * (next + p.tau * (next - *z) / dt);
  if (b > p.mu || b < -p.mu) {
    b = b > T(0) ? p.mu : T(-p.mu);
    next = (*z + b / p.sigma_0 * rate * dt) / (T(1) + rate * dt);
  }
  *z = next;
  return b;
}

}  // namespace detail

// `dt`: since the frame before, for the bristle.
template <class T>
Foot2dForce<T> calc_foot2d_force(const Foot2dType& type, const Foot2dParameters<T>& p,
                                 const Foot2dMount& mount, double dt, Foot2dBristle<T>* bristle) {
  using std::atan;
  using std::pow;
  Foot2dForce<T> out;
  const detail::Foot2dTouch<T> touch = detail::touch_ground(type, p, mount);
  if (!touch.touches) {
    bristle->z = T(0);
    return out;
  }
  out.touches = true;
  out.x = touch.x;
  switch (type.element) {
    case Foot2dElement::kSpring:
      out.normal = p.stiffness * pow(touch.measure, p.exponent) * (T(1) + p.damping * touch.c);
      break;
    case Foot2dElement::kLinear:
    case Foot2dElement::kEllipsoid:
      out.normal = p.stiffness * touch.measure * (T(1) + p.damping * touch.c);
      break;
    case Foot2dElement::kHyper:
    case Foot2dElement::kHyperEllipsoid:
      out.normal =
          p.stiffness * pow(touch.measure, p.exponent) + p.damping * touch.measure * touch.c;
      break;
  }
  if (!(out.normal > T(0))) out.normal = T(0);
  if (type.friction == Foot2dFriction::kArctan) {
    out.friction = -out.normal * p.mu * atan(touch.slip / p.v_s);
  } else {
    out.friction = -out.normal * detail::advance_foot2d_bristle(p, touch.slip, dt, &bristle->z);
  }
  return out;
}

}  // namespace vesica
