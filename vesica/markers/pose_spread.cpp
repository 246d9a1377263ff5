#include "vesica/markers/pose_spread.h"

#include <algorithm>
#include <cmath>

#include "vesica/markers/dense.h"
#include "vesica/markers/joint_terms.h"
#include "vesica/math/linear_algebra.h"

namespace vesica::markers {
namespace {

// What holds a degree of freedom that no marker fixes, so that the inverse exists: 60 rad at 2 mm
// of noise.
constexpr double kRidge = 1e-9;

// How segments move with the joints' motions: 6 rows a body of the plan, a column a degree of
// freedom.
Eigen::MatrixXd calc_motions(const Plan& plan, const Geometry& geometry, const Frame& frame,
                             const SegmentPose* poses) {
  if (plan.dense()) {
    return calc_dense_frame(plan, geometry, frame, poses, Curvature::kGaussNewton).rows.null_space;
  }
  const auto& bodies = plan.bodies();
  Eigen::MatrixXd B =
      Eigen::MatrixXd::Zero(6 * static_cast<Eigen::Index>(bodies.size()), plan.dof());
  int column = 0;
  for (size_t k = 0; k < bodies.size(); ++k) {
    const Plan::Body& body = bodies[k];
    const auto row = 6 * static_cast<Eigen::Index>(k);
    if (body.joint < 0) {
      B.block<6, 6>(row, column).setIdentity();
      column += 6;
      continue;
    }
    const bool grounded = body.parent == kGround;
    const SegmentPose ground;
    const SegmentPose &P = grounded ? ground : poses[bodies[body.parent].segment],
                      &C = poses[body.segment];
    const detail::JointTerms t = detail::calc_joint_terms(
        geometry.joints[body.joint], as_rotation(P.q_WS), P.p_WS, as_rotation(C.q_WS), C.p_WS);
    if (!grounded) {
      const auto above = 6 * static_cast<Eigen::Index>(body.parent);
      const Vec3d rho = t.a_P - t.a_C;
      for (int c = 0; c < column; ++c) {
        const Vec3d move = B.block<3, 1>(above, c), turn = B.block<3, 1>(above + 3, c);
        B.block<3, 1>(row, c) = move + turn.cross(rho);
        B.block<3, 1>(row + 3, c) = turn;
      }
    }
    for (int k_free = 0; k_free < t.free_count; ++k_free, ++column) {
      B.block<3, 1>(row, column) = t.a_C.cross(t.N[k_free]);
      B.block<3, 1>(row + 3, column) = t.N[k_free];
    }
  }
  return B;
}

}  // namespace

double calc_turn(const SegmentPose& a, const SegmentPose& b) {
  // From the sine for small angles, where the cosine has lost its digits.
  const Quaternion<double>&p = a.q_WS, &q = b.q_WS;
  const Quaternion<double> d = Quaternion<double>{p.w, -p.x, -p.y, -p.z} * q;
  return 2 * std::atan2(std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z), std::abs(d.w));
}

PoseSpread calc_pose_spread(const Plan& plan, const Geometry& geometry, const Frame& frame,
                            const SegmentPose* poses) {
  const Model& model = plan.model();
  const Eigen::MatrixXd B = calc_motions(plan, geometry, frame, poses);
  const Eigen::Index dof = B.cols();
  Eigen::MatrixXd H = kRidge * Eigen::MatrixXd::Identity(dof, dof);
  Eigen::Matrix<double, 3, Eigen::Dynamic> J(3, dof);
  for (size_t m = 0; m < model.markers.size(); ++m) {
    if (frame.weights[m] <= 0) continue;
    const int s = model.markers[m].segment;
    const auto row = 6 * static_cast<Eigen::Index>(plan.body_of(s));
    const Vec3d a = as_rotation(poses[s].q_WS) * geometry.markers[m].value;
    const Vec3d psi = poses[s].p_WS + a - frame.positions[m];
    const double w = frame.weights[m] * calc_loss(model.loss, psi.squaredNorm()).first;
    if (w <= 0) continue;
    for (Eigen::Index c = 0; c < dof; ++c) {
      const Vec3d turn = B.block<3, 1>(row + 3, c);
      J.col(c) = std::sqrt(w) * (B.block<3, 1>(row, c) + turn.cross(a));
    }
    H.noalias() += J.transpose().lazyProduct(J);
  }
  const Eigen::MatrixXd covariance = invert_symmetric(H);
  PoseSpread out;
  out.turn.resize(model.segments.size());
  Vec3d axis = Vec3d::UnitX();
  for (size_t k = 0; k < plan.bodies().size(); ++k) {
    const auto A = B.middleRows<3>(6 * static_cast<Eigen::Index>(k) + 3);
    const Mat3d spread = (A * covariance).lazyProduct(A.transpose());
    const SymmetricEigen<3> eigen = calc_eigen<3>(spread);
    const int s = plan.bodies()[k].segment;
    out.turn[s] = std::sqrt(std::max(0.0, eigen.values[2]));
    if (k == 0 || out.turn[s] > out.largest()) {
      out.worst = s;
      axis = eigen.vectors.col(2);
    }
  }
  const auto A = B.middleRows<3>(6 * static_cast<Eigen::Index>(plan.body_of(out.worst)) + 3);
  const double variance = out.largest() * out.largest();
  out.softest = B * (covariance * (A.transpose() * axis)) / variance;
  return out;
}

}  // namespace vesica::markers
