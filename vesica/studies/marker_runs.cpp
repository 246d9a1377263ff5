#include "vesica/studies/marker_runs.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "vesica/error.h"
#include "vesica/io/load_motion.h"
#include "vesica/io/output_file.h"
#include "vesica/markers/lower_extremity.h"
#include "vesica/markers/model_file.h"
#include "vesica/markers/run.h"
#include "vesica/markers/start.h"
#include "vesica/motion/butterworth.h"
#include "vesica/motion/trial_edit.h"
#include "vesica/simulation/simulate.h"
#include "vesica/studies/execute.h"

namespace vesica::studies {
namespace {

using MarkerJson = nlohmann::ordered_json;

// Recordings are read once, however many runs share them.
std::shared_ptr<const MotionTrial> find_motion(const std::string& path) {
  static std::mutex guard;
  static std::map<std::string, std::shared_ptr<const MotionTrial>> loaded;
  const std::lock_guard lock(guard);
  auto& entry = loaded[path];
  if (!entry) entry = std::make_shared<const MotionTrial>(load_motion(path));
  return entry;
}

std::vector<std::string> read_names(const InputFile& options, const char* key) {
  std::vector<std::string> names;
  const auto node = options.root().find(key);
  if (!node) return names;
  if (node->is_list()) {
    for (const InputNode& item : node->items()) names.push_back(item.text());
  } else {
    names.push_back(node->text());
  }
  return names;
}

markers::Trial make_marker_trial(const InputFile& options, const std::string& name,
                                 markers::Run* run) {
  const std::string path = resolve_path(options.folder(), name);
  MotionTrial motion = *find_motion(path);
  if (const auto cutoff = options.root().find("lowpass")) {
    const double hz = cutoff->positive(dimension::kFrequency);
    filter_markers(&motion.markers, make_low_pass(hz, motion.markers.rate, 4));
  }
  markers::MatchOptions match;
  if (const auto residuals = options.root().find("residuals")) {
    match.use_residuals = residuals->flag();
  }
  return markers::make_trial(run->model, motion, std::filesystem::path(path).stem().string(), match,
                             &run->warnings);
}

struct SyntheticOptions {
  markers::MotionKind motion = markers::MotionKind::kGait;
  int frames = 255;
  double rate = 100, subject_size = 1;
  std::uint64_t subject_seed = 3, seed = 1;
  markers::MarkerNoise noise{0.002, 0, 0.1, 0};
};

std::uint64_t read_seed(const InputNode& node) {
  const double seed = node.non_negative(dimension::kNumber);
  if (seed != std::floor(seed) || seed > 0x1p53) node.fail("a seed is a whole number below 2^53");
  return static_cast<std::uint64_t>(seed);
}

SyntheticOptions read_synthetic(const InputNode& node) {
  node.allow({"motion", "frames", "rate", "subject_size", "subject_seed", "seed", "white_sd",
              "soft_tissue_sd", "soft_tissue_time", "occluded"});
  SyntheticOptions s;
  if (const auto n = node.find("motion")) {
    s.motion = n->choice({"gait", "range_of_motion"}) == 0 ? markers::MotionKind::kGait
                                                           : markers::MotionKind::kRangeOfMotion;
  }
  if (const auto n = node.find("frames")) s.frames = n->integer(2, 10000000);
  if (const auto n = node.find("rate")) s.rate = n->positive(dimension::kFrequency);
  if (const auto n = node.find("subject_size"))
    s.subject_size = n->non_negative(dimension::kNumber);
  if (const auto n = node.find("subject_seed")) s.subject_seed = read_seed(*n);
  if (const auto n = node.find("seed")) s.seed = read_seed(*n);
  if (const auto n = node.find("white_sd")) s.noise.white_sd = n->non_negative(dimension::kLength);
  if (const auto n = node.find("soft_tissue_sd")) {
    s.noise.soft_tissue_sd = n->non_negative(dimension::kLength);
  }
  if (const auto n = node.find("soft_tissue_time")) {
    s.noise.soft_tissue_time = n->positive(dimension::kTime);
  }
  if (const auto n = node.find("occluded")) {
    s.noise.occluded_fraction = n->non_negative(dimension::kNumber);
    if (s.noise.occluded_fraction > 0.9) n->fail("at most 0.9 of all marker frames");
  }
  return s;
}

// How many of the intervals hold the truth, and each parameter's error over its standard error.
void add_coverage(const markers::Run& run, const Eigen::VectorXd& truth, MarkerJson* json) {
  int usual = 0, robust = 0, held = 0;
  for (int k = 0; k < truth.size(); ++k) {
    const double error = run.id->d[k] - truth[k];
    if (!run.confidence.identifiable[k]) continue;
    ++held;
    const bool in_usual = std::abs(error) < run.confidence.half_width[k];
    const bool in_robust = std::abs(error) < run.confidence.robust_half_width[k];
    usual += in_usual;
    robust += in_robust;
    (*json)["truth"][run.model.parameters[k].name] =
        MarkerJson{{"value", truth[k]},
                   {"error", error},
                   {"in_usual_interval", in_usual},
                   {"in_robust_interval", in_robust},
                   {"error_over_robust", error / run.confidence.robust_standard_error[k]}};
  }
  const double count = std::max(1, held);
  (*json)["coverage"] =
      MarkerJson{{"parameters", held}, {"usual", usual / count}, {"robust", robust / count}};
}

MarkerJson summarise_error(const markers::MarkerError& e) {
  return {{"mean", e.mean * 1e3}, {"sd", e.sd * 1e3}, {"rms", e.rms * 1e3}, {"max", e.max * 1e3}};
}

markers::Model read_marker_model(const InputFile& model, std::vector<std::string>* warnings) {
  return std::filesystem::path(model.name()).extension() == ".osim"
             ? markers::load_model(model.name(), warnings)
             : markers::read_model(model);
}

}  // namespace

const std::vector<std::string_view>& marker_option_keys() {
  static const std::vector<std::string_view> kKeys = {"trials",  "evaluate",  "synthetic",
                                                      "lowpass", "residuals", "max_iterations"};
  return kKeys;
}

void check_marker_input(const InputFile& model, const InputFile& options) {
  std::vector<std::string> warnings;
  read_marker_model(model, &warnings);
  options.root().allow(marker_option_keys());
  if (const auto synthetic = options.root().find("synthetic")) read_synthetic(*synthetic);
}

MarkerFit fit_markers(const InputFile& model, const InputFile& options, bool is_probe,
                      const std::atomic<bool>* stop) {
  const InputNode root = options.root();
  root.allow(marker_option_keys());
  markers::Run run;
  run.model = read_marker_model(model, &run.warnings);
  Eigen::VectorXd truth;
  constexpr int kProbeFrames = 20;
  if (const auto node = root.find("synthetic")) {
    if (root.find("trials")) node->fail("goes without 'trials'");
    SyntheticOptions s = read_synthetic(*node);
    if (is_probe) s.frames = std::min(s.frames, kProbeFrames);
    truth = markers::make_subject(run.model, s.subject_size, s.subject_seed);
    run.trials.push_back(
        markers::make_synthetic_trial(run.model, truth, s.motion, s.frames, s.rate, s.noise, s.seed)
            .trial);
  } else {
    const auto names = read_names(options, "trials");
    if (names.empty()) root.fail("give 'trials', the recordings to fit, or 'synthetic'");
    for (const std::string& name : names) {
      run.trials.push_back(make_marker_trial(options, name, &run));
      if (!is_probe) continue;
      const int stride = run.trials.back().frame_count() / kProbeFrames + 1;
      run.trials.back() = markers::thin_trial(run.trials.back(), stride);
    }
  }
  markers::RunOptions fit_options;
  fit_options.threads = 1;
  if (const auto n = root.find("max_iterations")) fit_options.max_iterations = n->integer(1, 10000);
  if (is_probe) fit_options.max_iterations = 1;
  fit_options.progress = [stop](int, double, double) {
    if (stop != nullptr && *stop) throw Interrupted("interrupted");
  };
  markers::run_identification(run, fit_options);

  MarkerFit fit;
  fit.converged = run.id->summary.converged;
  fit.message = run.id->summary.message;
  if (!fit.converged && fit.message.empty()) fit.message = "not converged";
  fit.summary = markers::make_json(run);
  fit.summary.erase("seconds");
  fit.summary["objective"] = run.id->summary.objective;
  if (truth.size() > 0) add_coverage(run, truth, &fit.summary);
  const auto evaluated = read_names(options, "evaluate");
  if (!evaluated.empty()) {
    std::vector<markers::Trial> trials;
    for (const std::string& name : evaluated) {
      trials.push_back(make_marker_trial(options, name, &run));
      if (is_probe) {
        trials.back() =
            markers::thin_trial(trials.back(), trials.back().frame_count() / kProbeFrames + 1);
      }
    }
    markers::AllFrames frames(run.model, trials, 1);
    markers::solve_frames(frames, run.id->d);
    fit.summary["evaluated_error_mm"] =
        summarise_error(markers::calc_marker_errors(frames, run.id->d).all);
  }
  return fit;
}

}  // namespace vesica::studies
