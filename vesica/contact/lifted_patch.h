// The load of a patch that rolling lifts in part, closed form (docs/theory/contact.md, "Where the
// patch lifts").
//
// The foundation presses with k f(s) (1 + alpha c(s)) and never pulls; wanted are the means over
// the depth, weight f/V, of the clamped factor
//   phi(s) = max(0, 1 + alpha c_c + X),   X = -rho.U,   U = alpha n x w,
// and of rho phi and |rho|^2 phi, rho from the centroid. X has mean 0, variance
// sigma^2 = U.M_t.U/V and a skewness that follows from the lean of the patch: of a tilted
// ellipsoid's cap the columns are not upright over the section, so that the centroid lies `lean`
// off the section's centre. With lambda = -lean.U/sigma,
//   skewness = -3/4 lambda + 23/40 lambda^3            (shallow cap: exact)
// Model: the depth along X is that of a paraboloid whose half axes to both sides differ,
//   m(x) = C (1 - (x/s)^2)^(3/2),  C = 8/(3 pi),  s = 1 + e for x > 0, 1 - e for x < 0,
// with its mean at the centroid, its variance sigma^2, and e such that its skewness is that of the
// cap. What lies across is taken by its regression on X, to second order:
//   E[rho|X]     = b X/sigma + w P,       P = (X/sigma)^2 - gamma X/sigma - 1
//   E[|rho|^2|X] = r^2 + t X/sigma + g P, t sigma = E[|rho|^2 X], the third moment of the cap
// (m, b, w, t, g are exact for an upright paraboloid). While all of it presses, P and its
// coefficients drop out and the closed forms of contact_forces.h remain, with the third moment in
// the spread, so that both join like (edge - q)^(7/2); likewise at lift-off of the whole patch.
//
// Against the integral over the patch, worst of 400 random ellipsoids up to 1:4: force 0.8 %,
// rolling 1.7 %, spinning 3.1 % at half the depth of the body's centre; 0.2, 0.3, 0.8 % at a
// hundredth; 1.6, 6.6, 6.3 % at its centre (lifted_patch_test.cpp holds the bounds). For shapes
// that are no caps it is an approximation with the right first two moments.
// Smoothness: C3; the spread (spinning) C1 where little is left. The density m is not negative, so
// that normal damping and rolling together never give energy.
#pragma once

#include <cmath>

#include "vesica/math/scalar.h"
#include "vesica/math/vector.h"

namespace vesica {

// Means over the depth of the patch.
template <class T>
struct PatchLoad {
  T mean;         // of phi: the normal force over the elastic one
  Vec3<T> first;  // of rho phi [m]
  T second;       // of |rho|^2 phi [m^2]
  T edge;         // 1 + alpha c where rolling lowers it most
};

namespace detail {

inline constexpr double kLiftC = 8 / (3 * kPi);
// Integrals of m x and m x^3 over one half of an even profile.
inline constexpr double kLiftH1 = kLiftC / 5, kLiftH3 = 2 * kLiftC / 35;

// N_1(q) = integral from q to 1 of C (1 - x^2)^(3/2) x (x - q), -1 <= q <= 1.
inline double calc_lift_moment(double q) {
  const double z = 1 - q;
  if (z < 0.3) {
    // C z^(7/2) times the integral over t in (0, 1) of t^(3/2) (2 - z t)^(3/2) (1 - z t) (1 - t),
    // term by term: keeps its digits up to lift-off. (z/2)^12 < 2e-10 meets coefficients below
    // 1e-4.
    double sum = 0, binomial = 1, last = 0, power = 1;  // of (1 - z t/2)^(3/2), in t^k
    for (int k = 0; k <= 12; ++k) {
      sum += (binomial * power - last * z) / ((k + 2.5) * (k + 3.5));
      last = binomial * power;
      binomial *= (1.5 - k) / (k + 1);
      power *= -z / 2;
    }
    return kLiftC * std::sqrt(8 * z) * z * z * z * sum;
  }
  const double s2 = z * (1 + q), s = std::sqrt(s2);
  const double area = 0.375 * std::acos(q) - q * s * (5 - 2 * q * q) / 8;  // of (1 - x^2)^(3/2)
  return kLiftC * (area / 6 - q * s2 * s2 * s / 30);
}
inline double calc_lift_slope(double q) {
  const double s2 = (1 - q) * (1 + q);
  return -kLiftH1 * s2 * s2 * std::sqrt(s2);
}

}  // namespace detail

// N_1 with its derivative; Pack has its own (batch.cpp).
template <class T>
T calc_lift_integral(const T& q) {
  const double at = value_of(q);
  return T(detail::calc_lift_moment(at)) + (q - T(at)) * T(detail::calc_lift_slope(at));
}

// From the centroid of a cap to that of its section is offset M_tn/M_nn: slices of a cap are
// centred on a line. The distance of the plane, offset, is taken as a mean with sqrt(2 M_nn/V),
// which it is for a shallow cap: equal to second order there, and bounded for whatever else.
template <class T>
Vec3<T> calc_patch_lean(const Vec3<T>& M_tn, const T& M_nn, const T& volume, const T& offset) {
  const T below = volume * offset * offset + T(2) * M_nn;
  const Mask<T> some = below > T(0);
  return M_tn * select(some, T(-4) * offset / select(some, below, T(1)), T(0));
}

namespace detail {

template <class T>
struct PatchRoll {
  Vec3<T> U, S_U;  // alpha n x w, and M_t/V times it
  T sigma2;        // U.S_U
  T r2;
  Vec3<T> lean;
  T third;  // E[|rho|^2 X]
};

template <class T>
PatchLoad<T> calc_lifted_load(const T& factor, const PatchRoll<T>& p, const PatchLoad<T>& pressed) {
  using std::sqrt;
  const T zero(0), one(1);
  const Mask<T> turning = p.sigma2 > zero;  // else only the separation is too fast
  const T sigma = sqrt(select(turning, p.sigma2, one));
  const T inverse_sigma = one / sigma;
  const Vec3<T> b = p.S_U * (-inverse_sigma);
  const T lambda = p.lean.dot(p.U) * (-inverse_sigma);
  // The skewness of the split profile is that of the cap within 0.013 (least squares over lambda^2
  // up to 2, the most that a second moment allows).
  T e = lambda * (T(0.89) * lambda * lambda - T(1.15));
  e = select(e > T(0.95), T(0.95), select(e < T(-0.95), T(-0.95), e));
  const T e2 = e * e;
  const T mean = T(4 * kLiftH1) * e;
  const T variance = T(1.0 / 6) + T(0.5 - 16 * kLiftH1 * kLiftH1) * e2;
  const T root = sqrt(variance);
  const T inverse_root = one / root;
  const T gamma = (T(8 * kLiftH3) * e * (one + e2) - mean * (T(0.5) + T(1.5) * e2) +
                   T(2) * mean * mean * mean) *
                  inverse_root * inverse_root * inverse_root;
  const T a = sigma * inverse_root;

  // q: where the load ends, from the apex of the profile. Left of it the profile is the narrow or
  // wide half, right of it the other: one N for the half that q lies in, and what the other adds.
  const T q = mean - factor * root * inverse_sigma;
  const Mask<T> left = q < zero;
  const T s = select(left, T(one - e), T(one + e));
  const T Q = q / s;
  const Mask<T> lifted = turning && Q > T(-1);
  const Mask<T> gone = (turning && Q >= one) || (!turning && factor < zero);
  const Mask<T> within = lifted && Q < one;
  const T Q_in = select(within, Q, zero);
  const T s2 = (one - Q_in) * (one + Q_in);
  const T C_s7 = T(kLiftC) * s2 * s2 * s2 * sqrt(s2);
  const T N1 = calc_lift_integral(Q_in);
  const T N0 = C_s7 * T(0.2) - T(6) * Q_in * N1;
  const T N2 = C_s7 * T(2.0 / 35) - Q_in * N1;
  const T ss = s * s;
  const T wider = e * (T(0.5) + e2 * T(1.0 / 6));
  const T J0 = ss * N0 + select(left, T(mean - q * e), zero);
  const T J1 = ss * s * N1 + select(left, T(wider - q * mean), zero);
  const T J2 = ss * ss * N2 + select(left, T(T(8 * kLiftH3) * e * (one + e2) - q * wider), zero);
  // Means of phi (X/sigma)^k.
  const T K0 = a * J0;
  const T K1 = a * inverse_root * (J1 - mean * J0);
  const T K2 = a * inverse_root * inverse_root * (J2 - T(2) * mean * J1 + mean * mean * J0);
  const T P = K2 - gamma * K1 - K0;
  const Vec3<T> w = (p.lean - b * lambda) * (T(0.46) * lambda * lambda - T(0.2));
  const T g = T(1.2) * b.squaredNorm() - T(0.2) * p.r2;

  auto choose = [&](const T& x, const T& when_pressed) {
    return select(lifted || gone, select(gone, zero, x), when_pressed);
  };
  PatchLoad<T> load;
  load.mean = choose(K0, pressed.mean);
  for (int k = 0; k < 3; ++k) load.first[k] = choose(T(b[k] * K1 + w[k] * P), pressed.first[k]);
  load.second = choose(T(p.r2 * K0 + p.third * inverse_sigma * K1 + g * P), pressed.second);
  load.edge = select(turning, T(factor - a * (one - e + mean)), factor);
  return load;
}

}  // namespace detail

// The spread of the pressure about its centre, from the difference x of its moments: close to
// lift-off, where next to no force is left, the model may take x below zero. Below 0.03 r^2 a
// hyperbola goes on with the same slope.
template <class T>
T calc_spread(const T& x, const T& r2) {
  const T least = T(0.03) * r2;
  const Mask<T> small = x < least;
  if (!any_of(small)) return x;
  const Mask<T> bent = small && r2 > T(0);
  return select(bent, least * least / select(bent, T(2) * least - x, T(1)), select(small, T(0), x));
}

// Whether 1 + alpha c comes so near to zero somewhere on the patch that calc_patch_load is wanted:
// (1 + alpha c_c)^2 < 32 sigma^2. The edge lies at most 2.77 sigma from the centroid, so that
// nothing lifts before 8; between, the third moment comes in, which where it is left out is 2.5 %
// of the pressure's radius of gyration at most (1:4, half depth). `u_M_u` is u.M_t.u, u = n x w.
template <class T>
Mask<T> is_near_lifting(const T& factor, const T& alpha, const T& u_M_u, const T& inverse_V) {
  return factor < T(0) || factor * factor < T(32) * alpha * alpha * u_M_u * inverse_V;
}

// `factor` is 1 + alpha c at the centroid, U = alpha n x w, S_U = M_t U/V. Not inlined: the path of
// contacts that press everywhere stays short.
template <class T>
__attribute__((noinline)) PatchLoad<T> calc_patch_load(const T& factor, const Vec3<T>& U,
                                                       const Vec3<T>& S_U, const T& r2,
                                                       const Vec3<T>& lean) {
  detail::PatchRoll<T> p{U, S_U, U.dot(S_U), r2, lean, T(0)};
  // 1 where something may lift, 0 where is_near_lifting ends; C2 between.
  const Mask<T> turning = p.sigma2 > T(0);
  const T far = T(4.0 / 3) - factor * factor / (T(24) * select(turning, p.sigma2, T(1)));
  const T s = select(turning && far > T(0), select(far < T(1), far, T(1)), T(0));
  const T weight = s * s * s * (T(10) + s * (T(6) * s - T(15)));
  p.third = weight *
            (lean.dot(U) * (T(0.25) * r2 - T(0.575) * lean.squaredNorm()) + T(0.5) * lean.dot(S_U));
  return detail::calc_lifted_load(factor, p, {factor, -S_U, r2 * factor + p.third, factor});
}

}  // namespace vesica
