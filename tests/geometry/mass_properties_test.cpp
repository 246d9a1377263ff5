#include "vesica/geometry/mass_properties.h"

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace vesica::mass_properties_test {
namespace {

ConvexPolyhedron placed_box(const Vec3d& size, const Pose<double>& X) {
  return make_moved(make_box_polyhedron(size), X.R_WB, X.p_WB);
}

TEST(MassProperties, ABoxHasItsTextbookInertia) {
  const Vec3d size(0.3, 0.5, 0.7);
  const PolyhedralSolid solid({make_box_polyhedron(size)});
  const auto body = calc_mass_properties(solid, 1000);
  EXPECT_NEAR(body.mass, 105, 1e-12);
  EXPECT_LT(body.center.norm(), 1e-15);
  const Vec3d s = size.cwiseProduct(size);
  const Mat3d I = (Vec3d(s.y() + s.z(), s.x() + s.z(), s.x() + s.y()) * 105 / 12).asDiagonal();
  EXPECT_LT((body.I.matrix() - I).norm(), 1e-13);
}

TEST(MassProperties, PartsInAnyPoseAddUpToTheWhole) {
  // A box cut into 24 cells, then the whole turned and shifted.
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const Pose<double> X = {test::random_rotation(random), test::random_vector(random, 1)};
    std::vector<ConvexPolyhedron> cells;
    for (int k = 0; k < 24; ++k) {
      const int layer = k / 12;
      const Vec3d at(k % 4 - 1.5, k / 4 % 3 - 1.0, layer - 0.5);
      cells.push_back(placed_box(Vec3d(0.1, 0.2, 0.3),
                                 {X.R_WB, X * Vec3d(at.cwiseProduct(Vec3d(0.1, 0.2, 0.3)))}));
    }
    const auto parts = calc_mass_properties(PolyhedralSolid(std::move(cells)), 500);
    const PolyhedralSolid whole({make_box_polyhedron(Vec3d(0.4, 0.6, 0.6))});
    const auto expected = move_part(calc_mass_properties(whole, 500), X);
    EXPECT_NEAR(parts.mass, expected.mass, 1e-12);
    EXPECT_LT((parts.center - expected.center).norm(), 1e-14);
    EXPECT_LT((parts.I - expected.I).matrix().norm(), 1e-12);
  }
}

TEST(MassProperties, OverlappingCellsCountOnceWhenMadeDisjoint) {
  // An L of two bars that share their corner, against the same L of two that do not.
  const Mat3d R = Mat3d::Identity();
  const std::vector<ConvexPolyhedron> overlapping = {
      placed_box(Vec3d(2, 1, 1), {R, Vec3d(1, 0.5, 0.5)}),
      placed_box(Vec3d(1, 1, 3), {R, Vec3d(0.5, 0.5, 1.5)})};
  const PolyhedralSolid apart({placed_box(Vec3d(2, 1, 1), {R, Vec3d(1, 0.5, 0.5)}),
                               placed_box(Vec3d(1, 1, 2), {R, Vec3d(0.5, 0.5, 2)})});
  const auto a = calc_mass_properties(PolyhedralSolid(make_disjoint(overlapping)), 1);
  const auto b = calc_mass_properties(apart, 1);
  EXPECT_NEAR(a.mass, 4, 1e-13);
  EXPECT_LT((a.center - b.center).norm(), 1e-13);
  EXPECT_LT((a.I - b.I).matrix().norm(), 1e-12);
}

TEST(MassProperties, ScalingAndPrincipalAxes) {
  std::mt19937_64 random(2);
  const Pose<double> X = {test::random_rotation(random), Vec3d(1, 2, 3)};
  const PolyhedralSolid solid({placed_box(Vec3d(0.3, 0.5, 0.7), X)});
  const auto body = scale_to_mass(calc_mass_properties(solid, 7), 12);
  EXPECT_EQ(body.mass, 12);
  const auto axes = calc_principal_axes(body.I);
  EXPECT_NEAR(axes.R_SP.determinant(), 1, 1e-14);
  // Least about the longest edge.
  EXPECT_NEAR(axes.moments[0], 0.09 + 0.25, 1e-13);
  EXPECT_NEAR(axes.moments[1], 0.09 + 0.49, 1e-13);
  EXPECT_NEAR(axes.moments[2], 0.25 + 0.49, 1e-13);
  EXPECT_NEAR(std::abs(axes.R_SP.col(0).dot(X.R_WB.col(2))), 1, 1e-13);
}

TEST(MassProperties, RejectsWhatHasNoMass) {
  const PolyhedralSolid solid({make_box_polyhedron(Vec3d(1, 1, 1))});
  EXPECT_NE(test::input_error_of([&] { calc_mass_properties(solid, 0); }).find("density"),
            std::string::npos);
  EXPECT_NE(test::input_error_of([&] { join_parts({}); }).find("mass"), std::string::npos);
}

}  // namespace
}  // namespace vesica::mass_properties_test
