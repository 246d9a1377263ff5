// The scene as a system of ordinary differential equations.
//
// State y: coordinates of all joints, then their speeds (multibody/joint.h; a free body has [p (3),
// q (4)] and [v (3), w (3)] in world axes), then the states of every contact (contact.h), of every
// controller, then the ledger's integrals (energy.h) if it is kept. Quaternions need not have unit
// length.
//
// A contact of the scene has one slot, or, between bodies of several parts, as many as pairs of
// parts may be near each other at once. Which pair sits in which slot is settled between steps
// (find_parts); a slot without a pair is a contact far apart.
//
// calc_rates is the path of the data: motions -> contacts -> forces -> accelerations. It is
// compiled once, for the scalars of system_*.cpp; include system_rates.h to use others.
#pragma once

#include <algorithm>
#include <vector>

#include "vesica/interference/cell_pairs.h"
#include "vesica/simulation/scene.h"

namespace vesica {

// What flows out of, or into, the mechanical energy. Each is an integral over time, kept as a
// state.
enum LedgerEntry {
  kNormalDamping,
  kRolling,
  kSliding,
  kSpinning,
  kSpringDamping,
  kPrescribedWork,  // done by belts, plates and other given motions
  kForceWork,       // done by applied forces
  kStoredWork,      // put into contacts whose store is no function of the pose
  kJointDamping,    // springs and limits in joints
  kJointFriction,
  kMotorWork,  // done by motors, controllers and driven joints
  kLedgerSize
};

struct StateLayout {
  int coordinates = 0, speeds = 0;
  std::vector<int> q_starts, u_starts;  // of every body of the scene
  std::vector<int> first_slots;         // of every contact; and the end
  std::vector<int> contact_of_slot;
  std::vector<int> contact_offsets;     // of every slot's states, from contact_start(); and the end
  std::vector<int> controller_offsets;  // likewise, behind the contacts
  bool ledger = false;

  int position(size_t body) const { return q_starts[body]; }
  int velocity(size_t body) const { return coordinates + u_starts[body]; }
  int velocities() const { return coordinates; }
  int contact_start() const { return coordinates + speeds; }
  size_t slots() const { return contact_of_slot.size(); }
  size_t contact_of(size_t slot) const { return static_cast<size_t>(contact_of_slot[slot]); }
  size_t first_slot(size_t contact) const { return static_cast<size_t>(first_slots[contact]); }
  int contact(size_t slot) const { return contact_start() + contact_offsets[slot]; }
  int contact_states(size_t slot) const {
    return contact_offsets[slot + 1] - contact_offsets[slot];
  }
  int controller(size_t k) const {
    return contact_start() + contact_offsets.back() + controller_offsets[k];
  }
  int ledger_start() const { return controller(controller_offsets.size() - 1); }
  int size() const { return ledger_start() + (ledger ? kLedgerSize : 0); }
};

// The pairs of parts of one contact that are near each other.
struct NearParts {
  PairRegistry registry;
  std::vector<CellPair> near;
};

// Everything that an evaluation writes; allocated once. T: the scalar of the state.
template <class T>
struct SystemData : TreeData<T> {
  std::vector<Wrench<T>> wrenches;  // per body, about its origin
  std::vector<T> tau;               // per speed
  LoopData<T> loops;
  AccommodationData<T> controller;
  std::vector<Overlap<T>> overlaps;        // per slot
  std::vector<ContactForces<T>> forces;    // per slot
  std::vector<ContactMemory<T>> memories;  // per slot
  // As of the last capture, per slot: whether it touches, its distance, whether that has changed.
  std::vector<char> touching, toggled;
  std::vector<double> distance;
  // As of the last find_parts: the pair in every slot (PartPairs::pairs; -1: none), and the first
  // contact with more pairs near each other than slots (-1: none).
  std::vector<int> pair_in_slot;
  std::vector<NearParts> near_parts;  // per contact
  bool locates_events = false;        // the gap between parts that are near each other is wanted
  double step = 0;  // fixed: parts are looked for as far as they move in two; 0: up to the margin
  int crowded = -1;
};

// No pair of parts there: nothing is computed for it.
template <class T>
void empty_slot(size_t slot, SystemData<T>* data) {
  const T zero(0);
  const Vec3<T> none(zero, zero, zero);
  data->pair_in_slot[slot] = -1;
  data->overlaps[slot] = far_apart<T>();
  data->forces[slot] = no_contact_forces(data->overlaps[slot], {zero, none, none, zero});
}

// What an evaluation elsewhere, or with another scalar, needs to know of the past.
template <class S, class T>
void copy_memories(const SystemData<S>& from, SystemData<T>* to) {
  for (size_t k = 0; k < from.memories.size(); ++k) {
    to->memories[k].impact_speed = T(from.memories[k].impact_speed);
    if (to->pair_in_slot[k] >= 0 && from.pair_in_slot[k] < 0) empty_slot(k, to);
  }
  to->pair_in_slot = from.pair_in_slot;
}

template <class P>
class System {
 public:
  explicit System(const Scene<P>& scene, bool ledger);

  const Scene<P>& scene() const { return scene_; }
  const StateLayout& layout() const { return layout_; }
  bool contact_has_potential(size_t k) const { return has_potential_[k]; }

  template <class T>
  SystemData<T> make_data() const;
  void calc_initial_state(P* y) const;

  // y' = f(t, y).
  template <class T>
  void calc_rates(double t, const T* y, T* rates, SystemData<T>* data) const;
  // The same at the start of a fixed step, where contacts are seen to begin and to end: they
  // remember what they begin with, and lose their states when they end.
  template <class T>
  void calc_rates_of_new_step(double t, T* y, T* rates, SystemData<T>* data) const;

  // Gives slots to the pairs of parts that are near each other at y, where a contact has several;
  // frees those that are not, and zeroes their states. True where a slot changed hands. Positions
  // only: data->motions is filled.
  template <class T>
  bool find_parts(double t, T* y, SystemData<T>* data) const;
  // No point of the body's shapes is faster.
  template <class T>
  double calc_rim_speed(int body, const SystemData<T>& data) const {
    const auto& V = data.motions[static_cast<size_t>(body)].V_WB;
    return value_of(V.v_WB).norm() +
           value_of(V.w_WB).norm() * scene_.bodies[static_cast<size_t>(body)].reach;
  }

  // What a touchdown and a lift-off in slot k change, from data filled by calc_overlaps.
  template <class T>
  void begin_contact(size_t k, T* y, SystemData<T>* data) const;
  template <class T>
  void end_contact(size_t k, T* y, SystemData<T>* data) const;

  // The rates of positions alone, from positions and velocities in y.
  template <class T>
  void calc_position_rates(const T* y, T* rates) const;

  // Pose, velocity and overlap, without forces: for events and for what a recording shows.
  template <class T>
  void calc_motions(double t, const T* y, SystemData<T>* data) const;
  template <class T>
  void calc_overlaps(SystemData<T>* data) const;

 private:
  template <class T>
  bool assign_slots(T* y, SystemData<T>* data) const;
  template <class T>
  void capture_contacts(T* y, SystemData<T>* data) const;
  const SceneContact<P>& contact_in(size_t slot) const {
    return scene_.contacts[layout_.contact_of(slot)];
  }
  // The shapes in a slot; null: none.
  template <class T>
  const PlacedPair<P>* shapes_in(size_t slot, const SystemData<T>& data) const {
    const auto& c = contact_in(slot);
    if (!c.parts) return &c.contact;
    const int pair = data.pair_in_slot[slot];
    return pair < 0 ? nullptr : &c.parts->pairs[static_cast<size_t>(pair)];
  }
  template <class T>
  void calc_rates_from_overlaps(double t, const T* y, T* rates, SystemData<T>* data) const;
  template <class T>
  void calc_contacts(const T* y, T* rates, SystemData<T>* data, T* ledger) const;
  template <class T>
  void calc_other_forces(double t, SystemData<T>* data, T* ledger) const;
  template <class T>
  void calc_joint_forces(double t, const T* y, T* rates, SystemData<T>* data, T* ledger) const;
  template <class T>
  void calc_accelerations(T* rates, SystemData<T>* data) const;
  template <class T>
  void calc_drive_work(double t, T* rates, SystemData<T>* data, T* ledger) const;
  template <class T>
  void apply(int body, const Vec3<T>& f_W, const Vec3<T>& tau_W, const Vec3<T>& p_WQ,
             SystemData<T>* data, T* ledger) const;

  Scene<P> scene_;
  StateLayout layout_;
  std::vector<char> has_potential_;
  bool has_parts_ = false;   // a contact between bodies of several parts
  bool has_drives_ = false;  // a driven joint, or a joint on a base that moves
};

}  // namespace vesica
