// A convex polyhedron with its faces as polygons: what exact clipping works on.
//
// Immutable. Triangles of a hull that lie in one plane (to 1e-11 of the size) are one face, so that
// a box has six planes and not twelve. Every corner of a face knows the face across the edge that
// leads to the next corner.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vesica/geometry/triangle_mesh.h"

namespace vesica {

// The points with normal.x <= offset; normal is unit and outward.
struct Plane {
  Vec3d normal = Vec3d::UnitZ();
  double offset = 0;
};

class ConvexPolyhedron {
 public:
  // A corner of a face and the face across the edge from here to the next corner.
  struct Corner {
    std::int32_t vertex, neighbour;
  };

  // Throws InputError, with `source` in front, where the mesh is not convex or has more than
  // 20,000 faces.
  ConvexPolyhedron(const TriangleMesh& mesh, const std::string& source);

  const std::vector<Vec3d>& vertices() const { return vertices_; }
  // One plane per face.
  const std::vector<Plane>& planes() const { return planes_; }
  // Anticlockwise seen from outside.
  std::span<const Corner> face(std::size_t f) const {
    return {corners_.data() + begin_[f], corners_.data() + begin_[f + 1]};
  }
  std::size_t corner_count() const { return corners_.size(); }
  const Vec3d& box_min() const { return box_min_; }
  const Vec3d& box_max() const { return box_max_; }
  // Ball around the middle of the box that holds all vertices.
  const Vec3d& ball_center() const { return ball_center_; }
  double ball_radius() const { return ball_radius_; }
  // Volume, centroid, second moment of the whole.
  const TriangleMesh::Solid& solid() const { return solid_; }
  // Triangles for drawing: faces as fans.
  std::vector<TriangleMesh::Triangle> make_triangles() const;

 private:
  std::vector<Vec3d> vertices_;
  std::vector<Plane> planes_;
  std::vector<Corner> corners_;
  std::vector<std::int32_t> begin_;  // of each face's corners; one more at the end
  Vec3d box_min_, box_max_, ball_center_;
  double ball_radius_ = 0;
  TriangleMesh::Solid solid_;
};

// Edges along x, y, z; centred on the origin. Throws InputError unless all are positive and finite.
ConvexPolyhedron make_box_polyhedron(const Vec3d& size);
// The hull of points (convex_hull.h).
ConvexPolyhedron make_convex_polyhedron(const std::vector<Vec3d>& points,
                                        const std::string& source);
// The same solid turned and shifted: X_BC * x for every vertex x.
ConvexPolyhedron make_moved(const ConvexPolyhedron& polyhedron, const Mat3d& R, const Vec3d& p);

}  // namespace vesica
