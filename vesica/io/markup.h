#pragma once

#include <string>

namespace vesica {

// Text as it may stand in an element or an attribute of HTML, SVG or XML.
std::string escape_markup(const std::string& text);

}  // namespace vesica
