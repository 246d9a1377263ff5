// The energy ledger: what the bodies have, what has left, and what does not add up.
//
//   kinetic + gravity + contact + springs            state functions
//   = their sum at the start - dissipated + work     integrals, kept as states (system.h)
// The elastic energy of a contact is k times the integral of the volume over the approach, a state
// function for pairs whose normal is fixed by the geometry: all pairs with a half-space, and two
// spheres. The residual is what the integrator gained or lost.
#pragma once

#include "vesica/simulation/system.h"

namespace vesica {

struct Energies {
  double kinetic = 0, gravity = 0, contact = 0, springs = 0;
  double mechanical() const { return kinetic + gravity + contact + springs; }
};

// From data filled by calc_motions and calc_overlaps.
Energies calc_energies(const System<double>& system, const SystemData<double>& data);

struct Ledger {
  Energies now;
  double start = 0;       // mechanical energy at the start
  double dissipated = 0;  // by all laws
  double work = 0;        // of prescribed bodies and applied forces
  double residual() const { return now.mechanical() - start + dissipated - work; }
};

// `y` with the ledger's integrals.
Ledger calc_ledger(const System<double>& system, const SystemData<double>& data, const double* y,
                   double start);

}  // namespace vesica
