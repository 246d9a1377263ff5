#include "vesica/model/make_contact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "vesica/geometry/polyhedral_solid.h"
#include "vesica/interference/method.h"
#include "vesica/interference/patch/patch.h"

namespace vesica {
namespace {

// How many pairs of parts of two bodies may be near each other at once.
constexpr int kDefaultRoom = 64;
constexpr size_t kMaxPairs = 250000;  // of parts, a few hundred bytes each

template <class T>
PartExtent calc_part_extent(const PlacedShape<T>& placed) {
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
double calc_extent(const std::vector<PartExtent>& parts) {
  Bounds all = Bounds::nothing();
  for (const PartExtent& part : parts) {
    if (part.box.is_finite()) all = all.joined_with(part.box);
  }
  return all.is_finite() ? 2 * all.half().maxCoeff() : std::numeric_limits<double>::infinity();
}

SolidShape as_shape(Cell cell) { return {std::make_shared<Solid>(make_solid({std::move(cell)}))}; }

// Refused where two of them share volume.
void check_disjoint(const PartPlace& place, const std::vector<Cell>& cells) {
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
      place.fail("", fmt::format("cells {} and {} of a solid overlap by {:.3g} m^3, which would "
                                 "count twice; let them only touch, or leave the cells together",
                                 pair.i, pair.j, shared));
    }
  }
}

// The cells of all solids as shapes of their own; where polyhedral cells of a solid overlap they
// are cut apart, others must not.
template <class T>
std::vector<PlacedShape<T>> separate_cells(const PartPlace& place,
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
      check_disjoint(place, solid->solid->cells);
      for (const Cell& cell : solid->solid->cells) add(cell);
    }
  }
  return parts;
}

template <class T>
PartPairs<T> make_part_pairs(const PartPlace& place, const std::vector<PlacedShape<T>>& i,
                             const std::vector<PlacedShape<T>>& j, const PairChoices& choices,
                             int room) {
  if (i.size() * j.size() > kMaxPairs) {
    place.fail("", fmt::format("{} parts against {} are more than {} pairs", i.size(), j.size(),
                               kMaxPairs));
  }
  PartPairs<T> parts;
  parts.count_i = static_cast<int>(i.size());
  parts.count_j = static_cast<int>(j.size());
  parts.room = std::min(room, parts.count_i * parts.count_j);
  std::vector<ShapeForms<T>> forms_i, forms_j;
  std::vector<PartExtent> extents_i, extents_j;
  for (const auto& shape : i) {
    forms_i.emplace_back(shape.shape);
    extents_i.push_back(calc_part_extent(shape));
  }
  for (const auto& shape : j) {
    forms_j.emplace_back(shape.shape);
    extents_j.push_back(calc_part_extent(shape));
  }
  for (size_t a = 0; a < i.size(); ++a) {
    for (size_t b = 0; b < j.size(); ++b) {
      try {
        parts.pairs.push_back({choose_pair<T>(&forms_i[a], &forms_j[b], choices), i[a].X_BS,
                               j[b].X_BS, i[a].at_origin && j[b].at_origin});
      } catch (const MethodError& error) {
        place.fail(error.key, error.what());
      }
    }
  }
  // Near: within a fiftieth of the smaller body.
  const double size = std::min(calc_extent(extents_i), calc_extent(extents_j));
  parts.finder = PartFinder(extents_i, extents_j, std::isfinite(size) ? 0.02 * size : 0);
  return parts;
}

// The sources' own ways, set together; single keys override them.
template <class P>
void set_options(const model::Contact<P>& spec, Contact<P>* contact, PairChoices* choices) {
  ContactOptions& options = contact->options;
  switch (spec.preset.value_or(model::Preset::kExact)) {
    case model::Preset::kGonthier2007:
      options.rolling_tensor = RollingTensor::kVolume;
      options.apply_at = ApplyAt::kCentroid;
      options.coupling = Coupling::kNone;
      choices->normal = ContactNormal::kEigenvector;
      break;
    case model::Preset::kBrown2017:
      choices->inertia = EllipsoidInertia::kOblique;
      options.apply_at = ApplyAt::kCentroid;
      options.coupling = Coupling::kNone;
      break;
    case model::Preset::kExact:
      break;
  }
  if (spec.rolling_tensor) options.rolling_tensor = *spec.rolling_tensor;
  if (spec.apply_at) options.apply_at = *spec.apply_at;
  if (spec.coupling) options.coupling = *spec.coupling;
  if (spec.relaxation_time) contact->relaxation_time = *spec.relaxation_time;
  if (!spec.interference) return;
  const model::Interference& interference = *spec.interference;
  choices->method = interference.method;
  if (interference.tolerance) choices->tolerance = *interference.tolerance;
  if (interference.voxel_size) choices->voxel_size = *interference.voxel_size;
  if (interference.normal) choices->normal = *interference.normal;
  if (interference.inertia) choices->inertia = *interference.inertia;
}

template <class T>
void check_conservative(const PartPlace& place, const Contact<T>& contact,
                        const PlacedPair<T>& shapes) {
  if (!std::holds_alternative<VolumetricNormal<T>>(contact.normal)) {
    place.fail("interference.normal",
               "'conservative' is for the normal law volumetric, whose energy it is the gradient "
               "of");
  }
  if (!can_be_conservative(shapes.pair)) {
    place.fail("interference.normal",
               "'conservative' needs one body that is a single convex cell of planes (a box, a "
               "convex polyhedron, a half_space); use area_vector, eigenvector or plane");
  }
}

// Which laws go with which pairs.
template <class T>
void check_laws(const PartPlace& place, const model::Contact<T>& spec, const Contact<T>& contact,
                const std::vector<PlacedPair<T>>& pairs) {
  bool has_ellipsoid = false;
  const bool asks_conservative =
      spec.interference && spec.interference->normal == ContactNormal::kConservative;
  for (const PlacedPair<T>& shapes : pairs) {
    if (contact.needs_patch() && !has_patch(shapes.pair)) {
      place.fail(
          "", fmt::format("integrals over the patch (friction law patch; normal laws "
                          "hyper_volumetric and foundation) need the depth at each of its points, "
                          "which the method {} does not have for {} on {}; use another law, or "
                          "another method where the pair has one",
                          method_name(shapes.pair), row_of(shapes.pair).i, row_of(shapes.pair).j));
    }
    if (contact.needs_patch() && is_conservative(shapes.pair)) {
      place.fail("",
                 "integrals over the patch (friction law patch) press along the columns; with them "
                 "the normal cannot be 'conservative': use area_vector, eigenvector or plane");
    }
    if (asks_conservative) check_conservative(place, contact, shapes);
    has_ellipsoid =
        has_ellipsoid || std::holds_alternative<EllipsoidOnHalfSpace<T>>(shapes.pair.shapes);
  }
  const bool can_choose_normal =
      std::any_of(pairs.begin(), pairs.end(),
                  [](const PlacedPair<T>& shapes) { return row_of(shapes.pair).normals; });
  // A potential is there already where the geometry has one normal.
  if (spec.interference && spec.interference->normal && !can_choose_normal && !asks_conservative) {
    const MethodRow& row = row_of(pairs.front().pair);
    place.fail(
        "interference.normal",
        fmt::format("does nothing here: the geometry of {} on {} (method {}) has one normal; "
                    "leave it out, or choose a method that finds one: slices",
                    row.i, row.j, name_of(row.method)));
  }
  if (spec.interference && spec.interference->inertia && !has_ellipsoid) {
    place.fail("interference.inertia",
               "is a choice for an ellipsoid on a half_space; this is none");
  }
  if (contact.needs_patch() && contact.relaxes()) {
    place.fail("relaxation", "is for laws of the depth or the volume, not of the depth field");
  }
  if (std::holds_alternative<PatchFriction<T>>(contact.friction) &&
      (contact.measure() == Measure::kDepth ||
       std::holds_alternative<VolumePower<T>>(contact.normal))) {
    place.fail("friction",
               "the friction law 'patch' needs the pressure over the patch; use the normal law "
               "volumetric, hyper_volumetric or foundation");
  }
}

}  // namespace

template <class P>
MadeContact<P> make_contact(const model::Contact<P>& spec, std::vector<PlacedShape<P>> i,
                            std::vector<PlacedShape<P>> j, const Places& places,
                            const std::string& path) {
  const PartPlace place{places, path};
  if (spec.separate_cells) {
    i = separate_cells(place, i);
    j = separate_cells(place, j);
    if (i.size() * j.size() == 1) place.fail("cells", "neither body has more than one cell");
  }
  const bool has_parts = i.size() * j.size() > 1;
  if (spec.max_pairs && !has_parts) {
    place.fail("max_pairs", "is for bodies of several shapes or separate cells");
  }
  MadeContact<P> made;
  Contact<P>& contact = made.contact;
  PairChoices choices;
  set_options(spec, &contact, &choices);
  contact.normal = spec.normal;
  contact.friction = spec.friction;
  choices.by_depth = contact.measure() == Measure::kDepth;
  PartPairs<P> parts =
      make_part_pairs(place, i, j, choices, has_parts ? spec.max_pairs.value_or(kDefaultRoom) : 0);
  check_laws(place, spec, contact, parts.pairs);
  static_cast<PlacedPair<P>&>(contact) = parts.pairs[0];
  if (has_parts) made.parts = std::make_shared<PartPairs<P>>(std::move(parts));
  if (spec.states) {
    if (made.parts) place.fail("states", "is for a contact of one shape with one shape");
    for (size_t k = 0; k < 3; ++k) {
      contact.initial_states[k] = spec.states->z[static_cast<Eigen::Index>(k)];
    }
    contact.initial_states[3] = spec.states->s_dw;
    contact.initial_states[4] = spec.states->r_theta;
  }
  return made;
}

template <class P>
std::vector<PlacedShape<P>> make_shapes(const model::Body<P>& body, const Places& places,
                                        const std::string& path) {
  std::vector<PlacedShape<P>> shapes;
  const bool has_list = body.shapes.size() > 1 || body.has_shape_list;
  for (size_t k = 0; k < body.shapes.size(); ++k) {
    const std::string key = has_list ? fmt::format("shapes.{}", k) : "shape";
    shapes.push_back(make_shape(body.shapes[k], places, join_path(path, key)));
  }
  return shapes;
}

#define VESICA_INSTANTIATE(P)                                                                 \
  template MadeContact<P> make_contact(const model::Contact<P>&, std::vector<PlacedShape<P>>, \
                                       std::vector<PlacedShape<P>>, const Places&,            \
                                       const std::string&);                                   \
  template std::vector<PlacedShape<P>> make_shapes(const model::Body<P>&, const Places&,      \
                                                   const std::string&);
VESICA_INSTANTIATE(double)
VESICA_INSTANTIATE(Dual<4>)
VESICA_INSTANTIATE(Dual<12>)
#undef VESICA_INSTANTIATE

}  // namespace vesica
