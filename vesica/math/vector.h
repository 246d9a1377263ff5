// Three-vectors and matrices over any kernel scalar.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "vesica/math/scalar.h"

namespace vesica {

template <class T>
using Vec3 = Eigen::Matrix<T, 3, 1>;
template <class T>
using Mat3 = Eigen::Matrix<T, 3, 3>;

using Vec3d = Vec3<double>;
using Mat3d = Mat3<double>;

// Two unit vectors that complete n to a right-handed basis (u, v, n). Duff et al. 2017: no branch
// but the sign of n_z, no division by zero.
template <class T>
void make_basis(const Vec3<T>& n, Vec3<T>* u, Vec3<T>* v) {
  const T sign = select(n.z() >= T(0), T(1), T(-1));
  const T a = T(-1) / (sign + n.z());
  const T b = n.x() * n.y() * a;
  *u = Vec3<T>(T(1) + sign * square(n.x()) * a, sign * b, -sign * n.x());
  *v = Vec3<T>(b, sign + square(n.y()) * a, -n.y());
}

// The smallest rotation that turns z into the unit vector n. Eigen's FromTwoVectors does the same
// through a singular value decomposition, four seconds of compiling in every file that calls it.
inline Mat3d calc_turn_of_z(const Vec3d& n) {
  const double c = n.z(), across = n.head<2>().squaredNorm();
  if (c < 0 && across < 1e-300) return Vec3d(1, -1, -1).asDiagonal();  // half a turn about x
  const double f = c > 0 ? 1 / (1 + c) : (1 - c) / across;             // equal; neither cancels
  Mat3d R;
  R << 1 - f * n.x() * n.x(), -f * n.x() * n.y(), n.x(),  //
      -f * n.x() * n.y(), 1 - f * n.y() * n.y(), n.y(),   //
      -n.x(), -n.y(), c;
  return R;
}

template <class T, class U>
Vec3<T> cast_vector(const Vec3<U>& v) {
  return Vec3<T>(T(v.x()), T(v.y()), T(v.z()));
}

template <class T>
Vec3d value_of(const Vec3<T>& v) {
  return Vec3d(value_of(v.x()), value_of(v.y()), value_of(v.z()));
}

}  // namespace vesica
