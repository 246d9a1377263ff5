// A surface held against a box: does all of the box lie inside, none of it, or is it cut?
#pragma once

#include <algorithm>
#include <cmath>

#include "vesica/geometry/primitive.h"

namespace vesica::detail {

// Least value of g x + a x^2 for |x| <= h.
inline double least_of_parabola(double g, double a, double h) {
  g = std::abs(g);
  return g >= 2 * a * h ? (a * h - g) * h : -0.25 * g * g / a;
}

// Least and greatest value of g over a box: bounds, attained by planes and by quadrics whose axes
// are those of the box.
inline void bound_over_box(const Quadric& g, bool is_plane, const Vec3d& center, const Vec3d& half,
                           double* least, double* greatest) {
  const double value = g(center);
  if (is_plane) {
    const double reach = 2 * g.b.cwiseAbs().dot(half);
    *least = value - reach;
    *greatest = value + reach;
    return;
  }
  const Symmetric3<double>& A = g.A;
  const Vec3d slope = g.gradient(center), diagonal(A.xx, A.yy, A.zz);
  const double mixed =
      2 * (std::abs(A.xy) * half.x() * half.y() + std::abs(A.xz) * half.x() * half.z() +
           std::abs(A.yz) * half.y() * half.z());
  *least = value - mixed;
  *greatest = value + mixed;
  for (int k = 0; k < 3; ++k) {
    *least += least_of_parabola(slope[k], diagonal[k], half[k]);
    *greatest -= least_of_parabola(slope[k], -diagonal[k], half[k]);
  }
}

// A box round the points of a box that have g <= 0: along each axis, where g <= 0 for the best of
// the other two. False where there are none.
inline bool shrink_box(const Quadric& g, bool is_plane, Bounds* box) {
  const Vec3d center = box->center(), half = box->half();
  const Symmetric3<double>& A = g.A;
  Vec3d slope = 2 * g.b, diagonal = Vec3d::Zero(), least;
  double rest = g(center);
  if (!is_plane) {
    slope = g.gradient(center);
    diagonal = Vec3d(A.xx, A.yy, A.zz);
    rest -= 2 * (std::abs(A.xy) * half.x() * half.y() + std::abs(A.xz) * half.x() * half.z() +
                 std::abs(A.yz) * half.y() * half.z());
  }
  for (int k = 0; k < 3; ++k) {
    least[k] = is_plane ? -std::abs(slope[k]) * half[k]
                        : least_of_parabola(slope[k], diagonal[k], half[k]);
    rest += least[k];
  }
  if (rest > 0) return false;
  for (int k = 0; k < 3; ++k) {
    // s x + a x^2 + c <= 0 for |x| <= h; in units of h.
    const double h = half[k], s = slope[k] * h, a = diagonal[k] * h * h, c = rest - least[k];
    const bool at_low = a - s + c <= 0, at_high = a + s + c <= 0;
    if (at_low && at_high) continue;
    // The roots of largest and of least size; one end inside and one out, or a hump between two.
    const double d = s * s - 4 * a * c;
    if (!(d > 0)) continue;
    const double q = -0.5 * (s + std::copysign(std::sqrt(d), s));
    const double near = c / q, far = q / a;
    if (at_low != at_high) {
      const double root = std::abs(near) <= 1 ? near : far;
      if (std::abs(root) <= 1) (at_low ? box->max : box->min)[k] = center[k] + h * root;
    } else if (a > 0) {
      const double low = std::min(near, far), high = std::max(near, far);
      if (low > -1) box->min[k] = center[k] + h * low;
      if (high < 1) box->max[k] = center[k] + h * high;
    }
  }
  return !box->is_empty();
}

}  // namespace vesica::detail
