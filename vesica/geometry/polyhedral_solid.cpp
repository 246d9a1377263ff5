#include "vesica/geometry/polyhedral_solid.h"

#include <algorithm>
#include <optional>

#include "vesica/error.h"
#include "vesica/geometry/polyhedron_clipper.h"

namespace vesica {

namespace {

std::vector<Bounds> list_boxes(const std::vector<ConvexPolyhedron>& cells) {
  std::vector<Bounds> boxes;
  for (const auto& cell : cells) boxes.push_back({cell.box_min(), cell.box_max()});
  return boxes;
}

double calc_thickness(const ConvexPolyhedron& cell, const Plane& plane, double* lowest) {
  double low = plane.offset, high = plane.offset;
  for (const Vec3d& x : cell.vertices()) {
    const double height = plane.normal.dot(x);
    low = std::min(low, height);
    high = std::max(high, height);
  }
  *lowest = low;
  return high - plane.offset;
}

// The cell's part in the half-space; nothing where it is thinner than a sliver.
std::optional<ConvexPolyhedron> cut(const ConvexPolyhedron& cell, const Plane& plane) {
  const double sliver = 1e-9 * cell.ball_radius();
  double lowest = 0;
  const double above = calc_thickness(cell, plane, &lowest);
  if (plane.offset - lowest < sliver) return std::nullopt;
  if (above < sliver) return cell;
  PolyhedronClipper clipper;
  clipper.start(cell);
  clipper.cut(plane, static_cast<std::int32_t>(cell.planes().size()));
  const std::vector<Vec3d> points(clipper.vertices().begin(), clipper.vertices().end());
  try {
    return make_convex_polyhedron(points, "cell");
  } catch (const InputError&) {  // flat along another direction: a sliver as well
    return std::nullopt;
  }
}

// What is left of the pieces outside `cell`: plane by plane, the part beyond is a piece of its own.
std::vector<ConvexPolyhedron> subtract(const std::vector<ConvexPolyhedron>& pieces,
                                       const ConvexPolyhedron& cell) {
  std::vector<ConvexPolyhedron> outside;
  for (const ConvexPolyhedron& piece : pieces) {
    const std::size_t kept = outside.size();
    std::optional<ConvexPolyhedron> inside = piece;
    for (const Plane& plane : cell.planes()) {
      if (auto beyond = cut(*inside, {-plane.normal, -plane.offset})) {
        outside.push_back(std::move(*beyond));
      }
      inside = cut(*inside, plane);
      if (!inside) break;
    }
    if (inside) continue;
    // The last plane had all that was left beyond it: they share nothing, the piece stays whole.
    outside.resize(kept, piece);
    outside.push_back(piece);
  }
  return outside;
}

}  // namespace

PolyhedralSolid::PolyhedralSolid(std::vector<ConvexPolyhedron> cells)
    : cells_(std::move(cells)), tree_(list_boxes(cells_)) {}

std::optional<ConvexPolyhedron> make_cell_polyhedron(const Cell& cell) {
  if (!cell.is_polyhedral() || !cell.bounds.is_finite()) return std::nullopt;
  // A box that no plane of the cell coincides with, cut down.
  const Vec3d half = cell.bounds.half() + Vec3d::Constant(0.1 * cell.bounds.half().maxCoeff());
  std::optional<ConvexPolyhedron> rest =
      make_moved(make_box_polyhedron(2 * half), Mat3d::Identity(), cell.bounds.center());
  for (const Primitive& p : cell.primitives) {
    const Vec3d n = 2 * p.g.b;
    rest = cut(*rest, {n.normalized(), -p.g.c / n.norm()});
    if (!rest) return std::nullopt;
  }
  return rest;
}

Cell make_polyhedron_cell(const ConvexPolyhedron& polyhedron) {
  std::vector<Primitive> planes;
  for (const Plane& p : polyhedron.planes()) {
    planes.push_back(make_half_space(p.normal, p.offset));
  }
  return make_cell(std::move(planes), Bounds{polyhedron.box_min(), polyhedron.box_max()});
}

std::vector<ConvexPolyhedron> make_disjoint(const std::vector<ConvexPolyhedron>& cells) {
  const BoxTree tree(list_boxes(cells));
  std::vector<CellPair> pairs;
  find_box_pairs(tree, Pose<double>{}, tree, Pose<double>{}, 0, &pairs);
  std::vector<ConvexPolyhedron> result;
  std::size_t next = 0;  // of the pairs, which are in order of their first cell
  for (std::size_t c = 0; c < cells.size(); ++c) {
    std::vector<ConvexPolyhedron> pieces = {cells[c]};
    for (; next < pairs.size() && pairs[next].i == static_cast<std::int32_t>(c); ++next) {
      if (pairs[next].j < pairs[next].i) pieces = subtract(pieces, cells[pairs[next].j]);
    }
    for (auto& piece : pieces) result.push_back(std::move(piece));
  }
  return result;
}

}  // namespace vesica
