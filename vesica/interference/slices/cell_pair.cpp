#include "vesica/interference/slices/cell_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "vesica/error.h"
#include "vesica/interference/slices/slice_domain.h"
#include "vesica/math/linear_algebra.h"

namespace vesica {
namespace {

void add_common_parts(const std::vector<Cell>& cells, size_t next, const SignedCell& part,
                      SolidParts* parts) {
  constexpr size_t kMaxParts = 4096;
  if (parts->size() >= kMaxParts) {
    throw InputError(fmt::format(
        "the cells of this solid overlap in more than {} combinations; let them only touch",
        kMaxParts));
  }
  parts->push_back(part);
  for (size_t k = next; k < cells.size(); ++k) {
    Cell common = make_common_cell(part.cell, cells[k]);
    // Cells that only touch share nothing; neither do most whose boxes overlap.
    const Vec3d half = common.bounds.half();
    if (common.bounds.is_empty() || half.minCoeff() < 1e-9 * half.maxCoeff()) continue;
    if (common.bounds.is_finite() && !(calc_cell_moments(part.cell, cells[k], {}).volume > 0)) {
      continue;
    }
    add_common_parts(cells, k + 1, {std::move(common), -part.sign}, parts);
  }
}

// Its kinds of surface, each once.
std::string describe(const Cell& cell) {
  std::vector<std::string_view> names;
  for (const Primitive& p : cell.primitives) {
    const auto name = primitive_name(p.type);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// Radius of its box; infinite where it has none.
double calc_extent(const Cell& cell) {
  return cell.bounds.is_finite() ? cell.bounds.half().norm() : kInfinity;
}

// All surfaces further out by s.
Cell inflated(Cell cell, double s) {
  for (Primitive& p : cell.primitives) p.g.c -= s;
  cell.bounds.min.array() -= s;
  cell.bounds.max.array() += s;
  return cell;
}

}  // namespace

SolidParts make_solid_parts(const Solid& solid) {
  SolidParts parts;
  for (size_t k = 0; k < solid.cells.size(); ++k) {
    add_common_parts(solid.cells, k + 1, {solid.cells[k], 1}, &parts);
  }
  return parts;
}

namespace detail {

CellPairResult calc_cell_pair(const Cell& i, const Pose<double>& X_WI, const Cell& j,
                              const Pose<double>& X_WJ, const SliceOptions& options,
                              bool with_derivatives) {
  CellPairResult r;
  r.moments = calc_cell_moments(i, j, calc_relative_pose(X_WJ, X_WI), options,
                                with_derivatives ? &r.sensitivity : nullptr);
  if (!r.moments.has_converged && r.moments.slices == 0) {
    throw InputError(fmt::format(
        "what a cell of {} shares with a cell of {} has no direction whose slices are all ellipses "
        "(wide cones at right angles do that); cut one of them by planes into smaller cells, or "
        "make the cones narrower",
        describe(i), describe(j)));
  }
  r.moments.centroid = X_WJ * r.moments.centroid;
  r.moments.M = r.moments.M.rotated(X_WJ.R_WB);
  r.moments.area_vector = X_WJ.R_WB * r.moments.area_vector;
  r.R_WS = X_WJ.R_WB * r.sensitivity.R_JS;
  return r;
}

std::optional<HalfSpacePlane> find_half_space(const SolidParts& parts) {
  if (parts.size() != 1 || parts[0].cell.primitives.size() != 1) return std::nullopt;
  const Primitive& p = parts[0].cell.primitives[0];
  if (!p.is_plane()) return std::nullopt;
  return HalfSpacePlane{p.is_complement ? Vec3d(-p.axis()) : p.axis(), p.X_SP.p_WB};
}

Vec3d find_way_out(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
                   const Pose<double>& X_WJ, const Vec3d& p_W) {
  // Out of the larger one: it is the other that is inside.
  const auto calc_size = [](const SolidParts& parts) {
    double size = 0;
    for (const SignedCell& part : parts) size = std::max(size, calc_extent(part.cell));
    return size;
  };
  const bool of_j = calc_size(j) >= calc_size(i);
  const SolidParts& outer = of_j ? j : i;
  const Pose<double>& X_WB = of_j ? X_WJ : X_WI;
  const Vec3d p = X_WB.R_WB.transpose() * (p_W - X_WB.p_WB);
  double nearest = -kInfinity;
  Vec3d n = Vec3d::UnitZ();
  for (const SignedCell& part : outer) {
    if (part.sign < 0 || !part.cell.contains(p)) continue;
    for (const Primitive& surface : part.cell.primitives) {
      const Vec3d gradient = surface.g.gradient(p);
      const double slope = gradient.norm();
      if (!(slope > 0) || !(surface.g(p) / slope > nearest)) continue;
      nearest = surface.g(p) / slope;
      n = gradient / slope;
    }
  }
  return X_WB.R_WB * (of_j ? n : Vec3d(-n));
}

// Of a half-space and what lies above it: along its normal to the lowest point of every cell. False
// where a cell is hollow or endless.
bool find_gap_to_plane(const HalfSpacePlane& plane, const SolidParts& body,
                       const Pose<double>& X_WB, double* distance, Vec3d* lowest) {
  thread_local std::vector<ColumnSurface> surfaces;  // keeps its buffer
  *distance = kInfinity;
  for (const SignedCell& part : body) {
    if (part.sign < 0) continue;
    const Cell& cell = part.cell;
    if (!cell.is_convex() || !cell.bounds.is_finite()) return false;
    const double radius = cell.bounds.half().norm();
    const Vec3d center = X_WB * cell.bounds.center();
    const double height = plane.n.dot(center - plane.p);
    if (height - radius >= *distance) continue;
    // A plane above the cell: all of it is below, and its depth is that of the lowest point.
    const Cell above = make_cell({make_half_space(plane.n, plane.n.dot(center) + radius)});
    const CellMoments whole = calc_cell_moments(cell, above, X_WB, {1e-2, 200});
    if (!(whole.volume > 0)) return false;
    surfaces.clear();
    for (const Primitive& p : cell.primitives) {
      surfaces.push_back(make_column_surface(p, X_WB, false, whole.centroid));
    }
    surfaces.push_back(
        make_column_surface(above.primitives[0], Pose<double>{}, true, whole.centroid));
    DeepestColumn column;
    if (!vesica::find_deepest_column(surfaces, plane.n, Vec3d::Zero(), radius, false, &column)) {
      return false;
    }
    const Vec3d p = whole.centroid + column.bottom;
    const double gap = plane.n.dot(p - plane.p);
    if (gap < *distance) {
      *distance = gap;
      *lowest = p;
    }
  }
  return std::isfinite(*distance);
}

Gap calc_gap(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
             const Pose<double>& X_WJ) {
  for (const bool of_j : {true, false}) {
    auto plane = find_half_space(of_j ? j : i);
    if (!plane) continue;
    const Pose<double>& X = of_j ? X_WJ : X_WI;
    plane = HalfSpacePlane{X.R_WB * plane->n, X * plane->p};
    double distance;
    Vec3d lowest;
    if (!find_gap_to_plane(*plane, of_j ? i : j, of_j ? X_WI : X_WJ, &distance, &lowest)) continue;
    // They share no volume: what rounding leaves below zero is a touch.
    distance = std::max(distance, 0.0);
    return {distance, lowest - 0.5 * distance * plane->n, of_j ? plane->n : Vec3d(-plane->n)};
  }
  const Pose<double> X_JI = calc_relative_pose(X_WJ, X_WI), X_IJ = calc_relative_pose(X_WI, X_WJ);
  Gap best{kInfinity, X_WI.p_WB, Vec3d::UnitZ()};
  for (const SignedCell& a : i) {
    for (const SignedCell& b : j) {
      if (a.sign < 0 || b.sign < 0) continue;
      // Distance of the boxes along any axis of either: a lower bound.
      const Bounds a_J = a.cell.bounds.moved(X_JI), b_I = b.cell.bounds.moved(X_IJ);
      const double boxes = std::max({(a_J.min - b.cell.bounds.max).maxCoeff(),
                                     (b.cell.bounds.min - a_J.max).maxCoeff(),
                                     (b_I.min - a.cell.bounds.max).maxCoeff(),
                                     (a.cell.bounds.min - b_I.max).maxCoeff(), 0.0});
      if (boxes >= best.distance) continue;
      const double size = std::min(calc_extent(a.cell), calc_extent(b.cell));
      const Vec3d apart = X_WI * a.cell.bounds.center() - X_WJ * b.cell.bounds.center();
      const bool has_direction = apart.allFinite() && apart.norm() > 0;
      if (boxes > size) {
        best.distance = boxes;
        if (has_direction) best.n_W = apart.normalized();
        best.p_WC = a.cell.bounds.is_finite() ? X_WI * a.cell.bounds.center() : X_WI.p_WB;
        continue;
      }
      const auto meet = [&](double s) {
        return calc_cell_moments(a.cell, inflated(b.cell, s), X_JI, {1e-4, 200});
      };
      double low = 0, high = std::max(boxes, 1e-3 * size);
      while (high < 16 * size && !(meet(high).volume > 0)) {
        low = high;
        high *= 2;
      }
      if (low >= best.distance) continue;
      for (int k = 0; k < 50 && high - low > 1e-10 * size; ++k) {
        const double s = 0.5 * (low + high);
        (meet(s).volume > 0 ? high : low) = s;
      }
      if (high >= best.distance) continue;
      const CellMoments m = meet(high + 1e-5 * size);
      best.distance = high;
      if (m.volume > 0) {
        best.p_WC = X_WJ * m.centroid;
        best.n_W = X_WJ.R_WB * m.area_vector.normalized();
        best.p_WC -= 0.5 * high * best.n_W;
      }
    }
  }
  return best;
}

PrincipalAxes calc_principal_axes(const Symmetric3<double>& M, const Vec3d& guess) {
  const auto [values, vectors] = calc_eigen<3>(M.matrix());
  int first = 0;
  (vectors.transpose() * guess).cwiseAbs().maxCoeff(&first);
  PrincipalAxes axes;
  for (int k = 0; k < 3; ++k) {
    axes.axis[k] = vectors.col((first + k) % 3);
    axes.moment[k] = values[(first + k) % 3];
  }
  if (axes.axis[0].dot(guess) < 0) axes.axis[0] = -axes.axis[0];
  return axes;
}

bool find_plane_normal(const SolidParts& j, const Vec3d& guess_J, Vec3d* n_J) {
  double best = 0;
  for (const SignedCell& part : j) {
    for (const Primitive& p : part.cell.primitives) {
      if (!p.is_plane()) continue;
      const Vec3d n = 2 * p.g.b;
      if (n.dot(guess_J) > best) {
        best = n.dot(guess_J);
        *n_J = n;
      }
    }
  }
  return best > 0;
}

}  // namespace detail

}  // namespace vesica
