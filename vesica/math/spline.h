// Interpolation of recorded series.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vesica {

// A cubic spline with continuous second derivative through (times, values), times increasing; with
// fewer than four points the parabola, line or constant through them. It reproduces cubics exactly.
// Outside of [first, last] it refuses: values there would be invented.
class CubicSpline {
 public:
  CubicSpline(std::span<const double> times, std::span<const double> values);
  double value(double time) const;
  double derivative(double time) const;
  double second_derivative(double time) const;
  double third_derivative(double time) const;  // constant between two times
  double first() const { return times_.front(); }
  double last() const { return times_.back(); }
  std::span<const double> times() const { return times_; }

 private:
  size_t find_interval(double time) const;
  std::vector<double> times_, values_, second_;  // second_: second derivatives at the times
};

}  // namespace vesica
