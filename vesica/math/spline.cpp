#include "vesica/math/spline.h"

#include <fmt/format.h>

#include <algorithm>

#include "vesica/error.h"

namespace vesica {
namespace {

// Second derivatives at the knots. Inner rows are the usual continuity conditions
//   h0 m0 + 2 (h0 + h1) m1 + h1 m2 = 6 (slope1 - slope0);
// not-a-knot lets the third derivative be continuous at the second and last but one knot, which
// eliminates m_0 and m_n and leaves a tridiagonal system of the inner ones.
std::vector<double> calc_second_derivatives(std::span<const double> t, std::span<const double> y) {
  const size_t n = t.size();
  std::vector<double> m(n, 0.0);
  if (n < 3) return m;
  if (n == 3) {
    const double s0 = (y[1] - y[0]) / (t[1] - t[0]);
    const double s1 = (y[2] - y[1]) / (t[2] - t[1]);
    std::fill(m.begin(), m.end(), 2.0 * (s1 - s0) / (t[2] - t[0]));
    return m;
  }
  const size_t inner = n - 2;
  std::vector<double> lower(inner), diagonal(inner), upper(inner), right(inner);
  for (size_t i = 0; i < inner; ++i) {
    const double h0 = t[i + 1] - t[i];
    const double h1 = t[i + 2] - t[i + 1];
    lower[i] = h0;
    diagonal[i] = 2.0 * (h0 + h1);
    upper[i] = h1;
    right[i] = 6.0 * ((y[i + 2] - y[i + 1]) / h1 - (y[i + 1] - y[i]) / h0);
  }
  // m_0 = m_1 (1 + h0/h1) - m_2 h0/h1, and alike at the other end.
  const double a0 = t[1] - t[0], a1 = t[2] - t[1];
  const double b0 = t[n - 1] - t[n - 2], b1 = t[n - 2] - t[n - 3];
  diagonal[0] += a0 * (1.0 + a0 / a1);
  upper[0] -= a0 * a0 / a1;
  diagonal[inner - 1] += b0 * (1.0 + b0 / b1);
  lower[inner - 1] -= b0 * b0 / b1;
  for (size_t i = 1; i < inner; ++i) {
    const double factor = lower[i] / diagonal[i - 1];
    diagonal[i] -= factor * upper[i - 1];
    right[i] -= factor * right[i - 1];
  }
  m[inner] = right[inner - 1] / diagonal[inner - 1];
  for (size_t i = inner - 1; i-- > 0;) m[i + 1] = (right[i] - upper[i] * m[i + 2]) / diagonal[i];
  m[0] = m[1] * (1.0 + a0 / a1) - m[2] * a0 / a1;
  m[n - 1] = m[n - 2] * (1.0 + b0 / b1) - m[n - 3] * b0 / b1;
  return m;
}

}  // namespace

CubicSpline::CubicSpline(std::span<const double> times, std::span<const double> values)
    : times_(times.begin(), times.end()), values_(values.begin(), values.end()) {
  if (times_.empty() || times_.size() != values_.size()) {
    throw InputError(fmt::format("spline: {} times and {} values; as many of both, at least one",
                                 times_.size(), values_.size()));
  }
  for (size_t i = 1; i < times_.size(); ++i) {
    if (!(times_[i] > times_[i - 1])) {
      throw InputError(fmt::format("spline: time {} s follows {} s; times must increase", times_[i],
                                   times_[i - 1]));
    }
  }
  second_ = calc_second_derivatives(times_, values_);
}

size_t CubicSpline::find_interval(double time) const {
  if (!(time >= first()) || !(time <= last())) {
    throw InputError(fmt::format("spline: {} s is outside of {} to {} s", time, first(), last()));
  }
  const auto after = std::upper_bound(times_.begin() + 1, times_.end() - 1, time);
  return static_cast<size_t>(after - times_.begin()) - 1;
}

double CubicSpline::value(double time) const {
  if (times_.size() == 1) return values_[0];
  const size_t i = find_interval(time);
  const double h = times_[i + 1] - times_[i];
  const double b = (time - times_[i]) / h;
  const double a = 1.0 - b;
  return a * values_[i] + b * values_[i + 1] +
         ((a * a * a - a) * second_[i] + (b * b * b - b) * second_[i + 1]) * h * h / 6.0;
}

double CubicSpline::derivative(double time) const {
  if (times_.size() == 1) return 0.0;
  const size_t i = find_interval(time);
  const double h = times_[i + 1] - times_[i];
  const double b = (time - times_[i]) / h;
  const double a = 1.0 - b;
  return (values_[i + 1] - values_[i]) / h +
         ((3.0 * b * b - 1.0) * second_[i + 1] - (3.0 * a * a - 1.0) * second_[i]) * h / 6.0;
}

double CubicSpline::second_derivative(double time) const {
  if (times_.size() == 1) return 0.0;
  const size_t i = find_interval(time);
  const double b = (time - times_[i]) / (times_[i + 1] - times_[i]);
  return (1.0 - b) * second_[i] + b * second_[i + 1];
}

double CubicSpline::third_derivative(double time) const {
  if (times_.size() == 1) return 0.0;
  const size_t i = find_interval(time);
  return (second_[i + 1] - second_[i]) / (times_[i + 1] - times_[i]);
}

}  // namespace vesica
