// Contacts that begin and end at a time that was found. Internal to simulation/.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "vesica/simulation/system.h"

namespace vesica::detail {

// At the very touch two bodies share nothing: their normal and their point are noise. What begins
// is therefore looked at a hair later, as the bodies move: by `kHair` of the smaller one's size;
// and what ends a hair earlier.
constexpr double kHair = 1e-7;
constexpr int kDoublings = 12;  // until a grazing contact shows

template <class P, class T>
class EventHandler {
 public:
  explicit EventHandler(const System<P>& system)
      : system_(system),
        data_(system.template make_evaluation<T>()),
        y_(static_cast<size_t>(system.layout().size())),
        rates_(y_) {
    data_.locates_events = data_.wants_depth = true;
  }

  // Contacts that touch when they are first seen: at the start, and pairs of parts that are new.
  // `window`: between which switching times the step was evaluated that ends here, and what its
  // time carries of derivatives.
  void capture(const Evaluation<T>& window, State<T>* state, std::vector<ContactChange>* changes) {
    look_through(window);
    system_.calc_motions(state->t, state->y.data(), &data_);
    system_.calc_overlaps(state->memory, &data_);
    system_.capture_contacts(state, data_, changes);
  }

  // True where a slot changed hands.
  bool find_parts(const Evaluation<T>& window, State<T>* state,
                  std::vector<ContactChange>* changes) {
    look_through(window);
    return system_.find_parts(state, &data_, changes);
  }

  // The contact in a slot begins or ends where its distance was found to vanish.
  void cross(size_t slot, bool touchdown, const Evaluation<T>& window, State<T>* state,
             std::vector<ContactChange>* changes) {
    if (touchdown == state->memory[slot].touching) return;
    if (!touchdown) {
      system_.end_contact(slot, state, changes);
      return;
    }
    look_beyond(slot, 1, window, *state);
    system_.begin_contact(slot, data_, state, changes);
  }

  // Its distance there, for its derivatives: extrapolated from one and two hairs beyond.
  T calc_distance(size_t slot, bool touchdown, const Evaluation<T>& window, const State<T>& state) {
    const double side = touchdown ? 1 : -1;
    look_beyond(slot, 2 * side, window, state);
    const T further = data_.overlaps[slot].distance;
    look_beyond(slot, side, window, state);
    return 2.0 * data_.overlaps[slot].distance - further;
  }

 private:
  void look_through(const Evaluation<T>& window) {
    data_.after = window.after;
    data_.before = window.before;
    data_.time_shift = window.time_shift;
  }

  // Overlaps as they are so many hairs later (or earlier), speeds as they are.
  void look_beyond(size_t slot, double hairs, const Evaluation<T>& window, const State<T>& state) {
    const auto& scene = system_.scene();
    const auto& contact = scene.contacts[system_.layout().contact_of(slot)];
    look_through(window);
    system_.calc_motions(state.t, state.y.data(), &data_);
    now_ = data_.motions;
    const double size = system_.calc_size(slot);
    const double speed = system_.calc_rim_speed(contact.body_i, data_) +
                         system_.calc_rim_speed(contact.body_j, data_);
    double dt = std::isfinite(size) && speed > 0 ? hairs * kHair * size / speed : 0;
    system_.calc_position_rates(state.y.data(), rates_.data());
    for (int k = 0; k < kDoublings; ++k, dt *= 2) {
      y_ = state.y;
      for (int q = 0; q < system_.layout().velocities(); ++q) {
        y_[static_cast<size_t>(q)] += dt * rates_[static_cast<size_t>(q)];
      }
      system_.calc_motions(state.t + dt, y_.data(), &data_);
      system_.calc_overlaps(state.memory, &data_);
      if (dt == 0 || is_touching(data_.overlaps[slot])) break;
    }
    data_.motions = now_;
  }

  const System<P>& system_;
  Evaluation<T> data_;
  std::vector<T> y_, rates_;
  std::vector<Motion<T>> now_;
};

}  // namespace vesica::detail
