// Sphere with sphere: the lens, closed form.
//
// The plane through the circle where the surfaces meet cuts the lens into two caps. With the
// distance x of the centres and the radii R_i, R_j, the caps' depths are
//   D_i = (R_j^2 - (x - R_i)^2) / (2 x) = delta (R_j + x - R_i) / (2 x),  delta = R_i + R_j - x,
// and likewise D_j: products, so that a shallow touch loses nothing. One sphere inside the other is
// the smaller sphere. The normal runs through the centres; for concentric spheres, where it is not
// defined, it is z.
//
// Neither body is rigid, so the contact surface runs through the middle of every column; its
// weighted mean is the centroid: plane_offset = 0.
//
// Smoothness: C1 at touchdown; where one sphere goes inside the other the volume is C1; at
// concentric spheres the normal jumps.
#pragma once

#include "vesica/geometry/shapes.h"
#include "vesica/interference/closed_form/half_space_ellipsoid.h"
#include "vesica/interference/overlap.h"

namespace vesica {

namespace detail {
// Integral of the lens' volume over the approach, from touching (x = s) to x, with s = R_i + R_j
// and g = (R_i - R_j)^2; V(x) = pi/12 (s-x)^2 (x^2 + 2 s x - 3 g) / x. The polynomial part in t = s
// - x is exact; what is left, with 1/x, goes over u = t/s as a series or as the logarithm it is,
// chosen so that neither cancels.
template <class T>
T lens_potential(const T& s, const T& g, const T& t) {
  using std::log;
  // (s-x)^2 (x^2 + 2 s x - 3 g)/x = t^2 (x + 2 s) - 3 g t^2/x.
  const T t3 = t * t * t;
  const T polynomial = s * t3 - t3 * t * T(0.25);  // integral of t^2 (3 s - t)
  // integral of t^2/(s - t) from 0 to t = s^2 (-u - u^2/2 - log(1 - u)) = s^2 (u^3/3 + u^4/4 + ..)
  const T u = t / s;
  T tail;
  if (value_of(u) < 0.1) {
    tail = T(0);
    for (int k = 20; k >= 3; --k) tail = tail * u + T(1.0 / k);
    tail = tail * u * u * u;
  } else if (value_of(u) < 1) {
    tail = -u - u * u * T(0.5) - log(T(1) - u);
  } else {
    tail = T(0);  // equal spheres, concentric: g = 0 and g log(1 - u) -> 0
  }
  return T(kPi / 12) * (polynomial - T(3) * g * s * s * tail);
}
}  // namespace detail

template <class P, class A, class B>
auto calc_overlap(const Sphere<P>& sphere_i, const Pose<A>& X_WI, const Sphere<P>& sphere_j,
                  const Pose<B>& X_WJ) {
  using std::sqrt;
  using T = Promote<A, B>;
  Overlap<T> o;
  const T R_i(sphere_i.radius), R_j(sphere_j.radius);
  const T sum = R_i + R_j;
  const Vec3<T> r = X_WI.p_WB - X_WJ.p_WB;
  const T x2 = r.squaredNorm();
  // Below this the direction of r is rounding, and its derivative would be a division by zero.
  const bool concentric = value_of(x2) <= square(1e-14 * value_of(sum));
  const T x = concentric ? T(0) : sqrt(x2);
  o.n_W = concentric ? Vec3<T>(T(0), T(0), T(1)) : Vec3<T>(r / x);
  o.distance = x - sum;
  o.p_WD = X_WJ.p_WB + o.n_W * (T(0.5) * (R_j + x - R_i));

  if (o.distance >= T(0)) {
    o.volume = o.potential = o.plane_offset = T(0);
    o.M_W = Symmetric3<T>::zero();
    o.p_WC = X_WJ.p_WB + o.n_W * (R_j + T(0.5) * o.distance);
    return o;
  }
  const T g = square(R_i - R_j);
  const T smaller = R_i < R_j ? R_i : R_j;
  if (x2 <= g || concentric) {
    const T v = T(4 * kPi / 3) * cube(smaller);
    o.volume = v;
    o.plane_offset = T(0);
    o.p_WC = R_i < R_j ? Vec3<T>(X_WI.p_WB.template cast<T>()) : X_WJ.p_WB.template cast<T>();
    o.M_W = Symmetric3<T>::identity(v * square(smaller) * T(0.2));
    const T x_inside = R_i < R_j ? R_j - R_i : R_i - R_j;
    o.potential = detail::lens_potential<T>(sum, g, sum - x_inside) + v * (x_inside - x);
    return o;
  }

  const T delta = -o.distance;
  const T half_inverse_x = T(0.5) / x;
  const T d_i = delta * (R_j + x - R_i) * half_inverse_x / R_i;
  const T d_j = delta * (R_i + x - R_j) * half_inverse_x / R_j;
  const detail::UnitCap<T> cap_i(d_i), cap_j(d_j);
  const T v_i = cap_i.volume * cube(R_i), v_j = cap_j.volume * cube(R_j);
  // Heights of the caps' centroids over the common plane, along n: cap j bulges toward i (+).
  const T z_i = R_i * (T(1) - d_i - cap_i.centroid);
  const T z_j = R_j * (cap_j.centroid - (T(1) - d_j));
  o.volume = v_i + v_j;
  const T z = (v_i * z_i + v_j * z_j) / o.volume;
  const T plane = R_j * (T(1) - d_j);  // from j's centre
  o.p_WC = X_WJ.p_WB + o.n_W * (plane + z);

  const T r5_i = cube(R_i) * square(R_i), r5_j = cube(R_j) * square(R_j);
  const T m_t = r5_i * cap_i.m_t + r5_j * cap_j.m_t;
  const T m_n = r5_i * cap_i.m_n + r5_j * cap_j.m_n + v_i * v_j / o.volume * square(z_i - z_j);
  o.M_W = Symmetric3<T>::identity(m_t) + Symmetric3<T>::outer(o.n_W) * (m_n - m_t);
  o.plane_offset = T(0);
  o.potential = detail::lens_potential<T>(sum, g, delta);
  return o;
}

PatchFigures calc_patch_figures(const Sphere<double>& sphere_i, const Pose<double>& X_WI,
                                const Sphere<double>& sphere_j, const Pose<double>& X_WJ);

}  // namespace vesica
