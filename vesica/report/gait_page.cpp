// The page of gait cycles.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "vesica/report/figures.h"
#include "vesica/report/gait_report.h"
#include "vesica/report/gait_script.h"
#include "vesica/report/html_page.h"

namespace vesica {
namespace {

using Json = nlohmann::ordered_json;

// Drawn one by one up to here; the band tells of more.
constexpr size_t kMostDrawnStrides = 12;

Json as_short_list(const CycleValues& values) {
  Json list = Json::array();
  for (const double v : values) {
    if (std::isfinite(v)) {
      list.push_back(std::stod(fmt::format("{:.5g}", v)));
    } else {
      list.push_back(nullptr);
    }
  }
  return list;
}

std::string show_interval(const MeanInterval& m, int digits) {
  if (m.count == 0) return "\u2013";
  if (m.count < 2) return format_fixed(m.mean, digits);
  return fmt::format("{} ({} to {}){}", format_fixed(m.mean, digits), format_fixed(m.low, digits),
                     format_fixed(m.high, digits), m.trials_differ ? " *" : "");
}

int digits_of(const std::string& unit) { return unit == "%" || unit == "steps/min" ? 1 : 3; }

std::string as_words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

void add_tiles(const GaitSummary& summary, HtmlPage* page) {
  std::vector<std::pair<std::string, std::string>> tiles;
  for (const GaitParameter& p : summary.parameters) {
    if (!std::isfinite(p.both.mean)) continue;
    if (p.name == "speed") {
      tiles.emplace_back(fmt::format("{:.2f} m/s", p.both.mean),
                         summary.on_treadmill ? "speed over the belt" : "speed");
    } else if (p.name == "cadence") {
      tiles.emplace_back(fmt::format("{:.0f} /min", p.both.mean), "cadence, steps");
    } else if (p.name == "stride_length") {
      tiles.emplace_back(fmt::format("{:.2f} m", p.both.mean), "stride length");
    } else if (p.name == "double_support") {
      tiles.emplace_back(fmt::format("{:.0f} %", p.both.mean), "double support");
    }
  }
  const auto count = [&](Foot foot) {
    return std::count_if(summary.strides.begin(), summary.strides.end(),
                         [&](const Stride& s) { return s.foot == foot; });
  };
  tiles.emplace_back(fmt::format("{} + {}", count(Foot::kLeft), count(Foot::kRight)),
                     "strides, left + right");
  if (std::isfinite(summary.weight.weight)) {
    tiles.emplace_back(fmt::format("{:.0f} N", summary.weight.weight),
                       "body weight: " + summary.weight.source);
  }
  page->add_tiles(tiles);
}

void add_parameters(const GaitSummary& summary, HtmlPage* page) {
  page->add_heading(
      "Parameters",
      "Mean over strides and its 95 % interval. Symmetry index: 200 (R \u2212 L) / (R + L), 0 for "
      "equal sides. Shares are of the stride. A star: trials differ by more than strides explain, "
      "and the interval counts trials.");
  std::vector<std::vector<std::string>> rows;
  for (const GaitParameter& p : summary.parameters) {
    if (p.both.count == 0) continue;
    const int digits = digits_of(p.unit);
    const SymmetryIndex& s = p.symmetry;
    rows.push_back({as_words(p.name), p.unit, show_interval(p.left, digits),
                    show_interval(p.right, digits), show_interval(p.both, digits),
                    !std::isfinite(s.index) ? "\u2013"
                    : std::isfinite(s.low)
                        ? fmt::format("{} ({} to {})", format_fixed(s.index, 1),
                                      format_fixed(s.low, 1), format_fixed(s.high, 1))
                        : format_fixed(s.index, 1)});
  }
  page->add_table({"parameter", "unit", "left", "right", "both", "symmetry index, %"}, rows, {1});
}

Json make_curve_spec(const GaitSummary& summary, const std::vector<NormativeCurve>& normatives,
                     const std::string& name) {
  Json curves = Json::array(), beside = Json::array();
  std::string unit;
  std::vector<const NormativeCurve*> used;
  for (const CycleCurve& c : summary.curves) {
    if (c.name != name) continue;
    unit = c.unit;
    double off = 0.0;
    Json strides = Json::array();
    for (size_t k = 0; k < c.strides.size(); ++k) {
      const Stride& stride = summary.strides[c.strides[k]];
      off += 100.0 * (stride.off - stride.start) / stride.stride_time() /
             static_cast<double>(c.strides.size());
      if (c.strides.size() <= kMostDrawnStrides && c.strides.size() > 1)
        strides.push_back(as_short_list(c.values[k]));
    }
    curves.push_back({{"foot", name_of(c.foot)},
                      {"n", c.strides.size()},
                      {"mean", as_short_list(c.mean)},
                      {"sd", as_short_list(c.sd)},
                      {"off", off},
                      {"strides", strides}});
    const NormativeCurve* normative = find_normative(normatives, c);
    if (normative != nullptr && std::find(used.begin(), used.end(), normative) == used.end()) {
      used.push_back(normative);
      beside.push_back({{"foot", name_of(normative->foot)},
                        {"mean", as_short_list(normative->mean)},
                        {"sd", as_short_list(normative->sd)}});
    }
  }
  return {{"kind", "cycle"},
          {"label", name},
          {"unit", unit},
          {"curves", curves},
          {"normative", beside}};
}

std::string describe_deviation(const GaitSummary& summary,
                               const std::vector<NormativeCurve>& normatives,
                               const std::string& name) {
  std::string text;
  for (const CycleCurve& c : summary.curves) {
    const NormativeCurve* normative = c.name == name ? find_normative(normatives, c) : nullptr;
    if (normative == nullptr) continue;
    const NormativeDeviation d = calc_deviation(c, *normative);
    text += fmt::format(
        "{}{}: {:.3g} {} rms from the normative mean, {:.0f} % of the cycle outside "
        "of 2 sd",
        text.empty() ? "" : "; ", name_of(c.foot), d.rms, c.unit, d.outside);
  }
  return text;
}

void add_strides(const GaitSummary& summary, HtmlPage* page) {
  page->begin_details(summary.strides.size() == 1
                          ? std::string("The stride")
                          : fmt::format("All {} strides", summary.strides.size()));
  std::vector<std::vector<std::string>> rows;
  for (const Stride& s : summary.strides) {
    const auto length = [](double v) {
      return std::isfinite(v) ? fmt::format("{:.3f}", v) : std::string("\u2013");
    };
    rows.push_back({summary.trials[s.trial], name_of(s.foot), fmt::format("{:.3f}", s.start),
                    fmt::format("{:.3f}", s.off), fmt::format("{:.3f}", s.end),
                    length(s.stride_length), length(s.step_length), length(s.step_width)});
  }
  page->add_table(
      {"trial", "foot", "strike s", "off s", "strike s", "stride m", "step m", "width m"}, rows,
      {1});
  page->end_details();
}

}  // namespace

std::string make_gait_page(const GaitSummary& summary,
                           const std::vector<NormativeCurve>& normatives) {
  HtmlPage page("Gait cycles", fmt::format("{}", fmt::join(summary.trials, ", ")));
  add_tiles(summary, &page);
  if (!summary.no_walk.empty())
    page.add_notes("Without strides", summary.no_walk, HtmlPage::Mood::kGood);
  page.add_notes("How it was done", summary.notes, HtmlPage::Mood::kGood);
  add_parameters(summary, &page);
  page.add_heading("Curves over the gait cycle",
                   "From strike to strike. Thick: mean over strides; band: one standard deviation; "
                   "thin: strides; dashed upright: foot off. Grey: normative, where given.");
  page.begin_grid();
  const std::vector<std::string> names = summary.signal_names();
  for (const std::string& name : names) {
    // Newtons only where body weight is not known.
    if (std::find(names.begin(), names.end(), name + "_bw") != names.end()) continue;
    page.add_figure(as_words(name), describe_deviation(summary, normatives, name),
                    make_curve_spec(summary, normatives, name), detail::kGaitScript);
  }
  page.end_grid();
  add_strides(summary, &page);
  return page.as_html();
}

}  // namespace vesica
