// vesica gait: gait cycles and parameters over the trials of one person.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vesica/commands.h"
#include "vesica/error.h"
#include "vesica/io/file_writer.h"
#include "vesica/io/output_file.h"
#include "vesica/io/trc.h"
#include "vesica/io/units.h"
#include "vesica/motion/gait_cycles.h"
#include "vesica/motion/gait_normative.h"
#include "vesica/motion/recordings.h"
#include "vesica/motion/same_person.h"
#include "vesica/motion/same_recording.h"
#include "vesica/motion/synthetic_walk.h"
#include "vesica/report/gait_report.h"

namespace vesica::app {
namespace {

namespace fs = std::filesystem;

struct GaitCommand {
  std::vector<std::string> files;
  std::string normative, weight, up, threshold = "20 N", events = "auto", example;
  bool pool = false;  // whoever they are of
};

double parse_option(const std::string& text, const Dimension& dimension, const char* option) {
  double value = 0.0;
  try {
    value = parse_quantity(text, dimension);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} {}: {}", option, text, error.what()));
  }
  if (!(value > 0.0)) throw InputError(fmt::format("{} {}: must be positive", option, text));
  return value;
}

// A signal that a trial has already would be counted as more strides of it.
void add_signals(const std::string& file, const TimeTable& table, GaitTrial* trial) {
  for (const TimeTable& before : trial->tables) {
    for (const TimeTable::Column& column : table.columns) {
      if (before.find(column.name) == before.columns.size()) continue;
      throw InputError(
          fmt::format("{}: '{}' of {} is given already, by another table; give one table of it",
                      file, column.name, trial->name));
    }
  }
  trial->tables.push_back(table);
}

// Strides that are counted twice make intervals narrow that should not be.
void refuse_repeats(const std::vector<GaitTrial>& trials) {
  for (size_t b = 1; b < trials.size(); ++b) {
    for (size_t a = 0; a < b; ++a) {
      const size_t shared = count_shared_frames(trials[a].motion, trials[b].motion);
      if (shared == 0) continue;
      throw InputError(fmt::format("{}: holds the same {} frames as {}; give the recording once",
                                   trials[b].motion.file, shared, trials[a].motion.file));
    }
  }
}

// Means over two people are of nobody.
void refuse_other_people(const std::vector<GaitTrial>& trials, std::vector<std::string>* notes) {
  const auto first = std::find_if(trials.begin(), trials.end(), [](const GaitTrial& trial) {
    return trial.motion.markers.markers() > 0;
  });
  for (auto trial = first; trial != trials.end(); ++trial) {
    if (trial == first) continue;
    const PersonDifference d = compare_people(first->motion.markers, trial->motion.markers);
    if (!d.is_other()) continue;
    const std::string sizes = fmt::format("{} to {} is {:.0f} mm there and {:.0f} mm here", d.a,
                                          d.b, 1e3 * d.in_one, 1e3 * d.in_other);
    if (!d.moved.empty()) {
      notes->push_back(
          fmt::format("{}: marker {} sits at another place than in {} ({}; the others agree).",
                      trial->name, d.moved, first->name, sizes));
      continue;
    }
    throw InputError(fmt::format(
        "{}: distances between markers differ from those of {} by {:.0f} mm ({}; rms of {} pairs; "
        "one person's differ by less than 7 mm): another person, or markers placed anew? Give the "
        "trials of one person and session, or --pool to take all as they are",
        trial->motion.file, first->motion.file, 1e3 * d.rms, sizes, d.pairs));
  }
}

// Left strides of one trial are not to be pooled with right ones of another.
void refuse_exchanged_sides(const std::vector<GaitTrial>& trials) {
  const auto is_exchanged = [](const GaitTrial& t) { return t.analysis.walk.sides_exchanged; };
  const auto odd = std::find_if(trials.begin(), trials.end(), is_exchanged);
  const bool all = std::all_of(trials.begin(), trials.end(), [&](const GaitTrial& t) {
    return is_exchanged(t) || !t.analysis.walk.why_none.empty();
  });
  if (odd == trials.end() || all) return;
  throw InputError(fmt::format(
      "{}: left and right labels look exchanged, other than in the other trials; exchange them "
      "(vesica motion --rename with a map that does), leave the trial out, or --pool to take all "
      "as they are",
      odd->motion.file));
}

// The trial whose name begins that of a table (walk1_joints.mot: walk1), or the only one.
GaitTrial* find_owner(const Recording& table, std::vector<GaitTrial>* trials) {
  GaitTrial* owner = nullptr;
  for (GaitTrial& trial : *trials) {
    if (table.name.starts_with(trial.name) &&
        (owner == nullptr || trial.name.size() > owner->name.size())) {
      owner = &trial;
    }
  }
  return owner == nullptr && trials->size() == 1 ? &trials->front() : owner;
}

std::vector<GaitTrial> load_gait_trials(const std::vector<std::string>& files,
                                        std::vector<std::string>* notes) {
  std::vector<GaitTrial> trials;
  std::vector<Recording> tables;
  for (Recording& recording : load_recordings(files, SignalTables::kApart)) {
    notes->insert(notes->end(), recording.notes.begin(), recording.notes.end());
    if (is_signal_table(recording.motion)) {
      tables.push_back(std::move(recording));
      continue;
    }
    trials.push_back({recording.name, std::move(recording.motion), {}, {}});
  }
  for (const Recording& table : tables) {
    GaitTrial* owner = find_owner(table, &trials);
    if (owner == nullptr) {
      throw InputError(
          fmt::format("{}: a table without forces belongs to the trial whose name its own begins "
                      "with, and there is none; give the trial's file too, or rename the table",
                      table.files[0]));
    }
    if (!table.name.starts_with(owner->name)) {
      notes->push_back(fmt::format("{} is taken as signals of {}, the only trial.", table.files[0],
                                   owner->name));
    }
    for (const std::string& warning : table.motion.warnings) {
      notes->push_back(fmt::format("{}: {}", table.name, warning));
    }
    add_signals(table.files[0], table.motion.analog, owner);
  }
  refuse_repeats(trials);
  return trials;
}

EventSource as_event_source(const std::string& name) {
  if (name == "markers") return EventSource::kMarkers;
  if (name == "plates") return EventSource::kPlates;
  if (name == "file") return EventSource::kFile;
  return EventSource::kAuto;
}

std::string show(const MeanInterval& m, int digits) {
  if (m.count == 0) return "-";
  if (m.count == 1) return format_fixed(m.mean, digits);
  return fmt::format("{} +-{:.{}f}{}", format_fixed(m.mean, digits), m.high - m.mean, digits,
                     m.trials_differ ? "*" : "");
}

void print_deviations(const GaitSummary& summary, const std::vector<NormativeCurve>& normatives) {
  for (const CycleCurve& curve : summary.curves) {
    const NormativeCurve* normative = find_normative(normatives, curve);
    if (normative == nullptr) continue;
    const NormativeDeviation d = calc_deviation(curve, *normative);
    fmt::print(
        "{}, {}: {:.3g} {} rms from the normative mean, {:.0f} % of the cycle outside of 2 sd\n",
        curve.name, name_of(curve.foot), d.rms, curve.unit, d.outside);
  }
}

void print_summary(const GaitSummary& summary) {
  const auto count = [&](Foot foot) {
    return std::count_if(summary.strides.begin(), summary.strides.end(),
                         [&](const Stride& s) { return s.foot == foot; });
  };
  fmt::print("{} left and {} right strides of {} trial{}{}\n", count(Foot::kLeft),
             count(Foot::kRight), summary.trials.size(), summary.trials.size() == 1 ? "" : "s",
             summary.on_treadmill ? ", on a treadmill" : "");
  if (std::isfinite(summary.weight.weight)) {
    fmt::print("body weight {:.1f} N ({})\n", summary.weight.weight, summary.weight.source);
  }
  fmt::print("\n{:<16}{:<10}{:>18}{:>18}{:>18}\n", "95 % intervals", "", "left", "right",
             "symmetry %");
  bool any_star = false;
  for (const GaitParameter& p : summary.parameters) {
    if (p.both.count == 0) continue;
    const int digits = p.unit == "%" || p.unit == "steps/min" ? 1 : 3;
    const SymmetryIndex& s = p.symmetry;
    any_star = any_star || p.left.trials_differ || p.right.trials_differ;
    fmt::print("{:<16}{:<10}{:>18}{:>18}{:>18}\n", p.name, p.unit, show(p.left, digits),
               show(p.right, digits),
               !std::isfinite(s.index) ? "-"
               : std::isfinite(s.low)
                   ? fmt::format("{} +-{:.1f}", format_fixed(s.index, 1), s.high - s.index)
                   : format_fixed(s.index, 1));
  }
  if (any_star) fmt::print("* trials differ: the interval counts trials, not strides\n");
  fmt::print("\n{} signals: {}\n", summary.signal_names().size(),
             fmt::join(summary.signal_names(), ", "));
  for (const std::string& text : summary.no_walk) fmt::print("no strides: {}\n", text);
  constexpr size_t kMostNotes = 20;
  for (size_t i = 0; i < std::min(kMostNotes, summary.notes.size()); ++i) {
    fmt::print("note: {}\n", summary.notes[i]);
  }
  if (summary.notes.size() > kMostNotes) {
    fmt::print("... and {} more notes (--json and the page show all)\n",
               summary.notes.size() - kMostNotes);
  }
}

void run_gait(const GaitCommand& command, Common& common) {
  GaitOptions options;
  options.events = as_event_source(command.events);
  AnalysisOptions analysis;
  analysis.up = command.up;
  analysis.plates.threshold = parse_option(command.threshold, dimension::kForce, "--threshold");
  analysis.contacts.threshold = analysis.plates.threshold;
  if (!command.weight.empty())
    options.weight = parse_option(command.weight, dimension::kForce, "--weight");
  if (!common.out.empty()) try_folder(common.out);

  std::vector<std::string> notes;
  std::vector<GaitTrial> trials = load_gait_trials(command.files, &notes);
  if (!command.pool) refuse_other_people(trials, &notes);
  for (GaitTrial& trial : trials) trial.analysis = analyse(trial.motion, analysis);
  if (!command.pool) refuse_exchanged_sides(trials);
  const bool has_plates = std::any_of(trials.begin(), trials.end(), [](const GaitTrial& trial) {
    return !trial.analysis.plates.empty();
  });
  if (!has_plates) {
    for (const auto& [option, given] :
         {std::pair{"--weight", !command.weight.empty()},
          std::pair{"--threshold", command.threshold != GaitCommand().threshold},
          std::pair{"--events plates", options.events == EventSource::kPlates}}) {
      if (given)
        throw InputError(fmt::format("{}: there are no force plates in these files", option));
    }
  }
  GaitSummary summary = analyse_gait(trials, options);
  summary.notes.insert(summary.notes.begin(), notes.begin(), notes.end());
  std::vector<NormativeCurve> normatives;
  if (!command.normative.empty()) normatives = load_normative(command.normative, summary);
  if (!common.out.empty() && !summary.strides.empty()) {
    const std::pair<const char*, std::string> outputs[] = {
        {"gait.html", make_gait_page(summary, normatives)},
        {"gait.json", as_json(summary, normatives).dump(1) + "\n"},
        {"gait_parameters.csv", make_parameter_csv(summary)},
        {"gait_strides.csv", make_stride_csv(summary)},
        {"gait_curves.csv", make_curve_csv(summary)},
        {"gait_cycles.csv", make_cycle_csv(summary)}};
    for (const auto& [name, text] : outputs) {
      const std::string path = (fs::path(common.out) / name).string();
      FileWriter writer(path);
      writer.text() = text;
      writer.commit();
      if (!common.quiet) say("wrote {}\n", path);
    }
  }
  if (common.json) {
    print_json(as_json(summary, normatives));
  } else if (!common.quiet && !summary.strides.empty()) {
    print_summary(summary);
    print_deviations(summary, normatives);
  }
  if (summary.strides.empty()) {
    common.status = kFailed;
    say("error: no strides in any of these recordings\n");
    for (const std::string& text : summary.no_walk) say("  {}\n", text);
  }
}

// Three walks of one person who does not exist, 0.3 mm of noise: something to try the commands on.
void save_walks(const std::string& folder, bool quiet) {
  try_folder(folder);
  for (unsigned k = 1; k <= 3; ++k) {
    SyntheticWalk walk;
    walk.stride = 1.08 + 0.01 * k;
    walk.stride_length = 1.30 + 0.02 * k;
    walk.left_ahead = 0.01;
    walk.noise = 0.0003;
    walk.seed = k;
    MarkerTracks tracks = walk.make_markers();
    tracks.unit_in_file = "mm";
    save_trc((fs::path(folder) / fmt::format("walk{}.trc", k)).string(), tracks);
  }
  if (!quiet) {
    say("walk1.trc, walk2.trc and walk3.trc are in {0}; look at them with\n"
        "  vesica motion {0}/walk1.trc --report\n  vesica gait {0}/walk*.trc --out gait\n",
        folder);
  }
}

}  // namespace

void add_gait(CommandLine& line, Common& common) {
  Command command = add_command(line, common, "gait",
                                "Gait cycles: parameters and curves over the trials of one person");
  add_out(command, common);
  auto options = std::make_shared<GaitCommand>();
  GaitCommand& o = *options;
  command.option(
      "FILE", &o.files,
      "trials (C3D, TRC with MOT), standing trials, and tables over time (walk1_joints.mot "
      "goes with walk1)");
  command
      .option("--example", &o.example,
              "write three synthetic walks into this folder, and nothing else")
      .type_name("DIR");
  command
      .option("--normative", &o.normative, "CSV of normative curves: percent, NAME_mean, NAME_sd")
      .type_name("FILE");
  command
      .option("--events", &o.events,
              "where strikes and offs come from: auto, markers, plates, file")
      .one_of({"auto", "markers", "plates", "file"})
      .show_default();
  command.option("--weight", &o.weight, "body weight ('697 N'); found from plates if not given");
  command.option("--threshold", &o.threshold, "normal force below which a plate is empty")
      .show_default();
  command.flag(
      "--pool", &o.pool,
      "pool all trials, although they look like two people's, or left and right exchanged");
  command.option("--up", &o.up, "the axis that points up: x, y, z, -x, ... (found if not given)");
  command.run([&common, options, command] {
    if (!options->example.empty()) {
      command.refuse_others("--example", {},
                            "--example DIR writes walks and looks at none; leave it out");
      return save_walks(options->example, common.quiet);
    }
    if (options->files.empty()) {
      throw InputError("give FILEs, or --example DIR for walks to start from");
    }
    run_gait(*options, common);
  });
}

}  // namespace vesica::app
