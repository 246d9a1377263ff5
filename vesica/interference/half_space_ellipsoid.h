// Half-space (body j) with a sphere or an ellipsoid (body i): closed form, exact at every depth.
//
// An affine map takes the ellipsoid to the unit sphere and the plane to a plane, so the shared
// volume is the image of a spherical cap of depth d in [0, 2] (Brown & McPhee, eqs. 8-34). With
// S = diag(a, b, c), the plane's normal n_E in the ellipsoid's axes and B = R S^2 R^T:
//   w = |S n_E|            distance of the lowest point below the centre (from n_E, not from
//                          n.B.n: that would lose (a/c)^2 roundings for a flat ellipsoid)
//   q = R S^2 n_E / w      from the lowest point to the centre
//   d = 1 - h/w            h: height of the centre above the plane
//   V = abc V_cap, centroid at -z_cap q, M = abc (m_t B + (m_n - m_t) q q^T)
// The cap's moments are polynomials in d, written without cancellation as d -> 0; m_n is the
// integral over the cap reduced by hand: pi d^4 (40 - 24 d + 3 d^2) / (240 (3 - d)).
//
// Smoothness: V is C1 at touchdown and at full immersion, C-infinity between.
#pragma once

#include "vesica/geometry/shapes.h"
#include "vesica/interference/overlap.h"

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

template <class T, class P, class W, class A, class N>
Overlap<T> cap_of_ellipsoid(const Vec3<N>& n, const T& height, const Vec3<A>& p_WI,
                            const Symmetric3<T>& B, const Vec3<T>& q, const W& w, const P& abc,
                            EllipsoidInertia inertia) {
  Overlap<T> o;
  o.n_W = n.template cast<T>();
  o.distance = height - w;
  const T raw = -o.distance / w;
  const Mask<T> apart = raw <= T(0);
  const T d = select(apart, T(0), select(raw >= T(2), T(2), raw));
  const UnitCap<T> cap(d);
  o.volume = abc * cap.volume;
  o.p_WC = p_WI - q * cap.centroid;
  o.M_W = B * T(abc * cap.m_t);
  const T m_q = inertia == EllipsoidInertia::kExact ? cap.m_n - cap.m_t : -cap.m_t;
  o.M_W = o.M_W + Symmetric3<T>::outer(q) * T(abc * m_q);
  if (inertia == EllipsoidInertia::kOblique) {
    // Keep what lies along n exact: the source's flattening concerns the patch alone.
    o.M_W = o.M_W + Symmetric3<T>::outer(o.n_W) * T(abc * cap.m_n * w * w);
  }
  // Depth of the centroid below the plane; when apart the lowest point is above it by `distance`,
  // and the middle of the gap stands in for the centroid.
  const T centroid_height = height - w * cap.centroid;
  const T middle = o.distance * T(0.5);
  o.plane_offset = select(apart, -middle, -centroid_height);
  o.p_WC = o.p_WC - n * select(apart, middle, T(0));
  o.potential = -o.volume * centroid_height;
  return o;
}

}  // namespace detail

// P is the scalar of the sizes, A and B those of the poses: P = double while differentiating by the
// motion alone, P = A to differentiate by sizes as well.
template <class P, class A, class B>
auto calc_overlap(const Ellipsoid<P>& ellipsoid, const Pose<A>& X_WI, const HalfSpace&,
                  const Pose<B>& X_WJ, EllipsoidInertia inertia = EllipsoidInertia::kExact) {
  using std::sqrt;
  using T = Promote<A, B>;
  const Vec3<B> n = X_WJ.R_WB.col(2);
  const T height = n.dot(X_WI.p_WB - X_WJ.p_WB);
  const Vec3<P>& r = ellipsoid.radii;
  const auto stretch = Symmetric3<T>::rotated_diagonal(
      X_WI.R_WB, Vec3<P>(r.x() * r.x(), r.y() * r.y(), r.z() * r.z()));
  const Vec3<T> n_E = X_WI.R_WB.transpose() * n;
  const Vec3<T> Sn(r.x() * n_E.x(), r.y() * n_E.y(), r.z() * n_E.z());
  const T w = sqrt(Sn.squaredNorm());
  const T inverse_w = T(1) / w;
  const Vec3<T> q_E(r.x() * Sn.x() * inverse_w, r.y() * Sn.y() * inverse_w,
                    r.z() * Sn.z() * inverse_w);
  const P abc = r.x() * r.y() * r.z();
  return detail::cap_of_ellipsoid<T>(n, height, X_WI.p_WB, stretch, Vec3<T>(X_WI.R_WB * q_E), w,
                                     abc, inertia);
}

template <class P, class A, class B>
auto calc_overlap(const Sphere<P>& sphere, const Pose<A>& X_WI, const HalfSpace&,
                  const Pose<B>& X_WJ) {
  using T = Promote<A, B>;
  const Vec3<B> n = X_WJ.R_WB.col(2);
  const T height = n.dot(X_WI.p_WB - X_WJ.p_WB);
  const P r = sphere.radius;
  const P r2 = r * r;
  return detail::cap_of_ellipsoid<T>(n, height, X_WI.p_WB, Symmetric3<T>::identity(T(r2)),
                                     Vec3<T>(n * T(r)), r, P(r2 * r), EllipsoidInertia::kExact);
}

// Areas and greatest depth of the ellipsoid's shared volume.
PatchFigures calc_patch_figures(const Ellipsoid<double>& ellipsoid, const Pose<double>& X_WI,
                                const HalfSpace&, const Pose<double>& X_WJ);
PatchFigures calc_patch_figures(const Sphere<double>& sphere, const Pose<double>& X_WI,
                                const HalfSpace&, const Pose<double>& X_WJ);

}  // namespace vesica
