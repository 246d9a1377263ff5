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
// Where one solid is a half-space its plane is the normal of all rules but the eigenvector, and the
// contact surface; F = k V n then has a potential: V times the depth of the centroid. Elsewhere the
// contact surface runs through the centroid (plane_offset 0), and `potential` is 0 but for a
// conservative normal, whose slopes are central differences. A solid that is wholly inside another
// is pressed out of the nearest surface.
//
// Signed gap: overlapping, minus the depth of the deepest column (deepest_column.h); apart, how far
// j's surfaces have to be moved out to touch i: the distance where a face, a ball or a cylinder's
// side is nearest, less than the distance at edges and corners (their offset is mitred). Beyond the
// size of the smaller body it is the distance of the boxes.
//
// Smoothness: V is C1 while no face lies flat on another. Where a plane of one lies in a plane of
// the other, moments keep their values and one-sided derivatives.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "vesica/geometry/solid.h"
#include "vesica/interference/deepest_column.h"
#include "vesica/interference/relative_pose.h"
#include "vesica/interference/slices/slices.h"

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

template <class T, class A, class B>
SharedMoments<T> differentiate(const CellPairResult& r, const Pose<A>& X_WI, const Pose<B>& X_WJ) {
  const CellMoments& m = r.moments;
  // Slopes are by a twist about the centroid in the slices' axes, and so are vectors and M: both to
  // the world's.
  Eigen::Matrix<double, 6, 6> to_world = Eigen::Matrix<double, 6, 6>::Zero();
  to_world.topLeftCorner<3, 3>() = to_world.bottomRightCorner<3, 3>() = r.R_WS.transpose();
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor, 6, 6>;
  const auto rows_of = [](const Rows& by) {
    std::array<std::array<double, 6>, 6> rows{};
    for (int k = 0; k < by.rows(); ++k) {
      for (int c = 0; c < 6; ++c)
        rows[static_cast<std::size_t>(k)][static_cast<std::size_t>(c)] = by(k, c);
    }
    return rows;
  };
  Rows by_M(6, 6);
  for (int k = 0; k < 6; ++k) {
    const auto c = r.sensitivity.M.col(k);
    const auto M = Symmetric3<double>{c[0], c[1], c[2], c[3], c[4], c[5]}.rotated(r.R_WS);
    by_M.col(k) << M.xx, M.yy, M.zz, M.xy, M.xz, M.yz;
  }
  const ChainRule<T> rule(X_WI, X_WJ, m.centroid);
  SharedMoments<T> s;
  s.volume = rule.scalar(m.volume, rows_of(r.sensitivity.volume * to_world)[0]);
  s.p_WC = rule.point(m.centroid, rows_of(r.R_WS * r.sensitivity.centroid * to_world));
  s.area_W = rule.vector(m.area_vector, rows_of(r.R_WS * r.sensitivity.area_vector * to_world));
  s.M_W = rule.symmetric(m.M, rows_of(by_M * to_world));
  s.method_error = m.missed();
  return s;
}

// Two cells that share volume: where, and how much.
struct SharedCells {
  const Cell *i, *j;
  double volume;
  Vec3d p_WC;
  Symmetric3<double> M_W;
};
// The deepest column of two solids along n, about `origin_W` (deepest_column.h): the deepest of the
// pairs of cells that share volume, and on through cells that touch. False where none was found.
bool find_deepest_column(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
                         const Pose<double>& X_WJ, const Vec3d& n, const Vec3d& origin_W,
                         std::span<const SharedCells> shared, bool with_slopes,
                         DeepestColumn* column);

// The plane of a solid that is a half-space: n.x <= n.p.
struct HalfSpacePlane {
  Vec3d n, p;
};
std::optional<HalfSpacePlane> find_half_space(const SolidParts& parts);

// Out of the nearest surface of either body: the normal of a body that is wholly inside another.
Vec3d find_way_out(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
                   const Pose<double>& X_WJ, const Vec3d& p_W);

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

// Of two solids: the signed sum over their parts. `list`: the pairs of cells that share volume.
template <class A, class B>
auto calc_shared_moments(const SolidParts& i, const Pose<A>& X_WI, const SolidParts& j,
                         const Pose<B>& X_WJ, const SliceOptions& options = {},
                         std::vector<detail::SharedCells>* list = nullptr) {
  using T = Promote<A, B>;
  const auto note = [&](const SignedCell& a, const SignedCell& b, const SharedMoments<T>& m) {
    if (list && a.sign > 0 && b.sign > 0 && value_of(m.volume) > 0) {
      list->push_back({&a.cell, &b.cell, value_of(m.volume), value_of(m.p_WC), value_of(m.M_W)});
    }
  };
  if (i.size() == 1 && j.size() == 1) {
    const SharedMoments<T> m = calc_shared_moments(i[0].cell, X_WI, j[0].cell, X_WJ, options);
    note(i[0], j[0], m);
    return m;
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
      note(a, b, m);
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

namespace detail {

// Below this part of V^(2/3) the area vector is what the slices' tolerance leaves of a closed
// surface: one body is inside the other.
inline constexpr double kNoArea = 1e-7;

// The contact normal by the header's rules, of solids that share the moments m.
template <class A, class B>
Vec3<Promote<A, B>> calc_normal(const SolidParts& i, const Pose<A>& X_WI, const SolidParts& j,
                                const Pose<B>& X_WJ, const SharedMoments<Promote<A, B>>& m,
                                ContactNormal rule) {
  using std::sqrt;
  using T = Promote<A, B>;
  if (rule != ContactNormal::kEigenvector) {
    if (const auto plane = find_half_space(j)) return cast_vector<T>(Vec3<B>(X_WJ.R_WB * plane->n));
    if (const auto plane = find_half_space(i)) {
      return cast_vector<T>(Vec3<A>(X_WI.R_WB * Vec3d(-plane->n)));
    }
  }
  Vec3d area = value_of(m.area_W);
  Vec3<T> n;
  if (area.norm() > kNoArea * std::pow(value_of(m.volume), 2.0 / 3)) {
    n = m.area_W * T(T(1.0) / sqrt(m.area_W.squaredNorm()));
  } else {
    area = find_way_out(i, value_of_pose(X_WI), j, value_of_pose(X_WJ), value_of(m.p_WC));
    n = cast_vector<T>(area);
  }
  if (rule == ContactNormal::kEigenvector) {
    const auto axes = calc_principal_axes(value_of(m.M_W), area);
    n = cast_vector<T>(axes.axis[0]);
    if constexpr (kVaries<T>) {
      const Vec3<T> Mn = m.M_W * n;
      for (int k = 1; k < 3; ++k) {
        const double split = axes.moment[0] - axes.moment[k];
        if (split == 0) continue;
        const Vec3<T> e = cast_vector<T>(axes.axis[k]);
        n = n + e * T(e.dot(Mn) * T(1 / split));
      }
    }
  } else if (rule == ContactNormal::kPlane) {
    Vec3d n_J;
    if (find_plane_normal(j, value_of_pose(X_WJ).R_WB.transpose() * area, &n_J)) {
      n = cast_vector<T>(Vec3<B>(X_WJ.R_WB * n_J));
    }
  }
  return n;
}

// The plane of a half-space is the contact surface, and F = k V n has a potential.
template <class T, class A, class B>
void set_plane(const SolidParts& i, const Pose<A>& X_WI, const SolidParts& j, const Pose<B>& X_WJ,
               Overlap<T>* o) {
  if (const auto plane = find_half_space(j)) {
    o->plane_offset = o->n_W.dot(Vec3<T>(X_WJ * cast_vector<B>(plane->p) - o->p_WC));
    o->potential = o->volume * o->plane_offset;
  } else if (const auto other = find_half_space(i)) {
    o->plane_offset = o->n_W.dot(Vec3<T>(X_WI * cast_vector<A>(other->p) - o->p_WC));
    o->potential = -o->volume * o->plane_offset;
  }
}

// Depth and place of the deepest column, with slopes; `o` has its normal and centroid.
template <class T, class A, class B>
void set_depth(const SolidParts& i, const Pose<A>& X_WI, const SolidParts& j, const Pose<B>& X_WJ,
               std::span<const SharedCells> shared, Overlap<T>* o) {
  const Vec3d n = value_of(o->n_W), origin = value_of(o->p_WC);
  DeepestColumn column;
  if (!find_deepest_column(i, value_of_pose(X_WI), j, value_of_pose(X_WJ), n, origin, shared,
                           kVaries<T>, &column)) {
    return;  // the mean depth stays
  }
  // The lowest point on a half-space, the middle of the column elsewhere.
  const double part = find_half_space(j) ? 0 : find_half_space(i) ? 1 : 0.5;
  const Vec3d p = column.bottom + part * column.depth * n;
  o->has_mean_depth = false;
  o->distance = T(-column.depth);
  o->p_WD = cast_vector<T>(Vec3d(origin + p));
  if constexpr (kVaries<T>) {
    using G = GradientOf<T>;
    const ChainRule<T> rule(X_WI, X_WJ, origin);
    // What i does not carry along: the twist of j against it, and n.
    std::array<G, 3> dn;
    for (int r = 0; r < 3; ++r) dn[r] = o->n_W[r].v - rule.turned(n, r);
    const auto change = [&](int row) -> G {
      return rule.change(column.by_twist.row(row)) + column.by_n(row, 0) * dn[0] +
             column.by_n(row, 1) * dn[1] + column.by_n(row, 2) * dn[2];
    };
    const G d_depth = change(3);
    o->distance = T(-column.depth, -1.0 * d_depth);
    for (int r = 0; r < 3; ++r) {
      const G dp =
          rule.carried(p, r) + change(r) + (part * n[r]) * d_depth + (part * column.depth) * dn[r];
      o->p_WD[r] = T(value_of(o->p_WD[r]), dp);
    }
  }
}

}  // namespace detail

template <class A, class B>
auto calc_overlap(const SolidParts& i, const Pose<A>& X_WI, const SolidParts& j,
                  const Pose<B>& X_WJ, const CellPairOptions& options = {}, Wanted wanted = {}) {
  using T = Promote<A, B>;
  thread_local std::vector<detail::SharedCells> shared;  // keeps its buffer
  shared.clear();
  const SharedMoments<T> m =
      calc_shared_moments(i, X_WI, j, X_WJ, options.slices, wanted.depth ? &shared : nullptr);
  const Pose<double> X_I = detail::value_of_pose(X_WI), X_J = detail::value_of_pose(X_WJ);
  Overlap<T> o;
  o.plane_offset = o.potential = T(0.0);
  if (!(value_of(m.volume) > 0)) {
    if (!wanted.gap) return far_apart<T>();
    const detail::Gap gap = detail::calc_gap(i, X_I, j, X_J);
    o.volume = m.volume;
    o.M_W = m.M_W;
    o.n_W = cast_vector<T>(gap.n_W);
    o.p_WC = cast_vector<T>(gap.p_WC);
    o.distance = T(gap.distance);
    if constexpr (detail::kVaries<T>) {
      // The two nearest points move with their bodies.
      OverlapJacobian by;
      for (int k = 0; k < 3; ++k) {
        by.distance[k] = -gap.n_W[k];
        by.p_WC[k][k] = 0.5;
      }
      const detail::ChainRule<T> rule(X_WI, X_WJ, gap.p_WC);
      o.distance = rule.scalar(gap.distance, by.distance);
      o.p_WC = rule.point(gap.p_WC, by.p_WC);
    }
    o.p_WD = o.p_WC;
    return o;
  }
  o.volume = m.volume;
  o.method_error = m.method_error;
  o.p_WC = o.p_WD = m.p_WC;
  o.M_W = m.M_W;
  o.n_W = detail::calc_normal(i, X_WI, j, X_WJ, m, options.normal);
  o.distance = T(-calc_mean_depth(value_of(m.volume), value_of(m.area_W).norm()));
  o.has_mean_depth = true;
  if (options.normal != ContactNormal::kEigenvector) detail::set_plane(i, X_WI, j, X_WJ, &o);
  if (wanted.depth) detail::set_depth(i, X_WI, j, X_WJ, shared, &o);
  if (options.normal == ContactNormal::kConservative) {
    if constexpr (!detail::kVaries<T>) {
      return detail::press_conservatively(i, X_I, j, X_J, options.slices, o, nullptr);
    } else {
      Overlap<double> value{};
      value.distance = value_of(o.distance);
      value.volume = value_of(o.volume);
      value.p_WC = value_of(o.p_WC);
      value.p_WD = value_of(o.p_WD);
      value.n_W = value_of(o.n_W);
      value.M_W = value_of(o.M_W);
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
