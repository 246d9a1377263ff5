#include "vesica/simulation/summary.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "vesica/simulation/map_file.h"
#include "vesica/simulation/recording.h"

namespace vesica {
namespace {

using Json = nlohmann::ordered_json;

Json make_parts(const Energies<double>& e) {
  return {{"kinetic", e.kinetic},   {"gravity", e.gravity},
          {"contacts", e.contact},  {"springs", e.springs},
          {"bristles", e.bristles}, {"contacts_without_potential", e.unbound}};
}

Json make_energy(const System<double>& system, const RunResult& result) {
  Json energy;
  energy["start"] = result.start_energy;
  energy["end"] = result.end_energy;
  energy["parts_at_start"] = make_parts(result.start);
  energy["parts_at_end"] = make_parts(result.end);
  energy["largest_kinetic_and_elastic"] = result.largest_energy;
  if (!system.layout().ledger) return energy;
  const double* l = result.state.data() + system.layout().ledger_start();
  energy["work"] = Json{
      {"forces", l[kForceWork]}, {"motors", l[kMotorWork]}, {"prescribed", l[kPrescribedWork]}};
  energy["dissipated"] = Json{{"normal", l[kNormalDamping]},
                              {"rolling", l[kRolling]},
                              {"sliding", l[kSliding]},
                              {"spinning", l[kSpinning]},
                              {"springs", l[kSpringDamping]},
                              {"joint_damping", l[kJointDamping]},
                              {"joint_friction", l[kJointFriction]}};
  energy["non_potential_work"] = result.non_potential_work;
  energy["residual"] = result.residual;
  energy["scale"] = result.energy_scale;
  return energy;
}

Json make_sums(const PressureSums& most, double force_sum, size_t frames) {
  return {{"max_force", most.force},
          {"max_peak_pressure", most.peak_pressure},
          {"max_area", most.area},
          {"mean_force", frames > 0 ? force_sum / static_cast<double>(frames) : 0}};
}

Json make_maps(const RunOptions& options, const RunResult& result) {
  Json maps = Json::object();
  for (size_t k = 0; k < result.maps.size(); ++k) {
    const MapMonitor& m = result.maps[k];
    const MapOptions& given = options.maps[k];
    Json map = {{"contact", given.contact},
                {"body", given.body},
                {"file", make_map_file_name(given) + ".h5"},
                {"frames", m.frames}};
    map.update(make_sums(m.most, m.force_sum, m.frames));
    map["max_outside"] = m.max_outside;
    map["sampling_error"] = m.calc_error();
    Json regions = Json::object();
    for (size_t r = 0; r < given.regions.size(); ++r) {
      Json region = make_sums(m.regions[r], m.region_force_sums[r], m.frames);
      region["share"] = m.force_sum > 0 ? m.region_force_sums[r] / m.force_sum : 0;
      regions[given.regions[r].name] = region;
    }
    if (!regions.empty()) map["regions"] = regions;
    maps[given.title()] = map;
  }
  return maps;
}

}  // namespace

LedgerTable make_ledger_table(const Json& energy) {
  auto number = [](const Json& json, const char* key) {
    const auto found = json.is_object() ? json.find(key) : json.end();
    return found != json.end() && found->is_number() ? found->get<double>()
                                                     : std::numeric_limits<double>::quiet_NaN();
  };
  auto part = [&](const char* of, const char* key) {
    const auto found = energy.is_object() ? energy.find(of) : energy.end();
    return found != energy.end() ? number(*found, key) : number({}, key);
  };
  LedgerTable table;
  for (const auto& [key, name] : {std::pair{"kinetic", "kinetic"},
                                  {"gravity", "gravity"},
                                  {"contacts", "elastic, in contacts"},
                                  {"springs", "elastic, in springs"},
                                  {"bristles", "stored in bristles"},
                                  {"contacts_without_potential", "stored in contacts, about"}}) {
    const double start = part("parts_at_start", key), end = part("parts_at_end", key);
    if (start == 0 && end == 0 && !table.parts.empty()) continue;
    table.parts.push_back({name, start, end - start, end});
  }
  const double start = number(energy, "start"), end = number(energy, "end");
  table.sum = {"together", start, end - start, end};
  if (!energy.is_object() || !energy.contains("residual")) return table;
  auto add = [&](const std::string& name, double change) {
    if (change != 0) table.causes.push_back({name, 0, change, 0});
  };
  for (const auto& [key, name] : {std::pair{"forces", "forces"},
                                  {"motors", "motors and drives"},
                                  {"prescribed", "given motions"}}) {
    add(fmt::format("work of {}", name), part("work", key));
  }
  for (const auto& [key, name] : {std::pair{"normal", "normal damping"},
                                  {"rolling", "rolling"},
                                  {"sliding", "sliding"},
                                  {"spinning", "spinning"},
                                  {"springs", "springs"},
                                  {"joint_damping", "joint damping"},
                                  {"joint_friction", "joint friction"}}) {
    add(fmt::format("dissipated by {}", name), -part("dissipated", key));
  }
  add("non-potential work", number(energy, "non_potential_work"));
  table.causes.push_back({"residual of the integrator", 0, number(energy, "residual"), 0});
  return table;
}

nlohmann::ordered_json make_summary(const System<double>& system, const RunOptions& options,
                                    const RunResult& result) {
  const StateLayout& layout = system.layout();
  auto list = [](const double* x, int count) { return Json(std::vector<double>(x, x + count)); };

  Json json;
  if (!system.scene().title.empty()) json["title"] = system.scene().title;
  json["completed"] = result.failure.empty() && !result.interrupted;
  if (result.interrupted) json["interrupted"] = true;
  if (!result.failure.empty()) json["failure"] = result.failure;
  json["end_time"] = result.end_time;

  Json solver;
  solver["method"] = solver_name(options.solver);
  if (is_fixed_step(options.solver)) {
    solver["step"] = options.step;
  } else {
    solver["tolerance"] = options.tolerance;
  }
  solver["steps"] = result.statistics.steps;
  solver["rejected"] = result.statistics.rejected;
  solver["evaluations"] = result.statistics.evaluations;
  solver["jacobians"] = result.statistics.jacobians;
  solver["seconds"] = result.statistics.seconds;
  solver["worst_step_seconds"] = result.statistics.worst_step_seconds;
  const double simulated = result.end_time - result.start_time;
  solver["simulated_seconds_per_second"] =
      result.statistics.seconds > 0 ? simulated / result.statistics.seconds : 0;
  json["solver"] = solver;

  json["energy"] = make_energy(system, result);

  Json bodies, joints;
  Evaluation<double> end = system.make_evaluation<double>();
  system.calc_motions(result.end_time, result.state.data(), &end);
  for (size_t b = 0; b < system.scene().bodies.size(); ++b) {
    const auto& body = system.scene().bodies[b];
    if (!body.is_free) continue;
    const double* x = result.state.data() + layout.position(b);
    const double* v = result.state.data() + layout.velocity(b);
    if (!body.has_joint) {
      bodies[body.name] = Json{{"position", list(x, 3)},
                               {"quaternion", list(x + 3, 4)},
                               {"velocity", list(v, 3)},
                               {"spin", list(v + 3, 3)}};
      continue;
    }
    const Motion<double>& m = end.motions[b];
    const Quaternion<double> q = as_quaternion(m.X_WB.R_WB);
    bodies[body.name] = Json{{"position", list(m.X_WB.p_WB.data(), 3)},
                             {"quaternion", Json::array({q.w, q.x, q.y, q.z})},
                             {"velocity", list(m.V_WB.v_WB.data(), 3)},
                             {"spin", list(m.V_WB.w_WB.data(), 3)}};
    const auto& link = system.scene().tree.bodies()[b];
    if (link.nu == 0 || quaternion_place(link.joint.type) >= 0) continue;
    const auto speeds = speeds_of(link.joint.type);
    for (size_t k = 0; k < speeds.size(); ++k) {
      joints[body.name][std::string(speeds[k].name)] = x[k];
      joints[body.name][std::string(speeds[k].rate)] = v[k];
    }
  }
  json["final_state"] = bodies;
  if (!joints.empty()) json["final_joints"] = joints;

  Json contacts;
  for (size_t k = 0; k < result.monitors.size(); ++k) {
    const ContactMonitor& m = result.monitors[k];
    Json events = Json::array();
    for (const ContactEvent& e : result.events) {
      if (e.contact != static_cast<int>(k) || events.size() >= 1000) continue;
      events.push_back({{"time", e.time},
                        {"event", e.touchdown ? "touchdown" : "lift_off"},
                        {"closing_speed", e.closing_speed}});
    }
    contacts[system.scene().contacts[k].name] =
        Json{{"touchdowns", m.touchdowns},
             {"max_normal_force", m.max_force},
             {"max_depth", m.max_depth},
             {"max_depth_over_size", m.max_depth_ratio},
             {"steps_in_contact", m.steps_in_contact},
             {"steps_force_clamped", m.steps_clamped},
             {"steps_edge_lifted", m.steps_lifted},
             {"steps_bristle_saturated", m.steps_saturated},
             {"steps_at_corner", m.steps_at_corner},
             {"max_step_over_time_constant", m.max_step_rate},
             {"impulse", m.impulse},
             {"impulse_inaccurate", m.impulse_inaccurate},
             {"max_method_error", m.max_method_error},
             {"impulse_not_flat", m.impulse_not_flat},
             {"energy_through", m.energy_through},
             {"non_potential_work", m.non_potential_work},
             {"events", events}};
    if (const auto& parts = system.scene().contacts[k].parts) {
      contacts[system.scene().contacts[k].name]["parts"] =
          Json{{"of_first", parts->count_i},
               {"of_second", parts->count_j},
               {"most_pairs_touching", m.most_pairs},
               {"max_pairs", parts->room}};
    }
  }
  json["contacts"] = contacts;
  if (!options.maps.empty()) json["pressure_maps"] = make_maps(options, result);
  json["rows"] = result.rows;
  json["hash"] = result.hash.text();
  json["warnings"] = make_warnings(system, options, result);
  return json;
}

}  // namespace vesica
