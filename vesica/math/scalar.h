// The scalars that the kernels from pose to wrench are instantiated for:
//
//   double        plain evaluation
//   Dual<N>       value with N exact derivatives: Ceres' Jet, so that the same kernels go straight
//                 into Ceres' least squares
//   Pack          four poses at once (vesica/math/pack.h)
//
// Kernels write `select(condition, a, b)` where a branch would differ between the lanes of a pack.
#pragma once

#include <ceres/jet.h>

#include <cmath>
#include <concepts>

namespace vesica {

template <int N>
using Dual = ceres::Jet<double, N>;

template <class T>
struct ScalarTraits;

template <>
struct ScalarTraits<double> {
  using Mask = bool;
  static constexpr int kDerivatives = 0;
};
template <int N>
struct ScalarTraits<ceres::Jet<double, N>> {
  using Mask = bool;
  static constexpr int kDerivatives = N;
};

template <class T>
using Mask = typename ScalarTraits<T>::Mask;

inline double value_of(double x) { return x; }
template <int N>
double value_of(const ceres::Jet<double, N>& x) {
  return x.a;
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
