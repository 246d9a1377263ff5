#include "vesica/identification/foot2d_fit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "vesica/error.h"
#include "vesica/math/bounded_least_squares.h"
#include "vesica/math/linear_algebra.h"
#include "vesica/math/parallel.h"

namespace vesica {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// 53 random bits: std::uniform_real_distribution is not the same in every library.
double draw_unit(std::mt19937_64& random) { return double(random() >> 11) * 0x1p-53; }

Eigen::VectorXd draw_start(const Foot2dProblem& problem, const Foot2dFitSettings& settings,
                           int number) {
  std::seed_seq seeds{static_cast<std::uint32_t>(settings.seed),
                      static_cast<std::uint32_t>(settings.seed >> 32),
                      static_cast<std::uint32_t>(number)};
  std::mt19937_64 random(seeds);
  Eigen::VectorXd best;
  double least = kInfinity;
  for (int k = 0; k < std::max(1, settings.draws); ++k) {
    Eigen::VectorXd x(problem.variables());
    for (double& u : x) u = draw_unit(random);
    const double J = problem.objective(x.data(), nullptr);
    if (J < least || best.size() == 0) {
      least = J;
      best = x;
    }
  }
  return best;
}

// 1 + 2 sum of autocorrelations up to the first that is not positive: of so many residuals one is
// new.
double calc_correlated_length(const std::vector<double>& r) {
  double variance = 0;
  for (const double x : r) variance += x * x;
  if (!(variance > 0)) return 1;
  double length = 1;
  for (size_t lag = 1; lag < r.size(); ++lag) {
    double sum = 0;
    for (size_t k = lag; k < r.size(); ++k) sum += r[k] * r[k - lag];
    if (!(sum > 0)) break;
    length += 2 * sum / variance;
  }
  return length;
}

// Of the frames in which something was measured or touches.
Eigen::MatrixXd calc_information(const Foot2dProblem& problem, const Eigen::VectorXd& x) {
  const int rows = problem.residuals(), n = problem.variables();
  Eigen::VectorXd r(rows);
  RowMatrix J(rows, n);
  problem.evaluate(x.data(), r.data(), J.data());
  Eigen::MatrixXd information = Eigen::MatrixXd::Zero(n, n);
  for (int kind = 0; kind < 3; ++kind) {
    std::vector<double> own;
    std::vector<int> places;
    for (int k = kind; k < rows; k += 3) {
      if (J.row(k).squaredNorm() == 0) continue;
      own.push_back(r[k]);
      places.push_back(k);
    }
    if (own.size() < 2) continue;
    double sum = 0;
    for (const double v : own) sum += v * v;
    const double variance = std::max(sum / double(own.size()), 1e-12);
    const double weight = 1 / (variance * calc_correlated_length(own));
    Eigen::MatrixXd part(static_cast<Eigen::Index>(places.size()), n);
    for (size_t k = 0; k < places.size(); ++k)
      part.row(static_cast<Eigen::Index>(k)) = J.row(places[k]);
    information += weight * multiply_transposed(part, part);
  }
  return information;
}

// Derivatives of an element's parameters by its variables.
template <class T>
std::vector<Eigen::VectorXd> calc_slopes(const Foot2dProblem& problem, const Eigen::VectorXd& x,
                                         int point) {
  const auto own = static_cast<Eigen::Index>(problem.rows().size());
  std::array<T, 12> v;
  for (Eigen::Index k = 0; k < own; ++k) {
    v[static_cast<size_t>(k)] = T::variable(x[own * point + k], static_cast<int>(k));
  }
  const auto p = as_foot2d_parameters(problem.type(), problem.rows(), point, v.data());
  std::vector<Eigen::VectorXd> slopes;
  for (const Foot2dRow& row : problem.rows()) {
    Eigen::VectorXd slope = Eigen::VectorXd::Zero(x.size());
    for (Eigen::Index k = 0; k < own; ++k) {
      slope[own * point + k] = parameter_of(p, row.slot).v[static_cast<int>(k)];
    }
    slopes.push_back(slope);
  }
  return slopes;
}

}  // namespace

Foot2dFit fit_foot2d_from(const Foot2dProblem& problem, const Eigen::VectorXd& start,
                          const Foot2dFitSettings& settings) {
  const auto begin = Clock::now();
  BoundedProblem least;
  least.residuals = problem.residuals();
  least.start = start;
  least.lower = Eigen::VectorXd::Zero(start.size());
  least.upper = Eigen::VectorXd::Ones(start.size());
  least.evaluate = [&](const double* x, double* r, double* jacobian) {
    problem.evaluate(x, r, jacobian);
    return true;
  };
  const BoundedSolution solution = minimise(least, {.iterations = settings.iterations,
                                                    .cost_tolerance = 1e-7,
                                                    .step_tolerance = 1e-7,
                                                    .stop = settings.stop});
  Foot2dFit fit;
  fit.x = solution.x;
  fit.objective = problem.objective(fit.x.data());
  fit.of_starts = {fit.objective.total()};
  fit.converged = solution.converged;
  fit.seconds = seconds_since(begin);
  return fit;
}

Foot2dFit fit_foot2d(const Foot2dProblem& problem, const Foot2dFitSettings& settings) {
  const auto begin = Clock::now();
  if (settings.starts < 1) throw InputError("foot2d: at least one start is needed");
  std::vector<Foot2dFit> fits(static_cast<size_t>(settings.starts));
  for_each_index(settings.starts, calc_thread_count(settings.threads), [&](int k, int) {
    if (settings.stop && settings.stop() && k > 0) return;
    fits[static_cast<size_t>(k)] =
        fit_foot2d_from(problem, draw_start(problem, settings, k), settings);
  });
  Foot2dFit best;
  std::vector<double> of_starts;
  for (const Foot2dFit& fit : fits) {
    if (fit.x.size() == 0) continue;
    of_starts.push_back(fit.objective.total());
    if (best.x.size() == 0 || fit.objective.total() < best.objective.total()) best = fit;
  }
  best.of_starts = of_starts;
  best.seconds = seconds_since(begin);
  return best;
}

Foot2dIntervals calc_foot2d_intervals(const Foot2dProblem& problem, const Eigen::VectorXd& x) {
  constexpr double kEven = 1.0 / 12;  // variance of a variable that is known by its bounds alone
  constexpr double kDetermined = 0.5;
  const Eigen::Index n = x.size();
  const Eigen::MatrixXd information = calc_information(problem, x);
  const Eigen::MatrixXd covariance =
      invert_symmetric(information + Eigen::MatrixXd::Identity(n, n) / kEven);
  Foot2dIntervals out;
  const auto eigen = calc_eigen(Eigen::MatrixXd(information * kEven));
  for (Eigen::Index k = 0; k < n; ++k) {
    // Narrowed to 1/sqrt(1 + eigenvalue).
    if (1 / (1 + std::max(0.0, eigen.values[k])) > kDetermined * kDetermined) {
      ++out.undetermined_directions;
    }
  }
  const auto own = static_cast<Eigen::Index>(problem.rows().size());
  for (int point = 0; point < 3; ++point) {
    const auto slopes = own <= 8 ? calc_slopes<Dual<8>>(problem, x, point)
                                 : calc_slopes<Dual<12>>(problem, x, point);
    const Foot2dParameters<double> p = problem.element(x.data(), point);
    for (Eigen::Index k = 0; k < own; ++k) {
      const Foot2dRow& row = problem.rows()[static_cast<size_t>(k)];
      const Eigen::Index at = own * point + k;
      Foot2dEstimate e;
      e.name = row.name + "." + std::string(kFoot2dPointNames[static_cast<size_t>(point)]);
      e.unit = row.unit;
      e.value = parameter_of(p, row.slot);
      e.source = row.source[static_cast<size_t>(point)];
      const double error = 1.96 * std::sqrt(slopes[static_cast<size_t>(k)].dot(
                                      covariance * slopes[static_cast<size_t>(k)]));
      if (row.scale == Foot2dRow::Scale::kLinear) {
        e.low = std::max(row.lower[static_cast<size_t>(point)], e.value - error);
        e.high = std::min(row.upper[static_cast<size_t>(point)], e.value + error);
      } else {  // in the logarithm, in which its variable is straight
        const double factor = e.value > 0 ? std::exp(std::min(200.0, error / e.value)) : 1;
        e.low = e.value > 0 ? e.value / factor : 0;
        e.high = e.value > 0 ? e.value * factor : error;
      }
      e.determined = std::sqrt(covariance(at, at) / kEven) < kDetermined;
      e.at_bound = x[at] < 1e-6 || x[at] > 1 - 1e-6;
      out.parameters.push_back(e);
    }
  }
  return out;
}

}  // namespace vesica
