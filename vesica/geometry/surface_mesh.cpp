#include "vesica/geometry/surface_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "vesica/error.h"

namespace vesica {

namespace {

using Triangle = TriangleMesh::Triangle;

// Six tetrahedra around the diagonal from corner 0 to corner 7 of a cube; bit k of a corner: moved
// along axis k. Neighbouring cubes share their faces' diagonals. All of positive volume.
constexpr int kTetrahedra[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                   {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

class TetrahedraMarch {
 public:
  TetrahedraMarch(const std::function<double(const Vec3d&)>& g, const Bounds& box, int cells)
      : g_(g) {
    const Vec3d size = box.max - box.min;
    step_ = size.maxCoeff() / cells;
    for (int k = 0; k < 3; ++k) count_[k] = static_cast<int>(std::ceil(size[k] / step_ - 1e-9)) + 3;
    // One layer of points beyond the box all around, outside by decree: the surface is closed.
    const Vec3d covered((count_[0] - 3) * step_, (count_[1] - 3) * step_, (count_[2] - 3) * step_);
    origin_ = 0.5 * (box.min + box.max) - 0.5 * covered - Vec3d::Constant(step_);
  }

  SurfaceMesh run() {
    for (int x = 0; x + 1 < count_[0]; ++x) {
      // Two layers of values are all that is needed at a time.
      if (x == 0) evaluate_layer(0);
      evaluate_layer(x + 1);
      for (int y = 0; y + 1 < count_[1]; ++y) {
        for (int z = 0; z + 1 < count_[2]; ++z) march_cube(x, y, z);
      }
    }
    return std::move(mesh_);
  }

 private:
  using Index = std::int64_t;

  Vec3d point(int x, int y, int z) const { return origin_ + step_ * Vec3d(x, y, z); }
  Index index(int x, int y, int z) const {
    return (static_cast<Index>(x) * count_[1] + y) * count_[2] + z;
  }
  char& inside(int x, int y, int z) {
    return layers_[x % 2][static_cast<std::size_t>(y) * count_[2] + z];
  }
  void evaluate_layer(int x) {
    auto& layer = layers_[x % 2];
    layer.resize(static_cast<std::size_t>(count_[1]) * count_[2]);
    for (int y = 0; y < count_[1]; ++y) {
      for (int z = 0; z < count_[2]; ++z) {
        const bool is_rim = x == 0 || y == 0 || z == 0 || x == count_[0] - 1 ||
                            y == count_[1] - 1 || z == count_[2] - 1;
        inside(x, y, z) = !is_rim && g_(point(x, y, z)) <= 0;
      }
    }
  }

  struct Corner {
    Vec3d x;
    Index index;
    bool inside;
  };

  std::int32_t find_vertex(const Corner& a, const Corner& b) {
    const auto key = std::minmax(a.index, b.index);
    const auto [entry, is_new] =
        known_.try_emplace(key.first * static_cast<Index>(8) + encode(key.second - key.first),
                           static_cast<std::int32_t>(mesh_.vertices.size()));
    if (!is_new) return entry->second;
    // From inside to outside; by bisection, because g may bend, kink or be a product. Kept a
    // thousandth of the edge away from its ends: a surface through a grid point would else give
    // triangles without area.
    const Vec3d from = a.inside ? a.x : b.x, to = a.inside ? b.x : a.x;
    double low = 0, high = 1;
    for (int k = 0; k < 30; ++k) {  // to 1e-9 of a cell
      const double middle = 0.5 * (low + high);
      (g_(from + middle * (to - from)) <= 0 ? low : high) = middle;
    }
    const Vec3d in = from + std::clamp(low, 1e-3, 1 - 1e-3) * (to - from);
    mesh_.vertices.push_back(in);
    Vec3d normal;
    const double h = 1e-4 * step_;
    for (int k = 0; k < 3; ++k) {
      const Vec3d e = h * Vec3d(Vec3d::Unit(k));
      normal[k] = g_(in + e) - g_(in - e);
    }
    // Cut off by the box, or a singular point: outward along the edge.
    const double length = normal.norm();
    const Vec3d along = (to - from).normalized();
    mesh_.normals.push_back(length > 0 && normal.dot(along) > 0 ? Vec3d(normal / length) : along);
    return entry->second;
  }
  // The seven directions of edges in the six tetrahedra.
  int encode(Index difference) const {
    const Index strides[3] = {static_cast<Index>(count_[1]) * count_[2], count_[2], 1};
    for (int code = 1; code < 8; ++code) {
      Index sum = 0;
      for (int k = 0; k < 3; ++k) sum += (code >> k & 1) * strides[k];
      if (sum == difference) return code;
    }
    return 0;
  }

  void add(std::int32_t a, std::int32_t b, std::int32_t c) {
    if (a != b && b != c && c != a) mesh_.triangles.push_back({a, b, c});
  }

  void march_cube(int x, int y, int z) {
    std::array<Corner, 8> corners;
    int count_inside = 0;
    for (int c = 0; c < 8; ++c) {
      const int cx = x + (c & 1), cy = y + (c >> 1 & 1), cz = z + (c >> 2);
      corners[c] = {point(cx, cy, cz), index(cx, cy, cz), inside(cx, cy, cz) != 0};
      count_inside += corners[c].inside;
    }
    if (count_inside == 0 || count_inside == 8) return;
    for (const auto& t : kTetrahedra) {
      march_tetrahedron({&corners[t[0]], &corners[t[1]], &corners[t[2]], &corners[t[3]]});
    }
  }

  // Seen from its fourth corner, the first three of a positive tetrahedron run clockwise; swapping
  // two pairs of corners keeps it positive.
  void march_tetrahedron(std::array<const Corner*, 4> v) {
    const int count = v[0]->inside + v[1]->inside + v[2]->inside + v[3]->inside;
    if (count == 0 || count == 4) return;
    if (count == 2) {
      // The inside corners to 0 and 1, by even permutations.
      int a = 0, b = 3;
      while (!v[a]->inside) ++a;
      while (!v[b]->inside) --b;
      static constexpr int kOrders[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2},
                                            {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}};
      for (const auto& o : kOrders) {
        if (o[0] != a || o[1] != b) continue;
        v = {v[o[0]], v[o[1]], v[o[2]], v[o[3]]};
        break;
      }
      const std::int32_t p = find_vertex(*v[0], *v[2]), q = find_vertex(*v[0], *v[3]);
      const std::int32_t r = find_vertex(*v[1], *v[3]), s = find_vertex(*v[1], *v[2]);
      add(p, q, r);
      add(p, r, s);
      return;
    }
    // The odd one out to 0, by even permutations.
    const bool odd = count == 1;
    static constexpr int kOrders[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
    for (const auto& o : kOrders) {
      if (v[o[0]]->inside != odd) continue;
      v = {v[o[0]], v[o[1]], v[o[2]], v[o[3]]};
      break;
    }
    const std::int32_t p = find_vertex(*v[0], *v[1]), q = find_vertex(*v[0], *v[2]),
                       r = find_vertex(*v[0], *v[3]);
    odd ? add(p, q, r) : add(p, r, q);
  }

  const std::function<double(const Vec3d&)>& g_;
  double step_ = 0;
  int count_[3] = {0, 0, 0};
  Vec3d origin_;
  std::array<std::vector<char>, 2> layers_;        // whether a point is inside
  std::unordered_map<Index, std::int32_t> known_;  // by edge
  SurfaceMesh mesh_;
};

}  // namespace

SurfaceMesh make_surface_mesh(const TriangleMesh& mesh) {
  return {mesh.vertices(), mesh.triangles(), {}};
}

SurfaceMesh make_surface_mesh(const ConvexPolyhedron& polyhedron) {
  return {polyhedron.vertices(), polyhedron.make_triangles(), {}};
}

SurfaceMesh make_surface_mesh(const PolyhedralSolid& solid) {
  SurfaceMesh mesh;
  for (const auto& cell : solid.cells()) append_mesh(make_surface_mesh(cell), {}, &mesh);
  return mesh;
}

SurfaceMesh make_surface_mesh(const std::function<double(const Vec3d&)>& g, const Bounds& box,
                              int cells) {
  const Vec3d size = box.max - box.min;
  if (!box.min.allFinite() || !box.max.allFinite() || !(size.minCoeff() > 0)) {
    throw InputError(
        "mesh of a solid: its box is empty, flat or infinite; expected a solid bounded on all "
        "sides, or give the box to show");
  }
  if (cells < 1 || cells > 512) {
    throw InputError(fmt::format(
        "mesh of a solid with {} cells along its longest side: expected 1 to 512", cells));
  }
  return TetrahedraMarch(g, box, cells).run();
}

SurfaceMesh make_surface_mesh(const Cell& cell, int cells) {
  if (const auto polyhedron = make_cell_polyhedron(cell)) return make_surface_mesh(*polyhedron);
  const auto g = [&cell](const Vec3d& x) {
    double greatest = -std::numeric_limits<double>::infinity();
    for (const Primitive& p : cell.primitives) greatest = std::max(greatest, p.g(x));
    return greatest;
  };
  return make_surface_mesh(g, cell.bounds, cells);
}

SurfaceMesh make_surface_mesh(const Torus<double>& torus, int around) {
  around = std::max(around, 3);
  const int rows = std::max(12, around / 3);
  SurfaceMesh mesh;
  for (int a = 0; a < around; ++a) {
    const double phi = 2 * kPi * a / around;
    const Vec3d out(std::cos(phi), std::sin(phi), 0);
    for (int b = 0; b < rows; ++b) {
      const double psi = 2 * kPi * b / rows;
      const Vec3d normal = std::cos(psi) * out + std::sin(psi) * Vec3d::UnitZ();
      mesh.vertices.push_back(torus.radius * out + torus.tube_radius * normal);
      mesh.normals.push_back(normal);
      const auto at = [&](int da, int db) { return (a + da) % around * rows + (b + db) % rows; };
      mesh.triangles.push_back({at(0, 0), at(1, 0), at(1, 1)});
      mesh.triangles.push_back({at(0, 0), at(1, 1), at(0, 1)});
    }
  }
  return mesh;
}

void append_mesh(const SurfaceMesh& part, const Pose<double>& X, SurfaceMesh* mesh) {
  const auto first = static_cast<std::int32_t>(mesh->vertices.size());
  const bool has_normals =
      part.normals.size() == part.vertices.size() && mesh->normals.size() == mesh->vertices.size();
  if (!has_normals) mesh->normals.clear();
  for (const Vec3d& x : part.vertices) mesh->vertices.push_back(X * x);
  if (has_normals) {
    for (const Vec3d& n : part.normals) mesh->normals.push_back(X.R_WB * n);
  }
  for (const Triangle& t : part.triangles) {
    mesh->triangles.push_back({first + t[0], first + t[1], first + t[2]});
  }
}

double calc_enclosed_volume(const SurfaceMesh& mesh) {
  double sum = 0;
  for (const Triangle& t : mesh.triangles) {
    sum += mesh.vertices[t[0]].dot(mesh.vertices[t[1]].cross(mesh.vertices[t[2]])) / 6;
  }
  return sum;
}

}  // namespace vesica
