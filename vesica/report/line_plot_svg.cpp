#include "vesica/report/line_plot_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "vesica/io/markup.h"
#include "vesica/report/colors.h"
#include "vesica/report/svg_parts.h"

namespace vesica {
namespace {

constexpr double kPlotWidth = 520, kPlotHeight = 300;  // of a plot's frame, pixels
constexpr double kPlotLeft = 78, kPlotTop = 58, kPlotBottom = 58;
constexpr double kLegendGap = 20, kLegendSymbol = 34, kLegendLine = 22;
constexpr double kCharacter = 8.2;  // wide at 13 pixels, rather too much than too little
constexpr double kTooClose = 0.4;   // points of a curve nearer than this many pixels are left out
constexpr double kMargin = 0.04;    // of the range, above and below the curves

constexpr const char* kMarkColor = "#c02020";

struct Axis {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool log = false;

  bool has(double value) const { return std::isfinite(value) && (!log || value > 0); }
  void include(double value) {
    if (!has(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // An empty range becomes a unit one, a single value gets a surrounding.
  void finish() {
    if (!(low <= high)) low = log ? 1 : 0, high = log ? 10 : 1;
    if (low == high) {
      const double around = log ? 0 : std::max(0.5 * std::abs(low), 1e-300);
      low = log ? low / 10 : low - around;
      high = log ? high * 10 : high + around;
    }
  }
  // 0 to 1 along the axis.
  double place(double value) const {
    return log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  }
  std::vector<double> ticks(int count) const {
    if (!log) return detail::make_ticks(low, high, count);
    // Decades, and 2 and 5 between them where there are few.
    std::vector<double> decades;
    const bool few = high / low < 1000;
    for (double power = std::pow(10.0, std::floor(std::log10(low))); power <= high; power *= 10) {
      for (const double m : {1.0, 2.0, 5.0}) {
        const double t = m * power;
        if ((m == 1 || few) && t >= low * (1 - 1e-9) && t <= high * (1 + 1e-9)) {
          decades.push_back(t);
        }
      }
    }
    return decades.size() < 2 ? detail::make_ticks(low, high, count) : decades;
  }
};

size_t count_characters(const std::string& utf8) {
  return static_cast<size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

double calc_legend_width(const LinePlot& plot) {
  size_t longest = 0;
  for (const auto& curve : plot.curves) longest = std::max(longest, count_characters(curve.name));
  for (const auto& mark : plot.marks) longest = std::max(longest, count_characters(mark.name));
  return kLegendSymbol + kCharacter * static_cast<double>(longest);
}

double calc_height(const LinePlot& plot) {
  const double legend =
      kLegendLine * static_cast<double>(plot.curves.size() + plot.marks.size()) + kLegendLine;
  return kPlotTop + std::max(kPlotHeight, legend) + kPlotBottom;
}

// One panel whose upper left corner is at (0, top).
class Panel {
 public:
  Panel(const LinePlot& plot, double top, std::string* svg) : plot_(plot), top_(top), svg_(svg) {
    x_.log = plot.log_x;
    for (const auto& curve : plot.curves) {
      for (size_t k = 0; k < curve.x.size(); ++k) {
        if (!x_.has(curve.x[k]) || !y_.has(curve.y[k])) continue;
        x_.include(curve.x[k]);
        y_.include(curve.y[k]);
      }
    }
    x_.finish();
    y_.finish();
    const double margin = kMargin * (y_.high - y_.low);
    // A curve that stands on zero keeps it as its base.
    if (y_.low != 0) y_.low -= margin;
    if (y_.high != 0) y_.high += margin;
  }

  void draw() {
    *svg_ += detail::make_title(kPlotLeft, top_ + 24, plot_.title, plot_.note);
    draw_axes();
    double line = top_ + kPlotTop + 12;
    for (size_t k = 0; k < plot_.curves.size(); ++k) {
      draw_curve(k, line);
      line += kLegendLine;
    }
    for (const auto& mark : plot_.marks) {
      draw_mark(mark, line);
      line += kLegendLine;
    }
  }

 private:
  double x_of(double x) const { return kPlotLeft + kPlotWidth * x_.place(x); }
  double y_of(double y) const { return top_ + kPlotTop + kPlotHeight * (1 - y_.place(y)); }

  void draw_axes() {
    const auto out = std::back_inserter(*svg_);
    const double bottom = top_ + kPlotTop + kPlotHeight;
    for (const double t : x_.ticks(8)) {
      fmt::format_to(out,
                     "<path d=\"M{0:.1f} {1:.1f}v{2:.1f}\" stroke=\"#e4e4e4\"/>"
                     "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4:g}</text>\n",
                     x_of(t), bottom, -kPlotHeight, bottom + 18, t);
    }
    for (const double t : y_.ticks(6)) {
      fmt::format_to(out,
                     "<path d=\"M{0:.1f} {1:.1f}h{2:.1f}\" stroke=\"{3}\"/>"
                     "<text x=\"{4:.1f}\" y=\"{5:.1f}\" text-anchor=\"end\">{6:g}</text>\n",
                     kPlotLeft, y_of(t), kPlotWidth, t == 0 ? "#999" : "#e4e4e4", kPlotLeft - 8,
                     y_of(t) + 4, t);
    }
    fmt::format_to(out,
                   "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                   "fill=\"none\" stroke=\"#333\"/>\n"
                   "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n"
                   "<text transform=\"translate(18 {:.1f}) rotate(-90)\" "
                   "text-anchor=\"middle\">{}</text>\n",
                   kPlotLeft, top_ + kPlotTop, kPlotWidth, kPlotHeight, kPlotLeft + kPlotWidth / 2,
                   bottom + 42, escape_markup(plot_.x_label), top_ + kPlotTop + kPlotHeight / 2,
                   escape_markup(plot_.y_label));
  }

  void draw_curve(size_t index, double legend_y) {
    // Curves beyond the last colour have the first ones again, and dashes.
    constexpr std::array kDashes = {"", " stroke-dasharray=\"7 3\"", " stroke-dasharray=\"2 3\"",
                                    " stroke-dasharray=\"9 3 2 3\""};
    const LinePlot::Curve& curve = plot_.curves[index];
    const char* color = kCurveColors[index % kCurveColors.size()];
    const char* dashes = curve.dashed ? " stroke-dasharray=\"6 4\""
                                      : kDashes[index / kCurveColors.size() % kDashes.size()];
    std::string path;
    bool drawing = false;
    double last_x = 0, last_y = 0;
    for (size_t k = 0; k < curve.x.size(); ++k) {
      if (!x_.has(curve.x[k]) || !y_.has(curve.y[k])) {
        drawing = false;
        continue;
      }
      const double x = x_of(curve.x[k]), y = y_of(curve.y[k]);
      const bool ends = k + 1 == curve.x.size();
      if (drawing && !ends && std::hypot(x - last_x, y - last_y) < kTooClose) continue;
      fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", drawing ? 'L' : 'M', x, y);
      drawing = true;
      last_x = x;
      last_y = y;
    }
    const double x = kPlotLeft + kPlotWidth + kLegendGap;
    fmt::format_to(std::back_inserter(*svg_),
                   "<path d=\"{0}\" fill=\"none\" stroke=\"{1}\" stroke-width=\"2\" "
                   "stroke-linejoin=\"round\"{2}/>\n"
                   "<path d=\"M{3:.0f} {4:.0f}h24\" stroke=\"{1}\" stroke-width=\"2\"{2}/>"
                   "<text x=\"{5:.0f}\" y=\"{6:.0f}\">{7}</text>\n",
                   path, color, dashes, x, legend_y - 4, x + kLegendSymbol, legend_y,
                   escape_markup(curve.name));
  }

  void draw_mark(const LinePlot::Mark& mark, double legend_y) {
    const double x = kPlotLeft + kPlotWidth + kLegendGap;
    fmt::format_to(std::back_inserter(*svg_),
                   "<g fill=\"{0}\" stroke=\"white\"><circle cx=\"{1:.1f}\" cy=\"{2:.1f}\" "
                   "r=\"5\"/><circle cx=\"{3:.0f}\" cy=\"{4:.0f}\" r=\"5\"/></g>"
                   "<text x=\"{5:.0f}\" y=\"{6:.0f}\">{7}</text>\n",
                   kMarkColor, x_of(mark.x), y_of(mark.y), x + 12, legend_y - 4, x + kLegendSymbol,
                   legend_y, escape_markup(mark.name));
  }

  const LinePlot& plot_;
  double top_;
  std::string* svg_;
  Axis x_, y_;
};

}  // namespace

std::string make_line_plot_svg(const std::vector<LinePlot>& panels) {
  double legend = 0, height = 0;
  for (const LinePlot& plot : panels) {
    legend = std::max(legend, calc_legend_width(plot));
    height += calc_height(plot);
  }
  std::string svg = detail::begin_svg(kPlotLeft + kPlotWidth + kLegendGap + legend, height);
  double top = 0;
  for (const LinePlot& plot : panels) {
    Panel(plot, top, &svg).draw();
    top += calc_height(plot);
  }
  svg += "</svg>\n";
  return svg;
}

}  // namespace vesica
