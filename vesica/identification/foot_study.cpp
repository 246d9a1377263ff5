#include "vesica/identification/foot_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "vesica/identification/foot_synthetic.h"
#include "vesica/io/load_motion.h"
#include "vesica/math/gravity.h"
#include "vesica/motion/trial_edit.h"

namespace vesica {
namespace {

using Entry = FootTrials::Entry;
using Entries = std::vector<const Entry*>;

// What a study file says.
struct Plan {
  FootTrials trials;
  std::vector<std::string> calibrate;
  FootFitSettings settings;
  FootModel start_left, start_right;
  bool dynamics = true, fits_forward = false;

  void set_dynamics(size_t choice) {
    dynamics = choice > 0;
    fits_forward = choice > 1;
  }
  bool calibrates(const Entry& e) const {
    return std::find(calibrate.begin(), calibrate.end(), e.trial) != calibrate.end();
  }
};

std::vector<FootStance> stances_of(const Entries& entries) {
  std::vector<FootStance> out;
  for (const Entry* e : entries) out.push_back(e->stance);
  return out;
}

FootResult make_result(const Entry& e, const FootErrors& errors, const std::string& what = {}) {
  return {e.trial, name_of(e.side), e.begin, e.end, what, errors};
}

// Mean curves over the phase of some stances: force over weight; centre of pressure in a frame that
// lies where the foot stands, along its length.
class MeanCurve {
 public:
  explicit MeanCurve(const Entries& entries) {
    for (const Entry* e : entries) {
      const Frame frame = make_frame(e->stance);
      for (int k = 0; k < kPhases; ++k) {
        double force = 0;
        Eigen::Vector2d cop;
        sample(e->stance, double(k) / (kPhases - 1), &force, &cop);
        force_[k] += force / e->stance.weight / static_cast<double>(entries.size());
        if (!cop.allFinite()) continue;
        cop_[k] += frame.R.transpose() * (cop - frame.origin);
        ++counts_[k];
      }
    }
    for (int k = 0; k < kPhases; ++k) {
      if (counts_[k] > 0) cop_[k] /= counts_[k];
    }
  }
  std::vector<FootLoad> foretell(const FootStance& stance) const {
    const Frame frame = make_frame(stance);
    std::vector<FootLoad> loads;
    for (size_t f = 0; f < stance.frames.size(); ++f) {
      const double at = stance.phase(f) * (kPhases - 1);
      const int k = std::min(static_cast<int>(at), kPhases - 2);
      const double part = at - k;
      const double force = stance.weight * ((1 - part) * force_[k] + part * force_[k + 1]);
      const bool both = counts_[k] > 0 && counts_[k + 1] > 0;
      const Eigen::Vector2d local =
          both ? Eigen::Vector2d((1 - part) * cop_[k] + part * cop_[k + 1]) : cop_[kPhases / 2];
      const Eigen::Vector2d cop = frame.origin + frame.R * local;
      loads.emplace_back(force, force * cop.x(), force * cop.y());
    }
    return loads;
  }

 private:
  static constexpr int kPhases = 101;
  struct Frame {
    Eigen::Vector2d origin;
    Eigen::Matrix2d R;
  };
  // Heel and direction of the foot from three to five tenths of the stance, when it is flat.
  static Frame make_frame(const FootStance& s) {
    Eigen::Vector2d origin = Eigen::Vector2d::Zero(), along = Eigen::Vector2d::Zero();
    int count = 0;
    for (size_t f = 0; f < s.frames.size(); ++f) {
      if (s.phase(f) < 0.3 || s.phase(f) > 0.5) continue;
      origin += s.frames[f].foot.X_WB.p_WB.head<2>();
      along += s.frames[f].foot.X_WB.R_WB.col(1).head<2>();
      ++count;
    }
    along.normalize();
    Frame frame{origin / count, {}};
    frame.R << along.y(), along.x(), -along.x(), along.y();
    return frame;
  }
  static void sample(const FootStance& s, double phase, double* force, Eigen::Vector2d* cop) {
    size_t f = 1;
    while (f + 1 < s.frames.size() && s.phase(f) < phase) ++f;
    const double part = (phase - s.phase(f - 1)) / (s.phase(f) - s.phase(f - 1));
    *force = (1 - part) * s.force[f - 1] + part * s.force[f];
    *cop = (1 - part) * s.cop[f - 1] + part * s.cop[f];
  }
  std::array<double, kPhases> force_{};
  std::array<Eigen::Vector2d, kPhases> cop_ = make_zeros();
  std::array<int, kPhases> counts_{};

  static std::array<Eigen::Vector2d, kPhases> make_zeros() {
    std::array<Eigen::Vector2d, kPhases> zeros;
    zeros.fill(Eigen::Vector2d::Zero());
    return zeros;
  }
};

FootStance make_placebo(const FootStance& stance, const std::string& what) {
  FootStance placebo = stance;
  if (what == "reversed") {
    std::reverse(placebo.force.begin(), placebo.force.end());
  } else {
    for (size_t f = 0; f < placebo.force.size(); ++f) {
      const double u = stance.phase(f);
      placebo.force[f] =
          stance.weight * std::sqrt(std::sin(M_PI * u)) * (0.85 - 0.25 * std::cos(6 * M_PI * u));
    }
  }
  return placebo;
}

FootCurveSet make_curves(const FootStance& stance, const FootResult& result,
                         const std::string& kind, const std::vector<FootLoad>& loads) {
  FootCurveSet set{result, kind, {}, stance.force, {}, stance.cop, {}};
  for (size_t f = 0; f < loads.size(); ++f) {
    set.times.push_back(stance.frames[f].time);
    set.simulated.push_back(loads[f][0]);
    set.simulated_cop.push_back(loads[f][0] > 20 ? Eigen::Vector2d(loads[f].tail<2>() / loads[f][0])
                                                 : Eigen::Vector2d::Constant(kMissing));
  }
  return set;
}

// The measured force given, the height solved for: what is left to foretell is where it acts.
std::vector<FootLoad> impose_force(const FootModel& foot, const FootStance& stance,
                                   const FootCurves& curves) {
  std::vector<FootLoad> loads;
  std::vector<FootFrame> frames = apply_curves(stance, curves);
  for (size_t f = 0; f < frames.size(); ++f) {
    if (!(stance.force[f] > 0)) {
      loads.push_back(FootLoad::Zero());
      continue;
    }
    FootFrame& frame = frames[f];
    frame.foot.X_WB.p_WB.z() += find_lift(foot, frame, stance.force[f]);
    frame.foot.V_WB = {};
    std::fill(frame.rates.begin(), frame.rates.end(), 0.0);
    loads.push_back(calc_foot_load(foot, frame));
  }
  return loads;
}

void add_parameters(const FootModel& start, const FootFit& fit, const FootPriors& priors,
                    const std::string& side, FootStudy* study) {
  const std::vector<std::string> names = name_foot_parameters(start);
  const auto add = [&](size_t k, const char* unit, double value, double from, double spread) {
    FootParameter p{side, names[k], unit, value, from, 0, false};
    if (k < fit.narrowing.size()) {
      p.standard_error = fit.narrowing[k] * spread;
      p.identifiable = fit.narrowing[k] < 0.5;
    }
    study->parameters.push_back(p);
  };
  add(0, "N/m^3", fit.foot.stiffness, start.stiffness, priors.log_stiffness * fit.foot.stiffness);
  add(1, "s/m", fit.foot.damping, start.damping, priors.log_damping * fit.foot.damping);
  for (size_t e = 0; e < start.ellipsoids.size(); ++e) {
    const FootEllipsoid &a = fit.foot.ellipsoids[e], &b = start.ellipsoids[e];
    for (int k = 0; k < 3; ++k) {
      const size_t first = 2 + 9 * e + static_cast<size_t>(k);
      add(first, "m", a.radii[k], b.radii[k], priors.radii[k]);
      add(first + 3, "m", a.position[k], b.position[k], priors.position[k]);
      add(first + 6, "rad", a.angles[k], b.angles[k], priors.angles[k]);
    }
  }
}

// Friction, forward dynamics and files of the blind contact.
void add_dynamics(const Plan& plan, const std::string& side, const FootFit& blind,
                  const Entries& calibrating, const Entries& others,
                  const std::function<bool()>& stop, FootStudy* study) {
  FootDynamicsInput in;
  in.side = side;
  in.foot = blind.foot;
  in.curves = blind.curves[0];
  in.settings = plan.settings;
  in.stop = stop;
  in.mass = 0.0137 * plan.trials.weight / kStandardGravity;
  in.fits_forward = plan.fits_forward;
  for (const Entry* e : calibrating) in.calibrating.push_back({e->trial, &e->stance});
  for (const Entry* e : others) in.others.push_back({e->trial, &e->stance});
  run_foot_dynamics(in, &study->dynamics);
}

double mean_force_error(const std::vector<FootResult>& results, const std::string& side) {
  double sum = 0;
  int count = 0;
  for (const FootResult& r : results) {
    if (r.side != side) continue;
    sum += r.errors.force;
    ++count;
  }
  return count > 0 ? sum / count : kMissing;
}

void add_verdicts(const std::string& side, FootStudy* study) {
  const double fitted = mean_force_error(study->calibration, side);
  const double placebo = mean_force_error(study->placebo, side);
  const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
  if (placebo < 2 * fitted) {
    study->verdicts.push_back(
        fmt::format("{} foot: with motion corrections the fit says nothing of the contact: forces "
                    "that were not "
                    "measured fit the same motion to {} (the measured one to {})",
                    side, percent(placebo), percent(fitted)));
  } else {
    study->verdicts.push_back(fmt::format(
        "{} foot: the corrected fit tells the measured force ({}) from made-up ones ({})", side,
        percent(fitted), percent(placebo)));
  }
  const double blind = mean_force_error(study->blind, side);
  const double mean = mean_force_error(study->mean_curve, side);
  if (std::isnan(blind)) {
    study->verdicts.push_back(fmt::format("{} foot: no stance is left to foretell", side));
  } else {
    study->verdicts.push_back(fmt::format(
        "{} foot: blind, the contact foretells the force of other stances to {}; the mean curve, "
        "without any model, to {}: the model is {}",
        side, percent(blind), percent(mean), blind < mean ? "better" : "not better"));
  }
}

using Tell = std::function<void(double)>;

void run_side(const Plan& plan, Foot foot, const std::function<bool()>& stop, const Tell& tell,
              FootStudy* study) {
  Entries calibrating, others;
  for (const Entry& e : plan.trials.stances) {
    if (e.side == foot) (plan.calibrates(e) ? calibrating : others).push_back(&e);
  }
  const std::string side = name_of(foot);
  if (calibrating.empty()) {
    if (!others.empty()) {
      study->remarks.push_back(side + " foot: no stance in the trials to calibrate with");
    }
    return;
  }
  FootFitSettings source = plan.settings;
  source.stop = stop;
  const FootModel given = foot == Foot::kLeft ? plan.start_left : plan.start_right;
  const FootModel start = settle(given, stances_of(calibrating), source);
  tell(0.05);

  // As the source: one stance, with corrections; then the others with the contact frozen.
  const Entry& first = *calibrating.front();
  const FootFit one = fit_foot(start, {first.stance}, source);
  study->converged = study->converged && one.converged;
  study->calibration.push_back(make_result(first, one.errors[0]));
  study->curves.push_back(make_curves(first.stance, study->calibration.back(), "calibration",
                                      simulate_stance(one.foot, first.stance, one.curves[0])));
  tell(0.15);
  FootFitSettings frozen = source;
  frozen.contact = false;
  Entries rest(calibrating.begin() + 1, calibrating.end());
  rest.insert(rest.end(), others.begin(), others.end());
  for (const Entry* e : rest) {
    if (stop && stop()) return;
    const FootFit again = fit_foot(one.foot, {e->stance}, frozen);
    study->refitted.push_back(make_result(*e, again.errors[0]));
  }
  tell(0.5);
  for (const char* what : {"reversed", "three_humps"}) {
    const FootStance placebo = make_placebo(first.stance, what);
    const FootFit fit = fit_foot(start, {placebo}, source);
    study->placebo.push_back(make_result(first, fit.errors[0], what));
  }
  tell(0.65);

  // Blind: all calibrating stances, one toe curve, no corrections.
  FootFitSettings joint = source;
  joint.corrections = false;
  if (joint.toe == FootFitSettings::Toe::kOwn) joint.toe = FootFitSettings::Toe::kShared;
  joint.iterations = 3 * source.iterations;
  const FootFit blind = fit_foot(start, stances_of(calibrating), joint);
  study->converged = study->converged && blind.converged;
  (foot == Foot::kLeft ? study->left : study->right) = blind.foot;
  add_parameters(start, blind, joint.priors, side, study);
  for (const std::string& name : blind.at_bounds) {
    study->remarks.push_back(fmt::format("{} foot: {} ended on its bound", side, name));
  }
  const MeanCurve mean(calibrating);
  for (const Entry* e : others) {
    const auto loads = simulate_stance(blind.foot, e->stance, blind.curves[0]);
    study->blind.push_back(make_result(*e, calc_errors(e->stance, loads, joint)));
    study->curves.push_back(make_curves(e->stance, study->blind.back(), "blind", loads));
    study->mean_curve.push_back(
        make_result(*e, calc_errors(e->stance, mean.foretell(e->stance), joint)));
    study->imposed.push_back(make_result(
        *e, calc_errors(e->stance, impose_force(blind.foot, e->stance, blind.curves[0]), joint)));
  }
  add_verdicts(side, study);
  if (plan.dynamics) add_dynamics(plan, side, blind, calibrating, others, stop, study);
  tell(1);
}

std::string resolve(const InputFile& file, const InputNode& node) {
  const std::filesystem::path path(node.text());
  return path.is_absolute()
             ? path.string()
             : (std::filesystem::path(file.folder()) / path).lexically_normal().string();
}

FootTrials make_synthetic_trials(const InputNode& node) {
  node.allow(
      {"stances", "weight", "force_noise", "cop_noise", "shift_noise", "turn_noise", "seed"});
  const auto number = [&](const char* key, const Dimension& d, double otherwise) {
    const auto found = node.find(key);
    return found ? found->non_negative(d) : otherwise;
  };
  SyntheticNoise noise{
      number("force_noise", dimension::kForce, 0), number("cop_noise", dimension::kLength, 0),
      number("shift_noise", dimension::kLength, 0), number("turn_noise", dimension::kAngle, 0)};
  SyntheticWalk walk;
  walk.weight = number("weight", dimension::kForce, 688);
  const auto count = node.find("stances");
  const int stances = count ? count->integer(2, 100) : 6;
  const auto seed_node = node.find("seed");
  const int seed = seed_node ? seed_node->integer(0, 1 << 30) : 1;
  const FootModel truth = make_brown_foot();
  FootTrials trials;
  trials.weight = walk.weight;
  for (int k = 0; k < stances; ++k) {
    // The last two are of a faster and a slower walk.
    walk.stride = std::sin(2.4 * k + 0.3);
    walk.speed = k + 2 == stances ? 1.2 : k + 1 == stances ? 0.8 : 1;
    walk.duration = 0.65 / walk.speed;
    Entry e;
    e.trial = fmt::format("walk{}", k + 1);
    e.side = Foot::kRight;
    e.end = walk.duration;
    e.speed = walk.speed;
    e.stance = make_synthetic_stance(truth, walk);
    add_walking_shear(truth, &e.stance);
    e.stance.name = e.trial;
    add_noise(noise, static_cast<std::uint64_t>(seed) * 1000 + static_cast<std::uint64_t>(k),
              &e.stance);
    trials.stances.push_back(std::move(e));
  }
  return trials;
}

void read_settings(const InputNode& root, FootFitSettings* settings) {
  const auto fit = root.find("fit");
  if (!fit) return;
  fit->allow({"knots", "shift_limit", "turn_limit", "turn_limit_z", "cop_threshold", "prior_weight",
              "toe", "iterations"});
  if (const auto n = fit->find("knots")) settings->knots = n->integer(4, 40);
  if (const auto n = fit->find("iterations")) settings->iterations = n->integer(1, 10000);
  if (const auto n = fit->find("shift_limit")) {
    settings->shift_limit = n->positive(dimension::kLength);
  }
  if (const auto n = fit->find("turn_limit")) settings->turn_limit = n->positive(dimension::kAngle);
  if (const auto n = fit->find("turn_limit_z")) {
    settings->turn_limit_z = n->positive(dimension::kAngle);
  }
  if (const auto n = fit->find("cop_threshold")) {
    settings->cop_threshold = n->positive(dimension::kForce);
  }
  if (const auto n = fit->find("prior_weight")) {
    settings->priors.weight = n->non_negative(dimension::kNumber);
  }
  if (const auto n = fit->find("toe")) {
    settings->toe = n->choice({"spline", "straight"}) == 0 ? FootFitSettings::Toe::kOwn
                                                           : FootFitSettings::Toe::kMeasured;
  }
}

Plan read_plan(const InputFile& file) {
  const InputNode root = file.root();
  root.allow({"vesica", "type", "title", "description", "standing", "walks", "synthetic",
              "calibrate", "weight", "fit", "dynamics"});
  Plan plan;
  plan.settings.priors.weight = 0.02;
  read_settings(root, &plan.settings);
  if (const auto dynamics = root.find("dynamics"))
    plan.set_dynamics(dynamics->choice({"none", "quick", "full"}));
  for (const InputNode& name : root.at("calibrate").items()) plan.calibrate.push_back(name.text());
  if (plan.calibrate.empty()) root.at("calibrate").fail("at least one walk is needed");
  std::vector<std::string_view> known;
  if (const auto synthetic = root.find("synthetic")) {
    if (root.find("walks")) root.at("walks").fail("either `walks` or `synthetic`, not both");
    plan.trials = make_synthetic_trials(*synthetic);
    plan.start_left = plan.start_right = make_brown_start();
    for (const Entry& e : plan.trials.stances) known.push_back(e.trial);
  } else {
    FootTrialOptions options;
    if (const auto weight = root.find("weight")) {
      options.weight = weight->positive(dimension::kForce);
    }
    std::vector<FootTrial> walks;
    for (const InputNode& walk : root.at("walks").items()) {
      walk.allow({"name", "markers", "forces"});
      MotionTrial motion = load_motion(resolve(file, walk.at("markers")));
      if (const auto forces = walk.find("forces")) {
        motion = join(motion, load_motion(resolve(file, *forces)));
      }
      walks.push_back({walk.at("name").text(), std::move(motion)});
    }
    for (const FootTrial& walk : walks) known.push_back(walk.name);
    options.floor_from = plan.calibrate;
    plan.trials =
        find_foot_stances(load_motion(resolve(file, root.at("standing"))), walks, options);
    plan.start_left = make_template(plan.trials.left);
    plan.start_right = make_template(plan.trials.right);
  }
  for (size_t k = 0; k < plan.calibrate.size(); ++k) {
    if (std::find(known.begin(), known.end(), plan.calibrate[k]) == known.end()) {
      root.at("calibrate").at(k).fail("walk " + say_unknown(plan.calibrate[k], known));
    }
  }
  return plan;
}

nlohmann::ordered_json as_json(const std::vector<FootResult>& results) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const FootResult& r : results) {
    nlohmann::ordered_json row{
        {"trial", r.trial}, {"side", r.side}, {"begin", r.begin}, {"end", r.end}};
    if (!r.what.empty()) row["forces"] = r.what;
    row["force_error_percent"] = 100 * r.errors.force;
    if (std::isfinite(r.errors.cop)) {
      row["cop_error_percent"] = 100 * r.errors.cop;
    } else {
      row["cop_error_percent"] = nullptr;
    }
    list.push_back(row);
  }
  return list;
}

}  // namespace

bool is_foot_study(const InputFile& file) {
  const InputNode root = file.root();
  if (!root.is_map()) return false;
  const auto type = root.find("type");
  return type && type->is_scalar() && type->text() == "foot";
}

FootStudy run_foot_study(const InputFile& file,
                         const std::function<void(double, const std::string&)>& progress,
                         const std::function<bool()>& stop) {
  const auto begin = std::chrono::steady_clock::now();
  file.root().at("vesica").integer(1, 1);
  const Plan plan = read_plan(file);
  FootStudy study;
  if (const auto title = file.root().find("title")) study.title = title->text();
  study.weight = plan.trials.weight;
  study.floor = plan.trials.floor;
  study.remarks = plan.trials.remarks;
  for (const Foot foot : {Foot::kLeft, Foot::kRight}) {
    const double first = foot == Foot::kLeft ? 0 : 0.5;
    run_side(
        plan, foot, stop,
        [&](double part) {
          if (progress) progress(first + 0.5 * part, name_of(foot));
        },
        &study);
  }
  if (study.calibration.empty()) {
    file.root().at("calibrate").fail("none of these walks has a whole stance on a plate");
  }
  study.verdicts.insert(study.verdicts.end(), study.dynamics.verdicts.begin(),
                        study.dynamics.verdicts.end());
  study.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return study;
}

nlohmann::ordered_json make_foot_json(const FootStudy& study) {
  nlohmann::ordered_json json;
  json["type"] = "foot";
  if (!study.title.empty()) json["title"] = study.title;
  json["weight"] = study.weight;
  json["floor"] = {{"slope_x", study.floor.slope_x},
                   {"slope_y", study.floor.slope_y},
                   {"rms", study.floor.rms},
                   {"points", study.floor.points}};
  json["calibration"] = as_json(study.calibration);
  json["refitted"] = as_json(study.refitted);
  json["blind"] = as_json(study.blind);
  json["placebo"] = as_json(study.placebo);
  json["mean_curve"] = as_json(study.mean_curve);
  json["imposed"] = as_json(study.imposed);
  json["parameters"] = nlohmann::ordered_json::array();
  for (const FootParameter& p : study.parameters) {
    json["parameters"].push_back({{"side", p.side},
                                  {"name", p.name},
                                  {"value", p.value},
                                  {"unit", p.unit},
                                  {"start", p.start},
                                  {"low", p.value - 1.96 * p.standard_error},
                                  {"high", p.value + 1.96 * p.standard_error},
                                  {"identifiable", p.identifiable}});
  }
  add_dynamics_json(study.dynamics, &json);
  json["verdicts"] = study.verdicts;
  json["remarks"] = study.remarks;
  json["converged"] = study.converged;
  json["seconds"] = study.seconds;
  return json;
}

}  // namespace vesica
