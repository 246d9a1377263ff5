// What `vesica motion` prints for people.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/vesica/motion_output.h"

namespace vesica::app {
namespace {

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
                          mean_weight(analysis) / kStandardGravity, analysis.weights.size(),
                          analysis.weights.size() == 1 ? "" : "s"));
  }
  if (!analysis.walk.events.empty()) {
    print_row("speed", fmt::format("{:.2f} m/s{}", analysis.walking_speed,
                                   analysis.walk.on_treadmill()
                                       ? fmt::format(" on a treadmill; the belt runs at {:.2f} m/s",
                                                     analysis.walk.belt.norm())
                                       : ""));
  } else if (view.trial.markers.markers() > 0) {
    print_wrapped("gait events", "none from markers: " + analysis.walk.why_none + ".");
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

void print_trial(const TrialView& view) {
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
