#include "vesica/studies/scene_fit.h"

#include <fmt/format.h>

#include <algorithm>
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
constexpr int kMaxFitIterations = 30, kMaxFitDampings = 8;
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

// Steps until the targets are met or nothing is gained.
void solve_fit(FitProblem* problem, SceneFit* fit) {
  Eigen::VectorXd x = problem->find_start();
  Eigen::VectorXd r = problem->calc_misses(x);
  const auto met = [&] { return r.lpNorm<Eigen::Infinity>() <= 1; };
  double weight = 1e-6;
  for (; !met() && fit->iterations < kMaxFitIterations; ++fit->iterations) {
    const Eigen::MatrixXd J = problem->calc_slopes(x);
    const Eigen::MatrixXd A = J.transpose() * J;
    const double scale = std::max(A.diagonal().maxCoeff(), 1e-300);
    bool better = false;
    double moved = 0;
    for (int k = 0; k < kMaxFitDampings && !better; ++k, weight *= 10) {
      Eigen::MatrixXd damped = A;
      damped.diagonal().array() += weight * scale;
      const Eigen::VectorXd step = solve_symmetric(damped, Eigen::VectorXd(-J.transpose() * r));
      const Eigen::VectorXd next = (x + step).cwiseMax(0.0).cwiseMin(1.0);
      const Eigen::VectorXd left = problem->calc_misses(next);
      if (!(left.squaredNorm() < r.squaredNorm())) continue;
      moved = (next - x).cwiseAbs().maxCoeff();
      x = next;
      r = left;
      better = true;
    }
    weight = std::max(1e-9, weight * 1e-2);
    if (!better || moved < kSmallestStep) break;
  }
  r = problem->calc_misses(x);  // what is reported is of this point
  for (size_t k = 0; k < fit->parameters.size(); ++k) {
    fit->parameters[k].value = problem->value_at(k, x[static_cast<Eigen::Index>(k)]);
  }
  fit->converged = met();
  if (fit->converged) return;
  const bool at_bound = (x.array() <= 0).any() || (x.array() >= 1).any();
  fit->message = fmt::format(
      "the targets are missed by up to {:.3g} tolerances after {} iterations; {}",
      r.lpNorm<Eigen::Infinity>(), fit->iterations,
      at_bound ? "a parameter is at its bound: widen it if it may go further"
               : "start elsewhere ('start'), or fit more parameters: these may not reach them");
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
  if (!fit.message.empty()) json["message"] = fit.message;
  return json;
}

}  // namespace vesica::studies
