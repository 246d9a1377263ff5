// Stretches of frames in which markers carry each other's labels: frames that fit badly as they are
// labelled and far better with labels exchanged. What knows where markers belong is the caller's:
// the rigid shape of a cluster (marker_check.cpp) or a marker model (markers/recording.h).
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "vesica/motion/marker_check.h"

namespace vesica {

struct LabelFit {
  int frames = 0;
  // Misfit of a frame as it is labelled; NaN where nothing can be told: such a frame neither begins
  // nor ends a stretch.
  std::function<double(int frame)> as_labelled;
  // The same where marker i is at the position that is labelled order[i]; infinite where that
  // cannot be told. `worker` is below ExchangeOptions::threads and in one call only at any time.
  std::function<double(int frame, std::span<const int> order, int worker)> relabelled;
};

struct ExchangeOptions {
  double limit = 0.0;  // misfit above which a frame is looked at
  double share = 0.3;  // of its misfit that other labels have to get below
  // Searches over all orders; one that was found is tried first in the frames that follow.
  int most_searches = std::numeric_limits<int>::max();
  int threads = 1;  // of a search; what is found does not depend on it
};

// Orders to try: all permutations of so many markers, or exchanges of two.
std::vector<std::vector<int>> list_permutations(int markers);
std::vector<std::vector<int>> list_exchanges(int markers);

// Swaps and flips, in time order; `size` is the misfit of the first frame. Stretches of the same
// exchange that are less than three frames apart count as one.
std::vector<MarkerFault> find_exchanged_labels(const LabelFit& fit,
                                               std::span<const std::vector<int>> orders,
                                               const ExchangeOptions& options);

}  // namespace vesica
