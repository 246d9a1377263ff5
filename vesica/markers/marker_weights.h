// Weights from the noise of each marker, where that is asked for: variance components.
//
// A marker's coordinate has the variance tau_m; its weight is c / tau_m. With P = I - H, H the hat
// matrix of the weighted fit (poses of the frame and constants), the weighted squares y_m of marker
// m have the expectation sum_k Q_mk theta_k, Q_mk = |P_mk|^2 summed over frames, theta the true
// variances over those assumed. Score and information of restricted maximum likelihood in log tau
// are (y_m - sum_k Q_mk) / 2 and Q / 2; Fisher's scoring, weighting and fitting again until no step
// is left (Rao 1971; Foerstner 1979).
//
// A marker that the fit can follow as it likes has no redundancy, and its variance could run to
// zero with its weight to infinity. So log tau_m has a prior: the markers' mean, with the standard
// deviation of a factor of 3 in the noise; and no noise is taken as less than a tenth, or more than
// ten times, the mean. Residuals repeat each other over a correlation time: their number is divided
// by that in score and information, against which the prior stands.
//
// What it cannot tell: soft tissue that moves as the segment's own rotation does looks like motion
// and is in no residual.
#pragma once

#include <string>

#include "vesica/markers/identify.h"

namespace vesica::markers {

struct MarkerSd {
  double sd = 0;              // m, a coordinate
  double standard_error = 0;  // of sd
  double redundancy = 0;      // equations of the marker that the fit does not use up
  double weight = 1;          // mean over the markers is 1
  bool held = false;          // by the prior, at least by half, or by a bound
};

struct MarkerNoiseEstimate {
  std::vector<MarkerSd> markers;  // of the model; a marker never seen has sd 0
  double mean_sd = 0;             // m, what a weight of 1 stands for
  int rounds = 0;
  bool converged = false;
};

// Estimates at the solution that `id` holds, with the weights that `trials` have; the weights stay.
MarkerNoiseEstimate calc_marker_noise(Identification& id, const std::vector<Trial>& trials);

// Estimates, weights by them (the model's own weights are only the start) and fits again until the
// weights stand. `trials` must be those that `id` refers to.
MarkerNoiseEstimate fit_marker_weights(Identification& id, std::vector<Trial>& trials,
                                       const Options& options);

// The weights of `estimate` on trials that have the model's.
void set_marker_weights(const Model& model, const MarkerNoiseEstimate& estimate,
                        std::vector<Trial>& trials);

std::string make_noise_table(const Model& model, const MarkerNoiseEstimate& estimate);

}  // namespace vesica::markers
