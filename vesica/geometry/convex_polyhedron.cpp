#include "vesica/geometry/convex_polyhedron.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "vesica/error.h"
#include "vesica/geometry/convex_hull.h"

namespace vesica {

namespace {

using Triangle = TriangleMesh::Triangle;
using DirectedEdge = std::pair<std::int32_t, std::int32_t>;

constexpr std::size_t kMaxFaces = 20000;
// Points this far (of the size) from a plane still lie in it: well above what rounding leaves of a
// flat face that was turned, well below any edge that is meant.
constexpr double kFlatFace = 1e-11;

// Which triangles form one flat face: the lowest triangle index of its group for each.
std::vector<std::int32_t> group_flat_triangles(
    const TriangleMesh& mesh, const std::map<DirectedEdge, std::int32_t>& triangle_of) {
  const auto& x = mesh.vertices();
  const auto& triangles = mesh.triangles();
  std::vector<std::int32_t> group(triangles.size());
  std::iota(group.begin(), group.end(), 0);
  const auto find = [&](std::int32_t t) {
    while (group[t] != t) t = group[t] = group[group[t]];
    return t;
  };
  const auto area_vector = [&](std::int32_t t) -> Vec3d {
    const Triangle& k = triangles[t];
    return (x[k[1]] - x[k[0]]).cross(x[k[2]] - x[k[0]]);
  };
  const double flat = kFlatFace * mesh.size();
  for (const auto& [edge, t] : triangle_of) {
    if (edge.first > edge.second) continue;
    const std::int32_t s = triangle_of.at({edge.second, edge.first});
    // The larger triangle's plane is the better known.
    Vec3d a = area_vector(t), b = area_vector(s);
    const bool t_is_larger = a.squaredNorm() >= b.squaredNorm();
    if (a.dot(b) <= 0) continue;
    const Vec3d n = (t_is_larger ? a : b).normalized();
    const Triangle& other = triangles[t_is_larger ? s : t];
    double height = 0;
    for (const std::int32_t v : other) {
      height = std::max(height, std::abs(n.dot(x[v] - x[edge.first])));
    }
    if (height > flat) continue;
    const std::int32_t p = find(t), q = find(s);
    group[std::max(p, q)] = std::min(p, q);
  }
  for (std::size_t t = 0; t < group.size(); ++t) group[t] = find(static_cast<std::int32_t>(t));
  return group;
}

}  // namespace

ConvexPolyhedron::ConvexPolyhedron(const TriangleMesh& mesh, const std::string& source)
    : vertices_(mesh.vertices()),
      box_min_(mesh.box_min()),
      box_max_(mesh.box_max()),
      ball_center_(0.5 * (mesh.box_min() + mesh.box_max())),
      solid_(mesh.solid()) {
  if (!mesh.is_convex()) {
    throw InputError(fmt::format(
        "{}: the solid is not convex; expected one whose faces all see every vertex inside; split "
        "it into convex cells or take its hull",
        source));
  }
  const auto& triangles = mesh.triangles();
  std::map<DirectedEdge, std::int32_t> triangle_of;  // by directed edge
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (int e = 0; e < 3; ++e) {
      triangle_of[{triangles[t][e], triangles[t][(e + 1) % 3]}] = static_cast<std::int32_t>(t);
    }
  }
  const auto group = group_flat_triangles(mesh, triangle_of);

  // A face's outline: the edges that two groups share, each leading to the next.
  std::map<std::int32_t, std::map<std::int32_t, Corner>> outlines;  // face, from vertex: to vertex
  for (const auto& [edge, t] : triangle_of) {
    const std::int32_t across = group[triangle_of.at({edge.second, edge.first})];
    if (across != group[t]) outlines[group[t]][edge.first] = {edge.second, across};
  }
  if (outlines.size() > kMaxFaces) {
    throw InputError(
        fmt::format("{}: a convex solid of {} faces; at most {} are taken; give fewer "
                    "points",
                    source, outlines.size(), kMaxFaces));
  }
  std::map<std::int32_t, std::int32_t> face_of;
  for (const auto& [g, outline] : outlines) {
    face_of.emplace(g, static_cast<std::int32_t>(face_of.size()));
  }
  for (const auto& [g, outline] : outlines) {
    begin_.push_back(static_cast<std::int32_t>(corners_.size()));
    const std::int32_t start = outline.begin()->first;
    std::int32_t v = start;
    Vec3d area = Vec3d::Zero(), middle = Vec3d::Zero();
    do {
      const Corner& next = outline.at(v);
      corners_.push_back({v, face_of.at(next.neighbour)});
      area += (vertices_[v] - vertices_[start]).cross(vertices_[next.vertex] - vertices_[start]);
      middle += vertices_[v];
      v = next.vertex;
    } while (v != start && corners_.size() - begin_.back() <= outline.size());
    const Vec3d normal = area.normalized();
    planes_.push_back({normal, normal.dot(middle) / (corners_.size() - begin_.back())});
  }
  begin_.push_back(static_cast<std::int32_t>(corners_.size()));
  for (const Vec3d& x : vertices_) {
    ball_radius_ = std::max(ball_radius_, (x - ball_center_).norm());
  }
}

std::vector<Triangle> ConvexPolyhedron::make_triangles() const {
  std::vector<Triangle> triangles;
  for (std::size_t f = 0; f < planes_.size(); ++f) {
    const auto corners = face(f);
    for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
      triangles.push_back({corners[0].vertex, corners[k].vertex, corners[k + 1].vertex});
    }
  }
  return triangles;
}

ConvexPolyhedron make_box_polyhedron(const Vec3d& size) {
  if (!(size.minCoeff() > 0) || !size.allFinite()) {
    throw InputError(fmt::format("box of size [{}, {}, {}]: expected three positive lengths",
                                 size.x(), size.y(), size.z()));
  }
  std::vector<Vec3d> vertices;
  for (int k = 0; k < 8; ++k) {
    vertices.push_back(
        size.cwiseProduct(Vec3d(k & 1, (k >> 1) & 1, k >> 2) - Vec3d::Constant(0.5)));
  }
  return ConvexPolyhedron(TriangleMesh(std::move(vertices),
                                       {{0, 2, 3},
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
                                        {7, 4, 5}},
                                       "box"),
                          "box");
}

ConvexPolyhedron make_convex_polyhedron(const std::vector<Vec3d>& points,
                                        const std::string& source) {
  return ConvexPolyhedron(make_convex_hull(points, source), source);
}

ConvexPolyhedron make_moved(const ConvexPolyhedron& polyhedron, const Mat3d& R, const Vec3d& p) {
  std::vector<Vec3d> vertices = polyhedron.vertices();
  for (Vec3d& x : vertices) x = R * x + p;
  return ConvexPolyhedron(TriangleMesh(std::move(vertices), polyhedron.make_triangles(), "moved"),
                          "moved");
}

}  // namespace vesica
