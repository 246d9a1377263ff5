// Solids of many cells: Gonthier's battery box (5.2.2), and beyond the sources a peg in a hole.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/presets.h"

namespace vesica::detail {
namespace {

// Explicit steps meet some hundred touchdowns, each a kink: the ledger closes to about 1e-4.
constexpr double kRattling = 1e-3;

// The last time at which the body moves faster than this.
double find_rest_time(const SceneRun& run, const std::string& body, double speed, double spin) {
  const auto v = run.magnitude(body + ".velocity", "xyz");
  const auto w = run.magnitude(body + ".spin", "xyz");
  double time = 0;
  for (size_t k = 0; k < v.size(); ++k) {
    if (v[k] > speed || w[k] > spin) time = run.times()[k];
  }
  return time;
}

}  // namespace

SystemReport reproduce_battery_box(const ReproduceOptions& options) {
  SystemReport report;
  const PresetRuns runs(options, "battery_box", 1, {}, &report);
  runs.each([&](const char* preset, const SceneRun& run) {
    Rows rows(&report, "battery_box", {{"preset", preset}});
    const double rest = find_rest_time(run, "box", 1e-3, 1e-3);
    // "after 2 s"; the dimensions of guides and walls are not the source's.
    rows.add("rest_time", rest, "s",
             match_source(rest, 2, as_printed(1), "5.2.2, 'after 2 s'",
                          "the worksite's dimensions are not in the source"));
    const double force = run.column("box-worksite.force.x").back();
    rows.add("final_force_x", force, "N",
             match_source(force, -100, as_printed(1), "5.2.2, 'eventually settles at -100 N'",
                          "the box has not come to rest"));
    const auto& parts = *run.system().scene().contacts[0].parts;
    rows.add(
        "cells", parts.count_i + parts.count_j, "",
        reported(fmt::format("{} of the box, {} of the worksite", parts.count_i, parts.count_j)));
    rows.add("most_pairs", static_cast<double>(run.result().monitors[0].most_pairs), "",
             reported("pairs of cells that touch at once"));
    rows.add("pairs_at_rest", run.column("box-worksite.pairs").back(), "", no_number());
    rows.add("largest_force", run.result().monitors[0].max_force, "N",
             reported("of one pair of cells"));
    rows.add("seconds_per_simulated_second",
             run.result().statistics.seconds / run.result().end_time, "",
             reported("wall time on this machine, recording included"));
    rows.add_energy(run, kRattling);
  });
  report.plots.push_back(runs.plot("Battery box: velocity", "m/s",
                                   {{"x", column_of("box.velocity.x")},
                                    {"y", column_of("box.velocity.y")},
                                    {"z", column_of("box.velocity.z")}}));
  report.plots.push_back(runs.plot("Battery box: force of the worksite along x", "N",
                                   {{"", column_of("box-worksite.force.x")}}));
  report.plots.push_back(runs.plot("Battery box: pairs of cells that touch", "",
                                   {{"", column_of("box-worksite.pairs")}}));
  return report;
}

SystemReport reproduce_peg_in_hole(const ReproduceOptions& options) {
  constexpr double kMu = 0.1, kPlay = 0.2e-3, kOffset = 3e-3, kSoft = 2000;
  SystemReport report;
  const SceneRun run(options, "peg_in_hole", {}, &report);
  Rows rows(&report, "peg_in_hole", {{"preset", "exact"}});
  const auto x = run.column("peg.position.x");
  const auto fx = run.column("peg-block.force.x"), fz = run.column("peg-block.force.z");
  const auto normal = run.column("peg-block.normal_force");
  // On the chamfer, once the peg gives way and before the crescent of contact is wide.
  size_t on_chamfer = 0;
  while (on_chamfer + 1 < x.size() && x[on_chamfer] > kOffset - 5e-5) ++on_chamfer;
  const double wedge = (1 + kMu) / (1 - kMu);
  const double ratio = -fz[on_chamfer] / fx[on_chamfer];
  rows.add("chamfer_force_ratio", ratio, "",
           match_expected(ratio, wedge, 0.05,
                          "axial over lateral force of a wedge of 45 deg, and a little more: the "
                          "sides of the crescent push less across"));
  // In the bore, before the bottom, all of it slides down; means, as it knocks a little.
  const auto mean = [&](const std::vector<double>& values) {
    const size_t from = run.row_at(0.25), until = run.row_at(0.33);
    double sum = 0;
    for (size_t k = from; k < until; ++k) sum += values[k];
    return sum / static_cast<double>(until - from);
  };
  const double friction = mean(fz) / mean(normal);
  rows.add("bore_friction_ratio", friction, "",
           match_expected(friction, kMu, 0.06,
                          "axial over all normal forces is mu_C, 0.1, and "
                          "what the tilted peg's edge carries"));
  rows.add("bore_lateral_force", -mean(fx), "N",
           match_expected(-mean(fx), kSoft * (kOffset - mean(x)), 0.02,
                          "what the mount's spring asks for at this place"));
  const double height = run.column("peg.position.z").back();
  rows.add("final_height", height, "m", match_within(height, 0.02, 1e-4, "on the bottom, 20 mm"));
  const auto qy = run.column("peg.quaternion.y");
  const double foot = x.back() - 0.05 * std::sin(2 * std::asin(qy.back()));
  rows.add("foot_off_axis", foot, "m",
           match_zero(foot, 1.1 * kPlay, "within the play of 0.2 mm, and a tenth for the depth"));
  rows.add_energy(run, kRattling);
  report.plots.push_back(
      make_plot("Peg in a hole: forces of the block", "N", run, {{"lateral", fx}, {"axial", fz}}));
  report.plots.push_back(make_plot("Peg in a hole: pairs of cells that touch", "", run,
                                   {{"", run.column("peg-block.pairs")}}));
  return report;
}

}  // namespace vesica::detail
