#include "bench/meshes.h"

#include <cmath>
#include <map>

namespace vesica::bench {

MeshData make_ellipsoid_mesh(const Vec3d& radii, int f) {
  const double g = (1 + std::sqrt(5.0)) / 2;
  const std::vector<Vec3d> corners = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                                      {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                                      {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
  const int faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                            {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                            {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                            {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  MeshData mesh;
  // A vertex is named by its weights on the icosahedron's corners: the same from both sides of an
  // edge.
  std::map<std::array<int, 12>, std::int32_t> index;
  const auto vertex = [&](const int* face, int i, int j) {
    std::array<int, 12> weights{};
    weights[face[0]] = f - i - j;
    weights[face[1]] = i;
    weights[face[2]] = j;
    const auto [entry, is_new] = index.try_emplace(weights, std::int32_t(mesh.vertices.size()));
    if (is_new) {
      Vec3d p = Vec3d::Zero();
      for (int k = 0; k < 12; ++k) p += weights[k] * corners[k];
      mesh.vertices.push_back(p.normalized().cwiseProduct(radii));
    }
    return entry->second;
  };
  for (const auto& face : faces) {
    for (int i = 0; i < f; ++i) {
      for (int j = 0; j < f - i; ++j) {
        mesh.triangles.push_back(
            {vertex(face, i, j), vertex(face, i + 1, j), vertex(face, i, j + 1)});
        if (i + j + 1 == f) continue;
        mesh.triangles.push_back(
            {vertex(face, i + 1, j), vertex(face, i + 1, j + 1), vertex(face, i, j + 1)});
      }
    }
  }
  return mesh;
}

}  // namespace vesica::bench
