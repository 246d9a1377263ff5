#include "vesica/report/forces_page.h"

#include <fmt/format.h>

#include <cmath>

#include "vesica/report/html_page.h"

namespace vesica {
namespace {

using forces::Comparison;
using forces::FootForces;
using forces::PredictedTrial;
using forces::Walk;

constexpr const char* kSideNames[] = {"left", "right"};
const char* side_name(int side) { return kSideNames[side == forces::kRight ? 1 : 0]; }

// What a foot does at a frame, and one quantity of it.
struct FootFrame {
  Vec3d force;
  forces::Vec2d pressure;
  double free_moment;
};
using Reading = double (*)(const FootFrame& foot);
constexpr int kFreeMoment = forces::kOutputs;  // beside the outputs that have bands of their own
struct Panel {
  const char* title;
  const char* unit;
  Reading read;
  int output;  // forces::Output, or kFreeMoment
};
const Panel kPanels[] = {
    {"Vertical force", "N", [](const FootFrame& f) { return f.force.y(); }, forces::kForceY},
    {"Fore-aft force, positive ahead", "N", [](const FootFrame& f) { return f.force.x(); },
     forces::kForceX},
    {"Lateral force, positive to the right", "N", [](const FootFrame& f) { return f.force.z(); },
     forces::kForceZ},
    {"Centre of pressure, ahead", "mm", [](const FootFrame& f) { return 1e3 * f.pressure[0]; },
     forces::kPressureX},
    {"Centre of pressure, to the right", "mm",
     [](const FootFrame& f) { return 1e3 * f.pressure[1]; }, forces::kPressureZ},
    {"Free moment, about the vertical", "N m", [](const FootFrame& f) { return f.free_moment; },
     kFreeMoment},
};

bool is_pressure_panel(const Panel& panel) {
  return panel.output != kFreeMoment && forces::is_pressure(panel.output);
}

double band_of(const FootForces& foot, size_t k, int output) {
  if (output == kFreeMoment) return foot.moment_band[k];
  return forces::is_pressure(output) ? 1e3 * foot.pressure_band[k][output - forces::kForceOutputs]
                                     : foot.force_band[k][output];
}

TimePlot make_plot(const PredictedTrial& trial, int side, const Panel& panel) {
  const Walk& walk = trial.walk;
  const FootForces& foot = trial.prediction.feet[static_cast<size_t>(side)];
  TimePlot plot;
  plot.title = fmt::format("{}, {} foot", panel.title, side_name(side));
  plot.unit = panel.unit;
  plot.times = walk.times;
  plot.zero = !is_pressure_panel(panel);
  // Of one colour for both feet: that of right feet is too near to what was measured.
  PlotSeries predicted{"predicted", {}, {}, "left"};
  PlotSeries low{"95 % band", {}, {}, "other", "95 % band"};
  PlotSeries high{"95 % band, above", {}, {}, "other", "95 % band"};
  for (size_t k = 0; k < walk.frames(); ++k) {
    const bool on = foot.on[k];
    const double y =
        on ? panel.read({foot.force[k], foot.pressure[k], foot.free_moment[k]}) : kMissing;
    const double half = band_of(foot, k, panel.output);
    predicted.y.push_back(y);
    low.y.push_back(panel.output == forces::kForceY ? std::max(0.0, y - half) : y - half);
    high.y.push_back(y + half);
  }
  plot.series = {predicted, low, high};
  if (trial.comparison) {
    PlotSeries measured{"measured", std::vector<double>(walk.frames(), kMissing), {}, "bad"};
    PlotSeries baseline{"mean curve with the change by speed", measured.y};
    bool any = false;
    for (size_t i = 0; i < trial.comparison->stances.size(); ++i) {
      const forces::MeasuredStance& s = trial.comparison->measured.stances[i];
      const forces::CurveTracks& curve = trial.comparison->stances[i].baseline;
      if (walk.contacts[s.contact].side != side) continue;
      for (size_t k = 0; k < walk.frames(); ++k) {
        if (walk.times[k] < s.begin || walk.times[k] > s.end) continue;
        if (is_pressure_panel(panel) && s.force[k].y() <= forces::kPressureForce) continue;
        measured.y[k] = panel.read({s.force[k], s.pressure[k], s.free_moment[k]});
        if (panel.output != kFreeMoment) {
          baseline.y[k] = panel.read({curve.force[k], curve.pressure[k], 0.0});
        }
        any = true;
      }
    }
    if (any) {
      plot.series.push_back(measured);
      if (panel.output != kFreeMoment) plot.series.push_back(baseline);
    }
  }
  return plot;
}

void add_errors(const char* name, const forces::Errors& e,
                std::vector<std::vector<std::string>>* rows) {
  const auto show = [](double v) { return fmt::format("{:.1f}", v); };
  rows->push_back({name, show(e.force), show(e.pressure), show(e.ahead), show(e.lateral)});
}

void add_comparison(const PredictedTrial& trial, HtmlPage* page) {
  const Comparison& c = *trial.comparison;
  page->add_heading("Beside the plates",
                    "Force: rms over the measured stance / body weight; centre of pressure: rms "
                    "distance where the force exceeds 50 N / 0.2 m. The curves are told when the "
                    "foot is on the plate; the prediction is not.");
  page->add_text(c.verdict);
  if (!c.stances.empty()) {
    std::vector<std::vector<std::string>> rows;
    add_errors("predicted", c.errors, &rows);
    add_errors("mean curve", c.mean_curve, &rows);
    add_errors("mean curve with the change by speed", c.fair, &rows);
    page->add_table({"mean over stances, %", "force", "centre of pressure", "fore-aft", "lateral"},
                    rows);
    std::vector<std::vector<std::string>> stances;
    for (const forces::ComparedStance& s : c.stances) {
      stances.push_back(
          {fmt::format("{}, plate {}", side_name(s.side), s.plate), fmt::format("{:.3f}", s.begin),
           fmt::format("{:.3f}", s.end), fmt::format("{:.1f}", s.errors.force),
           fmt::format("{:.1f}", s.errors.pressure), fmt::format("{:.1f}", s.errors.ahead),
           fmt::format("{:.1f}", s.errors.lateral), fmt::format("{:.1f}", s.fair.force),
           fmt::format("{:.1f}", s.fair.pressure),
           fmt::format("{:.0f}", 100 * s.coverage[forces::kForceY]),
           fmt::format("{:.1f} / {:.1f}", s.free_moment.error, s.free_moment.measured),
           fmt::format("{:.1f} / {:.1f} / {:.1f}", s.moments[0], s.moments[1], s.moments[2])});
    }
    page->add_table(
        {"stance", "begin s", "end s", "force %", "cop %", "fore-aft %", "lateral %",
         "force, fair baseline %", "cop, fair baseline %", "in the band %",
         "free moment missed / measured, rms N m", "ankle / knee / hip moment, % of peak"},
        stances);
  }
  std::vector<std::string> rejected;
  for (const forces::RejectedLoad& r : c.measured.rejected) {
    rejected.push_back(
        fmt::format("Plate {}, {:.3f} to {:.3f} s: {}.", r.plate, r.begin, r.end, r.why));
  }
  for (const forces::PlateScale& s : c.scales) {
    rejected.push_back(
        fmt::format("Plate {} reads {:g} times too much: undone.", s.plate, s.factor));
  }
  page->add_findings(rejected, "Every load on a plate was a whole stance.");
}

void add_moments(const PredictedTrial& trial, HtmlPage* page) {
  page->add_heading("Sagittal joint moments",
                    "What the joint does to the segment below it, from predicted forces, and from "
                    "measured ones where a plate saw the stance.");
  const TimeTable table = forces::make_moment_table(trial);
  page->begin_grid();
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& name = table.columns[c].name;
    if (name.ends_with("_measured")) continue;
    TimePlot plot;
    plot.title = name;
    plot.unit = "N m";
    plot.times = table.times;
    plot.zero = true;
    plot.series.push_back({"from predicted forces", table.column(c)});
    const size_t measured = table.find(name + "_measured");
    if (measured < table.columns.size()) {
      plot.series.push_back({"from plates", table.column(measured), {}, "bad"});
    }
    page->add_plot(plot);
  }
  page->end_grid();
}

void add_trust(const PredictedTrial& trial, HtmlPage* page) {
  const forces::Population& p = *trial.population;
  const forces::PopulationFigures& f = p.figures;
  page->add_heading("How far to trust it", fmt::format("Population: {}. {}", p.title, p.source));
  page->add_findings(trial.judgement.outside, "The walk lies within what was trained.");
  if (f.people == 0) return;
  std::vector<std::vector<std::string>> rows;
  if (!trial.judgement.outside.empty()) {
    page->add_text("These errors do not hold for this walk: it lies outside of what was trained.");
  }
  add_errors("calibrated", f.own, &rows);
  add_errors("own mean curve", f.own_mean, &rows);
  add_errors("own mean curve with the change by speed", f.own_fair, &rows);
  add_errors("no plates for the person", f.stranger, &rows);
  add_errors("mean curve of others", f.stranger_mean, &rows);
  add_errors("mean curve of others with the change by speed", f.stranger_fair, &rows);
  page->add_table({fmt::format("{} people, each left out in turn, %", f.people), "force",
                   "centre of pressure", "fore-aft", "lateral"},
                  rows);
  page->add_text(fmt::format(
      "Placebo: motion takes {:.0f} % (calibrated) and {:.0f} % (no plates) off the force error of "
      "curves. Trained and judged on forces reversed in time, of which motion knows the timing "
      "alone, it takes off {:.0f} and {:.0f} %.",
      f.gain_own, f.gain_stranger, f.gain_own_placebo, f.gain_stranger_placebo));
}

}  // namespace

std::string make_forces_page(const PredictedTrial& trial) {
  const Walk& walk = trial.walk;
  HtmlPage page("Ground forces of " + walk.name + ", from motion alone",
                trial.calibrated ? "Calibrated: " + trial.calibration
                                 : "No plates for this person: the population's curves");
  int whole = 0;
  for (const forces::Contact& c : walk.contacts) whole += c.is_whole() ? 1 : 0;
  page.add_tiles({{fmt::format("{:.2f} m/s", walk.speed), "walking speed"},
                  {fmt::format("{:.0f} N", trial.weight), "body weight"},
                  {fmt::format("{}", whole), "whole contacts"}});
  if (!trial.judgement.outside.empty()) {
    page.add_notes("Outside of what was trained: expected errors and bands do not hold here",
                   trial.judgement.outside, HtmlPage::Mood::kBad);
  }
  if (!walk.notes.empty() || trial.judgement.outside.empty())
    page.add_findings(walk.notes, "Nothing had to be mended in the recording.");
  for (const std::string& text : forces::list_guesses(walk)) page.add_text(text);
  page.add_heading("Forces and centres of pressure",
                   "Thin lines: 95 % bands, from people who were left out.");
  page.begin_grid();
  for (const Panel& panel : kPanels) {
    for (const int side : {forces::kLeft, forces::kRight}) {
      page.add_plot(make_plot(trial, side, panel));
    }
  }
  page.end_grid();
  if (trial.comparison) add_comparison(trial, &page);
  add_moments(trial, &page);
  add_trust(trial, &page);
  return page.as_html();
}

}  // namespace vesica
