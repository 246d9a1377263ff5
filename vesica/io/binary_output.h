// Numbers as binary mesh files have them: little-endian, single precision.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "vesica/error.h"
#include "vesica/geometry/surface_mesh.h"

namespace vesica::detail {

inline void append_32(std::uint32_t x, std::string* bytes) {
  for (int k = 0; k < 4; ++k) bytes->push_back(static_cast<char>(x >> (8 * k)));
}

inline float as_single(double x, const std::string& what) {
  if (!(std::abs(x) <= std::numeric_limits<float>::max())) {
    throw InputError(fmt::format(
        "{}: a coordinate is {}; expected a number that single precision holds", what, x));
  }
  return static_cast<float>(x);
}
inline void append_single(double x, const std::string& what, std::string* bytes) {
  append_32(std::bit_cast<std::uint32_t>(as_single(x, what)), bytes);
}

// Every triangle names vertices that are there.
inline void check_indices(const SurfaceMesh& mesh, const std::string& what) {
  const auto count = static_cast<std::int64_t>(mesh.vertices.size());
  for (const auto& t : mesh.triangles) {
    for (const std::int32_t v : t) {
      if (v < 0 || v >= count) {
        throw InputError(
            fmt::format("{}: a triangle names vertex {}; there are {}", what, v, count));
      }
    }
  }
}

}  // namespace vesica::detail
