#include "vesica/model/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "vesica/interference/method.h"
#include "vesica/model/make_contact.h"
#include "vesica/model/model_file.h"
#include "vesica/model/seeds.h"

namespace vesica {
namespace {

using Json = nlohmann::ordered_json;

Json as_json(const Vec3d& v) { return {v.x(), v.y(), v.z()}; }
Json as_json(const Mat3d& m) {
  return {as_json(Vec3d(m.row(0))), as_json(Vec3d(m.row(1))), as_json(Vec3d(m.row(2)))};
}

Motion<double> motion_of(const model::Body<>& body) {
  Motion<double> motion;
  if (body.pose) motion.X_WB = body.pose->pose();
  if (body.velocity) motion.V_WB = body.velocity->velocity();
  return motion;
}

// Exact methods lose only what the positions lose: a rounding of the size against the depth.
double calc_error_estimate(const ShapePair<double>& pair, double max_depth) {
  if (max_depth <= 0) return 0;
  return 10 * std::numeric_limits<double>::epsilon() * std::max(1.0, calc_size(pair) / max_depth);
}

// The friction law's states as the file gives them; nothing is relaxed.
template <class T>
std::array<T, kMaxFrictionStates + 1> initial_states(const Contact<double>& contact) {
  std::array<T, kMaxFrictionStates + 1> states;
  states.fill(T(0));
  for (size_t k = 0; k < contact.initial_states.size(); ++k)
    states[k] = T(contact.initial_states[k]);
  return states;
}

Json make_derivatives(const ProbeCase& probe) {
  using T = Dual<12>;
  const ContactMemory<T> memory{T(probe.memory.impact_speed)};
  const auto states = initial_states<T>(probe.contact);
  const auto forces =
      calc_contact(probe.contact, seed_motion(probe.i), probe.j, memory, states.data());
  auto block = [](const Vec3<T>& v, int first) {
    Mat3d m;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) m(r, c) = v[r].v[first + c];
    }
    return as_json(m);
  };
  Json json;
  const std::pair<const char*, int> inputs[] = {
      {"position", 0}, {"rotation", 3}, {"linear_velocity", 6}, {"angular_velocity", 9}};
  for (const auto& [name, first] : inputs) {
    json[fmt::format("force_by_{}", name)] = block(forces.F_Ic_W.f_W, first);
  }
  for (const auto& [name, first] : inputs) {
    json[fmt::format("moment_by_{}", name)] = block(forces.F_Ic_W.tau_W, first);
  }
  return json;
}

}  // namespace

ProbeCase make_probe_case(const Case& given) {
  const Case model = with_seeds<double>(given, {});  // checked, with what laws derive
  ProbeCase probe;
  probe.title = model.title;
  probe.i = motion_of(model.bodies[0]);
  probe.j = motion_of(model.bodies[1]);
  probe.contact =
      make_contact(model.contact, make_shapes(model.bodies[0], *model.places, "bodies.i"),
                   make_shapes(model.bodies[1], *model.places, "bodies.j"), *model.places,
                   "contact")
          .contact;
  // What touchdown would have remembered: given, or as if the contact began now.
  if (model.impact_speed) {
    probe.memory.impact_speed = *model.impact_speed;
  } else {
    const auto now = calc_contact(probe.contact, probe.i, probe.j, probe.memory);
    probe.memory.impact_speed = std::max(0.0, now.closing_speed);
  }
  return probe;
}

ProbeCase read_probe_case(const InputFile& file) { return make_probe_case(read_case(file)); }

nlohmann::ordered_json make_probe_json(const ProbeCase& probe, bool derivatives) {
  const Contact<double>& contact = probe.contact;
  const auto overlap = calc_overlap(contact, probe.i.X_WB, probe.j.X_WB);
  const auto states = initial_states<double>(contact);
  std::array<double, kMaxFrictionStates + 1> rates{};
  const auto forces =
      calc_contact(contact, probe.i, probe.j, probe.memory, states.data(), rates.data());
  const Pose<double> X_Wi = calc_shape_pose(probe.i.X_WB, contact.X_Ii),
                     X_Wj = calc_shape_pose(probe.j.X_WB, contact.X_Jj);
  const auto figures = calc_patch_figures(contact.pair, X_Wi, X_Wj);
  const Symmetric3<double> J_t = inertia_of(flatten_along(overlap.M_W, overlap.n_W));
  const bool in_contact = is_touching(overlap);

  Json json;
  if (!probe.title.empty()) json["title"] = probe.title;
  json["in_contact"] = in_contact;
  json["distance"] = overlap.distance;
  json["volume"] = overlap.volume;
  json["centroid"] = as_json(overlap.p_WC);
  json["normal"] = as_json(overlap.n_W);
  json["second_moment"] = as_json(overlap.M_W.matrix());
  json["flattened_inertia"] = as_json(J_t.matrix());
  json["radius_of_gyration"] =
      overlap.volume > 0
          ? std::sqrt(std::max(0.0, overlap.n_W.dot(J_t * overlap.n_W)) / overlap.volume)
          : 0;
  json["area"] = figures.shadow_area;
  json["section_area"] = figures.has_section ? Json(figures.section_area) : Json(nullptr);
  json["max_depth"] = figures.max_depth;
  json["closing_speed"] = forces.closing_speed;
  json["normal_force"] = forces.normal.force;
  json["center_of_pressure"] = as_json(forces.p_WP);
  json["force_on_i"] = as_json(forces.F_Ic_W.f_W);
  json["moment_on_i_at_centroid"] = as_json(forces.F_Ic_W.tau_W);
  json["force_on_j"] = as_json(Vec3d(-forces.F_Ic_W.f_W));
  json["moment_on_j_at_centroid"] = as_json(Vec3d(-forces.F_Ic_W.tau_W));
  json["friction_force"] = as_json(forces.friction.f_t);
  json["slip"] = as_json(forces.slip);
  json["spin_torque"] = forces.friction.spin_torque;
  // Where the force has no potential nobody knows the energy.
  const bool has_energy = has_potential(contact) || forces.normal.energy != 0;
  json["elastic_energy"] = has_energy ? Json(forces.normal.energy) : Json(nullptr);
  if (contact.friction_states() > 0) {
    const auto names = contact_state_names(contact);
    for (size_t k = 0; k < static_cast<size_t>(contact.friction_states()); ++k) {
      json["states"][names[k]] = {{"value", states[k]}, {"rate", rates[k]}};
    }
    json["stored_energy"] = forces.friction.stored;
    json["friction_saturated"] = forces.friction.saturated;
  }
  json["edge_factor"] = forces.edge_factor;  // 1 + alpha c where rolling lowers it most
  json["method"] = method_name(contact.pair);
  json["error_estimate"] =
      std::max({calc_error_estimate(contact.pair, figures.max_depth),
                calc_method_error(contact.pair, X_Wi, X_Wj), forces.patch_error});
  Json warnings = Json::array();
  const WhereItWouldPull pulled = where_it_would_pull(contact, contact);
  if (in_contact && forces.normal.factor < 0 && !(forces.normal.force > 0)) {
    warnings.push_back(
        "the bodies separate so fast that damping would pull: the force is held at 0");
  } else if (in_contact && forces.edge_factor < 0) {
    warnings.push_back(fmt::format(
        "rolling is so fast that the foundation would pull at the edge of the patch (factor "
        "{:.3g}): {}",
        forces.edge_factor,
        pulled == WhereItWouldPull::kPulls ? "this preset lets it pull, the pressure map does not"
        : pulled == WhereItWouldPull::kLifts
            ? "it lifts there"
            : "it lifts there, as a cap would, which these shapes are not"));
  }
  json["warnings"] = warnings;
  if (derivatives) json["derivatives"] = make_derivatives(probe);
  return json;
}

}  // namespace vesica
