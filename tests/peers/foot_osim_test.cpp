// The force of a smooth sphere as we fit and export it, against Simbody's own, which OpenSim uses.
#include "vesica/biomechanics/foot_osim.h"

#include <gtest/gtest.h>

#include "tests/peers/simbody_spheres.h"
#include "tests/support/support.h"

namespace vesica::foot_osim_test {
namespace {

TEST(OsimSpheres, PressAsSimbodysDo) {
  std::mt19937_64 random(5);
  std::vector<test::PeerSphere> peers;
  std::vector<double> ours;
  for (int k = 0; k < 200; ++k) {
    const double radius = test::random_between(random, 0.01, 0.05);
    const double stiffness = test::random_log_between(random, 1e5, 1e7);
    const double dissipation = test::random_between(random, 0.1, 3);
    const Vec3d velocity = test::random_vector(random, 1), spin = test::random_vector(random, 5);
    const double height = radius + test::random_between(random, -0.015, 0.006);
    FootFrame frame;
    frame.foot.X_WB = {test::random_rotation(random), {0.1, 0.2, height}};
    frame.foot.V_WB = {spin, velocity};
    OsimSpheres set;
    set.stiffness = stiffness;
    set.dissipation = dissipation;
    set.spheres = {{"one", 0, Vec3d::Zero(), radius}};
    ours.push_back(calc_sphere_load(set, FootModel{}, frame)[0]);
    peers.push_back({{0.1, 0.2, height},
                     {velocity.x(), velocity.y(), velocity.z()},
                     {spin.x(), spin.y(), spin.z()},
                     radius,
                     stiffness,
                     dissipation});
  }
  const auto forces = test::calc_simbody_forces(peers);
  for (size_t k = 0; k < ours.size(); ++k) {
    EXPECT_NEAR(ours[k], forces[k][2], 1e-10 * (1 + std::abs(ours[k])));
  }
}

}  // namespace
}  // namespace vesica::foot_osim_test
