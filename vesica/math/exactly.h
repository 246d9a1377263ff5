// Shortcuts that a value allows (a round body, an identity, a coefficient of zero) hold for its
// derivatives only where the number carries none: one inertia of a ball may be varied by itself.
#pragma once

#include "vesica/math/scalar.h"

namespace vesica {

// Both are the same number with the same derivatives.
template <class T>
bool is_same(const T& x, const T& y) {
  bool same = value_of(x) == value_of(y);
  if constexpr (ScalarTraits<T>::kDerivatives > 0) {
    for (int k = 0; k < ScalarTraits<T>::kDerivatives; ++k) same = same && x.v[k] == y.v[k];
  }
  return same;
}

// x is this number and carries no derivative.
template <class T>
bool is_exactly(const T& x, double value) {
  return is_same(x, T(value));
}

}  // namespace vesica
