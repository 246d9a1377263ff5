// Rigid bodies. The body origin is the mass centre.
#pragma once

#include <string>

#include "vesica/math/exactly.h"
#include "vesica/math/pose.h"
#include "vesica/math/symmetric.h"

namespace vesica {

template <class P>
struct FreeBody {
  P inverse_mass{};
  P mass{};
  Mat3<P> I_B = Mat3<P>::Zero(),
          I_B_inverse = Mat3<P>::Zero();  // about the mass centre, in body axes
  // Isotropic inertia, its derivatives included: no gyroscopic torque, no rotation needed.
  bool round = false;
};

template <class P>
FreeBody<P> make_free_body(const P& mass, const Mat3<P>& I_B) {
  FreeBody<P> body;
  body.mass = mass;
  body.inverse_mass = P(1) / mass;
  body.I_B = I_B;
  // Cofactors, written out so that it serves every scalar.
  const Vec3<P> a = I_B.col(0), b = I_B.col(1), c = I_B.col(2);
  const Vec3<P> bc = b.cross(c), ca = c.cross(a), ab = a.cross(b);
  const P det = a.dot(bc);
  // A point mass has no inverse, and needs none where a joint carries it.
  const P inverse_det = value_of(det) == 0 ? P(0) : P(1) / det;
  body.I_B_inverse.row(0) = (bc * inverse_det).transpose();
  body.I_B_inverse.row(1) = (ca * inverse_det).transpose();
  body.I_B_inverse.row(2) = (ab * inverse_det).transpose();
  body.round = true;
  for (int r = 0; r < 3; ++r) {
    for (int s = 0; s < 3; ++s) {
      if (!is_same(I_B(r, s), r == s ? I_B(0, 0) : P(0))) body.round = false;
    }
  }
  return body;
}

// Angular acceleration in world axes: w' = I^-1 (tau - w x I w).
template <class P, class T>
Vec3<T> calc_angular_acceleration(const FreeBody<P>& body, const Mat3<T>& R_WB, const Vec3<T>& w_WB,
                                  const Vec3<T>& tau_W) {
  if (body.round) return tau_W * T(body.I_B_inverse(0, 0));
  const Vec3<T> w_B = R_WB.transpose() * w_WB;
  const Vec3<T> h_B = body.I_B.template cast<T>() * w_B;
  const Vec3<T> tau_B = R_WB.transpose() * tau_W - w_B.cross(h_B);
  return R_WB * (body.I_B_inverse.template cast<T>() * tau_B);
}

template <class P, class T>
T calc_kinetic_energy(const FreeBody<P>& body, const Motion<T>& m) {
  const Vec3<T> w_B = m.X_WB.R_WB.transpose() * m.V_WB.w_WB;
  return T(0.5) *
         (body.mass * m.V_WB.v_WB.squaredNorm() + w_B.dot(body.I_B.template cast<T>() * w_B));
}

}  // namespace vesica
