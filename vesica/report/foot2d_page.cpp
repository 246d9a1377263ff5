#include "vesica/report/foot2d_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/report/figures.h"
#include "vesica/report/html_page.h"

namespace vesica {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string name_type(const Foot2dTypeResult& r) {
  switch (r.type.element) {
    case Foot2dElement::kSpring:
      return "spring (point)";
    case Foot2dElement::kLinear:
      return "linear volumetric";
    case Foot2dElement::kHyper:
      return "hyper-volumetric";
    case Foot2dElement::kEllipsoid:
      return "ellipsoid, linear";
    case Foot2dElement::kHyperEllipsoid:
      return "ellipsoid, hyper";
  }
  return {};
}

std::string figure(double value, int digits = 3) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "";
}

Rows make_objective_rows(const Foot2dStudy& study) {
  Rows rows;
  for (const Foot2dStanceResult& s : study.stances) {
    for (const Foot2dTypeResult& r : s.types) {
      const auto [low, high] = std::minmax_element(r.of_seeds.begin(), r.of_seeds.end());
      rows.push_back({s.stance.name, name_type(r), figure(r.fit.objective.total()),
                      (r.of_seeds.empty() ? "" : figure(*low) + " to " + figure(*high)) +
                          (r.J_from.empty() ? "" : ", J from " + r.J_from),
                      figure(r.fit.objective.normal), figure(r.fit.objective.friction),
                      figure(r.fit.objective.cop), r.placebo ? figure(r.placebo->total()) : "",
                      figure(r.median_unseen(), 2), figure(s.median_copied(), 2),
                      r.pipeline ? figure(r.pipeline->objective.total()) : ""});
    }
  }
  return rows;
}

const Foot2dTypeResult* find_element(const Foot2dStanceResult& s, Foot2dElement element) {
  const auto found = std::find_if(s.types.begin(), s.types.end(), [&](const Foot2dTypeResult& r) {
    return r.type.element == element;
  });
  return found == s.types.end() ? nullptr : &*found;
}

// By how much one type's objective is below another's, beside the source's.
Rows make_improvement_rows(const Foot2dStudy& study) {
  struct Pair {
    Foot2dElement from, to;
    const char* words;
    const char* source;
  };
  constexpr Pair kPairs[] = {
      {Foot2dElement::kSpring, Foot2dElement::kLinear, "spring to linear", "36"},
      {Foot2dElement::kLinear, Foot2dElement::kHyper, "linear to hyper", "62"},
      {Foot2dElement::kSpring, Foot2dElement::kHyper, "spring to hyper", "75"}};
  Rows rows;
  for (const Pair& pair : kPairs) {
    std::vector<std::string> row = {pair.words, pair.source};
    bool any = false;
    for (const Foot2dStanceResult& s : study.stances) {
      const Foot2dTypeResult* a = find_element(s, pair.from);
      const Foot2dTypeResult* b = find_element(s, pair.to);
      const bool both = a != nullptr && b != nullptr;
      any = any || both;
      row.push_back(
          both ? figure(100 * (1 - b->fit.objective.total() / a->fit.objective.total()), 0) : "");
    }
    if (any) rows.push_back(row);
  }
  return rows;
}

Rows make_geometry_rows(const Foot2dStudy& study) {
  Rows rows{{"Shourijeh & McPhee (Table 1)", "82", "154", "69", "108", "3.7 ± 4.3", "", "", ""}};
  const auto error = [](const Foot2dMarkerError& e) {
    return e.count > 0 ? fmt::format("{:.1f} ± {:.1f}", 1e3 * e.mean, 1e3 * e.sd) : "no marker";
  };
  for (const Foot2dStanceResult& s : study.stances) {
    const Foot2dGeometry<double>& g = s.geometry.geometry;
    rows.push_back({s.stance.name, figure(1e3 * g.AH, 1), figure(1e3 * g.AP, 1),
                    figure(1e3 * g.PT, 1), figure(g.beta * 180 / kPi, 1), error(s.geometry.all),
                    error(s.geometry.H), error(s.geometry.P), error(s.geometry.T)});
  }
  return rows;
}

struct Quantity {
  const char* title;
  const char* unit;
  std::vector<double> Foot2dStance::*measured;
  std::vector<double> Foot2dCurves::*simulated;
};
constexpr Quantity kQuantities[] = {
    {"normal force", "N", &Foot2dStance::normal, &Foot2dCurves::normal},
    {"friction force", "N", &Foot2dStance::friction, &Foot2dCurves::friction},
    {"centre of pressure", "m", &Foot2dStance::cop, &Foot2dCurves::cop}};

// The source's figure 5: a row a quantity, a column a type.
void add_curves(HtmlPage& page, const Foot2dStanceResult& s) {
  for (const Quantity& q : kQuantities) {
    page.begin_grid(static_cast<int>(s.types.size()));
    for (const Foot2dTypeResult& r : s.types) {
      TimePlot plot;
      plot.title = name_type(r) + ": " + q.title;
      plot.unit = q.unit;
      plot.times = s.stance.times;
      plot.zero = std::string_view(q.unit) == "N";
      plot.series = {{"measured", s.stance.*q.measured}, {"simulated", r.curves.*q.simulated}};
      // What the model carries in swing has a point too, far behind.
      if (q.simulated == &Foot2dCurves::cop) {
        for (size_t f = 0; f < s.stance.frames(); ++f) {
          if (!std::isfinite(s.stance.cop[f])) plot.series[1].y[f] = s.stance.cop[f];
        }
      }
      plot.height = 180;
      page.add_plot(plot);
    }
    page.end_grid();
  }
}

Rows make_parameter_rows(const Foot2dTypeResult& r) {
  Rows rows;
  for (const Foot2dEstimate& e : r.intervals.parameters) {
    const double factor = e.unit == "m" ? 1e3 : 1;
    rows.push_back({e.name, format_figure(factor * e.value, 4),
                    format_figure(factor * e.low, 3) + " to " + format_figure(factor * e.high, 3),
                    e.unit == "m" ? "mm" : e.unit,
                    std::isfinite(e.source) ? format_figure(factor * e.source, 3) : "",
                    e.at_bound     ? "on its bound"
                    : e.determined ? "yes"
                                   : "no"});
  }
  return rows;
}

void add_stance(HtmlPage& page, const Foot2dStanceResult& s) {
  page.add_heading(
      s.stance.name,
      "Measured and simulated, as in figure 5 of Shourijeh & McPhee: a row for normal force, "
      "friction and centre of pressure, a column for each type.");
  add_curves(page, s);
  for (const Foot2dTypeResult& r : s.types) {
    page.begin_details(fmt::format("{}: parameters, {} of {} directions not determined",
                                   name_type(r), r.intervals.undetermined_directions,
                                   r.intervals.parameters.size()));
    page.add_table({"parameter", "value", "95 %", "unit", "source", "determined"},
                   make_parameter_rows(r), {2, 3, 5});
    page.end_details();
  }
}

}  // namespace

std::string make_foot2d_page(const Foot2dStudy& study, const std::string& subtitle) {
  HtmlPage page(study.title.empty() ? "A planar foot from gait" : study.title, subtitle);
  if (study.interrupted) page.add_interruption();
  const std::vector<std::string> doubts = find_foot2d_doubts(study.stances);
  if (!doubts.empty()) page.add_notes("First of all", doubts, HtmlPage::Mood::kBad);
  std::vector<std::string> others;
  for (const std::string& verdict : study.verdicts) {
    if (std::find(doubts.begin(), doubts.end(), verdict) == doubts.end()) others.push_back(verdict);
  }
  page.add_notes("What was found", others, HtmlPage::Mood::kGood);
  if (!study.remarks.empty()) page.add_findings(study.remarks, "");
  page.add_heading(
      "Objectives",
      "J of equation (17) of Shourijeh & McPhee, the source: squared errors of normal force, "
      "friction and point over the variance of each, the three added; constants at the measured "
      "means give between 2 and 3. Placebo: the same "
      "search on forces reversed in time. Unseen: median over stances that were not "
      "fitted; copied: the fitted stance's measured curves laid over them, no model.");
  std::vector<std::string> columns = {"stance",   "type",  "J",       "over seeds", "normal",
                                      "friction", "point", "placebo", "unseen",     "copied"};
  Rows objectives = make_objective_rows(study);
  // The last column is empty where the source's search was not run.
  if (std::any_of(objectives.begin(), objectives.end(),
                  [](const auto& row) { return !row.back().empty(); })) {
    columns.push_back("source's search");
  } else {
    for (auto& row : objectives) row.pop_back();
  }
  page.add_table(columns, objectives, {1, 3});
  const Rows improvements = make_improvement_rows(study);
  if (!improvements.empty()) {
    std::vector<std::string> header = {"lower objective, per cent", "source"};
    for (const Foot2dStanceResult& s : study.stances) header.push_back(s.stance.name);
    page.add_table(header, improvements);
  }
  page.add_heading("Geometry",
                   "A ankle, H heel, P ball, T tip of the toes; beta the angle between AH and AP. "
                   "Lengths in mm, beta in deg, errors of markers in mm (mean ± sd).");
  page.add_table({"stance", "AH", "AP", "PT", "beta", "all", "heel", "ball", "toe"},
                 make_geometry_rows(study), {5, 6, 7, 8});
  for (const Foot2dStanceResult& s : study.stances) add_stance(page, s);
  return page.as_html();
}

}  // namespace vesica
