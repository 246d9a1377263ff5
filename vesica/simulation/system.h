// The scene as a system of ordinary differential equations.
//
// State y: for every free body [p (3), q (4)], then for every free body [v (3), w (3)], then the
// states of every contact (contact.h), then the ledger's integrals (energy.h) if it is kept. World
// axes; q need not have unit length.
//
// calc_rates is the path of the data: motions -> contacts -> forces -> accelerations.
#pragma once

#include <vector>

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
  kLedgerSize
};

struct StateLayout {
  int bodies = 0;
  std::vector<int> contact_offsets;  // of every contact's states, from contact_start(); and the end
  bool ledger = false;

  int position(int body) const { return 7 * body; }
  int velocity(int body) const { return 7 * bodies + 6 * body; }
  int velocities() const { return 7 * bodies; }
  int contact_start() const { return 13 * bodies; }
  int contact(size_t k) const { return contact_start() + contact_offsets[k]; }
  int contact_states(size_t k) const { return contact_offsets[k + 1] - contact_offsets[k]; }
  int ledger_start() const { return contact_start() + contact_offsets.back(); }
  int size() const { return ledger_start() + (ledger ? kLedgerSize : 0); }
};

// Everything that an evaluation writes; allocated once. T: the scalar of the state.
template <class T>
struct SystemData {
  std::vector<Motion<T>> motions;          // per body
  std::vector<Wrench<T>> wrenches;         // per body, about its origin
  std::vector<Overlap<T>> overlaps;        // per contact
  std::vector<ContactForces<T>> forces;    // per contact
  std::vector<ContactMemory<T>> memories;  // per contact
  // As of the last capture, per contact: whether it touches, its distance, whether that has
  // changed.
  std::vector<char> touching, toggled;
  std::vector<double> distance;
};

template <class P>
class System {
 public:
  explicit System(const Scene<P>& scene, bool ledger) : scene_(scene) {
    layout_.bodies = scene.free_count;
    layout_.ledger = ledger;
    layout_.contact_offsets.assign(1, 0);
    for (const auto& c : scene.contacts) {
      layout_.contact_offsets.push_back(layout_.contact_offsets.back() + c.contact.state_count());
      has_potential_.push_back(has_potential(c.contact));
    }
  }

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

  // What a touchdown and a lift-off of contact k change, from data filled by calc_overlaps.
  template <class T>
  void begin_contact(size_t k, T* y, SystemData<T>* data) const;
  template <class T>
  void end_contact(size_t k, T* y) const;

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
  void capture_contacts(T* y, SystemData<T>* data) const;
  template <class T>
  void calc_rates_from_overlaps(double t, const T* y, T* rates, SystemData<T>* data) const;
  template <class T>
  void calc_contacts(const T* y, T* rates, SystemData<T>* data, T* ledger) const;
  template <class T>
  void calc_other_forces(double t, SystemData<T>* data, T* ledger) const;
  template <class T>
  void calc_accelerations(const T* y, T* rates, SystemData<T>* data) const;
  template <class T>
  void apply(int body, const Vec3<T>& f_W, const Vec3<T>& tau_W, const Vec3<T>& p_WQ,
             SystemData<T>* data, T* ledger) const;

  Scene<P> scene_;
  StateLayout layout_;
  std::vector<char> has_potential_;
};

template <class P>
template <class T>
SystemData<T> System<P>::make_data() const {
  SystemData<T> data;
  data.motions.resize(scene_.bodies.size());
  data.wrenches.resize(scene_.bodies.size());
  data.overlaps.resize(scene_.contacts.size());
  data.forces.resize(scene_.contacts.size());
  data.memories.resize(scene_.contacts.size());
  data.touching.assign(scene_.contacts.size(), 0);
  data.toggled.assign(scene_.contacts.size(), 0);
  data.distance.assign(scene_.contacts.size(), 0.0);
  for (size_t b = 0; b < scene_.bodies.size(); ++b) {
    if (!scene_.bodies[b].is_free) {
      data.motions[b] = cast_motion<T>(scene_.bodies[b].prescribed.at(0));
    }
  }
  return data;
}

template <class P>
void System<P>::calc_initial_state(P* y) const {
  for (int k = 0; k < layout_.size(); ++k) y[k] = P(0);
  for (const auto& body : scene_.bodies) {
    if (!body.is_free) continue;
    P* x = y + layout_.position(body.free_index);
    P* v = y + layout_.velocity(body.free_index);
    for (int k = 0; k < 3; ++k) {
      x[k] = body.p0[k];
      v[k] = body.V0.v_WB[k];
      v[3 + k] = body.V0.w_WB[k];
    }
    x[3] = body.q0.w;
    x[4] = body.q0.x;
    x[5] = body.q0.y;
    x[6] = body.q0.z;
  }
  for (size_t k = 0; k < scene_.contacts.size(); ++k) {
    const auto& contact = scene_.contacts[k].contact;
    for (int s = 0; s < contact.friction_states(); ++s) {
      y[layout_.contact(k) + s] = contact.initial_states[static_cast<size_t>(s)];
    }
  }
}

template <class P>
template <class T>
void System<P>::calc_rates(double t, const T* y, T* rates, SystemData<T>* data) const {
  calc_motions(t, y, data);
  calc_overlaps(data);
  calc_rates_from_overlaps(t, y, rates, data);
}

template <class P>
template <class T>
void System<P>::calc_rates_of_new_step(double t, T* y, T* rates, SystemData<T>* data) const {
  calc_motions(t, y, data);
  calc_overlaps(data);
  capture_contacts(y, data);
  calc_rates_from_overlaps(t, y, rates, data);
}

template <class P>
template <class T>
void System<P>::calc_rates_from_overlaps(double t, const T* y, T* rates,
                                         SystemData<T>* data) const {
  T* ledger = layout_.ledger ? rates + layout_.ledger_start() : nullptr;
  if (ledger) {
    for (int k = 0; k < kLedgerSize; ++k) ledger[k] = T(0);
  }
  calc_contacts(y, rates, data, ledger);
  calc_other_forces(t, data, ledger);
  calc_position_rates(y, rates);
  calc_accelerations(y, rates, data);
}

template <class P>
template <class T>
void System<P>::calc_motions(double t, const T* y, SystemData<T>* data) const {
  for (size_t b = 0; b < scene_.bodies.size(); ++b) {
    const auto& body = scene_.bodies[b];
    Motion<T>& m = data->motions[b];
    if (body.is_free) {
      const T* x = y + layout_.position(body.free_index);
      const T* v = y + layout_.velocity(body.free_index);
      m.X_WB = make_pose(Quaternion<T>{x[3], x[4], x[5], x[6]}, Vec3<T>(x[0], x[1], x[2]));
      m.V_WB.v_WB = Vec3<T>(v[0], v[1], v[2]);
      m.V_WB.w_WB = Vec3<T>(v[3], v[4], v[5]);
      data->wrenches[b].f_W = scene_.gravity.template cast<T>() * T(body.inertia.mass);
    } else {
      if (body.prescribed.moves) m = cast_motion<T>(body.prescribed.at(t));
      data->wrenches[b].f_W = Vec3<T>(T(0), T(0), T(0));
    }
    data->wrenches[b].tau_W = Vec3<T>(T(0), T(0), T(0));
  }
}

template <class P>
template <class T>
void System<P>::calc_overlaps(SystemData<T>* data) const {
  for (size_t k = 0; k < scene_.contacts.size(); ++k) {
    const auto& c = scene_.contacts[k];
    data->overlaps[k] =
        calc_overlap(c.contact, data->motions[c.body_i].X_WB, data->motions[c.body_j].X_WB);
  }
}

template <class P>
template <class T>
void System<P>::apply(int body, const Vec3<T>& f_W, const Vec3<T>& tau_W, const Vec3<T>& p_WQ,
                      SystemData<T>* data, T* ledger) const {
  const Motion<T>& m = data->motions[body];
  const Vec3<T> tau_B = tau_W + (p_WQ - m.X_WB.p_WB).cross(f_W);
  if (scene_.bodies[body].is_free) {
    data->wrenches[body].f_W += f_W;
    data->wrenches[body].tau_W += tau_B;
  } else if (ledger && scene_.bodies[body].prescribed.moves) {
    ledger[kPrescribedWork] -= f_W.dot(m.V_WB.v_WB) + tau_B.dot(m.V_WB.w_WB);
  }
}

template <class P>
template <class T>
void System<P>::begin_contact(size_t k, T* y, SystemData<T>* data) const {
  const auto& c = scene_.contacts[k];
  const Overlap<T>& o = data->overlaps[k];
  data->memories[k].impact_speed =
      calc_kinematics(data->motions[c.body_i], data->motions[c.body_j], o.p_WC, o.n_W)
          .closing_speed;
  if (c.contact.relaxes()) {
    y[layout_.contact(k + 1) - 1] = calc_measure(c.contact.measure(), o);
  }
}

template <class P>
template <class T>
void System<P>::end_contact(size_t k, T* y) const {
  for (int s = layout_.contact(k); s < layout_.contact(k + 1); ++s) y[s] = T(0);
}

template <class P>
template <class T>
void System<P>::capture_contacts(T* y, SystemData<T>* data) const {
  for (size_t k = 0; k < scene_.contacts.size(); ++k) {
    const bool touching = data->overlaps[k].distance < T(0);
    data->distance[k] = value_of(data->overlaps[k].distance);
    data->toggled[k] = touching != static_cast<bool>(data->touching[k]);
    data->touching[k] = touching;
    if (!data->toggled[k]) continue;
    if (touching) {
      begin_contact(k, y, data);
    } else {
      end_contact(k, y);
    }
  }
}

template <class P>
template <class T>
void System<P>::calc_contacts(const T* y, T* rates, SystemData<T>* data, T* ledger) const {
  for (size_t k = 0; k < scene_.contacts.size(); ++k) {
    const auto& c = scene_.contacts[k];
    const Motion<T>& i = data->motions[c.body_i];
    const Motion<T>& j = data->motions[c.body_j];
    const Overlap<T>& o = data->overlaps[k];
    ContactForces<T>& f = data->forces[k];
    f = calc_contact_laws(c.contact, o, i, j, data->memories[k], y + layout_.contact(k),
                          rates + layout_.contact(k));
    if (!(o.distance < T(0))) continue;
    apply<T>(c.body_i, f.F_Ic_W.f_W, f.F_Ic_W.tau_W, o.p_WC, data, ledger);
    apply<T>(c.body_j, -f.F_Ic_W.f_W, -f.F_Ic_W.tau_W, o.p_WC, data, ledger);
    if (ledger) {
      ledger[kNormalDamping] += (f.normal.force - f.normal.elastic) * f.closing_speed;
      ledger[kRolling] -= f.tau_roll.dot(f.w);
      // What friction takes, less what it stores.
      ledger[kSliding] -= f.friction.f_t.dot(f.slip) + f.friction.stored_rate;
      ledger[kSpinning] -= f.friction.spin_torque * f.spin + f.friction.stored_spin_rate;
      ledger[kStoredWork] += f.friction.stored_rate + f.friction.stored_spin_rate;
      if (!has_potential_[k]) ledger[kStoredWork] += f.normal.elastic * f.closing_speed;
    }
  }
}

template <class P>
template <class T>
void System<P>::calc_other_forces(double t, SystemData<T>* data, T* ledger) const {
  const Vec3<T> none(T(0), T(0), T(0));
  for (const auto& spring : scene_.springs) {
    const auto s = calc_spring(spring, data->motions[spring.body_i], data->motions[spring.body_j]);
    apply<T>(spring.body_i, s.f_I, none, s.p_WI, data, ledger);
    apply<T>(spring.body_j, -s.f_I, none, s.p_WJ, data, ledger);
    if (ledger) ledger[kSpringDamping] += s.dissipated;
  }
  for (const auto& load : scene_.forces) {
    const double factor = load.factor(t);
    if (factor == 0) continue;
    const Motion<T>& m = data->motions[load.body];
    Vec3<T> f = load.force.template cast<T>() * T(factor);
    if (load.follows) f = m.X_WB.R_WB * f;
    const Vec3<T> arm = m.X_WB.R_WB * load.p_B.template cast<T>();
    apply<T>(load.body, f, none, m.X_WB.p_WB + arm, data, ledger);
    if (ledger) ledger[kForceWork] += f.dot(m.V_WB.v_WB + m.V_WB.w_WB.cross(arm));
  }
}

template <class P>
template <class T>
void System<P>::calc_position_rates(const T* y, T* rates) const {
  for (int b = 0; b < layout_.bodies; ++b) {
    const T* q = y + layout_.position(b) + 3;
    const T* v = y + layout_.velocity(b);
    const T* w = v + 3;
    T* x = rates + layout_.position(b);
    for (int k = 0; k < 3; ++k) x[k] = v[k];
    // q' = w q / 2, w in world axes
    x[3] = -0.5 * (w[0] * q[1] + w[1] * q[2] + w[2] * q[3]);
    x[4] = 0.5 * (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]);
    x[5] = 0.5 * (w[1] * q[0] + w[2] * q[1] - w[0] * q[3]);
    x[6] = 0.5 * (w[2] * q[0] + w[0] * q[2] - w[1] * q[1]);
  }
}

template <class P>
template <class T>
void System<P>::calc_accelerations(const T*, T* rates, SystemData<T>* data) const {
  for (size_t b = 0; b < scene_.bodies.size(); ++b) {
    const auto& body = scene_.bodies[b];
    if (!body.is_free) continue;
    const Motion<T>& m = data->motions[b];
    const Wrench<T>& F = data->wrenches[b];
    T* a = rates + layout_.velocity(body.free_index);
    const Vec3<T> alpha =
        calc_angular_acceleration(body.inertia, m.X_WB.R_WB, m.V_WB.w_WB, F.tau_W);
    for (int k = 0; k < 3; ++k) {
      a[k] = F.f_W[k] * body.inertia.inverse_mass;
      a[3 + k] = alpha[k];
    }
  }
}

}  // namespace vesica
