#include "vesica/interference/relative_pose.h"

namespace vesica::detail {

Pose<double> move_by_twist(const Pose<double>& X, const Vec3d& p, int direction, double amount) {
  const Vec3d step = amount * Vec3d::Unit(direction % 3);
  if (direction < 3) return {X.R_WB, X.p_WB + step};
  const Mat3d R = as_rotation(quaternion_from_rotation_vector(step));
  return {R * X.R_WB, p + R * (X.p_WB - p)};
}

}  // namespace vesica::detail
