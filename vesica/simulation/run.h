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

  // The energy at the start, before the first step; where it goes on, that of the first start.
  void begin();
  bool goes_on() const { return control_.from != nullptr; }
  State<double>& state() { return result_.final_state; }
  RunResult& result() { return result_; }
  const RunOptions& options() const { return options_; }

  // Records all rows that are due up to the state's time; `interpolate(t, y)` gives the state at an
  // earlier time since the last call.
  void record_due(const State<double>& state,
                  const std::function<void(double, double*)>& interpolate);
  // Energies and every contact after an accepted step of h; `data`: its forces.
  void observe(const State<double>& state, const Evaluation<double>& data, double h);
  void add_event(double t, const ContactChange& change);
  void add_events(const std::vector<ContactChange>& changes, double t) {
    for (const ContactChange& change : changes) add_event(t, change);
  }
  // Progress and interruption; true: stop now. Also notes the longest step.
  bool check_in(double t);
  void check_finite(const State<double>& state) const;  // throws RunError
  void leave_checkpoint(bool cut = false);
  RunResult finish();

 private:
  using Clock = std::chrono::steady_clock;

  void record(double t, const double* y, const Memory<double>& memory);
  void record_maps_due(const State<double>& state,
                       const std::function<void(double, double*)>& interpolate);
  // Peaks of contacts and lines at an instant that no step ends at: the start, the end.
  void note_peaks(double t, const Evaluation<double>& data);
  void note_strains(double t, const Evaluation<double>& data);
  // Where an end of a line lies inside what its other end is fixed to.
  void note_ends(size_t line, double t, const Evaluation<double>& data);
  void note_depth(size_t slot, double depth);
  // Where it may be the greatest of the run.
  void observe_depth(size_t slot, const Evaluation<double>& data);
  void calc_end();  // what the result says of where the run stands
  Checkpoint make_checkpoint(bool cut) const;
  void note_energies(const Energies<double>& e);
  void close_ledger();

  const System<double>& system_;
  const RunOptions& options_;
  const RunControl& control_;
  Evaluation<double> data_;
  MapRecorder maps_;
  std::vector<double> rates_, row_, values_;
  std::vector<long> touching_;                  // pairs of every contact, scratch
  std::vector<double> last_volumes_;            // of every slot, when its depth was last looked for
  std::vector<Energies<double>> start_stores_;  // of every contact
  RunResult result_;
  double next_record_ = 0;
  long rows_ = 0;
  Clock::time_point started_, last_step_, last_progress_, last_pulse_;
};

// df/dy by dual numbers, column-major n x n; twelve columns at a time. `time_rates`: df/dt, where
// it is wanted.
class JacobianEvaluator {
 public:
  explicit JacobianEvaluator(const System<double>& system);
  void evaluate(double t, const double* y, const Memory<double>& memory,
                const Evaluation<double>& window, double* jacobian, double* time_rates = nullptr);

 private:
  const System<double>& system_;
  Evaluation<Dual<12>> data_;
  Memory<Dual<12>> memory_;
  std::vector<Dual<12>> y_, rates_;
};

// Typical size of every state, the unit of absolute tolerances: lengths from the bodies' shapes,
// speeds from falling through them, energies from lifting by them.
std::vector<double> calc_state_scales(const System<double>& system);

}  // namespace vesica::detail
