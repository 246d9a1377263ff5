// The energy ledger: what the bodies have, what has left, and what does not add up.
//
//   kinetic + gravity + contact + springs            state functions
//   + bristles + unbound                             what contacts store beside
//   = their sum at the start + work - dissipated     integrals, kept as states (system.h)
//     + non-potential work + residual
// The elastic energy of a contact is a state function for pairs whose normal is fixed by the
// geometry (has_potential in contact.h). Other contacts and bent bristles store energy too, but
// what is put in does not all come out again, or more of it: the difference is `non-potential
// work`, positive where the contact makes energy. The residual is what the integrator gained or
// lost.
#pragma once

#include "vesica/simulation/system.h"

namespace vesica {

// Of one contact without a potential, as far as its pose says. Over a cycle, from apart to apart,
// the choice drops out of the non-potential work.
//
// Laws that know an energy (of the depth, of the columns of two polyhedra) give it. Elsewhere, with
// columns of length f along n, U = k/2 int f^2 dS is taken from the moments: U = c f_el
// sqrt(M_nn/V), where c is sqrt(3) for a layer of one thickness and for a lens of that, sqrt(2) for
// a paraboloid or a wedge on a plane (1.63 for a lens of paraboloids), sqrt(5/3) for a pyramid
// (1.58): 1.5 is right within kStoreError.
inline constexpr double kStoreFactor = 1.5, kStoreError = 0.16;

template <class T>
T calc_unbound_energy(const Overlap<T>& o, const NormalForce<T>& normal) {
  using std::sqrt;
  if (normal.energy > T(0)) return normal.energy;
  // Where the patch is no layer and n does not run through its thickness, that across n is less.
  const T M_nn = o.n_W.dot(Vec3<T>(o.M_W * o.n_W)), M_t = T(0.5) * (o.M_W.trace() - M_nn);
  const T M = M_nn < M_t ? M_nn : M_t;
  if (!(o.volume > T(0)) || !(M > T(0))) return T(0);
  return T(kStoreFactor) * normal.elastic * sqrt(M / o.volume);
}

template <class T>
struct Energies {
  T kinetic{0.0}, gravity{0.0};
  T contact{0.0};  // elastic, of contacts with a potential
  T springs{0.0};
  T bristles{0.0};
  T unbound{0.0};  // elastic, of contacts without a potential
  T mechanical() const { return kinetic + gravity + contact + springs; }
  T stored() const { return bristles + unbound; }
  T total() const { return mechanical() + stored(); }
};

// What the stores of a contact hold, from data filled by calc_rates; all its slots together.
template <class T>
void add_contact_energies(const System<T>& system, const Evaluation<T>& data, size_t contact,
                          Energies<T>* e) {
  const StateLayout& layout = system.layout();
  for (size_t k = layout.first_slot(contact); k < layout.first_slot(contact + 1); ++k) {
    const ContactForces<T>& f = data.forces[k];
    if (system.contact_has_potential(contact)) {
      e->contact += f.normal.energy;
    } else {
      e->unbound += calc_unbound_energy(data.overlaps[k], f.normal);
    }
    e->bristles += f.friction.stored;
  }
}

// From data filled by calc_rates for y.
template <class T>
Energies<T> calc_energies(const System<T>& system, const T* y, const Evaluation<T>& data) {
  const Scene<T>& scene = system.scene();
  Energies<T> e;
  for (size_t b = 0; b < scene.bodies.size(); ++b) {
    const auto& body = scene.bodies[b];
    if (!body.is_free) continue;
    e.kinetic += calc_kinetic_energy(body.inertia, data.motions[b]);
    e.gravity -= body.inertia.mass * scene.gravity.dot(data.motions[b].X_WB.p_WB);
  }
  for (size_t c = 0; c < scene.contacts.size(); ++c) add_contact_energies(system, data, c, &e);
  for (const auto& spring : scene.springs) {
    e.springs +=
        calc_spring(spring, data.motions[spring.body_i], data.motions[spring.body_j]).stored;
  }
  for (const auto& bushing : scene.bushings) {
    e.springs +=
        calc_bushing(bushing, data.motions[bushing.body_i], data.motions[bushing.body_j]).stored;
  }
  for (const LineForce<T>& line : data.lines) e.springs += line.stored;
  for (const auto& force : scene.joint_forces) {
    const int speed = system.layout().u_starts[static_cast<size_t>(force.body)] + force.speed;
    const T* q = y + system.layout().position(static_cast<size_t>(force.body)) + force.speed;
    e.springs += calc_joint_force(force, 0, *q, y[system.layout().velocities() + speed]).stored;
  }
  return e;
}

inline constexpr LedgerEntry kDissipation[] = {
    kNormalDamping, kRolling, kSliding, kSpinning, kSpringDamping, kJointDamping, kJointFriction};
inline constexpr LedgerEntry kWork[] = {kForceWork, kMotorWork, kPrescribedWork};

// Put into all stores by now, given the integrals of the ledger in y.
template <class T>
T calc_stored_work(const System<T>& system, const T* y) {
  const T* first = y + system.layout().ledger_start() + kLedgerSize;
  T sum(0.0);
  for (int k = 0; k < system.layout().store_count; ++k) sum += first[k];
  return sum;
}

// What the mechanical energy should be by now, likewise.
template <class T>
T calc_expected_energy(const System<T>& system, const T* y, const T& start) {
  const T* l = y + system.layout().ledger_start();
  T expected = start - calc_stored_work(system, y);
  for (const LedgerEntry k : kWork) expected += l[k];
  for (const LedgerEntry k : kDissipation) expected -= l[k];
  return expected;
}

}  // namespace vesica
