// How sure the constants are: standard errors, correlations, and what the motion cannot determine.
//
// With white noise of one standard deviation sigma, cov(d) = sigma^2 S^-1, S the matrix of eq. 17
// at the solution and sigma^2 = 2 G / (equations - unknowns): every frame spends its degrees of
// freedom. Soft tissue moves slowly, so neighbouring frames repeat each other's errors; the robust
// form cov(d) = S^-1 M S^-1 with M = sum_ij k((i-j)/b) s_i s_j^T takes the frames' scores s_i = G_d
// + Phi_d^T lambda as they are (long_run.h), each stretch of correlated frames as if it had been
// left out of the fit. A parameter that only a few correlation times of
// the recording inform has few degrees of freedom: its 95 % interval then takes Student's t, and
// `effective_frames` says how many independent frames there are.
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
  double sigma = 0;  // m, of a marker coordinate
  double equations = 0, unknowns = 0;
  Eigen::MatrixXd covariance, robust_covariance;
  Eigen::VectorXd standard_error, robust_standard_error;
  Eigen::VectorXd half_width, robust_half_width;  // of the 95 % intervals
  Eigen::VectorXd robust_dof;
  std::vector<bool> at_floor;  // the robust error came out below the usual one, which then stands
  std::vector<bool> identifiable;
  std::vector<Combination> undetermined;  // exactly, then weakly
  double bandwidth = 0;                   // frames
  double effective_frames = 0;            // frames over correlation time
};

// A direction of d whose standard error exceeds this counts as not determined: 5 cm, 20 deg, 30 %.
double calc_useful_error(Unit unit);

Confidence calc_confidence(Identification& identification, const std::vector<Trial>& trials);

// W with W W' the inverse of eq. 17's matrix over the directions that the frames determine and that
// relations and bounds leave free: cov(d) = sigma^2 W W'.
Eigen::MatrixXd calc_covariance_root(const Identification& id);

Eigen::MatrixXd calc_correlation(const Eigen::MatrixXd& covariance);

}  // namespace vesica::markers
