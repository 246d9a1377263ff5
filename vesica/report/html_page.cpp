#include "vesica/report/html_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "vesica/io/markup.h"
#include "vesica/report/colors.h"
#include "vesica/report/html_page_parts.h"

namespace vesica {
namespace {

// Twice what a plot is wide on a large screen, so that a zoom still finds detail.
constexpr std::size_t kPixelColumns = 1200;

// JSON that may stand inside a script element: no '<' (which strings alone may have), valid UTF-8.
std::string as_json(const nlohmann::json& value) {
  const std::string json = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string result;
  for (char c : json) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

// Seven digits are more than any screen shows.
template <class Get>
std::string as_json_list(std::size_t count, const Get& get, int digits = 7) {
  std::string result = "[";
  auto out = std::back_inserter(result);
  for (std::size_t k = 0; k < count; ++k) {
    if (k > 0) result += ',';
    const double value = get(k);
    if (std::isfinite(value)) {
      fmt::format_to(out, "{:.{}g}", value, digits);
    } else {
      result += "null";
    }
  }
  return result += ']';
}
template <class List>
std::string as_json_list(const List& values) {
  return as_json_list(values.size(), [&](std::size_t k) { return values[k]; });
}

// Times keep ten digits: neighbouring rows of a long run must stay apart.
std::string as_json_times(const std::vector<double>& times, const std::vector<std::size_t>& rows) {
  return as_json_list(
      rows.size(), [&](std::size_t k) { return times[rows[k]]; }, 10);
}

std::string thinning_note(std::size_t drawn, std::size_t rows) {
  if (drawn == rows) return {};
  return fmt::format(
      "Thinned for display: {} of {} rows, among them the lowest and the highest of "
      "each of {} columns of the plot; the recording has them all.",
      drawn, rows, kPixelColumns);
}

std::string join_notes(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + " " + b;
}

const char* shape_word(PlayedBody::Shape shape) {
  static constexpr const char* kWords[] = {"point", "half_space", "sphere", "ellipsoid",
                                           "box",   "hull",       "mesh"};
  return kWords[static_cast<std::size_t>(shape)];
}

}  // namespace

std::vector<std::size_t> choose_rows(const std::vector<const std::vector<double>*>& series,
                                     std::size_t rows, std::size_t pixel_columns) {
  std::vector<std::size_t> chosen;
  if (pixel_columns == 0 || rows <= 2 * pixel_columns) {
    for (std::size_t r = 0; r < rows; ++r) chosen.push_back(r);
    return chosen;
  }
  chosen.push_back(0);
  for (std::size_t c = 0; c < pixel_columns; ++c) {
    const std::size_t first = c * rows / pixel_columns, last = (c + 1) * rows / pixel_columns;
    for (const std::vector<double>* y : series) {
      // A column without any value keeps its first row, so that the gap is drawn.
      std::size_t low = first, high = first;
      for (std::size_t r = first; r < last; ++r) {
        if (!std::isfinite((*y)[r])) continue;
        if (!((*y)[r] >= (*y)[low])) low = r;
        if (!((*y)[r] <= (*y)[high])) high = r;
      }
      chosen.insert(chosen.end(), {low, high});
    }
  }
  chosen.push_back(rows - 1);
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

HtmlPage::HtmlPage(const std::string& title, const std::string& subtitle)
    : title_(title), subtitle_(subtitle) {}

void HtmlPage::add_heading(const std::string& title, const std::string& words) {
  body_ += fmt::format("<h2 id=\"h{}\">{}</h2>\n", headings_, escape_markup(title));
  contents_ += fmt::format("<a href=\"#h{}\">{}</a>\n", headings_, escape_markup(title));
  ++headings_;
  if (!words.empty()) add_text(words);
}

void HtmlPage::add_subheading(const std::string& title) {
  body_ += fmt::format("<h3>{}</h3>\n", escape_markup(title));
}

void HtmlPage::add_text(const std::string& words) {
  body_ += fmt::format("<p>{}</p>\n", escape_markup(words));
}

void HtmlPage::add_tiles(const std::vector<std::pair<std::string, std::string>>& value_and_label) {
  body_ += "<div class=\"tiles\">\n";
  for (const auto& [value, label] : value_and_label) {
    body_ += fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n",
                         escape_markup(value), escape_markup(label));
  }
  body_ += "</div>\n";
}

void HtmlPage::add_notes(const std::string& title, const std::vector<std::string>& lines,
                         Mood mood) {
  body_ += fmt::format("<div class=\"notes {}\"{}><b>{}</b>\n", mood == Mood::kBad ? "bad" : "good",
                       mood == Mood::kBad ? " role=\"alert\"" : "", escape_markup(title));
  if (!lines.empty()) {
    body_ += "<ul>\n";
    for (const std::string& line : lines)
      body_ += fmt::format("<li>{}</li>\n", escape_markup(line));
    body_ += "</ul>\n";
  }
  body_ += "</div>\n";
}

void HtmlPage::add_interruption() {
  add_notes("Interrupted", {"This is what was done until then; the rest is missing."}, Mood::kBad);
}

void HtmlPage::add_findings(const std::vector<std::string>& lines, const std::string& nothing) {
  if (lines.empty()) return add_notes(nothing, {}, Mood::kGood);
  add_notes(lines.size() == 1 ? "One thing to look at"
                              : fmt::format("{} things to look at", lines.size()),
            lines, Mood::kBad);
}

void HtmlPage::add_table(const std::vector<std::string>& header,
                         const std::vector<std::vector<std::string>>& rows,
                         const std::vector<std::size_t>& text_columns) {
  // Sentences would stand a word to a line where other columns take the width.
  constexpr std::size_t kSentence = 40;
  constexpr std::size_t kMany = 10;  // columns that only a small print brings onto paper
  const auto is_long = [&](std::size_t c) {
    return std::any_of(rows.begin(), rows.end(), [&](const std::vector<std::string>& row) {
      return c < row.size() && row[c].size() > kSentence;
    });
  };
  std::vector<const char*> classes(header.size(), "");
  for (const std::size_t c : text_columns) {
    if (c < classes.size()) classes[c] = is_long(c) ? " class=\"text long\"" : " class=\"text\"";
  }
  auto add_row = [&](const char* tag, const std::vector<std::string>& cells) {
    body_ += "<tr>";
    for (std::size_t c = 0; c < cells.size(); ++c) {
      body_ += fmt::format("<{0}{1}>{2}</{0}>", tag, c < classes.size() ? classes[c] : "",
                           escape_markup(cells[c]));
    }
    body_ += "</tr>\n";
  };
  // A head of its own is printed again where a page ends within the table; keys scroll what is too
  // wide for the window.
  body_ += "<div class=\"wide\" tabindex=\"0\"><table";
  if (header.size() > kMany) body_ += " class=\"many\"";
  body_ += ">\n<thead>\n";
  add_row("th", header);
  body_ += "</thead>\n<tbody>\n";
  for (const auto& row : rows) add_row("td", row);
  body_ += "</tbody>\n</table></div>\n";
}

void HtmlPage::begin_details(const std::string& title, bool open) {
  body_ +=
      fmt::format("<details{}><summary>{}</summary>\n", open ? " open" : "", escape_markup(title));
}
void HtmlPage::end_details() { body_ += "</details>\n"; }

void HtmlPage::add_preformatted(const std::string& text) {
  body_ += fmt::format("<pre>{}</pre>\n", escape_markup(text));
}

void HtmlPage::begin_grid(int columns) {
  body_ += columns == 0 ? std::string("<div class=\"grid\">\n")
                        : fmt::format(
                              "<div class=\"grid\" style=\"grid-template-columns: repeat({}, "
                              "minmax(0, 1fr))\">\n",
                              columns);
}
void HtmlPage::end_grid() { body_ += "</div>\n"; }

void HtmlPage::add_mount(const std::string& title, const std::string& note, std::string json) {
  body_ += fmt::format("<figure class=\"plot\">{}<div data-plot=\"{}\"></div>{}</figure>\n",
                       title.empty() ? "" : "<figcaption>" + escape_markup(title) + "</figcaption>",
                       plots_.size(),
                       note.empty() ? "" : "<p class=\"note\">" + escape_markup(note) + "</p>");
  plots_.push_back(std::move(json));
}

void HtmlPage::add_plot(const TimePlot& plot) {
  std::vector<const std::vector<double>*> shared;
  for (const PlotSeries& s : plot.series) {
    if (s.times.empty()) shared.push_back(&s.y);
  }
  const auto rows = choose_rows(shared, plot.times.size(), kPixelColumns);
  std::size_t drawn = rows.size(), all = plot.times.size();
  std::string series, events, bands, marks;
  const auto add = [](std::string* list, const std::string& item) {
    *list += (list->empty() ? "" : ",") + item;
  };
  for (const PlotSeries& s : plot.series) {
    auto own = rows;
    if (!s.times.empty()) {
      own = choose_rows({&s.y}, s.times.size(), kPixelColumns);
      drawn += own.size();
      all += s.times.size();
    }
    add(&series,
        fmt::format("{{\"name\":{},\"color\":{},\"group\":{},{}\"y\":{}}}", as_json(s.name),
                    as_json(s.color), as_json(s.group),
                    s.times.empty() ? "" : fmt::format("\"t\":{},", as_json_times(s.times, own)),
                    as_json_list(own.size(), [&](std::size_t k) { return s.y[own[k]]; })));
  }
  for (const PlotEvent& e : plot.events) {
    add(&events,
        fmt::format("{{\"t\":{:.10g},\"begins\":{},\"filled\":{},\"text\":{},\"color\":{}}}",
                    e.time, e.begins, e.filled, as_json(e.text), as_json(e.color)));
  }
  for (const PlotBand& b : plot.bands) {
    add(&bands, fmt::format("[{:.10g},{:.10g},{}]", b.start, b.end, as_json(b.color)));
  }
  for (const PlotMark& m : plot.marks) {
    add(&marks, fmt::format("{{\"t\":{:.10g},\"text\":{}}}", m.time, as_json(m.text)));
  }
  const std::string range =
      plot.range ? fmt::format("[{:.10g},{:.10g}]", plot.range->first, plot.range->second) : "null";
  add_mount(plot.title, join_notes(plot.note, thinning_note(drawn, all)),
            fmt::format("{{\"kind\":\"time\",\"label\":{},\"unit\":{},\"stacked\":{},\"height\":{},"
                        "\"zero\":{},\"axis\":{},\"legend\":{},\"xLabel\":{},\"range\":{},\"t\":{},"
                        "\"series\":[{}],\"events\":[{}],\"bands\":[{}],\"marks\":[{}]}}",
                        as_json(plot.title), as_json(plot.unit), plot.stacked, plot.height,
                        plot.zero, plot.axis, plot.legend, as_json(plot.x_label), range,
                        as_json_times(plot.times, rows), series, events, bands, marks));
}

void HtmlPage::add_path(const PathPlot& plot) {
  const auto rows = choose_rows({&plot.x, &plot.y}, plot.times.size(), kPixelColumns);
  auto list = [&](const std::vector<double>& v) {
    return as_json_list(rows.size(), [&](std::size_t k) { return v[rows[k]]; });
  };
  add_mount(
      plot.title, join_notes(plot.note, thinning_note(rows.size(), plot.times.size())),
      fmt::format("{{\"kind\":\"path\",\"label\":{},\"xLabel\":{},\"yLabel\":{},\"unit\":{},"
                  "\"t\":{},\"x\":{},\"y\":{}}}",
                  as_json(plot.title), as_json(plot.x_label), as_json(plot.y_label),
                  as_json(plot.unit), as_json_times(plot.times, rows), list(plot.x), list(plot.y)));
}

void HtmlPage::add_player(const Player& player) {
  std::string bodies, forces, links, lines;
  for (const PlayedBody& b : player.bodies) {
    if (!bodies.empty()) bodies += ',';
    bodies += fmt::format(
        "{{\"name\":{},\"shape\":\"{}\",\"size\":{},\"vertices\":{},\"triangles\":{},\"p\":{},"
        "\"R\":{},\"trail\":{},\"patch\":{},\"poses\":{}}}",
        as_json(b.name), shape_word(b.shape), as_json_list(b.size), as_json_list(b.vertices),
        as_json(nlohmann::json(b.triangles)), as_json_list(b.shape_position),
        as_json_list(b.shape_rotation), b.trail, b.patch, as_json_list(b.poses));
  }
  for (const PlayedForce& f : player.forces) {
    if (!forces.empty()) forces += ',';
    forces += fmt::format("{{\"name\":{},\"values\":{}}}", as_json(f.name), as_json_list(f.values));
  }
  for (const PlayedLine& l : player.lines) {
    if (!lines.empty()) lines += ',';
    lines += fmt::format("{{\"name\":{},\"points\":{},\"tension\":{}}}", as_json(l.name),
                         as_json_list(l.points), as_json_list(l.tension));
  }
  for (const PlayedLink& l : player.links) {
    if (!links.empty()) links += ',';
    links += fmt::format("{{\"from\":{},\"to\":{},\"a\":{},\"b\":{}}}", l.from, l.to,
                         as_json_list(l.from_point), as_json_list(l.to_point));
  }
  add_mount(player.title, player.note,
            fmt::format("{{\"kind\":\"player\",\"label\":{},\"across\":{},\"up\":{},\"down\":{},"
                        "\"t\":{},\"bodies\":[{}],\"forces\":[{}],\"links\":[{}],\"lines\":[{}]}}",
                        as_json(player.title), player.across, player.up, player.down,
                        as_json_list(player.times), bodies, forces, links, lines));
}

void HtmlPage::add_svg(const std::string& svg, const std::string& caption) {
  body_ +=
      fmt::format("<figure class=\"picture\">{}{}</figure>\n", svg,
                  caption.empty() ? "" : "<p class=\"note\">" + escape_markup(caption) + "</p>");
}

void HtmlPage::add_figure(const std::string& title, const std::string& note,
                          const nlohmann::json& spec, std::string_view script) {
  add_mount(title, note, as_json(spec));
  const auto same = [&](std::string_view other) { return other.data() == script.data(); };
  if (std::none_of(scripts_.begin(), scripts_.end(), same)) scripts_.push_back(script);
}

std::string HtmlPage::as_html() const {
  std::string colors;
  for (std::size_t k = 0; k < kCurveColors.size(); ++k) {
    colors += fmt::format(" --c{}: {};", k, kCurveColors[k]);
  }
  // A page that is read in one go needs no list of what is on it.
  constexpr std::size_t kFew = 4;
  const std::string contents =
      headings_ > kFew ? "<nav class=\"contents\">\n" + contents_ + "</nav>\n" : "";
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>\n:root {{{} }}{}</style>\n</head>\n<body>\n"
      "<noscript><p>The plots of this page are drawn by a script inside of it; allow scripts for "
      "this file to see them.</p></noscript>\n<main>\n<h1>{}</h1>\n<div class=\"sub\">{}</div>\n"
      "{}{}</main>\n"
      "<script id=\"plots\" type=\"application/json\">[",
      escape_markup(title_), colors, detail::kPageStyle, escape_markup(title_),
      escape_markup(subtitle_), contents, body_);
  for (std::size_t k = 0; k < plots_.size(); ++k) {
    if (k > 0) html += ",\n";
    html += plots_[k];
  }
  html += "]</script>\n<script>\n";
  html += detail::kPlotScript;
  html += detail::kPlayerScript;
  for (const std::string_view script : scripts_) html += script;
  html += detail::kStartScript;
  html += "</script>\n</body>\n</html>\n";
  return html;
}

}  // namespace vesica
