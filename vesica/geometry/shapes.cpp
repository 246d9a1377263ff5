#include "vesica/geometry/shapes.h"

#include <array>

namespace vesica {

std::string_view shape_name(const Shape<double>& shape) {
  constexpr std::array<std::string_view, 10> kNames = {
      "half_space", "sphere", "ellipsoid",        "box",          "mesh",
      "point",      "edge",   "cylinder_surface", "cone_surface", "solid"};
  static_assert(kNames.size() == std::variant_size_v<Shape<double>>);
  if (const auto* m = std::get_if<MeshShape>(&shape); m && m->mesh->is_convex()) return "convex";
  return kNames[shape.index()];
}

}  // namespace vesica
