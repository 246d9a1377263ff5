// Half-space (body j) with a sphere or an ellipsoid (body i): closed form, exact at every depth.
//
// An affine map takes the ellipsoid to the unit sphere and the plane to a plane, so the shared
// volume is the image of a spherical cap of depth d in [0, 2] (Brown & McPhee, eqs. 8-34). With
// S = diag(a, b, c) and the plane's normal n_E in the ellipsoid's axes:
//   w = |S n_E|            distance of the lowest point below the centre
//   n_S = S n_E / w        the cap's axis
//   q = R S n_S            from the lowest point to the centre
//   d = (w - h)/w          h: height of the centre above the plane
//   V = abc V_cap, centroid at -z_cap q, M = abc (m_t R S (I - n_S n_S^T) S R^T + m_n q q^T)
// Diagonal entries of I - n_S n_S^T are written as sums of two squares: m_t R S^2 R^T +
// (m_n - m_t) q q^T, which is shorter, cancels at the tip of a needle. The cap's moments are
// polynomials in d, written without cancellation as d -> 0; m_n is the integral over the cap
// reduced by hand: pi d^4 (40 - 24 d + 3 d^2)/(240 (3 - d)).
//
// Smoothness: V is C1 at touchdown and at full immersion, C-infinity between.
#pragma once

#include "vesica/geometry/shapes.h"
#include "vesica/interference/relative_pose.h"

namespace vesica {

// `exact`: the second moment of the volume. `oblique`: Brown & McPhee, eqs. 35-37, flattens along
// the sphere's normal before stretching; only its part across n differs from exact, by
// abc m_n (T q)(T q)^T: zero where n is a principal axis.
enum class EllipsoidInertia { kExact, kOblique };

namespace detail {

// Moments of the unit sphere's cap of depth d in [0, 2] below a plane.
template <class T>
struct UnitCap {
  T volume, centroid, m_t, m_n;  // centroid: distance from the sphere's centre

  explicit UnitCap(const T& d) {
    const T d2 = d * d;
    const T three_minus_d = T(3) - d;
    const T inverse = T(1) / three_minus_d;
    volume = T(kPi / 3) * d2 * three_minus_d;
    centroid = T(0.75) * square(T(2) - d) * inverse;
    m_t = T(kPi / 60) * d2 * d * (T(20) + d * (T(3) * d - T(15)));
    m_n = T(kPi / 240) * d2 * d2 * (T(40) + d * (T(3) * d - T(24))) * inverse;
  }
};

// Everything but the second moment, for a body whose lowest point lies q before its centre.
template <class T, class P, class W, class A, class N>
Overlap<T> place_cap(const UnitCap<T>& cap, const Vec3<N>& n, const T& height, const Vec3<A>& p_WI,
                     const Vec3<T>& q, const W& w, const P& abc) {
  Overlap<T> o;
  o.n_W = n.template cast<T>();
  o.distance = height - w;
  o.volume = abc * cap.volume;
  // When apart, the middle of the gap stands in for the centroid.
  const T middle = select(o.distance > T(0), T(o.distance * T(0.5)), T(0));
  const T centroid_height = height - w * cap.centroid;
  o.p_WC = p_WI - q * cap.centroid - n * middle;
  o.p_WD = p_WI - q;
  o.plane_offset = middle - centroid_height;
  o.potential = -o.volume * centroid_height;
  return o;
}

template <class T, class W>
UnitCap<T> cap_at(const T& height, const W& w, const W& inverse_w) {
  const T d = (w - height) * inverse_w;
  return UnitCap<T>(select(d <= T(0), T(0), select(d >= T(2), T(2), d)));
}

// Body i, and the plane by its normal (scalar B) and the height of i's origin over it (scalar T).
// P is the scalar of the sizes.
template <class P, class A, class B, class T>
Overlap<T> calc_cap(const Ellipsoid<P>& ellipsoid, const Pose<A>& X_WI, const Vec3<B>& n,
                    const T& height, EllipsoidInertia inertia) {
  using std::sqrt;
  const Vec3<P>& r = ellipsoid.radii;
  const Mat3<A>& R = X_WI.R_WB;
  const auto stretched = [&](const Vec3<T>& v) {  // S v
    return Vec3<T>(r.x() * v.x(), r.y() * v.y(), r.z() * v.z());
  };
  const Vec3<T> Sn = stretched(R.transpose() * n);
  const T w = sqrt(Sn.squaredNorm());
  const T inverse_w = T(1) / w;
  const Vec3<T> n_S = Sn * inverse_w;
  const Vec3<T> q_E = stretched(n_S);
  const Vec3<T> q = R * q_E;
  const P abc = r.x() * r.y() * r.z();

  const UnitCap<T> cap = cap_at<T>(height, w, inverse_w);
  Overlap<T> o = place_cap(cap, n, height, X_WI.p_WB, q, w, abc);
  const T m_n = abc * cap.m_n, m_t = abc * cap.m_t;
  // The source's flattening concerns the patch alone: what lies along n stays exact.
  const Symmetric3<T> along = inertia == EllipsoidInertia::kExact
                                  ? Symmetric3<T>::outer(q) * m_n
                                  : Symmetric3<T>::outer(o.n_W) * T(m_n * w * w);
  // m_t S (I - n_S n_S^T) S = m_t S^2 - m_t q_E q_E^T in the ellipsoid's axes, then turned.
  const T x2 = square(n_S.x()), y2 = square(n_S.y()), z2 = square(n_S.z());
  const T xx = m_t * (y2 + z2) * square(r.x());
  const T yy = m_t * (z2 + x2) * square(r.y());
  const T zz = m_t * (x2 + y2) * square(r.z());
  const Vec3<T> c = q_E * (-m_t);
  const T xy = c.x() * q_E.y(), xz = c.x() * q_E.z(), yz = c.y() * q_E.z();
  const Vec3<T> R_x = R.col(0) * xx + R.col(1) * xy + R.col(2) * xz;
  const Vec3<T> R_y = R.col(0) * xy + R.col(1) * yy + R.col(2) * yz;
  const Vec3<T> R_z = R.col(0) * xz + R.col(1) * yz + R.col(2) * zz;
  const auto entry = [&](int k, int l) {
    return T(R_x[k] * R(l, 0) + R_y[k] * R(l, 1) + R_z[k] * R(l, 2));
  };
  o.M_W = along + Symmetric3<T>{entry(0, 0), entry(1, 1), entry(2, 2),
                                entry(0, 1), entry(0, 2), entry(1, 2)};
  return o;
}

template <class P, class A, class B, class T>
Overlap<T> calc_cap(const Sphere<P>& sphere, const Pose<A>& X_WI, const Vec3<B>& n,
                    const T& height) {
  const P r = sphere.radius;
  const P r3 = r * r * r;
  const UnitCap<T> cap = cap_at<T>(height, r, P(P(1) / r));
  Overlap<T> o = place_cap(cap, n, height, X_WI.p_WB, Vec3<T>(n.template cast<T>() * T(r)), r, r3);
  const P r5 = r3 * r * r;
  const T m_t = r5 * cap.m_t;
  o.M_W = Symmetric3<T>::identity(m_t) + Symmetric3<T>::outer(o.n_W) * T(r5 * cap.m_n - m_t);
  return o;
}

// With derivatives by the motion alone, P = double, the three motions of the plane are enough;
// with derivatives by sizes, P = A, they run through the whole kernel.
template <template <class> class Shape, class P, class A, class B, class... Options>
auto calc_cap_of_plane(const Shape<P>& shape, const Pose<A>& X_WI, const Pose<B>& X_WJ,
                       Options... options) {
  using T = Promote<A, B>;
  if constexpr (kVaries<T> && !kVaries<P>) {
    return differentiate_by_plane<T>(X_WI, X_WJ, [&](const auto&... i_and_plane) {
      return calc_cap(shape, i_and_plane..., options...);
    });
  } else {
    const Vec3<B> n = X_WJ.R_WB.col(2);
    const T height = n.dot(X_WI.p_WB - X_WJ.p_WB);
    return calc_cap(shape, X_WI, n, height, options...);
  }
}

}  // namespace detail

template <class P, class A, class B>
auto calc_overlap(const Ellipsoid<P>& ellipsoid, const Pose<A>& X_WI, const HalfSpace&,
                  const Pose<B>& X_WJ, EllipsoidInertia inertia = EllipsoidInertia::kExact) {
  return detail::calc_cap_of_plane(ellipsoid, X_WI, X_WJ, inertia);
}
template <class P, class A, class B>
auto calc_overlap(const Sphere<P>& sphere, const Pose<A>& X_WI, const HalfSpace&,
                  const Pose<B>& X_WJ) {
  return detail::calc_cap_of_plane(sphere, X_WI, X_WJ);
}

// Areas and greatest depth of the ellipsoid's shared volume.
PatchFigures calc_patch_figures(const Ellipsoid<double>& ellipsoid, const Pose<double>& X_WI,
                                const HalfSpace&, const Pose<double>& X_WJ);
PatchFigures calc_patch_figures(const Sphere<double>& sphere, const Pose<double>& X_WI,
                                const HalfSpace&, const Pose<double>& X_WJ);

}  // namespace vesica
