// Joints: how a body may move against its parent.
//
// A joint leads from the frame F on the parent P (X_PF) to the frame M on the body B (X_BM). With
// all coordinates zero the frames coincide.
//
//   type        q                        u
//   free        p_FM (3), q_FM (4)       v_FM (3), w_FM (3), in F
//   revolute    angle about axis         its rate
//   prismatic   distance along axis      its rate
//   universal   angle about axis, then   their rates
//               about axis2 as turned
//   spherical   q_FM (4)                 w_FM (3), in F
//   planar      x, y of F, angle about z their rates
//   weld        none                     none
// A free joint on the world with F = W and M = B is a body that moves freely: its coordinates are
// the pose of the body and its speeds v_WB, w_WB. Quaternions need not have unit length; their
// rate is w q/2. A universal joint's axes must not be parallel.
// `given` is not a joint: the body's motion is prescribed, its pose, velocity and acceleration
// come from outside.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "vesica/multibody/signal.h"
#include "vesica/multibody/spatial.h"

namespace vesica {

enum class JointType {
  kGiven,
  kFree,
  kRevolute,
  kPrismatic,
  kUniversal,
  kSpherical,
  kPlanar,
  kWeld,
};

constexpr int kMaxSpeeds = 6;

constexpr int coordinate_count(JointType type) {
  constexpr int counts[] = {0, 7, 1, 1, 2, 4, 3, 0};
  return counts[static_cast<int>(type)];
}
constexpr int speed_count(JointType type) {
  constexpr int counts[] = {0, 6, 1, 1, 2, 3, 3, 0};
  return counts[static_cast<int>(type)];
}
// Where the quaternion is among the coordinates, or -1.
constexpr int quaternion_place(JointType type) {
  return type == JointType::kFree ? 3 : type == JointType::kSpherical ? 0 : -1;
}

// Whether speed k turns or slides.
constexpr bool speed_is_angular(JointType type, int k) {
  switch (type) {
    case JointType::kFree:
      return k >= 3;
    case JointType::kPrismatic:
      return false;
    case JointType::kPlanar:
      return k == 2;
    default:
      return true;
  }
}
// What scenes and recordings call the coordinates; none for joints with a quaternion.
std::vector<std::string_view> coordinate_names(JointType type);

template <class P>
struct Joint {
  JointType type = JointType::kFree;
  int parent = -1;  // index of a body, or -1: the world
  Pose<P> X_PF, X_BM;
  Vec3<P> axis = Vec3<P>::UnitZ();   // in F, of unit length: revolute, prismatic, universal
  Vec3<P> axis2 = Vec3<P>::UnitX();  // universal, as it stands with the first angle at zero
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

template <class P, class T>
void calc_joint_motion(const Joint<P>& joint, const T* q, const T* u, JointMotion<T>* m) {
  const Vec3<T> none(T(0), T(0), T(0));
  auto unit = [&](int k) {
    Vec3<T> e = none;
    e[k] = T(1);
    return e;
  };
  m->X_FM.p_WB = none;
  m->has_bias = false;
  switch (joint.type) {
    case JointType::kFree:
      m->X_FM = make_pose(Quaternion<T>{q[3], q[4], q[5], q[6]}, Vec3<T>(q[0], q[1], q[2]));
      for (int k = 0; k < 3; ++k) {
        m->H[k] = {none, unit(k)};
        m->H[3 + k] = {unit(k), none};
      }
      break;
    case JointType::kRevolute: {
      const Vec3<T> axis = joint.axis.template cast<T>();
      m->X_FM.R_WB = calc_axis_rotation(axis, q[0]);
      m->H[0] = {axis, none};
      break;
    }
    case JointType::kPrismatic: {
      const Vec3<T> axis = joint.axis.template cast<T>();
      m->X_FM.R_WB.setIdentity();
      m->X_FM.p_WB = axis * q[0];
      m->H[0] = {none, axis};
      break;
    }
    case JointType::kUniversal: {
      const Vec3<T> axis = joint.axis.template cast<T>();
      const Vec3<T> second = joint.axis2.template cast<T>();
      const Mat3<T> R1 = calc_axis_rotation(axis, q[0]);
      m->X_FM.R_WB = R1 * calc_axis_rotation(second, q[1]);
      m->H[0] = {axis, none};
      m->H[1] = {R1 * second, none};
      m->bias = {axis.cross(m->H[1].w) * T(u[0] * u[1]), none};
      m->has_bias = true;
      break;
    }
    case JointType::kSpherical:
      m->X_FM.R_WB = as_rotation(Quaternion<T>{q[0], q[1], q[2], q[3]});
      for (int k = 0; k < 3; ++k) m->H[k] = {unit(k), none};
      break;
    case JointType::kPlanar:
      m->X_FM.R_WB = calc_axis_rotation(unit(2), q[2]);
      m->X_FM.p_WB = Vec3<T>(q[0], q[1], T(0));
      m->H[0] = {none, unit(0)};
      m->H[1] = {none, unit(1)};
      m->H[2] = {unit(2), none};
      break;
    case JointType::kWeld:
    case JointType::kGiven:
      m->X_FM.R_WB.setIdentity();
      break;
  }
}

// q' from q and u.
template <class T>
void calc_coordinate_rates(JointType type, const T* q, const T* u, T* rates) {
  switch (type) {
    case JointType::kFree:
      for (int k = 0; k < 3; ++k) rates[k] = u[k];
      calc_quaternion_rate(q + 3, u + 3, rates + 3);
      break;
    case JointType::kSpherical:
      calc_quaternion_rate(q, u, rates);
      break;
    default:
      for (int k = 0; k < speed_count(type); ++k) rates[k] = u[k];
  }
}

}  // namespace vesica
