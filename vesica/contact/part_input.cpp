#include "vesica/contact/part_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "vesica/geometry/polyhedral_solid.h"

namespace vesica {
namespace {

constexpr size_t kMaxPairs = 250000;  // of parts, a few hundred bytes each

template <class T>
PartExtent calc_extent(const PlacedShape<T>& placed) {
  const Pose<double> X = detail::value_of_pose(placed.X_BS);
  PartExtent extent;
  if (std::holds_alternative<HalfSpace>(placed.shape)) {
    extent.is_half_space = true;
    extent.normal = X.R_WB.col(2);
    extent.offset = extent.normal.dot(X.p_WB);
    return extent;
  }
  extent.box = calc_bounds(placed.shape);
  if (extent.box.is_finite()) extent.box = extent.box.moved(X);
  return extent;
}

// Largest extent of all parts that have one.
double calc_size(const std::vector<PartExtent>& parts) {
  Bounds all = Bounds::nothing();
  for (const PartExtent& part : parts) {
    if (part.box.is_finite()) all = all.joined_with(part.box);
  }
  return all.is_finite() ? 2 * all.half().maxCoeff() : std::numeric_limits<double>::infinity();
}

SolidShape as_shape(Cell cell) { return {std::make_shared<Solid>(make_solid({std::move(cell)}))}; }

// Refused where two of them share volume.
void check_disjoint(const InputNode& node, const std::vector<Cell>& cells) {
  std::vector<Bounds> boxes;
  for (const Cell& cell : cells) boxes.push_back(cell.bounds);
  const BoxTree tree(boxes);
  std::vector<CellPair> pairs;
  find_box_pairs(tree, Pose<double>{}, tree, Pose<double>{}, 0, &pairs);
  for (const CellPair& pair : pairs) {
    if (pair.i >= pair.j) continue;
    const Cell &a = cells[static_cast<size_t>(pair.i)], &b = cells[static_cast<size_t>(pair.j)];
    const double shared = calc_cell_moments(a, b, {}).volume;
    // Rounding at faces that touch is no overlap.
    if (shared > 1e-9 * 8 * std::min(a.bounds.half().prod(), b.bounds.half().prod())) {
      node.fail(fmt::format(
          "cells {} and {} of a solid overlap by {:.3g} m^3, which would count twice; let them "
          "only touch, or leave the cells together",
          pair.i, pair.j, shared));
    }
  }
}

}  // namespace

template <class T>
std::vector<PlacedShape<T>> separate_cells(const InputNode& node,
                                           const std::vector<PlacedShape<T>>& shapes) {
  std::vector<PlacedShape<T>> parts;
  for (const PlacedShape<T>& placed : shapes) {
    const auto* solid = std::get_if<SolidShape>(&placed.shape);
    if (!solid || solid->solid->cells.size() == 1) {
      parts.push_back(placed);
      continue;
    }
    auto add = [&](const Cell& cell) {
      parts.push_back({as_shape(cell), placed.X_BS, placed.at_origin});
    };
    std::vector<ConvexPolyhedron> polyhedra;
    std::vector<Cell> others;
    for (const Cell& cell : solid->solid->cells) {
      if (auto polyhedron = make_cell_polyhedron(cell)) {
        polyhedra.push_back(std::move(*polyhedron));
      } else {
        others.push_back(cell);
      }
    }
    if (others.empty()) {
      for (const ConvexPolyhedron& cell : make_disjoint(polyhedra)) add(make_polyhedron_cell(cell));
    } else {
      check_disjoint(node, solid->solid->cells);
      for (const Cell& cell : solid->solid->cells) add(cell);
    }
  }
  return parts;
}

template <class T>
PartPairs<T> make_part_pairs(const InputNode& node, const std::vector<PlacedShape<T>>& i,
                             const std::vector<PlacedShape<T>>& j, const PairChoices& choices,
                             int room) {
  if (i.size() * j.size() > kMaxPairs) {
    node.fail(
        fmt::format("{} parts against {} are more than {} pairs", i.size(), j.size(), kMaxPairs));
  }
  PartPairs<T> parts;
  parts.count_i = static_cast<int>(i.size());
  parts.count_j = static_cast<int>(j.size());
  parts.room = std::min(room, parts.count_i * parts.count_j);
  std::vector<ShapeForms<T>> forms_i, forms_j;
  std::vector<PartExtent> extents_i, extents_j;
  for (const auto& shape : i) {
    forms_i.emplace_back(shape.shape);
    extents_i.push_back(calc_extent(shape));
  }
  for (const auto& shape : j) {
    forms_j.emplace_back(shape.shape);
    extents_j.push_back(calc_extent(shape));
  }
  for (size_t a = 0; a < i.size(); ++a) {
    for (size_t b = 0; b < j.size(); ++b) {
      parts.pairs.push_back({choose_pair<T>(node, &forms_i[a], &forms_j[b], choices), i[a].X_BS,
                             j[b].X_BS, i[a].at_origin && j[b].at_origin});
    }
  }
  // Near: within a fiftieth of the smaller body.
  const double size = std::min(calc_size(extents_i), calc_size(extents_j));
  parts.finder = PartFinder(extents_i, extents_j, std::isfinite(size) ? 0.02 * size : 0);
  return parts;
}

#define VESICA_INSTANTIATE(T)                                                                   \
  template std::vector<PlacedShape<T>> separate_cells(const InputNode&,                         \
                                                      const std::vector<PlacedShape<T>>&);      \
  template PartPairs<T> make_part_pairs(const InputNode&, const std::vector<PlacedShape<T>>&,   \
                                        const std::vector<PlacedShape<T>>&, const PairChoices&, \
                                        int);
VESICA_INSTANTIATE(double)
VESICA_INSTANTIATE(Dual<4>)
VESICA_INSTANTIATE(Dual<12>)
#undef VESICA_INSTANTIATE

}  // namespace vesica
