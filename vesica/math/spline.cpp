#include "vesica/math/spline.h"

#include <algorithm>
#include <cassert>

namespace vesica {

CubicSpline::CubicSpline(std::vector<double> times, std::vector<double> values)
    : times_(std::move(times)), values_(std::move(values)), curvature_(times_.size(), 0.0) {
  assert(times_.size() >= 2 && times_.size() == values_.size());
  // Tridiagonal system for the second derivatives, zero at both ends (Thomas' algorithm).
  const size_t n = times_.size();
  std::vector<double> upper(n, 0.0);
  for (size_t k = 1; k + 1 < n; ++k) {
    const double left = times_[k] - times_[k - 1], right = times_[k + 1] - times_[k];
    const double jump =
        (values_[k + 1] - values_[k]) / right - (values_[k] - values_[k - 1]) / left;
    const double pivot = 2 * (left + right) - left * upper[k - 1];
    upper[k] = right / pivot;
    curvature_[k] = (6 * jump - left * curvature_[k - 1]) / pivot;
  }
  for (size_t k = n - 2; k > 0; --k) curvature_[k] -= upper[k] * curvature_[k + 1];
}

size_t CubicSpline::segment(double t) const {
  const auto next = std::upper_bound(times_.begin(), times_.end(), t);
  const auto k = static_cast<size_t>(std::max<std::ptrdiff_t>(0, next - times_.begin() - 1));
  return std::min(k, times_.size() - 2);
}

double CubicSpline::value(double t) const {
  t = std::clamp(t, times_.front(), times_.back());
  const size_t k = segment(t);
  const double h = times_[k + 1] - times_[k];
  const double a = (times_[k + 1] - t) / h, b = (t - times_[k]) / h;
  return a * values_[k] + b * values_[k + 1] +
         ((a * a * a - a) * curvature_[k] + (b * b * b - b) * curvature_[k + 1]) * h * h / 6;
}

double CubicSpline::slope(double t) const {
  if (t < times_.front() || t > times_.back()) return 0;
  const size_t k = segment(t);
  const double h = times_[k + 1] - times_[k];
  const double a = (times_[k + 1] - t) / h, b = (t - times_[k]) / h;
  return (values_[k + 1] - values_[k]) / h +
         ((1 - 3 * a * a) * curvature_[k] + (3 * b * b - 1) * curvature_[k + 1]) * h / 6;
}

}  // namespace vesica
