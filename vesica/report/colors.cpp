#include "vesica/report/colors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vesica {

std::string make_heat_color(double part) {
  static constexpr std::array<std::array<double, 3>, 6> kStops = {{{60, 15, 90},
                                                                   {58, 76, 138},
                                                                   {36, 127, 142},
                                                                   {50, 172, 125},
                                                                   {140, 208, 75},
                                                                   {250, 230, 40}}};
  const double x = std::clamp(part, 0.0, 1.0) * (kStops.size() - 1);
  const size_t k = std::min(static_cast<size_t>(x), kStops.size() - 2);
  const double f = x - static_cast<double>(k);
  std::array<int, 3> rgb{};
  for (size_t c = 0; c < 3; ++c) {
    rgb[c] = static_cast<int>(std::lround(kStops[k][c] + f * (kStops[k + 1][c] - kStops[k][c])));
  }
  return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

}  // namespace vesica
