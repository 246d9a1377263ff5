#include "vesica/identification/foot_intervals.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "vesica/math/linear_algebra.h"

namespace vesica::foot_detail {
namespace {

constexpr double kStrong = 0.9;   // correlations that are worth a word
constexpr double kMostRaise = 5;  // of s^2, where parameters take nearly all samples

// How many samples count as one.
double calc_correlated_length(const Eigen::VectorXd& r) {
  const Eigen::Index n = r.size();
  const double all = r.squaredNorm();
  double length = 1;
  for (Eigen::Index lag = 1; lag < n / 2; ++lag) {
    const double rho = r.head(n - lag).dot(r.tail(n - lag)) / all;
    if (!(rho > 0)) break;
    length += 2 * rho;
  }
  return length;
}

struct Kind {
  Eigen::MatrixXd information;  // J'J
  double variance = 0, length = 1;
  int samples = 0;
};

Kind look_at_kind(const Eigen::VectorXd& r, const RowMatrix& J, int frames, int kind) {
  std::vector<int> rows;  // those that count: below the threshold there is no centre of pressure
  for (int f = 0; f < frames; ++f) {
    const int row = 3 * f + kind;
    if (r[row] != 0 || J.row(row).cwiseAbs().maxCoeff() > 0) rows.push_back(row);
  }
  Kind out;
  out.samples = static_cast<int>(rows.size());
  Eigen::VectorXd one(out.samples);
  Eigen::MatrixXd columns(out.samples, J.cols());
  for (int k = 0; k < out.samples; ++k) {
    one[k] = r[rows[static_cast<size_t>(k)]];
    columns.row(k) = J.row(rows[static_cast<size_t>(k)]);
  }
  out.information = multiply_transposed(columns, columns);
  if (out.samples == 0) return out;
  out.variance = one.squaredNorm() / out.samples;
  if (out.variance > 0) out.length = calc_correlated_length(one);
  return out;
}

// What pictures of one cell share beyond what each has for itself: sum over cells (of a stance) of
// the pull of all their rows, squared, less the rows' own. A gain that a cell keeps, or a shape
// that ellipsoids have not, pulls the same way in every picture of the cell.
Eigen::MatrixXd calc_shared_by_cells(const Eigen::VectorXd& x, FootResiduals* residuals) {
  const Eigen::Index n = x.size();
  std::map<std::pair<size_t, int>, Eigen::VectorXd> pulls;  // by stance and cell
  Eigen::MatrixXd shared = Eigen::MatrixXd::Zero(n, n);
  for (const auto& picture : residuals->list_picture_cells(x.data())) {
    const RowMatrix own = picture.r.asDiagonal() * picture.J;
    shared -= multiply_transposed(own, own);
    for (size_t c = 0; c < picture.cells.size(); ++c) {
      auto& pull = pulls[{picture.stance, picture.cells[c]}];
      if (pull.size() == 0) pull = Eigen::VectorXd::Zero(n);
      pull += own.row(static_cast<Eigen::Index>(c)).transpose();
    }
  }
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(pulls.size()), n);
  Eigen::Index row = 0;
  for (const auto& [cell, pull] : pulls) rows.row(row++) = pull.transpose();
  return shared + multiply_transposed(rows, rows);
}

std::vector<FootCorrelation> find_correlations(const Eigen::MatrixXd& covariance, int count,
                                               const std::vector<std::string>& names) {
  std::vector<FootCorrelation> found;
  for (int a = 0; a < count; ++a) {
    for (int b = 0; b < a; ++b) {
      const double value = covariance(a, b) / std::sqrt(covariance(a, a) * covariance(b, b));
      if (std::abs(value) > kStrong) {
        found.push_back({names[static_cast<size_t>(b)], names[static_cast<size_t>(a)], value});
      }
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  return found;
}

}  // namespace

FootIntervals calc_intervals(const Eigen::VectorXd& x, const std::vector<std::string>& names,
                             FootResiduals* residuals) {
  const int n = residuals->unknowns().size(), contact = residuals->unknowns().contact();
  Eigen::VectorXd r(residuals->rows());
  RowMatrix J(residuals->rows(), n);
  residuals->evaluate(x.data(), r.data(), J.data());

  std::vector<Kind> kinds;
  Eigen::MatrixXd data = Eigen::MatrixXd::Zero(n, n);
  double samples = 0;
  for (int kind = 0; kind < 3; ++kind) {
    kinds.push_back(look_at_kind(r, J, residuals->frames(), kind));
    data += kinds.back().information;
    samples += kinds.back().samples / kinds.back().length;
  }
  const int first = residuals->first_picture_row(), rows = residuals->picture_rows();
  Eigen::MatrixXd spread = Eigen::MatrixXd::Zero(n, n);
  for (int p = 0; p < residuals->pictures(); ++p) {
    const Eigen::MatrixXd columns = J.middleRows(first + p * rows, rows);
    const Eigen::VectorXd pull = columns.transpose() * r.segment(first + p * rows, rows);
    data += multiply_transposed(columns, columns);
    spread += pull * pull.transpose();
    samples += 3;  // a picture tells its force and where it acts, as plates do, and some shape
  }
  Eigen::MatrixXd A = data;
  Eigen::VectorXd priors(n);  // w^2 of each parameter's row
  for (int k = 0; k < n; ++k) {
    priors[k] = std::pow(J(first + residuals->pictures() * rows + k, k), 2);
  }
  // Without priors their bounds, four spreads away, are all that is known of what the data do not
  // see.
  const bool bounds_alone = !(residuals->prior_weight() > 0);
  constexpr double kUnseen = 1e-10, kBound = 4;
  const double least = kUnseen * data.diagonal().maxCoeff();
  if (bounds_alone) priors = priors.cwiseMax(least);
  A.diagonal() += priors;
  const Eigen::MatrixXd inverse = invert_symmetric(A);
  const double taken = (inverse.cwiseProduct(data)).sum();
  const double raise = samples / std::max(samples - taken, samples / kMostRaise);
  // Pictures hang together over time as the plate's residuals do, which are seen more often.
  double length = 1;
  for (const Kind& kind : kinds) length = std::max(length, kind.length);
  const double apart =
      static_cast<double>(residuals->frames()) / std::max(1, residuals->pictures());
  spread *= raise * std::max(1.0, length / apart);
  for (const Kind& kind : kinds) {
    if (kind.variance > 0) spread += (raise * kind.variance * kind.length) * kind.information;
  }
  spread.diagonal() += (bounds_alone ? kBound * kBound : 1) * priors.cwiseAbs2();
  Eigen::MatrixXd covariance = inverse * spread * inverse;
  if (residuals->pictures() > 0) {
    // Clustered both ways, by pictures and by cells. What the second way adds may be negative by
    // chance: never less than the first alone.
    const Eigen::MatrixXd both =
        covariance + raise * (inverse * calc_shared_by_cells(x, residuals) * inverse);
    const Eigen::VectorXd wider =
        (both.diagonal().cwiseMax(covariance.diagonal()).cwiseQuotient(covariance.diagonal()))
            .cwiseSqrt();
    covariance = wider.asDiagonal() * covariance * wider.asDiagonal();
  }
  FootIntervals intervals;
  for (int k = 0; k < contact; ++k) intervals.narrowing.push_back(std::sqrt(covariance(k, k)));
  intervals.correlations = find_correlations(covariance, contact, names);
  return intervals;
}

}  // namespace vesica::foot_detail
