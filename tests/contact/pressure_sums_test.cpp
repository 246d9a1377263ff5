// Pressure on the cells of a body: against the cap of a sphere in closed form, the contact's own
// force and centre of pressure, other frames.
#include "vesica/contact/pressure_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support/support.h"
#include "vesica/geometry/convex_hull.h"

namespace vesica::pressure_sums_test {
namespace {

constexpr double kStiffness = 2e8;

PressureGrid make_grid(double cell, int nx, int ny) {
  PressureGrid grid;
  grid.dx = grid.dy = cell;
  grid.nx = nx;
  grid.ny = ny;
  grid.x_min = -0.5 * nx * cell;
  grid.y_min = -0.5 * ny * cell;
  return grid;
}

struct Pressed {
  Contact<double> contact;
  Motion<double> i, j;
};

Pressed press(ShapePair<double> pair, const Pose<double>& X_WI, double damping = 0) {
  Pressed p;
  p.contact.pair = std::move(pair);
  VolumetricNormal<double> law;
  law.stiffness = kStiffness;
  law.damping = damping;
  p.contact.normal = law;
  p.i.X_WB = X_WI;
  return p;
}

struct Mapped {
  PressureFrame frame;
  ContactForces<double> forces;
  Overlap<double> overlap;
};

Mapped map_of(const Pressed& p, const Pose<double>& X_WF, const PressureGrid& grid) {
  Mapped m;
  m.overlap = calc_overlap(p.contact, p.i.X_WB, p.j.X_WB);
  m.forces = calc_contact(p.contact, p.i, p.j, ContactMemory<double>{});
  PressureSampler sampler;
  PressureSampler::begin(grid, &m.frame);
  sampler.add(p.contact, p.contact, m.overlap, m.forces, p.i, p.j, {}, X_WF, grid, &m.frame);
  PressureSampler::finish(grid, &m.frame);
  return m;
}

double sum_of_cells(const PressureFrame& f, const PressureGrid& grid) {
  return std::accumulate(f.pressure.begin(), f.pressure.end(), 0.0) * grid.dx * grid.dy;
}

Pressed ball(double radius, double depth) {
  Pose<double> X;
  X.p_WB = Vec3d(0, 0, radius - depth);
  return press({SphereOnHalfSpace<double>{{radius}}, false}, X);
}

TEST(PressureSums, BallOnThePlane) {
  const double R = 0.02, d = 0.002;
  const Pressed p = ball(R, d);
  const PressureGrid grid = make_grid(1e-3, 24, 24);
  const Mapped m = map_of(p, {}, grid);
  const double force = kStiffness * kPi * d * d * (R - d / 3);  // k V of a cap
  EXPECT_NEAR(m.frame.all.force, force, 1e-12 * force);
  EXPECT_NEAR(sum_of_cells(m.frame, grid), force, 1e-12 * force);
  EXPECT_NEAR(m.frame.sampled, force, 1e-3 * force);  // 4e-4
  EXPECT_EQ(m.frame.outside, 0);
  EXPECT_NEAR(m.frame.all.peak_pressure, kStiffness * d, 2e-3 * kStiffness * d);
  EXPECT_NEAR(m.frame.all.area, kPi * (2 * R * d - d * d), 0.01 * m.frame.all.area);
  EXPECT_NEAR(m.frame.center_x, 0, 1e-15);
  // Cell by cell: k f, the depth of the cap averaged over the cell.
  for (int row = 0; row < grid.ny; ++row) {
    for (int column = 0; column < grid.nx; ++column) {
      double mean = 0;
      constexpr int kParts = 40;
      for (int k = 0; k < kParts * kParts; ++k) {
        const int along = k % kParts, across = k / kParts;
        const double x = grid.x_min + (column + (along + 0.5) / kParts) * grid.dx;
        const double y = grid.y_min + (row + (across + 0.5) / kParts) * grid.dy;
        const double root2 = R * R - x * x - y * y;
        mean += std::max(0.0, root2 > 0 ? std::sqrt(root2) - (R - d) : 0.0) / (kParts * kParts);
      }
      const double there = m.frame.pressure[static_cast<size_t>(row * grid.nx + column)];
      EXPECT_NEAR(there, kStiffness * mean, 2e-3 * kStiffness * d) << row << " " << column;
    }
  }
}

TEST(PressureSums, SamplesConvergeWithTheCells) {
  // The patch is 17 mm wide: cells of 5 mm are cut into parts, so that they lose little.
  const Pressed p = ball(0.02, 0.002);
  for (const double cell : {5e-3, 2e-3, 1e-3, 0.25e-3}) {
    const int n = static_cast<int>(std::lround(0.04 / cell));
    const Mapped m = map_of(p, {}, make_grid(cell, n, n));
    EXPECT_NEAR(m.frame.sampled / m.frame.all.force, 1, 2e-3) << cell;
  }
  const Mapped fine = map_of(p, {}, make_grid(0.1e-3, 400, 400));
  EXPECT_NEAR(fine.frame.sampled / fine.frame.all.force, 1, 1e-4);
}

TEST(PressureSums, RegionsOfEqualHalvesAndOthers) {
  const double R = 0.02, d = 0.002;
  PressureGrid grid = make_grid(1e-3, 30, 21);  // an odd number too
  grid.regions = {{"left", -kInfinity, 0, -kInfinity, kInfinity},
                  {"right", 0, kInfinity, -kInfinity, kInfinity},
                  {"front", -kInfinity, kInfinity, 0, kInfinity},
                  {"strip", 2e-3, 5e-3, -kInfinity, kInfinity}};
  const Mapped m = map_of(ball(R, d), {}, grid);
  for (int r = 0; r < 3; ++r) {
    EXPECT_NEAR(m.frame.regions[r].force, 0.5 * m.frame.all.force, 1e-12 * m.frame.all.force);
    EXPECT_NEAR(m.frame.regions[r].area, 0.5 * m.frame.all.area, 1e-12);
  }
  // Between two planes across: areas of circular segments, integrated.
  double volume = 0;
  constexpr int kParts = 2000;
  for (int k = 0; k < kParts; ++k) {
    const double x = 2e-3 + 3e-3 * (k + 0.5) / kParts, r = std::sqrt(R * R - x * x), h = R - d;
    volume += 3e-3 / kParts * (r * r * std::acos(h / r) - h * std::sqrt(r * r - h * h));
  }
  EXPECT_NEAR(m.frame.regions[3].force, kStiffness * volume, 2e-3 * kStiffness * volume);
}

// Any frame has the same force and centre of pressure.
TEST(PressureSums, AnyFrameAnyPair) {
  std::mt19937_64 random(5);
  std::vector<Vec3d> corners;
  for (int k = 0; k < 8; ++k) {
    corners.push_back(Vec3d(k & 1 ? 0.02 : -0.02, k & 2 ? 0.03 : -0.03, k & 4 ? 0.01 : -0.01));
  }
  const auto polyhedron =
      std::make_shared<ConvexPolyhedron>(make_convex_hull(corners, "block"), "block");
  for (int k = 0; k < 60; ++k) {
    Pose<double> X;
    X.R_WB = test::random_rotation(random);
    X.p_WB = Vec3d(0.01, -0.02, 0);
    Pressed p;
    double height = 0.018;
    switch (k % 5) {
      case 0:
        p = press({EllipsoidOnHalfSpace<double>{{Vec3d(0.03, 0.04, 0.022)}}, false}, X, 0.5);
        break;
      case 1:
        p = press({BoxOnHalfSpace<double>{{Vec3d(0.04, 0.06, 0.05)}}, false}, X, 0.5);
        height = 0.022;
        break;
      case 2:
        p = press({TorusOnHalfSpace<double>{{0.02, 0.008}}, false}, X);
        height = 0.006;
        break;
      case 3:
        p = press({SphereOnSphere<double>{{0.03}, {0.05}}, k % 2 == 0}, X);
        height = 0.074;
        break;
      default:
        p = press({PolyhedronOnPolyhedron{polyhedron, polyhedron, {}}, false}, X);
        height = 0.015;
    }
    p.i.X_WB.p_WB.z() = height;
    p.i.V_WB.v_WB = Vec3d(0.1, 0, -0.05);
    p.i.V_WB.w_WB = test::random_vector(random, 1);
    const auto overlap = calc_overlap(p.contact, p.i.X_WB, p.j.X_WB);
    ASSERT_GT(overlap.volume, 0) << k;
    // A frame that looks along n, or up to 50 degrees off it.
    Pose<double> X_WF;
    const Vec3d off =
        test::random_vector(random, 1).normalized() * test::random_between(random, 0, 0.85);
    X_WF.R_WB = as_rotation(quaternion_from_rotation_vector(off)) * calc_turn_of_z(overlap.n_W);
    X_WF.p_WB = overlap.p_WC + test::random_vector(random, 0.005);
    const PressureGrid grid = make_grid(1.5e-3, 120, 120);
    const Mapped m = map_of(p, X_WF, grid);
    const double force = m.forces.normal.force;
    EXPECT_NEAR(m.frame.all.force, force, 1e-12 * force);
    EXPECT_NEAR(sum_of_cells(m.frame, grid) + m.frame.outside, force, 1e-12 * force);
    if (std::abs(m.forces.edge_factor) < 0.5) continue;  // rolling lifts its edge
    EXPECT_NEAR(m.frame.sampled / force, 1, 0.01) << k;  // 0.004
    const Vec3d p_F = X_WF.R_WB.transpose() * (m.forces.p_WP - X_WF.p_WB);
    // The plane is seen along z; the centre of pressure lies on it.
    EXPECT_NEAR(m.frame.center_x, p_F.x(), 2e-4) << k;
    EXPECT_NEAR(m.frame.center_y, p_F.y(), 2e-4) << k;
  }
}

TEST(PressureSums, WhatLiesBesideTheGridIsCounted) {
  const Pressed p = ball(0.02, 0.002);
  Pose<double> X_WF;
  X_WF.p_WB = Vec3d(0.01, 0, 0);
  PressureGrid grid = make_grid(1e-3, 20, 20);  // ends at the middle of the patch
  // The second has no limits: it goes as far as the grid.
  grid.regions = {{"half", -0.01, 0.01, -kInfinity, kInfinity},
                  {"all", -kInfinity, kInfinity, -kInfinity, kInfinity}};
  const Mapped m = map_of(p, X_WF, grid);
  EXPECT_NEAR(m.frame.outside, 0.5 * m.frame.all.force, 1e-9);
  EXPECT_NEAR(m.frame.regions[0].force, 0.5 * m.frame.all.force, 1e-9);
  EXPECT_NEAR(m.frame.regions[1].force + m.frame.outside, m.frame.all.force, 1e-9);
  // A touch too small to be sampled, beside the grid: likewise.
  X_WF.p_WB = Vec3d(0.05, 0, 0);
  const Mapped small = map_of(ball(0.02, 1e-12), X_WF, grid);
  EXPECT_GT(small.frame.outside, 0);
  EXPECT_EQ(small.frame.regions[1].force, 0);
  X_WF.p_WB = Vec3d(0.01, 0, 0);
  // From the side nothing can be seen, and it says so.
  X_WF.R_WB = calc_turn_of_z(Vec3d(1, 0, 0.05).normalized());
  const Mapped side = map_of(p, X_WF, grid);
  EXPECT_TRUE(side.frame.is_edge_on);
  EXPECT_NEAR(side.frame.outside, side.frame.all.force, 1e-12);
}

TEST(PressureSums, TouchesTooSmallForASampleAreKept) {
  const Pressed p = ball(0.02, 1e-12);
  const PressureGrid grid = make_grid(5e-3, 8, 8);
  const Mapped m = map_of(p, {}, grid);
  EXPECT_GT(m.frame.all.force, 0);
  EXPECT_NEAR(sum_of_cells(m.frame, grid), m.forces.normal.force, 1e-12 * m.forces.normal.force);
}

TEST(PressureSums, SaysWhyThereIsNone) {
  Pressed p = ball(0.02, 0.002);
  EXPECT_EQ(explain_no_pressure(p.contact, p.contact), "");
  p.contact.normal = HuntCrossley<double>{};
  EXPECT_NE(explain_no_pressure(p.contact, p.contact).find("hunt_crossley"), std::string::npos);
}

}  // namespace
}  // namespace vesica::pressure_sums_test
