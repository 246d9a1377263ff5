// Sums of correlated samples: their covariance, and the interval that goes with it.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace vesica::markers {

// Covariance of the sum over all rows, samples x columns; rows of different trials are independent.
// Newey and West's sum over lags with Parzen's kernel, prewhitened by a first-order
// autoregression of every column; bandwidth after Andrews 1991, at least 1.5 correlation times.
struct LongRun {
  Eigen::MatrixXd M;
  double bandwidth = 0;  // samples, after whitening
};
LongRun calc_long_run_covariance(const Eigen::MatrixXd& scores,
                                 const std::vector<int>& trial_lengths);

// Samples over independent samples, (1 + r)/(1 - r) with the persistence r of each column's slow
// part, corrected for the length of the record and shared between columns that do not differ.
Eigen::VectorXd calc_correlation_times(const Eigen::MatrixXd& scores,
                                       const std::vector<int>& trial_lengths);

}  // namespace vesica::markers
