// The building blocks of solids: polynomial inequalities of degree at most two (Gonthier 2.3.2,
// 5.2.1), placed in the frame of the solid they belong to. All lengths in metres.
//
// A point x is inside where g(x) <= 0 with g(x) = x.A.x + 2 b.x + c. The complement of a primitive
// is the primitive with -g, so nothing else has to know about complements. g is scaled to have a
// gradient of length one on the surface (a sphere, a cylinder, a plane) or at its sharpest point
// (ellipsoid, paraboloid): near the surface it is a distance. The cone's gradient vanishes at its
// apex; g is a distance times the distance to the apex.
#pragma once

#include <string_view>

#include "vesica/geometry/bounds.h"
#include "vesica/math/pose.h"
#include "vesica/math/symmetric.h"

namespace vesica {

struct Quadric {
  Symmetric3<double> A = Symmetric3<double>::zero();
  Vec3d b = Vec3d::Zero();
  double c = 0;

  double operator()(const Vec3d& x) const { return x.dot(A * x + 2 * b) + c; }
  Vec3d gradient(const Vec3d& x) const { return 2 * (A * x + b); }
  // The same surface seen from a frame F in which this quadric's frame B has the pose X_FB.
  Quadric moved(const Pose<double>& X_FB) const;
  Quadric negated() const { return {A * -1.0, -b, -c}; }
};

enum class PrimitiveType {
  kHalfSpace,   // z <= 0
  kSphere,      // |x| <= size[0]
  kEllipsoid,   // radii size
  kCylinder,    // infinite, about z, radius size[0]
  kCone,        // both nappes about z, apex at the origin: x^2 + y^2 <= (size[0] z)^2
  kParaboloid,  // z >= (x^2 + y^2)/(2 size[0]): size[0] is the radius of curvature at the vertex
};
std::string_view primitive_name(PrimitiveType type);

struct Primitive {
  PrimitiveType type = PrimitiveType::kHalfSpace;
  bool is_complement = false;
  Vec3d size = Vec3d::Zero();
  Pose<double> X_SP;  // of the primitive in the solid
  Quadric g;          // in the solid's frame; complement applied

  bool is_plane() const { return type == PrimitiveType::kHalfSpace; }
  // The complement of a half-space is convex too; a double cone is not.
  bool is_convex() const { return is_plane() || (!is_complement && type != PrimitiveType::kCone); }
  Vec3d axis() const { return X_SP.R_WB.col(2); }
};

Primitive make_half_space(const Pose<double>& X_SP = {});
Primitive make_sphere(double radius, const Pose<double>& X_SP = {});
Primitive make_ellipsoid(const Vec3d& radii, const Pose<double>& X_SP = {});
Primitive make_cylinder(double radius, const Pose<double>& X_SP = {});
Primitive make_cone(double half_angle, const Pose<double>& X_SP = {});  // in (0, pi/2)
Primitive make_paraboloid(double vertex_radius, const Pose<double>& X_SP = {});
Primitive make_complement(Primitive primitive);
// The half-space n.x <= offset; n need not be unit.
Primitive make_half_space(const Vec3d& n, double offset);

// g in the primitive's own frame, complement applied: exact, where g itself has lost digits to the
// distance from the solid's origin.
Quadric calc_own_quadric(const Primitive& primitive);

// The same primitive, its solid placed at X_FS in F.
Primitive moved(const Primitive& primitive, const Pose<double>& X_FS);
// Reflected at the plane through the origin with unit normal n.
Primitive mirrored(const Primitive& primitive, const Vec3d& n);

// A box around the primitive along the solid's axes.
Bounds calc_bounds(const Primitive& primitive);

// Where the line p + t d is inside, in closed form: at most two intervals [from, to], which may
// reach to infinity.
struct LineIntervals {
  int count = 0;
  double from[2], to[2];
};
LineIntervals calc_line_intervals(const Quadric& g, const Vec3d& p, const Vec3d& d);

}  // namespace vesica
