// What a body is made of. All lengths in metres, in the body's own frame.
#pragma once

#include <memory>
#include <string_view>
#include <variant>

#include "vesica/geometry/solid.h"
#include "vesica/geometry/triangle_mesh.h"
#include "vesica/math/fields.h"
#include "vesica/math/vector.h"

namespace vesica {

// z <= 0; the outward normal is +z.
struct HalfSpace {
  static constexpr std::string_view kName = "half_space";
};

template <class T>
struct Sphere {
  static constexpr std::string_view kName = "sphere";
  T radius;
  void describe(Fields<T>& f) {
    f.number({"radius", dimension::kLength, Rule::kPositive, "of the ball"}, &radius);
  }
};

template <class T>
struct Ellipsoid {
  static constexpr std::string_view kName = "ellipsoid";
  Vec3<T> radii = Vec3<T>::Zero();
  void describe(Fields<T>& f) {
    f.vector({"radii", dimension::kLength, Rule::kPositive, "along x, y, z"}, &radii);
  }
};

// Edges along x, y, z; centred on the origin.
template <class T>
struct Box {
  static constexpr std::string_view kName = "box";
  Vec3<T> size = Vec3<T>::Zero();
  void describe(Fields<T>& f) {
    f.vector({"size", dimension::kLength, Rule::kPositive, "along x, y, z"}, &size);
  }
};

// Closed polyhedron, convex or not; made from vertices (convex hull) or read from a file.
struct MeshShape {
  std::shared_ptr<const TriangleMesh> mesh;
};

// Surfaces that a ball or a point touches at one point (interference/closed_form/point_pair.h);
// they have no volume of their own.

// The body's origin.
struct Point {
  static constexpr std::string_view kName = "point";
};

// Where two half-spaces through the origin meet; outward normals, unit.
struct Edge {
  static constexpr std::string_view kName = "edge";
  Vec3d n_1, n_2;
};

// Endless, round z.
template <class T>
struct CylinderSurface {
  static constexpr std::string_view kName = "cylinder_surface";
  T radius;
  bool inside = false;  // the ball is inside
  void describe(Fields<T>& f) {
    f.number({"radius", dimension::kLength, Rule::kPositive, "of the surface"}, &radius);
    f.choice({.key = "side", .meaning = "where the ball is"}, {"outside", "inside"}, &inside);
  }
};

// Apex at the origin, the solid along -z; half_angle between -z and its side.
template <class T>
struct ConeSurface {
  static constexpr std::string_view kName = "cone_surface";
  T half_angle;
  void describe(Fields<T>& f) {
    T angle = half_angle * T(2);
    f.number({"angle", dimension::kAngle, Rule::kPositive, "full, at the apex"}, &angle);
    f.check(!(value_of(angle) > kPi), "angle", "the full angle at the apex, at most pi");
    half_angle = angle * T(0.5);
  }
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
