#include "vesica/simulation/driver.h"

#include <algorithm>

#include "vesica/simulation/events.h"
#include "vesica/simulation/switch_times.h"

namespace vesica::detail {
void drive(const System<double>& system, Stepper* stepper, Run* run) {
  const RunOptions& options = run->options();
  State<double>& state = run->state();
  EventHandler<double, double> events(system);
  StepReport report;
  std::vector<double> stops = find_switch_times(system.scene(), options.duration);
  stops.push_back(options.duration);
  auto stop = std::upper_bound(stops.begin(), stops.end() - 1, state.t);

  const bool locates = stepper->locates_events();
  if (locates) {
    events.find_parts(&state, &report.changes);
    events.capture(&state, &report.changes);
    run->add_events(report.changes, state.t);
  }
  Evaluation<double>& data = stepper->evaluation();
  data.before = *stop < options.duration ? *stop : kInfinity;
  run->record_due(state, [](double, double*) {});
  stepper->restart(state);
  while (state.t < options.duration) {
    report.changes.clear();
    report.times.clear();
    report.roots.clear();
    stepper->step(*stop, &state, &report);
    run->record_due(state, [&](double t, double* y) { stepper->interpolate(t, y); });
    run->observe(stepper->last_step(), report.step);
    for (size_t k = 0; k < report.changes.size(); ++k) {
      run->add_event(report.times[k], report.changes[k]);
    }
    report.changes.clear();

    bool kink = false;
    for (size_t k = 0; k < report.roots.size(); ++k) {
      if (report.roots[k] == 0) continue;
      events.cross(k, report.roots[k] < 0, data, &state, &report.changes);
      kink = true;  // either way the rates have a kink here: no step may reach across it
    }
    if (locates && events.find_parts(&state, &report.changes)) {
      events.capture(&state, &report.changes);
      kink = true;
    }
    run->add_events(report.changes, state.t);
    if (state.t >= *stop && state.t < options.duration) {
      data.after = *stop;
      ++stop;
      data.before = *stop < options.duration ? *stop : kInfinity;
      kink = true;
    }
    run->check_finite(state);
    if (run->check_in(state.t)) break;
    if (kink) stepper->restart(state);
  }
}

}  // namespace vesica::detail
