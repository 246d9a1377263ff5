// Volume, centroid and second moment of a solid by itself: what it shares with a box around it.
#pragma once

#include "vesica/geometry/solid.h"
#include "vesica/geometry/triangle_mesh.h"

namespace vesica {

// In the solid's frame, M about the centroid. Cells that overlap count once. Throws InputError
// where the solid has no bounds.
TriangleMesh::Solid calc_solid_moments(const Solid& solid);

}  // namespace vesica
