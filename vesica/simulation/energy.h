// The energy ledger: what the bodies have, what has left, and what does not add up.
//
//   kinetic + gravity + contact + springs            state functions
//   = their sum at the start - dissipated + work     integrals, kept as states (system.h)
//     - work put into stores that are no state functions
// The elastic energy of a contact is a state function for pairs whose normal is fixed by the
// geometry (has_potential in contact.h). Other contacts and bent bristles store energy too, but
// what is put in does not come out again: the difference is `non-potential work`. The residual is
// what the integrator gained or lost.
#pragma once

#include "vesica/simulation/system.h"

namespace vesica {

template <class T>
struct Energies {
  T kinetic{0.0}, gravity{0.0}, contact{0.0}, springs{0.0};
  T stored{0.0};  // by bristles, and by contacts without a potential
  T mechanical() const { return kinetic + gravity + contact + springs; }
};

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
  for (size_t k = 0; k < data.forces.size(); ++k) {
    const ContactForces<T>& f = data.forces[k];
    (system.contact_has_potential(system.layout().contact_of(k)) ? e.contact : e.stored) +=
        f.normal.energy;
    e.stored += f.friction.stored;
  }
  for (const auto& spring : scene.springs) {
    e.springs +=
        calc_spring(spring, data.motions[spring.body_i], data.motions[spring.body_j]).stored;
  }
  for (const auto& bushing : scene.bushings) {
    e.springs +=
        calc_bushing(bushing, data.motions[bushing.body_i], data.motions[bushing.body_j]).stored;
  }
  for (const auto& force : scene.joint_forces) {
    const int speed = system.layout().u_starts[static_cast<size_t>(force.body)] + force.speed;
    const T* q = y + system.layout().position(static_cast<size_t>(force.body)) + force.speed;
    e.springs += calc_joint_force(force, 0, *q, y[system.layout().velocities() + speed]).stored;
  }
  return e;
}

// What the energy should be by now, given the integrals of the ledger in y.
template <class T>
T calc_expected_energy(const System<T>& system, const T* y, const T& start) {
  const T* l = y + system.layout().ledger_start();
  T expected = start + l[kPrescribedWork] + l[kForceWork] + l[kMotorWork] - l[kStoredWork];
  for (int k : {kNormalDamping, kRolling, kSliding, kSpinning, kSpringDamping, kJointDamping,
                kJointFriction}) {
    expected -= l[k];
  }
  return expected;
}

}  // namespace vesica
