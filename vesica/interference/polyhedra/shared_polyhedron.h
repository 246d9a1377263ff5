// The polyhedron that two convex polyhedra share, and integrals over it. World axes; coordinates
// count from its centroid.
#pragma once

#include <span>
#include <vector>

#include "vesica/geometry/polyhedron_clipper.h"
#include "vesica/math/pose.h"
#include "vesica/math/symmetric.h"

namespace vesica::detail {

struct SharedFace {
  Vec3d normal;   // outward
  double offset;  // normal.x = offset on the face
  double area;
  bool of_j;  // part of j's surface inside i; else of i's inside j
  std::int32_t tag, begin, end;
};

class SharedPolyhedron {
 public:
  // False where they share nothing, to rounding.
  bool build(const ConvexPolyhedron& i, const Pose<double>& X_WI, const ConvexPolyhedron& j,
             const Pose<double>& X_WJ);

  double volume() const { return volume_; }
  const Vec3d& centroid_W() const { return centroid_W_; }
  const Symmetric3<double>& M() const { return M_; }
  // Of j's surface inside i; that of i's surface inside j is minus this.
  Vec3d calc_area_vector() const;
  double calc_surface_area() const;

  std::span<const SharedFace> faces() const { return faces_; }
  std::span<const Vec3d> vertices() const { return vertices_; }
  const Vec3d& vertex(std::int32_t corner) const {
    return vertices_[clipper_.corners()[corner].vertex];
  }
  std::int32_t vertex_index(std::int32_t corner) const { return clipper_.corners()[corner].vertex; }
  // The plane across the edge that starts at this corner: whose, and its normal.
  std::int32_t neighbour_tag(std::int32_t corner) const {
    return clipper_.corners()[corner].neighbour;
  }
  bool is_of_j(std::int32_t tag) const { return tag >= planes_of_i_; }
  Vec3d calc_normal(std::int32_t tag) const;

  // Calls f(a, b, c, area) for the triangles of a face.
  template <class F>
  void for_each_triangle(const SharedFace& face, F f) const {
    const Vec3d& a = vertex(face.begin);
    for (std::int32_t k = face.begin + 1; k + 1 < face.end; ++k) {
      const Vec3d &b = vertex(k), &c = vertex(k + 1);
      f(a, b, c, 0.5 * face.normal.dot((b - a).cross(c - a)));
    }
  }

 private:
  bool clip(const ConvexPolyhedron& i, const ConvexPolyhedron& j, const Pose<double>& X_IJ);
  void place(const ConvexPolyhedron& i, const Pose<double>& X_WI);
  bool integrate(double size);

  PolyhedronClipper clipper_;
  std::vector<Plane> planes_of_j_;  // in the frame of i
  std::vector<double> heights_;     // of the middle of i over them
  std::vector<SharedFace> faces_;
  std::vector<Vec3d> vertices_;
  const ConvexPolyhedron* i_ = nullptr;
  Mat3d R_WI_;
  std::int32_t planes_of_i_ = 0;
  double volume_ = 0;
  Vec3d centroid_W_;
  Symmetric3<double> M_;
};

// 1/2 int f^2 dS with f the length of the columns along n.
double calc_potential(const SharedPolyhedron& shared, const Vec3d& n);

// The potential's slopes, with x from the centroid: int f N dA over j's surface, int f x cross N dA
// over each body's. Moving a piece of surface outward by v.N changes the potential by f v.N dA.
// Over a face along n, f(x) is what is left of the column on one side of x, in the mean half of it,
// as it must be; which side makes a difference to the moment, and the mean of the two is taken.
struct ColumnIntegrals {
  Vec3d force_j = Vec3d::Zero(), moment_i = Vec3d::Zero(), moment_j = Vec3d::Zero();
};
ColumnIntegrals calc_column_integrals(const SharedPolyhedron& shared, const Vec3d& n);

}  // namespace vesica::detail
