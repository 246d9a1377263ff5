#include "vesica/contact/contact_input.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>

#include "vesica/contact/law_input.h"
#include "vesica/contact/part_input.h"
#include "vesica/contact/solid_input.h"
#include "vesica/geometry/convex_hull.h"
#include "vesica/interference/patch/patch.h"
#include "vesica/io/file_error.h"
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
  using std::sqrt;
  const Vec3<T> axis = node.at("axis").vector_of<T>(dimension::kNumber);
  if (value_of(axis).norm() == 0) node.at("axis").fail("an axis cannot be zero");
  const T half = node.at("angle").scalar<T>(dimension::kAngle) * T(0.5);
  const Vec3<T> e = axis / T(sqrt(axis.squaredNorm()));
  const T s = sin(half);
  return {cos(half), s * e.x(), s * e.y(), s * e.z()};
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
      } catch (const FileError& error) {
        throw FileError(fmt::format("{}: {}", file.place(), error.what()));
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

template <class T>
std::vector<PlacedShape<T>> read_shapes(const InputNode& node, const std::string& folder) {
  const auto one = node.find("shape"), several = node.find("shapes");
  if (one && several) several->fail("give either 'shape' or 'shapes', not both");
  std::vector<PlacedShape<T>> shapes;
  if (one) shapes.push_back(read_shape<T>(*one, folder));
  if (several) {
    for (const InputNode& item : several->items()) shapes.push_back(read_shape<T>(item, folder));
    if (shapes.empty()) several->fail("a list of shapes has at least one");
  }
  return shapes;
}
namespace {

template <class T>
void read_options(const InputNode& node, Contact<T>* contact, PairChoices* choices) {
  if (const auto preset = node.find("preset")) {
    apply_preset(*preset, &contact->options, &choices->inertia);
    if (preset->text() == "gonthier2007") choices->normal = ContactNormal::kEigenvector;
  }
  read_choice(node, "rolling_tensor", {"J_t", "J_v", "J_s"}, &contact->options.rolling_tensor);
  read_choice(node, "apply_at", {"surface", "centroid"}, &contact->options.apply_at);
  read_choice(node, "coupling", {"full", "none"}, &contact->options.coupling);
  if (const auto relaxation = node.find("relaxation")) {
    relaxation->allow({"time"});
    contact->relaxation_time = relaxation->at("time").positive_scalar<T>(dimension::kTime);
  }
}

void read_interference(const InputNode& node, PairChoices* choices) {
  node.allow({"method", "tolerance", "voxel_size", "inertia", "normal"});
  if (const auto method = node.find("method")) {
    method->choice({"auto", "closed_form", "polyhedra", "mesh", "slices", "voxels", "point"});
    choices->method = method->text();
  }
  const auto voxel_size = node.find("voxel_size");
  if (choices->method == "voxels" && !voxel_size) {
    node.fail(
        "the method voxels needs a voxel_size: (df/k)^(1/3) for a force df that does not matter "
        "and the stiffness k of the volumetric law, which 'vesica suggest' computes as voxel_edge "
        "(Gonthier 4.5)");
  }
  if (voxel_size) {
    if (choices->method != "voxels") voxel_size->fail("goes with 'method: voxels' only");
    choices->voxel_size = voxel_size->positive(dimension::kLength);
  }
  if (const auto tolerance = node.find("tolerance")) {
    choices->tolerance = tolerance->positive(dimension::kNumber);
    if (choices->tolerance > 0.1) tolerance->fail("relative, of the volume: below 0.1");
  }
  read_choice(node, "normal", {"area_vector", "eigenvector", "plane", "conservative"},
              &choices->normal);
  read_choice(node, "inertia", {"exact", "oblique"}, &choices->inertia);
}

template <class T>
void check_conservative(const InputNode& key, const Contact<T>& contact,
                        const PlacedPair<T>& shapes) {
  if (!std::holds_alternative<VolumetricNormal<T>>(contact.normal)) {
    key.fail("'conservative' is for the normal law volumetric, whose energy it is the gradient of");
  }
  if (!can_be_conservative(shapes.pair)) {
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

// Which laws go with which pairs.
template <class T>
void check_laws(const InputNode& node, const Contact<T>& contact,
                const std::vector<PlacedPair<T>>& pairs) {
  bool has_ellipsoid = false;
  const auto interference = node.find("interference");
  const auto normal = interference ? interference->find("normal") : std::nullopt;
  for (const PlacedPair<T>& shapes : pairs) {
    if (contact.needs_patch() && !has_patch(shapes.pair)) {
      node.fail(fmt::format(
          "integrals over the patch (friction law patch; normal laws hyper_volumetric and "
          "foundation) need the depth at each of its points, which the method {} does not have; "
          "use "
          "another method",
          method_name(shapes.pair)));
    }
    if (contact.needs_patch() && is_conservative(shapes.pair)) {
      node.fail(
          "integrals over the patch (friction law patch) press along the columns; with them the "
          "normal cannot be 'conservative': use area_vector, eigenvector or plane");
    }
    if (normal && normal->text() == "conservative") check_conservative(*normal, contact, shapes);
    has_ellipsoid =
        has_ellipsoid || std::holds_alternative<EllipsoidOnHalfSpace<T>>(shapes.pair.shapes);
  }
  if (interference) {
    const auto inertia = interference->find("inertia");
    if (inertia && !has_ellipsoid) {
      inertia->fail("is a choice for an ellipsoid on a half_space; this is none");
    }
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
            "volumetric, hyper_volumetric or foundation");
  }
}

}  // namespace

template <class T>
Contact<T> read_contact(const InputNode& node, const PlacedShape<T>& i, const PlacedShape<T>& j) {
  return read_contact<T>(node, std::vector{i}, std::vector{j}, kOnePair).contact;
}

template <class T>
ContactInput<T> read_contact(const InputNode& node, const std::vector<PlacedShape<T>>& i,
                             const std::vector<PlacedShape<T>>& j, int room) {
  ContactInput<T> input;
  Contact<T>& contact = input.contact;
  PairChoices choices;
  read_options(node, &contact, &choices);
  if (const auto interference = node.find("interference")) {
    read_interference(*interference, &choices);
  }
  contact.normal = read_law<NormalLaw<T>>(node.at("normal"));
  choices.by_depth = contact.measure() == Measure::kDepth;
  if (const auto friction = node.find("friction")) {
    contact.friction = read_law<FrictionLaw<T>>(*friction);
  }
  PartPairs<T> parts = make_part_pairs(node, i, j, choices, room);
  check_laws(node, contact, parts.pairs);
  static_cast<PlacedPair<T>&>(contact) = parts.pairs[0];
  if (room != kOnePair) input.parts = std::make_shared<PartPairs<T>>(std::move(parts));
  if (const auto states = node.find("states")) {
    if (input.parts) states->fail("is for a contact of one shape with one shape");
    read_states(*states, &contact);
  }
  return input;
}

const std::vector<std::string_view>& contact_keys() {
  static const std::vector<std::string_view> kKeys = {"interference", "normal",         "friction",
                                                      "preset",       "rolling_tensor", "apply_at",
                                                      "coupling",     "relaxation",     "states"};
  return kKeys;
}

// Plain, and with derivatives by one or four numbers of the file.
#define VESICA_INSTANTIATE(T)                                                                 \
  template OrientedPose<T> read_oriented_pose(const InputNode&);                              \
  template SpatialVelocity<T> read_velocity(const InputNode&);                                \
  template PlacedShape<T> read_shape(const InputNode&, const std::string&);                   \
  template std::vector<PlacedShape<T>> read_shapes(const InputNode&, const std::string&);     \
  template Contact<T> read_contact(const InputNode&, const PlacedShape<T>&,                   \
                                   const PlacedShape<T>&);                                    \
  template ContactInput<T> read_contact(const InputNode&, const std::vector<PlacedShape<T>>&, \
                                        const std::vector<PlacedShape<T>>&, int);
VESICA_INSTANTIATE(double)
VESICA_INSTANTIATE(Dual<4>)
VESICA_INSTANTIATE(Dual<12>)
#undef VESICA_INSTANTIATE

}  // namespace vesica
