// What a System computes: the definitions behind system.h.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "vesica/error.h"
#include "vesica/math/exactly.h"
#include "vesica/multibody/shallow_dynamics.h"
#include "vesica/simulation/system.h"

namespace vesica {

// More pairs of parts are near each other than there are slots.
template <class P>
[[noreturn]] void throw_crowded(const SceneContact<P>& contact, double t) {
  throw RunError(fmt::format(
      "{}: more than {} pairs of parts are near each other at t = {:.6g} s; set a greater "
      "max_pairs for this contact",
      contact.name, contact.parts->room, t));
}

// The motion at a time that differs by `shift`, to first order: for derivatives. `at`: the same in
// the scalar of the scene, which multiplies for less.
template <class P, class T>
void move_along(const Motion<P>& at, const SpatialMotion<P>& acceleration, const T& shift,
                Motion<T>* m) {
  const Mat3<P> turn = skew<P>(at.V_WB.w_WB) * at.X_WB.R_WB;
  m->X_WB.R_WB += turn * shift;
  m->X_WB.p_WB += at.V_WB.v_WB * shift;
  m->V_WB.w_WB += acceleration.w * shift;
  m->V_WB.v_WB += acceleration.v * shift;
}

template <class P>
System<P>::System(const Scene<P>& scene, bool ledger) : scene_(scene) {
  layout_.coordinates = scene.tree.nq();
  layout_.speeds = scene.tree.nu();
  for (const auto& body : scene.tree.bodies()) {
    layout_.q_starts.push_back(body.q_start);
    layout_.u_starts.push_back(body.u_start);
  }
  layout_.ledger = ledger;
  layout_.contact_offsets.assign(1, 0);
  for (size_t k = 0; k < scene.contacts.size(); ++k) {
    const auto& c = scene.contacts[k];
    layout_.first_slots.push_back(static_cast<int>(layout_.slots()));
    for (int slot = 0; slot < (c.parts ? c.parts->room : 1); ++slot) {
      layout_.contact_of_slot.push_back(static_cast<int>(k));
      layout_.contact_offsets.push_back(layout_.contact_offsets.back() + c.contact.state_count());
    }
    bool potential = true;
    if (c.parts) {
      for (const auto& shapes : c.parts->pairs) {
        potential = potential && has_potential(c.contact, shapes);
      }
    } else {
      potential = has_potential(c.contact, c.contact);
    }
    has_potential_.push_back(potential);
    const bool stores = !potential || c.contact.friction_states() > 0;
    layout_.stores.push_back(stores ? layout_.store_count++ : -1);
    has_parts_ = has_parts_ || c.parts;
  }
  layout_.first_slots.push_back(static_cast<int>(layout_.slots()));
  layout_.controller_offsets.assign(1, 0);
  for (const auto& c : scene.controllers) {
    layout_.controller_offsets.push_back(layout_.controller_offsets.back() + c.state_count());
  }
  for (const auto& body : scene.tree.bodies()) {
    has_drives_ = has_drives_ || body.joint.is_driven() ||
                  (body.on_moving_base &&
                   scene.bodies[static_cast<size_t>(body.joint.parent)].prescribed.moves);
  }
}

template <class P>
template <class T>
Evaluation<T> System<P>::make_evaluation() const {
  Evaluation<T> data;
  static_cast<TreeData<T>&>(data) = make_tree_data<T>(scene_.tree);
  data.tau.assign(static_cast<size_t>(scene_.tree.nu()), T(0));
  if (!scene_.loops.empty()) data.loops = make_loop_data<T>(scene_.tree, scene_.loops);
  data.controller.resize(scene_.tree.nu(), scene_.tree.size());
  data.wrenches.resize(scene_.bodies.size());
  data.lines.resize(scene_.lines.size());
  const size_t slots = layout_.slots();
  data.overlaps.resize(slots);
  data.forces.resize(slots);
  data.empty.assign(slots, 0);
  data.start_distances.assign(slots, 0.0);
  const T zero(0);
  for (size_t k = 0; k < slots; ++k) {
    data.overlaps[k] = far_apart<T>();
    data.forces[k] = no_contact_forces(
        data.overlaps[k], {zero, Vec3<T>(zero, zero, zero), Vec3<T>(zero, zero, zero), zero});
  }
  for (size_t b = 0; b < scene_.bodies.size(); ++b) {
    if (!scene_.bodies[b].is_free) {
      data.motions[b] = cast_motion<T>(scene_.bodies[b].prescribed.at(0));
    }
  }
  return data;
}

template <class P>
State<P> System<P>::make_initial_state() const {
  State<P> state;
  state.y.assign(static_cast<size_t>(layout_.size()), P(0));
  state.memory.resize(layout_.slots());
  P* y = state.y.data();
  std::copy(scene_.q0.begin(), scene_.q0.end(), y);
  std::copy(scene_.u0.begin(), scene_.u0.end(), y + layout_.velocities());
  // A controller's reference starts where its arm stands.
  for (size_t k = 0; k < scene_.controllers.size(); ++k) {
    for (size_t j = 0; j < scene_.controllers[k].coordinates.size(); ++j) {
      y[layout_.controller(k) + static_cast<int>(j)] =
          scene_.q0[static_cast<size_t>(scene_.controllers[k].coordinates[j])];
    }
  }
  for (size_t k = 0; k < layout_.slots(); ++k) {
    const auto& contact = contact_in(k).contact;
    for (int s = 0; s < contact.friction_states(); ++s) {
      y[layout_.contact(k) + s] = contact.initial_states[static_cast<size_t>(s)];
    }
  }
  return state;
}

template <class P>
template <class T>
void System<P>::calc_rates(double t, const T* y, const Memory<T>& memory, T* rates,
                           Evaluation<T>* data) const {
  calc_motions(t, y, data);
  calc_overlaps(memory, data);
  calc_rates_from_overlaps(t, y, memory, rates, data);
}

template <class P>
template <class T>
void System<P>::calc_rates_of_new_step(State<T>* state, T* rates, Evaluation<T>* data,
                                       std::vector<ContactChange>* changes) const {
  calc_motions(state->t, state->y.data(), data);
  if (has_parts_) assign_slots(state, data, changes);
  // The gap tells when within the last step a contact began: the other stages do without.
  const bool wanted = std::exchange(data->wants_gap, true);
  calc_overlaps(state->memory, data);
  data->wants_gap = wanted;
  for (size_t k = 0; k < layout_.slots(); ++k) {
    data->start_distances[k] = value_of(data->overlaps[k].distance);
  }
  capture_contacts(state, *data, changes);
  calc_rates_from_overlaps(state->t, state->y.data(), state->memory, rates, data);
}

template <class P>
template <class T>
void System<P>::calc_rates_from_overlaps(double t, const T* y, const Memory<T>& memory, T* rates,
                                         Evaluation<T>* data) const {
  t = data->within(t);
  T* ledger = layout_.ledger ? rates + layout_.ledger_start() : nullptr;
  if (ledger) {
    for (int k = 0; k < layout_.ledger_size(); ++k) ledger[k] = T(0);
  }
  calc_contacts(y, memory, rates, data, ledger);
  calc_other_forces(t, data, ledger);
  calc_lines(t, data, ledger);
  calc_joint_forces(t, y, rates, data, ledger);
  calc_position_rates(y, rates);
  calc_accelerations(rates, data);
  if (ledger && has_drives_) calc_drive_work(t, rates, data, ledger);
}

template <class P>
template <class T>
void System<P>::calc_motions(double t, const T* y, Evaluation<T>* data) const {
  t = data->within(t);
  for (size_t b = 0; b < scene_.bodies.size(); ++b) {
    const auto& body = scene_.bodies[b];
    data->wrenches[b].tau_W = Vec3<T>(T(0), T(0), T(0));
    if (body.is_free) {
      data->wrenches[b].f_W = scene_.gravity.template cast<T>() * T(body.inertia.mass);
      continue;
    }
    data->wrenches[b].f_W = Vec3<T>(T(0), T(0), T(0));
    if (!body.prescribed.moves) continue;
    const Motion<P> at = body.prescribed.at(t);
    data->motions[b] = cast_motion<T>(at);
    if (!is_exactly(data->time_shift, 0)) {
      move_along(at, body.prescribed.acceleration(t), data->time_shift, &data->motions[b]);
    }
    if (scene_.tree.bodies()[b].has_children) {
      const SpatialMotion<P> a = body.prescribed.acceleration(t);
      data->given_acceleration[b] = {a.w.template cast<T>(), a.v.template cast<T>()};
      if (!is_exactly(data->time_shift, 0)) {
        const SpatialMotion<P> jerk = body.prescribed.jerk(t);
        data->given_acceleration[b].w += jerk.w.template cast<T>() * data->time_shift;
        data->given_acceleration[b].v += jerk.v.template cast<T>() * data->time_shift;
      }
    }
  }
  calc_tree_motions(scene_.tree, t, y, y + layout_.velocities(), data);
}

template <class P>
template <class T>
void System<P>::calc_overlaps(const Memory<T>& memory, Evaluation<T>* data) const {
  for (size_t k = 0; k < layout_.slots(); ++k) {
    const auto& c = contact_in(k);
    const PlacedPair<P>* shapes = shapes_in(k, memory[k].pair);
    if (!shapes) {
      if (data->empty[k]) continue;
      const T zero(0);
      const Vec3<T> none(zero, zero, zero);
      data->overlaps[k] = far_apart<T>();
      data->forces[k] = no_contact_forces(data->overlaps[k], {zero, none, none, zero});
      data->empty[k] = 1;
      continue;
    }
    data->empty[k] = 0;
    const bool needs_gap = data->locates_events || (data->wants_gap && !c.parts);
    const bool needs_depth = data->wants_depth || c.contact.measure() == Measure::kDepth;
    // Made where it stays, like the forces below: an assignment would copy 3 kB of dual numbers.
    ::new (&data->overlaps[k])
        Overlap<T>(calc_overlap_in(k, memory, *data, Wanted{needs_gap, needs_depth}));
    if (data->holds_contacts && !memory[k].touching) {
      Overlap<T>& o = data->overlaps[k];
      if (o.distance < T(0)) o.distance = T(0);
      o.volume = o.potential = o.push = T(0);
    }
  }
}

template <class P>
template <class T>
Overlap<T> System<P>::calc_overlap_in(size_t slot, const Memory<T>& memory,
                                      const Evaluation<T>& data, Wanted wanted) const {
  const auto& c = contact_in(slot);
  const PlacedPair<P>* shapes = shapes_in(slot, memory[slot].pair);
  if (!shapes) return far_apart<T>();
  return calc_overlap(*shapes, data.motions[c.body_i].X_WB, data.motions[c.body_j].X_WB, wanted);
}

template <class P>
template <class T>
bool System<P>::find_parts(State<T>* state, Evaluation<T>* data,
                           std::vector<ContactChange>* changes) const {
  if (!has_parts_) return false;
  calc_motions(state->t, state->y.data(), data);
  return assign_slots(state, data, changes);
}

template <class P>
template <class T>
bool System<P>::assign_slots(State<T>* state, Evaluation<T>* data,
                             std::vector<ContactChange>* changes) const {
  bool changed = false;
  for (size_t c = 0; c < scene_.contacts.size(); ++c) {
    const auto& contact = scene_.contacts[c];
    if (!contact.parts) continue;
    double margin = contact.parts->finder.margin();
    if (data->step > 0) {
      const double speed =
          calc_rim_speed(contact.body_i, *data) + calc_rim_speed(contact.body_j, *data);
      margin = std::min(margin, 2 * data->step * speed);
    }
    contact.parts->finder.find(detail::value_of_pose(data->motions[contact.body_i].X_WB),
                               detail::value_of_pose(data->motions[contact.body_j].X_WB), margin,
                               &data->near);
    // Ascending; what has a slot is struck out, the rest wants one.
    auto& wanted = data->wanted;
    wanted.clear();
    for (const CellPair& pair : data->near) wanted.push_back(contact.parts->index(pair));
    for (size_t k = layout_.first_slot(c); k < layout_.first_slot(c + 1); ++k) {
      int& pair = state->memory[k].pair;
      if (pair < 0) continue;
      const auto at = std::lower_bound(
          data->near.begin(), data->near.end(), pair,
          [&](const CellPair& near, int index) { return contact.parts->index(near) < index; });
      if (at != data->near.end() && contact.parts->index(*at) == pair) {
        wanted[static_cast<size_t>(at - data->near.begin())] = -1;
        continue;
      }
      if (state->memory[k].touching) end_contact(k, state, changes);
      state->memory[k] = {};
      changed = true;
    }
    size_t slot = layout_.first_slot(c);
    for (const std::int32_t pair : wanted) {
      if (pair < 0) continue;
      while (slot < layout_.first_slot(c + 1) && state->memory[slot].pair >= 0) ++slot;
      if (slot == layout_.first_slot(c + 1)) throw_crowded(contact, state->t);
      state->memory[slot].pair = pair;
      changed = true;
    }
  }
  return changed;
}

template <class P>
template <class T>
void System<P>::apply(int body, const Vec3<T>& f_W, const Vec3<T>& tau_W, const Vec3<T>& p_WQ,
                      Evaluation<T>* data, T* ledger) const {
  const bool is_free = scene_.bodies[body].is_free;
  if (!is_free && !(ledger && scene_.bodies[body].prescribed.moves)) return;
  const Motion<T>& m = data->motions[body];
  const Vec3<T> tau_B = tau_W + (p_WQ - m.X_WB.p_WB).cross(f_W);
  if (is_free) {
    data->wrenches[body].f_W += f_W;
    data->wrenches[body].tau_W += tau_B;
  } else {
    ledger[kPrescribedWork] -= f_W.dot(m.V_WB.v_WB) + tau_B.dot(m.V_WB.w_WB);
  }
}

template <class P>
template <class T>
void System<P>::begin_contact(size_t k, const Evaluation<T>& data, State<T>* state,
                              std::vector<ContactChange>* changes) const {
  const auto& c = contact_in(k);
  const Overlap<T>& o = data.overlaps[k];
  const T speed =
      calc_kinematics(data.motions[c.body_i], data.motions[c.body_j], o, c.contact.measure())
          .closing_speed;
  state->memory[k].contact = {speed, true};
  state->memory[k].touching = true;
  if (c.contact.relaxes()) {
    state->y[static_cast<size_t>(layout_.contact(k + 1) - 1)] =
        calc_measure(c.contact.measure(), o);
  }
  changes->push_back({static_cast<int>(k), true, value_of(speed)});
}

template <class P>
template <class T>
void System<P>::end_contact(size_t k, State<T>* state, std::vector<ContactChange>* changes) const {
  for (int s = layout_.contact(k); s < layout_.contact(k + 1); ++s) {
    state->y[static_cast<size_t>(s)] = T(0);
  }
  state->memory[k].contact = {};
  state->memory[k].touching = false;
  changes->push_back({static_cast<int>(k), false, 0});
}

template <class P>
template <class T>
void System<P>::capture_contacts(State<T>* state, const Evaluation<T>& data,
                                 std::vector<ContactChange>* changes) const {
  for (size_t k = 0; k < layout_.slots(); ++k) {
    const bool touching = is_touching(data.overlaps[k]);
    if (touching == state->memory[k].touching) continue;
    if (touching) {
      begin_contact(k, data, state, changes);
    } else {
      end_contact(k, state, changes);
    }
  }
}

template <class P>
template <class T>
void System<P>::calc_contacts(const T* y, const Memory<T>& memories, T* rates, Evaluation<T>* data,
                              T* ledger) const {
  for (size_t k = 0; k < layout_.slots(); ++k) {
    const auto& c = contact_in(k);
    const Motion<T>& i = data->motions[c.body_i];
    const Motion<T>& j = data->motions[c.body_j];
    const Overlap<T>& o = data->overlaps[k];
    ContactForces<T>& f = data->forces[k];
    const PlacedPair<P>* shapes = shapes_in(k, memories[k].pair);
    if (!shapes) {
      std::fill(rates + layout_.contact(k), rates + layout_.contact(k + 1), T(0));
      continue;
    }
    // A contact that has begun within a step and is not captured yet: its impact is now.
    ContactMemory<T> memory = memories[k].contact;
    if (!memory.captured && is_touching(o)) {
      memory.impact_speed = calc_kinematics(i, j, o, c.contact.measure()).closing_speed;
    }
    ::new (&f) ContactForces<T>(calc_contact_laws(
        c.contact, *shapes, o, i, j, memory, y + layout_.contact(k), rates + layout_.contact(k)));
    if (!is_touching(o)) continue;
    apply<T>(c.body_i, f.F_Ic_W.f_W, f.F_Ic_W.tau_W, o.p_WC, data, ledger);
    apply<T>(c.body_j, -f.F_Ic_W.f_W, -f.F_Ic_W.tau_W, o.p_WC, data, ledger);
    if (ledger) {
      ledger[kNormalDamping] += (f.normal.force - f.normal.elastic) * f.closing_speed;
      ledger[kRolling] -= f.tau_roll.dot(f.w);
      // What friction takes, less what it stores.
      const T sliding = -(f.friction.f_t.dot(f.slip) + f.friction.stored_rate);
      const T spinning = -(f.friction.spin_torque * f.spin + f.friction.stored_spin_rate);
      const size_t contact = layout_.contact_of(k);
      if (layout_.stores[contact] < 0) {
        ledger[kSliding] += sliding;
        ledger[kSpinning] += spinning;
      } else {
        T& store = ledger[kLedgerSize + layout_.stores[contact]];
        store += f.friction.stored_rate + f.friction.stored_spin_rate;
        // Bristles that bend by themselves (docs/theory/laws/bristle.md) store more than they are
        // given: that is no dissipation, but made.
        for (const auto& [rate, entry] : {std::pair{sliding, kSliding}, {spinning, kSpinning}}) {
          (rate < T(0) ? store : ledger[entry]) += rate;
        }
        if (!has_potential_[contact]) store += f.normal.elastic * f.closing_speed + f.turning_power;
      }
    }
  }
}

template <class P>
template <class T>
void System<P>::calc_other_forces(double t, Evaluation<T>* data, T* ledger) const {
  const Vec3<T> none(T(0), T(0), T(0));
  for (const auto& spring : scene_.springs) {
    const auto s = calc_spring(spring, data->motions[spring.body_i], data->motions[spring.body_j]);
    apply<T>(spring.body_i, s.f_I, none, s.p_WI, data, ledger);
    apply<T>(spring.body_j, -s.f_I, none, s.p_WJ, data, ledger);
    if (ledger) ledger[kSpringDamping] += s.dissipated;
  }
  for (const auto& load : scene_.forces) {
    const T factor = load.factor(t) + load.factor_rate(t) * data->time_shift;
    if (is_exactly(factor, 0)) continue;
    const Motion<T>& m = data->motions[load.body];
    Vec3<T> f = load.force.template cast<T>() * factor;
    if (load.follows) f = m.X_WB.R_WB * f;
    const Vec3<T> arm = m.X_WB.R_WB * load.p_B.template cast<T>();
    apply<T>(load.body, f, none, m.X_WB.p_WB + arm, data, ledger);
    if (ledger) ledger[kForceWork] += f.dot(m.V_WB.v_WB + m.V_WB.w_WB.cross(arm));
  }
}

template <class P>
template <class T>
void System<P>::calc_lines(double t, Evaluation<T>* data, T* ledger) const {
  const Vec3<T> none(T(0), T(0), T(0));
  for (size_t k = 0; k < scene_.lines.size(); ++k) {
    LineForce<T>& f = data->lines[k];
    calc_line_force(scene_.lines[k], t, data->time_shift, data->motions, &f);
    if (ledger) {  // also of a line that has just gone slack, faster than its damper lets it
      ledger[kSpringDamping] += f.dissipated;
      ledger[kMotorWork] += f.work;
    }
    if (!(f.tension > T(0))) continue;
    for (const LinePull<T>& at : f.pulls) {
      apply<T>(at.body, at.pull * f.tension, none, at.p_W, data, ledger);
    }
  }
}

template <class P>
template <class T>
void System<P>::calc_joint_forces(double t, const T* y, T* rates, Evaluation<T>* data,
                                  T* ledger) const {
  if (scene_.joint_forces.empty() && scene_.bushings.empty() && scene_.controllers.empty()) return;
  for (const auto& bushing : scene_.bushings) {
    const auto b =
        calc_bushing(bushing, data->motions[bushing.body_i], data->motions[bushing.body_j]);
    apply<T>(bushing.body_i, b.on_i.f_W, b.on_i.tau_W, b.p_WI, data, ledger);
    apply<T>(bushing.body_j, -b.on_i.f_W, -b.on_i.tau_W, b.p_WI, data, ledger);
    if (ledger) ledger[kSpringDamping] += b.dissipated;
  }
  for (T& tau : data->tau) tau = T(0);
  for (const auto& force : scene_.joint_forces) {
    const auto body = static_cast<size_t>(force.body);
    const int speed = layout_.u_starts[body] + force.speed;
    const T& u = y[layout_.velocities() + speed];
    const auto f =
        calc_joint_force(force, t, y[layout_.position(body) + force.speed], u, data->time_shift);
    data->tau[static_cast<size_t>(speed)] += f.force;
    if (ledger) {
      const bool friction = std::holds_alternative<JointFriction<P>>(force.action);
      ledger[friction ? kJointFriction : kJointDamping] += f.dissipated;
      ledger[kMotorWork] += f.work;
    }
  }
  for (size_t k = 0; k < scene_.controllers.size(); ++k) {
    const auto& c = scene_.controllers[k];
    const T power =
        calc_accommodation(c, scene_.tree, scene_.gravity, t, y, y + layout_.velocities(),
                           data->forces[layout_.first_slot(static_cast<size_t>(c.contact))],
                           y + layout_.controller(k), rates + layout_.controller(k),
                           static_cast<TreeData<T>*>(data), &data->controller, data->tau.data());
    if (ledger) ledger[kMotorWork] += power;
  }
}

template <class P>
template <class T>
void System<P>::calc_position_rates(const T* y, T* rates) const {
  calc_tree_coordinate_rates(scene_.tree, y, y + layout_.velocities(), rates);
}

template <class P>
template <class T>
void System<P>::calc_accelerations(T* rates, Evaluation<T>* data) const {
  T* const u_rates = rates + layout_.velocities();
  if (scene_.tree.has_joints() && scene_.loops.empty() && is_shallow(scene_.tree)) {
    calc_shallow_dynamics(scene_.tree, data->wrenches, data->tau.data(), u_rates, data);
    return;
  }
  if (scene_.tree.has_joints()) factor_tree(scene_.tree, data);
  if (scene_.loops.empty()) {
    calc_forward_dynamics(scene_.tree, data->wrenches, data->tau.data(), u_rates, data);
  } else {
    calc_constrained_dynamics(scene_.tree, scene_.loops, &data->wrenches, data->tau.data(), u_rates,
                              data, &data->loops);
  }
}

// What drives and moving bases put in: power of the forces that their joints transmit.
template <class P>
template <class T>
void System<P>::calc_drive_work(double t, T* rates, Evaluation<T>* data, T* ledger) const {
  calc_inverse_dynamics(scene_.tree, data->wrenches, rates + layout_.velocities(),
                        data->controller.tau.data(), data);
  for (size_t b = 0; b < scene_.bodies.size(); ++b) {
    const auto& body = scene_.tree.bodies()[b];
    for (size_t k = 0; k < body.joint.drive.size(); ++k) {
      ledger[kMotorWork] +=
          data->drive_torque[b][k] * body.joint.drive[k].at(t, data->time_shift).rate;
    }
    if (!body.on_moving_base) continue;
    const auto& V = data->motions[static_cast<size_t>(body.joint.parent)].V_WB;
    const SpatialMotion<T> carried = shift_motion<T>({V.w_WB, V.v_WB}, data->r[b]);
    ledger[kPrescribedWork] += dot(carried, data->force[b]);
  }
}

// Compiled in system_*.cpp: scalar of the scene, scalar of the state.
#define VESICA_SYSTEM(P, T)                                                                      \
  template Evaluation<T> System<P>::make_evaluation() const;                                     \
  template void System<P>::calc_rates(double, const T*, const Memory<T>&, T*, Evaluation<T>*)    \
      const;                                                                                     \
  template void System<P>::calc_rates_of_new_step(State<T>*, T*, Evaluation<T>*,                 \
                                                  std::vector<ContactChange>*) const;            \
  template bool System<P>::find_parts(State<T>*, Evaluation<T>*, std::vector<ContactChange>*)    \
      const;                                                                                     \
  template void System<P>::begin_contact(size_t, const Evaluation<T>&, State<T>*,                \
                                         std::vector<ContactChange>*) const;                     \
  template void System<P>::end_contact(size_t, State<T>*, std::vector<ContactChange>*) const;    \
  template void System<P>::capture_contacts(State<T>*, const Evaluation<T>&,                     \
                                            std::vector<ContactChange>*) const;                  \
  template void System<P>::calc_position_rates(const T*, T*) const;                              \
  template void System<P>::calc_motions(double, const T*, Evaluation<T>*) const;                 \
  template void System<P>::calc_overlaps(const Memory<T>&, Evaluation<T>*) const;                \
  template Overlap<T> System<P>::calc_overlap_in(size_t, const Memory<T>&, const Evaluation<T>&, \
                                                 Wanted) const;

}  // namespace vesica
