// A spring in all six directions between a frame on each of two bodies: a joint that gives way, or
// a stiff connection that closes a loop.
//
//   U = 1/2 p^T K_t p + 1/2 theta^T K_r theta
// p: position of i's frame in j's frame [m]; theta: rotation vector from j's frame to i's [rad];
// K diagonal in j's frame, [N/m] and [N m/rad]. The force is the exact gradient of U, so that it
// keeps energy at any size; dampers D_t [N s/m], D_r [N m s/rad] act on the relative velocity and
// spin in j's axes.
// Smoothness: C-infinity for angles below pi; at pi the rotation vector jumps.
#pragma once

#include <cmath>

#include "vesica/math/pose.h"

namespace vesica {

template <class P>
struct Bushing {
  int body_i = 0, body_j = 0;
  Pose<P> X_IF, X_JF;
  Vec3<P> stiffness = Vec3<P>::Zero(), turning_stiffness = Vec3<P>::Zero();
  Vec3<P> damping = Vec3<P>::Zero(), turning_damping = Vec3<P>::Zero();
};

template <class T>
struct BushingForce {
  Wrench<T> on_i;  // about p_WI; j gets the opposite about that point
  Vec3<T> p_WI;
  T stored, dissipated;
};

// The rotation vector of R: theta = a angle. Below pi.
template <class T>
Vec3<T> calc_rotation_vector(const Mat3<T>& R) {
  using std::acos;
  using std::atan2;
  using std::sqrt;
  const Vec3<T> s(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));  // 2 sin(angle) a
  const T c = (R.trace() - T(1)) * T(0.5);
  const T s2 = s.squaredNorm() * T(0.25);  // sin^2
  if (value_of(s2) < 1e-4 && value_of(c) > 0) {
    // asin(x)/x in x^2; the first term left out, 0.0173 x^12, is below rounding.
    const T ratio =
        T(1) + s2 * (T(1.0 / 6) +
                     s2 * (T(3.0 / 40) +
                           s2 * (T(15.0 / 336) + s2 * (T(105.0 / 3456) + s2 * T(945.0 / 42240)))));
    return s * (ratio * T(0.5));
  }
  const T sine = sqrt(s2);
  return s * (atan2(sine, c) / (sine * T(2)));
}

// The torque by which U(theta) acts on the spin w with which theta grows: with theta' = B w,
//   B = 1 - [theta]/2 + c [theta]^2,  c = (1 - (x/2) cot(x/2))/x^2,  torque = B^T dU/dtheta.
template <class T>
Vec3<T> calc_rotation_gradient(const Vec3<T>& theta, const Vec3<T>& slope) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  const T x2 = theta.squaredNorm();
  T c;
  if (value_of(x2) < 1e-2) {
    c = T(1.0 / 12) +
        x2 * (T(1.0 / 720) + x2 * (T(1.0 / 30240) + x2 * (T(1.0 / 1209600) + x2 / 47900160.0)));
  } else {
    const T half = sqrt(x2) * T(0.5);
    c = (T(1) - half * cos(half) / sin(half)) / x2;
  }
  const Vec3<T> turn = theta.cross(slope);
  return slope + turn * T(0.5) + theta.cross(turn) * c;
}

template <class P, class T>
BushingForce<T> calc_bushing(const Bushing<P>& bushing, const Motion<T>& i, const Motion<T>& j) {
  BushingForce<T> result;
  const Mat3<T> R_WI = i.X_WB.R_WB * bushing.X_IF.R_WB.template cast<T>();
  const Mat3<T> R_WJ = j.X_WB.R_WB * bushing.X_JF.R_WB.template cast<T>();
  result.p_WI = i.X_WB * bushing.X_IF.p_WB.template cast<T>();
  const Vec3<T> p_WJ = j.X_WB * bushing.X_JF.p_WB.template cast<T>();
  const Vec3<T> p = R_WJ.transpose() * Vec3<T>(result.p_WI - p_WJ);
  const Mat3<T> R_JI = R_WJ.transpose() * R_WI;
  const Vec3<T> theta = calc_rotation_vector(R_JI);
  // Velocity of i's frame as seen from j.
  const Vec3<T> v_W = i.V_WB.v_WB + i.V_WB.w_WB.cross(Vec3<T>(result.p_WI - i.X_WB.p_WB)) -
                      j.V_WB.v_WB - j.V_WB.w_WB.cross(Vec3<T>(result.p_WI - j.X_WB.p_WB));
  const Vec3<T> v = R_WJ.transpose() * v_W;
  const Vec3<T> w = R_WJ.transpose() * Vec3<T>(i.V_WB.w_WB - j.V_WB.w_WB);

  const Vec3<T> k_p = bushing.stiffness.template cast<T>().cwiseProduct(p);
  const Vec3<T> k_theta = bushing.turning_stiffness.template cast<T>().cwiseProduct(theta);
  const Vec3<T> d_v = bushing.damping.template cast<T>().cwiseProduct(v);
  const Vec3<T> d_w = bushing.turning_damping.template cast<T>().cwiseProduct(w);
  result.on_i.f_W = -(R_WJ * Vec3<T>(k_p + d_v));
  result.on_i.tau_W = -(R_WJ * Vec3<T>(calc_rotation_gradient(theta, k_theta) + d_w));
  result.stored = (p.dot(k_p) + theta.dot(k_theta)) * T(0.5);
  result.dissipated = v.dot(d_v) + w.dot(d_w);
  return result;
}

}  // namespace vesica
