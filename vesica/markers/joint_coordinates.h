// Coordinates of given poses, and poses of given coordinates (trees only): what places segments.
// The angles that people read, with names and signs by anatomy, are those of joint_angles.h.
//
// A revolute joint has one angle about its axis, a universal joint two (about the parent's axis,
// then the child's; zero where the segments' frames are aligned as well as the axes allow), a
// spherical joint and a free segment three Cardan angles Z-X'-Y'' (with Y up
// and Z to the right: on the right side flexion, adduction, internal rotation; on the left the last
// two are mirrored), a free segment also its position.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "vesica/markers/frame.h"

namespace vesica::markers {

struct JointCoordinate {
  std::string name;
  bool angle = true;  // rad, otherwise m
  int segment = 0;    // whose joint to the parent it belongs to
};
std::vector<JointCoordinate> list_joint_coordinates(const Model& model);

std::vector<double> calc_joint_coordinates(const Model& model, const Eigen::VectorXd& d,
                                           const SegmentPose* poses);
// Right-handed, third column the axis, first column the sequence's first perpendicular: zero of a
// hinge's angle is where parent's and child's coincide.
Mat3d calc_axis_triad(const Axis& axis, const Eigen::VectorXd& d);

void place_segments(const Model& model, const Eigen::VectorXd& d,
                    std::span<const double> coordinates, SegmentPose* poses);

}  // namespace vesica::markers
