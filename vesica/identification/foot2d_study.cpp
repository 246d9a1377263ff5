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

bool is_same_recording(const MarkerTracks& a, const MarkerTracks& b) {
  if (a.frames() == 0 || a.times != b.times || a.labels != b.labels) return false;
  for (size_t k = 0; k < a.positions.size(); ++k) {
    const Vec3d &p = a.positions[k], &q = b.positions[k];
    if (p.allFinite() != q.allFinite() || (p.allFinite() && p != q)) return false;
  }
  return true;
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
    for (const FootTrial& other : walks) {
      if (!is_same_recording(motion.markers, other.motion.markers)) continue;
      walk.fail("has the markers of '" + other.name + "': it would foretell itself");
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

// `fit`: walks, or maps of walk and side. Nothing: all stances. `given`: walks with or without one.
std::vector<size_t> read_fitted(const InputNode& root, const Foot2dTrials& trials,
                                const std::vector<std::string>& given) {
  std::vector<size_t> fitted;
  const auto node = root.find("fit");
  if (!node) {
    for (size_t k = 0; k < trials.stances.size(); ++k) fitted.push_back(k);
    return fitted;
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

// Stances with which no fit can begin go, and are told.
void leave_out_unusable(const InputNode& root, Foot2dPlan* plan) {
  std::vector<std::string> left_out;
  const auto is_unusable = [&](const Foot2dStance& s) {
    try {
      const Foot2dGeometryFit geometry = fit_foot2d_geometry(s);
      for (const Foot2dStance& stance : {s, make_reversed(s)}) {
        Foot2dProblem(stance, geometry.geometry, s.poses, {}, plan->cop_threshold);
      }
      return false;
    } catch (const InputError& e) {
      left_out.push_back(fmt::format("{}: left out: {}", s.trial, e.what()));
      return true;
    }
  };
  std::erase_if(plan->trials.stances, is_unusable);
  if (plan->trials.stances.empty()) {
    std::string why = "no stance can be fitted";
    for (const std::string& words : left_out) why += "\n  " + words;
    const auto search = root.find("search");
    const auto threshold = search ? search->find("cop_threshold") : std::nullopt;
    (threshold ? *threshold : root.at(root.find("walks") ? "walks" : "synthetic")).fail(why);
  }
  plan->trials.remarks.insert(plan->trials.remarks.end(), left_out.begin(), left_out.end());
}

void read_search(const InputNode& root, Foot2dPlan* plan) {
  if (const auto node = root.find("search")) {
    node->allow({"route", "seeds", "starts", "hops", "iterations", "seed", "cop_threshold"});
    if (const auto n = node->find("route")) {
      plan->route = static_cast<Route>(n->choice({"gradient", "source", "both"}));
    }
    for (const char* key : {"seeds", "starts", "hops", "iterations"}) {
      if (plan->route != Route::kSource) break;
      if (const auto n = node->find(key)) {
        n->fail("has no effect with `route: source`: see `pipeline`");
      }
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
    // Smaller families first: where they end, the larger ones begin once more.
    std::sort(plan.types.begin(), plan.types.end(),
              [](const Foot2dType& a, const Foot2dType& b) { return a.element < b.element; });
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
  std::vector<std::string> given;
  if (const auto walks = root.find("walks")) {
    for (const InputNode& walk : walks->items()) given.push_back(walk.at("name").text());
  }
  for (const Foot2dStance& s : plan.trials.stances) given.push_back(s.trial);
  leave_out_unusable(root, &plan);
  plan.fitted = read_fitted(root, plan.trials, given);
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

// Each quantity at its mean, where it counts.
Foot2dCurves make_constants(const Foot2dStance& s, double cop_threshold) {
  const auto mean = [&](const std::vector<double>& y, double least) {
    double sum = 0, count = 0;
    for (size_t f = 0; f < y.size(); ++f) {
      if (!std::isfinite(y[f]) || s.normal[f] < least) continue;
      sum += y[f];
      ++count;
    }
    return sum / std::max(1.0, count);
  };
  const auto all = [&](double value) { return std::vector<double>(s.frames(), value); };
  return {all(mean(s.normal, -kInfinity)), all(mean(s.friction, -kInfinity)),
          all(mean(s.cop, cop_threshold))};
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
    const Foot2dProblem own(result_.stance, result_.geometry.geometry, poses_, {},
                            plan.cop_threshold);
    result_.constants = own.objective(make_constants(result_.stance, plan.cop_threshold));
    for (const Foot2dStance* s : unseen_) {
      const Foot2dGeometryFit toe = fit_foot2d_toe(*s, result_.geometry.geometry);
      unseen_poses_.push_back(apply_toe(*s, toe.toe));
      const Foot2dProblem problem(*s, result_.geometry.geometry, unseen_poses_.back(), {},
                                  plan.cop_threshold);
      result_.copied.push_back(
          {s->name, problem.objective(copy_curves(result_.stance, *s)), toe.converged});
    }
  }

  // False: stopped before there was anything.
  bool add(const Foot2dType& type) {
    Foot2dTypeResult r;
    r.type = type;
    placebos_.emplace_back();
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
      r.unseen.push_back({unseen_[k]->name, other.objective(r.fit.x.data()), true});
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
                          Foot2dTypeResult* r) {
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
    if (r->fit.x.size() == 0) return;
    const Foot2dTypeResult* smaller = find_smaller(r->type);
    if (smaller != nullptr && try_nested(problem, *smaller, smaller->fit.x, settings, &r->fit)) {
      r->J_from = fmt::format("the optimum of {}", name_of(smaller->type.element));
    }
    r->fit.seconds = seconds;
    if (!r->fit.converged) {
      r->unconverged.push_back(
          is_stopped() ? "the search was interrupted"
                       : fmt::format("the search did not converge in {} iterations from its lowest "
                                     "point, J is what it had reached: raise `search.iterations`",
                                     10 * plan_.fit.iterations));
    }
    if (is_stopped()) return;
    // As many starts and hops as the measured forces had, and the same start besides.
    settings.seed = plan_.fit.seed;
    settings.starts = plan_.seeds * plan_.fit.starts;
    settings.hops = plan_.seeds * plan_.fit.hops;
    Foot2dFit reversed = fit_foot2d(placebo, settings);
    if (smaller != nullptr) {
      const Eigen::VectorXd& start = placebos_[static_cast<size_t>(smaller - result_.types.data())];
      if (start.size() > 0) try_nested(placebo, *smaller, start, settings, &reversed);
    }
    if (is_stopped()) return;
    placebos_.back() = reversed.x;
    r->placebo = reversed.objective;
  }

  // With H = 1 the hyper-volumetric sphere is the linear one, the ellipsoid likewise.
  const Foot2dTypeResult* find_smaller(const Foot2dType& type) const {
    if (!type.is_hyper()) return nullptr;
    const auto smaller = type.is_ellipsoid() ? Foot2dElement::kEllipsoid : Foot2dElement::kLinear;
    for (const Foot2dTypeResult& r : result_.types) {
      if (r.type.element == smaller) return &r;
    }
    return nullptr;
  }

  // Where the smaller family ended is one more start, so that the larger one never ends above it.
  bool try_nested(const Foot2dProblem& problem, const Foot2dTypeResult& smaller,
                  const Eigen::VectorXd& end, const Foot2dFitSettings& settings,
                  Foot2dFit* best) const {
    const auto from = make_foot2d_rows(smaller.type), to = problem.rows();
    Eigen::VectorXd x(3 * static_cast<Eigen::Index>(to.size()));
    Eigen::Index at = 0;
    for (size_t point = 0; point < 3; ++point) {
      for (const Foot2dRow& row : to) {
        const auto same = std::find_if(from.begin(), from.end(),
                                       [&](const Foot2dRow& f) { return f.slot == row.slot; });
        const auto k = static_cast<size_t>(same - from.begin());
        // The middle of log(0.1) to log(10).
        x[at++] =
            same == from.end() ? 0.5 : end[static_cast<Eigen::Index>(point * from.size() + k)];
      }
    }
    Foot2dFit fit = fit_foot2d_from(problem, x, settings);
    if (!fit.converged) {  // as far as from any other start
      Foot2dFitSettings longer = settings;
      longer.iterations = 10 * settings.iterations;
      fit = fit_foot2d_from(problem, fit.x, longer);
    }
    if (!(fit.objective.total() < best->objective.total())) return false;
    *best = fit;
    return true;
  }

  void search_as_source(const Foot2dProblem& problem, const Foot2dProblem& placebo,
                        Foot2dTypeResult* r) const {
    Foot2dPipelineSettings settings = plan_.pipeline;
    settings.threads = run_.threads;
    settings.stop = run_.stop;
    const auto is_cut = [&](const Foot2dPipelineResult& p) {
      return is_stopped() ||
             (!p.converged && settings.time_limit > 0 && p.seconds > settings.time_limit);
    };
    r->pipeline = run_foot2d_pipeline(problem, settings);
    if (!r->pipeline->converged) {
      r->unconverged.push_back(
          is_stopped() ? "the source's search was interrupted"
          : is_cut(*r->pipeline)
              ? "the source's search did not end within `pipeline.time_limit`, J is what it had "
                "reached"
              : fmt::format(
                    "the source's search did not end in {} rounds, J is what it had reached",
                    r->pipeline->rounds));
    }
    if (plan_.route == Route::kBoth) return;
    r->fit.x = r->pipeline->x;
    r->fit.objective = r->pipeline->objective;
    r->fit.converged = r->pipeline->converged;
    r->fit.seconds = r->pipeline->seconds;
    r->of_seeds = r->pipeline->of_sqp;
    const double least = *std::min_element(r->of_seeds.begin(), r->of_seeds.end());
    if (r->fit.objective.total() < least) r->J_from = "pattern search and SQP after them";
    if (is_stopped()) return;
    const Foot2dPipelineResult reversed = run_foot2d_pipeline(placebo, settings);
    if (!is_cut(reversed)) {
      r->placebo = reversed.objective;
    } else if (!is_stopped()) {
      r->unconverged.push_back(
          "the search on reversed forces did not end within `pipeline.time_limit`: no placebo");
    }
  }

  const Foot2dPlan& plan_;
  const Foot2dRun& run_;
  std::vector<const Foot2dStance*> unseen_;
  std::vector<std::vector<Foot2dPose>> unseen_poses_;
  std::vector<Foot2dPose> poses_;
  std::vector<Eigen::VectorXd> placebos_;  // where the searches on reversed forces ended, by type
  Foot2dStanceResult result_;
};

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
      if (run.progress) run.progress(++done / parts);
    }
    if (!work.result().types.empty()) {
      const std::vector<std::string> unconverged = list_unconverged(work.result());
      const std::vector<std::string> poor = list_poor_fits(work.result());
      study.converged = study.converged && unconverged.empty();
      for (const auto* list : {&unconverged, &poor}) {
        study.remarks.insert(study.remarks.end(), list->begin(), list->end());
      }
      study.stances.push_back(work.result());
    }
    if (run.stop && run.stop()) break;
  }
  study.interrupted = run.stop && run.stop();
  study.verdicts = find_foot2d_verdicts(study.stances);
  study.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return study;
}

}  // namespace vesica
