#include "vesica/report/gait_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace vesica {

PlotEvent make_gait_mark(double time, const std::string& label, bool filled,
                         const std::string& note) {
  std::string lower = label;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto has = [&](const char* word) { return lower.find(word) != std::string::npos; };
  return {time, !has("off"), fmt::format("{} at {:.3f} s{}", label, time, note),
          has("left")    ? "left"
          : has("right") ? "right"
                         : "other",
          filled};
}

}  // namespace vesica
