#include "vesica/geometry/triangle_mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/geometry/sample_meshes.h"
#include "vesica/error.h"

namespace vesica::triangle_mesh_test {
namespace {

using test::box_corners;
using test::box_triangles;
using test::input_error_of;
using testing::AllOf;
using testing::HasSubstr;

std::string error_of(std::vector<Vec3d> vertices, test::Triangles triangles) {
  return input_error_of([&] { TriangleMesh(vertices, triangles, "part.stl"); });
}

TEST(TriangleMesh, MomentsOfTheSolidAreTheClosedForms) {
  const Vec3d size(0.2, 0.3, 0.5), shift(3, -2, 1);
  auto corners = box_corners(size);
  for (Vec3d& p : corners) p += shift;
  const TriangleMesh box(corners, box_triangles(), "box");
  const double V = size.prod();
  EXPECT_NEAR(box.solid().volume, V, 1e-15 * V * 100);
  EXPECT_LT((box.solid().centroid - shift).norm(), 1e-14);
  const Vec3d m = V / 12 * size.cwiseProduct(size);
  EXPECT_LT((box.solid().M.matrix() - Mat3d(m.asDiagonal())).norm(), 1e-13 * m.norm());
  EXPECT_TRUE(box.is_convex());
  EXPECT_LT((box.box_min() - (shift - size / 2)).norm(), 1e-14);
  EXPECT_LT((box.box_max() - (shift + size / 2)).norm(), 1e-14);

  const TriangleMesh l = test::make_l_shape();
  EXPECT_FALSE(l.is_convex());
  EXPECT_NEAR(l.solid().volume, 3, 1e-14);
  EXPECT_LT((l.solid().centroid - Vec3d(5.0 / 6, 5.0 / 6, 0.5)).norm(), 1e-14);
}

TEST(TriangleMesh, LowestVertexIsThatOfASearchThroughAll) {
  std::mt19937_64 random(5);
  const TriangleMesh torus = test::make_torus(1, 0.3, 40, 20);
  for (int k = 0; k < 200; ++k) {
    const Vec3d m = test::random_vector(random, 1);
    double least = HUGE_VAL;
    for (const Vec3d& p : torus.vertices()) least = std::min(least, m.dot(p));
    EXPECT_EQ(m.dot(torus.vertices()[torus.find_lowest_vertex(m)]), least);
  }
}

TEST(TriangleMesh, OpenMeshIsRefusedWithCountPlaceAndRemedy) {
  auto triangles = box_triangles();
  triangles.pop_back();
  EXPECT_THAT(
      error_of(box_corners(Vec3d(1, 2, 4)), triangles),
      AllOf(HasSubstr("part.stl"), HasSubstr("open"), HasSubstr("3 edge(s)"),
            HasSubstr("triangle 4"), HasSubstr("(0.5, -1, 2)"), HasSubstr("fill the holes")));
}

TEST(TriangleMesh, InconsistentWindingIsRefused) {
  auto triangles = box_triangles();
  std::swap(triangles[4][0], triangles[4][1]);
  EXPECT_THAT(error_of(box_corners(Vec3d(1, 1, 1)), triangles),
              AllOf(HasSubstr("inconsistent winding"), HasSubstr("3 edge(s)")));
}

TEST(TriangleMesh, InsideOutMeshIsRefusedNotTurned) {
  auto triangles = box_triangles();
  for (auto& t : triangles) std::swap(t[0], t[1]);
  EXPECT_THAT(error_of(box_corners(Vec3d(1, 1, 1)), triangles),
              AllOf(HasSubstr("inside out"), HasSubstr("flip")));
}

TEST(TriangleMesh, EdgeWithFourTrianglesIsRefused) {
  // Two boxes that share the edge of corners 1 and 3.
  auto corners = box_corners(Vec3d(1, 1, 1));
  auto triangles = box_triangles();
  const auto first = triangles;
  std::vector<int> index(8);
  for (int k = 0; k < 8; ++k) {
    const Vec3d p = corners[k] + Vec3d(1, 0, -1);
    const auto same = std::find(corners.begin(), corners.begin() + 8, p);
    index[k] = static_cast<int>(same - corners.begin());
    if (same == corners.begin() + 8) {
      index[k] = static_cast<int>(corners.size());
      corners.push_back(p);
    }
  }
  for (const auto& t : first) triangles.push_back({index[t[0]], index[t[1]], index[t[2]]});
  EXPECT_THAT(error_of(corners, triangles), HasSubstr("1 edge(s) belong to more than two"));
}

TEST(TriangleMesh, DegenerateTrianglesBadIndicesAndNumbersAreRefused) {
  auto corners = box_corners(Vec3d(1, 1, 1));
  auto triangles = box_triangles();
  triangles[2] = {0, 1, 1};
  EXPECT_THAT(error_of(corners, triangles),
              AllOf(HasSubstr("without area"), HasSubstr("triangle 3")));
  triangles[2] = {0, 1, 8};
  EXPECT_THAT(error_of(corners, triangles), AllOf(HasSubstr("vertex 9"), HasSubstr("8 vertices")));
  triangles[2] = {0, 1, -1};
  EXPECT_THAT(error_of(corners, triangles), HasSubstr("triangle 3 refers to vertex 0"));
  for (double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    corners[3].y() = bad;
    EXPECT_THAT(error_of(corners, box_triangles()),
                AllOf(HasSubstr("vertex 4"), HasSubstr("finite")));
  }
  EXPECT_THAT(error_of({}, {}), HasSubstr("0 triangle(s)"));
}

TEST(TriangleMesh, TooLargeOrTooSmallForItsMomentsIsRefused) {
  EXPECT_THAT(error_of(box_corners(Vec3d::Constant(1e80)), box_triangles()), HasSubstr("scale"));
  EXPECT_THAT(error_of(box_corners(Vec3d::Constant(1e-80)), box_triangles()), HasSubstr("scale"));
}

TEST(TriangleMesh, WeldingJoinsEqualVerticesAndBothZeros) {
  std::vector<Vec3d> vertices = {{0.0, 1, 2}, {1, 1, 1}, {-0.0, 1, 2}, {1, 1, 1}};
  test::Triangles triangles = {{0, 1, 2}, {3, 2, 1}};
  weld_vertices(&vertices, &triangles);
  EXPECT_EQ(vertices.size(), 2u);
  EXPECT_EQ(triangles, (test::Triangles{{0, 1, 0}, {1, 0, 1}}));
}

}  // namespace
}  // namespace vesica::triangle_mesh_test
