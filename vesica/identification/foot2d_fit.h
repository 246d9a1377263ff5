// Contact parameters of a planar foot from one stance by least squares with exact Jacobians, from
// many random starts, with intervals.
//
// Each start is the best of some random points of the box, whose stiffness and friction are tuned
// (two small linear problems). Levenberg-Marquardt with bounds goes a few steps from each, and on
// to the end from the better ones. From the best of all some variables are then drawn anew, several
// times side by side, and what ends lower takes its place (hops).
//
// Why not Ceres with its bounds and the same Jacobians: bench/foot2d_bench runs both from the same
// points. Ceres holds its bounds by a line search with a Jacobian a trial, and where variables end
// on bounds its steps become short. Nor does it see the curvature of the residuals, which is
// learned here besides (foot2d_fit.cpp).
//
// What is drawn hangs on seed and number alone, so that the result is the same to the last bit
// whatever the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vesica/identification/foot2d_problem.h"

namespace vesica {

struct Foot2dFitSettings {
  int starts = 16;
  int draws = 60;        // random points of which a start is the best
  int first_steps = 12;  // from each start
  double go_on = 0.34;   // share of the starts that go on from there; one at least
  int hops = 6;          // rounds; 0: none
  double target = 0;     // J at which the search ends; starts come in rounds of four then
  std::uint64_t seed = 1;
  int iterations = 150;
  int threads = 0;
  std::function<bool()> stop;
};

struct Foot2dFit {
  Eigen::VectorXd x;  // variables
  Foot2dObjective objective;
  std::vector<double> of_starts;  // J where each start ended that went on
  bool converged = false;
  double seconds = 0;
};

Foot2dFit fit_foot2d(const Foot2dProblem& problem, const Foot2dFitSettings& settings);
// From one point of the box.
Foot2dFit fit_foot2d_from(const Foot2dProblem& problem, const Eigen::VectorXd& start,
                          const Foot2dFitSettings& settings);

// A parameter with what one stance says about it.
struct Foot2dEstimate {
  std::string name, unit;
  double value = 0;
  double low = 0, high = 0;  // 95 %
  // Narrowed to less than half of what the bounds say and to two decades, and on no bound.
  bool determined = false;
  bool at_bound = false;
  double source = 0;  // the source's optimum, NaN where it has none
};
struct Foot2dIntervals {
  std::vector<Foot2dEstimate> parameters;
  int undetermined_directions = 0;  // of so many as there are variables
};
// At an optimum, from the Jacobian there. A variable that the data do not touch is only known to
// lie between its bounds, evenly: a standard deviation of 1/sqrt(12), with which it enters.
// Residuals hang together over time: each of the three kinds counts as so many fewer as its
// autocorrelation tells.
Foot2dIntervals calc_foot2d_intervals(const Foot2dProblem& problem, const Eigen::VectorXd& x);

}  // namespace vesica
