#include "vesica/markers/identify.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "vesica/error.h"
#include "vesica/markers/branches.h"
#include "vesica/markers/parameter_step.h"
#include "vesica/markers/start.h"

namespace vesica::markers {
namespace {

// Of poses that the iteration over all frames begins with.
constexpr double kStartAccuracy = 1e-4;  // rad

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Evaluation with the priors in it.
Evaluation evaluate(AllFrames& frames, const Eigen::VectorXd& d, Curvature curvature,
                    double damping) {
  Evaluation e = frames.evaluate(d, curvature, damping);
  Eigen::VectorXd gradient, curvature_d;
  e.objective += calc_prior(frames.model(), d, &gradient, &curvature_d);
  e.gradient += gradient;
  e.L_d += gradient;
  e.schur.diagonal() += curvature_d;
  return e;
}

double max_abs(const Eigen::VectorXd& v) { return v.size() == 0 ? 0 : v.cwiseAbs().maxCoeff(); }

// The objective of a perfect fit in doubles: every residual is known to a few units in the last
// place of the marker's coordinates.
double calc_objective_floor(const AllFrames& frames) {
  double sum = 0;
  const auto markers = static_cast<int>(frames.model().markers.size());
  for (int k = 0; k < frames.frame_count(); ++k) {
    const Frame f = frames.frame(k);
    for (int m = 0; m < markers; ++m) {
      if (f.weights[m] > 0) sum += f.weights[m] * f.positions[m].squaredNorm();
    }
  }
  constexpr double kUlps = 8 * 1.1e-16;
  return 0.5 * kUlps * kUlps * sum;
}

// Backtracking on the merit function. Trial points are put back onto the constraints, so that the
// merit, objective plus penalty times |Phi|, is the objective itself. Returns the step, 0 if none
// helps.
double search_line(AllFrames& frames, Eigen::VectorXd& d, const Eigen::VectorXd& dd,
                   double objective, double slope, double floor) {
  // Objective differences below this are round-off of the sums.
  const double noise = 1e-14 * objective + floor;
  const Model& model = frames.model();
  double step = 1;
  for (int k = 0; k < 12; ++k, step *= 0.5) {
    const Eigen::VectorXd trial = d + step * dd;
    const double value = frames.try_step(d, dd, step) + calc_prior(model, trial, nullptr, nullptr);
    if (std::isfinite(value) && value <= objective + 1e-4 * step * slope + noise) {
      frames.accept_step();
      d = trial;
      return step;
    }
  }
  return 0;
}

// Tukey's loss is blind to what is far off, and before poses are known everything is. Huber's
// optimum is where it begins.
void start_with_huber(const Model& model, const std::vector<Trial>& trials, Options options,
                      Identification& out) {
  Model huber = model;
  huber.loss.type = LossType::kHuber;
  AllFrames frames(huber, trials, options.threads);
  solve_frames(frames, out.d, kStartAccuracy);
  options.tolerance = 1e-5;
  options.progress = nullptr;
  solve_all_frames(frames, out.d, options);
  for (int k = 0; k < frames.frame_count(); ++k) {
    std::copy_n(frames.poses(k), model.segments.size(), out.frames.poses(k));
  }
}

}  // namespace

double calc_prior(const Model& model, const Eigen::VectorXd& d, Eigen::VectorXd* gradient,
                  Eigen::VectorXd* curvature) {
  if (gradient) gradient->setZero(d.size());
  if (curvature) curvature->setZero(d.size());
  double sum = 0;
  for (int k = 0; k < d.size(); ++k) {
    const Parameter& p = model.parameters[k];
    if (!std::isfinite(p.prior_sd)) continue;
    const double w = model.marker_sd * model.marker_sd / (p.prior_sd * p.prior_sd);
    const double x = d[k] - p.prior_mean;
    sum += 0.5 * w * x * x;
    if (gradient) (*gradient)[k] = w * x;
    if (curvature) (*curvature)[k] = w;
  }
  return sum;
}

Summary solve_all_frames(AllFrames& frames, Eigen::VectorXd& d, const Options& options) {
  Summary s;
  const auto begin = Clock::now();
  const Model& model = frames.model();
  Curvature curvature = Curvature::kGaussNewton;
  double damping = 0, last_kkt = 1e300;
  const double floor = calc_objective_floor(frames);
  int saddle_rounds = 0;
  frames.project(d);
  while (true) {
    const Evaluation e = evaluate(frames, d, curvature, damping);
    Eigen::MatrixXd S = e.schur;
    if (damping > 0) S.diagonal() *= 1 + damping;
    const ParameterStep step = calc_parameter_step(model, d, S, e.gradient, e.L_d);

    s.objective = e.objective;
    s.constraint = e.constraint;
    s.undetermined = step.undetermined;
    s.undetermined_frames = e.undetermined_frames;
    s.kkt_absolute = std::max({max_abs(step.kkt), e.kkt_frames, e.constraint});
    if (s.iterations.empty()) s.kkt_start = s.kkt_absolute;
    // Without constants the frames are solved before they come here, and the residual has nothing
    // to fall from: one marker that is a centimetre off is what it counts beside.
    const double least_scale = d.size() == 0 ? 0.01 : 0;
    const double scale = std::max({s.kkt_start, options.kkt_reference, e.L_d_size, least_scale});
    s.kkt_relative = scale > 0 ? s.kkt_absolute / scale : 0;
    if (options.progress) {
      options.progress(static_cast<int>(s.iterations.size()), s.objective, s.kkt_relative);
    }
    if (!std::isfinite(s.objective)) {
      s.message = "the objective is no number: a marker position or parameter is not finite";
      break;
    }
    if (options.stop && *options.stop) {
      s.interrupted = true;
      s.message = fmt::format("interrupted after {} iterations: relative KKT residual {:.2e}",
                              s.iterations.size(), s.kkt_relative);
      break;
    }
    // At round-off the residual stops falling: that is as converged as it gets.
    const bool stalled = s.kkt_relative <= 1e-12 && s.kkt_relative > 0.25 * last_kkt;
    const bool exact = s.objective <= floor;
    if (s.kkt_relative <= options.tolerance || stalled || exact) {
      if (curvature == Curvature::kGaussNewton && options.tolerance < 1e-6) {
        curvature = Curvature::kNewton;  // inertia needs the exact matrix
        last_kkt = 1e300;
        continue;
      }
      s.minimum = e.indefinite_frames == 0 && step.negative == 0;
      if (options.tolerance < 1e-6 && saddle_rounds < 3) {
        // Saddles show in the second derivatives; a segment caught in a minimum of its own shows
        // only in an error that its neighbours in time do not have.
        long moved = s.minimum ? 0 : leave_saddles(frames, d);
        s.saddle_frames += moved;
        long changed = 0;
        if (options.choose_branches) {
          auto branches = std::make_shared<Branches>(choose_branches(frames, d));
          changed = branches->moved;
          s.branches = std::move(branches);
        } else {
          changed = improve_outliers(frames, d);
        }
        s.branch_frames += changed;
        moved += changed;
        ++saddle_rounds;
        if (moved > 0) {
          s.branches.reset();
          last_kkt = 1e300;
          curvature = Curvature::kGaussNewton;
          continue;
        }
      }
      s.converged = true;
      break;
    }
    if (static_cast<int>(s.iterations.size()) >= options.max_iterations) {
      s.message = fmt::format(
          "no convergence in {} iterations: relative KKT residual {:.2e}; look at undetermined "
          "parameters and at markers with large errors, or allow more iterations",
          options.max_iterations, s.kkt_relative);
      break;
    }
    last_kkt = s.kkt_relative;

    const double slope = e.gradient.dot(step.dd) + e.frame_slope;
    const double taken = search_line(frames, d, step.dd, e.objective, slope, floor);
    s.iterations.push_back({e.objective, s.kkt_relative, taken, curvature == Curvature::kNewton,
                            e.indefinite_frames, step.negative});
    if (taken == 0) {
      if (s.kkt_relative <= 1e-10) {
        s.converged = true;
        s.minimum =
            curvature == Curvature::kNewton && e.indefinite_frames == 0 && step.negative == 0;
        break;
      }
      if (damping > 1e6) {
        s.message = fmt::format(
            "no step reduces the objective any more at a relative KKT residual "
            "of {:.2e}",
            s.kkt_relative);
        break;
      }
      damping = std::max(10 * damping, 1e-3);
      curvature = Curvature::kGaussNewton;
      continue;
    }
    damping = damping > 1e-6 ? 0.1 * damping : 0;
    // Newton once full steps promise less than a percent: far away its curvature misleads.
    const bool close = taken == 1 && -slope < 0.02 * e.objective;
    if (damping == 0 && (close || s.kkt_relative < 1e-4)) curvature = Curvature::kNewton;
  }
  s.seconds_solve = seconds_since(begin);
  return s;
}

Identification identify(const Model& model, const std::vector<Trial>& trials,
                        const Options& options) {
  Summary notes;
  std::vector<std::string> redundant;
  calc_free_directions(model, &redundant);
  for (const std::string& name : redundant) {
    notes.warnings.push_back(
        fmt::format("relation '{}' follows from the other relations; it has no effect", name));
  }
  Identification out{model.start_values(), AllFrames(model, trials, options.threads), {}, {}, {}};
  if (out.frames.frame_count() == 0) throw InputError("the trials have no frames");

  const auto begin = Clock::now();
  Options solve_options = options;
  Start start;
  if (options.find_start) {
    start = find_start(out.frames, options.start_frames, options.stop);
    out.d = start.d;
    solve_options.kkt_reference = std::max(options.kkt_reference, start.kkt);
  }
  out.d = project_parameters(model, out.d);
  if (model.loss.type == LossType::kTukey) {
    start_with_huber(model, trials, solve_options, out);
  } else {
    solve_frames(out.frames, out.d, out.d.size() == 0 ? 1e-13 : kStartAccuracy);
  }
  if (options.choose_branches) choose_branches(out.frames, out.d);
  const double seconds_start = seconds_since(begin);

  out.summary = solve_all_frames(out.frames, out.d, solve_options);
  out.summary.seconds_start = seconds_start;
  out.summary.start_iterations = start.iterations;
  out.summary.starts = start.attempts;
  out.summary.starts_alike = start.reached;
  if (start.attempts > 0 && start.reached < 2) {
    out.summary.warnings.push_back(fmt::format(
        "not the only minimum: {} starts found several, and the best of them {}; give the model "
        "start values that are nearer, priors or bounds, and look at markers with large errors",
        start.attempts, start.reached == 1 ? "once" : "with segments turned around"));
  }
  out.summary.warnings.insert(out.summary.warnings.begin(), notes.warnings.begin(),
                              notes.warnings.end());
  evaluate_solution(out);
  return out;
}

void evaluate_solution(Identification& id) {
  id.newton = evaluate(id.frames, id.d, Curvature::kNewton, 0);
  id.gauss_newton = evaluate(id.frames, id.d, Curvature::kGaussNewton, 0);
}

}  // namespace vesica::markers
