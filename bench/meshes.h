#pragma once

#include "vesica/geometry/triangle_mesh.h"

namespace vesica::bench {

// 20 f^2 triangles with vertices on the ellipsoid: the icosahedron, every edge parted in f, pushed
// out to the sphere and stretched.
struct MeshData {
  std::vector<Vec3d> vertices;
  std::vector<TriangleMesh::Triangle> triangles;
};
MeshData make_ellipsoid_mesh(const Vec3d& radii, int f);

}  // namespace vesica::bench
