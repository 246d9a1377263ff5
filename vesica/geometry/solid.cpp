#include "vesica/geometry/solid.h"

#include <algorithm>

namespace vesica {

bool Solid::contains(const Vec3d& x) const {
  return std::any_of(cells.begin(), cells.end(), [&](const Cell& c) { return c.contains(x); });
}

Solid make_solid(std::vector<Cell> cells) {
  Solid solid{std::move(cells), {}};
  if (!solid.cells.empty()) solid.bounds = solid.cells.front().bounds;
  for (const Cell& cell : solid.cells) solid.bounds = solid.bounds.joined_with(cell.bounds);
  return solid;
}

Solid make_capsule(double radius, double length) {
  const double h = 0.5 * length;
  Pose<double> top, bottom;
  top.p_WB.z() = h;
  bottom.p_WB.z() = -h;
  return make_solid({make_cylinder_cell(radius, length),
                     make_cell({make_sphere(radius, top), make_half_space(-Vec3d::UnitZ(), -h)},
                               {{-radius, -radius, h}, {radius, radius, h + radius}}),
                     make_cell({make_sphere(radius, bottom), make_half_space(Vec3d::UnitZ(), -h)},
                               {{-radius, -radius, -h - radius}, {radius, radius, -h}})});
}

}  // namespace vesica
