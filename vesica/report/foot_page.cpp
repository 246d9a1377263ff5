#include "vesica/report/foot_page.h"

#include <fmt/format.h>

#include <cmath>

#include "vesica/report/figures.h"
#include "vesica/report/foot_dynamics_page.h"
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
    {"placebo", "the same with forces that were not measured", &FootStudy::placebo},
    {"refitted", "other stances, contact frozen, toe and correction fitted anew",
     &FootStudy::refitted},
    {"blind", "other stances, nothing fitted", &FootStudy::blind},
    {"mean curve", "other stances, no model: the mean measured curve", &FootStudy::mean_curve},
    {"imposed", "other stances, measured force given: where it acts is foretold",
     &FootStudy::imposed},
};

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f}", 100 * share) : "";
}

std::vector<std::vector<std::string>> make_error_rows(const FootStudy& study) {
  std::vector<std::vector<std::string>> rows;
  for (const Kind& kind : kKinds) {
    for (const std::string side : {"left", "right"}) {
      double force = 0, cop = 0, worst = 0;
      int count = 0;
      for (const FootResult& r : study.*kind.results) {
        if (r.side != side) continue;
        force += r.errors.force;
        cop += r.errors.cop;
        worst = std::max(worst, r.errors.force);
        ++count;
      }
      if (count == 0) continue;
      const bool given = std::string_view(kind.name) == "imposed";
      rows.push_back({kind.name, side, fmt::format("{}", count),
                      given ? "given" : percent(force / count), given ? "" : percent(worst),
                      percent(cop / count), kind.words});
    }
  }
  return rows;
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
  cop.title = "Centre of pressure, along and across the walkway";
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
  cop.note = fmt::format("error {} % of 0.2 m", percent(c.result.errors.cop));
  page.add_plot(cop);
  page.end_grid();
}

std::vector<std::vector<std::string>> make_parameter_rows(const FootStudy& study) {
  std::vector<std::vector<std::string>> rows;
  for (const FootParameter& p : study.parameters) {
    const bool length = p.unit == "m";
    const double factor = length ? 1e3 : 1;
    rows.push_back({p.side + " " + p.name, format_figure(factor * p.start, 4),
                    format_figure(factor * p.value, 4),
                    "± " + format_figure(1.96 * factor * p.standard_error, 2),
                    length ? "mm" : p.unit, p.identifiable ? "yes" : "no"});
  }
  return rows;
}

}  // namespace

std::string make_foot_page(const FootStudy& study, const std::string& subtitle) {
  HtmlPage page(study.title.empty() ? "A foot from gait" : study.title, subtitle);
  page.add_findings(study.verdicts, "No verdict.");
  page.add_heading(
      "Errors",
      "Force: rms over the stance, of body weight (Brown 5.53). Centre of pressure: rms "
      "where force exceeds the threshold, of 0.2 m (5.55). Per cent; mean over stances.");
  page.add_table(
      {"what", "side", "stances", "force %", "worst %", "centre of pressure %", "meaning"},
      make_error_rows(study), {1, 6});
  page.add_heading("Stances");
  for (const FootCurveSet& c : study.curves) add_stance(page, c);
  page.add_heading(
      "Parameters",
      "Of the contact that was fitted to all calibrating stances without corrections. A "
      "parameter counts as determined where the data narrow its prior to less than half.");
  page.add_table({"parameter", "start", "value", "95 %", "unit", "determined"},
                 make_parameter_rows(study), {4, 5});
  add_foot_dynamics(study.dynamics, &page);
  if (!study.remarks.empty()) {
    page.add_heading("Remarks");
    for (const std::string& remark : study.remarks) page.add_text(remark);
  }
  return page.as_html();
}

}  // namespace vesica
