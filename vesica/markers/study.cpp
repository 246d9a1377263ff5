#include "vesica/markers/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "vesica/io/output_file.h"
#include "vesica/markers/model_file.h"
#include "vesica/markers/recording.h"
#include "vesica/markers/start.h"

namespace vesica::markers {
namespace {

std::string in_folder(const InputFile& file, const std::string& name) {
  const std::filesystem::path path(name);
  return path.is_absolute() ? name : (std::filesystem::path(file.folder()) / path).string();
}

// Parameters whose name is the word or begins with it and a dot or an underscore.
std::vector<int> find_parameters(const Model& model, const InputNode& node) {
  const std::string word = node.text();
  std::vector<int> found;
  for (int k = 0; k < model.parameter_count(); ++k) {
    const std::string& name = model.parameters[k].name;
    if (name == word || name.rfind(word + ".", 0) == 0 || name.rfind(word + "_", 0) == 0) {
      found.push_back(k);
    }
  }
  if (found.empty())
    node.fail(fmt::format("no parameter of the model is called or begins with '{}'", word));
  return found;
}

// A parameter that keeps a value is a relation: it leaves the problem, not the model.
void fix(Model& model, int k, double value, StudyResult& result) {
  model.parameters[k].start = value;
  model.relations.push_back({model.parameters[k].name + " kept", {{k, 1.0}}, value});
  result.fixed.push_back(model.parameters[k].name);
}

using Load = std::function<MotionTrial(const std::string&)>;

// Where there is no `fit` the recordings are not read, and what is taken has its start.
Study read_study(const InputFile& file, const Load& load, const MatchOptions& match,
                 const std::function<void(Run&, const MotionTrial& evaluation, StudyResult&)>& fit);

}  // namespace

bool is_study(const InputFile& file) { return file.root().find("study").has_value(); }

Study run_study(const InputFile& file, const Load& load, const RunOptions& options,
                const MatchOptions& match) {
  return read_study(
      file, load, match, [&](Run& run, const MotionTrial& evaluation, StudyResult& result) {
        run_identification(run, options);
        std::vector<Trial> one{make_trial(run.model, evaluation, file.root().at("evaluate").text(),
                                          match, &run.warnings)};
        AllFrames frames(run.model, one, options.threads);
        solve_frames(frames, run.id->d);
        result.evaluated = calc_marker_errors(frames, run.id->d);
      });
}

void check_study(const InputFile& file) { read_study(file, nullptr, {}, nullptr); }

namespace {

Study read_study(
    const InputFile& file, const Load& load, const MatchOptions& match,
    const std::function<void(Run&, const MotionTrial& evaluation, StudyResult&)>& fit) {
  const InputNode root = file.root();
  root.allow({"vesica", "study", "models", "evaluate"});
  root.at("vesica").integer(1, 1);
  Study study;
  study.name = root.at("study").text();
  study.evaluate = root.at("evaluate").text();
  const MotionTrial evaluation = fit ? load(in_folder(file, study.evaluate)) : MotionTrial();
  for (const auto& [name, node] : root.at("models").entries()) {
    node.allow({"model", "trials", "keep", "take"});
    StudyResult result;
    path_within("", name, "the model's name");  // its results go into a folder of that name
    result.name = name;
    result.run = std::make_unique<Run>();
    Run& run = *result.run;
    run.model = load_model(in_folder(file, node.at("model").text()), &run.warnings);
    if (const auto keep = node.find("keep")) {
      for (const InputNode& item : keep->items()) {
        for (int k : find_parameters(run.model, item)) {
          fix(run.model, k, run.model.parameters[k].start, result);
        }
      }
    }
    if (const auto take = node.find("take")) {
      take->allow({"from", "parameters"});
      const std::string from = take->at("from").text();
      const auto source = std::find_if(study.models.begin(), study.models.end(),
                                       [&](const StudyResult& r) { return r.name == from; });
      if (source == study.models.end()) {
        take->at("from").fail(fmt::format("'{}' is no model before this one", from));
      }
      for (const InputNode& item : take->at("parameters").items()) {
        for (int k : find_parameters(run.model, item)) {
          const int other = source->run->model.find_parameter(run.model.parameters[k].name);
          if (other < 0) item.fail(fmt::format("model '{}' has no such parameter", from));
          fix(run.model, k,
              fit ? source->run->id->d[other] : source->run->model.parameters[other].start, result);
        }
      }
    }
    run.model.finish();
    for (const InputNode& trial : node.at("trials").items()) {
      const std::string name = trial.text();
      if (!fit) continue;
      run.trials.push_back(make_trial(run.model, load(in_folder(file, name)),
                                      name_trial(run.trials, name), match, &run.warnings));
    }
    if (fit) fit(run, evaluation, result);
    study.models.push_back(std::move(result));
  }
  return study;
}

}  // namespace

std::string make_study_table(const Study& study) {
  std::string out = fmt::format("{}\n\n  {:<32}", study.name, "parameter");
  for (const auto& m : study.models) out += fmt::format("{:>26}", m.name);
  out += "\n";
  if (study.models.empty()) return out;
  for (const Parameter& p : study.models.front().run->model.parameters) {
    out += fmt::format("  {:<28}{:>4}", p.name, unit_for_people(p.unit));
    for (const auto& m : study.models) {
      const int k = m.run->model.find_parameter(p.name);
      if (k < 0) {
        out += fmt::format("{:>26}", "");
        continue;
      }
      const bool kept = std::find(m.fixed.begin(), m.fixed.end(), p.name) != m.fixed.end();
      const double half = m.run->confidence.robust_half_width[k];
      out += fmt::format("{:>17.2f} {:<8}", for_people(p.unit, m.run->id->d[k]),
                         kept ? "kept" : fmt::format("+-{:.2g}", for_people(p.unit, half)));
    }
    out += "\n";
  }
  const std::string recording = std::filesystem::path(study.evaluate).stem().string();
  out += fmt::format("  {:<32}", "marker error on " + recording + ", mm");
  for (const auto& m : study.models) {
    out +=
        fmt::format("{:>17.2f} sd {:<5.2f}", m.evaluated.all.mean * 1e3, m.evaluated.all.sd * 1e3);
  }
  out += "\n";
  for (const auto& m : study.models) {
    for (const std::string& w : m.run->warnings) {
      out += fmt::format("\n  warning: {}: {}", m.name, w);
    }
  }
  return out + "\n  +-: 95 % intervals that allow for correlated frames\n";
}

nlohmann::ordered_json make_study_json(const Study& study) {
  nlohmann::ordered_json json{{"study", study.name}, {"evaluate", study.evaluate}};
  for (const auto& m : study.models) {
    auto entry = make_json(*m.run);
    entry["kept"] = m.fixed;
    entry["evaluated_error_mm"] = {{"mean", m.evaluated.all.mean * 1e3},
                                   {"sd", m.evaluated.all.sd * 1e3}};
    json["models"][m.name] = entry;
  }
  return json;
}

}  // namespace vesica::markers
