// Closed meshes that tests of several folders use.
#pragma once

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "tests/support/support.h"
#include "vesica/geometry/convex_hull.h"
#include "vesica/geometry/shapes.h"

namespace vesica::test {

using Triangles = std::vector<TriangleMesh::Triangle>;

inline MeshShape as_shape(TriangleMesh mesh) {
  return {std::make_shared<const TriangleMesh>(std::move(mesh))};
}

inline std::vector<Vec3d> box_corners(const Vec3d& size) {
  std::vector<Vec3d> corners;
  for (int k = 0; k < 8; ++k) {
    corners.push_back(size.cwiseProduct(Vec3d(k & 1, (k >> 1) & 1, k >> 2) - Vec3d::Constant(0.5)));
  }
  return corners;
}
inline Triangles box_triangles() {
  return {{0, 2, 3}, {0, 3, 1}, {0, 1, 5}, {0, 5, 4}, {0, 4, 6}, {0, 6, 2},
          {7, 5, 1}, {7, 1, 3}, {7, 3, 2}, {7, 2, 6}, {7, 6, 4}, {7, 4, 5}};
}

// Grid of nu x nv quads wrapped both ways: outer radius R + r in the xy plane.
inline TriangleMesh make_torus(double R, double r, int nu, int nv) {
  std::vector<Vec3d> vertices;
  Triangles triangles;
  for (int i = 0; i < nu; ++i) {
    for (int j = 0; j < nv; ++j) {
      const double a = 2 * kPi * i / nu, b = 2 * kPi * j / nv;
      vertices.emplace_back((R + r * std::cos(b)) * std::cos(a),
                            (R + r * std::cos(b)) * std::sin(a), r * std::sin(b));
      const auto at = [&](int k, int l) { return (k % nu) * nv + l % nv; };
      triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return TriangleMesh(vertices, triangles, "torus");
}

// Meridians and parallels; vertices on the ellipsoid.
inline TriangleMesh make_ellipsoid_mesh(const Vec3d& radii, int n) {
  std::vector<Vec3d> vertices = {Vec3d(0, 0, -radii.z()), Vec3d(0, 0, radii.z())};
  Triangles triangles;
  const auto at = [&](int i, int j) { return 2 + (i - 1) * 2 * n + j % (2 * n); };
  for (int i = 1; i < n; ++i) {
    for (int j = 0; j < 2 * n; ++j) {
      const double a = kPi * i / n, b = kPi * j / n;
      vertices.push_back(radii.cwiseProduct(
          Vec3d(std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), -std::cos(a))));
      if (i == 1) triangles.push_back({0, at(1, j + 1), at(1, j)});
      if (i == n - 1) triangles.push_back({1, at(i, j), at(i, j + 1)});
      if (i > 1) {
        triangles.push_back({at(i - 1, j), at(i - 1, j + 1), at(i, j + 1)});
        triangles.push_back({at(i - 1, j), at(i, j + 1), at(i, j)});
      }
    }
  }
  return TriangleMesh(vertices, triangles, "ellipsoid");
}

// An L: unit squares (0,0), (1,0), (0,1) of the xy plane, 1 high.
inline TriangleMesh make_l_shape() {
  const std::vector<Eigen::Vector2d> outline = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  std::vector<Vec3d> vertices;
  for (double z : {0.0, 1.0}) {
    for (const auto& p : outline) vertices.emplace_back(p.x(), p.y(), z);
  }
  Triangles triangles;
  for (const auto& [i, j, k] : Triangles{{0, 1, 3}, {1, 2, 3}, {0, 3, 5}, {3, 4, 5}}) {
    triangles.push_back({i + 6, j + 6, k + 6});
    triangles.push_back({i, k, j});
  }
  for (int i = 0; i < 6; ++i) {
    const int j = (i + 1) % 6;
    triangles.push_back({i, j, j + 6});
    triangles.push_back({i, j + 6, i + 6});
  }
  return TriangleMesh(vertices, triangles, "L");
}

// Corners and triangles of several meshes in one, some of them cavities.
struct MeshParts {
  std::vector<Vec3d> vertices;
  Triangles triangles;

  void add(const TriangleMesh& mesh, const Vec3d& shift, bool as_cavity = false) {
    const auto first = static_cast<std::int32_t>(vertices.size());
    for (const Vec3d& p : mesh.vertices()) vertices.push_back(p + shift);
    for (auto [i, j, k] : mesh.triangles()) {
      if (as_cavity) std::swap(j, k);
      triangles.push_back({first + i, first + j, first + k});
    }
  }
  TriangleMesh make() const { return TriangleMesh(vertices, triangles, "parts"); }
};

// A box whose faces are parted into n x n squares, two triangles each; one corner in the origin.
inline TriangleMesh make_grid_box(const Vec3d& size, int n) {
  std::vector<Vec3d> vertices;
  Triangles triangles;
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) {
      const auto first = static_cast<std::int32_t>(vertices.size());
      for (int i = 0; i <= n; ++i) {
        for (int j = 0; j <= n; ++j) {
          Vec3d p;
          p[axis] = side * size[axis];
          p[(axis + 1) % 3] = size[(axis + 1) % 3] * i / n;
          p[(axis + 2) % 3] = size[(axis + 2) % 3] * j / n;
          vertices.push_back(p);
          if (i == n || j == n) continue;
          const std::int32_t a = first + i * (n + 1) + j, b = a + n + 1;
          const int k = side == 1 ? 0 : 1;
          const std::int32_t corners[2][2] = {{b, b + 1}, {b + 1, b}};
          triangles.push_back({a, corners[k][0], corners[k][1]});
          const std::int32_t others[2][2] = {{b + 1, a + 1}, {a + 1, b + 1}};
          triangles.push_back({a, others[k][0], others[k][1]});
        }
      }
    }
  }
  weld_vertices(&vertices, &triangles);
  return TriangleMesh(vertices, triangles, "grid box");
}

inline TriangleMesh make_random_hull(std::mt19937_64& random, int count, const Vec3d& stretch) {
  std::vector<Vec3d> points;
  for (int k = 0; k < count; ++k) {
    points.push_back(stretch.cwiseProduct(random_vector(random, 1)));
  }
  return make_convex_hull(points, "random points");
}

}  // namespace vesica::test
