// The depth field f(s) on a grid: at every point of the contact plane the length of the column of
// shared volume along n, so that its integral over the plane is the volume.
#pragma once

#include <vector>

#include "vesica/interference/pair.h"

namespace vesica {

struct DepthGrid {
  Vec3d origin_W = Vec3d::Zero();  // a point of the contact plane; u and v count from it
  Vec3d u_W = Vec3d::UnitX(), v_W = Vec3d::UnitY(), n_W = Vec3d::UnitZ();
  double u0 = 0, v0 = 0;  // lower corner of the first cell
  double du = 0, dv = 0;  // size of a cell
  int nu = 0, nv = 0;
  std::vector<double> depth;  // at cell centres, u fastest

  double u(int k) const { return u0 + (k + 0.5) * du; }
  double v(int k) const { return v0 + (k + 0.5) * dv; }
  Vec3d point(int ku, int kv) const { return origin_W + u(ku) * u_W + v(kv) * v_W; }
  double cell_area() const { return du * dv; }
};

// The patch in the coordinates s = origin + u u_W + v v_W of the contact plane, whose axes need
// neither be orthogonal nor of unit length: a frame of a body, projected. n_W is a unit vector.
struct PatchBox {
  double u_min = 0, u_max = -1, v_min = 0, v_max = -1;
  bool is_empty() const { return !(u_max > u_min) || !(v_max > v_min); }
};
// Of a pair that touches; `o` is their overlap. Reads the grid's frame alone.
PatchBox find_patch_box(const ShapePair<double>& pair, const Pose<double>& X_WI,
                        const Pose<double>& X_WJ, const Overlap<double>& o, const DepthGrid& frame);
// The depth at the cells of a grid whose frame and counts are set. Allocates only where `depth` has
// been smaller, but for solids and meshes.
void fill_depth(const ShapePair<double>& pair, const Pose<double>& X_WI, const Pose<double>& X_WJ,
                DepthGrid* grid);

// Square cells, `cells` along the longer side of the patch, which the grid covers with a margin of
// one cell. Empty where the solids are apart.
DepthGrid sample_depth(const ShapePair<double>& pair, const Pose<double>& X_WI,
                       const Pose<double>& X_WJ, int cells);

}  // namespace vesica
