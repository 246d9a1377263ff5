// Joint centres and axes from how one segment moves in the other, with confidence.
//
// Sphere: markers of the distal segment, seen from the proximal one, keep their distance r_i from
// the centre c; minimises sum (|p_ik - c| - r_i)^2 (geometric distance, Gauss-Newton from the
// algebraic solution).
// Common point (Ehrig et al. 2006): with poses of both segments, the point c_P that stays put in
// both, c_P = R_k c_D + t_k, least squares, linear.
// Hinge (Ehrig et al. 2007): the same system has a null direction (a_P, a_D) if the joint turns
// about one axis; it is the singular vector of the smallest singular value, and the point is
// determined across the axis only.
//
// Confidence: recordings are correlated in time (a smooth motion at 100 Hz has far fewer
// independent samples than frames), so the usual sigma^2 (J^T J)^-1 is much too narrow. The trial
// is cut into 20 stretches, each is left out once, and the scatter of the 20 results gives the
// covariance (delete-a-group jackknife); limits use Student's t for 19 degrees of freedom. This
// covers all noise that forgets within a stretch. It does not cover soft tissue that follows the
// joint angle in the same way throughout: that is a bias, and no residual shows it.
#pragma once

#include <span>
#include <vector>

#include "vesica/math/pose.h"

namespace vesica {

struct JointCenter {
  bool found = false;  // false: too few frames or no motion; the rest is then meaningless
  Vec3d center_P = Vec3d::Zero();
  Vec3d center_D = Vec3d::Zero();  // common point only
  std::vector<double> radii;       // m, sphere only: of each marker
  double rms = 0.0;                // m: of |p - c| - r, or of the distance between the two points
  int frames = 0;
  Mat3d covariance_P = Mat3d::Zero();  // m^2
  Vec3d half_width_P = Vec3d::Zero();  // m, 95 % limits along the proximal axes
  double worst_half_width = 0.0;       // m, 95 % limit along the least determined direction
  Vec3d worst_direction_P = Vec3d::Zero();
};

// `tracks_P[i][k]`: marker i of the distal segment at frame k in the proximal frame, NaN where
// missing. Needs at least 40 frames with a marker.
JointCenter fit_sphere_center(std::span<const std::vector<Vec3d>> tracks_P);

// `X_PD[k]`: pose of the distal in the proximal segment. Needs at least 40 poses.
JointCenter fit_common_point(std::span<const Pose<double>> X_PD);

// The same least squares without limits, from any number of poses and from what is known already;
// marker models start from it (markers/functional.h). Only the wanted sides move from `start`.
struct SidesWanted {
  bool proximal = true, distal = true;
};
struct CommonPoint {
  Vec3d center_P = Vec3d::Zero(), center_D = Vec3d::Zero();
};
// Directions that the motion hardly determines, with a singular value below `least_share` of the
// largest, stay where the start has them: along a hinge frames say nothing, or only noise.
CommonPoint solve_common_point(std::span<const Pose<double>> X_PD, const CommonPoint& start,
                               const SidesWanted& wanted, double least_share);

struct CommonAxis {
  Vec3d axis_P = Vec3d::UnitZ(), axis_D = Vec3d::UnitZ();  // unit; the sense is that of the start
  double range = 0.0;                                      // rad, of the rotation about it
};
CommonAxis solve_common_axis(std::span<const Pose<double>> X_PD, const CommonAxis& start,
                             const SidesWanted& wanted);

struct JointAxis {
  bool found = false;
  Vec3d axis_P = Vec3d::Zero();  // unit; the sense is that of the mean rotation from first frame on
  Vec3d axis_D = Vec3d::Zero();  // the same axis in the distal segment, unit
  Vec3d point_P = Vec3d::Zero();  // on the axis, nearest to the mean origin of the distal segment
  double rms = 0.0;               // m, distance between the axis points of both segments
  double angle_half_width = 0.0;  // rad, 95 % limit of the axis' direction, worst way
  double point_half_width = 0.0;  // m, 95 % limit of the point across the axis, worst way
  // Smallest over second smallest singular value: near 0 for a hinge, near 1 for a ball.
  double hinge_ratio = 0.0;
  double range = 0.0;  // rad, of the rotation about the axis
  int frames = 0;
};
JointAxis fit_hinge_axis(std::span<const Pose<double>> X_PD);

}  // namespace vesica
