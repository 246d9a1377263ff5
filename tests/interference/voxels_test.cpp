// Voxels against exact volumes: they converge at the expected rate, and say how far off they may
// be.
#include "vesica/interference/voxels/voxels.h"

#include <gtest/gtest.h>

#include "tests/interference/cell_families.h"
#include "tests/support/support.h"
#include "vesica/interference/pair.h"

namespace vesica::voxels_test {
namespace {

using test::random_between;

SolidParts as_parts(const Cell& cell) { return {{cell, 1}}; }

// Root mean square of the relative error of the volume over poses, at voxels of edge h.
template <class MakeCase>
double calc_error(const MakeCase& make_case, double h) {
  std::mt19937_64 random(51);
  constexpr int kPoses = 40;
  double sum = 0;
  for (int k = 0; k < kPoses; ++k) {
    const test::CellCase c = make_case(random);
    const SolidParts i = as_parts(c.i), j = as_parts(c.j);
    const auto m = calc_voxel_moments(i, c.X, j, Pose<double>{}, h);
    const double exact = calc_cell_moments(c.i, c.j, c.X).volume;
    const double error = std::abs(m.volume / exact - 1);
    EXPECT_LT(error, m.error_estimate * m.volume / exact) << k;
    sum += error * error;
  }
  return std::sqrt(sum / kPoses);
}

// N ~ h^-2 voxels are crossed, each wrong by a random part of h^3: sqrt(N) h^3 ~ h^2.
TEST(Voxels, ConvergeWithTheSquareOfTheirEdge) {
  const auto sphere_box = [](std::mt19937_64& random) {
    test::CellCase c = test::make_sphere_box(random, 3);
    c.X.p_WB = Vec3d(2, 2, 2) + test::random_vector(random, 0.3);
    return c;
  };
  const auto box_box = [](std::mt19937_64& random) {
    return test::CellCase{
        make_box_cell(Vec3d(1, 1.2, 0.8)),
        make_box_cell(Vec3d(2, 2, 2)),
        {test::random_rotation(random), Vec3d(1, 1, 1) + test::random_vector(random, 0.1)}};
  };
  const auto check = [](const auto& make_case, const char* what) {
    const double coarse = calc_error(make_case, 0.1), fine = calc_error(make_case, 0.025);
    const double order = std::log(coarse / fine) / std::log(4.0);
    // Measured: sphere and box 2.8 (1.5e-2 and 3e-4), two boxes 2.1.
    EXPECT_GT(order, 1.7) << what << " " << coarse << " " << fine;
  };
  check(sphere_box, "sphere and box");
  check(box_box, "two boxes");
}

// Planes along the lattice: all voxels of a face err together. 0.53 of 0.1 each way are 5 or 6.
TEST(Voxels, AlignedFacesErrByTheirRounding) {
  const SolidParts box = as_parts(make_box_cell(Vec3d::Constant(2)));
  Pose<double> X;
  X.p_WB = Vec3d(1.47, 0, 0);
  for (const double h : {0.1, 0.05, 0.025}) {
    const auto m = calc_voxel_moments(box, X, box, Pose<double>{}, h);
    const double error = std::abs(m.volume / (0.53 * 4) - 1);
    EXPECT_LT(error, 0.5 * h / 0.53 + 1e-12);
    EXPECT_LT(error, m.error_estimate);
  }
}

TEST(Voxels, WholeBoxesCountWithTheirExactMoments) {
  // A box whose faces lie on the lattice, deep in the other: one box, no surface.
  const SolidParts small = as_parts(make_box_cell(Vec3d(0.4, 0.8, 1.2)));
  const SolidParts large = as_parts(make_box_cell(Vec3d::Constant(10)));
  Pose<double> X;
  X.R_WB = test::turned_about(Vec3d(1, 2, 3), 0.8);
  X.p_WB = Vec3d(0.3, -0.2, 0.1);
  const auto m = calc_voxel_moments(small, X, large, Pose<double>{}, 0.1);
  const double V = 0.4 * 0.8 * 1.2;
  EXPECT_NEAR(m.volume, V, 1e-12);
  EXPECT_LT((m.centroid - X.p_WB).norm(), 1e-12);
  const Mat3d M = X.R_WB * Vec3d(0.16, 0.64, 1.44).asDiagonal() * X.R_WB.transpose() * (V / 12);
  EXPECT_LT((m.M.matrix() - M).norm(), 1e-12);
}

TEST(Voxels, MomentsAndNormalApproachThoseOfSlices) {
  std::mt19937_64 random(52);
  for (int k = 0; k < 6; ++k) {
    test::CellCase c =
        k % 2 == 0 ? test::make_sphere_box(random, 2) : test::make_cylinder_box(random, 2);
    c.X.R_WB = test::random_rotation(random);
    c.X.p_WB = Vec3d(0, 2.1, 2.2) + test::random_vector(random, 0.1);
    const SolidParts i = as_parts(c.i), j = as_parts(c.j);
    const Pose<double> origin;
    const auto exact = calc_overlap(i, c.X, j, origin);
    const auto axes = detail::calc_principal_axes(exact.M_W, exact.n_W);
    const double least = *std::min_element(axes.moment, axes.moment + 3);
    const double h = 0.1 * std::sqrt(least / exact.volume);  // a thirtieth of the thickness
    for (const auto normal :
         {ContactNormal::kAreaVector, ContactNormal::kEigenvector, ContactNormal::kPlane}) {
      const auto o = calc_voxel_overlap(i, c.X, j, origin, h, normal);
      const auto expected = calc_overlap(i, c.X, j, origin, {{}, normal});
      const double spread = std::sqrt(exact.M_W.trace() / exact.volume);
      // The cylinder's ends lie along its lattice and are half a voxel off at most, 1/60 of the
      // thickness. Measured at most 1.4e-2, 1.1e-2, 2.2e-2, 5e-3, 6e-3; the sphere a tenth of it.
      EXPECT_NEAR(o.volume / exact.volume, 1, 3e-2);
      EXPECT_LT((o.p_WC - exact.p_WC).norm(), 3e-2 * spread);
      EXPECT_LT((o.M_W.matrix() - exact.M_W.matrix()).norm(), 5e-2 * exact.M_W.matrix().norm());
      EXPECT_LT((o.n_W - expected.n_W).norm(), 2e-2) << k;
      EXPECT_NEAR(o.distance, expected.distance, 2e-2 * spread);
    }
  }
}

TEST(Voxels, OverlappingCellsCountOnceAndHolesDoNot) {
  // A ball and a box that overlap, one body; against a box with a hole.
  Pose<double> aside, tall, turned;
  aside.p_WB = Vec3d(0.5, 0, 0);
  turned.R_WB = test::turned_about(Vec3d(1, 2, 3), 0.8);
  const auto both = make_solid_parts(
      make_solid({moved(make_cell({make_sphere(0.7)}), aside), make_box_cell(Vec3d::Constant(1))}));
  const Cell plate = make_common_cell(make_box_cell(Vec3d(4, 4, 0.5)),
                                      make_cell({make_complement(make_cylinder(0.3, tall))}));
  const auto exact = calc_overlap(both, turned, as_parts(plate), Pose<double>{});
  const auto m = calc_voxel_moments(both, turned, as_parts(plate), Pose<double>{}, 0.0125);
  // The lattice is that of the two cells: the box's faces lie on its planes and err by nothing (at
  // 0.013 they would err together, by 9e-3). What the cells have in common is 28 %, the hole 18 %.
  EXPECT_NEAR(m.volume / exact.volume, 1, 3e-3);  // measured 5e-4
}

TEST(Voxels, ApartThereIsAGapAndNoVolume) {
  const SolidParts ball = as_parts(make_cell({make_sphere(0.5)}));
  const SolidParts ground = as_parts(make_cell({make_half_space()}));
  Pose<double> X;
  X.p_WB.z() = 0.6;
  const auto o = calc_voxel_overlap(ball, X, ground, Pose<double>{}, 0.01, {});
  EXPECT_EQ(o.volume, 0);
  EXPECT_NEAR(o.distance, 0.1, 1e-8);
}

TEST(Voxels, TooManyAreRefusedWithARemedy) {
  const SolidParts ball = as_parts(make_cell({make_sphere(1)}));
  Pose<double> X;
  X.p_WB.x() = 0.5;
  for (const double h : {1e-4, 1e-9, 1e-300}) {
    const std::string message =
        test::input_error_of([&] { calc_voxel_moments(ball, X, ball, Pose<double>{}, h); });
    EXPECT_NE(message.find("voxel_size"), std::string::npos) << message;
    EXPECT_NE(message.find("slices"), std::string::npos) << message;
  }
}

TEST(Voxels, DerivativesAreRefused) {
  const auto ball = std::make_shared<SolidParts>(as_parts(make_cell({make_sphere(1)})));
  VoxelizedSolids solids;
  solids.solids.i = solids.solids.j = ball;
  solids.voxel_size = 0.1;
  const ShapePair<double> pair{solids};
  EXPECT_FALSE(has_derivatives(pair));
  const std::string message = test::input_error_of(
      [&] { calc_overlap(pair, seed_motion(Motion<double>{}).X_WB, Pose<double>{}); });
  EXPECT_NE(message.find("slices"), std::string::npos) << message;
}

}  // namespace
}  // namespace vesica::voxels_test
