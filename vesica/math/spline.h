// Natural cubic spline through given values: C2, for recorded series.
#pragma once

#include <vector>

namespace vesica {

class CubicSpline {
 public:
  // `times` increase strictly; at least two. Outside them the end values hold.
  CubicSpline(std::vector<double> times, std::vector<double> values);

  double value(double t) const;
  double slope(double t) const;

 private:
  size_t segment(double t) const;

  std::vector<double> times_, values_, curvature_;
};

}  // namespace vesica
