#include "vesica/geometry/surface_mesh.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/support.h"

namespace vesica::surface_mesh_test {
namespace {

// A mesh that a TriangleMesh accepts is closed, oriented, outward.
double calc_checked_volume(const SurfaceMesh& mesh) {
  return TriangleMesh(mesh.vertices, mesh.triangles, "mesh").solid().volume;
}

double calc_union(const Vec3d& x) {  // a ball and a bar through it, with a hole
  const double ball = x.norm() - 0.8;
  const double bar =
      std::max({std::abs(x.x()) - 1.2, std::abs(x.y()) - 0.3, std::abs(x.z()) - 0.3});
  const double hole = std::hypot(x.x(), x.y()) - 0.2;
  return std::max(std::min(ball, bar), -hole);
}

TEST(SurfaceMesh, AnySolidIsClosedAndItsVolumeConvergesWithTheGrid) {
  const Bounds box = {Vec3d(-1, -1, -1), Vec3d(1, 1, 1)};
  const auto ball = [](const Vec3d& x) { return x.squaredNorm() - 0.49; };  // no distance: a square
  const double exact = 4 * kPi / 3 * 0.343;
  double error[2];
  for (int k = 0; k < 2; ++k) {
    const auto mesh = make_surface_mesh(ball, box, 20 << k);
    error[k] = std::abs(calc_checked_volume(mesh) / exact - 1);
    EXPECT_NEAR(calc_enclosed_volume(mesh), calc_checked_volume(mesh), 1e-12);
    ASSERT_EQ(mesh.normals.size(), mesh.vertices.size());
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
      EXPECT_NEAR(mesh.vertices[v].norm(), 0.7, 2e-4);  // 1e-3 of a cell's diagonal
      EXPECT_GT(mesh.normals[v].dot(mesh.vertices[v].normalized()), 0.9999);
    }
  }
  EXPECT_LT(error[0], 2e-2);          // second order in the grid: measured 8e-3
  EXPECT_LT(error[1], error[0] / 3);  // measured 4.0
  const Bounds long_box = {Vec3d(-1.3, -1, -1), Vec3d(1.3, 1, 1)};
  EXPECT_GT(calc_checked_volume(make_surface_mesh(calc_union, long_box, 40)), 1);
}

TEST(SurfaceMesh, WhatReachesPastTheBoxIsCutOffAndClosed) {
  const Bounds box = {Vec3d(-1, -1, -1), Vec3d(1, 1, 1)};
  const auto mesh = make_surface_mesh([](const Vec3d& x) { return x.z(); }, box, 10);
  // The half of the box below z = 0, up to a cell of 0.2 around it.
  const double volume = calc_checked_volume(mesh);
  EXPECT_GT(volume, 3.9);
  EXPECT_LT(volume, 2.4 * 2.4 * 1.2 + 0.1);
}

TEST(SurfaceMesh, OrderOfTheAxesDoesNotMatter) {
  // A box of three different sides: an index error in the grid would show.
  const auto slab = [](const Vec3d& x) {
    return std::max({std::abs(x.x()) - 0.35, std::abs(x.y()) - 0.61, std::abs(x.z()) - 0.13});
  };
  const Bounds box = {Vec3d(-0.5, -0.7, -0.2), Vec3d(0.5, 0.7, 0.2)};
  // Edges are bevelled: a few per cent at this grid.
  EXPECT_NEAR(calc_checked_volume(make_surface_mesh(slab, box, 60)), 8 * 0.35 * 0.61 * 0.13, 0.01);
}

TEST(SurfaceMesh, RejectsBoxesWithoutBoundsAndBadGrids) {
  const auto g = [](const Vec3d& x) { return x.norm() - 1; };
  const double infinity = std::numeric_limits<double>::infinity();
  const Bounds open = {Vec3d(-1, -1, -infinity), Vec3d(1, 1, 1)};
  EXPECT_NE(test::input_error_of([&] { make_surface_mesh(g, open, 10); }).find("infinite"),
            std::string::npos);
  const Bounds box = {Vec3d(-1, -1, -1), Vec3d(1, 1, 1)};
  EXPECT_NE(test::input_error_of([&] { make_surface_mesh(g, box, 0); }).find("1 to 512"),
            std::string::npos);
}

TEST(SurfaceMesh, SolidsOfManyCellsKeepTheirVolume) {
  std::vector<ConvexPolyhedron> cells;
  for (int k = 0; k < 5; ++k) {
    cells.push_back(
        make_moved(make_box_polyhedron(Vec3d(1, 2, 3)), Mat3d::Identity(), Vec3d(k, 0, 0)));
  }
  const auto mesh = make_surface_mesh(PolyhedralSolid(std::move(cells)));
  EXPECT_NEAR(calc_enclosed_volume(mesh), 30, 1e-12);
  EXPECT_EQ(mesh.triangles.size(), 60u);
}

}  // namespace
}  // namespace vesica::surface_mesh_test
