#include "vesica/geometry/polyhedral_solid.h"

#include <gtest/gtest.h>

#include "tests/geometry/sample_meshes.h"
#include "tests/support/support.h"
#include "vesica/geometry/polyhedron_clipper.h"

namespace vesica::polyhedral_solid_test {
namespace {

ConvexPolyhedron placed_box(const Vec3d& low, const Vec3d& high) {
  return make_moved(make_box_polyhedron(high - low), Mat3d::Identity(), (low + high) / 2);
}

double total_volume(const std::vector<ConvexPolyhedron>& cells) {
  double sum = 0;
  for (const auto& cell : cells) sum += cell.solid().volume;
  return sum;
}

bool is_inside(const ConvexPolyhedron& cell, const Vec3d& x, double margin) {
  for (const Plane& plane : cell.planes()) {
    if (plane.normal.dot(x) > plane.offset - margin) return false;
  }
  return true;
}

TEST(ConvexPolyhedron, ABoxHasSixFacesAndItsNeighbours) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const auto box = make_moved(make_box_polyhedron(Vec3d(0.3, 2, 1)),
                                test::random_rotation(random), test::random_vector(random, 1));
    ASSERT_EQ(box.planes().size(), 6u);
    EXPECT_NEAR(box.solid().volume, 0.6, 1e-14);
    for (std::size_t f = 0; f < 6; ++f) {
      const auto corners = box.face(f);
      ASSERT_EQ(corners.size(), 4u);
      for (std::size_t k = 0; k < 4; ++k) {
        const Vec3d &a = box.vertices()[corners[k].vertex],
                    &b = box.vertices()[corners[(k + 1) % 4].vertex];
        const Plane &plane = box.planes()[f], &across = box.planes()[corners[k].neighbour];
        EXPECT_NEAR(plane.normal.dot(a), plane.offset, 1e-14);
        EXPECT_NEAR(across.normal.dot(a), across.offset, 1e-14);
        EXPECT_NEAR(across.normal.dot(b), across.offset, 1e-14);
        EXPECT_NEAR(plane.normal.dot(across.normal), 0, 1e-14);
      }
    }
  }
}

TEST(ConvexPolyhedron, EulersFormulaAndPlanesThatHoldEveryVertex) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 60; ++trial) {
    const auto body =
        ConvexPolyhedron(test::make_random_hull(random, 5 + 4 * trial, Vec3d(1, 0.5, 2)), "hull");
    const std::size_t edges = body.corner_count() / 2;
    EXPECT_EQ(body.vertices().size() + body.planes().size(), edges + 2);
    for (const Plane& plane : body.planes()) {
      EXPECT_NEAR(plane.normal.norm(), 1, 1e-14);
      for (const Vec3d& x : body.vertices()) EXPECT_LT(plane.normal.dot(x) - plane.offset, 1e-9);
    }
  }
}

TEST(ConvexPolyhedron, RejectsWhatIsNotConvexOrNoBox) {
  const auto message =
      test::input_error_of([] { ConvexPolyhedron(test::make_torus(1, 0.3, 12, 8), "ring.stl"); });
  EXPECT_NE(message.find("ring.stl"), std::string::npos);
  EXPECT_NE(message.find("not convex"), std::string::npos);
  EXPECT_NE(test::input_error_of([] { make_box_polyhedron(Vec3d(1, 0, 1)); }).find("positive"),
            std::string::npos);
}

TEST(PolyhedronClipper, TwoHalvesMakeTheWhole) {
  std::mt19937_64 random(3);
  PolyhedronClipper clipper;
  const auto volume = [&](const ConvexPolyhedron& body, const Plane& plane) {
    clipper.start(body);
    if (clipper.cut(plane, 1000) == PolyhedronClipper::Outcome::kEmpty) return 0.0;
    double sum = 0;
    for (const auto& face : clipper.faces()) {
      const Vec3d& a = clipper.vertices()[clipper.corners()[face.begin].vertex];
      for (std::int32_t k = face.begin + 1; k + 1 < face.end; ++k) {
        const Vec3d &b = clipper.vertices()[clipper.corners()[k].vertex],
                    &c = clipper.vertices()[clipper.corners()[k + 1].vertex];
        sum += a.dot(b.cross(c)) / 6;
      }
    }
    return sum;
  };
  for (int trial = 0; trial < 500; ++trial) {
    const auto body =
        ConvexPolyhedron(test::make_random_hull(random, 5 + trial % 60, Vec3d(1, 1, 1)), "hull");
    Plane plane{test::random_vector(random, 1).normalized(), 0};
    plane.offset = trial % 2 ? test::random_between(random, -0.5, 0.5)
                             : plane.normal.dot(body.vertices()[trial % 5]);
    EXPECT_NEAR(volume(body, plane) + volume(body, {-plane.normal, -plane.offset}),
                body.solid().volume, 1e-14);
  }
}

TEST(PolyhedralSolid, DisjointCellsFillTheUnion) {
  // Two crossing bars and a third through both: volume by inclusion and exclusion.
  const std::vector<ConvexPolyhedron> cross = {
      placed_box(Vec3d(-2, -0.5, -0.5), Vec3d(2, 0.5, 0.5)),
      placed_box(Vec3d(-0.5, -2, -0.5), Vec3d(0.5, 2, 0.5)),
      placed_box(Vec3d(-0.5, -0.5, -2), Vec3d(0.5, 0.5, 2))};
  EXPECT_NEAR(total_volume(make_disjoint(cross)), 4 + 3 + 3, 1e-12);
  // Cells that only touch stay as they are.
  const std::vector<ConvexPolyhedron> stack = {placed_box(Vec3d(0, 0, 0), Vec3d(1, 1, 1)),
                                               placed_box(Vec3d(0, 0, 1), Vec3d(1, 1, 2)),
                                               placed_box(Vec3d(1, 0, 0), Vec3d(2, 1, 1))};
  EXPECT_EQ(make_disjoint(stack).size(), 3u);
  // One inside another disappears.
  const std::vector<ConvexPolyhedron> nested = {
      placed_box(Vec3d(0, 0, 0), Vec3d(1, 1, 1)),
      placed_box(Vec3d(0.2, 0.2, 0.2), Vec3d(0.8, 1, 0.8))};
  EXPECT_EQ(make_disjoint(nested).size(), 1u);
}

TEST(PolyhedralSolid, EveryPointOfRandomCellsIsInExactlyOneDisjointCell) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 10; ++trial) {
    std::vector<ConvexPolyhedron> cells;
    for (int k = 0; k < 4; ++k) {
      cells.push_back(
          make_moved(ConvexPolyhedron(test::make_random_hull(random, 8, Vec3d(1, 1, 1)), "hull"),
                     test::random_rotation(random), test::random_vector(random, 0.5)));
    }
    const auto disjoint = make_disjoint(cells);
    for (int p = 0; p < 2000; ++p) {
      const Vec3d x = test::random_vector(random, 1.2);
      int in_cells = 0, in_pieces = 0, near = 0;
      for (const auto& cell : cells) in_cells += is_inside(cell, x, 0);
      for (const auto& piece : disjoint) {
        in_pieces += is_inside(piece, x, 0);
        near += is_inside(piece, x, -1e-7) != is_inside(piece, x, 1e-7);
      }
      if (near == 0) {
        EXPECT_EQ(in_pieces, in_cells > 0);
      }
    }
  }
}

}  // namespace
}  // namespace vesica::polyhedral_solid_test
