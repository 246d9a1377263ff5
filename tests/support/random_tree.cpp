#include "tests/support/random_tree.h"

#include <cmath>

namespace vesica::test {
namespace {

Pose<double> random_pose(std::mt19937_64& random, double scale) {
  return {random_rotation(random), random_vector(random, scale)};
}

FreeBody<double> random_inertia(std::mt19937_64& random) {
  const double mass = random_log_between(random, 0.3, 5);
  // Semi-axes of an ellipsoid: a tensor that a real body has.
  const Vec3d r2(random_between(random, 0.01, 0.1), random_between(random, 0.01, 0.1),
                 random_between(random, 0.01, 0.1));
  const Mat3d R = random_rotation(random);
  const Vec3d d(r2.y() + r2.z(), r2.x() + r2.z(), r2.x() + r2.y());
  const Mat3d I = mass / 5 * R * d.asDiagonal() * R.transpose();
  return make_free_body<double>(mass, (I + I.transpose()) / 2);
}

}  // namespace

RandomTree make_random_tree(std::mt19937_64& random, const RandomTreeOptions& options) {
  RandomTree r;
  for (int b = 0; b < options.bodies; ++b) {
    Joint<double> joint;
    joint.parent = static_cast<int>(std::floor(random_between(random, -1, b)));
    if (b > 0 && random_between(random, 0, 1) < 0.5) joint.parent = b - 1;  // long chains
    const auto types = static_cast<double>(joint_rows().size());
    joint.type = joint_rows()[static_cast<size_t>(random_between(random, 0, types))].type;
    if (b == 0 && joint.type == JointType::kWeld) joint.type = JointType::kRevolute;
    if (joint.type == JointType::kFree && options.free_only_on_world && joint.parent >= 0) {
      joint.type = JointType::kSpherical;
    }
    joint.X_PF = random_pose(random, 0.5);
    joint.X_BM = random_pose(random, 0.5);
    if (joint.type == JointType::kFree && options.free_only_on_world) joint.X_PF = joint.X_BM = {};
    joint.axis = random_vector(random, 1).normalized();
    joint.axis2 = random_vector(random, 1).normalized();
    if (options.perpendicular_universal) {
      joint.axis2 = joint.axis.cross(joint.axis2).normalized();
    }
    r.tree.add_body(random_inertia(random), joint);
    const auto& body = r.tree.bodies().back();
    for (int k = 0; k < body.nq; ++k) r.q.push_back(random_between(random, -1, 1));
    for (int k = 0; k < body.nu; ++k) {
      r.u.push_back(random_between(random, -2, 2));
      r.tau.push_back(random_between(random, -3, 3));
      r.u_rates.push_back(random_between(random, -3, 3));
    }
    if (quaternion_place(joint.type) >= 0) {
      Eigen::Map<Eigen::Vector4d>(r.q.data() + body.q_start + quaternion_place(joint.type))
          .normalize();
    }
    r.wrenches.push_back({random_vector(random, 5), random_vector(random, 1)});
  }
  return r;
}

}  // namespace vesica::test
