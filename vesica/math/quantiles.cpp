// Why not Boost.Math, which tests compare this with: Debian has it in libboost-dev only, 2 packages
// and 135 MB of headers for whoever builds the tool, for these two functions (apt-cache show
// libboost1.74-dev).
#include "vesica/math/quantiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vesica {

double detail::calc_beta_fraction(double a, double b, double x) {
  constexpr int kMostTerms = 100000;
  double C = 1, D = 1 / (1 - (a + b) * x / (a + 1)), fraction = D;
  for (int m = 1; m < kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    D = 1 / (1 + even * D);
    C = 1 + even / C;
    fraction *= C * D;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    D = 1 / (1 + odd * D);
    C = 1 + odd / C;
    fraction *= C * D;
    if (std::abs(C * D - 1) < 3e-16) break;
  }
  return fraction;
}

namespace {

// Gamma(a + 1/2) / Gamma(a). Not by lgamma, whose rounding grows with a: Stirling's series (next
// term 31 / (18432 a^9), 3e-15 at 20) after R(a) = R(a + 1) a / (a + 1/2).
double calc_gamma_ratio(double a) {
  double shift = 1;
  for (; a < 20; ++a) shift *= a / (a + 0.5);
  const double s = 1 / (a * a);
  const double series = -1.0 / 8 + s * (1.0 / 192 + s * (-1.0 / 640 + s * 17.0 / 14336));
  return shift * std::sqrt(a) * std::exp(series / a);
}

// What Student's t has beyond t and between 0 and t, and t times its density.
struct StudentArea {
  double beyond, within, moment;
};

StudentArea calc_student_area(double t, double dof, double gamma_ratio) {
  const double a = 0.5 * dof, ratio = t * t / dof;
  const double x = 1 / (1 + ratio), y = ratio / (1 + ratio);
  StudentArea area;
  area.moment = gamma_ratio / std::sqrt(M_PI) * std::exp(-a * std::log1p(ratio)) * std::sqrt(y);
  if (x < (a + 1) / (a + 2.5)) {
    area.beyond = area.moment / dof * detail::calc_beta_fraction(a, 0.5, x);
    area.within = 0.5 - area.beyond;
  } else {
    area.within = area.moment * detail::calc_beta_fraction(0.5, a, y);
    area.beyond = 0.5 - area.within;
  }
  return area;
}

// The upper quantile: 0 < tail < 1/2 lies beyond it.
double calc_normal_upper(double tail) {
  // Abramowitz and Stegun 26.2.23, good to 4.5e-4; each of Halley's steps triples the digits.
  const double s = std::sqrt(-2 * std::log(tail));
  double z = s - (2.515517 + s * (0.802853 + s * 0.010328)) /
                     (1 + s * (1.432788 + s * (0.189269 + s * 0.001308)));
  for (int k = 0; k < 3; ++k) {
    // From the centre where that is the smaller part.
    const double excess = tail > 0.25 ? 0.5 * ((1 - 2 * tail) - std::erf(z * M_SQRT1_2))
                                      : 0.5 * std::erfc(z * M_SQRT1_2) - tail;
    const double newton = excess * std::sqrt(2 * M_PI) * std::exp(0.5 * z * z);
    z += newton / (1 - 0.5 * z * newton);
  }
  return z;
}

double calc_student_upper(double tail, double dof) {
  const double z = calc_normal_upper(tail);
  // Cornish-Fisher expansion (Abramowitz and Stegun 26.7.5): the next term is about
  // z^10 / (14000 dof^5) of the value, 1e-15 at z = 12. The fraction below loses digits to x near 1
  // (4e-12 at 1e6).
  if (dof > 2e4) {
    const double s = z * z, v = 1 / dof;
    const double g1 = (s + 1) / 4, g2 = (3 + s * (16 + s * 5)) / 96;
    const double g3 = (-15 + s * (17 + s * (19 + s * 3))) / 384;
    const double g4 = (-945 + s * (-1920 + s * (1482 + s * (776 + s * 79)))) / 92160;
    return z * (1 + v * (g1 + v * (g2 + v * (g3 + v * g4))));
  }
  // Newton's method for the logarithm of the area over that of t, which is concave, and z lies
  // before the solution: after at most one step beyond it there is no other.
  const double gamma_ratio = calc_gamma_ratio(0.5 * dof);
  double t = z;
  for (int k = 0; k < 100; ++k) {
    const StudentArea area = calc_student_area(t, dof, gamma_ratio);
    const double change = tail > 0.25
                              ? area.within / area.moment * std::log((0.5 - tail) / area.within)
                              : area.beyond / area.moment * std::log(area.beyond / tail);
    t *= std::exp(change);
    if (std::abs(change) < 1e-8) break;  // the rest is its square
  }
  return t;
}

}  // namespace

double calc_normal_quantile(double p) {
  return calc_student_t_quantile(p, std::numeric_limits<double>::infinity());
}

double calc_student_t_quantile(double p, double dof) {
  if (!(p > 0 && p < 1 && dof >= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (p == 0.5) return 0;
  return std::copysign(calc_student_upper(std::min(p, 1 - p), dof), p - 0.5);
}

}  // namespace vesica
