// A torus on a half-space against closed forms where there are some, discs of its tube integrated
// in long double elsewhere, and a fine mesh.
#include "vesica/interference/closed_form/half_space_torus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/geometry/sample_meshes.h"
#include "tests/interference/overlap_checks.h"
#include "tests/support/quadrature.h"
#include "tests/support/support.h"
#include "vesica/interference/patch/depth_grid.h"

namespace vesica::half_space_torus_test {
namespace {

using Real = long double;
using Moments = Eigen::Matrix<Real, 7, 1>;  // 1, x, z, xx, yy, zz, xz in the plane's frame

const HalfSpace kGround;

// Tilted by theta about y: the plane's x axis points uphill.
Pose<double> pose_at(double height, double theta) {
  Pose<double> X;
  X.R_WB = Eigen::AngleAxisd(-theta, Vec3d::UnitY()).matrix();
  X.p_WB = Vec3d(0.3, -0.2, height);
  return X;
}

// Tube coordinates: round the ring by phi, across the tube by u = r sin(alpha), along the axis by
// v, whose integral is a polynomial between the tube's wall and the plane.
Moments integrate_tube(Real R, Real r, Real h, Real theta) {
  const Real s = std::sin(theta), k = std::cos(theta);
  const auto column = [&](Real phi, Real alpha) {
    const Real half = r * std::cos(alpha), rho = R + r * std::sin(alpha);
    const Real height = h + s * std::cos(phi) * rho;  // at v = 0
    const Real low = -half, high = std::min(half, -height / k);
    Moments m = Moments::Zero();
    if (!(high > low)) return m;
    const Real v0 = high - low, v1 = (high * high - low * low) / 2;
    const Real v2 = (high * high * high - low * low * low) / 3;
    const Real x = k * rho * std::cos(phi), y = rho * std::sin(phi);
    m << v0, x * v0 - s * v1, -height * v0 - k * v1, x * x * v0 - 2 * x * s * v1 + s * s * v2,
        y * y * v0, height * height * v0 + 2 * height * k * v1 + k * k * v2,
        -x * height * v0 + (s * height - k * x) * v1 + s * k * v2;
    return Moments(m * rho * half);
  };
  const Real pi = M_PIl;
  // The plane meets the wall where height + s cos(phi) (rho - R) -+ k half = 0: corners of the
  // integrand over alpha, between which it is smooth.
  const auto ring = [&](Real phi) {
    const Real A = h + s * std::cos(phi) * R, B = s * std::cos(phi) * r, C = std::hypot(B, k * r);
    std::vector<Real> ends = {-pi / 2, pi / 2};
    if (std::abs(A) < C) {
      for (const Real wall : {k * r, -k * r}) {
        const Real turn = std::atan2(wall, B), angle = std::asin(-A / C);
        for (const Real root : {angle - turn, pi - angle - turn}) {
          const Real alpha = std::remainder(root, 2 * pi);
          if (std::abs(alpha) < pi / 2) ends.push_back(alpha);
        }
      }
    }
    std::sort(ends.begin(), ends.end());
    Moments sum = Moments::Zero();
    for (size_t i = 1; i < ends.size(); ++i) {
      sum += test::integrate([&](Real alpha) { return column(phi, alpha); }, ends[i - 1], ends[i],
                             1e-13L * R * r * r, 4);
    }
    return sum;
  };
  return 2 * test::integrate(ring, 0.0L, pi, 1e-10L * R * r * r, 14);
}

TEST(HalfSpaceTorus, IsItsTubeIntegratedDiscByDisc) {
  std::mt19937_64 random(5);
  double worst = 0;
  for (int k = 0; k < 24; ++k) {
    const double R = test::random_between(random, 1.05, 4), r = 1;
    const double theta = k % 4 == 0 ? test::random_log_between(random, 1e-4, 0.1)
                                    : test::random_between(random, 0.05, 1.5);
    const double lowest = R * std::sin(theta) + r;
    const double h = lowest * test::random_between(random, -0.9, 0.6);
    const Torus<double> torus{R, r};
    const auto o = calc_overlap(torus, pose_at(h, theta), kGround, Pose<double>{});
    const Moments m = integrate_tube(R, r, h, theta);
    const double v = static_cast<double>(m[0]), x = static_cast<double>(m[1]) / v,
                 z = static_cast<double>(m[2]) / v;
    const auto about = [&](int i, double a) { return static_cast<double>(m[i]) - v * a; };
    const double size = std::pow(R, 2) * v;
    const double errors[] = {(o.volume - v) / v,
                             (o.p_WC.x() - 0.3 - x) / R,
                             o.p_WC.y() + 0.2,
                             (o.p_WC.z() + z) / R,
                             (o.M_W.xx - about(3, x * x)) / size,
                             (o.M_W.yy - about(4, 0)) / size,
                             (o.M_W.zz - about(5, z * z)) / size,
                             (o.M_W.xz + about(6, x * z)) / size,
                             o.M_W.xy / size,
                             o.M_W.yz / size,
                             (o.potential - v * z) / (v * R),
                             (o.plane_offset - z) / R};
    for (const double e : errors) worst = std::max(worst, std::abs(e));
    EXPECT_LT(worst, 1e-11) << R << " " << theta << " " << h;  // measured 8e-13
  }
}

TEST(HalfSpaceTorus, LyingFlatIsASegmentCarriedRound) {
  // Pappus: the segment's centroid is right above the circle.
  for (const double depth : {1e-6, 1e-3, 0.3, 1.0, 1.7, 1.999}) {
    for (const double tilt : {0.0, 1e-13, 1e-9}) {  // the tilts are below what rounding shows
      const double R = 2.5, c = 1 - depth;
      const auto o = calc_overlap(Torus<double>{R, 1}, pose_at(c, tilt), kGround, Pose<double>{});
      const Real alpha = std::acos(Real(c)), sigma = std::sqrt(1 - Real(c) * c);
      const auto area = static_cast<double>(alpha - sigma * c);
      const double bound = 1e-12 + 1e-15 / depth + (tilt > 0 ? square(R * tilt / depth) : 0);
      EXPECT_NEAR(o.volume / (2 * kPi * R * area), 1, bound) << depth << " " << tilt;
      EXPECT_LT((o.p_WC - Vec3d(0.3, -0.2, o.p_WC.z())).norm(), 1e-12 + R * R * tilt / depth);
      EXPECT_NEAR(o.M_W.xx / o.M_W.yy, 1, 1e-10 + R * tilt / depth);
    }
  }
}

// A tilt of 1e-8 changes a touch of 1e-8 wholly: its sine must not be taken from its cosine.
TEST(HalfSpaceTorus, SmallTiltsOfShallowTouchesCount) {
  std::mt19937_64 random(31);
  double worst = 0;
  for (int k = 0; k < 2000; ++k) {
    const double R = test::random_log_between(random, 0.02, 2), r = R / 10;
    const double tilt = test::random_log_between(random, 1e-9, 1e-4);
    const double depth = R * tilt * test::random_log_between(random, 0.1, 10);
    // Where the plane is what is known best: at the lowest point.
    Pose<double> X_WI = pose_at(0, tilt), X_WJ;
    X_WJ.p_WB.z() = depth - R * std::sin(tilt) - r;
    const auto o = calc_overlap(Torus<double>{R, r}, X_WI, kGround, X_WJ);
    const auto exact =
        detail::calc_torus_cut<double>(-X_WJ.p_WB.z(), std::sin(tilt), std::cos(tilt), R, r);
    ASSERT_GT(o.volume, 0) << R << " " << tilt << " " << depth;
    const double rounding = 1e-15 * R / depth;
    worst = std::max({worst, std::abs(o.volume / exact.volume - 1) / rounding,
                      std::abs((o.p_WC.x() - 0.3) - exact.x) / R / rounding});
  }
  EXPECT_LT(worst, 0.1);  // measured 3e-4
}

TEST(HalfSpaceTorus, HalfOfItUprightAndAllOfItBelow) {
  const double R = 2, r = 0.7, whole = 2 * kPi * kPi * R * r * r;
  const Torus<double> torus{R, r};
  for (const double off : {0.0, 1e-12, -1e-9}) {
    const auto half = calc_overlap(torus, pose_at(0, kPi / 2 + off), kGround, Pose<double>{});
    EXPECT_NEAR(half.volume / (0.5 * whole), 1, 1e-8 + 3 * std::abs(off));  // measured 2e-16
    // The half ring's centroid by Pappus' other theorem: half a turn of the disc's first moments.
    EXPECT_NEAR(half.p_WC.x(), 0.3, 1e-14 + 3 * std::abs(off));
    EXPECT_NEAR(half.p_WC.z(), -(R * R + r * r / 4) * 2 / (kPi * R), 1e-7);
    EXPECT_NEAR(calc_patch_figures(torus, pose_at(0, kPi / 2 + off), kGround, {}).section_area,
                2 * kPi * r * r, 1e-6);
  }
  const auto all = calc_overlap(torus, pose_at(-5, 0.4), kGround, Pose<double>{});
  EXPECT_NEAR(all.volume / whole, 1, 1e-14);
  EXPECT_LT((all.p_WC - Vec3d(0.3, -0.2, -5)).norm(), 1e-13);
  const auto deep = calc_overlap(torus, pose_at(-1e6, 0.4), kGround, Pose<double>{});
  EXPECT_LT((deep.M_W.matrix() - all.M_W.matrix()).norm(), 1e-13 * all.M_W.matrix().norm());
  // Nothing changes but the depth, and that is said.
  for (const double h : {-5.0, -0.7, -0.7 - R * std::sin(0.4)}) {
    const auto X = seed_motion(Motion<double>{pose_at(h - 1e-9, h == -0.7 ? 0 : 0.4), {}}).X_WB;
    const auto below = calc_overlap(torus, X, kGround, Pose<double>{});
    for (const auto& x : test::list_outputs(below)) EXPECT_TRUE(isfinite(x));
    for (int d = 0; d < 6; ++d) EXPECT_EQ(below.volume.v[d], 0);
    EXPECT_NEAR(below.potential.v[2], -whole, 1e-12 * whole);
  }
  // It goes under without a step.
  for (const double theta : {0.0, 0.7, 1.5}) {
    const double top = -(R * std::sin(theta) + r);
    const auto before = calc_overlap(torus, pose_at(top + 1e-7, theta), kGround, Pose<double>{});
    const auto after = calc_overlap(torus, pose_at(top - 1e-7, theta), kGround, Pose<double>{});
    EXPECT_NEAR(before.volume / after.volume, 1, 1e-9);
    EXPECT_LT((before.M_W.matrix() - after.M_W.matrix()).norm(), 1e-6);
  }
  // Its inertia of a uniform body.
  const Mat3d M = all.M_W.matrix() / all.volume;
  const Mat3d J =
      pose_at(0, 0.4).R_WB * torus.unit_inertia().asDiagonal() * pose_at(0, 0.4).R_WB.transpose();
  EXPECT_LT((M.trace() * Mat3d::Identity() - M - J).norm(), 1e-12);
}

TEST(HalfSpaceTorus, AFineMeshComesToTheSame) {
  std::mt19937_64 random(8);
  const double R = 0.06, r = 0.02;
  double coarse = 0, fine = 0;
  for (int k = 0; k < 10; ++k) {
    Pose<double> X{test::random_rotation(random), Vec3d::Zero()}, X_J;
    X_J.R_WB = test::random_rotation(random);
    const Vec3d n = X_J.R_WB.col(2);
    X.p_WB = n * test::random_between(random, -0.03, 0.03);
    const auto o = calc_overlap(Torus<double>{R, r}, X, kGround, X_J);
    const auto error = [&](int around) {
      const MeshShape mesh = test::as_shape(test::make_torus(R, r, around, around / 2));
      const auto m = calc_overlap(mesh, X, kGround, X_J);
      EXPECT_LT((o.n_W - m.n_W).norm(), 1e-14);
      return std::max(std::abs(m.volume / o.volume - 1), (m.p_WC - o.p_WC).norm() / R) +
             (m.M_W.matrix() - o.M_W.matrix()).norm() / o.M_W.matrix().norm();
    };
    coarse = std::max(coarse, error(48));
    fine = std::max(fine, error(96));
  }
  EXPECT_LT(fine, 0.01);               // measured 0.0086
  EXPECT_NEAR(coarse / fine, 4, 0.5);  // chords of a circle
}

// Force and torque are the slopes of the energy, from a touch of a millionth on.
TEST(HalfSpaceTorus, TheWrenchIsTheSlopeOfThePotential) {
  std::mt19937_64 random(6);
  double worst = 0;
  for (int k = 0; k < 3000; ++k) {
    const double R = 1 + test::random_log_between(random, 0.01, 20), r = 1;
    const double theta = k % 3 == 0   ? test::random_log_between(random, 1e-8, 0.1)
                         : k % 3 == 1 ? kPi / 2 - test::random_log_between(random, 1e-9, 0.1)
                                      : test::random_between(random, 0, kPi);
    const double lowest = R * std::sin(theta) + r;
    const double depth = k % 2 ? lowest * test::random_log_between(random, 1e-6, 2)
                               : lowest * test::random_between(random, 0, 2);
    const auto X = seed_motion(Motion<double>{pose_at(lowest - depth, theta), {}}).X_WB;
    const auto o = calc_overlap(Torus<double>{R, r}, X, kGround, Pose<double>{});
    const Vec3d lever = value_of(o.p_WC) - value_of(X.p_WB);
    const double errors[] = {o.potential.v[0] / o.volume.a,
                             o.potential.v[1] / o.volume.a,
                             o.potential.v[2] / o.volume.a + 1,
                             (o.potential.v[3] / o.volume.a + lever.y()) / R,
                             (o.potential.v[4] / o.volume.a - lever.x()) / R,
                             o.potential.v[5] / o.volume.a / R};
    for (const double e : errors) worst = std::max(worst, std::abs(e));
    EXPECT_LT(worst, 1e-8) << R << " " << theta << " " << depth;  // measured 4e-11
    if (worst > 1e-8) break;
  }
}

TEST(HalfSpaceTorus, DerivativesAreDifferences) {
  std::mt19937_64 random(3);
  for (const double ratio : {1.1, 2.0, 10.0}) {
    for (const double depth : {0.01, 0.3, 1.0, 1.6}) {
      for (int k = 0; k < 6; ++k) {
        const double r = 0.02, R = ratio * r;
        const Pose<double> X_J{test::random_rotation(random), test::random_vector(random, 0.1)};
        const double theta = test::random_between(random, 0.2, 1.5);
        Pose<double> X = pose_at(0, theta);
        X.p_WB.z() = (R * std::sin(theta) + r) * (1 - depth);
        X = {X_J.R_WB * X.R_WB, X_J * X.p_WB};
        std::string where;
        const Torus<double> torus{R, r};
        const auto f = [&](const auto& X_WI, const auto& X_WJ) {
          return calc_overlap(torus, X_WI, kGround, X_WJ);
        };
        // Differences across the kink where the first or last disc is cut are what is off.
        EXPECT_LT(test::find_worst_derivative(f, X, X_J, 2e-5 * r, &where, 1e-9), 2e-5)
            << where << " R/r " << ratio << " depth " << depth << " tilt " << theta;
      }
    }
  }
}

TEST(HalfSpaceTorus, DerivativesWhereItLiesFlat) {
  const Torus<double> torus{0.06, 0.02};
  for (const double tilt : {0.0, 1e-11, 1e-6}) {
    for (const double depth : {1e-5, 1e-3, 0.03}) {
      const Pose<double> X = pose_at(0.02 - depth, tilt);
      const auto dual =
          calc_overlap(torus, seed_motion(Motion<double>{X, {}}).X_WB, kGround, Pose<double>{});
      for (int d = 0; d < 6; ++d) {
        const double step = 1e-4 * depth / (d < 3 ? 1 : 0.06);
        const auto a = calc_overlap(torus, test::move_pose(X, d, -step), kGround, Pose<double>{});
        const auto b = calc_overlap(torus, test::move_pose(X, d, step), kGround, Pose<double>{});
        const auto close = [&](double derivative, double low, double high, double scale) {
          EXPECT_NEAR(derivative / scale, (high - low) / (2 * step) / scale, 2e-6)
              << tilt << " " << depth << " " << d;
        };
        close(dual.volume.v[d], a.volume, b.volume, dual.volume.a / depth);
        for (int k = 0; k < 3; ++k) {
          close(dual.p_WC[k].v[d], a.p_WC[k], b.p_WC[k], square(0.06) / depth);
        }
        const double M = dual.M_W.xx.a / depth * 0.06;
        close(dual.M_W.xx.v[d], a.M_W.xx, b.M_W.xx, M);
        close(dual.M_W.xy.v[d], a.M_W.xy, b.M_W.xy, M);
        close(dual.M_W.xz.v[d], a.M_W.xz, b.M_W.xz, M);
        close(dual.M_W.zz.v[d], a.M_W.zz, b.M_W.zz, M);
      }
    }
  }
}

TEST(HalfSpaceTorus, DerivativesBySizes) {
  using D = Dual<4>;
  const double R = 0.06, r = 0.02, h = 1e-7;
  const Pose<double> X = pose_at(0.03, 0.5);
  Pose<D> X_D;
  X_D.R_WB = X.R_WB.cast<D>();
  X_D.p_WB = X.p_WB.cast<D>();
  const auto dual = test::list_outputs(
      calc_overlap(Torus<D>{D::variable(R, 0), D::variable(r, 1)}, X_D, kGround, Pose<double>{}));
  for (int d = 0; d < 2; ++d) {
    const auto at = [&](double step) {
      return test::list_outputs(calc_overlap(
          Torus<double>{R + (d == 0) * step, r + (d == 1) * step}, X, kGround, Pose<double>{}));
    };
    const auto low = at(-h), high = at(h);
    for (size_t k = 0; k < dual.size(); ++k) {
      const double difference = (high[k] - low[k]) / (2 * h);
      EXPECT_NEAR(dual[k].v[d], difference, 1e-6 * (std::abs(difference) + std::abs(low[k]) / R))
          << test::output_name(k) << " " << d;
    }
  }
}

TEST(HalfSpaceTorus, TouchesWhereItsLowestPointDoes) {
  std::mt19937_64 random(12);
  for (int k = 0; k < 200; ++k) {
    const double r = test::random_log_between(random, 1e-3, 1), R = r * (1.01 + k % 7);
    const double theta = test::random_between(random, 0, kPi);
    const double lowest = R * std::sin(theta) + r;
    const double gap = test::random_log_between(random, 1e-6, 1) * r;
    const Torus<double> torus{R, r};
    const auto apart = calc_overlap(torus, pose_at(lowest + gap, theta), kGround, Pose<double>{});
    EXPECT_NEAR(apart.distance / gap, 1, 1e-15 * lowest / gap * 10);
    EXPECT_EQ(apart.volume, 0);
    // How well the direction of the lowest point is known.
    const double rounding = 1e-15 * lowest * (5 + 2 / std::sin(theta));
    EXPECT_NEAR(apart.p_WC.z(), 0.5 * gap, rounding);
    const auto in = calc_overlap(torus, pose_at(lowest - gap, theta), kGround, Pose<double>{});
    EXPECT_GT(in.volume, 0);
    EXPECT_NEAR(-in.distance / gap, 1, 1e-15 * lowest / gap * 10);
    EXPECT_NEAR(in.p_WD.z(), -gap, rounding);
    // No deeper than the lowest point, no shallower than what shares nothing.
    EXPECT_LT(in.p_WC.z(), 0);
    EXPECT_GT(in.p_WC.z(), in.distance);
  }
}

TEST(HalfSpaceTorus, ColumnsAddUpToTheVolume) {
  for (const double theta : {0.0, 0.3, 1.2}) {
    for (const double h : {0.028, 0.01, -0.01}) {
      const Torus<double> torus{0.06, 0.02};
      const Pose<double> X = pose_at(h, theta);
      const auto o = calc_overlap(torus, X, kGround, Pose<double>{});
      if (!(o.volume > 0)) continue;
      const DepthGrid grid =
          sample_depth({TorusOnHalfSpace<double>{torus}, false}, X, Pose<double>{}, 300);
      double sum = 0;
      for (const double depth : grid.depth) sum += depth * grid.du * grid.dv;
      EXPECT_NEAR(sum / o.volume, 1, 2e-3) << theta << " " << h;
      const PatchFigures figures = calc_patch_figures(torus, X, kGround, Pose<double>{});
      double shadow = 0;
      for (const double depth : grid.depth) shadow += (depth > 0) * grid.du * grid.dv;
      EXPECT_NEAR(figures.shadow_area / shadow, 1, 0.02) << theta << " " << h;
      EXPECT_GE(figures.shadow_area, 0.99 * figures.section_area);
      EXPECT_NEAR(figures.max_depth, *std::max_element(grid.depth.begin(), grid.depth.end()),
                  0.02 * figures.max_depth);
    }
  }
}

}  // namespace
}  // namespace vesica::half_space_torus_test
