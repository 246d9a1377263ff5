#include "vesica/markers/functional.h"

#include <algorithm>
#include <cmath>

#include "vesica/markers/start.h"
#include "vesica/math/linear_algebra.h"

namespace vesica::markers {
namespace {

// Fewer frames than this, or less turning, tell nothing about a joint.
constexpr size_t kMinFrames = 10;
constexpr double kMinTurn = 0.2;  // rad, largest relative rotation

struct PosePair {
  SegmentPose parent, child;
};

bool all_found(const Point& point) {
  return std::all_of(point.coordinate.begin(), point.coordinate.end(),
                     [](const Affine& a) { return a.parameter >= 0; });
}
bool is_found(const Axis& axis) {
  return axis.angle[0].parameter >= 0 && axis.angle[1].parameter >= 0;
}

void set_start(Model& model, const Affine& a, double value) {
  Parameter& p = model.parameters[a.parameter];
  p.start = std::clamp((value - a.constant) / a.factor, p.lower, p.upper);
}

void fit_centers(const std::vector<PosePair>& pairs, const JointGeometry& geometry,
                 const Joint& joint, Model& model) {
  const bool find_p = all_found(joint.parent_center), find_c = all_found(joint.child_center);
  if (!find_p && !find_c) return;
  const auto rows = static_cast<Eigen::Index>(3 * pairs.size());
  const Eigen::Index columns = 3 * (find_p + find_c);
  Eigen::MatrixXd A(rows, columns);
  Eigen::VectorXd b(rows);
  for (size_t k = 0; k < pairs.size(); ++k) {
    const Mat3d R_P = as_rotation(pairs[k].parent.q_WS), R_C = as_rotation(pairs[k].child.q_WS);
    const auto row = static_cast<Eigen::Index>(3 * k);
    b.segment<3>(row) = pairs[k].child.p_WS + R_C * geometry.child_center.value -
                        pairs[k].parent.p_WS - R_P * geometry.parent_center.value;
    if (find_p) A.block<3, 3>(row, 0) = R_P;
    if (find_c) A.block<3, 3>(row, find_p ? 3 : 0) = -R_C;
  }
  // Directions that move the centre's distance by less than 5 % of a full one are left alone: along
  // a hinge the frames say nothing, or only noise.
  const Eigen::VectorXd change = decompose_rows(A, 0.05).pseudo_inverse * b;
  for (int k = 0; k < 3; ++k) {
    if (find_p) {
      set_start(model, joint.parent_center.coordinate[k],
                geometry.parent_center.value[k] + change[k]);
    }
    if (find_c) {
      set_start(model, joint.child_center.coordinate[k],
                geometry.child_center.value[k] + change[find_p ? 3 + k : k]);
    }
  }
}

void set_axis(Model& model, const Axis& axis, Vec3d direction, const Vec3d& present) {
  if (direction.dot(present) < 0) direction = -direction;
  double angles[2];
  set_axis_direction(axis, direction, angles);
  for (int k = 0; k < 2; ++k) set_start(model, axis.angle[k], angles[k]);
}

void fit_axes(const std::vector<PosePair>& pairs, const Joint& joint, Model& model) {
  const bool find_p = is_found(joint.parent_axis), find_c = is_found(joint.child_axis);
  if (joint.type != JointType::kRevolute || (!find_p && !find_c)) return;
  std::vector<Mat3d> relative;
  for (const PosePair& pair : pairs) {
    relative.push_back(as_rotation(pair.parent.q_WS).transpose() * as_rotation(pair.child.q_WS));
  }
  // Rotations of all frames against a few references: the axis is what they leave in place.
  Mat3d in_parent = Mat3d::Zero(), in_child = Mat3d::Zero();
  double largest = 0;
  const size_t stride = std::max<size_t>(1, relative.size() / 8);
  for (size_t r = 0; r < relative.size(); r += stride) {
    for (const Mat3d& M : relative) {
      const Mat3d p = M * relative[r].transpose() - Mat3d::Identity();
      const Mat3d c = relative[r].transpose() * M - Mat3d::Identity();
      in_parent += p.transpose() * p;
      in_child += c.transpose() * c;
      largest = std::max(largest, p.norm());
    }
  }
  if (largest < std::sqrt(2.0) * kMinTurn) return;
  const Eigen::VectorXd d = model.start_values();
  const Vec3d present_p = calc_axis_frame(joint.parent_axis, d).col(joint.parent_axis.sequence[2]);
  const Vec3d present_c = calc_axis_frame(joint.child_axis, d).col(joint.child_axis.sequence[2]);
  if (find_p && find_c) {
    const Vec3d p = calc_eigen<3>(in_parent).vectors.col(0);
    Vec3d c = Vec3d::Zero();
    const Vec3d axis_p = p.dot(present_p) < 0 ? Vec3d(-p) : p;
    for (const Mat3d& M : relative) c += M.transpose() * axis_p;
    set_axis(model, joint.parent_axis, axis_p, axis_p);
    set_axis(model, joint.child_axis, c.normalized(), c);
    return;
  }
  Vec3d sum = Vec3d::Zero();
  for (const Mat3d& M : relative)
    sum += find_p ? Vec3d(M * present_c) : Vec3d(M.transpose() * present_p);
  if (find_p) {
    set_axis(model, joint.parent_axis, sum.normalized(), sum);
  } else {
    set_axis(model, joint.child_axis, sum.normalized(), sum);
  }
}

}  // namespace

void set_axis_direction(const Axis& axis, const Vec3d& direction, double angles[2]) {
  const Vec3d v = (axis.base.transpose() * direction).normalized();
  const int i = axis.sequence[0], j = axis.sequence[1], k = axis.sequence[2];
  // R_j(b) e_k = cos b e_k + sin b (e_j x e_k), and e_j x e_k = +-e_i; then R_i(a) turns the rest.
  const double sign_i = Vec3d::Unit(j).cross(Vec3d::Unit(k))[i];
  const double sign_j = Vec3d::Unit(i).cross(Vec3d::Unit(k))[j];
  angles[1] = std::asin(std::clamp(sign_i * v[i], -1.0, 1.0));
  angles[0] = std::atan2(sign_j * v[j], v[k]);
}

void fit_joints(const AllFrames& frames, Model& model) {
  const Geometry geometry = calc_geometry(model, model.start_values());
  for (size_t j = 0; j < model.joints.size(); ++j) {
    const Joint joint = model.joints[j];
    if (joint.parent == kGround || joint.type == JointType::kFree) continue;
    std::vector<PosePair> pairs;
    for (int k = 0; k < frames.frame_count(); ++k) {
      PosePair pair;
      const Frame frame = frames.frame(k);
      if (find_segment_pose(model, geometry, frame, joint.parent, &pair.parent) &&
          find_segment_pose(model, geometry, frame, joint.child, &pair.child)) {
        pairs.push_back(pair);
      }
    }
    if (pairs.size() < kMinFrames) continue;
    fit_axes(pairs, joint, model);
    fit_centers(pairs, geometry.joints[j], joint, model);
  }
}

}  // namespace vesica::markers
