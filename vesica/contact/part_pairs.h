// A contact between bodies of several parts: any part of one may touch any part of the other, and
// every pair of parts that does is a contact with its own states. Bodies have several parts where a
// file gives them several shapes, or asks for the cells of a solid one by one.
#pragma once

#include <vector>

#include "vesica/contact/contact.h"
#include "vesica/interference/part_finder.h"

namespace vesica {

template <class P>
struct PartPairs {
  PartFinder finder;
  int count_i = 1, count_j = 1;      // parts
  std::vector<PlacedPair<P>> pairs;  // of part a of i and b of j: [a * count_j + b]
  int room = 0;                      // how many may be near each other at once

  int index(const CellPair& parts) const { return parts.i * count_j + parts.j; }
};

}  // namespace vesica
