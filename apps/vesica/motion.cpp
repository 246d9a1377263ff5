// vesica motion: looks at recordings of motion, checks, plots, converts, trims and filters them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>

#include "apps/vesica/commands.h"
#include "apps/vesica/motion_files.h"
#include "apps/vesica/motion_output.h"
#include "apps/vesica/scene_files.h"
#include "vesica/error.h"
#include "vesica/io/file_writer.h"
#include "vesica/io/marker_map.h"
#include "vesica/io/text_input.h"
#include "vesica/io/units.h"
#include "vesica/motion/heading.h"
#include "vesica/motion/plate_scale.h"
#include "vesica/motion/recordings.h"
#include "vesica/motion/segment_pose.h"
#include "vesica/motion/trial_tidy.h"

namespace vesica::app {
namespace {

namespace fs = std::filesystem;

struct MotionOptions {
  std::vector<std::string> files;
  std::vector<std::string> to;
  bool report = false, strict = false, face_x = false;
  std::string from, until, filter, filter_forces, pass_band, stop_band, rate, threshold = "20 N";
  double pass_loss = 1.0, stop_loss = 40.0;  // dB
  int order = 4, fill = 0;
  std::string baseline = "none", axes, up, shift_forces;
  std::vector<std::string> plate_scale;  // "3:0.5"
  std::vector<std::string> keep, drop;   // patterns of marker names
  std::string rename, foot_bodies = "calcn_r,calcn_l";
  bool c3d_as_it_was = false;
  std::vector<std::string> centers, hinges;
};

double quantity(const std::string& text, const Dimension& dimension, const char* option) {
  try {
    return parse_quantity(text, dimension);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} {}: {}", option, text, error.what()));
  }
}

AnalysisOptions make_analysis_options(const MotionOptions& options) {
  AnalysisOptions analysis;
  analysis.up = options.up;
  analysis.plates.threshold = quantity(options.threshold, dimension::kForce, "--threshold");
  if (!(analysis.plates.threshold > 0.0)) {
    throw InputError("--threshold must be positive: without it an empty plate has steps");
  }
  analysis.contacts.threshold = analysis.plates.threshold;
  if (options.baseline == "file") analysis.plates.baseline = PlateBaseline::kFile;
  if (options.baseline == "quiet") analysis.plates.baseline = PlateBaseline::kQuiet;
  if (!options.filter_forces.empty()) {
    analysis.plates.filter_cutoff =
        quantity(options.filter_forces, dimension::kFrequency, "--filter-forces");
    // Checked here, before anything is read: a rate of at most a million per second.
    if (!(analysis.plates.filter_cutoff > 0.0))
      throw InputError("--filter-forces must be positive");
  }
  return analysis;
}

bool has_markers(const MotionTrial& trial) { return trial.markers.markers() > 0; }

std::vector<TrialView> load_trials(const std::vector<std::string>& files) {
  std::vector<TrialView> views;
  for (Recording& recording : load_recordings(files, SignalTables::kJoined)) {
    TrialView& view = views.emplace_back();
    view.stem = recording.name;
    view.files = std::move(recording.files);
    view.trial = std::move(recording.motion);
    view.edits = std::move(recording.notes);
  }
  return views;
}

// --- edits, in the order in which they make sense
// ---------------------------------------------------

void shift(TrialView* view, const MotionOptions& options) {
  if (options.shift_forces.empty()) return;
  const double seconds = quantity(options.shift_forces, dimension::kTime, "--shift-forces");
  shift_forces(&view->trial, seconds);
  view->edits.push_back(fmt::format("Forces moved by {:g} s.", seconds));
}

void scale_plates(TrialView* view, const MotionOptions& options) {
  for (const std::string& text : options.plate_scale) {
    const size_t colon = text.find(':');
    const auto plate = parse_integer(text.substr(0, colon));
    const auto factor =
        colon == std::string::npos ? std::nullopt : parse_number(text.substr(colon + 1));
    if (!plate || *plate < 1 || *plate > 1000 || !factor || !(*factor > 0.0)) {
      throw InputError(fmt::format(
          "--plate-scale {}: expected the plate's number and a factor above zero, 3:0.5", text));
    }
    scale_plate(&view->trial, static_cast<int>(*plate), *factor);
    view->edits.push_back(fmt::format("Force plate {} times {:g}.", *plate, *factor));
  }
}

void choose(TrialView* view, const MotionOptions& options) {
  const bool selects = !options.keep.empty() || !options.drop.empty();
  if (!selects && options.rename.empty()) return;
  if (!has_markers(view->trial)) {
    throw InputError(view->trial.file +
                     ": has no markers, which --markers, --drop and --rename are for");
  }
  const size_t before = view->trial.markers.markers();
  if (selects) {
    select_markers(options.keep, options.drop, &view->trial);
    view->edits.push_back(
        fmt::format("Kept {} of {} markers.", view->trial.markers.markers(), before));
  }
  if (options.rename.empty()) return;
  const MarkerMap map = load_marker_map(find_input(options.rename));
  const RenamedMarkers renamed = rename_markers(map, &view->trial.markers);
  if (map.partial || renamed.not_present.empty()) {
    view->edits.push_back(describe(renamed, map));
    return;
  }
  view->edits.push_back(describe({renamed.count, {}}, map));
  view->trial.warnings.push_back(fmt::format("The map '{}' has names that no marker has: {}.",
                                             map.title, fmt::join(renamed.not_present, ", ")));
}

void cut(TrialView* view, const MotionOptions& options) {
  if (options.from.empty() && options.until.empty()) return;
  const double from =
      options.from.empty() ? -kInfinity : quantity(options.from, dimension::kTime, "--from");
  const double until =
      options.until.empty() ? kInfinity : quantity(options.until, dimension::kTime, "--until");
  trim(&view->trial, from, until);
  view->edits.push_back(options.until.empty() ? fmt::format("Cut: from {:g} s on.", from)
                        : options.from.empty()
                            ? fmt::format("Cut: until {:g} s.", until)
                            : fmt::format("Cut: from {:g} to {:g} s.", from, until));
}

void fill(TrialView* view, const MotionOptions& options) {
  if (options.fill <= 0 || !has_markers(view->trial)) return;
  GapFillOptions gaps;
  gaps.max_frames = options.fill;
  view->filled = fill_marker_gaps(&view->trial.markers, gaps);
  if (view->filled.empty()) {
    view->edits.push_back(fmt::format("No gap of at most {} frames to fill.", options.fill));
    return;
  }
  int frames = 0;
  double worst = 0.0;
  for (const FilledMarker& marker : view->filled) {
    frames += marker.filled.gap.count;
    if (std::isfinite(marker.filled.expected_error)) {
      worst = std::max(worst, marker.filled.expected_error);
    }
  }
  view->edits.push_back(fmt::format(
      "Filled {} gap(s) of at most {} frames, {} frames in all; the worst is expected to be off by "
      "{:.1f} mm rms.",
      view->filled.size(), options.fill, frames, 1000.0 * worst));
}

std::optional<ZeroPhaseFilter> make_filter(const MotionOptions& options, double rate) {
  if (!options.filter.empty()) {
    return make_low_pass(quantity(options.filter, dimension::kFrequency, "--filter"), rate,
                         options.order);
  }
  if (options.pass_band.empty() && options.stop_band.empty()) return {};
  if (options.pass_band.empty() || options.stop_band.empty()) {
    throw InputError("--pass-band and --stop-band go together");
  }
  BandSpecification bands{};
  bands.pass_edge = quantity(options.pass_band, dimension::kFrequency, "--pass-band");
  bands.stop_edge = quantity(options.stop_band, dimension::kFrequency, "--stop-band");
  bands.pass_loss = options.pass_loss;
  bands.stop_loss = options.stop_loss;
  return make_low_pass(bands, rate);
}

void smooth(TrialView* view, const MotionOptions& options) {
  if (options.filter.empty() && options.pass_band.empty() && options.stop_band.empty()) return;
  const auto say = [&](const char* what, const ZeroPhaseFilter& filter, int untouched) {
    view->edits.push_back(fmt::format(
        "Filtered {}: zero-phase Butterworth, order {} over both passes, 3 dB down at {:.4g} Hz.",
        what, 2 * filter.pass_order, filter.cutoff));
    if (untouched > 0) {
      view->trial.warnings.push_back(fmt::format(
          "{} samples of {} lie in runs of fewer than {} between gaps and stay unfiltered.",
          untouched, what, filter.fewest_samples()));
    }
  };
  if (has_markers(view->trial)) {
    const ZeroPhaseFilter filter = *make_filter(options, view->trial.markers.rate);
    say("markers", filter, filter_markers(&view->trial.markers, filter));
  }
  // A table without forces holds angles or the like; forces have their own cut-off.
  TimeTable& table = view->trial.analog;
  const bool is_plain_table =
      view->trial.plates.empty() && table.rows() > 0 && !has_force_columns(table);
  if (is_plain_table) {
    const ZeroPhaseFilter filter = *make_filter(options, find_table_rate(table));
    say("the table", filter, filter_table(&table, filter));
  }
}

void resample(TrialView* view, const MotionOptions& options) {
  if (options.rate.empty() || !has_markers(view->trial)) return;
  const double rate = quantity(options.rate, dimension::kFrequency, "--rate");
  const double before = view->trial.markers.rate;
  resample_markers(&view->trial.markers, rate);
  view->edits.push_back(fmt::format("Resampled markers from {:g} to {:g} Hz.", before, rate));
}

// --- functional joints
// ----------------------------------------------------------------------------

// Not split_at() of io/: a delimiter at the end adds no empty name here, and a label is taken to
// the letter, blanks and quotes included.
std::vector<std::string> split(const std::string& text, char delimiter) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, delimiter);) parts.push_back(part);
  if (text.empty()) parts.emplace_back();
  return parts;
}

std::vector<int> find_markers(const MarkerTracks& markers, const std::string& list,
                              const std::string& option) {
  std::vector<int> found;
  for (const std::string& label : split(list, ',')) {
    const size_t index = markers.find(label);
    if (index == markers.markers()) {
      throw InputError(
          fmt::format("{}: there is no marker '{}'; the table of markers names those "
                      "that there are",
                      option, label));
    }
    found.push_back(static_cast<int>(index));
  }
  return found;
}

JointFit fit_joint(const TrialView& view, const std::string& text, bool hinge) {
  const char* option = hinge ? "--joint-axis" : "--joint-center";
  const auto parts = split(text, ':');
  if (parts.size() != 2) {
    throw InputError(fmt::format(
        "{} {}: expected markers of the proximal and of the distal segment, A,B,C:D,E,F", option,
        text));
  }
  const MarkerTracks& markers = view.trial.markers;
  const std::vector<int> proximal = find_markers(markers, parts[0], option);
  const std::vector<int> distal = find_markers(markers, parts[1], option);
  if (hinge && distal.size() < 3) {
    throw InputError("--joint-axis needs three markers on the distal segment");
  }
  const RelativeMotion motion = calc_relative_motion(markers, proximal, distal);
  JointFit fit;
  fit.name = text;
  if (hinge) {
    fit.axis = fit_hinge_axis(motion.X_PD);
    return fit;
  }
  fit.sphere = fit_sphere_center(motion.tracks_P);
  if (distal.size() >= 3) fit.point = fit_common_point(motion.X_PD);
  return fit;
}

// --- files
// ------------------------------------------------------------------------------------------

std::string target_of(const TrialView& view, const std::string& extension, const Common& common) {
  const fs::path path = fs::path(common.out.empty() ? "." : common.out) / (view.stem + extension);
  for (const std::string& file : view.files) {
    std::error_code ignored;
    if (fs::exists(path) && fs::equivalent(path, file, ignored)) {
      throw InputError(
          fmt::format("{} would replace the file that was read; choose another folder "
                      "with --out",
                      path.string()));
    }
  }
  return path.string();
}

void convert(TrialView* view, const MotionOptions& options, const Common& common) {
  if (options.to.empty()) return;
  // OpenSim's formats are Y up; what is already Y up stays as it is.
  const bool opensim = options.axes != "keep";
  Vec3d heading = Vec3d::Zero();
  if (options.face_x) {
    heading = find_heading(view->trial.markers, view->analysis.gait, view->analysis.up);
    if (heading.norm() == 0.0) {
      view->analysis.warnings.push_back(
          "--face-x: nothing was turned about the vertical: the markers tell no direction (it "
          "takes "
          "pelvis markers that move on by half a metre, or heel and toe markers).");
    }
  }
  const Mat3d R = make_rotation_to_y_up(view->analysis.up, heading);
  std::vector<PlateForces> turned;
  MotionOutput output;
  output.plates = &view->analysis.plates;
  if (opensim && !R.isIdentity(1e-12)) {
    output.R = R;
    turned = view->analysis.plates;
    for (PlateForces& plate : turned) rotate(&plate, R);
    output.plates = &turned;
    view->edits.push_back(
        heading.norm() > 0.0
            ? fmt::format("Turned for OpenSim: {} up became +y, walking along +x.",
                          view->analysis.up_name)
            : fmt::format("Turned for OpenSim: {} up became +y.", view->analysis.up_name));
  }
  // A C3D keeps the axes of the recording unless it is told otherwise.
  output.turned_c3d = options.axes == "opensim" && !R.isIdentity(1e-12);
  output.c3d_as_it_was = options.c3d_as_it_was;
  output.forces_differ = options.baseline != "none" || !options.filter_forces.empty();
  output.foot_bodies = options.foot_bodies;
  write_motion_files(options.to, output, view,
                     [&](const std::string& ending) { return target_of(*view, ending, common); });
}

void write_report(TrialView* view, const Common& common) {
  const std::string path = target_of(*view, ".html", common);
  FileWriter writer(path);
  writer.text() = make_motion_page(*view);
  writer.commit();
  view->written.push_back(path);
}

// What the command line contradicts itself in.
void check_options(const MotionOptions& options) {
  if (options.face_x && (options.to.empty() || options.axes == "keep")) {
    throw InputError(options.to.empty()
                         ? "--face-x turns converted files; name their formats with --to"
                         : "--face-x turns converted files, and --axes keep leaves them as they "
                           "are; choose one");
  }
}

// What goes with another option that is not there.
void refuse_idle_options(const MotionOptions& options, const Command& command) {
  const auto writes = [&](std::initializer_list<const char*> targets) {
    return std::any_of(options.to.begin(), options.to.end(), [&](const std::string& to) {
      return std::find(targets.begin(), targets.end(), to) != targets.end();
    });
  };
  if (options.filter.empty())
    command.refuse({"--order"}, "is that of --filter, which is not given");
  if (options.pass_band.empty()) {
    command.refuse({"--stop-band", "--pass-loss", "--stop-loss"},
                   "goes with --pass-band, which is not given");
  }
  if (options.to.empty()) command.refuse({"--axes"}, "is for converted files; name them with --to");
  if (!writes({"loads.xml", "all"})) {
    command.refuse({"--foot-bodies"}, "is for external loads; write them with --to loads.xml");
  }
  if (!writes({"c3d"})) command.refuse({"--c3d-as-it-was"}, "is for --to c3d");
}

// What was asked for and found nothing to work on.
void tell_of_idle_options(const MotionOptions& options, TrialView* view) {
  const bool markers = has_markers(view->trial), plates = !view->analysis.plates.empty();
  const bool filters = !options.filter.empty() || !options.pass_band.empty();
  const bool is_plain_table = view->trial.analog.rows() > 0 && !plates;
  const auto tell = [&](bool asked, const char* option, const char* reason) {
    if (asked) {
      view->analysis.warnings.push_back(
          fmt::format("{} did nothing: there are no {}.", option, reason));
    }
  };
  tell(options.fill > 0 && !markers, "--fill", "markers");
  tell(!options.rate.empty() && !markers, "--rate", "markers");
  tell(filters && !markers && !is_plain_table, "--filter",
       "markers (--filter-forces is for plates)");
  tell(options.threshold != MotionOptions().threshold && !plates, "--threshold",
       "forces of plates");
  tell(!options.filter_forces.empty() && !plates, "--filter-forces", "forces of plates");
  tell(options.baseline != "none" && !plates, "--baseline", "forces of plates");
  tell(!options.shift_forces.empty() && !plates, "--shift-forces", "forces of plates");
}

void run_motion(const MotionOptions& options, Common& common) {
  check_options(options);
  const AnalysisOptions analysis = make_analysis_options(options);
  std::vector<TrialView> views = load_trials(options.files);
  if (options.report || !options.to.empty()) try_folder(common.out.empty() ? "." : common.out);
  nlohmann::ordered_json trials = nlohmann::ordered_json::array();
  for (TrialView& view : views) {
    shift(&view, options);
    scale_plates(&view, options);
    choose(&view, options);
    cut(&view, options);
    fill(&view, options);
    smooth(&view, options);
    resample(&view, options);
    view.analysis = analyse_and_release(&view.trial, analysis);
    tell_of_idle_options(options, &view);
    for (const std::string& text : options.centers)
      view.joints.push_back(fit_joint(view, text, false));
    for (const std::string& text : options.hinges)
      view.joints.push_back(fit_joint(view, text, true));
    convert(&view, options, common);
    if (options.report) write_report(&view, common);

    const bool joints_found =
        std::all_of(view.joints.begin(), view.joints.end(), [](const JointFit& fit) {
          return (!fit.sphere || fit.sphere->found) && (!fit.axis || fit.axis->found);
        });
    if (!joints_found || (options.strict && !view.analysis.warnings.empty()))
      common.status = kFailed;
    if (common.json) {
      trials.push_back(as_json(view));
    } else if (!common.quiet) {
      print_trial(view);
    }
    for (const std::string& path : view.written) {
      if (!common.quiet) say("wrote {}\n", path);
    }
  }
  if (common.json) {
    const nlohmann::ordered_json json = {{"trials", trials}};
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  }
}

}  // namespace

void add_motion(CommandLine& line, Common& common) {
  Command command = add_command(
      line, common, "motion", "Recordings of motion: inspect, check, plot, convert, trim, filter");
  add_out(command, common);
  auto options = std::make_shared<MotionOptions>();
  MotionOptions& o = *options;
  command
      .option(
          "FILE", &o.files,
          "TRC, MOT, STO, C3D, CSV, emed .lst, F-Scan .asf; walk.trc and walk.mot are one trial")
      .required();
  command.flag("--report", &o.report, "write a page with pictures: NAME.html");
  command
      .option("--to", &o.to,
              "convert: trc, mot, sto, csv, c3d, loads.xml (OpenSim's external loads, with their "
              "mot), analog.csv, analog.sto, computed.csv, computed.sto, events.csv, "
              "parameters.json, or all that it holds (several: --to trc,mot)")
      .delimiter(',')
      .single_value()
      .one_of(motion_targets());
  command.option("--markers", &o.keep, "keep only these markers: names with * and ?, 'R*,L.Heel'")
      .delimiter(',')
      .single_value();
  command.option("--drop", &o.drop, "leave out these markers, the same way")
      .delimiter(',')
      .single_value();
  command.option("--rename", &o.rename,
                 "rename markers by a map: .yaml, .csv, or one that comes along (vesica list)");
  command.flag("--c3d-as-it-was", &o.c3d_as_it_was,
               "write a C3D in the byte order and kind of numbers that it was read in");
  command
      .option("--foot-bodies", &o.foot_bodies,
              "bodies of right and left foot in the external loads")
      .show_default();
  command.option("--from", &o.from, "keep from this time on (s)");
  command.option("--until", &o.until, "keep until this time (s)");
  const Option filter = command.option(
      "--filter", &o.filter,
      "zero-phase Butterworth low-pass of markers (or of a table without forces): cut-off, '6 Hz'");
  command.option("--order", &o.order, "order of that filter, both passes together").show_default();
  command.option("--pass-band", &o.pass_band, "instead of --filter: end of the pass band (Hz)")
      .excludes(filter);
  command.option("--stop-band", &o.stop_band, "start of the stop band (Hz)");
  command.option("--pass-loss", &o.pass_loss, "most loss in the pass band (dB)").show_default();
  command.option("--stop-loss", &o.stop_loss, "least loss in the stop band (dB)").show_default();
  command.option("--filter-forces", &o.filter_forces,
                 "cut-off for force and moment of plates (Hz)");
  command.option("--rate", &o.rate, "resample markers (Hz)");
  command.option("--fill", &o.fill, "fill gaps of at most so many frames (0: none)")
      .range(0, 100000)
      .show_default();
  command.option("--threshold", &o.threshold, "normal force below which a plate is empty")
      .show_default();
  command.option("--baseline", &o.baseline, "what to subtract from plates: none, file, quiet")
      .one_of({"none", "file", "quiet"})
      .show_default();
  command.option("--shift-forces", &o.shift_forces,
                 "move the clock of forces against the markers by so much ('-0.1 s')");
  command
      .option("--plate-scale", &o.plate_scale,
              "multiply what plates read, where their scale is wrong: '3:0.5,4:0.5'")
      .delimiter(',')
      .single_value();
  command.option("--up", &o.up, "the axis that points up: x, y, z, -x, ... (found if not given)");
  command
      .option("--axes", &o.axes,
              "axes of converted files: opensim (y up; if not given, for all but c3d) or keep")
      .one_of({"opensim", "keep"});
  command.flag("--face-x", &o.face_x,
               "turn converted files by quarters so that walking goes along +x");
  command
      .option("--joint-center", &o.centers,
              "functional joint centre: PROXIMAL,MARKERS:DISTAL,MARKERS")
      .single_value();
  command.option("--joint-axis", &o.hinges, "functional joint axis, the same way").single_value();
  command.flag("--strict", &o.strict, "exit status 1 if there is any warning");
  command.run([&common, options, command] {
    refuse_idle_options(*options, command);
    expect_files_for_out(common, options->report || !options->to.empty(),
                         "--report and --to write files");
    run_motion(*options, common);
  });
}

}  // namespace vesica::app
