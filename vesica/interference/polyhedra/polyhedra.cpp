#include "vesica/interference/polyhedra/polyhedra.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vesica/interference/convex_distance.h"
#include "vesica/interference/deepest_column.h"
#include "vesica/interference/polyhedra/shared_polyhedron.h"
#include "vesica/math/linear_algebra.h"

namespace vesica {

namespace {

using detail::SharedFace;
using detail::SharedPolyhedron;
using Columns6 = Eigen::Matrix<double, 3, 6>;

// Speed along N of the point x under a unit twist of j, for each of the six.
Eigen::Matrix<double, 6, 1> calc_flux(const Vec3d& x, const Vec3d& N) {
  Eigen::Matrix<double, 6, 1> flux;
  flux << N, x.cross(N);
  return flux;
}

// ---- Normal

// The face whose plane has the other body least deep behind it (or farthest before it).
Vec3d find_face_normal(const ConvexPolyhedron& i, const Pose<double>& X_WI,
                       const ConvexPolyhedron& j, const Pose<double>& X_WJ) {
  double best = -kInfinity;
  Vec3d n = Vec3d::UnitZ();
  const auto search = [&](const ConvexPolyhedron& faces, const Pose<double>& X_WF,
                          const ConvexPolyhedron& other, const Pose<double>& X_WO, double sign) {
    const Vec3d p = X_WF.R_WB.transpose() * (X_WO.p_WB - X_WF.p_WB);
    for (const Plane& plane : faces.planes()) {
      const Vec3d normal_W = X_WF.R_WB * plane.normal;
      const Vec3d normal_O = X_WO.R_WB.transpose() * normal_W;
      double lowest = kInfinity;
      for (const Vec3d& x : other.vertices()) lowest = std::min(lowest, normal_O.dot(x));
      const double gap = lowest + plane.normal.dot(p) - plane.offset;
      if (gap > best) best = gap, n = sign * normal_W;
    }
  };
  search(j, X_WJ, i, X_WI, 1);
  search(i, X_WI, j, X_WJ, -1);
  return n;
}

// The one plane of j (or of i) that bounds the shared volume; null where there are more.
const SharedFace* find_only_face(const SharedPolyhedron& shared, bool of_j) {
  const SharedFace* only = nullptr;
  for (const SharedFace& face : shared.faces()) {
    if (face.of_j != of_j || face.area <= 0) continue;
    if (only && only->tag != face.tag) return nullptr;
    only = &face;
  }
  return only;
}

// The slope of the area vector by a twist of j. i's faces grow where the edges that they share with
// planes of j sweep them: by v.N_j / sin(angle of the planes) per length.
Columns6 calc_area_vector_slope(const SharedPolyhedron& shared) {
  Columns6 slope = Columns6::Zero();
  for (const SharedFace& face : shared.faces()) {
    if (face.of_j) continue;
    for (std::int32_t k = face.begin; k < face.end; ++k) {
      const std::int32_t tag = shared.neighbour_tag(k);
      if (!shared.is_of_j(tag)) continue;
      const Vec3d &a = shared.vertex(k), &b = shared.vertex(k + 1 < face.end ? k + 1 : face.begin);
      const Vec3d N = shared.calc_normal(tag);
      const double sine = face.normal.cross(N).norm();
      if (!(sine > 0)) continue;
      slope -= face.normal * ((b - a).norm() / sine * calc_flux(0.5 * (a + b), N)).transpose();
    }
  }
  return slope;
}

// The normal by one of the header's rules, and its slopes.
class SharedNormal {
 public:
  // `n`: the area vector made unit where it has a direction, else the fallback.
  SharedNormal(const SharedPolyhedron& shared, const Vec3d& area_vector, const Vec3d& n,
               bool has_direction, PolyhedraNormal rule)
      : shared_(shared),
        area_vector_(area_vector),
        n_(n),
        rule_(rule),
        has_direction_(has_direction) {
    if (rule == PolyhedraNormal::kEigenvector) take_eigenvector();
    if (rule == PolyhedraNormal::kPlane && has_direction_) take_plane();
  }

  const Vec3d& n() const { return n_; }
  double plane_offset() const { return plane_ ? (plane_->of_j ? 1 : -1) * plane_->offset : 0; }

  // Columns: unit twists of j. `by_M`: slopes of M.
  Columns6 calc_slope(const std::array<OverlapJacobian::Row, 6>& by_M) const {
    Columns6 slope = Columns6::Zero();
    if (rule_ == PolyhedraNormal::kEigenvector) {
      for (int k = 0; k < 6; ++k) {
        const Symmetric3<double> dM = {by_M[0][k], by_M[1][k], by_M[2][k],
                                       by_M[3][k], by_M[4][k], by_M[5][k]};
        const Vec3d change = dM * n_;
        for (int e = 0; e < 3; ++e) {
          const double gap = eigenvalues_[chosen_] - eigenvalues_[e];
          if (e == chosen_ || std::abs(gap) <= 1e-12 * eigenvalues_[2]) continue;
          slope.col(k) += eigenvectors_.col(e) * (eigenvectors_.col(e).dot(change) / gap);
        }
      }
      return slope;
    }
    if (!has_direction_) return slope;
    slope = calc_area_vector_slope(shared_) / area_vector_.norm();
    return slope - n_ * (n_.transpose() * slope);
  }
  Eigen::Matrix<double, 1, 6> calc_offset_slope(
      const std::array<OverlapJacobian::Row, 3>& by_centroid) const {
    Eigen::Matrix<double, 1, 6> slope = Eigen::Matrix<double, 1, 6>::Zero();
    if (!plane_) return slope;
    for (int k = 0; k < 6; ++k) {
      for (int r = 0; r < 3; ++r) slope[k] -= n_[r] * by_centroid[r][k];
    }
    if (plane_->of_j) slope.head<3>() += n_.transpose();
    return slope;
  }

 private:
  void take_eigenvector() {
    const SymmetricEigen eigen = calc_eigen<3>(shared_.M().matrix());
    eigenvalues_ = eigen.values;
    eigenvectors_ = eigen.vectors;
    (eigenvectors_.transpose() * n_).cwiseAbs().maxCoeff(&chosen_);
    const Vec3d e = eigenvectors_.col(chosen_);
    n_ = e.dot(n_) < 0 ? Vec3d(-e) : e;
  }
  void take_plane() {
    plane_ = find_only_face(shared_, true);
    if (!plane_) plane_ = find_only_face(shared_, false);
    if (plane_) n_ = plane_->of_j ? plane_->normal : Vec3d(-plane_->normal);
  }

  const SharedPolyhedron& shared_;
  Vec3d area_vector_, n_;
  PolyhedraNormal rule_;
  bool has_direction_;
  const SharedFace* plane_ = nullptr;
  Vec3d eigenvalues_ = Vec3d::Zero();
  Mat3d eigenvectors_ = Mat3d::Identity();
  int chosen_ = 0;
};

// ---- Slopes

// V, centroid and M by the flux of the motion through j's faces. Cubic integrands: the four-point
// rule of degree 3 is exact on every triangle.
void calc_moment_slopes(const SharedPolyhedron& shared, OverlapJacobian* by) {
  Eigen::Matrix<double, 10, 6> sums = Eigen::Matrix<double, 10, 6>::Zero();
  const auto add = [&](const Vec3d& x, const Vec3d& N, double w) {
    Eigen::Matrix<double, 10, 1> q;
    q << 1, x, x.x() * x.x(), x.y() * x.y(), x.z() * x.z(), x.x() * x.y(), x.x() * x.z(),
        x.y() * x.z();
    sums.noalias() += (w * q) * calc_flux(x, N).transpose();
  };
  for (const SharedFace& face : shared.faces()) {
    if (!face.of_j) continue;
    shared.for_each_triangle(face, [&](const Vec3d& a, const Vec3d& b, const Vec3d& c, double t) {
      const Vec3d s = a + b + c;
      add(s / 3, face.normal, -27.0 / 48 * t);
      for (const Vec3d* p : {&a, &b, &c}) add(0.2 * s + 0.4 * *p, face.normal, 25.0 / 48 * t);
    });
  }
  for (int k = 0; k < 6; ++k) {
    by->volume[k] = sums(0, k);
    for (int r = 0; r < 3; ++r) by->p_WC[r][k] = sums(1 + r, k) / shared.volume();
    for (int r = 0; r < 6; ++r) by->M_W[r][k] = sums(4 + r, k);
  }
}

// All planes of both bodies, seen from the centroid.
bool find_deepest(const ConvexPolyhedron& i, const Pose<double>& X_WI, const ConvexPolyhedron& j,
                  const Pose<double>& X_WJ, const Overlap<double>& o, bool with_slopes,
                  DeepestColumn* column) {
  thread_local std::vector<ColumnSurface> surfaces;  // keeps its buffer
  surfaces.clear();
  const auto add = [&](const ConvexPolyhedron& body, const Pose<double>& X_WB, bool of_j) {
    const Vec3d p = X_WB.R_WB.transpose() * (o.p_WC - X_WB.p_WB);
    for (const Plane& plane : body.planes()) {
      ColumnSurface s;
      s.g.b = 0.5 * (X_WB.R_WB * plane.normal);
      s.g.c = plane.normal.dot(p) - plane.offset;
      s.of_j = of_j;
      s.is_plane = true;
      surfaces.push_back(s);
    }
  };
  add(i, X_WI, false);
  add(j, X_WJ, true);
  // At the very touch the moments are rounding.
  const double size = std::min(
      {std::sqrt(std::max(0.0, o.M_W.trace()) / o.volume), i.ball_radius(), j.ball_radius()});
  if (!(size > 0)) return false;
  return find_deepest_column(surfaces, o.n_W, Vec3d::Zero(), size, with_slopes, column);
}

// The surface moves, and turning n is turning the whole volume the other way.
OverlapJacobian::Row calc_potential_slope(const SharedPolyhedron& shared, const Vec3d& n,
                                          const Columns6& by_n) {
  const auto columns = detail::calc_column_integrals(shared, n);
  const Vec3d whole = columns.moment_i + columns.moment_j;
  OverlapJacobian::Row row;
  for (int k = 0; k < 6; ++k) {
    row[k] =
        (k < 3 ? columns.force_j[k] : columns.moment_j[k - 3]) - whole.dot(n.cross(by_n.col(k)));
  }
  return row;
}

void calc_slopes(const SharedPolyhedron& shared, const SharedNormal& normal,
                 const DeepestColumn* column, OverlapJacobian* by) {
  calc_moment_slopes(shared, by);
  const Vec3d& n = normal.n();
  const Columns6 by_n = normal.calc_slope(by->M_W);
  const auto by_offset = normal.calc_offset_slope(by->p_WC);
  by->potential = calc_potential_slope(shared, n, by_n);
  for (int k = 0; k < 6; ++k) {
    for (int r = 0; r < 3; ++r) by->n_W[r][k] = by_n(r, k);
    by->plane_offset[k] = by_offset[k];
  }
  by->p_WD = by->p_WC;
  if (!column) return;
  const Eigen::Matrix<double, 4, 6> by_column = column->by_twist + column->by_n * by_n;
  for (int k = 0; k < 6; ++k) {
    by->distance[k] = -by_column(3, k);
    for (int r = 0; r < 3; ++r) {
      by->p_WD[r][k] =
          by_column(r, k) + 0.5 * (n[r] * by_column(3, k) + column->depth * by_n(r, k));
    }
  }
}

// ---- Apart

// Direction and middle of the shortest line by the twist of j about the middle.
void calc_apart_slopes(const ConvexPolyhedron& i, const Pose<double>& X_WI,
                       const ConvexPolyhedron& j, const Pose<double>& X_WJ,
                       const ShortestLine& line, const Overlap<double>& o, OverlapJacobian* by) {
  using D = Dual<6>;
  std::array<Vec3<D>, 3> a, b, w;
  for (int k = 0; k < line.count; ++k) {
    const Vec3d y_i = X_WI.R_WB * i.vertices()[line.a[k]] + (X_WI.p_WB - o.p_WC);
    const Vec3d y_j = X_WJ.R_WB * j.vertices()[line.b[k]] + (X_WJ.p_WB - o.p_WC);
    for (int r = 0; r < 3; ++r) {
      a[k][r] = D(y_i[r]);
      b[k][r] = D::variable(y_j[r], r);
      const int s = (r + 1) % 3, t = (r + 2) % 3;  // spin x y
      b[k][r].v[3 + s] = y_j[t];
      b[k][r].v[3 + t] = -y_j[s];
    }
    w[k] = a[k] - b[k];
  }
  // Foot of the origin on the flat through w: weights 1 - s - t, s, t.
  D s(0.0), t(0.0);
  if (line.count == 2) {
    const Vec3<D> e = w[1] - w[0];
    s = -w[0].dot(e) / e.dot(e);
  } else if (line.count == 3) {
    const Vec3<D> e = w[1] - w[0], f = w[2] - w[0];
    const D ee = e.dot(e), ef = e.dot(f), ff = f.dot(f), we = -w[0].dot(e), wf = -w[0].dot(f);
    const D determinant = ee * ff - ef * ef;
    if (!(determinant.a > 0)) return;
    s = (we * ff - wf * ef) / determinant;
    t = (wf * ee - we * ef) / determinant;
  }
  const auto mean = [&](const std::array<Vec3<D>, 3>& x) {
    Vec3<D> sum = x[0];
    if (line.count > 1) sum += s * (x[1] - x[0]);
    if (line.count > 2) sum += t * (x[2] - x[0]);
    return sum;
  };
  const Vec3<D> end_i = mean(a), end_j = mean(b);
  const Vec3<D> gap = end_i - end_j, middle = D(0.5) * (end_i + end_j);
  const D length = sqrt(gap.dot(gap));
  const Vec3<D> n = gap / length;
  for (int k = 0; k < 6; ++k) {
    for (int r = 0; r < 3; ++r) {
      by->n_W[r][k] = n[r].v[k];
      by->p_WC[r][k] = middle[r].v[k];
    }
  }
}

void set_apart(const ConvexPolyhedron& i, const Pose<double>& X_WI, const ConvexPolyhedron& j,
               const Pose<double>& X_WJ, bool with_derivatives, PolyhedraOverlap* result) {
  const Pose<double> X_IJ = calc_relative_pose(X_WI, X_WJ);
  const ShortestLine line = find_shortest_line(i, j, X_IJ);
  Overlap<double>& o = result->overlap;
  o.distance = line.distance;
  o.volume = o.potential = o.plane_offset = 0;
  o.M_W = Symmetric3<double>::zero();
  o.p_WC = o.p_WD = X_WI * Vec3d(0.5 * (line.on_a + line.on_b));
  // Closer than this the line's direction is rounding.
  const bool touches = line.distance <= 1e-12 * (i.ball_radius() + j.ball_radius());
  if (touches) {
    o.n_W = find_face_normal(i, X_WI, j, X_WJ);
  } else {
    o.n_W = X_WI.R_WB * (line.on_a - line.on_b).normalized();
  }
  if (!with_derivatives) return;
  // The gap closes as j's end of the line moves along n; how the end slides does not matter.
  const auto closing = calc_flux(X_WI.R_WB * (0.5 * (line.on_b - line.on_a)), o.n_W);
  for (int k = 0; k < 6; ++k) result->by_pose.distance[k] = -closing[k];
  if (!touches) calc_apart_slopes(i, X_WI, j, X_WJ, line, o, &result->by_pose);
  result->by_pose.p_WD = result->by_pose.p_WC;
}

void difference_wrench(const ConvexPolyhedron& i, const Pose<double>& X_WI,
                       const ConvexPolyhedron& j, const Pose<double>& X_WJ,
                       PolyhedraOverlap* result) {
  const auto find_wrench = [&](const Pose<double>& X) {
    PolyhedraOverlap moved;
    if (!find_polyhedra_overlap(i, X_WI, j, X, PolyhedraNormal::kConservative, false, &moved,
                                false)) {
      moved.overlap = result->overlap;  // has just parted
      moved.overlap.push = 0;
    }
    return moved.overlap;
  };
  vesica::difference_wrench(find_wrench, result->overlap, X_WJ, &result->by_pose);
}

}  // namespace

bool find_polyhedra_overlap(const ConvexPolyhedron& i, const Pose<double>& X_WI,
                            const ConvexPolyhedron& j, const Pose<double>& X_WJ,
                            PolyhedraNormal rule, bool with_derivatives, PolyhedraOverlap* result,
                            bool with_depth) {
  thread_local SharedPolyhedron shared;  // keeps its buffers
  if (!shared.build(i, X_WI, j, X_WJ)) return false;
  Overlap<double>& o = result->overlap;
  o.volume = shared.volume();
  o.p_WC = shared.centroid_W();
  o.M_W = shared.M();
  result->area_vector = shared.calc_area_vector();
  // Below this the vector is what rounding leaves of a closed surface.
  const bool has_direction = result->area_vector.norm() > 1e-13 * shared.calc_surface_area();
  const Vec3d n_geometric =
      has_direction ? Vec3d(result->area_vector.normalized()) : find_face_normal(i, X_WI, j, X_WJ);
  const SharedNormal normal(shared, result->area_vector, n_geometric, has_direction, rule);
  o.n_W = normal.n();
  o.plane_offset = normal.plane_offset();
  o.distance = -calc_mean_depth(o.volume, result->area_vector.norm());
  o.p_WD = o.p_WC;
  DeepestColumn column;
  with_depth = with_depth && find_deepest(i, X_WI, j, X_WJ, o, with_derivatives, &column);
  o.has_mean_depth = !with_depth;
  if (with_depth) {
    o.distance = -column.depth;
    o.p_WD = o.p_WC + column.bottom + 0.5 * column.depth * o.n_W;
  }
  o.potential = detail::calc_potential(shared, o.n_W);
  if (with_derivatives) {
    calc_slopes(shared, normal, with_depth ? &column : nullptr, &result->by_pose);
  }
  if (rule == PolyhedraNormal::kConservative) {
    if (!with_derivatives) {
      result->by_pose.potential =
          calc_potential_slope(shared, o.n_W, normal.calc_slope(result->by_pose.M_W));
    }
    set_conservative(calc_conservative_wrench(*result), &o);
    if (with_derivatives) difference_wrench(i, X_WI, j, X_WJ, result);
  }
  return true;
}

PolyhedraOverlap calc_polyhedra_overlap(const ConvexPolyhedron& i, const Pose<double>& X_WI,
                                        const ConvexPolyhedron& j, const Pose<double>& X_WJ,
                                        PolyhedraNormal rule, bool with_derivatives,
                                        bool with_depth) {
  PolyhedraOverlap result;
  if (!find_polyhedra_overlap(i, X_WI, j, X_WJ, rule, with_derivatives, &result, with_depth)) {
    set_apart(i, X_WI, j, X_WJ, with_derivatives, &result);
  }
  return result;
}

Wrench<double> calc_conservative_wrench(const PolyhedraOverlap& o) {
  const auto& by = o.by_pose.potential;  // by the twist of j less that of i
  return {Vec3d(by[0], by[1], by[2]), Vec3d(by[3], by[4], by[5])};
}

}  // namespace vesica
