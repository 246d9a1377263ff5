// A plane that passes a ball's centre, or a cylinder's axis, by a hair: the curve it cuts has its
// tips where the quadric has its own, to less than rounding of the one but not of the other.
#include <gtest/gtest.h>

#include <random>

#include "vesica/interference/slices/slices.h"

namespace vesica::slices_near_tip_test {
namespace {

TEST(SlicesNearATip, VolumeMovesByNoMoreThanThePlaneSweeps) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  const Cell box = make_box_cell(Vec3d(0.3, 0.3, 0.2));
  const Cell ball = make_cell({make_sphere(0.06)});
  const Cell roll = moved(make_cylinder_cell(0.05, 0.2),
                          {Eigen::AngleAxisd(0.7, Vec3d::UnitX()).matrix(), Vec3d::Zero()});
  for (const Cell* body : {&ball, &roll}) {
    const double section = body == &ball ? kPi * 0.06 * 0.06 : 0.1 * 0.2;  // the largest there is
    for (int k = 0; k < 50; ++k) {
      Pose<double> X;
      X.p_WB = Vec3d(0.15, 0.1 + 0.05 * unit(random), 0.1 + 0.05 * unit(random));
      const double V = calc_cell_moments(*body, box, X).volume;
      EXPECT_GT(V, 0);
      for (double d = 1e-6; d > 1e-15; d *= 0.31) {
        for (double sign : {1.0, -1.0}) {
          X.p_WB.x() = 0.15 + sign * d;
          const double W = calc_cell_moments(*body, box, X).volume;
          EXPECT_NEAR(W, V, section * d + 1e-8 * V) << X.p_WB.transpose() << " " << sign * d;
        }
      }
    }
  }
}

}  // namespace
}  // namespace vesica::slices_near_tip_test
