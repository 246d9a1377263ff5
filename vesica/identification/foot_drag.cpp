#include "vesica/identification/foot_drag.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "vesica/biomechanics/foot_file.h"
#include "vesica/error.h"
#include "vesica/identification/foot_dynamics.h"
#include "vesica/identification/foot_synthetic.h"
#include "vesica/motion/butterworth.h"

namespace vesica {
namespace {

constexpr double kLongestStroke = 0.6;  // s

struct DragPlan {
  FootModel foot = make_brown_foot();
  DragExperiment experiment;
  std::uint64_t seed = 1;
  bool forward = true;
};

// Where the hand is along the plate: there and back at every speed, at rest between.
class HandPath {
 public:
  explicit HandPath(const DragExperiment& e) {
    double time = e.pause, place = 0;
    for (const double speed : e.speeds) {
      const double length = std::min(e.stroke, speed * kLongestStroke), span = length / speed;
      for (const double sign : {1.0, -1.0}) {
        strokes_.push_back({time, span, place, sign * length});
        place += sign * length;
        time += span + e.pause;
      }
    }
    end_ = time;
  }
  double end() const { return end_; }
  double place(double t) const {
    double y = 0;
    for (const Stroke& s : strokes_) {
      if (t <= s.from) break;
      const double x = std::min(1.0, (t - s.from) / s.span);
      y = s.place + s.length * (x * x * x * (10 + x * (6 * x - 15)));
    }
    return y;
  }

 private:
  struct Stroke {
    double from, span, place, length;
  };
  std::vector<Stroke> strokes_;
  double end_ = 0;
};

void check_experiment(const DragExperiment& e) {
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  if (!positive(e.load) || !positive(e.stroke) || !positive(e.pause) || !positive(e.rate) ||
      !positive(e.hand_stiffness)) {
    throw InputError("drag: load, stroke, pause, rate and hand stiffness must be positive");
  }
  if (e.speeds.empty() || !std::all_of(e.speeds.begin(), e.speeds.end(), positive)) {
    throw InputError("drag: at least one speed is needed, all positive");
  }
  if (!(e.cutoff < 0.5 * e.rate)) {
    throw InputError("drag: the filter's cutoff must be below half the rate");
  }
}

// The flat foot at the height at which it carries the load.
FootStance make_hand_stance(const FootModel& foot, const DragExperiment& e) {
  const HandPath path(e);
  FootStance stance;
  stance.name = "drag";
  stance.weight = e.load;
  FootFrame still;
  still.angles.assign(foot.joints.size(), 0.0);
  still.rates.assign(foot.joints.size(), 0.0);
  still.foot.X_WB.p_WB.z() = find_lift(foot, still, e.load);
  const auto count = static_cast<size_t>(std::ceil(path.end() * e.rate)) + 1;
  for (size_t k = 0; k < count; ++k) {
    FootFrame frame = still;
    frame.time = static_cast<double>(k) / e.rate;
    frame.foot.X_WB.p_WB.y() = path.place(frame.time);
    stance.frames.push_back(frame);
    stance.force.push_back(e.load);
    stance.cop.push_back(Eigen::Vector2d::Constant(std::nan("")));
  }
  return stance;
}

// What a laboratory makes of a foot's true motion and load: noise, a filter, speeds from places.
FootStance measure(const FootForward& truth, const FootStance& told, const DragExperiment& e,
                   std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  FootStance out;
  out.name = told.name;
  out.weight = told.weight;
  out.frames = truth.frames;
  const size_t n = out.frames.size();
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> track;
    for (const FootFrame& f : out.frames) {
      track.push_back(f.foot.X_WB.p_WB[axis] + e.marker_noise * normal(random));
    }
    filter_signal(make_low_pass(e.cutoff, e.rate), track);
    for (size_t k = 0; k < n; ++k) {
      const size_t a = k > 0 ? k - 1 : k, b = std::min(k + 1, n - 1);
      const double span = out.frames[b].time - out.frames[a].time;
      out.frames[k].foot.X_WB.p_WB[axis] = track[k];
      out.frames[k].foot.V_WB.v_WB[axis] = (track[b] - track[a]) / span;
    }
  }
  for (size_t k = 0; k < n; ++k) {
    const FootLoad& load = truth.loads[k];
    out.force.push_back(std::max(0.0, load[0] + e.force_noise * normal(random)));
    out.cop.push_back(load[0] > 0 ? Eigen::Vector2d(load.tail<2>() / load[0])
                                  : Eigen::Vector2d::Constant(std::nan("")));
    out.shear.push_back(truth.shear[k] +
                        e.force_noise * Eigen::Vector2d(normal(random), normal(random)));
  }
  return out;
}

FootStance make_walk(const FootModel& foot, const DragExperiment& e,
                     const FrictionLaw<double>& friction, std::uint64_t seed) {
  SyntheticFootWalk walk;
  walk.rate = e.rate;
  FootStance told = make_synthetic_stance(foot, walk);
  told.name = "walk";
  add_walking_shear(foot, &told);
  FootForwardOptions options;
  options.mode = FootDriveMode::kCarried;
  options.drive_stiffness = kCarriedStiffness;
  options.friction = friction;
  const FootForward truth = simulate_forward(foot, told, {}, options);
  if (!truth.failure.empty()) throw RunError("walk: " + truth.failure);
  return measure(truth, told, e, seed);
}

FrictionCandidate make_candidate(const std::string& law) {
  return law == "bristle" ? make_bristle_candidate() : make_velocity_candidate();
}

DragPlan read_drag(const InputFile& file) {
  const InputNode root = file.root();
  root.allow({"vesica", "type", "title", "description", "foot", "synthetic", "forward"});
  root.at("vesica").integer(1, 1);
  DragPlan plan;
  if (const auto foot = root.find("foot")) {
    const std::filesystem::path path(foot->text());
    plan.foot = read_foot(InputFile::load(
        path.is_absolute() ? path.string()
                           : (std::filesystem::path(file.folder()) / path).string()));
  }
  if (const auto n = root.find("forward")) plan.forward = n->flag();
  const InputNode node = root.at("synthetic");
  node.allow({"load", "speeds", "stroke", "pause", "rate", "hand_stiffness", "marker_noise",
              "cutoff", "force_noise", "seed"});
  DragExperiment& e = plan.experiment;
  const auto positive = [&](const char* key, const Dimension& d, double* value) {
    if (const auto n = node.find(key)) *value = n->positive(d);
  };
  const auto noise = [&](const char* key, const Dimension& d, double* value) {
    if (const auto n = node.find(key)) *value = n->non_negative(d);
  };
  positive("load", dimension::kForce, &e.load);
  positive("stroke", dimension::kLength, &e.stroke);
  positive("pause", dimension::kTime, &e.pause);
  positive("rate", dimension::kFrequency, &e.rate);
  positive("hand_stiffness", dimension::kStiffness, &e.hand_stiffness);
  positive("cutoff", dimension::kFrequency, &e.cutoff);
  noise("marker_noise", dimension::kLength, &e.marker_noise);
  noise("force_noise", dimension::kForce, &e.force_noise);
  if (const auto n = node.find("speeds")) {
    e.speeds.clear();
    for (const InputNode& speed : n->items()) e.speeds.push_back(speed.positive(dimension::kSpeed));
    if (e.speeds.empty()) n->fail("at least one speed is needed");
  }
  if (const auto n = node.find("seed"))
    plan.seed = static_cast<std::uint64_t>(n->integer(0, 1 << 30));
  if (!(e.cutoff < 0.5 * e.rate)) node.fail("`cutoff` must be below half of `rate`");
  return plan;
}

std::string list_found(const FrictionFit& fit) {
  std::string found;
  for (const FrictionParameter& p : fit.parameters) {
    if (p.identifiable) found += (found.empty() ? "" : ", ") + p.name;
  }
  return found.empty() ? "nothing" : found;
}

void add_drag_verdicts(DragStudy* study) {
  for (const DragFit& f : study->fits) {
    if (f.true_values.empty()) continue;
    int inside = 0, count = 0;
    for (size_t k = 0; k < f.true_values.size(); ++k) {
      const FrictionParameter& p = f.fit.parameters[k];
      if (!p.identifiable) continue;
      ++count;
      if (f.true_values[k] >= p.low && f.true_values[k] <= p.high) ++inside;
    }
    study->verdicts.push_back(fmt::format(
        "{}, {} simulation, {}: determines {}; {} of {} intervals hold the true value", f.fit.law,
        f.fit.simulation, f.on_walk ? "walking" : "dragging", list_found(f.fit), inside, count));
  }
}

}  // namespace

FootStance make_drag(const FootModel& foot, const DragExperiment& experiment,
                     const FrictionLaw<double>& friction, std::uint64_t seed) {
  check_experiment(experiment);
  const FootStance told = make_hand_stance(foot, experiment);
  FootForwardOptions options;
  options.friction = friction;
  options.drive_stiffness = experiment.hand_stiffness;
  const FootForward truth = simulate_forward(foot, told, {}, options);
  if (!truth.failure.empty()) throw RunError("drag: " + truth.failure);
  return measure(truth, told, experiment, seed);
}

std::vector<double> true_parameters(const std::string& law) {
  return law == "bristle" ? std::vector<double>{0.55, 0.1, 150, 0.02}
                          : std::vector<double>{0.55, 0.1, 0.02};
}

bool is_drag_study(const InputFile& file) {
  const InputNode root = file.root();
  if (!root.is_map()) return false;
  const auto type = root.find("type");
  return type && type->is_scalar() && type->text() == "foot_drag";
}

DragStudy run_drag_study(const InputFile& file,
                         const std::function<void(double, const std::string&)>& progress,
                         const std::function<bool()>& stop) {
  const auto begin = std::chrono::steady_clock::now();
  const DragPlan plan = read_drag(file);
  DragStudy study;
  study.experiment = plan.experiment;
  if (const auto title = file.root().find("title")) study.title = title->text();
  double done = 0;
  const auto tell = [&](double more) {
    done += more;
    if (progress) progress(done, "drag");
  };
  FrictionFitSettings settings;
  settings.stop = stop;
  for (const std::string truth : {"brown_mcphee", "bristle"}) {
    const std::vector<double> values = true_parameters(truth);
    const FrictionLaw<double> law = make_candidate(truth).make(values);
    const FootStance drag = make_drag(plan.foot, plan.experiment, law, plan.seed);
    const FootStance walk = make_walk(plan.foot, plan.experiment, law, plan.seed + 1);
    tell(0.05);
    DragStudy::Curve curve{truth, {}, {}, {}, {}};
    for (size_t f = 0; f < drag.frames.size(); ++f) {
      curve.times.push_back(drag.frames[f].time);
      curve.speed.push_back(drag.frames[f].foot.V_WB.v_WB.y());
      curve.measured.push_back(drag.shear[f].y());
    }
    for (const std::string fitted : {"brown_mcphee", "bristle"}) {
      const FrictionCandidate candidate = make_candidate(fitted);
      const std::vector<double> known = fitted == truth ? values : std::vector<double>{};
      const auto add = [&](FrictionFit fit, bool on_walk) {
        study.fits.push_back({truth, std::move(fit), known, on_walk});
      };
      add(fit_friction_inverse(candidate, plan.foot, {drag}, {{}}, settings), false);
      std::vector<double> shear;
      for (const Eigen::Vector2d& s :
           FrictionTrack(plan.foot, drag, {}).calc_shear(study.fits.back().fit.friction)) {
        shear.push_back(s.y());
      }
      curve.fitted.emplace_back(fitted, std::move(shear));
      add(fit_friction_inverse(candidate, plan.foot, {walk}, {{}}, settings), true);
      tell(0.03);
      if (stop && stop()) break;
      if (plan.forward) {
        FrictionFitSettings few = settings;
        few.iterations = 10;
        add(fit_friction_forward(candidate, plan.foot, {drag}, {{}}, few), false);
      }
      tell(0.19);
    }
    study.curves.push_back(std::move(curve));
    if (stop && stop()) break;
  }
  study.interrupted = stop && stop();
  add_drag_verdicts(&study);
  study.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return study;
}

nlohmann::ordered_json make_drag_json(const DragStudy& study) {
  nlohmann::ordered_json json;
  json["type"] = "foot_drag";
  if (!study.title.empty()) json["title"] = study.title;
  if (study.interrupted) json["interrupted"] = true;
  json["fits"] = nlohmann::ordered_json::array();
  for (const DragFit& f : study.fits) {
    nlohmann::ordered_json row{{"motion", f.on_walk ? "walk" : "drag"}, {"truth", f.truth}};
    row.update(make_friction_fit_json(f.fit));
    for (size_t k = 0; k < f.true_values.size(); ++k) {
      row["parameters"][k]["true"] = f.true_values[k];
    }
    json["fits"].push_back(row);
  }
  json["verdicts"] = study.verdicts;
  json["seconds"] = study.seconds;
  return json;
}

}  // namespace vesica
