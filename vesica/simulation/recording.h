// What a run leaves: rows of named columns with units, and files that open elsewhere.
#pragma once

#include <string>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/simulation/energy.h"

namespace vesica {

// The columns of a scene: motion of every free body, joints, every contact, lines, measures, the
// ledger.
TimeTable make_recording(const System<double>& system);
// Names of the coordinates and speeds in the state, in their order.
std::vector<std::string> make_state_names(const System<double>& system);
// One row of it; `data` holds a full evaluation at y.
template <class T>
void append_row(const System<T>& system, const T* y, const Evaluation<T>& data,
                const T& start_energy, std::vector<T>* row);

// RecordingHash of the whole.
std::string calc_hash(const TimeTable& recording);

// All pairs of parts of a contact together.
template <class T>
struct ContactTotals {
  T distance{0.0};  // minus the depth of the deepest pair; apart, how far is looked
  T volume{0.0}, normal_force{0.0};
  Vec3<T> force, moment;  // on i; the moment about the centroid of all shared volume
  Vec3<T> pressure_center;
  T slip{0.0};  // mean, weighed by the normal force
  int touching = 0;
};

template <class T>
ContactTotals<T> calc_contact_totals(const System<T>& system, const Evaluation<T>& data,
                                     size_t contact) {
  using std::sqrt;
  auto slip_of = [](const ContactForces<T>& f) {
    const T slip2 = f.slip.squaredNorm();
    return value_of(slip2) > 0 ? T(sqrt(slip2)) : T(0);
  };
  const size_t first = system.layout().first_slot(contact);
  const size_t end = system.layout().first_slot(contact + 1);
  const auto& parts = system.scene().contacts[contact].parts;
  ContactTotals<T> total;
  if (!parts) {
    const Overlap<T>& o = data.overlaps[first];
    const ContactForces<T>& f = data.forces[first];
    return {o.distance,     o.volume, f.normal.force, f.F_Ic_W.f_W,
            f.F_Ic_W.tau_W, f.p_WP,   slip_of(f),     is_touching(o)};
  }
  const Vec3<T> none(T(0), T(0), T(0));
  total.force = total.moment = total.pressure_center = none;
  total.distance = T(parts->finder.margin());
  Vec3<T> centroid = none;
  for (size_t k = first; k < end; ++k) {
    if (data.empty[k]) continue;
    const Overlap<T>& o = data.overlaps[k];
    const ContactForces<T>& f = data.forces[k];
    if (o.distance < total.distance) total.distance = o.distance;
    if (!is_touching(o)) continue;
    ++total.touching;
    total.volume += o.volume;
    centroid += o.p_WC * o.volume;
    total.normal_force += f.normal.force;
    total.force += f.F_Ic_W.f_W;
    total.pressure_center += f.p_WP * f.normal.force;
    total.slip += slip_of(f) * f.normal.force;
  }
  if (value_of(total.volume) > 0) centroid = centroid / total.volume;
  for (size_t k = first; k < end; ++k) {
    if (data.empty[k] || !is_touching(data.overlaps[k])) continue;
    const Wrench<T>& F = data.forces[k].F_Ic_W;
    total.moment += F.tau_W + Vec3<T>(data.overlaps[k].p_WC - centroid).cross(F.f_W);
  }
  if (value_of(total.normal_force) > 0) {
    total.pressure_center = total.pressure_center / total.normal_force;
    total.slip = total.slip / total.normal_force;
  }
  return total;
}

template <class T>
void append_row(const System<T>& system, const T* y, const Evaluation<T>& data,
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
  for (size_t c = 0; c < scene.contacts.size(); ++c) {
    const ContactTotals<T> total = calc_contact_totals(system, data, c);
    row->insert(row->end(), {total.distance, total.volume, total.normal_force});
    add(total.force);
    add(total.moment);
    add(total.pressure_center);
    row->push_back(total.slip);
    if (scene.contacts[c].parts) {
      row->push_back(T(total.touching));
      continue;
    }
    const size_t slot = system.layout().first_slot(c);
    const T* states = y + system.layout().contact(slot);
    row->insert(row->end(), states, states + system.layout().contact_states(slot));
  }
  for (size_t k = 0; k < scene.lines.size(); ++k) {
    const LineForce<T>& line = data.lines[k];
    row->push_back(line.length);
    if (is_ligament(scene.lines[k])) row->push_back(line.strain);
    row->push_back(line.tension);
  }
  for (const auto& measure : scene.measures) {
    const std::array<T, 6> x = calc_grood_suntay(measure, data.motions);
    row->insert(row->end(), x.begin(), x.end());
  }
  const Energies<T> e = calc_energies(system, y, data);
  row->insert(row->end(), {e.kinetic, e.gravity, e.contact, e.springs, e.stored()});
  if (system.layout().ledger) {
    const T* l = y + system.layout().ledger_start();
    row->insert(row->end(),
                {l[kNormalDamping], l[kRolling], l[kSliding], l[kSpinning], l[kSpringDamping],
                 l[kPrescribedWork], l[kForceWork], calc_stored_work(system, y), l[kJointDamping],
                 l[kJointFriction], l[kMotorWork]});
    row->push_back(e.mechanical() - calc_expected_energy(system, y, start_energy));
  }
}

}  // namespace vesica
