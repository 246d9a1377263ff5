#include "vesica/interference/slices/solid_moments.h"

#include "vesica/error.h"
#include "vesica/interference/slices/cell_pair.h"

namespace vesica {

TriangleMesh::Solid calc_solid_moments(const Solid& solid) {
  if (!solid.bounds.is_finite()) throw InputError("a solid without bounds has no mass");
  // The box is twice as large, so that none of its faces lies in one of the solid's.
  const Cell box = make_box_cell(4 * solid.bounds.half());
  const Pose<double> X{Mat3d::Identity(), solid.bounds.center()};
  const auto m = calc_shared_moments(make_solid_parts(solid), Pose<double>{},
                                     SolidParts{SignedCell{box, 1.0}}, X, SliceOptions{1e-10});
  TriangleMesh::Solid result;
  result.volume = m.volume;
  result.centroid = m.p_WC;
  result.M = m.M_W;
  return result;
}

}  // namespace vesica
