#include "vesica/report/markers_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "vesica/report/figures.h"
#include "vesica/report/gait_marks.h"
#include "vesica/report/html_page.h"
#include "vesica/report/markers_script.h"

namespace vesica::markers {
namespace {

// Frames that the view holds: enough to see the motion, small enough for a page.
constexpr int kViewFrames = 400;
constexpr double kFrameTime = 0.01;  // [s]; recordings follow each other in it

// The axis along which the markers' mean heights differ most is taken as up.
char find_up(const Run& run) {
  const Frame f = run.id->frames.frame(0);
  Vec3d low = Vec3d::Constant(1e300), high = Vec3d::Constant(-1e300);
  for (size_t m = 0; m < run.model.markers.size(); ++m) {
    if (f.weights[m] <= 0) continue;
    low = low.cwiseMin(f.positions[m]);
    high = high.cwiseMax(f.positions[m]);
  }
  return high.z() - low.z() > high.y() - low.y() ? 'z' : 'y';
}

// Measured and fitted markers and the segments' joints.
nlohmann::json make_cloud(const Run& run) {
  const Geometry geometry = calc_geometry(run.model, run.id->d);
  nlohmann::json view = {{"kind", "cloud"}, {"up", std::string(1, find_up(run))}};
  // A segment is drawn from its proximal joint to its distal ones and to its markers.
  const int frames = run.id->frames.frame_count();
  const int stride = frames / kViewFrames + 1;
  const auto round = [](double x) { return std::isfinite(x) ? std::round(x * 1e4) / 1e4 : 0.0; };
  const auto add = [&](nlohmann::json& list, const Vec3d& p) {
    for (int k = 0; k < 3; ++k) list.push_back(round(p[k]));
  };
  for (int k = 0; k < frames; k += stride) {
    nlohmann::json measured = nlohmann::json::array(), fitted = nlohmann::json::array(),
                   bones = nlohmann::json::array();
    const Frame frame = run.id->frames.frame(k);
    const SegmentPose* poses = run.id->frames.poses(k);
    for (size_t m = 0; m < run.model.markers.size(); ++m) {
      const Vec3d at = calc_marker(geometry, run.model, static_cast<int>(m), poses);
      add(fitted, at);
      add(measured, frame.weights[m] > 0 ? frame.positions[m] : at);
    }
    const auto center = [&](size_t j, bool child) {
      const Joint& joint = run.model.joints[j];
      const SegmentPose pose = child                     ? poses[joint.child]
                               : joint.parent == kGround ? SegmentPose{}
                                                         : poses[joint.parent];
      const auto& g = geometry.joints[j];
      return Vec3d(pose.p_WS +
                   as_rotation(pose.q_WS) * (child ? g.child_center.value : g.parent_center.value));
    };
    for (size_t a = 0; a < run.model.joints.size(); ++a) {
      for (size_t b = 0; b < run.model.joints.size(); ++b) {
        if (run.model.joints[a].child != run.model.joints[b].parent) continue;
        add(bones, center(a, true));
        add(bones, center(b, false));
      }
    }
    for (size_t m = 0; m < run.model.markers.size(); ++m) {
      add(bones, poses[run.model.markers[m].segment].p_WS);
      add(bones, calc_marker(geometry, run.model, static_cast<int>(m), poses));
    }
    view["frames"].push_back({{"m", measured}, {"f", fitted}, {"b", bones}});
    view["t"].push_back(k * kFrameTime);
  }
  return view;
}

// A picture of all correlations, and the strongest by name.
void add_correlations(const Run& run, HtmlPage* page) {
  const Eigen::MatrixXd correlation = calc_correlation(run.confidence.covariance);
  const auto n = correlation.rows();
  if (n < 2) return;
  nlohmann::json spec = {{"kind", "matrix"}, {"label", "correlations"}};
  for (Eigen::Index r = 0; r < n; ++r) {
    spec["names"].push_back(run.model.parameters[r].name);
    for (Eigen::Index c = 0; c < n; ++c) {
      const double x = correlation(r, c);
      spec["values"].push_back(std::isfinite(x) ? std::round(x * 100) / 100 : 0.0);
    }
  }
  page->begin_details("Correlations of the errors (white noise)");
  page->add_figure("", "orange: together, blue: against each other; point at a cell for its names",
                   spec, vesica::detail::kMarkersScript);
  std::vector<std::vector<std::string>> rows;
  constexpr size_t kMaxRows = 30;
  for (const auto& pair : find_correlated_pairs(run, 0.8)) {
    if (rows.size() == kMaxRows) break;
    rows.push_back({run.model.parameters[pair.a].name + ", " + run.model.parameters[pair.b].name,
                    fmt::format("{:+.3f}", pair.correlation)});
  }
  if (!rows.empty()) page->add_table({"pair", "correlation"}, rows);
  page->end_details();
}

void add_parameters(const Run& run, HtmlPage* page) {
  page->add_heading("Parameters");
  if (run.id->d.size() == 0) {
    page->add_text(
        "The model has none to find: its constants are given, or follow from the "
        "standing trial.");
    return;
  }
  std::vector<std::vector<std::string>> rows;
  for (int k = 0; k < run.id->d.size(); ++k) {
    const Parameter& p = run.model.parameters[k];
    const char* unit = unit_for_people(p.unit);
    const auto interval = [&](double half) {
      return std::isfinite(half) ? fmt::format("\u00b1 {:.3g} {}", for_people(p.unit, half), unit)
                                 : std::string("none");
    };
    rows.push_back({p.name, fmt::format("{:.2f} {}", for_people(p.unit, run.id->d[k]), unit),
                    interval(run.confidence.half_width[k]),
                    interval(run.confidence.robust_half_width[k]),
                    run.confidence.identifiable[k] ? "" : "not determined by this motion"});
  }
  page->add_table({"parameter", "value", "95 % interval, white noise",
                   "95 % interval, autocorrelated noise", ""},
                  rows, {4});
  if (!run.confidence.undetermined.empty()) {
    std::vector<std::string> lines;
    for (const Combination& c : run.confidence.undetermined) {
      lines.push_back(fmt::format("{}: {}", c.text, c.remedy));
    }
    page->add_notes("What this motion does not determine", lines, HtmlPage::Mood::kBad);
  }
  add_correlations(run, page);
}

void add_errors(const Run& run, HtmlPage* page) {
  page->add_heading("Marker errors");
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& name, const MarkerError& e) {
    std::vector<std::string> row = {name};
    for (const double x : {e.mean, e.sd, e.rms, e.max}) {
      row.push_back(fmt::format("{:.2f}", x * 1e3));
    }
    row.push_back(fmt::format("{}", e.seen));
    row.push_back(fmt::format("{}", e.missing));
    rows.push_back(std::move(row));
  };
  for (size_t m = 0; m < run.model.markers.size(); ++m) {
    add(run.model.markers[m].name, run.errors.markers[m]);
  }
  add("all", run.errors.all);
  page->add_table({"marker", "mean [mm]", "sd [mm]", "rms [mm]", "max [mm]", "seen", "missing"},
                  rows);
}

std::vector<PlotEvent> make_gait_events(const Run& run, const std::string& trial) {
  std::vector<PlotEvent> events;
  for (const TimedEvent& e : run.events) {
    if (e.trial != trial) continue;
    events.push_back(make_gait_mark(e.time, e.label, true));
  }
  return events;
}

void add_trial(const Run& run, size_t trial, int first, HtmlPage* page) {
  const Trial& source = run.trials[trial];
  const TimeTable table = make_joint_table(run, trial);
  const auto events = make_gait_events(run, source.name);
  page->add_heading(source.name, events.empty()
                                     ? ""
                                     : "Triangles: gait events, blue of the left foot, orange "
                                       "of the right; down for foot strike, up for foot off.");
  page->begin_grid();
  const auto show = [&](const std::string& title, const char* unit,
                        std::vector<PlotSeries> series) {
    const bool any = std::any_of(series.begin(), series.end(), [](const PlotSeries& s) {
      return std::any_of(s.y.begin(), s.y.end(), [](double y) { return std::isfinite(y); });
    });
    if (!any) return;
    TimePlot plot;
    plot.title = title;
    plot.unit = unit;
    plot.times = table.times;
    plot.series = std::move(series);
    plot.events = events;
    page->add_plot(plot);
  };
  PlotSeries mean{"mean error", {}};
  for (int f = 0; f < source.frame_count(); ++f) {
    mean.y.push_back(run.errors.frame_mean[first + f] * 1e3);
  }
  show("Mean error of the markers", "mm", {mean});
  // A plot a joint.
  const auto coordinates = make_joint_angles(run).columns();
  for (size_t c = 0; c < coordinates.size();) {
    size_t end = c;
    std::vector<PlotSeries> series;
    while (end < coordinates.size() && coordinates[end].segment == coordinates[c].segment) {
      if (coordinates[end].angle) series.push_back({coordinates[end].name, table.column(end)});
      ++end;
    }
    const int j = run.model.tree_joint[coordinates[c].segment];
    show(j >= 0 ? run.model.joints[j].name : run.model.segments[coordinates[c].segment].name, "deg",
         std::move(series));
    c = end;
  }
  page->end_grid();
}

std::string make_page(const Run& run) {
  const Summary& s = run.id->summary;
  HtmlPage page(run.model.name,
                fmt::format("{} of {}, {}", count_of(run.id->frames.frame_count(), "frame"),
                            count_of(static_cast<long>(run.trials.size()), "recording"),
                            count_of(run.variable_count(), "variable")));
  page.add_tiles(
      {{fmt::format("{:.1f} \u00b1 {:.1f} mm", run.errors.all.mean * 1e3, run.errors.all.sd * 1e3),
        "mean marker error"},
       {s.converged ? "converged" : "NOT converged",
        fmt::format("in {}, relative KKT residual {:.1e}",
                    count_of(static_cast<long>(s.iterations.size()), "iteration"), s.kkt_relative)},
       {s.minimum ? "a minimum" : "no minimum confirmed",
        s.minimum ? "second derivatives confirm it" : "by second derivatives"},
       {fmt::format("{} s", format_figure(s.seconds_start + s.seconds_solve, 2)),
        fmt::format("start {:.2f} s, solution {:.2f} s", s.seconds_start, s.seconds_solve)}});
  page.add_findings(run.warnings, "No warnings.");
  page.add_figure("", "Drag to turn. Orange: measured, blue: model.", make_cloud(run),
                  vesica::detail::kMarkersScript);
  add_parameters(run, &page);
  add_errors(run, &page);
  int first = 0;
  for (size_t t = 0; t < run.trials.size(); ++t) {
    add_trial(run, t, first, &page);
    first += run.trials[t].frame_count();
  }
  return page.as_html();
}

}  // namespace
}  // namespace vesica::markers

namespace vesica {

std::string make_markers_page(const markers::Run& run) { return markers::make_page(run); }

}  // namespace vesica
