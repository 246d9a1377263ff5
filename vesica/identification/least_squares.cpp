#include "vesica/identification/least_squares.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/error.h"
#include "vesica/math/linear_algebra.h"
#include "vesica/math/quantiles.h"

namespace vesica {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kMaxIterations = 200;
constexpr double kSmallestDrop = 1e-13;  // of the sum of squares, relative
constexpr double kLargestDamping = 1e12;
// Directions whose curvature is below this part of the largest are not determined: rounding of the
// central differences (about 1e-10 of a column's length) squared, with a margin.
constexpr double kFlat = 1e-16;

MatrixXd calc_jacobian(const Curve& curve, const VectorXd& weights, const VectorXd& x) {
  MatrixXd J(weights.size(), x.size());
  for (int k = 0; k < x.size(); ++k) {
    const double step = 6e-6 * std::max(std::abs(x[k]), 1e-3);  // cube root of rounding
    VectorXd ahead = x, behind = x;
    ahead[k] += step;
    behind[k] -= step;
    J.col(k) = (curve(ahead) - curve(behind)).cwiseProduct(weights) / (ahead[k] - behind[k]);
  }
  return J;
}

// Columns scaled to unit length; a column of zeros stays.
VectorXd calc_column_scales(const MatrixXd& J) {
  VectorXd scales(J.cols());
  for (int k = 0; k < J.cols(); ++k) {
    const double norm = J.col(k).norm();
    scales[k] = norm > 0 && std::isfinite(norm) ? norm : 1.0;
  }
  return scales;
}

void calc_covariance(const MatrixXd& J, double variance, CurveFit* fit) {
  const VectorXd scales = calc_column_scales(J);
  const MatrixXd S = J * scales.cwiseInverse().asDiagonal();
  const auto [curvature, directions] = calc_eigen(multiply_transposed(S, S));
  fit->determined.assign(static_cast<size_t>(J.cols()), true);
  MatrixXd inverse = MatrixXd::Zero(J.cols(), J.cols());
  for (int k = 0; k < J.cols(); ++k) {
    if (curvature[k] > kFlat * curvature.maxCoeff()) {
      inverse += directions.col(k) * directions.col(k).transpose() / curvature[k];
      continue;
    }
    for (int p = 0; p < J.cols(); ++p) {
      if (std::abs(directions(p, k)) > 1e-3) fit->determined[static_cast<size_t>(p)] = false;
    }
  }
  const auto D = scales.cwiseInverse().asDiagonal();
  fit->covariance = variance * (D * inverse * D);
}

}  // namespace

double CurveFit::standard_error(int k) const { return std::sqrt(covariance(k, k)); }
double CurveFit::standard_error(const VectorXd& c) const {
  return std::sqrt(std::max(0.0, c.dot(covariance * c)));
}

void check_stop(const std::atomic<bool>* stop) {
  if (stop != nullptr && *stop) throw RunError("the fit was stopped");
}

CurveFit fit_curve(const Curve& whole_curve, const VectorXd& y, const VectorXd& given_weights,
                   const VectorXd& start, const std::atomic<bool>* stop) {
  const Curve curve = [&](const VectorXd& x) {
    check_stop(stop);
    return whole_curve(x);
  };
  const VectorXd weights = given_weights.size() > 0 ? given_weights : VectorXd::Ones(y.size());
  const auto free = static_cast<int>(y.size() - start.size());
  if (free < 1) {
    throw InputError(fmt::format("{} points for {} unknowns; an interval needs at least {} points",
                                 y.size(), start.size(), start.size() + 1));
  }
  auto residuals_at = [&](const VectorXd& x) {
    return VectorXd((y - curve(x)).cwiseProduct(weights));
  };
  CurveFit fit;
  fit.x = start;
  VectorXd r = residuals_at(fit.x);
  double cost = r.squaredNorm();
  double damping = 1e-3;
  MatrixXd J = calc_jacobian(curve, weights, fit.x);
  for (; fit.iterations < kMaxIterations && !fit.converged; ++fit.iterations) {
    const VectorXd scales = calc_column_scales(J);
    const MatrixXd S = J * scales.cwiseInverse().asDiagonal();
    MatrixXd H = multiply_transposed(S, S);
    H.diagonal().array() += damping;
    const VectorXd x = fit.x + solve_symmetric(H, S.transpose() * r).cwiseQuotient(scales);
    const VectorXd trial = residuals_at(x);
    const double trial_cost = trial.squaredNorm();
    if (std::isfinite(trial_cost) && trial_cost <= cost) {
      fit.converged = cost - trial_cost <= kSmallestDrop * cost;
      fit.x = x;
      r = trial;
      cost = trial_cost;
      damping = std::max(1e-12, 0.1 * damping);
      J = calc_jacobian(curve, weights, fit.x);
    } else {
      damping *= 10;
      fit.converged = damping > kLargestDamping;  // no shorter step lowers the sum either
    }
  }
  fit.converged = fit.converged && std::isfinite(cost);
  fit.fitted = curve(fit.x);
  fit.rms = std::sqrt(cost / free);
  fit.t95 = calc_student_t_quantile(0.975, free);
  calc_covariance(J, cost / free, &fit);
  return fit;
}

CurveFit fit_curve(const Curve& curve, const VectorXd& y, const FitOptions& options,
                   const VectorXd& start) {
  CurveFit fit = fit_curve(curve, y, VectorXd(), start, options.stop);
  if (options.weighting == Weighting::kConstant) return fit;
  constexpr int kReweightings = 4;
  constexpr double kSmallestShare = 1e-3;  // a curve through zero would weigh infinitely there
  for (int k = 0; k < kReweightings; ++k) {
    const VectorXd size = fit.fitted.cwiseAbs();
    const VectorXd weights = size.cwiseMax(kSmallestShare * size.maxCoeff()).cwiseInverse();
    if (!weights.allFinite()) return fit;
    fit = fit_curve(curve, y, weights, fit.x, options.stop);
  }
  return fit;
}

}  // namespace vesica
