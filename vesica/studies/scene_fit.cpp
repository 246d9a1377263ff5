#include "vesica/studies/scene_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "vesica/error.h"
#include "vesica/io/text_input.h"
#include "vesica/math/linear_algebra.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/run_checks.h"
#include "vesica/simulation/summary.h"
#include "vesica/studies/distribution.h"

namespace vesica::studies {
namespace {

using FitJson = nlohmann::ordered_json;
constexpr int kMaxFitIterations = 30, kMaxFitDampings = 12;
constexpr int kMaxOtherIterations = 10;                       // from other places
constexpr std::array kOtherStarts = {1.0 / 6, 5.0 / 6, 0.5};  // of a parameter's range
constexpr double kSamePlace = 0.01;                           // of it
constexpr double kFitStep = 1e-4;       // of a parameter's range, for differences
constexpr double kSmallestStep = 1e-9;  // of it: nothing more to gain

FitParameter read_parameter(const std::string& name, const InputNode& node) {
  node.allow({"path", "paths", "low", "high", "start"});
  FitParameter p;
  p.name = name;
  if (const auto path = node.find("path")) p.paths.push_back(path->text());
  if (const auto paths = node.find("paths")) {
    for (const InputNode& item : paths->items()) p.paths.push_back(item.text());
  }
  if (p.paths.empty()) node.fail("give 'path', or 'paths' for several entries with one value");
  const NumberWithUnit low = read_number_with_unit(node.at("low"));
  const NumberWithUnit high = read_number_with_unit(node.at("high"));
  if (low.unit != high.unit) node.at("high").fail("has another unit than 'low'");
  if (!(high.value > low.value)) node.at("high").fail("must be greater than 'low'");
  p.low = low.value;
  p.high = high.value;
  p.unit = low.unit;
  p.is_log = p.low > 0 && p.high > 10 * p.low;
  p.start = p.is_log ? std::sqrt(p.low * p.high) : 0.5 * (p.low + p.high);
  if (const auto start = node.find("start")) {
    const NumberWithUnit given = read_number_with_unit(*start);
    if (given.unit != p.unit) start->fail("has another unit than 'low'");
    if (!(given.value >= p.low && given.value <= p.high)) start->fail("lies outside of the bounds");
    p.start = given.value;
  }
  p.value = p.start;
  return p;
}

FitTarget read_target(const std::string& name, const InputNode& node) {
  node.allow({"read", "value", "tolerance"});
  FitTarget target;
  target.reading = read_reading(name, node.at("read"));
  target.value = node.at("value").number(dimension::kNumber);
  target.tolerance = node.at("tolerance").positive(dimension::kNumber);
  return target;
}

class FitProblem {
 public:
  FitProblem(SceneFit* fit, InputFile scene, const std::atomic<bool>* stop)
      : fit_(fit), scene_(std::move(scene)), stop_(stop) {}

  double value_at(size_t k, double x) const {
    const FitParameter& p = fit_->parameters[k];
    if (p.is_log) return std::exp(std::log(p.low) + x * std::log(p.high / p.low));
    return p.low + x * (p.high - p.low);
  }
  double place_of(size_t k) const {
    const FitParameter& p = fit_->parameters[k];
    if (p.is_log) return std::log(p.start / p.low) / std::log(p.high / p.low);
    return (p.start - p.low) / (p.high - p.low);
  }

  Eigen::VectorXd find_start() const {
    Eigen::VectorXd x(static_cast<Eigen::Index>(fit_->parameters.size()));
    for (size_t k = 0; k < fit_->parameters.size(); ++k) {
      x[static_cast<Eigen::Index>(k)] = place_of(k);
    }
    return x;
  }

  // The scene at a point of the unit cube.
  Model make_model(const Eigen::VectorXd& x) const {
    InputFile file = InputFile::parse(scene_.dump(), scene_.name());
    for (size_t k = 0; k < fit_->parameters.size(); ++k) {
      const FitParameter& p = fit_->parameters[k];
      const std::string text =
          fmt::format("{:.17g}{}{}", value_at(k, x[static_cast<Eigen::Index>(k)]),
                      p.unit.empty() ? "" : " ", p.unit);
      for (const std::string& path : p.paths) file.set(path, text);
    }
    return read_model(file);
  }

  // (figure - value)/tolerance at a point of the unit cube.
  Eigen::VectorXd calc_misses(const Eigen::VectorXd& x) {
    const Model model = make_model(x);
    const RunOptions options = make_run_options(model);
    const System<double> system(make_scene<double>(model), options.ledger);
    check_start(model, system);
    RunControl control;
    control.stop = stop_;
    const RunResult result = simulate(system, options, control);
    if (result.interrupted) throw Interrupted("interrupted");
    if (!result.failure.empty()) throw RunError(result.failure);
    ++fit_->runs;
    RunLeavings left;
    const FitJson summary = make_summary(system, options, result);
    left.summary = &summary;
    left.recording = &result.recording;
    left.events = &result.events;
    left.map_sums = &result.map_sums;
    for (const auto& contact : system.scene().contacts) left.contacts.push_back(contact.name);
    Eigen::VectorXd misses(static_cast<Eigen::Index>(fit_->targets.size()));
    for (size_t k = 0; k < fit_->targets.size(); ++k) {
      FitTarget& target = fit_->targets[k];
      check_reading(target.reading, left);
      settle_unit(left, &target.reading);
      const std::string cell = take_reading(target.reading, left);
      const auto number = parse_number(cell);
      if (!number) {
        throw InputError(fmt::format("{}: the run has no such figure{}", target.reading.place,
                                     cell.empty() ? ": it did not happen" : ": " + cell));
      }
      target.reached = *number;
      misses[static_cast<Eigen::Index>(k)] = (*number - target.value) / target.tolerance;
    }
    return misses;
  }

  Eigen::MatrixXd calc_slopes(const Eigen::VectorXd& x) {
    Eigen::MatrixXd J(static_cast<Eigen::Index>(fit_->targets.size()), x.size());
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      Eigen::VectorXd more = x, less = x;
      more[k] = std::min(1.0, x[k] + kFitStep);
      less[k] = std::max(0.0, x[k] - kFitStep);
      J.col(k) = (calc_misses(more) - calc_misses(less)) / (more[k] - less[k]);
    }
    return J;
  }

 private:
  SceneFit* fit_;
  InputFile scene_;
  const std::atomic<bool>* stop_;
};

struct FitPlace {
  Eigen::VectorXd x, misses;
  int iterations = 0;

  double worst() const { return misses.lpNorm<Eigen::Infinity>(); }
  bool meets() const { return worst() <= 1; }
};

// Steps until the targets are met or nothing is gained.
FitPlace search_from(FitProblem* problem, const Eigen::VectorXd& start, int most) {
  FitPlace at{start, problem->calc_misses(start)};
  double weight = 1e-6;
  for (; !at.meets() && at.iterations < most; ++at.iterations) {
    const Eigen::MatrixXd J = problem->calc_slopes(at.x);
    const Eigen::MatrixXd A = J.transpose() * J;
    const double scale = std::max(A.diagonal().maxCoeff(), 1e-300);
    bool better = false;
    double moved = 0;
    for (int k = 0; k < kMaxFitDampings && !better; ++k, weight *= 10) {
      Eigen::MatrixXd damped = A;
      damped.diagonal().array() += weight * scale;
      const Eigen::VectorXd step =
          solve_symmetric(damped, Eigen::VectorXd(-J.transpose() * at.misses));
      const Eigen::VectorXd next = (at.x + step).cwiseMax(0.0).cwiseMin(1.0);
      const Eigen::VectorXd left = problem->calc_misses(next);
      if (!(left.squaredNorm() < at.misses.squaredNorm())) continue;
      moved = (next - at.x).cwiseAbs().maxCoeff();
      at.x = next;
      at.misses = left;
      better = true;
    }
    weight = std::max(1e-9, weight * 1e-2);
    if (!better || moved < kSmallestStep) break;
  }
  return at;
}

// From places spread over the bounds, another one of them for each parameter. Where the scene does
// not run, or has no such figure, nothing is found.
std::vector<FitPlace> search_elsewhere(FitProblem* problem, const Eigen::VectorXd& start) {
  std::vector<FitPlace> places;
  for (size_t s = 0; s < kOtherStarts.size(); ++s) {
    Eigen::VectorXd x(start.size());
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      x[k] = kOtherStarts[(s + static_cast<size_t>(k)) % kOtherStarts.size()];
    }
    if ((x - start).cwiseAbs().maxCoeff() < kSamePlace) continue;
    try {
      places.push_back(search_from(problem, x, kMaxOtherIterations));
    } catch (const RunError&) {
      continue;
    } catch (const InputError&) {
      continue;
    }
  }
  return places;
}

// Whether a parameter at its bound would go further if it might.
bool would_leave_bounds(FitProblem* problem, const FitPlace& at) {
  if ((at.x.array() > 0).all() && (at.x.array() < 1).all()) return false;
  const Eigen::VectorXd downhill = -problem->calc_slopes(at.x).transpose() * at.misses;
  return ((at.x.array() <= 0 && downhill.array() < 0) ||
          (at.x.array() >= 1 && downhill.array() > 0))
      .any();
}

std::string list_places(const SceneFit& fit) {
  std::string text;
  const auto add = [&](size_t k, double value) {
    const FitParameter& p = fit.parameters[k];
    text += fmt::format("{} {:.4g}{}{}", p.name, value, p.unit.empty() ? "" : " ", p.unit);
  };
  for (size_t k = 0; k < fit.parameters.size(); ++k) {
    text += k > 0 ? ", " : "";
    add(k, fit.parameters[k].value);
  }
  for (const auto& other : fit.others) {
    for (size_t k = 0; k < other.size(); ++k) {
      text += k > 0 ? ", " : "; ";
      add(k, other[k]);
    }
  }
  return text;
}

// The others of these places that meet the targets, each once.
void note_others(const FitProblem& problem, const FitPlace& best,
                 const std::vector<FitPlace>& places, SceneFit* fit) {
  std::vector<Eigen::VectorXd> known = {best.x};
  for (const FitPlace& place : places) {
    const auto is_known = [&](const Eigen::VectorXd& x) {
      return (x - place.x).cwiseAbs().maxCoeff() <= kSamePlace;
    };
    if (!place.meets() || std::any_of(known.begin(), known.end(), is_known)) continue;
    known.push_back(place.x);
    std::vector<double>& values = fit->others.emplace_back();
    for (size_t k = 0; k < fit->parameters.size(); ++k) {
      values.push_back(problem.value_at(k, place.x[static_cast<Eigen::Index>(k)]));
    }
  }
}

void solve_fit(FitProblem* problem, SceneFit* fit) {
  const Eigen::VectorXd start = problem->find_start();
  std::vector<FitPlace> places = {search_from(problem, start, kMaxFitIterations)};
  for (FitPlace& place : search_elsewhere(problem, start)) places.push_back(std::move(place));
  size_t chosen = 0;
  for (size_t k = 1; k < places.size(); ++k) {
    if (!places[chosen].meets() && places[k].worst() < places[chosen].worst()) chosen = k;
  }
  const FitPlace& best = places[chosen];
  for (const FitPlace& place : places) fit->iterations += place.iterations;
  for (size_t k = 0; k < fit->parameters.size(); ++k) {
    fit->parameters[k].value = problem->value_at(k, best.x[static_cast<Eigen::Index>(k)]);
  }
  fit->converged = best.meets();
  note_others(*problem, best, places, fit);
  if (!fit->others.empty()) {
    fit->message = fmt::format(
        "the targets are met at several places: {}; narrow 'low' and 'high' to the one that is "
        "meant, or add a target that tells them apart",
        list_places(*fit));
  } else if (!fit->converged) {
    fit->message = fmt::format(
        "the targets are missed by up to {:.3g} tolerances after {} iterations from {} starts; {}",
        best.worst(), fit->iterations, places.size(),
        would_leave_bounds(problem, best)
            ? "a parameter is at its bound: widen it if it may go further"
            : "nothing within the bounds comes nearer from there: fit more parameters, or look at "
              "the targets");
  }
  problem->calc_misses(best.x);  // what is reported is of this point
}

}  // namespace

bool is_scene_fit(const InputFile& file) {
  const InputNode root = file.root();
  if (!root.is_map()) return false;
  const auto type = root.find("type");
  return type && type->is_scalar() && type->text() == "scene";
}

namespace {

// The fit as it is described, and its scene with what the study sets.
std::pair<SceneFit, InputFile> read_scene_fit(
    const InputFile& file, const std::function<std::string(const std::string&)>& find_input) {
  const InputNode root = file.root();
  root.allow({"vesica", "type", "title", "description", "of", "fit", "targets"});
  root.at("vesica").integer(1, 1);
  SceneFit fit;
  if (const auto title = root.find("title")) fit.title = title->text();
  const InputNode of = root.at("of");
  of.allow({"simulate", "set"});
  InputFile scene = InputFile::load(find_input(of.at("simulate").text()));
  if (const auto set = of.find("set")) {
    for (const auto& [path, value] : set->entries()) scene.set(path, value.dump());
  }
  for (const auto& [name, node] : root.at("fit").entries()) {
    fit.parameters.push_back(read_parameter(name, node));
  }
  for (const auto& [name, node] : root.at("targets").entries()) {
    fit.targets.push_back(read_target(name, node));
  }
  if (fit.parameters.empty()) root.at("fit").fail("there is nothing to fit");
  if (fit.targets.size() < fit.parameters.size()) {
    root.at("targets").fail(
        fmt::format("{} targets do not determine {} parameters; give at least as many",
                    fit.targets.size(), fit.parameters.size()));
  }
  return {std::move(fit), std::move(scene)};
}

}  // namespace

SceneFit fit_scene(const InputFile& file,
                   const std::function<std::string(const std::string&)>& find_input,
                   const std::atomic<bool>* stop) {
  auto [fit, scene] = read_scene_fit(file, find_input);
  FitProblem problem(&fit, std::move(scene), stop);
  solve_fit(&problem, &fit);
  return fit;
}

void check_scene_fit(const InputFile& file,
                     const std::function<std::string(const std::string&)>& find_input) {
  auto [fit, scene] = read_scene_fit(file, find_input);
  const FitProblem problem(&fit, std::move(scene), nullptr);
  const Model model = problem.make_model(problem.find_start());
  const RunOptions options = make_run_options(model);
  check_start(model, System<double>(make_scene<double>(model), options.ledger));
}

nlohmann::ordered_json make_scene_fit_json(const SceneFit& fit) {
  FitJson json{{"type", "scene"}, {"title", fit.title}};
  for (const FitParameter& p : fit.parameters) {
    json["parameters"].push_back(
        {{"name", p.name}, {"value", p.value}, {"unit", p.unit}, {"paths", p.paths}});
  }
  for (const FitTarget& t : fit.targets) {
    json["targets"].push_back({{"name", t.reading.name},
                               {"value", t.value},
                               {"reached", t.reached},
                               {"tolerance", t.tolerance}});
  }
  json["iterations"] = fit.iterations;
  json["runs"] = fit.runs;
  json["converged"] = fit.converged;
  if (!fit.others.empty()) json["met_elsewhere"] = fit.others;
  if (!fit.message.empty()) json["message"] = fit.message;
  return json;
}

}  // namespace vesica::studies
