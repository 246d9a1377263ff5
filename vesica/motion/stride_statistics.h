// Means over strides with 95 % intervals, and how symmetric left and right are.
#pragma once

#include <span>

namespace vesica {

// mean +- t_0.975 times the standard error. Strides of one trial resemble each other: where the
// trials differ by more than their strides explain (analysis of variance, 5 %), the trials are what
// is counted: the error follows from the spread between them, with one degree of freedom less than
// there are trials. NaN where there are fewer than two values.
struct MeanInterval {
  int count = 0;   // values that are finite
  int trials = 0;  // that they came from
  double mean = 0.0, sd = 0.0;
  double low = 0.0, high = 0.0;
  double standard_error = 0.0, dof = 0.0;
  bool trials_differ = false;
};
MeanInterval calc_mean_interval(std::span<const double> values, std::span<const int> trials);

// 200 (R - L) / (R + L) in percent (Robinson, Herzog and Nigg 1987): positive where right is
// larger. The interval propagates both standard errors linearly, degrees of freedom after Welch;
// the sides count as independent, which makes it wider where they go up and down together.
struct SymmetryIndex {
  double index = 0.0, low = 0.0, high = 0.0;
};
SymmetryIndex calc_symmetry(const MeanInterval& left, const MeanInterval& right);

}  // namespace vesica
