#include "vesica/report/svg_parts.h"

#include <cmath>

namespace vesica::detail {
namespace {

double tick_step(double range, int count) {
  const double raw = range / count;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (double m : {1.0, 2.0, 5.0}) {
    if (raw <= m * power) return m * power;
  }
  return 10 * power;
}

}  // namespace

std::vector<double> make_ticks(double low, double high, int count) {
  std::vector<double> result;
  const double step = tick_step(high - low, count);
  for (double t = std::ceil(low / step) * step; t <= high + 1e-9 * step; t += step) {
    result.push_back(std::abs(t) < 1e-9 * step ? 0 : t);
  }
  return result;
}

}  // namespace vesica::detail
