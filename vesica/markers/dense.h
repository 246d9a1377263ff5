// Frames with loops: the same elimination with the whole constraint matrix of a frame, by a
// rank-revealing decomposition. Slower than the tree sweep by an order of magnitude; tests hold the
// two against each other on trees.
//
//   J dq + J_d dd + c = 0  ->  dq = Z z + Y dd + y,  Z an orthonormal null space of J.
//
// Redundant rows (a planar four-bar of revolute joints has three) lower the rank and are then
// without effect; find_redundant_constraints names them. Where a parameter makes such rows
// contradict each other, the constraints cannot be met and Phi stays away from zero.
#pragma once

#include <string>
#include <vector>

#include "vesica/markers/frame.h"
#include "vesica/math/linear_algebra.h"

namespace vesica::markers {

// One frame of eq. 15 in the tangent coordinates of frame.h: 6 a segment, in Model::order's order.
struct DenseFrame {
  double objective = 0;
  Eigen::MatrixXd H;       // Lagrangian (or Gauss-Newton) Hessian, dq by dq
  Eigen::MatrixXd G;       // dq by (d, gradient of the objective)
  Eigen::MatrixXd D;       // (d, 1) by (d, 1): parameters, last column G_d
  Eigen::MatrixXd J, J_d;  // constraints
  Eigen::VectorXd c;
  RowSpace rows;           // of J
  Eigen::VectorXd lambda;  // least-squares multipliers
};
DenseFrame calc_dense_frame(const Plan& plan, const Geometry& geometry, const Frame& frame,
                            const SegmentPose* poses, Curvature curvature);

// The counterparts of eliminate_frame, back_substitute and project_poses; gains are Y and y.
FrameResult eliminate_dense_frame(const Plan& plan, const Geometry& geometry, const Frame& frame,
                                  const SegmentPose* poses, Curvature curvature, double damping,
                                  Sums& sums, double* gains);
void back_substitute_dense(const Plan& plan, const double* gains, const Eigen::VectorXd& dd,
                           Workspace& work);
bool project_poses_dense(const Plan& plan, const Geometry& geometry, SegmentPose* poses);

// Names of constraint rows that follow from the rows before them (tree joints first), at the poses.
std::vector<std::string> find_redundant_constraints(const Plan& plan, const Geometry& geometry,
                                                    const SegmentPose* poses);

}  // namespace vesica::markers
