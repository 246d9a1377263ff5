// The search as Shourijeh & McPhee run it (section 3.3): a genetic algorithm from several seeds,
// sequential quadratic programming (SQP) from each of its results, a pattern search from the best
// of them, and SQP again where that found less, until the objective changes by less than 1e-6.
//
// The genetic algorithm and the pattern search (compass search) are pagmo's, the SQP is NLopt's
// SLSQP. The source ran MATLAB's and names of their settings only the 100 generations: population,
// crossover and mutation are chosen here. It searches in the variables of foot2d_table.h, which
// suit it better than the raw parameters.
//
// The result hangs on the seed alone, not on the number of threads, unless a time limit ends it.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

#include "vesica/identification/foot2d_problem.h"

namespace vesica {

struct Foot2dPipelineSettings {
  int seeds = 3;
  int generations = 100;
  int population = 100;
  std::uint64_t seed = 1;
  bool exact_gradient = false;  // of SQP; false: forward differences, as the source's
  double tolerance = 1e-6;      // of the objective, between rounds
  int rounds = 50;              // of SQP and pattern search, at most
  double time_limit = 0;        // s; 0: none
  int threads = 0;
  std::function<bool()> stop;
};

struct Foot2dPipelineResult {
  Eigen::VectorXd x;
  Foot2dObjective objective;
  std::vector<double> of_genetic, of_sqp;  // J of each seed
  int rounds = 0;                          // of SQP and pattern search
  long evaluations = 0;                    // of J; differences and exact gradients included
  bool converged = false;                  // false: stopped, by time or by rounds
  double seconds = 0;
};

Foot2dPipelineResult run_foot2d_pipeline(const Foot2dProblem& problem,
                                         const Foot2dPipelineSettings& settings);

}  // namespace vesica
