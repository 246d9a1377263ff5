// Two markers that carry each other's labels in all frames.
//
// No frame stands out then, and constants that are found take up what they can. What remains are
// residuals that point the same way in the segment, frame after frame, of one of the two at least
// and of markers beside them. Pairs of a segment with such a marker are exchanged and the fit is
// repeated on a few frames.
#pragma once

#include <vector>

#include "vesica/markers/identify.h"

namespace vesica::markers {

struct ExchangedPair {
  int a = 0, b = 0;  // markers
  double share = 1;  // of the objective that is left with their labels exchanged
};
// The pair that leaves least of the objective, where that is less than half; with it exchanged, the
// next one. None for models with loops.
std::vector<ExchangedPair> find_exchanged_throughout(const Identification& id,
                                                     const std::vector<Trial>& trials);

}  // namespace vesica::markers
