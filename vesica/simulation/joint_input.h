// The parts of a scene that deal with joints: docs/formats/scene.md, "Joints".
#pragma once

#include <functional>
#include <optional>

#include "vesica/io/yaml.h"
#include "vesica/simulation/scene.h"

namespace vesica {

// Finds a body by the name in a node; "world" is -1 where it is allowed.
using BodyFinder = std::function<int(const InputNode&)>;

template <class P>
struct JointInput {
  Joint<P> joint;
  std::vector<P> q0, u0;  // none where driven
  std::vector<JointForce<P>> forces;
  std::optional<Bushing<P>> bushing;
};

// `body`: the index that the joint's body will have; `find_parent` knows those before it.
template <class P>
JointInput<P> read_joint(const InputNode& node, int body, const BodyFinder& find_parent,
                         const std::string& folder);

template <class P>
Bushing<P> read_bushing(const InputNode& node, const BodyFinder& find_body);

template <class P>
Loop<P> read_loop(const InputNode& node, const BodyFinder& find_body);

template <class P>
Accommodation<P> read_accommodation(const InputNode& node, const Scene<P>& scene,
                                    const BodyFinder& find_body, const std::string& folder);

}  // namespace vesica
