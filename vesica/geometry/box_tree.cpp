#include "vesica/geometry/box_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "vesica/error.h"

namespace vesica {

namespace {

// Splits cells [begin, end) of `order` at the median along the longest side of their centres' box.
void build(std::span<const Bounds> boxes, std::span<std::int32_t> order,
           std::vector<BoxTree::Node>* nodes) {
  const std::size_t index = nodes->size();
  nodes->emplace_back();
  Bounds all = boxes[order[0]], centers;
  centers.min = centers.max = 0.5 * (all.min + all.max);
  for (const std::int32_t c : order) {
    all.min = all.min.cwiseMin(boxes[c].min);
    all.max = all.max.cwiseMax(boxes[c].max);
    const Vec3d center = 0.5 * (boxes[c].min + boxes[c].max);
    centers.min = centers.min.cwiseMin(center);
    centers.max = centers.max.cwiseMax(center);
  }
  (*nodes)[index].center = 0.5 * (all.min + all.max);
  (*nodes)[index].half = 0.5 * (all.max - all.min);
  if (order.size() == 1) {
    (*nodes)[index].cell = order[0];
    return;
  }
  int axis = 0;
  (centers.max - centers.min).maxCoeff(&axis);
  const std::size_t middle = order.size() / 2;
  // Ties go by index, so that the tree is the same on every machine.
  std::nth_element(order.begin(), order.begin() + middle, order.end(),
                   [&](std::int32_t a, std::int32_t b) {
                     const double x = boxes[a].min[axis] + boxes[a].max[axis];
                     const double y = boxes[b].min[axis] + boxes[b].max[axis];
                     return x != y ? x < y : a < b;
                   });
  build(boxes, order.subspan(0, middle), nodes);
  (*nodes)[index].second = static_cast<std::int32_t>(nodes->size());
  build(boxes, order.subspan(middle), nodes);
}

// Where the boxes of j are for the boxes of i.
struct Relative {
  Mat3d R, abs_R;
  Vec3d p;
  double margin;

  bool may_meet(const BoxTree::Node& a, const BoxTree::Node& b) const {
    const Vec3d t = R * b.center + p - a.center;
    const Vec3d reach = a.half + abs_R * b.half;
    if ((t.cwiseAbs() - reach).maxCoeff() > margin) return false;
    const Vec3d u = R.transpose() * t;
    const Vec3d back = abs_R.transpose() * a.half + b.half;
    return (u.cwiseAbs() - back).maxCoeff() <= margin;
  }

  // The nine directions across an edge of each. They are not unit, so the margin, which is not
  // scaled, only keeps more; parallel edges give no direction.
  bool edges_may_meet(const BoxTree::Node& a, const BoxTree::Node& b) const {
    const Vec3d t = R * b.center + p - a.center;
    for (int k = 0; k < 3; ++k) {
      const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
      for (int l = 0; l < 3; ++l) {
        const int l1 = (l + 1) % 3, l2 = (l + 2) % 3;
        const double reach = a.half[k1] * abs_R(k2, l) + a.half[k2] * abs_R(k1, l) +
                             b.half[l1] * abs_R(k, l2) + b.half[l2] * abs_R(k, l1);
        if (std::abs(t[k2] * R(k1, l) - t[k1] * R(k2, l)) > reach + margin) return false;
      }
    }
    return true;
  }
};

}  // namespace

BoxTree::BoxTree(std::span<const Bounds> boxes) {
  for (std::size_t c = 0; c < boxes.size(); ++c) {
    const Bounds& box = boxes[c];
    if (!box.min.allFinite() || !box.max.allFinite() || !((box.max - box.min).minCoeff() >= 0)) {
      throw InputError(fmt::format(
          "box of cell {}: from [{}, {}, {}] to [{}, {}, {}]; expected finite corners, low first",
          c, box.min.x(), box.min.y(), box.min.z(), box.max.x(), box.max.y(), box.max.z()));
    }
  }
  if (boxes.empty()) return;
  std::vector<std::int32_t> order(boxes.size());
  std::iota(order.begin(), order.end(), 0);
  nodes_.reserve(2 * boxes.size());
  build(boxes, order, &nodes_);
}

void find_box_pairs(const BoxTree& tree_i, const Pose<double>& X_WI, const BoxTree& tree_j,
                    const Pose<double>& X_WJ, double margin, std::vector<CellPair>* pairs) {
  pairs->clear();
  const auto nodes_i = tree_i.nodes(), nodes_j = tree_j.nodes();
  if (nodes_i.empty() || nodes_j.empty()) return;
  Relative relative;
  relative.R = X_WI.R_WB.transpose() * X_WJ.R_WB;
  relative.p = X_WI.R_WB.transpose() * (X_WJ.p_WB - X_WI.p_WB);
  // Rounding of what is compared: more than the few operations can lose.
  relative.abs_R = relative.R.cwiseAbs() + Mat3d::Constant(1e-15);
  relative.margin =
      margin + 1e-15 * (relative.p.norm() + nodes_i[0].half.norm() + nodes_i[0].center.norm() +
                        nodes_j[0].half.norm() + nodes_j[0].center.norm());
  // Median splits: neither tree is deeper than 32 levels, and every step leaves one node behind.
  std::array<CellPair, 128> stack;
  std::size_t count = 0;
  stack[count++] = {0, 0};
  while (count > 0) {
    const CellPair top = stack[--count];
    const BoxTree::Node &a = nodes_i[top.i], &b = nodes_j[top.j];
    if (!relative.may_meet(a, b)) continue;
    if (a.cell >= 0 && b.cell >= 0) {
      if (relative.edges_may_meet(a, b)) pairs->push_back({a.cell, b.cell});
    } else if (b.cell >= 0 || (a.cell < 0 && a.half.squaredNorm() >= b.half.squaredNorm())) {
      stack[count++] = {a.second, top.j};
      stack[count++] = {top.i + 1, top.j};
    } else {
      stack[count++] = {top.i, b.second};
      stack[count++] = {top.i, top.j + 1};
    }
  }
  std::sort(pairs->begin(), pairs->end());
}

}  // namespace vesica
