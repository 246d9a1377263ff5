// Poses of rigid segments over a trial, from the markers that they carry (rigid_fit.h), and how one
// segment moves in another.
#pragma once

#include <span>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/motion/rigid_fit.h"

namespace vesica {

// The shape of a marker cluster: its mean over the frames that show all of its markers. Throws
// InputError where no frame does, there are fewer than three markers or they lie on a line.
std::vector<Vec3d> calc_cluster_shape(const MarkerTracks& tracks, std::span<const int> markers);

// Poses of a cluster over all frames of a trial.
std::vector<RigidFit> fit_segment(const MarkerTracks& tracks, std::span<const int> markers,
                                  std::span<const Vec3d> points_B,
                                  std::span<const double> weights = {});

// The distal segment as seen from the proximal one, which has three markers or more.
struct RelativeMotion {
  // [marker][frame]: the distal markers in the proximal frame; NaN where either is not seen.
  std::vector<std::vector<Vec3d>> tracks_P;
  // Where both poses are known; empty with fewer than three distal markers.
  std::vector<Pose<double>> X_PD;
};
// Throws InputError like calc_cluster_shape.
RelativeMotion calc_relative_motion(const MarkerTracks& tracks, std::span<const int> proximal,
                                    std::span<const int> distal);

}  // namespace vesica
