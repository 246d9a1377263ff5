#include "vesica/markers/trial.h"

#include <algorithm>
#include <cmath>

namespace vesica::markers {

void set_weights(const Model& model, int ramp, Trial& trial) {
  const int frames = trial.frame_count(), n = trial.marker_count;
  std::vector<int> distance(frames);
  for (int m = 0; m < n; ++m) {
    const auto seen = [&](int k) {
      return trial.positions[static_cast<size_t>(k) * n + m].allFinite();
    };
    // Frames to the nearest gap; the ends of a recording are no gaps.
    int since = ramp + 1;
    for (int k = 0; k < frames; ++k)
      distance[k] = since = seen(k) ? std::min(since + 1, ramp + 1) : 0;
    since = ramp + 1;
    for (int k = frames; k-- > 0;) {
      since = seen(k) ? std::min(since + 1, ramp + 1) : 0;
      distance[k] = std::min(distance[k], since);
    }
    for (int k = 0; k < frames; ++k) {
      double& w = trial.weights[static_cast<size_t>(k) * n + m];
      const double rise = 0.5 - 0.5 * std::cos(kPi * distance[k] / (ramp + 1.0));
      w = distance[k] == 0 ? 0 : model.markers[m].weight * rise;
    }
  }
}

Trial thin_trial(const Trial& trial, int stride, int first) {
  Trial thin = trial;
  thin.positions.clear();
  thin.weights.clear();
  thin.rate = trial.rate / stride;
  thin.start_time = trial.time_of(first);
  thin.times.clear();
  for (int k = first; k < trial.frame_count(); k += stride) {
    const Frame f = trial.frame(k);
    if (!trial.times.empty()) thin.times.push_back(trial.times[k]);
    thin.positions.insert(thin.positions.end(), f.positions, f.positions + trial.marker_count);
    thin.weights.insert(thin.weights.end(), f.weights, f.weights + trial.marker_count);
  }
  return thin;
}

}  // namespace vesica::markers
