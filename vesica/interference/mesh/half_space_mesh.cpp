#include "vesica/interference/mesh/half_space_mesh.h"

#include <cmath>
#include <limits>

#include "vesica/geometry/triangle_tree.h"

namespace vesica::detail {

namespace {

// A corner of each of four triangles, in coordinates of the plane.
struct Corners {
  Lanes u, v, z;
  Corners operator-(const Corners& o) const { return {u - o.u, v - o.v, z - o.z}; }
};

Corners select(const LaneBits& which, const Corners& a, const Corners& b) {
  return {which ? a.u : b.u, which ? a.v : b.v, which ? a.z : b.z};
}

// a.(b x c) of corners a, a + e, a + f.
Lanes calc_det(const Corners& a, const Corners& e, const Corners& f) {
  return a.u * (e.v * f.z - e.z * f.v) + a.v * (e.z * f.u - e.u * f.z) +
         a.z * (e.u * f.v - e.v * f.u);
}

// Sums of the header's cones, without their common factors, for four triangles at a time. All four
// take the same way whatever the plane does to each of them. (Triangles listed by case and
// integrated without a select took 0.99 instead of 0.77 us on a mesh of 980.)
class Accumulator {
 public:
  explicit Accumulator(bool with_section) : with_section_(with_section) {}

  void add_triangles(const Corners& a, const Corners& b, const Corners& c) {
    const LaneBits a_wet = a.z < 0.0, b_wet = b.z < 0.0, c_wet = c.z < 0.0;
    if (calc_lane_mask(a_wet & b_wet & c_wet) == calc_lane_mask(a_wet | b_wet | c_wet)) {
      add_cones(a, b, c, keep_lanes(calc_det(a, b - a, c - a), a_wet));
    } else {
      // Turned so that the wet corners come first.
      const LaneBits from_b = b_wet & ~a_wet, from_c = c_wet & ~b_wet;
      add_cut(select(from_c, c, select(from_b, b, a)), select(from_c, a, select(from_b, c, b)),
              select(from_c, b, select(from_b, a, c)));
    }
  }

  // `jacobian`: volume of the unit cell of (u, v, z).
  void finish(double jacobian, SubmergedPart* part) {
    integrate_edges();
    const double v = jacobian / 6, f = jacobian / 24, s = jacobian / 120;
    part->volume = v * sum_of(V_);
    part->first = f * Vec3d(sum_of(S_u_), sum_of(S_v_), sum_of(S_z_));
    part->second = {s * sum_of(S_uu_), s * sum_of(S_vv_), s * sum_of(S_zz_),
                    s * sum_of(S_uv_), s * sum_of(S_uz_), s * sum_of(S_vz_)};
    constexpr std::array<double, 10> kFactor = {1. / 2,  1. / 6,  1. / 6,  1. / 24, 1. / 24,
                                                1. / 24, 1. / 60, 1. / 60, 1. / 60, 1. / 60};
    for (int k = 0; k < 10; ++k) part->section[k] = jacobian * kFactor[k] * sum_of(q_[k]);
  }

 private:
  struct Edges {
    Lanes p_u, p_v, q_u, q_v;
  };

  // a: wet, unless the triangle is dry; b: wet if two corners are; c: dry, unless the triangle is
  // wholly wet. The plane cuts ac in p; it cuts ab or bc in q. What is wet is (a, p, q) if b is
  // dry, else (a, b, q) and (a, p, q). Where nothing is cut p = q = c, and (a, p, q) is nothing.
  void add_cut(const Corners& a, const Corners& b, const Corners& c) {
    const LaneBits is_cut = (a.z < 0.0) & (c.z >= 0.0), b_dry = b.z >= 0.0;
    const Corners wet = select(b_dry, a, b), dry = select(b_dry, b, c);
    const Lanes one = make_lanes(1);
    const Lanes t_p = is_cut ? a.z / (a.z - c.z) : one;
    const Lanes t_q = is_cut ? wet.z / (wet.z - dry.z) : one;
    const Corners ab = b - a, ac = c - a;
    const Corners p = {a.u + t_p * ac.u, a.v + t_p * ac.v, Lanes{}};
    const Corners q = {wet.u + t_q * (dry.u - wet.u), wet.v + t_q * (dry.v - wet.v),
                       keep_lanes(c.z, ~is_cut)};
    const Lanes det = keep_lanes(calc_det(a, ab, ac), a.z < 0.0);
    add_cones(a, b, q, keep_lanes(det * t_q, ~b_dry));
    add_tip_cones(a, p, q, det * t_p * (b_dry ? t_q : one - t_q));
    if (!with_section_) return;
    edges_[edge_count_] = {keep_lanes(p.u, is_cut), keep_lanes(p.v, is_cut),
                           keep_lanes(q.u, is_cut), keep_lanes(q.v, is_cut)};
    if (++edge_count_ == kEdges) integrate_edges();
  }

  void add_cones(const Corners& a, const Corners& b, const Corners& c, const Lanes& det) {
    const Lanes u = a.u + b.u + c.u, v = a.v + b.v + c.v, z = a.z + b.z + c.z;
    V_ += det;
    S_u_ += det * u;
    S_v_ += det * v;
    S_z_ += det * z;
    S_uu_ += det * (a.u * a.u + b.u * b.u + c.u * c.u + u * u);
    S_vv_ += det * (a.v * a.v + b.v * b.v + c.v * c.v + v * v);
    S_zz_ += det * (a.z * a.z + b.z * b.z + c.z * c.z + z * z);
    S_uv_ += det * (a.u * a.v + b.u * b.v + c.u * c.v + u * v);
    S_uz_ += det * (a.u * a.z + b.u * b.z + c.u * c.z + u * z);
    S_vz_ += det * (a.v * a.z + b.v * b.z + c.v * c.z + v * z);
  }

  // The same for p and q on the plane.
  void add_tip_cones(const Corners& a, const Corners& p, const Corners& q, const Lanes& det) {
    const Lanes u = a.u + p.u + q.u, v = a.v + p.v + q.v, det_z = det * a.z;
    V_ += det;
    S_u_ += det * u;
    S_v_ += det * v;
    S_z_ += det_z;
    S_uu_ += det * (a.u * a.u + p.u * p.u + q.u * q.u + u * u);
    S_vv_ += det * (a.v * a.v + p.v * p.v + q.v * q.v + v * v);
    S_zz_ += det_z * (a.z + a.z);
    S_uv_ += det * (a.u * a.v + p.u * p.v + q.u * q.v + u * v);
    S_uz_ += det_z * (a.u + u);
    S_vz_ += det_z * (a.v + v);
  }

  // The section's triangles (origin, p, q); monomials of order k as p^k, q^k and (p + q)^k. Apart
  // from the cones, so that these round the same with and without it.
  void integrate_edges() {
    for (int k = 0; k < edge_count_; ++k) {
      const auto& [p_u, p_v, q_u, q_v] = edges_[k];
      const Lanes area = p_u * q_v - q_u * p_v;
      const Lanes u = p_u + q_u, v = p_v + q_v;
      const Lanes p_uu = p_u * p_u, p_vv = p_v * p_v, q_uu = q_u * q_u, q_vv = q_v * q_v;
      const Lanes uu = u * u, vv = v * v;
      q_[0] += area;
      q_[1] += area * u;
      q_[2] += area * v;
      q_[3] += area * (p_uu + q_uu + uu);
      q_[4] += area * (p_u * p_v + q_u * q_v + u * v);
      q_[5] += area * (p_vv + q_vv + vv);
      q_[6] += area * (2 * (p_uu * p_u + q_uu * q_u) + uu * u);
      q_[7] += area * (2 * (p_uu * p_v + q_uu * q_v) + uu * v);
      q_[8] += area * (2 * (p_vv * p_u + q_vv * q_u) + vv * u);
      q_[9] += area * (2 * (p_vv * p_v + q_vv * q_v) + vv * v);
    }
    edge_count_ = 0;
  }

  static constexpr int kEdges = 32;

  bool with_section_;
  int edge_count_ = 0;
  Edges edges_[kEdges];
  Lanes q_[10] = {};
  Lanes V_ = {}, S_u_ = {}, S_v_ = {}, S_z_ = {};
  Lanes S_uu_ = {}, S_uv_ = {}, S_vv_ = {}, S_uz_ = {}, S_vz_ = {}, S_zz_ = {};
};

// Axes of the plane and the point on it over `low`; returns 1/|m|.
double set_frame(const Vec3d& m, const Vec3d& low, double height, SubmergedPart* part) {
  const double m2 = m.squaredNorm();
  const double inverse = 1 / std::sqrt(m2);
  Vec3d u, v;
  make_basis<double>(m * inverse, &u, &v);
  part->frame.col(0) = u;
  part->frame.col(1) = v;
  part->frame.col(2) = m / m2;
  part->origin = low - height * part->frame.col(2);
  part->origin_on_plane = true;
  return inverse;
}

// Takes corners to (u, v, z), u and v from over a low vertex.
class PlaneAxes {
 public:
  PlaneAxes(const Vec3d& u, const Vec3d& v, const Vec3d& m, const Vec3d& low, double height) {
    for (int c = 0; c < 3; ++c) {
      u_[c] = make_lanes(u[c]);
      v_[c] = make_lanes(v[c]);
      m_[c] = make_lanes(m[c]);
      low_[c] = make_lanes(low[c]);
    }
    height_ = make_lanes(height);
  }

  Lanes calc_height(const double (&x)[3][kLanes]) const { return height_ + dot(m_, x); }
  Corners place(const double (&x)[3][kLanes], const Lanes& height) const {
    return {dot(u_, x), dot(v_, x), height};
  }

 private:
  Lanes dot(const Lanes (&axis)[3], const double (&x)[3][kLanes]) const {
    return axis[0] * (load_lanes(x[0]) - low_[0]) + axis[1] * (load_lanes(x[1]) - low_[1]) +
           axis[2] * (load_lanes(x[2]) - low_[2]);
  }

  Lanes u_[3], v_[3], m_[3], low_[3], height_;
};

// Moments in the body's axes, about the part's origin.
void add_patches(const ConeSums::Moments& p, const Vec3d& m, SubmergedPart* part) {
  Mat3d to_plane;
  to_plane << part->frame.col(0).transpose(), part->frame.col(1).transpose(), m.transpose();
  const Symmetric3<double> second = {p[4], p[5], p[6], p[7], p[8], p[9]};
  part->volume += p[0] / 6;
  part->first += to_plane * Vec3d(p[1], p[2], p[3]) / 24;
  part->second = part->second + second.rotated(to_plane) * (1.0 / 120);
}

// A touch so shallow that rounding leaves no volume has no centroid: it counts as not yet touching.
void check_volume(SubmergedPart* part) {
  if (!(part->volume > std::numeric_limits<double>::min())) part->is_apart = true;
}

}  // namespace

SubmergedPart calc_submerged_part(const TriangleMesh& mesh, const Vec3d& m, double h,
                                  bool with_section) {
  SubmergedPart part;
  const auto& vertices = mesh.vertices();
  const TriangleTree& tree = mesh.tree();
  // A low vertex is as good a place to count from as the lowest, which the walk will meet; only
  // where it is not under the plane the lowest must be searched.
  Vec3d low = vertices[tree.find_low_vertex(m)];
  double height = m.dot(low) + h;
  if (!(height < 0)) {
    part.lowest = low = vertices[tree.find_lowest_vertex(m)];
    height = m.dot(low) + h;
    if (!(height < 0)) {
      part.is_apart = true;
      return part;
    }
  }
  const Vec3d middle = 0.5 * (mesh.box_min() + mesh.box_max());
  const Vec3d half = 0.5 * (mesh.box_max() - mesh.box_min());
  if (m.dot(middle) + h + m.cwiseAbs().dot(half) < 0) {
    part.lowest = vertices[tree.find_lowest_vertex(m)];
    part.origin = mesh.solid().centroid;
    part.volume = mesh.solid().volume;
    part.second = mesh.solid().M;
    return part;
  }

  const double jacobian = set_frame(m, low, height, &part);
  const PlaneAxes plane(part.frame.col(0), part.frame.col(1), m, low, height);
  const Vec3d to_origin = height * part.frame.col(2);
  Accumulator sums(with_section);
  TriangleTree::LowestCorner lowest;
  ConeSums::Moments patches{};
  bool has_patches = false;
  tree.visit_below(
      m, h,
      [&](std::int32_t index) {
        const auto& corners = tree.leaves()[index].corners;
        const Lanes z_a = plane.calc_height(corners[0]), z_b = plane.calc_height(corners[1]),
                    z_c = plane.calc_height(corners[2]);
        if (calc_lane_mask((z_a < 0.0) | (z_b < 0.0) | (z_c < 0.0)) == 0) return;
        lowest.add(index, z_a, z_b, z_c);
        sums.add_triangles(plane.place(corners[0], z_a), plane.place(corners[1], z_b),
                           plane.place(corners[2], z_c));
      },
      [&](int level, std::int32_t box) {
        const Vec3d s = tree.center_of(level, box) - low + to_origin;
        const ConeSums::Moments patch = tree.sums(level, box).calc_moments(s);
        for (std::size_t k = 0; k < patch.size(); ++k) patches[k] += patch[k];
        has_patches = true;
      });
  // The lowest vertex may be in a patch, into which the walk did not look.
  part.lowest = vertices[has_patches ? tree.find_lowest_vertex(m) : tree.find_vertex(lowest, m)];
  sums.finish(jacobian, &part);
  if (has_patches) add_patches(patches, m, &part);
  check_volume(&part);
  return part;
}

SubmergedPart calc_submerged_part_of_unit_cube(const Vec3d& m, double h, bool with_section) {
  SubmergedPart part;
  // Seen from the lowest corner, the cube's edges all rise.
  const Vec3d rise = m.cwiseAbs();
  Vec3d sign;
  for (int k = 0; k < 3; ++k) sign[k] = m[k] < 0 ? -1 : 1;
  part.lowest = -0.5 * sign;
  const double half_height = 0.5 * (rise.x() + rise.y() + rise.z());
  const double height_of_lowest = h - half_height;
  if (!(height_of_lowest < 0)) {
    part.is_apart = true;
    return part;
  }
  if (h + half_height < 0) {
    part.volume = 1;
    part.second = Symmetric3<double>::identity(1.0 / 12);
    return part;
  }
  const double jacobian = set_frame(m, part.lowest, height_of_lowest, &part);
  double u[8], v[8], z[8];  // of the corners; bit k of the index: moved along axis k
  const Vec3d du = part.frame.col(0).cwiseProduct(sign), dv = part.frame.col(1).cwiseProduct(sign);
  u[0] = v[0] = 0;
  z[0] = height_of_lowest;
  for (int k = 0; k < 3; ++k) {
    for (int c = 0; c < (1 << k); ++c) {
      u[c + (1 << k)] = u[c] + du[k];
      v[c + (1 << k)] = v[c] + dv[k];
      z[c + (1 << k)] = z[c] + rise[k];
    }
  }
  // Outward for a cube that is not reflected; an odd number of reflections turns them around.
  // Corner by corner, four triangles at a time.
  static constexpr int kTriangles[3][3][kLanes] = {{{0, 0, 0, 0}, {2, 3, 1, 5}, {3, 1, 5, 4}},
                                                   {{0, 0, 7, 7}, {4, 6, 5, 1}, {6, 2, 1, 3}},
                                                   {{7, 7, 7, 7}, {3, 2, 6, 4}, {2, 6, 4, 5}}};
  const bool is_reflected = sign.x() * sign.y() * sign.z() < 0;
  Accumulator sums(with_section);
  const auto corners = [&](const int(&c)[kLanes]) {
    return Corners{{u[c[0]], u[c[1]], u[c[2]], u[c[3]]},
                   {v[c[0]], v[c[1]], v[c[2]], v[c[3]]},
                   {z[c[0]], z[c[1]], z[c[2]], z[c[3]]}};
  };
  for (const auto& t : kTriangles) {
    const Corners b = corners(t[1]), c = corners(t[2]);
    if (is_reflected) {
      sums.add_triangles(corners(t[0]), c, b);
    } else {
      sums.add_triangles(corners(t[0]), b, c);
    }
  }
  sums.finish(jacobian, &part);
  check_volume(&part);
  return part;
}

namespace {

// The section's moments weighted by w, taken about the centroid c of the part (at height c.z under
// the plane); q: integrals of w times 1, u, v, uu, uv, vv.
PlaneSensitivity calc_sensitivity(const std::array<double, 6>& q, const Vec3d& c, double volume,
                                  const Mat3d& axes_W, double scale) {
  const double u = q[1] - c.x() * q[0], v = q[2] - c.y() * q[0];
  const Symmetric3<double> M = {q[3] - c.x() * (q[1] + u),
                                q[5] - c.y() * (q[2] + v),
                                c.z() * c.z() * q[0],
                                q[4] - c.x() * q[2] - c.y() * u,
                                -c.z() * u,
                                -c.z() * v};
  return {-scale * q[0], axes_W * (Vec3d(u, v, -c.z() * q[0]) / -volume),
          M.rotated(axes_W) * -scale};
}

// A polyhedron whose own coordinates x go to the world by G x + p: a rotation, for a box times its
// size.
struct PlacedPolyhedron {
  Mat3d G, R_WI;
  Vec3d size;  // 1 for a mesh
  Vec3d m;     // the plane in its own coordinates: m.x + h < 0 is under it
  double h;
};

// What the slopes need beyond the overlap.
struct PolyhedronMoments {
  Vec3d centroid = Vec3d::Zero();  // in the polyhedron's own coordinates, as M
  Symmetric3<double> M = Symmetric3<double>::zero();
  std::array<PlaneSensitivity, 3> by_plane{};  // by height, by slope along u, by slope along v
};

// What one way to move the plane, or to stretch the body, does at first order, with i standing
// still.
struct PlaneMove {
  Vec3d dn = Vec3d::Zero(), dp_J = Vec3d::Zero();  // the plane's, in the world
  int stretched = -1;                              // the axis along which the body grows
};

template <int N>
void calc_slopes(const PlacedPolyhedron& body, const SubmergedPart& part,
                 const PolyhedronMoments& moments, const Pose<double>& X_WI,
                 const Pose<double>& X_WJ, const PlaneMove& move, std::size_t k,
                 const Overlap<double>& o, PlaneSlopes<N>* by) {
  const Vec3d& n = o.n_W;
  Vec3d dm = body.G.transpose() * move.dn;
  const double dh = move.dn.dot(X_WI.p_WB - X_WJ.p_WB) - n.dot(move.dp_J);
  const int c = move.stretched;
  const Vec3d axis = c >= 0 ? Vec3d(body.R_WI.col(c)) : Vec3d::Zero();
  if (c >= 0) dm[c] += n.dot(axis);
  const auto set = [k](std::array<std::array<double, N>, 3>* rows, const Vec3d& v) {
    for (int r = 0; r < 3; ++r) (*rows)[static_cast<std::size_t>(r)][k] = v[r];
  };
  by->distance[k] = dh + part.lowest.dot(dm);
  const Vec3d dp_D = c >= 0 ? Vec3d(part.lowest[c] * axis) : Vec3d::Zero();
  set(&by->p_WD, dp_D);
  if (part.is_apart) {
    by->volume[k] = by->potential[k] = 0;
    for (auto& row : by->M_W) row[k] = 0;
    by->plane_offset[k] = -0.5 * by->distance[k];
    set(&by->p_WC, dp_D + by->plane_offset[k] * n + o.plane_offset * move.dn);
    return;
  }
  double dV = 0;
  Vec3d dp = Vec3d::Zero();
  Symmetric3<double> dM = Symmetric3<double>::zero();
  if (c >= 0) {
    dp = moments.centroid[c] * axis;
    const Vec3d K = body.G * moments.M.matrix().col(c);
    // dG M G^T and its transpose, with dG = axis e_c^T
    dM = {2 * axis[0] * K[0],
          2 * axis[1] * K[1],
          2 * axis[2] * K[2],
          axis[0] * K[1] + axis[1] * K[0],
          axis[0] * K[2] + axis[2] * K[0],
          axis[1] * K[2] + axis[2] * K[1]};
    dV = o.volume / body.size[c];
    dM = dM + o.M_W * (1 / body.size[c]);
  }
  if (part.origin_on_plane) {
    const double d_plane[3] = {dh + part.origin.dot(dm), part.frame.col(0).dot(dm),
                               part.frame.col(1).dot(dm)};
    for (std::size_t q = 0; q < 3; ++q) {
      const PlaneSensitivity& s = moments.by_plane[q];
      dV += s.volume * d_plane[q];
      dp += s.p_WC * d_plane[q];
      dM = dM + s.M_W * d_plane[q];
    }
  }
  by->volume[k] = dV;
  set(&by->p_WC, dp);
  by->M_W[0][k] = dM.xx;
  by->M_W[1][k] = dM.yy;
  by->M_W[2][k] = dM.zz;
  by->M_W[3][k] = dM.xy;
  by->M_W[4][k] = dM.xz;
  by->M_W[5][k] = dM.yz;
  // plane_offset = n.(p_J - p_WC)
  by->plane_offset[k] = -n.dot(dp) + move.dn.dot(X_WJ.p_WB - o.p_WC) + n.dot(move.dp_J);
  by->potential[k] = o.volume * by->plane_offset[k] + o.plane_offset * dV;
}

template <int N>
Overlap<double> finish_overlap(const SubmergedPart& part, const PlacedPolyhedron& body,
                               const Pose<double>& X_WI, const Pose<double>& X_WJ,
                               PlaneSlopes<N>* slopes) {
  const Mat3d& G = body.G;
  const double scale = body.size.prod();
  PolyhedronMoments moments;
  Overlap<double> o;
  o.n_W = X_WJ.R_WB.col(2);
  o.distance = body.m.dot(part.lowest) + body.h;
  o.p_WD = G * part.lowest + X_WI.p_WB;
  if (part.is_apart) {
    o.volume = o.potential = 0;
    o.M_W = Symmetric3<double>::zero();
    o.plane_offset = -0.5 * o.distance;
    o.p_WC = o.p_WD + o.plane_offset * o.n_W;
  } else {
    const Vec3d c = part.first / part.volume;
    const Mat3d axes_W = G * part.frame;
    const Symmetric3<double> M = part.second - Symmetric3<double>::outer(c) * part.volume;
    moments.centroid = part.origin + part.frame * c;
    o.volume = scale * part.volume;
    o.p_WC = G * moments.centroid + X_WI.p_WB;
    o.M_W = M.rotated(axes_W) * scale;
    o.plane_offset = part.origin_on_plane ? -c.z() : -(body.m.dot(part.origin) + body.h);
    o.potential = o.volume * o.plane_offset;
    if (slopes) {
      moments.M = M.rotated(part.frame) * scale;
      if (part.origin_on_plane) {
        const auto& q = part.section;
        moments.by_plane = {
            calc_sensitivity({q[0], q[1], q[2], q[3], q[4], q[5]}, c, part.volume, axes_W, scale),
            calc_sensitivity({q[1], q[3], q[4], q[6], q[7], q[8]}, c, part.volume, axes_W, scale),
            calc_sensitivity({q[2], q[4], q[5], q[7], q[8], q[9]}, c, part.volume, axes_W, scale)};
      }
    }
  }
  if (!slopes) return o;
  Vec3d across[2];
  make_basis<double>(o.n_W, &across[0], &across[1]);
  slopes->axes << across[0], across[1], o.n_W;
  for (int k = 0; k < N; ++k) {
    PlaneMove move;
    if (k == 0) {
      move.dp_J = o.n_W;
    } else if (k < 3) {
      move.dn = across[k - 1].cross(o.n_W);
      move.dp_J = across[k - 1].cross(X_WJ.p_WB - o.p_WC);
    } else {
      move.stretched = k - 3;
    }
    calc_slopes(body, part, moments, X_WI, X_WJ, move, static_cast<std::size_t>(k), o, slopes);
  }
  return o;
}

}  // namespace

Overlap<double> calc_polyhedron_overlap(const TriangleMesh& mesh, const Pose<double>& X_WI,
                                        const Pose<double>& X_WJ, PlaneSlopes<3>* slopes) {
  const Vec3d n_W = X_WJ.R_WB.col(2);
  const PlacedPolyhedron body = {X_WI.R_WB, X_WI.R_WB, Vec3d(1, 1, 1), X_WI.R_WB.transpose() * n_W,
                                 n_W.dot(X_WI.p_WB - X_WJ.p_WB)};
  return finish_overlap(calc_submerged_part(mesh, body.m, body.h, slopes != nullptr), body, X_WI,
                        X_WJ, slopes);
}

template <int N>
Overlap<double> calc_polyhedron_overlap(const Vec3d& box_size, const Pose<double>& X_WI,
                                        const Pose<double>& X_WJ, PlaneSlopes<N>* slopes) {
  const Vec3d n_W = X_WJ.R_WB.col(2);
  const PlacedPolyhedron body = {X_WI.R_WB * box_size.asDiagonal(), X_WI.R_WB, box_size,
                                 box_size.cwiseProduct(X_WI.R_WB.transpose() * n_W),
                                 n_W.dot(X_WI.p_WB - X_WJ.p_WB)};
  return finish_overlap(calc_submerged_part_of_unit_cube(body.m, body.h, slopes != nullptr), body,
                        X_WI, X_WJ, slopes);
}
template Overlap<double> calc_polyhedron_overlap(const Vec3d&, const Pose<double>&,
                                                 const Pose<double>&, PlaneSlopes<3>*);
template Overlap<double> calc_polyhedron_overlap(const Vec3d&, const Pose<double>&,
                                                 const Pose<double>&, PlaneSlopes<6>*);

}  // namespace vesica::detail
