// Poses, velocities and wrenches. Notation: docs/notation.md.
#pragma once

#include <type_traits>

#include "vesica/math/vector.h"

namespace vesica {

// w x y z, as everywhere in files.
template <class T>
struct Quaternion {
  T w{1.0}, x{0.0}, y{0.0}, z{0.0};

  T squared_norm() const { return w * w + x * x + y * y + z * z; }
  Quaternion operator*(const Quaternion& b) const {
    return {w * b.w - x * b.x - y * b.y - z * b.z, w * b.x + x * b.w + y * b.z - z * b.y,
            w * b.y - x * b.z + y * b.w + z * b.x, w * b.z + x * b.y - y * b.x + z * b.w};
  }
};

// The rotation matrix of q/|q|: a quaternion that has drifted from unit length still gives a
// rotation, and its derivative by q is that of the rotation alone.
template <class T>
Mat3<T> as_rotation(const Quaternion<T>& q) {
  const T s = T(2) / q.squared_norm();
  const T sx = s * q.x, sy = s * q.y, sz = s * q.z;
  const T wx = sx * q.w, wy = sy * q.w, wz = sz * q.w;
  const T xx = sx * q.x, xy = sx * q.y, xz = sx * q.z;
  const T yy = sy * q.y, yz = sy * q.z, zz = sz * q.z;
  Mat3<T> R;
  R << T(1) - yy - zz, xy - wz, xz + wy,  //
      xy + wz, T(1) - xx - zz, yz - wx,   //
      xz - wy, yz + wx, T(1) - xx - yy;
  return R;
}

// The quaternion of a rotation matrix: from its largest component, so that no square root meets
// zero. The sign is that of a positive largest component.
template <class T>
Quaternion<T> as_quaternion(const Mat3<T>& R) {
  using std::sqrt;
  const T trace = R(0, 0) + R(1, 1) + R(2, 2);
  const double squares[] = {value_of(trace), value_of(R(0, 0)), value_of(R(1, 1)),
                            value_of(R(2, 2))};
  int largest = 0;
  for (int k = 1; k < 4; ++k) {
    if (squares[k] > squares[largest]) largest = k;
  }
  T q[4];
  if (largest == 0) {
    const T s = T(2) * sqrt(T(1) + trace);
    q[0] = T(0.25) * s;
    q[1] = (R(2, 1) - R(1, 2)) / s;
    q[2] = (R(0, 2) - R(2, 0)) / s;
    q[3] = (R(1, 0) - R(0, 1)) / s;
  } else {
    const int a = largest - 1, b = (a + 1) % 3, c = (a + 2) % 3;
    const T s = T(2) * sqrt(T(1) + R(a, a) - R(b, b) - R(c, c));
    q[0] = (R(c, b) - R(b, c)) / s;
    q[1 + a] = T(0.25) * s;
    q[1 + b] = (R(a, b) + R(b, a)) / s;
    q[1 + c] = (R(a, c) + R(c, a)) / s;
  }
  return {q[0], q[1], q[2], q[3]};
}

template <class T>
Mat3<T> skew(const Vec3<T>& v) {
  Mat3<T> m;
  m << T(0), -v.z(), v.y(), v.z(), T(0), -v.x(), -v.y(), v.x(), T(0);
  return m;
}

// exp(theta) for a rotation vector: sin and 1-cos forms regular at zero.
Quaternion<double> quaternion_from_rotation_vector(const Vec3d& theta);

// X_WB: where body B is in the world W.
template <class T>
struct Pose {
  Mat3<T> R_WB = Mat3<T>::Identity();
  Vec3<T> p_WB = Vec3<T>::Zero();

  Vec3<T> operator*(const Vec3<T>& p_BQ) const { return R_WB * p_BQ + p_WB; }
};
template <class T>
Pose<T> make_pose(const Quaternion<T>& q_WB, const Vec3<T>& p_WB) {
  return {as_rotation(q_WB), p_WB};
}

// Where B is in A.
template <class T>
Pose<T> calc_relative_pose(const Pose<T>& X_WA, const Pose<T>& X_WB) {
  const Mat3<T> R_AW = X_WA.R_WB.transpose();
  return {R_AW * X_WB.R_WB, R_AW * (X_WB.p_WB - X_WA.p_WB)};
}

// Velocity of body B in W: angular, and linear of B's origin; both expressed in W.
template <class T>
struct SpatialVelocity {
  Vec3<T> w_WB = Vec3<T>::Zero();
  Vec3<T> v_WB = Vec3<T>::Zero();
};

template <class T>
struct Motion {
  Pose<T> X_WB;
  SpatialVelocity<T> V_WB;
};

// A force and a moment about the point that the variable's name gives.
template <class T>
struct Wrench {
  Vec3<T> f_W;
  Vec3<T> tau_W;
};

// The same wrench about another point: p_AB leads from the old point to the new one.
template <class T>
Wrench<T> shift_wrench(const Wrench<T>& F, const Vec3<T>& p_AB) {
  return {F.f_W, F.tau_W - p_AB.cross(F.f_W)};
}

// A motion whose Dual<12> derivatives are by: position of the body origin (0-2), rotation vector
// about the body origin (3-5), linear velocity (6-8), angular velocity (9-11), all in world axes.
Motion<Dual<12>> seed_motion(const Motion<double>& motion);

// The same in another scalar; without a copy's cost where it is the same.
template <class T, class A>
decltype(auto) cast_pose(const Pose<A>& X) {
  if constexpr (std::is_same_v<T, A>) {
    return (X);
  } else {
    return Pose<T>{X.R_WB.template cast<T>(), X.p_WB.template cast<T>()};
  }
}
template <class T, class A>
decltype(auto) cast_motion(const Motion<A>& m) {
  if constexpr (std::is_same_v<T, A>) {
    return (m);
  } else {
    return Motion<T>{cast_pose<T>(m.X_WB),
                     {m.V_WB.w_WB.template cast<T>(), m.V_WB.v_WB.template cast<T>()}};
  }
}

}  // namespace vesica
