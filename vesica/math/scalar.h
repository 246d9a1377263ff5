// The scalars that the kernels from pose to wrench are instantiated for:
//
//   double     plain evaluation
//   Dual<N>    value with N exact derivatives (vesica/math/dual.h); Ceres' Jet works too (jet.h)
//   Pack       four poses at once (vesica/math/pack.h)
//
// Kernels write `select(condition, a, b)` where a branch would differ between the lanes of a pack.
#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "vesica/math/dual.h"

namespace vesica {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
struct ScalarTraits;

template <>
struct ScalarTraits<double> {
  using Mask = bool;
  static constexpr int kDerivatives = 0;
  static double value(double x) { return x; }
};
template <int N>
struct ScalarTraits<Dual<N>> {
  using Mask = bool;
  static constexpr int kDerivatives = N;
  static double value(const Dual<N>& x) { return x.a; }
};

template <class T>
using Mask = typename ScalarTraits<T>::Mask;

// What an expression of both scalars gives: bodies may differ in theirs (one moves with
// derivatives, the other is fixed).
template <class A, class B>
using Promote = decltype(std::declval<A>() * std::declval<B>());

template <class T>
double value_of(const T& x) {
  return ScalarTraits<T>::value(x);
}

template <class T>
T select(bool condition, const T& a, const T& b) {
  return condition ? a : b;
}
inline bool any_of(bool condition) { return condition; }

template <class T>
T square(const T& x) {
  return x * x;
}
template <class T>
T cube(const T& x) {
  return x * x * x;
}

constexpr double kPi = 3.14159265358979323846;

}  // namespace vesica
