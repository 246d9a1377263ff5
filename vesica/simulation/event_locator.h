// Where within a step the first contact begins or ends. Internal to simulation/.
#pragma once

#include <functional>
#include <vector>

#include "vesica/simulation/system.h"

namespace vesica::detail {

// The end of the step is the unknown, until the distance that changes sign first is zero. Fixed
// steps are taken again from their start, so that what comes out is smooth in all parameters;
// adaptive ones have a polynomial. A contact that begins and ends within one step is not seen.
class EventLocator {
 public:
  explicit EventLocator(const System<double>& system);

  // Writes the state at a time within the step; what contacts remember is that of its start.
  using GoTo = std::function<void(double, State<double>*)>;

  // *state: the end of a step from `start`, evaluated within `window`. If a contact has begun or
  // ended since, goes back to where, and writes to `roots`, per slot: -1 touchdown, 1 lift-off, 0
  // neither.
  void locate(const State<double>& start, const GoTo& go_to, const Evaluation<double>& window,
              State<double>* state, std::vector<int>* roots);
  // How far the next contact is from beginning or ending: the least over all slots, in units of
  // their tolerances; at zero it is sure to have.
  double calc_margin(const State<double>& state, const Evaluation<double>& window);

 private:
  const System<double>& system_;
  Evaluation<double> seen_;
  std::vector<double> margins_;     // per slot: positive until its contact begins or ends [m]
  std::vector<double> tolerances_;  // per slot [m]
};

}  // namespace vesica::detail
