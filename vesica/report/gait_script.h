// How the page of gait cycles draws its own figures.
#pragma once

#include <string_view>

namespace vesica::detail {

extern const std::string_view kGaitScript;

}  // namespace vesica::detail
