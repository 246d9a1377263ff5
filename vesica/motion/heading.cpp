#include "vesica/motion/heading.h"

#include <algorithm>

namespace vesica {

Vec3d find_heading(const MarkerTracks& markers, const GaitMarkers& gait, const Vec3d& up) {
  constexpr double kLeastWay = 0.5;  // m
  const auto flat = [&](const Vec3d& v) { return Vec3d(v - v.dot(up) * up); };
  Vec3d longest = Vec3d::Zero();
  for (const int marker : gait.pelvis) {
    const std::vector<Vec3d> track = markers.track(static_cast<size_t>(marker));
    const auto is_seen = [](const Vec3d& p) { return p.allFinite(); };
    const auto first = std::find_if(track.begin(), track.end(), is_seen);
    const auto last = std::find_if(track.rbegin(), track.rend(), is_seen);
    if (first == track.end()) continue;
    const Vec3d way = flat(*last - *first);
    if (way.norm() > longest.norm()) longest = way;
  }
  if (longest.norm() > kLeastWay) return longest;
  Vec3d along = Vec3d::Zero();
  for (const FootMarkers* foot : {&gait.left, &gait.right}) {
    const int toe = foot->toe >= 0 ? foot->toe : foot->inner;
    if (foot->heel < 0 || toe < 0) continue;
    for (size_t k = 0; k < markers.frames(); ++k) {
      const Vec3d one = flat(markers.at(k, static_cast<size_t>(toe)) -
                             markers.at(k, static_cast<size_t>(foot->heel)));
      if (one.allFinite()) along += one;
    }
  }
  return along.norm() > 0.0 ? Vec3d(along.normalized()) : along;
}

}  // namespace vesica
