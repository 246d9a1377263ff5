#include "vesica/geometry/shapes.h"

#include <array>

namespace vesica {

std::string_view shape_name(const Shape<double>& shape) {
  if (const auto* m = std::get_if<MeshShape>(&shape); m && m->mesh->is_convex()) return "convex";
  return std::visit([](const auto& s) { return s.kName; }, shape);
}

}  // namespace vesica
