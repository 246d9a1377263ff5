// What the drivers of all solvers share: recording, events, monitor, progress. Internal to
// simulation/.
#pragma once

#include <chrono>

#include "vesica/simulation/recording.h"
#include "vesica/simulation/simulate.h"

namespace vesica::detail {

class Run {
 public:
  Run(const System<double>& system, const RunOptions& options, const RunControl& control);

  std::vector<double>& state() { return result_.state; }
  SystemData<double>& data() { return data_; }
  RunResult& result() { return result_; }
  const RunOptions& options() const { return options_; }

  // Records (t, y) if a row is due; evaluates the system for it.
  void record_if_due(double t, const double* y);
  double next_record_time() const { return next_record_; }
  // Counts a contact's state after an accepted step; `data` holds forces at the step's start.
  void observe(const SystemData<double>& data, double h);
  void add_event(double t, int contact, bool touchdown, double closing_speed);
  // Progress and interruption; true: stop now. Also notes the longest step.
  bool check_in(double t);
  // False, with the failure noted, where a contact has more pairs of parts than slots.
  bool has_room(double t, const SystemData<double>& data);
  bool is_finite(double t, const double* y);
  RunResult finish(double t, const double* y);

 private:
  using Clock = std::chrono::steady_clock;

  const System<double>& system_;
  const RunOptions& options_;
  const RunControl& control_;
  SystemData<double> data_, scratch_;
  std::vector<double> rates_;
  std::vector<long> touching_;  // pairs of every contact, scratch
  RunResult result_;
  double next_record_ = 0;
  long rows_ = 0;
  Clock::time_point started_, last_step_, last_progress_;
};

// The drivers. Each advances `run` to the end or leaves result().failure.
void run_fixed_step(const System<double>& system, Run* run);
void run_cvode(const System<double>& system, Run* run);
void run_arkode(const System<double>& system, Run* run);

// df/dy by dual numbers, column-major n x n; twelve columns at a time.
class JacobianEvaluator {
 public:
  explicit JacobianEvaluator(const System<double>& system);
  void evaluate(double t, const double* y, const SystemData<double>& memories, double* jacobian);

 private:
  const System<double>& system_;
  SystemData<Dual<12>> data_;
  std::vector<Dual<12>> y_, rates_;
};

// Typical size of every state, the unit of absolute tolerances: lengths from the bodies' shapes,
// speeds from falling through them, energies from lifting by them.
std::vector<double> calc_state_scales(const System<double>& system);

}  // namespace vesica::detail
