#include "vesica/geometry/triangle_mesh.h"

namespace vesica {

TriangleMesh::TriangleMesh(std::vector<Vec3d> vertices, std::vector<Triangle> triangles,
                           const std::string& /*source*/)
    : vertices_(std::move(vertices)), triangles_(std::move(triangles)) {}

}  // namespace vesica
