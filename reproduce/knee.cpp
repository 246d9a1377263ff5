// The knee of Brown's chapter 3: it swings under gravity, and the lateral compartment lets go.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/presets.h"
#include "reproduce/verdict.h"
#include "vesica/simulation/equilibrium.h"

namespace vesica::detail {
namespace {

constexpr double kKneeDegree = kPi / 180;

// Where the lateral force is zero for the first time after the push, the medial one being there;
// -1 where it never is.
double find_lateral_zero(const SceneRun& run) {
  constexpr double kAfterPush = 10;  // [deg]
  const auto flexion = run.column("knee.flexion"), lateral = run.column("lateral.normal_force");
  const auto medial = run.column("medial.normal_force");
  for (size_t k = 1; k < flexion.size(); ++k) {
    if (flexion[k] < kAfterPush * kKneeDegree || lateral[k] > 0 || !(medial[k] > 0)) continue;
    return flexion[k] / kKneeDegree;
  }
  return -1;
}

double greatest_of(const std::vector<double>& x) { return *std::max_element(x.begin(), x.end()); }

// The value of a column where the flexion passes an angle for the first time, between rows.
double value_at_flexion(const SceneRun& run, const std::string& column, double degrees) {
  const auto flexion = run.column("knee.flexion"), values = run.column(column);
  for (size_t k = 0; k < flexion.size(); ++k) {
    if (flexion[k] < degrees * kKneeDegree) continue;
    if (k == 0) return values[0];
    const double part = (degrees * kKneeDegree - flexion[k - 1]) / (flexion[k] - flexion[k - 1]);
    return values[k - 1] + part * (values[k] - values[k - 1]);
  }
  return values.back();
}

// What forces and moments leave at the start but for the one that holds the flexion: moments about
// the floating axis and the tibia's.
double calc_static_residual(const System<double>& system) {
  State<double> state = system.make_initial_state();
  auto data = system.make_evaluation<double>();
  std::vector<double> rates(state.y.size()), forces(static_cast<size_t>(system.layout().speeds));
  calc_forces_at_rest(system, state.y.data(), state.memory, rates.data(), &data, forces.data());
  const Vec3d e3 = data.motions[1].X_WB.R_WB.col(2), e2 = e3.cross(Vec3d::UnitX()).normalized();
  const Vec3d moment(forces[3], forces[4], forces[5]);
  return std::max({std::abs(forces[0]), std::abs(forces[1]), std::abs(forces[2]),
                   std::abs(moment.dot(e2)), std::abs(moment.dot(e3))});
}

struct Variation {
  const char* name;
  double value;
  const char* unit;
  Settings settings;
};

// One number changed at a time, by what nobody could measure better.
std::vector<Variation> make_variations() {
  const auto condyles = [](const char* what, const char* medial, const char* lateral) {
    return Settings{{fmt::format("bodies.femur.shapes.0.{}", what), medial},
                    {fmt::format("bodies.femur.shapes.1.{}", what), lateral}};
  };
  // Radii change about the lowest points, so that the planes stay tangent.
  const auto radius = [](const char* mm) {
    return Settings{{"bodies.femur.shapes.0.radius", fmt::format("{} mm", mm)},
                    {"bodies.femur.shapes.1.radius", fmt::format("{} mm", mm)},
                    {"bodies.femur.shapes.0.pose.position.2", fmt::format("{} mm", mm)},
                    {"bodies.femur.shapes.1.pose.position.2", fmt::format("{} mm", mm)}};
  };
  const auto push = [](double impulse) {
    return Settings{{"forces.12.force.1", fmt::format("{}", -100 * impulse)}};
  };
  const auto stiffness = [](const char* k) {
    return Settings{{"contacts.0.normal.stiffness", k}, {"contacts.1.normal.stiffness", k}};
  };
  return {{"impulse", 2, "N s", push(2)},
          {"impulse", 6, "N s", push(6)},
          {"condyle_radius", 0.019, "m", radius("19")},
          {"condyle_radius", 0.021, "m", radius("21")},
          {"condyles_forward", 1e-3, "m", condyles("pose.position.1", "-11 mm", "-12 mm")},
          {"condyles_forward", -1e-3, "m", condyles("pose.position.1", "-13 mm", "-14 mm")},
          {"lateral_condyle_forward", 1e-3, "m", condyles("pose.position.1", "-12 mm", "-12 mm")},
          {"condyles_apart", 4e-3, "m", condyles("pose.position.0", "-25 mm", "25 mm")},
          {"contact_stiffness", 1e9, "N/m^3", stiffness("1.0e9")},
          {"contact_stiffness", 4e9, "N/m^3", stiffness("4.0e9")}};
}

void add_ligament_rows(const SceneRun& run, SystemReport* report) {
  for (const auto& line : run.system().scene().lines) {
    for (const double degrees : {0.0, 15.0, 30.0, 45.0, 60.0, 75.0, 90.0}) {
      Rows rows(report, "knee", {{"ligament", line.name}, {"flexion", degrees}});
      rows.add("ligament_force", value_at_flexion(run, line.name + ".force", degrees), "N",
               no_number());
    }
  }
}

std::vector<double> scaled_by(std::vector<double> x, double factor) {
  for (double& v : x) v *= factor;
  return x;
}

void add_plots(const SceneRun& run, SystemReport* report) {
  report->plots.push_back(make_plot(
      "Knee: rotations", "deg", run,
      {{"flexion", scaled_by(run.column("knee.flexion"), 1 / kKneeDegree)},
       {"adduction", scaled_by(run.column("knee.adduction"), 1 / kKneeDegree)},
       {"internal rotation", scaled_by(run.column("knee.internal_rotation"), 1 / kKneeDegree)}}));
  report->plots.push_back(make_plot("Knee: normal forces", "N", run,
                                    {{"medial", run.column("medial.normal_force")},
                                     {"lateral", run.column("lateral.normal_force")}}));
  std::vector<std::pair<std::string, std::vector<double>>> forces;
  for (const auto& line : run.system().scene().lines) {
    forces.emplace_back(line.name, run.column(line.name + ".force"));
  }
  report->plots.push_back(make_plot("Knee: ligament forces", "N", run, forces));
}

}  // namespace

SystemReport reproduce_knee(const ReproduceOptions& options) {
  SystemReport report;
  const SceneRun run(options, "knee", {}, &report);
  Rows rows(&report, "knee", nlohmann::ordered_json::object());
  const double zero = find_lateral_zero(run);
  rows.add(
      "lateral_zero_flexion", zero, "deg",
      match_source(zero, 65, 0.1, "3.2",
                   zero > 0 ? "spheres, planes and impulse are not in the source: the rows that "
                              "vary them say how far each moves it; the medial force persists, "
                              "as there"
                            : "the lateral force does not fall to zero (-1)"));
  const double flexion = greatest_of(run.column("knee.flexion")) / kKneeDegree;
  rows.add("flexion_largest", flexion, "deg",
           match_expectation(flexion > 90, "passes 90 deg, where the source ends"));
  rows.add("medial_force_peak", greatest_of(run.column("medial.normal_force")), "N",
           no_number("the stiffness is tuned to it there"));
  rows.add("lateral_force_peak", greatest_of(run.column("lateral.normal_force")), "N", no_number());
  rows.add("static_residual", calc_static_residual(run.system()), "N",
           match_zero(calc_static_residual(run.system()), 1e-9, "forces and moments balance"));
  const double speed = run.result().statistics.seconds / run.result().end_time;
  rows.add("seconds_per_simulated_second", speed, "1",
           reported(fmt::format("wall time on this machine, a row recorded every ms: {:.0f} times "
                                "real time; the source's ran 1.1 times real time",
                                1 / speed)));
  const double left = std::abs(run.result().residual) / run.result().energy_scale;
  rows.add("ledger_residual", left, "1",
           match_zero(left, 1e-4, "the ledger closes, as a part of the greatest energy"));
  for (const Variation& v : make_variations()) {
    const SceneRun varied(options, "knee", v.settings, &report);
    Rows more(&report, "knee", {{v.name, v.value}});
    const double at = find_lateral_zero(varied);
    more.add("lateral_zero_flexion", at, "deg",
             reported(at > 0 ? fmt::format("moved by {:+.3g} deg", at - zero)
                             : "the lateral force does not fall to zero (-1)"));
    more.add("medial_force_peak", greatest_of(varied.column("medial.normal_force")), "N",
             reported("under this change"));
  }
  add_ligament_rows(run, &report);
  add_plots(run, &report);
  return report;
}

}  // namespace vesica::detail
