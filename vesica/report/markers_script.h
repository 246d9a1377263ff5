// Figures that marker models need. Internal to report/.
#pragma once

#include <string_view>

namespace vesica::detail {

// Kinds for HtmlPage::add_figure: cloud, matrix.
extern const std::string_view kMarkersScript;

}  // namespace vesica::detail
