// Methods of our own that choose their steps: what they share. Internal to simulation/.
#pragma once

#include <atomic>
#include <vector>

#include "vesica/simulation/driver.h"
#include "vesica/simulation/event_locator.h"

namespace vesica::detail {

// One-step methods with an error estimate and a polynomial over the step. A step sees only contacts
// that are remembered to touch, so that it runs smoothly on beyond a touchdown; where contacts
// begin and end is found on its polynomial, and the step ends there.
class AdaptiveStepper : public Stepper {
 public:
  AdaptiveStepper(const System<double>& system, const RunOptions& options,
                  RunStatistics* statistics, const std::atomic<bool>* stop);

  void restart(const State<double>& state) override;
  void step(double until, State<double>* state, StepReport* report) override;
  void interpolate(double t, double* y) override { calc_between((t - start_.t) / length_, y); }
  bool locates_events() const override { return true; }
  Evaluation<double>& evaluation() override { return data_; }
  const Evaluation<double>& last_step() const override { return data_; }

 protected:
  // A step of h from start_, with its rates in start_rates(): fills end_ and error_.
  virtual void attempt(double h) = 0;
  // After an attempt that was good enough: data_ and the rates as of end_.
  virtual void accept() {}
  // The rates at the start of a step: to be filled after a restart, else those of the last end.
  virtual double* start_rates() = 0;
  virtual void go_on() = 0;  // the last end is the start: takes over its rates
  // The state at a share of the last step.
  virtual void calc_between(double share, double* y) const = 0;
  // What the next step is of this one, whose error was `error` of what is allowed; > 1: rejected.
  virtual double calc_factor(double error) = 0;
  virtual int order() const = 0;  // of the error
  virtual const char* name() const = 0;
  virtual const char* remedy() const = 0;  // where no step is short enough

  // y' at a share of the step that is tried; notes contacts that begin or end there.
  void calc_rates(double share, const double* y, double* rates);
  // Root mean square, in units of what is allowed; from start_'s size.
  double calc_norm(const double* x) const;

  const System<double>& system_;
  const int size_;
  State<double> start_;  // of the step that is tried, or of the last one
  double length_ = 0;    // of that
  std::vector<double> end_, error_;
  std::vector<double> weights_;  // one over what is allowed of each state's error
  Evaluation<double> data_;
  RunStatistics* statistics_;

 private:
  double guess_step(double limit);
  // Goes back to the first contact that begins or ends within the step, if one does.
  void find_events(State<double>* state, StepReport* report);
  // Takes the step again up to a lift-off: the force has a kink there, which the step that reached
  // across it has seen.
  void retake(State<double>* state);

  const std::atomic<bool>* stop_;
  double longest_, tolerance_;
  std::vector<double> absolute_;
  double next_ = 0;              // the step to try; 0: to be guessed
  bool has_end_ = false;         // the last end is where the next step starts
  std::vector<double> crossed_;  // shares of the step at which contacts have begun or ended
  EventLocator locator_;
  State<double> trial_;
  std::vector<double> rates_;
};

}  // namespace vesica::detail
