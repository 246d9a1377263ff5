// Cells of several curved surfaces: what three of them share may have corners only, none of the
// tips and tangencies that two have. Against columns that are counted in separate code.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/interference/cell_families.h"
#include "tests/interference/cell_reference.h"
#include "vesica/geometry/solid.h"
#include "vesica/interference/slices/cell_pair.h"
#include "vesica/interference/slices/slices.h"

namespace vesica::slices_triples_test {
namespace {

using test::random_between;
using test::random_rotation;
using test::random_vector;

// Volume, centroid and size by the midpoint rule over columns along z, each exact; the box is drawn
// in round what was seen.
struct Counted {
  double volume = 0;
  Vec3d centroid = Vec3d::Zero();
  double length = 0;
};

double calc_column(const std::vector<Quadric>& all, const Bounds& box, double x, double y,
                   double* middle) {
  // Every surface cuts the column at two places at most.
  std::vector<double> cuts = {box.min.z(), box.max.z()};
  for (const Quadric& g : all) {
    const double a = g.A.zz, b = g.A.xz * x + g.A.yz * y + g.b.z(), c = g(Vec3d(x, y, 0));
    const double d = b * b - a * c;
    if (d < 0) continue;
    const double s = -(b + std::copysign(std::sqrt(d), b));
    for (const double z : {s / a, c / s}) {
      if (z > box.min.z() && z < box.max.z()) cuts.push_back(z);
    }
  }
  std::sort(cuts.begin(), cuts.end());
  double length = 0;
  *middle = 0;
  for (size_t k = 1; k < cuts.size(); ++k) {
    const double L = cuts[k] - cuts[k - 1], z = 0.5 * (cuts[k] + cuts[k - 1]);
    const Vec3d at(x, y, z);
    if (std::all_of(all.begin(), all.end(), [&](const Quadric& g) { return g(at) <= 0; })) {
      length += L;
      *middle += L * z;
    }
  }
  return length;
}

Counted count_columns(const Cell& i, const Cell& j, const Pose<double>& X, int columns) {
  Bounds box = i.bounds.moved(X).common_with(j.bounds);
  std::vector<Quadric> all;
  for (const Primitive& p : i.primitives) all.push_back(p.g.moved(X));
  for (const Primitive& p : j.primitives) all.push_back(p.g);
  Counted result;
  if (box.is_empty()) return result;
  constexpr int kPasses = 4;
  for (int pass = 0; pass < kPasses; ++pass) {
    const int n = pass + 1 < kPasses ? 64 : columns;
    const double dx = 2 * box.half().x() / n, dy = 2 * box.half().y() / n;
    Bounds seen = Bounds::nothing();
    result = {};
    for (int k = 0; k < n; ++k) {
      for (int m = 0; m < n; ++m) {
        const double x = box.min.x() + (k + 0.5) * dx, y = box.min.y() + (m + 0.5) * dy;
        double z;
        const double L = calc_column(all, box, x, y, &z);
        if (!(L > 0)) continue;
        const Vec3d reach(dx, dy, 0), at(x, y, z / L);
        seen = seen.joined_with({at - reach, at + reach});
        result.volume += L * dx * dy;
        result.centroid += L * dx * dy * at;
      }
    }
    if (!(result.volume > 0)) return result;
    result.centroid /= result.volume;
    result.length = 2 * seen.half().norm();
    box.min.head<2>() = seen.min.head<2>();
    box.max.head<2>() = seen.max.head<2>();
  }
  return result;
}

Primitive make_random_primitive(std::mt19937_64& random, bool is_convex) {
  const Pose<double> X = {random_rotation(random), random_vector(random, 0.6)};
  const int kind = std::uniform_int_distribution<int>(0, is_convex ? 8 : 9)(random);
  Primitive p;
  if (kind < 3) {
    p = make_sphere(random_between(random, 0.4, 1.2), X);
  } else if (kind < 6) {
    const Vec3d radii = Vec3d::Constant(0.75) + random_vector(random, 0.4);
    p = make_ellipsoid(radii, X);
  } else if (kind < 8) {
    p = make_cylinder(random_between(random, 0.3, 0.8), X);
  } else if (kind < 9) {
    p = make_paraboloid(random_between(random, 0.2, 0.8), X);
  } else {
    p = make_cone(random_between(random, 0.2, 0.7), X);
  }
  if (!is_convex && random() % 5 == 0) p = make_complement(p);
  return p;
}

// The first surface is bounded.
Cell make_random_cell(std::mt19937_64& random, int count, bool is_convex) {
  std::vector<Primitive> all = {
      make_sphere(random_between(random, 0.5, 1), {Mat3d::Identity(), random_vector(random, 0.5)})};
  while (static_cast<int>(all.size()) < count) {
    all.push_back(make_random_primitive(random, is_convex));
  }
  return make_cell(all);
}

Pose<double> inverse_of(const Pose<double>& X) {
  return {X.R_WB.transpose(), -(X.R_WB.transpose() * X.p_WB)};
}

// Also with the bodies exchanged, and seen from turned axes.
CellMoments calc_and_expect_invariance(const Cell& i, const Cell& j, const Pose<double>& X,
                                       std::mt19937_64& random) {
  const CellMoments m = calc_cell_moments(i, j, X);
  EXPECT_TRUE(m.has_converged);
  const double swapped = calc_cell_moments(j, i, inverse_of(X)).volume;
  const Pose<double> turn = {random_rotation(random), random_vector(random, 1)};
  const Pose<double> after = {turn.R_WB * X.R_WB, turn * X.p_WB};
  const double turned = calc_cell_moments(i, moved(j, turn), after).volume;
  EXPECT_NEAR(swapped, m.volume, 1e-7 * m.volume);  // 1e-10 in most, 6e-8 in 1 of 5,000
  EXPECT_NEAR(turned, m.volume, 1e-7 * m.volume);
  return m;
}

TEST(SlicesOfThree, CellsOfAnyKindShareWhatColumnsCount) {
  std::mt19937_64 random(7);
  int full = 0;
  for (int k = 0; k < 60; ++k) {
    const Cell i = make_random_cell(random, 2 + k % 2, false),
               j = make_random_cell(random, 1 + k % 3 / 2, false);
    const Pose<double> X = {random_rotation(random), random_vector(random, 0.4)};
    SCOPED_TRACE(k);
    const CellMoments m = calc_and_expect_invariance(i, j, X, random);
    const Counted counted = count_columns(i, j, X, 100);
    full += counted.volume > 0;
    EXPECT_NEAR(m.volume, counted.volume, 5e-3 * counted.volume + 5e-7);  // columns: 1.7e-7
  }
  EXPECT_GT(full, 35);
}

TEST(SlicesOfThree, ConvexCellsAreExact) {
  std::mt19937_64 random(8);
  int full = 0;
  for (int k = 0; k < 24; ++k) {
    const Cell i = make_random_cell(random, 2 + k % 2, true),
               j = make_random_cell(random, 1 + k % 3 / 2, true);
    const Pose<double> X = {random_rotation(random), random_vector(random, 0.4)};
    const Counted hint = count_columns(i, j, X, 64);
    if (!(hint.volume > 1e-6)) continue;
    ++full;
    SCOPED_TRACE(k);
    std::vector<test::RealQuadric> quadrics;
    test::add_quadrics(i, X, &quadrics);
    test::add_quadrics(j, {}, &quadrics);
    const auto reference =
        test::CellReference(quadrics, random_rotation(random), hint.centroid, hint.length)
            .calc(1e-9);
    const CellMoments m = calc_cell_moments(i, j, X);
    EXPECT_TRUE(m.has_converged);
    EXPECT_NEAR(m.volume, reference.volume, 1e-8 * reference.volume);
    EXPECT_NEAR((m.centroid - reference.centroid).norm(), 0, 1e-8 * hint.length);
  }
  EXPECT_GT(full, 10);
}

// Two ellipsoids that overlap, as one solid.
Solid make_foot() {
  return make_solid(
      {make_cell({make_ellipsoid({0.04, 0.03, 0.025}, {Mat3d::Identity(), {-0.03, 0, 0}})}),
       make_cell({make_ellipsoid({0.05, 0.04, 0.02}, {Mat3d::Identity(), {0.04, 0, 0}})})});
}

// Counted over the cells: V(A or B) = V(A) + V(B) - V(A and B) on either side.
double count_union(const Solid& i, const Solid& j, const Pose<double>& X) {
  double volume = 0;
  for (const SignedCell& a : make_solid_parts(i)) {
    for (const SignedCell& b : make_solid_parts(j)) {
      volume += a.sign * b.sign * count_columns(a.cell, b.cell, X, 100).volume;
    }
  }
  return volume;
}

TEST(SlicesOfThree, OverlappingEllipsoidsCountOnce) {
  std::mt19937_64 random(9);
  const Solid foot = make_foot(), ball = make_solid({make_cell({make_sphere(0.03)})});
  const SolidParts parts_of_foot = make_solid_parts(foot);
  int with_lens = 0;
  for (const Solid* other : {&ball, &foot}) {
    const SolidParts parts = make_solid_parts(*other);
    for (int k = 0; k < 12; ++k) {
      const Pose<double> X = {random_rotation(random), random_vector(random, 0.035)};
      const double counted = count_union(foot, *other, X);
      if (!(counted > 1e-8)) continue;
      SCOPED_TRACE(k);
      const double V = calc_shared_moments(parts_of_foot, X, parts, Pose<double>{}).volume;
      const double swapped =
          calc_shared_moments(parts, inverse_of(X), parts_of_foot, Pose<double>{}).volume;
      EXPECT_NEAR(V, counted, 3e-3 * counted);
      EXPECT_NEAR(swapped, V, 1e-7 * V);
      const Cell lens = make_common_cell(foot.cells[0], foot.cells[1]);
      with_lens += calc_cell_moments(lens, other->cells[0], X).volume > 0;
    }
  }
  EXPECT_GT(with_lens, 4);
}

// Lost before: the lens of two ellipsoids, and cells with an endless cylinder, in a ball. The
// values are counted with 10^6 columns.
TEST(SlicesOfThree, CornersOnly) {
  const Pose<double> left = {Mat3d::Identity(), {-0.03, 0, 0}};
  const Primitive long_one = make_ellipsoid({0.04, 0.03, 0.025}, left);
  const Primitive cylinder = make_cylinder(0.02, {Mat3d::Identity(), {0.02, 0, 0}});
  const Vec3d place(-0.01771322912797243, 0.02645856006527994, 0.011438516466414493);
  const Cell ball = make_cell({make_sphere(0.03)});
  const Solid foot = make_foot();
  std::mt19937_64 random(10);
  const std::vector<std::pair<Cell, Vec3d>> all = {
      {make_cell({make_sphere(0.04, left), cylinder}), {0.005, 0.02, 0}},
      {make_cell({long_one, cylinder}), place},
      {make_common_cell(foot.cells[0], foot.cells[1]), place}};
  for (const auto& [cell, p] : all) {
    const double counted = count_columns(cell, ball, {Mat3d::Identity(), -p}, 200).volume;
    EXPECT_GT(counted, 2e-7);
    for (int k = 0; k < 20; ++k) {
      // The ball turned about its own centre.
      const Mat3d R = k == 0 ? Mat3d(Mat3d::Identity()) : random_rotation(random);
      const CellMoments m = calc_cell_moments(cell, ball, {R, -(R * p)});
      EXPECT_TRUE(m.has_converged);
      EXPECT_NEAR(m.volume, counted, 2e-3 * counted) << k;
    }
  }
}

}  // namespace
}  // namespace vesica::slices_triples_test
