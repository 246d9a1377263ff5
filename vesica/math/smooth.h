// Smooth functions that are regular where the textbook form is 0/0. All take the square of a speed,
// so that a vector of zero length has a derivative.
#pragma once

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

}  // namespace vesica
