#include "vesica/geometry/triangle_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/geometry/sample_meshes.h"

namespace vesica::triangle_tree_test {
namespace {

// 506 triangles: the last leaf and the last boxes of every level are not full.
TriangleMesh make_ring() { return test::make_torus(1, 0.3, 23, 11); }

TriangleMesh shifted(const TriangleMesh& mesh, const Vec3d& shift) {
  std::vector<Vec3d> vertices = mesh.vertices();
  for (Vec3d& p : vertices) p += shift;
  return TriangleMesh(vertices, mesh.triangles(), "shifted");
}

// Leaves below a box: of level 0 the box is the leaf.
std::pair<std::size_t, std::size_t> find_leaves(const TriangleTree& tree, int level,
                                                std::int32_t box) {
  const std::size_t count = std::size_t{1} << (2 * level), first = box * count;
  return {first, std::min(first + count, tree.leaves().size())};
}

Vec3d corner_of(const TriangleTree& tree, std::size_t leaf, int triangle, int corner) {
  const auto& x = tree.leaves()[leaf].corners[corner];
  return {x[0][triangle], x[1][triangle], x[2][triangle]};
}

std::int32_t count_boxes(const TriangleTree& tree, int level) {
  std::size_t count = tree.leaves().size();
  for (int k = 0; k < level; ++k) count = (count + 3) / 4;
  return static_cast<std::int32_t>(count);
}

TEST(TriangleTree, LanesOfAMaskAreListedInOrder) {
  for (unsigned mask = 0; mask < 16; ++mask) {
    LaneBits bits = {};
    std::vector<std::int32_t> expected;
    for (int k = 0; k < kLanes; ++k) {
      if ((mask >> k & 1) == 0) continue;
      bits[k] = -1;
      expected.push_back(40 + k);
    }
    EXPECT_EQ(calc_lane_mask(bits), mask);
    std::int32_t listed[4];
    const int count = put_lane_indices(mask, 40, listed);
    EXPECT_EQ(std::vector<std::int32_t>(listed, listed + count), expected);
  }
}

TEST(TriangleTree, HoldsEveryTriangleOnceInsideItsBoxes) {
  for (const TriangleMesh& mesh : {make_ring(), test::make_l_shape()}) {
    const TriangleTree& tree = mesh.tree();
    auto sorted = [](test::Triangles t) { return std::sort(t.begin(), t.end()), t; };
    EXPECT_EQ(sorted(tree.triangles()), sorted(mesh.triangles()));
    for (int level = 0; level < tree.level_count(); ++level) {
      std::size_t held = 0;
      for (std::int32_t b = 0; b < count_boxes(tree, level); ++b) {
        const auto [first, last] = find_leaves(tree, level, b);
        held += last - first;
        const auto& half = tree.boxes(level)[b / kLanes].half;
        const Vec3d reach(half[0][b % kLanes], half[1][b % kLanes], half[2][b % kLanes]);
        for (std::size_t leaf = first; leaf < last; ++leaf) {
          for (int t = 0; t < kLanes; ++t) {
            for (int k = 0; k < 3; ++k) {
              const Vec3d x = corner_of(tree, leaf, t, k);
              EXPECT_TRUE(
                  ((x - tree.center_of(level, b)).cwiseAbs().array() <= reach.array() + 1e-15)
                      .all());
              const std::size_t index = 4 * leaf + t;
              if (index < tree.triangles().size()) {
                EXPECT_EQ(x, mesh.vertices()[tree.triangles()[index][k]]);
              } else {
                EXPECT_EQ(x, corner_of(tree, leaf, t, 0));  // no area
              }
            }
          }
        }
      }
      EXPECT_EQ(held, tree.leaves().size());
    }
  }
}

// What the plane leaves below is met once: in a leaf, or in a patch that is wholly there.
TEST(TriangleTree, VisitsWhatIsBelowAPlaneOnce) {
  std::mt19937_64 random(6);
  const TriangleMesh ring = shifted(make_ring(), Vec3d(3, -2, 5));
  const TriangleTree& tree = ring.tree();
  std::size_t patches = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Vec3d m = test::random_vector(random, 1).normalized();
    double h = -m.dot(Vec3d(3, -2, 5)) + test::random_between(random, -1.5, 1.5);
    if (trial % 3 == 0) h = -m.dot(ring.vertices()[trial % ring.vertices().size()]);
    std::multiset<std::size_t> met;
    tree.visit_below(
        m, h, [&](std::int32_t leaf) { met.insert(leaf); },
        [&](int level, std::int32_t box) {
          ++patches;
          const auto [first, last] = find_leaves(tree, level, box);
          for (std::size_t leaf = first; leaf < last; ++leaf) {
            met.insert(leaf);
            for (int k = 0; k < 12; ++k) {
              EXPECT_LT(m.dot(corner_of(tree, leaf, k / 3, k % 3)) + h, 0);
            }
          }
        });
    for (std::size_t leaf = 0; leaf < tree.leaves().size(); ++leaf) {
      bool is_below = false;
      for (int k = 0; k < 12; ++k) {
        is_below = is_below || m.dot(corner_of(tree, leaf, k / 3, k % 3)) + h < 0;
      }
      EXPECT_LE(met.count(leaf), 1u);
      EXPECT_GE(met.count(leaf), is_below ? 1u : 0u) << "leaf " << leaf << " trial " << trial;
    }
  }
  EXPECT_GT(patches, 1000u);
}

// ---- Sums of patches against the plain sum over their triangles, in quadruple precision.

__extension__ typedef __float128 Quad;

std::array<Quad, 10> sum_plainly(const TriangleTree& tree, int level, std::int32_t box,
                                 const Vec3d& apex) {
  std::array<Quad, 10> sum{};
  const auto [first, last] = find_leaves(tree, level, box);
  for (std::size_t leaf = first; leaf < last; ++leaf) {
    for (int t = 0; t < kLanes; ++t) {
      Quad p[3][3], s[3] = {};
      for (int k = 0; k < 3; ++k) {
        const Vec3d x = corner_of(tree, leaf, t, k);
        for (int c = 0; c < 3; ++c) {
          p[k][c] = Quad(x[c]) - Quad(apex[c]);
          s[c] += p[k][c];
        }
      }
      const Quad det = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) -
                       p[0][1] * (p[1][0] * p[2][2] - p[1][2] * p[2][0]) +
                       p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
      sum[0] += det;
      for (int c = 0; c < 3; ++c) sum[1 + c] += det * s[c];
      constexpr int kPair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
      for (int q = 0; q < 6; ++q) {
        const auto [i, j] = kPair[q];
        Quad products = s[i] * s[j];
        for (const auto& x : p) products += x[i] * x[j];
        sum[4 + q] += det * products;
      }
    }
  }
  return sum;
}

TEST(TriangleTree, SumsOfPatchesAreThoseOfTheirTrianglesWhereverTheOriginIs) {
  std::mt19937_64 random(7);
  double worst = 0;
  for (const double distance : {0.0, 1.0, 1e6}) {
    const TriangleMesh ring = shifted(make_ring(), Vec3d(distance, -2 * distance, distance));
    const TriangleTree& tree = ring.tree();
    ASSERT_GT(tree.level_count(), 2);
    for (int level = 1; level < tree.level_count(); ++level) {
      for (std::int32_t b = 0; b < count_boxes(tree, level); ++b) {
        const Vec3d center = tree.center_of(level, b);
        // Near, as the contact is to its patches; the numbers of `apex` are its own.
        const Vec3d apex = center + test::random_vector(random, 0.5), s = center - apex;
        const auto moments = tree.sums(level, b).calc_moments(s);
        const auto plain = sum_plainly(tree, level, b, apex);
        // The largest that a moment of this order can be: area times distances.
        const double reach = s.norm() + 2.6, area = 2 * 24;
        for (int k = 0; k < 10; ++k) {
          const double scale = area * std::pow(reach, k == 0 ? 1 : k < 4 ? 2 : 3);
          worst = std::max(worst, std::abs(moments[k] - double(plain[k])) / scale);
        }
      }
    }
  }
  EXPECT_LT(worst, 1e-17);  // measured 2.4e-18, of a scale that is never reached
}

}  // namespace
}  // namespace vesica::triangle_tree_test
