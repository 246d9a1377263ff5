// Where something sits: a position, and a rotation as a quaternion or by an axis and an angle.
#pragma once

#include <array>

#include "vesica/math/fields.h"
#include "vesica/math/pose.h"

namespace vesica::model {

template <class P = double>
struct Frame {
  enum class Turn { kNone, kQuaternion, kAxisAngle };

  Vec3<P> position = Vec3<P>::Zero();
  Turn turn = Turn::kNone;
  std::array<P, 4> quaternion{P(1.0), P(0.0), P(0.0), P(0.0)};  // w x y z, of unit length
  Vec3<P> axis = Vec3<P>::UnitZ();                              // of any length
  P angle{0.0};

  static Frame at(const Vec3<P>& position) {
    Frame frame;
    frame.position = position;
    return frame;
  }
  Frame turned(const Vec3<P>& about, const P& by) const {
    Frame frame = *this;
    frame.turn = Turn::kAxisAngle;
    frame.axis = about;
    frame.angle = by;
    return frame;
  }

  Quaternion<P> orientation() const;
  Pose<P> pose() const { return make_pose(orientation(), position); }
  void describe(Fields<P>& f);
};

}  // namespace vesica::model
