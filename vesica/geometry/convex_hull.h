// The convex hull of points, as a closed mesh.
#pragma once

#include <string>
#include <vector>

#include "vesica/geometry/triangle_mesh.h"

namespace vesica {

// Points may repeat, lie inside, on edges or on flat faces. Points less than 1e-10 of the size
// outside the hull of the others are left out. Throws InputError, with `source` in front, for fewer
// than four points, more than 100,000, numbers that are not finite, or points that all lie in one
// plane (to 1e-9 of the size). Time grows as points times faces: about a second for 5,000 points on
// a sphere.
TriangleMesh make_convex_hull(const std::vector<Vec3d>& points, const std::string& source);

}  // namespace vesica
