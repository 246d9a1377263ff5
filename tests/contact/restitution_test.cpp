// The damping against its defining equation and against impacts that are really integrated.
#include "vesica/contact/restitution.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/support.h"
#include "vesica/error.h"

namespace vesica::restitution_test {
namespace {

// Rebound speed over impact speed of m x'' = k V(d) (1 + alpha c), V = d^p; RK4 at a step that
// leaves 1e-9.
double simulate_impact(double e, double exponent, double impact_speed) {
  const double alpha = calc_restitution_damping(e) / impact_speed;
  const double k = 1e6, mass = 1;
  auto acceleration = [&](double depth, double closing) {
    return depth <= 0 ? 0.0 : -k * std::pow(depth, exponent) * (1 + alpha * closing) / mass;
  };
  // Duration scales with the depth that stops the mass.
  const double depth_scale =
      std::pow((exponent + 1) * mass * impact_speed * impact_speed / (2 * k), 1 / (exponent + 1));
  const double h = depth_scale / impact_speed / 20000;
  double d = 0, c = impact_speed;
  for (int step = 0; step < 100000000; ++step) {
    const double k1d = c, k1c = acceleration(d, c);
    const double k2d = c + h / 2 * k1c, k2c = acceleration(d + h / 2 * k1d, c + h / 2 * k1c);
    const double k3d = c + h / 2 * k2c, k3c = acceleration(d + h / 2 * k2d, c + h / 2 * k2c);
    const double k4d = c + h * k3c, k4c = acceleration(d + h * k3d, c + h * k3c);
    d += h / 6 * (k1d + 2 * k2d + 2 * k3d + k4d);
    c += h / 6 * (k1c + 2 * k2c + 2 * k3c + k4c);
    if (d <= 0 && c < 0) break;
  }
  return -c / impact_speed;
}

TEST(Restitution, SatisfiesItsEquation) {
  for (double e : {0.03, 0.05, 0.0999, 0.1001, 0.3, 0.5, 0.9, 0.99, 0.999, 0.999999}) {
    const long double D = static_cast<long double>(calc_restitution_damping(e)) * e;
    const long double left = std::log1p(D / e) - std::log1p(-D);
    const long double right = D * (1 + 1 / static_cast<long double>(e));
    // Both sides are of the order of D(1 + 1/e); near e = 1 they agree to third order in D anyway,
    // so the test there is the leading term.
    if (e < 0.95) {
      // 1 - D carries the digits; toward e = 0 it is resolved to the rounding of D.
      EXPECT_NEAR(static_cast<double>(left / right), 1, e < 0.06 ? 2e-3 : 1e-12) << e;
    } else {
      const double x = 1 - e;
      EXPECT_NEAR(calc_restitution_damping(e), 1.5 * x, 2 * x * x) << e;
    }
  }
}

TEST(Restitution, IntegratedImpactsReturnIt) {
  for (double e : {0.05, 0.2, 0.5, 0.8, 0.95}) {
    for (double exponent : {1.0, 1.5, 2.0}) {
      EXPECT_NEAR(simulate_impact(e, exponent, 0.7), e, 1e-6) << exponent;
    }
  }
}

TEST(Restitution, SlopeMatchesDifferences) {
  for (double e : {0.02, 0.08, 0.12, 0.5, 0.9, 0.99}) {
    const double step = 1e-6 * e;
    const double difference =
        (calc_restitution_damping(e + step) - calc_restitution_damping(e - step)) / (2 * step);
    EXPECT_NEAR(calc_restitution_damping_slope(e) / difference, 1, 1e-6) << e;
  }
  EXPECT_NEAR(calc_restitution_damping_slope(1), calc_restitution_damping(1 - 1e-6) / -1e-6, 1e-5);
}

TEST(Restitution, OutsideItsRangeIsAnError) {
  for (double e : {0.0, -0.1, 1.01, std::nan("")}) {
    EXPECT_FALSE(test::input_error_of([&] { calc_restitution_damping(e); }).empty());
  }
  EXPECT_EQ(calc_restitution_damping(1), 0);
}

}  // namespace
}  // namespace vesica::restitution_test
