// Half-space (body j) with a ring torus (body i): circular segments in closed form, one integral
// round the ring; to rounding at every depth.
//
// With n the plane's normal, theta its angle to the torus' axis, k = cos theta, s = sin theta >= 0,
// and phi counted round the axis from n's part across it, the disc of the tube at phi has its
// centre at the height H = h + R s cos phi (h: height of the torus' centre). Heights in that disc
// change by g = sqrt(s^2 cos^2 phi + k^2) a length, so the plane cuts it along a chord at the
// distance H/g from its centre: below it is a segment of the disc. With p the distance from the
// chord and w along it, depth, place along the plane and distance from the axis are linear in p and
// w, so everything an Overlap holds is a sum of the segment's moments up to the third order.
//
// H - g r and H + g r grow with cos phi (R > r): the discs that are cut are those of one interval
// of phi, beyond it they are whole on one side and dry on the other. Its ends are roots of a
// quadratic,
//   s cos phi = (-h R +- r sqrt(h^2 + k^2 (R^2 - r^2)))/(R^2 - r^2).
// There a segment ends like a power 3/2: Gauss-Legendre in u, phi = phi_0 + (phi_1 - phi_0)
// u^2 (3 - 2 u), meets an analytic function.
//
// What the two share may be a ring, one lump or two; its moments carry the rocking. Smoothness: V
// is C1 at touchdown and C-infinity but where the plane begins or ceases to cut all discs.
//
// Laws by depth act at the lowest point, which for a torus that lies flat is not one but a circle:
// it jumps as the torus rocks. Laws by volume do not know of it.
#pragma once

#include "vesica/geometry/shapes.h"
#include "vesica/interference/relative_pose.h"
#include "vesica/math/dual.h"

namespace vesica {
namespace detail {

// In the plane's frame: x along the steepest direction of the torus' middle plane, uphill, from the
// foot of the torus' centre; z down, from the plane. Second moments about the centroid.
template <class S>
struct TorusCut {
  S volume, x, z, xx, yy, zz, xz;
};

// 0 < s, k != 0. `panels`: of the interval that is cut, 0: as many as the sizes ask for.
template <class S>
TorusCut<S> calc_torus_cut(const S& h, const S& s, const S& k, const S& R, const S& r,
                           int panels = 0);

// Where s is nothing, x/s, xz/s and (xx - yy)/s^2 have a limit, and where k is nothing the discs at
// the sides are cut by a plane along them: what is taken instead is so near that the result changes
// by 1e-14. s is not sqrt(1 - k^2), which has lost half of the digits of a small tilt.
struct TorusTilt {
  double s, k;
  double share;  // what is odd in k changes by it
};
TorusTilt find_torus_tilt(double h, double s, double k, double R, double r);

}  // namespace detail

template <class P, class A, class B>
auto calc_overlap(const Torus<P>& torus, const Pose<A>& X_WI, const HalfSpace&,
                  const Pose<B>& X_WJ) {
  using T = Promote<A, B>;
  const double R = value_of(torus.radius), r = value_of(torus.tube_radius);
  const Vec3<T> n = X_WJ.R_WB.col(2).template cast<T>();
  const Vec3<T> axis = X_WI.R_WB.col(2).template cast<T>();
  const T h = n.dot(Vec3<T>(X_WI.p_WB - X_WJ.p_WB));
  const T k = n.dot(axis);
  const Vec3<T> across = n - axis * k;  // its length is s

  Overlap<T> o;
  o.n_W = n;
  // The lowest point; of a circle of them, any.
  constexpr double kFlat = 1e-12;
  const bool flat = value_of(across).norm() < kFlat;
  using std::sqrt;
  const T s = flat ? T(0.0) : T(sqrt(across.squaredNorm()));
  const Vec3<T> uphill =
      flat ? Vec3<T>(X_WI.R_WB.col(0).template cast<T>()) : Vec3<T>(across * T(T(1.0) / s));
  o.distance = h - s * torus.radius - torus.tube_radius;
  o.p_WD = X_WI.p_WB - uphill * T(torus.radius) - n * T(torus.tube_radius);
  const auto set_apart = [&] {
    const T middle = o.distance > T(0.0) ? T(o.distance * T(0.5)) : T(0.0);
    o.volume = o.potential = T(0.0);
    o.M_W = Symmetric3<T>::zero();
    o.p_WC = o.p_WD - n * middle;
    o.plane_offset = -middle;
  };
  if (!(o.distance < T(0.0))) {
    set_apart();
    return o;
  }

  const detail::TorusTilt tilt =
      detail::find_torus_tilt(value_of(h), value_of(s), value_of(k), R, r);
  const auto assemble = [&](const auto& cut, const auto& s_cut, const auto& lift) {
    // The steepest direction in the plane, times s: k across - s^2 axis.
    const Vec3<T> along = across * k - axis * T(across.squaredNorm());
    // Of an upright torus what is odd in k vanishes.
    const auto odd = [&](auto value) {
      T x = lift(value);
      if (tilt.share < 1) x = x + T((tilt.share - 1) * value_of(value));
      return x;
    };
    const T z = lift(cut.z), yy = lift(cut.yy), zz = lift(cut.zz);
    o.volume = lift(cut.volume);
    o.potential = o.volume * z;
    o.plane_offset = z;
    o.p_WC = X_WI.p_WB - n * T(h + z) + along * odd(cut.x / s_cut);
    o.M_W = Symmetric3<T>::identity(yy) + Symmetric3<T>::outer(n) * T(zz - yy) +
            Symmetric3<T>::outer(along) * lift((cut.xx - cut.yy) / (s_cut * s_cut)) -
            Symmetric3<T>::outer(n, along) * odd(cut.xz / s_cut);  // z points down
  };
  if constexpr (detail::kVaries<T>) {
    // It depends on four numbers: h, k, R, r.
    using S = Dual<4>;
    S s_cut(tilt.s);
    s_cut.v[1] = -tilt.k / tilt.s;
    const auto cut =
        detail::calc_torus_cut<S>(S::variable(value_of(h), 0), s_cut, S::variable(tilt.k, 1),
                                  S::variable(R, 2), S::variable(r, 3));
    assemble(cut, s_cut, [&](const S& x) {
      detail::GradientOf<T> g = x.v[0] * h.v + x.v[1] * k.v;
      if constexpr (detail::kVaries<P>) {
        g = g + x.v[2] * torus.radius.v + x.v[3] * torus.tube_radius.v;
      }
      return T(x.a, g);
    });
  } else {
    const auto cut = detail::calc_torus_cut<double>(value_of(h), tilt.s, tilt.k, R, r);
    assemble(cut, tilt.s, [](double x) { return T(x); });
  }
  if (!(o.volume > T(0.0))) set_apart();  // a touch below rounding
  return o;
}

// How much of the line s + lambda n lies in the torus and below the plane through s.
double calc_column_below(const Torus<double>& torus, const Pose<double>& X_WI, const Vec3d& s_W,
                         const Vec3d& n_W);

// The section from the slope of the volume. The shadow is the section until the lowest disc's
// centre goes below the plane; from there on shadow and longest column are counted on lines, to 1 %
// where the ring is not thinner than 1:20.
PatchFigures calc_patch_figures(const Torus<double>& torus, const Pose<double>& X_WI,
                                const HalfSpace&, const Pose<double>& X_WJ);

}  // namespace vesica
