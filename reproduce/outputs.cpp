#include "reproduce/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

#include "vesica/report/figures.h"
#include "vesica/report/line_plot_svg.h"

namespace vesica {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> describe_parts(const Json& where) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : where.items()) {
    const std::string shown = value.is_string()   ? value.get<std::string>()
                              : value.is_number() ? fmt::format("{:g}", value.get<double>())
                                                  : value.dump();
    if (!parts.empty()) parts.back() += ',';
    parts.push_back(fmt::format("{} {}", key, shown));
  }
  return parts;
}
std::string describe_case(const Json& where) {
  return fmt::format("{}", fmt::join(describe_parts(where), " "));
}
std::string format_number(double x) { return format_figure(x, 5, "none"); }
// What it was compared with, and within what.
std::string describe_reference(const std::optional<double>& reference, const Figure& f) {
  if (!reference) return "";
  const bool is_judged = f.tolerance && (f.source ? reference == f.source : true);
  return is_judged && *f.tolerance > 0
             ? fmt::format("{} \u00b1{:.2g}", format_number(*reference), *f.tolerance)
             : format_number(*reference);
}
std::string describe_change(const FigureRow& row) {
  const double change = row.halved ? *row.halved - row.figure.ours : NAN;
  return std::isfinite(change) ? fmt::format("{:.1e}", change) : "";
}

constexpr size_t kColumns = 100;

// Lines of at most `width` characters, or of one part that is longer.
std::vector<std::string> wrap(const std::vector<std::string>& parts, size_t width) {
  std::vector<std::string> lines(1);
  for (const std::string& part : parts) {
    if (!lines.back().empty() && lines.back().size() + 1 + part.size() > width) {
      lines.emplace_back();
    }
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += part;
  }
  return lines;
}
std::vector<std::string> split_words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

// A verdict in a column: its first words, and the number of the note that holds the rest. Equal
// notes are printed once.
std::string note_verdict(const std::string& verdict, std::vector<std::string>* notes) {
  constexpr size_t kShort = 12;
  if (verdict.size() <= kShort) return verdict;
  const size_t colon = verdict.find(": "), because = verdict.find(" because ");
  size_t end = std::min(colon, because);
  size_t rest = end == colon ? end + 2 : end + 1;
  if (end == std::string::npos || end > kShort) end = rest = 0;
  const std::string note = verdict.substr(rest);
  auto at = std::find(notes->begin(), notes->end(), note);
  if (at == notes->end()) at = notes->insert(at, note);
  return fmt::format("{}{}[{}]", verdict.substr(0, end), end > 0 ? " " : "",
                     at - notes->begin() + 1);
}

// Rows that report (wall times, counts) are not compared with anything. `scale`: the largest figure
// of the same quantity, beside which a figure may be zero.
void note_movement(double scale, FigureRow* row) {
  Figure& f = row->figure;
  if (!row->halved || f.verdict.starts_with("reported")) return;
  const double change = std::abs(*row->halved - f.ours);
  const double allowed = f.tolerance ? 0.5 * *f.tolerance : 0.01 * std::abs(f.ours) + 1e-4 * scale;
  if (!(change > allowed)) return;
  row->moves = true;
  f.verdict += fmt::format("; moves by {:.1e} {}{}at half the tolerance", *row->halved - f.ours,
                           f.unit, f.unit.empty() ? "" : " ");
}

}  // namespace

VerdictCounts count_verdicts(const std::vector<Reproduced>& all) {
  VerdictCounts counts;
  for (const Reproduced& system : all) {
    for (const FigureRow& row : system.rows) {
      const std::string& verdict = row.figure.verdict;
      ++(verdict.starts_with("reproduced")    ? counts.reproduced
         : verdict.starts_with("as expected") ? counts.as_expected
         : verdict.starts_with("differs")     ? counts.differs
         : verdict.starts_with("reported")    ? counts.reported
                                              : counts.no_number);
      counts.words += verdict.starts_with("reproduced") && !row.figure.source ? 1 : 0;
      counts.moves += row.moves ? 1 : 0;
    }
  }
  return counts;
}

std::string describe(const VerdictCounts& counts) {
  std::string text = fmt::format(
      "{} reproduced ({} numbers, {} in words), {} as expected, {} {}, {} without a number in the "
      "source, {} reported",
      counts.reproduced, counts.reproduced - counts.words, counts.words, counts.as_expected,
      counts.differs, counts.differs == 1 ? "differs" : "differ", counts.no_number,
      counts.reported);
  if (counts.moves > 0) {
    text += fmt::format("; {} of them {} at half the tolerance", counts.moves,
                        counts.moves == 1 ? "moves" : "move");
  }
  return text;
}

Reproduced reproduce_twice(std::string_view name, const ReproduceOptions& options, bool once) {
  const SystemReport report = reproduce(name, options);
  Reproduced out{std::string(name), {}, report.plots, report.simulated, report.seconds,
                 report.failures};
  for (const Figure& f : report.figures) out.rows.push_back({f, std::nullopt});
  if (once || name == "solver_study") return out;
  ReproduceOptions half = options;
  half.tolerance_scale *= 0.5;
  const SystemReport halved = reproduce(name, half);
  for (FigureRow& row : out.rows) {
    for (const Figure& f : halved.figures) {
      if (f.quantity == row.figure.quantity && f.where == row.figure.where) row.halved = f.ours;
    }
    double scale = 0;
    for (const FigureRow& other : out.rows) {
      if (other.figure.quantity == row.figure.quantity && std::isfinite(other.figure.ours)) {
        scale = std::max(scale, std::abs(other.figure.ours));
      }
    }
    note_movement(scale, &row);
  }
  return out;
}

nlohmann::ordered_json as_json(const std::vector<Reproduced>& all) {
  Json list = Json::array();
  for (const Reproduced& system : all) {
    for (const FigureRow& row : system.rows) {
      const Figure& f = row.figure;
      Json entry{{"system", f.system}, {"quantity", f.quantity}, {"case", f.where}};
      entry["source"] = f.source ? Json(*f.source) : Json();
      entry["expected"] = f.expected ? Json(*f.expected) : Json();
      entry["tolerance"] = f.tolerance ? Json(*f.tolerance) : Json();
      if (!f.place.empty()) entry["place"] = f.place;
      entry["ours"] = f.ours;
      entry["unit"] = f.unit;
      entry["verdict"] = f.verdict;
      if (row.halved) {
        entry["ours_at_half_tolerance"] = *row.halved;
        entry["moves"] = row.moves;
      }
      list.push_back(entry);
    }
  }
  return list;
}

std::string make_reproduce_table(const Reproduced& system) {
  std::string text;
  const auto out = std::back_inserter(text);
  size_t quantity = 8, place = 4, unit = 0;
  for (const FigureRow& row : system.rows) {
    quantity = std::max(quantity, row.figure.quantity.size());
    place = std::max(place, describe_case(row.figure.where).size());
    unit = std::max(unit, row.figure.unit.size());
  }
  constexpr size_t kSource = 9, kExpected = 9, kOurs = 11, kVerdict = 16, kGaps = 10;
  const size_t others = quantity + unit + kSource + kExpected + kOurs + kVerdict + kGaps;
  place = std::min(place, std::max<size_t>(20, kColumns - std::min(kColumns, others)));

  fmt::format_to(out, "{} ({:.3g} s simulated in {:.3g} s)\n\n", system.system, system.simulated,
                 system.seconds);
  auto print_row = [&](const std::string& name, const std::string& where, const std::string& source,
                       const std::string& expected, const std::string& ours, const std::string& of,
                       const std::string& verdict) {
    fmt::format_to(out, "  {:<{}}  {:<{}} {:>{}} {:>{}} {:>{}} {:<{}}  {}\n", name, quantity, where,
                   place, source, kSource, expected, kExpected, ours, kOurs, of, unit, verdict);
  };
  print_row("quantity", "case", "source", "expected", "ours", "", "verdict");
  std::vector<std::string> notes;
  for (const FigureRow& row : system.rows) {
    const Figure& f = row.figure;
    const auto where = wrap(describe_parts(f.where), place);
    print_row(f.quantity, where[0], f.source ? format_number(*f.source) : "",
              f.expected ? format_number(*f.expected) : "", format_number(f.ours), f.unit,
              note_verdict(f.verdict, &notes));
    for (size_t k = 1; k < where.size(); ++k)
      fmt::format_to(out, "  {:<{}}  {}\n", "", quantity, where[k]);
  }
  if (!notes.empty()) fmt::format_to(out, "\n");
  for (size_t k = 0; k < notes.size(); ++k) {
    const auto lines = wrap(split_words(notes[k]), kColumns - 7);
    for (size_t l = 0; l < lines.size(); ++l) {
      fmt::format_to(out, "  {:<4} {}\n", l == 0 ? fmt::format("[{}]", k + 1) : "", lines[l]);
    }
  }
  for (const auto& failure : system.failures) fmt::format_to(out, "  failed: {}\n", failure);
  return text + "\n";
}

std::string make_counts_text(const std::vector<Reproduced>& all) {
  std::string text;
  for (const std::string& line : wrap(split_words(describe(count_verdicts(all))), kColumns)) {
    text += line + "\n";
  }
  return text;
}

std::string make_reproduce_page(const std::vector<Reproduced>& all, bool interrupted) {
  HtmlPage page("The systems of the sources", "vesica reproduce");
  page.add_text(
      "Every system of the sources that has been rebuilt. Source: a number that stands in its "
      "text, with the tolerance that the verdict allows: half of its last digit, a whole one where "
      "the text says about or around, 5 % where it is read off a plot, 0.1 % of a formula. "
      "Expected: what follows from the inputs. Ours, and how much it moves when tolerances and "
      "steps are halved. No parameter is tuned to a figure; the knee's assumed geometry was chosen "
      "so that it swings past 90 deg.");
  page.add_text(fmt::format("Verdicts: {}.", describe(count_verdicts(all))));
  if (interrupted) {
    page.add_notes("Interrupted: these are the systems that were done", {}, HtmlPage::Mood::kBad);
  }
  for (const Reproduced& system : all) {
    page.add_heading(system.system,
                     fmt::format("{:.3g} s simulated in {:.3g} s, recording included",
                                 system.simulated, system.seconds));
    std::vector<std::vector<std::string>> rows;
    for (const FigureRow& row : system.rows) {
      const Figure& f = row.figure;
      rows.push_back({f.quantity, describe_case(f.where), describe_reference(f.source, f),
                      describe_reference(f.expected, f), format_number(f.ours), f.unit,
                      describe_change(row), f.verdict, f.place});
    }
    page.add_table({"quantity", "case", "source", "expected", "ours", "unit", "change when halved",
                    "verdict", "where in the source"},
                   rows, {1, 5, 7, 8});
    if (!system.failures.empty()) {
      page.add_notes("Runs that did not finish", system.failures, HtmlPage::Mood::kBad);
    }
    page.begin_grid();
    for (const TimePlot& plot : system.plots) page.add_plot(plot);
    page.end_grid();
  }
  return page.as_html();
}

std::string make_reproduce_picture(const std::vector<TimePlot>& plots) {
  std::vector<LinePlot> panels;
  for (const TimePlot& plot : plots) {
    LinePlot& panel = panels.emplace_back();
    panel.title = plot.title;
    panel.note = plot.note;
    panel.x_label = plot.x_label.empty() ? "time [s]" : plot.x_label;
    panel.y_label = plot.unit;
    for (const PlotSeries& series : plot.series) {
      panel.curves.push_back({series.name, plot.times, series.y});
    }
  }
  return make_line_plot_svg(panels);
}

}  // namespace vesica
