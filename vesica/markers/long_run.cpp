#include "vesica/markers/long_run.h"

#include <algorithm>
#include <cmath>

#include "vesica/math/linear_algebra.h"

namespace vesica::markers {

namespace {

// Sum over pairs of rows `lag` apart, of each column; pairs within a trial only.
Eigen::ArrayXd add_products(const Eigen::MatrixXd& s, const std::vector<int>& lengths, int lag) {
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(s.cols());
  Eigen::Index begin = 0;
  for (int length : lengths) {
    for (Eigen::Index k = begin; k + lag < begin + length; ++k) {
      sum += (s.row(k).array() * s.row(k + lag).array()).transpose();
    }
    begin += length;
  }
  return sum;
}

// Nearer to one, whitening would divide by noise.
constexpr double kMostPersistent = 0.99;

// How much of a column's slow part is left after one step. Lag one alone would miss slow noise
// under white noise, which only dilutes it: there the second lag over the first tells.
//
// A short record gives values that are too small, by (1 + 3 r)/n where the mean has been taken out
// (Marriott and Pope 1954; scores sum to zero), and that scatter by sqrt((1 - r^2)/n), while what
// is made of them goes with 1/(1 - r)^2. Columns whose values differ by no more than that scatter
// share their mean; the part of the spread that is beyond it is kept (Stein's shrinkage).
Eigen::VectorXd calc_persistence(const Eigen::MatrixXd& s, const std::vector<int>& lengths) {
  const Eigen::ArrayXd zero = add_products(s, lengths, 0), one = add_products(s, lengths, 1),
                       two = add_products(s, lengths, 2);
  const auto n = static_cast<double>(std::max<Eigen::Index>(1, s.rows()));
  Eigen::VectorXd r(s.cols());
  for (Eigen::Index c = 0; c < s.cols(); ++c) {
    double value = zero[c] > 0 ? one[c] / zero[c] : 0;
    // Below that the quotient is that of two small numbers.
    if (value > 0.3) {
      value = std::max(value, two[c] / one[c]);
      value += (1 + 3 * value) / n;
    }
    r[c] = std::clamp(value, -kMostPersistent, kMostPersistent);
  }
  if (r.size() < 2) return r;
  const double mean = r.mean();
  const double spread = (r.array() - mean).square().sum() / (static_cast<double>(r.size()) - 1);
  const double scatter = (1 - mean * mean) / n;
  const double keep = spread > 0 ? std::max(0.0, 1 - scatter / spread) : 0;
  return (mean + keep * (r.array() - mean)).matrix();
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
    M += multiply_transposed(s, s);
    for (int lag = 1; lag <= lags && lag < count; ++lag) {
      const double x = lag * batch / b;
      const double k = x < 0.5 ? 1 - 6 * x * x * (1 - x) : x < 1 ? 2 * std::pow(1 - x, 3) : 0;
      const Eigen::MatrixXd G =
          multiply_transposed(s.topRows(count - lag), s.bottomRows(count - lag));
      M += k * (G + G.transpose());
    }
  }
  return M;
}

}  // namespace

Eigen::VectorXd calc_correlation_times(const Eigen::MatrixXd& scores,
                                       const std::vector<int>& trial_lengths) {
  const Eigen::VectorXd rho = calc_persistence(scores, trial_lengths);
  return ((1 + rho.array()) / (1 - rho.array())).max(1.0);
}

LongRun calc_long_run_covariance(const Eigen::MatrixXd& scores,
                                 const std::vector<int>& trial_lengths) {
  LongRun out;
  const Eigen::VectorXd rho = calc_persistence(scores, trial_lengths);
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
  // Andrews' plug-in bandwidth from what correlation is left; at least the correlation time, as
  // noise is seldom of the first order alone.
  const Eigen::ArrayXd left =
      add_products(white, trial_lengths, 1) / add_products(white, trial_lengths, 0).max(1e-300);
  double numerator = 0, denominator = 0;
  for (double r : left.min(kMostPersistent)) {
    numerator += 4 * r * r / std::pow(1 - r, 8);
    denominator += 1 / std::pow(1 - r, 4);
  }
  const int longest = *std::max_element(trial_lengths.begin(), trial_lengths.end());
  const double alpha = denominator > 0 ? numerator / denominator : 0;
  const double andrews = 2.6614 * std::pow(alpha * longest, 0.2);
  const double slow = rho.size() > 0 ? 1.5 * ((1 + rho.array()) / (1 - rho.array())).mean() : 0;
  out.bandwidth = std::clamp(std::max(andrews, slow), 1.0, std::max(1.0, longest / 2.0));
  const Eigen::VectorXd colour = 1 / (1 - rho.array());
  out.M = colour.asDiagonal() * add_lags(white, trial_lengths, out.bandwidth) * colour.asDiagonal();
  return out;
}

}  // namespace vesica::markers
