#include "vesica/report/dynamics_page.h"

#include <fmt/format.h>

#include <cmath>

#include "vesica/report/html_page.h"

namespace vesica {
namespace {

// Columns whose names share a beginning go into one plot, left and right in it.
void add_plots(const TimeTable& table, HtmlPage* page) {
  std::vector<char> done(table.columns.size(), 0);
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (done[c]) continue;
    const std::string& name = table.columns[c].name;
    const std::string stem = markers::read_side(name).stem;
    TimePlot plot;
    plot.title = stem;
    plot.unit = table.columns[c].unit;
    plot.times = table.times;
    plot.zero = true;
    for (size_t k = c; k < table.columns.size(); ++k) {
      const markers::ReadName read = markers::read_side(table.columns[k].name);
      if (read.stem != stem) continue;
      done[k] = 1;
      const std::vector<double> curve = table.column(k);
      const bool any =
          std::any_of(curve.begin(), curve.end(), [](double y) { return std::isfinite(y); });
      if (any) {
        plot.series.push_back(
            {read.side == markers::Side::kNone ? stem : markers::name_of(read.side), curve});
      }
    }
    if (!plot.series.empty()) page->add_plot(plot);
  }
}

}  // namespace

std::string make_dynamics_page(const std::vector<markers::Dynamics>& trials) {
  HtmlPage page("Joint moments and powers",
                "What each joint does to the segment below it, positive as its angle is. Gaps: a "
                "foot's force is not known.");
  for (const markers::Dynamics& d : trials) {
    page.add_heading(
        d.trial,
        fmt::format("{:.1f} kg ({}), segments after de Leva 1996; motion below {:g} Hz, forces "
                    "below {:g} Hz",
                    d.mass, d.mass_is_from_plates ? "from plates" : "given",
                    d.options.motion_cutoff, d.options.force_cutoff));
    if (d.known_frames > 0) {
      page.add_tiles({{fmt::format("{:.0f} N", d.residual_rms),
                       "residual force at the root, rms, the rest of the body riding on it"}});
    }
    page.add_findings(d.warnings, "Both legs are known throughout.");
    page.begin_grid();
    add_plots(markers::make_moments_per_kg(d), &page);
    add_plots(d.powers, &page);
    add_plots(d.residual, &page);
    page.end_grid();
  }
  return page.as_html();
}

}  // namespace vesica
