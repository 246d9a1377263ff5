#include "vesica/math/bounded_least_squares.h"

#include <ceres/ceres.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/error.h"

namespace vesica {
namespace {

class Residuals : public ceres::CostFunction {
 public:
  explicit Residuals(const BoundedProblem& problem) : evaluate_(problem.evaluate) {
    set_num_residuals(problem.residuals);
    mutable_parameter_block_sizes()->push_back(static_cast<int>(problem.start.size()));
  }
  bool Evaluate(double const* const* x, double* r, double** jacobians) const override {
    return evaluate_(x[0], r, jacobians == nullptr ? nullptr : jacobians[0]);
  }

 private:
  std::function<bool(const double*, double*, double*)> evaluate_;
};

class Watch : public ceres::IterationCallback {
 public:
  explicit Watch(const std::function<bool()>& stop) : stop_(stop) {}
  ceres::CallbackReturnType operator()(const ceres::IterationSummary&) override {
    return stop_ && stop_() ? ceres::SOLVER_TERMINATE_SUCCESSFULLY : ceres::SOLVER_CONTINUE;
  }

 private:
  const std::function<bool()>& stop_;
};

void check_sizes(const BoundedProblem& p) {
  if (p.start.size() == 0 || p.residuals <= 0) {
    throw InputError("least squares: nothing to fit, or nothing to fit it to");
  }
  if (p.lower.size() != p.start.size() || p.upper.size() != p.start.size()) {
    throw InputError(
        "least squares: a bound for every parameter is needed, infinite where none is");
  }
  for (Eigen::Index k = 0; k < p.start.size(); ++k) {
    if (!(p.lower[k] <= p.upper[k]) || !std::isfinite(p.start[k])) {
      throw InputError(fmt::format("least squares: parameter {}: start {}, bounds {} to {}", k,
                                   p.start[k], p.lower[k], p.upper[k]));
    }
  }
}

}  // namespace

BoundedSolution minimise(const BoundedProblem& problem, const BoundedOptions& options) {
  check_sizes(problem);
  BoundedSolution s;
  s.x = problem.start.cwiseMax(problem.lower).cwiseMin(problem.upper);
  const int n = static_cast<int>(s.x.size());

  ceres::Problem::Options ownership;
  ownership.enable_fast_removal = false;
  ceres::Problem ceres_problem(ownership);
  ceres_problem.AddResidualBlock(new Residuals(problem), nullptr, s.x.data());
  for (int k = 0; k < n; ++k) {
    if (std::isfinite(problem.lower[k])) {
      ceres_problem.SetParameterLowerBound(s.x.data(), k, problem.lower[k]);
    }
    if (std::isfinite(problem.upper[k])) {
      ceres_problem.SetParameterUpperBound(s.x.data(), k, problem.upper[k]);
    }
  }
  Watch watch(options.stop);
  ceres::Solver::Options o;
  o.linear_solver_type = options.precise ? ceres::DENSE_QR : ceres::DENSE_NORMAL_CHOLESKY;
  o.max_num_iterations = options.iterations;
  o.function_tolerance = options.cost_tolerance;
  o.parameter_tolerance = options.step_tolerance;
  o.gradient_tolerance = 0;
  o.num_threads = 1;
  o.logging_type = ceres::SILENT;
  o.callbacks.push_back(&watch);
  ceres::Solver::Summary summary;
  ceres::Solve(o, &ceres_problem, &summary);
  if (summary.termination_type == ceres::FAILURE) {
    throw InputError("least squares: the start cannot be evaluated: " + summary.message);
  }
  s.cost = summary.final_cost;
  for (const ceres::IterationSummary& one : summary.iterations) {
    if (one.step_is_successful || one.iteration == 0) s.history.push_back(one.cost);
  }
  s.converged = summary.termination_type == ceres::CONVERGENCE;
  s.message = summary.message;
  for (int k = 0; k < n; ++k) {
    const double room = 1e-9 * std::max(1e-300, std::abs(s.x[k]));
    s.at_bound.push_back(s.x[k] <= problem.lower[k] + room || s.x[k] >= problem.upper[k] - room);
  }
  return s;
}

}  // namespace vesica
