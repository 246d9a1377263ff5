#include "vesica/contact/contact_input.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <type_traits>

#include "vesica/geometry/convex_hull.h"
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

// The law of a variant whose kName the file gives. Adding a type to the variant registers it.
template <class Variant, size_t... K>
Variant read_law(const InputNode& node, std::index_sequence<K...>) {
  const std::vector<std::string_view> names = {std::variant_alternative_t<K, Variant>::kName...};
  const size_t choice = node.at("law").choice(names);
  std::optional<Variant> law;
  ((choice == K ? (law = std::variant_alternative_t<K, Variant>::read(node), 0) : 0), ...);
  return *law;
}
template <class Variant>
Variant read_law(const InputNode& node) {
  return read_law<Variant>(node, std::make_index_sequence<std::variant_size_v<Variant>>());
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
  enum { kHalfSpace, kSphere, kEllipsoid, kBox, kConvex, kMesh };
  switch (node.at("type").choice({"half_space", "sphere", "ellipsoid", "box", "convex", "mesh"})) {
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
    default: {
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
  }
  return placed;
}

template <class T>
Contact<T> read_contact(const InputNode& node, const PlacedShape<T>& i, const PlacedShape<T>& j) {
  Contact<T> contact;
  EllipsoidInertia inertia = EllipsoidInertia::kExact;
  if (const auto preset = node.find("preset")) apply_preset(*preset, &contact.options, &inertia);
  read_choice(node, "rolling_tensor", {"J_t", "J_v", "J_s"}, &contact.options.rolling_tensor);
  read_choice(node, "apply_at", {"surface", "centroid"}, &contact.options.apply_at);
  read_choice(node, "coupling", {"full", "none"}, &contact.options.coupling);

  std::optional<InputNode> method;
  if (const auto interference = node.find("interference")) {
    interference->allow({"method", "tolerance", "inertia"});
    method = interference->find("method");
    if (const auto tolerance = interference->find("tolerance")) {
      tolerance->positive(dimension::kNumber);
    }
    if (const auto choice = interference->find("inertia")) {
      read_choice(*interference, "inertia", {"exact", "oblique"}, &inertia);
      if (!std::holds_alternative<Ellipsoid<T>>(i.shape) &&
          !std::holds_alternative<Ellipsoid<T>>(j.shape)) {
        choice->fail("is a choice for ellipsoids; this pair has none");
      }
    }
  }

  auto pair = find_pair<T>(i.shape, j.shape, inertia);
  if (!pair) {
    pair = find_pair<T>(j.shape, i.shape, inertia);
    if (pair) pair->turned = true;
  }
  if (!pair) {
    node.fail(
        "these two shapes cannot meet yet; available: half_space with sphere, ellipsoid, box, "
        "convex "
        "or mesh, and sphere with sphere");
  }
  contact.pair = *pair;
  if (method) {
    const auto word =
        method->choice({"auto", "closed_form", "polyhedra", "mesh", "slices", "voxels"});
    if constexpr (std::is_same_v<T, double>) {
      if (word != 0 && method->text() != method_name(contact.pair)) {
        method->fail(fmt::format("'{}' is not available for this pair; use auto or {}",
                                 method->text(), method_name(contact.pair)));
      }
    }
  }

  contact.X_Ii = i.X_BS;
  contact.X_Jj = j.X_BS;
  contact.shapes_at_origin = i.at_origin && j.at_origin;
  contact.normal = read_law<NormalLaw<T>>(node.at("normal"));
  if (const auto friction = node.find("friction")) {
    contact.friction = read_law<FrictionLaw<T>>(*friction);
  }
  return contact;
}

std::string method_name(const ShapePair<double>& pair) {
  if (std::holds_alternative<BoxOnHalfSpace<double>>(pair.shapes)) return "polyhedra";
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
  template Contact<T> read_contact(const InputNode&, const PlacedShape<T>&, const PlacedShape<T>&);
VESICA_INSTANTIATE(double)
VESICA_INSTANTIATE(Dual<1>)
VESICA_INSTANTIATE(Dual<4>)
#undef VESICA_INSTANTIATE

}  // namespace vesica
