// What a study of planar feet found, as JSON and as a table.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "vesica/identification/foot2d_study.h"
#include "vesica/io/text_input.h"

namespace vesica {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json as_json(const Foot2dObjective& J) {
  return {{"total", J.total()}, {"normal", J.normal}, {"friction", J.friction}, {"cop", J.cop}};
}

Json as_json(const std::vector<Foot2dUnseen>& list) {
  Json out = Json::array();
  for (const Foot2dUnseen& u : list) {
    Json row = as_json(u.objective);
    row["stance"] = u.stance;
    out.push_back(row);
  }
  return out;
}

Json as_json(const Foot2dMarkerError& e) {
  return {{"mean_mm", 1e3 * e.mean},
          {"sd_mm", 1e3 * e.sd},
          {"worst_mm", 1e3 * e.worst},
          {"count", e.count}};
}

Json as_json(const Foot2dGeometryFit& g, bool toe_measured) {
  Json out{{"AH", g.geometry.AH},        {"AP", g.geometry.AP},
           {"PT", g.geometry.PT},        {"beta", g.geometry.beta},
           {"toe_coefficients", g.toe},  {"marker_error", as_json(g.all)},
           {"heel_error", as_json(g.H)}, {"ball_error", as_json(g.P)}};
  out["toe_error"] = toe_measured ? as_json(g.T) : Json(nullptr);
  out["converged"] = g.converged;
  return out;
}

Json as_json(const Foot2dIntervals& intervals) {
  Json out = Json::array();
  for (const Foot2dEstimate& e : intervals.parameters) {
    out.push_back({{"name", e.name},
                   {"value", e.value},
                   {"unit", e.unit},
                   {"low", e.low},
                   {"high", e.high},
                   {"identifiable", e.determined},
                   {"at_bound", e.at_bound},
                   {"source", number_or_null(e.source)}});
  }
  return out;
}

Json as_json(const Foot2dPipelineResult& p) {
  return {{"objective", as_json(p.objective)},
          {"genetic", p.of_genetic},
          {"sqp", p.of_sqp},
          {"rounds", p.rounds},
          {"evaluations", p.evaluations},
          {"converged", p.converged},
          {"seconds", p.seconds}};
}

Json as_json(const Foot2dTypeResult& r) {
  Json out{{"element", name_of(r.type.element)},
           {"friction", name_of(r.type.friction)},
           {"objective", as_json(r.fit.objective)},
           {"objective_of_seeds", r.of_seeds},
           {"placebo", r.placebo ? as_json(*r.placebo) : Json(nullptr)},
           {"unseen", as_json(r.unseen)},
           {"unseen_median", number_or_null(r.median_unseen())},
           {"parameters", as_json(r.intervals)},
           {"undetermined_directions", r.intervals.undetermined_directions},
           {"converged", r.fit.converged},
           {"seconds", r.fit.seconds}};
  if (!r.J_from.empty()) out["objective_from"] = r.J_from;
  if (r.pipeline) out["pipeline"] = as_json(*r.pipeline);
  return out;
}

}  // namespace

Json make_foot2d_json(const Foot2dStudy& study) {
  Json json;
  json["type"] = "foot2d";
  if (!study.title.empty()) json["title"] = study.title;
  json["weight"] = study.weight;
  json["stances"] = Json::array();
  for (const Foot2dStanceResult& s : study.stances) {
    Json stance{{"name", s.stance.name},
                {"trial", s.stance.trial},
                {"side", s.stance.side},
                {"begin", s.stance.begin},
                {"end", s.stance.end},
                {"period", s.stance.period},
                {"frames", s.stance.frames()},
                {"toe_measured", s.stance.toe_measured},
                {"heel_height", number_or_null(s.stance.heel_height)},
                {"ball_height", number_or_null(s.stance.ball_height)},
                {"constants", as_json(s.constants)},
                {"geometry", as_json(s.geometry, s.stance.toe_measured)},
                {"copied", as_json(s.copied)},
                {"copied_median", number_or_null(s.median_copied())}};
    stance["types"] = Json::array();
    for (const Foot2dTypeResult& r : s.types) stance["types"].push_back(as_json(r));
    json["stances"].push_back(stance);
  }
  json["verdicts"] = study.verdicts;
  json["remarks"] = study.remarks;
  json["converged"] = study.converged;
  if (study.interrupted) json["interrupted"] = true;
  json["seconds"] = study.seconds;
  return json;
}

std::string make_foot2d_csv(const Foot2dStudy& study) {
  std::string text =
      "stance,element,time,normal_measured,normal_simulated,friction_measured,friction_simulated,"
      "cop_measured,cop_simulated\n";
  const auto cell = [](double x) { return std::isfinite(x) ? fmt::format("{:.9g}", x) : ""; };
  for (const Foot2dStanceResult& s : study.stances) {
    for (const Foot2dTypeResult& r : s.types) {
      for (size_t f = 0; f < s.stance.frames(); ++f) {
        text +=
            fmt::format("{},{},{:.9g},{},{},{},{},{},{}\n", as_csv_field(s.stance.name),
                        name_of(r.type.element), s.stance.times[f], cell(s.stance.normal[f]),
                        cell(r.curves.normal[f]), cell(s.stance.friction[f]),
                        cell(r.curves.friction[f]), cell(s.stance.cop[f]), cell(r.curves.cop[f]));
      }
    }
  }
  return text;
}

}  // namespace vesica
