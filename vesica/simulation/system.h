// The scene as a system of ordinary differential equations.
//
// State y (State in state.h): coordinates of all joints, then their speeds
// (multibody/joint_table.h; a free body has [p (3), q (4)] and [v (3), w (3)] in world axes), then
// the states of every contact (contact.h), of every controller, then the ledger's integrals
// (energy.h) if it is kept. Quaternions need not have unit length.
//
// A contact of the scene has one slot, or, between bodies of several parts, as many as pairs of
// parts may be near each other at once. Which pair sits in which slot is settled between steps
// (find_parts); a slot without a pair is a contact far apart.
//
// calc_rates is the path of the data: motions -> contacts -> forces -> accelerations. It is
// compiled once, for the scalars of system_*.cpp; include system_rates.h to use others.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "vesica/simulation/scene.h"
#include "vesica/simulation/state.h"

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
  kJointDamping,    // springs and limits in joints
  kJointFriction,
  kMotorWork,  // done by motors, controllers and driven joints
  kLedgerSize  // behind these: the work put into each store (StateLayout::store)
};

struct StateLayout {
  int coordinates = 0, speeds = 0;
  std::vector<int> q_starts, u_starts;  // of every body of the scene
  std::vector<int> first_slots;         // of every contact; and the end
  std::vector<int> contact_of_slot;
  std::vector<int> contact_offsets;     // of every slot's states, from contact_start(); and the end
  std::vector<int> controller_offsets;  // likewise, behind the contacts
  // Of every contact: which of the ledger's stores it fills, -1: none. A store is no function of
  // the pose: bristles, and the elastic part of contacts without a potential.
  std::vector<int> stores;
  int store_count = 0;
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
  int ledger_size() const { return ledger ? kLedgerSize + store_count : 0; }
  int store(size_t contact) const { return ledger_start() + kLedgerSize + stores[contact]; }
  int size() const { return ledger_start() + ledger_size(); }
};

// Everything that is computed from a state, allocated once; nothing in it is remembered from one
// evaluation to the next. T: the scalar of the state.
template <class T>
struct Evaluation : TreeData<T> {
  std::vector<Wrench<T>> wrenches;  // per body, about its origin
  std::vector<T> tau;               // per speed
  LoopData<T> loops;
  AccommodationData<T> controller;
  std::vector<Overlap<T>> overlaps;      // per slot
  std::vector<ContactForces<T>> forces;  // per slot
  std::vector<LineForce<T>> lines;       // per line of the scene
  std::vector<double> start_distances;   // per slot, at the start of the last fixed step

  // How it is to be evaluated.
  bool wants_gap = false;       // of bodies that are apart; not that of parts of bodies
  bool locates_events = false;  // that of parts too, which are near each other
  bool wants_depth = false;     // also where no law measures it: for what a recording shows
  // Only contacts that are remembered to touch act: steps that end where one begins or ends, whose
  // trial stages may lie beyond.
  bool holds_contacts = false;
  double step = 0;  // fixed: parts are looked for as far as they move in two; 0: up to the margin
  // Signals, forces and motions that switch are looked at strictly between these times: what holds
  // on one side of a switch (switch_times.h).
  double after = -kInfinity, before = kInfinity;
  double within(double t) const {
    if (t <= after) return std::nextafter(after, kInfinity);
    return t < before ? t : std::nextafter(before, -kInfinity);
  }

  std::vector<char> empty;           // per slot: overlap and forces are those of nothing
  std::vector<CellPair> near;        // scratch of find_parts
  std::vector<std::int32_t> wanted;  // likewise
};

// A contact that has begun or ended.
struct ContactChange {
  int slot = 0;
  bool touchdown = false;
  double closing_speed = 0;
};

template <class P>
class System {
 public:
  explicit System(const Scene<P>& scene, bool ledger);

  const Scene<P>& scene() const { return scene_; }
  const StateLayout& layout() const { return layout_; }
  bool contact_has_potential(size_t k) const { return has_potential_[k]; }

  template <class T>
  Evaluation<T> make_evaluation() const;
  State<P> make_initial_state() const;

  // y' = f(t, y), with what is remembered.
  template <class T>
  void calc_rates(double t, const T* y, const Memory<T>& memory, T* rates,
                  Evaluation<T>* data) const;
  // The same at the start of a fixed step, where contacts are seen to begin and to end: they
  // remember what they begin with, and lose their states when they end.
  template <class T>
  void calc_rates_of_new_step(State<T>* state, T* rates, Evaluation<T>* data,
                              std::vector<ContactChange>* changes) const;

  // Gives slots to the pairs of parts that are near each other, where a contact has several; frees
  // those that are not. True where a slot changed hands. Positions only: data->motions is filled.
  // Throws RunError where a contact has fewer slots than pairs.
  template <class T>
  bool find_parts(State<T>* state, Evaluation<T>* data, std::vector<ContactChange>* changes) const;
  // No point of the body's shapes is faster.
  template <class T>
  double calc_rim_speed(int body, const Evaluation<T>& data) const {
    const auto& V = data.motions[static_cast<size_t>(body)].V_WB;
    return value_of(V.v_WB).norm() +
           value_of(V.w_WB).norm() * scene_.bodies[static_cast<size_t>(body)].reach;
  }

  // Of the smaller of the two bodies in a slot; infinite where neither has a size.
  double calc_size(size_t slot) const {
    const auto& contact = contact_in(slot);
    double size = kInfinity;
    for (const int b : {contact.body_i, contact.body_j}) {
      const double own = scene_.bodies[static_cast<size_t>(b)].size;
      if (own > 0) size = std::min(size, own);
    }
    return size;
  }

  // The shapes in a slot, of which it remembers the pair (SlotMemory); null: none.
  const PlacedPair<P>* shapes_in(size_t slot, int pair) const {
    const auto& c = contact_in(slot);
    if (!c.parts) return &c.contact;
    return pair < 0 ? nullptr : &c.parts->pairs[static_cast<size_t>(pair)];
  }

  // What a touchdown in slot k, seen as `data` has it, and a lift-off change.
  template <class T>
  void begin_contact(size_t k, const Evaluation<T>& data, State<T>* state,
                     std::vector<ContactChange>* changes) const;
  template <class T>
  void end_contact(size_t k, State<T>* state, std::vector<ContactChange>* changes) const;
  // All contacts that touch as `data` has it, and are not known to, begin; those that do not, end.
  template <class T>
  void capture_contacts(State<T>* state, const Evaluation<T>& data,
                        std::vector<ContactChange>* changes) const;

  // The rates of positions alone, from positions and velocities in y.
  template <class T>
  void calc_position_rates(const T* y, T* rates) const;

  // Pose, velocity and overlap, without forces: for events and for what a recording shows.
  template <class T>
  void calc_motions(double t, const T* y, Evaluation<T>* data) const;
  template <class T>
  void calc_overlaps(const Memory<T>& memory, Evaluation<T>* data) const;
  // Of what sits in a slot, as the bodies are placed in `data`.
  template <class T>
  Overlap<T> calc_overlap_in(size_t slot, const Memory<T>& memory, const Evaluation<T>& data,
                             Wanted wanted) const;

 private:
  template <class T>
  bool assign_slots(State<T>* state, Evaluation<T>* data,
                    std::vector<ContactChange>* changes) const;
  const SceneContact<P>& contact_in(size_t slot) const {
    return scene_.contacts[layout_.contact_of(slot)];
  }
  template <class T>
  void calc_rates_from_overlaps(double t, const T* y, const Memory<T>& memory, T* rates,
                                Evaluation<T>* data) const;
  template <class T>
  void calc_contacts(const T* y, const Memory<T>& memory, T* rates, Evaluation<T>* data,
                     T* ledger) const;
  template <class T>
  void calc_other_forces(double t, Evaluation<T>* data, T* ledger) const;
  template <class T>
  void calc_lines(double t, Evaluation<T>* data, T* ledger) const;
  template <class T>
  void calc_joint_forces(double t, const T* y, T* rates, Evaluation<T>* data, T* ledger) const;
  template <class T>
  void calc_accelerations(T* rates, Evaluation<T>* data) const;
  template <class T>
  void calc_drive_work(double t, T* rates, Evaluation<T>* data, T* ledger) const;
  template <class T>
  void apply(int body, const Vec3<T>& f_W, const Vec3<T>& tau_W, const Vec3<T>& p_WQ,
             Evaluation<T>* data, T* ledger) const;

  Scene<P> scene_;
  StateLayout layout_;
  std::vector<char> has_potential_;
  bool has_parts_ = false;   // a contact between bodies of several parts
  bool has_drives_ = false;  // a driven joint, or a joint on a base that moves
};

}  // namespace vesica
