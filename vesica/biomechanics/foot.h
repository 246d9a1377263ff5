// A foot as rigid segments with ellipsoids under them (Brown, chapter 5).
//
// Frames, right-handed, as in the source (figure 5.7): the foot's origin lies at the heel, y leads
// forward, z up, x to the right. A left foot is the mirror image of a right one; models are kept
// as right feet (x toward the outer edge) and `mirrored` turns them over.
//
// Segment 0 is the foot; further ones hang on revolute joints about x of the joint's frame F, which
// at angle 0 is the segment's own frame. Bending the toes up (dorsiflexion) is a positive angle.
//
// All ellipsoids share one volumetric stiffness and damping, as in the source: with a parameter for
// each, walking determines none of them.
#pragma once

#include <string>
#include <vector>

#include "vesica/math/pose.h"

namespace vesica {

struct FootEllipsoid {
  std::string name;
  int segment = 0;
  Vec3d radii = Vec3d::Constant(0.02);  // a, b, c [m]
  Vec3d position = Vec3d::Zero();       // of the centre, in the segment's frame [m]
  Vec3d angles = Vec3d::Zero();         // 1-2-3 body-fixed Euler angles, segment to ellipsoid [rad]
};

struct FootJoint {
  std::string name;
  int parent = 0;       // segment; the joint's own segment is one more than its place in the list
  Pose<double> X_PF{};  // its frame on the parent
};

struct FootModel {
  double stiffness = 1e7;  // k_V [N/m^3]
  double damping = 1.0;    // alpha = -a_V [s/m]
  std::vector<FootJoint> joints;
  std::vector<FootEllipsoid> ellipsoids;

  int segments() const { return 1 + static_cast<int>(joints.size()); }
  int find_ellipsoid(const std::string& name) const;  // -1: none
};

// R = R_x(a) R_y(b) R_z(c).
Mat3d as_rotation_123(const Vec3d& angles);
// The inverse, with the second angle within +-90 deg.
Vec3d as_angles_123(const Mat3d& R);

// The source's foot: where its optimisation began (Table 5.4) and where it ended (Table 5.6), with
// the toe joint of Table 5.2. The source's is a left foot; this is its mirror image.
FootModel make_brown_start();
FootModel make_brown_foot();

// The same foot of the other side: everything mirrored in the plane x = 0 of the foot.
FootModel mirrored(const FootModel& foot);

// Throws InputError where a number makes no sense: radii that are not positive, segments that are
// not there, a stiffness that is not positive.
void check(const FootModel& foot);

}  // namespace vesica
