// Wavefront OBJ meshes: `v` and `f` (v, v/vt, v//vn, v/vt/vn; negative indices count from the end;
// polygons are cut into a fan from their first corner, which is right for convex ones). Everything
// else in the file is ignored. Identical vertices are made one; a mesh that is not a closed solid
// is rejected (geometry/triangle_mesh.h).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "vesica/geometry/triangle_mesh.h"

namespace vesica {

// `scale` times the file's numbers are metres (0.001 for a file in mm).
TriangleMesh load_obj(const std::filesystem::path& path, double scale = 1);

// The same from memory; `source` names it in errors.
TriangleMesh parse_obj(std::string_view bytes, const std::string& source, double scale = 1);

// STL or OBJ, by the file name's extension.
TriangleMesh load_mesh(const std::filesystem::path& path, double scale = 1);

namespace detail {
// The whole file; throws FileError where it cannot be read, InputError where it is larger than 2
// GB.
std::string load_bytes(const std::filesystem::path& path);
void check_scale(double scale, const std::string& source);
// The next word of the line, skipping blanks; empty at the end.
std::string_view next_word(std::string_view* line);
// A finite number with |x| < 1e30 that takes the whole word. Fortran-free: "1e-3", "+.5", "-2".
bool parse_coordinate(std::string_view word, double* x);
}  // namespace detail

}  // namespace vesica
