#include "vesica/interference/method.h"

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
double plain_size(const T& x) {
  if constexpr (ScalarTraits<T>::kDerivatives > 0) {
    for (int k = 0; k < ScalarTraits<T>::kDerivatives; ++k) {
      if (x.v[k] != 0) {
        throw MethodError(
            "", "sensitivities by the sizes of these shapes are not available for this pair");
      }
    }
  }
  return value_of(x);
}
template <class T>
Vec3d plain_size(const Vec3<T>& v) {
  return {plain_size(v.x()), plain_size(v.y()), plain_size(v.z())};
}

template <class T>
std::shared_ptr<const ConvexPolyhedron> find_polyhedron(const Shape<T>& shape) {
  if (const auto* solid = std::get_if<SolidShape>(&shape)) {
    if (solid->solid->cells.size() != 1) return nullptr;
    auto cell = make_cell_polyhedron(solid->solid->cells[0]);
    return cell ? std::make_shared<ConvexPolyhedron>(std::move(*cell)) : nullptr;
  }
  if (const auto* mesh = std::get_if<MeshShape>(&shape); mesh && mesh->mesh->is_convex()) {
    return std::make_shared<ConvexPolyhedron>(*mesh->mesh, "mesh");
  }
  if (const auto* box = std::get_if<Box<T>>(&shape)) {
    return std::make_shared<ConvexPolyhedron>(make_box_polyhedron(plain_size(box->size)));
  }
  return nullptr;
}

// The shape as cells, and its extent (0: endless).
template <class T>
std::optional<Solid> find_solid(const Shape<T>& shape) {
  auto ball = [](const Vec3d& r, Primitive p) {
    return make_solid({make_cell({std::move(p)}, Bounds{-r, r})});
  };
  if (const auto* solid = std::get_if<SolidShape>(&shape)) return *solid->solid;
  if (const auto* s = std::get_if<Sphere<T>>(&shape)) {
    const double r = plain_size(s->radius);
    return ball(Vec3d::Constant(r), make_sphere(r));
  }
  if (const auto* e = std::get_if<Ellipsoid<T>>(&shape)) {
    const Vec3d r = plain_size(e->radii);
    return ball(r, make_ellipsoid(r));
  }
  if (const auto* b = std::get_if<Box<T>>(&shape)) {
    return make_solid({make_box_cell(plain_size(b->size))});
  }
  if (std::holds_alternative<HalfSpace>(shape)) {
    return make_solid({make_cell({make_half_space(Pose<double>{})})});
  }
  if (const auto polyhedron = find_polyhedron(shape)) {
    return make_solid({make_polyhedron_cell(*polyhedron)});
  }
  return std::nullopt;
}

template <class A, class Variant>
constexpr bool kIsOneOf = false;
template <class A, class... All>
constexpr bool kIsOneOf<A, std::variant<All...>> = (std::is_same_v<A, All> || ...);

// The pair of shapes as they are, where these are its shapes.
template <class Pair, class T>
bool find_as_they_are(const Shape<T>& i, const Shape<T>& j, const PairChoices& choices,
                      ShapePair<T>* result) {
  if constexpr (requires(Pair p) { p.i, p.j; }) {
    using I = std::remove_cvref_t<decltype(Pair::i)>;
    using J = std::remove_cvref_t<decltype(Pair::j)>;
    if constexpr (kIsOneOf<I, Shape<T>> && kIsOneOf<J, Shape<T>>) {
      const auto* a = std::get_if<I>(&i);
      const auto* b = std::get_if<J>(&j);
      if (!a || !b) return false;
      Pair pair{};
      pair.i = *a;
      if constexpr (requires { pair.j = *b; }) pair.j = *b;
      if constexpr (requires { pair.inertia; }) pair.inertia = choices.inertia;
      result->shapes = pair;
      return true;
    }
  }
  return false;
}

// Two solids that share a volume, by a method of their own.
template <class T, class... Pairs>
bool find_own_pair(const Shape<T>& i, const Shape<T>& j, const PairChoices& choices,
                   std::variant<Pairs...>*, ShapePair<T>* result) {
  return (find_as_they_are<Pairs>(i, j, choices, result) || ...);
}

// What a shape's own checks find is the pair's fault.
template <class F>
void blame_shape(const F& f) {
  try {
    f();
  } catch (const MethodError&) {
    throw;
  } catch (const InputError& error) {
    throw MethodError("", error.what());
  }
}

}  // namespace

template <class T>
const std::shared_ptr<const ConvexPolyhedron>& ShapeForms<T>::polyhedron() {
  if (has_polyhedron_) return polyhedron_;
  has_polyhedron_ = true;
  blame_shape([&] { polyhedron_ = find_polyhedron(shape_); });
  return polyhedron_;
}

template <class T>
const std::shared_ptr<const SolidParts>& ShapeForms<T>::solid() {
  if (has_solid_) return solid_;
  has_solid_ = true;
  std::optional<Solid> found;
  blame_shape([&] {
    found = find_solid(shape_);
    if (found) solid_ = std::make_shared<SolidParts>(make_solid_parts(*found));
  });
  if (!found) return solid_;
  size_ = found->bounds.is_finite() ? 2 * found->bounds.half().maxCoeff()
                                    : std::numeric_limits<double>::infinity();
  return solid_;
}

namespace {

bool asks_for_cells(const PairChoices& choices) {
  return choices.method == name_of(Method::kSlices) || choices.method == name_of(Method::kVoxels);
}

template <class T>
std::optional<ShapePair<T>> find_solid_pair(ShapeForms<T>* i, ShapeForms<T>* j,
                                            const PairChoices& choices) {
  ShapePair<T> pair;
  if (!asks_for_cells(choices) && i->polyhedron() && j->polyhedron()) {
    constexpr PolyhedraNormal kNormals[] = {PolyhedraNormal::kAreaVector,
                                            PolyhedraNormal::kEigenvector, PolyhedraNormal::kPlane,
                                            PolyhedraNormal::kConservative};
    pair.shapes = PolyhedronOnPolyhedron{i->polyhedron(), j->polyhedron(),
                                         kNormals[static_cast<size_t>(choices.normal)]};
    return pair;
  }
  SolidOnSolid solids{i->solid(), j->solid(), {}, std::min(i->size(), j->size())};
  if (!solids.i || !solids.j || !std::isfinite(solids.extent)) return std::nullopt;
  solids.options.slices.tolerance = choices.tolerance;
  solids.options.normal = choices.normal;
  if (choices.method != name_of(Method::kVoxels)) {
    pair.shapes = solids;
    return pair;
  }
  if constexpr (ScalarTraits<T>::kDerivatives > 0) {
    throw MethodError("interference.method",
                      "voxels have no derivatives, which a sensitivity needs; use slices");
  }
  if (choices.voxel_size > solids.extent) {
    throw MethodError(
        "interference.voxel_size",
        fmt::format("is larger than the smaller of the two bodies ({:.3g} m)", solids.extent));
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
std::vector<std::string> list_methods(ShapeForms<T>* i, ShapeForms<T>* j, std::string own,
                                      bool at_point) {
  std::vector<std::string> methods = {"auto"};
  const auto polyhedron = [&](ShapeForms<T>* s) {
    return find_form([&] { return s->polyhedron(); }) != nullptr;
  };
  const auto solid = [&](ShapeForms<T>* s) {
    return find_form([&] { return s->solid(); }) != nullptr;
  };
  if (own.empty() && polyhedron(i) && polyhedron(j)) own = name_of(Method::kPolyhedra);
  if (!own.empty()) methods.push_back(own);
  if (solid(i) && solid(j) && std::isfinite(std::min(i->size(), j->size()))) {
    methods.emplace_back(name_of(Method::kSlices));
    if (ScalarTraits<T>::kDerivatives == 0) methods.emplace_back(name_of(Method::kVoxels));
  }
  if (at_point) methods.emplace_back(name_of(Method::kPoint));
  return methods;
}

}  // namespace

template <class T>
ShapePair<T> choose_pair(ShapeForms<T>* i, ShapeForms<T>* j, const PairChoices& choices) {
  const std::string& wanted = choices.method;
  ShapePair<T> pair;
  std::string own;  // the pair's own method
  bool has_volume = false, at_point = false;
  for (const bool turned : {false, true}) {
    const Shape<T>& a = (turned ? j : i)->shape();
    const Shape<T>& b = (turned ? i : j)->shape();
    if (find_own_pair<T>(a, b, choices, &pair.shapes, &pair)) {
      pair.turned = turned;
      own = method_name(pair);
      has_volume = true;
      break;
    }
  }
  // General solids where no method of the pair's own is there, or theirs is asked for.
  if (!has_volume || asks_for_cells(choices)) {
    if (const auto solids = find_solid_pair<T>(i, j, choices)) {
      pair = *solids;
      has_volume = true;
    }
  }
  const bool to_point = wanted == name_of(Method::kPoint) || (wanted == "auto" && choices.by_depth);
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
    throw MethodError(
        "",
        "these two shapes cannot meet: a torus or a mesh that is not convex meets a half_space "
        "only, point, edge, cylinder_surface and cone_surface meet a sphere or a point, and two "
        "half_spaces "
        "share no bounded volume");
  }
  const auto methods = [&] {
    return fmt::format("{}",
                       fmt::join(list_methods(i, j, own, at_point && choices.by_depth), ", "));
  };
  if (wanted != "auto" && wanted != method_name(pair)) {
    throw MethodError(
        "interference.method",
        fmt::format("'{}' is not available for this pair; use one of: {}", wanted, methods()));
  }
  if (!choices.by_depth && !row_of(pair).volume) {
    if (has_volume) {
      throw MethodError(
          "interference.method",
          fmt::format("'point' finds no volume, which this normal law needs; use one of: {}; "
                      "or a law by depth (hunt_crossley, hertz, lankarani_nikravesh, "
                      "kelvin_voigt)",
                      methods()));
    }
    throw MethodError(
        "normal.law",
        "this law needs a volume, and this pair touches at a point; use hunt_crossley, hertz, "
        "lankarani_nikravesh or kelvin_voigt, or shapes that share a volume");
  }
  return pair;
}

namespace {

template <class Pair>
void add_rows(std::vector<MethodRow>* rows) {
  rows->push_back(Pair::kRow);
  if constexpr (requires { Pair::kConvexRow; }) rows->push_back(Pair::kConvexRow);
}
template <class... Pairs>
std::vector<MethodRow> make_rows(const std::variant<Pairs...>&) {
  std::vector<MethodRow> rows;
  (add_rows<Pairs>(&rows), ...);
  return rows;
}

}  // namespace

const std::vector<MethodRow>& list_method_rows() {
  static const std::vector<MethodRow> kRows = make_rows(ShapePair<double>{}.shapes);
  return kRows;
}

// Plain, and with derivatives by four or twelve numbers of a scene.
#define VESICA_INSTANTIATE(T)   \
  template class ShapeForms<T>; \
  template ShapePair<T> choose_pair(ShapeForms<T>*, ShapeForms<T>*, const PairChoices&);
VESICA_INSTANTIATE(double)
VESICA_INSTANTIATE(Dual<4>)
VESICA_INSTANTIATE(Dual<12>)
#undef VESICA_INSTANTIATE

}  // namespace vesica
