// Slices against the reference at one pose.
#pragma once

#include <algorithm>
#include <cmath>

#include "tests/interference/cell_families.h"
#include "tests/interference/cell_reference.h"
#include "vesica/interference/slices/slices.h"

namespace vesica::test {

// In a frame whose columns run near the normal, otherwise at random. The result of the slices only
// says where to look.
inline CellReference::Result calc_reference(const CellCase& c, const CellMoments& hint,
                                            std::mt19937_64& random) {
  std::vector<RealQuadric> quadrics;
  add_quadrics(c.i, c.X, &quadrics);
  add_quadrics(c.j, {}, &quadrics);
  const double area = hint.area_vector.norm();
  const Vec3d n = area > 0 ? Vec3d(hint.area_vector / area) : Vec3d(Vec3d::UnitZ());
  const Mat3d R = turned_about(random_vector(random, 1), random_between(random, 0.1, 0.4)) *
                  turned_to(n) * turned_about(Vec3d::UnitZ(), random_between(random, 0, 2 * kPi));
  const double length = 4 * std::sqrt(hint.M.trace() / hint.volume);
  return CellReference(quadrics, R, hint.centroid, length).calc();
}

// Relative: of the volume; of M in the Frobenius norm; of the centroid in radii of gyration.
struct CellErrors {
  double volume = 0, second = 0, centroid = 0;
  void include(const CellErrors& o) {
    volume = std::max(volume, o.volume);
    second = std::max(second, o.second);
    centroid = std::max(centroid, o.centroid);
  }
};
inline CellErrors compare(double volume, const Vec3d& centroid, const Mat3d& M,
                          const CellReference::Result& r) {
  return {std::abs(volume / r.volume - 1), (M - r.M).norm() / r.M.norm(),
          (centroid - r.centroid).norm() / std::sqrt(r.M.trace() / r.volume)};
}

}  // namespace vesica::test
