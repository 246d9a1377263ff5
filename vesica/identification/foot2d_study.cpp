#include "vesica/identification/foot2d_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "vesica/error.h"
#include "vesica/io/load_motion.h"
#include "vesica/math/median.h"
#include "vesica/motion/trial_edit.h"

namespace vesica {
namespace {

enum class Route { kGradient, kSource, kBoth };

// What a study file says.
struct Foot2dPlan {
  Foot2dTrials trials;
  std::vector<size_t> fitted;  // of the stances
  std::vector<Foot2dType> types;
  Route route = Route::kGradient;
  int seeds = 5;
  double cop_threshold = 50;
  Foot2dFitSettings fit;
  Foot2dPipelineSettings pipeline;
};

std::string resolve_path(const InputFile& file, const InputNode& node) {
  const std::filesystem::path path(node.text());
  return path.is_absolute()
             ? path.string()
             : (std::filesystem::path(file.folder()) / path).lexically_normal().string();
}

Foot2dTrials read_synthetic(const InputNode& node) {
  node.allow({"stances", "weight", "rate", "force_noise", "cop_noise", "shift_noise", "turn_noise",
              "seed"});
  Foot2dSynthetic s;
  const auto number = [&](const char* key, const Dimension& d, double* value) {
    if (const auto found = node.find(key)) *value = found->non_negative(d);
  };
  number("force_noise", dimension::kForce, &s.noise.force);
  number("cop_noise", dimension::kLength, &s.noise.cop);
  number("shift_noise", dimension::kLength, &s.noise.shift);
  number("turn_noise", dimension::kAngle, &s.noise.turn);
  if (const auto found = node.find("weight")) s.weight = found->positive(dimension::kForce);
  if (const auto found = node.find("rate")) s.rate = found->integer(50, 2000);
  if (const auto found = node.find("stances")) s.stances = found->integer(1, 100);
  if (const auto found = node.find("seed")) {
    s.seed = static_cast<std::uint64_t>(found->integer(0, 1 << 30));
  }
  return make_foot2d_stances(s);
}

Foot2dMarkers read_markers(const InputNode& node) {
  node.allow({"ankle", "heel", "ball", "toe"});
  Foot2dMarkers m;
  const auto read = [&](const char* key, std::vector<std::string>* names) {
    const auto found = node.find(key);
    if (!found) return;
    if (found->is_scalar()) {
      names->push_back(found->text());
      return;
    }
    for (const InputNode& name : found->items()) names->push_back(name.text());
    if (names->empty()) found->fail("at least one marker");
  };
  read("ankle", &m.ankle);
  read("heel", &m.heel);
  read("ball", &m.ball);
  read("toe", &m.toe);
  return m;
}

Foot2dTrials read_recordings(const InputFile& file, const InputNode& root) {
  Foot2dTrialOptions options;
  if (const auto weight = root.find("weight")) options.weight = weight->positive(dimension::kForce);
  if (const auto cutoff = root.find("filter")) {
    options.cutoff = cutoff->positive(dimension::kFrequency);
  }
  if (const auto markers = root.find("markers")) {
    markers->allow({"left", "right"});
    if (const auto side = markers->find("left")) options.left = read_markers(*side);
    if (const auto side = markers->find("right")) options.right = read_markers(*side);
  }
  std::vector<FootTrial> walks;
  for (const InputNode& walk : root.at("walks").items()) {
    walk.allow({"name", "markers", "forces"});
    const std::string name = walk.at("name").text();
    for (const FootTrial& other : walks) {
      if (other.name == name) walk.at("name").fail("is the name of two walks");
    }
    MotionTrial motion = load_motion(resolve_path(file, walk.at("markers")));
    if (const auto forces = walk.find("forces")) {
      motion = join(motion, load_motion(resolve_path(file, *forces)));
    }
    walks.push_back({name, std::move(motion)});
  }
  if (walks.empty()) root.at("walks").fail("at least one walk is needed");
  const MotionTrial standing = load_motion(resolve_path(file, root.at("standing")));
  try {
    return find_foot2d_stances(standing, walks, options);
  } catch (const InputError& e) {
    root.at("walks").fail(e.what());
  }
}

// What was said of one walk, a line each.
std::string list_remarks(const Foot2dTrials& trials, const std::string& walk) {
  std::string lines;
  for (const std::string& remark : trials.remarks) {
    if (remark.starts_with(walk + ":")) lines += "\n  " + remark;
  }
  return lines;
}

// `fit`: walks, or maps of walk and side. Nothing: all stances.
std::vector<size_t> read_fitted(const InputNode& root, const Foot2dTrials& trials) {
  std::vector<size_t> fitted;
  const auto node = root.find("fit");
  if (!node) {
    for (size_t k = 0; k < trials.stances.size(); ++k) fitted.push_back(k);
    return fitted;
  }
  std::vector<std::string> given;  // walks, with or without a stance
  if (const auto walks = root.find("walks")) {
    for (const InputNode& walk : walks->items()) given.push_back(walk.at("name").text());
  }
  std::vector<std::string_view> known;
  for (const Foot2dStance& s : trials.stances) {
    if (std::find(known.begin(), known.end(), s.trial) == known.end()) known.push_back(s.trial);
  }
  for (const InputNode& item : node->items()) {
    const bool map = item.is_map();
    if (map) item.allow({"walk", "side"});
    const InputNode name = map ? item.at("walk") : item;
    const std::string walk = name.text();
    if (std::find(known.begin(), known.end(), walk) == known.end()) {
      if (std::find(given.begin(), given.end(), walk) != given.end()) {
        name.fail("walk '" + walk + "' has no whole stance" + list_remarks(trials, walk));
      }
      name.fail("walk " + say_unknown(walk, known) + " (walks with a whole stance)");
    }
    std::string side;
    if (const auto found = map ? item.find("side") : std::nullopt) {
      side = found->choice({"left", "right"}) == 0 ? "left" : "right";
    }
    bool any = false;
    for (size_t k = 0; k < trials.stances.size(); ++k) {
      const Foot2dStance& s = trials.stances[k];
      if (s.trial != walk || (!side.empty() && s.side != side)) continue;
      if (std::find(fitted.begin(), fitted.end(), k) == fitted.end()) fitted.push_back(k);
      any = true;
    }
    if (!any) {
      item.fail(fmt::format("{} has no whole stance of the {} foot{}", walk, side,
                            list_remarks(trials, walk)));
    }
  }
  if (fitted.empty()) node->fail("at least one stance");
  return fitted;
}

void read_search(const InputNode& root, Foot2dPlan* plan) {
  if (const auto node = root.find("search")) {
    node->allow({"route", "seeds", "starts", "hops", "iterations", "seed", "cop_threshold"});
    if (const auto n = node->find("route")) {
      plan->route = static_cast<Route>(n->choice({"gradient", "source", "both"}));
    }
    if (const auto n = node->find("seeds")) plan->seeds = n->integer(1, 1000);
    if (const auto n = node->find("starts")) plan->fit.starts = n->integer(1, 10000);
    if (const auto n = node->find("hops")) plan->fit.hops = n->integer(0, 10000);
    if (const auto n = node->find("iterations")) plan->fit.iterations = n->integer(1, 10000);
    if (const auto n = node->find("seed")) {
      plan->fit.seed = plan->pipeline.seed = static_cast<std::uint64_t>(n->integer(0, 1 << 30));
    }
    if (const auto n = node->find("cop_threshold")) {
      plan->cop_threshold = n->positive(dimension::kForce);
    }
  }
  const auto node = root.find("pipeline");
  if (!node) return;
  if (plan->route == Route::kGradient) {
    node->fail("is not run: `search: {route: source}` or `both` asks for it");
  }
  node->allow({"seeds", "generations", "population", "variables", "gradient", "time_limit"});
  Foot2dPipelineSettings& p = plan->pipeline;
  if (const auto n = node->find("seeds")) p.seeds = n->integer(1, 1000);
  if (const auto n = node->find("generations")) p.generations = n->integer(1, 100000);
  if (const auto n = node->find("population")) {
    p.population = n->integer(4, 100000);
    if (p.population % 2 != 0) n->fail("must be even");
  }
  if (const auto n = node->find("gradient")) {
    p.exact_gradient = n->choice({"differences", "exact"}) == 1;
  }
  if (const auto n = node->find("variables")) {
    p.raw = n->choice({"scaled", "raw"}) == 1;
    if (p.raw && p.exact_gradient) n->fail("exact gradients are those of the scaled variables");
  }
  if (const auto n = node->find("time_limit")) p.time_limit = n->positive(dimension::kTime);
}

Foot2dPlan read_foot2d_plan(const InputFile& file) {
  const InputNode root = file.root();
  root.at("vesica").integer(1, 1);
  root.allow({"vesica", "type", "title", "description", "standing", "walks", "synthetic", "fit",
              "weight", "filter", "markers", "elements", "friction", "search", "pipeline"});
  Foot2dPlan plan;
  read_search(root, &plan);
  Foot2dFriction friction = Foot2dFriction::kArctan;
  if (const auto node = root.find("friction")) {
    friction = static_cast<Foot2dFriction>(node->choice({"arctan", "bristle"}));
  }
  plan.types = {{Foot2dElement::kSpring, friction},
                {Foot2dElement::kLinear, friction},
                {Foot2dElement::kHyper, friction}};
  if (const auto node = root.find("elements")) {
    plan.types.clear();
    for (const InputNode& item : node->items()) {
      const auto element = static_cast<Foot2dElement>(item.choice(foot2d_element_names()));
      for (const Foot2dType& t : plan.types) {
        if (t.element == element) item.fail("is asked for twice");
      }
      plan.types.push_back({element, friction});
    }
    if (plan.types.empty()) node->fail("at least one element type");
  }
  if (const auto synthetic = root.find("synthetic")) {
    for (const char* key : {"walks", "standing", "weight", "filter", "markers"}) {
      if (const auto other = root.find(key)) {
        other->fail("has no effect on synthetic stances: either `walks` or `synthetic`");
      }
    }
    try {
      plan.trials = read_synthetic(*synthetic);
    } catch (const InputError& e) {
      // What a key of it says has its place.
      if (std::string_view(e.what()).starts_with(file.name())) throw;
      synthetic->fail(e.what());
    }
  } else if (root.find("walks")) {
    plan.trials = read_recordings(file, root);
  } else {
    root.fail("`walks` with `standing`, or `synthetic`: stances come from one of them");
  }
  plan.fitted = read_fitted(root, plan.trials);
  return plan;
}

// Stances that others are foretold with: of the same side, else of the other (a planar foot has no
// side).
std::vector<const Foot2dStance*> find_unseen(const Foot2dTrials& trials, size_t fitted) {
  std::vector<const Foot2dStance*> same, other;
  for (size_t k = 0; k < trials.stances.size(); ++k) {
    if (k == fitted) continue;
    const bool is_same = trials.stances[k].side == trials.stances[fitted].side;
    (is_same ? same : other).push_back(&trials.stances[k]);
  }
  return same.empty() ? other : same;
}

// Measured curves of one stance over another by the phase of the contact; the centre of pressure
// from the ankle in the middle of the contact.
Foot2dCurves copy_curves(const Foot2dStance& from, const Foot2dStance& onto) {
  const auto middle = [](const Foot2dStance& s) {
    const double time = 0.6 * s.begin + 0.4 * s.end;
    const auto f = std::lower_bound(s.times.begin(), s.times.end() - 1, time) - s.times.begin();
    return s.poses[static_cast<size_t>(f)].x;
  };
  const double shift = middle(onto) - middle(from);
  Foot2dCurves out;
  for (const double time : onto.times) {
    const double phase = (time - onto.begin) / (onto.end - onto.begin);
    const double at = from.begin + phase * (from.end - from.begin);
    const auto after = std::upper_bound(from.times.begin(), from.times.end(), at);
    double normal = 0, friction = 0, cop = kMissing;
    if (phase >= 0 && phase <= 1 && after != from.times.begin()) {
      const auto k = static_cast<size_t>(after - from.times.begin()) - 1;
      const size_t next = std::min(k + 1, from.frames() - 1);
      const double step = from.times[next] - from.times[k];
      const double part = step > 0 ? (at - from.times[k]) / step : 0;
      const auto between = [&](const std::vector<double>& y) {
        return part > 0 ? (1 - part) * y[k] + part * y[next] : y[k];
      };
      normal = between(from.normal);
      friction = between(from.friction);
      cop = between(from.cop) + shift;
    }
    out.normal.push_back(normal);
    out.friction.push_back(friction);
    out.cop.push_back(cop);
  }
  return out;
}

double median_total(const std::vector<Foot2dUnseen>& list) {
  std::vector<double> totals;
  for (const Foot2dUnseen& u : list) totals.push_back(u.objective.total());
  return totals.empty() ? kMissing : calc_median(totals);
}

// One stance.
class StanceWork {
 public:
  StanceWork(const Foot2dPlan& plan, size_t fitted, const Foot2dRun& run)
      : plan_(plan), run_(run), unseen_(find_unseen(plan.trials, fitted)) {
    result_.stance = plan.trials.stances[fitted];
    result_.geometry = fit_foot2d_geometry(result_.stance);
    poses_ = apply_toe(result_.stance, result_.geometry.toe);
    for (const Foot2dStance* s : unseen_) {
      unseen_poses_.push_back(apply_toe(*s, fit_foot2d_toe(*s, result_.geometry.geometry).toe));
      const Foot2dProblem problem(*s, result_.geometry.geometry, unseen_poses_.back(), {},
                                  plan.cop_threshold);
      result_.copied.push_back({s->name, problem.objective(copy_curves(result_.stance, *s))});
    }
  }

  bool add(const Foot2dType& type) {
    Foot2dTypeResult r;
    r.type = type;
    const Foot2dProblem problem(result_.stance, result_.geometry.geometry, poses_, type,
                                plan_.cop_threshold);
    const Foot2dProblem placebo(make_reversed(result_.stance), result_.geometry.geometry, poses_,
                                type, plan_.cop_threshold);
    if (plan_.route != Route::kSource) search_by_gradient(problem, placebo, &r);
    if (plan_.route != Route::kGradient && !is_stopped()) search_as_source(problem, placebo, &r);
    if (r.fit.x.size() == 0) return false;
    for (size_t k = 0; k < unseen_.size(); ++k) {
      const Foot2dProblem other(*unseen_[k], result_.geometry.geometry, unseen_poses_[k], type,
                                plan_.cop_threshold);
      r.unseen.push_back({unseen_[k]->name, other.objective(r.fit.x.data())});
    }
    r.intervals = calc_foot2d_intervals(problem, r.fit.x);
    r.curves = problem.simulate(r.fit.x.data());
    result_.types.push_back(std::move(r));
    return true;
  }

  const Foot2dStanceResult& result() const { return result_; }

 private:
  bool is_stopped() const { return run_.stop && run_.stop(); }

  void search_by_gradient(const Foot2dProblem& problem, const Foot2dProblem& placebo,
                          Foot2dTypeResult* r) const {
    Foot2dFitSettings settings = plan_.fit;
    settings.threads = run_.threads;
    settings.stop = run_.stop;
    double seconds = 0;
    for (int k = 0; k < plan_.seeds && !is_stopped(); ++k) {
      settings.seed = plan_.fit.seed + static_cast<std::uint64_t>(k);
      const Foot2dFit fit = fit_foot2d(problem, settings);
      seconds += fit.seconds;
      r->of_seeds.push_back(fit.objective.total());
      if (r->fit.x.size() == 0 || fit.objective.total() < r->fit.objective.total()) r->fit = fit;
    }
    if (const auto nested = make_nested_start(r->type)) {
      const Foot2dFit fit = fit_foot2d_from(problem, *nested, settings);
      if (fit.objective.total() < r->fit.objective.total()) r->fit = fit;
    }
    r->fit.seconds = seconds;
    // As many starts and hops as the measured forces had.
    settings.seed = plan_.fit.seed;
    settings.starts = plan_.seeds * plan_.fit.starts;
    settings.hops = plan_.seeds * plan_.fit.hops;
    r->placebo = fit_foot2d(placebo, settings).objective;
  }

  // With H = 1 the hyper-volumetric sphere is the linear one, the ellipsoid likewise: where that
  // was fitted before, its optimum is one more start, so that the larger family never ends above
  // the smaller.
  std::optional<Eigen::VectorXd> make_nested_start(const Foot2dType& type) const {
    if (!type.is_hyper()) return std::nullopt;
    const auto smaller = type.is_ellipsoid() ? Foot2dElement::kEllipsoid : Foot2dElement::kLinear;
    for (const Foot2dTypeResult& r : result_.types) {
      if (r.type.element != smaller) continue;
      const auto from = make_foot2d_rows(r.type), to = make_foot2d_rows(type);
      Eigen::VectorXd x(3 * static_cast<Eigen::Index>(to.size()));
      Eigen::Index at = 0;
      for (size_t point = 0; point < 3; ++point) {
        for (const Foot2dRow& row : to) {
          const auto same = std::find_if(from.begin(), from.end(),
                                         [&](const Foot2dRow& f) { return f.slot == row.slot; });
          const auto k = static_cast<size_t>(same - from.begin());
          // The middle of log(0.1) to log(10).
          x[at++] = same == from.end()
                        ? 0.5
                        : r.fit.x[static_cast<Eigen::Index>(point * from.size() + k)];
        }
      }
      return x;
    }
    return std::nullopt;
  }

  void search_as_source(const Foot2dProblem& problem, const Foot2dProblem& placebo,
                        Foot2dTypeResult* r) const {
    Foot2dPipelineSettings settings = plan_.pipeline;
    settings.threads = run_.threads;
    settings.stop = run_.stop;
    r->pipeline = run_foot2d_pipeline(problem, settings);
    if (plan_.route == Route::kBoth) return;
    r->fit.x = r->pipeline->x;
    r->fit.objective = r->pipeline->objective;
    r->fit.converged = r->pipeline->converged;
    r->fit.seconds = r->pipeline->seconds;
    r->of_seeds = r->pipeline->of_sqp;
    r->placebo = run_foot2d_pipeline(placebo, settings).objective;
  }

  const Foot2dPlan& plan_;
  const Foot2dRun& run_;
  std::vector<const Foot2dStance*> unseen_;
  std::vector<std::vector<Foot2dPose>> unseen_poses_;
  std::vector<Foot2dPose> poses_;
  Foot2dStanceResult result_;
};

const Foot2dTypeResult* find_type(const Foot2dStanceResult& stance, Foot2dElement element) {
  for (const Foot2dTypeResult& r : stance.types) {
    if (r.type.element == element) return &r;
  }
  return nullptr;
}

void add_geometry_verdict(Foot2dStudy* study) {
  double mean = 0, sd = 0;
  int count = 0;
  bool toe = true;
  for (const Foot2dStanceResult& s : study->stances) {
    mean += s.geometry.all.mean;
    sd += s.geometry.all.sd;
    toe = toe && s.stance.toe_measured;
    ++count;
  }
  study->verdicts.push_back(fmt::format(
      "geometry: markers of {} met to {:.1f} +- {:.1f} mm, mean of {} stances (source 3.7 +- 4.3)",
      toe ? "heel, ball and toe" : "heel and ball", 1e3 * mean / count, 1e3 * sd / count, count));
}

// Whether the source's order holds, in a number of each stance.
void add_order_verdict(const char* what, const std::function<double(const Foot2dTypeResult&)>& J,
                       Foot2dStudy* study) {
  int holds = 0, count = 0;
  std::vector<double> spring, linear, hyper;
  for (const Foot2dStanceResult& s : study->stances) {
    const Foot2dTypeResult* a = find_type(s, Foot2dElement::kSpring);
    const Foot2dTypeResult* b = find_type(s, Foot2dElement::kLinear);
    const Foot2dTypeResult* c = find_type(s, Foot2dElement::kHyper);
    if (a == nullptr || b == nullptr || c == nullptr || !std::isfinite(J(*a))) continue;
    spring.push_back(J(*a));
    linear.push_back(J(*b));
    hyper.push_back(J(*c));
    ++count;
    if (J(*a) > J(*b) && J(*b) > J(*c)) ++holds;
  }
  if (count == 0) return;
  study->verdicts.push_back(fmt::format(
      "{}: spring > linear > hyper holds in {} of {} stances; medians {:.3f}, {:.3f}, {:.3f}", what,
      holds, count, calc_median(spring), calc_median(linear), calc_median(hyper)));
}

void add_placebo_verdict(Foot2dStudy* study) {
  std::vector<double> ratios;
  for (const Foot2dStanceResult& s : study->stances) {
    for (const Foot2dTypeResult& r : s.types) {
      ratios.push_back(r.placebo.total() / r.fit.objective.total());
    }
  }
  if (ratios.empty()) return;
  const double least = *std::min_element(ratios.begin(), ratios.end());
  const double middle = calc_median(ratios);
  study->verdicts.push_back(fmt::format(
      "placebo: forces reversed in time end at {:.1f} times the objective of the measured ones "
      "(median; least {:.2f}): the fit {}",
      middle, least,
      least > 2    ? "tells them apart"
      : middle > 2 ? "mostly tells them apart"
                   : "hardly tells them apart, so a low objective says little"));
}

void add_unseen_verdict(Foot2dStudy* study) {
  std::vector<double> model, copied;
  for (const Foot2dStanceResult& s : study->stances) {
    if (s.copied.empty()) continue;
    copied.push_back(s.median_copied());
    for (const Foot2dTypeResult& r : s.types) model.push_back(r.median_unseen());
  }
  if (model.empty()) return;
  constexpr double kConstants = 2;  // J of them, at least
  const double a = calc_median(model), b = calc_median(copied);
  study->verdicts.push_back(
      fmt::format("unseen stances: objective {:.2f} (median), the fitted stance's own curves laid "
                  "over them {:.2f}: {}",
                  a, b,
                  std::min(a, b) > kConstants ? "neither is better than constants at their means"
                  : a < b                     ? "the models are better"
                                              : "the models are not better"));
}

}  // namespace

double Foot2dTypeResult::median_unseen() const { return median_total(unseen); }
double Foot2dStanceResult::median_copied() const { return median_total(copied); }

bool is_foot2d_study(const InputFile& file) {
  const InputNode root = file.root();
  if (!root.is_map()) return false;
  const auto type = root.find("type");
  return type && type->is_scalar() && type->text() == "foot2d";
}

Foot2dStudy run_foot2d_study(const InputFile& file, const Foot2dRun& run) {
  const auto begin = std::chrono::steady_clock::now();
  const Foot2dPlan plan = read_foot2d_plan(file);
  Foot2dStudy study;
  if (const auto title = file.root().find("title")) study.title = title->text();
  study.weight = plan.trials.weight;
  study.remarks = plan.trials.remarks;
  const double parts = double(plan.fitted.size() * plan.types.size());
  int done = 0;
  for (const size_t fitted : plan.fitted) {
    StanceWork work(plan, fitted, run);
    for (const Foot2dType& type : plan.types) {
      if (run.stop && run.stop()) break;
      if (!work.add(type)) break;
      if (!work.result().types.back().fit.converged) {
        study.converged = false;
        const bool source = plan.route == Route::kSource;
        study.remarks.push_back(
            fmt::format("{}, {}: the search did not converge{}; its J is what it had reached",
                        work.result().stance.name, name_of(type.element),
                        source ? ": `pipeline` has a time limit, or it takes more rounds"
                               : fmt::format(" in {} iterations from its lowest point: raise "
                                             "`search.iterations`",
                                             10 * plan.fit.iterations)));
      }
      if (run.progress) run.progress(++done / parts);
    }
    if (!work.result().types.empty()) study.stances.push_back(work.result());
    if (run.stop && run.stop()) break;
  }
  study.interrupted = run.stop && run.stop();
  if (!study.stances.empty()) {
    add_geometry_verdict(&study);
    add_order_verdict(
        "fitted", [](const Foot2dTypeResult& r) { return r.fit.objective.total(); }, &study);
    add_order_verdict(
        "unseen", [](const Foot2dTypeResult& r) { return r.median_unseen(); }, &study);
    add_placebo_verdict(&study);
    add_unseen_verdict(&study);
  }
  study.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return study;
}

}  // namespace vesica
