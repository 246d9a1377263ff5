#include "vesica/simulation/summary.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "vesica/simulation/recording.h"

namespace vesica {

nlohmann::ordered_json make_summary(const System<double>& system, const RunOptions& options,
                                    const RunResult& result) {
  using Json = nlohmann::ordered_json;
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
  solver["simulated_seconds_per_second"] =
      result.statistics.seconds > 0 ? result.end_time / result.statistics.seconds : 0;
  json["solver"] = solver;

  Json energy;
  energy["start"] = result.start_energy;
  energy["end"] = result.end_energy;
  energy["largest_kinetic_and_elastic"] = result.largest_energy;
  if (layout.ledger) {
    const double* l = result.state.data() + layout.ledger_start();
    energy["dissipated"] = Json{{"normal", l[kNormalDamping]},
                                {"rolling", l[kRolling]},
                                {"sliding", l[kSliding]},
                                {"spinning", l[kSpinning]},
                                {"springs", l[kSpringDamping]},
                                {"joint_damping", l[kJointDamping]},
                                {"joint_friction", l[kJointFriction]}};
    energy["work"] = Json{
        {"prescribed", l[kPrescribedWork]}, {"forces", l[kForceWork]}, {"motors", l[kMotorWork]}};
    energy["non_potential_work"] = result.non_potential_work;
    energy["residual"] = result.residual;
  }
  json["energy"] = energy;

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
    const auto names = coordinate_names(link.joint.type);
    for (size_t k = 0; k < names.size() && link.nu > 0; ++k) {
      joints[body.name][std::string(names[k])] = x[k];
      joints[body.name][fmt::format("{}_rate", names[k])] = v[k];
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
             {"max_step_over_time_constant", m.max_step_rate},
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
  json["rows"] = result.rows;
  json["hash"] = result.hash.text();
  json["warnings"] = make_warnings(system, options, result);
  return json;
}

}  // namespace vesica
