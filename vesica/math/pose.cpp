#include "vesica/math/pose.h"

namespace vesica {

Quaternion<double> quaternion_from_rotation_vector(const Vec3d& theta) {
  const double angle = theta.norm();
  // sin(a/2)/a; the series is exact to double precision below the cutoff (next term a^4/3840).
  const double s = angle < 1e-4 ? 0.5 - angle * angle / 48.0 : std::sin(angle / 2) / angle;
  return {std::cos(angle / 2), s * theta.x(), s * theta.y(), s * theta.z()};
}

Motion<Dual<12>> seed_motion(const Motion<double>& motion) {
  using T = Dual<12>;
  Motion<T> seeded = cast_motion<T>(motion);
  for (int k = 0; k < 3; ++k) {
    seeded.X_WB.p_WB[k].v[k] = 1.0;
    // d/dtheta_k of exp(theta) R is e_k x R, column by column.
    const Mat3d dR = skew<double>(Vec3d::Unit(k)) * motion.X_WB.R_WB;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) seeded.X_WB.R_WB(r, c).v[3 + k] = dR(r, c);
    }
    seeded.V_WB.v_WB[k].v[6 + k] = 1.0;
    seeded.V_WB.w_WB[k].v[9 + k] = 1.0;
  }
  return seeded;
}

}  // namespace vesica
