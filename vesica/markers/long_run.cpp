#include "vesica/markers/long_run.h"

#include <algorithm>
#include <cmath>

#include "vesica/markers/linear_algebra.h"

namespace vesica::markers {

double calc_t_975(double dof) {
  constexpr double z = 1.959964;
  const double n = std::max(3.0, dof);
  constexpr double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, z9 = z7 * z * z;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n) +
         (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / (92160 * n * n * n * n);
}

namespace {

// Lag-one correlation of each column, pairs within a trial only.
Eigen::VectorXd calc_lag_correlation(const Eigen::MatrixXd& s, const std::vector<int>& lengths) {
  Eigen::VectorXd rho(s.cols());
  for (Eigen::Index c = 0; c < s.cols(); ++c) {
    double lagged = 0, total = 0;
    Eigen::Index begin = 0;
    for (int length : lengths) {
      const auto part = s.col(c).segment(begin, length);
      total += part.squaredNorm();
      if (length > 1) lagged += part.head(length - 1).dot(part.tail(length - 1));
      begin += length;
    }
    // Nearer to one, whitening would divide by noise.
    rho[c] = total > 0 ? std::clamp(lagged / total, -0.97, 0.97) : 0;
  }
  return rho;
}

// Sum over lags with Parzen's weights.
Eigen::MatrixXd add_lags(const Eigen::MatrixXd& scores, const std::vector<int>& lengths, double b) {
  const Eigen::Index p = scores.cols();
  // A bandwidth of many frames is as well served by sums of a few neighbouring scores.
  const int batch = std::max(1, static_cast<int>(b / 40));
  const int lags = static_cast<int>(b / batch);
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(p, p);
  Eigen::Index begin = 0;
  for (int length : lengths) {
    const int count = (length + batch - 1) / batch;
    Eigen::MatrixXd s = Eigen::MatrixXd::Zero(count, p);
    for (int k = 0; k < length; ++k) s.row(k / batch) += scores.row(begin + k);
    begin += length;
    M += detail::multiply_transposed(s, s);
    for (int lag = 1; lag <= lags && lag < count; ++lag) {
      const double x = lag * batch / b;
      const double k = x < 0.5 ? 1 - 6 * x * x * (1 - x) : x < 1 ? 2 * std::pow(1 - x, 3) : 0;
      const Eigen::MatrixXd G =
          detail::multiply_transposed(s.topRows(count - lag), s.bottomRows(count - lag));
      M += k * (G + G.transpose());
    }
  }
  return M;
}

}  // namespace

Eigen::VectorXd calc_correlation_times(const Eigen::MatrixXd& scores,
                                       const std::vector<int>& trial_lengths) {
  const Eigen::VectorXd rho = calc_lag_correlation(scores, trial_lengths);
  return ((1 + rho.array()) / (1 - rho.array())).max(1.0);
}

LongRun calc_long_run_covariance(const Eigen::MatrixXd& scores,
                                 const std::vector<int>& trial_lengths) {
  LongRun out;
  const Eigen::VectorXd rho = calc_lag_correlation(scores, trial_lengths);
  Eigen::MatrixXd white = scores;
  Eigen::Index begin = 0;
  for (int length : trial_lengths) {
    for (int k = length; k-- > 1;) {
      white.row(begin + k) -=
          (scores.row(begin + k - 1).array() * rho.transpose().array()).matrix();
    }
    // The first frame stands for what came before it.
    if (length > 0) {
      white.row(begin).array() *= (1 - rho.array().square()).sqrt().transpose();
    }
    begin += length;
  }
  // Andrews' plug-in bandwidth from what correlation is left; at least a few correlation times, for
  // slow noise under a little white noise is more persistent than its lag-one correlation says.
  const Eigen::VectorXd left = calc_lag_correlation(white, trial_lengths);
  double numerator = 0, denominator = 0;
  for (double r : left) {
    numerator += 4 * r * r / std::pow(1 - r, 8);
    denominator += 1 / std::pow(1 - r, 4);
  }
  const int longest = *std::max_element(trial_lengths.begin(), trial_lengths.end());
  const double alpha = denominator > 0 ? numerator / denominator : 0;
  const double andrews = 2.6614 * std::pow(alpha * longest, 0.2);
  const double slow = rho.size() > 0 ? 3 * ((1 + rho.array()) / (1 - rho.array())).mean() : 0;
  out.bandwidth = std::clamp(std::max(andrews, slow), 1.0, std::max(1.0, longest / 2.0));
  const Eigen::VectorXd colour = 1 / (1 - rho.array());
  out.M = colour.asDiagonal() * add_lags(white, trial_lengths, out.bandwidth) * colour.asDiagonal();
  return out;
}

}  // namespace vesica::markers
