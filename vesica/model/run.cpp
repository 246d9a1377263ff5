#include "vesica/model/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

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

namespace {

constexpr double kMostCells = 1e6;

void describe_limits(Fields<double>& f, const char* key, std::optional<std::array<double, 2>>* x) {
  if (!f.has(key, x->has_value())) return x->reset();
  if (!*x) x->emplace();
  f.list({key, dimension::kLength}, (*x)->data(), 2);
  f.check((**x)[1] > (**x)[0], key, "goes from a lower limit to an upper one");
}

}  // namespace

void MapRegion::describe(Fields<double>& f) {
  describe_limits(f, "x", &x);
  describe_limits(f, "y", &y);
  f.check(x || y, "", "a region has limits: give 'x', 'y' or both, each as [from, to]");
}

void MapOptions::describe(Fields<double>& f) {
  if (f.has("name", !name.empty())) f.text({.key = "name", .meaning = "of its files"}, &name);
  f.text({.key = "contact"}, &contact);
  f.text({.key = "body", .meaning = "that carries the map"}, &body);
  f.optional_below("frame", &frame);
  f.list({"size", dimension::kLength, Rule::kPositive, "along x and y, about the frame's origin"},
         size.data(), 2);
  f.number({"cell", dimension::kLength, Rule::kPositive, "side of a cell", 1e-3}, &cell);
  f.number({"interval", dimension::kTime, Rule::kPositive, "between maps", 1e-2}, &interval);
  if (f.has_values()) {
    for (int k = 0; k < 2; ++k) {
      const double count = size[k] / cell;
      if (std::abs(count - std::round(count)) > 1e-6 * count || count < 0.5) {
        f.fail("cell",
               fmt::format("{:.6g} m are {:.6g} cells of {:.6g} m; a side is a whole number "
                           "of cells",
                           size[k], count, cell));
      }
    }
    f.check(size[0] * size[1] / (cell * cell) <= kMostCells, "cell",
            "makes more than a million cells; choose larger ones, or a smaller map");
    const bool is_plain = std::all_of(title().begin(), title().end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == ' ';
    });
    f.check(is_plain, name.empty() ? "contact" : "name",
            "names a file: letters, digits, spaces, '_', '-' and '.'; give the map a 'name'");
  }
  if (!f.has("regions", !regions.empty())) return;
  std::vector<std::string> names;
  for (const MapRegion& region : regions) names.push_back(region.name);
  f.entries("regions", &names, [&](size_t k) {
    if (regions.size() < names.size()) regions.resize(names.size());
    regions[k].name = names[k];
    regions[k].describe(f);
  });
}

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
  if (f.has("pressure_maps", !run->maps.empty())) {
    f.list_below("pressure_maps", &run->maps);
    for (size_t k = 0; k < run->maps.size(); ++k) {
      check_count(f, "pressure_maps", run->duration, run->maps[k].interval, kMostSteps, "maps");
    }
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
  if (f.has("output", interval != usual.interval || checkpoint_interval || !checkpoints.empty() ||
                          !maps.empty())) {
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
