#include "bench/cgal_boxes.h"

#include <CGAL/Convex_hull_3/dual/halfspace_intersection_3.h>
#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Nef_polyhedron_3.h>
#include <CGAL/Polygon_mesh_processing/corefinement.h>
#include <CGAL/Polygon_mesh_processing/measure.h>
#include <CGAL/Polygon_mesh_processing/triangulate_faces.h>
#include <CGAL/Polyhedron_3.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/boost/graph/convert_nef_polyhedron_to_polygon_mesh.h>
#include <CGAL/boost/graph/generators.h>

#include <list>
#include <optional>

namespace vesica::bench {

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Exact = CGAL::Exact_predicates_exact_constructions_kernel;
using Mesh = CGAL::Surface_mesh<Kernel::Point_3>;

template <class K, class M>
void make_box(const Vec3d& size, const Mat3d& R, const Vec3d& p, M* mesh) {
  const auto corner = [&](double x, double y, double z) {
    const Vec3d c = R * Vec3d(x * size.x(), y * size.y(), z * size.z()) + p;
    return typename K::Point_3(c.x(), c.y(), c.z());
  };
  const double h = 0.5;
  CGAL::make_hexahedron(corner(-h, -h, -h), corner(h, -h, -h), corner(h, h, -h), corner(-h, h, -h),
                        corner(-h, h, h), corner(-h, -h, h), corner(h, -h, h), corner(h, h, h),
                        *mesh);
}

}  // namespace

double intersect_half_spaces(const BoxPair& pair, bool with_point) {
  std::list<Kernel::Plane_3> planes;
  const auto add = [&](const Mat3d& R, const Vec3d& p) {
    for (int axis = 0; axis < 3; ++axis) {
      for (const double sign : {-1.0, 1.0}) {
        const Vec3d n = sign * R.col(axis);
        planes.emplace_back(n.x(), n.y(), n.z(), -n.dot(p) - 0.5 * pair.size[axis]);
      }
    }
  };
  add(pair.R_I, pair.p_I);
  add(pair.R_J, pair.p_J);
  Mesh mesh;
  if (with_point) {
    const Kernel::Point_3 inside(pair.inside.x(), pair.inside.y(), pair.inside.z());
    CGAL::halfspace_intersection_3(planes.begin(), planes.end(), mesh,
                                   boost::make_optional(inside));
  } else {
    CGAL::halfspace_intersection_3(planes.begin(), planes.end(), mesh);
  }
  CGAL::Polygon_mesh_processing::triangulate_faces(mesh);
  return CGAL::Polygon_mesh_processing::volume(mesh);
}

double intersect_meshes(const BoxPair& pair) {
  Mesh a, b, shared;
  make_box<Kernel>(pair.size, pair.R_I, pair.p_I, &a);
  make_box<Kernel>(pair.size, pair.R_J, pair.p_J, &b);
  CGAL::Polygon_mesh_processing::triangulate_faces(a);
  CGAL::Polygon_mesh_processing::triangulate_faces(b);
  CGAL::Polygon_mesh_processing::corefine_and_compute_intersection(a, b, shared);
  return CGAL::Polygon_mesh_processing::volume(shared);
}

double intersect_nef(const BoxPair& pair) {
  using Polyhedron = CGAL::Polyhedron_3<Exact>;
  using Nef = CGAL::Nef_polyhedron_3<Exact>;
  Polyhedron a, b;
  make_box<Exact>(pair.size, pair.R_I, pair.p_I, &a);
  make_box<Exact>(pair.size, pair.R_J, pair.p_J, &b);
  // A turned box' faces are flat to rounding only, which exact arithmetic does not take for flat.
  CGAL::Polygon_mesh_processing::triangulate_faces(a);
  CGAL::Polygon_mesh_processing::triangulate_faces(b);
  Nef shared = Nef(a) * Nef(b);
  CGAL::Surface_mesh<Exact::Point_3> mesh;
  CGAL::convert_nef_polyhedron_to_polygon_mesh(shared, mesh, true);
  return CGAL::to_double(CGAL::Polygon_mesh_processing::volume(mesh));
}

}  // namespace vesica::bench
