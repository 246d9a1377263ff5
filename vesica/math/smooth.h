// Smooth functions that are regular where the textbook form is 0/0. All take the square of a speed,
// so that a vector of zero length has a derivative.
#pragma once

#include <type_traits>

#include "vesica/math/scalar.h"

namespace vesica {

// Below the cutoff tanh(x)/x is the series in s = x^2: its first omitted term, 1382 s^5/155925, is
// below double rounding for s < 1e-3.
constexpr double kTanhRatioCutoff = 1e-3;
template <class T>
T tanh_ratio_series(const T& s) {
  return T(1) + s * (T(-1.0 / 3) + s * (T(2.0 / 15) + s * (T(-17.0 / 315) + s * T(62.0 / 2835))));
}

// tanh(x)/x as a function of s = x^2 >= 0: C-infinity, 1 at s = 0.
template <class T>
T tanh_ratio(const T& s) {
  using std::sqrt;
  using std::tanh;
  const Mask<T> small = s < T(kTanhRatioCutoff);
  const T x = sqrt(select(small, T(1), s));
  return select(small, tanh_ratio_series(s), tanh(x) / x);
}
// By one exponential, 2 ns instead of the 10 of std::tanh: above the cutoff x > 0.03, where e - 1
// still has 14 digits; from x = 20 on tanh is 1.
inline double tanh_ratio(double s) {
  if (s < kTanhRatioCutoff) return tanh_ratio_series(s);
  const double x = std::sqrt(s);
  const double e = std::exp(2 * (x < 20 ? x : 20));
  return (e - 1) / ((e + 1) * x);
}

// Its slope by s is (1 - tanh^2 - tanh(x)/x)/(2 s), where 1 - tanh^2 = 4 e/(e + 1)^2.
template <int N>
Dual<N> tanh_ratio(const Dual<N>& s) {
  if (s.a < kTanhRatioCutoff) return tanh_ratio_series(s);
  const double x = std::sqrt(s.a);
  const double e = std::exp(2 * (x < 20 ? x : 20));
  const double inverse = 1 / (e + 1), inverse_x = 1 / x;
  const double ratio = (e - 1) * inverse * inverse_x;
  return s.chain(ratio, (4 * e * inverse * inverse - ratio) * 0.5 * inverse_x * inverse_x);
}

// f(x): where the parameters P of f are plain numbers, its slope is found with one derivative, and
// all others follow by the chain rule.
template <class P, class T, class F>
VESICA_INLINE T of_one_variable(const T& x, const F& f) {
  if constexpr (requires { x.chain(0.0, 0.0); } && std::is_same_v<P, double>) {
    const Dual<1> y = f(Dual<1>::variable(x.a, 0));
    return x.chain(y.a, y.v[0]);
  } else {
    return f(x);
  }
}

// Likewise for atan(x)/x: the first omitted term of the series is s^6/13.
constexpr double kAtanRatioCutoff = 1e-3;
template <class T>
T atan_ratio(const T& s) {
  using std::atan;
  using std::sqrt;
  const Mask<T> small = s < T(kAtanRatioCutoff);
  const T series =
      T(1) +
      s * (T(-1.0 / 3) + s * (T(1.0 / 5) + s * (T(-1.0 / 7) + s * (T(1.0 / 9) - s * T(1.0 / 11)))));
  const T x = sqrt(select(small, T(1), s));
  return select(small, series, atan(x) / x);
}

// |u|_eps/|u| for the relaxed direction dir_eps(u) = u direction_ratio(u^2, eps) (Gonthier 3.33 in
// its C1 form): u/|u| from eps on, (u/eps)(3/2 - |u|^2/(2 eps^2)) below.
template <class T, class P>
T direction_ratio(const T& u2, const P& eps) {
  using std::sqrt;
  const P inverse = P(1) / eps;
  const T r2 = u2 * square(inverse);
  const Mask<T> small = r2 < T(1);
  return select(small, inverse * (T(1.5) - T(0.5) * r2), T(1) / sqrt(select(small, T(1), u2)));
}

}  // namespace vesica
