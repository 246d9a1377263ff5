// What a body is made of. All lengths in metres, in the body's own frame.
//
// A shape that says how large it is has bounds(); one of uniform density that may be a body's mass
// has volume() and unit_inertia(), about its centre, for a mass of 1 kg, about x, y, z.
#pragma once

#include <memory>
#include <string_view>
#include <variant>

#include "vesica/geometry/solid.h"
#include "vesica/geometry/triangle_mesh.h"
#include "vesica/math/fields.h"
#include "vesica/math/vector.h"

namespace vesica {
namespace detail {

inline Bounds bounds_around(const Vec3d& half) { return {-half, half}; }
// Of lengths a along x, y, z: factor (a_y^2 + a_z^2), ...
template <class T>
Vec3<T> inertia_of_squares(const Vec3<T>& a, double factor) {
  const T x = a.x() * a.x() * factor, y = a.y() * a.y() * factor, z = a.z() * a.z() * factor;
  return {y + z, x + z, x + y};
}

}  // namespace detail

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
  Bounds bounds() const { return detail::bounds_around(Vec3d::Constant(value_of(radius))); }
  T volume() const { return radius * radius * radius * (4 * kPi / 3); }
  Vec3<T> unit_inertia() const {
    const T i = radius * radius * 0.4;
    return {i, i, i};
  }
};

template <class T>
struct Ellipsoid {
  static constexpr std::string_view kName = "ellipsoid";
  Vec3<T> radii = Vec3<T>::Zero();
  void describe(Fields<T>& f) {
    f.vector({"radii", dimension::kLength, Rule::kPositive, "along x, y, z"}, &radii);
  }
  Bounds bounds() const { return detail::bounds_around(value_of(radii)); }
  T volume() const { return radii.x() * radii.y() * radii.z() * (4 * kPi / 3); }
  Vec3<T> unit_inertia() const { return detail::inertia_of_squares<T>(radii, 0.2); }
};

// Edges along x, y, z; centred on the origin.
template <class T>
struct Box {
  static constexpr std::string_view kName = "box";
  Vec3<T> size = Vec3<T>::Zero();
  void describe(Fields<T>& f) {
    f.vector({"size", dimension::kLength, Rule::kPositive, "along x, y, z"}, &size);
  }
  Bounds bounds() const { return detail::bounds_around(0.5 * value_of(size)); }
  T volume() const { return size.x() * size.y() * size.z(); }
  Vec3<T> unit_inertia() const { return detail::inertia_of_squares<T>(size, 1.0 / 12); }
};

// A ring round z: a tube about a circle.
template <class T>
struct Torus {
  static constexpr std::string_view kName = "torus";
  T radius{1.0}, tube_radius{0.25};
  void describe(Fields<T>& f) {
    f.number({"radius", dimension::kLength, Rule::kPositive, "of the circle round z"}, &radius);
    f.number({"tube_radius", dimension::kLength, Rule::kPositive, "of the tube about it"},
             &tube_radius);
    f.check(value_of(tube_radius) < value_of(radius), "tube_radius",
            "less than radius: a ring with a hole");
  }
  Bounds bounds() const {
    const double r = value_of(tube_radius), outer = value_of(radius) + r;
    return detail::bounds_around({outer, outer, r});
  }
  T volume() const { return radius * tube_radius * tube_radius * (2 * kPi * kPi); }
  Vec3<T> unit_inertia() const {
    const T R2 = radius * radius, r2 = tube_radius * tube_radius;
    const T across = R2 * 0.5 + r2 * 0.625;
    return {across, across, R2 + r2 * 0.75};
  }
};

// Closed polyhedron, convex or not; made from vertices (convex hull) or read from a file.
struct MeshShape {
  static constexpr std::string_view kName = "mesh";
  std::shared_ptr<const TriangleMesh> mesh;
  Bounds bounds() const { return {mesh->box_min(), mesh->box_max()}; }
};

// Surfaces that a ball or a point touches at one point (interference/closed_form/point_pair.h);
// they have no volume of their own.

// The body's origin.
struct Point {
  static constexpr std::string_view kName = "point";
  Bounds bounds() const { return detail::bounds_around(Vec3d::Zero()); }
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
using Shape = std::variant<HalfSpace, Sphere<T>, Ellipsoid<T>, Box<T>, Torus<T>, MeshShape, Point,
                           Edge, CylinderSurface<T>, ConeSurface<T>, SolidShape>;

std::string_view shape_name(const Shape<double>& shape);

// The box around a shape, in its own frame; infinite where the shape is endless.
template <class T>
Bounds calc_bounds(const Shape<T>& shape) {
  return std::visit(
      [](const auto& s) {
        if constexpr (requires { s.bounds(); }) {
          return s.bounds();
        } else {
          return Bounds{};
        }
      },
      shape);
}

}  // namespace vesica
