#include "vesica/simulation/energy.h"

namespace vesica {

Energies calc_energies(const System<double>& system, const SystemData<double>& data) {
  const Scene<double>& scene = system.scene();
  Energies e;
  for (size_t b = 0; b < scene.bodies.size(); ++b) {
    const auto& body = scene.bodies[b];
    if (!body.is_free) continue;
    e.kinetic += calc_kinetic_energy(body.inertia, data.motions[b]);
    e.gravity -= body.inertia.mass * scene.gravity.dot(data.motions[b].X_WB.p_WB);
  }
  for (size_t k = 0; k < scene.contacts.size(); ++k) {
    e.contact += std::visit(
        [&](const auto& law) { return law.stiffness * data.overlaps[k].potential; },
        scene.contacts[k].contact.normal);
  }
  for (const auto& spring : scene.springs) {
    e.springs +=
        calc_spring(spring, data.motions[spring.body_i], data.motions[spring.body_j]).stored;
  }
  return e;
}

Ledger calc_ledger(const System<double>& system, const SystemData<double>& data, const double* y,
                   double start) {
  Ledger ledger;
  ledger.now = calc_energies(system, data);
  ledger.start = start;
  if (system.layout().ledger) {
    const double* l = y + system.layout().ledger_start();
    for (int k : {kNormalDamping, kRolling, kSliding, kSpinning, kSpringDamping}) {
      ledger.dissipated += l[k];
    }
    ledger.work = l[kPrescribedWork] + l[kForceWork];
  }
  return ledger;
}

}  // namespace vesica
