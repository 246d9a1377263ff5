// The data of the trial overview page; motion_page.cpp holds the page itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/report/motion_page.h"
#include "vesica/report/motion_trial.h"

namespace vesica {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostMarkerFrames = 600;  // per marker in the page
constexpr size_t kMostSamples = 1500;      // per force curve
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

Json make_tiles(const TrialView& view) {
  const TrialAnalysis& analysis = view.analysis;
  const MarkerTracks& markers = view.trial.markers;
  Json tiles = Json::array();
  const auto tile = [&](const std::string& value, const std::string& label) {
    tiles.push_back({value, label});
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
  if (!analysis.marker_events.empty() && analysis.walking_speed > 0.1) {
    tile(fmt::format("{:.2f} m/s", analysis.walking_speed), "walking speed");
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

Json make_trajectories(const TrialView& view) {
  const MarkerTracks& markers = view.trial.markers;
  const size_t stride = stride_for(markers.frames(), kMostMarkerFrames);
  Json t = Json::array(), tracks = Json::array(), first = Json::array();
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
  }
  for (const FootMarkers* foot : {&view.analysis.gait.left, &view.analysis.gait.right}) {
    if (foot->heel >= 0) first.push_back(foot->heel);
  }
  if (first.empty()) first.push_back(0);
  return {{"t", t}, {"stride", stride}, {"tracks", tracks}, {"first", first}};
}

Json make_forces(const TrialView& view) {
  const Vec3d& up = view.analysis.up;
  Json plates = Json::array();
  for (const PlateForces& plate : view.analysis.plates) {
    const size_t stride = stride_for(plate.size(), kMostSamples);
    Json t = Json::array(), load = Json::array(), moment = Json::array();
    Json horizontal[2] = {Json::array(), Json::array()}, point[2] = {Json::array(), Json::array()};
    int axes[2], count = 0;
    for (int axis = 0; axis < 3; ++axis) {
      if (std::abs(up[axis]) < 0.5) axes[std::min(count++, 1)] = axis;
    }
    for (size_t k = 0; k < plate.size(); k += stride) {
      t.push_back(rounded(plate.times[k], 4));
      load.push_back(rounded(plate.normal_force(k), 1));
      moment.push_back(rounded(plate.free_moments[k], 2));
      for (int i = 0; i < 2; ++i) {
        horizontal[i].push_back(rounded(plate.forces[k][axes[i]], 1));
        point[i].push_back(rounded(1e3 * plate.centers_of_pressure[k][axes[i]], 1));
      }
    }
    plates.push_back({{"name", plate.name},
                      {"t", t},
                      {"load", load},
                      {"a", horizontal[0]},
                      {"b", horizontal[1]},
                      {"pa", point[0]},
                      {"pb", point[1]},
                      {"moment", moment},
                      {"axes",
                       {std::string(1, static_cast<char>('x' + axes[0])),
                        std::string(1, static_cast<char>('x' + axes[1]))}}});
  }
  return plates;
}

Json make_steps(const TrialView& view) {
  Json steps = Json::array();
  for (const PlateContact& c : view.analysis.contacts) {
    steps.push_back({{"foot", name_of(c.foot)},
                     {"plate", c.plate},
                     {"start", rounded(c.start, 4)},
                     {"end", rounded(c.end, 4)},
                     {"peak", rounded(c.peak_force, 0)},
                     {"partial", c.partial}});
  }
  return steps;
}

Json make_events(const TrialView& view) {
  Json events = Json::array();
  for (const GaitEvent& e : view.analysis.marker_events) {
    events.push_back({{"t", rounded(e.time, 4)},
                      {"foot", name_of(e.foot)},
                      {"kind", name_of(e.kind)},
                      {"from", "markers"}});
  }
  for (const MotionEvent& e : view.trial.events) {
    const std::string foot = e.context == "Left"    ? "left"
                             : e.context == "Right" ? "right"
                                                    : "unknown";
    events.push_back(
        {{"t", rounded(e.time, 4)}, {"foot", foot}, {"kind", e.label}, {"from", "file"}});
  }
  return events;
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
  return {
      {"plates", plates}, {"paths", paths}, {"right", name(top.right)}, {"down", name(top.down)}};
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
  return {{"rows", film.rows},
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

}  // namespace

std::string make_report_page(const TrialView& view) {
  const bool has_markers = view.trial.markers.markers() > 0;
  Json films = Json::array();
  for (const PressureFilm& film : view.trial.films) films.push_back(make_film(film));
  const Json data = {{"title", view.stem},
                     {"files", view.files},
                     {"format", view.trial.format},
                     {"up", view.analysis.up_name},
                     {"tiles", make_tiles(view)},
                     {"warnings", view.analysis.warnings},
                     {"edits", view.edits},
                     {"presence", has_markers ? make_presence(view) : Json(nullptr)},
                     {"trajectories", has_markers ? make_trajectories(view) : Json(nullptr)},
                     {"forces", make_forces(view)},
                     {"steps", make_steps(view)},
                     {"events", make_events(view)},
                     {"footprint", make_footprint(view)},
                     {"films", films}};
  std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  // Inside a script element only "</" could end it; in JSON the slash may be escaped.
  for (size_t at = text.find("</"); at != std::string::npos; at = text.find("</", at + 3)) {
    text.replace(at, 2, "<\\/");
  }
  std::string page(kMotionPage);
  const std::string mark = "/*DATA*/";
  page.replace(page.find(mark), mark.size(), text);
  return page;
}

}  // namespace vesica
