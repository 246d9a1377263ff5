// Real roots of small polynomials on [-1, 1].
#pragma once

#include <algorithm>
#include <cmath>

namespace vesica {

constexpr int kMaxDegree = 8;

inline double evaluate_polynomial(const double* c, int degree, double x) {
  double value = c[degree];
  for (int k = degree - 1; k >= 0; --k) value = value * x + c[k];
  return value;
}

// The roots of c[0] + c[1] x + ... in [-1, 1], ascending; returns how many. Between neighbouring
// roots of the derivative the polynomial is monotone, so each root is bracketed, degree by degree.
// A local extremum that misses zero by rounding (1e-12 of the sum of the terms' sizes) counts as a
// root: double roots are not lost. `roots` has room for 2 * degree.
inline int find_roots(const double* c, int degree, double* roots) {
  double critical[2 * kMaxDegree + 2];
  int criticals = 0;
  double derivative[kMaxDegree + 1];
  for (int d = 1; d <= degree; ++d) {
    // The (degree - d)-th derivative, of degree d.
    for (int k = 0; k <= d; ++k) {
      double factor = 1;
      for (int m = k + 1; m <= k + degree - d; ++m) factor *= m;
      derivative[k] = factor * c[k + degree - d];
    }
    double size = 0;
    for (int k = 0; k <= d; ++k) size += std::abs(derivative[k]);
    double next[2 * kMaxDegree + 2];
    int count = 0;
    double a = -1, fa = evaluate_polynomial(derivative, d, -1);
    for (int m = 0; m <= criticals; ++m) {
      const double b = m < criticals ? critical[m] : 1;
      const double fb = evaluate_polynomial(derivative, d, b);
      if ((fa < 0) != (fb < 0)) {
        // Newton, kept inside the bracket.
        double lo = a, hi = b, x = 0.5 * (a + b);
        for (int step = 0; step < 60; ++step) {
          double f = derivative[d], slope = 0;
          for (int k = d - 1; k >= 0; --k) {
            slope = slope * x + f;
            f = f * x + derivative[k];
          }
          if ((f < 0) == (fa < 0)) {
            lo = x;
          } else {
            hi = x;
          }
          double y = slope != 0 ? x - f / slope : lo;
          if (!(y > lo && y < hi)) y = 0.5 * (lo + hi);
          const double change = std::abs(y - x);
          x = y;
          if (change < 1e-15 || hi - lo < 1e-15) break;
        }
        next[count++] = x;
      } else if (m < criticals && std::abs(fb) <= 1e-12 * size) {
        next[count++] = b;
      }
      a = b;
      fa = fb;
    }
    criticals = std::min(count, 2 * kMaxDegree);
    std::copy(next, next + criticals, critical);
  }
  std::copy(critical, critical + criticals, roots);
  return criticals;
}

}  // namespace vesica
