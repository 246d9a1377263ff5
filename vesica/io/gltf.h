// Meshes as binary glTF 2.0 (.glb), which web viewers, Blender and most 3-D programs open.
//
// One node per part with its pose, under a root that turns z up into glTF's y up. Positions and
// normals in single precision, metres. No textures, no animation.
#pragma once

#include <array>
#include <span>
#include <string>

#include "vesica/geometry/surface_mesh.h"

namespace vesica {

struct GltfPart {
  std::string name;
  SurfaceMesh mesh;
  Pose<double> X_WB;
  std::array<double, 4> color = {0.7, 0.7, 0.75, 1};  // red, green, blue, opacity; linear, 0 to 1
};

// The file's bytes. Throws InputError for a number that is not finite or too large for single
// precision, an index without a vertex, no triangle at all, or more than 4 GB.
std::string make_glb(std::span<const GltfPart> parts);
void save_glb(const std::string& path, std::span<const GltfPart> parts);

}  // namespace vesica
