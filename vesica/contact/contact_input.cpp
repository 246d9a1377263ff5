#include "vesica/contact/contact_input.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>

#include "vesica/contact/law_input.h"
#include "vesica/contact/solid_input.h"
#include "vesica/geometry/convex_hull.h"
#include "vesica/interference/patch.h"
#include "vesica/io/obj.h"
#include "vesica/io/output_file.h"

namespace vesica {
namespace {

// Unit length is asked for, not repaired in silence; this much is rounding in a text file.
constexpr double kUnitTolerance = 1e-6;

template <class T>
Quaternion<T> read_quaternion(const InputNode& node) {
  node.expect_list(4);
  Quaternion<T> q;
  T* parts[] = {&q.w, &q.x, &q.y, &q.z};
  for (size_t k = 0; k < 4; ++k) *parts[k] = node.at(k).scalar<T>(dimension::kNumber);
  const double norm = std::sqrt(value_of(q.squared_norm()));
  if (std::abs(norm - 1) > kUnitTolerance) {
    if (norm == 0)
      node.fail("a quaternion [w, x, y, z] cannot be zero; no rotation is [1, 0, 0, 0]");
    node.fail(fmt::format(
        "a quaternion [w, x, y, z] has length 1, this one {:.6g}; scaled to unit length it is "
        "[{:.9g}, {:.9g}, {:.9g}, {:.9g}]",
        norm, value_of(q.w) / norm, value_of(q.x) / norm, value_of(q.y) / norm,
        value_of(q.z) / norm));
  }
  return q;
}

template <class T>
Quaternion<T> read_axis_angle(const InputNode& node) {
  using std::cos;
  using std::sin;
  const Vec3d axis = node.at("axis").vector(dimension::kNumber);
  if (axis.norm() == 0) node.at("axis").fail("an axis cannot be zero");
  const T half = node.at("angle").scalar<T>(dimension::kAngle) * T(0.5);
  const Vec3d e = axis.normalized();
  const T s = sin(half);
  return {cos(half), s * T(e.x()), s * T(e.y()), s * T(e.z())};
}

template <class T>
Vec3<T> read_positive_vector(const InputNode& node) {
  const Vec3<T> v = node.vector_of<T>(dimension::kLength);
  for (size_t k = 0; k < 3; ++k) node.at(k).positive(dimension::kLength);
  return v;
}

// Unit vectors of a file: the length is free.
Vec3d read_direction(const InputNode& node) {
  const Vec3d v = node.vector(dimension::kNumber);
  if (v.norm() == 0) node.fail("a direction cannot be zero");
  return v.normalized();
}

template <class Enum>
void read_choice(const InputNode& node, const char* key, const std::vector<std::string_view>& words,
                 Enum* value) {
  if (const auto child = node.find(key)) *value = static_cast<Enum>(child->choice(words));
}

// The sources' own ways, set together; single keys below override them.
void apply_preset(const InputNode& node, ContactOptions* options, EllipsoidInertia* inertia) {
  switch (node.choice({"exact", "gonthier2007", "brown2017"})) {
    case 1:
      options->rolling_tensor = RollingTensor::kVolume;
      options->apply_at = ApplyAt::kCentroid;
      options->coupling = Coupling::kNone;
      break;
    case 2:
      *inertia = EllipsoidInertia::kOblique;
      options->apply_at = ApplyAt::kCentroid;
      options->coupling = Coupling::kNone;
      break;
    default:
      break;
  }
}

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

// How general solids are evaluated.
struct SolidChoices {
  double tolerance = 1e-8;
  ContactNormal normal = ContactNormal::kAreaVector;
};

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
  if (const auto* mesh = std::get_if<MeshShape>(&shape); mesh && mesh->mesh->is_convex()) {
    return std::make_shared<ConvexPolyhedron>(*mesh->mesh, node.place());
  }
  if (const auto* box = std::get_if<Box<T>>(&shape)) {
    const Vec3d half = 0.5 * plain_size(node, box->size);
    std::vector<Vec3d> corners;
    for (int k = 0; k < 8; ++k) {
      corners.emplace_back(k & 1 ? half.x() : -half.x(), k & 2 ? half.y() : -half.y(),
                           k & 4 ? half.z() : -half.z());
    }
    return std::make_shared<ConvexPolyhedron>(make_convex_hull(corners, node.place()),
                                              node.place());
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
    std::vector<Primitive> planes;
    for (const Plane& p : polyhedron->planes())
      planes.push_back(make_half_space(p.normal, p.offset));
    return make_solid(
        {make_cell(std::move(planes), Bounds{polyhedron->box_min(), polyhedron->box_max()})});
  }
  return std::nullopt;
}

template <class T>
std::optional<ShapePair<T>> find_solid_pair(const InputNode& node, const Shape<T>& i,
                                            const Shape<T>& j, const SolidChoices& choices) {
  ShapePair<T> pair;
  const auto poly_i = find_polyhedron(node, i), poly_j = find_polyhedron(node, j);
  if (poly_i && poly_j) {
    constexpr PolyhedraNormal kNormals[] = {PolyhedraNormal::kAreaVector,
                                            PolyhedraNormal::kEigenvector, PolyhedraNormal::kPlane,
                                            PolyhedraNormal::kConservative};
    pair.shapes =
        PolyhedronOnPolyhedron{poly_i, poly_j, kNormals[static_cast<size_t>(choices.normal)]};
    return pair;
  }
  const auto solid_i = find_solid(node, i), solid_j = find_solid(node, j);
  if (!solid_i || !solid_j) return std::nullopt;
  SolidOnSolid solids;
  try {
    solids.i = std::make_shared<SolidParts>(make_solid_parts(*solid_i));
    solids.j = std::make_shared<SolidParts>(make_solid_parts(*solid_j));
  } catch (const InputError& error) {
    node.fail(error.what());
  }
  solids.options.slices.tolerance = choices.tolerance;
  solids.options.normal = choices.normal;
  solids.size = std::numeric_limits<double>::infinity();
  for (const auto* solid : {&*solid_i, &*solid_j}) {
    if (solid->bounds.is_finite()) {
      solids.size = std::min(solids.size, 2 * solid->bounds.half().maxCoeff());
    }
  }
  if (!std::isfinite(solids.size)) return std::nullopt;
  pair.shapes = solids;
  return pair;
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
OrientedPose<T> read_oriented_pose(const InputNode& node) {
  node.allow({"position", "quaternion", "axis", "angle"});
  OrientedPose<T> X;
  if (const auto position = node.find("position")) {
    X.position = position->vector_of<T>(dimension::kLength);
  }
  const auto quaternion = node.find("quaternion");
  if (node.find("axis") || node.find("angle")) {
    if (quaternion) node.fail("give either 'quaternion' or 'axis' with 'angle', not both");
    X.orientation = read_axis_angle<T>(node);
  } else if (quaternion) {
    X.orientation = read_quaternion<T>(*quaternion);
  }
  return X;
}

template <class T>
SpatialVelocity<T> read_velocity(const InputNode& node) {
  node.allow({"linear", "angular"});
  SpatialVelocity<T> V;
  if (const auto linear = node.find("linear")) V.v_WB = linear->vector_of<T>(dimension::kSpeed);
  if (const auto angular = node.find("angular")) V.w_WB = angular->vector_of<T>(dimension::kSpin);
  return V;
}

template <class T>
PlacedShape<T> read_shape(const InputNode& node, const std::string& folder) {
  PlacedShape<T> placed;
  if (const auto pose = node.find("pose")) {
    placed.X_BS = read_pose<T>(*pose);
    placed.at_origin = false;
  }
  enum {
    kHalfSpace,
    kSphere,
    kEllipsoid,
    kBox,
    kConvex,
    kMesh,
    kPoint,
    kEdge,
    kCylinder,
    kCone,
    kSolids
  };
  switch (node.at("type").choice({"half_space", "sphere", "ellipsoid", "box", "convex", "mesh",
                                  "point", "edge", "cylinder_surface", "cone_surface", "cylinder",
                                  "cone", "capsule", "solid"})) {
    case kHalfSpace:
      node.allow({"type", "pose"});
      placed.shape = HalfSpace{};
      break;
    case kSphere:
      node.allow({"type", "pose", "radius"});
      placed.shape = Sphere<T>{node.at("radius").positive_scalar<T>(dimension::kLength)};
      break;
    case kEllipsoid:
      node.allow({"type", "pose", "radii"});
      placed.shape = Ellipsoid<T>{read_positive_vector<T>(node.at("radii"))};
      break;
    case kBox:
      node.allow({"type", "pose", "size"});
      placed.shape = Box<T>{read_positive_vector<T>(node.at("size"))};
      break;
    case kConvex: {
      node.allow({"type", "pose", "vertices"});
      std::vector<Vec3d> vertices;
      const InputNode list = node.at("vertices");
      for (const InputNode& vertex : list.items()) {
        vertices.push_back(vertex.vector(dimension::kLength));
      }
      placed.shape =
          MeshShape{std::make_shared<TriangleMesh>(make_convex_hull(vertices, list.place()))};
      break;
    }
    case kPoint:
      node.allow({"type", "pose"});
      placed.shape = Point{};
      break;
    case kEdge: {
      node.allow({"type", "pose", "normals"});
      const InputNode normals = node.at("normals");
      normals.expect_list(2);
      const Edge edge{read_direction(normals.at(size_t{0})), read_direction(normals.at(1))};
      if ((edge.n_1 + edge.n_2).norm() < 1e-6) {
        normals.fail("two faces back to back enclose nothing");
      }
      placed.shape = edge;
      break;
    }
    case kCylinder:
      node.allow({"type", "pose", "radius", "side"});
      placed.shape = CylinderSurface<T>{node.at("radius").positive_scalar<T>(dimension::kLength),
                                        node.at("side").choice({"outside", "inside"}) == 1};
      break;
    case kCone: {
      node.allow({"type", "pose", "angle"});
      const T angle = node.at("angle").positive_scalar<T>(dimension::kAngle);
      if (value_of(angle) > kPi) node.at("angle").fail("the full angle at the apex, at most pi");
      placed.shape = ConeSurface<T>{angle * T(0.5)};
      break;
    }
    case kMesh: {
      node.allow({"type", "pose", "file", "scale"});
      const auto scale = node.find("scale");
      const InputNode file = node.at("file");
      try {
        placed.shape = MeshShape{std::make_shared<TriangleMesh>(load_mesh(
            resolve_path(folder, file.text()), scale ? scale->positive(dimension::kNumber) : 1.0))};
      } catch (const InputError& error) {
        file.fail(error.what());
      }
      break;
    }
    default:
      placed.shape = SolidShape{std::make_shared<Solid>(read_solid(node))};
      break;
  }
  return placed;
}

namespace {

template <class T>
void read_options(const InputNode& node, Contact<T>* contact, EllipsoidInertia* inertia) {
  if (const auto preset = node.find("preset")) apply_preset(*preset, &contact->options, inertia);
  read_choice(node, "rolling_tensor", {"J_t", "J_v", "J_s"}, &contact->options.rolling_tensor);
  read_choice(node, "apply_at", {"surface", "centroid"}, &contact->options.apply_at);
  read_choice(node, "coupling", {"full", "none"}, &contact->options.coupling);
  if (const auto relaxation = node.find("relaxation")) {
    relaxation->allow({"time"});
    contact->relaxation_time = relaxation->at("time").positive_scalar<T>(dimension::kTime);
  }
}

// The pair of shapes that suits the normal law: at a point for laws of the depth, unless a method
// is asked for.
template <class T>
ShapePair<T> choose_pair(const InputNode& node, const Shape<T>& i, const Shape<T>& j,
                         Measure measure, EllipsoidInertia inertia, const SolidChoices& choices) {
  std::optional<InputNode> method;
  std::string wanted = "auto";
  if (const auto interference = node.find("interference")) {
    method = interference->find("method");
    if (method) {
      method->choice({"auto", "closed_form", "polyhedra", "mesh", "slices", "voxels", "point"});
      wanted = method->text();
    }
  }
  ShapePair<T> pair;
  std::vector<std::string> available;
  for (const bool turned : {false, true}) {
    const Shape<T>& a = turned ? j : i;
    const Shape<T>& b = turned ? i : j;
    if (const auto solids = find_pair<T>(a, b, inertia)) {
      pair = *solids;
      pair.turned = turned;
      available.emplace_back(method_name(pair));
      break;
    }
  }
  // General solids where no method of the pair's own is there, or slices are asked for.
  if (available.empty() || wanted == "slices") {
    if (const auto solids = find_solid_pair<T>(node, i, j, choices)) {
      const bool as_asked = wanted != "slices" || method_name(*solids) == "slices";
      if (available.empty() || as_asked) pair = *solids;
      available.emplace_back(method_name(*solids));
    }
  }
  const bool to_point = wanted == "point" || (wanted == "auto" && measure == Measure::kDepth);
  for (const bool turned : {false, true}) {
    const auto points = find_point_pair<T>(turned ? j : i, turned ? i : j);
    if (!points) continue;
    if (to_point || available.empty()) {
      pair.shapes = *points;
      pair.turned = turned;
    }
    available.emplace_back("point");
    break;
  }
  if (available.empty()) {
    node.fail(
        "these two shapes cannot meet: a mesh that is not convex meets a half_space only, point, "
        "edge, cylinder_surface and cone_surface meet a sphere or a point, and two half_spaces "
        "share no bounded volume");
  }
  if (wanted != "auto" && wanted != method_name(pair)) {
    method->fail(fmt::format("'{}' is not available for this pair; use auto or {}", wanted,
                             fmt::join(available, " or ")));
  }
  if (measure != Measure::kDepth && std::holds_alternative<PointPair<T>>(pair.shapes)) {
    node.at("normal").at("law").fail(
        "this law needs a volume, and this pair touches at a point; use hunt_crossley, hertz, "
        "lankarani_nikravesh or kelvin_voigt, or shapes that share a volume");
  }
  return pair;
}

template <class T>
void check_conservative(const InputNode& node, const Contact<T>& contact) {
  const InputNode key = node.at("interference").at("normal");
  if (!std::holds_alternative<VolumetricNormal<T>>(contact.normal)) {
    key.fail("'conservative' is for the normal law volumetric, whose energy it is the gradient of");
  }
  const auto* solids = std::get_if<SolidOnSolid>(&contact.pair.shapes);
  if (solids && !detail::has_planar_body(*solids->i, *solids->j)) {
    key.fail(
        "'conservative' needs one body that is a single convex cell of planes (a box, a convex "
        "polyhedron, a half_space); use area_vector, eigenvector or plane");
  }
}

// {z: [...], s_dw: 1, r_theta: 0} of a bristle.
template <class T>
void read_states(const InputNode& node, Contact<T>* contact) {
  if (contact->friction_states() == 0) node.fail("this friction law has no states");
  if (std::holds_alternative<Bristle<T>>(contact->friction)) {
    node.allow({"z", "s_dw"});
  } else {
    node.allow({"z", "s_dw", "r_theta"});
  }
  if (const auto z = node.find("z")) {
    const Vec3<T> value = z->vector_of<T>(dimension::kLength);
    for (int k = 0; k < 3; ++k) contact->initial_states[static_cast<size_t>(k)] = value[k];
  }
  if (const auto s = node.find("s_dw")) {
    const double value = s->non_negative(dimension::kNumber);
    if (value > 1) s->fail("lies between 0 (just slid) and 1 (stuck for long)");
    contact->initial_states[3] = s->scalar<T>(dimension::kNumber);
  }
  if (const auto twist = node.find("r_theta")) {
    contact->initial_states[4] = twist->scalar<T>(dimension::kLength);
  }
}

}  // namespace

template <class T>
Contact<T> read_contact(const InputNode& node, const PlacedShape<T>& i, const PlacedShape<T>& j) {
  Contact<T> contact;
  EllipsoidInertia inertia = EllipsoidInertia::kExact;
  SolidChoices choices;
  read_options(node, &contact, &inertia);
  if (const auto preset = node.find("preset"); preset && preset->text() == "gonthier2007") {
    choices.normal = ContactNormal::kEigenvector;
  }
  if (const auto interference = node.find("interference")) {
    interference->allow({"method", "tolerance", "inertia", "normal"});
    if (const auto tolerance = interference->find("tolerance")) {
      choices.tolerance = tolerance->positive(dimension::kNumber);
      if (choices.tolerance > 0.1) tolerance->fail("relative, of the volume: below 0.1");
    }
    read_choice(*interference, "normal", {"area_vector", "eigenvector", "plane", "conservative"},
                &choices.normal);
    if (const auto choice = interference->find("inertia")) {
      read_choice(*interference, "inertia", {"exact", "oblique"}, &inertia);
      if (!std::holds_alternative<Ellipsoid<T>>(i.shape) &&
          !std::holds_alternative<Ellipsoid<T>>(j.shape)) {
        choice->fail("is a choice for ellipsoids; this pair has none");
      }
    }
  }
  contact.X_Ii = i.X_BS;
  contact.X_Jj = j.X_BS;
  contact.shapes_at_origin = i.at_origin && j.at_origin;
  contact.normal = read_law<NormalLaw<T>>(node.at("normal"));
  contact.pair = choose_pair<T>(node, i.shape, j.shape, contact.measure(), inertia, choices);
  if (choices.normal == ContactNormal::kConservative) check_conservative(node, contact);
  if (const auto friction = node.find("friction")) {
    contact.friction = read_law<FrictionLaw<T>>(*friction);
  }
  if (contact.needs_patch() && !has_patch(contact.pair)) {
    node.fail(
        "integrals over the patch (friction law patch; normal laws hyper_volumetric and "
        "foundation) "
        "are for sphere or ellipsoid on half_space, and sphere with sphere");
  }
  if (contact.needs_patch() && contact.relaxes()) {
    node.at("relaxation").fail("is for laws of the depth or the volume, not of the depth field");
  }
  if (std::holds_alternative<PatchFriction<T>>(contact.friction) &&
      (contact.measure() == Measure::kDepth ||
       std::holds_alternative<VolumePower<T>>(contact.normal))) {
    node.at("friction")
        .fail(
            "the friction law 'patch' needs the pressure over the patch; use the normal law "
            "volumetric, "
            "hyper_volumetric or foundation");
  }
  if (const auto states = node.find("states")) read_states(*states, &contact);
  return contact;
}

const std::vector<std::string_view>& contact_keys() {
  static const std::vector<std::string_view> kKeys = {"interference", "normal",         "friction",
                                                      "preset",       "rolling_tensor", "apply_at",
                                                      "coupling",     "relaxation",     "states"};
  return kKeys;
}

template <class T>
std::string method_name(const ShapePair<T>& pair) {
  if (std::holds_alternative<PointPair<T>>(pair.shapes)) return "point";
  if (std::holds_alternative<PolyhedronOnPolyhedron>(pair.shapes)) return "polyhedra";
  if (std::holds_alternative<SolidOnSolid>(pair.shapes)) return "slices";
  if (std::holds_alternative<BoxOnHalfSpace<T>>(pair.shapes)) return "polyhedra";
  if (const auto* mesh = std::get_if<MeshOnHalfSpace>(&pair.shapes)) {
    return mesh->i.mesh->is_convex() ? "polyhedra" : "mesh";
  }
  return "closed_form";
}

// Plain, and with derivatives by one or four numbers of the file.
#define VESICA_INSTANTIATE(T)                                               \
  template OrientedPose<T> read_oriented_pose(const InputNode&);            \
  template SpatialVelocity<T> read_velocity(const InputNode&);              \
  template PlacedShape<T> read_shape(const InputNode&, const std::string&); \
  template Contact<T> read_contact(const InputNode&, const PlacedShape<T>&, \
                                   const PlacedShape<T>&);                  \
  template std::string method_name(const ShapePair<T>&);
VESICA_INSTANTIATE(double)
VESICA_INSTANTIATE(Dual<1>)
VESICA_INSTANTIATE(Dual<4>)
#undef VESICA_INSTANTIATE

}  // namespace vesica
