// Slices against closed forms of other files, and invariants. Against a reference over many poses:
// slices_accuracy_test.cpp; scans over edges and corners: slices_scan_test.cpp.
#include "vesica/interference/slices/slices.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/interference/cell_families.h"
#include "tests/support/support.h"
#include "vesica/interference/closed_form/circular_segment.h"
#include "vesica/interference/closed_form/half_space_ellipsoid.h"
#include "vesica/interference/closed_form/sphere_sphere.h"
#include "vesica/interference/slices/cell_pair.h"
#include "vesica/math/polynomial.h"

namespace vesica::slices_test {
namespace {

using test::CellCase;
using test::make_cylinder_box;
using test::make_ellipsoids;
using test::make_sphere_box;
using test::make_sphere_groove;
using test::random_between;
using test::random_log_between;

TEST(Slices, MatchTheClosedFormOfEllipsoidAndPlane) {
  std::mt19937_64 random(32);
  double worst_volume = 0, worst_moment = 0;
  const Cell box = make_box_cell(Vec3d::Constant(4));
  for (int k = 0; k < 1000; ++k) {
    const Vec3d radii(random_between(random, 0.5, 1.3), random_between(random, 0.5, 1.3), 1);
    Pose<double> X, plane;
    X.R_WB = test::random_rotation(random);
    const double w = radii.cwiseProduct(Vec3d(X.R_WB.transpose() * Vec3d::UnitZ())).norm();
    X.p_WB = Vec3d(random_between(random, -0.5, 0.5), random_between(random, -0.5, 0.5),
                   2 + w - random_log_between(random, 1e-4, 1) * w);
    plane.p_WB.z() = 2;
    const auto exact = calc_overlap(Ellipsoid<double>{radii}, X, HalfSpace{}, plane);
    const auto m = calc_cell_moments(make_cell({make_ellipsoid(radii)}), box, X);
    worst_volume = std::max(worst_volume, std::abs(m.volume / exact.volume - 1));
    worst_moment = std::max(worst_moment,
                            (m.M.matrix() - exact.M_W.matrix()).norm() / exact.M_W.matrix().norm());
    EXPECT_LT((m.area_vector.normalized() - Vec3d::UnitZ()).norm(), 1e-9);
  }
  EXPECT_LT(worst_volume, 1e-8);  // measured 6e-10
  EXPECT_LT(worst_moment, 1e-7);  // measured 4e-9
}

TEST(Slices, MatchTheLensOfTwoSpheresFromGrazingToNested) {
  std::mt19937_64 random(33);
  for (int k = 0; k < 300; ++k) {
    const double R_i = random_log_between(random, 0.3, 1), R_j = random_log_between(random, 0.3, 1);
    Pose<double> X, origin;
    X.p_WB = test::random_rotation(random).col(0) *
             ((R_i + R_j) * (1 - random_log_between(random, 1e-4, 1)));
    const auto exact = calc_overlap(Sphere<double>{R_i}, X, Sphere<double>{R_j}, origin);
    const auto m =
        calc_cell_moments(make_cell({make_sphere(R_i)}), make_cell({make_sphere(R_j)}), X);
    EXPECT_NEAR(m.volume / exact.volume, 1, 1e-8) << R_i << " " << R_j << " " << X.p_WB.transpose();
    EXPECT_LT((m.M.matrix() - exact.M_W.matrix()).norm(), 1e-7 * exact.M_W.matrix().norm());
  }
}

// Poses where surfaces touch, coincide, are parallel or share an axis.
TEST(Slices, DegeneratePosesHaveTheirKnownVolumes) {
  const Cell box = make_box_cell(Vec3d::Constant(2)), ball = make_cell({make_sphere(1)});
  const Cell cylinder = make_cylinder_cell(0.5, 2);
  const auto volume = [](const Cell& i, const Cell& j, const Vec3d& p,
                         const Mat3d& R = Mat3d::Identity()) {
    return calc_cell_moments(i, j, {R, p}).volume;
  };
  const double ball_volume = 4 * kPi / 3;
  EXPECT_NEAR(volume(ball, box, Vec3d::Zero()) / ball_volume, 1, 1e-8);    // touches six faces
  EXPECT_NEAR(volume(ball, box, {1, 0, 0}) / (ball_volume / 2), 1, 1e-8);  // centre on a face
  EXPECT_NEAR(volume(ball, box, {1, 1, 0}) / (ball_volume / 4), 1, 1e-8);  // on an edge
  EXPECT_NEAR(volume(ball, box, {1, 1, 1}) / (ball_volume / 8), 1, 1e-8);  // on a corner
  EXPECT_EQ(volume(ball, box, {2, 0, 0}), 0);                              // just touches
  EXPECT_NEAR(volume(box, box, Vec3d::Zero()), 8, 1e-12);                  // the same box
  EXPECT_NEAR(volume(box, box, {1, 0, 0}), 4, 1e-12);                      // shared planes
  EXPECT_NEAR(volume(ball, ball, Vec3d::Zero()) / ball_volume, 1, 1e-8);   // the same ball
  EXPECT_NEAR(volume(cylinder, cylinder, Vec3d::Zero()) / (kPi / 2), 1, 1e-8);
  EXPECT_NEAR(volume(cylinder, cylinder, {0, 0, 1}) / (kPi / 4), 1, 1e-8);  // coaxial, shifted
  EXPECT_NEAR(volume(cylinder, box, {0, 0, 1.5}) / (kPi / 8), 1, 1e-8);     // flat on the face
  EXPECT_NEAR(volume(cylinder, box, {1, 0, 0}) / (kPi / 4), 1, 1e-8);       // axis in a face
  // Two crossed cylinders (Steinmetz): 16/3 r^3.
  const Mat3d quarter = Eigen::AngleAxisd(kPi / 2, Vec3d::UnitX()).toRotationMatrix();
  EXPECT_NEAR(volume(cylinder, cylinder, Vec3d::Zero(), quarter) / (16.0 / 3 / 8), 1, 1e-8);
  // A ball round a coaxial cylinder that pierces it (napkin ring): the core.
  const double h = std::sqrt(1 - 0.25);
  const double core = ball_volume - 4 * kPi / 3 * h * h * h;
  EXPECT_NEAR(volume(ball, make_cylinder_cell(0.5, 4), Vec3d::Zero()) / core, 1, 1e-8);
  // Nearly coaxial.
  EXPECT_NEAR(volume(ball, make_cylinder_cell(0.5, 4), {1e-9, 0, 0}) / core, 1, 1e-8);
  // Coaxial ellipsoids of which one is inside, and crossing ones sliced along a common axis.
  const Cell thin = make_cell({make_ellipsoid(Vec3d(0.5, 0.5, 1.5))});
  const double z2 = (1 - 0.25) / (1 - 0.25 / 2.25);  // where the profiles cross
  const double z = std::sqrt(z2);
  const double middle = 2 * kPi * 0.25 * (z - z * z2 / (3 * 2.25));
  const double caps = 2 * kPi * ((1 - z) - (1 - z * z2) / 3);
  EXPECT_NEAR(volume(thin, ball, Vec3d::Zero()) / (middle + caps), 1, 1e-8);
  // A cone standing on its apex, and lying on its side.
  const Cell cone = make_cone_cell(kPi / 6, 1);
  EXPECT_NEAR(volume(cone, box, {0, 0, 0.5}) / (kPi / 3 / 3 / 8), 1, 1e-8);
  // A cone within a box whole.
  EXPECT_NEAR(volume(cone, box, {0, 0, -0.5}) / (kPi / 9), 1, 1e-8);
}

TEST(Slices, DerivativesMatchDifferencesOfTheValues) {
  std::mt19937_64 random(34);
  const std::vector<std::function<CellCase()>> families = {
      [&] { return make_sphere_box(random, 1); },  [&] { return make_sphere_box(random, 2); },
      [&] { return make_sphere_box(random, 3); },  [&] { return make_cylinder_box(random, 2); },
      [&] { return make_sphere_groove(random); },  [&] { return make_ellipsoids(random); },
      [&] { return make_cylinder_box(random, 3); }};
  CellPairOptions options;
  options.slices.tolerance = 1e-11;
  for (size_t family = 0; family < families.size(); ++family) {
    for (const ContactNormal normal : {ContactNormal::kAreaVector, ContactNormal::kEigenvector}) {
      const CellCase c = families[family]();
      options.normal = normal;
      const SolidParts i = {{c.i, 1}}, j = {{c.j, 1}};
      Pose<double> X_WJ;
      X_WJ.R_WB = test::random_rotation(random);
      X_WJ.p_WB = test::random_vector(random, 0.5);
      const Motion<double> motion{{X_WJ.R_WB * c.X.R_WB, X_WJ * c.X.p_WB}, {}};
      const auto o = calc_overlap(i, seed_motion(motion).X_WB, j, X_WJ, options);
      const double size = std::cbrt(o.volume.a), step = 2e-4 * size;
      for (int d = 0; d < 6; ++d) {
        Overlap<double> at[2];
        for (int side = 0; side < 2; ++side) {
          Pose<double> X = motion.X_WB;
          Vec3d t = Vec3d::Zero();
          t[d % 3] = side == 0 ? step : -step;
          if (d < 3) {
            X.p_WB += t;
          } else {
            const Pose<double> turn =
                make_pose(quaternion_from_rotation_vector(t), Vec3d(Vec3d::Zero()));
            X.R_WB = turn.R_WB * X.R_WB;
          }
          at[side] = calc_overlap(i, X, j, X_WJ, options);
        }
        const auto difference = [&](double a, double b) { return (a - b) / (2 * step); };
        // Differences carry the error of the values over the step (1e-11 / 2e-4) and the square of
        // the step: a ten-thousandth of the scale of each is far above both.
        const double V = o.volume.a, tolerance = 2e-4;
        EXPECT_NEAR(o.volume.v[d], difference(at[0].volume, at[1].volume), tolerance * V / size)
            << family << " " << d;
        const double spread = std::sqrt(o.M_W.trace().a / V);
        for (int k = 0; k < 3; ++k) {
          EXPECT_NEAR(o.p_WC[k].v[d], difference(at[0].p_WC[k], at[1].p_WC[k]), tolerance * 10)
              << family << " " << d;
          EXPECT_NEAR(o.n_W[k].v[d], difference(at[0].n_W[k], at[1].n_W[k]), tolerance * 10 / size)
              << family << " " << d;
        }
        EXPECT_NEAR(o.M_W.xx.v[d], difference(at[0].M_W.xx, at[1].M_W.xx),
                    tolerance * V * spread * spread / size);
        EXPECT_NEAR(o.M_W.yz.v[d], difference(at[0].M_W.yz, at[1].M_W.yz),
                    tolerance * V * spread * spread / size);
        EXPECT_NEAR(o.distance.v[d], difference(at[0].distance, at[1].distance), tolerance * 10)
            << family << " " << d;
      }
    }
  }
}

TEST(Slices, SwappingTheBodiesTurnsTheAreaVector) {
  std::mt19937_64 random(35);
  for (int k = 0; k < 30; ++k) {
    const CellCase c = k % 2 == 0 ? make_ellipsoids(random) : make_cylinder_box(random, 2);
    const Pose<double> origin;
    const auto a = calc_shared_moments(c.i, c.X, c.j, origin);
    const auto b = calc_shared_moments(c.j, origin, c.i, c.X);
    EXPECT_NEAR(a.volume / b.volume, 1, 1e-8);
    EXPECT_LT((a.area_W + b.area_W).norm(), 1e-7 * a.area_W.norm());
  }
}

TEST(Slices, OverlappingCellsOfOneSolidAreCountedOnce) {
  // A ball and a box that overlap, against half the space: the union's volume.
  Pose<double> aside;
  aside.p_WB = Vec3d(1, 0, 0);
  const Cell ball = moved(make_cell({make_sphere(0.7)}), aside);
  const Cell box = make_box_cell(Vec3d::Constant(2));
  const SolidParts both = make_solid_parts(make_solid({ball, box}));
  EXPECT_EQ(both.size(), 3u);
  const SolidParts ground = {{make_cell({make_half_space()}), 1}};
  Pose<double> deep;
  deep.p_WB.z() = -5;
  const auto o = calc_overlap(both, deep, ground, Pose<double>{});
  const double ball_volume = 4 * kPi / 3 * std::pow(0.7, 3);
  EXPECT_NEAR(o.volume / (8 + ball_volume / 2), 1, 1e-8);
  // Touching cells have no part in common.
  Pose<double> next;
  next.p_WB.x() = 2;
  EXPECT_EQ(make_solid_parts(make_solid({box, moved(box, next)})).size(), 2u);
}

TEST(Slices, GapIsContinuousThroughTouchdown) {
  const SolidParts ball = {{make_cell({make_sphere(0.5)}), 1}};
  const SolidParts box = {{make_box_cell(Vec3d::Constant(2)), 1}};
  Pose<double> X;
  for (const double gap : {0.2, 1e-2, 1e-4, 1e-6}) {
    X.p_WB = Vec3d(0.1, 0.2, 1.5 + gap);
    const auto apart = calc_overlap(ball, X, box, Pose<double>{});
    EXPECT_EQ(apart.volume, 0);
    EXPECT_NEAR(apart.distance, gap, 1e-8);
    EXPECT_LT((apart.n_W - Vec3d::UnitZ()).norm(), 1e-4);
    X.p_WB.z() = 1.5 - gap;
    const auto over = calc_overlap(ball, X, box, Pose<double>{});
    EXPECT_NEAR(over.distance, -gap, 1e-9);
  }
}

TEST(Slices, TwoUnboundedCellsAreRefused) {
  const Cell ground = make_cell({make_half_space()});
  const std::string message =
      test::input_error_of([&] { calc_cell_moments(ground, ground, Pose<double>{}); });
  EXPECT_NE(message.find("bounds"), std::string::npos) << message;
}

TEST(CircularSegment, SeriesAndClosedFormAgreeWhereTheyMeet) {
  for (const double s2 : {detail::kSegmentSeries * 0.999999, detail::kSegmentSeries * 1.000001}) {
    const double s = std::sqrt(s2), c = std::sqrt(1 - s2), alpha = std::atan2(s, c);
    const auto segment = detail::calc_circular_segment(s, c);
    EXPECT_NEAR(segment.area / (alpha - s * c), 1, 1e-12);
    EXPECT_NEAR(segment.x / (2.0 / 3 * s * s2 - c * (alpha - s * c)), 1, 1e-11);
    const double xx =
        (alpha - s * c * (1 - 2 * s2)) / 4 - 4.0 / 3 * c * s * s2 + c * c * (alpha - s * c);
    EXPECT_NEAR(segment.xx / xx, 1, 1e-8);
    EXPECT_NEAR(segment.yy / ((alpha - s * c) / 4 - s * s2 * c / 6), 1, 1e-11);
  }
}

TEST(Polynomial, FindsSimpleAndDoubleRoots) {
  // (x - 0.5)^2 (x + 0.25) (x - 3) and a polynomial without roots in [-1, 1].
  const double c[5] = {-0.1875, 0.0625, 2.25, -3.75, 1};
  double product[5] = {1};
  int degree = 0;
  for (const double root : {0.5, 0.5, -0.25, 3.0}) {
    for (int k = degree + 1; k >= 0; --k) {
      product[k] = (k > 0 ? product[k - 1] : 0) - root * (k <= degree ? product[k] : 0);
    }
    ++degree;
  }
  for (int k = 0; k < 5; ++k) ASSERT_NEAR(product[k], c[k], 1e-14);
  double roots[2 * kMaxDegree];
  const int count = find_roots(c, 4, roots);
  ASSERT_GE(count, 2);
  EXPECT_NEAR(roots[0], -0.25, 1e-12);
  EXPECT_NEAR(roots[count - 1], 0.5, 1e-6);
  const double none[3] = {2, 0, 1};
  EXPECT_EQ(find_roots(none, 2, roots), 0);
}

}  // namespace
}  // namespace vesica::slices_test
