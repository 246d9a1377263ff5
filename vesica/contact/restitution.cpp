#include "vesica/contact/restitution.h"

#include <fmt/format.h>

#include <cmath>

#include "vesica/error.h"

namespace vesica {
namespace {

// (log(1+x) - x)/x^2, -1/2 at 0; the logarithm loses digits below |x| of about 0.05, the series
// (32 terms, next 0.05^32/34) does not.
double log_remainder(double x) {
  if (std::abs(x) > 0.05) return (std::log1p(x) - x) / (x * x);
  double sum = 0;
  for (int k = 33; k >= 2; --k) sum = sum * -x - 1.0 / k;
  return sum;
}

// Its derivative: ((1/(1+x) - 1) x - 2 (log(1+x) - x))/x^3.
double log_remainder_slope(double x) {
  if (std::abs(x) > 0.05) return (-x / (1 + x) - 2 * (std::log1p(x) - x) / x) / (x * x);
  double sum = 0;
  for (int k = 34; k >= 3; --k) sum = sum * -x + (k - 2.0) / k;
  return sum;
}

// The condition's logarithm divided by D^2, which removes its double root at D = 0:
// h(D) = L(D/e)/e^2 - L(-D), decreasing below the root, increasing above.
double condition(double D, double e) { return log_remainder(D / e) / (e * e) - log_remainder(-D); }
double condition_slope(double D, double e) {
  return log_remainder_slope(D / e) / (e * e * e) + log_remainder_slope(-D);
}

double solve_damping(double e) {
  // Toward e = 0 the root D goes to 1 faster than doubles resolve: with y = 1 - D,
  // y = (1 + (1-y)/e) exp(-(1-y)(1 + 1/e)), a contraction; D/e is then exact although D rounds
  // to 1.
  if (e < 0.1) {
    double y = 0;
    for (int k = 0; k < 60; ++k) y = (1 + (1 - y) / e) * std::exp(-(1 - y) * (1 + 1 / e));
    return 1 - y;
  }
  double low = 0, high = 1 - 1e-12;
  double D = std::min(0.999, 1 - e * e);
  for (int k = 0; k < 200; ++k) {
    const double h = condition(D, e);
    (h < 0 ? low : high) = D;
    double next = D - h / condition_slope(D, e);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - D) <= 1e-16 * D) break;
    D = next;
  }
  return D;
}

}  // namespace

double calc_restitution_damping(double e) {
  if (!(e > 0 && e <= 1)) {
    throw InputError(fmt::format(
        "restitution must be greater than 0 and at most 1, found {}; a contact that gives nothing "
        "back needs infinite damping (0.01 returns 0.01 % of the energy)",
        e));
  }
  if (e == 1) return 0;
  return solve_damping(e) / e;
}

double calc_restitution_damping_slope(double e) {
  calc_restitution_damping(e);
  // D = 1.5 (1 - e) + ... at e = 1.
  if (e == 1) return -1.5;
  if (e < 0.1) {
    const double step = 1e-5 * e;
    return (solve_damping(e + step) / (e + step) - solve_damping(e - step) / (e - step)) /
           (2 * step);
  }
  // Implicit function of condition(D, e) = 0.
  const double D = solve_damping(e);
  const double by_e =
      -log_remainder_slope(D / e) * D / (e * e * e * e) - 2 * log_remainder(D / e) / (e * e * e);
  const double dD = -by_e / condition_slope(D, e);
  return dD / e - D / (e * e);
}

}  // namespace vesica
