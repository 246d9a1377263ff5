#include "vesica/simulation/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/simulation/switch_times.h"

namespace vesica::detail {
namespace {

// At the very touch two bodies share nothing: their normal and their point are noise. What begins
// is therefore looked at a hair later, as the bodies move: by `kHair` of the smaller one's size.
constexpr double kHair = 1e-7;
constexpr int kDoublings = 12;  // until a grazing contact shows

class EventHandler {
 public:
  explicit EventHandler(const System<double>& system)
      : system_(system),
        data_(system.make_evaluation<double>()),
        y_(static_cast<size_t>(system.layout().size())),
        rates_(y_) {
    data_.locates_events = true;
  }

  // Contacts that touch when they are first seen: at the start, and pairs of parts that are new.
  void capture(State<double>* state, std::vector<ContactChange>* changes) {
    system_.calc_motions(state->t, state->y.data(), &data_);
    system_.calc_overlaps(state->memory, &data_);
    system_.capture_contacts(state, data_, changes);
  }

  // True where a slot changed hands.
  bool find_parts(State<double>* state, std::vector<ContactChange>* changes) {
    return system_.find_parts(state, &data_, changes);
  }

  // The contact in a slot begins or ends where its distance was found to vanish.
  void cross(size_t slot, bool touchdown, State<double>* state,
             std::vector<ContactChange>* changes) {
    if (touchdown == state->memory[slot].touching) return;
    if (!touchdown) {
      system_.end_contact(slot, state, changes);
      return;
    }
    look_ahead(slot, *state);
    system_.begin_contact(slot, data_, state, changes);
  }

 private:
  void look_ahead(size_t slot, const State<double>& state) {
    const auto& scene = system_.scene();
    const auto& contact = scene.contacts[system_.layout().contact_of(slot)];
    system_.calc_motions(state.t, state.y.data(), &data_);
    const auto now = data_.motions;
    double size = kInfinity;
    for (const int b : {contact.body_i, contact.body_j}) {
      const double own = scene.bodies[static_cast<size_t>(b)].size;
      if (own > 0) size = std::min(size, own);
    }
    const double speed = system_.calc_rim_speed(contact.body_i, data_) +
                         system_.calc_rim_speed(contact.body_j, data_);
    double dt = std::isfinite(size) && speed > 0 ? kHair * size / speed : 0;
    system_.calc_position_rates(state.y.data(), rates_.data());
    for (int k = 0; k < kDoublings; ++k, dt *= 2) {
      y_ = state.y;
      for (int q = 0; q < system_.layout().velocities(); ++q) {
        y_[static_cast<size_t>(q)] += dt * rates_[static_cast<size_t>(q)];
      }
      system_.calc_motions(state.t + dt, y_.data(), &data_);
      system_.calc_overlaps(state.memory, &data_);
      if (dt == 0 || data_.overlaps[slot].distance < 0) break;
    }
    data_.motions = now;  // places as they will be, speeds as they are
  }

  const System<double>& system_;
  Evaluation<double> data_;
  std::vector<double> y_, rates_;
};

}  // namespace

void drive(const System<double>& system, Stepper* stepper, Run* run) {
  const RunOptions& options = run->options();
  State<double>& state = run->state();
  EventHandler events(system);
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
    run->observe(state, stepper->last_step(), report.step);
    for (size_t k = 0; k < report.changes.size(); ++k) {
      run->add_event(report.times[k], report.changes[k]);
    }
    report.changes.clear();

    bool kink = false;
    for (size_t k = 0; k < report.roots.size(); ++k) {
      if (report.roots[k] == 0) continue;
      events.cross(k, report.roots[k] < 0, &state, &report.changes);
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
