// A box along the axes of its frame.
#pragma once

#include <limits>

#include "vesica/math/pose.h"

namespace vesica {

// Entries may be infinite. Empty where min > max.
struct Bounds {
  Vec3d min = Vec3d::Constant(-std::numeric_limits<double>::infinity());
  Vec3d max = Vec3d::Constant(std::numeric_limits<double>::infinity());

  // Holds no point; joined with a box it is that box.
  static Bounds nothing() {
    const Bounds all;
    return {all.max, all.min};
  }
  bool is_finite() const { return min.allFinite() && max.allFinite(); }
  bool is_empty() const { return (min.array() > max.array()).any(); }
  Bounds common_with(const Bounds& o) const { return {min.cwiseMax(o.min), max.cwiseMin(o.max)}; }
  Bounds joined_with(const Bounds& o) const { return {min.cwiseMin(o.min), max.cwiseMax(o.max)}; }
  Vec3d center() const { return 0.5 * (min + max); }
  Vec3d half() const { return 0.5 * (max - min); }
  // A box around this one, placed at X_FB, along the axes of F. Infinite stays infinite.
  Bounds moved(const Pose<double>& X_FB) const;
};

}  // namespace vesica
