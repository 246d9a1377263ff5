// Style and script of HtmlPage. Internal to report/.
#pragma once

#include <string_view>

namespace vesica::detail {

extern const std::string_view kPageStyle;
extern const std::string_view kPlotScript;    // helpers, curves over time, paths
extern const std::string_view kPlayerScript;  // moving bodies
extern const std::string_view kStartScript;   // draws all that is on the page

}  // namespace vesica::detail
