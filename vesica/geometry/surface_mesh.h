// Triangles for looking at: what STL and glTF files hold. Not a checked solid (triangle_mesh.h).
#pragma once

#include <functional>
#include <vector>

#include "vesica/geometry/box_tree.h"
#include "vesica/geometry/polyhedral_solid.h"
#include "vesica/geometry/shapes.h"
#include "vesica/math/pose.h"

namespace vesica {

struct SurfaceMesh {
  std::vector<Vec3d> vertices;
  std::vector<TriangleMesh::Triangle> triangles;  // anticlockwise seen from outside
  std::vector<Vec3d> normals;                     // one per vertex, or none: flat triangles
};

SurfaceMesh make_surface_mesh(const TriangleMesh& mesh);
SurfaceMesh make_surface_mesh(const ConvexPolyhedron& polyhedron);
// All faces of all cells, those between cells as well.
SurfaceMesh make_surface_mesh(const PolyhedralSolid& solid);

// The surface of any solid {g(x) <= 0} within the box, by marching tetrahedra on a grid of `cells`
// cubes along the longest side: closed, oriented, vertices on the grid's edges where g changes sign
// (found by bisection, so g need not be a distance; to 1e-3 of a cell), normals from g's gradient.
// Edges and corners of the solid are bevelled by up to a grid cell, and details smaller than one
// are lost: for viewing. Where the solid reaches past the box it is cut off there. Throws
// InputError unless the box is finite, not flat, and 1 <= cells <= 512.
SurfaceMesh make_surface_mesh(const std::function<double(const Vec3d&)>& g, const Bounds& box,
                              int cells);

// A cell: of planes exactly, others as above. The cell must have bounds.
SurfaceMesh make_surface_mesh(const Cell& cell, int cells);

// Vertices on the torus, `around` its axis and a third as many, at least 12, around its tube.
SurfaceMesh make_surface_mesh(const Torus<double>& torus, int around);

// The second mesh, placed at X, added to the first. Keeps normals only if both have them.
void append_mesh(const SurfaceMesh& part, const Pose<double>& X, SurfaceMesh* mesh);

// Volume inside, by the divergence theorem: for checks.
double calc_enclosed_volume(const SurfaceMesh& mesh);

}  // namespace vesica
