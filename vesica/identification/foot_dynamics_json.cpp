#include <cmath>
#include <nlohmann/json.hpp>

#include "vesica/identification/foot_dynamics.h"

namespace vesica {
namespace {

using Json = nlohmann::ordered_json;

void add_shear(const ShearErrors& e, Json* row) {
  (*row)["shear_along_error_percent"] = 100 * e.along;
  (*row)["shear_across_error_percent"] = 100 * e.across;
  (*row)["friction_error_percent"] = 100 * e.of_largest;
  if (std::isfinite(e.free_moment)) (*row)["free_moment_error_percent"] = 100 * e.free_moment;
}

}  // namespace

nlohmann::ordered_json make_friction_fit_json(const FrictionFit& fit) {
  Json row{{"law", fit.law}, {"simulation", fit.simulation}};
  add_shear(fit.errors, &row);
  row["parameters"] = Json::array();
  for (const FrictionParameter& p : fit.parameters) {
    row["parameters"].push_back({{"name", p.name},
                                 {"value", p.value},
                                 {"unit", p.unit},
                                 {"low", p.low},
                                 {"high", p.high},
                                 {"identifiable", p.identifiable}});
  }
  row["strongest_correlation"] = {{"between", fit.strongest_pair},
                                  {"value", fit.strongest_correlation}};
  row["converged"] = fit.converged;
  row["seconds"] = fit.seconds;
  return row;
}

void add_dynamics_json(const FootDynamics& dynamics, Json* json) {
  Json friction = Json::array(), baselines = Json::array(), forward = Json::array(),
       exports = Json::array();
  for (const FootFrictionResult& r : dynamics.friction) {
    Json row{{"side", r.side}, {"shear", r.shear}};
    row.update(make_friction_fit_json(r.fit));
    friction.push_back(row);
  }
  for (const ShearBaseline& b : dynamics.baselines) {
    Json none, mean;
    add_shear(b.none, &none);
    add_shear(b.mean_curve, &mean);
    baselines.push_back({{"side", b.side}, {"none", none}, {"mean_curve", mean}});
  }
  for (const FootForwardResult& r : dynamics.forward) {
    Json row{{"trial", r.trial},          {"side", r.side},
             {"drive", name_of(r.drive)}, {"law", r.law},
             {"friction", r.friction},    {"force_error_percent", 100 * r.errors.force}};
    if (r.errors.cop_frames > 0) {
      row["cop_error_percent"] = 100 * r.errors.cop;
    } else {
      row["cop_error_percent"] = nullptr;
    }
    add_shear(r.shear, &row);
    row["drift"] = r.drift;
    row["ledger_residual"] = r.ledger_residual;
    row["seconds"] = r.seconds;
    if (!r.failure.empty()) row["failure"] = r.failure;
    forward.push_back(row);
  }
  for (const FootExport& e : dynamics.exports) {
    Json row{{"side", e.side},
             {"spheres", e.spheres.spheres.size()},
             {"stiffness", e.spheres.stiffness},
             {"dissipation", e.spheres.dissipation},
             {"force_error_percent", 100 * e.spheres.force_error},
             {"largest_force_error_percent", 100 * e.spheres.largest_force_error},
             {"cop_error_percent", 100 * e.spheres.cop_error}};
    if (e.has_unseen) {
      row["unseen_force_error_percent"] = 100 * e.unseen_force_error;
      row["unseen_cop_error_percent"] = 100 * e.unseen_cop_error;
    }
    exports.push_back(row);
  }
  (*json)["friction"] = friction;
  (*json)["shear_baselines"] = baselines;
  (*json)["forward"] = forward;
  (*json)["export"] = exports;
}

}  // namespace vesica
