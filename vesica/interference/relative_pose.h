// Derivatives of all methods: from slopes in plain numbers to dual numbers.
//
// An overlap depends on the relative pose alone: when both bodies move as one, it moves with them.
// So with the twists of the two bodies at some point, usually the overlap's own p_WC,
//   d(overlap) = (carried along with i) + J (twist of j - twist of i) + J_s d(sizes),
// and a method has to find only the columns of J, in plain numbers: six; on a half-space three, and
// three more where the sizes of i may vary.
#pragma once

#include <array>
#include <type_traits>
#include <utility>

#include "vesica/interference/overlap.h"

namespace vesica {

// By N motions of j against i. N = 6: its twist at the fixed point where p_WC is, velocity along x,
// y, z, then spin about x, y, z, world axes.
template <int N>
struct OverlapSlopes {
  using Row = std::array<double, N>;
  Row distance{}, volume{}, plane_offset{}, potential{}, push{};
  std::array<Row, 3> p_WC{}, p_WD{}, n_W{}, lever{};
  std::array<Row, 6> M_W{};  // xx, yy, zz, xy, xz, yz
};
using OverlapJacobian = OverlapSlopes<6>;

namespace detail {

// The derivatives alone: the chain rule multiplies them by numbers only, a fraction of what dual
// arithmetic over all intermediate results would cost.
template <class T>
using GradientOf = std::decay_t<decltype(std::declval<T>().v)>;
template <class T>
inline constexpr bool kVaries = ScalarTraits<T>::kDerivatives > 0;

template <class T>
Pose<double> value_of_pose(const Pose<T>& X) {
  Pose<double> value;
  for (int k = 0; k < 9; ++k) value.R_WB.data()[k] = value_of(X.R_WB.data()[k]);
  value.p_WB = value_of(X.p_WB);
  return value;
}

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

// The one chain rule. T is the scalar of whatever has derivatives: either pose, or the sizes.
// Slopes are by the twist of j about the point p_W.
template <class T, int N = 6>
class ChainRule {
 public:
  using G = GradientOf<T>;

  template <class A, class B>
  ChainRule(const Pose<A>& X_WI, const Pose<B>& X_WJ, const Vec3d& p_W) : p_W_(p_W) {
    static_assert(N == 6);
    by_ = set_twists(X_WI, X_WJ);
  }
  // Of a half-space j only three motions count: along its normal, the last of the axes, and about
  // the other two. N = 6: then the sizes of i.
  template <class A, class B, class P>
  ChainRule(const Pose<A>& X_WI, const Pose<B>& X_WJ, const Vec3d& p_W, const Mat3d& axes_W,
            const Vec3<P>& sizes)
      : p_W_(p_W) {
    static_assert(N == 3 || N == 6);
    const std::array<G, 6> of_j = set_twists(X_WI, X_WJ);
    for (int k = 0; k < 3; ++k) {
      const int first = k == 0 ? 0 : 3;
      const auto e = axes_W.col(k == 0 ? 2 : k - 1);
      by_[k] = e[0] * of_j[first] + e[1] * of_j[first + 1] + e[2] * of_j[first + 2];
    }
    if constexpr (N == 6) {
      for (int k = 0; k < 3; ++k) by_[3 + k] = sizes[k].v;
    }
  }

  // What the slopes make of it, on top of what i carries along.
  template <class Row>
  G change(const Row& row) const {
    G g = row[0] * by_[0];
    for (int k = 1; k < N; ++k) g = g + row[k] * by_[k];
    return g;
  }
  // Component r of what turns and moves a vector, or a point at `offset` from p_W, with i.
  G turned(const Vec3d& a, int r) const {
    const int s = (r + 1) % 3, t = (r + 2) % 3;
    return a[t] * of_i_[3 + s] - a[s] * of_i_[3 + t];
  }
  G carried(const Vec3d& offset, int r) const { return of_i_[r] + turned(offset, r); }

  template <class Row>
  T scalar(double value, const Row& row) const {
    return T(value, change(row));
  }
  template <class Rows>
  Vec3<T> vector(const Vec3d& a, const Rows& rows) const {
    return make_vector(a, [&](int r) -> G { return turned(a, r) + change(rows[r]); });
  }
  template <class Rows>
  Vec3<T> point(const Vec3d& p, const Rows& rows) const {
    const Vec3d offset = p - p_W_;
    return make_vector(p, [&](int r) -> G { return carried(offset, r) + change(rows[r]); });
  }
  // Rows xx, yy, zz, xy, xz, yz.
  template <class Rows>
  Symmetric3<T> symmetric(const Symmetric3<double>& value, const Rows& rows) const {
    const Mat3d M = value.matrix();
    const auto entry = [&](int r, int s, int k) {  // w x M + (w x M)^T
      const G dM = turned(M.col(s), r) + turned(M.col(r), s) + change(rows[k]);
      return T(M(r, s), dM);
    };
    return {entry(0, 0, 0), entry(1, 1, 1), entry(2, 2, 2),
            entry(0, 1, 3), entry(0, 2, 4), entry(1, 2, 5)};
  }

 private:
  template <class F>
  static Vec3<T> make_vector(const Vec3d& value, const F& gradient) {
    Vec3<T> v;
    for (int r = 0; r < 3; ++r) {
      const G g = gradient(r);
      v[r] = T(value[r], g);
    }
    return v;
  }

  // That of i, kept; the twist of j against it.
  template <class A, class B>
  std::array<G, 6> set_twists(const Pose<A>& X_WI, const Pose<B>& X_WJ) {
    const G zero = T(0.0).v;
    std::array<G, 6> relative;
    if constexpr (kVaries<A>) {
      of_i_ = calc_twist(X_WI, p_W_);
      for (int k = 0; k < 6; ++k) relative[k] = -1.0 * of_i_[k];
    } else {
      of_i_.fill(zero);
      relative.fill(zero);
    }
    if constexpr (kVaries<B>) {
      const auto of_j = calc_twist(X_WJ, p_W_);
      for (int k = 0; k < 6; ++k) relative[k] = relative[k] + of_j[k];
    }
    return relative;
  }

  Vec3d p_W_;
  std::array<G, 6> of_i_;
  std::array<G, N> by_;
};

// On a half-space j: the three motions that count run through the kernel as the derivatives of
// small dual numbers, a third of what twelve through all of it cost (bench/contact_bench.cpp).
// `kernel` takes the pose of i, the normal, and the height of i's origin over the plane.
template <class T, class A, class B, class Kernel>
Overlap<T> differentiate_by_plane(const Pose<A>& X_WI, const Pose<B>& X_WJ, const Kernel& kernel) {
  using D = Dual<3>;
  const Pose<double> X_Wi = value_of_pose(X_WI), X_Wj = value_of_pose(X_WJ);
  // Along z of the plane, about its x and y through the origin of i.
  const Mat3d& axes = X_Wj.R_WB;
  const auto normal = [&](int r) {
    return D(axes(r, 2), Gradient<3>{{{0, -axes(r, 1), axes(r, 0), 0}}});
  };
  const D height(axes.col(2).dot(X_Wi.p_WB - X_Wj.p_WB), Gradient<3>{{{-1, 0, 0, 0}}});
  const Overlap<D> by = kernel(X_Wi, Vec3<D>(normal(0), normal(1), normal(2)), height);

  const ChainRule<T, 3> rule(X_WI, X_WJ, X_Wi.p_WB, axes, Vec3d(1, 1, 1));
  const auto scalar = [&](const D& s) { return rule.scalar(s.a, s.v); };
  const auto point = [&](const Vec3<D>& p) {
    return rule.point(value_of(p), std::array{p[0].v, p[1].v, p[2].v});
  };
  Overlap<T> o;
  o.distance = scalar(by.distance);
  o.volume = scalar(by.volume);
  o.plane_offset = scalar(by.plane_offset);
  o.potential = scalar(by.potential);
  o.p_WC = point(by.p_WC);
  o.p_WD = point(by.p_WD);
  const Symmetric3<D>& M = by.M_W;
  o.M_W = rule.symmetric(value_of(M), std::array{M.xx.v, M.yy.v, M.zz.v, M.xy.v, M.xz.v, M.yz.v});
  for (int r = 0; r < 3; ++r) o.n_W[r] = T(X_WJ.R_WB(r, 2));  // the plane's own
  return o;
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
  const detail::ChainRule<T> rule(X_WI, X_WJ, value.p_WC);
  Overlap<T> o;
  o.distance = rule.scalar(value.distance, by.distance);
  o.volume = rule.scalar(value.volume, by.volume);
  o.plane_offset = rule.scalar(value.plane_offset, by.plane_offset);
  o.potential = rule.scalar(value.potential, by.potential);
  o.p_WC = rule.point(value.p_WC, by.p_WC);
  o.p_WD = rule.point(value.p_WD, by.p_WD);
  o.n_W = rule.vector(value.n_W, by.n_W);
  o.M_W = rule.symmetric(value.M_W, by.M_W);
  o.has_mean_depth = value.has_mean_depth;
  o.method_error = value.method_error;
  o.is_conservative = value.is_conservative;
  if (value.is_conservative) {
    o.push = rule.scalar(value.push, by.push);
    o.lever = rule.vector(value.lever, by.lever);
  }
  return o;
}

}  // namespace vesica
