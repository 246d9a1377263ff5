// Half-space (body j) with a closed triangle mesh or a box (body i): exact at every depth, for any
// closed mesh, convex or not.
//
// In coordinates (u, v, z) of the plane, z the height over it, the divergence theorem with the
// field z e_z turns integrals over the submerged part (z < 0) into integrals over its wetted
// surface; the section at z = 0 adds nothing:
//   V        = sum over wetted triangles of  integral z dA
//   int x dV = ...                           integral (u z, v z, z^2/2) dA
//   int x x^T dV = ...                       integral (u^2 z, u v z, v^2 z, u z^2/2, v z^2/2,
//   z^3/3) dA
// with dA the signed area in (u, v): negative below, so that every column of a convex bottom counts
// positive and nothing cancels in a shallow touch. The integrands are cubic: exact from the
// corners. The origin of (u, v) lies under the lowest vertex, and heights are taken from that
// vertex, so a small tip of a large body keeps its digits. A cut edge is parted from its wet end to
// its dry end.
//
// Derivatives: turning or shifting the plane moves only the section, so the derivatives of the
// moments by the plane are the section's moments of one order more (Leibniz). They come from the
// cut edges alone and are then composed with the pose's derivatives by the chain rule.
//
// A box is the affine image of the unit cube: the plane is taken to the cube, the moments back; its
// size may therefore carry derivatives.
//
// Smoothness: a face that touches flat makes V kink (C0) at touchdown; an edge C1, a corner C2.
// Between, V is C1 while no face lies in the plane. The normal is the plane's.
#pragma once

#include <array>
#include <type_traits>
#include <utility>
#include <vector>

#include "vesica/geometry/shapes.h"
#include "vesica/interference/overlap.h"

namespace vesica {

namespace detail {

// The part of a polyhedron where m.x + h < 0, m of any length. Moments are about `origin`, along
// the axes of `frame`: two unit vectors across m, then m/|m|^2.
struct SubmergedPart {
  bool is_apart = false;
  Vec3d lowest = Vec3d::Zero();  // vertex of least height
  Vec3d origin = Vec3d::Zero();
  bool origin_on_plane = false;  // false: the whole body is submerged, origin is its centroid
  Mat3d frame = Mat3d::Identity();
  double volume = 0;
  Vec3d first = Vec3d::Zero();
  Symmetric3<double> second = Symmetric3<double>::zero();
  // Integrals of 1, u, v, uu, uv, vv, uuu, uuv, uvv, vvv over the section, per unit of height.
  std::array<double, 10> section{};
};

SubmergedPart calc_submerged_part(const TriangleMesh& mesh, const Vec3d& m, double h,
                                  bool with_section);
SubmergedPart calc_submerged_part_of_unit_cube(const Vec3d& m, double h, bool with_section);

// What lifting the plane by 1 + 0, u and v times a small number does to the part, in world axes:
// minus the section's moments.
struct PlaneSensitivity {
  double volume;
  Vec3d p_WC;
  Symmetric3<double> M_W;
};

// The overlap with what its derivatives need. The polyhedron's own coordinates x go to the world by
// G_WB x + p_WB: a rotation, for a box times its size.
struct PolyhedronOverlap {
  Overlap<double> overlap;
  SubmergedPart part;
  Vec3d centroid = Vec3d::Zero();  // in the polyhedron's own coordinates, as M
  Symmetric3<double> M = Symmetric3<double>::zero();
  std::array<PlaneSensitivity, 3> by_plane{};  // by height, by slope along u, by slope along v
};

PolyhedronOverlap calc_polyhedron_overlap(const TriangleMesh& mesh, const Pose<double>& X_WI,
                                          const Pose<double>& X_WJ, bool with_derivatives);
PolyhedronOverlap calc_polyhedron_overlap(const Vec3d& box_size, const Pose<double>& X_WI,
                                          const Pose<double>& X_WJ, bool with_derivatives);

// The derivatives alone: the chain rule below multiplies them by numbers only, a fraction of what
// dual arithmetic over all intermediate results would cost.
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
template <class T>
GradientOf<T> dot(const Vec3d& a, const Vec3<T>& b) {
  return a[0] * b[0].v + a[1] * b[1].v + a[2] * b[2].v;
}

// First-order change of the overlap with the poses and the size (1 for a mesh). Each of the three
// either has derivatives, of type T, or is fixed.
template <class T, class P, class A, class B>
Overlap<T> differentiate(const PolyhedronOverlap& result, const Vec3<P>& size, const Pose<A>& X_WI,
                         const Pose<B>& X_WJ) {
  using G = GradientOf<T>;
  using G3 = std::array<G, 3>;
  const auto combine = [](const Vec3d& a, const G3& b) -> G {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  };
  const Overlap<double>& value = result.overlap;
  const SubmergedPart& part = result.part;
  const Pose<double> X_I = value_of_pose(X_WI), X_J = value_of_pose(X_WJ);
  const Mat3d& R = X_I.R_WB;
  const Vec3d& n = value.n_W;
  const Vec3<B> n_B = X_WJ.R_WB.col(2);
  const Vec3d s = value_of(size);
  const G zero = T(0.0).v;

  // dG = dR diag(s) + R diag(ds), column by column, and the plane (m, h) in the polyhedron's own
  // coordinates: m = G^T n, h = n.(p_I - p_J).
  std::array<G3, 3> dG;
  G3 dm;
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) {
      dG[c][r] = zero;
      if constexpr (kVaries<A>) dG[c][r] = s[c] * X_WI.R_WB(r, c).v;
      if constexpr (kVaries<P>) dG[c][r] = dG[c][r] + R(r, c) * size[c].v;
    }
    dm[c] = combine(n, dG[c]);
    if constexpr (kVaries<B>) dm[c] = dm[c] + dot<B>(s[c] * R.col(c), n_B);
  }
  G dh = zero;
  if constexpr (kVaries<A>) dh = dot<A>(n, X_WI.p_WB);
  if constexpr (kVaries<B>) {
    dh = dh + dot<B>(X_I.p_WB - X_J.p_WB, n_B) - dot<B>(n, X_WJ.p_WB);
  }

  Overlap<T> o;
  for (int r = 0; r < 3; ++r) o.n_W[r] = T(n_B[r]);
  const G d_distance = dh + combine(part.lowest, dm);
  o.distance = T(value.distance, d_distance);
  // What moves with the body: p = G x + p_WB, x the lowest vertex or the centroid.
  const auto moved_with_body = [&](const Vec3d& x) {
    G3 dp;
    for (int r = 0; r < 3; ++r) {
      dp[r] = x[0] * dG[0][r] + x[1] * dG[1][r] + x[2] * dG[2][r];
      if constexpr (kVaries<A>) dp[r] = dp[r] + X_WI.p_WB[r].v;
    }
    return dp;
  };
  G3 dp = moved_with_body(part.lowest);
  for (int r = 0; r < 3; ++r) o.p_WD[r] = T(value.p_WD[r], dp[r]);
  if (part.is_apart) {
    o.volume = o.potential = T(0.0);
    o.M_W = Symmetric3<T>::zero();
    const G d_offset = -0.5 * d_distance;
    o.plane_offset = T(value.plane_offset, d_offset);
    for (int r = 0; r < 3; ++r) {
      G moved = dp[r] + n[r] * d_offset;
      if constexpr (kVaries<B>) moved = moved + value.plane_offset * n_B[r].v;
      o.p_WC[r] = T(value.p_WC[r], moved);
    }
    return o;
  }

  dp = moved_with_body(result.centroid);
  const Mat3d K = result.M.matrix() * (R * s.asDiagonal()).transpose();  // M G^T
  const auto turned = [&](int i, int j) -> G {  // entry of dG M G^T + (dG M G^T)^T
    return K(0, j) * dG[0][i] + K(1, j) * dG[1][i] + K(2, j) * dG[2][i] + K(0, i) * dG[0][j] +
           K(1, i) * dG[1][j] + K(2, i) * dG[2][j];
  };
  G dV = zero;
  std::array<G, 6> dM = {turned(0, 0), turned(1, 1), turned(2, 2),
                         turned(0, 1), turned(0, 2), turned(1, 2)};
  const auto add = [&](double volume, const Symmetric3<double>& M, const G& amount) {
    dV = dV + volume * amount;
    const std::array<double, 6> entries = {M.xx, M.yy, M.zz, M.xy, M.xz, M.yz};
    for (int k = 0; k < 6; ++k) dM[k] = dM[k] + entries[k] * amount;
  };
  if constexpr (kVaries<P>) {
    const Vec3d inverse = s.cwiseInverse();
    add(value.volume, value.M_W, dot<P>(inverse, size));
  }
  if (part.origin_on_plane) {
    const G3 d_plane = {dh + combine(part.origin, dm), combine(part.frame.col(0), dm),
                        combine(part.frame.col(1), dm)};
    for (int k = 0; k < 3; ++k) {
      const PlaneSensitivity& by = result.by_plane[k];
      add(by.volume, by.M_W, d_plane[k]);
      for (int r = 0; r < 3; ++r) dp[r] = dp[r] + by.p_WC[r] * d_plane[k];
    }
  }
  // plane_offset = n.(p_J - p_WC)
  G d_offset = -1.0 * combine(n, dp);
  if constexpr (kVaries<B>) {
    d_offset = d_offset + dot<B>(X_J.p_WB - value.p_WC, n_B) + dot<B>(n, X_WJ.p_WB);
  }
  o.volume = T(value.volume, dV);
  for (int r = 0; r < 3; ++r) o.p_WC[r] = T(value.p_WC[r], dp[r]);
  const Symmetric3<double>& M = value.M_W;
  o.M_W = {T(M.xx, dM[0]), T(M.yy, dM[1]), T(M.zz, dM[2]),
           T(M.xy, dM[3]), T(M.xz, dM[4]), T(M.yz, dM[5])};
  o.plane_offset = T(value.plane_offset, d_offset);
  const G d_potential = value.volume * d_offset + value.plane_offset * dV;
  o.potential = T(value.potential, d_potential);
  return o;
}

}  // namespace detail

// Scalars: double, Dual<N> or Ceres' Jet; those that are not double are the same.
template <class A, class B>
auto calc_overlap(const MeshShape& shape, const Pose<A>& X_WI, const HalfSpace&,
                  const Pose<B>& X_WJ) {
  using T = Promote<A, B>;
  if constexpr (!detail::kVaries<T>) {
    return detail::calc_polyhedron_overlap(*shape.mesh, X_WI, X_WJ, false).overlap;
  } else {
    const auto result = detail::calc_polyhedron_overlap(*shape.mesh, detail::value_of_pose(X_WI),
                                                        detail::value_of_pose(X_WJ), true);
    return detail::differentiate<T, double>(result, Vec3d(1, 1, 1), X_WI, X_WJ);
  }
}

template <class P, class A, class B>
auto calc_overlap(const Box<P>& box, const Pose<A>& X_WI, const HalfSpace&, const Pose<B>& X_WJ) {
  using T = Promote<P, Promote<A, B>>;
  if constexpr (!detail::kVaries<T>) {
    return detail::calc_polyhedron_overlap(box.size, X_WI, X_WJ, false).overlap;
  } else {
    const auto result = detail::calc_polyhedron_overlap(
        value_of(box.size), detail::value_of_pose(X_WI), detail::value_of_pose(X_WJ), true);
    return detail::differentiate<T>(result, box.size, X_WI, X_WJ);
  }
}

// Areas and greatest depth. Section area: exact. Convex shapes: shadow exact, longest column to
// 1e-9 of itself. Other meshes: the shadow is the union of the projected triangles, summed over
// 1,024 lines of exact length (error below 1e-3 of the shadow's box, which an outline along the
// lines reaches); the longest column is exact where the lowest vertex's column reaches the plane,
// else the longest of 256 x 256 columns: a lower bound.
PatchFigures calc_patch_figures(const MeshShape& shape, const Pose<double>& X_WI, const HalfSpace&,
                                const Pose<double>& X_WJ);
PatchFigures calc_patch_figures(const Box<double>& box, const Pose<double>& X_WI, const HalfSpace&,
                                const Pose<double>& X_WJ);

// Where, in the coordinates s = origin + u u_W + v v_W of the contact plane, the shadow of the
// shared volume lies. Empty (u_max < u_min) when apart.
struct ShadowBounds {
  double u_min, u_max, v_min, v_max;
};
ShadowBounds calc_shadow_bounds(const MeshShape& shape, const Pose<double>& X_WI, const HalfSpace&,
                                const Pose<double>& X_WJ, const Vec3d& origin_W, const Vec3d& u_W,
                                const Vec3d& v_W);
ShadowBounds calc_shadow_bounds(const Box<double>& box, const Pose<double>& X_WI, const HalfSpace&,
                                const Pose<double>& X_WJ, const Vec3d& origin_W, const Vec3d& u_W,
                                const Vec3d& v_W);

// The depth field: total length of the shared volume along n over the points
//   origin + (u0 + (i + 1/2) du) u_W + (v0 + (j + 1/2) dv) v_W,  i < nu, j < nv,
// row by row, i fastest. u_W and v_W are unit, across n and each other. Every point on an edge
// between two triangles belongs to exactly one of them.
void sample_columns(const MeshShape& shape, const Pose<double>& X_WI, const HalfSpace&,
                    const Pose<double>& X_WJ, const Vec3d& origin_W, const Vec3d& u_W,
                    const Vec3d& v_W, double u0, double v0, double du, double dv, int nu, int nv,
                    std::vector<double>* depth);
void sample_columns(const Box<double>& box, const Pose<double>& X_WI, const HalfSpace&,
                    const Pose<double>& X_WJ, const Vec3d& origin_W, const Vec3d& u_W,
                    const Vec3d& v_W, double u0, double v0, double du, double dv, int nu, int nv,
                    std::vector<double>* depth);

}  // namespace vesica
