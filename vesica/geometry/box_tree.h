// A tree of boxes over the cells of a solid, built once in the solid's frame, and the search for
// cells of two moving solids that may meet.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vesica/geometry/bounds.h"

namespace vesica {

// Cells of two solids, by index.
struct CellPair {
  std::int32_t i = 0, j = 0;
  friend auto operator<=>(const CellPair&, const CellPair&) = default;
};

class BoxTree {
 public:
  // The children of an inner node follow it: the first directly, the second at `second`. A leaf
  // holds one cell; cell is -1 elsewhere.
  struct Node {
    Vec3d center = Vec3d::Zero(), half = Vec3d::Zero();
    std::int32_t second = -1, cell = -1;
  };

  BoxTree() = default;
  // One box per cell. Throws InputError where a box is inverted or not finite.
  explicit BoxTree(std::span<const Bounds> boxes);

  std::span<const Node> nodes() const { return nodes_; }
  std::size_t cell_count() const { return (nodes_.size() + 1) / 2; }

 private:
  std::vector<Node> nodes_;
};

// All pairs of cells whose boxes come within `margin` of each other, in ascending order, without
// allocating once `pairs` has room. Boxes are tested as the oriented boxes they are: a pair of
// leaves with all fifteen separating axes, inner nodes with the six face normals.
void find_box_pairs(const BoxTree& tree_i, const Pose<double>& X_WI, const BoxTree& tree_j,
                    const Pose<double>& X_WJ, double margin, std::vector<CellPair>* pairs);

}  // namespace vesica
