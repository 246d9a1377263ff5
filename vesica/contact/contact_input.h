// From YAML to shapes, motions and contacts. docs/formats/scene.md is the user's side of it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vesica/contact/part_pairs.h"
#include "vesica/io/yaml.h"

namespace vesica {

template <class T>
struct PlacedShape {
  Shape<T> shape;
  Pose<T> X_BS;  // on its body
  bool at_origin = true;
};

// A pose whose rotation is still a quaternion, as the state of a body wants it.
template <class T>
struct OrientedPose {
  Vec3<T> position = Vec3<T>::Zero();
  Quaternion<T> orientation;
  Pose<T> pose() const { return make_pose(orientation, position); }
};

// {position: [...], quaternion: [w, x, y, z]} or {position: [...], axis: [...], angle: 20 deg}.
template <class T>
OrientedPose<T> read_oriented_pose(const InputNode& node);
template <class T>
Pose<T> read_pose(const InputNode& node) {
  return read_oriented_pose<T>(node).pose();
}
// {linear: [...], angular: [...]}, of the body origin, in world axes.
template <class T>
SpatialVelocity<T> read_velocity(const InputNode& node);
// {type: ..., sizes, pose: where it sits on its body}.
template <class T>
PlacedShape<T> read_shape(const InputNode& node, const std::string& folder);
// Those of a body: its `shape`, or the list `shapes`; none where it has neither.
template <class T>
std::vector<PlacedShape<T>> read_shapes(const InputNode& body, const std::string& folder);
// {interference, normal, friction, relaxation, states, options or preset} between two shapes.
template <class T>
Contact<T> read_contact(const InputNode& node, const PlacedShape<T>& i, const PlacedShape<T>& j);

// The same between bodies of several parts: each pair of parts that touch is a contact of its own.
template <class T>
struct ContactInput {
  Contact<T> contact;                         // its shapes are those of the first pair
  std::shared_ptr<const PartPairs<T>> parts;  // null: that is the only pair
};
// `room`: for how many pairs that are near each other at once; kOnePair: both have one part.
inline constexpr int kOnePair = 0;
template <class T>
ContactInput<T> read_contact(const InputNode& node, const std::vector<PlacedShape<T>>& i,
                             const std::vector<PlacedShape<T>>& j, int room);

// The keys of a contact that read_contact takes; where it stands there may be more.
const std::vector<std::string_view>& contact_keys();

}  // namespace vesica
