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

std::mt19937_64 make_random(const Foot2dFitSettings& settings, int number) {
  std::seed_seq seeds{static_cast<std::uint32_t>(settings.seed),
                      static_cast<std::uint32_t>(settings.seed >> 32),
                      static_cast<std::uint32_t>(number)};
  return std::mt19937_64(seeds);
}

// A few variables drawn anew; the rest as it is.
Eigen::VectorXd draw_hop(const Foot2dProblem& problem, const Eigen::VectorXd& from,
                         const Foot2dFitSettings& settings, int number) {
  constexpr double kShare = 0.15;  // of the variables
  std::mt19937_64 random = make_random(settings, number);
  Eigen::VectorXd best;
  double least = kInfinity;
  for (int k = 0; k < std::max(1, settings.draws / 4); ++k) {
    Eigen::VectorXd x = from;
    for (double& u : x) {
      const bool anew = draw_unit(random) < kShare;
      const double drawn = draw_unit(random);
      if (anew) u = drawn;
    }
    problem.tune(x.data());
    const double J = problem.objective(x.data(), nullptr);
    if (J < least || best.size() == 0) {
      least = J;
      best = x;
    }
  }
  return best;
}

Eigen::VectorXd draw_start(const Foot2dProblem& problem, const Foot2dFitSettings& settings,
                           int number) {
  std::mt19937_64 random = make_random(settings, number);
  Eigen::VectorXd best;
  double least = kInfinity;
  for (int k = 0; k < std::max(1, settings.draws); ++k) {
    Eigen::VectorXd x(problem.variables());
    for (double& u : x) u = draw_unit(random);
    problem.tune(x.data());
    const double J = problem.objective(x.data(), nullptr);
    if (J < least || best.size() == 0) {
      least = J;
      best = x;
    }
  }
  return best;
}

// |r|^2 about a point, to second order: J'J, J'r, and what J'J leaves out of the Hessian, the
// curvature of the residuals weighted by them, which is learned from step to step as in NL2SOL
// (Dennis, Gay, Welsch, ACM TOMS 7, 1981). Without it steps creep along bent valleys.
struct LocalModel {
  Eigen::MatrixXd hessian, learned;
  Eigen::VectorXd gradient;
  double squares = 0;
  bool use_learned = false;

  void set(const Eigen::VectorXd& r, const RowMatrix& J) {
    const Eigen::Index n = J.cols();
    hessian.setZero(n, n);
    gradient.setZero(n);
    squares = r.squaredNorm();
    // The three rows of a frame at once.
    for (Eigen::Index k = 0; k + 2 < J.rows(); k += 3) {
      const double *a = J.data() + k * n, *b = a + n, *c = b + n;
      for (Eigen::Index i = 0; i < n; ++i) {
        if (a[i] == 0 && b[i] == 0 && c[i] == 0) continue;  // of an element that does not touch
        gradient[i] += a[i] * r[k] + b[i] * r[k + 1] + c[i] * r[k + 2];
        double* column = hessian.data() + i * n;
        for (Eigen::Index m = i; m < n; ++m) column[m] += a[i] * a[m] + b[i] * b[m] + c[i] * c[m];
      }
    }
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index m = i + 1; m < n; ++m) hessian(i, m) = hessian(m, i);
    }
    if (learned.size() == 0) learned.setZero(n, n);
  }

  // By how much a step lowers it.
  double promise(const Eigen::VectorXd& s, bool with_learned) const {
    const double gauss_newton = -2 * gradient.dot(s) - s.dot(hessian * s);
    return with_learned ? gauss_newton - s.dot(learned * s) : gauss_newton;
  }

  // Before a step s is taken to where J' r is `after`: the Jacobian here times the residuals there
  // is `mixed`. What was learned is used where it foretold the gain better, near the end.
  void learn(const Eigen::VectorXd& s, const Eigen::VectorXd& after, const Eigen::VectorXd& mixed,
             double gained) {
    constexpr double kNearTheEnd = 0.1;  // of |r|^2, that a step gains
    use_learned = gained < kNearTheEnd * squares &&
                  std::abs(promise(s, true) - gained) < std::abs(promise(s, false) - gained);
    const Eigen::VectorXd y = after - gradient, sharp = after - mixed;
    const double sy = s.dot(y), sSs = s.dot(learned * s);
    if (!(std::abs(sy) > 1e-12 * s.norm() * y.norm())) return;
    if (sSs != 0) learned *= std::min(1.0, std::abs(s.dot(sharp) / sSs));
    const Eigen::VectorXd d = sharp - learned * s;
    learned +=
        (d * y.transpose() + y * d.transpose()) / sy - (d.dot(s) / (sy * sy)) * (y * y.transpose());
  }

  // Variables on a bound that J presses them against stay there; those that the step would carry
  // beyond one end on it, and the others are solved for again.
  Eigen::VectorXd step(const Eigen::VectorXd& x, double damping) const {
    constexpr int kTurns = 6;
    const Eigen::Index n = x.size();
    Eigen::MatrixXd full = hessian;
    if (use_learned) full += learned;
    const double floor = 1e-8 * std::max(1e-12, hessian.diagonal().maxCoeff());
    std::vector<bool> held(static_cast<size_t>(n));
    for (Eigen::Index k = 0; k < n; ++k) {
      full(k, k) += damping * std::max(hessian(k, k), floor) + 1e-14;
      held[static_cast<size_t>(k)] =
          (x[k] <= 0 && gradient[k] > 0) || (x[k] >= 1 && gradient[k] < 0);
    }
    Eigen::VectorXd fixed = Eigen::VectorXd::Zero(n), s = fixed;
    bool again = true;
    for (int turn = 0; turn < kTurns && again; ++turn) {
      Eigen::MatrixXd A = full;
      Eigen::VectorXd b = -gradient - full * fixed;
      for (Eigen::Index k = 0; k < n; ++k) {
        if (!held[static_cast<size_t>(k)]) continue;
        A.row(k).setZero();
        A.col(k).setZero();
        A(k, k) = 1;
        b[k] = fixed[k];
      }
      s = solve_symmetric(A, b);
      again = false;
      for (Eigen::Index k = 0; k < n; ++k) {
        const double to = std::clamp(x[k] + s[k], 0.0, 1.0);
        if (held[static_cast<size_t>(k)] || to == x[k] + s[k]) continue;
        held[static_cast<size_t>(k)] = again = true;
        fixed[k] = to - x[k];
      }
    }
    return s;
  }
};

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
  constexpr double kEnough = 1e-7;  // relative change of J ...
  constexpr int kEnoughSteps = 3;   // ... in so many steps on end
  constexpr double kMostDamping = 1e10;
  const auto begin = Clock::now();
  const Eigen::Index n = start.size();
  const int rows = problem.residuals();
  Foot2dFit fit;
  fit.x = start.cwiseMax(0.0).cwiseMin(1.0);
  Eigen::VectorXd r(rows), trial_r(rows), mixed(n);
  RowMatrix J(rows, n);
  LocalModel at;
  problem.evaluate(fit.x.data(), r.data(), J.data());
  at.set(r, J);
  double damping = 0.03, growth = 2;
  int small_steps = 0;
  for (int k = 0; k < settings.iterations && !fit.converged; ++k) {
    if (settings.stop && settings.stop()) break;
    const Eigen::VectorXd x = (fit.x + at.step(fit.x, damping)).cwiseMax(0.0).cwiseMin(1.0);
    const Eigen::VectorXd moved = x - fit.x;
    const double promised = at.promise(moved, at.use_learned);
    problem.evaluate(x.data(), trial_r.data(), nullptr);
    const double gained = at.squares - trial_r.squaredNorm();
    if (gained > 0 && promised > 0) {
      const double quality = 2 * gained / promised - 1;
      damping *= std::max(1.0 / 3, 1 - quality * quality * quality);
      growth = 2;
      small_steps = gained < kEnough * at.squares ? small_steps + 1 : 0;
      fit.x = x;
      mixed.noalias() = J.transpose() * trial_r;
      problem.evaluate(fit.x.data(), r.data(), J.data());
      at.learn(moved, J.transpose() * r, mixed, gained);
      at.set(r, J);
    } else {
      damping *= growth;
      growth *= 2;
    }
    if (at.squares <= settings.target) break;
    fit.converged = small_steps >= kEnoughSteps || damping > kMostDamping;
  }
  fit.objective = problem.objective(fit.x.data());
  fit.of_starts = {fit.objective.total()};
  fit.seconds = seconds_since(begin);
  return fit;
}

Foot2dFit fit_foot2d(const Foot2dProblem& problem, const Foot2dFitSettings& settings) {
  const auto begin = Clock::now();
  if (settings.starts < 1) throw InputError("foot2d: at least one start is needed");
  const int threads = calc_thread_count(settings.threads);
  const auto is_over = [&] { return settings.stop && settings.stop(); };
  const auto is_lower = [](const Foot2dFit& a, const Foot2dFit& b) {
    return a.objective.total() < b.objective.total();
  };
  Foot2dFitSettings first = settings;
  first.iterations = settings.starts > 1 ? settings.first_steps : settings.iterations;
  constexpr int kAtOnce = 4;
  // Where a target may end it early, starts come in rounds too.
  const int together = settings.target > 0 ? kAtOnce : settings.starts;
  Foot2dFit result;
  std::vector<double> of_starts;
  for (int begun = 0; begun < settings.starts; begun += together) {
    std::vector<Foot2dFit> fits(static_cast<size_t>(std::min(together, settings.starts - begun)));
    for_each_index(static_cast<int>(fits.size()), threads, [&](int k, int) {
      if (is_over() && begun + k > 0) return;
      fits[static_cast<size_t>(k)] =
          fit_foot2d_from(problem, draw_start(problem, settings, begun + k), first);
    });
    std::erase_if(fits, [](const Foot2dFit& fit) { return fit.x.size() == 0; });
    if (fits.empty()) break;
    std::stable_sort(fits.begin(), fits.end(), is_lower);
    const double share = std::ceil(settings.go_on * double(fits.size()));
    fits.resize(std::min(fits.size(), static_cast<size_t>(std::max(1.0, share))));
    if (settings.starts > 1) {
      for_each_index(static_cast<int>(fits.size()), threads, [&](int k, int) {
        Foot2dFit& fit = fits[static_cast<size_t>(k)];
        fit = fit_foot2d_from(problem, fit.x, settings);
      });
    }
    for (const Foot2dFit& fit : fits) {
      of_starts.push_back(fit.objective.total());
      if (result.x.size() == 0 || is_lower(fit, result)) result = fit;
    }
    if (result.objective.total() <= settings.target) break;
  }
  for (int round = 0; round < settings.hops; ++round) {
    if (is_over() || result.objective.total() <= settings.target) break;
    std::vector<Foot2dFit> hops(kAtOnce);
    for_each_index(kAtOnce, threads, [&](int k, int) {
      const int number = settings.starts + round * kAtOnce + k;
      hops[static_cast<size_t>(k)] =
          fit_foot2d_from(problem, draw_hop(problem, result.x, settings, number), settings);
    });
    for (const Foot2dFit& hop : hops) {
      if (is_lower(hop, result)) result = hop;
    }
  }
  const bool low_enough = result.objective.total() <= settings.target;
  if (!result.converged && !low_enough && !is_over()) {
    Foot2dFitSettings longer = settings;
    longer.iterations = 10 * settings.iterations;
    result = fit_foot2d_from(problem, result.x, longer);
  }
  result.of_starts = of_starts;
  result.seconds = seconds_since(begin);
  return result;
}

Foot2dIntervals calc_foot2d_intervals(const Foot2dProblem& problem, const Eigen::VectorXd& x) {
  constexpr double kEven = 1.0 / 12;  // variance of a variable that is known by its bounds alone
  constexpr double kDetermined = 0.5, kTwoDecades = 100;
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
      const Eigen::VectorXd& slope = slopes[static_cast<size_t>(k)];
      const double variance = slope.dot(covariance * slope), before = kEven * slope.squaredNorm();
      const double error = 1.96 * std::sqrt(variance);
      const double turn = calc_foot2d_turn(problem.type(), row, p), from_turn = e.value + turn;
      e.at_bound = x[at] < 1e-6 || x[at] > 1 - 1e-6;  // where it is pressed to, data say little
      e.determined = !e.at_bound && variance < kDetermined * kDetermined * before;
      if (std::isinf(turn)) {
        e.low = e.value - error;
        e.high = e.value + error;
      } else {  // on the scale on which its variable is straight, and never negative
        const double factor = std::exp(error / std::max(from_turn, 1e-300));
        e.low = from_turn / factor - turn;
        e.high = from_turn * factor - turn;
        e.determined = e.determined && factor * factor < kTwoDecades;
      }
      const auto bounds = calc_foot2d_bounds(problem.type(), problem.rows(), point, row.slot);
      e.low = std::min(e.value, std::max(bounds[0], e.low));
      e.high = std::max(e.value, std::min(bounds[1], e.high));
      out.parameters.push_back(e);
    }
  }
  return out;
}

}  // namespace vesica
