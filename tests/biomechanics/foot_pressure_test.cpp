// Pressure on cells: its sum against the load's closed form, derivatives against differences, one
// sphere by hand.
#include "vesica/biomechanics/foot_pressure.h"

#include <gtest/gtest.h>

#include <random>

namespace vesica::foot_pressure_test {
namespace {

FootFrame make_frame(std::mt19937& random) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto vector = [&](double size) -> Vec3d {
    return size * Vec3d(unit(random), unit(random), unit(random));
  };
  FootFrame frame;
  frame.foot.X_WB = {as_rotation_123(vector(0.2)), vector(0.01)};
  frame.foot.X_WB.p_WB.z() = 0.012 + 0.01 * unit(random);
  frame.foot.V_WB = {vector(1), vector(0.2)};
  frame.angles = {0.3 * unit(random)};
  frame.rates = {2 * unit(random)};
  return frame;
}

FootMat make_grid(double cell) {
  FootMat grid;
  grid.corner = {-0.2, -0.1};
  grid.cell.setConstant(cell);
  grid.columns = static_cast<int>(0.4 / cell);
  grid.rows = static_cast<int>(0.5 / cell);
  return grid;
}

// Another way to the same number: moments of the pressure field by the midpoint rule.
TEST(FootPressure, AddsUpToTheLoad) {
  std::mt19937 random(5);
  const FootMat grid = make_grid(0.0005);
  const FootModel foot = make_brown_foot();
  for (int trial = 0; trial < 10; ++trial) {
    const FootFrame frame = make_frame(random);
    std::vector<double> pressure;
    calc_foot_pressure(foot, frame, grid, &pressure);
    FootLoad sum = FootLoad::Zero();
    for (int k = 0; k < grid.cells(); ++k) {
      const double f = pressure[static_cast<size_t>(k)] * grid.area();
      sum += FootLoad(f, f * grid.center(k).x(), f * grid.center(k).y());
    }
    const FootLoad load = calc_foot_load(foot, frame);
    // Measured: 2e-5 of the force; 0.5 mm cells.
    EXPECT_LE((sum - load).norm(), 2e-4 * load[0]) << sum.transpose() << " " << load.transpose();
  }
}

TEST(FootPressure, ASphereByHand) {
  FootModel foot;
  foot.stiffness = 2e7;
  foot.damping = 0.5;
  foot.ellipsoids = {{"ball", 0, Vec3d::Constant(0.03), Vec3d::Zero(), {0.4, 0.5, 0.6}}};
  FootFrame frame;
  frame.foot.X_WB.p_WB = {0, 0, 0.02};
  frame.foot.V_WB.v_WB = {0, 0, -0.2};
  FootMat grid;
  grid.corner = {0.01 - 0.5 * grid.cell.x(), 0.005 - 0.5 * grid.cell.y()};
  grid.columns = grid.rows = 1;
  std::vector<double> pressure;
  calc_foot_pressure(foot, frame, grid, &pressure);
  const double depth = std::sqrt(0.03 * 0.03 - 0.01 * 0.01 - 0.005 * 0.005) - 0.02;
  EXPECT_NEAR(pressure[0], 2e7 * depth * 1.1, 1e-9 * pressure[0]);
  // Immersed, the chord ends at the sphere's own top.
  frame.foot.X_WB.p_WB.z() = -0.05;
  calc_foot_pressure(foot, frame, grid, &pressure);
  EXPECT_NEAR(pressure[0], 2e7 * 2 * (depth + 0.02) * 1.1, 1e-9 * pressure[0]);
  // Lifting faster than it presses.
  frame.foot.V_WB.v_WB.z() = 2.5;
  calc_foot_pressure(foot, frame, grid, &pressure);
  EXPECT_EQ(pressure[0], 0);
}

TEST(FootPressure, ColumnsMeetDifferences) {
  std::mt19937 random(6);
  const FootMat grid = make_grid(0.02);
  double worst = 0;
  int compared = 0;
  for (int trial = 0; trial < 20; ++trial) {
    FootModel foot = make_brown_foot();
    FootFrame frame = make_frame(random);
    std::vector<double> pressure;
    PressureColumns columns;
    calc_foot_pressure(foot, frame, grid, &pressure, &columns);
    const FootOrder order(foot);
    const auto change = [&](int k, double h, FootModel* f, FootFrame* at) {
      if (k == 0) f->stiffness += 1e7 * h;
      if (k == 1) f->damping += h;
      if (k >= 2 && k < order.motion()) {
        FootEllipsoid& e = f->ellipsoids[static_cast<size_t>((k - 2) / 9)];
        const int i = (k - 2) % 9;
        (i < 3 ? e.radii : i < 6 ? e.position : e.angles)[i % 3] += h;
      }
      const int m = k - order.motion();
      if (m >= 0 && m < 3) at->foot.X_WB.p_WB[m] += h;
      if (m >= 3 && m < 6) {
        at->foot.X_WB.R_WB = as_rotation(quaternion_from_rotation_vector(h * Vec3d::Unit(m - 3))) *
                             at->foot.X_WB.R_WB;
      }
      if (m >= 6 && m < 9) at->foot.V_WB.v_WB[m - 6] += h;
      if (m >= 9 && m < 12) at->foot.V_WB.w_WB[m - 9] += h;
      if (k == order.angle(0)) at->angles[0] += h;
      if (k == order.rate(0)) at->rates[0] += h;
    };
    for (int k = 0; k < order.size(); ++k) {
      const double h = 1e-6;
      FootModel high = foot, low = foot;
      FootFrame above = frame, below = frame;
      change(k, h, &high, &above);
      change(k, -h, &low, &below);
      std::vector<double> p, m;
      calc_foot_pressure(high, above, grid, &p);
      calc_foot_pressure(low, below, grid, &m);
      const double scale = k == 0 ? 1e7 : 1;
      for (size_t c = 0; c < columns.cells.size(); ++c) {
        const auto cell = static_cast<size_t>(columns.cells[c]);
        if (pressure[cell] < 3e3 || !(p[cell] > 0) || !(m[cell] > 0)) continue;  // edges: kinks
        const double difference = (p[cell] - m[cell]) / (2 * h);
        const double column = columns.all(static_cast<Eigen::Index>(c), k) * scale;
        worst = std::max(worst, std::abs(difference - column) / (1e7 + std::abs(column)));
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 1000);
  EXPECT_LE(worst, 1e-3);
}

}  // namespace
}  // namespace vesica::foot_pressure_test
