// The patch of a polyhedron on a half-space: areas, longest column, depth field. For reports and
// pressure maps; not on the path of the force.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "vesica/interference/mesh/half_space_mesh.h"

namespace vesica {

namespace {

using Triangle = TriangleMesh::Triangle;
using Point2 = Eigen::Vector2d;

constexpr int kScanLines = 1024;
constexpr int kProbeColumns = 256;

// A polyhedron in coordinates (u, v) along the plane and z over it.
struct PlanePolyhedron {
  std::vector<Vec3d> corners;
  std::vector<Triangle> triangles;
  bool is_convex;
};

struct Axes {
  Vec3d origin, u, v;
};

PlanePolyhedron project(std::span<const Vec3d> vertices, std::span<const Triangle> triangles,
                        bool is_convex, const Pose<double>& X_WI, const Pose<double>& X_WJ,
                        const Axes& axes) {
  PlanePolyhedron solid;
  solid.is_convex = is_convex;
  solid.triangles.assign(triangles.begin(), triangles.end());
  const Vec3d n = X_WJ.R_WB.col(2);
  // Left-handed axes mirror the solid: turn its triangles round, so that area stays positive
  // upward.
  if (axes.u.cross(axes.v).dot(n) < 0) {
    for (Triangle& t : solid.triangles) std::swap(t[1], t[2]);
  }
  solid.corners.reserve(vertices.size());
  for (const Vec3d& x : vertices) {
    const Vec3d p = X_WI * x;
    solid.corners.emplace_back(axes.u.dot(p - axes.origin), axes.v.dot(p - axes.origin),
                               n.dot(p - X_WJ.p_WB));
  }
  return solid;
}

PlanePolyhedron project(const MeshShape& shape, const Pose<double>& X_WI, const Pose<double>& X_WJ,
                        const Axes& axes) {
  const TriangleMesh& mesh = *shape.mesh;
  return project(mesh.vertices(), mesh.triangles(), mesh.is_convex(), X_WI, X_WJ, axes);
}

PlanePolyhedron project(const Box<double>& box, const Pose<double>& X_WI, const Pose<double>& X_WJ,
                        const Axes& axes) {
  static constexpr std::array<Triangle, 12> kTriangles = {{{0, 2, 3},
                                                           {0, 3, 1},
                                                           {0, 1, 5},
                                                           {0, 5, 4},
                                                           {0, 4, 6},
                                                           {0, 6, 2},
                                                           {7, 5, 1},
                                                           {7, 1, 3},
                                                           {7, 3, 2},
                                                           {7, 2, 6},
                                                           {7, 6, 4},
                                                           {7, 4, 5}}};
  std::array<Vec3d, 8> vertices;
  for (int k = 0; k < 8; ++k) {
    vertices[k] = box.size.cwiseProduct(Vec3d(k & 1, (k >> 1) & 1, k >> 2) - Vec3d::Constant(0.5));
  }
  return project(vertices, kTriangles, true, X_WI, X_WJ, axes);
}

// Calls f(p, q) with the end points, in the plane, of every edge of the section, anticlockwise seen
// from above.
template <class F>
void for_each_section_edge(const PlanePolyhedron& solid, F f) {
  for (const Triangle& t : solid.triangles) {
    Point2 from = Point2::Zero(), to = Point2::Zero();
    int found = 0;
    for (int e = 0; e < 3; ++e) {
      const Vec3d &a = solid.corners[t[e]], &b = solid.corners[t[(e + 1) % 3]];
      if ((a.z() < 0) == (b.z() < 0)) continue;
      const Vec3d &wet = a.z() < 0 ? a : b, &dry = a.z() < 0 ? b : a;
      const Point2 p =
          wet.head<2>() + wet.z() / (wet.z() - dry.z()) * (dry.head<2>() - wet.head<2>());
      // Where the triangle's boundary comes up, the section's edge ends.
      (a.z() < 0 ? to : from) = p;
      ++found;
    }
    if (found == 2) f(from, to);
  }
}

// Submerged corners and the section's corners: all corners of the shared volume, projected.
std::vector<Point2> find_shadow_points(const PlanePolyhedron& solid) {
  std::vector<Point2> points;
  for (const Vec3d& p : solid.corners) {
    if (p.z() < 0) points.push_back(p.head<2>());
  }
  for_each_section_edge(solid, [&](const Point2& p, const Point2& q) {
    points.push_back(p);
    points.push_back(q);
  });
  return points;
}

double cross(const Point2& o, const Point2& a, const Point2& b) {
  return (a.x() - o.x()) * (b.y() - o.y()) - (a.y() - o.y()) * (b.x() - o.x());
}

// Andrew's monotone chain; anticlockwise.
std::vector<Point2> make_hull(std::vector<Point2> points) {
  std::sort(points.begin(), points.end(), [](const Point2& a, const Point2& b) {
    return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y();
  });
  std::vector<Point2> hull;
  for (int side = 0; side < 2; ++side) {
    const std::size_t start = hull.size();
    for (const Point2& p : points) {
      while (hull.size() >= start + 2 && cross(hull[hull.size() - 2], hull.back(), p) <= 0) {
        hull.pop_back();
      }
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

double calc_area(const std::vector<Point2>& polygon) {
  double area2 = 0;
  for (std::size_t k = 1; k + 1 < polygon.size(); ++k) {
    area2 += cross(polygon[0], polygon[k], polygon[k + 1]);
  }
  return 0.5 * area2;
}

// Calls f(left, right, z_left, z_right, sign) for every triangle that meets the line v = const:
// sign +1 where the surface faces up. A vertex on the line counts as below it, and an edge is cut
// from its lower to its upper end, so that both its triangles see the same number: intervals of
// neighbours join without gap or overlap.
template <class F>
void cut_with_line(const PlanePolyhedron& solid, const Triangle& t, double v, F f) {
  double u_up = 0, z_up = 0, u_down = 0, z_down = 0;
  int found = 0;
  for (int e = 0; e < 3; ++e) {
    const Vec3d &a = solid.corners[t[e]], &b = solid.corners[t[(e + 1) % 3]];
    const bool a_below = a.y() <= v, b_below = b.y() <= v;
    if (a_below == b_below) continue;
    const Vec3d &low = a_below ? a : b, &high = a_below ? b : a;
    const double s = (v - low.y()) / (high.y() - low.y());
    const double u = low.x() + s * (high.x() - low.x());
    const double z = low.z() + s * (high.z() - low.z());
    (a_below ? u_up : u_down) = u;
    (a_below ? z_up : z_down) = z;
    ++found;
  }
  if (found != 2) return;
  if (u_down < u_up) f(u_down, u_up, z_down, z_up, 1.0);
  if (u_up < u_down) f(u_up, u_down, z_up, z_down, -1.0);
}

struct Grid {
  double u0, v0, du, dv;
  int nu, nv;
};

// Every surface point under the plane ends a piece of its column: the length is the sum of -z over
// surfaces facing down less that over surfaces facing up.
void add_columns(const PlanePolyhedron& solid, const Grid& grid, std::vector<double>* depth) {
  depth->assign(static_cast<std::size_t>(grid.nu) * grid.nv, 0.0);
  // First index whose cell centre is >= x.
  const auto first_at = [](double x, double x0, double dx, int count) {
    return static_cast<int>(std::clamp(std::ceil((x - x0) / dx - 0.5), 0.0, double(count)));
  };
  for (const Triangle& t : solid.triangles) {
    const Vec3d &a = solid.corners[t[0]], &b = solid.corners[t[1]], &c = solid.corners[t[2]];
    if (a.z() >= 0 && b.z() >= 0 && c.z() >= 0) continue;
    const auto [v_min, v_max] = std::minmax({a.y(), b.y(), c.y()});
    const int j_end = std::min(grid.nv, first_at(v_max, grid.v0, grid.dv, grid.nv) + 1);
    for (int j = std::max(0, first_at(v_min, grid.v0, grid.dv, grid.nv) - 1); j < j_end; ++j) {
      const double v = grid.v0 + (j + 0.5) * grid.dv;
      cut_with_line(solid, t, v, [&](double left, double right, double zl, double zr, double sign) {
        const auto centre = [&](int i) { return grid.u0 + (i + 0.5) * grid.du; };
        // The guess may be off by rounding; the comparison with the centre itself decides.
        int i = std::max(0, first_at(left, grid.u0, grid.du, grid.nu) - 1);
        while (i < grid.nu && centre(i) < left) ++i;
        for (; i < grid.nu && centre(i) < right; ++i) {
          const double z = zl + (centre(i) - left) / (right - left) * (zr - zl);
          (*depth)[static_cast<std::size_t>(j) * grid.nu + i] += sign * std::min(z, 0.0);
        }
      });
    }
  }
  // Opposite surfaces that meet leave a rounding of either sign.
  for (double& f : *depth) f = std::max(f, 0.0);
}

// Union of the projections of all wetted surfaces that face down: every column of the shared volume
// enters through one. Length of the union on each of kScanLines lines, times their distance.
double calc_union_area(const PlanePolyhedron& solid, double v_min, double v_max) {
  const double dv = (v_max - v_min) / kScanLines;
  if (!(dv > 0)) return 0;
  std::vector<std::vector<std::pair<double, double>>> lines(kScanLines);
  for (const Triangle& t : solid.triangles) {
    const Vec3d &a = solid.corners[t[0]], &b = solid.corners[t[1]], &c = solid.corners[t[2]];
    if (a.z() >= 0 && b.z() >= 0 && c.z() >= 0) continue;
    const auto [low, high] = std::minmax({a.y(), b.y(), c.y()});
    const auto line_of = [&](double v) {
      return std::clamp((v - v_min) / dv, -1.0, kScanLines + 1.0);
    };
    const int end = std::min(kScanLines, static_cast<int>(line_of(high)) + 1);
    for (int j = std::max(0, static_cast<int>(line_of(low)) - 1); j < end; ++j) {
      cut_with_line(solid, t, v_min + (j + 0.5) * dv,
                    [&](double left, double right, double zl, double zr, double sign) {
                      if (sign > 0 || (zl >= 0 && zr >= 0)) return;
                      if (zl > 0) left += zl / (zl - zr) * (right - left);
                      if (zr > 0) right -= zr / (zr - zl) * (right - left);
                      lines[j].emplace_back(left, right);
                    });
    }
  }
  double length = 0;
  for (auto& intervals : lines) {
    std::sort(intervals.begin(), intervals.end());
    double covered = -kInfinity;
    for (const auto& [left, right] : intervals) {
      length += std::max(0.0, right - std::max(left, covered));
      covered = std::max(covered, right);
    }
  }
  return length * dv;
}

// The column of a convex solid below the plane through (u, v): between the planes of its faces.
double calc_convex_column(const std::vector<Vec3d>& normals, const std::vector<double>& offsets,
                          const Point2& s) {
  double top = 0, bottom = -kInfinity;
  for (std::size_t k = 0; k < normals.size(); ++k) {
    const Vec3d& n = normals[k];
    if (n.z() == 0) continue;
    const double z = (offsets[k] - n.x() * s.x() - n.y() * s.y()) / n.z();
    if (n.z() > 0) {
      top = std::min(top, z);
    } else {
      bottom = std::max(bottom, z);
    }
  }
  return top - bottom;
}

// Maximum of a concave function of one variable.
template <class F>
double maximize(F f, double low, double high) {
  constexpr double kGolden = 0.6180339887498949;
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
  double f_a = f(a), f_b = f(b), best = std::max({f(low), f(high), f_a, f_b});
  for (int k = 0; k < 60; ++k) {  // 0.618^60 = 3e-13
    if (f_a >= f_b) {
      high = b;
      b = a, f_b = f_a;
      f_a = f(a = high - kGolden * (high - low));
      best = std::max(best, f_a);
    } else {
      low = a;
      a = b, f_a = f_b;
      f_b = f(b = low + kGolden * (high - low));
      best = std::max(best, f_b);
    }
  }
  return best;
}

// The lowest corner's column where that reaches the plane. Else, columns of a convex solid being
// concave over its shadow, two nested one-dimensional searches.
double find_longest_convex_column(const PlanePolyhedron& solid, const std::vector<Point2>& shadow,
                                  const Vec3d& lowest) {
  std::vector<Vec3d> normals;
  std::vector<double> offsets;
  for (const Triangle& t : solid.triangles) {
    const Vec3d &a = solid.corners[t[0]], &b = solid.corners[t[1]], &c = solid.corners[t[2]];
    Vec3d n = (b - a).cross(c - a).normalized();
    // Upright faces bound the shadow, not the column; their slope is rounding.
    if (std::abs(n.z()) < 1e-12) continue;
    normals.push_back(n);
    offsets.push_back(n.dot(a));
  }
  if (calc_convex_column(normals, offsets, lowest.head<2>()) >= (1 - 1e-9) * -lowest.z()) {
    return -lowest.z();
  }
  const auto longest_at = [&](double u) {
    double v_low = kInfinity, v_high = -kInfinity;
    for (std::size_t k = 0; k < shadow.size(); ++k) {
      const Point2 &a = shadow[k], &b = shadow[(k + 1) % shadow.size()];
      if (u < std::min(a.x(), b.x()) || u > std::max(a.x(), b.x())) continue;
      for (const double s : {a.x() == b.x() ? 0.0 : (u - a.x()) / (b.x() - a.x()),
                             a.x() == b.x() ? 1.0 : (u - a.x()) / (b.x() - a.x())}) {
        v_low = std::min(v_low, a.y() + s * (b.y() - a.y()));
        v_high = std::max(v_high, a.y() + s * (b.y() - a.y()));
      }
    }
    if (v_high < v_low) return 0.0;
    return maximize(
        [&](double v) {
          return calc_convex_column(normals, offsets, {u, v});
        },
        v_low, v_high);
  };
  double u_min = kInfinity, u_max = -kInfinity;
  for (const Point2& p : shadow) {
    u_min = std::min(u_min, p.x());
    u_max = std::max(u_max, p.x());
  }
  return maximize(longest_at, u_min, u_max);
}

// A lower bound: a grid of columns, and four beside the lowest corner's own. Where those reach the
// plane the depth of the lowest corner is the answer, because no column is longer.
double find_longest_column(const PlanePolyhedron& solid, const ShadowBounds& b,
                           const Vec3d& lowest) {
  std::vector<double> columns;
  const double du = (b.u_max - b.u_min) / kProbeColumns, dv = (b.v_max - b.v_min) / kProbeColumns;
  if (!(du > 0 && dv > 0)) return 0;
  add_columns(solid, {b.u_min, b.v_min, du, dv, kProbeColumns, kProbeColumns}, &columns);
  const double longest = *std::max_element(columns.begin(), columns.end());
  constexpr double kBeside = 1e-5;
  add_columns(
      solid,
      {lowest.x() - kBeside * du, lowest.y() - kBeside * dv, kBeside * du, kBeside * dv, 2, 2},
      &columns);
  const double beside = *std::max_element(columns.begin(), columns.end());
  return beside > (1 - 1e-3) * -lowest.z() ? -lowest.z() : std::max(longest, beside);
}

ShadowBounds calc_bounds(const std::vector<Point2>& points) {
  ShadowBounds b{kInfinity, -kInfinity, kInfinity, -kInfinity};
  for (const Point2& p : points) {
    b.u_min = std::min(b.u_min, p.x());
    b.u_max = std::max(b.u_max, p.x());
    b.v_min = std::min(b.v_min, p.y());
    b.v_max = std::max(b.v_max, p.y());
  }
  return b;
}

template <class S>
PatchFigures calc_figures(const S& shape, const Pose<double>& X_WI, const Pose<double>& X_WJ) {
  PatchFigures figures;
  Axes axes;
  const Vec3d n = X_WJ.R_WB.col(2);
  make_basis<double>(n, &axes.u, &axes.v);
  axes.origin = X_WI.p_WB;
  PlanePolyhedron solid = project(shape, X_WI, X_WJ, axes);
  const auto lowest_corner =
      std::min_element(solid.corners.begin(), solid.corners.end(),
                       [](const Vec3d& a, const Vec3d& b) { return a.z() < b.z(); });
  if (lowest_corner->z() >= 0) return figures;
  // As in the overlap: coordinates from under the lowest corner.
  const Vec3d shift(lowest_corner->x(), lowest_corner->y(), 0);
  for (Vec3d& p : solid.corners) p -= shift;
  const Vec3d lowest = *lowest_corner;

  for_each_section_edge(solid, [&](const Point2& p, const Point2& q) {
    figures.section_area += 0.5 * (p.x() * q.y() - p.y() * q.x());
    figures.has_section = true;
  });
  const std::vector<Point2> points = find_shadow_points(solid);
  if (solid.is_convex) {
    const std::vector<Point2> shadow = make_hull(points);
    figures.shadow_area = calc_area(shadow);
    figures.max_depth = std::min(find_longest_convex_column(solid, shadow, lowest), -lowest.z());
  } else {
    const ShadowBounds bounds = calc_bounds(points);
    figures.shadow_area = calc_union_area(solid, bounds.v_min, bounds.v_max);
    figures.max_depth = find_longest_column(solid, bounds, lowest);
  }
  return figures;
}

}  // namespace

PatchFigures calc_patch_figures(const MeshShape& shape, const Pose<double>& X_WI, const HalfSpace&,
                                const Pose<double>& X_WJ) {
  return calc_figures(shape, X_WI, X_WJ);
}
PatchFigures calc_patch_figures(const Box<double>& box, const Pose<double>& X_WI, const HalfSpace&,
                                const Pose<double>& X_WJ) {
  return calc_figures(box, X_WI, X_WJ);
}

ShadowBounds calc_shadow_bounds(const MeshShape& shape, const Pose<double>& X_WI, const HalfSpace&,
                                const Pose<double>& X_WJ, const Vec3d& origin_W, const Vec3d& u_W,
                                const Vec3d& v_W) {
  return calc_bounds(find_shadow_points(project(shape, X_WI, X_WJ, {origin_W, u_W, v_W})));
}
ShadowBounds calc_shadow_bounds(const Box<double>& box, const Pose<double>& X_WI, const HalfSpace&,
                                const Pose<double>& X_WJ, const Vec3d& origin_W, const Vec3d& u_W,
                                const Vec3d& v_W) {
  return calc_bounds(find_shadow_points(project(box, X_WI, X_WJ, {origin_W, u_W, v_W})));
}

void sample_columns(const MeshShape& shape, const Pose<double>& X_WI, const HalfSpace&,
                    const Pose<double>& X_WJ, const Vec3d& origin_W, const Vec3d& u_W,
                    const Vec3d& v_W, double u0, double v0, double du, double dv, int nu, int nv,
                    std::vector<double>* depth) {
  add_columns(project(shape, X_WI, X_WJ, {origin_W, u_W, v_W}), {u0, v0, du, dv, nu, nv}, depth);
}
void sample_columns(const Box<double>& box, const Pose<double>& X_WI, const HalfSpace&,
                    const Pose<double>& X_WJ, const Vec3d& origin_W, const Vec3d& u_W,
                    const Vec3d& v_W, double u0, double v0, double du, double dv, int nu, int nv,
                    std::vector<double>* depth) {
  add_columns(project(box, X_WI, X_WJ, {origin_W, u_W, v_W}), {u0, v0, du, dv, nu, nv}, depth);
}

}  // namespace vesica
