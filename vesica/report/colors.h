// Colours that every picture and page uses.
#pragma once

#include <array>
#include <string>

namespace vesica {

// Of curves, one after the other: told apart by colour-blind eyes, dark enough for thin lines on
// white. Pages have lighter ones for a dark screen (html_page_parts.cpp).
inline constexpr std::array<const char*, 8> kCurveColors = {
    "#2866b2", "#c8501e", "#3f8f5b", "#8a4fb0", "#b8860b", "#2a9aa8", "#b03a6b", "#6b7280"};

// 0 to 1, dark violet over green to yellow: even in lightness, readable in grey and by colour-blind
// eyes.
std::string make_heat_color(double part);

}  // namespace vesica
