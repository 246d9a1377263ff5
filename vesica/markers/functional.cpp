#include "vesica/markers/functional.h"

#include <algorithm>
#include <cmath>

#include "vesica/markers/start.h"
#include "vesica/motion/functional_joint.h"

namespace vesica::markers {
namespace {

// Fewer frames than this, or less turning, tell nothing about a joint.
constexpr size_t kMinFrames = 10;
constexpr double kMinTurn = 0.2;  // rad
// Directions with a smaller singular value (of the largest) are left alone. For motion about a
// point by small angles it is half of their standard deviation: 0.05 rad.
constexpr double kLeastShare = 0.025;

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

void fit_centers(const std::vector<Pose<double>>& X_PC, const JointGeometry& geometry,
                 const Joint& joint, Model& model) {
  const SidesWanted wanted{all_found(joint.parent_center), all_found(joint.child_center)};
  if (!wanted.proximal && !wanted.distal) return;
  const CommonPoint found = solve_common_point(
      X_PC, {geometry.parent_center.value, geometry.child_center.value}, wanted, kLeastShare);
  for (int k = 0; k < 3; ++k) {
    if (wanted.proximal) set_start(model, joint.parent_center.coordinate[k], found.center_P[k]);
    if (wanted.distal) set_start(model, joint.child_center.coordinate[k], found.center_D[k]);
  }
}

void set_axis(Model& model, const Axis& axis, const Vec3d& direction) {
  double angles[2];
  set_axis_direction(axis, direction, angles);
  for (int k = 0; k < 2; ++k) set_start(model, axis.angle[k], angles[k]);
}

void fit_axes(const std::vector<Pose<double>>& X_PC, const Joint& joint, Model& model) {
  const SidesWanted wanted{is_found(joint.parent_axis), is_found(joint.child_axis)};
  if (joint.type != JointType::kRevolute || (!wanted.proximal && !wanted.distal)) return;
  const Eigen::VectorXd d = model.start_values();
  const auto present = [&](const Axis& axis) {
    return Vec3d(calc_axis_frame(axis, d).col(axis.sequence[2]));
  };
  const CommonAxis found =
      solve_common_axis(X_PC, {present(joint.parent_axis), present(joint.child_axis)}, wanted);
  if (found.range < kMinTurn) return;
  if (wanted.proximal) set_axis(model, joint.parent_axis, found.axis_P);
  if (wanted.distal) set_axis(model, joint.child_axis, found.axis_D);
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
    std::vector<Pose<double>> X_PC;
    for (int k = 0; k < frames.frame_count(); ++k) {
      const RigidFit parent = fit_segment(model, geometry, frames.frame(k), joint.parent);
      const RigidFit child = fit_segment(model, geometry, frames.frame(k), joint.child);
      if (parent.found && child.found) X_PC.push_back(calc_relative_pose(parent.X_WB, child.X_WB));
    }
    if (X_PC.size() < kMinFrames) continue;
    fit_axes(X_PC, joint, model);
    fit_centers(X_PC, geometry.joints[j], joint, model);
  }
}

}  // namespace vesica::markers
