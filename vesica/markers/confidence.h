// How sure the constants are: standard errors, correlations, and what the motion cannot determine.
//
// With white noise of one standard deviation sigma, cov(d) = sigma^2 S^-1, S the matrix of eq. 17 at
// the solution and sigma^2 = 2 G / (equations - unknowns): every frame spends its degrees of freedom.
// Soft tissue moves slowly, so neighbouring frames repeat each other's errors; the robust form
// cov(d) = S^-1 M S^-1 with M = sum_ij k((i-j)/b) s_i s_j^T takes the frames' scores s_i = G_d +
// Phi_d^T lambda as they are (Newey-West with Parzen's kernel, bandwidth b after Andrews 1991). It
// needs a recording many times longer than the correlation time; with fewer than some twenty
// correlation times it is too small, and `effective_frames` says how many there are.
#pragma once

#include "vesica/markers/identify.h"

namespace vesica::markers {

struct Combination {
  std::vector<std::pair<int, double>> terms;  // parameter, coefficient; largest is 1
  double standard_error = 0;                  // infinite where nothing determines it
  std::string text;                           // "LTOE.x - 0.98 foot_length_l"
  std::string remedy;                         // which joint motion would determine it
};

struct Confidence {
  double sigma = 0;          // m, of a marker coordinate
  double equations = 0, unknowns = 0;
  Eigen::MatrixXd covariance, robust_covariance;
  Eigen::VectorXd standard_error, robust_standard_error;
  std::vector<bool> identifiable;
  std::vector<Combination> undetermined;  // exactly, then weakly
  double bandwidth = 0;                   // frames
  double effective_frames = 0;            // frames over correlation time
};

// A direction of d whose standard error exceeds this counts as not determined: 5 cm, 20 deg, 30 %.
double calc_useful_error(Unit unit);

Confidence calc_confidence(Identification& identification, const std::vector<Trial>& trials);

Eigen::MatrixXd calc_correlation(const Eigen::MatrixXd& covariance);

// M of the robust form: scores frames x parameters; frames of different trials are independent.
// Returns also the bandwidth and the mean correlation time in frames.
Eigen::MatrixXd calc_long_run_covariance(const Eigen::MatrixXd& scores,
                                         const std::vector<int>& trial_lengths, double* bandwidth,
                                         double* correlation_frames);

}  // namespace vesica::markers
