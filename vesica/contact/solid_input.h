// Solids from YAML: cylinder, cone, capsule, and unions of cells that are intersections of
// primitives. docs/formats/scene.md is the user's side of it.
#pragma once

#include "vesica/geometry/solid.h"
#include "vesica/io/yaml.h"

namespace vesica {

// {type: cylinder, radius, length}, {type: cone, angle, height}, {type: capsule, radius, length} or
// {type: solid, cells: [{intersect: [primitive, ...], pose, mirror, repeat}, ...]}.
Solid read_solid(const InputNode& node);

}  // namespace vesica
