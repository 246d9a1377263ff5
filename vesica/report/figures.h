// Numbers as pages show them.
#pragma once

#include <string>

namespace vesica {

// So many digits; `otherwise` for what is not finite.
std::string format_figure(double value, int digits = 5, const std::string& otherwise = "unknown");

// "1 stride", "2 strides"; `many` where it is not one + "s".
std::string count_of(long count, const std::string& one, const std::string& many = "");

struct DisplayUnit {
  std::string name;
  double factor = 1;  // displayed = SI times factor
};

// A prefix that leaves numbers between 0.1 and 1000 or so.
DisplayUnit choose_unit(const std::string& si, double largest);
std::string with_prefix(double value, const std::string& si, int digits = 4);

}  // namespace vesica
