#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/vesica/commands.h"
#include "apps/vesica/input_kind.h"
#include "apps/vesica/progress.h"
#include "apps/vesica/scene_files.h"
#include "vesica/io/file_error.h"
#include "vesica/io/load_motion.h"
#include "vesica/io/marker_map.h"
#include "vesica/io/output_file.h"
#include "vesica/io/sto.h"
#include "vesica/io/trc.h"
#include "vesica/markers/dynamics.h"
#include "vesica/markers/lower_extremity.h"
#include "vesica/markers/model_file.h"
#include "vesica/markers/outputs.h"
#include "vesica/markers/run.h"
#include "vesica/markers/same_subject.h"
#include "vesica/markers/standing.h"
#include "vesica/markers/study.h"
#include "vesica/motion/butterworth.h"
#include "vesica/motion/same_recording.h"
#include "vesica/motion/trial_analysis.h"
#include "vesica/motion/trial_edit.h"
#include "vesica/motion/trial_tidy.h"
#include "vesica/report/dynamics_page.h"
#include "vesica/report/markers_page.h"

namespace vesica::app {
namespace {

namespace fs = std::filesystem;

struct MarkersArguments {
  std::string model;
  std::vector<std::string> trials;
  double low_pass = 0;  // Hz
  bool use_residuals = false;
  double ramp = markers::MatchOptions{}.ramp_seconds;
  int max_iterations = 60;
  std::string map, neutral_map;
  int every = 1;
  std::string weights = "model";
  std::string loss, loss_width;
  std::string example;  // folder for synthetic recordings
  std::string neutral;  // the standing trial that angles are counted from
  std::string up, forward;
  std::vector<std::string> forces;  // of each trial
  bool dynamics = false;
  std::string mass, sex = "unstated", axes = "proximal";
  double motion_cutoff = 6, force_cutoff = 6;  // Hz
};

// "x", "-z", ...; zero where nothing is said.
Vec3d read_axis(const std::string& text, const char* option) {
  if (text.empty()) return Vec3d::Zero();
  const bool minus = text.front() == '-';
  const size_t letters = minus || text.front() == '+' ? 2 : 1;
  const char letter = text.back();
  if (text.size() != letters || letter < 'x' || letter > 'z') {
    throw InputError(fmt::format("{} is '{}'; expected x, y or z, or -x, -y, -z", option, text));
  }
  return (minus ? -1.0 : 1.0) * Vec3d::Unit(letter - 'x');
}

markers::MatchOptions make_match_options(const MarkersArguments& arguments) {
  if (!(arguments.ramp >= 0 && arguments.ramp <= 10)) {
    throw InputError(fmt::format("--ramp {}: expected seconds, 0 to 10", arguments.ramp));
  }
  markers::MatchOptions match;
  match.use_residuals = arguments.use_residuals;
  match.ramp_seconds = arguments.ramp;
  return match;
}

// Zero-phase Butterworth of second order a pass, as in the source.
void filter_tracks(double cutoff, MarkerTracks* tracks) {
  filter_markers(tracks, make_low_pass(cutoff, tracks->rate, 4));
}

// The loss that the command line asks for; the model's width where it has the same loss.
void set_loss(const MarkersArguments& arguments, markers::Model& model) {
  using markers::LossType;
  if (!arguments.loss.empty()) {
    const LossType type = arguments.loss == "tukey"   ? LossType::kTukey
                          : arguments.loss == "huber" ? LossType::kHuber
                                                      : LossType::kSquares;
    if (type != model.loss.type) model.loss = {type, 0.01, type == LossType::kTukey};
  }
  if (arguments.loss_width.empty()) return;
  if (model.loss.type == LossType::kSquares) {
    throw InputError("--loss-width: squares have none; give --loss huber or --loss tukey too");
  }
  model.loss.width = parse_quantity(arguments.loss_width, dimension::kLength);
  if (!(model.loss.width > 0)) throw InputError("--loss-width must be positive");
  model.loss.width_from_recording = false;
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

// The standing trial goes through the map of the other ones, unless it has its own.
markers::Trial make_standing_trial(const MarkersArguments& arguments, MotionTrial* motion,
                                   markers::Run* run) {
  if (arguments.neutral_map != "none") {
    rename_by_map(arguments.neutral_map.empty() ? arguments.map : arguments.neutral_map, motion,
                  &motion->warnings);
  }
  return markers::make_trial(run->model, *motion, fs::path(arguments.neutral).stem().string(), {},
                             &run->warnings);
}

// Errors of a walk that its map has put right beside a standing trial that the same map has put
// wrong say nothing of maps.
void with_advice_on_maps(const MarkersArguments& arguments, const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    if (arguments.map.empty() || arguments.neutral.empty() || !arguments.neutral_map.empty()) throw;
    throw InputError(
        fmt::format("{} (--map {} is for the --neutral trial too; --neutral-map MAP "
                    "gives that another one, --neutral-map none leaves it as it is)",
                    error.what(), arguments.map));
  }
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

// All recordings are to be of the subject whose standing trial it is; without one, of the first.
void tell_of_other_people(markers::Run& run, const std::optional<markers::Trial>& standing) {
  const markers::Trial& reference = standing ? *standing : run.trials.front();
  for (const markers::Trial& trial : run.trials) {
    if (&trial == &reference) continue;
    const std::string other = markers::describe_other_person(run.model, reference, trial);
    if (!other.empty()) run.warnings.push_back(other);
  }
}

// Joint moments of every trial, with the plates of its own file or of the one given for it.
std::vector<markers::Dynamics> calc_all_dynamics(const markers::Run& run,
                                                 const MarkersArguments& arguments,
                                                 const std::vector<MotionTrial>& motions) {
  std::vector<markers::Dynamics> all;
  if (!arguments.dynamics && arguments.forces.empty()) return all;
  if (!arguments.forces.empty() && arguments.forces.size() != motions.size()) {
    throw InputError(fmt::format(
        "{} recordings and {} files with forces; give one for each recording, in the same order",
        motions.size(), arguments.forces.size()));
  }
  markers::DynamicsOptions options;
  if (!arguments.mass.empty()) {
    options.mass = parse_quantity(arguments.mass, dimension::kMass);
    if (!(options.mass > 0)) throw InputError("--mass must be positive");
  }
  options.sex = arguments.sex == "female" ? markers::Sex::kFemale
                : arguments.sex == "male" ? markers::Sex::kMale
                                          : markers::Sex::kUnstated;
  using Axes = markers::JointAngles::Axes;
  options.axes = arguments.axes == "distal"  ? Axes::kDistal
                 : arguments.axes == "joint" ? Axes::kJoint
                                             : Axes::kProximal;
  options.motion_cutoff = arguments.motion_cutoff;
  options.force_cutoff = arguments.force_cutoff;
  for (size_t t = 0; t < motions.size(); ++t) {
    MotionTrial joined = motions[t];
    if (!arguments.forces.empty()) {
      MotionTrial forces = load_motion(arguments.forces[t]);
      tidy(&forces);
      joined = join(std::move(joined), std::move(forces));
    }
    AnalysisOptions analysis;
    analysis.up = arguments.up;
    all.push_back(markers::calc_dynamics(run, t, analyse(joined, analysis), options));
  }
  return all;
}

void save_dynamics(const std::vector<markers::Dynamics>& all, const std::string& folder) {
  const auto path = [&](const std::string& name) { return (fs::path(folder) / name).string(); };
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const markers::Dynamics& d : all) {
    save_sto(path(d.trial + "_moments.mot"), d.moments);
    save_sto(path(d.trial + "_moments_per_kg.mot"), markers::make_moments_per_kg(d));
    save_sto(path(d.trial + "_powers.mot"), d.powers);
    save_sto(path(d.trial + "_residual.mot"), d.residual);
    json.push_back(markers::make_dynamics_json(d));
  }
  save_text(path("dynamics.json"), json.dump(2) + "\n");
  save_text(path("dynamics.html"), make_dynamics_page(all));
}

void save_all(const markers::Run& run, const std::string& folder) {
  const auto path = [&](const std::string& name) { return (fs::path(folder) / name).string(); };
  for (size_t t = 0; t < run.trials.size(); ++t) {
    const std::string& name = run.trials[t].name;
    path_within(folder, name, "the trial's name");
    save_sto(path(name + "_joints.mot"), markers::make_joint_table(run, t));
    save_trc(path(name + "_fitted.trc"), markers::make_fitted_tracks(run, t));
    save_trc(path(name + "_joint_centers.trc"), markers::make_joint_centers(run, t));
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
                                                    {0.0005, 0.003, 0.1, hidden, {}}, 7);
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

markers::RunOptions make_options(const MarkersArguments& arguments, const Common& common) {
  markers::RunOptions options;
  options.threads = common.threads;
  options.max_iterations = arguments.max_iterations;
  options.every = arguments.every;
  options.estimate_weights = arguments.weights == "estimated";
  return options;
}

void run_markers_study(const InputFile& file, const MarkersArguments& arguments, Common& common) {
  markers::RunOptions options = make_options(arguments, common);
  const auto load = [&](const std::string& path) {
    MotionTrial motion = load_motion(find_recording(path, arguments.trials));
    tidy(&motion);
    rename_by_map(arguments.map, &motion, &motion.warnings);
    if (arguments.low_pass > 0) filter_tracks(arguments.low_pass, &motion.markers);
    return motion;
  };
  if (!common.out.empty()) try_folder(common.out);
  const markers::Study study =
      markers::run_study(file, load, options, make_match_options(arguments));
  for (const auto& m : study.models) {
    if (!m.run->id->summary.converged) common.status = kFailed;
    if (!common.out.empty()) save_all(*m.run, path_within(common.out, m.name, "the model's name"));
  }
  if (!common.out.empty()) remove_earlier_files(common.out, "markers");
  if (common.json) {
    print_json(markers::make_study_json(study));
  } else {
    fmt::print("{}", markers::make_study_table(study));
  }
}

void run_markers(const MarkersArguments& arguments, Common& common, const Command& command) {
  if (!arguments.example.empty()) return save_example(arguments.example, common.quiet);
  if (arguments.model.empty()) throw InputError("no MODEL given; see vesica markers --help");
  const std::string path_of_model = find_input(arguments.model);
  if (fs::path(path_of_model).extension() != ".osim") {
    const InputFile file = InputFile::load(path_of_model);
    expect_input_for({"markers"}, file);
    if (markers::is_study(file)) {
      command.refuse(
          {"--neutral", "--up", "--forward", "--forces", "--dynamics", "--loss", "--loss-width"},
          "is for a model; a study fits several of them and compares");
      return run_markers_study(file, arguments, common);
    }
  }
  if (arguments.trials.empty())
    throw InputError("no TRIAL given: name one or more .trc or .c3d files");
  if (!common.out.empty()) try_folder(common.out);
  const auto begin = std::chrono::steady_clock::now();
  markers::Run run;
  run.model = markers::load_model(path_of_model, &run.warnings);
  set_loss(arguments, run.model);
  std::vector<MotionTrial> recordings;
  const Vec3d up = read_axis(arguments.up, "--up"),
              forward = read_axis(arguments.forward, "--forward");
  std::vector<MotionTrial> motions;  // kept for the forces
  const bool wants_dynamics = arguments.dynamics || !arguments.forces.empty();
  std::optional<MotionTrial> standing_motion;
  std::optional<markers::Trial> standing;
  if (!arguments.neutral.empty()) {
    standing_motion = load_motion(arguments.neutral);
    tidy(&*standing_motion);
    with_advice_on_maps(arguments, [&] {
      standing = make_standing_trial(arguments, &*standing_motion, &run);
      markers::check_stands(run.model, *standing);
      if (markers::needs_standing(run.model)) markers::calibrate(*standing_motion, run.model);
    });
  }
  for (const std::string& path : arguments.trials) {
    MotionTrial motion = load_motion(path);
    tell_of_repeats(path, motion, &recordings, &run.warnings);
    tidy(&motion);
    rename_by_map(arguments.map, &motion, &motion.warnings);
    run.warnings.insert(run.warnings.end(), motion.warnings.begin(), motion.warnings.end());
    if (arguments.low_pass > 0) filter_tracks(arguments.low_pass, &motion.markers);
    run.trials.push_back(markers::make_trial(run.model, motion,
                                             markers::name_trial(run.trials, path),
                                             make_match_options(arguments), &run.warnings));
    add_gait_events(motion, run.trials.back().name, run);
    run.lab.push_back({up, forward, markers::find_right(motion.markers)});
    if (wants_dynamics) motions.push_back(std::move(motion));
  }
  tell_of_other_people(run, standing);
  run.seconds_read =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  markers::RunOptions options = make_options(arguments, common);
  keep_on_stop();
  options.stop = &stop_requested();
  const bool show = !common.quiet && !common.json && isatty(2) != 0;
  if (show) {
    options.progress = [](int k, double objective, double kkt) {
      say("\riteration {:3d}   objective {:.6g} m^2   KKT {:.1e}   ", k, objective, kkt);
    };
  }
  with_advice_on_maps(arguments, [&] { markers::run_identification(run, options); });
  if (show) say("\n");
  if (standing) {
    const markers::LabAxes lab{up, forward, markers::find_right(standing_motion->markers)};
    run.neutral = markers::find_neutral_pose(run, *standing, lab, options.threads);
  }
  if (!run.id->summary.converged) common.status = kFailed;
  if (run.id->summary.interrupted) common.status = kInterrupted;
  if (!common.out.empty()) save_all(run, common.out);
  const std::vector<markers::Dynamics> dynamics = calc_all_dynamics(run, arguments, motions);
  if (!common.out.empty() && !dynamics.empty()) save_dynamics(dynamics, common.out);
  if (!common.out.empty()) remove_earlier_files(common.out, "markers");
  if (common.json) {
    nlohmann::ordered_json json = markers::make_json(run);
    for (const auto& d : dynamics) json["dynamics"].push_back(markers::make_dynamics_json(d));
    print_json(json);
  } else {
    fmt::print("{}", markers::make_table(run));
    for (const auto& d : dynamics) fmt::print("{}", markers::make_dynamics_table(d));
    if (!common.out.empty() && !common.quiet) {
      fmt::print(
          "\nangles, joint centres, fitted markers, OpenSim XML, summary and report are in {}\n",
          common.out);
    }
  }
}

}  // namespace

void add_markers(CommandLine& line, Common& common) {
  Command command = add_command(
      line, common, "markers",
      "Fit segment lengths, joint axes and marker positions to all frames of motion capture");
  add_out(command, common);
  add_threads(command, common);
  auto arguments = std::make_shared<MarkersArguments>();
  command.option("MODEL", &arguments->model,
                 "a marker model or a study of several (.yaml), or an OpenSim model (.osim)");
  command.option("TRIAL", &arguments->trials,
                 "recordings: .trc or .c3d, fitted together; after a study, those it asks for");
  command.option("--map", &arguments->map,
                 "names of the recordings' markers to those of the model: a map (.yaml, .csv), or "
                 "one that comes along (vesica list)");
  command
      .option("--neutral-map", &arguments->neutral_map,
              "the same for the --neutral trial, or none; otherwise --map is for it too")
      .type_name("MAP");
  command.option("--example", &arguments->example,
                 "write synthetic recordings with known truth into this folder, and stop");
  command.option("--lowpass", &arguments->low_pass, "zero-phase low-pass filter of the markers, Hz")
      .positive();
  command.option("--neutral", &arguments->neutral,
                 "a standing trial (.trc or .c3d): joint angles are counted from it");
  command.option("--up", &arguments->up, "the axis that points up: x, y, z, -x, ...");
  command.option("--forward", &arguments->forward,
                 "the axis that the subject faces; otherwise as the subject goes");
  command.option("--forces", &arguments->forces,
                 "files with force plates, one for each TRIAL: joint moments and powers");
  command.flag("--dynamics", &arguments->dynamics,
               "joint moments and powers from plates in the recordings themselves");
  command.option("--mass", &arguments->mass,
                 "of the subject, \"62 kg\"; otherwise from a whole stride on plates");
  command.option("--sex", &arguments->sex, "of de Leva's table of segments")
      .one_of({"unstated", "female", "male"})
      .show_default();
  command.option("--axes", &arguments->axes, "that moments are expressed in")
      .one_of({"proximal", "distal", "joint"})
      .show_default();
  command
      .option("--motion-cutoff", &arguments->motion_cutoff,
              "low-pass of the motion before it is differentiated, Hz")
      .positive()
      .show_default();
  command.option("--force-cutoff", &arguments->force_cutoff, "low-pass of the plates' forces, Hz")
      .positive()
      .show_default();
  command.flag("--residuals", &arguments->use_residuals,
               "weigh C3D markers by their reconstruction residuals");
  command
      .option("--ramp", &arguments->ramp,
              "s over which a marker's weight falls before a gap and rises after it; 0: not at all")
      .show_default();
  command.option("--max-iterations", &arguments->max_iterations, "of the all-frames problem")
      .range(1, 10000);
  command
      .option("--every", &arguments->every,
              "constants from every N-th frame; the loss is told, poses of all are written")
      .range(1, 100000);
  command
      .option("--weights", &arguments->weights,
              "of the markers: the model's, or estimated from each marker's noise")
      .one_of({"model", "estimated"});
  command
      .option("--loss", &arguments->loss,
              "instead of the model's: tukey lets go of wild markers, huber bounds their pull")
      .one_of({"squares", "huber", "tukey"});
  command.option(
      "--loss-width", &arguments->loss_width,
      "where it begins to (huber; \"1 cm\" otherwise) or has let go (tukey; otherwise what the "
      "recording's noise asks for, \"2 cm\" at least)");
  command.run([&common, arguments, command] {
    if (!arguments->example.empty()) {
      command.refuse_others("--example", {},
                            "--example FOLDER writes recordings and fits nothing; leave it out");
    }
    if (arguments->neutral.empty()) {
      command.refuse({"--neutral-map"}, "is for the standing trial: give --neutral FILE too");
    }
    if (!arguments->dynamics && arguments->forces.empty()) {
      command.refuse({"--mass", "--sex", "--axes", "--motion-cutoff", "--force-cutoff"},
                     "is for joint moments: give --forces FILE or --dynamics too");
    }
    run_markers(*arguments, common, command);
  });
}

}  // namespace vesica::app
