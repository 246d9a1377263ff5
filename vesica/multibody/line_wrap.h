// The shortest way of a line from p to q that stays outside of an ellipsoid, a sphere or an endless
// cylinder: straight where it
// misses the surface, else straight to a tangent point a, along a geodesic to b, straight on to q.
// Frictionless: one tension all along.
//
// With y = S x, S the radii on the diagonal, the surface is the unit sphere |x| = 1, and what is
// tangent stays tangent. The points that are tangent from p lie on a circle; `phi` is the angle on
// it. From there the geodesic runs, in the arc length of the sphere,
//   x'' = -x - (w.Dx/x.Dx) w,   w = x cross x',  D = S^-2,      physical length: |S x'|
// until, after an arc sigma, its tangent passes q: x.x_q = 1 and w.x_q = 0, two equations for phi
// and sigma (docs/theory/wrapping.md). A sphere has the closed form, and so has a cylinder: a
// sphere's in the plane across it, unrolled to a straight line.
//
// Which way round: the shortest. It is a function of the two points alone, so that runs repeat bit
// for bit. There are two equally short ways only where the straight line passes near the centre (of
// a sphere: through the very centre, where the guide or else an axis decides): there the line flips
// from one to the other, its length continuous. With a guide it is the way of a string that is laid
// over the surface in the plane of p, q and the guide, on the guide's side, and then let go: a
// local minimum of the length, held beyond where another becomes shorter, until it is none. On a
// sphere, whose far side holds no string, both are the same.
//
// Derivatives: exact, by the points and, on dual numbers, by the radii. By the envelope theorem
// dl/dp = -e_a and dl/dq = e_b.
// Smoothness: the length is C1 where wrapping begins and C-infinity elsewhere, but for the flips
// above, where it is C0, the end of a guided way, where it jumps, and a point on the surface
// itself, where the directions e are C0. Cannot represent: a line through the solid. A point inside
// it is an error (RunError).
#pragma once

#include <optional>
#include <vector>

#include "vesica/math/pose.h"

namespace vesica {

// An obstacle that one segment of a line may lie on.
template <class P>
struct LineWrap {
  int segment = 0;  // between points k and k + 1
  int body = 0;
  Pose<P> X_BS;  // the surface's frame: its centre and axes
  Vec3<P> radii = Vec3<P>(P(1.0), P(1.0), P(1.0));
  bool is_sphere = false;      // radii are equal: the closed form
  bool is_cylinder = false;    // endless along z, of the first radius
  std::optional<Vec3d> guide;  // in the surface's frame
};

template <class T>
struct WrappedSegment {
  bool wraps = false;
  T length{0.0};
  Vec3<T> a, b;      // tangent points; of a straight line, its ends
  Vec3<T> e_a, e_b;  // directions of the line at p and at q, unit, from p to q
};

// In the frame of the surface. Throws RunError for a point inside, or where no way is found.
template <class T>
WrappedSegment<T> wrap_sphere(const T& radius, const Vec3<T>& p, const Vec3<T>& q,
                              const std::optional<Vec3d>& guide = {});
template <class T>
WrappedSegment<T> wrap_cylinder(const T& radius, const Vec3<T>& p, const Vec3<T>& q);
template <class T>
WrappedSegment<T> wrap_ellipsoid(const Vec3<T>& radii, const Vec3<T>& p, const Vec3<T>& q,
                                 const std::optional<Vec3d>& guide = {});

// In the frame that X_WB, p and q are in.
template <class P, class T>
WrappedSegment<T> calc_wrap(const LineWrap<P>& wrap, const Pose<T>& X_WB, const Vec3<T>& p_W,
                            const Vec3<T>& q_W) {
  const Mat3<T> R_WS = X_WB.R_WB * wrap.X_BS.R_WB.template cast<T>();
  const Vec3<T> p_WS = X_WB * wrap.X_BS.p_WB.template cast<T>();
  const Vec3<T> p = R_WS.transpose() * Vec3<T>(p_W - p_WS);
  const Vec3<T> q = R_WS.transpose() * Vec3<T>(q_W - p_WS);
  WrappedSegment<T> s =
      wrap.is_sphere     ? wrap_sphere(T(wrap.radii.x()), p, q, wrap.guide)
      : wrap.is_cylinder ? wrap_cylinder(T(wrap.radii.x()), p, q)
                         : wrap_ellipsoid(Vec3<T>(wrap.radii.template cast<T>()), p, q, wrap.guide);
  for (Vec3<T>* point : {&s.a, &s.b}) *point = R_WS * *point + p_WS;
  for (Vec3<T>* direction : {&s.e_a, &s.e_b}) *direction = R_WS * *direction;
  return s;
}

// Points of the way for a picture, first to last: the two ends, and where it wraps `count` points
// from a to b. In the frame of the surface.
std::vector<Vec3d> sample_wrap(const Vec3d& radii, const Vec3d& p, const Vec3d& q,
                               const std::optional<Vec3d>& guide, int count);
std::vector<Vec3d> sample_wrap(const LineWrap<double>& wrap, const Vec3d& p, const Vec3d& q,
                               int count);

}  // namespace vesica
