#include "vesica/simulation/driver.h"

#include <algorithm>

#include "vesica/simulation/events.h"
#include "vesica/simulation/fixed_step.h"
#include "vesica/simulation/switch_times.h"

namespace vesica::detail {
namespace {

constexpr double kRounding = 1e-12;

// Where steps end: switching times and, for solvers that restart there, checkpoints; the duration.
std::vector<double> find_stops(const std::vector<double>& switches, const RunOptions& options,
                               bool restarts) {
  std::vector<double> stops = switches;
  if (restarts) {
    for (const double t : options.checkpoints) {
      // What rounding leaves between the two is no step.
      const auto near = std::lower_bound(switches.begin(), switches.end(), t - kRounding * t);
      if (near == switches.end() || *near > t + kRounding * t) stops.push_back(t);
    }
  }
  std::erase_if(stops, [&](double t) { return !(t < options.duration); });
  std::sort(stops.begin(), stops.end());
  stops.push_back(options.duration);
  return stops;
}

// What holds between the switching times around t.
void set_window(const std::vector<double>& switches, double t, Evaluation<double>* data) {
  const auto next = std::upper_bound(switches.begin(), switches.end(), t);
  data->after = next == switches.begin() ? -kInfinity : *(next - 1);
  data->before = next == switches.end() ? kInfinity : *next;
}

}  // namespace

double calc_max_step(const System<double>& system, double h, const Evaluation<double>& data) {
  const double g = system.scene().gravity.norm();
  for (size_t b = 0; b < system.scene().bodies.size(); ++b) {
    const auto& body = system.scene().bodies[b];
    if (!body.is_free || body.size <= 0) continue;
    const Vec3d& v = data.motions[b].V_WB.v_WB;
    const double reach = 0.2 * body.size;
    if (v.norm() > 0) h = std::min(h, reach / v.norm());
    if (g > 0) h = std::min(h, std::sqrt(reach / g));
  }
  // Parts are looked for between steps, no further than a margin.
  for (const auto& contact : system.scene().contacts) {
    if (!contact.parts) continue;
    const double reach = contact.parts->finder.margin();
    const double v =
        system.calc_rim_speed(contact.body_i, data) + system.calc_rim_speed(contact.body_j, data);
    if (v > 0) h = std::min(h, 0.5 * reach / v);
    if (g > 0) h = std::min(h, std::sqrt(reach / g));
  }
  return h;
}

void drive(const System<double>& system, Stepper* stepper, Run* run) {
  const RunOptions& options = run->options();
  State<double>& state = run->state();
  EventHandler<double, double> events(system);
  StepReport report;
  const bool locates = stepper->locates_events();
  const std::vector<double> switches = find_switch_times(system.scene(), kInfinity);
  const std::vector<double> stops = find_stops(switches, options, locates);
  auto stop = std::upper_bound(stops.begin(), stops.end() - 1, state.t);
  // A fixed step ends on the grid; its checkpoint is the first that is not before.
  const auto is_reached = [&](double checkpoint, double t) {
    return t >= checkpoint - (locates ? kRounding * checkpoint : 1e-6 * options.step);
  };
  auto checkpoint = options.checkpoints.begin();
  const auto pass_checkpoints = [&](double t) {
    const auto from = checkpoint;
    while (checkpoint != options.checkpoints.end() && is_reached(*checkpoint, t)) ++checkpoint;
    return checkpoint != from;
  };

  // A state to go on from has its parts and has seen its contacts: looking again could find what
  // lies at the very touch otherwise.
  pass_checkpoints(state.t);
  Evaluation<double>& data = stepper->evaluation();
  set_window(switches, state.t, &data);
  if (locates && !run->goes_on()) {
    events.find_parts(data, &state, &report.changes);
    events.capture(data, &state, &report.changes);
    run->add_events(report.changes, state.t);
  }
  run->record_due(state, [](double, double*) {});
  stepper->restart(state);
  bool cut = false;
  while (state.t < options.duration) {
    if (!locates && *stop == options.duration) {
      const double end = calc_step_end(state.t, options.step, options.duration);
      cut = end == options.duration && end != calc_step_end(state.t, options.step, kInfinity);
      if (cut) run->leave_checkpoint();
    }
    report.changes.clear();
    report.times.clear();
    report.roots.clear();
    stepper->step(*stop, &state, &report);
    run->record_due(state, [&](double t, double* y) { stepper->interpolate(t, y); });
    run->observe(state, stepper->last_step(), report.step);
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
    if (locates && events.find_parts(data, &state, &report.changes)) {
      events.capture(data, &state, &report.changes);
      kink = true;
    }
    run->add_events(report.changes, state.t);
    if (state.t >= *stop && state.t < options.duration) {
      set_window(switches, state.t, &data);
      ++stop;
      kink = true;
    }
    run->check_finite(state);
    const bool is_end = state.t >= options.duration || run->check_in(state.t);
    if (pass_checkpoints(state.t) || is_end) run->leave_checkpoint(cut);
    if (is_end) break;
    if (kink) stepper->restart(state);
  }
}

}  // namespace vesica::detail
