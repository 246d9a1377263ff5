// What the label of a marker says: subject, side, place.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace vesica {

// Without the subject: "Heel" for "Subject:Heel".
std::string without_prefix(const std::string& label);

// A label without prefix, case and punctuation, split into side and rest: "Subject:R.Heel" gives
// ('r', "heel"), "LHEE" ('l', "hee"), "calc_l" ('l', "calc"). The first reading has no side (' ').
struct SidedName {
  char side = ' ';
  std::string rest;
};
std::vector<SidedName> as_sided_names(const std::string& label);

// Markers at the same place on the two sides of a subject, by their labels; none is in two pairs.
struct SidedPair {
  int left = 0, right = 0;
};
std::vector<SidedPair> find_sided_pairs(std::span<const std::string> labels);

}  // namespace vesica
