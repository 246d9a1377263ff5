// Solids beyond the sources: what statics and energy say is what to expect.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/presets.h"

namespace vesica::detail {

SystemReport reproduce_box_on_slope(const ReproduceOptions& options) {
  SystemReport report;
  const double slope = std::tan(20 * kPi / 180);
  const double c = std::cos(20 * kPi / 180), s = std::sin(20 * kPi / 180);
  const PresetRuns runs(options, "box_on_slope", 1, {}, &report);
  runs.each([&](const char* preset, const SceneRun& run) {
    Rows rows(&report, "box_on_slope", {{"friction", "volumetric_bristle"}, {"preset", preset}});
    const double drift = run.distance("box.position", 1, 60);
    rows.add("drift", drift, "m",
             match_zero(drift, 1e-7, "below the friction angle it stays from second 1 to 60"));
    const double fx = run.column("box-slope.force.x").back();
    const double fz = run.column("box-slope.force.z").back();
    const double ratio = -(c * fx - s * fz) / (s * fx + c * fz);
    rows.add("friction_ratio", ratio, "",
             match_expected(ratio, slope, 1e-5, "friction over normal force is tan 20 deg"));
    rows.add_energy(run);
  });
  const SceneRun creeping(
      options, "box_on_slope",
      {{"contacts.0.friction", "{law: brown_mcphee, mu_s: 0.6, mu_d: 0.5, v_t: 1 mm/s}"}}, &report);
  Rows rows(&report, "box_on_slope", {{"friction", "brown_mcphee"}, {"preset", "exact"}});
  const double drift = creeping.distance("box.position", 1, 60);
  const double x = drift / 59 / 1e-3;  // its speed over v_t
  const double mu = 0.5 * std::tanh(4 * x) + 0.1 * x / square(x * x / 4 + 0.75);
  rows.add("drift", drift, "m",
           match_expectation(std::abs(mu - slope) < 1e-4 * slope,
                             "a law of the slip velocity creeps where mu(v) = tan 20 deg, to 1e-4 "
                             "of it"));
  rows.add_energy(creeping);
  return report;
}

SystemReport reproduce_ten_boxes(const ReproduceOptions& options) {
  constexpr size_t kBoxes = 10;
  SystemReport report;
  const PresetRuns runs(options, "ten_boxes", kBoxes, {{"solver.tolerance", "1.0e-8"}}, &report);
  runs.each([&](const char* preset, const SceneRun& run) {
    Rows rows(&report, "ten_boxes", {{"preset", preset}});
    // Each contact is as deep as carries what stands on it: a square of edge a on the ground, two
    // squares turned by theta against each other above, which share 2 a^2/(1 + sin + cos).
    constexpr double kEdge = 0.2, kHeight = 0.1, kWeight = 9.80665, kStiffness = 1e7;
    constexpr double kTurns[kBoxes] = {0, 7, 14, 1, 8, 15, 2, 9, 16, 3};
    double place = (kBoxes - 0.5) * kHeight;
    for (size_t k = 0; k < kBoxes; ++k) {
      const double theta = k == 0 ? 0 : std::abs(kTurns[k] - kTurns[k - 1]) * kPi / 180;
      const double area = 2 * kEdge * kEdge / (1 + std::sin(theta) + std::cos(theta));
      place -= static_cast<double>(kBoxes - k) * kWeight / (kStiffness * area);
    }
    const double top =
        std::hypot(run.column("box9.position.x").back(), run.column("box9.position.y").back(),
                   run.column("box9.position.z").back() - place);
    rows.add("top_displacement", top, "m",
             match_zero(
                 top, 1e-4,
                 fmt::format("after 60 s it is where the weights press it, {:.7f} m high", place)));
    const double drift = run.distance("box9.position", 1, 60);
    rows.add("top_drift", drift, "m",
             match_zero(drift, 1e-6, "stays where it is from second 1 to 60"));
    double fastest = 0;
    for (size_t k = 0; k < kBoxes; ++k) {
      fastest = std::max(fastest, run.magnitude(fmt::format("box{}.velocity", k), "xyz").back());
    }
    rows.add("largest_speed", fastest, "m/s", match_zero(fastest, 1e-5, "at rest after 60 s"));
    rows.add_energy(run);
  });
  return report;
}

SystemReport reproduce_block_over_step(const ReproduceOptions& options) {
  constexpr double kPush = 6, kMass = 1, kGravity = 9.81, kMu = 0.4, kStep = 4e-3;
  constexpr double kHalfLength = 0.06, kHalfHeight = 0.03;
  constexpr double kDepth = kMass * kGravity / (1e7 * 0.12 * 0.08);
  SystemReport report;
  auto add_rows = [&](const SceneRun& run, const nlohmann::ordered_json& where) {
    Rows rows(&report, "block_over_step", where);
    auto acceleration = [&](double from, double until) {
      return (run.value_at("block.velocity.x", until) - run.value_at("block.velocity.x", from)) /
             (until - from);
    };
    // The tilt of a twentieth of a degree that the offset of the push makes turns the eigenvector
    // of a wedge further than its plane: 1.3e-3 of the acceleration.
    const double before = acceleration(0.1, 0.2), after = acceleration(0.6, 0.7);
    rows.add("acceleration_pushed", before, "m/s^2",
             match_expected(before, kPush / kMass - kMu * kGravity, 2e-3, "F/m - mu_C g"));
    rows.add("acceleration_sliding", after, "m/s^2",
             match_expected(after, -kMu * kGravity, 2e-3, "-mu_C g"));
    const auto q = run.column("block.quaternion.y");
    double tilt = 0;
    for (double y : q) tilt = std::max(tilt, 2 * std::asin(std::abs(y)) * 180 / kPi);
    const double steepest = std::asin(kStep / kHalfLength) * 180 / kPi;
    rows.add("tilt_largest", tilt, "deg",
             match_expectation(tilt > 0 && tilt < steepest,
                               fmt::format("below {:.4g} deg, on the edge at mid-length and on its "
                                           "front edge",
                                           steepest)));
    const double height = run.column("block.position.z").back();
    rows.add("rest_height", height, "m",
             match_expected(height, kHalfHeight - kStep - kDepth, 1e-6,
                            "half the block, less the step and the depth that carries it"));
    const double slid = run.column("block.position.x").back() - run.column("block.position.x")[0];
    const double* ledger = run.result().state.data() + run.system().layout().ledger_start();
    const double available = ledger[kForceWork] + kMass * kGravity * kStep;
    rows.add(
        "distance", slid, "m",
        match_expectation(slid < available / (kMu * kMass * kGravity) && slid > 0.12,
                          fmt::format("beyond the step, and not further than push and step can "
                                      "pay for: {:.4f} m",
                                      available / (kMu * kMass * kGravity))));
    const double speed = run.magnitude("block.velocity", "xyz").back();
    rows.add("rest_speed", speed, "m/s", match_zero(speed, 1e-6, "at rest after 1.2 s"));
    rows.add_energy(run);
  };
  const PresetRuns runs(options, "block_over_step", 2, {}, &report);
  runs.each([&](const char* preset, const SceneRun& run) { add_rows(run, {{"preset", preset}}); });
  const SceneRun conservative(options, "block_over_step",
                              {{"contacts.0.interference", "{normal: conservative}"},
                               {"contacts.1.interference", "{normal: conservative}"}},
                              &report);
  add_rows(conservative, {{"preset", "exact"}, {"normal", "conservative"}});
  report.plots.push_back(runs.plot("Block over a step: height of its centre", "mm",
                                   {{"", column_of("block.position.z", 1e3)}}));
  // The block turns about y alone, by little.
  report.plots.push_back(runs.plot("Block over a step: tilt", "deg",
                                   {{"", column_of("block.quaternion.y", 360 / kPi)}}));
  report.plots.push_back(runs.plot("Block over a step: normal forces", "N",
                                   {{"upper", column_of("block-upper.normal_force")},
                                    {"lower", column_of("block-lower.normal_force")}}));
  return report;
}

}  // namespace vesica::detail
