// Forces and moments in the joints of a moving model: recursive Newton-Euler, from the tips to the
// root. Trees only.
//
// The motion is that of the model's own coordinates (position and quaternion of free segments,
// angles of hinges and universal joints, quaternions of balls), low-pass filtered (zero-phase
// Butterworth of order 4) and differentiated as cubic splines through the filtered samples: joints
// stay together in velocity and acceleration exactly. With a quaternion curve q of any length,
//   w = 2 vec(q' q*)/|q|^2,   w' = 2 vec(q'' q*)/|q|^2 - w (|q|^2)'/|q|^2.
// What a joint does to its child C, about the joint's centre c:
//   f = m (a_C - g) - f_ext + sum of what its own children take,
//   M = I w' + w x I w + (p_C - c) x m (a_C - g) - (moment of f_ext about c) + ...
#pragma once

#include <vector>

#include "vesica/markers/body_segments.h"
#include "vesica/markers/frame.h"

namespace vesica::markers {

struct SegmentMotion {
  Mat3d R_WS = Mat3d::Identity();
  Vec3d p_WS = Vec3d::Zero(), v = Vec3d::Zero(), a = Vec3d::Zero();  // of the origin
  Vec3d w = Vec3d::Zero(), w_rate = Vec3d::Zero();
};

// frame * segments + segment. `cutoff` [Hz]; 0: not filtered. Throws InputError for models with
// loops and for fewer than five frames.
std::vector<SegmentMotion> calc_segment_motions(const Model& model, const Eigen::VectorXd& d,
                                                const SegmentPose* poses, int frames, double rate,
                                                double cutoff);

// What a joint does to its child, in the laboratory's axes.
struct JointLoad {
  Vec3d center = Vec3d::Zero();
  Vec3d force = Vec3d::Zero();
  Vec3d moment = Vec3d::Zero();  // about the centre
  double power = 0;              // W, moment times the child's spin against its parent
};

// One frame. `external` acts on each segment, about the laboratory's origin. Loads are those of the
// tree's joints; of a free segment, what holds it up and what turns it about its centre of mass
// stand in `root`.
struct FrameLoads {
  std::vector<JointLoad> joints;     // of each joint of the model
  std::vector<Wrench<double>> root;  // of each segment; zero where it has a joint
};
FrameLoads calc_frame_loads(const Model& model, const Geometry& geometry,
                            const SegmentMotion* motions,
                            const std::vector<SegmentInertia>& inertia,
                            const std::vector<Wrench<double>>& external, const Vec3d& gravity);

}  // namespace vesica::markers
