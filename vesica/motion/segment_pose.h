// The pose of a rigid segment from the markers that it carries.
//
// Minimises sum_i w_i |R p_Bi + p_WB - p_Wi|^2 over rotations R: with the weighted covariance
// H = sum w (p_B - mean)(p_W - mean)^T = U S V^T, R = V diag(1, 1, det(V U^T)) U^T (Kabsch 1976;
// the determinant keeps mirror images out). Closed form, no start value.
//
// What it cannot do: tell the bone from the skin. Markers that all slide together move the pose and
// leave no residual.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/math/pose.h"

namespace vesica {

struct SegmentPose {
  bool found = false;  // false: fewer than 3 markers seen, or all on a line
  Pose<double> X_WB;
  int markers = 0;               // seen
  double rms = 0.0;              // m, weighted, per marker (three components together)
  std::vector<Vec3d> residuals;  // m, measured minus model, W; NaN where not seen
};

// `template_B` in the segment frame, `measured_W` in the lab (NaN where missing), `weights` empty
// or one per marker, not negative. Throws InputError where the sizes differ.
SegmentPose find_segment_pose(std::span<const Vec3d> template_B, std::span<const Vec3d> measured_W,
                              std::span<const double> weights = {});

// Covariance of (rotation vector in B, translation of the origin of B in B) that independent marker
// noise of standard deviation sigma (m, each component) causes, to first order, for weight 1.
Eigen::Matrix<double, 6, 6> calc_pose_covariance(std::span<const Vec3d> template_B, double sigma);

// The mean shape of a cluster over a trial (generalised Procrustes), its origin at the centroid and
// its axes those of the first frame that has all markers. `spread` is each marker's rms distance
// from its place: 1/spread^2 is a sensible weight.
struct ClusterTemplate {
  std::vector<Vec3d> points_B;
  std::vector<double> spread;  // m
  int frames = 0;              // complete frames that it rests on
};
// Throws InputError where no frame has all markers or they lie on a line.
ClusterTemplate make_cluster_template(const MarkerTracks& tracks, std::span<const int> markers);

// Poses of a cluster over all frames of a trial.
std::vector<SegmentPose> find_segment_poses(const MarkerTracks& tracks,
                                            std::span<const int> markers,
                                            std::span<const Vec3d> template_B,
                                            std::span<const double> weights = {});

}  // namespace vesica
