#include "vesica/report/figures.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vesica/report/colors.h"

namespace vesica::figures_test {
namespace {

TEST(Figures, DigitsAndWhatIsNoNumber) {
  EXPECT_EQ(format_figure(1.0 / 3), "0.33333");
  EXPECT_EQ(format_figure(-0.0), "0");
  EXPECT_EQ(format_figure(NAN), "unknown");
  EXPECT_EQ(format_figure(INFINITY, 3, "none"), "none");
}

TEST(Figures, PrefixesLeaveShortNumbers) {
  EXPECT_EQ(with_prefix(12345, "N"), "12.35 kN");
  EXPECT_EQ(with_prefix(0.0123, "m"), "12.3 mm");
  EXPECT_EQ(with_prefix(-6e-8, "J", 2), "-60 nJ");
  EXPECT_EQ(with_prefix(2e4, "m"), "2e+04 m");  // nobody says kilometres of a body's way
  EXPECT_EQ(choose_unit("rad/s", 1e-3).name, "rad/s");
}

TEST(Colors, HeatRunsFromDarkToBright) {
  const auto lightness = [](const std::string& hex) {
    const auto part = [&](size_t at) { return std::stoi(hex.substr(at, 2), nullptr, 16); };
    return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
  };
  for (int k = 0; k < 20; ++k) {
    EXPECT_LT(lightness(make_heat_color(k / 20.0)), lightness(make_heat_color((k + 1) / 20.0)));
  }
  EXPECT_EQ(make_heat_color(-1), make_heat_color(0));
  EXPECT_EQ(make_heat_color(2), make_heat_color(1));
}

}  // namespace
}  // namespace vesica::figures_test
