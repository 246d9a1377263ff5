#include "vesica/interference/mesh/half_space_mesh.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace vesica::detail {

namespace {

struct Corner {
  double u, v, z;
};

constexpr int kLanes = 4;
typedef double Lanes __attribute__((vector_size(8 * kLanes)));
// Filled lane by lane, read as one.
struct Column {
  alignas(8 * kLanes) double lane[kLanes];
  Lanes load() const {
    Lanes lanes;
    std::memcpy(&lanes, lane, sizeof lanes);
    return lanes;
  }
};

// Where the edge from the wet corner to the dry one meets the plane.
Corner cut(const Corner& wet, const Corner& dry, double t) {
  return {wet.u + t * (dry.u - wet.u), wet.v + t * (dry.v - wet.v), 0.0};
}
double wet_fraction(const Corner& wet, const Corner& dry) { return wet.z / (wet.z - dry.z); }

// Sums of the header's surface integrals, without their common factors. Triangles are collected and
// integrated four at a time, one per lane.
class Accumulator {
 public:
  explicit Accumulator(bool with_section) : with_section_(with_section) {}

  void add_triangle(const Corner& a, const Corner& b, const Corner& c) {
    const int wet = (a.z < 0) + 2 * (b.z < 0) + 4 * (c.z < 0);
    if (wet == 0) return;
    // Twice the signed area in (u, v); the parts of a cut triangle are fractions of it.
    const double area = (b.u - a.u) * (c.v - a.v) - (c.u - a.u) * (b.v - a.v);
    switch (wet) {
      case 1:
        return add_one_wet(a, b, c, area);
      case 2:
        return add_one_wet(b, c, a, area);
      case 3:
        return add_two_wet(a, b, c, area);
      case 4:
        return add_one_wet(c, a, b, area);
      case 5:
        return add_two_wet(c, a, b, area);
      case 6:
        return add_two_wet(b, c, a, area);
      default:
        return add_wet(a, b, c, area);
    }
  }

  // `jacobian`: volume of the unit cell of (u, v, z).
  void finish(double jacobian, SubmergedPart* part) {
    for (; wet_count_ % kLanes != 0; ++wet_count_) wet_[9].lane[wet_count_] = 0;
    if (wet_count_ > 0) integrate_wet();
    for (; edge_count_ % kLanes != 0; ++edge_count_) set_edge({0, 0, 0}, {0, 0, 0});
    if (edge_count_ > 0) integrate_edges();
    const auto total = [](const Lanes& p) { return (p[0] + p[1]) + (p[2] + p[3]); };
    const double v = jacobian / 6, f = jacobian / 24, s = jacobian / 120;
    part->volume = v * total(V_);
    part->first = f * Vec3d(total(S_u_), total(S_v_), 0.5 * total(S_z_));
    part->second = {s * total(S_uu_), s * total(S_vv_),     s / 3 * total(S_zz_),
                    s * total(S_uv_), s / 2 * total(S_uz_), s / 2 * total(S_vz_)};
    constexpr std::array<double, 10> kFactor = {1. / 2,  1. / 6,  1. / 6,  1. / 24, 1. / 24,
                                                1. / 24, 1. / 60, 1. / 60, 1. / 60, 1. / 60};
    for (int k = 0; k < 10; ++k) part->section[k] = jacobian * kFactor[k] * total(q_[k]);
  }

 private:
  void add_one_wet(const Corner& a, const Corner& b, const Corner& c, double area) {
    const double t_b = wet_fraction(a, b), t_c = wet_fraction(a, c);
    const Corner p = cut(a, b, t_b), q = cut(a, c, t_c);
    add_wet(a, p, q, area * t_b * t_c);
    if (with_section_) add_section_edge(q, p);
  }

  void add_two_wet(const Corner& a, const Corner& b, const Corner& c, double area) {
    const double t_a = wet_fraction(a, c), t_b = wet_fraction(b, c);
    const Corner p = cut(b, c, t_b), q = cut(a, c, t_a);
    add_wet(a, b, p, area * t_b);
    add_wet(a, p, q, area * t_a * (1 - t_b));
    if (with_section_) add_section_edge(q, p);
  }

  void add_wet(const Corner& a, const Corner& b, const Corner& c, double area) {
    const double values[10] = {a.u, a.v, a.z, b.u, b.v, b.z, c.u, c.v, c.z, area};
    for (int k = 0; k < 10; ++k) wet_[k].lane[wet_count_] = values[k];
    if (++wet_count_ == kLanes) integrate_wet();
  }

  // The mean over a triangle of a product of linear functions f, g (and k), from corner values:
  //   12 mean(f g) = sum fg + sum f sum g
  //   60 mean(f g k) = 2 sum fgk + sum fg sum k + sum gk sum f + sum kf sum g + sum f sum g sum k
  void integrate_wet() {
    wet_count_ = 0;
    const Lanes a_u = wet_[0].load(), a_v = wet_[1].load(), a_z = wet_[2].load();
    const Lanes b_u = wet_[3].load(), b_v = wet_[4].load(), b_z = wet_[5].load();
    const Lanes c_u = wet_[6].load(), c_v = wet_[7].load(), c_z = wet_[8].load();
    const Lanes area = wet_[9].load();
    const Lanes u = a_u + b_u + c_u, v = a_v + b_v + c_v, z = a_z + b_z + c_z;
    const Lanes za = a_z * a_z, zb = b_z * b_z, zc = c_z * c_z;
    const Lanes ua = a_u * a_z, ub = b_u * b_z, uc = c_u * c_z;
    const Lanes va = a_v * a_z, vb = b_v * b_z, vc = c_v * c_z;
    const Lanes zz = za + zb + zc, uz = ua + ub + uc, vz = va + vb + vc;
    const Lanes uu = a_u * a_u + b_u * b_u + c_u * c_u;
    const Lanes vv = a_v * a_v + b_v * b_v + c_v * c_v;
    const Lanes uv = a_u * a_v + b_u * b_v + c_u * c_v;
    V_ += area * z;
    S_u_ += area * (uz + u * z);
    S_v_ += area * (vz + v * z);
    S_z_ += area * (zz + z * z);
    S_uu_ += area * (2 * (ua * a_u + ub * b_u + uc * c_u + uz * u) + (uu + u * u) * z);
    S_vv_ += area * (2 * (va * a_v + vb * b_v + vc * c_v + vz * v) + (vv + v * v) * z);
    S_uv_ += area * (2 * (ua * a_v + ub * b_v + uc * c_v) + uz * v + vz * u + (uv + u * v) * z);
    S_uz_ += area * (2 * (ua * a_z + ub * b_z + uc * c_z + uz * z) + (zz + z * z) * u);
    S_vz_ += area * (2 * (va * a_z + vb * b_z + vc * c_z + vz * z) + (zz + z * z) * v);
    S_zz_ += area * (2 * (za * a_z + zb * b_z + zc * c_z) + (3 * zz + z * z) * z);
  }

  void set_edge(const Corner& p, const Corner& q) {
    const double values[4] = {p.u, p.v, q.u, q.v};
    for (int k = 0; k < 4; ++k) edge_[k].lane[edge_count_] = values[k];
  }
  void add_section_edge(const Corner& p, const Corner& q) {
    set_edge(p, q);
    if (++edge_count_ == kLanes) integrate_edges();
  }

  // The section's triangle (origin, p, q); monomials of order k as p^k, q^k and (p + q)^k.
  void integrate_edges() {
    edge_count_ = 0;
    const Lanes p_u = edge_[0].load(), p_v = edge_[1].load();
    const Lanes q_u = edge_[2].load(), q_v = edge_[3].load();
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

  bool with_section_;
  int wet_count_ = 0, edge_count_ = 0;
  Column wet_[10] = {}, edge_[4] = {};
  Lanes q_[10] = {};
  Lanes V_ = {}, S_u_ = {}, S_v_ = {}, S_z_ = {};
  Lanes S_uu_ = {}, S_uv_ = {}, S_vv_ = {}, S_uz_ = {}, S_vz_ = {}, S_zz_ = {};
};

// Axes of the plane and the point on it under the lowest vertex; returns 1/|m|.
double set_frame(const Vec3d& m, double height_of_lowest, SubmergedPart* part) {
  const double m2 = m.squaredNorm();
  const double inverse = 1 / std::sqrt(m2);
  Vec3d u, v;
  make_basis<double>(m * inverse, &u, &v);
  part->frame.col(0) = u;
  part->frame.col(1) = v;
  part->frame.col(2) = m / m2;
  part->origin = part->lowest - height_of_lowest * part->frame.col(2);
  part->origin_on_plane = true;
  return inverse;
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
  part.lowest = vertices[mesh.find_lowest_vertex(m)];
  const double height_of_lowest = m.dot(part.lowest) + h;
  if (!(height_of_lowest < 0)) {
    part.is_apart = true;
    return part;
  }
  const Vec3d abs_m = m.cwiseAbs();
  const auto& nodes = mesh.nodes();
  if (m.dot(nodes[0].center) + h + abs_m.dot(nodes[0].half) < 0) {
    part.origin = mesh.solid().centroid;
    part.volume = mesh.solid().volume;
    part.second = mesh.solid().M;
    return part;
  }

  const double jacobian = set_frame(m, height_of_lowest, &part);
  const Vec3d u = part.frame.col(0), v = part.frame.col(1), lowest = part.lowest;
  // What rounding may do to a box' height against a vertex' height.
  const double margin = 8 * std::numeric_limits<double>::epsilon() *
                        (abs_m.dot(nodes[0].center.cwiseAbs() + nodes[0].half) + std::abs(h));
  const auto& triangles = mesh.tree_triangles();
  Accumulator sums(with_section);
  const auto end = static_cast<std::int32_t>(nodes.size());
  for (std::int32_t i = 0; i < end;) {
    const TriangleMesh::Node& node = nodes[i];
    if (m.dot(node.center) + h - abs_m.dot(node.half) > margin) {
      i = node.skip;
      continue;
    }
    for (std::int32_t t = node.first; t < node.first + node.count; ++t) {
      const auto& triangle = triangles[t];
      Vec3d y[3];
      double z[3];
      for (int k = 0; k < 3; ++k) {
        y[k] = vertices[triangle[k]] - lowest;
        z[k] = height_of_lowest + m.dot(y[k]);
      }
      if (z[0] >= 0 && z[1] >= 0 && z[2] >= 0) continue;
      sums.add_triangle({u.dot(y[0]), v.dot(y[0]), z[0]}, {u.dot(y[1]), v.dot(y[1]), z[1]},
                        {u.dot(y[2]), v.dot(y[2]), z[2]});
    }
    ++i;
  }
  sums.finish(jacobian, &part);
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
  const double jacobian = set_frame(m, height_of_lowest, &part);
  Corner corners[8];  // bit k of the index: moved along axis k
  const Vec3d du = part.frame.col(0).cwiseProduct(sign), dv = part.frame.col(1).cwiseProduct(sign);
  corners[0] = {0, 0, height_of_lowest};
  for (int k = 0; k < 3; ++k) {
    for (int c = 0; c < (1 << k); ++c) {
      corners[c + (1 << k)] = {corners[c].u + du[k], corners[c].v + dv[k], corners[c].z + rise[k]};
    }
  }
  // Outward for a cube that is not reflected; an odd number of reflections turns them around.
  static constexpr int kTriangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {0, 1, 5}, {0, 5, 4},
                                            {0, 4, 6}, {0, 6, 2}, {7, 5, 1}, {7, 1, 3},
                                            {7, 3, 2}, {7, 2, 6}, {7, 6, 4}, {7, 4, 5}};
  const bool is_reflected = sign.x() * sign.y() * sign.z() < 0;
  Accumulator sums(with_section);
  for (const auto& t : kTriangles) {
    sums.add_triangle(corners[t[0]], corners[t[is_reflected ? 2 : 1]],
                      corners[t[is_reflected ? 1 : 2]]);
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
