#include "vesica/motion/resample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/error.h"
#include "vesica/motion/butterworth.h"

namespace vesica {
namespace {

constexpr double kTimeTolerance = 1e-9;  // s

}  // namespace

std::vector<double> resample(std::span<const double> times, std::span<const double> values,
                             std::span<const double> new_times) {
  std::vector<double> result(new_times.size(), std::nan(""));
  size_t next =
      0;  // first new time not yet passed; new times need not be even but must not decrease
  for (size_t begin = 0; begin < values.size();) {
    if (!std::isfinite(values[begin])) {
      ++begin;
      continue;
    }
    size_t end = begin;
    while (end < values.size() && std::isfinite(values[end])) ++end;
    const CubicSpline spline(times.subspan(begin, end - begin), values.subspan(begin, end - begin));
    while (next < new_times.size() && new_times[next] < spline.first() - kTimeTolerance) ++next;
    for (; next < new_times.size() && new_times[next] <= spline.last() + kTimeTolerance; ++next) {
      result[next] = spline.value(std::clamp(new_times[next], spline.first(), spline.last()));
    }
    begin = end;
  }
  return result;
}

std::vector<double> make_even_times(double first, double last, double rate) {
  if (!(rate > 0.0) || !std::isfinite(rate) || !std::isfinite(last - first)) {
    throw InputError(fmt::format("resampling: a rate of {} Hz; it must be positive", rate));
  }
  const double count = std::floor((last - first + kTimeTolerance) * rate) + 1.0;
  if (!(count <= 1e8)) {
    throw InputError(fmt::format(
        "resampling: {} Hz over {} s is {:.3g} samples, more than 1e8; choose a lower rate", rate,
        last - first, count));
  }
  std::vector<double> times(static_cast<size_t>(std::max(count, 0.0)));
  for (size_t i = 0; i < times.size(); ++i) times[i] = first + static_cast<double>(i) / rate;
  return times;
}

std::vector<double> change_rate(std::span<const double> times, std::span<const double> values,
                                double rate, double new_rate, std::span<const double> new_times) {
  if (!(new_rate < rate)) return resample(times, values, new_times);
  std::vector<double> smooth(values.begin(), values.end());
  filter_between_gaps(make_low_pass(0.4 * new_rate, rate, 8), smooth);
  return resample(times, smooth, new_times);
}

}  // namespace vesica
