// Six spheres: the formula by hand, and found again from what they made.
#include "vesica/identification/foot_spheres.h"

#include <gtest/gtest.h>

#include "vesica/identification/foot_synthetic.h"

namespace vesica::foot_spheres_test {
namespace {

TEST(FootSpheres, OneSphereByHand) {
  SphereFoot foot;
  foot.stiffness = 1e6;
  foot.dissipation = 2;
  foot.spheres = {{"one", 0, 0.03, {0.01, 0.02, 0}}};
  FootFrame frame;
  frame.foot.X_WB.p_WB = {0.1, 0.2, 0.02};
  frame.foot.V_WB.v_WB = {0, 0, -0.1};
  const FootLoad load = calc_sphere_load(foot, frame);
  // Deep enough for both steps to be 1 to 1e-2: Hertz with E* = E/(2 sqrt 2), times 1 + 3/2 a c.
  const double hertz =
      4.0 / 3.0 * 1e6 / (2 * std::sqrt(2.0)) * std::sqrt(0.03) * std::pow(0.01 * 0.01 + 1e-5, 0.75);
  const double step = 0.5 * (1 + std::tanh(3.0));
  EXPECT_NEAR(load[0], hertz * step * 1.3, 1e-9 * load[0]);
  EXPECT_NEAR(load[1] / load[0], 0.11, 1e-12);
  EXPECT_NEAR(load[2] / load[0], 0.22, 1e-12);
}

TEST(FootSpheres, FindsTheSpheresThatMadeTheForce) {
  SphereFoot truth = make_six_spheres(make_brown_foot());
  std::vector<FootStance> stances;
  for (const double stride : {-0.7, 0.5}) {
    SyntheticFootWalk walk;
    walk.stride = stride;
    stances.push_back(make_synthetic_stance(make_brown_foot(), walk));
    FootStance& s = stances.back();
    for (size_t f = 0; f < s.frames.size(); ++f) {
      const FootLoad load = calc_sphere_load(truth, s.frames[f]);
      s.force[f] = load[0];
      s.cop[f] = load.tail<2>() / load[0];
    }
  }
  SphereFoot start = truth;
  start.stiffness *= 1.3;
  for (FootSphere& sphere : start.spheres) sphere.position += Vec3d(0.002, -0.003, 0.001);
  FootFitSettings settings;
  settings.toe = FootFitSettings::Toe::kMeasured;
  settings.priors.weight = 1e-8;
  const SphereFit fit = fit_spheres(start, stances, settings);
  const FootErrors errors = calc_errors(stances[0], simulate_stance(fit, stances[0]), settings);
  EXPECT_LE(errors.force, 2e-3);
  EXPECT_LE(errors.cop, 2e-3);
}

}  // namespace
}  // namespace vesica::foot_spheres_test
