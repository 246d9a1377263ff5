#include "vesica/markers/joint_coordinates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vesica::markers {
namespace {

using detail::rotation_about;

Mat3d calc_cardan_zxy(double z, double x, double y) {
  return rotation_about(2, z) * rotation_about(0, x) * rotation_about(1, y);
}
void find_cardan_zxy(const Mat3d& R, double* z, double* x, double* y) {
  *x = std::asin(std::clamp(R(2, 1), -1.0, 1.0));
  *z = std::atan2(-R(0, 1), R(1, 1));
  *y = std::atan2(-R(2, 0), R(2, 2));
}

// A universal joint's R_PC = Rz(a) Rx(pi/2) Rz(b): the child's axis is the parent's -y turned by a.
struct UniversalAngles {
  double a = 0, b = 0;
};
UniversalAngles find_universal_angles(const Mat3d& R_PC) {
  return {std::atan2(R_PC(0, 2), -R_PC(1, 2)), std::atan2(R_PC(2, 0), R_PC(2, 1))};
}
double wrap(double angle) { return angle - 2 * kPi * std::round(angle / (2 * kPi)); }

// By Eigen: other than as_quaternion of math/, w is not negative wherever the trace is positive.
Quaternion<double> quaternion_by_eigen(const Mat3d& R) {
  const Eigen::Quaterniond q(R);
  return {q.w(), q.x(), q.y(), q.z()};
}

}  // namespace

Mat3d calc_axis_triad(const Axis& axis, const Eigen::VectorXd& d) {
  const Mat3d frame = calc_axis_frame(axis, d);
  Mat3d triad;
  triad.col(0) = frame.col(axis.sequence[0]);
  triad.col(2) = frame.col(axis.sequence[2]);
  triad.col(1) = triad.col(2).cross(triad.col(0));
  return triad;
}

std::vector<JointCoordinate> list_joint_coordinates(const Model& model) {
  std::vector<JointCoordinate> list;
  for (int s : model.order) {
    const int j = model.tree_joint[s];
    if (j < 0) {
      const std::string& n = model.segments[s].name;
      for (const char* c : {"_tx", "_ty", "_tz"}) list.push_back({n + c, false, s});
      for (const char* c : {"_tilt", "_list", "_rotation"}) list.push_back({n + c, true, s});
      continue;
    }
    const std::string& n = model.joints[j].name;
    const JointType type = model.joints[j].type;
    if (type == JointType::kSpherical) {
      for (const char* c : {"_flexion", "_adduction", "_rotation"})
        list.push_back({n + c, true, s});
      continue;
    }
    for (const JointSpeed& speed : speeds_of(type)) {
      list.push_back({fmt::format("{}_{}", n, speed.name), speed.turns, s});
    }
  }
  return list;
}

std::vector<double> calc_joint_coordinates(const Model& model, const Eigen::VectorXd& d,
                                           const SegmentPose* poses) {
  std::vector<double> q;
  for (int s : model.order) {
    const Mat3d R = as_rotation(poses[s].q_WS);
    const int j = model.tree_joint[s];
    double z, x, y;
    if (j < 0) {
      for (int k = 0; k < 3; ++k) q.push_back(poses[s].p_WS[k]);
      find_cardan_zxy(R, &z, &x, &y);
      q.insert(q.end(), {z, x, y});
      continue;
    }
    const Joint& joint = model.joints[j];
    const Mat3d R_WP =
        joint.parent == kGround ? Mat3d(Mat3d::Identity()) : as_rotation(poses[joint.parent].q_WS);
    const Mat3d P = R_WP * calc_axis_triad(joint.parent_axis, d);
    const Mat3d C = R * calc_axis_triad(joint.child_axis, d);
    const Mat3d R_PC = P.transpose() * C;
    switch (joint.type) {
      case JointType::kRevolute:
        q.push_back(std::atan2(R_PC(1, 0), R_PC(0, 0)));
        break;
      case JointType::kUniversal: {
        const UniversalAngles at = find_universal_angles(R_PC);
        const UniversalAngles zero =
            find_universal_angles(calc_axis_triad(joint.parent_axis, d).transpose() *
                                  calc_axis_triad(joint.child_axis, d));
        q.push_back(wrap(at.a - zero.a));
        q.push_back(wrap(at.b - zero.b));
        break;
      }
      case JointType::kSpherical:
        find_cardan_zxy(R_PC, &z, &x, &y);
        q.insert(q.end(), {z, x, y});
        break;
      default:
        break;
    }
  }
  return q;
}

void place_segments(const Model& model, const Eigen::VectorXd& d,
                    std::span<const double> coordinates, SegmentPose* poses) {
  const Geometry geometry = calc_geometry(model, d);
  const double* q = coordinates.data();
  for (int s : model.order) {
    const int j = model.tree_joint[s];
    if (j < 0) {
      poses[s].p_WS = Vec3d(q[0], q[1], q[2]);
      poses[s].q_WS = quaternion_by_eigen(calc_cardan_zxy(q[3], q[4], q[5]));
      q += 6;
      continue;
    }
    const Joint& joint = model.joints[j];
    const SegmentPose parent = joint.parent == kGround ? SegmentPose{} : poses[joint.parent];
    const Mat3d R_WP = as_rotation(parent.q_WS);
    const Mat3d P = calc_axis_triad(joint.parent_axis, d), C = calc_axis_triad(joint.child_axis, d);
    Mat3d R_PC = Mat3d::Identity();
    switch (joint.type) {
      case JointType::kRevolute:
        R_PC = rotation_about(2, q[0]);
        break;
      case JointType::kUniversal: {
        const UniversalAngles zero = find_universal_angles(P.transpose() * C);
        R_PC = rotation_about(2, zero.a + q[0]) * rotation_about(0, kPi / 2) *
               rotation_about(2, zero.b + q[1]);
        break;
      }
      case JointType::kSpherical:
        R_PC = calc_cardan_zxy(q[0], q[1], q[2]);
        break;
      case JointType::kWeld:
        R_PC = P.transpose() * geometry.joints[j].R_PC_weld * C;
        break;
      default:  // finish() lets no other joint into the tree
        break;
    }
    q += speed_count(joint.type);
    const Mat3d R = R_WP * P * R_PC * C.transpose();
    poses[s].q_WS = quaternion_by_eigen(R);
    poses[s].p_WS = parent.p_WS + R_WP * geometry.joints[j].parent_center.value -
                    R * geometry.joints[j].child_center.value;
  }
}

}  // namespace vesica::markers
