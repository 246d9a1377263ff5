#include "vesica/biomechanics/foot_chain.h"

#include <cmath>

namespace vesica {

Motion<double> calc_segment_motion(const FootModel& foot, const FootFrame& frame, int segment) {
  if (segment == 0) return frame.foot;
  const FootJoint& joint = foot.joints[segment - 1];
  const Motion<double> parent = calc_segment_motion(foot, frame, joint.parent);
  const double q = frame.angles[segment - 1], c = std::cos(q), s = std::sin(q);
  Mat3d turn;
  turn << 1, 0, 0, 0, c, -s, 0, s, c;
  Motion<double> m;
  const Mat3d R_WF = parent.X_WB.R_WB * joint.X_PF.R_WB;
  m.X_WB = {R_WF * turn, parent.X_WB * joint.X_PF.p_WB};
  m.V_WB.w_WB = parent.V_WB.w_WB + R_WF.col(0) * frame.rates[segment - 1];
  m.V_WB.v_WB = parent.V_WB.v_WB + parent.V_WB.w_WB.cross(m.X_WB.p_WB - parent.X_WB.p_WB);
  return m;
}

Motion<double> calc_ellipsoid_motion(const FootEllipsoid& e, const Motion<double>& segment) {
  Motion<double> m;
  const Vec3d arm = segment.X_WB.R_WB * e.position;
  m.X_WB = {segment.X_WB.R_WB * as_rotation_123(e.angles), segment.X_WB.p_WB + arm};
  m.V_WB.w_WB = segment.V_WB.w_WB;
  m.V_WB.v_WB = segment.V_WB.v_WB + segment.V_WB.w_WB.cross(arm);
  return m;
}

namespace foot_chain {
namespace {

// Axes of the three turns, in the segment's frame.
Mat3d calc_turn_axes(const Vec3d& angles) {
  const Mat3d X = as_rotation_123({angles.x(), 0, 0});
  Mat3d axes;
  axes << Vec3d::UnitX(), X.col(1), as_rotation_123({angles.x(), angles.y(), 0}).col(2);
  return axes;
}

using Columns3 = Eigen::Matrix<double, kDirections, 3>;

// A rotation vector of the carrier about its origin, whose velocity and spin stay: what moves
// against the carrier turns along.
Columns3 calc_turn(const Motion<double>& carrier, const Motion<double>& at) {
  const Vec3d arm = at.X_WB.p_WB - carrier.X_WB.p_WB, w = carrier.V_WB.w_WB;
  const Vec3d w_rel = at.V_WB.w_WB - w, v_rel = at.V_WB.v_WB - carrier.V_WB.v_WB - w.cross(arm);
  Columns3 by = Columns3::Zero();
  by.middleRows<3>(kRotation).setIdentity();
  by.middleRows<3>(kPosition) = -skew(arm);
  by.middleRows<3>(kSpin) = -skew(w_rel);
  by.middleRows<3>(kVelocity) = -skew(w) * skew(arm) - skew(v_rel);
  return by;
}

Columns3 calc_spin(const Motion<double>& carrier, const Motion<double>& at) {
  Columns3 by = Columns3::Zero();
  by.middleRows<3>(kSpin).setIdentity();
  by.middleRows<3>(kVelocity) = -skew(Vec3d(at.X_WB.p_WB - carrier.X_WB.p_WB));
  return by;
}

}  // namespace

void calc_chain(const FootModel& foot, const FootFrame& frame, int ellipsoid,
                Eigen::Matrix<double, kDirections, Eigen::Dynamic>* chain) {
  const FootEllipsoid& e = foot.ellipsoids[static_cast<size_t>(ellipsoid)];
  const Motion<double> segment = calc_segment_motion(foot, frame, e.segment);
  const Motion<double> at = calc_ellipsoid_motion(e, segment);
  const FootOrder order(foot);
  auto& C = *chain;
  C.setZero();
  C(kDamping, FootOrder::kDamping) = 1;
  const Mat3d& R = segment.X_WB.R_WB;
  const int own = order.ellipsoid(ellipsoid);
  C.block<3, 3>(kRadii, own).setIdentity();
  C.block<3, 3>(kPosition, own + 3) = R;
  C.block<3, 3>(kVelocity, own + 3) = skew(at.V_WB.w_WB) * R;
  C.block<3, 3>(kRotation, own + 6) = R * calc_turn_axes(e.angles);
  // What carries it, from its segment back to the foot.
  for (int s = e.segment; s > 0; s = foot.joints[s - 1].parent) {
    const Motion<double> carrier = calc_segment_motion(foot, frame, s);
    const Vec3d axis = carrier.X_WB.R_WB.col(0);
    C.col(order.angle(s - 1)) = calc_turn(carrier, at) * axis;
    C.col(order.rate(s - 1)) = calc_spin(carrier, at) * axis;
  }
  const int motion = order.motion();
  C.block<3, 3>(kPosition, motion).setIdentity();
  C.middleCols<3>(motion + 3) = calc_turn(frame.foot, at);
  C.block<3, 3>(kVelocity, motion + 6).setIdentity();
  C.middleCols<3>(motion + 9) = calc_spin(frame.foot, at);
}

}  // namespace foot_chain
}  // namespace vesica
