// Half-space (body j) with a sphere or an ellipsoid (body i): closed form, exact at every depth.
//
// An affine map takes the ellipsoid to the unit sphere and the plane to a plane, so the shared
// volume is the image of a spherical cap of depth d in [0, 2] (Brown & McPhee, eqs. 8-34). With
// S = diag(a, b, c) and the plane's normal n_E in the ellipsoid's axes:
//   w = |S n_E|            distance of the lowest point below the centre
//   n_S = S n_E / w        the cap's axis; (e1, e2, n_S) an orthonormal basis
//   q = R S n_S            from the lowest point to the centre; g_k = R S e_k likewise
//   d = 1 - h/w            h: height of the centre above the plane
//   V = abc V_cap, centroid at -z_cap q, M = abc (m_t (g1 g1^T + g2 g2^T) + m_n q q^T)
// The second moment is a sum of squares: the shorter form m_t R S^2 R^T + (m_n - m_t) q q^T cancels
// at the tip of a needle. The cap's moments are polynomials in d, written without cancellation as
// d -> 0; m_n is the integral over the cap reduced by hand: pi d^4 (40 - 24 d + 3 d^2)/(240 (3 -
// d)).
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
UnitCap<T> cap_at(const T& height, const W& w) {
  const T d = T(1) - height / w;
  return UnitCap<T>(select(d <= T(0), T(0), select(d >= T(2), T(2), d)));
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
  // R S v
  auto stretched = [&](const Vec3<T>& v) -> Vec3<T> {
    return X_WI.R_WB * Vec3<T>(r.x() * v.x(), r.y() * v.y(), r.z() * v.z());
  };
  const Vec3<T> n_E = X_WI.R_WB.transpose() * n;
  const Vec3<T> Sn(r.x() * n_E.x(), r.y() * n_E.y(), r.z() * n_E.z());
  const T w = sqrt(Sn.squaredNorm());
  const Vec3<T> n_S = Sn * T(T(1) / w);
  Vec3<T> e1, e2;
  make_basis(n_S, &e1, &e2);
  const Vec3<T> q = stretched(n_S);
  const P abc = r.x() * r.y() * r.z();

  const auto cap = detail::cap_at<T>(height, w);
  Overlap<T> o = detail::place_cap(cap, n, height, X_WI.p_WB, q, w, abc);
  const T m_n = abc * cap.m_n;
  // The source's flattening concerns the patch alone: what lies along n stays exact.
  const Symmetric3<T> along = inertia == EllipsoidInertia::kExact
                                  ? Symmetric3<T>::outer(q) * m_n
                                  : Symmetric3<T>::outer(o.n_W) * T(m_n * w * w);
  o.M_W = (Symmetric3<T>::outer(stretched(e1)) + Symmetric3<T>::outer(stretched(e2))) *
              T(abc * cap.m_t) +
          along;
  return o;
}

template <class P, class A, class B>
auto calc_overlap(const Sphere<P>& sphere, const Pose<A>& X_WI, const HalfSpace&,
                  const Pose<B>& X_WJ) {
  using T = Promote<A, B>;
  const Vec3<B> n = X_WJ.R_WB.col(2);
  const T height = n.dot(X_WI.p_WB - X_WJ.p_WB);
  const P r = sphere.radius;
  const P r3 = r * r * r;
  const auto cap = detail::cap_at<T>(height, r);
  Overlap<T> o =
      detail::place_cap(cap, n, height, X_WI.p_WB, Vec3<T>(n.template cast<T>() * T(r)), r, r3);
  const P r5 = r3 * r * r;
  const T m_t = r5 * cap.m_t;
  o.M_W = Symmetric3<T>::identity(m_t) + Symmetric3<T>::outer(o.n_W) * T(r5 * cap.m_n - m_t);
  return o;
}

// Areas and greatest depth of the ellipsoid's shared volume.
PatchFigures calc_patch_figures(const Ellipsoid<double>& ellipsoid, const Pose<double>& X_WI,
                                const HalfSpace&, const Pose<double>& X_WJ);
PatchFigures calc_patch_figures(const Sphere<double>& sphere, const Pose<double>& X_WI,
                                const HalfSpace&, const Pose<double>& X_WJ);

}  // namespace vesica
