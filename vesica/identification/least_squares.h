// Small non-linear least squares with intervals: a curve with a handful of parameters through
// measured points.
//
// Minimises sum of (w_i (y_i - f_i(x)))^2 by Levenberg-Marquardt with central differences. The
// covariance is s^2 (J^T J)^-1 with s^2 = residual variance over n - p degrees of freedom; an
// interval of 95 % is value +- t_0.975(n - p) times the standard error. That holds for independent
// errors of equal size after weighting, in y only, and as far as the curve is straight in x over
// the interval: choose parameters (logarithms, for positive ones) in which it is.
//
// Why not Ceres 2.1 (dense QR, the same Jacobian, tolerances and first damping): fits of 2, 4 and 5
// parameters to 40, 60 and 400 points took 70, 150 and 1240 us, here 37, 105 and 1060 us. Of 606
// both ended in the same minimum, 6e-6 standard errors apart, but for one that ran off here; with
// its own first damping Ceres ran off in nearly all of 4 parameters. It adds 11 packages with 54 MB
// to a build, 18 with 22 MB to a run.
#pragma once

#include <Eigen/Core>
#include <atomic>
#include <functional>
#include <vector>

namespace vesica {

using Curve = std::function<Eigen::VectorXd(const Eigen::VectorXd& parameters)>;

struct CurveFit {
  Eigen::VectorXd x;
  Eigen::MatrixXd covariance;    // of x; meaningless in directions that are not determined
  std::vector<bool> determined;  // false: the data do not fix this parameter at all
  Eigen::VectorXd fitted;        // f(x)
  double rms = 0;                // of the weighted residuals, over n - p
  double t95 = 0;                // the factor of a 95 % interval
  int iterations = 0;
  bool converged = false;

  double standard_error(int k) const;
  // Of a linear combination c.x.
  double standard_error(const Eigen::VectorXd& c) const;
};

enum class Weighting {
  kConstant,  // every point has an error of the same size
  kRelative,  // errors in proportion to the value
};

struct FitOptions {
  FitOptions(Weighting how) : weighting(how) {}  // NOLINT: a weighting is all that most give
  Weighting weighting;
  const std::atomic<bool>* stop = nullptr;  // set: RunError before the next look at the curve
};

// RunError where it is set.
void check_stop(const std::atomic<bool>* stop);

// Empty weights: all 1. Needs more points than parameters (InputError).
CurveFit fit_curve(const Curve& curve, const Eigen::VectorXd& y, const Eigen::VectorXd& weights,
                   const Eigen::VectorXd& start, const std::atomic<bool>* stop = nullptr);
// Relative errors are weighed by the fitted curve, not by the measured values, which would favour
// points that came out small.
CurveFit fit_curve(const Curve& curve, const Eigen::VectorXd& y, const FitOptions& options,
                   const Eigen::VectorXd& start);

}  // namespace vesica
