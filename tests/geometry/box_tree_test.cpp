#include "vesica/geometry/box_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/support/support.h"

namespace vesica::box_tree_test {
namespace {

std::vector<Bounds> random_boxes(std::mt19937_64& random, int count) {
  std::vector<Bounds> boxes;
  for (int k = 0; k < count; ++k) {
    const Vec3d center = test::random_vector(random, 1);
    const Vec3d half = 0.1 * (test::random_vector(random, 1).cwiseAbs());
    boxes.push_back({center - half, center + half});
  }
  return boxes;
}

// The corners' extents along one direction, for both boxes: the separating axes by their
// definition.
double calc_gap(const Bounds& a, const Pose<double>& X_A, const Bounds& b, const Pose<double>& X_B,
                const Vec3d& axis) {
  const auto extent = [&](const Bounds& box, const Pose<double>& X, double sign) {
    double most = -1e300;
    for (int k = 0; k < 8; ++k) {
      const Vec3d corner(k & 1 ? box.max.x() : box.min.x(), k & 2 ? box.max.y() : box.min.y(),
                         k & 4 ? box.max.z() : box.min.z());
      most = std::max(most, sign * axis.dot(X * corner));
    }
    return most;
  };
  return std::max(-extent(a, X_A, -1) - extent(b, X_B, 1), -extent(b, X_B, -1) - extent(a, X_A, 1));
}

bool boxes_meet(const Bounds& a, const Pose<double>& X_A, const Bounds& b,
                const Pose<double>& X_B) {
  for (int k = 0; k < 3; ++k) {
    if (calc_gap(a, X_A, b, X_B, X_A.R_WB.col(k)) > 0) return false;
    if (calc_gap(a, X_A, b, X_B, X_B.R_WB.col(k)) > 0) return false;
    for (int l = 0; l < 3; ++l) {
      const Vec3d across = X_A.R_WB.col(k).cross(X_B.R_WB.col(l));
      if (across.norm() > 1e-9 && calc_gap(a, X_A, b, X_B, across) > 0) return false;
    }
  }
  return true;
}

TEST(BoxTree, FindsThePairsThatTryingAllFinds) {
  std::mt19937_64 random(1);
  std::size_t found = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const auto a = random_boxes(random, 1 + trial * 5), b = random_boxes(random, 60);
    const Pose<double> X_A = {test::random_rotation(random), test::random_vector(random, 0.5)};
    const Pose<double> X_B = {test::random_rotation(random), test::random_vector(random, 0.5)};
    std::vector<CellPair> pairs, expected;
    find_box_pairs(BoxTree(a), X_A, BoxTree(b), X_B, 0, &pairs);
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < b.size(); ++j) {
        if (boxes_meet(a[i], X_A, b[j], X_B)) {
          expected.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
        }
      }
    }
    EXPECT_EQ(pairs, expected) << trial;
    found += pairs.size();
    // A margin only adds pairs.
    std::vector<CellPair> wider;
    find_box_pairs(BoxTree(a), X_A, BoxTree(b), X_B, 0.05, &wider);
    EXPECT_TRUE(std::includes(wider.begin(), wider.end(), pairs.begin(), pairs.end()));
  }
  EXPECT_GT(found, 100u);
}

TEST(BoxTree, TouchingBoxesAreAPairInAnyOrientation) {
  std::mt19937_64 random(2);
  const std::vector<Bounds> a = {{Vec3d(0, 0, 0), Vec3d(1, 1, 1)}};
  const std::vector<Bounds> b = {{Vec3d(1, 0.5, 0.5), Vec3d(2, 2, 2)}};
  for (int trial = 0; trial < 1000; ++trial) {
    const Pose<double> X = {test::random_rotation(random), test::random_vector(random, 100)};
    std::vector<CellPair> pairs;
    find_box_pairs(BoxTree(a), X, BoxTree(b), X, 0, &pairs);
    EXPECT_EQ(pairs.size(), 1u);
  }
}

TEST(BoxTree, NothingIsNoPairAndBadBoxesAreRejected) {
  std::vector<CellPair> pairs = {{1, 2}};
  find_box_pairs(BoxTree(), Pose<double>{}, BoxTree(), Pose<double>{}, 0, &pairs);
  EXPECT_TRUE(pairs.empty());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Bounds& bad :
       {Bounds{Vec3d(0, 0, 0), Vec3d(1, -1, 1)}, Bounds{Vec3d(nan, 0, 0), Vec3d(1, 1, 1)}}) {
    const std::vector<Bounds> boxes = {bad};
    EXPECT_NE(test::input_error_of([&] { BoxTree{boxes}; }).find("cell 0"), std::string::npos);
  }
}

}  // namespace
}  // namespace vesica::box_tree_test
