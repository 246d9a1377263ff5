#include "vesica/biomechanics/foot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/error.h"

namespace vesica {
namespace {

Mat3d turn_x(double a) {
  Mat3d R;
  R << 1, 0, 0, 0, std::cos(a), -std::sin(a), 0, std::sin(a), std::cos(a);
  return R;
}
Mat3d turn_y(double a) {
  Mat3d R;
  R << std::cos(a), 0, std::sin(a), 0, 1, 0, -std::sin(a), 0, std::cos(a);
  return R;
}
Mat3d turn_z(double a) {
  Mat3d R;
  R << std::cos(a), -std::sin(a), 0, std::sin(a), std::cos(a), 0, 0, 0, 1;
  return R;
}

const Mat3d kMirror = Vec3d(-1, 1, 1).asDiagonal();

// The toe joint of Table 5.2. Its printed rotation (2.72, -0.20, -2.89) turns x and z over; with y
// forward and z up the same axis is that frame after half a turn about y.
FootJoint make_brown_toe() {
  const Mat3d R = as_rotation_123({2.72, -0.20, -2.89}) * turn_y(M_PI);
  return {"toe", 0, {R, {0.0468, 0.2059, -0.0171}}};
}

}  // namespace

int FootModel::find_ellipsoid(const std::string& name) const {
  const auto found = std::find_if(ellipsoids.begin(), ellipsoids.end(),
                                  [&](const FootEllipsoid& e) { return e.name == name; });
  return found == ellipsoids.end() ? -1 : static_cast<int>(found - ellipsoids.begin());
}

Mat3d as_rotation_123(const Vec3d& angles) {
  return turn_x(angles.x()) * turn_y(angles.y()) * turn_z(angles.z());
}

Vec3d as_angles_123(const Mat3d& R) {
  return {std::atan2(-R(1, 2), R(2, 2)), std::asin(std::clamp(R(0, 2), -1.0, 1.0)),
          std::atan2(-R(0, 1), R(0, 0))};
}

FootModel make_brown_start() {
  FootModel foot;
  foot.stiffness = 1e7;
  foot.damping = 1;
  foot.joints = {make_brown_toe()};
  foot.ellipsoids = {
      {"heel", 0, {0.030, 0.050, 0.030}, {0, 0.030, -0.015}, {0, 0.15, 0}},
      {"ball", 0, {0.060, 0.030, 0.030}, {0.010, 0.170, -0.013}, {0, 0.2, 0.5}},
      {"toe", 1, {0.020, 0.020, 0.020}, {0, 0.015, -0.013}, {0, 0, 0}},
  };
  return mirrored(foot);
}

FootModel make_brown_foot() {
  FootModel foot;
  foot.stiffness = 1.6e7;
  foot.damping = 0.565;
  foot.joints = {make_brown_toe()};
  // The toe's x is printed in a frame whose x leads outward; its z is taken as up, because downward
  // it would lie above the joint.
  foot.ellipsoids = {
      {"heel", 0, {0.0354, 0.0540, 0.0226}, {0.0037, 0.0479, 0.0004}, {0.329, 0.201, 0.101}},
      {"ball", 0, {0.0632, 0.0338, 0.0240}, {0.020, 0.167, -0.0006}, {-0.235, 0.191, 0.528}},
      {"toe", 1, {0.0182, 0.0186, 0.0132}, {-0.011, 0.010, -0.019}, {0.339, 1.23, 0.454}},
  };
  return mirrored(foot);
}

FootModel mirrored(const FootModel& foot) {
  FootModel other = foot;
  for (FootJoint& joint : other.joints) {
    joint.X_PF = {kMirror * joint.X_PF.R_WB * kMirror, kMirror * joint.X_PF.p_WB};
  }
  for (FootEllipsoid& e : other.ellipsoids) {
    e.position = kMirror * e.position;
    e.angles = {e.angles.x(), -e.angles.y(), -e.angles.z()};  // of kMirror R kMirror
  }
  return other;
}

void check(const FootModel& foot) {
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  if (!positive(foot.stiffness)) {
    throw InputError(fmt::format("foot: stiffness must be positive, not {}", foot.stiffness));
  }
  if (!std::isfinite(foot.damping) || foot.damping < 0) {
    throw InputError(fmt::format("foot: damping must not be negative, not {}", foot.damping));
  }
  for (size_t k = 0; k < foot.joints.size(); ++k) {
    const FootJoint& joint = foot.joints[k];
    if (joint.parent < 0 || joint.parent > static_cast<int>(k)) {
      throw InputError(
          fmt::format("foot: joint {}: its parent must be a segment before it", joint.name));
    }
  }
  if (foot.ellipsoids.empty()) throw InputError("foot: it needs at least one ellipsoid");
  for (const FootEllipsoid& e : foot.ellipsoids) {
    if (e.segment < 0 || e.segment >= foot.segments()) {
      throw InputError(
          fmt::format("foot: ellipsoid {}: there is no segment {}; segments are 0 to {}", e.name,
                      e.segment, foot.segments() - 1));
    }
    if (!positive(e.radii.minCoeff()) || !e.radii.allFinite()) {
      throw InputError(fmt::format("foot: ellipsoid {}: radii must be positive", e.name));
    }
    if (!e.position.allFinite() || !e.angles.allFinite()) {
      throw InputError(
          fmt::format("foot: ellipsoid {}: position and angles must be finite", e.name));
    }
  }
}

}  // namespace vesica
