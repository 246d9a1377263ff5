// Half-space (body j) with a closed triangle mesh or a box (body i): exact at every depth, for any
// closed mesh, convex or not.
//
// The submerged part (z < 0) is the sum of the cones from a point of the plane to the wetted
// surface; the section at z = 0 adds nothing, because its cone is flat. A triangle's cone is a
// tetrahedron, whose moments are products of its corners (geometry/triangle_tree.h). In coordinates
// (u, v, z) of the plane, z the height over it, its apex lies over a low vertex, and heights
// are taken from that vertex, so a small tip of a large body keeps its digits; of a convex bottom
// every cone counts positive and nothing cancels in a shallow touch. The wet part of a triangle has
// its share of the triangle's determinant, taken from a wet corner; a cut edge is parted from its
// wet end to its dry end.
//
// Patches of the tree that are wholly wet count by their sums, which are kept about their own
// centers and so lose nothing where the body's origin is far away: the time grows with the
// triangles that the plane cuts.
//
// Derivatives: turning or shifting the plane moves only the section, so the derivatives of the
// moments by the plane are the section's moments of one order more (Leibniz). They come from the
// cut edges alone and become slopes by the relative pose and by a box's size (relative_pose.h).
//
// A box is the affine image of the unit cube: the plane is taken to the cube, the moments back; its
// size may therefore carry derivatives.
//
// Smoothness: a face that touches flat makes V kink (C0) at touchdown; an edge C1, a corner C2.
// Between, V is C1 while no face lies in the plane. The normal is the plane's.
#pragma once

#include <array>
#include <vector>

#include "vesica/geometry/shapes.h"
#include "vesica/interference/relative_pose.h"

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

// Slopes by the plane's motions against the body: along its normal, about two axes across it
// through p_WC (columns of `axes`, the normal last); N = 6: then by the sizes of a box.
template <int N>
struct PlaneSlopes {
  Mat3d axes;
  std::array<double, N> distance, volume, plane_offset, potential;
  std::array<std::array<double, N>, 3> p_WC, p_WD;
  std::array<std::array<double, N>, 6> M_W;
};

// `slopes`: null where they are not wanted.
Overlap<double> calc_polyhedron_overlap(const TriangleMesh& mesh, const Pose<double>& X_WI,
                                        const Pose<double>& X_WJ, PlaneSlopes<3>* slopes);
template <int N>
Overlap<double> calc_polyhedron_overlap(const Vec3d& box_size, const Pose<double>& X_WI,
                                        const Pose<double>& X_WJ, PlaneSlopes<N>* slopes);

// `size`: of a box; fixed for a mesh.
template <class T, int N, class P, class A, class B>
Overlap<T> differentiate(const Overlap<double>& value, const PlaneSlopes<N>& by,
                         const Vec3<P>& size, const Pose<A>& X_WI, const Pose<B>& X_WJ) {
  const ChainRule<T, N> rule(X_WI, X_WJ, value.p_WC, by.axes, size);
  Overlap<T> o;
  o.distance = rule.scalar(value.distance, by.distance);
  o.volume = rule.scalar(value.volume, by.volume);
  o.plane_offset = rule.scalar(value.plane_offset, by.plane_offset);
  o.potential = rule.scalar(value.potential, by.potential);
  o.p_WC = rule.point(value.p_WC, by.p_WC);
  o.p_WD = rule.point(value.p_WD, by.p_WD);
  o.M_W = rule.symmetric(value.M_W, by.M_W);
  for (int r = 0; r < 3; ++r) o.n_W[r] = T(X_WJ.R_WB(r, 2));  // the plane's own
  return o;
}

}  // namespace detail

// Scalars: double, Dual<N> or Ceres' Jet; those that are not double are the same.
template <class A, class B>
auto calc_overlap(const MeshShape& shape, const Pose<A>& X_WI, const HalfSpace&,
                  const Pose<B>& X_WJ) {
  using T = Promote<A, B>;
  if constexpr (!detail::kVaries<T>) {
    return detail::calc_polyhedron_overlap(*shape.mesh, X_WI, X_WJ, nullptr);
  } else {
    detail::PlaneSlopes<3> slopes;
    const auto value = detail::calc_polyhedron_overlap(*shape.mesh, detail::value_of_pose(X_WI),
                                                       detail::value_of_pose(X_WJ), &slopes);
    return detail::differentiate<T>(value, slopes, Vec3d(1, 1, 1), X_WI, X_WJ);
  }
}

template <class P, class A, class B>
auto calc_overlap(const Box<P>& box, const Pose<A>& X_WI, const HalfSpace&, const Pose<B>& X_WJ) {
  using T = Promote<P, Promote<A, B>>;
  if constexpr (!detail::kVaries<T>) {
    return detail::calc_polyhedron_overlap<3>(box.size, X_WI, X_WJ, nullptr);
  } else {
    detail::PlaneSlopes<detail::kVaries<P> ? 6 : 3> slopes;
    const auto value = detail::calc_polyhedron_overlap(
        value_of(box.size), detail::value_of_pose(X_WI), detail::value_of_pose(X_WJ), &slopes);
    return detail::differentiate<T>(value, slopes, box.size, X_WI, X_WJ);
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
