#include "vesica/motion/marker_names.h"

#include <cctype>
#include <utility>

namespace vesica {
namespace {

// Where the name begins behind the subject.
size_t calc_prefix_length(const std::string& label) {
  const size_t colon = label.rfind(':');
  return colon == std::string::npos ? 0 : colon + 1;
}

}  // namespace

std::string without_prefix(const std::string& label) {
  return label.substr(calc_prefix_length(label));
}

std::vector<SidedName> as_sided_names(const std::string& label) {
  std::string letters, raw;
  for (const char c : without_prefix(label)) {
    const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    raw += lower;
    if (std::isalnum(static_cast<unsigned char>(c))) letters += lower;
  }
  std::vector<SidedName> names = {{' ', letters}};
  for (const auto& [word, side] : {std::pair{"right", 'r'}, std::pair{"left", 'l'}}) {
    if (letters.starts_with(word))
      names.push_back({side, letters.substr(std::string(word).size())});
  }
  if (letters.size() > 1 && (letters[0] == 'r' || letters[0] == 'l')) {
    names.push_back({letters[0], letters.substr(1)});
  }
  // As a suffix only behind punctuation: "calc_r", never the r of "ear".
  const size_t n = raw.size();
  if (n > 2 && (raw[n - 1] == 'r' || raw[n - 1] == 'l') &&
      !std::isalnum(static_cast<unsigned char>(raw[n - 2]))) {
    names.push_back({raw[n - 1], letters.substr(0, letters.size() - 1)});
  }
  return names;
}

std::vector<SidedPair> find_sided_pairs(std::span<const std::string> labels) {
  std::vector<std::vector<SidedName>> names;
  std::vector<std::string> subjects;
  for (const std::string& label : labels) {
    const size_t prefix = calc_prefix_length(label);
    subjects.push_back(label.substr(0, prefix));
    // Two characters are too few: L5 is a vertebra.
    names.push_back(label.size() < prefix + 3 ? std::vector<SidedName>{} : as_sided_names(label));
  }
  const auto are_pair = [&](size_t left, size_t right) {
    if (subjects[left] != subjects[right]) return false;
    for (const SidedName& l : names[left]) {
      for (const SidedName& r : names[right]) {
        if (l.side == 'l' && r.side == 'r' && l.rest == r.rest) return true;
      }
    }
    return false;
  };
  std::vector<SidedPair> pairs;
  std::vector<bool> taken(labels.size(), false);
  for (size_t left = 0; left < labels.size(); ++left) {
    for (size_t right = 0; right < labels.size() && !taken[left]; ++right) {
      if (taken[right] || !are_pair(left, right)) continue;
      taken[left] = taken[right] = true;
      pairs.push_back({static_cast<int>(left), static_cast<int>(right)});
    }
  }
  return pairs;
}

}  // namespace vesica
