// One driver for all solvers: steps to the next switching time, events of the contacts, parts that
// come and go, rows that are due, monitor, progress. Internal to simulation/.
#pragma once

#include <memory>

#include "vesica/simulation/run.h"

namespace vesica::detail {

// What happened in one step.
struct StepReport {
  double step = 0;                     // its length [s]
  std::vector<ContactChange> changes;  // contacts that were seen to begin or to end
  std::vector<double> times;           // of them
  std::vector<int> roots;  // per slot, if the step ended where a distance vanishes: < 0 touchdown,
                           // > 0 lift-off; else empty
};

class Stepper {
 public:
  virtual ~Stepper() = default;
  // From this state on; what was known of the past no longer holds (a kink, another memory).
  virtual void restart(const State<double>& state) = 0;
  // One step, to `until` at most. Throws RunError where it cannot.
  virtual void step(double until, State<double>* state, StepReport* report) = 0;
  // The state at a time within the last step.
  virtual void interpolate(double t, double* y) = 0;
  // Whether it stops where contacts begin and end; else they are looked for at the starts of steps.
  virtual bool locates_events() const = 0;
  // How the next step is to be evaluated.
  virtual Evaluation<double>& evaluation() = 0;
  // As of the last step.
  virtual const Evaluation<double>& last_step() const = 0;
};

std::unique_ptr<Stepper> make_fixed_stepper(const System<double>& system, const RunOptions& options,
                                            RunStatistics* statistics);
// `stop`: looked at in every evaluation; null: never.
std::unique_ptr<Stepper> make_cvode_stepper(const System<double>& system, const RunOptions& options,
                                            RunStatistics* statistics,
                                            const std::atomic<bool>* stop = nullptr);
std::unique_ptr<Stepper> make_arkode_stepper(const System<double>& system,
                                             const RunOptions& options, RunStatistics* statistics,
                                             const std::atomic<bool>* stop = nullptr);
// Methods of our own: explicit_stepper.cpp, rosenbrock_stepper.cpp.
std::unique_ptr<Stepper> make_explicit_stepper(const System<double>& system,
                                               const RunOptions& options, RunStatistics* statistics,
                                               const std::atomic<bool>* stop = nullptr);
std::unique_ptr<Stepper> make_rosenbrock_stepper(const System<double>& system,
                                                 const RunOptions& options,
                                                 RunStatistics* statistics,
                                                 const std::atomic<bool>* stop = nullptr);

// For solvers that choose their steps, at most h, with bodies as they are in `data`. In free flight
// they would step right across a short contact, and one is only seen where the distance changes
// sign between two steps: no body moves by more than a fifth of its size.
double calc_max_step(const System<double>& system, double h, const Evaluation<double>& data);

// To the end of the run, or until it is stopped or fails (RunResult::failure).
void drive(const System<double>& system, Stepper* stepper, Run* run);

}  // namespace vesica::detail
