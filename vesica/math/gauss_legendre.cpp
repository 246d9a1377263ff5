#include "vesica/math/gauss_legendre.h"

#include <cassert>
#include <cmath>

#include "vesica/math/scalar.h"

namespace vesica {
namespace {

GaussRule make_rule(int n) {
  GaussRule rule;
  rule.order = n;
  for (int k = 0; k < n; ++k) {
    double x = std::cos(kPi * (k + 0.75) / (n + 0.5)), slope = 1;
    for (int iteration = 0; iteration < 100; ++iteration) {
      double p = 1, before = 0;
      for (int j = 1; j <= n; ++j) {
        const double next = ((2 * j - 1) * x * p - (j - 1) * before) / j;
        before = p;
        p = next;
      }
      slope = n * (x * p - before) / (x * x - 1);
      const double step = p / slope;
      x -= step;
      if (std::abs(step) < 1e-16) break;
    }
    rule.node[static_cast<size_t>(k)] = 0.5 * (1 - x);
    rule.weight[static_cast<size_t>(k)] = 1 / ((1 - x * x) * slope * slope);
  }
  return rule;
}

}  // namespace

const GaussRule& gauss_legendre(int order) {
  assert(order >= 1 && order <= kMaxGaussOrder);
  static const auto kRules = [] {
    std::array<GaussRule, kMaxGaussOrder + 1> rules;
    for (int n = 1; n <= kMaxGaussOrder; ++n) rules[static_cast<size_t>(n)] = make_rule(n);
    return rules;
  }();
  return kRules[static_cast<size_t>(order)];
}

}  // namespace vesica
