// Derivatives of the moments by pose: what a moving surface sweeps.
//
// While j moves with the velocity field w and i stays, the integral of phi over the shared volume
// changes by the integral of phi w.N over j's surface inside i (Leibniz). The slices see every
// surface but planes across u, whose face is the slice itself: its moments of one order more follow
// from its boundary (Green: a homogeneous polynomial of degree k is integrated by 1/(k + 2) times
// its flux). The area vector changes where the curves of i and j meet.
#include <cmath>

#include "vesica/interference/slices/slice_domain.h"
#include "vesica/interference/slices/slices.h"

namespace vesica::detail {
namespace {

using Row6 = Eigen::Matrix<double, 1, 6>;
using Values = Eigen::Matrix<double, 10, 1>;

// 1, x, y, z, xx, yy, zz, xy, xz, yz
Values monomials(const Vec3d& x) {
  Values v;
  v << 1, x[0], x[1], x[2], x[0] * x[0], x[1] * x[1], x[2] * x[2], x[0] * x[1], x[0] * x[2],
      x[1] * x[2];
  return v;
}
// Their degrees in x and y alone.
constexpr int kPlanarDegree[10] = {0, 1, 1, 0, 2, 2, 0, 2, 1, 1};

// N.(v + w x p) as a row that multiplies (v, w).
Row6 flux_row(const Vec3d& n, const Vec3d& p) {
  Row6 row;
  row << n.transpose(), p.cross(n).transpose();
  return row;
}

}  // namespace

void calc_sensitivity(const SliceDomain& domain, const SliceNodes& nodes, const Mat3d& R,
                      const Vec3d& c, double volume, const Vec3d& area, CellSensitivity* result) {
  Eigen::Matrix<double, 10, 6> flux = Eigen::Matrix<double, 10, 6>::Zero();
  // Of the area vector, by a motion of i.
  Eigen::Matrix<double, 3, 6> turn = Eigen::Matrix<double, 3, 6>::Zero();
  SliceBoundary boundary;
  for (int k = 0; k < nodes.count; ++k) {
    const auto [u, weight] = nodes.at[k];
    domain.sample_boundary(u, &boundary);
    for (int p = 0; p < boundary.points; ++p) {
      const BoundaryPoint& point = boundary.point[p];
      if (point.owner != 1) continue;
      const Vec3d x = Vec3d(point.x.x, point.x.y, u) - c;
      flux.noalias() += monomials(x) * flux_row(weight * point.area, x);
    }
    for (int p = 0; p < boundary.corners; ++p) {
      const BoundaryCorner& corner = boundary.corner[p];
      const Vec3d x = Vec3d(corner.x.x, corner.x.y, u) - c;
      const double cross = corner.gradient_i.x() * corner.gradient_j.y() -
                           corner.gradient_i.y() * corner.gradient_j.x();
      if (cross == 0) continue;
      turn.noalias() +=
          corner.gradient_j * flux_row(weight / std::abs(cross) * corner.gradient_i, x);
    }
  }
  // Faces that are slices.
  for (const bool is_high : {false, true}) {
    const int owner = is_high ? domain.high_owner() : domain.low_owner();
    if (owner < 0) continue;
    const double u = is_high ? domain.u_high() : domain.u_low(), sign = is_high ? 1 : -1;
    domain.sample_boundary(u, &boundary);
    for (int p = 0; p < boundary.points; ++p) {
      const BoundaryPoint& point = boundary.point[p];
      const Vec3d x = Vec3d(point.x.x, point.x.y, u) - c;
      if (owner == 0) {
        // A face of i: it uncovers or covers what of j's surface ends there.
        if (point.owner == 1) turn += sign * point.area * flux_row(Vec3d::UnitZ(), x);
        continue;
      }
      const double element = sign * (x.x() * point.area.x() + x.y() * point.area.y());
      const Values phi = monomials(x);
      for (int a = 0; a < 10; ++a) {
        const double value = element * phi[a];
        const int degree = kPlanarDegree[a];
        flux(a, 2) += value / (degree + 2);
        flux(a, 3) += value * x.y() / (degree + 3);
        flux(a, 4) -= value * x.x() / (degree + 3);
      }
      if (point.owner == 0) turn.row(2) += sign * flux_row(point.area, x);
    }
  }
  result->R_JS = R;
  result->volume = flux.row(0);
  result->centroid = flux.middleRows<3>(1) / volume;
  result->M = flux.bottomRows<6>();
  // Both by the twist turn the vector; then i goes back.
  result->area_vector = -turn;
  result->area_vector.rightCols<3>() -= skew(area);
}

}  // namespace vesica::detail
