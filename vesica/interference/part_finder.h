// Two bodies of several parts each (shapes, or cells of a solid): which parts are near each other.
//
// Boxes round the parts prune (geometry/box_tree.h). A half-space has no box: the boxes that reach
// below its plane are near it. Other endless surfaces are always near everything.
#pragma once

#include <span>
#include <vector>

#include "vesica/geometry/box_tree.h"

namespace vesica {

// Where a part reaches, in its body's frame.
struct PartExtent {
  Bounds box;  // infinite: endless
  bool is_half_space = false;
  Vec3d normal = Vec3d::UnitZ();  // of a half-space: normal.x <= offset
  double offset = 0;
};

class PartFinder {
 public:
  PartFinder() = default;
  // `margin`: how far it makes sense to look.
  PartFinder(std::span<const PartExtent> i, std::span<const PartExtent> j, double margin);

  // Parts whose boxes come within `margin` of each other, ascending. Allocates nothing once `near`
  // has room.
  void find(const Pose<double>& X_WI, const Pose<double>& X_WJ, double margin,
            std::vector<CellPair>* near) const;
  double margin() const { return margin_; }

 private:
  struct Side {
    BoxTree tree;
    std::vector<std::int32_t> boxed;  // parts, by the tree's cells
    std::vector<PartExtent> half_spaces;
    std::vector<std::int32_t> half_space_parts;
    std::vector<std::int32_t> endless;  // neither box nor plane
    std::int32_t count = 0;
  };
  static Side make_side(std::span<const PartExtent> parts);
  static void add_below(const Side& boxes, const Side& planes, const Pose<double>& X_PB,
                        double margin, bool boxes_are_i, std::vector<CellPair>* near);

  Side i_, j_;
  double margin_ = 0;
};

}  // namespace vesica
