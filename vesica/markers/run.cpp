#include "vesica/markers/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/error.h"
#include "vesica/markers/dense.h"
#include "vesica/markers/technical.h"

namespace vesica::markers {
namespace {

void check_data(const Run& run) {
  for (const Trial& trial : run.trials) {
    if (run.model.has_loops()) continue;  // a loop's neutral pose is not known before it is solved
    check_scale(run.model, trial);
    check_sides(run.model, trial);
  }
}

void warn_about_frames(Run& run) {
  for (const Gap& gap : find_undetermined_frames(run.id->frames, run.trials, run.id->d)) {
    const Trial& trial = run.trials[gap.trial];
    run.warnings.push_back(fmt::format(
        "{}: frames {} to {} ({:.2f} to {:.2f} s): the markers seen leave {} degrees of freedom "
        "open; those keep the value of the frame before, and say nothing about the parameters",
        trial.name, gap.first_frame + 1, gap.last_frame + 1,
        trial.start_time + gap.first_frame / trial.rate,
        trial.start_time + gap.last_frame / trial.rate, gap.undetermined));
  }
  const auto swaps = find_swaps(run.id->frames, run.trials, run.id->d);
  for (const Swap& swap : swaps) {
    run.warnings.push_back(fmt::format(
        "{}: markers {} and {} look exchanged in frames {} to {}; each fits where the other was "
        "expected",
        run.trials[swap.trial].name, run.model.markers[swap.a].name, run.model.markers[swap.b].name,
        swap.first_frame + 1, swap.last_frame + 1));
  }
  const auto explained = [&](const Stray& stray) {
    return std::any_of(swaps.begin(), swaps.end(), [&](const Swap& s) {
      return s.trial == stray.trial && s.first_frame <= stray.last_frame &&
             s.last_frame >= stray.first_frame;
    });
  };
  constexpr int kMaxStrays = 10;
  int strays = 0;
  for (const Stray& stray : find_strays(run.id->frames, run.trials, run.id->d)) {
    if (explained(stray) || ++strays > kMaxStrays) continue;
    run.warnings.push_back(fmt::format(
        "{}: marker {} is up to {:.0f} mm off in frames {} to {}; mislabelled, a ghost, or a slip? "
        "Leave it out there, or take a robust loss",
        run.trials[stray.trial].name, run.model.markers[stray.marker].name, stray.error * 1e3,
        stray.first_frame + 1, stray.last_frame + 1));
  }
  if (strays > kMaxStrays) {
    run.warnings.push_back(
        fmt::format("{} more stretches with a marker far off", strays - kMaxStrays));
  }
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

}  // namespace

void run_identification(Run& run, const Options& options) {
  set_technical_frames(run.trials, run.model);
  check_data(run);
  run.id = std::make_unique<Identification>(identify(run.model, run.trials, options));
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
  run.confidence = calc_confidence(*run.id, run.trials);
  run.errors = calc_marker_errors(run.id->frames, run.id->d);
  warn_about_frames(run);
  warn_about_solution(run);
}

}  // namespace vesica::markers
