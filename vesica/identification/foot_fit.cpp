#include "vesica/identification/foot_fit.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <random>

#include "vesica/error.h"
#include "vesica/identification/foot_intervals.h"
#include "vesica/identification/foot_residuals.h"
#include "vesica/math/parallel.h"

namespace vesica {
namespace {

void check_stance(const FootModel& foot, const FootStance& s, int knots) {
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("stance {}: {}", s.name, what));
  };
  if (s.frames.size() < static_cast<size_t>(2 * knots)) {
    fail(fmt::format("{} frames are too few for splines with {} knots", s.frames.size(), knots));
  }
  if (s.force.size() != s.frames.size() || s.cop.size() != s.frames.size()) {
    fail("a force and a centre of pressure for every frame are needed");
  }
  if (!(s.weight > 0)) fail("the body's weight must be positive");
  for (size_t k = 0; k < s.frames.size(); ++k) {
    const FootFrame& f = s.frames[k];
    if (!std::isfinite(s.force[k])) fail(fmt::format("its force is missing at {:.3f} s", f.time));
    if (!f.foot.X_WB.R_WB.allFinite() || !f.foot.X_WB.p_WB.allFinite()) {
      fail(fmt::format("the foot's pose is missing at {:.3f} s", f.time));
    }
    if (f.angles.size() != foot.joints.size() || f.rates.size() != foot.joints.size()) {
      fail("an angle and a rate for every joint are needed");
    }
    if (k > 0 && !(f.time > s.frames[k - 1].time)) fail("times must increase");
  }
  for (const FootPressureFrame& p : s.pressure) {
    if (p.frame >= s.frames.size()) fail("a picture of its pressure belongs to none of its frames");
    if (p.pressure.size() != static_cast<size_t>(s.grid.cells())) {
      fail(fmt::format("a picture of its pressure has {} cells, its grid {}", p.pressure.size(),
                       s.grid.cells()));
    }
    for (const double value : p.pressure) {
      if (!std::isfinite(value) || value < 0) fail("its pressures must be finite and not negative");
    }
  }
}

void check_all(const FootModel& start, const std::vector<FootStance>& stances,
               const FootFitSettings& settings) {
  check(start);
  if (stances.empty()) throw InputError("foot: there is no stance to fit to");
  if (settings.knots < 4) throw InputError("foot: splines need at least 4 knots");
  if (settings.contact && !(start.damping > 0)) {
    throw InputError("foot: the start value of damping must be positive, its logarithm is fitted");
  }
  for (const FootStance& s : stances) check_stance(start, s, settings.knots);
}

std::vector<FootInterval> make_intervals(const foot_detail::FootUnknowns& unknowns,
                                         const Eigen::VectorXd& x,
                                         const std::vector<double>& narrowing,
                                         const BoundedProblem& problem,
                                         const std::vector<bool>& at_bound) {
  Eigen::VectorXd low = x, high = x;
  for (size_t k = 0; k < narrowing.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    const double half = 1.96 * narrowing[k];
    low[at] = std::max(x[at] - half, problem.lower[at]);
    high[at] = std::min(x[at] + half, problem.upper[at]);
  }
  // Each number hangs on its own variable alone.
  const std::vector<double> value = list_foot_parameters(unknowns.make_foot(x.data()));
  const std::vector<double> least = list_foot_parameters(unknowns.make_foot(low.data()));
  const std::vector<double> most = list_foot_parameters(unknowns.make_foot(high.data()));
  std::vector<FootInterval> out;
  for (size_t k = 0; k < value.size(); ++k) {
    out.push_back({value[k], least[k], most[k], at_bound[k]});
  }
  return out;
}

// From the foot `begin`, which the priors do not know.
FootFit fit_from(const FootModel& start, const FootModel& begin,
                 const std::vector<FootStance>& stances, const FootFitSettings& settings) {
  const auto clock = std::chrono::steady_clock::now();
  foot_detail::FootResiduals residuals(start, stances, settings);
  const foot_detail::FootUnknowns& unknowns = residuals.unknowns();
  FootFit fit;
  Eigen::VectorXd x = unknowns.make_x(begin);
  if (unknowns.size() > 0) {
    BoundedProblem problem;
    problem.residuals = residuals.rows();
    problem.start = x;
    unknowns.set_bounds(&problem.lower, &problem.upper);
    problem.evaluate = [&](const double* at, double* r, double* jacobian) {
      return residuals.evaluate(at, r, jacobian);
    };
    BoundedOptions options;
    options.iterations = settings.iterations;
    options.cost_tolerance = settings.tolerance;
    options.precise = settings.tolerance < 1e-8;
    options.stop = settings.stop;
    const BoundedSolution solution = minimise(problem, options);
    x = solution.x;
    fit.cost = solution.cost;
    fit.history = solution.history;
    fit.converged = solution.converged;
    fit.message = solution.message;
    if (unknowns.contact() > 0) {
      foot_detail::FootIntervals intervals =
          foot_detail::calc_intervals(x, name_foot_parameters(start), &residuals);
      fit.narrowing = std::move(intervals.narrowing);
      fit.correlations = std::move(intervals.correlations);
      fit.intervals = make_intervals(unknowns, x, fit.narrowing, problem, solution.at_bound);
    }
  }
  fit.foot = unknowns.make_foot(x.data());
  fit.plates = unknowns.make_plates(x.data());
  for (size_t s = 0; s < stances.size(); ++s) {
    fit.curves.push_back(unknowns.make_curves(x.data(), s));
    const FootStance stance = without_offset(stances[s], fit.plates);
    std::vector<FootFrame> frames = apply_curves(stance, fit.curves.back());
    if (settings.imposed) frames = impose_force(fit.foot, stance, std::move(frames));
    fit.errors.push_back(calc_errors(fit.foot, stance, frames, settings));
  }
  fit.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
  return fit;
}

// Every number moved by up to `spread` spreads, within its bounds.
FootModel move_start(const FootModel& start, const FootPriors& priors, double spread,
                     std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-spread, spread);
  const auto vector = [&](const Vec3d& size) -> Vec3d {
    const double x = unit(random), y = unit(random), z = unit(random);
    return size.cwiseProduct(Vec3d(x, y, z));
  };
  FootModel foot = start;
  foot.stiffness *= std::exp(priors.log_stiffness * unit(random));
  foot.damping *= std::exp(priors.log_damping * unit(random));
  for (FootEllipsoid& e : foot.ellipsoids) {
    e.radii = (e.radii + vector(priors.radii)).cwiseMax(0.3 * e.radii);
    e.position += vector(priors.position);
    e.angles += vector(priors.angles);
  }
  return foot;
}

}  // namespace

std::vector<std::string> name_foot_parameters(const FootModel& foot) {
  std::vector<std::string> names{"stiffness", "damping"};
  for (const FootEllipsoid& e : foot.ellipsoids) {
    for (const char* group : {"radii", "position", "angles"}) {
      for (const char* axis : {"x", "y", "z"}) {
        names.push_back(fmt::format("{}.{}.{}", e.name, group, axis));
      }
    }
  }
  return names;
}

std::vector<double> list_foot_parameters(const FootModel& foot) {
  std::vector<double> numbers{foot.stiffness, foot.damping};
  for (const FootEllipsoid& e : foot.ellipsoids) {
    for (const Vec3d* v : {&e.radii, &e.position, &e.angles}) {
      numbers.insert(numbers.end(), v->data(), v->data() + 3);
    }
  }
  return numbers;
}

FootModel settle(const FootModel& foot, const std::vector<FootStance>& stances,
                 const FootFitSettings& settings, bool moves_joints, bool* at_limit) {
  size_t frames = 0;
  for (const FootStance& s : stances) {
    check_stance(foot, s, settings.knots);
    frames += s.frames.size();
  }
  const auto moved = [&](const double* x) {
    const Pose<double> X{as_rotation_123({0.1 * x[1], 0, 0}), {0, 0.01 * x[2], 0.01 * x[0]}};
    FootModel other = foot;
    for (FootEllipsoid& e : other.ellipsoids) {
      if (e.segment != 0) continue;
      e.position = X * e.position;
      e.angles = as_angles_123(X.R_WB * as_rotation_123(e.angles));
    }
    for (FootJoint& joint : other.joints) {
      if (!moves_joints || joint.parent != 0) continue;
      joint.X_PF = {X.R_WB * joint.X_PF.R_WB, X * joint.X_PF.p_WB};
    }
    return other;
  };
  BoundedProblem problem;
  problem.residuals = static_cast<int>(3 * frames);
  problem.start = Eigen::VectorXd::Zero(3);
  problem.lower = Eigen::VectorXd::Constant(3, -3);  // 30 mm, 0.3 rad
  problem.upper = Eigen::VectorXd::Constant(3, 3);
  const auto residuals = [&](const double* x, double* r) {
    const FootModel other = moved(x);
    for (const FootStance& s : stances) {
      for (size_t f = 0; f < s.frames.size(); ++f, r += 3) {
        const FootLoad load = calc_foot_load(other, s.frames[f]);
        foot_detail::calc_frame_residuals(s, f, load, Eigen::Vector2d::Zero(), settings,
                                          static_cast<double>(frames), r);
      }
    }
  };
  problem.evaluate = [&](const double* x, double* r, double* jacobian) {
    residuals(x, r);
    if (jacobian == nullptr) return true;
    Eigen::Map<RowMatrix> J(jacobian, problem.residuals, 3);
    for (int k = 0; k < 3; ++k) {
      Eigen::Vector3d at(x[0], x[1], x[2]);
      Eigen::VectorXd high(problem.residuals), low(problem.residuals);
      constexpr double kStep = 1e-5;
      at[k] += kStep;
      residuals(at.data(), high.data());
      at[k] -= 2 * kStep;
      residuals(at.data(), low.data());
      J.col(k) = (high - low) / (2 * kStep);
    }
    return true;
  };
  // Deep enough to carry something: a foot in the air has no slope to follow.
  BoundedSolution best;
  best.cost = kInfinity;
  for (const double lift : {0.0, -1.0, -2.0}) {
    problem.start[0] = lift;
    const BoundedSolution one = minimise(problem);
    if (one.cost < best.cost) best = one;
  }
  if (at_limit != nullptr) *at_limit = std::abs(best.x[0]) > 2.99;
  return moved(best.x.data());
}

FootFit fit_foot(const FootModel& start, const std::vector<FootStance>& stances,
                 const FootFitSettings& settings) {
  check_all(start, stances, settings);
  return fit_from(start, start, stances, settings);
}

FootFits fit_foot(const FootModel& start, const std::vector<FootStance>& stances,
                  const FootFitSettings& settings, const FootStarts& starts) {
  check_all(start, stances, settings);
  if (starts.count < 1) throw InputError("foot: at least one start is needed");
  std::vector<FootFit> fits(static_cast<size_t>(starts.count));
  for_each_index(starts.count, calc_thread_count(starts.threads), [&](int k, int) {
    std::mt19937_64 random(starts.seed * 1000003 + static_cast<std::uint64_t>(k));
    const FootModel begin =
        k == 0 ? start : move_start(start, settings.priors, starts.spread, random);
    fits[static_cast<size_t>(k)] = fit_from(start, begin, stances, settings);
  });
  FootFits result;
  size_t best = 0;
  for (size_t k = 0; k < fits.size(); ++k) {
    result.costs.push_back(fits[k].cost);
    if (fits[k].cost < fits[best].cost) best = k;
  }
  result.best = std::move(fits[best]);
  return result;
}

}  // namespace vesica
