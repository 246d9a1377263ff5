// A recording of motion and what was found in it as JSON.
#include <fmt/format.h>

#include <cmath>

#include "vesica/report/motion_trial.h"

namespace vesica {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json vector(const Vec3d& v) {
  return {number_or_null(v.x()), number_or_null(v.y()), number_or_null(v.z())};
}

Json markers_json(const TrialView& view) {
  const MarkerTracks& markers = view.trial.markers;
  if (markers.markers() == 0) return nullptr;
  Json list = Json::array();
  for (size_t i = 0; i < markers.markers(); ++i) {
    const GapStatistics& gaps = view.analysis.gaps[i];
    Json entry = {{"label", markers.labels[i]},
                  {"present", gaps.fraction_present()},
                  {"gaps", gaps.gaps.size()},
                  {"longest_gap_frames", gaps.longest}};
    list.push_back(entry);
  }
  return {{"count", markers.markers()},
          {"rate", markers.rate},
          {"frames", markers.frames()},
          {"start", markers.times.front()},
          {"end", markers.times.back()},
          {"unit_in_file", markers.unit_in_file},
          {"list", list}};
}

Json plates_json(const TrialAnalysis& analysis) {
  Json list = Json::array();
  for (const PlateForces& plate : analysis.plates) {
    double peak = 0.0;
    for (size_t k = 0; k < plate.size(); ++k) peak = std::max(peak, plate.normal_force(k));
    Json corners = Json::array();
    for (const Vec3d& corner : plate.corners) corners.push_back(vector(corner));
    list.push_back({{"name", plate.name},
                    {"rate", plate.rate},
                    {"samples", plate.size()},
                    {"peak_force", peak},
                    {"idle_offset", plate.idle_offset},
                    {"idle_noise", plate.idle_noise},
                    {"subtracted", plate.subtracted},
                    {"missing", plate.missing},
                    {"corners", corners}});
  }
  return list;
}

Json steps_json(const TrialAnalysis& analysis) {
  Json contacts = Json::array(), stances = Json::array(), events = Json::array();
  for (const PlateContact& c : analysis.contacts) {
    contacts.push_back({{"plate", analysis.plates[c.plate].name},
                        {"foot", name_of(c.foot)},
                        {"start", c.start},
                        {"end", c.end},
                        {"starts_before", c.starts_before},
                        {"ends_after", c.ends_after},
                        {"peak_force", c.peak_force},
                        {"distance", number_or_null(c.distance)},
                        {"other_distance", number_or_null(c.other_distance)},
                        {"partial", c.partial}});
  }
  for (const Stance& s : analysis.stances) {
    Json plates = Json::array();
    for (const int i : s.contacts)
      plates.push_back(analysis.plates[analysis.contacts[i].plate].name);
    stances.push_back({{"foot", name_of(s.foot)},
                       {"start", s.start},
                       {"end", s.end},
                       {"complete", !s.starts_before && !s.ends_after && !s.partial},
                       {"peak_force", s.peak_force},
                       {"plates", plates}});
  }
  for (const GaitEvent& e : analysis.walk.events) {
    events.push_back({{"foot", name_of(e.foot)},
                      {"kind", name_of(e.kind)},
                      {"time", e.time},
                      {"substituted", e.substituted},
                      {"doubtful", e.doubtful}});
  }
  const MarkerEvents& walk = analysis.walk;
  const bool is_walk = walk.why_none.empty();
  return {{"contacts", contacts},
          {"stances", stances},
          {"marker_events", events},
          {"no_marker_events_because", is_walk ? Json(nullptr) : Json(walk.why_none)},
          {"marker_events_left_out_at_ends", walk.left_out_at_the_ends},
          {"heading", is_walk ? vector(walk.ahead) : Json(nullptr)},
          {"belt_velocity", is_walk && walk.on_treadmill() ? vector(walk.belt) : Json(nullptr)}};
}

Json center_json(const JointCenter& c) {
  return {{"found", c.found},
          {"center", vector(c.center_P)},
          {"half_width_95", vector(c.half_width_P)},
          {"worst_half_width_95", c.worst_half_width},
          {"worst_direction", vector(c.worst_direction_P)},
          {"rms", c.rms},
          {"frames", c.frames}};
}

Json joints_json(const TrialView& view) {
  Json list = Json::array();
  for (const JointFit& fit : view.joints) {
    Json entry = {{"markers", fit.name}};
    if (fit.sphere) {
      entry["sphere"] = center_json(*fit.sphere);
      entry["sphere"]["radii"] = fit.sphere->radii;
    }
    if (fit.point) entry["common_point"] = center_json(*fit.point);
    if (fit.axis) {
      entry["axis"] = {{"found", fit.axis->found},
                       {"direction", vector(fit.axis->axis_P)},
                       {"point", vector(fit.axis->point_P)},
                       {"angle_half_width_95", fit.axis->angle_half_width},
                       {"point_half_width_95", fit.axis->point_half_width},
                       {"hinge_ratio", fit.axis->hinge_ratio},
                       {"range", fit.axis->range},
                       {"rms", fit.axis->rms},
                       {"frames", fit.axis->frames}};
    }
    list.push_back(entry);
  }
  return list;
}

}  // namespace

double mean_weight(const TrialAnalysis& analysis) {
  double sum = 0.0;
  for (const WeightEstimate& stride : analysis.weights) sum += stride.weight;
  return analysis.weights.empty() ? kMissing : sum / static_cast<double>(analysis.weights.size());
}

Json as_json(const TrialView& view) {
  const TrialAnalysis& analysis = view.analysis;
  Json filled = Json::array(), faults = Json::array(), events = Json::array(),
       films = Json::array();
  for (const FilledMarker& f : view.filled) {
    filled.push_back({{"marker", view.trial.markers.labels[f.marker]},
                      {"first_frame", f.filled.gap.first},
                      {"frames", f.filled.gap.count},
                      {"expected_error", number_or_null(f.filled.expected_error)}});
  }
  for (const MarkerFault& f : analysis.faults) {
    Json names = Json::array();
    for (const int i : f.markers) names.push_back(view.trial.markers.labels[i]);
    faults.push_back({{"kind", name_of(f.kind)},
                      {"markers", names},
                      {"time", view.trial.markers.times[f.first_frame]},
                      {"first_frame", f.first_frame},
                      {"frames", f.frames},
                      {"comes_back", f.comes_back},
                      {"size", f.size}});
  }
  for (const MotionEvent& e : view.trial.events) {
    events.push_back({{"time", e.time}, {"label", e.label}, {"context", e.context}});
  }
  for (size_t i = 0; i < analysis.films.size(); ++i) {
    const PressureFilm& film = view.trial.films[i];
    const FilmSummary& s = analysis.films[i];
    films.push_back({{"frames", film.frames()},
                     {"rows", film.rows},
                     {"cols", film.cols},
                     {"row_spacing", film.row_spacing},
                     {"col_spacing", film.col_spacing},
                     {"dt", film.dt},
                     {"peak_force", s.peak_force},
                     {"peak_pressure", s.peak_pressure},
                     {"contact_area", s.contact_area}});
  }
  Json json = {
      {"files", view.files},
      {"format", view.trial.format},
      {"up", analysis.up_name},
      {"markers", markers_json(view)},
      {"table",
       {{"columns", view.trial.analog.columns.size()}, {"rows", view.trial.analog.rows()}}},
      {"plates", plates_json(analysis)}};
  json.update(steps_json(analysis));
  json["file_events"] = events;
  const ClockOffset& offset = analysis.clock_offset;
  json["clock_offset"] = offset.stances == 0 ? Json(nullptr)
                                             : Json{{"seconds", offset.seconds},
                                                    {"spread", offset.spread},
                                                    {"stances", offset.stances},
                                                    {"is_off", offset.is_off()}};
  json["body_weight"] = number_or_null(mean_weight(analysis));
  json["walking_speed"] = number_or_null(analysis.walking_speed);
  json["faults"] = faults;
  json["filled"] = filled;
  json["films"] = films;
  json["joints"] = joints_json(view);
  json["edits"] = view.edits;
  json["warnings"] = analysis.warnings;
  json["written"] = view.written;
  return json;
}

}  // namespace vesica
