// A closed triangle mesh, checked when it is made: every edge shared by exactly two triangles that
// run along it in opposite directions, normals outward (volume positive), no triangle without area,
// coordinates finite. A mesh that exists bounds a solid; cavities and several separate parts are
// allowed. What is not checked: that the surface does not cross itself. Where it does, integrals
// count the doubly enclosed parts twice.
//
// Immutable. A tree over the triangles, built once, serves the queries with a plane.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vesica/math/symmetric.h"
#include "vesica/math/vector.h"

namespace vesica {

class TriangleTree;

class TriangleMesh {
 public:
  using Triangle = std::array<std::int32_t, 3>;

  // Of the whole solid.
  struct Solid {
    double volume = 0;
    Vec3d centroid = Vec3d::Zero();
    Symmetric3<double> M;  // second moment about the centroid
  };

  // Throws InputError, with `source` (a file name, say) in front, that says what is wrong: which
  // edges are open or used twice, which triangles are degenerate, how to mend it.
  TriangleMesh(std::vector<Vec3d> vertices, std::vector<Triangle> triangles,
               const std::string& source);

  const std::vector<Vec3d>& vertices() const { return vertices_; }
  const std::vector<Triangle>& triangles() const { return triangles_; }
  // No vertex is more than 1e-6 of the size outside the plane of any face (which lets through a
  // convex shape whose flat faces were rounded to single precision in a file).
  bool is_convex() const { return is_convex_; }
  const Vec3d& box_min() const { return box_min_; }
  const Vec3d& box_max() const { return box_max_; }
  double size() const { return (box_max_ - box_min_).norm(); }
  const Solid& solid() const { return solid_; }

  const TriangleTree& tree() const { return *tree_; }
  // The vertex for which m.x is least; of several, any.
  std::int32_t find_lowest_vertex(const Vec3d& m) const;

 private:
  std::vector<Vec3d> vertices_;
  std::vector<Triangle> triangles_;
  std::shared_ptr<const TriangleTree> tree_;
  Vec3d box_min_, box_max_;
  Solid solid_;
  bool is_convex_ = false;
};

// Makes vertices with identical coordinates one, in order of first appearance; -0 equals +0.
// For formats that repeat a vertex for every triangle.
void weld_vertices(std::vector<Vec3d>* vertices, std::vector<TriangleMesh::Triangle>* triangles);

}  // namespace vesica
