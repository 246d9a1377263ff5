// The page of a recording of motion.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "vesica/report/colors.h"
#include "vesica/report/gait_marks.h"
#include "vesica/report/html_page.h"
#include "vesica/report/motion_script.h"
#include "vesica/report/motion_trial.h"

namespace vesica {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostMarkerFrames = 600;  // per marker in the page
constexpr size_t kMostFilmFrames = 250;

size_t stride_for(size_t count, size_t most) {
  return std::max<size_t>(1, (count + most - 1) / most);
}

// Rounded so that the page stays small: `digits` after the point, null where missing.
Json rounded(double value, int digits) {
  if (!std::isfinite(value)) return nullptr;
  const double scale = std::pow(10.0, digits);
  return std::round(value * scale) / scale;
}

// Seen from above: right and down on the screen, the longer way of the trial across the page.
struct TopView {
  Vec3d right, down;
  Json point(const Vec3d& p) const {
    return {rounded(1e3 * p.dot(right), 1), rounded(1e3 * p.dot(down), 1)};
  }
};

TopView make_top_view(const TrialView& view) {
  const Vec3d& up = view.analysis.up;
  const Vec3d e1 = std::abs(up.x()) > 0.5 ? Vec3d(Vec3d::UnitY()) : Vec3d(Vec3d::UnitX());
  const Vec3d e2 = up.cross(e1);
  double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
  const auto extend = [&](const Vec3d& p) {
    if (!p.allFinite()) return;
    const double at[2] = {p.dot(e1), p.dot(e2)};
    for (int i = 0; i < 2; ++i) {
      low[i] = std::min(low[i], at[i]);
      high[i] = std::max(high[i], at[i]);
    }
  };
  for (const PlateForces& plate : view.analysis.plates) {
    for (const Vec3d& p : plate.centers_of_pressure) extend(p);
    for (const Vec3d& p : plate.corners) extend(p);
  }
  const bool turn = high[1] - low[1] > high[0] - low[0];
  if (turn) return {e2, e1};
  return {e1, -e2};
}

std::vector<std::pair<std::string, std::string>> make_tiles(const TrialView& view) {
  const TrialAnalysis& analysis = view.analysis;
  const MarkerTracks& markers = view.trial.markers;
  std::vector<std::pair<std::string, std::string>> tiles;
  const auto tile = [&](const std::string& value, const std::string& label) {
    tiles.emplace_back(value, label);
  };
  if (markers.markers() > 0) {
    tile(fmt::format("{:.2f} s", markers.times.back() - markers.times.front()), "recorded");
    tile(fmt::format("{}", markers.markers()), fmt::format("markers at {:g} Hz", markers.rate));
    double present = 0.0;
    for (const GapStatistics& gaps : analysis.gaps) present += gaps.fraction_present();
    const double percent = 100.0 * present / static_cast<double>(analysis.gaps.size());
    tile(percent == 100.0 ? "100 %" : fmt::format("{:.1f} %", std::min(percent, 99.9)),
         "of positions present");
  }
  if (!analysis.plates.empty()) {
    tile(fmt::format("{}", analysis.plates.size()),
         fmt::format("force plates at {:.4g} Hz", analysis.plates[0].rate));
    tile(fmt::format("{}", analysis.stances.size()), "stances on plates");
  }
  if (!analysis.weights.empty()) {
    tile(fmt::format("{:.0f} N", mean_weight(analysis)), "body weight, whole strides");
  }
  if (!analysis.walk.events.empty()) {
    tile(fmt::format("{:.2f} m/s", analysis.walking_speed),
         analysis.walk.on_treadmill() ? "walking speed, over the belt" : "walking speed");
  }
  for (size_t i = 0; i < analysis.films.size(); ++i) {
    tile(fmt::format("{:.0f} N", analysis.films[i].peak_force), "peak force on the film");
    tile(fmt::format("{:.0f} kPa", 1e-3 * analysis.films[i].peak_pressure), "peak pressure");
    tile(fmt::format("{:.0f} cm\u00b2", 1e4 * analysis.films[i].contact_area), "ever loaded");
  }
  return tiles;
}

// Runs of each marker that are missing or filled; what is neither is present.
Json make_presence(const TrialView& view) {
  const MarkerTracks& markers = view.trial.markers;
  Json rows = Json::array();
  const auto time_at = [&](int frame) {
    const int last = static_cast<int>(markers.frames()) - 1;
    return rounded(markers.times[std::clamp(frame, 0, last)], 4);
  };
  for (size_t i = 0; i < markers.markers(); ++i) {
    Json missing = Json::array(), filled = Json::array(), faults = Json::array();
    for (const Gap& gap : view.analysis.gaps[i].gaps) {
      missing.push_back({time_at(gap.first), time_at(gap.first + gap.count)});
    }
    for (const FilledMarker& f : view.filled) {
      if (f.marker != static_cast<int>(i)) continue;
      filled.push_back(
          {time_at(f.filled.gap.first), time_at(f.filled.gap.first + f.filled.gap.count)});
    }
    for (const MarkerFault& fault : view.analysis.faults) {
      if (std::find(fault.markers.begin(), fault.markers.end(), static_cast<int>(i)) ==
          fault.markers.end()) {
        continue;
      }
      faults.push_back({time_at(fault.first_frame), describe(fault, markers)});
    }
    rows.push_back({{"label", markers.labels[i]},
                    {"present", rounded(view.analysis.gaps[i].fraction_present(), 4)},
                    {"missing", missing},
                    {"filled", filled},
                    {"faults", faults}});
  }
  return rows;
}

// When anything was recorded.
std::pair<double, double> find_range(const TrialView& view) {
  std::pair<double, double> range{1e300, -1e300};
  const auto extend = [&](const std::vector<double>& times) {
    if (times.empty()) return;
    range.first = std::min(range.first, times.front());
    range.second = std::max(range.second, times.back());
  };
  extend(view.trial.markers.times);
  for (const PlateForces& plate : view.analysis.plates) extend(plate.times);
  return range;
}

std::string color_of(Foot foot) {
  return foot == Foot::kLeft ? "left" : foot == Foot::kRight ? "right" : "other";
}

std::vector<PlotBand> make_stance_bands(const TrialView& view) {
  std::vector<PlotBand> bands;
  for (const PlateContact& c : view.analysis.contacts) {
    bands.push_back({c.start, c.end, color_of(c.foot)});
  }
  return bands;
}

Json make_tracks(const TrialView& view, const Json& presence) {
  const MarkerTracks& markers = view.trial.markers;
  const size_t stride = stride_for(markers.frames(), kMostMarkerFrames);
  Json t = Json::array(), tracks = Json::array(), first = Json::array(), faults = Json::array();
  for (size_t k = 0; k < markers.frames(); k += stride) t.push_back(rounded(markers.times[k], 4));
  for (size_t i = 0; i < markers.markers(); ++i) {
    Json axes = Json::array();
    for (int axis = 0; axis < 3; ++axis) {
      Json values = Json::array();
      for (size_t k = 0; k < markers.frames(); k += stride) {
        values.push_back(rounded(1e3 * markers.at(k, i)[axis], 1));
      }
      axes.push_back(values);
    }
    tracks.push_back(axes);
    faults.push_back(presence[i]["faults"]);
  }
  for (const FootMarkers* foot : {&view.analysis.gait.left, &view.analysis.gait.right}) {
    if (foot->heel >= 0) first.push_back(foot->heel);
  }
  if (first.empty()) first.push_back(0);
  Json axes = Json::array(), bands = Json::array();
  for (const char axis : {'x', 'y', 'z'}) {
    const bool is_up = view.analysis.up_name.ends_with(axis);
    axes.push_back(std::string(1, axis) + (is_up ? " (vertical)" : ""));
  }
  for (const PlotBand& b : make_stance_bands(view)) bands.push_back({b.start, b.end, b.color});
  return {{"kind", "tracks"}, {"labels", markers.labels}, {"t", t},
          {"tracks", tracks}, {"first", first},           {"faults", faults},
          {"axes", axes},     {"bands", bands},           {"range", find_range(view)}};
}

std::vector<PlotEvent> make_event_marks(const TrialView& view) {
  std::vector<PlotEvent> events;
  for (const GaitEvent& e : view.analysis.walk.events) {
    const std::string label = fmt::format("{} {}", name_of(e.foot), name_of(e.kind));
    events.push_back(make_gait_mark(e.time, label, true, " (markers)"));
  }
  for (const MotionEvent& e : view.trial.events) {
    events.push_back(make_gait_mark(e.time, e.context + " " + e.label, false, " (file)"));
  }
  return events;
}

// A plate's curve has the colour of the foot that stands on it; a plate that nobody stood on shows
// its load alone.
using PlateValue = std::function<double(const PlateForces&, size_t sample)>;
std::vector<PlotSeries> make_plate_series(const TrialView& view, const PlateValue& value,
                                          bool is_load) {
  constexpr double kAround = 0.02;  // s beyond a stance
  std::vector<PlotSeries> series;
  for (size_t p = 0; p < view.analysis.plates.size(); ++p) {
    const PlateForces& plate = view.analysis.plates[p];
    const auto add = [&](PlotSeries curve, double start, double end) {
      for (size_t k = 0; k < plate.size(); ++k) {
        if (plate.times[k] < start || plate.times[k] > end) continue;
        curve.times.push_back(plate.times[k]);
        curve.y.push_back(value(plate, k));
      }
      if (!curve.times.empty()) series.push_back(std::move(curve));
    };
    bool is_used = false;
    for (const PlateContact& c : view.analysis.contacts) {
      if (c.plate != static_cast<int>(p)) continue;
      is_used = true;
      const std::string foot(name_of(c.foot));
      add({fmt::format("plate {}, {}", plate.name, foot),
           {},
           {},
           color_of(c.foot),
           foot == "both"      ? "both feet"
           : foot == "unknown" ? "foot unknown"
                               : foot + " foot"},
          c.start - kAround, c.end + kAround);
    }
    if (!is_used && is_load) {
      add({fmt::format("plate {}", plate.name), {}, {}, "other", "nobody on the plate"}, -1e300,
          1e300);
    }
  }
  return series;
}

void add_force_plots(const TrialView& view, HtmlPage* page) {
  int axes[2] = {0, 0}, count = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (std::abs(view.analysis.up[axis]) < 0.5) axes[std::min(count++, 1)] = axis;
  }
  const auto name = [&](int i) { return static_cast<char>('x' + axes[i]); };
  page->add_heading("Force and centre of pressure",
                    "Force on the subject, one colour per foot; bands are stances. Triangles at "
                    "the top: down for foot strike, up for foot off, filled as the markers tell, "
                    "hollow as the file says.");
  const auto show = [&](const std::string& title, const char* unit, int height, bool zero,
                        const PlateValue& value, bool first = false, bool last = false) {
    TimePlot plot;
    plot.title = title;
    plot.unit = unit;
    plot.series = make_plate_series(view, value, first);
    plot.bands = make_stance_bands(view);
    plot.range = find_range(view);
    plot.height = height;
    plot.zero = zero;
    plot.legend = first;
    plot.axis = last;
    if (first) plot.events = make_event_marks(view);
    page->add_plot(plot);
  };
  const auto force = [&](int i) {
    return [axis = axes[i]](const PlateForces& p, size_t k) { return p.forces[k][axis]; };
  };
  const auto point = [&](int i) {
    return [axis = axes[i]](const PlateForces& p, size_t k) {
      return 1e3 * p.centers_of_pressure[k][axis];
    };
  };
  show(
      "vertical force", "N", 260, true,
      [](const PlateForces& p, size_t k) { return p.normal_force(k); }, true);
  show(fmt::format("force along {}", name(0)), "N", 140, true, force(0));
  show(fmt::format("force along {}", name(1)), "N", 140, true, force(1));
  show(fmt::format("centre of pressure, {}", name(0)), "mm", 150, false, point(0));
  show(fmt::format("centre of pressure, {}", name(1)), "mm", 150, false, point(1));
  show(
      "free moment", "N m", 166, true,
      [](const PlateForces& p, size_t k) { return p.free_moments[k]; }, false, true);
}

// Outline of a foot through its markers at the frame nearest to `time`.
Json make_foot_outline(const TrialView& view, const TopView& top, Foot side, double time) {
  Json outline = Json::array();
  const MarkerTracks& markers = view.trial.markers;
  if (side != Foot::kLeft && side != Foot::kRight) return outline;
  if (markers.frames() == 0) return outline;
  const FootMarkers& foot =
      side == Foot::kLeft ? view.analysis.gait.left : view.analysis.gait.right;
  const auto after = std::lower_bound(markers.times.begin(), markers.times.end(), time);
  const auto k = std::min(static_cast<size_t>(after - markers.times.begin()), markers.frames() - 1);
  for (const int marker : {foot.heel, foot.inner, foot.toe, foot.outer}) {
    if (marker >= 0 && markers.has(k, marker)) outline.push_back(top.point(markers.at(k, marker)));
  }
  return outline;
}

Json make_footprint(const TrialView& view) {
  const TopView top = make_top_view(view);
  Json plates = Json::array(), paths = Json::array();
  for (const PlateForces& plate : view.analysis.plates) {
    Json corners = Json::array();
    for (const Vec3d& corner : plate.corners) corners.push_back(top.point(corner));
    plates.push_back({{"name", plate.name}, {"corners", corners}});
  }
  for (const PlateContact& contact : view.analysis.contacts) {
    const PlateForces& plate = view.analysis.plates[contact.plate];
    std::vector<size_t> samples;
    for (size_t k = 0; k < plate.size(); ++k) {
      const bool inside = plate.times[k] >= contact.start && plate.times[k] <= contact.end;
      // Below 50 N the point wanders by centimetres and would hide the path.
      if (inside && plate.is_loaded(k) && plate.normal_force(k) > 50.0) samples.push_back(k);
    }
    Json path = Json::array();
    const size_t stride = stride_for(samples.size(), 150);
    for (size_t i = 0; i < samples.size(); i += stride) {
      path.push_back(top.point(plate.centers_of_pressure[samples[i]]));
    }
    const double middle = contact.start + 0.4 * (contact.end - contact.start);
    paths.push_back({{"foot", name_of(contact.foot)},
                     {"start", rounded(contact.start, 3)},
                     {"end", rounded(contact.end, 3)},
                     {"path", path},
                     {"outline", make_foot_outline(view, top, contact.foot, middle)}});
  }
  const auto name = [](const Vec3d& v) {
    for (int i = 0; i < 3; ++i) {
      if (std::abs(v[i]) > 0.5)
        return std::string(v[i] < 0.0 ? "-" : "+") + static_cast<char>('x' + i);
    }
    return std::string();
  };
  return {{"kind", "footprint"},
          {"plates", plates},
          {"paths", paths},
          {"right", name(top.right)},
          {"down", name(top.down)}};
}

Json make_film(const PressureFilm& film) {
  const size_t cells = film.rows * film.cols;
  const size_t stride = stride_for(film.frames(), kMostFilmFrames);
  Json frames = Json::array(), t = Json::array(), force = Json::array(), cop = Json::array();
  std::vector<double> peak(cells, 0.0);
  for (size_t k = 0; k < film.frames(); ++k) {
    double sum = 0.0, row_sum = 0.0, col_sum = 0.0;
    for (size_t i = 0; i < cells; ++i) {
      const double p = film.pressures[k * cells + i];
      peak[i] = std::max(peak[i], p);
      sum += p;
      const size_t row = i / film.cols;
      row_sum += p * static_cast<double>(row);
      col_sum += p * static_cast<double>(i % film.cols);
    }
    if (k % stride != 0) continue;
    Json values = Json::array();
    for (size_t i = 0; i < cells; ++i)
      values.push_back(rounded(1e-3 * film.pressures[k * cells + i], 0));
    frames.push_back(values);
    t.push_back(rounded(film.start_time + static_cast<double>(k) * film.dt, 4));
    force.push_back(rounded(sum * film.cell_area(), 1));
    cop.push_back(sum > 0.0 ? Json{rounded(row_sum / sum, 2), rounded(col_sum / sum, 2)}
                            : Json(nullptr));
  }
  Json most = Json::array(), sensors = Json::array();
  for (size_t i = 0; i < cells; ++i) {
    most.push_back(rounded(1e-3 * peak[i], 0));
    sensors.push_back(film.has_sensor.empty() || film.has_sensor[i] != 0 ? 1 : 0);
  }
  Json colors = Json::array();
  constexpr int kShades = 64;
  for (int k = 0; k < kShades; ++k) colors.push_back(make_heat_color((k + 0.5) / kShades));
  return {{"kind", "film"},
          {"colors", colors},
          {"rows", film.rows},
          {"cols", film.cols},
          {"dr", 1e3 * film.row_spacing},
          {"dc", 1e3 * film.col_spacing},
          {"t", t},
          {"force", force},
          {"cop", cop},
          {"frames", frames},
          {"peak", most},
          {"sensors", sensors}};
}

void add_footprint(const TrialView& view, HtmlPage* page) {
  const bool knows_plates =
      std::any_of(view.analysis.plates.begin(), view.analysis.plates.end(),
                  [](const PlateForces& plate) { return !plate.corners.empty(); });
  page->add_heading(
      "Footprint on the plates",
      fmt::format("Seen from above: path of the centre of pressure (above 50 N; dot where it "
                  "begins), and the foot through its markers at 40 % of the stance.{}",
                  knows_plates ? "" : " The file does not tell where the plates are."));
  page->add_figure("", "", make_footprint(view), detail::kMotionScript);
}

void add_markers(const TrialView& view, HtmlPage* page) {
  const Json rows = make_presence(view);
  const auto complete =
      std::count_if(view.analysis.gaps.begin(), view.analysis.gaps.end(),
                    [](const GapStatistics& gaps) { return gaps.present == gaps.frames; });
  page->add_heading("Presence of markers",
                    fmt::format("{} of {} markers are complete. Red ticks: jumps, swaps and flips.",
                                complete, rows.size()));
  page->add_figure("", "", {{"kind", "presence"}, {"rows", rows}, {"range", find_range(view)}},
                   detail::kMotionScript);
  const size_t stride = stride_for(view.trial.markers.frames(), kMostMarkerFrames);
  page->add_heading(
      "Trajectories",
      fmt::format("Choose markers; point at a curve to read it.{}",
                  stride > 1 ? fmt::format(" One frame in {} is drawn.", stride) : ""));
  page->add_figure("", "", make_tracks(view, rows), detail::kMotionScript);
}

void add_film(const PressureFilm& film, const std::string& title, HtmlPage* page) {
  page->add_heading(
      title, fmt::format("{} x {} cells of {:.6g} x {:.6g} mm. Point at a cell to "
                         "read it; the line is the path of the centre of pressure.",
                         film.rows, film.cols, 1e3 * film.row_spacing, 1e3 * film.col_spacing));
  const Json spec = make_film(film);
  page->add_figure("", "", spec, detail::kMotionScript);
  if (film.frames() < 2) return;
  TimePlot plot;
  plot.title = "force on the film";
  plot.unit = "N";
  plot.zero = true;
  plot.legend = false;
  plot.times = spec["t"].get<std::vector<double>>();
  plot.series = {{"force", spec["force"].get<std::vector<double>>()}};
  page->add_plot(plot);
}

}  // namespace

std::string make_motion_page(const TrialView& view) {
  const TrialAnalysis& analysis = view.analysis;
  const bool has_markers = view.trial.markers.markers() > 0;
  const std::string up =
      has_markers || !analysis.plates.empty() ? fmt::format("; {} up", analysis.up_name) : "";
  HtmlPage page(view.stem,
                fmt::format("{}  ({}{})", fmt::join(view.files, " + "), view.trial.format, up));
  page.add_tiles(make_tiles(view));
  if (!view.edits.empty()) {
    page.add_notes("What was done to the recording", view.edits, HtmlPage::Mood::kGood);
  }
  page.add_findings(analysis.warnings,
                    "No warnings: nothing is missing, jumps or contradicts itself.");
  if (has_markers && !analysis.walk.why_none.empty()) {
    page.add_text("No gait events from markers: " + analysis.walk.why_none + ".");
  }
  if (!analysis.plates.empty()) add_force_plots(view, &page);
  if (!analysis.contacts.empty()) add_footprint(view, &page);
  if (has_markers) add_markers(view, &page);
  for (size_t k = 0; k < view.trial.films.size(); ++k) {
    add_film(view.trial.films[k],
             view.trial.films.size() > 1 ? fmt::format("Pressure film {}", k + 1) : "Pressure film",
             &page);
  }
  return page.as_html();
}

}  // namespace vesica
