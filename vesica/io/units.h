// Numbers with units at the door: inside, everything is SI.
#pragma once

#include <string>
#include <string_view>

#include "vesica/math/dimension.h"

namespace vesica {

// "22.48 N/mm^2" -> SI. A bare number is SI already. Units are products of powers: `N s/m`,
// `N*s/m`, `N/(m s)`, `1/s`, `N/m^1.5`; a slash divides by the one factor that follows it. Throws
// InputError (without a place: the caller adds it) on a word that is no unit, a wrong dimension,
// NaN, infinity.
double parse_quantity(std::string_view text, const Dimension& expected);

// A number of one unit in another; "" is SI, of whatever dimension. Throws InputError on a word
// that is no unit, and where they measure different things.
double convert_units(double value, std::string_view from, std::string_view to);

}  // namespace vesica
