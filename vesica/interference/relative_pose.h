// An overlap with derivatives from what it does when body j moves and body i stands still.
//
// The overlap depends on the relative pose alone: when both bodies move as one, it moves with them.
// So with the twists of the two bodies at the overlap's own point p_WC
//   d(overlap) = (carried along with i) + J (twist of j - twist of i),
// and a method has to find only the six columns of J, in plain numbers.
#pragma once

#include <array>

#include "vesica/interference/mesh/half_space_mesh.h"
#include "vesica/interference/overlap.h"

namespace vesica {

// By a twist of j at the fixed point where p_WC is: velocity along x, y, z, then spin about x, y,
// z, world axes.
struct OverlapJacobian {
  using Row = std::array<double, 6>;
  Row distance{}, volume{}, plane_offset{}, potential{}, push{};
  std::array<Row, 3> p_WC{}, p_WD{}, n_W{}, lever{};
  std::array<Row, 6> M_W{};  // xx, yy, zz, xy, xz, yz
};

namespace detail {

// The gradient of a body's twist at the point p: velocity, spin.
template <class A>
std::array<GradientOf<A>, 6> calc_twist(const Pose<A>& X, const Vec3d& p) {
  const auto spin = [&](int r, int s) -> GradientOf<A> {  // entry (r, s) of dR R^T
    return value_of(X.R_WB(s, 0)) * X.R_WB(r, 0).v + value_of(X.R_WB(s, 1)) * X.R_WB(r, 1).v +
           value_of(X.R_WB(s, 2)) * X.R_WB(r, 2).v;
  };
  const GradientOf<A> w[3] = {spin(2, 1), spin(0, 2), spin(1, 0)};
  const Vec3d a = p - value_of(X.p_WB);
  return {X.p_WB[0].v + a[2] * w[1] - a[1] * w[2],
          X.p_WB[1].v + a[0] * w[2] - a[2] * w[0],
          X.p_WB[2].v + a[1] * w[0] - a[0] * w[1],
          w[0],
          w[1],
          w[2]};
}

// X after a small twist about the point p: along x, y, z, then about them.
Pose<double> move_by_twist(const Pose<double>& X, const Vec3d& p, int direction, double amount);

}  // namespace detail

// Slopes of a conservative wrench by central differences: `find_wrench(X_WJ)` gives an Overlap with
// n_W, push and lever set; `o` is that at X_WJ, whole. Where the wrench is smooth, what the third
// derivative and rounding leave is 1e-8 of the slope; within a step of a kink it is a mean slope.
template <class F>
void difference_wrench(const F& find_wrench, const Overlap<double>& o, const Pose<double>& X_WJ,
                       OverlapJacobian* by) {
  using std::sqrt;
  constexpr double kStep = 1e-4;  // of the depth, which sets how fast a shallow contact changes
  const double depth = -o.distance, spread = sqrt(o.M_W.trace() / o.volume);
  for (int k = 0; k < 6; ++k) {
    const double h = kStep * (k < 3 ? depth : depth / (depth + spread));
    const Overlap<double> a = find_wrench(detail::move_by_twist(X_WJ, o.p_WC, k, -h));
    const Overlap<double> b = find_wrench(detail::move_by_twist(X_WJ, o.p_WC, k, h));
    by->push[k] = (b.push - a.push) / (2 * h);
    for (int r = 0; r < 3; ++r) {
      by->n_W[r][k] = (b.n_W[r] - a.n_W[r]) / (2 * h);
      by->lever[r][k] = (b.lever[r] - a.lever[r]) / (2 * h);
    }
  }
}

// T is the scalar of the poses that have derivatives.
template <class T, class A, class B>
Overlap<T> differentiate(const Overlap<double>& value, const OverlapJacobian& by,
                         const Pose<A>& X_WI, const Pose<B>& X_WJ) {
  using G = detail::GradientOf<T>;
  const G zero = T(0.0).v;
  std::array<G, 6> of_i, relative;
  of_i.fill(zero);
  relative.fill(zero);
  if constexpr (detail::kVaries<A>) {
    of_i = detail::calc_twist(X_WI, value.p_WC);
    for (int k = 0; k < 6; ++k) relative[k] = -1.0 * of_i[k];
  }
  if constexpr (detail::kVaries<B>) {
    const auto of_j = detail::calc_twist(X_WJ, value.p_WC);
    for (int k = 0; k < 6; ++k) relative[k] = relative[k] + of_j[k];
  }
  const auto change = [&](const OverlapJacobian::Row& row) -> G {
    G g = row[0] * relative[0];
    for (int k = 1; k < 6; ++k) g = g + row[k] * relative[k];
    return g;
  };
  Overlap<T> o;
  o.distance = T(value.distance, change(by.distance));
  o.volume = T(value.volume, change(by.volume));
  o.plane_offset = T(value.plane_offset, change(by.plane_offset));
  o.potential = T(value.potential, change(by.potential));
  const std::array<G, 3> w = {of_i[3], of_i[4], of_i[5]};
  const auto turned = [&](const Vec3d& a, int r) -> G {  // component r of w x a
    const int s = (r + 1) % 3, t = (r + 2) % 3;
    return a[t] * w[s] - a[s] * w[t];
  };
  for (int r = 0; r < 3; ++r) {
    const G dp = of_i[r] + change(by.p_WC[r]);
    o.p_WC[r] = T(value.p_WC[r], dp);
    const G dq = of_i[r] + turned(value.p_WD - value.p_WC, r) + change(by.p_WD[r]);
    o.p_WD[r] = T(value.p_WD[r], dq);
    const G dn = turned(value.n_W, r) + change(by.n_W[r]);
    o.n_W[r] = T(value.n_W[r], dn);
  }
  o.has_mean_depth = value.has_mean_depth;
  o.is_conservative = value.is_conservative;
  if (value.is_conservative) {
    o.push = T(value.push, change(by.push));
    for (int r = 0; r < 3; ++r) {
      const G d_lever = turned(value.lever, r) + change(by.lever[r]);
      o.lever[r] = T(value.lever[r], d_lever);
    }
  }
  const Mat3d M = value.M_W.matrix();
  const auto entry = [&](int r, int s, int k) {  // w x M + (w x M)^T
    const G dM = turned(M.col(s), r) + turned(M.col(r), s) + change(by.M_W[k]);
    return T(M(r, s), dM);
  };
  o.M_W = {entry(0, 0, 0), entry(1, 1, 1), entry(2, 2, 2),
           entry(0, 1, 3), entry(0, 2, 4), entry(1, 2, 5)};
  return o;
}

}  // namespace vesica
