// Friction fitted beside the normal force, as the source did at first.
#include "vesica/identification/foot_with_friction.h"

#include <gtest/gtest.h>

#include <array>

#include "vesica/error.h"
#include "vesica/identification/foot_friction.h"
#include "vesica/identification/foot_synthetic.h"

namespace vesica::foot_with_friction_test {
namespace {

// A stance without noise whose shear is that of a coefficient of 0.3 on the motion as it is.
FootStance make_sliding() {
  FootStance s = make_synthetic_stance(make_brown_foot(), SyntheticFootWalk{});
  s.pressure.clear();
  s.shear =
      FrictionTrack(make_brown_foot(), s, {})
          .calc_shear(make_velocity_candidate().make(std::array{0.3, 1e-9, 0.01}), &s.free_moment);
  return s;
}

TEST(FootWithFriction, FindsTheCoefficientThatMadeTheShear) {
  FootFitSettings settings;
  settings.toe = FootFitSettings::Toe::kMeasured;
  settings.corrections = false;
  settings.priors.weight = 1e-6;
  const FootFrictionRun run = fit_with_friction(make_brown_foot(), make_sliding(), settings);
  EXPECT_TRUE(run.fit.converged) << run.fit.message;
  // The shear was made on loads without damping in their distribution; measured: 3e-4.
  EXPECT_NEAR(run.coefficient, 0.3, 0.003);
  EXPECT_LE(run.fit.errors[0].force, 0.005);
  EXPECT_LE(run.shear.of_largest, 0.03);
  EXPECT_LE(run.shear.free_moment, 0.05);
}

TEST(FootWithFriction, AStanceWithoutShearIsRefused) {
  FootStance s = make_sliding();
  for (Eigen::Vector2d& shear : s.shear) shear.setZero();
  EXPECT_THROW(fit_with_friction(make_brown_foot(), s, {}), InputError);
  s.shear.clear();
  EXPECT_THROW(fit_with_friction(make_brown_foot(), s, {}), InputError);
}

}  // namespace
}  // namespace vesica::foot_with_friction_test
