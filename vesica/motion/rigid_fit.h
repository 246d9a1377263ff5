// The rigid motion that takes the points of a body to where they were measured, and the mean shape
// of a body that was measured many times.
//
// Minimises sum_i w_i |R p_Bi + p_WB - p_Wi|^2 over rotations R: with the weighted covariance
// H = sum w (p_B - mean)(p_W - mean)^T = U S V^T, R = V diag(1, 1, det(V U^T)) U^T (Kabsch 1976;
// the determinant keeps mirror images out). Closed form, no start value.
//
// What it cannot do: tell the bone from the skin. Markers that all slide together move the pose and
// leave no residual.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "vesica/math/pose.h"

namespace vesica {

struct RigidFit {
  bool found = false;  // false: fewer than 3 points seen, or all within 1 mm of a line
  Pose<double> X_WB;
  int points = 0;    // seen
  double rms = 0.0;  // m, weighted, per point (three components together)
};

// `points_B` in the body's frame, `measured_W` in the lab (NaN where missing), `weights` empty or
// one per point; a point of weight 0 is not seen. Throws InputError where the sizes differ.
RigidFit fit_rigid(std::span<const Vec3d> points_B, std::span<const Vec3d> measured_W,
                   std::span<const double> weights = {});

// Covariance of (rotation vector in B, translation of the origin of B in B) that independent noise
// of standard deviation sigma (m, each component) causes, to first order, for weight 1.
Eigen::Matrix<double, 6, 6> calc_pose_covariance(std::span<const Vec3d> points_B, double sigma);

// The mean shape over frames that show all points (generalised Procrustes): its origin at the
// centroid, its axes those of the first frame. Nothing without frames, with fewer than three points
// or with points on a line.
std::optional<std::vector<Vec3d>> find_mean_shape(std::span<const std::vector<Vec3d>> frames_W);

}  // namespace vesica
