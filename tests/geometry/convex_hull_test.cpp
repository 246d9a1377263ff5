#include "vesica/geometry/convex_hull.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/geometry/sample_meshes.h"

namespace vesica::convex_hull_test {
namespace {

using test::input_error_of;
using testing::HasSubstr;

// Every point behind every face; every vertex is a given point. The mesh itself checks that it is
// closed and right side out.
void expect_hull_of(const TriangleMesh& hull, const std::vector<Vec3d>& points) {
  for (const Vec3d& v : hull.vertices()) {
    ASSERT_NE(std::find(points.begin(), points.end(), v), points.end());
  }
  // Points up to 1e-10 of the size outside are left out; slivers amplify that.
  const double tolerance = 1e-8 * hull.size();
  for (const auto& [i, j, k] : hull.triangles()) {
    const auto& v = hull.vertices();
    const Vec3d n = (v[j] - v[i]).cross(v[k] - v[i]).normalized();
    for (const Vec3d& p : points) ASSERT_LE(n.dot(p - v[i]), tolerance);
  }
  ASSERT_TRUE(hull.is_convex());
}

TEST(ConvexHull, CubeWithPointsInsideOnFacesAndOnEdgesHasTwelveTriangles) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 20; ++trial) {
    const Mat3d R = trial == 0 ? Mat3d(Mat3d::Identity()) : test::random_rotation(random);
    std::vector<Vec3d> points;
    for (int k = 0; k < 125; ++k) {
      const int layer = k / 25;
      points.push_back(R * (Vec3d(k % 5, k / 5 % 5, layer) * 0.1));
      if (k % 10 == 0) points.push_back(points.back());
    }
    std::shuffle(points.begin(), points.end(), random);
    const TriangleMesh hull = make_convex_hull(points, "cube");
    EXPECT_EQ(hull.vertices().size(), 8u) << trial;
    EXPECT_EQ(hull.triangles().size(), 12u);
    EXPECT_NEAR(hull.solid().volume, 0.064, 1e-15);
    expect_hull_of(hull, points);
  }
}

TEST(ConvexHull, CylinderOfRingsKeepsItsRims) {
  std::vector<Vec3d> points;
  constexpr int kCount = 200;
  for (int k = 0; k < kCount; ++k) {
    const double a = 2 * kPi * k / kCount;
    for (double z : {-1.0, 0.0, 1.0}) points.emplace_back(std::cos(a), std::sin(a), z);
  }
  const TriangleMesh hull = make_convex_hull(points, "cylinder");
  EXPECT_EQ(hull.vertices().size(), 2u * kCount);
  EXPECT_NEAR(hull.solid().volume, kCount * std::sin(2 * kPi / kCount), 1e-12);
  expect_hull_of(hull, points);
}

TEST(ConvexHull, PointsInABall) {
  std::mt19937_64 random(8);
  std::vector<Vec3d> points;
  while (points.size() < 2000) {
    const Vec3d p = test::random_vector(random, 1);
    if (p.norm() < 1) points.push_back(p);
  }
  expect_hull_of(make_convex_hull(points, "ball"), points);
}

TEST(ConvexHull, ThinAndFarAway) {
  std::mt19937_64 random(9);
  for (const Vec3d& stretch : {Vec3d(1, 1, 1e-3), Vec3d(1, 1e-3, 1e-3), Vec3d(1, 1e-6, 1)}) {
    std::vector<Vec3d> points;
    for (int k = 0; k < 200; ++k) {
      points.push_back(stretch.cwiseProduct(test::random_vector(random, 1)) + Vec3d(5, -3, 2));
    }
    expect_hull_of(make_convex_hull(points, "thin"), points);
  }
}

// Small whole numbers: nearly every set has coplanar, collinear and repeated points.
TEST(ConvexHull, AnySetOfGridPointsGivesItsHullOrIsFlat) {
  EXPECT_TRUE(rc::check([] {
    const auto coordinates =
        *rc::gen::container<std::vector<int>>(*rc::gen::inRange(12, 90), rc::gen::inRange(-3, 4));
    std::vector<Vec3d> points;
    for (std::size_t k = 0; k + 2 < coordinates.size(); k += 3) {
      points.emplace_back(coordinates[k], coordinates[k + 1], coordinates[k + 2]);
    }
    const double angle = *rc::gen::inRange(0, 100) * 0.01;
    const Mat3d R = as_rotation(quaternion_from_rotation_vector(angle * Vec3d(1, 2, 3)));
    for (Vec3d& p : points) p = R * p;
    bool is_flat = true;
    for (std::size_t a = 1; a < points.size() && is_flat; ++a) {
      for (std::size_t b = a + 1; b < points.size() && is_flat; ++b) {
        for (std::size_t c = b + 1; c < points.size() && is_flat; ++c) {
          const Vec3d o = points[0];
          is_flat = std::abs((points[a] - o).dot((points[b] - o).cross(points[c] - o))) < 0.5;
        }
      }
    }
    if (is_flat) {
      RC_ASSERT_THROWS_AS(make_convex_hull(points, "grid"), std::runtime_error);
    } else {
      expect_hull_of(make_convex_hull(points, "grid"), points);
      RC_ASSERT(!::testing::Test::HasFailure());
    }
  }));
}

TEST(ConvexHull, FlatSetsAndBadNumbersAreRefused) {
  const auto error = [](const std::vector<Vec3d>& points) {
    return input_error_of([&] { make_convex_hull(points, "foot.yaml:3: vertices"); });
  };
  EXPECT_THAT(error({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), HasSubstr("at least 4"));
  EXPECT_THAT(error({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 3, 0}}),
              HasSubstr("in one plane"));
  EXPECT_THAT(error({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}}), HasSubstr("on one line"));
  EXPECT_THAT(error({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}), HasSubstr("coincide"));
  EXPECT_THAT(error({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, NAN}}),
              testing::AllOf(HasSubstr("point 4"), HasSubstr("foot.yaml:3")));
}

}  // namespace
}  // namespace vesica::convex_hull_test
