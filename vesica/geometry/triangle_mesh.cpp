#include "vesica/geometry/triangle_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "vesica/error.h"
#include "vesica/geometry/triangle_tree.h"

namespace vesica {

namespace {

using Triangle = TriangleMesh::Triangle;
using Solid = TriangleMesh::Solid;

constexpr double kConvexTolerance = 1e-6;
// Height over longest edge below which a triangle has no usable normal: a few hundred roundings.
constexpr double kFlatTriangle = 1e-13;

std::string as_text(const Vec3d& p) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", p.x(), p.y(), p.z());
}

void check_indices(const std::vector<Vec3d>& vertices, const std::vector<Triangle>& triangles,
                   const std::string& source) {
  if (triangles.size() < 4) {
    throw InputError(fmt::format(
        "{}: found {} triangle(s); a closed solid has at least 4: the file holds no solid, or only "
        "part of one",
        source, triangles.size()));
  }
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    if (!vertices[k].allFinite()) {
      throw InputError(fmt::format("{}: vertex {} is {}; expected finite numbers", source, k + 1,
                                   as_text(vertices[k])));
    }
  }
  const auto count = static_cast<std::int64_t>(vertices.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::int32_t v : triangles[t]) {
      if (v < 0 || v >= count) {
        throw InputError(fmt::format("{}: triangle {} refers to vertex {}; there are {} vertices",
                                     source, t + 1, std::int64_t{v} + 1, count));
      }
    }
  }
}

void check_triangles(const std::vector<Vec3d>& vertices, const std::vector<Triangle>& triangles,
                     const std::string& source) {
  std::size_t flat = 0, first = 0;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto& [i, j, k] = triangles[t];
    const Vec3d a = vertices[j] - vertices[i], b = vertices[k] - vertices[i];
    const double longest2 = std::max({a.squaredNorm(), b.squaredNorm(), (b - a).squaredNorm()});
    const bool degenerate =
        i == j || j == k || k == i || !(a.cross(b).norm() > kFlatTriangle * longest2);
    if (degenerate && flat++ == 0) first = t;
  }
  if (flat == 0) return;
  throw InputError(fmt::format(
      "{}: {} triangle(s) without area, the first is triangle {} near {}; remove them in a mesh "
      "editor (\"remove degenerate faces\", \"merge by distance\")",
      source, flat, first + 1, as_text(vertices[triangles[first][0]])));
}

// One use of an edge by a triangle; `forward` when the triangle runs from the lower index.
struct EdgeUse {
  std::int32_t low, high, triangle;
  bool forward;
};

void check_edges(const std::vector<Vec3d>& vertices, const std::vector<Triangle>& triangles,
                 const std::string& source) {
  std::vector<EdgeUse> uses;
  uses.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (int e = 0; e < 3; ++e) {
      const std::int32_t a = triangles[t][e], b = triangles[t][(e + 1) % 3];
      uses.push_back({std::min(a, b), std::max(a, b), static_cast<std::int32_t>(t), a < b});
    }
  }
  std::sort(uses.begin(), uses.end(), [](const EdgeUse& x, const EdgeUse& y) {
    return std::tie(x.low, x.high, x.triangle) < std::tie(y.low, y.high, y.triangle);
  });

  struct Fault {
    std::size_t count = 0;
    EdgeUse first{};
    void note(const EdgeUse& use) {
      if (count++ == 0 || use.triangle < first.triangle) first = use;
    }
  } open, crowded, inconsistent;
  for (std::size_t k = 0; k < uses.size();) {
    std::size_t end = k + 1;
    while (end < uses.size() && uses[end].low == uses[k].low && uses[end].high == uses[k].high) {
      ++end;
    }
    if (end - k == 1) open.note(uses[k]);
    if (end - k > 2) crowded.note(uses[k]);
    if (end - k == 2 && uses[k].forward == uses[k + 1].forward) inconsistent.note(uses[k]);
    k = end;
  }
  const auto where = [&](const Fault& fault) {
    return fmt::format("the first at triangle {} from {} to {}", fault.first.triangle + 1,
                       as_text(vertices[fault.first.low]), as_text(vertices[fault.first.high]));
  };
  if (open.count > 0) {
    throw InputError(fmt::format(
        "{}: the mesh is open: {} edge(s) belong to one triangle only, {}; a contact solid must be "
        "closed: fill the holes in a mesh editor, or thicken an open shell (cartilage, skin) into "
        "a "
        "solid",
        source, open.count, where(open)));
  }
  if (crowded.count > 0) {
    throw InputError(fmt::format(
        "{}: {} edge(s) belong to more than two triangles, {}; remove doubled or inner faces, or "
        "separate parts that touch along an edge",
        source, crowded.count, where(crowded)));
  }
  if (inconsistent.count > 0) {
    throw InputError(fmt::format(
        "{}: inconsistent winding: the two triangles of {} edge(s) run along it in the same "
        "direction, {}; make the face orientation consistent (\"recalculate normals\")",
        source, inconsistent.count, where(inconsistent)));
  }
}

// Tetrahedra from the middle of the box: sizes stay those of the solid wherever its origin is.
Solid calc_solid(const std::vector<Vec3d>& vertices, const std::vector<Triangle>& triangles,
                 const Vec3d& middle) {
  double volume6 = 0;
  Vec3d first24 = Vec3d::Zero();
  Mat3d second120 = Mat3d::Zero();
  for (const auto& [i, j, k] : triangles) {
    const Vec3d a = vertices[i] - middle, b = vertices[j] - middle, c = vertices[k] - middle;
    const double det = a.dot((b - a).cross(c - a));
    const Vec3d s = a + b + c;
    volume6 += det;
    first24 += det * s;
    second120 +=
        det * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  }
  Solid solid;
  solid.volume = volume6 / 6;
  const Vec3d offset = first24 / (4 * volume6);
  solid.centroid = middle + offset;
  solid.M = Symmetric3<double>::from_matrix(second120 / 120) -
            Symmetric3<double>::outer(offset) * solid.volume;
  return solid;
}

// A closed surface with every vertex behind every face bounds a convex solid.
bool calc_is_convex(const TriangleMesh& mesh) {
  const double tolerance = kConvexTolerance * mesh.size();
  for (const auto& [i, j, k] : mesh.triangles()) {
    const auto& v = mesh.vertices();
    const Vec3d n = (v[j] - v[i]).cross(v[k] - v[i]).normalized();
    if (n.dot(v[mesh.find_lowest_vertex(-n)] - v[i]) > tolerance) return false;
  }
  return true;
}

}  // namespace

TriangleMesh::TriangleMesh(std::vector<Vec3d> vertices, std::vector<Triangle> triangles,
                           const std::string& source)
    : vertices_(std::move(vertices)), triangles_(std::move(triangles)) {
  check_indices(vertices_, triangles_, source);
  check_triangles(vertices_, triangles_, source);
  check_edges(vertices_, triangles_, source);

  box_min_ = box_max_ = vertices_[triangles_[0][0]];
  for (const Triangle& triangle : triangles_) {
    for (const std::int32_t v : triangle) {
      box_min_ = box_min_.cwiseMin(vertices_[v]);
      box_max_ = box_max_.cwiseMax(vertices_[v]);
    }
  }
  solid_ = calc_solid(vertices_, triangles_, 0.5 * (box_min_ + box_max_));
  if (!std::isfinite(solid_.M.trace())) {
    throw InputError(
        fmt::format("{}: the mesh is {:.3g} m across: too large for its moments; check the scale",
                    source, size()));
  }
  if (!(solid_.volume > 0)) {
    throw InputError(fmt::format(
        "{}: the mesh is inside out: its normals point inward and its volume is {:.6g} m^3; flip "
        "the orientation of all faces",
        source, solid_.volume));
  }
  if (!(solid_.M.trace() > 0)) {
    throw InputError(
        fmt::format("{}: the mesh is {:.3g} m across: too small for its moments; check the scale",
                    source, size()));
  }
  tree_ = std::make_shared<const TriangleTree>(vertices_, triangles_);
  is_convex_ = calc_is_convex(*this);
}

std::int32_t TriangleMesh::find_lowest_vertex(const Vec3d& m) const {
  return tree_->find_lowest_vertex(m);
}

void weld_vertices(std::vector<Vec3d>* vertices, std::vector<Triangle>* triangles) {
  struct Hash {
    std::size_t operator()(const std::array<double, 3>& p) const {
      std::size_t h = 0;
      for (double x : p) h = (h ^ std::hash<double>()(x)) * 0x9e3779b97f4a7c15u;
      return h ^ (h >> 32);
    }
  };
  std::unordered_map<std::array<double, 3>, std::int32_t, Hash> index_of;
  std::vector<Vec3d> unique;
  std::vector<std::int32_t> new_index(vertices->size());
  for (std::size_t k = 0; k < vertices->size(); ++k) {
    // Adding 0 turns -0 into +0, which would hash differently.
    const Vec3d p = (*vertices)[k] + Vec3d::Zero();
    const auto [it, is_new] =
        index_of.try_emplace({p.x(), p.y(), p.z()}, static_cast<std::int32_t>(unique.size()));
    if (is_new) unique.push_back(p);
    new_index[k] = it->second;
  }
  for (Triangle& t : *triangles) {
    for (std::int32_t& v : t) v = new_index[v];
  }
  *vertices = std::move(unique);
}

}  // namespace vesica
