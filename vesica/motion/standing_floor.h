// The slope of a floor, from markers of feet that stand on it: a laboratory's zero is not always
// its floor (6 mm in a metre in one of them).
#pragma once

#include <span>
#include <vector>

#include "vesica/io/motion_data.h"

namespace vesica {

// A marker that stands: where, and which one. Points of one `marker` have one height above the
// floor, which is not known beforehand.
struct StandingPoint {
  Vec3d p = Vec3d::Zero();  // m
  int marker = 0;
};

struct FloorSlope {
  Vec3d slope = Vec3d::Zero();  // horizontal: the floor rises by slope . way
  int points = 0;
  double rms = 0;  // m, of the heights about the plane
};

// Least squares of one height a marker and one plane; slope 0 +- 5 mm/m beforehand, 1 mm of noise.
// Fewer than four points: no slope. `up` is a unit vector of the points' frame.
FloorSlope find_floor_slope(std::span<const StandingPoint> points, const Vec3d& up);

// Parts of a stance in which heel and ball of a walking foot stand.
struct StancePart {
  double from, until;
};
inline constexpr StancePart kHeelStands = {0.2, 0.4}, kBallStands = {0.3, 0.6};

// Where a marker stood during a part of the stance from `begin` to `end` [s]: median by component
// over the frames that show it; NaN of fewer than three.
Vec3d find_standing_place(std::span<const double> times, std::span<const Vec3d> track, double begin,
                          double end, const StancePart& part);

}  // namespace vesica
