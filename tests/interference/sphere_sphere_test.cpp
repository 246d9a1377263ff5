// The lens against discs integrated along the line of centres in long double.
#include "vesica/interference/closed_form/sphere_sphere.h"

#include <gtest/gtest.h>

#include "tests/support/quadrature.h"
#include "tests/support/support.h"
#include "vesica/interference/patch/depth_grid.h"

namespace vesica::sphere_sphere_test {
namespace {

using Real = long double;

// V, first and second moment along the axis from the touching point, second moment across.
Eigen::Matrix<Real, 4, 1> integrate_lens(Real R_i, Real R_j, Real delta) {
  // t from i's pole into the lens; j's pole is at t = delta.
  auto disc = [&](Real t) {
    const Real i2 = t * (2 * R_i - t);
    const Real s = delta - t;
    const Real j2 = s * (2 * R_j - s);
    const Real r2 = std::max(Real(0), std::min(i2, j2));
    const Real area = Real(M_PIl) * r2;
    Eigen::Matrix<Real, 4, 1> m;
    m << area, area * t, area * t * t, area * r2 / 4;
    return m;
  };
  // The discs' radius has a corner at the common plane.
  const Real x = R_i + R_j - delta;
  const Real corner = delta * (R_j + x - R_i) / (2 * x);
  const Real low = std::max(Real(0), delta - 2 * R_j), high = std::min(delta, 2 * R_i);
  const Real middle = std::clamp(corner, low, high);
  return test::integrate(disc, low, middle, 1e30L) + test::integrate(disc, middle, high, 1e30L);
}

TEST(SphereSphere, LensMatchesQuadratureFromGrazingToNested) {
  std::mt19937_64 random(21);
  double worst = 0;
  for (int k = 0; k < 20000; ++k) {
    const double R_i = test::random_log_between(random, 1e-2, 1);
    const double R_j = R_i * test::random_log_between(random, 1e-2, 100);
    const double size = std::max(R_i, R_j);
    double relative = test::random_log_between(random, 1e-6, 1);
    const double delta = std::min(relative * size, (R_i + R_j) * 0.999);
    const Vec3d axis = test::random_rotation(random).col(0);
    Pose<double> X_WI, X_WJ;
    X_WJ.p_WB = Vec3d::Zero();
    X_WI.p_WB = axis * (R_i + R_j - delta);
    const auto o = calc_overlap(Sphere<double>{R_i}, X_WI, Sphere<double>{R_j}, X_WJ);
    const auto m = integrate_lens(R_i, R_j, -Real(o.distance));
    const Real c = m[1] / m[0];
    const double bound = 1e-10 + 10 * 2.2e-16 * (R_i + R_j) / -o.distance;
    const double volume_error = std::abs(static_cast<double>(Real(o.volume) / m[0] - 1));
    const Real m_n = m[2] - m[0] * c * c;
    const Vec3d n = o.n_W;
    const Mat3d M = static_cast<double>(m[3]) * (Mat3d::Identity() - n * n.transpose()) +
                    static_cast<double>(m_n) * n * n.transpose();
    const double moment_error = (o.M_W.matrix() - M).norm() / M.norm();
    worst = std::max({worst, volume_error / bound, moment_error / bound});
    // Centroid: i's pole is its lowest point toward j.
    const Vec3d centroid = X_WI.p_WB - n * (R_i - static_cast<double>(c));
    EXPECT_LT((o.p_WC - centroid).norm(), 1e-13 * (R_i + R_j)) << R_i << " " << R_j << " " << delta;
  }
  EXPECT_LT(worst, 1);
}

TEST(SphereSphere, VolumeIsContinuousWhereOneGoesInside) {
  const Sphere<double> small{0.4}, large{1.0};
  Pose<double> X_WI, X_WJ;
  auto at = [&](double x) {
    X_WI.p_WB = Vec3d(0, 0, x);
    return calc_overlap(small, X_WI, large, X_WJ);
  };
  const auto outside = at(0.6 + 1e-9), inside = at(0.6 - 1e-9);
  EXPECT_NEAR(outside.volume / inside.volume, 1, 1e-12);
  EXPECT_NEAR(outside.potential / inside.potential, 1, 1e-8);
  EXPECT_LT((outside.M_W.matrix() - inside.M_W.matrix()).norm(), 1e-9);
}

TEST(SphereSphere, ConcentricSpheresHaveADocumentedNormalAndNoNan) {
  Pose<double> X;
  const auto o = calc_overlap(Sphere<double>{1}, X, Sphere<double>{1}, X);
  EXPECT_NEAR(o.volume, 4 * kPi / 3, 1e-15 * 4);
  EXPECT_EQ(o.n_W, Vec3d::UnitZ());
  EXPECT_TRUE(std::isfinite(o.potential));
}

TEST(SphereSphere, PotentialIsTheIntegralOfTheVolume) {
  std::mt19937_64 random(22);
  for (int k = 0; k < 60; ++k) {
    const double R_i = test::random_log_between(random, 0.1, 1);
    const double R_j = test::random_log_between(random, 0.1, 1);
    const double delta = test::random_log_between(random, 1e-5, 0.98) * (R_i + R_j);
    Pose<double> X_WI, X_WJ;
    X_WI.p_WB = Vec3d(R_i + R_j - delta, 0, 0);
    const auto o = calc_overlap(Sphere<double>{R_i}, X_WI, Sphere<double>{R_j}, X_WJ);
    auto volume = [&](Real t) {
      Eigen::Matrix<Real, 1, 1> v;
      v << integrate_lens(R_i, R_j, t)[0];
      return v;
    };
    // Through the nesting point, where the volume has a kink in its third derivative.
    const Real nested = 2 * std::min(R_i, R_j);
    const Real end = -o.distance;
    Real sum = test::integrate(volume, 0, std::min(end, nested), 1e-13L * o.potential, 10)[0];
    if (end > nested) sum += test::integrate(volume, nested, end, 1e-13L * o.potential, 10)[0];
    EXPECT_NEAR(static_cast<double>(sum / o.potential), 1, 1e-9)
        << R_i << " " << R_j << " " << delta;
  }
}

TEST(SphereSphere, SwappingTheSpheresTurnsTheNormal) {
  std::mt19937_64 random(23);
  for (int k = 0; k < 50; ++k) {
    Pose<double> X_WI, X_WJ;
    X_WI.p_WB = test::random_vector(random, 0.4);
    X_WJ.p_WB = test::random_vector(random, 0.4);
    const Sphere<double> a{0.5}, b{0.3};
    const auto ab = calc_overlap(a, X_WI, b, X_WJ), ba = calc_overlap(b, X_WJ, a, X_WI);
    EXPECT_NEAR(ab.volume, ba.volume, 1e-15);
    EXPECT_LT((ab.n_W + ba.n_W).norm(), 1e-15);
    EXPECT_LT((ab.p_WC - ba.p_WC).norm(), 1e-15);
    EXPECT_NEAR(ab.potential, ba.potential, 1e-15);
  }
}

TEST(SphereSphere, DepthGridIntegratesToTheVolume) {
  for (double delta : {0.05, 0.3, 0.62, 0.9}) {
    ShapePair<double> pair;
    pair.shapes = SphereOnSphere<double>{{0.3}, {0.5}};
    Pose<double> X_WI, X_WJ;
    X_WI.p_WB = Vec3d(0.2, 0.1, 0.3).normalized() * (0.8 - delta);
    const auto o = calc_overlap(pair, X_WI, X_WJ);
    const DepthGrid grid = sample_depth(pair, X_WI, X_WJ, 300);
    double volume = 0, longest = 0, shadow = 0;
    for (double f : grid.depth) {
      volume += f * grid.cell_area();
      longest = std::max(longest, f);
      if (f > 0) shadow += grid.cell_area();
    }
    const auto figures = calc_patch_figures(pair, X_WI, X_WJ);
    EXPECT_NEAR(volume / o.volume, 1, 1e-3);
    EXPECT_NEAR(longest / figures.max_depth, 1, 1e-3);
    EXPECT_NEAR(shadow / figures.shadow_area, 1, 5e-3);
  }
}

}  // namespace
}  // namespace vesica::sphere_sphere_test
