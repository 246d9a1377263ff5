#include "vesica/geometry/cell.h"

#include <algorithm>
#include <cmath>

namespace vesica {
namespace {

// The box around the corners of the cell's planes: all points where three planes meet, inside the
// others. Finite only where the planes alone bound the cell, which is so where every direction of
// the axes is met by corners and no edge runs to infinity.
Bounds calc_plane_bounds(const std::vector<Primitive>& primitives) {
  std::vector<const Primitive*> planes;
  for (const Primitive& p : primitives) {
    if (p.is_plane()) planes.push_back(&p);
  }
  Bounds box = Bounds::nothing();
  const size_t n = planes.size();
  if (n < 4) return {};
  const auto normal = [&](size_t k) -> Vec3d { return 2 * planes[k]->g.b; };
  bool found = false;
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = a + 1; b < n; ++b) {
      const Vec3d d = normal(a).cross(normal(b));
      if (d.norm() < 1e-12) continue;
      // A point on the edge's line, then the edge itself.
      const Vec3d p = (-planes[a]->g.c * normal(b).cross(d) - planes[b]->g.c * d.cross(normal(a))) /
                      d.squaredNorm();
      double from = -std::numeric_limits<double>::infinity(), to = -from;
      for (size_t k = 0; k < n && from <= to; ++k) {
        if (k == a || k == b) continue;
        const double slope = normal(k).dot(d), value = planes[k]->g(p);
        if (std::abs(slope) < 1e-12 * d.norm()) {
          if (value > 1e-9) to = -std::numeric_limits<double>::infinity();
        } else if (slope > 0) {
          to = std::min(to, -value / slope);
        } else {
          from = std::max(from, -value / slope);
        }
      }
      if (from > to) continue;
      if (!std::isfinite(from) || !std::isfinite(to)) return {};
      found = true;
      for (const double t : {from, to}) {
        const Vec3d x = p + t * d;
        box = {box.min.cwiseMin(x), box.max.cwiseMax(x)};
      }
    }
  }
  return found ? box : Bounds{};
}

Bounds calc_cell_bounds(const std::vector<Primitive>& primitives) {
  Bounds bounds;
  for (const Primitive& p : primitives) bounds = bounds.common_with(calc_bounds(p));
  return bounds.is_finite() ? bounds : bounds.common_with(calc_plane_bounds(primitives));
}

Pose<double> at_height(double z) {
  Pose<double> X;
  X.p_WB.z() = z;
  return X;
}

}  // namespace

bool Cell::contains(const Vec3d& x) const {
  return std::all_of(primitives.begin(), primitives.end(),
                     [&](const Primitive& p) { return p.g(x) <= 0; });
}

bool Cell::is_polyhedral() const {
  return std::all_of(primitives.begin(), primitives.end(),
                     [](const Primitive& p) { return p.is_plane(); });
}

bool Cell::is_convex() const {
  return std::all_of(primitives.begin(), primitives.end(), [&](const Primitive& p) {
    if (p.type != PrimitiveType::kCone || p.is_complement) return p.is_convex();
    // One nappe: some plane keeps the cell on one side of the apex.
    const Vec3d a = p.axis();
    return std::any_of(primitives.begin(), primitives.end(), [&](const Primitive& q) {
      return q.is_plane() && q.g(p.X_SP.p_WB) >= -1e-12 &&
             q.g.b.cross(a).norm() < 1e-9 * q.g.b.norm();
    });
  });
}

Cell make_cell(std::vector<Primitive> primitives) {
  const Bounds bounds = calc_cell_bounds(primitives);
  return {std::move(primitives), bounds};
}

Cell make_cell(std::vector<Primitive> primitives, const Bounds& bounds) {
  return {std::move(primitives), bounds};
}

Cell make_common_cell(const Cell& a, const Cell& b) {
  Cell both = a;
  both.primitives.insert(both.primitives.end(), b.primitives.begin(), b.primitives.end());
  both.bounds = a.bounds.common_with(b.bounds);
  if (!both.bounds.is_finite()) {
    both.bounds = both.bounds.common_with(calc_plane_bounds(both.primitives));
  }
  return both;
}

Cell moved(const Cell& cell, const Pose<double>& X_FS) {
  Cell result;
  for (const Primitive& p : cell.primitives) result.primitives.push_back(moved(p, X_FS));
  result.bounds = cell.bounds.moved(X_FS).common_with(calc_cell_bounds(result.primitives));
  return result;
}

Cell mirrored(const Cell& cell, const Vec3d& n) {
  Cell result;
  for (const Primitive& p : cell.primitives) result.primitives.push_back(mirrored(p, n));
  const Mat3d H = Mat3d::Identity() - 2 * n * n.transpose();
  result.bounds = cell.bounds.moved({H, Vec3d::Zero()});
  return result;
}

Cell make_box_cell(const Vec3d& size) {
  std::vector<Primitive> planes;
  for (int k = 0; k < 3; ++k) {
    planes.push_back(make_half_space(Vec3d::Unit(k), 0.5 * size[k]));
    planes.push_back(make_half_space(-Vec3d::Unit(k), 0.5 * size[k]));
  }
  return make_cell(std::move(planes), {-0.5 * size, 0.5 * size});
}

Cell make_slab_cell(double thickness) {
  return make_cell({make_half_space(Vec3d::UnitZ(), 0.5 * thickness),
                    make_half_space(-Vec3d::UnitZ(), 0.5 * thickness)});
}

Cell make_cylinder_cell(double radius, double length) {
  const Vec3d half(radius, radius, 0.5 * length);
  return make_cell({make_cylinder(radius), make_half_space(at_height(0.5 * length)),
                    make_half_space(-Vec3d::UnitZ(), 0.5 * length)},
                   {-half, half});
}

Cell make_cone_cell(double half_angle, double height) {
  const double r = height * std::tan(half_angle);
  return make_cell({make_cone(half_angle), make_half_space(at_height(height)),
                    make_half_space(-Vec3d::UnitZ(), 0)},
                   {{-r, -r, 0}, {r, r, height}});
}

}  // namespace vesica
