#include "vesica/report/foot_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "vesica/report/colors.h"
#include "vesica/report/figures.h"
#include "vesica/report/foot_dynamics_page.h"
#include "vesica/report/foot_script.h"
#include "vesica/report/html_page.h"

namespace vesica {
namespace {

struct Kind {
  const char* name;
  const char* words;
  const std::vector<FootResult> FootStudy::*results;
};
constexpr Kind kKinds[] = {
    {"calibration", "one stance, contact, toe and motion correction fitted",
     &FootStudy::calibration},
    {"refitted", "other stances, contact frozen, toe and correction fitted anew",
     &FootStudy::refitted},
    {"joint", "all calibrating stances fitted together, no correction", &FootStudy::joint},
    {"blind", "other stances, nothing fitted", &FootStudy::blind},
    {"mean curve", "other stances, no model: the mean measured curve", &FootStudy::mean_curve},
    {"six spheres", "other stances, nothing fitted: another contact, calibrated alike",
     &FootStudy::six_spheres},
    {"imposed", "other stances, measured force given: where it acts is foretold",
     &FootStudy::imposed},
};

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f}", 100 * share) : "";
}

// Means over some results; the placebo's beside them.
struct Mean {
  double force = 0, cop = 0, pressure = 0, worst = 0;
  int count = 0;

  void add(const FootErrors& e) {
    force += e.force;
    cop += e.cop;
    pressure += e.pressure;
    worst = std::max(worst, e.force);
    ++count;
  }
};

Mean find_placebo(const FootStudy& study, const std::string& kind, const std::string& side) {
  Mean mean;
  for (const FootResult& r : study.placebo) {
    if (r.side == side && find_placebo_kind(r) == kind) mean.add(r.errors);
  }
  return mean;
}

std::vector<std::vector<std::string>> make_error_rows(const FootStudy& study) {
  std::vector<std::vector<std::string>> rows;
  for (const Kind& kind : kKinds) {
    for (const std::string side : {"left", "right"}) {
      Mean mean;
      for (const FootResult& r : study.*kind.results) {
        if (r.side == side) mean.add(r.errors);
      }
      if (mean.count == 0) continue;
      const Mean placebo = find_placebo(study, kind.name, side);
      const bool given = std::string_view(kind.name) == "imposed";
      rows.push_back(
          {kind.name, side, fmt::format("{}", mean.count),
           given ? "given" : percent(mean.force / mean.count), given ? "" : percent(mean.worst),
           percent(mean.cop / mean.count), percent(mean.pressure / mean.count),
           placebo.count > 0
               ? fmt::format("{} / {}", given ? "given" : percent(placebo.force / placebo.count),
                             percent(placebo.cop / placebo.count))
               : "",
           kind.words});
    }
  }
  return rows;
}

std::vector<std::vector<std::string>> make_group_rows(const FootStudy& study) {
  std::vector<std::vector<std::string>> rows;
  for (const FootGroup& g : study.groups) {
    const bool given = g.kind == "imposed";
    rows.push_back({g.kind, g.side, g.speed, fmt::format("{}", g.stances),
                    given ? "given" : percent(g.errors.force), percent(g.errors.cop),
                    percent(g.errors.pressure)});
  }
  return rows;
}

nlohmann::json pack_pictures(const std::vector<FootPressureFrame>& pictures, double peak) {
  nlohmann::json frames = nlohmann::json::array();
  for (const FootPressureFrame& picture : pictures) {
    nlohmann::json frame = nlohmann::json::array();
    for (const double p : picture.pressure) {
      frame.push_back(static_cast<int>(std::ceil(p / peak * 1000)));
    }
    frames.push_back(std::move(frame));
  }
  return frames;
}

nlohmann::json pack_cop(const FootCurveSet& c, const std::vector<Eigen::Vector2d>& cop) {
  nlohmann::json points = nlohmann::json::array();
  for (const FootPressureFrame& picture : c.measured_pressure) {
    const Eigen::Vector2d mm = 1e3 * cop[picture.frame];
    const auto round = [](double x) { return std::round(10 * x) / 10; };
    points.push_back(mm.allFinite() ? nlohmann::json{round(mm.x()), round(mm.y())}
                                    : nlohmann::json());
  }
  return points;
}

void add_footprint(HtmlPage& page, const FootCurveSet& c) {
  if (c.measured_pressure.empty()) return;
  double peak = 1;
  for (const auto* pictures : {&c.measured_pressure, &c.simulated_pressure}) {
    for (const FootPressureFrame& picture : *pictures) {
      peak = std::max(peak, *std::max_element(picture.pressure.begin(), picture.pressure.end()));
    }
  }
  nlohmann::json spec = {{"kind", "footprint"},
                         {"nx", c.grid.columns},
                         {"ny", c.grid.rows},
                         {"x0", 1e3 * c.grid.corner.x()},
                         {"y0", 1e3 * c.grid.corner.y()},
                         {"cell", {1e3 * c.grid.cell.x(), 1e3 * c.grid.cell.y()}},
                         {"peak", 1e-3 * peak},
                         {"unit", "kPa"},
                         {"levels", 1000},
                         {"panels",
                          {{{"name", "measured"},
                            {"frames", pack_pictures(c.measured_pressure, peak)},
                            {"cop", pack_cop(c, c.measured_cop)}},
                           {{"name", "simulated"},
                            {"frames", pack_pictures(c.simulated_pressure, peak)},
                            {"cop", pack_cop(c, c.simulated_cop)}}}}};
  spec["t"] = nlohmann::json::array();
  for (const FootPressureFrame& p : c.measured_pressure) spec["t"].push_back(c.times[p.frame]);
  spec["colors"] = nlohmann::json::array();
  for (int k = 0; k < 64; ++k) spec["colors"].push_back(make_heat_color((k + 0.5) / 64));
  page.add_figure(
      fmt::format("{}, {} foot, {}: footprint", c.result.trial, c.result.side, c.kind),
      fmt::format(
          "Pressure, error {} % (5.56) over {} pictures; the line is the path of the centre "
          "of pressure, of the plate and of the model.",
          percent(c.result.errors.pressure), c.measured_pressure.size()),
      spec, detail::kFootprintScript);
}

void add_stance(HtmlPage& page, const FootCurveSet& c) {
  const std::string title = fmt::format("{}, {} foot, {}", c.result.trial, c.result.side, c.kind);
  page.begin_grid();
  TimePlot force;
  force.title = title + ": normal force";
  force.unit = "N";
  force.times = c.times;
  force.zero = true;
  force.series = {{"measured", c.measured}, {"simulated", c.simulated}};
  force.note = fmt::format("error {} % of body weight", percent(c.result.errors.force));
  page.add_plot(force);
  TimePlot cop;
  cop.title = "Centre of pressure";
  cop.unit = "m";
  cop.times = c.times;
  for (int k = 0; k < 2; ++k) {
    PlotSeries measured{k == 0 ? "x measured" : "y measured", {}};
    PlotSeries simulated{k == 0 ? "x simulated" : "y simulated", {}};
    for (size_t f = 0; f < c.times.size(); ++f) {
      measured.y.push_back(c.measured_cop[f][k]);
      simulated.y.push_back(c.simulated_cop[f][k]);
    }
    cop.series.push_back(measured);
    cop.series.push_back(simulated);
  }
  cop.note = fmt::format("error {} % of 0.2 m; from the heel while the foot is flat, y "
                         "along the first walk's feet; a left foot turned over in x",
                         percent(c.result.errors.cop));
  page.add_plot(cop);
  add_footprint(page, c);
  page.end_grid();
}

// Ellipsoids under the foot as it moves, with what presses up.
void add_foot_player(HtmlPage& page, const FootCurveSet& c) {
  Player player;
  player.title = fmt::format("{}, {} foot, {}: ellipsoids under the foot", c.result.trial,
                             c.result.side, c.kind);
  player.note = "Turn it with the mouse. Arrows: measured and simulated force where they act.";
  player.across = 1;
  player.up = 2;
  player.times = c.times;
  PlayedBody ground;
  ground.name = "ground";
  ground.shape = PlayedBody::Shape::kHalfSpace;
  ground.poses = {0, 0, 0, 1, 0, 0, 0};
  player.bodies.push_back(ground);
  for (const FootEllipsoid& e : c.foot.ellipsoids) {
    PlayedBody body;
    body.name = e.name;
    body.shape = PlayedBody::Shape::kEllipsoid;
    const Mat3d R = as_rotation_123(e.angles);
    for (int k = 0; k < 3; ++k) {
      const auto at = static_cast<size_t>(k);
      body.size[at] = e.radii[k];
      body.shape_position[at] = e.position[k];
      for (int j = 0; j < 3; ++j) body.shape_rotation[3 * at + static_cast<size_t>(j)] = R(k, j);
    }
    for (const FootFrame& frame : c.frames) {
      const Pose<double> X = calc_segment_motion(c.foot, frame, e.segment).X_WB;
      const Quaternion<double> q = as_quaternion(X.R_WB);
      body.poses.insert(body.poses.end(), {X.p_WB.x(), X.p_WB.y(), X.p_WB.z(), q.w, q.x, q.y, q.z});
    }
    player.bodies.push_back(std::move(body));
  }
  const auto arrows = [&](const char* name, const std::vector<double>& force,
                          const std::vector<Eigen::Vector2d>& cop) {
    PlayedForce f{name, {}};
    for (size_t k = 0; k < force.size(); ++k) {
      f.values.insert(f.values.end(), {cop[k].x(), cop[k].y(), 0, 0, 0, force[k]});
    }
    player.forces.push_back(std::move(f));
  };
  arrows("measured", c.measured, c.measured_cop);
  arrows("simulated", c.simulated, c.simulated_cop);
  page.add_player(player);
}

bool has_truth(const FootStudy& study) {
  return std::any_of(study.parameters.begin(), study.parameters.end(),
                     [](const FootParameter& p) { return std::isfinite(p.truth); });
}

std::vector<std::vector<std::string>> make_parameter_rows(const FootStudy& study) {
  std::vector<std::vector<std::string>> rows;
  for (const FootParameter& p : study.parameters) {
    const bool length = p.unit == "m";
    const double factor = length ? 1e3 : 1;
    std::vector<std::string> row{p.side + " " + p.name, format_figure(factor * p.start, 4),
                                 format_figure(factor * p.value, 4),
                                 format_figure(factor * p.low, 3) + " to " +
                                     format_figure(factor * p.high, 3),
                                 length ? "mm" : p.unit,
                                 p.at_bound       ? "on a bound"
                                 : p.identifiable ? "yes"
                                                  : "no"};
    if (has_truth(study)) row.push_back(format_figure(factor * p.truth, 4));
    rows.push_back(std::move(row));
  }
  return rows;
}

void add_source_runs(HtmlPage& page, const FootStudy& study) {
  if (study.source_runs.empty()) return;
  page.add_heading(
      "The source's runs",
      "The same stance fitted with and without friction and pressure, beside what "
      "Brown reports of his own (Tables 5.5, 5.7, 5.9), in per cent. Friction and free "
      "moment: of the largest measured. Coefficient: Brown's came out as 0.14, where "
      "skin on tiles has 0.65.");
  std::vector<std::vector<std::string>> rows;
  for (const FootSourceRun& r : study.source_runs) {
    std::vector<std::string> row{r.name, r.side};
    for (const FootSourceRun::Errors* e : {&r.errors, &r.published}) {
      row.insert(row.end(),
                 {percent(e->normal.force), percent(e->normal.cop), percent(e->normal.pressure),
                  percent(e->friction), percent(e->free_moment)});
    }
    row.push_back(std::isfinite(r.coefficient) ? fmt::format("{:.2f}", r.coefficient) : "");
    row.push_back(fmt::format("{:.2f}", r.seconds));
    rows.push_back(std::move(row));
  }
  page.add_table(
      {"run", "side", "force", "point", "pressure", "friction", "free moment", "Brown: force",
       "point", "pressure", "friction", "free moment", "coefficient", "seconds"},
      rows, {1});
}

void add_costs(HtmlPage& page, const FootStudy& study) {
  page.add_heading("Costs", "What was minimised, over the iterations of each fit.");
  page.begin_grid();
  for (const FootHistory& h : study.history) {
    TimePlot plot;
    plot.title = h.name;
    plot.x_label = "iteration";
    plot.zero = false;
    PlotSeries costs{"logarithm of the cost", {}};
    for (size_t k = 0; k < h.costs.size(); ++k) {
      plot.times.push_back(static_cast<double>(k));
      costs.y.push_back(std::log10(std::max(h.costs[k], 1e-300)));
    }
    plot.series = {costs};
    page.add_plot(plot);
  }
  page.end_grid();
  for (const FootHistory& s : study.starts) {
    const auto [least, most] = std::minmax_element(s.costs.begin(), s.costs.end());
    const auto near = std::count_if(s.costs.begin(), s.costs.end(),
                                    [&, least = least](double c) { return c < 1.01 * *least; });
    page.add_text(
        fmt::format("{}: {} starts ended between {:.4g} and {:.4g}; {} within 1 % of the "
                    "best.",
                    s.name, s.costs.size(), *least, *most, near));
  }
}

}  // namespace

std::string make_foot_page(const FootStudy& study, const std::string& subtitle) {
  HtmlPage page(study.title.empty() ? "A foot from gait" : study.title, subtitle);
  if (study.interrupted) page.add_interruption();
  page.add_findings(study.verdicts, "No verdict.");
  page.add_heading(
      "Errors",
      fmt::format(
          "Force: rms over the stance, of body weight (Brown 5.53). Centre of pressure: rms where "
          "measured and simulated force exceed {:g} N, of 0.2 m (5.55). Pressure: the force that "
          "is in the wrong cells, of body weight (5.56). Per cent; mean over stances. Blind: "
          "nothing is fitted; when the stance begins and ends is known from its plate. Placebo: "
          "the same fit to forces that were not measured (imposed: points of action), force / "
          "centre of pressure.",
          study.cop_threshold));
  page.add_table({"what", "side", "stances", "force %", "worst %", "centre of pressure %",
                  "pressure %", "placebo", "meaning"},
                 make_error_rows(study), {1, 8});
  page.add_subheading("By speed");
  page.add_table(
      {"what", "side", "speed", "stances", "force %", "centre of pressure %", "pressure %"},
      make_group_rows(study), {1, 2});
  add_source_runs(page, study);
  page.add_heading("Stances");
  bool first_blind = true;
  for (const FootCurveSet& c : study.curves) {
    add_stance(page, c);
    if (c.kind != "blind" || first_blind) add_foot_player(page, c);
    if (c.kind == "blind") first_blind = false;
  }
  page.add_heading(
      "Parameters",
      "Of the contact that was fitted to all calibrating stances without corrections. A "
      "parameter counts as determined where it is within its bounds and the data narrow its prior "
      "to less than half. Those of a left foot are of the foot turned over in x, as if it were a "
      "right one; the files are not turned over.");
  std::vector<std::string> columns{"parameter", "start", "value", "95 %", "unit", "determined"};
  if (has_truth(study)) columns.push_back("truth");
  page.add_table(columns, make_parameter_rows(study), {3, 4, 5});
  for (const FootLargestCorrection& c : study.corrections) {
    page.add_text(fmt::format(
        "{} foot: the calibration's correction moves the foot by up to {:.1f}, {:.1f}, {:.1f} mm "
        "and {:.3f}, {:.3f}, {:.3f} rad about x, y, z. Limits are those of its knots; the curve "
        "that acts has its mean taken off.",
        c.side, 1e3 * c.shift.x(), 1e3 * c.shift.y(), 1e3 * c.shift.z(), c.turn.x(), c.turn.y(),
        c.turn.z()));
  }
  add_foot_dynamics(study.dynamics, &page);
  for (const std::string& words : study.undetermined) page.add_text(words);
  add_costs(page, study);
  if (!study.remarks.empty()) {
    page.add_heading("Remarks");
    for (const std::string& remark : study.remarks) page.add_text(remark);
  }
  return page.as_html();
}

}  // namespace vesica
