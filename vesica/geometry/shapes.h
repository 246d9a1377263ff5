// What a body is made of. All lengths in metres, in the body's own frame.
#pragma once

#include <memory>
#include <string_view>
#include <variant>

#include "vesica/geometry/solid.h"
#include "vesica/geometry/triangle_mesh.h"
#include "vesica/math/vector.h"

namespace vesica {

// z <= 0; the outward normal is +z.
struct HalfSpace {};

template <class T>
struct Sphere {
  T radius;
};

template <class T>
struct Ellipsoid {
  Vec3<T> radii;
};

// Edges along x, y, z; centred on the origin.
template <class T>
struct Box {
  Vec3<T> size;
};

// Closed polyhedron, convex or not; made from vertices (convex hull) or read from a file.
struct MeshShape {
  std::shared_ptr<const TriangleMesh> mesh;
};

// Surfaces that a ball or a point touches at one point (interference/closed_form/point_pair.h);
// they have no volume of their own.

// The body's origin.
struct Point {};

// Where two half-spaces through the origin meet; outward normals, unit.
struct Edge {
  Vec3d n_1, n_2;
};

// Endless, round z.
template <class T>
struct CylinderSurface {
  T radius;
  bool inside = false;  // the ball is inside
};

// Apex at the origin, the solid along -z; half_angle between -z and its side.
template <class T>
struct ConeSurface {
  T half_angle;
};

template <class T>
using Shape = std::variant<HalfSpace, Sphere<T>, Ellipsoid<T>, Box<T>, MeshShape, Point, Edge,
                           CylinderSurface<T>, ConeSurface<T>, SolidShape>;

std::string_view shape_name(const Shape<double>& shape);

// The box around a shape, in its own frame; infinite where the shape is endless.
template <class T>
Bounds calc_bounds(const Shape<T>& shape) {
  auto around = [](const Vec3d& half) { return Bounds{-half, half}; };
  if (const auto* s = std::get_if<Sphere<T>>(&shape)) {
    return around(Vec3d::Constant(value_of(s->radius)));
  }
  if (const auto* e = std::get_if<Ellipsoid<T>>(&shape)) return around(value_of(e->radii));
  if (const auto* b = std::get_if<Box<T>>(&shape)) return around(0.5 * value_of(b->size));
  if (const auto* m = std::get_if<MeshShape>(&shape)) {
    return {m->mesh->box_min(), m->mesh->box_max()};
  }
  if (const auto* s = std::get_if<SolidShape>(&shape)) return s->solid->bounds;
  if (std::holds_alternative<Point>(shape)) return around(Vec3d::Zero());
  return {};
}

}  // namespace vesica
