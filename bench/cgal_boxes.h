// Volume of the intersection of two boxes by CGAL, three ways.
#pragma once

#include "vesica/math/vector.h"

namespace vesica::bench {

struct BoxPair {
  Vec3d size;  // of both
  Mat3d R_I;
  Vec3d p_I;
  Mat3d R_J;
  Vec3d p_J;
  Vec3d inside;  // a point of the intersection
};

// halfspace_intersection_3: convex hull of the dual points, with exact predicates. It needs a point
// inside, given or found by its own linear program.
double intersect_half_spaces(const BoxPair& pair, bool with_point);
// Polygon_mesh_processing, exact predicates, inexact constructions; both meshes are made anew, as
// the boxes have moved.
double intersect_meshes(const BoxPair& pair);
// Nef polyhedra, exact constructions.
double intersect_nef(const BoxPair& pair);

}  // namespace vesica::bench
