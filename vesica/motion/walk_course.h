// Where a walk goes and how fast, by its feet: over the floor, or over the belt of a treadmill.
// Used by the search for events (gait_events_markers.cpp).
#pragma once

#include <span>
#include <vector>

#include "vesica/motion/gait_events.h"

namespace vesica::detail {

using Signal = std::vector<double>;

// What the search needs of one foot, and of the pelvis, in the lab.
struct FootTracks {
  std::vector<Vec3d> heel, ball, push;  // push: the marker whose speed tells when the foot leaves
  double off_offset = 0.0;              // s, for that marker
};
struct WalkTracks {
  std::span<const double> times;
  double rate = 0.0;  // Hz, of the times themselves
  Vec3d up = Vec3d::Zero();
  FootTracks left, right;
  std::vector<Vec3d> pelvis;

  size_t frames() const { return times.size(); }
  const FootTracks& foot(Foot side) const { return side == Foot::kLeft ? left : right; }
};
// Short gaps filled; without the frames before and after everything is seen.
WalkTracks make_walk_tracks(const MarkerTracks& markers, const GaitMarkers& gait, const Vec3d& up,
                            const MarkerEventRule& rule);

// Fills in direction, belt and speed, or says why this is no walk.
void find_course(const WalkTracks& walk, MarkerEvents* found);

// A track along a direction; the same low-pass filtered and differentiated.
Signal calc_along(std::span<const Vec3d> track, const Vec3d& direction);
Signal calc_rate_of_change(const Signal& x, double rate);
Signal calc_smooth_speed(std::span<const Vec3d> track, const Vec3d& direction, double cutoff,
                         double rate);
void smooth_signal(Signal* signal, double cutoff, double rate);

}  // namespace vesica::detail
