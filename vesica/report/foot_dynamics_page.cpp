#include "vesica/report/foot_dynamics_page.h"

#include <fmt/format.h>

#include <cmath>

#include "vesica/report/figures.h"

namespace vesica {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string share(double x) { return std::isfinite(x) ? fmt::format("{:.1f}", 100 * x) : ""; }

// One cell: value and interval of every parameter, those that are not determined in brackets.
std::string list_parameters(const FrictionFit& fit, const std::vector<double>& truth = {}) {
  std::string text;
  for (size_t k = 0; k < fit.parameters.size(); ++k) {
    const FrictionParameter& p = fit.parameters[k];
    std::string one = fmt::format("{} {} ({} to {}{})", p.name, format_figure(p.value, 3),
                                  format_figure(p.low, 2), format_figure(p.high, 2),
                                  k < truth.size() ? "; true " + format_figure(truth[k], 3) : "");
    if (!p.unit.empty()) one += " " + p.unit;
    text += (text.empty() ? "" : ", ") + (p.identifiable ? one : "[" + one + "]");
  }
  return text;
}

Rows make_friction_rows(const FootDynamics& d) {
  Rows rows;
  for (const FootFrictionResult& r : d.friction) {
    rows.push_back({r.fit.law, r.side, r.fit.simulation, r.shear, share(r.fit.errors.along),
                    share(r.fit.errors.across), share(r.fit.errors.of_largest),
                    share(r.fit.errors.free_moment), list_parameters(r.fit)});
  }
  for (const ShearBaseline& b : d.baselines) {
    rows.push_back({"none at all", b.side, "other stances", "measured", share(b.none.along),
                    share(b.none.across), share(b.none.of_largest), share(b.none.free_moment), ""});
    rows.push_back({"mean curve", b.side, "other stances", "measured", share(b.mean_curve.along),
                    share(b.mean_curve.across), share(b.mean_curve.of_largest),
                    share(b.mean_curve.free_moment), ""});
  }
  return rows;
}

Rows make_forward_rows(const FootDynamics& d) {
  Rows rows;
  for (const FootForwardResult& r : d.forward) {
    rows.push_back({r.trial, r.side, name_of(r.drive), r.law, r.friction, share(r.errors.force),
                    share(r.errors.cop), share(r.shear.along), share(r.shear.across),
                    share(r.shear.free_moment), fmt::format("{:.1f}", 1e3 * r.drift), r.failure});
  }
  return rows;
}

Rows make_export_rows(const FootDynamics& d) {
  Rows rows;
  for (const FootExport& e : d.exports) {
    rows.push_back({e.side, fmt::format("{}", e.spheres.spheres.size()),
                    share(e.spheres.force_error), share(e.spheres.largest_force_error),
                    share(e.spheres.cop_error), e.has_unseen ? share(e.unseen_force_error) : "",
                    e.has_unseen ? share(e.unseen_cop_error) : ""});
  }
  return rows;
}

void add_forward_curves(const FootForwardCurves& c, HtmlPage* page) {
  const std::string title = fmt::format("{}, {} foot, {}, {}", c.result.trial, c.result.side,
                                        name_of(c.result.drive), c.result.law);
  page->begin_grid();
  TimePlot force;
  force.title = title + ": normal force";
  force.unit = "N";
  force.times = c.times;
  force.zero = true;
  force.series = {{"measured", c.force_measured}, {"integrated", c.force}};
  page->add_plot(force);
  TimePlot shear;
  shear.title = "Shear along the foot";
  shear.unit = "N";
  shear.times = c.times;
  shear.zero = true;
  shear.series = {{"measured", c.shear_measured}, {"integrated", c.shear}};
  page->add_plot(shear);
  if (!c.moment.empty()) {
    TimePlot moment;
    moment.title = "Free moment";
    moment.unit = "N m";
    moment.times = c.times;
    moment.zero = true;
    moment.series = {{"measured", c.moment_measured}, {"integrated", c.moment}};
    moment.note = fmt::format(
        "about the vertical where the force acts, a left foot turned over; error {} % of the "
        "largest",
        share(c.result.shear.free_moment));
    page->add_plot(moment);
  }
  page->end_grid();
}

}  // namespace

void add_foot_dynamics(const FootDynamics& d, HtmlPage* page) {
  if (!d.friction.empty()) {
    page->add_heading(
        "Friction",
        "Two laws fitted to the measured shear. Errors: rms over the stance, per "
        "cent of body weight "
        "along and across the foot, and of the largest measured shear (Brown 5.54); free moment "
        "of its largest. In brackets what "
        "the data do not determine; intervals are 95 %. A fit to the shear reversed "
        "in time that is "
        "as good says that the law does not know friction.");
    page->add_table({"law", "side", "simulation", "shear", "along %", "across %", "of largest %",
                     "free moment %", "parameters"},
                    make_friction_rows(d), {1, 2, 3, 8});
  }
  if (!d.forward.empty()) {
    page->add_heading(
        "Forward dynamics",
        "The foot integrated through stances. Held: rigid to the measured motion but along the "
        "ground, nothing of the force given. Carried: by soft springs that are given the measured "
        "load. Drift: the farthest that the foot strays along the ground while loaded.");
    page->add_table({"trial", "side", "drive", "law", "friction", "force %", "centre of pressure %",
                     "shear along %", "across %", "free moment %", "drift mm", "note"},
                    make_forward_rows(d), {1, 2, 3, 4, 11});
    for (const FootForwardCurves& c : d.curves) add_forward_curves(c, page);
  }
  if (!d.exports.empty()) {
    page->add_heading(
        "Spheres for OpenSim",
        "The nearest set of SmoothSphereHalfSpaceForce, against the ellipsoids: what "
        "exporting costs, in per cent of body weight and of 0.2 m, on the calibrating "
        "stances and on others.");
    page->add_table({"side", "spheres", "force %", "largest %", "centre of pressure %",
                     "others: force %", "others: centre of pressure %"},
                    make_export_rows(d));
  }
}

std::string make_drag_page(const DragStudy& study, const std::string& subtitle) {
  HtmlPage page(study.title.empty() ? "A foot dragged over a plate" : study.title, subtitle);
  if (study.interrupted) page.add_interruption();
  page.add_findings(study.verdicts, "No verdict.");
  page.add_heading(
      "What is identified",
      "Data made with one law, fitted by both. Error: rms of the shear, per cent of the "
      "largest. In brackets what the data do not determine; intervals are 95 %.");
  Rows rows;
  for (const DragFit& f : study.fits) {
    rows.push_back({f.on_walk ? "walk" : "drag", f.truth, f.fit.law, f.fit.simulation,
                    share(f.fit.errors.of_largest), list_parameters(f.fit, f.true_values),
                    fmt::format("{:.2f} ({})", f.fit.strongest_correlation, f.fit.strongest_pair)});
  }
  page.add_table({"motion", "made with", "fitted", "simulation", "error %", "parameters",
                  "strongest correlation"},
                 rows, {1, 2, 3, 5, 6});
  page.add_heading("Drags");
  for (const DragStudy::Curve& c : study.curves) {
    page.begin_grid();
    TimePlot shear;
    shear.title = fmt::format("Shear, made with {}", c.truth);
    shear.unit = "N";
    shear.times = c.times;
    shear.zero = true;
    shear.series = {{"measured", c.measured}};
    for (const auto& [law, values] : c.fitted) shear.series.push_back({law, values});
    page.add_plot(shear);
    TimePlot speed;
    speed.title = "Speed of the foot";
    speed.unit = "m/s";
    speed.times = c.times;
    speed.series = {{"measured", c.speed}};
    page.add_plot(speed);
    page.end_grid();
  }
  return page.as_html();
}

}  // namespace vesica
