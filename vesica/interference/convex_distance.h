// The shortest line between two convex polyhedra that do not overlap (Gilbert, Johnson and Keerthi
// 1988), with the vertices that carry it.
#pragma once

#include <array>
#include <cstdint>

#include "vesica/geometry/convex_polyhedron.h"
#include "vesica/math/pose.h"

namespace vesica {

struct ShortestLine {
  double distance = 0;  // 0 where they touch or overlap: then the points are no more than a guess
  Vec3d on_a = Vec3d::Zero(), on_b = Vec3d::Zero();  // in the frame of A
  // Each end is the mean of up to three vertices of its body with the same weights.
  int count = 0;
  std::array<std::int32_t, 3> a{}, b{};
  std::array<double, 3> weight{};
};

// Exact to about 1e-15 of the size. X_AB: where B is in the frame of A.
ShortestLine find_shortest_line(const ConvexPolyhedron& A, const ConvexPolyhedron& B,
                                const Pose<double>& X_AB);

}  // namespace vesica
