// test::make_chain() written out once more as the source does it: full Cartesian coordinates with
// Euler parameters, objective and constraints as one Lagrangian, its gradient by dual numbers, its
// Hessian by sixth-order differences of that gradient. Shares no code with the library.
#pragma once

#include <vector>

#include "vesica/markers/frame.h"

namespace vesica::markers::literal {

constexpr int kSegments = 3, kParameters = 6;
constexpr int kLambda = 3 + 5 + kSegments;       // hip, knee, |p| = 1
constexpr int kN = 7 * kSegments + kParameters;  // variables that one frame depends on
using T = Dual<kN>;

// R(p) u with R the rotation of p times |p|^2, as in the source's Cartesian formulation.
inline Vec3<T> rotate(const T* p, const Vec3<T>& u) {
  const Vec3<T> v(p[1], p[2], p[3]);
  return (p[0] * p[0] - v.dot(v)) * u + T(2.0) * v * v.dot(u) + T(2.0) * p[0] * v.cross(u);
}

// test::make_chain() written out once more.
inline T calc_lagrangian(const T* q, const T* d, const Eigen::VectorXd& lambda,
                         const Frame& frame) {
  const auto at = [&](int s, const Vec3<T>& u) {
    return Vec3<T>(Vec3<T>(q[7 * s], q[7 * s + 1], q[7 * s + 2]) + rotate(q + 7 * s + 3, u));
  };
  const auto turn = [&](int s, const Vec3<T>& u) { return rotate(q + 7 * s + 3, u); };
  const auto vec = [](double x, double y, double z) { return Vec3<T>(T(x), T(y), T(z)); };
  const T scale = d[0], length = d[1], alpha = d[2], beta = d[3];
  // Axis Rx(alpha) Ry(beta) e_z in b.
  using std::cos;
  using std::sin;
  const Vec3<T> axis(sin(beta), -sin(alpha) * cos(beta), cos(alpha) * cos(beta));
  T L(0.0);
  const auto marker = [&](int m, const Vec3<T>& x) {
    const Vec3d& y = frame.positions[m];
    const Vec3<T> psi = x - vec(y.x(), y.y(), y.z());
    L += T(0.5 * frame.weights[m]) * psi.dot(psi);
  };
  marker(0, at(0, Vec3<T>(scale * vec(0.1, 0.0, 0.0))));
  marker(1, at(0, Vec3<T>(scale * vec(0.0, 0.1, 0.0))));
  marker(2, at(0, Vec3<T>(d[4] * scale, T(0.02), T(-0.1) * scale)));
  marker(3, at(1, vec(0.03, -0.2, 0.05)));
  marker(4, at(1, vec(-0.05, -0.1, 0.0)));
  marker(5, at(2, vec(0.05, -0.2, 0.02)));
  marker(6, at(2, Vec3<T>(T(-0.04), d[5], T(0.03))));
  const Vec3<T> hip = at(0, Vec3<T>(scale * vec(0.0, -0.05, 0.02))) - at(1, vec(0, 0, 0));
  const Vec3<T> knee = at(1, Vec3<T>(T(0.0), -length, T(0.01))) - at(2, vec(0, 0, 0));
  for (int k = 0; k < 3; ++k) {
    L += T(lambda[k]) * hip[k];
    L += T(lambda[3 + k]) * knee[k];
  }
  L += T(lambda[6]) * turn(1, axis).dot(turn(2, vec(1, 0, 0)));
  L += T(lambda[7]) * turn(1, axis).dot(turn(2, vec(0, 1, 0)));
  for (int s = 0; s < kSegments; ++s) {
    T norm(-1.0);
    for (int k = 0; k < 4; ++k) norm += q[7 * s + 3 + k] * q[7 * s + 3 + k];
    L += T(lambda[8 + s]) * norm;
  }
  return L;
}

// Gradient and Hessian of the Lagrangian by (q, d), for given multipliers.
inline Eigen::VectorXd calc_gradient(const Eigen::VectorXd& x, const Eigen::VectorXd& lambda,
                                     const Frame& frame) {
  std::vector<T> seeded(kN);
  for (int k = 0; k < kN; ++k) {
    seeded[k] = T(x[k]);
    seeded[k].v[k] = 1;
  }
  const T L = calc_lagrangian(seeded.data(), seeded.data() + 7 * kSegments, lambda, frame);
  Eigen::VectorXd g(kN);
  for (int k = 0; k < kN; ++k) g[k] = L.v[k];
  return g;
}
inline void differentiate(const Eigen::VectorXd& q, const Eigen::VectorXd& d,
                          const Eigen::VectorXd& lambda, const Frame& frame, Eigen::VectorXd* g,
                          Eigen::MatrixXd* H) {
  Eigen::VectorXd x(kN);
  x << q, d;
  *g = calc_gradient(x, lambda, frame);
  H->resize(kN, kN);
  constexpr double h = 3e-3;  // h^6 and 1e-16/h are both below 1e-13
  for (int k = 0; k < kN; ++k) {
    const auto difference = [&](double step) {
      const Eigen::VectorXd e = step * Eigen::VectorXd::Unit(kN, k);
      return Eigen::VectorXd(calc_gradient(x + e, lambda, frame) -
                             calc_gradient(x - e, lambda, frame));
    };
    H->col(k) = (45 * difference(h) - 9 * difference(2 * h) + difference(3 * h)) / (60 * h);
  }
}

}  // namespace vesica::markers::literal
