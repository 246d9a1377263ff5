#include "vesica/interference/part_finder.h"

#include <algorithm>
#include <array>

namespace vesica {

PartFinder::PartFinder(std::span<const PartExtent> i, std::span<const PartExtent> j, double margin)
    : i_(make_side(i)), j_(make_side(j)), margin_(margin) {}

PartFinder::Side PartFinder::make_side(std::span<const PartExtent> parts) {
  Side side;
  side.count = static_cast<std::int32_t>(parts.size());
  std::vector<Bounds> boxes;
  for (std::int32_t k = 0; k < side.count; ++k) {
    const PartExtent& part = parts[static_cast<std::size_t>(k)];
    if (part.is_half_space) {
      side.half_spaces.push_back(part);
      side.half_space_parts.push_back(k);
    } else if (part.box.is_finite()) {
      boxes.push_back(part.box);
      side.boxed.push_back(k);
    } else {
      side.endless.push_back(k);
    }
  }
  if (!boxes.empty()) side.tree = BoxTree(boxes);
  return side;
}

// The boxes of one side that reach below the half-spaces of the other.
void PartFinder::add_below(const Side& boxes, const Side& planes, const Pose<double>& X_PB,
                           double margin, bool boxes_are_i, std::vector<CellPair>* near) {
  const auto nodes = boxes.tree.nodes();
  if (nodes.empty()) return;
  for (std::size_t k = 0; k < planes.half_spaces.size(); ++k) {
    const PartExtent& plane = planes.half_spaces[k];
    const Vec3d n = X_PB.R_WB.transpose() * plane.normal;  // in the boxes' frame
    const double offset = plane.offset - plane.normal.dot(X_PB.p_WB);
    std::array<std::int32_t, 64> stack;  // one of every level: median splits keep them below 32
    std::size_t count = 0;
    stack[count++] = 0;
    while (count > 0) {
      const std::int32_t at = stack[--count];
      const BoxTree::Node& node = nodes[static_cast<std::size_t>(at)];
      if (n.dot(node.center) - n.cwiseAbs().dot(node.half) > offset + margin) continue;
      if (node.cell >= 0) {
        const std::int32_t box = boxes.boxed[static_cast<std::size_t>(node.cell)];
        near->push_back(boxes_are_i ? CellPair{box, planes.half_space_parts[k]}
                                    : CellPair{planes.half_space_parts[k], box});
      } else {
        stack[count++] = node.second;
        stack[count++] = at + 1;
      }
    }
  }
}

void PartFinder::find(const Pose<double>& X_WI, const Pose<double>& X_WJ, double margin,
                      std::vector<CellPair>* near) const {
  find_box_pairs(i_.tree, X_WI, j_.tree, X_WJ, margin, near);
  for (CellPair& pair : *near) {
    pair = {i_.boxed[static_cast<std::size_t>(pair.i)], j_.boxed[static_cast<std::size_t>(pair.j)]};
  }
  if (!j_.half_spaces.empty())
    add_below(i_, j_, calc_relative_pose(X_WJ, X_WI), margin, true, near);
  if (!i_.half_spaces.empty())
    add_below(j_, i_, calc_relative_pose(X_WI, X_WJ), margin, false, near);
  for (const std::int32_t a : i_.endless) {
    for (std::int32_t b = 0; b < j_.count; ++b) near->push_back({a, b});
  }
  for (const std::int32_t b : j_.endless) {
    for (std::int32_t a = 0; a < i_.count; ++a) near->push_back({a, b});
  }
  std::sort(near->begin(), near->end());
  near->erase(std::unique(near->begin(), near->end()), near->end());
}

}  // namespace vesica
