// Which two shapes meet, settled once when a contact is made: a variant of pairs, each with its row
// (method_row.h): the method, what it takes, what it costs and what it gives. A new pair of shapes
// with a kernel of its own, calc_overlap and calc_patch_figures of (i, X_WI, j, X_WJ), is a struct
// here with its row and an entry in the variant. The pair that a file names as (j, i) is evaluated
// as (i, j) and turned round.
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <variant>

#include "vesica/geometry/shapes.h"
#include "vesica/interference/closed_form/half_space_ellipsoid.h"
#include "vesica/interference/closed_form/half_space_torus.h"
#include "vesica/interference/closed_form/point_pair.h"
#include "vesica/interference/closed_form/sphere_sphere.h"
#include "vesica/interference/mesh/half_space_mesh.h"
#include "vesica/interference/method_row.h"
#include "vesica/interference/polyhedra/polyhedra.h"
#include "vesica/interference/slices/cell_pair.h"
#include "vesica/interference/voxels/voxels.h"

namespace vesica {

// A ball, an ellipsoid, a box or a mesh on a half-space, two balls: shapes as they are.
template <class T>
struct SphereOnHalfSpace {
  static constexpr MethodRow kRow = {.method = Method::kClosedForm,
                                     .i = "sphere",
                                     .j = "half_space",
                                     .cost = Cost::kFormula,
                                     .exact = true,
                                     .volume = true,
                                     .normals = false,
                                     .by_pose = true,
                                     .by_sizes = true,
                                     .field = true,
                                     .caps = true,
                                     .potential = Potential::kAlways};
  Sphere<T> i;
  static constexpr HalfSpace j{};  // NOLINT(readability-identifier-naming)

  double size() const { return 2 * value_of(i.radius); }
};

template <class T>
struct EllipsoidOnHalfSpace {
  static constexpr MethodRow kRow = {.method = Method::kClosedForm,
                                     .i = "ellipsoid",
                                     .j = "half_space",
                                     .cost = Cost::kFormula,
                                     .exact = true,
                                     .volume = true,
                                     .normals = false,
                                     .by_pose = true,
                                     .by_sizes = true,
                                     .field = true,
                                     .caps = true,
                                     .potential = Potential::kAlways};
  Ellipsoid<T> i;
  EllipsoidInertia inertia = EllipsoidInertia::kExact;
  static constexpr HalfSpace j{};  // NOLINT(readability-identifier-naming)

  double size() const { return 2 * value_of(i.radii).maxCoeff(); }
};

template <class T>
struct TorusOnHalfSpace {
  static constexpr MethodRow kRow = {.method = Method::kClosedForm,
                                     .i = "torus",
                                     .j = "half_space",
                                     .cost = Cost::kQuadrature,
                                     .exact = true,
                                     .volume = true,
                                     .normals = false,
                                     .by_pose = true,
                                     .by_sizes = true,
                                     .field = false,
                                     .caps = false,
                                     .potential = Potential::kAlways};
  Torus<T> i;
  static constexpr HalfSpace j{};  // NOLINT(readability-identifier-naming)

  double size() const { return 2 * value_of(i.radius + i.tube_radius); }
};

template <class T>
struct SphereOnSphere {
  static constexpr MethodRow kRow = {.method = Method::kClosedForm,
                                     .i = "sphere",
                                     .j = "sphere",
                                     .cost = Cost::kFormula,
                                     .exact = true,
                                     .volume = true,
                                     .normals = false,
                                     .by_pose = true,
                                     .by_sizes = true,
                                     .field = true,
                                     .caps = true,
                                     .potential = Potential::kAlways};
  Sphere<T> i, j;

  double size() const { return 2 * std::max(value_of(i.radius), value_of(j.radius)); }
};

template <class T>
struct BoxOnHalfSpace {
  static constexpr MethodRow kRow = {.method = Method::kPolyhedra,
                                     .i = "box",
                                     .j = "half_space",
                                     .cost = Cost::kFaces,
                                     .exact = true,
                                     .volume = true,
                                     .normals = false,
                                     .by_pose = true,
                                     .by_sizes = true,
                                     .field = true,
                                     .caps = false,
                                     .potential = Potential::kAlways};
  Box<T> i;
  static constexpr HalfSpace j{};  // NOLINT(readability-identifier-naming)

  double size() const { return value_of(i.size).maxCoeff(); }
};

struct MeshOnHalfSpace {
  static constexpr MethodRow kRow = {.method = Method::kMesh,
                                     .i = "mesh",
                                     .j = "half_space",
                                     .cost = Cost::kFaces,
                                     .exact = true,
                                     .volume = true,
                                     .normals = false,
                                     .by_pose = true,
                                     .by_sizes = false,
                                     .field = true,
                                     .caps = false,
                                     .potential = Potential::kAlways};
  static constexpr MethodRow kConvexRow = {.method = Method::kPolyhedra,
                                           .i = "convex",
                                           .j = "half_space",
                                           .cost = Cost::kFaces,
                                           .exact = true,
                                           .volume = true,
                                           .normals = false,
                                           .by_pose = true,
                                           .by_sizes = false,
                                           .field = true,
                                           .caps = false,
                                           .potential = Potential::kAlways};
  MeshShape i;
  static constexpr HalfSpace j{};  // NOLINT(readability-identifier-naming)

  const MethodRow& row() const { return i.mesh->is_convex() ? kConvexRow : kRow; }
  double size() const { return i.mesh->size(); }
};

// Shapes in the form that a method works on (method.h makes it). Sizes are plain numbers here.
struct PolyhedronOnPolyhedron {
  static constexpr MethodRow kRow = {.method = Method::kPolyhedra,
                                     .i = "convex polyhedron",
                                     .j = "convex polyhedron",
                                     .cost = Cost::kFaces,
                                     .exact = true,
                                     .volume = true,
                                     .normals = true,
                                     .by_pose = true,
                                     .by_sizes = false,
                                     .field = true,
                                     .caps = false,
                                     .potential = Potential::kByNormal};
  std::shared_ptr<const ConvexPolyhedron> i, j;
  PolyhedraNormal normal = PolyhedraNormal::kAreaVector;

  double size() const { return 2 * std::min(i->ball_radius(), j->ball_radius()); }
  bool is_conservative() const { return normal == PolyhedraNormal::kConservative; }
  bool has_potential() const { return is_conservative(); }
  bool can_be_conservative() const { return true; }
  // With the direction of the columns for a normal: they run along the area vector where the wrench
  // is conservative.
  PolyhedronOnPolyhedron along_columns() const {
    return {i, j, is_conservative() ? PolyhedraNormal::kAreaVector : normal};
  }
};

struct SolidOnSolid {
  static constexpr MethodRow kRow = {.method = Method::kSlices,
                                     .i = "solid",
                                     .j = "solid",
                                     .cost = Cost::kQuadrature,
                                     .exact = false,
                                     .volume = true,
                                     .normals = true,
                                     .by_pose = true,
                                     .by_sizes = false,
                                     .field = true,
                                     .caps = false,
                                     .potential = Potential::kByNormal};
  std::shared_ptr<const SolidParts> i, j;
  CellPairOptions options;
  double extent = 0;  // of the smaller

  double size() const { return extent; }
  bool is_conservative() const { return options.normal == ContactNormal::kConservative; }
  bool has_potential() const {
    const bool plane = detail::find_half_space(*i) || detail::find_half_space(*j);
    return is_conservative() || (plane && options.normal != ContactNormal::kEigenvector);
  }
  bool can_be_conservative() const { return detail::has_planar_body(*i, *j); }
  SolidOnSolid along_columns() const {  // as above
    SolidOnSolid p = *this;
    if (is_conservative()) p.options.normal = ContactNormal::kAreaVector;
    return p;
  }
  // Relative, of the volume.
  double calc_error(const Pose<double>& X_WI, const Pose<double>& X_WJ) const;
};

// The same solids by counting voxels.
struct VoxelizedSolids {
  static constexpr MethodRow kRow = {.method = Method::kVoxels,
                                     .i = "solid",
                                     .j = "solid",
                                     .cost = Cost::kCounting,
                                     .exact = false,
                                     .volume = true,
                                     .normals = true,
                                     .by_pose = false,
                                     .by_sizes = false,
                                     .field = false,
                                     .caps = false,
                                     .potential = Potential::kNever};
  SolidOnSolid solids;
  double voxel_size = 0;

  double size() const { return solids.size(); }
  bool is_conservative() const { return solids.is_conservative(); }
  bool can_be_conservative() const { return solids.can_be_conservative(); }
  double calc_error(const Pose<double>& X_WI, const Pose<double>& X_WJ) const;
};

// The table: one entry, and one row, for every pair.
template <class T>
struct ShapePair {
  std::variant<SphereOnHalfSpace<T>, EllipsoidOnHalfSpace<T>, BoxOnHalfSpace<T>,
               TorusOnHalfSpace<T>, MeshOnHalfSpace, SphereOnSphere<T>, PointPair<T>,
               PolyhedronOnPolyhedron, SolidOnSolid, VoxelizedSolids>
      shapes;
  bool turned = false;  // the file's i is the pair's j
};

// Pairs of shapes as they are: the kernel of the two shapes.
template <class Pair, class A, class B>
auto calc_overlap(const Pair& p, const Pose<A>& X_WI, const Pose<B>& X_WJ)
    -> decltype(calc_overlap(p.i, X_WI, p.j, X_WJ)) {
  return calc_overlap(p.i, X_WI, p.j, X_WJ);
}
template <class P, class A, class B>
auto calc_overlap(const EllipsoidOnHalfSpace<P>& p, const Pose<A>& X_WI, const Pose<B>& X_WJ) {
  return calc_overlap(p.i, X_WI, p.j, X_WJ, p.inertia);
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
    const SolidOnSolid& s = p.solids;
    return calc_voxel_overlap(*s.i, X_WI, *s.j, X_WJ, p.voxel_size, s.options.normal, wanted);
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

template <class Pair>
const MethodRow& row_of(const Pair& p) {
  if constexpr (requires { p.row(); }) {
    return p.row();
  } else {
    return Pair::kRow;
  }
}
template <class P>
const MethodRow& row_of(const ShapePair<P>& pair) {
  return std::visit([](const auto& p) -> const MethodRow& { return row_of(p); }, pair.shapes);
}

// Whether the overlap can be differentiated by the poses; where not, doing so throws InputError.
template <class P>
bool has_derivatives(const ShapePair<P>& pair) {
  return row_of(pair).by_pose;
}

// Whether F = k V n, or its like at a point, is the gradient of the overlap's potential.
template <class P>
bool has_potential(const ShapePair<P>& pair) {
  return std::visit(
      [](const auto& p) {
        if constexpr (requires { p.has_potential(); }) {
          return p.has_potential();
        } else {
          static_assert(std::decay_t<decltype(p)>::kRow.potential != Potential::kByNormal);
          return row_of(p).potential == Potential::kAlways;
        }
      },
      pair.shapes);
}

// Whether the wrench is the gradient of a potential by choice; no such choice where the geometry
// fixes the normal.
template <class P>
bool is_conservative(const ShapePair<P>& pair) {
  return std::visit(
      [](const auto& p) {
        if constexpr (requires { p.is_conservative(); }) {
          return p.is_conservative();
        } else {
          static_assert(!std::decay_t<decltype(p)>::kRow.normals);
          return false;
        }
      },
      pair.shapes);
}
// Whether that choice is there; where the geometry fixes the normal it changes nothing.
template <class P>
bool can_be_conservative(const ShapePair<P>& pair) {
  return std::visit(
      [](const auto& p) {
        if constexpr (requires { p.can_be_conservative(); }) {
          return p.can_be_conservative();
        } else {
          static_assert(!std::decay_t<decltype(p)>::kRow.normals);
          return true;
        }
      },
      pair.shapes);
}

PatchFigures calc_patch_figures(const ShapePair<double>& pair, const Pose<double>& X_WI,
                                const Pose<double>& X_WJ);
// The largest extent of the finite shapes, the scale of rounding in their positions.
double calc_size(const ShapePair<double>& pair);
// Relative error of the volume by the method itself, rounding aside: 0 for exact ones.
double calc_method_error(const ShapePair<double>& pair, const Pose<double>& X_WI,
                         const Pose<double>& X_WJ);

}  // namespace vesica
