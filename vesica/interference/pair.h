// Which two shapes meet, settled once when a contact is made: a variant of pairs, each with its
// exact method. The pair that a file names as (j, i) is evaluated as (i, j) and turned round.
#pragma once

#include <memory>
#include <string_view>
#include <variant>

#include "vesica/geometry/shapes.h"
#include "vesica/interference/closed_form/half_space_ellipsoid.h"
#include "vesica/interference/closed_form/point_pair.h"
#include "vesica/interference/closed_form/sphere_sphere.h"
#include "vesica/interference/mesh/half_space_mesh.h"
#include "vesica/interference/polyhedra/polyhedra.h"
#include "vesica/interference/slices/cell_pair.h"
#include "vesica/interference/voxels/voxels.h"

namespace vesica {

template <class T>
struct SphereOnHalfSpace {
  Sphere<T> i;
};
template <class T>
struct EllipsoidOnHalfSpace {
  Ellipsoid<T> i;
  EllipsoidInertia inertia = EllipsoidInertia::kExact;
};
template <class T>
struct BoxOnHalfSpace {
  Box<T> i;
};
struct MeshOnHalfSpace {
  MeshShape i;
};
template <class T>
struct SphereOnSphere {
  Sphere<T> i, j;
};

// Sizes are plain numbers in these two: they have no derivatives by them.
struct PolyhedronOnPolyhedron {
  std::shared_ptr<const ConvexPolyhedron> i, j;
  PolyhedraNormal normal = PolyhedraNormal::kAreaVector;
};
struct SolidOnSolid {
  std::shared_ptr<const SolidParts> i, j;
  CellPairOptions options;
  double size = 0;  // of the smaller
};
inline bool is_on_half_space(const SolidOnSolid& p) {
  return detail::find_half_space(*p.i) || detail::find_half_space(*p.j);
}
// The same solids by counting voxels. Values only.
struct VoxelizedSolids : SolidOnSolid {
  double voxel_size = 0;
};

// The pair whose normal is the direction of the columns: they run along the area vector where the
// wrench is conservative.
inline PolyhedronOnPolyhedron along_columns(PolyhedronOnPolyhedron p) {
  if (p.normal == PolyhedraNormal::kConservative) p.normal = PolyhedraNormal::kAreaVector;
  return p;
}
inline SolidOnSolid along_columns(SolidOnSolid p) {
  if (p.options.normal == ContactNormal::kConservative) {
    p.options.normal = ContactNormal::kAreaVector;
  }
  return p;
}

template <class T>
struct ShapePair {
  std::variant<SphereOnHalfSpace<T>, EllipsoidOnHalfSpace<T>, BoxOnHalfSpace<T>, MeshOnHalfSpace,
               SphereOnSphere<T>, PointPair<T>, PolyhedronOnPolyhedron, SolidOnSolid,
               VoxelizedSolids>
      shapes;
  bool turned = false;  // the file's i is the pair's j
};

template <class P, class A, class B>
auto calc_overlap(const SphereOnHalfSpace<P>& p, const Pose<A>& X_WI, const Pose<B>& X_WJ) {
  return calc_overlap(p.i, X_WI, HalfSpace{}, X_WJ);
}
template <class P, class A, class B>
auto calc_overlap(const EllipsoidOnHalfSpace<P>& p, const Pose<A>& X_WI, const Pose<B>& X_WJ) {
  return calc_overlap(p.i, X_WI, HalfSpace{}, X_WJ, p.inertia);
}
template <class P, class A, class B>
auto calc_overlap(const BoxOnHalfSpace<P>& p, const Pose<A>& X_WI, const Pose<B>& X_WJ) {
  return calc_overlap(p.i, X_WI, HalfSpace{}, X_WJ);
}
template <class A, class B>
auto calc_overlap(const MeshOnHalfSpace& p, const Pose<A>& X_WI, const Pose<B>& X_WJ) {
  return calc_overlap(p.i, X_WI, HalfSpace{}, X_WJ);
}
template <class P, class A, class B>
auto calc_overlap(const SphereOnSphere<P>& p, const Pose<A>& X_WI, const Pose<B>& X_WJ) {
  return calc_overlap(p.i, X_WI, p.j, X_WJ);
}

template <class A, class B>
auto calc_overlap(const PolyhedronOnPolyhedron& p, const Pose<A>& X_WI, const Pose<B>& X_WJ,
                  Wanted wanted = {}) {
  return calc_overlap(*p.i, X_WI, *p.j, X_WJ, p.normal, wanted);
}
template <class A, class B>
auto calc_overlap(const SolidOnSolid& p, const Pose<A>& X_WI, const Pose<B>& X_WJ,
                  Wanted wanted = {}) {
  return calc_overlap(*p.i, X_WI, *p.j, X_WJ, p.options, wanted);
}
template <class A, class B>
auto calc_overlap(const VoxelizedSolids& p, const Pose<A>& X_WI, const Pose<B>& X_WJ,
                  Wanted wanted = {}) {
  using T = Promote<A, B>;
  if constexpr (detail::kVaries<T>) {
    refuse_voxel_derivatives();
    return Overlap<T>{};
  } else {
    return calc_voxel_overlap(*p.i, X_WI, *p.j, X_WJ, p.voxel_size, p.options.normal, wanted);
  }
}

template <class P, class A, class B>
auto calc_overlap(const ShapePair<P>& pair, const Pose<A>& X_WI, const Pose<B>& X_WJ,
                  Wanted wanted = {}) {
  const auto calc = [&](const auto& shapes, const auto& X_Wi, const auto& X_Wj) {
    if constexpr (requires { calc_overlap(shapes, X_Wi, X_Wj, wanted); }) {
      return calc_overlap(shapes, X_Wi, X_Wj, wanted);
    } else {  // gap and depth cost nothing
      return calc_overlap(shapes, X_Wi, X_Wj);
    }
  };
  return std::visit(
      [&](const auto& shapes) {
        return pair.turned ? swapped(calc(shapes, X_WJ, X_WI)) : calc(shapes, X_WI, X_WJ);
      },
      pair.shapes);
}

// Whether the overlap can be differentiated by the poses; where not, doing so throws InputError.
template <class P>
bool has_derivatives(const ShapePair<P>& pair) {
  return !std::holds_alternative<VoxelizedSolids>(pair.shapes);
}

PatchFigures calc_patch_figures(const ShapePair<double>& pair, const Pose<double>& X_WI,
                                const Pose<double>& X_WJ);
// The largest extent of the finite shapes, the scale of rounding in their positions.
double calc_size(const ShapePair<double>& pair);
// Relative error of the volume by the method itself, rounding aside: 0 for exact ones.
double calc_method_error(const ShapePair<double>& pair, const Pose<double>& X_WI,
                         const Pose<double>& X_WJ);

}  // namespace vesica
