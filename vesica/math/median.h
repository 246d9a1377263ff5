#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace vesica {

// The middle value, of an even number the upper of the two; 0 of none.
inline double calc_median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace vesica
