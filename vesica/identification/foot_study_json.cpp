#include <cmath>
#include <nlohmann/json.hpp>

#include "vesica/identification/foot_study.h"

namespace vesica {
namespace {

using Json = nlohmann::ordered_json;

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

void add_errors(const FootErrors& errors, Json* row) {
  (*row)["force_error_percent"] = finite_or_null(100 * errors.force);
  (*row)["cop_error_percent"] = finite_or_null(100 * errors.cop);
  if (std::isfinite(errors.pressure)) (*row)["pressure_error_percent"] = 100 * errors.pressure;
}

Json as_json(const std::vector<FootResult>& results) {
  Json list = Json::array();
  for (const FootResult& r : results) {
    Json row{{"trial", r.trial},
             {"side", r.side},
             {"begin", r.begin},
             {"end", r.end},
             {"speed", r.speed}};
    if (!r.what.empty()) row["forces"] = r.what;
    add_errors(r.errors, &row);
    list.push_back(row);
  }
  return list;
}

Json as_json(const std::vector<FootHistory>& histories) {
  Json map = Json::object();
  for (const FootHistory& h : histories) map[h.name] = h.costs;
  return map;
}

Json as_json(const FootSourceRun& run) {
  const auto add = [](const FootSourceRun::Errors& errors, Json* to) {
    add_errors(errors.normal, to);
    if (std::isfinite(errors.friction)) (*to)["friction_error_percent"] = 100 * errors.friction;
    if (std::isfinite(errors.free_moment)) {
      (*to)["free_moment_error_percent"] = 100 * errors.free_moment;
    }
  };
  Json row{{"side", run.side}, {"name", run.name}};
  add(run.errors, &row);
  if (std::isfinite(run.coefficient)) row["friction_coefficient"] = run.coefficient;
  Json published = Json::object();
  add(run.published, &published);
  row["published"] = published;
  row["seconds"] = run.seconds;
  return row;
}

}  // namespace

Json make_foot_json(const FootStudy& study) {
  Json json;
  json["type"] = "foot";
  if (!study.title.empty()) json["title"] = study.title;
  json["weight"] = study.weight;
  json["floor"] = {{"slope_x", study.floor.slope_x},
                   {"slope_y", study.floor.slope_y},
                   {"rms", study.floor.rms},
                   {"points", study.floor.points}};
  json["cop_threshold"] = study.cop_threshold;
  json["calibration"] = as_json(study.calibration);
  json["refitted"] = as_json(study.refitted);
  json["joint"] = as_json(study.joint);
  json["blind"] = as_json(study.blind);
  json["placebo"] = as_json(study.placebo);
  json["mean_curve"] = as_json(study.mean_curve);
  json["six_spheres"] = as_json(study.six_spheres);
  json["imposed"] = as_json(study.imposed);
  json["groups"] = Json::array();
  for (const FootGroup& g : study.groups) {
    Json row{{"kind", g.kind}, {"side", g.side}, {"speed", g.speed}, {"stances", g.stances}};
    add_errors(g.errors, &row);
    json["groups"].push_back(row);
  }
  json["source_runs"] = Json::array();
  for (const FootSourceRun& run : study.source_runs) json["source_runs"].push_back(as_json(run));
  json["largest_correction"] = Json::array();
  for (const FootLargestCorrection& c : study.corrections) {
    json["largest_correction"].push_back({{"side", c.side},
                                          {"shift", {c.shift.x(), c.shift.y(), c.shift.z()}},
                                          {"turn", {c.turn.x(), c.turn.y(), c.turn.z()}}});
  }
  json["parameters"] = Json::array();
  for (const FootParameter& p : study.parameters) {
    Json row{{"side", p.side},
             {"name", p.name},
             {"value", p.value},
             {"unit", p.unit},
             {"start", p.start},
             {"low", finite_or_null(p.low)},
             {"high", finite_or_null(p.high)},
             {"identifiable", p.identifiable},
             {"at_bound", p.at_bound}};
    if (std::isfinite(p.truth)) row["truth"] = p.truth;
    if (p.side == "left") row["turned_over"] = true;  // in x, as if it were a right foot
    json["parameters"].push_back(row);
  }
  json["undetermined"] = study.undetermined;
  json["cost_history"] = as_json(study.history);
  json["start_costs"] = as_json(study.starts);
  add_dynamics_json(study.dynamics, &json);
  json["verdicts"] = study.verdicts;
  json["remarks"] = study.remarks;
  json["converged"] = study.converged;
  if (study.interrupted) json["interrupted"] = true;
  json["seconds"] = study.seconds;
  return json;
}

}  // namespace vesica
