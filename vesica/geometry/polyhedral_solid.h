// A solid of convex polyhedra that move together.
#pragma once

#include <optional>
#include <vector>

#include "vesica/geometry/box_tree.h"
#include "vesica/geometry/cell.h"
#include "vesica/geometry/convex_polyhedron.h"

namespace vesica {

// Cells may touch but must not overlap, or the shared part counts twice: make_disjoint first.
class PolyhedralSolid {
 public:
  explicit PolyhedralSolid(std::vector<ConvexPolyhedron> cells);

  const std::vector<ConvexPolyhedron>& cells() const { return cells_; }
  const BoxTree& tree() const { return tree_; }

 private:
  std::vector<ConvexPolyhedron> cells_;
  BoxTree tree_;
};

// A cell of planes alone as a polyhedron; nothing where it has other primitives or no volume.
std::optional<ConvexPolyhedron> make_cell_polyhedron(const Cell& cell);

Cell make_polyhedron_cell(const ConvexPolyhedron& polyhedron);

// Convex cells without common volume that fill the same space: where a cell meets an earlier one,
// it is cut along that one's planes and the common part dropped. Slivers thinner than 1e-9 of the
// cell are dropped too. Cells that meet no other are kept as they are, in their order.
std::vector<ConvexPolyhedron> make_disjoint(const std::vector<ConvexPolyhedron>& cells);

}  // namespace vesica
