#include "bench/hand_written_ellipsoid.h"

#include <cmath>

namespace vesica::bench {
namespace {

// mu(v)/v from v^2.
inline double slope(const HandWrittenContact& k, double v2) {
  const double inverse = 1 / k.v_t;
  const double x2 = v2 * inverse * inverse;
  const double s = 16 * x2;
  double ratio;
  if (s < 1e-3) {
    ratio = 1 + s * (-1.0 / 3 + s * (2.0 / 15 + s * (-17.0 / 315 + s * (62.0 / 2835))));
  } else {
    const double x = std::sqrt(s);
    ratio = std::tanh(x) / x;
  }
  const double t = 0.25 * x2 + 0.75;
  return inverse * (4 * k.mu_d * ratio + (k.mu_s - k.mu_d) / (t * t));
}

}  // namespace

void calc_hand_written(const HandWrittenContact& k, const HandWrittenMotion& i,
                       const HandWrittenMotion& j, HandWrittenWrench* result) {
  const double* R = i.R;
  const double nx = j.R[6], ny = j.R[7], nz = j.R[8];
  const double height = nx * (i.p[0] - j.p[0]) + ny * (i.p[1] - j.p[1]) + nz * (i.p[2] - j.p[2]);

  // The cap of the unit sphere.
  const double sx = k.a * (R[0] * nx + R[1] * ny + R[2] * nz);
  const double sy = k.b * (R[3] * nx + R[4] * ny + R[5] * nz);
  const double sz = k.c * (R[6] * nx + R[7] * ny + R[8] * nz);
  const double w = std::sqrt(sx * sx + sy * sy + sz * sz);
  const double inverse_w = 1 / w;
  const double ex = k.a * sx * inverse_w, ey = k.b * sy * inverse_w, ez = k.c * sz * inverse_w;
  const double qx = R[0] * ex + R[3] * ey + R[6] * ez;
  const double qy = R[1] * ex + R[4] * ey + R[7] * ez;
  const double qz = R[2] * ex + R[5] * ey + R[8] * ez;
  double d = (w - height) * inverse_w;
  if (!(d > 0)) {
    *result = {};
    return;
  }
  if (d > 2) d = 2;
  const double d2 = d * d;
  const double inverse_3d = 1 / (3 - d);
  const double volume = (M_PI / 3) * d2 * (3 - d);
  const double centroid = 0.75 * (2 - d) * (2 - d) * inverse_3d;
  const double m_t = (M_PI / 60) * d2 * d * (20 + d * (3 * d - 15));
  const double m_n = (M_PI / 240) * d2 * d2 * (40 + d * (3 * d - 24)) * inverse_3d;
  const double abc = k.a * k.b * k.c;

  // Velocities at the centroid.
  const double rx = -centroid * qx, ry = -centroid * qy, rz = -centroid * qz;
  const double cx = i.p[0] + rx, cy = i.p[1] + ry, cz = i.p[2] + rz;
  const double jx = cx - j.p[0], jy = cy - j.p[1], jz = cz - j.p[2];
  const double wx = i.w[0] - j.w[0], wy = i.w[1] - j.w[1], wz = i.w[2] - j.w[2];
  double vx = i.v[0] + i.w[1] * rz - i.w[2] * ry - j.v[0] - (j.w[1] * jz - j.w[2] * jy);
  double vy = i.v[1] + i.w[2] * rx - i.w[0] * rz - j.v[1] - (j.w[2] * jx - j.w[0] * jz);
  double vz = i.v[2] + i.w[0] * ry - i.w[1] * rx - j.v[2] - (j.w[0] * jy - j.w[1] * jx);
  const double v_n = nx * vx + ny * vy + nz * vz;
  const double w_n = nx * wx + ny * wy + nz * wz;
  const double f_n = k.stiffness * abc * volume * (1 - k.damping * v_n);
  result->centroid[0] = cx;
  result->centroid[1] = cy;
  result->centroid[2] = cz;
  if (!(f_n > 0)) {
    for (int m = 0; m < 3; ++m) result->f[m] = result->tau[m] = 0;
    return;
  }

  // Rolling: M_t u for u = n x w.
  const double ux = ny * wz - nz * wy, uy = nz * wx - nx * wz, uz = nx * wy - ny * wx;
  const double bx = k.a * k.a * (R[0] * ux + R[1] * uy + R[2] * uz);
  const double by = k.b * k.b * (R[3] * ux + R[4] * uy + R[5] * uz);
  const double bz = k.c * k.c * (R[6] * ux + R[7] * uy + R[8] * uz);
  const double qu = qx * ux + qy * uy + qz * uz;
  const double along_q = (m_n - m_t) * qu;
  const double along_n = m_n * w * qu;
  const double roll = -k.stiffness * k.damping * abc / f_n;
  double dx = roll * (m_t * (R[0] * bx + R[3] * by + R[6] * bz) + along_q * qx - along_n * nx);
  double dy = roll * (m_t * (R[1] * bx + R[4] * by + R[7] * bz) + along_q * qy - along_n * ny);
  double dz = roll * (m_t * (R[2] * bx + R[5] * by + R[8] * bz) + along_q * qz - along_n * nz);
  const double q2 = ex * ex + ey * ey + ez * ez;
  const double r2 =
      (m_t * (k.a * k.a + k.b * k.b + k.c * k.c) + (m_n - m_t) * q2 - m_n * w * w) / volume;
  double lever2 = dx * dx + dy * dy + dz * dz;
  if (lever2 > r2) {
    const double shrink = std::sqrt(r2 / lever2);
    dx *= shrink;
    dy *= shrink;
    dz *= shrink;
    lever2 = r2;
  }

  // Friction at the centre of pressure.
  const double offset = w * centroid - height;
  const double px = nx * offset + dx, py = ny * offset + dy, pz = nz * offset + dz;
  vx += wy * pz - wz * py;
  vy += wz * px - wx * pz;
  vz += wx * py - wy * px;
  const double normal_part = nx * vx + ny * vy + nz * vz;
  vx -= nx * normal_part;
  vy -= ny * normal_part;
  vz -= nz * normal_part;
  const double drag = -f_n * slope(k, vx * vx + vy * vy + vz * vz);
  const double tx = drag * vx, ty = drag * vy, tz = drag * vz;
  const double spread2 = r2 - lever2;
  const double spin = -f_n * spread2 * slope(k, spread2 * w_n * w_n) * w_n;

  result->f[0] = nx * f_n + tx;
  result->f[1] = ny * f_n + ty;
  result->f[2] = nz * f_n + tz;
  result->tau[0] = f_n * (dy * nz - dz * ny) + py * tz - pz * ty + nx * spin;
  result->tau[1] = f_n * (dz * nx - dx * nz) + pz * tx - px * tz + ny * spin;
  result->tau[2] = f_n * (dx * ny - dy * nx) + px * ty - py * tx + nz * spin;
}

}  // namespace vesica::bench
