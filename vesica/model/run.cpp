#include "vesica/model/run.h"

#include <fmt/format.h>

#include <algorithm>

namespace vesica {
namespace {

const Words kSolverNames = {
    "euler", "semi_implicit_euler", "rk3", "rk4", "rk5", "dopri5", "rodas5p", "cvode", "arkode"};
// More steps than a machine does: a million steps a second are three hours for the first.
constexpr double kMostSteps = 1e10;
constexpr double kMostCheckpoints = 1e5;

void check_count(Fields<double>& f, const char* key, double duration, double length, double most,
                 const char* what) {
  if (!f.has_values() || duration / length <= most) return;
  f.fail(key, fmt::format(
                  "{:.3g} s take {:.2g} {} of {:.3g} s, more than {:.0e}; choose longer ones, or a "
                  "shorter duration",
                  duration, duration / length, what, length, most));
}

}  // namespace

std::string_view solver_name(Solver solver) { return kSolverNames[static_cast<size_t>(solver)]; }

namespace model {
namespace {

void describe_solver(Fields<double>& f, Run* run) {
  f.choice({.key = "method", .unless = static_cast<double>(Solver::kCvode)}, kSolverNames,
           &run->solver);
  const bool has_fixed_step = is_fixed_step(run->solver);
  constexpr const char* kAdaptive = "belongs to the adaptive methods; this one has a fixed step";
  if (has_fixed_step) {
    f.number({"step", dimension::kTime, Rule::kPositive}, &run->step);
    check_count(f, "step", run->duration, run->step, kMostSteps, "steps");
    f.check(!f.has("tolerance", false), "tolerance", kAdaptive);
    f.check(!f.has("max_step", false), "max_step", kAdaptive);
    f.choice({.key = "events", .unless = 0.0}, {"at_steps", "located"}, &run->locates_events);
  } else {
    f.check(!f.has("step", false), "step",
            "belongs to the fixed-step methods; adaptive ones take 'tolerance'");
    f.check(!f.has("events", false), "events",
            "belongs to the fixed-step methods; adaptive ones locate events");
    f.number({"tolerance", dimension::kNumber, Rule::kPositive, "", 1e-8}, &run->tolerance);
    if (f.has("max_step", run->max_step != 0)) {
      f.number({"max_step", dimension::kTime, Rule::kPositive}, &run->max_step);
      check_count(f, "max_step", run->duration, run->max_step, kMostSteps, "steps");
    }
  }
  f.flag({.key = "ledger", .unless = 1.0}, &run->ledger);
}

void describe_output(Fields<double>& f, Run* run) {
  f.number({"interval", dimension::kTime, Rule::kNonNegative, "between rows", 1e-3},
           &run->interval);
  if (run->interval > 0) {
    check_count(f, "interval", run->duration, run->interval, kMostSteps, "rows");
  }
  // A number: every so many seconds; a list: at these times.
  if (!f.has("checkpoints", run->checkpoint_interval || !run->checkpoints.empty())) return;
  if (f.is_list("checkpoints", !run->checkpoint_interval)) {
    run->checkpoint_interval.reset();
    f.numbers({"checkpoints", dimension::kTime, Rule::kPositive}, &run->checkpoints);
    if (!f.has_values()) return;
    for (size_t k = 1; k < run->checkpoints.size(); ++k) {
      if (run->checkpoints[k] > run->checkpoints[k - 1]) continue;
      f.fail(fmt::format("checkpoints.{}", k), "times must increase");
    }
  } else {
    if (!run->checkpoint_interval) run->checkpoint_interval.emplace(0.0);
    f.number({"checkpoints", dimension::kTime, Rule::kPositive}, &*run->checkpoint_interval);
    check_count(f, "checkpoints", run->duration, *run->checkpoint_interval, kMostCheckpoints,
                "checkpoints");
  }
}

}  // namespace

void Run::describe(Fields<double>& f) {
  if (!f.has("duration", true)) {
    f.fail("", "the key 'duration' is missing, how long the scene runs: 'duration: 1 s'");
  }
  f.number({"duration", dimension::kTime, Rule::kPositive}, &duration);
  const Run usual;
  if (f.has("solver",
            solver != usual.solver || tolerance != usual.tolerance || max_step != 0 || !ledger)) {
    f.below("solver", [&] { describe_solver(f, this); });
  }
  if (f.has("output", interval != usual.interval || checkpoint_interval || !checkpoints.empty())) {
    f.below("output", [&] { describe_output(f, this); });
  }
}

RunOptions make_run_options(const Run& run) {
  RunOptions options = run;
  if (run.checkpoint_interval && *run.checkpoint_interval > 0) {
    options.checkpoints.clear();
    for (int k = 1; k * *run.checkpoint_interval < run.duration; ++k) {
      options.checkpoints.push_back(k * *run.checkpoint_interval);
    }
  }
  std::erase_if(options.checkpoints, [&](double t) { return !(t < run.duration); });
  return options;
}

}  // namespace model
}  // namespace vesica
