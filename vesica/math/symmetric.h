// Symmetric 3x3 tensors, six numbers.
#pragma once

#include "vesica/math/vector.h"

namespace vesica {

template <class T>
struct Symmetric3 {
  T xx, yy, zz, xy, xz, yz;

  static Symmetric3 zero() { return {T(0), T(0), T(0), T(0), T(0), T(0)}; }
  static Symmetric3 identity(const T& s) { return {s, s, s, T(0), T(0), T(0)}; }
  static Symmetric3 outer(const Vec3<T>& v) {
    return {v.x() * v.x(), v.y() * v.y(), v.z() * v.z(),
            v.x() * v.y(), v.x() * v.z(), v.y() * v.z()};
  }
  // a b^T + b a^T
  static Symmetric3 outer(const Vec3<T>& a, const Vec3<T>& b) {
    const T two(2);
    return {two * a.x() * b.x(),           two * a.y() * b.y(),
            two * a.z() * b.z(),           a.x() * b.y() + a.y() * b.x(),
            a.x() * b.z() + a.z() * b.x(), a.y() * b.z() + a.z() * b.y()};
  }
  // R diag(d) R^T
  template <class A, class P>
  static Symmetric3 rotated_diagonal(const Mat3<A>& R, const Vec3<P>& d) {
    const Vec3<A> x = R.col(0), y = R.col(1), z = R.col(2);
    auto entry = [&](int i, int j) {
      return T(d.x() * x[i] * x[j] + d.y() * y[i] * y[j] + d.z() * z[i] * z[j]);
    };
    return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
  }
  static Symmetric3 from_matrix(const Mat3<T>& m) {
    return {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)};
  }

  T trace() const { return xx + yy + zz; }

  Vec3<T> operator*(const Vec3<T>& v) const {
    return Vec3<T>(xx * v.x() + xy * v.y() + xz * v.z(), xy * v.x() + yy * v.y() + yz * v.z(),
                   xz * v.x() + yz * v.y() + zz * v.z());
  }
  Symmetric3 operator*(const T& s) const {
    return {xx * s, yy * s, zz * s, xy * s, xz * s, yz * s};
  }
  Symmetric3 operator+(const Symmetric3& o) const {
    return {xx + o.xx, yy + o.yy, zz + o.zz, xy + o.xy, xz + o.xz, yz + o.yz};
  }
  Symmetric3 operator-(const Symmetric3& o) const {
    return {xx - o.xx, yy - o.yy, zz - o.zz, xy - o.xy, xz - o.xz, yz - o.yz};
  }

  Mat3<T> matrix() const {
    Mat3<T> m;
    m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return m;
  }

  // R this R^T
  Symmetric3 rotated(const Mat3<T>& R) const {
    const Mat3<T> m = R * matrix() * R.transpose();
    return from_matrix(m);
  }
};

template <class T>
Symmetric3<double> value_of(const Symmetric3<T>& m) {
  return {value_of(m.xx), value_of(m.yy), value_of(m.zz),
          value_of(m.xy), value_of(m.xz), value_of(m.yz)};
}

// T M T with T = I - n n^T: what is left of M when the volume is flattened along n.
template <class T>
Symmetric3<T> flatten_along(const Symmetric3<T>& M, const Vec3<T>& n) {
  const Vec3<T> m = M * n;
  const T m_nn = n.dot(m);
  // T M T = M - n m^T - m n^T + m_nn n n^T = M - n h^T - h n^T with h = m - m_nn/2 n
  const Vec3<T> h = m - T(0.5) * m_nn * n;
  return {M.xx - T(2) * n.x() * h.x(),          M.yy - T(2) * n.y() * h.y(),
          M.zz - T(2) * n.z() * h.z(),          M.xy - n.x() * h.y() - h.x() * n.y(),
          M.xz - n.x() * h.z() - h.x() * n.z(), M.yz - n.y() * h.z() - h.y() * n.z()};
}

// The inertia-like tensor tr(M) I - M.
template <class T>
Symmetric3<T> inertia_of(const Symmetric3<T>& M) {
  return Symmetric3<T>::identity(M.trace()) - M;
}

}  // namespace vesica
