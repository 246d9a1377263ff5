// A cell: the points that are inside all of its primitives. The intersection of two cells is a cell
// again, which is what makes the shared volume of any two of them one problem.
#pragma once

#include <vector>

#include "vesica/geometry/primitive.h"

namespace vesica {

struct Cell {
  std::vector<Primitive> primitives;
  // A box around the cell; infinite where the primitives do not bound it in a way that can be seen
  // from them one by one, or from the corners of the planes among them. Composed shapes (below)
  // bring their own exact box.
  Bounds bounds;

  bool contains(const Vec3d& x) const;
  bool is_polyhedral() const;  // planes only
  bool is_convex() const;      // no complement but of planes; double cones count as convex when the
                               // cell's box keeps to one side of their apex
};

// Of the primitives one by one, and of the corners of the planes where those are bounded.
Cell make_cell(std::vector<Primitive> primitives);
Cell make_cell(std::vector<Primitive> primitives, const Bounds& bounds);
// What is in both.
Cell make_common_cell(const Cell& a, const Cell& b);
Cell moved(const Cell& cell, const Pose<double>& X_FS);
Cell mirrored(const Cell& cell, const Vec3d& n);

// Shapes as cells, centred on the origin, axis z.
Cell make_box_cell(const Vec3d& size);
Cell make_slab_cell(double thickness);  // |z| <= thickness/2, infinite in x and y
Cell make_cylinder_cell(double radius, double length);
Cell make_cone_cell(double half_angle, double height);  // apex at the origin, 0 <= z <= height

}  // namespace vesica
