#include "vesica/simulation/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/simulation/fixed_step.h"
#include "vesica/simulation/run.h"

namespace vesica {
namespace detail {

namespace {
// Touchdowns and lift-offs between the starts of two steps, placed by linear interpolation.
void note_events(const SystemData<double>& data, const std::vector<int>& contact_of_slot,
                 const std::vector<double>& before, double t, double h, Run* run) {
  for (size_t k = 0; k < data.toggled.size(); ++k) {
    if (!data.toggled[k]) continue;
    const double fraction = data.distance[k] / (data.distance[k] - before[k]);
    const double time = std::isfinite(fraction) ? t - std::clamp(fraction, 0.0, 1.0) * h : t;
    run->add_event(std::max(0.0, time), contact_of_slot[k], data.touching[k],
                   data.forces[k].closing_speed);
  }
}
long count_steps(const RunOptions& options) {
  return static_cast<long>(std::ceil(options.duration / options.step - 1e-9));
}
}  // namespace

void run_fixed_step(const System<double>& system, Run* run) {
  const RunOptions& options = run->options();
  const auto method = static_cast<FixedStepMethod>(options.solver);
  FixedStepper<double, double> stepper(system, method);
  const int stages = tableau(method).stages;
  std::vector<double>& y = run->state();
  SystemData<double>& data = run->data();
  std::vector<double> before = data.distance;
  const double h = options.step;
  const long steps = count_steps(options);
  double t = 0;
  for (long k = 0; k < steps; ++k) {
    t = static_cast<double>(k) * h;
    run->record_if_due(t, y.data());
    before = data.distance;
    stepper.step(t, h, &y, &data);
    note_events(data, system.layout().contact_of_slot, before, t, h, run);
    run->observe(data, h);
    ++run->result().statistics.steps;
    run->result().statistics.evaluations += stages;
    if (!run->has_room(t, data) || !run->is_finite(t + h, y.data()) || run->check_in(t + h)) break;
  }
  run->result().end_time = static_cast<double>(run->result().statistics.steps) * h;
  if (run->result().failure.empty()) run->record_if_due(run->result().end_time, y.data());
}

}  // namespace detail

namespace {

// A solver that differentiates, and a method that cannot: said before the solver starts.
void check_derivatives(const Scene<double>& scene) {
  for (const auto& contact : scene.contacts) {
    bool has = has_derivatives(contact.contact.pair);
    if (contact.parts) {
      for (const auto& shapes : contact.parts->pairs) has = has && has_derivatives(shapes.pair);
    }
    if (!has) {
      throw InputError(fmt::format(
          "{}: the method voxels has no derivatives, which cvode needs; use a fixed-step solver "
          "(rk4), or the method slices",
          contact.name));
    }
  }
}

}  // namespace

RunResult simulate(const System<double>& system, const RunOptions& options,
                   const RunControl& control) {
  detail::Run run(system, options, control);
  if (is_fixed_step(options.solver)) {
    detail::run_fixed_step(system, &run);
  } else if (options.solver == Solver::kCvode) {
    check_derivatives(system.scene());
    detail::run_cvode(system, &run);
  } else {
    detail::run_arkode(system, &run);
  }
  if (control.progress) control.progress(1);
  const double end = run.result().end_time;
  const double* state = run.state().data();
  return run.finish(end, state);
}

std::vector<std::string> make_warnings(const System<double>& system, const RunOptions& options,
                                       const RunResult& result) {
  std::vector<std::string> warnings;
  for (size_t k = 0; k < result.monitors.size(); ++k) {
    const ContactMonitor& m = result.monitors[k];
    const std::string& name = system.scene().contacts[k].name;
    if (m.steps_in_contact == 0) continue;
    auto percent = [&](long count) {
      return 100.0 * static_cast<double>(count) / static_cast<double>(m.steps_in_contact);
    };
    if (m.steps_clamped > 0) {
      warnings.push_back(
          fmt::format("{}: in {:.2g} % of its steps the bodies separate so fast that damping would "
                      "pull; the force was held at 0",
                      name, percent(m.steps_clamped)));
    }
    if (m.steps_pulling > 0) {
      warnings.push_back(fmt::format(
          "{}: in {:.2g} % of its steps rolling makes the foundation pull at the edge of "
          "the patch, which the closed forms include; less damping or patch-wise "
          "integration avoids it",
          name, percent(m.steps_pulling)));
    }
    if (m.max_depth_ratio > 0.1) {
      warnings.push_back(
          fmt::format("{}: depth reaches {:.2g} of the smaller body; the foundation model is for "
                      "depths below a tenth: use a stiffer contact",
                      name, m.max_depth_ratio));
    }
    if (is_fixed_step(options.solver) && m.max_step_rate > 0.3) {
      warnings.push_back(
          fmt::format("{}: the step is {:.2g} of the contact's time constant; below 0.3 it is "
                      "resolved: use a step of {:.1e} s or method cvode",
                      name, m.max_step_rate, options.step * 0.3 / m.max_step_rate));
    }
  }
  const double scale = result.largest_energy;
  if (system.layout().ledger && scale > 0 && std::abs(result.residual) > 1e-3 * scale) {
    warnings.push_back(fmt::format(
        "energy does not add up: {:.3g} J of {:.3g} J {}; use a shorter step or a tighter "
        "tolerance",
        std::abs(result.residual), scale, result.residual > 0 ? "appeared" : "vanished"));
  }
  return warnings;
}

}  // namespace vesica
