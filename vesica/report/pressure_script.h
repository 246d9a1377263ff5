// Pressure maps over time, in the page's script. Internal to report/.
#pragma once

#include <string_view>

namespace vesica::detail {

extern const std::string_view kPressureScript;

}  // namespace vesica::detail
