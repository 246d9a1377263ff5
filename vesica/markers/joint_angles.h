// Joint angles as people read them: named by what they are, with the same signs on both sides
// (joint_meaning.h), from the standing pose on if there is one.
//
// Other than the coordinates of joint_coordinates.h, which place segments, these are measured
// between anatomical frames (X forward, Y up, Z right): the segments' own, or, where a segment's
// frame is technical, the axes of the subject in the reference pose.
//   ball, universal   three Cardan angles Z-X'-Y''
//   hinge             the angle about its axis, named after the anatomical axis nearest to it
//   free              position in the laboratory; tilt, list and rotation (OpenSim's names and
//                     signs: about Z, X', Y'') in a frame of the subject's way, up and right
#pragma once

#include <string>
#include <vector>

#include "vesica/markers/frame.h"

namespace vesica::markers {

// Which way the subject goes, in the laboratory's axes: forward, up, right as columns.
Mat3d make_walking_frame(const Vec3d& up, const Vec3d& forward);

struct JointIdentity {
  std::string stem;  // the joint's name without its side
  JointMeaning meaning = JointMeaning::kOther;
  Side side = Side::kNone;
};
// What the file says; else the joint's name, its child's name, and the names of the child's
// markers where they agree.
JointIdentity identify_joint(const Model& model, int joint);

struct AngleColumn {
  std::string name;
  bool angle = true;  // rad, otherwise m
  int segment = 0;    // whose joint to the parent it belongs to
};

class JointAngles {
 public:
  // All frames are the segments' own; technical ones are those of the laboratory in the first
  // frame, until set_reference().
  JointAngles(const Model& model, const Eigen::VectorXd& d);

  // The pose in which segments with technical frames stand straight: their anatomical axes are
  // those of `R_WB` there, and hinges to or from them are at zero.
  void set_reference(const SegmentPose* poses, const Mat3d& R_WB);
  // The standing pose: joint angles (not those of free segments) are counted from its mean.
  // `poses` holds `frames` times as many as there are segments.
  void set_neutral(const SegmentPose* poses, int frames, const Mat3d& R_WB);

  const std::vector<AngleColumn>& columns() const { return columns_; }
  // Of frame after frame: angles do not jump by full turns, nor through gimbal lock to the other
  // triple of the same rotation; a wild frame does not carry either to those that follow.
  std::vector<double> calc_table(const SegmentPose* poses, int frames, const Mat3d& R_WB) const;

  // Axes that moments about a joint are expressed in, as unit columns in the laboratory: the
  // parent's anatomical frame, the child's, or the joint's own three (the parent's Z, the floating
  // axis, the child's Y: not orthogonal). Signs are those of the angles.
  enum class Axes { kProximal, kDistal, kJoint };
  Mat3d calc_axes(int joint, const SegmentPose* poses, Axes axes) const;
  // Names of a joint's three directions, in the order Z, X, Y.
  std::array<std::string, 3> name_directions(int joint) const;

 private:
  struct JointFrames {
    Mat3d parent = Mat3d::Identity(), child = Mat3d::Identity();
  };
  JointFrames calc_frames(int joint, const SegmentPose* poses) const;
  void calc_row(const SegmentPose* poses, const Mat3d& R_WB, double* q) const;

  const Model* model_;
  Eigen::VectorXd d_;
  std::vector<Mat3d> R_SA_;  // anatomical axes of every segment
  std::vector<AngleColumn> columns_;
  std::vector<std::array<double, 3>> signs_;  // of every joint: about Z, X, Y
  std::vector<int> hinge_axis_;               // of every joint: 0, 1, 2 for Z, X, Y
  std::vector<double> hinge_sign_;
  std::vector<double> offset_;  // of every column

  void name_columns();
};

}  // namespace vesica::markers
