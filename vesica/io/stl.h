// STL meshes: binary and ASCII are read, binary is written. The normals in a file are ignored: the
// winding decides. Identical vertices are made one; a mesh that is not a closed solid is rejected
// (geometry/triangle_mesh.h).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "vesica/geometry/surface_mesh.h"
#include "vesica/geometry/triangle_mesh.h"

namespace vesica {

// `scale` times the file's numbers are metres (0.001 for a file in mm).
TriangleMesh load_stl(const std::filesystem::path& path, double scale = 1);

// The same from memory; `source` names it in errors.
TriangleMesh parse_stl(std::string_view bytes, const std::string& source, double scale = 1);

// Binary STL of any triangles, in metres, single precision; triangles without area are left out.
// Throws InputError for a number that single precision does not hold or an index without a vertex.
std::string make_stl(const SurfaceMesh& mesh);
void save_stl(const std::filesystem::path& path, const SurfaceMesh& mesh);

}  // namespace vesica
