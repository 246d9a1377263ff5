#include "vesica/report/figures.h"

#include <fmt/format.h>

#include <cmath>

namespace vesica {

std::string format_figure(double value, int digits, const std::string& otherwise) {
  if (!std::isfinite(value)) return otherwise;
  return fmt::format("{:.{}g}", value + 0.0, digits);
}

std::string count_of(long count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count, count == 1 ? one : many.empty() ? one + "s" : many);
}

DisplayUnit choose_unit(const std::string& si, double largest) {
  if (si == "rad/s" || si.starts_with("deg") || si == "1" || si.empty() || !(largest > 0))
    return {si, 1};
  if (largest >= 1e4 && si != "m" && si != "m/s") return {"k" + si, 1e-3};
  if (largest >= 0.1) return {si, 1};
  if (largest >= 1e-4) return {"m" + si, 1e3};
  if (largest >= 1e-7) return {"\u00b5" + si, 1e6};
  if (largest >= 1e-10) return {"n" + si, 1e9};
  return {"p" + si, 1e12};
}

std::string with_prefix(double value, const std::string& si, int digits) {
  const DisplayUnit unit = choose_unit(si, std::abs(value));
  return fmt::format("{} {}", format_figure(value * unit.factor, digits), unit.name);
}

}  // namespace vesica
