// Two convex polyhedra: the volume they share by exact clipping.
//
// i is cut by the planes of j that reach it (geometry/polyhedron_clipper.h); volume, centroid and
// second moment follow from the faces by the divergence theorem. Everything is exact up to the
// rounding of the vertices: volumes to about 1e-15 of the size times the surface.
//
// Normal, from j to i:
//   area vector   a = int N dA over j's surface inside i, made unit: minus the slope of V by a
//                 translation of i (PHYSICS.md section 2); the plane's normal where one plane of j
//                 alone is cut.
//   eigenvector   of M nearest to a (Gonthier 4.199).
//   plane         the area vector; where one plane of j (else of i) alone is cut, the contact
//                 surface is that plane. The surface's place jumps where a second plane is cut.
//   conservative  that of the conservative wrench below, which then presses; columns and distance
//                 are those of the area vector.
// Where a vanishes (one body inside the other) the normal is that of the face with the least depth.
//
// Contact surface: neither body is rigid, so it runs through the centroid (plane_offset = 0), but
// for `plane`.
//
// distance: the length of the shortest line when apart; minus the depth of the deepest column
// (deepest_column.h) when they overlap.
//
// potential = 1/2 int f^2 dS with f the columns' length along n. Its gradient is the conservative
// wrench (docs/theory/energy.md).
//
// Derivatives by both poses: V, centroid and M by the flux of the motion through j's surface
// (Leibniz), n by what the edges between the two surfaces sweep, the potential by its column
// integrals; a conservative wrench by central differences.
//
// Smoothness: V is C1 while no face of i lies in a plane of j; there its slope, and with it the
// area vector, jumps (boxes that are exactly aligned do this). The eigenvector also jumps where two
// eigenvalues cross. Cannot: derivatives by the shapes' sizes.
#pragma once

#include <vector>

#include "vesica/geometry/convex_polyhedron.h"
#include "vesica/interference/overlap.h"
#include "vesica/interference/relative_pose.h"

namespace vesica {

enum class PolyhedraNormal { kAreaVector, kEigenvector, kPlane, kConservative };

struct PolyhedraOverlap {
  Overlap<double> overlap;
  OverlapJacobian by_pose;            // zero unless asked for
  Vec3d area_vector = Vec3d::Zero();  // of j's surface inside i; zero when apart
};

// With `with_derivatives`, by_pose as well. Allocates nothing once it has met shapes of this size.
PolyhedraOverlap calc_polyhedra_overlap(const ConvexPolyhedron& i, const Pose<double>& X_WI,
                                        const ConvexPolyhedron& j, const Pose<double>& X_WJ,
                                        PolyhedraNormal normal, bool with_derivatives,
                                        bool with_depth = true);

// The same where they share volume; false, without the cost of the distance, where they do not.
bool find_polyhedra_overlap(const ConvexPolyhedron& i, const Pose<double>& X_WI,
                            const ConvexPolyhedron& j, const Pose<double>& X_WJ,
                            PolyhedraNormal normal, bool with_derivatives, PolyhedraOverlap* result,
                            bool with_depth = true);

// The wrench on i, about p_WC and for unit stiffness, that derives from the potential: minus its
// gradient by the pose of i. j gets the opposite.
Wrench<double> calc_conservative_wrench(const PolyhedraOverlap& o);

// Scalars: double, Dual<N> or Ceres' Jet; those that are not double are the same.
template <class A, class B>
auto calc_overlap(const ConvexPolyhedron& i, const Pose<A>& X_WI, const ConvexPolyhedron& j,
                  const Pose<B>& X_WJ, PolyhedraNormal normal = PolyhedraNormal::kAreaVector,
                  Wanted wanted = {}) {
  using T = Promote<A, B>;
  const auto calc = [&](const Pose<double>& X_I, const Pose<double>& X_J, PolyhedraOverlap* out) {
    if (!wanted.gap) {
      return find_polyhedra_overlap(i, X_I, j, X_J, normal, detail::kVaries<T>, out, wanted.depth);
    }
    *out = calc_polyhedra_overlap(i, X_I, j, X_J, normal, detail::kVaries<T>, wanted.depth);
    return true;
  };
  PolyhedraOverlap result;
  if constexpr (!detail::kVaries<T>) {
    return calc(X_WI, X_WJ, &result) ? result.overlap : far_apart<double>();
  } else {
    if (!calc(detail::value_of_pose(X_WI), detail::value_of_pose(X_WJ), &result)) {
      return far_apart<T>();
    }
    return differentiate<T>(result.overlap, result.by_pose, X_WI, X_WJ);
  }
}

// Areas and longest column along n; all exact. The section is that of the plane through the contact
// surface's centre across n.
PatchFigures calc_patch_figures(const ConvexPolyhedron& i, const Pose<double>& X_WI,
                                const ConvexPolyhedron& j, const Pose<double>& X_WJ,
                                PolyhedraNormal normal = PolyhedraNormal::kAreaVector);

// Bounds and depth field as half_space_mesh.h has them, along n_W.
ShadowBounds calc_shadow_bounds(const ConvexPolyhedron& i, const Pose<double>& X_WI,
                                const ConvexPolyhedron& j, const Pose<double>& X_WJ,
                                const Vec3d& origin_W, const Vec3d& u_W, const Vec3d& v_W);
void sample_columns(const ConvexPolyhedron& i, const Pose<double>& X_WI, const ConvexPolyhedron& j,
                    const Pose<double>& X_WJ, const Vec3d& origin_W, const Vec3d& u_W,
                    const Vec3d& v_W, double u0, double v0, double du, double dv, int nu, int nv,
                    std::vector<double>* depth);

}  // namespace vesica
