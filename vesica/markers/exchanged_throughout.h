// Two markers that carry each other's labels in all frames.
//
// No frame stands out then, and constants that are found take up what they can. What remains are
// residuals of two markers of one segment that point opposite ways in it, frame after frame. Such
// pairs are exchanged and the fit is repeated on a few frames.
#pragma once

#include <vector>

#include "vesica/markers/identify.h"

namespace vesica::markers {

struct ExchangedPair {
  int a = 0, b = 0;  // markers
  double share = 1;  // of the objective that is left with their labels exchanged
};
// Pairs with less than half of the objective, best first; of pairs that share a marker the best.
std::vector<ExchangedPair> find_exchanged_throughout(const Identification& id,
                                                     const std::vector<Trial>& trials);

}  // namespace vesica::markers
