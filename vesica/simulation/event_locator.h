// Where within a fixed step the first contact begins or ends. Internal to simulation/.
#pragma once

#include <vector>

#include "vesica/simulation/fixed_step.h"

namespace vesica::detail {

// The end of the step is the unknown: the whole step is taken again from its start until the
// distance that changes sign first is zero, so that what comes out is smooth in all parameters. A
// contact that begins and ends within one step is not seen.
class EventLocator {
 public:
  explicit EventLocator(const System<double>& system);

  // *state: the end of a step that `stepper` took from `start`. If a contact has begun or ended
  // since, goes back to where, and writes to `roots`, per slot: -1 touchdown, 1 lift-off, 0
  // neither.
  void locate(const State<double>& start, FixedStepper<double, double>* stepper,
              Evaluation<double>* data, State<double>* state, std::vector<int>* roots);

 private:
  double calc_margin(const State<double>& state, const Evaluation<double>& window);

  const System<double>& system_;
  Evaluation<double> seen_;
  std::vector<double> margins_;     // per slot: positive until its contact begins or ends [m]
  std::vector<double> tolerances_;  // per slot [m]
};

}  // namespace vesica::detail
