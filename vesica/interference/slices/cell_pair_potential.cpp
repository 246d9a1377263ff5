// The potential of a solid pressed against a cell of planes, and its gradient, from volumes and
// centroids that the slices find (docs/theory/energy.md).
//
// Along n (out of the planar cell) a point x lies h(x) = min_k h_k(x) below the cell's surface,
//   h_k = (d_k - N_k.x)/(N_k.n)   over the planes N_k.x <= d_k with N_k.n > 0,
// so that the parts V_k of the shared volume V that leave the cell through plane k are cells again:
// V cut by the planes h_k = h_m. h_k is linear:
//   U = int_V h dV = sum_k V_k h_k(c_k), c_k the centroid of V_k.
// While the other body moves and n stands still, V_k and c_k change by the flux through its surface
// (the slices' sensitivity); over the planes between two parts h is continuous, and they do not
// count. Turning n changes h_k by -h_k (N_k.dn)/(N_k.n).
#include <algorithm>
#include <cmath>

#include "vesica/error.h"
#include "vesica/interference/slices/cell_pair.h"

namespace vesica::detail {
namespace {

// A plane this nearly along n has a part thinner than rounding.
constexpr double kUpright = 1e-12;

using Row6 = Eigen::Matrix<double, 1, 6>;
using Rows6 = Eigen::Matrix<double, 3, 6>;

bool is_planar(const SolidParts& parts) {
  return parts.size() == 1 && parts[0].sign > 0 && parts[0].cell.is_polyhedral();
}

// Columns by a twist about c in the axes R -> by a twist about the origin, world axes.
template <class Rows>
Rows move_columns(const Rows& by, const Mat3d& R, const Vec3d& c) {
  Rows moved;
  moved.template leftCols<3>() = by.template leftCols<3>() * R.transpose();
  moved.template rightCols<3>() =
      by.template rightCols<3>() * R.transpose() - moved.template leftCols<3>() * skew<double>(c);
  return moved;
}

// The volume shared with a cell, its first moment from `origin` and the area vector of the cell's
// surface inside the body, with their slopes by a twist of the body about `origin`; world axes.
struct SharedPart {
  double volume = 0;
  Vec3d first = Vec3d::Zero(), area = Vec3d::Zero();
  Row6 by_volume = Row6::Zero();
  Rows6 by_first = Rows6::Zero(), by_area = Rows6::Zero();

  void subtract(const SharedPart& part) {
    volume -= part.volume;
    first -= part.first;
    by_volume -= part.by_volume;
    by_first -= part.by_first;
  }
};

SharedPart calc_part(const Cell& cell, const Pose<double>& X_WP, const SolidParts& body,
                     const Pose<double>& X_WB, const SliceOptions& options, const Vec3d& origin) {
  SharedPart sum;
  for (const SignedCell& part : body) {
    const CellPairResult r = calc_cell_pair(cell, X_WP, part.cell, X_WB, options, true);
    if (!(r.moments.volume > 0)) continue;
    const Vec3d c = r.moments.centroid - origin;
    const double V = part.sign * r.moments.volume;
    const Row6 by_V = part.sign * move_columns<Row6>(r.sensitivity.volume, r.R_WS, c);
    sum.volume += V;
    sum.first += V * c;
    sum.area -= part.sign * r.moments.area_vector;
    sum.by_volume += by_V;
    sum.by_first += c * by_V + V * move_columns<Rows6>(r.R_WS * r.sensitivity.centroid, r.R_WS, c);
    sum.by_area -= part.sign * move_columns<Rows6>(r.R_WS * r.sensitivity.area_vector, r.R_WS, c);
  }
  return sum;
}

struct OutwardPlane {
  Vec3d normal;  // in the cell's frame
  double offset, rise;
};
// The planes of a convex cell that lines along n leave it through, the flattest last, and the
// others.
struct SortedPlanes {
  std::vector<OutwardPlane> out;
  std::vector<Primitive> others;
};
SortedPlanes sort_planes(const Cell& cell, const Vec3d& n) {
  SortedPlanes planes;
  for (const Primitive& p : cell.primitives) {
    const Vec3d normal = 2 * p.g.b;
    const double rise = normal.dot(n);
    if (rise > kUpright) {
      planes.out.push_back({normal, -p.g.c, rise});
    } else {
      planes.others.push_back(p);
    }
  }
  std::sort(planes.out.begin(), planes.out.end(),
            [](const OutwardPlane& a, const OutwardPlane& b) { return a.rise < b.rise; });
  return planes;
}

// What of the cell leaves it through plane k: 0 <= h_k <= h_m. The planes h_m >= 0 are left out:
// they follow, and would meet the two others in one line.
Cell cut_to_plane(const Cell& cell, const SortedPlanes& planes, std::size_t k) {
  Cell part{planes.others, cell.bounds};
  const OutwardPlane& own = planes.out[k];
  part.primitives.push_back(make_half_space(own.normal, own.offset));
  for (std::size_t m = 0; m < planes.out.size(); ++m) {
    if (m == k) continue;
    const OutwardPlane& other = planes.out[m];
    part.primitives.push_back(
        make_half_space(Vec3d(other.normal / other.rise - own.normal / own.rise),
                        other.offset / other.rise - own.offset / own.rise));
  }
  return part;
}

}  // namespace

bool has_planar_body(const SolidParts& i, const SolidParts& j) {
  return is_planar(i) || is_planar(j);
}

SolidPotential calc_solid_potential(const SolidParts& i, const Pose<double>& X_WI,
                                    const SolidParts& j, const Pose<double>& X_WJ,
                                    const SliceOptions& options, const Vec3d& p_W) {
  const bool planes_of_j = is_planar(j);
  if (!planes_of_j && !is_planar(i)) {
    throw InputError(
        "a conservative normal needs one body that is a single cell of planes (a box, a convex "
        "polyhedron); use the normal area_vector for this pair");
  }
  const Cell& cell = (planes_of_j ? j : i)[0].cell;
  const SolidParts& body = planes_of_j ? i : j;
  const Pose<double>&X_WP = planes_of_j ? X_WJ : X_WI, &X_WB = planes_of_j ? X_WI : X_WJ;

  SolidPotential result;
  const SharedPart whole = calc_part(cell, X_WP, body, X_WB, options, p_W);
  const double length = whole.area.norm();
  if (!(whole.volume > 0) || !(length > 0)) return result;
  const Vec3d n = whole.area / length;
  const Rows6 by_n = (whole.by_area - n * (n.transpose() * whole.by_area)) / length;

  const SortedPlanes planes = sort_planes(cell, X_WP.R_WB.transpose() * n);
  Row6 by = Row6::Zero();  // slopes of U by a twist of the body
  SharedPart rest = whole;
  for (std::size_t k = 0; k < planes.out.size(); ++k) {
    const OutwardPlane& plane = planes.out[k];
    const bool is_last = k + 1 == planes.out.size();
    const SharedPart part =
        is_last ? rest : calc_part(cut_to_plane(cell, planes, k), X_WP, body, X_WB, options, p_W);
    if (!is_last) rest.subtract(part);
    const Vec3d N = X_WP.R_WB * plane.normal / plane.rise;
    const double offset = plane.offset / plane.rise + N.dot(X_WP.p_WB - p_W);
    const double U = offset * part.volume - N.dot(part.first);
    result.value += U;
    by += offset * part.by_volume - N.transpose() * part.by_first - U * N.transpose() * by_n;
  }
  const double sign = planes_of_j ? -1 : 1;
  result.F_Iq_W = {sign * by.head<3>().transpose(), sign * by.tail<3>().transpose()};
  return result;
}

Overlap<double> press_conservatively(const SolidParts& i, const Pose<double>& X_WI,
                                     const SolidParts& j, const Pose<double>& X_WJ,
                                     const SliceOptions& options, Overlap<double> o,
                                     OverlapJacobian* by) {
  const SolidPotential U = calc_solid_potential(i, X_WI, j, X_WJ, options, o.p_WC);
  o.potential = U.value;
  // Along n the wrench is V but for what n turns by. In a cap so thin that rounding decides, as at
  // a located touchdown, it is noise, and its direction would be the impact's: V n stands instead.
  const bool is_noise = !(2 * U.F_Iq_W.f_W.dot(o.n_W) > o.volume);
  set_conservative(is_noise ? Wrench<double>{o.n_W * o.volume, Vec3d::Zero()} : U.F_Iq_W, &o);
  if (!by) return o;
  for (int k = 0; k < 3; ++k) {
    by->potential[k] = U.F_Iq_W.f_W[k];
    by->potential[k + 3] = U.F_Iq_W.tau_W[k];
  }
  const auto find_wrench = [&](const Pose<double>& X) {
    Overlap<double> moved = o;
    moved.p_WC = calc_shared_moments(i, X_WI, j, X, options).p_WC;
    return press_conservatively(i, X_WI, j, X, options, moved, nullptr);
  };
  difference_wrench(find_wrench, o, X_WJ, by);
  return o;
}

}  // namespace vesica::detail
