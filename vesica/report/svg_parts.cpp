#include "vesica/report/svg_parts.h"

#include <fmt/format.h>

#include <cmath>

#include "vesica/io/markup.h"

namespace vesica::detail {
namespace {

double tick_step(double range, int count) {
  const double raw = range / count;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (double m : {1.0, 2.0, 5.0}) {
    if (raw <= m * power) return m * power;
  }
  return 10 * power;
}

}  // namespace

// One number says nothing about a scale: finer until there are two.
std::vector<double> make_ticks(double low, double high, int count) {
  std::vector<double> result;
  for (int more = count; more <= 8 * count && result.size() < 2; ++more) {
    result.clear();
    const double step = tick_step(high - low, more);
    for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) {
      result.push_back(k == 0 ? 0 : k * step);
    }
  }
  return result;
}

std::string begin_svg(double width, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"13\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
}

std::string make_title(double x, double y, const std::string& title, const std::string& note) {
  return fmt::format(
      "<text x=\"{0:.0f}\" y=\"{1:.0f}\" font-size=\"16\" font-weight=\"bold\">{2}</text>\n"
      "<text x=\"{0:.0f}\" y=\"{3:.0f}\" fill=\"#555\">{4}</text>\n",
      x, y, escape_markup(title), y + 20, escape_markup(note));
}

}  // namespace vesica::detail
