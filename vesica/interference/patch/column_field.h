// The patch of two bodies as a set of columns along n: where they stand, how long they are, and how
// their length changes while either body moves. For pairs without a closed form of the patch
// (patch.h): polyhedra, meshes, solids.
//
// A column at the point s of the plane through the centroid p_C across n ends on surfaces of i and
// j. An end at x on a surface with normal N moves along n by V.N/(N.n) where V is the velocity of
// its body at x against the frame of the patch (which p_C and n carry along): six numbers for each
// body, in plain numbers; the chain rule makes dual numbers of them (patch.h). The nodes stay where
// they are in that frame. That is all there is to the derivative of an integral over the patch as
// long as the depth is continuous and zero at the border: the border moves too, but over nothing. A
// face along n is the exception: there the depth drops from f to 0 at once, and the border's motion
// sweeps an area of depth f. Nodes on such a border have no area, only its slope. While the bodies
// tilt the drop opens into a ramp, which for a pressure p(f) that is not linear is no first-order
// change of the same size to both sides; the slope is then that of the middle of the column, exact
// for a linear pressure. A pressure that does not vanish with the depth (a formula with a constant)
// would need the motion of every border; it is left out.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "vesica/geometry/convex_polyhedron.h"
#include "vesica/geometry/shapes.h"
#include "vesica/interference/slices/cell_pair.h"

namespace vesica {

struct ColumnNode {
  Vec3d s;       // from p_C, across n
  double depth;  // total length of the column
  double area;   // 0 on a border
  bool is_border = false;
  // Slopes of the depth, on a border of the area: by twists of i and j about p_C against the
  // patch's frame, by the sizes of a box.
  std::array<double, 6> by_i{}, by_j{};
  std::array<double, 3> by_size{};
};

// How finely to cover the patch.
struct ColumnRule {
  int level = 0;
  // Where a friction law turns over a length `cut` about the point `still`, from p_C; 0: nowhere.
  Vec3d still = Vec3d::Zero();
  double cut = 0;
  bool with_slopes = false;
};

// Along the unit n through p_C, in plain numbers. Made once, covered at several levels.
class ColumnField {
 public:
  virtual ~ColumnField() = default;
  // Adds the nodes of a rule.
  virtual void cover(const ColumnRule& rule, std::vector<ColumnNode>* nodes) const = 0;
};

// Nodes are megabytes; a thread keeps the room for them. A new patch covers its field anew,
// whatever is in it.
struct ColumnScratch {
  const ColumnField* field = nullptr;  // whose nodes these are
  std::vector<ColumnNode> nodes;
};
inline ColumnScratch& column_scratch() {
  thread_local ColumnScratch scratch;
  return scratch;
}

std::unique_ptr<ColumnField> make_column_field(const ConvexPolyhedron& i, const Pose<double>& X_WI,
                                               const ConvexPolyhedron& j, const Pose<double>& X_WJ,
                                               const Vec3d& n_W, const Vec3d& p_WC);
// j is the half-space; n is its own.
std::unique_ptr<ColumnField> make_column_field(const TriangleMesh& mesh, const Pose<double>& X_WI,
                                               const Pose<double>& X_WJ, const Vec3d& p_WC);
std::unique_ptr<ColumnField> make_column_field(const Box<double>& box, const Pose<double>& X_WI,
                                               const Pose<double>& X_WJ, const Vec3d& p_WC);
// M_W: second moment of what they share over its volume.
std::unique_ptr<ColumnField> make_column_field(const SolidParts& i, const Pose<double>& X_WI,
                                               const SolidParts& j, const Pose<double>& X_WJ,
                                               const Vec3d& n_W, const Vec3d& p_WC,
                                               const Symmetric3<double>& spread_W);

}  // namespace vesica
