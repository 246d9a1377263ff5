#include "vesica/contact/pair_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "vesica/geometry/polyhedral_solid.h"

namespace vesica {
namespace {

// One touches the other at a point: a ball, an ellipsoid or a point on a surface.
template <class T>
std::optional<PointPair<T>> find_point_pair(const Shape<T>& i, const Shape<T>& j) {
  PointPair<T> pair;
  if (const auto* sphere = std::get_if<Sphere<T>>(&i)) {
    pair.i = *sphere;
  } else if (std::holds_alternative<Point>(i)) {
    pair.i = Sphere<T>{T(0)};
  } else if (const auto* e = std::get_if<Ellipsoid<T>>(&i);
             e && std::holds_alternative<HalfSpace>(j)) {
    pair.i = *e;
  } else {
    return std::nullopt;
  }
  const bool found = std::visit(
      [&](const auto& shape) {
        if constexpr (requires { pair.j = shape; }) {
          pair.j = shape;
          return true;
        }
        return false;
      },
      j);
  return found ? std::optional(pair) : std::nullopt;
}

// A size as a plain number; one that carries a derivative is refused.
template <class T>
double plain_size(const InputNode& node, const T& x) {
  if constexpr (ScalarTraits<T>::kDerivatives > 0) {
    for (int k = 0; k < ScalarTraits<T>::kDerivatives; ++k) {
      if (x.v[k] != 0) {
        node.fail("sensitivities by the sizes of these shapes are not available for this pair");
      }
    }
  }
  return value_of(x);
}
template <class T>
Vec3d plain_size(const InputNode& node, const Vec3<T>& v) {
  return {plain_size(node, v.x()), plain_size(node, v.y()), plain_size(node, v.z())};
}

template <class T>
std::shared_ptr<const ConvexPolyhedron> find_polyhedron(const InputNode& node,
                                                        const Shape<T>& shape) {
  if (const auto* solid = std::get_if<SolidShape>(&shape)) {
    if (solid->solid->cells.size() != 1) return nullptr;
    auto cell = make_cell_polyhedron(solid->solid->cells[0]);
    return cell ? std::make_shared<ConvexPolyhedron>(std::move(*cell)) : nullptr;
  }
  if (const auto* mesh = std::get_if<MeshShape>(&shape); mesh && mesh->mesh->is_convex()) {
    return std::make_shared<ConvexPolyhedron>(*mesh->mesh, node.place());
  }
  if (const auto* box = std::get_if<Box<T>>(&shape)) {
    return std::make_shared<ConvexPolyhedron>(make_box_polyhedron(plain_size(node, box->size)));
  }
  return nullptr;
}

// The shape as cells, and its extent (0: endless).
template <class T>
std::optional<Solid> find_solid(const InputNode& node, const Shape<T>& shape) {
  auto ball = [](const Vec3d& r, Primitive p) {
    return make_solid({make_cell({std::move(p)}, Bounds{-r, r})});
  };
  if (const auto* solid = std::get_if<SolidShape>(&shape)) return *solid->solid;
  if (const auto* s = std::get_if<Sphere<T>>(&shape)) {
    const double r = plain_size(node, s->radius);
    return ball(Vec3d::Constant(r), make_sphere(r));
  }
  if (const auto* e = std::get_if<Ellipsoid<T>>(&shape)) {
    const Vec3d r = plain_size(node, e->radii);
    return ball(r, make_ellipsoid(r));
  }
  if (const auto* b = std::get_if<Box<T>>(&shape)) {
    return make_solid({make_box_cell(plain_size(node, b->size))});
  }
  if (std::holds_alternative<HalfSpace>(shape)) {
    return make_solid({make_cell({make_half_space(Pose<double>{})})});
  }
  if (const auto polyhedron = find_polyhedron(node, shape)) {
    return make_solid({make_polyhedron_cell(*polyhedron)});
  }
  return std::nullopt;
}

// Two solids that share a volume, by a method of their own.
template <class T>
std::optional<ShapePair<T>> find_pair(const Shape<T>& i, const Shape<T>& j,
                                      EllipsoidInertia inertia) {
  ShapePair<T> pair;
  const auto* sphere = std::get_if<Sphere<T>>(&i);
  if (std::holds_alternative<HalfSpace>(j)) {
    if (sphere) {
      pair.shapes = SphereOnHalfSpace<T>{*sphere};
    } else if (const auto* ellipsoid = std::get_if<Ellipsoid<T>>(&i)) {
      pair.shapes = EllipsoidOnHalfSpace<T>{*ellipsoid, inertia};
    } else if (const auto* box = std::get_if<Box<T>>(&i)) {
      pair.shapes = BoxOnHalfSpace<T>{*box};
    } else if (const auto* mesh = std::get_if<MeshShape>(&i)) {
      pair.shapes = MeshOnHalfSpace{*mesh};
    } else {
      return std::nullopt;
    }
    return pair;
  }
  if (const auto* other = std::get_if<Sphere<T>>(&j); sphere && other) {
    pair.shapes = SphereOnSphere<T>{*sphere, *other};
    return pair;
  }
  return std::nullopt;
}

}  // namespace

template <class T>
const std::shared_ptr<const ConvexPolyhedron>& ShapeForms<T>::polyhedron(const InputNode& node) {
  if (!has_polyhedron_) polyhedron_ = find_polyhedron(node, shape_);
  has_polyhedron_ = true;
  return polyhedron_;
}

template <class T>
const std::shared_ptr<const SolidParts>& ShapeForms<T>::solid(const InputNode& node) {
  if (has_solid_) return solid_;
  has_solid_ = true;
  const auto found = find_solid(node, shape_);
  if (!found) return solid_;
  try {
    solid_ = std::make_shared<SolidParts>(make_solid_parts(*found));
  } catch (const InputError& error) {
    node.fail(error.what());
  }
  size_ = found->bounds.is_finite() ? 2 * found->bounds.half().maxCoeff()
                                    : std::numeric_limits<double>::infinity();
  return solid_;
}

namespace {

template <class T>
std::optional<ShapePair<T>> find_solid_pair(const InputNode& node, ShapeForms<T>* i,
                                            ShapeForms<T>* j, const PairChoices& choices) {
  ShapePair<T> pair;
  const bool as_cells = choices.method == "slices" || choices.method == "voxels";
  if (!as_cells && i->polyhedron(node) && j->polyhedron(node)) {
    constexpr PolyhedraNormal kNormals[] = {PolyhedraNormal::kAreaVector,
                                            PolyhedraNormal::kEigenvector, PolyhedraNormal::kPlane,
                                            PolyhedraNormal::kConservative};
    pair.shapes = PolyhedronOnPolyhedron{i->polyhedron(node), j->polyhedron(node),
                                         kNormals[static_cast<size_t>(choices.normal)]};
    return pair;
  }
  SolidOnSolid solids{i->solid(node), j->solid(node), {}, std::min(i->size(), j->size())};
  if (!solids.i || !solids.j || !std::isfinite(solids.size)) return std::nullopt;
  solids.options.slices.tolerance = choices.tolerance;
  solids.options.normal = choices.normal;
  if (choices.method != "voxels") {
    pair.shapes = solids;
    return pair;
  }
  const InputNode interference = node.at("interference");
  if constexpr (ScalarTraits<T>::kDerivatives > 0) {
    interference.at("method").fail(
        "voxels have no derivatives, which a sensitivity needs; use slices");
  }
  if (choices.voxel_size > solids.size) {
    interference.at("voxel_size")
        .fail(fmt::format("is larger than the smaller of the two bodies ({:.3g} m)", solids.size));
  }
  pair.shapes = VoxelizedSolids{solids, choices.voxel_size};
  return pair;
}

// The shape in the form that a method asks for; null too where a file cannot have it.
template <class Form>
auto find_form(const Form& form) -> decltype(form()) {
  try {
    return form();
  } catch (const InputError&) {
    return nullptr;
  }
}

// Every method that a file may ask for, for a message. `own`: that of the pair, or empty.
template <class T>
std::vector<std::string> list_methods(const InputNode& node, ShapeForms<T>* i, ShapeForms<T>* j,
                                      std::string own, bool at_point) {
  std::vector<std::string> methods = {"auto"};
  const auto polyhedron = [&](ShapeForms<T>* s) {
    return find_form([&] { return s->polyhedron(node); }) != nullptr;
  };
  const auto solid = [&](ShapeForms<T>* s) {
    return find_form([&] { return s->solid(node); }) != nullptr;
  };
  if (own.empty() && polyhedron(i) && polyhedron(j)) own = "polyhedra";
  if (!own.empty()) methods.push_back(own);
  if (solid(i) && solid(j) && std::isfinite(std::min(i->size(), j->size()))) {
    methods.emplace_back("slices");
    if (ScalarTraits<T>::kDerivatives == 0) methods.emplace_back("voxels");
  }
  if (at_point) methods.emplace_back("point");
  return methods;
}

}  // namespace

template <class T>
ShapePair<T> choose_pair(const InputNode& node, ShapeForms<T>* i, ShapeForms<T>* j,
                         const PairChoices& choices) {
  const std::string& wanted = choices.method;
  ShapePair<T> pair;
  std::string own;  // the pair's own method
  bool has_volume = false, at_point = false;
  for (const bool turned : {false, true}) {
    const Shape<T>& a = (turned ? j : i)->shape();
    const Shape<T>& b = (turned ? i : j)->shape();
    if (const auto solids = find_pair<T>(a, b, choices.inertia)) {
      pair = *solids;
      pair.turned = turned;
      own = method_name(pair);
      has_volume = true;
      break;
    }
  }
  // General solids where no method of the pair's own is there, or theirs is asked for.
  if (!has_volume || wanted == "slices" || wanted == "voxels") {
    if (const auto solids = find_solid_pair<T>(node, i, j, choices)) {
      pair = *solids;
      has_volume = true;
    }
  }
  const bool to_point =
      wanted == "point" || (wanted == "auto" && choices.measure == Measure::kDepth);
  for (const bool turned : {false, true}) {
    const auto points = find_point_pair<T>((turned ? j : i)->shape(), (turned ? i : j)->shape());
    if (!points) continue;
    if (to_point || !has_volume) {
      pair.shapes = *points;
      pair.turned = turned;
    }
    at_point = true;
    break;
  }
  if (!has_volume && !at_point) {
    node.fail(
        "these two shapes cannot meet: a mesh that is not convex meets a half_space only, point, "
        "edge, cylinder_surface and cone_surface meet a sphere or a point, and two half_spaces "
        "share no bounded volume");
  }
  const bool by_depth = choices.measure == Measure::kDepth;
  const auto methods = [&] {
    return fmt::format("{}", fmt::join(list_methods(node, i, j, own, at_point && by_depth), ", "));
  };
  if (wanted != "auto" && wanted != method_name(pair)) {
    node.at("interference")
        .at("method")
        .fail(
            fmt::format("'{}' is not available for this pair; use one of: {}", wanted, methods()));
  }
  if (!by_depth && std::holds_alternative<PointPair<T>>(pair.shapes)) {
    if (has_volume) {
      node.at("interference")
          .at("method")
          .fail(fmt::format("'point' finds no volume, which this normal law needs; use one of: {}; "
                            "or a law by depth (hunt_crossley, hertz, lankarani_nikravesh, "
                            "kelvin_voigt)",
                            methods()));
    }
    node.at("normal").at("law").fail(
        "this law needs a volume, and this pair touches at a point; use hunt_crossley, hertz, "
        "lankarani_nikravesh or kelvin_voigt, or shapes that share a volume");
  }
  return pair;
}

template <class T>
std::string method_name(const ShapePair<T>& pair) {
  if (std::holds_alternative<PointPair<T>>(pair.shapes)) return "point";
  if (std::holds_alternative<PolyhedronOnPolyhedron>(pair.shapes)) return "polyhedra";
  if (std::holds_alternative<SolidOnSolid>(pair.shapes)) return "slices";
  if (std::holds_alternative<VoxelizedSolids>(pair.shapes)) return "voxels";
  if (std::holds_alternative<BoxOnHalfSpace<T>>(pair.shapes)) return "polyhedra";
  if (const auto* mesh = std::get_if<MeshOnHalfSpace>(&pair.shapes)) {
    return mesh->i.mesh->is_convex() ? "polyhedra" : "mesh";
  }
  return "closed_form";
}

// Plain, and with derivatives by one or four numbers of the file.
#define VESICA_INSTANTIATE(T)                                                         \
  template class ShapeForms<T>;                                                       \
  template ShapePair<T> choose_pair(const InputNode&, ShapeForms<T>*, ShapeForms<T>*, \
                                    const PairChoices&);                              \
  template std::string method_name(const ShapePair<T>&);
VESICA_INSTANTIATE(double)
VESICA_INSTANTIATE(Dual<4>)
VESICA_INSTANTIATE(Dual<12>)
#undef VESICA_INSTANTIATE

}  // namespace vesica
