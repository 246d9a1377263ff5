#include "vesica/identification/foot_friction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "vesica/contact/contact_forces.h"
#include "vesica/error.h"
#include "vesica/math/bounded_least_squares.h"
#include "vesica/math/linear_algebra.h"

namespace vesica {
namespace {

using Shears = std::vector<std::vector<Eigen::Vector2d>>;  // [stance][frame]
using Predict = std::function<Shears(std::span<const double> parameters)>;

// Beyond it in units of the spread a parameter says nothing.
constexpr double kFarthest = 4;
// Of a first fit: residuals of 3 % of the weight.
constexpr double kFirstPrior = 1e-3;

FrictionForce<double> calc_force(const FrictionLaw<double>& law, const FrictionInput<double>& in,
                                 const double* states, double* rates) {
  FrictionForce<double> force;
  std::visit([&](const auto& one) { calc_friction_force(one, in, states, rates, &force); }, law);
  return force;
}

FrictionInput<double> mix(const FrictionInput<double>& a, const FrictionInput<double>& b,
                          double part) {
  const auto between = [&](double x, double y) { return x + part * (y - x); };
  return {between(a.f_n, b.f_n),
          a.n_W,
          a.slip + part * (b.slip - a.slip),
          between(a.spin, b.spin),
          between(a.spread2, b.spread2),
          between(a.carrier_spin, b.carrier_spin)};
}

using BristleStates = std::array<double, kMaxFrictionStates>;

// From one frame to the next, by Runge and Kutta's fourth order; steps that the bristles' own time
// constant allows.
void advance(const FrictionLaw<double>& law, double fastest, const FrictionInput<double>& a,
             const FrictionInput<double>& b, double dt, BristleStates* y) {
  const int steps = std::clamp(static_cast<int>(std::ceil(dt / fastest)), 4, 4000);
  const double h = 1.0 / steps;  // of the interval
  const auto slope = [&](double at, const BristleStates& state) {
    BristleStates rates{};
    calc_force(law, mix(a, b, at), state.data(), rates.data());
    return rates;
  };
  const auto moved = [&](const BristleStates& rates, double by) {
    BristleStates state = *y;
    for (size_t k = 0; k < state.size(); ++k) state[k] += by * dt * rates[k];
    return state;
  };
  for (int step = 0; step < steps; ++step) {
    const double at = step * h;
    const BristleStates k1 = slope(at, *y), k2 = slope(at + h / 2, moved(k1, h / 2));
    const BristleStates k3 = slope(at + h / 2, moved(k2, h / 2)), k4 = slope(at + h, moved(k3, h));
    for (size_t k = 0; k < y->size(); ++k) {
      (*y)[k] += h * dt / 6 * (k1[k] + 2 * k2[k] + 2 * k3[k] + k4[k]);
    }
  }
}

// Time constant of the states; 0: there are none.
double find_time_constant(const FrictionLaw<double>& law) {
  if (const auto* b = std::get_if<Bristle<double>>(&law)) return b->p.tau_br();
  if (const auto* b = std::get_if<VolumetricBristle<double>>(&law)) return b->p.tau_br();
  return 0;
}

// Correlated samples that count as one: see FootFit::narrowing.
double calc_samples_as_one(const Eigen::VectorXd& r) {
  const Eigen::Index n = r.size();
  double length = 1;
  for (Eigen::Index lag = 1; lag < n / 2; ++lag) {
    const double rho = r.head(n - lag).dot(r.tail(n - lag)) / r.squaredNorm();
    if (!(rho > 0)) break;
    length += 2 * rho;
  }
  return length;
}

// Residuals of all stances: all x, then all y.
class FrictionProblem {
 public:
  FrictionProblem(std::vector<FrictionUnknown> unknowns, const std::vector<FootStance>& stances,
                  Predict predict, const FrictionFitSettings& settings)
      : unknowns_(std::move(unknowns)),
        stances_(stances),
        predict_(std::move(predict)),
        settings_(settings) {
    for (const FootStance& s : stances) {
      if (s.shear.size() != s.frames.size()) {
        throw InputError(fmt::format("{}: its shear was not measured", s.name));
      }
      frames_ += static_cast<int>(s.frames.size());
    }
    if (frames_ == 0) throw InputError("foot: there is no stance to fit friction to");
  }
  int unknowns() const { return static_cast<int>(unknowns_.size()); }
  int evaluations() const { return evaluations_; }

  std::vector<double> make_parameters(const double* x) const {
    std::vector<double> p;
    for (size_t k = 0; k < unknowns_.size(); ++k) {
      p.push_back(unknowns_[k].start * std::exp(unknowns_[k].spread * x[k]));
    }
    return p;
  }
  Eigen::VectorXd calc_residuals(const double* x) {
    ++evaluations_;
    const Shears shear = predict_(make_parameters(x));
    Eigen::VectorXd r(2 * frames_);
    int row = 0;
    for (size_t s = 0; s < stances_.size(); ++s) {
      const double scale = 1 / (stances_[s].weight * std::sqrt(static_cast<double>(frames_)));
      for (size_t f = 0; f < shear[s].size(); ++f, ++row) {
        const Eigen::Vector2d d = scale * (shear[s][f] - stances_[s].shear[f]);
        r[row] = d.x();
        r[frames_ + row] = d.y();
      }
    }
    return r;
  }
  Eigen::MatrixXd calc_slopes(const double* x, const Eigen::VectorXd& here) {
    Eigen::MatrixXd J(2 * frames_, unknowns());
    for (int k = 0; k < unknowns(); ++k) {
      std::vector<double> at(x, x + unknowns());
      const double h = settings_.difference;
      at[static_cast<size_t>(k)] += h;
      const Eigen::VectorXd ahead = calc_residuals(at.data());
      if (settings_.one_sided) {
        J.col(k) = (ahead - here) / h;
        continue;
      }
      at[static_cast<size_t>(k)] -= 2 * h;
      J.col(k) = (ahead - calc_residuals(at.data())) / (2 * h);
    }
    return J;
  }
  // The weight of the prior that the residuals at x tell.
  double calc_prior_weight(const double* x) {
    const Eigen::VectorXd r = calc_residuals(x);
    double sum = 0;
    for (const int first : {0, frames_}) {
      const Eigen::VectorXd one = r.segment(first, frames_);
      if (one.squaredNorm() > 0) sum += one.squaredNorm() * calc_samples_as_one(one);
    }
    return 0.5 * sum;
  }
  BoundedSolution solve(const Eigen::VectorXd& start, double prior_weight) {
    BoundedProblem problem;
    const int n = unknowns();
    problem.residuals = 2 * frames_ + n;
    problem.start = start;
    problem.lower = Eigen::VectorXd::Constant(n, -kFarthest);
    problem.upper = Eigen::VectorXd::Constant(n, kFarthest);
    const double prior = std::sqrt(prior_weight / frames_);
    problem.evaluate = [&, n, prior](const double* x, double* r, double* jacobian) {
      Eigen::Map<Eigen::VectorXd> all(r, 2 * frames_ + n);
      all.head(2 * frames_) = calc_residuals(x);
      all.tail(n) = prior * Eigen::Map<const Eigen::VectorXd>(x, n);
      if (jacobian != nullptr) {
        Eigen::Map<RowMatrix> J(jacobian, 2 * frames_ + n, n);
        J.topRows(2 * frames_) = calc_slopes(x, all.head(2 * frames_));
        J.bottomRows(n) = prior * Eigen::MatrixXd::Identity(n, n);
      }
      return all.allFinite();
    };
    BoundedOptions options;
    options.iterations = settings_.iterations;
    options.cost_tolerance = 1e-6;
    options.stop = settings_.stop;
    return minimise(problem, options);
  }
  // Of x, with the prior.
  Eigen::MatrixXd calc_covariance(const double* x) {
    const Eigen::VectorXd r = calc_residuals(x);
    const Eigen::MatrixXd J = calc_slopes(x, r);
    Eigen::MatrixXd information = Eigen::MatrixXd::Identity(unknowns(), unknowns());
    for (const int first : {0, frames_}) {
      const Eigen::VectorXd one = r.segment(first, frames_);
      const Eigen::MatrixXd columns = J.middleRows(first, frames_);
      const double variance = one.squaredNorm() / frames_;
      if (!(variance > 0)) continue;
      information += multiply_transposed(columns, columns) / (variance * calc_samples_as_one(one));
    }
    return invert_symmetric(information);
  }

 private:
  std::vector<FrictionUnknown> unknowns_;
  const std::vector<FootStance>& stances_;
  Predict predict_;
  const FrictionFitSettings& settings_;
  int frames_ = 0, evaluations_ = 0;
};

void set_parameters(const std::vector<FrictionUnknown>& unknowns, const Eigen::VectorXd& x,
                    const Eigen::MatrixXd& covariance, FrictionFit* fit) {
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const FrictionUnknown& u = unknowns[static_cast<size_t>(k)];
    const double error = std::sqrt(covariance(k, k));
    const auto at = [&](double shift) { return u.start * std::exp(u.spread * (x[k] + shift)); };
    const bool inside = std::abs(x[k]) < kFarthest - 1e-6;
    fit->parameters.push_back(
        {u.name, u.unit, at(0), at(-1.96 * error), at(1.96 * error), inside && error < 0.5});
    for (Eigen::Index j = 0; j < k; ++j) {
      const double rho = covariance(k, j) / std::sqrt(covariance(k, k) * covariance(j, j));
      if (std::abs(rho) <= std::abs(fit->strongest_correlation)) continue;
      fit->strongest_correlation = rho;
      fit->strongest_pair = unknowns[static_cast<size_t>(j)].name + ", " + u.name;
    }
  }
}

FrictionFit fit_friction(const FrictionCandidate& candidate,
                         const std::vector<FrictionUnknown>& unknowns,
                         const std::vector<FootStance>& stances, const Predict& predict,
                         const FrictionFitSettings& settings) {
  const auto begin = std::chrono::steady_clock::now();
  FrictionProblem problem(unknowns, stances, predict, settings);
  const Eigen::VectorXd start = Eigen::VectorXd::Zero(problem.unknowns());
  const bool told = settings.prior_weight >= 0;
  BoundedSolution solution = problem.solve(start, told ? settings.prior_weight : kFirstPrior);
  if (!told) solution = problem.solve(solution.x, problem.calc_prior_weight(solution.x.data()));
  FrictionFit fit;
  fit.law = candidate.law;
  fit.converged = solution.converged;
  set_parameters(unknowns, solution.x, problem.calc_covariance(solution.x.data()), &fit);
  const std::vector<double> p = problem.make_parameters(solution.x.data());
  fit.friction = candidate.make(std::span(p).first(candidate.unknowns.size()));
  if (p.size() > candidate.unknowns.size()) fit.drive_stiffness = p.back();
  const Shears shear = predict(p);
  for (size_t s = 0; s < stances.size(); ++s) {
    const ShearErrors e = calc_shear_errors(stances[s], shear[s]);
    const auto n = static_cast<double>(stances.size());
    fit.errors.along += e.along / n;
    fit.errors.across += e.across / n;
    fit.errors.of_largest += e.of_largest / n;
  }
  fit.evaluations = problem.evaluations();
  fit.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return fit;
}

}  // namespace

FrictionCandidate make_velocity_candidate() {
  FrictionCandidate c;
  c.law = "brown_mcphee";
  c.unknowns = {{"mu_d", "", 0.5, 0.7}, {"mu_s - mu_d", "", 0.1, 1.0}, {"v_t", "m/s", 0.03, 1.5}};
  c.make = [](std::span<const double> p) -> FrictionLaw<double> {
    BrownMcPhee<double> law;
    law.mu_d = p[0];
    law.mu_s = p[0] + p[1];
    law.v_t = p[2];
    return law;
  };
  return c;
}

FrictionCandidate make_bristle_candidate() {
  FrictionCandidate c;
  c.law = "bristle";
  c.unknowns = {{"mu_C", "", 0.5, 0.7},
                {"mu_S - mu_C", "", 0.1, 1.0},
                {"sigma_0", "1/m", 300, 1.5},
                {"v_S", "m/s", 0.02, 1.0}};
  c.make = [](std::span<const double> p) -> FrictionLaw<double> {
    Bristle<double> law;
    law.p.mu_C = p[0];
    law.p.mu_S = p[0] + p[1];
    law.p.sigma_0 = p[2];
    law.p.sigma_1 = 2 * std::sqrt(p[2] / kStandardGravity);  // critical under its load
    law.p.v_S = p[3];
    law.p.v_eps = 0.01 * p[3];
    law.p.dwell = false;
    return law;
  };
  return c;
}

FrictionTrack::FrictionTrack(const FootModel& foot, const FootStance& stance,
                             const FootCurves& curves) {
  inputs_.resize(foot.ellipsoids.size());
  points_.resize(foot.ellipsoids.size());
  for (size_t f = 0; f < stance.frames.size(); ++f) times_.push_back(stance.frames[f].time);
  std::vector<FootFrame> frames = apply_curves(stance, curves);
  for (size_t f = 0; f < frames.size(); ++f) {
    const bool loaded = stance.force[f] > 0;
    if (loaded) frames[f].foot.X_WB.p_WB.z() += find_lift(foot, frames[f], stance.force[f]);
    double sum = 0;
    for (size_t e = 0; e < inputs_.size(); ++e) {
      inputs_[e].push_back(calc_friction_input(foot, static_cast<int>(e), frames[f]));
      const FootLoad load = calc_ellipsoid_load(foot, static_cast<int>(e), frames[f]);
      points_[e].emplace_back(load[0] > 0 ? Eigen::Vector2d(load.tail<2>() / load[0])
                                          : Eigen::Vector2d::Zero());
      if (!loaded) inputs_[e].back().f_n = 0;
      sum += inputs_[e].back().f_n;
    }
    // find_lift is at rest: what damping adds is taken off, so that the sum is the measured force.
    if (sum > 0) {
      for (auto& track : inputs_) track.back().f_n *= stance.force[f] / sum;
    }
  }
}

std::vector<Eigen::Vector2d> FrictionTrack::calc_shear(const FrictionLaw<double>& law,
                                                       std::vector<double>* free_moment) const {
  std::vector<Eigen::Vector2d> shear(times_.size(), Eigen::Vector2d::Zero());
  std::vector<double> about_origin(times_.size(), 0.0);
  std::vector<FootLoad> loads(times_.size(), FootLoad::Zero());
  const double fastest = find_time_constant(law);
  for (size_t e = 0; e < inputs_.size(); ++e) {
    const auto& track = inputs_[e];
    BristleStates states{}, rates{};
    for (size_t f = 0; f < track.size(); ++f) {
      if (!(track[f].f_n > 0)) {
        states = {};
        continue;
      }
      if (fastest > 0 && f > 0 && track[f - 1].f_n > 0) {
        advance(law, fastest, track[f - 1], track[f], times_[f] - times_[f - 1], &states);
      }
      const FrictionForce<double> force = calc_force(law, track[f], states.data(), rates.data());
      const Eigen::Vector2d f_t = force.f_t.head<2>(), &at = points_[e][f];
      shear[f] += f_t;
      about_origin[f] += force.spin_torque + at.x() * f_t.y() - at.y() * f_t.x();
      loads[f] += track[f].f_n * FootLoad(1, at.x(), at.y());
    }
  }
  if (free_moment == nullptr) return shear;
  free_moment->assign(times_.size(), 0.0);
  for (size_t f = 0; f < times_.size(); ++f) {
    if (!(loads[f][0] > 0)) continue;
    (*free_moment)[f] =
        about_origin[f] - (loads[f][1] * shear[f].y() - loads[f][2] * shear[f].x()) / loads[f][0];
  }
  return shear;
}

FrictionFit fit_friction_inverse(const FrictionCandidate& candidate, const FootModel& foot,
                                 const std::vector<FootStance>& stances,
                                 const std::vector<FootCurves>& curves,
                                 const FrictionFitSettings& settings) {
  std::vector<FrictionTrack> tracks;
  for (size_t s = 0; s < stances.size(); ++s) tracks.emplace_back(foot, stances[s], curves[s]);
  const Predict predict = [&](std::span<const double> p) {
    Shears shear;
    const FrictionLaw<double> law = candidate.make(p);
    for (const FrictionTrack& track : tracks) shear.push_back(track.calc_shear(law));
    return shear;
  };
  FrictionFit fit = fit_friction(candidate, candidate.unknowns, stances, predict, settings);
  fit.simulation = "inverse";
  fit.errors.free_moment = 0;  // NaN where it was not measured
  for (size_t s = 0; s < stances.size(); ++s) {
    std::vector<double> moment;
    const std::vector<Eigen::Vector2d> shear = tracks[s].calc_shear(fit.friction, &moment);
    fit.errors.free_moment += calc_shear_errors(stances[s], shear, moment).free_moment /
                              static_cast<double>(stances.size());
  }
  return fit;
}

FrictionFit fit_friction_forward(const FrictionCandidate& candidate, const FootModel& foot,
                                 const std::vector<FootStance>& stances,
                                 const std::vector<FootCurves>& curves,
                                 FrictionFitSettings settings) {
  std::vector<FrictionUnknown> unknowns = candidate.unknowns;
  unknowns.push_back({"drive_stiffness", "N/m", FootForwardOptions{}.drive_stiffness, 1.0});
  // An integrator with steps of its own choice is smooth to its tolerance only.
  settings.difference = std::max(settings.difference, 0.02);
  settings.one_sided = true;
  const Predict predict = [&](std::span<const double> p) {
    Shears shear;
    FootForwardOptions options;
    options.friction = candidate.make(p.first(candidate.unknowns.size()));
    options.drive_stiffness = p.back();
    options.tolerance = 1e-5;
    options.ledger = false;
    for (size_t s = 0; s < stances.size(); ++s) {
      FootForward run = simulate_forward(foot, stances[s], curves[s], options);
      if (!run.failure.empty()) throw RunError(run.failure);
      shear.push_back(std::move(run.shear));
    }
    return shear;
  };
  FrictionFit fit = fit_friction(candidate, unknowns, stances, predict, settings);
  fit.simulation = "forward";
  return fit;
}

FootStance reverse_shear(const FootStance& stance) {
  FootStance other = stance;
  std::reverse(other.shear.begin(), other.shear.end());
  std::reverse(other.free_moment.begin(), other.free_moment.end());
  return other;
}

}  // namespace vesica
