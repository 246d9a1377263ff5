// The deepest column that two bodies share along n: what laws by depth measure, and where they act.
//
//   largest h with  x in i  and  x + h n in j
// x is the bottom of i in that column and x + h n the top of j. For convex bodies this is a convex
// problem in four unknowns; a primal-dual interior-point method climbs from a point inside both and
// a Newton iteration on the surfaces that hold the column finishes to rounding. Where a whole line
// or face is equally deep (flat on flat) the column is the one nearest to the origin, which callers
// put on the centroid of the shared volume. A hollow surface (the inside of a hole) is replaced by
// its tangent plane at the last column, again and again: every step stays inside, and the column
// found is the deepest of its neighbourhood. A cone has no slope at its apex, which is tried by
// itself.
//
// Slopes: the conditions of optimality, differentiated. Along directions in which the column is
// free to move (flat on flat, all round a hole) it stays.
//
// Cost: 10 to 15 iterations, 3 to 8 us for two cells of up to a dozen surfaces; hollow ones ten
// times.
#pragma once

#include <span>
#include <vector>

#include "vesica/geometry/primitive.h"

namespace vesica {

// One of the surfaces: g <= 0 inside, in world axes, coordinates from some origin near the contact.
struct ColumnSurface {
  Quadric g;
  bool of_j = false;
  bool is_plane = false;
  bool is_hollow = false;  // curved toward the outside
  bool is_cone = false;
  Vec3d apex = Vec3d::Zero();  // of a cone
};

// Seen from a frame with the world's axes about `origin`.
ColumnSurface make_column_surface(const Primitive& primitive, const Pose<double>& X_WB, bool of_j,
                                  const Vec3d& origin_W);

struct DeepestColumn {
  double depth = 0;
  Vec3d bottom = Vec3d::Zero();  // from the origin; the top is bottom + depth n
  // Slopes of (bottom, depth): by a twist of j (velocity of the origin's place, then spin) while i
  // stands still, and by n.
  Eigen::Matrix<double, 4, 6> by_twist = Eigen::Matrix<double, 4, 6>::Zero();
  Eigen::Matrix<double, 4, 3> by_n = Eigen::Matrix<double, 4, 3>::Zero();
};

// `inside`: a point inside all surfaces, from the origin. `size`: of the shared volume, across n.
// False where `inside` is not, or the depth is below rounding.
bool find_deepest_column(std::span<const ColumnSurface> surfaces, const Vec3d& n,
                         const Vec3d& inside, double size, bool with_slopes, DeepestColumn* column);

}  // namespace vesica
