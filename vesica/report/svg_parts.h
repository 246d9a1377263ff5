// What the SVG pictures share. Internal to report/.
#pragma once

#include <vector>

namespace vesica::detail {

// Round numbers (1, 2 or 5 times a power of ten) inside the range, about `count` of them.
std::vector<double> make_ticks(double low, double high, int count);

}  // namespace vesica::detail
