// Contact at one point: a ball, an ellipsoid or a point against a surface (Gonthier A.2). Gives the
// signed distance x (negative: penetration), n and the point of action; no volume, no moments.
//
//   plane     x = n.p - R                                                        (A.1)
//   sphere    x = |p| - R - r
//   edge      the nearer plane beside the edge, the perpendicular from it above:
//             n = (I - e e^T) p / |(I - e e^T) p| (A.10, which divides by |p|: no unit vector off
//             the section through p_edge); planes that are parallel count as one. A face counts
//             only from its own side: at a sharp edge the source's test (t_1.p > 0 alone) takes
//             face 1 for a ball beside face 2
//   cylinder  from outside or inside; n is arbitrary on the axis                 (A.14-A.15)
//   cone      its side; the apex, seen from above it                             (A.20-A.24)
//   ellipsoid on a plane: its deepest point, centre - S^2 n/|S n|
// p: the ball's centre from the surface's origin. The point of action is the ball's deepest point.
// Smoothness: n is C0 where the nearest feature changes from face to edge or side to apex; it jumps
// under an edge and on a cone's axis below its apex, where the centre is inside the solid.
#pragma once

#include <variant>

#include "vesica/geometry/shapes.h"
#include "vesica/interference/method_row.h"
#include "vesica/interference/overlap.h"

namespace vesica {

template <class P>
struct PointPair {
  static constexpr MethodRow kRow = {
      .method = Method::kPoint,
      .i = "sphere, point; ellipsoid on a half_space",
      .j = "half_space, sphere, edge, cylinder_surface, cone_surface",
      .cost = Cost::kFormula,
      .exact = true,
      .volume = false,
      .normals = false,
      .by_pose = true,
      .by_sizes = true,
      .field = false,
      .caps = false,
      .potential = Potential::kAlways};
  std::variant<Sphere<P>, Ellipsoid<P>> i;  // a point is a ball without radius
  std::variant<HalfSpace, Sphere<P>, Edge, CylinderSurface<P>, ConeSurface<P>> j;

  double size() const {
    if (const auto* e = std::get_if<Ellipsoid<P>>(&i)) return 2 * value_of(e->radii).maxCoeff();
    return 2 * value_of(std::get<Sphere<P>>(i).radius);
  }
};

namespace detail {

// Below this length a direction is not taken from a vector (Gonthier's epsilon) [m].
inline constexpr double kNoDirection = 1e-12;

// In the frame of j: the nearest surface's normal and the centre's height above it.
template <class T>
struct Nearest {
  Vec3<T> n;
  T height;
};

template <class T>
Nearest<T> find_nearest(const HalfSpace&, const Vec3<T>& p) {
  return {Vec3<T>(T(0), T(0), T(1)), p.z()};
}

template <class P, class T>
Nearest<T> find_nearest(const Sphere<P>& s, const Vec3<T>& p) {
  using std::sqrt;
  const T d2 = p.squaredNorm();
  if (!(d2 > T(kNoDirection * kNoDirection))) {
    return {Vec3<T>(T(0), T(0), T(1)), T(-s.radius)};
  }
  const T d = sqrt(d2);
  return {p / d, d - s.radius};
}

template <class T>
Nearest<T> find_nearest(const Edge& edge, const Vec3<T>& p) {
  using std::sqrt;
  const Vec3d cross = edge.n_1.cross(edge.n_2);
  const Vec3d n_e = (edge.n_1 + edge.n_2).normalized();
  auto plane = [&](const Vec3d& n) { return Nearest<T>{n.cast<T>(), n.cast<T>().dot(p)}; };
  if (cross.norm() < 1e-6) return plane(n_e);
  const Vec3d e = cross.normalized();
  const Vec3d t_1 = edge.n_1.cross(e), t_2 = e.cross(edge.n_2), t_e = n_e.cross(e);
  const Vec3d at = value_of(p);
  if (edge.n_1.dot(at) < 0 && edge.n_2.dot(at) < 0) {
    return plane(t_e.dot(at) > 0 ? edge.n_1 : edge.n_2);
  }
  if (edge.n_1.dot(at) >= 0 && t_1.dot(at) > 0) return plane(edge.n_1);
  if (edge.n_2.dot(at) >= 0 && t_2.dot(at) > 0) return plane(edge.n_2);
  const Vec3<T> across = p - e.cast<T>() * e.cast<T>().dot(p);
  const T d2 = across.squaredNorm();
  if (!(d2 > T(kNoDirection * kNoDirection))) return plane(n_e);
  const T d = sqrt(d2);
  return {across / d, d};
}

template <class P, class T>
Nearest<T> find_nearest(const CylinderSurface<P>& c, const Vec3<T>& p) {
  using std::sqrt;
  const T d2 = p.x() * p.x() + p.y() * p.y();
  const bool on_axis = !(d2 > T(kNoDirection * kNoDirection));
  const T d = on_axis ? T(0) : T(sqrt(d2));
  const Vec3<T> outward = on_axis ? Vec3<T>(T(1), T(0), T(0)) : Vec3<T>(p.x() / d, p.y() / d, T(0));
  if (c.inside) return {-outward, c.radius - d};
  return {outward, d - c.radius};
}

template <class P, class T>
Nearest<T> find_nearest(const ConeSurface<P>& c, const Vec3<T>& p) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  const T rho2 = p.x() * p.x() + p.y() * p.y();
  const P sine = sin(c.half_angle), cosine = cos(c.half_angle);
  if (!(rho2 > T(kNoDirection * kNoDirection))) {
    return {Vec3<T>(T(0), T(0), T(1)), p.z() > T(0) ? T(p.z()) : T(p.z() * sine)};
  }
  const T rho = sqrt(rho2);
  if (p.z() * cosine > rho * sine) {  // above the apex: p.t_c > 0
    const T d = sqrt(rho2 + p.z() * p.z());
    return {p / d, d};
  }
  const T across = cosine / rho;
  return {Vec3<T>(p.x() * across, p.y() * across, T(sine)), rho * cosine + p.z() * sine};
}

}  // namespace detail

template <class P, class A, class B>
auto calc_overlap(const PointPair<P>& pair, const Pose<A>& X_WI, const Pose<B>& X_WJ) {
  using T = Promote<P, Promote<A, B>>;
  const Vec3<T> p_W = X_WI.p_WB - X_WJ.p_WB;
  const Mat3<T> R_WJ = X_WJ.R_WB.template cast<T>();
  const Vec3<T> p_J = R_WJ.transpose() * p_W;
  const auto nearest =
      std::visit([&](const auto& j) { return detail::find_nearest(j, p_J); }, pair.j);

  Overlap<T> o;
  o.n_W = R_WJ * nearest.n;
  Vec3<T> deepest;  // from the centre, along -n by the support function
  if (const auto* ball = std::get_if<Sphere<P>>(&pair.i)) {
    deepest = o.n_W * (-T(ball->radius));
  } else {
    using std::sqrt;
    const Vec3<P>& r = std::get<Ellipsoid<P>>(pair.i).radii;
    const Mat3<T> R_WI = X_WI.R_WB.template cast<T>();
    Vec3<T> Sn = R_WI.transpose() * o.n_W;
    for (int k = 0; k < 3; ++k) Sn[k] = Sn[k] * r[k];
    const T w = sqrt(Sn.squaredNorm());
    for (int k = 0; k < 3; ++k) Sn[k] = Sn[k] * r[k];
    deepest = R_WI * (Sn * (T(-1) / w));
  }
  o.distance = nearest.height + o.n_W.dot(deepest);
  o.p_WC = o.p_WD = X_WI.p_WB.template cast<T>() + deepest;
  o.is_point = true;
  o.volume = o.plane_offset = o.potential = T(0);
  o.M_W = Symmetric3<T>::zero();
  return o;
}

}  // namespace vesica
