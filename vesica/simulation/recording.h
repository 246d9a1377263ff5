// What a run leaves: rows of named columns with units, and files that open elsewhere.
#pragma once

#include <string>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/simulation/energy.h"

namespace vesica {

// The columns of a scene: motion of every free body, joints, every contact, the ledger.
TimeTable make_recording(const System<double>& system);
// Names of the coordinates and speeds in the state, in their order.
std::vector<std::string> make_state_names(const System<double>& system);
// One row of it; `data` holds a full evaluation at y.
template <class T>
void append_row(const System<T>& system, const T* y, const SystemData<T>& data,
                const T& start_energy, std::vector<T>* row);

// Order-sensitive 64-bit hash (FNV-1a) of all times' and values' bits: equal runs have equal
// hashes.
std::string calc_hash(const TimeTable& recording);

// For long runs: one dataset "data" (rows x columns, time first) with the attributes "columns" and
// "units". CSV and OpenSim storage are written by io/csv.h and io/sto.h.
void save_hdf5(const std::string& path, const TimeTable& recording);

template <class T>
void append_row(const System<T>& system, const T* y, const SystemData<T>& data,
                const T& start_energy, std::vector<T>* row) {
  using std::sqrt;
  auto add = [&](const Vec3<T>& v) { row->insert(row->end(), {v.x(), v.y(), v.z()}); };
  const Scene<T>& scene = system.scene();
  for (size_t b = 0; b < scene.bodies.size(); ++b) {
    if (!scene.bodies[b].is_free) continue;
    if (scene.bodies[b].has_joint) {
      const Motion<T>& m = data.motions[b];
      add(m.X_WB.p_WB);
      const Quaternion<T> q = as_quaternion(m.X_WB.R_WB);
      row->insert(row->end(), {q.w, q.x, q.y, q.z});
      add(m.V_WB.v_WB);
      add(m.V_WB.w_WB);
      continue;
    }
    const T* x = y + system.layout().position(b);
    const T* v = y + system.layout().velocity(b);
    row->insert(row->end(), x, x + 3);
    const T norm = sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5] + x[6] * x[6]);
    for (int k = 3; k < 7; ++k) row->push_back(x[k] / norm);
    row->insert(row->end(), v, v + 6);
  }
  for (size_t b = 0; b < scene.bodies.size(); ++b) {
    const TreeBody<T>& link = scene.tree.bodies()[b];
    if (link.nu == 0 || quaternion_place(link.joint.type) >= 0) continue;
    const T* x = y + system.layout().position(b);
    const T* v = y + system.layout().velocity(b);
    row->insert(row->end(), x, x + link.nq);
    row->insert(row->end(), v, v + link.nu);
  }
  for (size_t k = 0; k < scene.contacts.size(); ++k) {
    const auto& o = data.overlaps[k];
    const auto& f = data.forces[k];
    row->insert(row->end(), {o.distance, o.volume, f.normal.force});
    add(f.F_Ic_W.f_W);
    add(f.F_Ic_W.tau_W);
    add(f.p_WP);
    const T slip2 = f.slip.squaredNorm();
    row->push_back(value_of(slip2) > 0 ? sqrt(slip2) : T(0));
    const T* states = y + system.layout().contact(k);
    row->insert(row->end(), states, states + system.layout().contact_states(k));
  }
  const Energies<T> e = calc_energies(system, y, data);
  row->insert(row->end(), {e.kinetic, e.gravity, e.contact, e.springs, e.stored});
  if (system.layout().ledger) {
    const T* l = y + system.layout().ledger_start();
    row->insert(row->end(), l, l + kLedgerSize);
    row->push_back(e.mechanical() - calc_expected_energy(system, y, start_energy));
  }
}

}  // namespace vesica
