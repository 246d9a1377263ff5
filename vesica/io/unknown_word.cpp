#include "vesica/io/unknown_word.h"

#include <fmt/format.h>

#include <algorithm>

namespace vesica {
namespace {

// Edits that turn a into b, a swap of neighbours counted once (optimal string alignment): small for
// a typing mistake.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t k = 0; k <= b.size(); ++k) d[0][k] = k;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t k = 1; k <= b.size(); ++k) {
      const size_t substitute = d[i - 1][k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1);
      d[i][k] = std::min({d[i - 1][k] + 1, d[i][k - 1] + 1, substitute});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
        d[i][k] = std::min(d[i][k], d[i - 2][k - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

// More than this is another word, not a mistyped one: two edits turn any word of two letters into
// any other.
size_t allowed_edits(std::string_view word) {
  return word.size() < 3 ? 0 : word.size() < 5 ? 1 : 2;
}

}  // namespace

std::string_view find_nearest_word(std::string_view word,
                                   const std::vector<std::string_view>& known) {
  constexpr size_t kLongest = 100;  // a mistyped word is shorter
  if (word.size() > kLongest) return {};
  std::string_view nearest;
  size_t fewest = allowed_edits(word) + 1;
  for (const std::string_view each : known) {
    const size_t edits = edit_distance(word, each);
    if (edits < fewest) {
      fewest = edits;
      nearest = each;
    }
  }
  if (!nearest.empty() || word.size() < 3) return nearest;
  const auto begins = [&](std::string_view each) { return each.starts_with(word); };
  if (std::count_if(known.begin(), known.end(), begins) != 1) return {};
  return *std::find_if(known.begin(), known.end(), begins);
}

std::string suggest_word(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string_view nearest = find_nearest_word(word, known);
  if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  return fmt::format("known here: {}", fmt::join(known, ", "));
}

std::string say_unknown(std::string_view word, const std::vector<std::string_view>& known) {
  return fmt::format("'{}' is not known; {}", word.substr(0, 60), suggest_word(word, known));
}

}  // namespace vesica
