// Non-linear least squares with bounds and exact Jacobians, by Ceres (trust region, dense).
//
// Minimises 1/2 |r(x)|^2 over lower <= x <= upper. A bound may be infinite; a start beyond its
// bound is moved onto it. One thread, so that the same problem gives the same bytes.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

namespace vesica {

// Row by row, as Ceres takes it.
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct BoundedProblem {
  int residuals = 0;
  Eigen::VectorXd start, lower, upper;  // of one size
  // Writes r, and where `jacobian` is given dr/dx (residuals x parameters, row by row). False: it
  // cannot be evaluated there, and the step is made shorter.
  std::function<bool(const double* x, double* r, double* jacobian)> evaluate;
};

struct BoundedOptions {
  int iterations = 200;
  double cost_tolerance = 1e-9;  // relative change of the cost
  double step_tolerance = 1e-9;  // relative change of x
  // Steps by a QR of the Jacobian; else by the normal equations, which take a third of the time and
  // lose what a direction weighs below 1e-8 of the strongest.
  bool precise = true;
  std::function<bool()> stop;  // asked after every iteration; true ends with what there is
};

struct BoundedSolution {
  Eigen::VectorXd x;
  double cost = 0;              // 1/2 |r|^2
  std::vector<double> history;  // cost, from the start on
  std::vector<bool> at_bound;   // of each parameter
  bool converged = false;
  std::string message;  // how it ended
};

// Throws InputError where sizes or bounds do not fit, or where the start cannot be evaluated.
BoundedSolution minimise(const BoundedProblem& problem, const BoundedOptions& options = {});

}  // namespace vesica
