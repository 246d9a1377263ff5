// A measured footprint beside a simulated one, in the page's script. Internal to report/.
#pragma once

#include <string_view>

namespace vesica::detail {

extern const std::string_view kFootprintScript;

}  // namespace vesica::detail
