#include "vesica/motion/same_recording.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace vesica {
namespace {

constexpr double kSamePlace = 2e-5;  // m

using SharedMarkers = std::vector<std::pair<size_t, size_t>>;  // index in a, index in b

SharedMarkers find_shared_markers(const MarkerTracks& a, const MarkerTracks& b) {
  SharedMarkers shared;
  for (size_t j = 0; j < b.markers(); ++j) {
    const size_t i = a.find(b.labels[j]);
    if (i < a.markers()) shared.emplace_back(i, j);
  }
  return shared;
}

// Whether two frames show the same markers at the same places, at least one of them.
bool is_same_frame(const MarkerTracks& a, size_t k, const MarkerTracks& b, size_t l,
                   const SharedMarkers& shared) {
  bool any = false;
  for (const auto& [i, j] : shared) {
    const bool seen = a.has(k, i);
    if (seen != b.has(l, j)) return false;
    if (!seen) continue;
    if (!((a.at(k, i) - b.at(l, j)).cwiseAbs().maxCoeff() < kSamePlace)) return false;
    any = true;
  }
  return any;
}

bool shows_any(const MarkerTracks& tracks, size_t frame) {
  for (size_t i = 0; i < tracks.markers(); ++i) {
    if (tracks.has(frame, i)) return true;
  }
  return false;
}

// Frames that agree where frame 0 of `b` falls on a frame of `a`.
size_t count_from_start(const MarkerTracks& a, const MarkerTracks& b, const SharedMarkers& shared,
                        bool swapped) {
  const auto same = [&](size_t k, size_t l) {
    return swapped ? is_same_frame(b, l, a, k, shared) : is_same_frame(a, k, b, l, shared);
  };
  // The first frame of b that shows anything.
  size_t first = 0;
  while (first < b.frames() && !shows_any(b, first)) ++first;
  for (size_t k = 0; first < b.frames() && k < a.frames(); ++k) {
    if (!same(k, first)) continue;
    const size_t overlap = std::min(a.frames() - k, b.frames() - first);
    size_t agree = 0;
    for (size_t i = 0; i < overlap; ++i) agree += same(k + i, first + i);
    const size_t least = std::min<size_t>(10, std::min(a.frames(), b.frames()));
    if (agree >= least && static_cast<double>(agree) >= 0.9 * static_cast<double>(overlap)) {
      return agree;
    }
  }
  return 0;
}

}  // namespace

size_t count_shared_frames(const MotionTrial& a, const MotionTrial& b) {
  if (a.markers.frames() == 0 && b.markers.frames() == 0) {
    const bool same =
        a.analog.rows() > 0 && a.analog.columns.size() == b.analog.columns.size() &&
        std::equal(a.analog.values.begin(), a.analog.values.end(), b.analog.values.begin(),
                   b.analog.values.end(),
                   [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
    return same ? a.analog.rows() : 0;
  }
  const SharedMarkers shared = find_shared_markers(a.markers, b.markers);
  if (shared.empty()) return 0;
  const size_t found = count_from_start(a.markers, b.markers, shared, false);
  return found > 0 ? found : count_from_start(b.markers, a.markers, shared, true);
}

}  // namespace vesica
