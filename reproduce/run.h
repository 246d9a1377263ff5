// What the systems of reproduce.h share: running a scene with settings, reading its recording.
// Internal to reproduce/.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reproduce/verdict.h"
#include "vesica/model/model.h"
#include "vesica/simulation/simulate.h"

namespace vesica::detail {

using Settings = std::vector<std::pair<std::string, std::string>>;

class SceneRun {
 public:
  // Runs scenes/NAME.yaml with the settings; adds its time and a failure to the report.
  SceneRun(const ReproduceOptions& options, const std::string& name, const Settings& settings,
           SystemReport* report);

  const RunResult& result() const { return result_; }
  const System<double>& system() const { return system_; }
  const std::vector<double>& times() const { return result_.recording.times; }
  std::vector<double> column(const std::string& name) const;
  // Length of the vector whose parts are NAME.x and so on, for the axes given.
  std::vector<double> magnitude(const std::string& name, std::string_view axes) const;
  // A sum over the energies of the state: kinetic, gravity, contact, springs.
  std::vector<double> energy() const;
  // The same with what bristles and contacts without a potential hold.
  std::vector<double> total_energy() const;
  // The first row not before a time, or the last; a value between rows; how far the vector
  // NAME.x, .y, .z moves between two times.
  size_t row_at(double time) const;
  double value_at(const std::string& column, double time) const;
  double distance(const std::string& name, double from, double until) const;
  // Time of the first event of a kind, or -1.
  double first_event(bool touchdown) const;

 private:
  SceneRun(const ReproduceOptions& options, const Model& model, SystemReport* report);

  RunOptions options_;
  System<double> system_;
  RunResult result_;
};

// Rows of one system and case.
class Rows {
 public:
  Rows(SystemReport* report, std::string system, nlohmann::ordered_json where);

  void add(const char* quantity, double ours, const char* unit, const Verdict& verdict);
  // Two rows: what the integrator gained or lost over what was dissipated, above whose bound the
  // run has failed; and what contacts without a potential, and bristles, took or gave.
  void add_energy(const SceneRun& run, double bound = 1e-4);

 private:
  SystemReport* report_;
  std::string system_;
  nlohmann::ordered_json where_;
};

// A plot of at most so many rows as a page can show.
TimePlot make_plot(const std::string& title, const std::string& unit, const SceneRun& run,
                   const std::vector<std::pair<std::string, std::vector<double>>>& series,
                   const std::string& note = {});

SystemReport reproduce_restitution(const ReproduceOptions& options);
SystemReport reproduce_bowden_leben(const ReproduceOptions& options);
SystemReport reproduce_brown_stick_slip(const ReproduceOptions& options);
SystemReport reproduce_brown_impact(const ReproduceOptions& options);
SystemReport reproduce_inclined_plane(const ReproduceOptions& options);
SystemReport reproduce_cylinder_point(const ReproduceOptions& options);
SystemReport reproduce_pendulum_settling(const ReproduceOptions& options);
SystemReport reproduce_pendulum_ahmed(const ReproduceOptions& options);
SystemReport reproduce_arm_on_plate(const ReproduceOptions& options);
SystemReport reproduce_solver_study(const ReproduceOptions& options);
SystemReport reproduce_cylinder_volumetric(const ReproduceOptions& options);
SystemReport reproduce_ball_on_table(const ReproduceOptions& options);
SystemReport reproduce_tippe_top(const ReproduceOptions& options);
SystemReport reproduce_box_on_slope(const ReproduceOptions& options);
SystemReport reproduce_ten_boxes(const ReproduceOptions& options);
SystemReport reproduce_block_over_step(const ReproduceOptions& options);
SystemReport reproduce_battery_box(const ReproduceOptions& options);
SystemReport reproduce_peg_in_hole(const ReproduceOptions& options);
SystemReport reproduce_knee(const ReproduceOptions& options);

}  // namespace vesica::detail
