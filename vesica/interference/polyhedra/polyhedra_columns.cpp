// Columns of the shared polyhedron along n: the potential's integrals on the path of the force;
// areas, longest column and depth field for reports.
#include <algorithm>
#include <cmath>
#include <limits>

#include "vesica/interference/polyhedra/polyhedra.h"
#include "vesica/interference/polyhedra/shared_polyhedron.h"

namespace vesica {

namespace detail {

namespace {

// t(x) = offset - slope.x: the length of the column from x to a face's plane.
struct Reach {
  Vec3d slope;
  double offset;
  std::int32_t tag;
  double operator()(const Vec3d& x) const { return offset - slope.dot(x); }
};

struct PolygonBuffers {
  std::vector<Vec3d> polygon, next;
  std::vector<double> excess;
};

// What is left of the polygon where a(x) <= b(x), or a(x) < b(x) with `strictly`.
void clip_polygon(const Reach& a, const Reach& b, bool strictly, PolygonBuffers* buffers) {
  auto& [polygon, next, excess] = *buffers;
  const Vec3d slope = a.slope - b.slope;
  const double offset = a.offset - b.offset;
  const std::size_t count = polygon.size();
  excess.resize(count);
  bool is_cut = false;
  for (std::size_t k = 0; k < count; ++k) {
    excess[k] = offset - slope.dot(polygon[k]);
    is_cut = is_cut || excess[k] > 0 || (strictly && excess[k] == 0);
  }
  if (!is_cut) return;
  next.clear();
  const auto is_in = [&, &excess = excess](std::size_t k) {
    return strictly ? excess[k] < 0 : excess[k] <= 0;
  };
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t l = k + 1 < count ? k + 1 : 0;
    if (is_in(k)) next.push_back(polygon[k]);
    if (is_in(k) != is_in(l)) {
      next.push_back(polygon[k] + excess[k] / (excess[k] - excess[l]) * (polygon[l] - polygon[k]));
    }
  }
  polygon.swap(next);
}

// A face's normal this square to n is along n but for rounding.
constexpr double kUprightFace = 1e-12;

struct FaceIntegrals {
  double length = 0;  // int f dA
  Vec3d first = Vec3d::Zero();
  double square = 0;  // int f^2 dA
};

// From a point of a face, the column ends on the nearest of the planes that face the other way:
// every such plane's part of the face is cut out, and the length is linear on it.
FaceIntegrals integrate_columns(const SharedPolyhedron& shared, const SharedFace& face,
                                const std::vector<Reach>& opposite) {
  thread_local PolygonBuffers buffers;
  const auto& polygon = buffers.polygon;
  FaceIntegrals sums;
  // Most planes have no part of the face: the one nearest to its first corner shows that at once.
  std::size_t nearest = 0;
  for (std::size_t g = 1; g < opposite.size(); ++g) {
    const Vec3d& x = shared.vertex(face.begin);
    if (opposite[g](x) < opposite[nearest](x)) nearest = g;
  }
  for (std::size_t g = 0; g < opposite.size(); ++g) {
    const Reach& reach = opposite[g];
    buffers.polygon.clear();
    for (std::int32_t k = face.begin; k < face.end; ++k) {
      buffers.polygon.push_back(shared.vertex(k));
    }
    // Two planes that tie everywhere: the first has the region.
    if (g != nearest) clip_polygon(reach, opposite[nearest], nearest < g, &buffers);
    for (std::size_t k = 0; k < opposite.size() && polygon.size() >= 3; ++k) {
      if (k != g && k != nearest) clip_polygon(reach, opposite[k], k < g, &buffers);
    }
    if (polygon.size() < 3) continue;
    const Vec3d& a = polygon[0];
    const double t_a = reach(a);
    double t_b = reach(polygon[1]);
    for (std::size_t k = 1; k + 1 < polygon.size(); ++k) {
      const Vec3d &b = polygon[k], &c = polygon[k + 1];
      const double area = 0.5 * face.normal.dot((b - a).cross(c - a));
      const double t_c = reach(c), t = t_a + t_b + t_c;
      sums.length += area / 3 * t;
      sums.first += area / 12 * (t_a * a + t_b * b + t_c * c + t * (a + b + c));
      sums.square += area / 12 * (t_a * t_a + t_b * t_b + t_c * t_c + t * t);
      t_b = t_c;
    }
  }
  return sums;
}

// The planes that bound columns above and below.
struct HeightBounds {
  std::vector<Reach> up, down;
};

const HeightBounds& find_bounds(const SharedPolyhedron& shared, const Vec3d& n) {
  thread_local HeightBounds bounds;
  bounds.up.clear();
  bounds.down.clear();
  for (const SharedFace& face : shared.faces()) {
    const double rise = face.normal.dot(n);
    if (std::abs(rise) < kUprightFace || !(face.area > 0)) continue;
    auto& planes = rise > 0 ? bounds.up : bounds.down;
    const bool is_known = std::any_of(planes.begin(), planes.end(),
                                      [&](const Reach& r) { return r.tag == face.tag; });
    if (!is_known) {
      planes.push_back({face.normal / std::abs(rise), face.offset / std::abs(rise), face.tag});
    }
  }
  return bounds;
}

}  // namespace

// Columns counted from below or from above: the side with fewer planes opposite has less to cut.
double calc_potential(const SharedPolyhedron& shared, const Vec3d& n) {
  const HeightBounds& bounds = find_bounds(shared, n);
  const bool from_below = bounds.up.size() < bounds.down.size();
  double sum = 0;
  for (const SharedFace& face : shared.faces()) {
    const double rise = face.normal.dot(n);
    if (std::abs(rise) < kUprightFace || (rise < 0) != from_below) continue;
    sum += std::abs(rise) *
           integrate_columns(shared, face, from_below ? bounds.up : bounds.down).square;
  }
  return 0.5 * sum;
}

ColumnIntegrals calc_column_integrals(const SharedPolyhedron& shared, const Vec3d& n) {
  const HeightBounds& bounds = find_bounds(shared, n);
  ColumnIntegrals sums;
  const auto add = [&](const SharedFace& face, const FaceIntegrals& f, double share) {
    const Vec3d moment = share * f.first.cross(face.normal);
    if (face.of_j) sums.force_j += share * f.length * face.normal;
    (face.of_j ? sums.moment_j : sums.moment_i) += moment;
  };
  for (const SharedFace& face : shared.faces()) {
    const double rise = face.normal.dot(n);
    if (std::abs(rise) < kUprightFace) {
      // The slope by a tilt differs on the two sides: the mean.
      add(face, integrate_columns(shared, face, bounds.up), 0.5);
      add(face, integrate_columns(shared, face, bounds.down), 0.5);
    } else {
      add(face, integrate_columns(shared, face, rise > 0 ? bounds.down : bounds.up), 1);
    }
  }
  return sums;
}

}  // namespace detail

namespace {

using detail::SharedFace;
using detail::SharedPolyhedron;

// The longest column ends at a vertex or where an edge of the top crosses, seen along n, one of the
// bottom: there are no other corners of the column length.
double find_longest_column(const SharedPolyhedron& shared, const Vec3d& n) {
  const auto column = [&](const Vec3d& x) {
    double top = kInfinity, bottom = -kInfinity;
    for (const SharedFace& face : shared.faces()) {
      const double rise = face.normal.dot(n);
      // A face along n bounds the shadow, not the column; its slope is rounding.
      if (std::abs(rise) < 1e-12) continue;
      const double t = (face.offset - face.normal.dot(x)) / rise;
      (rise > 0 ? top : bottom) = rise > 0 ? std::min(top, t) : std::max(bottom, t);
    }
    return top - bottom;
  };
  double longest = 0;
  for (const Vec3d& x : shared.vertices()) longest = std::max(longest, column(x));
  struct Segment {
    Vec3d a, e;
  };
  std::vector<Segment> top, bottom;
  for (const SharedFace& face : shared.faces()) {
    auto& edges = face.normal.dot(n) > 0 ? top : bottom;
    for (std::int32_t k = face.begin; k < face.end; ++k) {
      const Vec3d& a = shared.vertex(k);
      edges.push_back({a, shared.vertex(k + 1 < face.end ? k + 1 : face.begin) - a});
    }
  }
  for (const Segment& p : top) {
    const Vec3d across = n.cross(p.e);
    for (const Segment& q : bottom) {
      const double turn = across.dot(q.e);
      if (turn == 0) continue;
      const double s = across.dot(p.a - q.a) / turn;
      const double t = n.cross(q.e).dot(p.a - q.a) / turn;
      if (s < 0 || s > 1 || t < 0 || t > 1) continue;
      longest = std::max(longest, n.dot(p.a + t * p.e - q.a - s * q.e));
    }
  }
  return longest;
}

// Area of {n.x = height} inside.
double calc_section_area(const SharedPolyhedron& shared, const Vec3d& n, double height) {
  double area2 = 0;
  for (const SharedFace& face : shared.faces()) {
    Vec3d from = Vec3d::Zero(), to = Vec3d::Zero();
    int found = 0;
    for (std::int32_t k = face.begin; k < face.end; ++k) {
      const Vec3d &a = shared.vertex(k), &b = shared.vertex(k + 1 < face.end ? k + 1 : face.begin);
      const double z_a = n.dot(a) - height, z_b = n.dot(b) - height;
      if ((z_a < 0) == (z_b < 0)) continue;
      (z_a < 0 ? to : from) = a + z_a / (z_a - z_b) * (b - a);
      ++found;
    }
    if (found == 2) area2 += n.dot(from.cross(to));
  }
  return std::abs(0.5 * area2);
}

}  // namespace

PatchFigures calc_patch_figures(const ConvexPolyhedron& i, const Pose<double>& X_WI,
                                const ConvexPolyhedron& j, const Pose<double>& X_WJ,
                                PolyhedraNormal normal) {
  PatchFigures figures;
  const auto o = calc_polyhedra_overlap(i, X_WI, j, X_WJ, normal, false).overlap;
  SharedPolyhedron shared;
  if (!shared.build(i, X_WI, j, X_WJ)) return figures;
  for (const SharedFace& face : shared.faces()) {
    figures.shadow_area += 0.5 * face.area * std::abs(face.normal.dot(o.n_W));
  }
  figures.section_area = calc_section_area(shared, o.n_W, o.plane_offset);
  figures.has_section = true;
  figures.max_depth = find_longest_column(shared, o.n_W);
  return figures;
}

ShadowBounds calc_shadow_bounds(const ConvexPolyhedron& i, const Pose<double>& X_WI,
                                const ConvexPolyhedron& j, const Pose<double>& X_WJ,
                                const Vec3d& origin_W, const Vec3d& u_W, const Vec3d& v_W) {
  ShadowBounds bounds{kInfinity, -kInfinity, kInfinity, -kInfinity};
  SharedPolyhedron shared;
  if (!shared.build(i, X_WI, j, X_WJ)) return bounds;
  for (const Vec3d& x : shared.vertices()) {
    const Vec3d p = shared.centroid_W() + x - origin_W;
    bounds.u_min = std::min(bounds.u_min, u_W.dot(p));
    bounds.u_max = std::max(bounds.u_max, u_W.dot(p));
    bounds.v_min = std::min(bounds.v_min, v_W.dot(p));
    bounds.v_max = std::max(bounds.v_max, v_W.dot(p));
  }
  return bounds;
}

// Each line crosses the faces' planes at an interval that the planes narrow.
void sample_columns(const ConvexPolyhedron& i, const Pose<double>& X_WI, const ConvexPolyhedron& j,
                    const Pose<double>& X_WJ, const Vec3d& origin_W, const Vec3d& u_W,
                    const Vec3d& v_W, double u0, double v0, double du, double dv, int nu, int nv,
                    std::vector<double>* depth) {
  depth->assign(static_cast<std::size_t>(nu) * nv, 0.0);
  SharedPolyhedron shared;
  if (!shared.build(i, X_WI, j, X_WJ)) return;
  const Vec3d n = u_W.cross(v_W), origin = origin_W - shared.centroid_W();
  for (int row = 0; row < nv; ++row) {
    for (int column = 0; column < nu; ++column) {
      const Vec3d s = origin + (u0 + (column + 0.5) * du) * u_W + (v0 + (row + 0.5) * dv) * v_W;
      double top = kInfinity, bottom = -kInfinity;
      for (const SharedFace& face : shared.faces()) {
        const double rise = face.normal.dot(n), room = face.offset - face.normal.dot(s);
        if (rise > 0) top = std::min(top, room / rise);
        if (rise < 0) bottom = std::max(bottom, room / rise);
        if (rise == 0 && room < 0) top = -kInfinity;
      }
      (*depth)[static_cast<std::size_t>(row) * nu + column] = std::max(0.0, top - bottom);
    }
  }
}

}  // namespace vesica
