#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vesica/commands.h"
#include "apps/vesica/scene_files.h"
#include "vesica/io/file_error.h"
#include "vesica/io/load_motion.h"
#include "vesica/io/marker_map.h"
#include "vesica/io/output_file.h"
#include "vesica/io/sto.h"
#include "vesica/io/trc.h"
#include "vesica/markers/lower_extremity.h"
#include "vesica/markers/model_file.h"
#include "vesica/markers/outputs.h"
#include "vesica/markers/run.h"
#include "vesica/markers/study.h"
#include "vesica/motion/butterworth.h"
#include "vesica/motion/same_recording.h"
#include "vesica/motion/trial_analysis.h"
#include "vesica/motion/trial_edit.h"
#include "vesica/motion/trial_tidy.h"
#include "vesica/report/markers_page.h"

namespace vesica::app {
namespace {

namespace fs = std::filesystem;

struct MarkersArguments {
  std::string model;
  std::vector<std::string> trials;
  double low_pass = 0;  // Hz
  bool use_residuals = false;
  int max_iterations = 60;
  std::string map;
  std::string example;  // folder for synthetic recordings
};

// Zero-phase Butterworth of second order a pass, as in the source.
void filter_tracks(double cutoff, MarkerTracks* tracks) {
  filter_markers(tracks, make_low_pass(cutoff, tracks->rate, 4));
}

// The recording's names into those of the model; names that a map of one's own has and the
// recording lacks are worth a warning.
void rename_by_map(const std::string& name, MotionTrial* motion,
                   std::vector<std::string>* warnings) {
  if (name.empty()) return;
  const MarkerMap map = load_marker_map(find_input(name));
  const RenamedMarkers renamed = rename_markers(map, &motion->markers);
  if (map.partial || renamed.not_present.empty()) return;
  warnings->push_back(motion->file + ": " + describe(renamed, map));
}

// Gait events that the file holds; where it has none, those that its markers show.
void add_gait_events(const MotionTrial& motion, const std::string& trial, markers::Run& run) {
  for (const MotionEvent& e : motion.events) {
    run.events.push_back({trial, e.time, e.context.empty() ? e.label : e.context + " " + e.label});
  }
  if (!motion.events.empty()) return;
  for (const GaitEvent& e : analyse(motion, {}).walk.events) {
    run.events.push_back({trial, e.time, fmt::format("{} {}", name_of(e.foot), name_of(e.kind))});
  }
}

// The same frames twice look like twice the evidence.
void tell_of_repeats(const std::string& path, const MotionTrial& motion,
                     std::vector<MotionTrial>* before, std::vector<std::string>* warnings) {
  for (const MotionTrial& other : *before) {
    const size_t shared = count_shared_frames(other, motion);
    if (shared == 0) continue;
    warnings->push_back(fmt::format(
        "{}: holds the same {} frames as {}; counted twice they halve the variance of all "
        "parameters without telling anything new: give the recording once",
        path, shared, other.file));
  }
  MotionTrial kept;
  kept.file = path;
  kept.markers = motion.markers;
  before->push_back(std::move(kept));
}

// One name a trial, also where files of different folders share theirs.
std::string name_trial(const std::vector<markers::Trial>& before, const std::string& path) {
  const std::string stem = fs::path(path).stem().string();
  std::string name = stem;
  for (int k = 2;; ++k) {
    bool taken = false;
    for (const auto& trial : before) taken = taken || trial.name == name;
    if (!taken) return name;
    name = fmt::format("{}_{}", stem, k);
  }
}

void save_all(const markers::Run& run, const std::string& folder) {
  const auto path = [&](const std::string& name) { return (fs::path(folder) / name).string(); };
  for (size_t t = 0; t < run.trials.size(); ++t) {
    const std::string& name = run.trials[t].name;
    save_sto(path(name + "_joints.mot"), markers::make_joint_table(run, t));
    save_trc(path(name + "_fitted.trc"), markers::make_fitted_tracks(run, t));
  }
  save_text(path("opensim_scale_and_markers.xml"), markers::make_opensim_xml(run));
  save_text(path("summary.json"), markers::make_json(run).dump(2) + "\n");
  save_text(path("report.html"), make_markers_page(run));
}

// Recordings of the lower-extremity model with known truth: soft tissue of 3 mm, white noise of 0.5
// mm, 2 % of the range-of-motion markers hidden at a time.
void save_example(const std::string& folder, bool quiet) {
  const markers::Model model = markers::make_lower_extremity(true);
  const Eigen::VectorXd truth = markers::make_subject(model, 1, 3);
  try_folder(folder);
  const auto save = [&](markers::MotionKind kind, int frames, double hidden, const char* name) {
    const auto made = markers::make_synthetic_trial(model, truth, kind, frames, 100,
                                                    {0.0005, 0.003, 0.1, hidden}, 7);
    MarkerTracks tracks;
    tracks.rate = 100;
    tracks.unit_in_file = "mm";
    for (const auto& m : model.markers) tracks.labels.push_back(m.name);
    tracks.positions = made.trial.positions;
    for (int f = 0; f < frames; ++f) tracks.times.push_back(f / 100.0);
    save_trc((fs::path(folder) / name).string(), tracks);
  };
  save(markers::MotionKind::kGait, 255, 0, "gait.trc");
  save(markers::MotionKind::kRangeOfMotion, 4680, 0.02, "range_of_motion.trc");
  nlohmann::ordered_json json;
  for (int k = 0; k < truth.size(); ++k) json[model.parameters[k].name] = truth[k];
  save_text((fs::path(folder) / "truth.json").string(), json.dump(2) + "\n");
  if (!quiet) {
    say("gait.trc, range_of_motion.trc and truth.json are in {}; fit them with\n"
        "  vesica markers lower_extremity {}/range_of_motion.trc\n",
        folder, folder);
  }
}

// A study names its recordings; those that are not beside it are given on the command line.
std::string find_recording(const std::string& path, const std::vector<std::string>& given) {
  std::error_code code;
  if (fs::exists(path, code)) return path;
  for (const std::string& other : given) {
    if (fs::path(other).filename() == fs::path(path).filename()) return other;
  }
  throw FileError(
      fmt::format("{}: there is no such recording; name a {} after the study on the command line",
                  path, fs::path(path).filename().string()));
}

void run_markers_study(const InputFile& file, const MarkersArguments& arguments, Common& common) {
  markers::Options options;
  options.threads = common.threads;
  options.max_iterations = arguments.max_iterations;
  const auto load = [&](const std::string& path) {
    MotionTrial motion = load_motion(find_recording(path, arguments.trials));
    tidy(&motion);
    rename_by_map(arguments.map, &motion, &motion.warnings);
    if (arguments.low_pass > 0) filter_tracks(arguments.low_pass, &motion.markers);
    return motion;
  };
  if (!common.out.empty()) try_folder(common.out);
  const markers::Study study = markers::run_study(file, load, options);
  for (const auto& m : study.models) {
    if (!m.run->id->summary.converged) common.status = kFailed;
    if (!common.out.empty()) save_all(*m.run, (fs::path(common.out) / m.name).string());
  }
  if (common.json) {
    print_json(markers::make_study_json(study));
  } else {
    fmt::print("{}", markers::make_study_table(study));
  }
}

void run_markers(const MarkersArguments& arguments, Common& common) {
  if (!arguments.example.empty()) return save_example(arguments.example, common.quiet);
  if (arguments.model.empty()) throw InputError("no MODEL given; see vesica markers --help");
  const std::string path_of_model = find_input(arguments.model);
  if (fs::path(path_of_model).extension() != ".osim") {
    const InputFile file = InputFile::load(path_of_model);
    if (markers::is_study(file)) return run_markers_study(file, arguments, common);
  }
  if (arguments.trials.empty())
    throw InputError("no TRIAL given: name one or more .trc or .c3d files");
  const auto begin = std::chrono::steady_clock::now();
  markers::Run run;
  run.model = markers::load_model(path_of_model, &run.warnings);
  std::vector<MotionTrial> recordings;
  for (const std::string& path : arguments.trials) {
    MotionTrial motion = load_motion(path);
    tell_of_repeats(path, motion, &recordings, &run.warnings);
    tidy(&motion);
    rename_by_map(arguments.map, &motion, &motion.warnings);
    run.warnings.insert(run.warnings.end(), motion.warnings.begin(), motion.warnings.end());
    if (arguments.low_pass > 0) filter_tracks(arguments.low_pass, &motion.markers);
    markers::MatchOptions match;
    match.use_residuals = arguments.use_residuals;
    run.trials.push_back(
        markers::make_trial(run.model, motion, name_trial(run.trials, path), match, &run.warnings));
    add_gait_events(motion, run.trials.back().name, run);
  }
  run.seconds_read =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  if (!common.out.empty()) try_folder(common.out);
  markers::Options options;
  options.threads = common.threads;
  options.max_iterations = arguments.max_iterations;
  const bool show = !common.quiet && !common.json && isatty(2) != 0;
  if (show) {
    options.progress = [](int k, double objective, double kkt) {
      say("\riteration {:3d}   objective {:.6g} m^2   KKT {:.1e}   ", k, objective, kkt);
    };
  }
  markers::run_identification(run, options);
  if (show) say("\n");
  if (!run.id->summary.converged) common.status = kFailed;
  if (!common.out.empty()) save_all(run, common.out);
  if (common.json) {
    print_json(markers::make_json(run));
  } else {
    fmt::print("{}", markers::make_table(run));
    if (!common.out.empty() && !common.quiet) {
      fmt::print("\nangles, fitted markers, OpenSim XML, summary and report are in {}\n",
                 common.out);
    }
  }
}

}  // namespace

void add_markers(CommandLine& line, Common& common) {
  Command command = add_command(
      line, common, "markers",
      "Fit segment lengths, joint axes and marker positions to all frames of motion capture");
  auto arguments = std::make_shared<MarkersArguments>();
  command.option("MODEL", &arguments->model,
                 "a marker model or a study of several (.yaml), or an OpenSim model (.osim)");
  command.option("TRIAL", &arguments->trials,
                 "recordings: .trc or .c3d, fitted together; after a study, those it asks for");
  command.option("--map", &arguments->map,
                 "names of the recordings' markers to those of the model: a map (.yaml, .csv), or "
                 "one that comes along (vesica list)");
  command.option("--example", &arguments->example,
                 "write synthetic recordings with known truth into this folder, and stop");
  command.option("--lowpass", &arguments->low_pass, "zero-phase low-pass filter of the markers, Hz")
      .positive();
  command.flag("--residuals", &arguments->use_residuals,
               "weigh C3D markers by their reconstruction residuals");
  command.option("--max-iterations", &arguments->max_iterations, "of the all-frames problem")
      .range(1, 10000);
  command.run([&common, arguments] { run_markers(*arguments, common); });
}

}  // namespace vesica::app
