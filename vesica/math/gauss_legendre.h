// Gauss-Legendre nodes and weights on [0, 1].
#pragma once

#include <array>

namespace vesica {

inline constexpr int kMaxGaussOrder = 32;

struct GaussRule {
  int order = 0;
  std::array<double, kMaxGaussOrder> node{}, weight{};
};

// 1 <= order <= kMaxGaussOrder; computed once per order, by Newton on the Legendre polynomial.
const GaussRule& gauss_legendre(int order);

}  // namespace vesica
