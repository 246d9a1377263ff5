#include "vesica/report/heat_map_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "vesica/io/markup.h"
#include "vesica/report/colors.h"
#include "vesica/report/svg_parts.h"

namespace vesica {
namespace {

constexpr int kLevels = 64;
constexpr double kMapWidth = 520, kMaxMapHeight = 620;
constexpr double kRunOverlap = 0.7;  // pixels
constexpr double kMapLeft = 70, kMapTop = 56, kMapRight = 130, kMapBottom = 64;

}  // namespace

std::string make_heat_map_svg(const HeatMap& map) {
  std::string svg;
  auto out = std::back_inserter(svg);
  const bool empty = map.values.empty() || map.nx == 0 || map.ny == 0;
  const double range_x = empty ? 1 : map.nx * map.dx, range_y = empty ? 1 : map.ny * map.dy;
  const double scale = std::min(kMapWidth / range_x, kMaxMapHeight / range_y);
  const double width = range_x * scale, height = range_y * scale;
  const double total_width = std::max(width, 240.0) + kMapLeft + kMapRight;
  const double total_height = std::max(height, 160.0) + kMapTop + kMapBottom;
  svg += detail::begin_svg(total_width, total_height);
  svg +=
      detail::make_title(kMapLeft, 24, map.title, fmt::format("{}", fmt::join(map.notes, " · ")));
  if (empty) {
    fmt::format_to(out, "<text x=\"{:.0f}\" y=\"{:.0f}\">not in contact</text>\n</svg>\n", kMapLeft,
                   kMapTop + 40);
    return svg;
  }

  const double peak = *std::max_element(map.values.begin(), map.values.end());
  const auto x_of = [&](double x) { return kMapLeft + (x - map.x0) * scale; };
  const auto y_of = [&](double y) { return kMapTop + height - (y - map.y0) * scale; };

  // One path per colour, made of runs along rows: compact, and no seams between cells.
  std::vector<std::string> runs(kLevels);
  auto level_of = [&](double value) {
    if (!(value > 0)) return -1;
    return std::min(kLevels - 1, static_cast<int>(value / peak * kLevels));
  };
  for (int y = 0; y < map.ny; ++y) {
    for (int x = 0; x < map.nx;) {
      const auto at = [&](int k) {
        return level_of(map.values[static_cast<size_t>(y) * map.nx + k]);
      };
      const int level = at(x);
      const int start = x;
      while (x < map.nx && at(x) == level) ++x;
      if (level < 0) continue;
      // Runs reach a little into the next one: where a page scales the picture, rounding to whole
      // pixels would leave white lines between them.
      const bool ends = x == map.nx || at(x) < 0;
      const double width_of_run = (x - start) * map.dx * scale + (ends ? 0 : kRunOverlap);
      fmt::format_to(std::back_inserter(runs[level]), "M{:.2f} {:.2f}h{:.2f}v{:.2f}h{:.2f}z",
                     x_of(map.x0 + start * map.dx), y_of(map.y0 + (y + 1) * map.dy), width_of_run,
                     map.dy * scale, -width_of_run);
    }
  }
  svg += "<g shape-rendering=\"crispEdges\">\n";
  for (int level = 0; level < kLevels; ++level) {
    if (runs[level].empty()) continue;
    fmt::format_to(out, "<path fill=\"{}\" d=\"{}\"/>\n", make_heat_color((level + 0.5) / kLevels),
                   runs[level]);
  }
  svg += "</g>\n";

  fmt::format_to(out,
                 "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
                 "stroke=\"#333\"/>\n",
                 kMapLeft, kMapTop, width, height);
  for (double t :
       detail::make_ticks(map.x0, map.x0 + range_x, std::max(2, static_cast<int>(width / 60)))) {
    fmt::format_to(out,
                   "<path d=\"M{0:.1f} {1:.1f}v5\" stroke=\"#333\"/>"
                   "<text x=\"{0:.1f}\" y=\"{2:.1f}\" text-anchor=\"middle\">{3:g}</text>\n",
                   x_of(t), kMapTop + height, kMapTop + height + 20, t);
  }
  for (double t :
       detail::make_ticks(map.y0, map.y0 + range_y, std::max(2, static_cast<int>(height / 60)))) {
    fmt::format_to(out,
                   "<path d=\"M{0:.1f} {1:.1f}h-5\" stroke=\"#333\"/>"
                   "<text x=\"{2:.1f}\" y=\"{3:.1f}\" text-anchor=\"end\">{4:g}</text>\n",
                   kMapLeft, y_of(t), kMapLeft - 8, y_of(t) + 4, t);
  }
  fmt::format_to(out,
                 "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n"
                 "<text transform=\"translate(20 {:.1f}) rotate(-90)\" "
                 "text-anchor=\"middle\">{}</text>\n",
                 kMapLeft + width / 2, kMapTop + height + 44, escape_markup(map.x_label),
                 kMapTop + height / 2, escape_markup(map.y_label));

  // Scale bar.
  const double bar_x = kMapLeft + width + 24, bar_height = std::max(height, 120.0);
  for (int level = 0; level < kLevels; ++level) {
    fmt::format_to(out,
                   "<rect x=\"{:.1f}\" y=\"{:.2f}\" width=\"16\" height=\"{:.2f}\" fill=\"{}\"/>\n",
                   bar_x, kMapTop + bar_height * (1 - (level + 1.0) / kLevels),
                   bar_height / kLevels + 0.3, make_heat_color((level + 0.5) / kLevels));
  }
  for (double t : detail::make_ticks(0, peak, std::max(2, static_cast<int>(bar_height / 60)))) {
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\">{:g}</text>\n", bar_x + 22,
                   kMapTop + bar_height * (1 - t / peak) + 4, t);
  }
  fmt::format_to(out,
                 "<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" "
                 "text-anchor=\"middle\">{}</text>\n",
                 bar_x + 84, kMapTop + bar_height / 2, escape_markup(map.value_label));

  for (const HeatMap::Mark& mark : map.marks) {
    fmt::format_to(out,
                   "<g stroke=\"white\" stroke-width=\"4\" fill=\"none\"><path d=\"M{0:.1f} "
                   "{1:.1f}m-7 0h14m-7 -7v14\"/></g><path d=\"M{0:.1f} {1:.1f}m-6 0h12m-6 -6v12\" "
                   "stroke=\"#c02020\" stroke-width=\"2\"/><text x=\"{2:.1f}\" y=\"{3:.1f}\" "
                   "fill=\"#c02020\" stroke=\"white\" stroke-width=\"3\" "
                   "paint-order=\"stroke\">{4}</text>\n",
                   x_of(mark.x), y_of(mark.y), x_of(mark.x) + 9, y_of(mark.y) - 8,
                   escape_markup(mark.label));
  }
  svg += "</svg>\n";
  return svg;
}

}  // namespace vesica
