// What `vesica motion` prints: a table for people, JSON for programs.
#include <fmt/format.h>

#include <cmath>

#include "apps/vesica/motion_trial.h"

namespace vesica::app {
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
  for (const GaitEvent& e : analysis.marker_events) {
    events.push_back({{"foot", name_of(e.foot)}, {"kind", name_of(e.kind)}, {"time", e.time}});
  }
  return {{"contacts", contacts}, {"stances", stances}, {"marker_events", events}};
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

void print_row(const char* label, const std::string& text) {
  fmt::print("  {:<13}{}\n", label, text);
}

// Breaks at spaces so that a line fits 80 columns, with the same indentation throughout.
void print_wrapped(const char* label, const std::string& text) {
  constexpr size_t kWidth = 64;
  std::string line;
  const char* head = label;
  size_t at = 0;
  while (at < text.size()) {
    const size_t space = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, space - at);
    if (!line.empty() && line.size() + 1 + word.size() > kWidth) {
      print_row(head, line);
      head = "";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = space + 1;
  }
  print_row(head, line);
}

void print_markers(const TrialView& view) {
  const MarkerTracks& markers = view.trial.markers;
  if (markers.markers() == 0) return;
  print_row("markers",
            fmt::format("{} at {:g} Hz, {} frames, {:.3f} to {:.3f} s; {} up", markers.markers(),
                        markers.rate, markers.frames(), markers.times.front(), markers.times.back(),
                        view.analysis.up_name));
  std::vector<std::pair<double, std::string>> incomplete;
  for (size_t i = 0; i < markers.markers(); ++i) {
    const GapStatistics& gaps = view.analysis.gaps[i];
    if (gaps.present < gaps.frames) {
      incomplete.emplace_back(gaps.fraction_present(), markers.labels[i]);
    }
  }
  if (incomplete.empty()) {
    print_row("presence", "all complete");
    return;
  }
  std::sort(incomplete.begin(), incomplete.end());
  std::string text = fmt::format("{} of {} have gaps:", incomplete.size(), markers.markers());
  for (size_t i = 0; i < std::min<size_t>(8, incomplete.size()); ++i) {
    text += fmt::format(" {} {:.0f}%{}", incomplete[i].second, 100.0 * incomplete[i].first,
                        i + 1 < std::min<size_t>(8, incomplete.size()) ? "," : "");
  }
  print_wrapped("presence", text + (incomplete.size() > 8 ? ", ..." : ""));
}

void print_steps(const TrialView& view) {
  const TrialAnalysis& analysis = view.analysis;
  if (!analysis.plates.empty()) {
    print_row("plates",
              fmt::format("{} at {:.6g} Hz", analysis.plates.size(), analysis.plates[0].rate));
  }
  if (!analysis.stances.empty()) {
    fmt::print("\n  {:<8}{:<8}{:>9}{:>9}{:>9}{:>9}\n", "foot", "plate", "start s", "end s", "for s",
               "peak N");
    for (const Stance& s : analysis.stances) {
      std::string plates;
      for (const int i : s.contacts) {
        plates += (plates.empty() ? "" : "+") + analysis.plates[analysis.contacts[i].plate].name;
      }
      const std::string note = s.partial                         ? "  partly on the plate"
                               : s.starts_before && s.ends_after ? "  begins before, ends after"
                               : s.starts_before                 ? "  begins before"
                               : s.ends_after                    ? "  ends after"
                                                                 : "";
      fmt::print("  {:<8}{:<8}{:>9.3f}{:>9.3f}{:>9.3f}{:>9.0f}{}\n", name_of(s.foot), plates,
                 s.start, s.end, s.end - s.start, s.peak_force, note);
    }
    fmt::print("\n");
  }
  if (!analysis.weights.empty()) {
    print_row("body weight",
              fmt::format("{:.1f} N ({:.1f} kg), mean of {} whole stride{}", mean_weight(analysis),
                          mean_weight(analysis) / 9.80665, analysis.weights.size(),
                          analysis.weights.size() == 1 ? "" : "s"));
  }
  if (!analysis.marker_events.empty() && analysis.walking_speed > 0.1) {
    print_row("speed", fmt::format("{:.2f} m/s", analysis.walking_speed));
  }
}

void print_joint(const JointFit& fit) {
  const auto center = [](const char* label, const JointCenter& c) {
    if (!c.found) {
      print_row(label, "not found: too few frames or no motion");
      return;
    }
    print_row(label,
              fmt::format("{:.1f} {:.1f} {:.1f} mm, 95 % +-{:.1f} {:.1f} {:.1f}, rms {:.2f} mm",
                          1e3 * c.center_P.x(), 1e3 * c.center_P.y(), 1e3 * c.center_P.z(),
                          1e3 * c.half_width_P.x(), 1e3 * c.half_width_P.y(),
                          1e3 * c.half_width_P.z(), 1e3 * c.rms));
  };
  print_wrapped("joint", fit.name);
  if (fit.sphere) center("  sphere", *fit.sphere);
  if (fit.point) center("  point", *fit.point);
  if (fit.axis && !fit.axis->found) print_row("  axis", "not found: too few frames or no motion");
  if (fit.axis && fit.axis->found) {
    const JointAxis& a = *fit.axis;
    print_row("  axis", fmt::format("{:.4f} {:.4f} {:.4f}, 95 % +-{:.1f} deg, range {:.0f} deg",
                                    a.axis_P.x(), a.axis_P.y(), a.axis_P.z(),
                                    a.angle_half_width * 180.0 / M_PI, a.range * 180.0 / M_PI));
    print_row("", fmt::format(
                      "through {:.1f} {:.1f} {:.1f} mm +-{:.1f}, rms {:.2f} mm, {} (ratio {:.2f})",
                      1e3 * a.point_P.x(), 1e3 * a.point_P.y(), 1e3 * a.point_P.z(),
                      1e3 * a.point_half_width, 1e3 * a.rms,
                      a.hinge_ratio < 0.2 ? "a hinge" : "no clear hinge", a.hinge_ratio));
  }
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

void print_table(const TrialView& view) {
  std::string files;
  for (const std::string& file : view.files) files += (files.empty() ? "" : " + ") + file;
  fmt::print("{}  ({})\n", files, view.trial.format);
  print_markers(view);
  const TimeTable& table = view.trial.analog;
  if (table.rows() > 0) {
    print_row(view.trial.format == "C3D" ? "analog" : "table",
              fmt::format("{} columns, {} rows, {:.3f} to {:.3f} s", table.columns.size(),
                          table.rows(), table.times.front(), table.times.back()));
  }
  for (size_t i = 0; i < view.trial.films.size(); ++i) {
    const PressureFilm& film = view.trial.films[i];
    const FilmSummary& s = view.analysis.films[i];
    print_row("pressure", fmt::format("{} frames of {} x {} cells, {:.1f} x {:.1f} mm, {:g} Hz",
                                      film.frames(), film.rows, film.cols, 1e3 * film.row_spacing,
                                      1e3 * film.col_spacing, film.dt > 0.0 ? 1.0 / film.dt : 0.0));
    print_row("", fmt::format("peak {:.0f} N, {:.0f} kPa; {:.0f} cm^2 loaded", s.peak_force,
                              1e-3 * s.peak_pressure, 1e4 * s.contact_area));
  }
  print_steps(view);
  if (!view.trial.events.empty()) {
    print_row("events", fmt::format("{} in the file", view.trial.events.size()));
  }
  for (const JointFit& fit : view.joints) print_joint(fit);
  for (const std::string& edit : view.edits) print_wrapped("done", edit);
  constexpr size_t kMostWarnings = 12;
  for (size_t i = 0; i < std::min(kMostWarnings, view.analysis.warnings.size()); ++i) {
    print_wrapped(i == 0 ? "warnings" : "", view.analysis.warnings[i]);
  }
  if (view.analysis.warnings.size() > kMostWarnings) {
    print_row("", fmt::format("... and {} more (--json, --report show all)",
                              view.analysis.warnings.size() - kMostWarnings));
  }
  fmt::print("\n");
}

}  // namespace vesica::app
