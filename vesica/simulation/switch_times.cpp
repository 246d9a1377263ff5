#include "vesica/simulation/switch_times.h"

#include <algorithm>
#include <cmath>

namespace vesica {
namespace {

// Calls signal(s), series(spline), load(force) for all that depends on time; motion(m) for what is
// given as a function.
template <class OnSignal, class OnSeries, class OnMotion>
void for_each_input(const Scene<double>& scene, const OnSignal& signal, const OnSeries& series,
                    const OnMotion& motion) {
  const auto visit = [&](const Signal<double>& s) {
    if (s.recorded) {
      series(*s.recorded);
    } else {
      signal(s);
    }
  };
  for (const auto& body : scene.tree.bodies()) {
    for (const auto& drive : body.joint.drive) visit(drive);
  }
  for (const auto& force : scene.joint_forces) {
    if (const auto* motor = std::get_if<JointMotor<double>>(&force.action)) visit(motor->input);
  }
  for (const auto& line : scene.lines) {
    if (const auto* a = std::get_if<LineActuator<double>>(&line.action)) visit(a->input);
  }
  for (const auto& controller : scene.controllers) {
    for (const auto& velocity : controller.velocity) visit(velocity);
  }
  for (const auto& body : scene.bodies) {
    if (body.is_free || !body.prescribed.moves) continue;
    if (body.prescribed.recorded) {
      series(body.prescribed.recorded->position[0]);
    } else {
      motion(body.prescribed);
    }
  }
}

}  // namespace

std::vector<double> find_switch_times(const Scene<double>& scene, double end) {
  std::vector<double> times;
  for (const auto& force : scene.forces) {
    times.insert(times.end(), {force.from, force.until});
    if (force.ramp > 0) {
      times.insert(times.end(), {force.from + force.ramp, force.until - force.ramp});
    }
  }
  for_each_input(
      scene,
      [&](const Signal<double>& s) {
        if (s.step_until > s.step_from) times.insert(times.end(), {s.step_from, s.step_until});
      },
      // A series is smooth inside and rests before and after.
      [&](const CubicSpline& s) {
        times.insert(times.end(), {s.first(), s.last()});
      },
      [](const PrescribedMotion<double>&) {});
  std::erase_if(times, [&](double t) { return !(t > 0) || !(t < end); });
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

double calc_signal_step(const Scene<double>& scene) {
  double step = kInfinity;
  const auto limit_period = [&](double frequency) {
    if (frequency > 0) step = std::min(step, 0.125 / frequency);
  };
  for_each_input(
      scene, [&](const Signal<double>& s) { limit_period(s.frequency); },
      [&](const CubicSpline& s) {
        for (size_t k = 1; k < s.times().size(); ++k) {
          step = std::min(step, s.times()[k] - s.times()[k - 1]);
        }
      },
      [&](const PrescribedMotion<double>& m) { limit_period(m.frequency); });
  return step;
}

}  // namespace vesica
