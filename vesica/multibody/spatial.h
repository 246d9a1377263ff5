// Spatial vectors and inertias in world axes, about a body's own origin.
//
// Motions (w, v), forces (tau, f) and accelerations are all taken at the origin of the body they
// belong to, so that going from a body to its parent needs cross products with r = p_WB - p_WP and
// no rotations.
#pragma once

#include "vesica/math/pose.h"
#include "vesica/math/symmetric.h"

namespace vesica {

// (angular, linear): a velocity, an acceleration, or one column of a joint's motion.
template <class T>
struct SpatialMotion {
  Vec3<T> w, v;

  static SpatialMotion zero() { return {Vec3<T>::Constant(T(0)), Vec3<T>::Constant(T(0))}; }
  SpatialMotion& operator+=(const SpatialMotion& o) {
    w += o.w;
    v += o.v;
    return *this;
  }
  friend SpatialMotion operator+(SpatialMotion a, const SpatialMotion& b) { return a += b; }
  friend SpatialMotion operator*(const SpatialMotion& a, const T& s) { return {a.w * s, a.v * s}; }
};

// (moment, force).
template <class T>
struct SpatialForce {
  Vec3<T> tau, f;

  static SpatialForce zero() { return {Vec3<T>::Constant(T(0)), Vec3<T>::Constant(T(0))}; }
  SpatialForce& operator+=(const SpatialForce& o) {
    tau += o.tau;
    f += o.f;
    return *this;
  }
  friend SpatialForce operator+(SpatialForce a, const SpatialForce& b) { return a += b; }
  friend SpatialForce operator*(const SpatialForce& a, const T& s) { return {a.tau * s, a.f * s}; }
};

// Power, or a force along a column.
template <class T>
T dot(const SpatialMotion<T>& m, const SpatialForce<T>& f) {
  return m.w.dot(f.tau) + m.v.dot(f.f);
}

// The motion of a point of the same body at r from the origin.
template <class T>
SpatialMotion<T> shift_motion(const SpatialMotion<T>& m, const Vec3<T>& r) {
  return {m.w, m.v + m.w.cross(r)};
}
// A force at a point at r from the origin, taken at the origin.
template <class T>
SpatialForce<T> shift_force(const SpatialForce<T>& F, const Vec3<T>& r) {
  return {F.tau + r.cross(F.f), F.f};
}

// tau = J w + C v,  f = C^T w + M v: the inertia of a body, of several welded together, or of an
// articulated part of the tree.
template <class T>
struct SpatialInertia {
  Symmetric3<T> J;
  Mat3<T> C;
  Symmetric3<T> M;

  // A rigid body about its mass centre.
  static SpatialInertia rigid(const Symmetric3<T>& I_W, const T& mass) {
    return {I_W, Mat3<T>::Constant(T(0)), Symmetric3<T>::identity(mass)};
  }

  SpatialForce<T> operator*(const SpatialMotion<T>& a) const {
    return {J * a.w + C * a.v, C.transpose() * a.w + M * a.v};
  }
  SpatialInertia& operator+=(const SpatialInertia& o) {
    J = J + o.J;
    C += o.C;
    M = M + o.M;
    return *this;
  }
  // this - s U U^T
  void subtract_outer(const SpatialForce<T>& U, const T& s) {
    const SpatialForce<T> sU = U * s;
    subtract_symmetric_product(U, sU);
  }
  // this - (U V^T + V U^T)/2, for a product known to be symmetric in total
  void subtract_symmetric_product(const SpatialForce<T>& U, const SpatialForce<T>& V) {
    const T half(0.5);
    auto sym = [&](const Vec3<T>& a, const Vec3<T>& b) {
      return Symmetric3<T>{a.x() * b.x(),
                           a.y() * b.y(),
                           a.z() * b.z(),
                           (a.x() * b.y() + a.y() * b.x()) * half,
                           (a.x() * b.z() + a.z() * b.x()) * half,
                           (a.y() * b.z() + a.z() * b.y()) * half};
    };
    J = J - sym(U.tau, V.tau);
    M = M - sym(U.f, V.f);
    C -= (U.tau * V.f.transpose() + V.tau * U.f.transpose()) * half;
  }
};

// The same inertia about a point at -r: of the parent, whose body origin leads by r to this one's.
//   C' = C + [r] M,  J' = J + [r] C'^T - C [r]
template <class T>
SpatialInertia<T> shift_inertia(const SpatialInertia<T>& I, const Vec3<T>& r) {
  SpatialInertia<T> s;
  s.M = I.M;
  const Mat3<T> M = I.M.matrix();
  for (int k = 0; k < 3; ++k) s.C.col(k) = I.C.col(k) + r.cross(M.col(k));
  // Entry (a, b) of [r] C'^T is r x (row b of C'); of C [r] it is (row a of C) x r. Only the upper
  // triangle is formed: the sum is symmetric.
  const Vec3<T> c0 = s.C.row(0), c1 = s.C.row(1), c2 = s.C.row(2);
  const Vec3<T> r0 = r.cross(c0), r1 = r.cross(c1), r2 = r.cross(c2);
  const Vec3<T> d0 = Vec3<T>(I.C.row(0)).cross(r), d1 = Vec3<T>(I.C.row(1)).cross(r),
                d2 = Vec3<T>(I.C.row(2)).cross(r);
  s.J = {I.J.xx + r0.x() - d0.x(), I.J.yy + r1.y() - d1.y(), I.J.zz + r2.z() - d2.z(),
         I.J.xy + r1.x() - d0.y(), I.J.xz + r2.x() - d0.z(), I.J.yz + r2.y() - d1.z()};
  return s;
}

}  // namespace vesica
