// Incremental hull. Two ideas make it robust without exact reals:
//  - Whether a face sees a point is decided in integers, on a grid of 2^-37 of the size, exactly:
//  the
//    faces that see a point then always form one patch whose border is one loop, so the surface
//    stays closed whatever the input.
//  - Which point comes next, and whether it matters at all, is decided in doubles: the farthest
//  from
//    the plane of some face, if farther than the tolerance. Corners come before the points of their
//    faces and edges, which then no longer matter.
#include "vesica/geometry/convex_hull.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "vesica/error.h"

namespace vesica {

namespace {

using Triangle = TriangleMesh::Triangle;

constexpr double kTolerance = 1e-10;
constexpr double kFlatHull = 1e-9;
constexpr std::size_t kMostPoints = 100'000;

class HullBuilder {
 public:
  HullBuilder(const std::vector<Vec3d>& points, const std::string& source)
      : points_(points), source_(source) {
    check_points();
    snap();
  }

  TriangleMesh build() {
    make_simplex();
    while (!pending_.empty()) {
      const std::int32_t f = pending_.back();
      pending_.pop_back();
      if (!faces_[f].is_alive) continue;
      const std::int32_t p = find_farthest_above(faces_[f].corners);
      if (p >= 0 && sees(faces_[f].corners, p)) add_point(f, p);
    }
    return make_mesh();
  }

 private:
  struct Face {
    Triangle corners;
    Triangle neighbours;  // across the edge from corner k to corner k + 1
    bool is_alive = true;
  };
  using GridPoint = std::array<std::int64_t, 3>;

  void check_points() {
    if (points_.size() < 4) {
      throw InputError(
          fmt::format("{}: {} point(s); a convex solid needs at least 4", source_, points_.size()));
    }
    if (points_.size() > kMostPoints) {
      throw InputError(fmt::format("{}: {} points; at most {} are taken: thin them out", source_,
                                   points_.size(), kMostPoints));
    }
    low_ = high_ = points_[0];
    for (std::size_t k = 0; k < points_.size(); ++k) {
      if (!points_[k].allFinite() || points_[k].cwiseAbs().maxCoeff() > 1e30) {
        throw InputError(fmt::format("{}: point {} is ({}, {}, {}); expected finite numbers",
                                     source_, k + 1, points_[k].x(), points_[k].y(),
                                     points_[k].z()));
      }
      low_ = low_.cwiseMin(points_[k]);
      high_ = high_.cwiseMax(points_[k]);
    }
    size_ = (high_ - low_).norm();
    if (!(size_ > 0)) throw InputError(fmt::format("{}: all points coincide", source_));
  }

  // Differences then have at most 38 bits, a determinant at most 117: it fits 128. A grid of a
  // power of two keeps points exact whose coordinates have few digits.
  void snap() {
    const double scale = std::ldexp(1.0, 37 - std::ilogb(size_) - 1);
    grid_.reserve(points_.size());
    for (const Vec3d& p : points_) {
      const Vec3d q = (p - low_) * scale;
      grid_.push_back({std::llround(q.x()), std::llround(q.y()), std::llround(q.z())});
    }
    const Vec3d middle = 0.5 * (low_ + high_);
    for (const Vec3d& p : points_) from_middle_.push_back((p - middle).squaredNorm());
  }

  bool sees(const Triangle& face, std::int32_t p) const {
    const GridPoint &o = grid_[face[0]], &x = grid_[face[1]], &y = grid_[face[2]], &z = grid_[p];
    const auto d = [&o](const GridPoint& q, int k) -> __int128_t { return q[k] - o[k]; };
    const __int128_t determinant = d(z, 0) * (d(x, 1) * d(y, 2) - d(x, 2) * d(y, 1)) +
                                   d(z, 1) * (d(x, 2) * d(y, 0) - d(x, 0) * d(y, 2)) +
                                   d(z, 2) * (d(x, 0) * d(y, 1) - d(x, 1) * d(y, 0));
    return determinant > 0;
  }

  // Of points equally far, to the tolerance, the one farthest from the middle: the end of an edge,
  // not a point on it.
  std::int32_t find_farthest_above(const Triangle& face) const {
    const Vec3d& a = points_[face[0]];
    const Vec3d n = (points_[face[1]] - a).cross(points_[face[2]] - a).normalized();
    return find_farthest([&](std::int32_t k) { return n.dot(points_[k] - a); }, kTolerance * size_);
  }

  template <class F>
  std::int32_t find_farthest(F distance, double least) const {
    double farthest = least;
    std::vector<double>& distances = scratch_;
    distances.resize(points_.size());
    for (std::size_t k = 0; k < points_.size(); ++k) {
      distances[k] = distance(static_cast<std::int32_t>(k));
      farthest = std::max(farthest, distances[k]);
    }
    std::int32_t best = -1;
    for (std::size_t k = 0; k < points_.size(); ++k) {
      if (distances[k] <= least || distances[k] < farthest - kTolerance * size_) continue;
      if (best < 0 || from_middle_[k] > from_middle_[best]) best = static_cast<std::int32_t>(k);
    }
    return best;
  }

  void make_simplex() {
    const auto a = static_cast<std::int32_t>(
        std::max_element(from_middle_.begin(), from_middle_.end()) - from_middle_.begin());
    const Vec3d& p_a = points_[a];
    const std::int32_t b =
        find_farthest([&](std::int32_t k) { return (points_[k] - p_a).norm(); }, kFlatHull * size_);
    const Vec3d line = (points_[b] - p_a).normalized();
    const std::int32_t c = find_farthest(
        [&](std::int32_t k) { return (points_[k] - p_a).cross(line).norm(); }, kFlatHull * size_);
    if (c < 0) fail_flat("on one line");
    const Vec3d normal = line.cross(points_[c] - p_a).normalized();
    const std::int32_t d = find_farthest(
        [&](std::int32_t k) { return std::abs(normal.dot(points_[k] - p_a)); }, kFlatHull * size_);
    if (d < 0) fail_flat("in one plane");
    Triangle base = {a, b, c};
    if (sees(base, d)) std::swap(base[1], base[2]);
    if (!sees({base[0], base[2], base[1]}, d)) fail_flat("in one plane");
    const auto [i, j, k] = base;
    add_faces({{i, j, k}, {j, i, d}, {k, j, d}, {i, k, d}});
  }

  [[noreturn]] void fail_flat(const char* where) const {
    throw InputError(
        fmt::format("{}: all {} points lie {}; a convex solid needs points that enclose a volume",
                    source_, points_.size(), where));
  }

  // Links new faces with each other and with those across their edges.
  void add_faces(const std::vector<Triangle>& corners) {
    const auto first = static_cast<std::int32_t>(faces_.size());
    for (const Triangle& c : corners) {
      pending_.push_back(static_cast<std::int32_t>(faces_.size()));
      faces_.push_back({c, {-1, -1, -1}});
    }
    for (auto f = first; f < static_cast<std::int32_t>(faces_.size()); ++f) {
      for (int e = 0; e < 3; ++e) {
        const std::int32_t from = faces_[f].corners[e], to = faces_[f].corners[(e + 1) % 3];
        open_edges_[{from, to}] = {f, e};
        const auto other = open_edges_.find({to, from});
        if (other == open_edges_.end()) continue;
        const auto [g, g_edge] = other->second;
        faces_[f].neighbours[e] = g;
        faces_[g].neighbours[g_edge] = f;
        open_edges_.erase(other);
        open_edges_.erase({from, to});
      }
    }
  }

  void add_point(std::int32_t start, std::int32_t p) {
    std::vector<std::int32_t> visible = {start};
    faces_[start].is_alive = false;
    std::vector<Triangle> cone;
    for (std::size_t k = 0; k < visible.size(); ++k) {
      const Face face = faces_[visible[k]];
      for (int e = 0; e < 3; ++e) {
        const std::int32_t g = face.neighbours[e];
        if (!faces_[g].is_alive) continue;  // seen already
        if (sees(faces_[g].corners, p)) {
          faces_[g].is_alive = false;
          visible.push_back(g);
        }
      }
    }
    for (const std::int32_t f : visible) {
      for (int e = 0; e < 3; ++e) {
        const std::int32_t g = faces_[f].neighbours[e];
        if (!faces_[g].is_alive) continue;
        const std::int32_t from = faces_[f].corners[e], to = faces_[f].corners[(e + 1) % 3];
        cone.push_back({from, to, p});
        for (int k = 0; k < 3; ++k) {
          if (faces_[g].corners[k] == to && faces_[g].corners[(k + 1) % 3] == from) {
            open_edges_[{to, from}] = {g, k};
          }
        }
      }
    }
    add_faces(cone);
  }

  TriangleMesh make_mesh() const {
    std::vector<std::int32_t> new_index(points_.size(), -1);
    std::vector<Vec3d> vertices;
    std::vector<Triangle> triangles;
    for (const Face& face : faces_) {
      if (!face.is_alive) continue;
      Triangle t;
      for (int k = 0; k < 3; ++k) {
        std::int32_t& index = new_index[face.corners[k]];
        if (index < 0) {
          index = static_cast<std::int32_t>(vertices.size());
          vertices.push_back(points_[face.corners[k]]);
        }
        t[k] = index;
      }
      triangles.push_back(t);
    }
    return TriangleMesh(std::move(vertices), std::move(triangles), source_);
  }

  const std::vector<Vec3d>& points_;
  const std::string& source_;
  Vec3d low_ = Vec3d::Zero(), high_ = Vec3d::Zero();
  double size_ = 0;
  std::vector<GridPoint> grid_;
  std::vector<double> from_middle_;
  mutable std::vector<double> scratch_;
  std::vector<Face> faces_;
  std::vector<std::int32_t> pending_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::pair<std::int32_t, int>> open_edges_;
};

}  // namespace

TriangleMesh make_convex_hull(const std::vector<Vec3d>& points, const std::string& source) {
  return HullBuilder(points, source).build();
}

}  // namespace vesica
