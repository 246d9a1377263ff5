#include "vesica/markers/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "vesica/error.h"
#include "vesica/markers/dense.h"
#include "vesica/markers/exchanged_throughout.h"
#include "vesica/markers/letting_go.h"
#include "vesica/markers/open_poses.h"
#include "vesica/markers/runaways.h"
#include "vesica/markers/technical.h"
#include "vesica/math/parallel.h"

namespace vesica::markers {
namespace {

void check_data(const Run& run, int threads) {
  for (const Trial& trial : run.trials) {
    if (run.model.has_loops()) continue;  // a loop's neutral pose is not known before it is solved
    check_scale(run.model, trial);
    check_sides(run.model, trial, threads);
  }
}

// Exchanged markers drag those of their segments along.
bool explains(const MarkerFault& exchange, const MarkerFault& stray, const Model& model) {
  const bool at_once = exchange.first_frame < stray.first_frame + stray.frames &&
                       stray.first_frame < exchange.first_frame + exchange.frames;
  const int segment = model.markers[stray.markers[0]].segment;
  return at_once && std::any_of(exchange.markers.begin(), exchange.markers.end(),
                                [&](int m) { return model.markers[m].segment == segment; });
}

// " (shank_r, foot_r)": what nothing holds in the stretch; empty where that cannot be told.
std::string name_open_segments(const Run& run, const UndeterminedFrames& gap) {
  int begin = 0;
  for (int t = 0; t < gap.trial; ++t) begin += run.trials[t].frame_count();
  std::set<int> segments;
  for (int f = gap.first_frame; f <= gap.last_frame; ++f) {
    segments.insert(run.marks.open[begin + f].begin(), run.marks.open[begin + f].end());
  }
  if (segments.empty()) return "";
  if (segments.size() == run.model.segments.size()) return " (all segments)";
  std::vector<std::string> names;
  for (const int s : segments) names.push_back(run.model.segments[s].name);
  return fmt::format(" ({})", fmt::join(names, ", "));
}

// What warn_about_frames has said of a frame.
constexpr char kMarkerNamed = 1, kSaidOpen = 2;

// Returns that of the frames of each trial.
std::vector<std::vector<char>> warn_about_frames(Run& run) {
  std::vector<std::vector<char>> told;
  for (const Trial& trial : run.trials) told.emplace_back(trial.frame_count(), 0);
  for (const UndeterminedFrames& gap :
       find_undetermined_frames(run.id->frames, run.trials, run.id->d)) {
    const Trial& trial = run.trials[gap.trial];
    for (int f = gap.first_frame; f <= gap.last_frame; ++f) told[gap.trial][f] |= kSaidOpen;
    const bool loops = run.model.has_loops();
    run.warnings.push_back(fmt::format(
        "{}: frames {} to {} ({:.2f} to {:.2f} s): the markers seen leave {} degree{} of freedom "
        "open{}; {}, and say nothing about the parameters",
        trial.name, gap.first_frame + 1, gap.last_frame + 1, trial.time_of(gap.first_frame),
        trial.time_of(gap.last_frame), gap.undetermined, gap.undetermined == 1 ? "" : "s",
        name_open_segments(run, gap),
        loops ? "those keep the value of the frame before"
              : "those are put between the frames beside"));
  }
  const TrialFaults exchanges = find_exchanged_markers(run.id->frames, run.trials, run.id->d);
  const TrialFaults strays = find_strays(run.id->frames, run.trials, run.id->d);
  const auto names_of = [&](const MarkerFault& fault) {
    std::vector<std::string> names;
    for (const int m : fault.markers) names.push_back(run.model.markers[m].name);
    return fmt::format("{}", fmt::join(names, " and "));
  };
  constexpr int kMaxStrays = 10;
  int count = 0;
  for (size_t t = 0; t < run.trials.size(); ++t) {
    for (const MarkerFault& fault : exchanges[t]) {
      // Nobody can tell which part has the labels right if they are exchanged once only.
      const bool once = fault.first_frame > 0 && !fault.comes_back;
      run.warnings.push_back(fmt::format(
          "{}: markers {} look exchanged in frames {} to {}{}; correct their labels there",
          run.trials[t].name, names_of(fault), fault.first_frame + 1,
          fault.first_frame + fault.frames, once ? ", or before" : ""));
    }
    for (const auto* list : {&exchanges[t], &strays[t]}) {
      for (const MarkerFault& fault : *list) {
        for (int f = 0; f < fault.frames; ++f) told[t][fault.first_frame + f] |= kMarkerNamed;
      }
    }
    for (const MarkerFault& stray : strays[t]) {
      const bool explained = std::any_of(
          exchanges[t].begin(), exchanges[t].end(),
          [&](const MarkerFault& exchange) { return explains(exchange, stray, run.model); });
      if (explained || ++count > kMaxStrays) continue;
      run.warnings.push_back(fmt::format(
          "{}: marker {} is up to {:.0f} mm off in frames {} to {}; mislabelled, a ghost, or a "
          "slip? {}",
          run.trials[t].name, names_of(stray), stray.size * 1e3, stray.first_frame + 1,
          stray.first_frame + stray.frames,
          run.model.loss.type == LossType::kTukey ? "It does not count there"
                                                  : "Leave it out there, or take --loss tukey"));
    }
  }
  if (count > kMaxStrays) {
    run.warnings.push_back(
        fmt::format("{} more stretches with a marker far off", count - kMaxStrays));
  }
  return told;
}

// One sentence on a marked stretch, without the trial and the frames.
std::string describe(const Run& run, const MarkedStretch& m) {
  const std::string& segment = run.model.segments[m.segment].name;
  switch (m.reason) {
    case MarkReason::kLoose:
      return fmt::format(
          "the markers seen leave the orientation of {} open by {:.1f} deg (standard deviation; "
          "{:.1f} deg is usual for it)",
          segment, m.turn * 180 / kPi, run.marks.usual_turns[m.segment] * 180 / kPi);
    case MarkReason::kTwoWays:
      return fmt::format(
          "two poses that are {:.0f} deg apart fit alike, and the frames beside them do not decide",
          m.turn * 180 / kPi);
    default:
      if (m.marker < 0) return fmt::format("markers pull at the pose of {}", segment);
      return fmt::format(
          "marker {} is up to {:.0f} mm from where the model has it and pulls at the pose of {}: "
          "moved, drifting, or at another place than in the standing trial?",
          run.model.markers[m.marker].name, 1e3 * m.off, segment);
  }
}

// Frames whose poses are not to be relied on, where nothing has been said of them yet; wild markers
// all over the recording are told in one sentence by warn_about_pull.
void warn_about_marks(Run& run, const std::vector<std::vector<char>>& told) {
  constexpr int kMost = 10;
  constexpr int kAround = 10;  // frames of a stretch, where weights fade beside what has been said
  int count = 0;
  for (const MarkedStretch& m : list_marked(run.marks, run.id->frames)) {
    const bool pulled = m.reason == MarkReason::kPulled;
    if (pulled && run.marks.letting_go) continue;
    const char said = pulled ? kMarkerNamed : m.reason == MarkReason::kLoose ? kSaidOpen : 0;
    const auto begin = told[m.trial].begin();
    const auto unsaid = std::count_if(begin + m.first_frame, begin + m.last_frame + 1,
                                      [&](char frame) { return (frame & said) == 0; });
    if (unsaid < m.last_frame - m.first_frame + 1 && unsaid <= kAround) continue;
    if (++count > kMost) continue;
    run.warnings.push_back(fmt::format("{}: frames {} to {}: {}", run.trials[m.trial].name,
                                       m.first_frame + 1, m.last_frame + 1, describe(run, m)));
  }
  if (count > kMost) {
    run.warnings.push_back(fmt::format(
        "{} more stretches of frames whose poses are not to be relied on; summary.json lists all",
        count - kMost));
  }
}

// Wild markers under a loss that holds on to them: what letting go would change.
void warn_about_pull(Run& run) {
  if (!run.marks.letting_go) return;
  const LettingGo& go = *run.marks.letting_go;
  constexpr double kOff = 5 * kPi / 180;
  const auto turned =
      std::count_if(go.turn.begin(), go.turn.end(), [](double t) { return t > kOff; });
  const double most = *std::max_element(go.turn.begin(), go.turn.end());
  run.warnings.push_back(
      fmt::format("{} positions of markers are wild, 3 cm or more from where the others say, and "
                  "pull at the poses: {}; the frames are marked. Fitted without them (--loss tukey "
                  "--loss-width \"{:.1f} cm\") the noise of a coordinate is {:.1f} mm",
                  go.wild,
                  turned == 0 ? std::string("by less than 5 deg")
                              : fmt::format("by more than 5 deg in {} frames, {:.0f} deg at most",
                                            turned, most * 180 / kPi),
                  100 * go.width, 1e3 * go.sigma));
}

void warn_about_solution(Run& run) {
  const Summary& s = run.id->summary;
  if (s.saddle_frames > 0) {
    run.warnings.emplace_back(
        fmt::format("{} frames were at saddle points (a segment turned away from "
                    "its markers) and have left them",
                    s.saddle_frames));
  }
  if (s.converged && !s.minimum) {
    run.warnings.emplace_back(
        "the solution is stationary, but its second derivatives do not show a "
        "strict minimum; look at undetermined parameters and frames");
  }
  if (s.constraint > 1e-9) {
    run.warnings.emplace_back(
        fmt::format("joints are open by {:.2g} m: constraints of a loop "
                    "contradict each other",
                    s.constraint));
  }
  for (int k = 0; k < run.id->d.size(); ++k) {
    const Parameter& p = run.model.parameters[k];
    const double reach = 1e-9 * (1 + std::abs(run.id->d[k]));
    if (run.id->d[k] <= p.lower + reach || run.id->d[k] >= p.upper - reach) {
      run.warnings.emplace_back(
          fmt::format("parameter '{}' is at its bound {:.6g}", p.name, run.id->d[k]));
    }
  }
}

// Constants that have left what a body can be are held by weak priors, and all is fitted again.
// Returns them.
std::vector<int> hold_runaways(std::unique_ptr<Identification>& id, std::vector<Trial>& fitted,
                               Run& run, const Options& options) {
  std::vector<int> held;
  constexpr int kMostRounds = 3;  // where one is held another may leave
  for (int round = 0; round < kMostRounds && !id->summary.interrupted; ++round) {
    const std::vector<int> parameters = find_runaways(*id, fitted);
    if (parameters.empty()) break;
    held.insert(held.end(), parameters.begin(), parameters.end());
    std::vector<std::string> names;
    for (const int k : parameters) {
      const Parameter& p = run.model.parameters[k];
      names.push_back(fmt::format("{} (was {:.0f} {})", p.name, for_people(p.unit, id->d[k]),
                                  unit_for_people(p.unit)));
    }
    id.reset();
    hold_parameters(parameters, fitted, run.model);
    id = std::make_unique<Identification>(identify(run.model, fitted, options));
    run.warnings.push_back(fmt::format(
        "this motion does not hold {}: they are held by weak priors (5 cm, 17 deg, 30 %) about "
        "their first values; give the model a `prior`, or a recording that moves the joint",
        fmt::join(names, ", ")));
  }
  return held;
}

// Constants, weights where they are asked for, and how sure the constants are.
void fit_constants(Run& run, const RunOptions& options) {
  std::vector<Trial> some;
  if (options.every > 1) {
    check_thinning(run.trials, options.every);
    some = thin_trials(run.trials, options.every);
  }
  std::vector<Trial>& fitted = options.every > 1 ? some : run.trials;
  if (run.model.loss.width_from_recording) {
    run.model.loss.width = choose_tukey_width(run.model, fitted, options);
  }
  auto id = std::make_unique<Identification>(identify(run.model, fitted, options));
  const std::vector<int> held = hold_runaways(id, fitted, run, options);
  if (options.estimate_weights && !id->summary.interrupted) {
    run.noise = fit_marker_weights(*id, fitted, options);
    if (!run.noise->converged) {
      run.warnings.emplace_back(
          "the weights from the noise of each marker have not settled; they are those of the last "
          "round");
    }
  }
  run.confidence = calc_confidence(*id, fitted);
  for (const int k : held) run.confidence.identifiable[k] = false;  // the prior knows, not the data
  if (options.every > 1) {
    if (run.noise) set_marker_weights(run.model, *run.noise, run.trials);
    auto all = std::make_unique<Identification>(spread_over_frames(*id, run.trials, options));
    run.thinning = calc_thinning(options.every, *id, run.confidence, *all, run.trials);
    id = std::move(all);
  }
  run.id = std::move(id);
}

}  // namespace

void run_identification(Run& run, const RunOptions& options) {
  set_technical_frames(run.trials, run.model);
  check_data(run, calc_thread_count(options.threads));
  fit_constants(run, options);
  run.warnings.insert(run.warnings.end(), run.id->summary.warnings.begin(),
                      run.id->summary.warnings.end());
  if (run.model.has_loops()) {
    const Plan plan(run.model, false);
    const Geometry geometry = plan.calc_geometry(run.id->d);
    for (const std::string& row :
         find_redundant_constraints(plan, geometry, run.id->frames.poses(0))) {
      run.warnings.push_back(fmt::format("redundant constraint without effect: {}", row));
    }
  }
  run.errors = calc_marker_errors(run.id->frames, run.id->d);
  run.marks = mark_frames(run.id->frames, run.id->d, run.id->summary.branches.get());
  fill_open_poses(run.id->frames, run.id->d, run.marks);
  const auto told = warn_about_frames(run);
  for (const ExchangedPair& pair : find_exchanged_throughout(*run.id, run.trials)) {
    run.warnings.push_back(fmt::format(
        "markers {} and {} look exchanged throughout: with each other's labels the objective is "
        "{:.0f} % of what it is; correct the labels, or the model",
        run.model.markers[pair.a].name, run.model.markers[pair.b].name, 100 * pair.share));
  }
  warn_about_marks(run, told);
  warn_about_pull(run);
  warn_about_solution(run);
}

}  // namespace vesica::markers
