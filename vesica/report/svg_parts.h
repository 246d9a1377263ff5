// What the SVG pictures share. Internal to report/.
#pragma once

#include <string>
#include <vector>

namespace vesica::detail {

// Round numbers (1, 2 or 5 times a power of ten) inside the range, about `count` of them.
std::vector<double> make_ticks(double low, double high, int count);

// The head of a picture of its own, on white.
std::string begin_svg(double width, double height);
// A title and a line in grey under it.
std::string make_title(double x, double y, const std::string& title, const std::string& note);

}  // namespace vesica::detail
