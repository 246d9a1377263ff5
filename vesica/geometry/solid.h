// A solid: the union of cells that move together. Cells may overlap; what they share is counted
// once (interference/slices/slices.h), and whether they do is known from the start.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "vesica/geometry/cell.h"

namespace vesica {

struct Solid {
  std::vector<Cell> cells;
  Bounds bounds;  // around all cells

  bool contains(const Vec3d& x) const;
};

Solid make_solid(std::vector<Cell> cells);
// Two half balls and a cylinder that do not overlap; `length` is that of the cylinder.
Solid make_capsule(double radius, double length);

// As a body's shape; shared, as it may have thousands of cells.
struct SolidShape {
  static constexpr std::string_view kName = "solid";
  std::shared_ptr<const Solid> solid;
  Bounds bounds() const { return solid->bounds; }
};

}  // namespace vesica
