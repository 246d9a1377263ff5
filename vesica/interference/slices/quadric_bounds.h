// A surface held against a box: does all of the box lie inside, none of it, or is it cut?
#pragma once

#include "vesica/geometry/primitive.h"

namespace vesica::detail {

// Least and greatest value of g over a box: bounds, attained by planes, not by others in general.
inline void bound_over_box(const Quadric& g, bool is_plane, const Vec3d& center, const Vec3d& half,
                           double* least, double* greatest) {
  const double value = g(center);
  if (is_plane) {
    const double reach = 2 * g.b.cwiseAbs().dot(half);
    *least = value - reach;
    *greatest = value + reach;
    return;
  }
  const double reach = g.gradient(center).cwiseAbs().dot(half);
  const Symmetric3<double>& A = g.A;
  const Vec3d h2 = half.cwiseProduct(half);
  const double mixed =
      2 * (std::abs(A.xy) * half.x() * half.y() + std::abs(A.xz) * half.x() * half.z() +
           std::abs(A.yz) * half.y() * half.z());
  const Vec3d diagonal(A.xx, A.yy, A.zz);
  *least = value - reach + diagonal.cwiseMin(0).dot(h2) - mixed;
  *greatest = value + reach + diagonal.cwiseMax(0).dot(h2) + mixed;
}

}  // namespace vesica::detail
