#include "vesica/identification/foot_with_friction.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "vesica/contact/contact_forces.h"
#include "vesica/error.h"
#include "vesica/identification/foot_residuals.h"
#include "vesica/math/parallel.h"

namespace vesica {
namespace {

constexpr double kStartCoefficient = 0.1;    // Table 5.4
constexpr double kSpeedOfTransition = 0.01;  // m/s
constexpr double kShearStep = 1e-6;          // of differences, in units of the unknowns

struct ShearAndMoment {
  Eigen::Vector2d shear = Eigen::Vector2d::Zero();
  double free_moment = 0;
};

ShearAndMoment calc_friction(const FootModel& foot, const FootFrame& frame, double mu) {
  BrownMcPhee<double> law;
  law.mu_d = law.mu_s = mu;
  law.v_t = kSpeedOfTransition;
  ShearAndMoment sum;
  FootLoad load = FootLoad::Zero();
  double about_origin = 0;
  for (size_t e = 0; e < foot.ellipsoids.size(); ++e) {
    const FootLoad own = calc_ellipsoid_load(foot, static_cast<int>(e), frame);
    if (!(own[0] > 0)) continue;
    FrictionForce<double> force;
    const FrictionInput<double> in = calc_friction_input(foot, static_cast<int>(e), frame);
    const double* const no_states = nullptr;
    double* const no_rates = nullptr;
    calc_friction_force(law, in, no_states, no_rates, &force);
    const Eigen::Vector2d f = force.f_t.head<2>();
    sum.shear += f;
    about_origin += force.spin_torque + (own[1] * f.y() - own[2] * f.x()) / own[0];
    load += own;
  }
  if (load[0] > 0) {
    sum.free_moment = about_origin - (load[1] * sum.shear.y() - load[2] * sum.shear.x()) / load[0];
  }
  return sum;
}

// Unknowns of the fit, then ln mu_d; residuals of the fit, then three rows a frame.
class FrictionBeside {
 public:
  FrictionBeside(const FootModel& start, const std::vector<FootStance>& stances,
                 const FootFitSettings& settings)
      : stance_(stances.front()), residuals_(start, stances, settings) {
    for (size_t f = 0; f < stance_.frames.size(); ++f) {
      largest_ = std::max(largest_, stance_.shear[f].norm());
      if (has_moment(f)) {
        largest_moment_ = std::max(largest_moment_, std::abs(stance_.free_moment[f]));
      }
    }
    if (!(largest_ > 0)) throw InputError(fmt::format("{}: it has no shear", stance_.name));
  }
  const foot_detail::FootUnknowns& unknowns() const { return residuals_.unknowns(); }
  int columns() const { return unknowns().size() + 1; }
  int rows() const { return residuals_.rows() + frame_rows(); }

  bool evaluate(const double* x, double* r, double* jacobian) {
    const int base = residuals_.rows(), n = unknowns().size();
    RowMatrix J(jacobian == nullptr ? 0 : base, n);
    if (!residuals_.evaluate(x, r, jacobian == nullptr ? nullptr : J.data())) return false;
    const Eigen::VectorXd here = calc_rows(x);
    Eigen::Map<Eigen::VectorXd>(r + base, frame_rows()) = here;
    if (jacobian == nullptr) return here.allFinite();
    Eigen::Map<RowMatrix> all(jacobian, rows(), columns());
    all.setZero();
    all.topLeftCorner(base, n) = J;
    for_each_index(columns(), calc_thread_count(0), [&](int k, int) {
      Eigen::VectorXd moved = Eigen::Map<const Eigen::VectorXd>(x, columns());
      moved[k] += kShearStep;
      all.col(k).tail(frame_rows()) = (calc_rows(moved.data()) - here) / kShearStep;
    });
    return all.allFinite();
  }
  double coefficient(const double* x) const {
    return kStartCoefficient * std::exp(x[unknowns().size()]);
  }
  ShearErrors calc_errors(const double* x) const {
    std::vector<Eigen::Vector2d> shear;
    std::vector<double> moment;
    for (const ShearAndMoment& one : simulate(x)) {
      shear.push_back(one.shear);
      moment.push_back(one.free_moment);
    }
    return calc_shear_errors(stance_, shear, moment);
  }

 private:
  int frame_rows() const { return 3 * static_cast<int>(stance_.frames.size()); }
  bool has_moment(size_t f) const {
    return f < stance_.free_moment.size() && std::isfinite(stance_.free_moment[f]);
  }
  std::vector<ShearAndMoment> simulate(const double* x) const {
    const FootModel foot = unknowns().make_foot(x);
    std::vector<ShearAndMoment> out;
    for (const FootFrame& frame : apply_curves(stance_, unknowns().make_curves(x, 0))) {
      out.push_back(calc_friction(foot, frame, coefficient(x)));
    }
    return out;
  }
  Eigen::VectorXd calc_rows(const double* x) const {
    const std::vector<ShearAndMoment> simulated = simulate(x);
    const double scale = 1 / std::sqrt(static_cast<double>(simulated.size()));
    Eigen::VectorXd rows = Eigen::VectorXd::Zero(frame_rows());
    for (size_t f = 0; f < simulated.size(); ++f) {
      const auto at = 3 * static_cast<Eigen::Index>(f);
      rows.segment<2>(at) = scale / largest_ * (simulated[f].shear - stance_.shear[f]);
      if (has_moment(f) && largest_moment_ > 0) {
        rows[at + 2] =
            scale / largest_moment_ * (simulated[f].free_moment - stance_.free_moment[f]);
      }
    }
    return rows;
  }

  const FootStance& stance_;
  foot_detail::FootResiduals residuals_;
  double largest_ = 0, largest_moment_ = 0;
};

}  // namespace

FootFrictionRun fit_with_friction(const FootModel& start, const FootStance& stance,
                                  const FootFitSettings& settings) {
  if (stance.shear.size() != stance.frames.size()) {
    throw InputError(fmt::format("{}: its shear was not measured", stance.name));
  }
  const auto clock = std::chrono::steady_clock::now();
  const std::vector<FootStance> stances{stance};
  FrictionBeside beside(start, stances, settings);
  BoundedProblem problem;
  problem.residuals = beside.rows();
  problem.start = Eigen::VectorXd::Zero(beside.columns());
  problem.start.head(beside.columns() - 1) = beside.unknowns().make_x(start);
  Eigen::VectorXd lower, upper;
  beside.unknowns().set_bounds(&lower, &upper);
  problem.lower = Eigen::VectorXd::Constant(beside.columns(), -3);  // 0.005 to 2
  problem.upper = Eigen::VectorXd::Constant(beside.columns(), 3);
  problem.lower.head(lower.size()) = lower;
  problem.upper.head(upper.size()) = upper;
  problem.evaluate = [&](const double* x, double* r, double* jacobian) {
    return beside.evaluate(x, r, jacobian);
  };
  BoundedOptions options;
  options.iterations = settings.iterations;
  options.cost_tolerance = 1e-5;
  options.precise = false;
  options.stop = settings.stop;
  const BoundedSolution solution = minimise(problem, options);

  FootFrictionRun run;
  run.fit.foot = beside.unknowns().make_foot(solution.x.data());
  run.fit.curves = {beside.unknowns().make_curves(solution.x.data(), 0)};
  run.fit.cost = solution.cost;
  run.fit.history = solution.history;
  run.fit.converged = solution.converged;
  run.fit.message = solution.message;
  run.fit.errors = {
      calc_errors(run.fit.foot, stance, apply_curves(stance, run.fit.curves[0]), settings)};
  run.shear = beside.calc_errors(solution.x.data());
  run.coefficient = beside.coefficient(solution.x.data());
  run.fit.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
  return run;
}

}  // namespace vesica
