#include "vesica/io/units.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/support.h"
#include "vesica/error.h"

namespace vesica::units_test {
namespace {

TEST(Units, BareNumbersAreSi) {
  EXPECT_EQ(parse_quantity("0.25", dimension::kLength), 0.25);
  EXPECT_EQ(parse_quantity(" -3e-2 ", dimension::kSpeed), -0.03);
  EXPECT_EQ(parse_quantity("+7", dimension::kNumber), 7);
}

TEST(Units, FromOneToAnother) {
  EXPECT_DOUBLE_EQ(convert_units(0.3, "m", "mm"), 300);
  EXPECT_DOUBLE_EQ(convert_units(180, "deg", ""), M_PI);  // none: SI
  EXPECT_DOUBLE_EQ(convert_units(2, "", "N/mm"), 2e-3);
  EXPECT_DOUBLE_EQ(convert_units(36, "km/h", "m/s"), 10);
  EXPECT_THROW(convert_units(1, "m", "kg"), InputError);
  EXPECT_THROW(convert_units(1, "furlong", "m"), InputError);
}

TEST(Units, ProductsAndPowersConvert) {
  EXPECT_DOUBLE_EQ(parse_quantity("22.48 N/mm^2", {-1, 1, -2, "Pa"}), 22.48e6);
  EXPECT_DOUBLE_EQ(parse_quantity("22.48N/mm^2", {-1, 1, -2, "Pa"}), 22.48e6);
  EXPECT_DOUBLE_EQ(parse_quantity("5 N s/m", dimension::kViscosity), 5);
  EXPECT_DOUBLE_EQ(parse_quantity("5 N*s/mm", dimension::kViscosity), 5000);
  EXPECT_DOUBLE_EQ(parse_quantity("2 N/(m s)", {0, 1, -3, ""}), 2);
  EXPECT_DOUBLE_EQ(parse_quantity("3 1/s", dimension::kSpin), 3);
  EXPECT_DOUBLE_EQ(parse_quantity("180 deg", dimension::kAngle), M_PI);
  EXPECT_DOUBLE_EQ(parse_quantity("60 rpm", dimension::kSpin), 2 * M_PI);
  EXPECT_DOUBLE_EQ(parse_quantity("1 N/mm^3", dimension::kVolumetricStiffness), 1e9);
  EXPECT_NEAR(parse_quantity("3.4 N/mm^1.5", {-0.5, 1, -2, ""}), 3.4 * std::pow(1e3, 1.5), 1e-9);
  EXPECT_DOUBLE_EQ(parse_quantity("36 in", dimension::kLength), 0.9144);
  EXPECT_DOUBLE_EQ(parse_quantity("2 m/s²", dimension::kAcceleration), 2);
}

TEST(Units, MistakesAreNamed) {
  auto message = [](const char* text, const Dimension& d) {
    return test::input_error_of([&] { parse_quantity(text, d); });
  };
  EXPECT_NE(message("3 kg", dimension::kLength).find("wrong dimension"), std::string::npos);
  EXPECT_NE(message("3 furlong", dimension::kLength).find("'furlong' is not a unit"),
            std::string::npos);
  EXPECT_NE(message("heavy", dimension::kMass).find("expected a number"), std::string::npos);
  EXPECT_NE(message("nan", dimension::kMass).find("not a finite"), std::string::npos);
  EXPECT_NE(message("1e999", dimension::kMass).find("expected a number"), std::string::npos);
  EXPECT_NE(message("1e300 km^12", {12, 0, 0, "m^12"}).find("not a finite"), std::string::npos);
  for (const char* text :
       {"", "1 ^2", "1 m^", "1 m^m", "1 (m", "1 m)", "1 /", "1 m/", "1 m//s", "1 m^99"}) {
    EXPECT_FALSE(message(text, dimension::kLength).empty()) << text;
  }
}

}  // namespace
}  // namespace vesica::units_test
