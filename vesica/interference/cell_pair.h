// Two cells, or two solids made of cells (body i and body j), as the contact laws see them: volume,
// centroid and second moment by slices (slices.h), a contact normal by choice, the signed gap, and
// all derivatives by both poses.
//
// Contact normal (Gonthier 4.3.7; PHYSICS: none is exact for two general solids):
//   area_vector   n along the integral of the normal over j's surface inside i: minus the gradient
//                 of the volume by a translation of i; smooth over edges; the same from both sides
//   eigenvector   the principal axis of the shared volume nearest to the area vector (4.199); it
//                 jumps where two principal moments cross
//   plane         the normal of j's plane nearest to the area vector; it jumps at edges. Falls back
//                 to area_vector where j has no plane there
//   conservative  that of the wrench which derives from a potential, and presses
//                 (docs/theory/energy.md); for pairs with has_planar_body
//
// The contact surface runs through the centroid (plane_offset 0). F = k V n has no potential here:
// `potential` is 0 but for a conservative normal, whose slopes are central differences.
//
// Signed gap: overlapping, minus the length of the column along n through the centroid; apart, how
// far j's surfaces have to be moved out to touch i: the distance where a face, a ball or a
// cylinder's side is nearest, less than the distance at edges and corners (their offset is mitred).
// Beyond the size of the smaller body it is the distance of the boxes. Continuous at touchdown.
//
// Smoothness: V is C1 while no face lies flat on another. Where a plane of one lies in a plane of
// the other, moments keep their values and one-sided derivatives.
#pragma once

#include <array>
#include <type_traits>

#include "vesica/geometry/solid.h"
#include "vesica/interference/half_space_mesh.h"
#include "vesica/interference/relative_pose.h"
#include "vesica/interference/slices.h"

namespace vesica {

enum class ContactNormal { kAreaVector, kEigenvector, kPlane, kConservative };

struct CellPairOptions {
  SliceOptions slices;
  ContactNormal normal = ContactNormal::kAreaVector;
};

// Cells with a sign: a solid is their sum, each point counted once (inclusion and exclusion).
struct SignedCell {
  Cell cell;
  double sign = 1;
};
using SolidParts = std::vector<SignedCell>;
// Throws InputError where more than 4,096 terms would be needed.
SolidParts make_solid_parts(const Solid& solid);

template <class T>
struct SharedMoments {
  T volume;
  Vec3<T> p_WC;
  Symmetric3<T> M_W;
  Vec3<T> area_W;           // area vector of j's surface inside i
  double method_error = 0;  // Overlap::method_error
};

namespace detail {

// In world axes, with what the derivatives need.
struct CellPairResult {
  CellMoments moments;  // world frame
  CellSensitivity sensitivity;
  Mat3d R_WS;
};
CellPairResult calc_cell_pair(const Cell& i, const Pose<double>& X_WI, const Cell& j,
                              const Pose<double>& X_WJ, const SliceOptions& options,
                              bool with_derivatives);

// How a body moves with every variable: velocity of the point p and angular velocity, in the world.
template <class T, class A>
std::array<GradientOf<T>, 6> calc_pair_twist(const Pose<A>& X_WB, const Vec3d& p) {
  using G = GradientOf<T>;
  const G zero = T(0.0).v;
  std::array<G, 6> t = {zero, zero, zero, zero, zero, zero};
  if constexpr (kVaries<A>) {
    const Pose<double> X = value_of_pose(X_WB);
    // dR R^T = skew(w)
    for (int k = 0; k < 3; ++k) {
      t[3] = t[3] + X.R_WB(1, k) * X_WB.R_WB(2, k).v;
      t[4] = t[4] + X.R_WB(2, k) * X_WB.R_WB(0, k).v;
      t[5] = t[5] + X.R_WB(0, k) * X_WB.R_WB(1, k).v;
    }
    const Vec3d r = p - X.p_WB;
    t[0] = X_WB.p_WB[0].v + r[2] * t[4] - r[1] * t[5];
    t[1] = X_WB.p_WB[1].v + r[0] * t[5] - r[2] * t[3];
    t[2] = X_WB.p_WB[2].v + r[1] * t[3] - r[0] * t[4];
  }
  return t;
}

template <class T, class A, class B>
SharedMoments<T> differentiate(const CellPairResult& r, const Pose<A>& X_WI, const Pose<B>& X_WJ) {
  using G = GradientOf<T>;
  const CellMoments& m = r.moments;
  const auto i = calc_pair_twist<T>(X_WI, m.centroid), j = calc_pair_twist<T>(X_WJ, m.centroid);
  // j against i, in the slices' axes.
  std::array<G, 6> t;
  for (int k = 0; k < 3; ++k) {
    const Vec3d axis = r.R_WS.col(k);
    t[k] = axis[0] * (j[0] - i[0]) + axis[1] * (j[1] - i[1]) + axis[2] * (j[2] - i[2]);
    t[k + 3] = axis[0] * (j[3] - i[3]) + axis[1] * (j[4] - i[4]) + axis[2] * (j[5] - i[5]);
  }
  const auto combine = [&](const auto& row) -> G {
    G sum = row[0] * t[0];
    for (int k = 1; k < 6; ++k) sum = sum + row[k] * t[k];
    return sum;
  };
  SharedMoments<T> s;
  s.volume = T(m.volume, combine(r.sensitivity.volume));
  s.method_error = m.missed();
  // Rows turned to the world, then what moves rigidly with i.
  const Eigen::Matrix<double, 3, 6> by_c = r.R_WS * r.sensitivity.centroid;
  const Eigen::Matrix<double, 3, 6> by_a = r.R_WS * r.sensitivity.area_vector;
  const Vec3d& a = m.area_vector;
  const std::array<G, 3> turned_a = {a[2] * i[4] - a[1] * i[5], a[0] * i[5] - a[2] * i[3],
                                     a[1] * i[3] - a[0] * i[4]};
  for (int k = 0; k < 3; ++k) {
    const G dc = combine(by_c.row(k)) + i[k], da = combine(by_a.row(k)) + turned_a[k];
    s.p_WC[k] = T(m.centroid[k], dc);
    s.area_W[k] = T(a[k], da);
  }
  Eigen::Matrix<double, 6, 9> by_M;  // full matrices, by each twist of j
  for (int k = 0; k < 6; ++k) {
    const auto c = r.sensitivity.M.col(k);
    const Mat3d M = Symmetric3<double>{c[0], c[1], c[2], c[3], c[4], c[5]}.rotated(r.R_WS).matrix();
    for (int e = 0; e < 9; ++e) by_M(k, e) = M.data()[e];
  }
  const Mat3d M = m.M.matrix();
  const auto entry = [&](int p, int q) -> T {
    G d = combine(by_M.col(p + 3 * q));
    // w x M - M x w
    const int p1 = (p + 1) % 3, p2 = (p + 2) % 3, q1 = (q + 1) % 3, q2 = (q + 2) % 3;
    d = d + M(p2, q) * i[3 + p1] - M(p1, q) * i[3 + p2] + M(p, q2) * i[3 + q1] -
        M(p, q1) * i[3 + q2];
    return T(M(p, q), d);
  };
  s.M_W = {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
  return s;
}

// Where the line p + t n leaves both solids, for the column through the centroid.
struct ColumnEnd {
  double t = 0;
  bool is_of_i = false;
  Quadric g;     // of the surface there, in its body's frame
  double slope;  // of g along the line
};
// False where the line misses.
bool find_column(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
                 const Pose<double>& X_WJ, const Vec3d& p, const Vec3d& n, ColumnEnd ends[2]);

// The gap between two solids that do not overlap, where they are nearest, and the normal there.
struct Gap {
  double distance;
  Vec3d p_WC, n_W;
};
Gap calc_gap(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
             const Pose<double>& X_WJ);

// Axes of M, the one nearest to the guess first, that one with its sign.
struct PrincipalAxes {
  Vec3d axis[3];
  double moment[3];
};
PrincipalAxes calc_principal_axes(const Symmetric3<double>& M, const Vec3d& guess);

// Whether one of the two is a single cell of planes, which a conservative normal needs.
bool has_planar_body(const SolidParts& i, const SolidParts& j);

// U [m^4] = the integral, over the shared volume, of the depth below the planar body's surface
// along the area vector, and the wrench on i per unit stiffness, minus its gradient, about p_W.
// Throws InputError without a planar body.
struct SolidPotential {
  double value = 0;
  Wrench<double> F_Iq_W = {Vec3d::Zero(), Vec3d::Zero()};
};
SolidPotential calc_solid_potential(const SolidParts& i, const Pose<double>& X_WI,
                                    const SolidParts& j, const Pose<double>& X_WJ,
                                    const SliceOptions& options, const Vec3d& p_W);
// The overlap `o` with its wrench made conservative, and the slopes of that unless `by` is null.
Overlap<double> press_conservatively(const SolidParts& i, const Pose<double>& X_WI,
                                     const SolidParts& j, const Pose<double>& X_WJ,
                                     const SliceOptions& options, Overlap<double> o,
                                     OverlapJacobian* by);

// The normal, in j's frame, of the plane of j nearest to the guess; false without planes.
bool find_plane_normal(const SolidParts& j, const Vec3d& guess_J, Vec3d* n_J);

}  // namespace detail

// The moments of what two cells share, with derivatives by the poses.
template <class A, class B>
auto calc_shared_moments(const Cell& i, const Pose<A>& X_WI, const Cell& j, const Pose<B>& X_WJ,
                         const SliceOptions& options = {}) {
  using T = Promote<A, B>;
  if constexpr (!detail::kVaries<T>) {
    const auto m = detail::calc_cell_pair(i, X_WI, j, X_WJ, options, false).moments;
    return SharedMoments<double>{m.volume, m.centroid, m.M, m.area_vector, m.missed()};
  } else {
    return detail::differentiate<T>(
        detail::calc_cell_pair(i, detail::value_of_pose(X_WI), j, detail::value_of_pose(X_WJ),
                               options, true),
        X_WI, X_WJ);
  }
}

// Of two solids: the signed sum over their parts.
template <class A, class B>
auto calc_shared_moments(const SolidParts& i, const Pose<A>& X_WI, const SolidParts& j,
                         const Pose<B>& X_WJ, const SliceOptions& options = {}) {
  using T = Promote<A, B>;
  if (i.size() == 1 && j.size() == 1) {
    return SharedMoments<T>(calc_shared_moments(i[0].cell, X_WI, j[0].cell, X_WJ, options));
  }
  const Vec3<T> zero(T(0.0), T(0.0), T(0.0));
  SharedMoments<T> sum{T(0.0), zero, Symmetric3<T>::zero(), zero};
  Vec3d origin = Vec3d::Zero();
  bool is_first = true;
  // About the first centroid, which is near: sums about a far origin would cancel.
  for (const SignedCell& a : i) {
    for (const SignedCell& b : j) {
      const SharedMoments<T> m = calc_shared_moments(a.cell, X_WI, b.cell, X_WJ, options);
      if (!(value_of(m.volume) > 0)) continue;
      if (is_first) origin = value_of(m.p_WC);
      is_first = false;
      const T V = m.volume * T(a.sign * b.sign);
      const Vec3<T> r = m.p_WC - cast_vector<T>(origin);
      sum.volume = sum.volume + V;
      sum.p_WC = sum.p_WC + r * V;
      sum.M_W = sum.M_W + m.M_W * T(a.sign * b.sign) + Symmetric3<T>::outer(r) * V;
      sum.area_W = sum.area_W + m.area_W * T(a.sign * b.sign);
      sum.method_error = std::max(sum.method_error, m.method_error);
    }
  }
  if (!(value_of(sum.volume) > 0))
    return SharedMoments<T>{T(0.0), zero, Symmetric3<T>::zero(), zero};
  const Vec3<T> c = sum.p_WC * T(T(1.0) / sum.volume);
  sum.M_W = sum.M_W - Symmetric3<T>::outer(c) * sum.volume;
  sum.p_WC = c + cast_vector<T>(origin);
  return sum;
}

template <class A, class B>
auto calc_overlap(const SolidParts& i, const Pose<A>& X_WI, const SolidParts& j,
                  const Pose<B>& X_WJ, const CellPairOptions& options = {},
                  WhenApart apart = WhenApart::kGap) {
  using std::sqrt;
  using T = Promote<A, B>;
  const SharedMoments<T> m = calc_shared_moments(i, X_WI, j, X_WJ, options.slices);
  const Pose<double> X_I = detail::value_of_pose(X_WI), X_J = detail::value_of_pose(X_WJ);
  Overlap<T> o;
  o.plane_offset = o.potential = T(0.0);
  const Vec3d area = value_of(m.area_W);
  if (!(value_of(m.volume) > 0) || !(area.norm() > 0)) {
    if (apart == WhenApart::kNothing) return far_apart<T>();
    const detail::Gap gap = detail::calc_gap(i, X_I, j, X_J);
    o.volume = m.volume;
    o.M_W = m.M_W;
    o.n_W = cast_vector<T>(gap.n_W);
    o.p_WC = cast_vector<T>(gap.p_WC);
    o.distance = T(gap.distance);
    if constexpr (detail::kVaries<T>) {
      const auto ti = detail::calc_pair_twist<T>(X_WI, gap.p_WC),
                 tj = detail::calc_pair_twist<T>(X_WJ, gap.p_WC);
      for (int k = 0; k < 3; ++k) {
        o.distance = T(value_of(o.distance), o.distance.v + gap.n_W[k] * (ti[k] - tj[k]));
        o.p_WC[k] = T(gap.p_WC[k], 0.5 * (ti[k] + tj[k]));
      }
    }
    return o;
  }
  o.volume = m.volume;
  o.method_error = m.method_error;
  o.p_WC = m.p_WC;
  o.M_W = m.M_W;
  o.n_W = m.area_W * T(T(1.0) / sqrt(m.area_W.squaredNorm()));
  if (options.normal == ContactNormal::kEigenvector) {
    Symmetric3<double> M = {value_of(m.M_W.xx), value_of(m.M_W.yy), value_of(m.M_W.zz),
                            value_of(m.M_W.xy), value_of(m.M_W.xz), value_of(m.M_W.yz)};
    const auto axes = detail::calc_principal_axes(M, area);
    o.n_W = cast_vector<T>(axes.axis[0]);
    if constexpr (detail::kVaries<T>) {
      const Vec3<T> Mn = m.M_W * o.n_W;
      for (int k = 1; k < 3; ++k) {
        const double split = axes.moment[0] - axes.moment[k];
        if (split == 0) continue;
        const Vec3<T> e = cast_vector<T>(axes.axis[k]);
        o.n_W = o.n_W + e * T(e.dot(Mn) * T(1 / split));
      }
    }
  } else if (options.normal == ContactNormal::kPlane) {
    Vec3d n_J;
    if (detail::find_plane_normal(j, X_J.R_WB.transpose() * area, &n_J)) {
      const Vec3<B> n = X_WJ.R_WB * n_J;
      o.n_W = cast_vector<T>(n);
    }
  }
  // The column through the centroid: each end moves with its surface.
  detail::ColumnEnd ends[2];
  o.distance = T(0.0);
  if (detail::find_column(i, X_I, j, X_J, value_of(o.p_WC), value_of(o.n_W), ends)) {
    const auto end_of = [&](const detail::ColumnEnd& end) -> T {
      T t(end.t);
      if constexpr (detail::kVaries<T>) {
        const Vec3<T> x_W = o.p_WC + o.n_W * T(end.t);
        Vec3<T> x;
        if (end.is_of_i) {
          x = X_WI.R_WB.transpose() * Vec3<T>(x_W - X_WI.p_WB);
        } else {
          x = X_WJ.R_WB.transpose() * Vec3<T>(x_W - X_WJ.p_WB);
        }
        const Vec3d gradient = end.g.gradient(value_of(x));
        const T moved = x[0] * gradient[0] + x[1] * gradient[1] + x[2] * gradient[2];
        t = T(end.t, (-1 / end.slope) * moved.v);
      }
      return t;
    };
    o.distance = end_of(ends[0]) - end_of(ends[1]);
  }
  if (options.normal == ContactNormal::kConservative) {
    if constexpr (!detail::kVaries<T>) {
      return detail::press_conservatively(i, X_I, j, X_J, options.slices, o, nullptr);
    } else {
      const Symmetric3<T>& M = o.M_W;
      Overlap<double> value{};
      value.distance = value_of(o.distance);
      value.volume = value_of(o.volume);
      value.p_WC = value_of(o.p_WC);
      value.n_W = value_of(o.n_W);
      value.M_W = {value_of(M.xx), value_of(M.yy), value_of(M.zz),
                   value_of(M.xy), value_of(M.xz), value_of(M.yz)};
      OverlapJacobian by;
      value = detail::press_conservatively(i, X_I, j, X_J, options.slices, value, &by);
      const Overlap<T> wrench = differentiate<T>(value, by, X_WI, X_WJ);
      o.is_conservative = true;
      o.n_W = wrench.n_W;
      o.potential = wrench.potential;
      o.push = wrench.push;
      o.lever = wrench.lever;
    }
  }
  return o;
}

// Areas and greatest depth on a grid of lines along n (64 x 64): to about 1 %.
PatchFigures calc_patch_figures(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
                                const Pose<double>& X_WJ, const Vec3d& n_W, const Vec3d& p_WC);

// The depth field as half_space_mesh.h describes it: total length along the unit n_W = u x v.
void sample_columns(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
                    const Pose<double>& X_WJ, const Vec3d& origin_W, const Vec3d& u_W,
                    const Vec3d& v_W, double u0, double v0, double du, double dv, int nu, int nv,
                    std::vector<double>* depth);

}  // namespace vesica
