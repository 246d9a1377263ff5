// The closed form against slices parallel to the plane, integrated in long double: the section of
// the quadric at each height by completing the square, no map to a sphere.
#include "vesica/interference/closed_form/half_space_ellipsoid.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "tests/support/quadrature.h"
#include "tests/support/support.h"
#include "vesica/interference/patch/depth_grid.h"

namespace vesica::half_space_ellipsoid_test {
namespace {

using Real = long double;
using Vec3l = Eigen::Matrix<Real, 3, 1>;
using Mat3l = Eigen::Matrix<Real, 3, 3>;

struct Moments {
  Real volume;
  Vec3l centroid;
  Mat3l M;
};

Moments integrate_slices(const Vec3d& radii, const Pose<double>& X_WI, const Pose<double>& X_WJ) {
  const Mat3l R = X_WI.R_WB.cast<Real>();
  const Vec3l squares = radii.cast<Real>().cwiseProduct(radii.cast<Real>());
  const Vec3l n = X_WJ.R_WB.col(2).cast<Real>().normalized();
  const Vec3l e = std::abs(n.x()) < Real(0.7) ? Vec3l::UnitX() : Vec3l::UnitY();
  const Vec3l s1 = n.cross(e).normalized(), s2 = n.cross(s1);
  Mat3l F;
  F << s1, s2, n;
  // From the inverse of R, so that a flat ellipsoid's small radii keep their digits.
  const Mat3l Q = R.inverse() * F;
  const Mat3l A = Q.transpose() * squares.cwiseInverse().asDiagonal() * Q;
  const Eigen::Matrix<Real, 2, 2> Ass = A.topLeftCorner<2, 2>();
  const Eigen::Matrix<Real, 2, 2> Ass_inverse = Ass.inverse();
  const Eigen::Matrix<Real, 2, 1> Asz = A.topRightCorner<2, 1>();
  const Eigen::Matrix<Real, 2, 1> slope = -Ass_inverse * Asz;  // centre of the slice per height
  const Real root_det = std::sqrt(Ass.determinant());
  const Real height = n.dot((X_WI.p_WB - X_WJ.p_WB).cast<Real>());
  // A_zz - A_zs A_ss^-1 A_sz = 1/(n.B.n), in the form that does not cancel.
  const Real w = radii.cast<Real>().cwiseProduct(R.transpose() * n).norm();
  const Real schur = 1 / (w * w);
  const Real top = std::min(w, -height);  // z from the centre
  // 1, first and second moments of a slice about the lowest point, which keeps shallow caps exact.
  auto slice = [&](Real t) {
    const Real c = schur * t * (2 * w - t);
    const Real area = Real(M_PIl) * std::max(Real(0), c) / root_det;
    Vec3l center;
    center << slope * t, t;
    const Eigen::Matrix<Real, 2, 2> spread = Ass_inverse * (std::max(Real(0), c) / 4);
    Eigen::Matrix<Real, 10, 1> m;
    m << 1, center, center.x() * center.x() + spread(0, 0), center.y() * center.y() + spread(1, 1),
        t * t, center.x() * center.y() + spread(0, 1), center.x() * t, center.y() * t;
    return Eigen::Matrix<Real, 10, 1>(m * area);
  };
  // The integrand is a polynomial: Kronrod is exact, one panel.
  const auto m = test::integrate(slice, 0, top + w, 1e30L);
  Moments result;
  result.volume = m[0];
  const Vec3l c = m.segment<3>(1) / m[0];
  Mat3l second;
  second << m[4], m[7], m[8], m[7], m[5], m[9], m[8], m[9], m[6];
  result.M = F * (second - m[0] * c * c.transpose()) * F.transpose();
  Vec3l lowest;
  lowest << -w * slope, -w;
  result.centroid = X_WI.p_WB.cast<Real>() + F * (c + lowest);
  return result;
}

struct Case {
  Vec3d radii;
  Pose<double> X_WI, X_WJ;
};

// A random ellipsoid whose lowest point is `depth` (of its size) below a random plane.
Case random_case(std::mt19937_64& random, double aspect, double relative_depth) {
  Case c;
  const double size = test::random_log_between(random, 1e-3, 10);
  c.radii = Vec3d(size, size * test::random_log_between(random, 1 / aspect, 1),
                  size * test::random_log_between(random, 1 / aspect, 1));
  c.X_WI.R_WB = test::random_rotation(random);
  c.X_WJ = {test::random_rotation(random), test::random_vector(random, size)};
  const Vec3d n = c.X_WJ.R_WB.col(2);
  const double w = c.radii.cwiseProduct(c.X_WI.R_WB.transpose() * n).norm();
  const double depth = std::min(relative_depth * size, 1.99 * w);
  c.X_WI.p_WB = c.X_WJ.p_WB + n * (w - depth) +
                c.X_WJ.R_WB.col(0) * test::random_between(random, -size, size);
  return c;
}

TEST(HalfSpaceEllipsoid, MomentsMatchQuadratureFromGrazingToImmersed) {
  std::mt19937_64 random(11);
  double worst_volume = 0, worst_moment = 0, worst_centroid = 0;
  for (int k = 0; k < 20000; ++k) {
    const double relative_depth = test::random_log_between(random, 1e-6, 2);
    const Case c = random_case(random, k % 2 ? 5 : 1000, relative_depth);
    const auto o = calc_overlap(Ellipsoid<double>{c.radii}, c.X_WI, HalfSpace{}, c.X_WJ);
    const Moments exact = integrate_slices(c.radii, c.X_WI, c.X_WJ);
    const double size = c.radii.maxCoeff();
    const double bound = 1e-10 + 10 * 2.2e-16 * size / -o.distance;
    const double volume_error =
        std::abs(static_cast<double>((Real(o.volume) - exact.volume) / exact.volume));
    const double moment_error =
        static_cast<double>((o.M_W.matrix().cast<Real>() - exact.M).norm() / exact.M.norm());
    const double centroid_error =
        static_cast<double>((o.p_WC.cast<Real>() - exact.centroid).norm()) / size;
    worst_volume = std::max(worst_volume, volume_error / bound);
    worst_moment = std::max(worst_moment, moment_error / bound);
    worst_centroid = std::max(worst_centroid, centroid_error);
  }
  RecordProperty("worst_volume_over_bound", std::to_string(worst_volume));
  RecordProperty("worst_moment_over_bound", std::to_string(worst_moment));
  EXPECT_LT(worst_volume, 1);
  EXPECT_LT(worst_moment, 1);
  EXPECT_LT(worst_centroid, 5e-14);  // measured 1.6e-14, planes and bodies several sizes apart
}

TEST(HalfSpaceEllipsoid, FullImmersionIsTheWholeEllipsoid) {
  std::mt19937_64 random(12);
  for (int k = 0; k < 100; ++k) {
    Case c = random_case(random, 1000, 1);
    c.X_WI.p_WB -= 3 * c.radii.maxCoeff() * c.X_WJ.R_WB.col(2);
    const auto o = calc_overlap(Ellipsoid<double>{c.radii}, c.X_WI, HalfSpace{}, c.X_WJ);
    const double volume = 4 * kPi / 3 * c.radii.prod();
    EXPECT_NEAR(o.volume / volume, 1, 1e-15);
    EXPECT_LT((o.p_WC - c.X_WI.p_WB).norm(), 1e-15 * c.radii.maxCoeff());
    const Mat3d M = volume / 5 * c.X_WI.R_WB * c.radii.cwiseProduct(c.radii).asDiagonal() *
                    c.X_WI.R_WB.transpose();
    EXPECT_LT((o.M_W.matrix() - M).norm(), 1e-14 * M.norm());
    const auto figures =
        calc_patch_figures(Ellipsoid<double>{c.radii}, c.X_WI, HalfSpace{}, c.X_WJ);
    EXPECT_FALSE(figures.has_section);
  }
}

TEST(HalfSpaceEllipsoid, ApartGivesTheGapAndItsMiddle) {
  std::mt19937_64 random(13);
  for (int k = 0; k < 100; ++k) {
    Case c = random_case(random, 10, 0.1);
    const Vec3d n = c.X_WJ.R_WB.col(2);
    const double gap = c.radii.minCoeff() * 0.3;
    const double w = c.radii.cwiseProduct(c.X_WI.R_WB.transpose() * n).norm();
    c.X_WI.p_WB += n * (w + gap - n.dot(c.X_WI.p_WB - c.X_WJ.p_WB));
    const auto o = calc_overlap(Ellipsoid<double>{c.radii}, c.X_WI, HalfSpace{}, c.X_WJ);
    EXPECT_EQ(o.volume, 0);
    EXPECT_EQ(o.M_W.matrix().norm(), 0);
    EXPECT_NEAR(o.distance, gap, 1e-14 * c.radii.maxCoeff());
    EXPECT_NEAR(n.dot(o.p_WC - c.X_WJ.p_WB), gap / 2, 1e-14 * c.radii.maxCoeff());
    // Its foot on the plane is the point that the contact surface would pass through.
    EXPECT_NEAR(n.dot(o.p_WC + o.plane_offset * o.n_W - c.X_WJ.p_WB), 0,
                1e-14 * c.radii.maxCoeff());
    // The nearest point of the ellipsoid is half a gap above that middle.
    const Vec3d lowest = o.p_WC + n * gap / 2;
    const Vec3d local = (c.X_WI.R_WB.transpose() * (lowest - c.X_WI.p_WB)).cwiseQuotient(c.radii);
    EXPECT_NEAR(local.norm(), 1, 1e-13);
  }
}

TEST(HalfSpaceEllipsoid, PotentialIsTheIntegralOfTheVolumeOverTheApproach) {
  std::mt19937_64 random(14);
  for (int k = 0; k < 50; ++k) {
    const Case c = random_case(random, 10, test::random_log_between(random, 1e-3, 1.9));
    const Ellipsoid<double> shape{c.radii};
    const auto o = calc_overlap(shape, c.X_WI, HalfSpace{}, c.X_WJ);
    const Vec3d n = c.X_WJ.R_WB.col(2);
    auto volume_when_lifted = [&](Real lift) {
      Pose<double> X = c.X_WI;
      X.p_WB += n * static_cast<double>(lift);
      Eigen::Matrix<Real, 1, 1> v;
      v << calc_overlap(shape, X, HalfSpace{}, c.X_WJ).volume;
      return v;
    };
    const Real integral =
        test::integrate(volume_when_lifted, 0, -o.distance, 1e-12L * o.potential, 12)[0];
    EXPECT_NEAR(static_cast<double>(integral / o.potential), 1, 1e-9);
  }
}

TEST(HalfSpaceEllipsoid, SphereIsAnEllipsoidOfEqualRadii) {
  std::mt19937_64 random(15);
  for (int k = 0; k < 200; ++k) {
    Case c = random_case(random, 1.0000001, test::random_log_between(random, 1e-4, 2.5));
    const double r = c.radii.x();
    const auto a = calc_overlap(Sphere<double>{r}, c.X_WI, HalfSpace{}, c.X_WJ);
    const auto b = calc_overlap(Ellipsoid<double>{Vec3d::Constant(r)}, c.X_WI, HalfSpace{}, c.X_WJ);
    const double bound = 1e-14 * std::max(1.0, r / -a.distance) * 5;
    EXPECT_NEAR(a.volume / b.volume, 1, bound);
    EXPECT_LT((a.p_WC - b.p_WC).norm(), 1e-14 * r);
    EXPECT_LT((a.M_W.matrix() - b.M_W.matrix()).norm(), 2 * bound * b.M_W.matrix().norm());
  }
}

TEST(HalfSpaceEllipsoid, ObliqueInertiaDiffersFromExactAsDerived) {
  std::mt19937_64 random(16);
  for (int k = 0; k < 200; ++k) {
    const Case c = random_case(random, 5, test::random_log_between(random, 1e-3, 1.9));
    const Ellipsoid<double> shape{c.radii};
    const auto exact = calc_overlap(shape, c.X_WI, HalfSpace{}, c.X_WJ);
    const auto oblique =
        calc_overlap(shape, c.X_WI, HalfSpace{}, c.X_WJ, EllipsoidInertia::kOblique);
    const Vec3d n = exact.n_W;
    const Mat3d S2 =
        c.X_WI.R_WB * c.radii.cwiseProduct(c.radii).asDiagonal() * c.X_WI.R_WB.transpose();
    const double w = std::sqrt(n.dot(S2 * n));
    const Vec3d q = S2 * n / w;
    const Vec3d Tq = q - n * n.dot(q);
    const double d = -exact.distance / w;
    // Integral of (u - mean)^2 over the unit cap, by quadrature.
    auto disc = [&](Real t) {
      Eigen::Matrix<Real, 3, 1> m;
      m << 1, t, t * t;
      return Eigen::Matrix<Real, 3, 1>(m * (Real(M_PIl) * t * (2 - t)));
    };
    const auto m = test::integrate(disc, 0, Real(d), 1e30L);
    const double m_n = static_cast<double>(m[2] - m[1] * m[1] / m[0]);
    const Mat3d expected = c.radii.prod() * m_n * Tq * Tq.transpose();
    const Mat3d difference =
        flatten_along(exact.M_W, n).matrix() - flatten_along(oblique.M_W, n).matrix();
    EXPECT_LT((difference - expected).norm(), 1e-11 * exact.M_W.matrix().norm());
    EXPECT_EQ(exact.volume, oblique.volume);
  }
}

// Areas and the longest column, by bisection on the columns themselves.
TEST(HalfSpaceEllipsoid, ShadowAndLongestColumnMatchColumns) {
  std::mt19937_64 random(17);
  int overhanging = 0;
  for (int k = 0; k < 60; ++k) {
    const Case c = random_case(random, 3, test::random_log_between(random, 0.02, 2.2));
    const Ellipsoid<double> shape{c.radii};
    const auto figures = calc_patch_figures(shape, c.X_WI, HalfSpace{}, c.X_WJ);
    if (figures.shadow_area > figures.section_area * 1.001) ++overhanging;
    const Vec3d n = c.X_WJ.R_WB.col(2), u = c.X_WJ.R_WB.col(0), v = c.X_WJ.R_WB.col(1);
    const double size = c.radii.maxCoeff();
    const Vec3d foot = c.X_WI.p_WB - n * n.dot(c.X_WI.p_WB - c.X_WJ.p_WB);
    // Column by the quadratic formula in world axes.
    const Mat3d A = c.X_WI.R_WB * c.radii.cwiseProduct(c.radii).cwiseInverse().asDiagonal() *
                    c.X_WI.R_WB.transpose();
    auto column = [&](double x, double y) {
      const Vec3d d = foot + x * u + y * v - c.X_WI.p_WB;
      const double qa = n.dot(A * n), qb = d.dot(A * n), qc = d.dot(A * d) - 1;
      const double disc = qb * qb - qa * qc;
      if (disc <= 0) return 0.0;
      const double low = std::min(0.0, (-qb - std::sqrt(disc)) / qa);
      const double high = std::min(0.0, (-qb + std::sqrt(disc)) / qa);
      return high - low;
    };
    // Fine grid: midpoint sums and maximum.
    const int cells = 700;
    const double step = 2.02 * size / cells;
    double shadow = 0, volume = 0, longest = 0;
    for (int a = 0; a < cells; ++a) {
      for (int b = 0; b < cells; ++b) {
        const double f = column((a + 0.5) * step - 1.01 * size, (b + 0.5) * step - 1.01 * size);
        if (f > 0) shadow += step * step;
        volume += f * step * step;
        longest = std::max(longest, f);
      }
    }
    const auto o = calc_overlap(shape, c.X_WI, HalfSpace{}, c.X_WJ);
    // Resolution of the grid: a cell along the rim, and the slope of the column at its longest.
    EXPECT_NEAR(shadow, figures.shadow_area, 0.5 * step * std::sqrt(kPi * figures.shadow_area));
    EXPECT_NEAR(volume / o.volume, 1, 0.01);
    EXPECT_NEAR(longest, figures.max_depth, 0.02 * figures.max_depth);
    EXPECT_LE(longest, figures.max_depth * (1 + 1e-9));
  }
  EXPECT_GT(overhanging, 10);
}

TEST(HalfSpaceEllipsoid, DepthGridIntegratesToVolumeAndMoments) {
  std::mt19937_64 random(18);
  for (int k = 0; k < 30; ++k) {
    const Case c = random_case(random, 3, test::random_log_between(random, 0.01, 2.5));
    ShapePair<double> pair;
    pair.shapes = EllipsoidOnHalfSpace<double>{{c.radii}};
    const auto o = calc_overlap(pair, c.X_WI, c.X_WJ);
    const DepthGrid grid = sample_depth(pair, c.X_WI, c.X_WJ, 200);
    double volume = 0;
    Vec3d first = Vec3d::Zero();
    double longest = 0;
    for (int v = 0; v < grid.nv; ++v) {
      for (int u = 0; u < grid.nu; ++u) {
        const double f = grid.depth[static_cast<size_t>(v) * grid.nu + u];
        volume += f * grid.cell_area();
        first += f * grid.cell_area() * grid.point(u, v);
        longest = std::max(longest, f);
        // The grid covers the patch: its rim is empty.
        if (u == 0 || v == 0 || u == grid.nu - 1 || v == grid.nv - 1) {
          EXPECT_EQ(f, 0);
        }
      }
    }
    EXPECT_NEAR(volume / o.volume, 1, 2e-3);
    const Vec3d surface_centroid = o.p_WC + o.plane_offset * o.n_W;
    EXPECT_LT((first / volume - surface_centroid).norm(), 2e-3 * c.radii.maxCoeff());
    const auto figures = calc_patch_figures(pair, c.X_WI, c.X_WJ);
    EXPECT_NEAR(longest, figures.max_depth, 0.01 * figures.max_depth);
  }
}

}  // namespace
}  // namespace vesica::half_space_ellipsoid_test
