// Lets the kernels run on Ceres' Jet as well: include this where Ceres differentiates a residual
// that calls them.
#pragma once

#include <ceres/jet.h>

#include "vesica/math/scalar.h"

namespace vesica {

template <int N>
struct ScalarTraits<ceres::Jet<double, N>> {
  using Mask = bool;
  static constexpr int kDerivatives = N;
  static double value(const ceres::Jet<double, N>& x) { return x.a; }
};

}  // namespace vesica
