#include "reproduce/verdict.h"

#include <fmt/format.h>

#include <cmath>

namespace vesica::detail {

Verdict match_source(double ours, double source, double tolerance, const std::string& place,
                     const std::string& reason) {
  const bool holds = std::abs(ours - source) <= tolerance;
  return {holds ? "reproduced" : fmt::format("differs because {}", reason),
          source,
          {},
          tolerance,
          place};
}

Verdict match_within(double ours, double expected, double tolerance, const std::string& what) {
  const bool holds = std::abs(ours - expected) <= tolerance;
  return {
      fmt::format("{}: {}", holds ? "as expected" : "differs", what), {}, expected, tolerance, {}};
}
Verdict match_expected(double ours, double expected, double relative, const std::string& what) {
  return match_within(ours, expected, relative * std::abs(expected), what);
}
Verdict match_zero(double ours, double tolerance, const std::string& what) {
  return match_within(ours, 0, tolerance, what);
}

Verdict match_words(bool holds, const std::string& words, const std::string& place) {
  return {
      fmt::format("{}: {}", holds ? "reproduced" : "differs: not so", words), {}, {}, {}, place};
}
Verdict match_expectation(bool holds, const std::string& words) {
  return {fmt::format("{}: {}", holds ? "as expected" : "differs", words), {}, {}, {}, {}};
}

Verdict no_number() { return {"no number in the source", {}, {}, {}, {}}; }
Verdict no_number(const std::string& remark) {
  return {fmt::format("no number in the source; {}", remark), {}, {}, {}, {}};
}
Verdict reported(const std::string& what) {
  return {fmt::format("reported: {}", what), {}, {}, {}, {}};
}

}  // namespace vesica::detail
