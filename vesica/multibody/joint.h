// Joints: how a body may move against its parent.
//
// A joint leads from the frame F on the parent P (X_PF) to the frame M on the body B (X_BM). With
// all coordinates zero the frames coincide. joint_table.h lists the types with their coordinates
// and speeds, joint_kinematics.h has their motion.
// A free joint on the world with F = W and M = B is a body that moves freely: its coordinates are
// the pose of the body and its speeds v_WB, w_WB. Quaternions need not have unit length; their
// rate is w q/2. A universal joint's axes must not be parallel.
#pragma once

#include <array>
#include <vector>

#include "vesica/multibody/joint_table.h"
#include "vesica/multibody/signal.h"
#include "vesica/multibody/spatial.h"

namespace vesica {

template <class P>
struct Joint {
  JointType type = JointType::kFree;
  int parent = -1;  // index of a body, or -1: the world
  Pose<P> X_PF, X_BM;
  Vec3<P> axis = Vec3<P>::UnitZ();   // in F, of unit length: joints with an axis
  Vec3<P> axis2 = Vec3<P>::UnitX();  // the second, as it stands with the first angle at zero
  // One per coordinate: the joint is driven and has no state. Not for joints with a quaternion.
  std::vector<Signal<P>> drive;

  bool is_driven() const { return !drive.empty(); }
};

// A joint's part in the motion, in F: pose of M, columns of its velocity at M's origin, and the
// acceleration that u leaves when its rate is zero.
template <class T>
struct JointMotion {
  Pose<T> X_FM;
  std::array<SpatialMotion<T>, kMaxSpeeds> H;
  SpatialMotion<T> bias;
  bool has_bias = false;
};

// exp([a] angle) for a unit axis a.
template <class T>
Mat3<T> calc_axis_rotation(const Vec3<T>& a, const T& angle) {
  using std::cos;
  using std::sin;
  const T c = cos(angle), s = sin(angle), d = T(1) - c;
  const Vec3<T> sa = a * s, da = a * d;
  Mat3<T> R;
  R << da.x() * a.x() + c, da.x() * a.y() - sa.z(), da.x() * a.z() + sa.y(),  //
      da.x() * a.y() + sa.z(), da.y() * a.y() + c, da.y() * a.z() - sa.x(),   //
      da.x() * a.z() - sa.y(), da.y() * a.z() + sa.x(), da.z() * a.z() + c;
  return R;
}

// q' = w q / 2, with w in the frame that q leads from.
template <class T>
void calc_quaternion_rate(const T* q, const T* w, T* rate) {
  rate[0] = -0.5 * (w[0] * q[1] + w[1] * q[2] + w[2] * q[3]);
  rate[1] = 0.5 * (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]);
  rate[2] = 0.5 * (w[1] * q[0] + w[2] * q[1] - w[0] * q[3]);
  rate[3] = 0.5 * (w[2] * q[0] + w[0] * q[2] - w[1] * q[1]);
}

// What joints/<name>.h defines for its type:
//   calc_motion(joint, q, u, m)   *m, of which p_FM is zero and has_bias false on entry
//   calc_rates(q, u, rates)       q' from q and u: from TableRates, unless the joint has its own
template <JointType type>
struct JointKinematics;

// Coordinates change with their speeds, the quaternion with the spin.
template <JointType type>
struct TableRates {
  template <class T>
  static void calc_rates(const T* q, const T* u, T* rates) {
    constexpr int place = quaternion_place(type);
    constexpr int plain = place >= 0 ? place : speed_count(type);
    for (int k = 0; k < plain; ++k) rates[k] = u[k];
    if constexpr (place >= 0) calc_quaternion_rate(q + place, u + place, rates + place);
  }
};

namespace detail {

template <class T>
Vec3<T> make_zero() {
  return Vec3<T>(T(0), T(0), T(0));
}
template <class T>
Vec3<T> make_unit(int k) {
  Vec3<T> e = make_zero<T>();
  e[k] = T(1);
  return e;
}

}  // namespace detail

}  // namespace vesica
