#include "vesica/report/study_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "vesica/report/figures.h"
#include "vesica/report/html_page.h"
#include "vesica/report/study_script.h"
#include "vesica/studies/execute.h"
#include "vesica/studies/random.h"

namespace vesica {
namespace {

using studies::Answers;
using studies::Effect;
using studies::Interval;
using studies::OutputAnswer;
using studies::ResultTable;
using studies::Study;

// Points of a scatter plot: enough to see a cloud.
constexpr size_t kMostPoints = 1500;
// Factors that a picture shows, by what matters most.
constexpr size_t kMostFactors = 12;

nlohmann::json finite_or_null(double x) {
  return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(nullptr);
}

std::string label_of(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

std::string say_interval(const std::optional<Interval>& i) {
  if (!i) return "";
  return fmt::format("{} ({} to {})", format_figure(i->value, 3), format_figure(i->low, 3),
                     format_figure(i->high, 3));
}

double weight_of(const Effect& e) {
  if (e.total) return std::abs(e.total->value);
  if (e.mu_star) return e.mu_star->value;
  return std::isfinite(e.at_high - e.at_low) ? std::abs(e.at_high - e.at_low) : 0;
}

std::vector<size_t> order_by_weight(const OutputAnswer& o) {
  std::vector<size_t> order(o.effects.size());
  for (size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return weight_of(o.effects[a]) > weight_of(o.effects[b]);
  });
  if (order.size() > kMostFactors) order.resize(kMostFactors);
  return order;
}

void add_spread(const Answers& answers, HtmlPage* page) {
  page->add_heading("Outputs", "Over the runs that are done.");
  std::vector<std::vector<std::string>> rows;
  for (const OutputAnswer& o : answers.outputs) {
    std::vector<std::string> row = {label_of(o.name, o.unit), fmt::format("{}", o.count)};
    for (const double x : {o.mean, o.sd, o.least}) row.push_back(format_figure(x, 5, ""));
    for (const double x : o.percentiles) row.push_back(format_figure(x, 5, ""));
    row.push_back(format_figure(o.greatest, 5, ""));
    rows.push_back(std::move(row));
  }
  page->add_table({"output", "runs", "mean", "sd", "least", "5 %", "25 %", "median", "75 %", "95 %",
                   "greatest"},
                  rows);
}

void add_bands(const Answers& answers, HtmlPage* page) {
  if (answers.bands.empty()) return;
  page->add_heading("Over time",
                    "Dark: from the 25th to the 75th percentile, light: from the 5th to the 95th, "
                    "line: the median.");
  page->begin_grid();
  for (const auto& band : answers.bands) {
    nlohmann::json spec = {{"kind", "study_band"}, {"unit", band.unit}, {"t", band.times}};
    for (const auto& curve : band.percentiles) {
      nlohmann::json values = nlohmann::json::array();
      for (const double y : curve) values.push_back(finite_or_null(y));
      spec["p"].push_back(std::move(values));
    }
    page->add_figure(label_of(band.name, band.unit), count_of(static_cast<long>(band.count), "run"),
                     spec, detail::kStudyScript);
  }
  page->end_grid();
}

nlohmann::json as_bar(const std::string& name, const Interval& i) {
  return {{"name", name},
          {"value", finite_or_null(i.value)},
          {"low", finite_or_null(i.low)},
          {"high", finite_or_null(i.high)}};
}

void add_indices(const OutputAnswer& o, const std::vector<size_t>& order, HtmlPage* page) {
  nlohmann::json spec = {
      {"kind", "study_bars"}, {"series", {"first order", "total"}}, {"x", "share of the variance"}};
  for (const size_t k : order) {
    const Effect& e = o.effects[k];
    if (!e.first) return;
    spec["rows"].push_back(
        {{"name", e.factor},
         {"bars", {as_bar("first order", *e.first), as_bar("total", *e.total)}}});
  }
  page->add_figure(o.name + ": Sobol indices", "lines: 95 % intervals", spec, detail::kStudyScript);
}

void add_screening(const OutputAnswer& o, const std::vector<size_t>& order, HtmlPage* page) {
  nlohmann::json spec = {{"kind", "study_scatter"},
                         {"x_label", label_of("mean size of the effect", o.unit)},
                         {"y_label", label_of("its scatter", o.unit)},
                         {"from_zero", true}};
  for (const size_t k : order) {
    const Effect& e = o.effects[k];
    if (!e.mu_star) return;
    spec["points"].push_back({finite_or_null(e.mu_star->value), finite_or_null(e.sigma)});
    spec["names"].push_back(e.factor);
  }
  page->add_figure(o.name + ": Morris screening",
                   "right: matters; up: not linear, or together with others", spec,
                   detail::kStudyScript);
}

void add_tornado(const OutputAnswer& o, const std::vector<size_t>& order, HtmlPage* page) {
  nlohmann::json spec = {{"kind", "study_tornado"},
                         {"x", label_of(o.name, o.unit)},
                         {"middle", finite_or_null(o.percentiles[2])}};
  for (const size_t k : order) {
    const Effect& e = o.effects[k];
    if (!std::isfinite(e.at_low) || !std::isfinite(e.at_high)) continue;
    spec["rows"].push_back({{"name", e.factor}, {"low", e.at_low}, {"high", e.at_high}});
  }
  if (!spec.contains("rows")) return;
  page->add_figure(
      o.name + ": tornado",
      "blue: output where the factor is low, orange: where it is high; line: the median", spec,
      detail::kStudyScript);
}

void add_scatter(const Study& study, const ResultTable& table, size_t output, const OutputAnswer& o,
                 const std::vector<size_t>& order, HtmlPage* page) {
  // By chance, not every n-th: that would keep step with a design and show a part of it.
  std::vector<size_t> rows;
  const double share = static_cast<double>(kMostPoints) /
                       static_cast<double>(std::max<size_t>(1, table.runs.size()));
  for (size_t r = 0; r < table.runs.size(); ++r) {
    if (table.status[r] != 0 || !std::isfinite(table.outputs[output][r])) continue;
    if (share >= 1 || studies::calc_uniform(0, table.runs[r], 0) < share) rows.push_back(r);
  }
  std::map<std::string, nlohmann::json> points;
  for (const size_t r : rows) {
    const auto x = studies::calc_factor_numbers(study, table.runs[r]);
    for (size_t f = 0; f < x.size(); ++f) {
      if (std::isfinite(x[f])) {
        points[study.factors[f].name].push_back(
            {std::stod(fmt::format("{:.5g}", x[f])),
             std::stod(fmt::format("{:.5g}", table.outputs[output][r]))});
      }
    }
  }
  page->begin_details(o.name + " over each factor", output == 0);
  page->begin_grid();
  for (const size_t k : order) {
    const std::string& name = o.effects[k].factor;
    const auto factor = std::find_if(study.factors.begin(), study.factors.end(),
                                     [&](const studies::Factor& f) { return f.name == name; });
    if (!points.contains(name)) continue;
    nlohmann::json spec = {{"kind", "study_scatter"},
                           {"x_label", label_of(name, factor->unit)},
                           {"y_label", label_of(o.name, o.unit)},
                           {"points", points[name]}};
    if (!factor->is_number) spec["levels"] = factor->values;
    page->add_figure("", "", spec, detail::kStudyScript);
  }
  page->end_grid();
  page->end_details();
}

void add_effects(const Study& study, const ResultTable& table, const Answers& answers,
                 HtmlPage* page) {
  if (answers.outputs.empty() || answers.outputs[0].effects.empty()) return;
  page->add_heading("What matters");
  page->begin_grid();
  for (const OutputAnswer& o : answers.outputs) {
    if (o.count == 0) continue;
    const auto order = order_by_weight(o);
    add_indices(o, order, page);
    add_screening(o, order, page);
    // A few trajectories leave means over the others' random places: the screening is the answer.
    if (!o.effects[0].mu_star) add_tornado(o, order, page);
  }
  page->end_grid();
  for (size_t k = 0; k < answers.outputs.size(); ++k) {
    const OutputAnswer& o = answers.outputs[k];
    if (o.count == 0) continue;
    std::vector<std::vector<std::string>> rows;
    for (const Effect& e : o.effects) {
      std::vector<std::string> row = {e.factor, format_figure(e.rank_correlation, 3, ""),
                                      format_figure(e.at_low, 5, ""),
                                      format_figure(e.at_high, 5, "")};
      if (e.first) row.insert(row.end(), {say_interval(e.first), say_interval(e.total)});
      if (e.mu_star) row.insert(row.end(), {say_interval(e.mu_star), format_figure(e.sigma, 3)});
      rows.push_back(std::move(row));
    }
    std::vector<std::string> header = {"factor", "rank correlation", "output where it is low",
                                       "where it is high"};
    if (o.effects[0].first) header.insert(header.end(), {"first order", "total"});
    if (o.effects[0].mu_star)
      header.insert(header.end(), {"mean size of the effect", "its scatter"});
    page->add_subheading(label_of(o.name, o.unit));
    page->add_table(header, rows);
    add_scatter(study, table, k, o, order_by_weight(o), page);
  }
}

void add_best(const Study& study, const Answers& answers, HtmlPage* page) {
  if (answers.best.empty()) return;
  page->add_heading("Best runs",
                    fmt::format("{} {}; {} {} the same to 1e-6.", study.goal->output,
                                study.goal->most ? "greatest" : "least", answers.same_as_best,
                                answers.same_as_best == 1 ? "run has" : "runs have"));
  std::vector<std::string> header = {"run", study.goal->output};
  for (const std::string& name : studies::make_factor_columns(study)) header.push_back(name);
  std::vector<std::vector<std::string>> rows;
  for (const auto& b : answers.best) {
    std::vector<std::string> row = {fmt::format("{}", b.run), format_figure(b.value, 6)};
    for (const std::string& cell : b.factors) {
      char* end = nullptr;
      const double x = std::strtod(cell.c_str(), &end);
      row.push_back(end != cell.c_str() && *end == '\0' ? format_figure(x, 5) : cell);
    }
    rows.push_back(std::move(row));
  }
  page->add_table(header, rows);
}

// Reasons of runs that are not done, the most frequent first.
void add_reasons(const ResultTable& table, HtmlPage* page) {
  std::map<std::string, std::vector<std::uint64_t>> reasons;
  for (size_t r = 0; r < table.runs.size(); ++r) {
    if (table.status[r] == 0) continue;
    const auto status = studies::name_of(static_cast<studies::Status>(table.status[r]));
    const auto reason = table.reasons.find(table.runs[r]);
    reasons[fmt::format("{}: {}", status, reason == table.reasons.end() ? "" : reason->second)]
        .push_back(table.runs[r]);
  }
  if (reasons.empty()) return;
  std::vector<std::pair<std::string, std::vector<std::uint64_t>>> sorted(reasons.begin(),
                                                                         reasons.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  page->add_heading("Runs that are not done");
  std::vector<std::vector<std::string>> rows;
  for (const auto& [reason, runs] : sorted) {
    if (rows.size() == 30) break;
    std::string which;
    for (size_t k = 0; k < runs.size() && k < 8; ++k)
      which += fmt::format("{}{}", k > 0 ? ", " : "", runs[k]);
    if (runs.size() > 8) which += ", ...";
    rows.push_back({reason, fmt::format("{}", runs.size()), which});
  }
  page->add_table({"reason", "runs", "which"}, rows, {0, 2});
}

}  // namespace

std::string make_study_page(const Study& study, const ResultTable& table, const Answers& answers) {
  HtmlPage page(study.title.empty() ? "A study" : study.title,
                fmt::format("{} of {}, {}", studies::name_of(study.design.method),
                            studies::name_of(study.command),
                            count_of(static_cast<long>(study.runs()), "run")));
  const auto done = std::count(table.status.begin(), table.status.end(), 0);
  page.add_tiles({{fmt::format("{}", done), "runs done"},
                  {fmt::format("{}", static_cast<long>(table.runs.size()) - done), "not done"},
                  {fmt::format("{}", study.factors.size()), "factors"},
                  {fmt::format("{}", study.outputs.size()), "outputs"}});
  if (!study.description.empty()) page.add_text(study.description);
  page.add_findings(answers.notes, "All runs are done.");
  add_spread(answers, &page);
  add_bands(answers, &page);
  add_effects(study, table, answers, &page);
  add_best(study, answers, &page);
  add_reasons(table, &page);
  page.begin_details("The study");
  page.add_preformatted(study.file.dump());
  page.end_details();
  return page.as_html();
}

}  // namespace vesica
