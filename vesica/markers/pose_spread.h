// How well the markers of one frame determine its poses.
//
// With B the motions that joints allow (6 a segment by degrees of freedom) and J_m a marker's
// derivative by them, the reduced Hessian is H = sum w rho' J_m^T J_m, and white noise of standard
// deviation sigma turns segment s by a random angle with covariance sigma^2 A_s H^-1 A_s^T, A_s its
// rows of B that turn. Near a fold, where two poses with the same markers meet, H loses rank and
// the spread grows without limit, as it should.
#pragma once

#include "vesica/markers/frame.h"

namespace vesica::markers {

struct PoseSpread {
  std::vector<double> turn;  // rad per m of noise: each segment, about the axis that is known worst
  int worst = 0;             // segment with the largest
  // The motion, 6 a segment, that turns that segment by 1 rad and changes the markers least.
  Eigen::VectorXd softest;

  double largest() const { return turn[worst]; }
};
PoseSpread calc_pose_spread(const Plan& plan, const Geometry& geometry, const Frame& frame,
                            const SegmentPose* poses);

// The angle between two orientations, 0 to pi.
double calc_turn(const SegmentPose& a, const SegmentPose& b);

}  // namespace vesica::markers
