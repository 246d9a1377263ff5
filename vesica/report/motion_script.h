// Figures that recordings of motion need. Internal to report/.
#pragma once

#include <string_view>

namespace vesica::detail {

// Kinds for HtmlPage::add_figure: footprint, presence, tracks, film.
extern const std::string_view kMotionScript;

}  // namespace vesica::detail
