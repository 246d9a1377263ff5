// From YAML to shapes, motions and contacts. docs/formats/scene.md is the user's side of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vesica/contact/contact.h"
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
// {interference, normal, friction, relaxation, states, options or preset} between two shapes.
template <class T>
Contact<T> read_contact(const InputNode& node, const PlacedShape<T>& i, const PlacedShape<T>& j);

// The keys of a contact that read_contact takes; where it stands there may be more.
const std::vector<std::string_view>& contact_keys();

// How the pair's overlap is computed: closed_form, polyhedra, mesh or point.
template <class T>
std::string method_name(const ShapePair<T>& pair);

}  // namespace vesica
