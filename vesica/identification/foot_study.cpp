#include "vesica/identification/foot_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "vesica/identification/foot_anchor.h"
#include "vesica/identification/foot_baselines.h"
#include "vesica/identification/foot_spheres.h"
#include "vesica/identification/foot_study_file.h"
#include "vesica/identification/foot_with_friction.h"
#include "vesica/math/gravity.h"
#include "vesica/math/parallel.h"

namespace vesica {
namespace {

using Entry = FootTrials::Entry;
using Entries = std::vector<const Entry*>;
using foot_detail::FootPlan;
using Tell = std::function<void(double)>;

constexpr double kSameSpeed = 0.07;  // share by which a walk may be faster or slower

// One side of a study, while it is made.
struct Side {
  const FootPlan& plan;
  Foot foot;
  std::string name;
  Entries calibrating, others;
  FootModel start;
  FootAnchor anchor;
  double speed = 0;  // mean of the calibrating walks

  Entries all_but_first() const {
    Entries rest(calibrating.begin() + 1, calibrating.end());
    rest.insert(rest.end(), others.begin(), others.end());
    return rest;
  }
};

// Anchored, as whatever is blind sees them.
std::vector<FootStance> anchored(const Side& side, const Entries& entries) {
  std::vector<FootStance> out;
  for (const Entry* e : entries) out.push_back(side.anchor.apply(e->stance));
  return out;
}

std::vector<FootStance> stances_of(const Entries& entries) {
  std::vector<FootStance> out;
  for (const Entry* e : entries) out.push_back(e->stance);
  return out;
}

FootResult make_result(const Entry& e, const FootErrors& errors, const std::string& what = {}) {
  return {e.trial, name_of(e.side), e.begin, e.end, e.speed, what, errors};
}

FootCurveSet make_curves(const FootStance& stance, const FootResult& result,
                         const std::string& kind, const FootModel& foot,
                         const std::vector<FootFrame>& frames, const FootFitSettings& settings) {
  FootCurveSet set;
  set.result = result;
  set.kind = kind;
  set.measured = stance.force;
  set.measured_cop = stance.cop;
  set.foot = foot;
  set.frames = frames;
  set.grid = stance.grid;
  for (size_t f = 0; f < frames.size(); ++f) {
    const FootLoad load = calc_foot_load(foot, frames[f]);
    set.times.push_back(stance.frames[f].time);
    set.simulated.push_back(load[0]);
    set.simulated_cop.push_back(load[0] > 20 ? Eigen::Vector2d(load.tail<2>() / load[0])
                                             : Eigen::Vector2d::Constant(kMissing));
  }
  for (const size_t k : choose_pictures(stance, settings)) {
    FootPressureFrame simulated{stance.pressure[k].frame, {}};
    calc_foot_pressure(foot, frames[simulated.frame], stance.grid, &simulated.pressure);
    set.measured_pressure.push_back(stance.pressure[k]);
    set.simulated_pressure.push_back(std::move(simulated));
  }
  return set;
}

void add_parameters(const Side& side, const FootFit& fit, FootStudy* study) {
  const std::vector<std::string> names = name_foot_parameters(side.start);
  const std::vector<double> start = list_foot_parameters(side.start);
  // A synthetic study's; a foot with more ellipsoids than it was made with has no truth.
  std::vector<double> truth;
  if (side.plan.truth) truth = list_foot_parameters(*side.plan.truth);
  if (truth.size() != names.size()) truth.assign(names.size(), kMissing);
  for (size_t k = 0; k < fit.intervals.size(); ++k) {
    const FootInterval& interval = fit.intervals[k];
    const size_t group = k < 2 ? 0 : (k - 2) % 9;
    const char* unit = k == 0 ? "N/m^3" : k == 1 ? "s/m" : group < 6 ? "m" : "rad";
    study->parameters.push_back({side.name, names[k], unit, interval.value, start[k], interval.low,
                                 interval.high, fit.narrowing[k] < 0.5 && !interval.at_bound,
                                 interval.at_bound, truth[k]});
  }
}

// What the data cannot determine, in words.
void add_undetermined(const Side& given, const FootFit& fit, const FootPriors& priors,
                      FootStudy* study) {
  const std::string& side = given.name;
  const std::vector<std::string> names = name_foot_parameters(given.start);
  std::string open, bound;
  int count = 0, bounds = 0;
  for (size_t k = 0; k < fit.narrowing.size(); ++k) {
    if (fit.intervals[k].at_bound) {
      bound += (bounds++ > 0 ? ", " : "") + names[k];
    } else if (!(fit.narrowing[k] < 0.5)) {
      open += (count++ > 0 ? ", " : "") + names[k];
    }
  }
  if (count > 0) {
    study->undetermined.push_back(fmt::format(
        "{} foot: {} of {} numbers are {}: {}", side, count, names.size(),
        priors.weight > 0 ? "what the prior says rather than the data"
                          : "not determined by the data, and there is no prior",
        open));
  }
  if (bounds > 0) {
    study->undetermined.push_back(fmt::format(
        "{} foot: {} of {} numbers ended on a bound of the fit, where the data would go farther: "
        "{}",
        side, bounds, names.size(), bound));
  }
  constexpr size_t kMost = 5;
  for (size_t k = 0; k < std::min(kMost, fit.correlations.size()); ++k) {
    const FootCorrelation& c = fit.correlations[k];
    study->undetermined.push_back(
        fmt::format("{} foot: {} and {} can be exchanged for each other (correlation {:.2f})", side,
                    c.first, c.second, c.value));
  }
}

// A fit that did not settle, told by its name.
void note_end(const Side& side, const std::string& name, const FootFit& fit, FootStudy* study) {
  if (fit.converged) return;
  study->converged = false;
  study->remarks.push_back(fmt::format(
      "{} foot: the {} fit has not settled after {} steps (its cost {:.4g}, {:.2g} % less in the "
      "last ten): raise `iterations`, or hold it by more `prior_weight`",
      side.name, name, fit.history.empty() ? 0 : fit.history.size() - 1, fit.cost,
      fit.history.size() > 10 ? 100 * (fit.history[fit.history.size() - 11] / fit.cost - 1) : 0.0));
}

// What a fit that was cut short says is not written: it would pass for a result.
bool was_stopped(const FootFitSettings& settings) { return settings.stop && settings.stop(); }

FootLargestCorrection find_largest(const std::string& side, const FootStance& stance,
                                   const std::vector<FootFrame>& corrected) {
  FootLargestCorrection largest{side, {}, {}};
  for (size_t f = 0; f < corrected.size(); ++f) {
    const Pose<double>&from = stance.frames[f].foot.X_WB, &to = corrected[f].foot.X_WB;
    const Eigen::AngleAxisd turn(to.R_WB * from.R_WB.transpose());
    largest.shift = largest.shift.cwiseMax((to.p_WB - from.p_WB).cwiseAbs());
    largest.turn = largest.turn.cwiseMax((turn.angle() * turn.axis()).cwiseAbs());
  }
  return largest;
}

// As the source: one stance, with corrections; then the others with the contact frozen.
FootFit calibrate(const Side& side, const FootFitSettings& settings, FootStudy* study) {
  const Entry& first = *side.calibrating.front();
  const FootFits fits = fit_foot(side.start, {first.stance}, settings, side.plan.starts);
  const FootFit& one = fits.best;
  if (was_stopped(settings)) return one;
  note_end(side, "calibration", one, study);
  study->calibration.push_back(make_result(first, one.errors[0]));
  study->curves.push_back(make_curves(first.stance, study->calibration.back(), "calibration",
                                      one.foot, apply_curves(first.stance, one.curves[0]),
                                      settings));
  study->corrections.push_back(
      find_largest(side.name, first.stance, apply_curves(first.stance, one.curves[0])));
  study->history.push_back({side.name + " calibration", one.history});
  if (fits.costs.size() > 1) study->starts.push_back({side.name + " calibration", fits.costs});
  return one;
}

// The source's three runs of the same stance; where there was no mat, those that need none.
void add_source_runs(const Side& side, const FootFit& calibration, const FootFitSettings& settings,
                     FootStudy* study) {
  const FootStance& stance = side.calibrating.front()->stance;
  const auto add = [&](const char* name, const FootFit& fit, const FootErrors& published) {
    study->source_runs.push_back(
        {side.name, name, {fit.errors[0]}, {published}, kMissing, fit.seconds, fit.foot});
  };
  const bool mat = !stance.pressure.empty() && settings.pressure_weight > 0;
  if (side.plan.dynamics && stance.shear.size() == stance.frames.size()) {
    const FootFrictionRun run = fit_with_friction(side.start, stance, settings);
    if (was_stopped(settings)) return;
    add(mat ? "with friction (Table 5.5)" : "with friction, no pressure (Table 5.5)", run.fit,
        {.force = 0.115, .cop = 0.050, .pressure = mat ? 0.517 : kMissing});
    FootSourceRun& added = study->source_runs.back();
    added.errors.friction = run.shear.of_largest;
    added.errors.free_moment = run.shear.free_moment;
    added.published.friction = 0.265;
    added.published.free_moment = 0.142;
    added.coefficient = run.coefficient;
  }
  const FootErrors without_pressure{.force = 0.027, .cop = 0.018, .pressure = 0.702};
  if (!mat) return add("without friction or pressure (Table 5.9)", calibration, without_pressure);
  add("without friction (Table 5.7)", calibration,
      {.force = 0.034, .cop = 0.032, .pressure = 0.339});
  FootFitSettings without = settings;
  without.pressure_weight = 0;
  const FootFit fit = fit_foot(side.start, {stance}, without);
  if (was_stopped(settings)) return;
  add("without friction or pressure (Table 5.9)", fit, without_pressure);
}

void add_refits(const Side& side, const FootModel& contact, const FootFitSettings& settings,
                FootStudy* study) {
  FootFitSettings frozen = settings;
  frozen.contact = false;
  const Entries rest = side.all_but_first();
  std::vector<std::optional<FootFit>> fits(rest.size()), placebos(rest.size());
  const auto fit = [&](const FootStance& stance, std::optional<FootFit>* to) {
    if (was_stopped(settings)) return;
    FootFit one = fit_foot(contact, {stance}, frozen);
    if (!was_stopped(settings)) *to = std::move(one);
  };
  for_each_index(static_cast<int>(rest.size()), calc_thread_count(side.plan.threads),
                 [&](int k, int) {
                   const auto at = static_cast<size_t>(k);
                   const FootStance& stance = rest[at]->stance;
                   fit(stance, &fits[at]);
                   fit(make_placebo(stance, "reversed"), &placebos[at]);
                 });
  const auto open = [](const std::vector<std::optional<FootFit>>& all) {
    return std::count_if(all.begin(), all.end(),
                         [](const auto& one) { return one && !one->converged; });
  };
  if (open(fits) + open(placebos) > 0) {
    study->remarks.push_back(fmt::format(
        "{} foot: of {} refits {} have not settled, of their placebos {}", side.name, rest.size(),
        open(fits), open(placebos)));
  }
  for (size_t k = 0; k < rest.size(); ++k) {
    if (fits[k]) study->refitted.push_back(make_result(*rest[k], fits[k]->errors[0]));
    if (!placebos[k]) continue;
    study->placebo.push_back(make_result(*rest[k], placebos[k]->errors[0], "reversed, refitted"));
  }
}

void add_placebos(const Side& side, const FootFitSettings& settings, FootStudy* study) {
  const Entry& first = *side.calibrating.front();
  for (const char* what : {"reversed", "three_humps"}) {
    const FootFit fit =
        fit_foot(side.start, {make_placebo(first.stance, what)}, settings, side.plan.starts).best;
    if (was_stopped(settings)) return;
    note_end(side, fmt::format("placebo ({})", what), fit, study);
    study->placebo.push_back(make_result(first, fit.errors[0], what));
  }
}

// Friction, forward dynamics and files of the blind contact.
void add_dynamics(const Side& side, const FootFit& blind, const FootFitSettings& settings,
                  FootStudy* study) {
  FootDynamicsInput in;
  in.side = side.name;
  in.foot = blind.foot;
  in.curves = blind.curves[0];
  in.settings = settings;
  in.stop = settings.stop;
  in.mass = 0.0137 * side.plan.trials.weight / kStandardGravity;
  in.fits_forward = side.plan.fits_forward;
  std::vector<FootStance> stances;
  for (const Entries* some : {&side.calibrating, &side.others}) {
    for (const Entry* e : *some) {
      stances.push_back(without_offset(side.anchor.apply(e->stance), blind.plates));
    }
  }
  for (size_t k = 0; k < stances.size(); ++k) {
    const bool calibrates = k < side.calibrating.size();
    const Entry& e = calibrates ? *side.calibrating[k] : *side.others[k - side.calibrating.size()];
    (calibrates ? in.calibrating : in.others).push_back({e.trial, &stances[k]});
  }
  const size_t before = study->dynamics.verdicts.size();
  run_foot_dynamics(in, &study->dynamics);
  const auto& told = study->dynamics.verdicts;
  study->remarks.insert(study->remarks.end(), told.begin() + static_cast<std::ptrdiff_t>(before),
                        told.end());
}

// All calibrating stances, one toe curve, no corrections; then the others as they come.
void add_blind(const Side& side, const FootFitSettings& joint, FootStudy* study) {
  const FootFits fits =
      fit_foot(side.start, anchored(side, side.calibrating), joint, side.plan.starts);
  const FootFit& blind = fits.best;
  if (was_stopped(joint)) return;
  note_end(side, "blind", blind, study);
  for (size_t k = 0; k < side.calibrating.size(); ++k) {
    study->joint.push_back(make_result(*side.calibrating[k], blind.errors[k]));
  }
  study->history.push_back({side.name + " blind", blind.history});
  if (fits.costs.size() > 1) study->starts.push_back({side.name + " blind", fits.costs});
  (side.foot == Foot::kLeft ? study->left : study->right) = blind.foot;
  add_parameters(side, blind, study);
  add_undetermined(side, blind, joint.priors, study);
  for (size_t k = 0; k < blind.plates.offsets.size(); ++k) {
    const Vec3d mm = 1e3 * (blind.plates.offsets[k] - blind.plates.mean);
    if (mm.norm() < 0.05) continue;
    study->remarks.push_back(fmt::format(
        "{} foot: plate {} {}puts the centre of pressure {:.1f} mm outward and {:.1f} "
        "mm forward, against the others; that is taken off",
        side.name, k + 1,
        std::abs(mm.z()) < 0.05 ? "" : fmt::format("stands {:.1f} mm high, and ", mm.z()), mm.x(),
        mm.y()));
  }
  std::vector<FootStance> training = anchored(side, side.calibrating);
  for (FootStance& s : training) s = without_offset(std::move(s), blind.plates);
  const FootMeanCurve mean(training);
  for (const Entry* e : side.others) {
    const FootStance stance = without_offset(side.anchor.apply(e->stance), blind.plates);
    const std::vector<FootFrame> frames = apply_curves(stance, blind.curves[0]);
    study->blind.push_back(make_result(*e, calc_errors(blind.foot, stance, frames, joint)));
    study->curves.push_back(
        make_curves(stance, study->blind.back(), "blind", blind.foot, frames, joint));
    study->mean_curve.push_back(make_result(*e, calc_errors(stance, mean.foretell(stance), joint)));
  }
  if (side.plan.dynamics) add_dynamics(side, blind, joint, study);
  if (!side.plan.spheres) return;
  const SphereFit six = fit_spheres(make_six_spheres(side.start), training, joint);
  if (was_stopped(joint)) return;
  for (const Entry* e : side.others) {
    const FootStance stance = without_offset(side.anchor.apply(e->stance), blind.plates);
    study->six_spheres.push_back(
        make_result(*e, calc_errors(stance, simulate_stance(six, stance), joint)));
  }
}

// Stances whose force, or whose point of action, runs backward.
std::vector<FootStance> reverse_all(std::vector<FootStance> stances, bool imposed) {
  for (FootStance& s : stances) s = imposed ? reverse_point(s) : make_placebo(s, "reversed");
  return stances;
}

// What the joint fits foretell of forces that were not measured.
void add_joint_placebo(const Side& side, const FootFitSettings& settings, FootStudy* study) {
  if (side.others.empty() && settings.imposed) return;
  const std::vector<FootStance> training =
      reverse_all(anchored(side, side.calibrating), settings.imposed);
  const FootFit fit = fit_foot(side.start, training, settings, side.plan.starts).best;
  if (was_stopped(settings)) return;
  note_end(side, settings.imposed ? "imposed placebo" : "blind placebo", fit, study);
  for (size_t k = 0; k < training.size() && !settings.imposed; ++k) {
    study->placebo.push_back(make_result(*side.calibrating[k], fit.errors[k], "reversed, joint"));
  }
  const std::vector<FootStance> unseen = reverse_all(anchored(side, side.others), settings.imposed);
  for (size_t k = 0; k < unseen.size(); ++k) {
    const FootStance stance = without_offset(unseen[k], fit.plates);
    std::vector<FootFrame> frames = apply_curves(stance, fit.curves[0]);
    if (settings.imposed) frames = impose_force(fit.foot, stance, std::move(frames));
    study->placebo.push_back(
        make_result(*side.others[k], calc_errors(fit.foot, stance, frames, settings),
                    settings.imposed ? "reversed, imposed" : "reversed, blind"));
  }
}

// Geometry from where the given force acts.
void add_imposed(const Side& side, const FootFitSettings& joint, FootStudy* study) {
  FootFitSettings settings = joint;
  settings.imposed = true;
  const FootFits fits =
      fit_foot(side.start, anchored(side, side.calibrating), settings, side.plan.starts);
  const FootFit& fit = fits.best;
  if (was_stopped(settings)) return;
  note_end(side, "imposed", fit, study);
  if (fits.costs.size() > 1) study->starts.push_back({side.name + " imposed", fits.costs});
  study->history.push_back({side.name + " imposed", fit.history});
  for (const Entry* e : side.others) {
    const FootStance stance = without_offset(side.anchor.apply(e->stance), fit.plates);
    const std::vector<FootFrame> frames =
        impose_force(fit.foot, stance, apply_curves(stance, fit.curves[0]));
    study->imposed.push_back(make_result(*e, calc_errors(fit.foot, stance, frames, settings)));
  }
  add_joint_placebo(side, settings, study);
}

struct KindOfResult {
  const char* name;
  std::vector<FootResult> FootStudy::*results;
};
constexpr KindOfResult kGrouped[] = {
    {"refitted", &FootStudy::refitted},     {"blind", &FootStudy::blind},
    {"mean_curve", &FootStudy::mean_curve}, {"six_spheres", &FootStudy::six_spheres},
    {"imposed", &FootStudy::imposed},
};

std::string speed_of(double speed, double usual) {
  if (speed > (1 + kSameSpeed) * usual) return "faster";
  return speed < (1 - kSameSpeed) * usual ? "slower" : "same";
}

// Means over stances of like speed.
void add_groups(const Side& side, FootStudy* study) {
  for (const KindOfResult& kind : kGrouped) {
    for (const char* speed : {"same", "faster", "slower"}) {
      FootGroup group{kind.name, side.name, speed, 0, {}};
      group.errors.pressure = 0;
      for (const FootResult& r : study->*kind.results) {
        if (r.side != side.name || speed_of(r.speed, side.speed) != speed) continue;
        ++group.stances;
        group.errors.force += r.errors.force;
        group.errors.cop += r.errors.cop;
        group.errors.pressure += r.errors.pressure;  // NaN where there was no mat
      }
      if (group.stances == 0) continue;
      group.errors.force /= group.stances;
      group.errors.cop /= group.stances;
      group.errors.pressure /= group.stances;
      study->groups.push_back(group);
    }
  }
}

struct MeanErrors {
  double force = kMissing, cop = kMissing;
};
MeanErrors calc_means(const std::vector<FootResult>& results, const std::string& side,
                      const std::string& placebo_of = {}) {
  MeanErrors sum{0, 0};
  int count = 0;
  for (const FootResult& r : results) {
    if (r.side != side || (!placebo_of.empty() && find_placebo_kind(r) != placebo_of)) continue;
    sum.force += r.errors.force;
    sum.cop += r.errors.cop;
    ++count;
  }
  return count > 0 ? MeanErrors{sum.force / count, sum.cop / count} : MeanErrors{};
}

// Errors that no foot makes whose recordings belong together; empty: there are none. Thirteen
// people: calibration up to 4 %, the others up to three times the mean curve.
std::string find_misfit(const std::string& side, const FootStudy& study) {
  constexpr double kCalibration = 0.1, kForetold = 0.3, kTimes = 4;
  const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
  const double fitted = calc_means(study.calibration, side).force;
  if (fitted > kCalibration) {
    return fmt::format("even with corrections one stance is met to {} only", percent(fitted));
  }
  const MeanErrors curve = calc_means(study.mean_curve, side);
  const double blind = calc_means(study.blind, side).force;
  if (blind > kForetold && blind > kTimes * curve.force) {
    return fmt::format("blind it errs by {} in force, the mean curve by {}", percent(blind),
                       percent(curve.force));
  }
  const double imposed = calc_means(study.imposed, side).cop;
  if (imposed > kForetold && imposed > kTimes * curve.cop) {
    return fmt::format("with its force given it errs by {} in where that acts, the mean curve by {}",
                       percent(imposed), percent(curve.cop));
  }
  return {};
}

// How many of the numbers that count as determined are what the stances were made with.
void add_truth_verdict(const std::string& side, FootStudy* study) {
  int held = 0, all = 0;
  for (const FootParameter& p : study->parameters) {
    if (p.side != side || !p.identifiable || !std::isfinite(p.truth)) continue;
    ++all;
    held += p.low <= p.truth && p.truth <= p.high ? 1 : 0;
  }
  if (all == 0) return;
  study->verdicts.push_back(
      fmt::format("{} foot: of the {} numbers that count as determined, the 95 % intervals of {} "
                  "hold what the stances were made with",
                  side, all, held));
}

void add_verdicts(const std::string& side, FootStudy* study) {
  const double fitted = calc_means(study->calibration, side).force;
  const double placebo = calc_means(study->placebo, side, "calibration").force;
  const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
  if (const std::string misfit = find_misfit(side, *study); !misfit.empty()) {
    study->verdicts.push_back(fmt::format(
        "{} foot: the recordings do not fit the model: {}; look at units, axes, labels, weight and "
        "whether markers and forces belong together, and at the remarks",
        side, misfit));
  } else if (placebo < 2 * fitted) {
    study->verdicts.push_back(
        fmt::format("{} foot: with motion corrections the motion does not determine the contact: "
                    "forces that were not measured fit it to {} (the measured one to {})",
                    side, percent(placebo), percent(fitted)));
  } else {
    study->verdicts.push_back(fmt::format(
        "{} foot: the corrected fit tells the measured force ({}) from made-up ones ({})", side,
        percent(fitted), percent(placebo)));
  }
  const double blind = calc_means(study->blind, side).force;
  const MeanErrors mean_curve = calc_means(study->mean_curve, side);
  const double mean = mean_curve.force;
  if (std::isnan(blind)) {
    study->verdicts.push_back(fmt::format("{} foot: no stance is left to foretell", side));
    return;
  }
  std::string verdict = fmt::format(
      "{} foot: blind, the contact foretells the force of other stances to {}; the mean curve, "
      "without any model, to {}: the model is {}",
      side, percent(blind), percent(mean), blind < mean ? "better" : "not better");
  const double spheres = calc_means(study->six_spheres, side).force;
  if (!std::isnan(spheres)) {
    verdict += fmt::format("; six spheres, fitted alike, to {}", percent(spheres));
  }
  const double reversed = calc_means(study->placebo, side, "blind").force;
  if (!std::isnan(reversed)) {
    verdict += fmt::format("; forces reversed in time, fitted and foretold alike, to {}: {}",
                           percent(reversed),
                           reversed > 1.2 * blind ? "the motion tells them from the measured ones"
                                                  : "the motion does not tell them apart");
  }
  study->verdicts.push_back(verdict);
  const MeanErrors imposed = calc_means(study->imposed, side);
  const double backward = calc_means(study->placebo, side, "imposed").cop;
  if (std::isnan(imposed.cop)) return;
  verdict = fmt::format(
      "{} foot: with its force given, the contact foretells where it acts to {} of 0.2 m; the mean "
      "curve to {}: the model is {}",
      side, percent(imposed.cop), percent(mean_curve.cop),
      imposed.cop < mean_curve.cop ? "better" : "not better");
  if (!std::isnan(backward)) {
    verdict += fmt::format("; points of action reversed in time to {}", percent(backward));
  }
  study->verdicts.push_back(verdict);
}

void run_side(Side& side, const std::function<bool()>& stop, const Tell& tell, FootStudy* study) {
  FootFitSettings source = side.plan.source, joint = side.plan.joint;
  source.stop = joint.stop = stop;
  const auto stopped = [&] { return stop && stop(); };
  const FootModel& given = side.foot == Foot::kLeft ? side.plan.start_left : side.plan.start_right;
  bool at_limit = false;
  // Of a made-up foot it is known where its markers sit.
  side.start = side.plan.truth
                   ? given
                   : settle(given, stances_of(side.calibrating), source, &at_limit);
  if (at_limit) {
    study->remarks.push_back(fmt::format(
        "{} foot: moved as a whole by as much as it may (30 mm, 0.3 rad), it does not yet stand on "
        "the floor: do the standing trial and the walks have the same zero?",
        side.name));
  }
  if (side.plan.anchor) side.anchor = FootAnchor(stances_of(side.calibrating));
  tell(0.02);
  const FootFit one = calibrate(side, source, study);
  tell(0.1);
  add_source_runs(side, one, source, study);
  tell(0.15);
  if (stopped()) return;
  add_refits(side, one.foot, source, study);
  tell(0.45);
  if (stopped()) return;
  add_placebos(side, source, study);
  tell(0.55);
  if (stopped()) return;
  add_blind(side, joint, study);
  tell(0.75);
  if (stopped()) return;
  add_joint_placebo(side, joint, study);
  tell(0.85);
  if (stopped()) return;
  add_imposed(side, joint, study);
  add_groups(side, study);
  add_verdicts(side.name, study);
  add_truth_verdict(side.name, study);
  tell(1);
}

}  // namespace

std::string find_placebo_kind(const FootResult& placebo) {
  for (const char* kind : {"refitted", "joint", "blind", "imposed"}) {
    if (placebo.what.ends_with(kind)) return kind;
  }
  return "calibration";
}

FootStudy foot_detail::run_foot_plan(const FootPlan& plan,
                                     const std::function<void(double)>& progress,
                                     const std::function<bool()>& stop) {
  const auto begin = std::chrono::steady_clock::now();
  FootStudy study;
  study.weight = plan.trials.weight;
  study.floor = plan.trials.floor;
  study.remarks = plan.trials.remarks;
  study.cop_threshold = plan.joint.cop_threshold;
  const auto needed = static_cast<size_t>(2 * std::max(plan.source.knots, plan.joint.knots));
  std::vector<Side> sides;
  for (const Foot foot : {Foot::kLeft, Foot::kRight}) {
    Side side{plan, foot, name_of(foot), {}, {}, {}, {}};
    for (const Entry& e : plan.trials.stances) {
      if (e.side != foot) continue;
      if (e.stance.frames.size() < needed) {
        study.remarks.push_back(fmt::format(
            "{}: {} stance at {:.2f} s is left out: its {} frames are too few for splines with {} "
            "knots",
            e.trial, side.name, e.begin, e.stance.frames.size(), needed / 2));
        continue;
      }
      (plan.calibrates(e) ? side.calibrating : side.others).push_back(&e);
    }
    if (side.calibrating.empty() && !side.others.empty()) {
      study.remarks.push_back(side.name + " foot: no stance in the trials to calibrate with");
    }
    if (side.calibrating.empty()) continue;
    for (const Entry* e : side.calibrating) {
      side.speed += e->speed / static_cast<double>(side.calibrating.size());
    }
    sides.push_back(std::move(side));
  }
  if (sides.empty()) {
    std::string why;
    for (const std::string& remark : study.remarks) why += "\n  " + remark;
    throw InputError(plan.place + ": none of these walks has a whole stance on a plate" + why);
  }
  for (size_t k = 0; k < sides.size(); ++k) {
    const auto tell = [&](double part) {
      if (progress) {
        progress((static_cast<double>(k) + part) / static_cast<double>(sides.size()));
      }
    };
    run_side(sides[k], stop, tell, &study);
  }
  study.interrupted = stop && stop();
  study.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return study;
}

FootStudy run_foot_study(const InputFile& file, const std::function<void(double)>& progress,
                         const std::function<bool()>& stop, int threads) {
  const auto begin = std::chrono::steady_clock::now();
  file.root().at("vesica").integer(1, 1);
  FootPlan plan = foot_detail::read_foot_plan(file);
  plan.threads = plan.starts.threads = threads;
  FootStudy study = foot_detail::run_foot_plan(plan, progress, stop);
  if (const auto title = file.root().find("title")) study.title = title->text();
  study.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return study;
}

}  // namespace vesica
