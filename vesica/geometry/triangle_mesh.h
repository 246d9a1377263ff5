// A closed triangle mesh, checked when it is made: every edge shared by exactly two triangles of
// opposite direction, normals outward, volume positive, coordinates finite. A mesh that exists is a
// solid.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "vesica/math/vector.h"

namespace vesica {

class TriangleMesh {
 public:
  using Triangle = std::array<std::int32_t, 3>;

  // Throws InputError, with `source` (a file name, say) in front, that says what is wrong: which
  // edges are open or used twice, which triangles are degenerate, how to mend it.
  TriangleMesh(std::vector<Vec3d> vertices, std::vector<Triangle> triangles,
               const std::string& source);

  const std::vector<Vec3d>& vertices() const { return vertices_; }
  const std::vector<Triangle>& triangles() const { return triangles_; }
  bool is_convex() const { return is_convex_; }

 private:
  std::vector<Vec3d> vertices_;
  std::vector<Triangle> triangles_;
  bool is_convex_ = false;
};

}  // namespace vesica
