#include "vesica/interference/half_space_mesh.h"

#include <cmath>
#include <limits>

namespace vesica::detail {

namespace {

struct Corner {
  double u, v, z;
};

// Where the edge from the wet corner to the dry one meets the plane.
Corner cut(const Corner& wet, const Corner& dry, double t) {
  return {wet.u + t * (dry.u - wet.u), wet.v + t * (dry.v - wet.v), 0.0};
}
double wet_fraction(const Corner& wet, const Corner& dry) { return wet.z / (wet.z - dry.z); }

// Sums of the header's surface integrals, without their common factors.
class Accumulator {
 public:
  explicit Accumulator(bool with_section) : with_section_(with_section) {}

  void add_triangle(const Corner& a, const Corner& b, const Corner& c) {
    const int wet = (a.z < 0) + (b.z < 0) + (c.z < 0);
    if (wet == 0) return;
    // Twice the signed area in (u, v); the parts of a cut triangle are fractions of it.
    const double area = (b.u - a.u) * (c.v - a.v) - (c.u - a.u) * (b.v - a.v);
    if (wet == 3) {
      add_wet(a, b, c, area);
    } else if (wet == 1) {
      if (a.z < 0) {
        add_one_wet(a, b, c, area);
      } else if (b.z < 0) {
        add_one_wet(b, c, a, area);
      } else {
        add_one_wet(c, a, b, area);
      }
    } else if (a.z >= 0) {
      add_two_wet(b, c, a, area);
    } else if (b.z >= 0) {
      add_two_wet(c, a, b, area);
    } else {
      add_two_wet(a, b, c, area);
    }
  }

  // `jacobian`: volume of the unit cell of (u, v, z).
  void finish(double jacobian, SubmergedPart* part) const {
    part->volume = jacobian / 6 * V_;
    part->first = jacobian / 24 * Vec3d(S_u_, S_v_, 0.5 * S_z_);
    const double s = jacobian / 120;
    part->second = {s * S_uu_, s * S_vv_, s / 3 * S_zz_, s * S_uv_, s / 2 * S_uz_, s / 2 * S_vz_};
    constexpr std::array<double, 10> kFactor = {1. / 2,  1. / 6,  1. / 6,  1. / 24, 1. / 24,
                                                1. / 24, 1. / 60, 1. / 60, 1. / 60, 1. / 60};
    for (int k = 0; k < 10; ++k) part->section[k] = jacobian * kFactor[k] * q_[k];
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

  // The mean over a triangle of a product of linear functions f, g (and k), from corner values:
  //   12 mean(f g) = sum fg + sum f sum g
  //   60 mean(f g k) = 2 sum fgk + sum fg sum k + sum gk sum f + sum kf sum g + sum f sum g sum k
  void add_wet(const Corner& a, const Corner& b, const Corner& c, double area) {
    const double u = a.u + b.u + c.u, v = a.v + b.v + c.v, z = a.z + b.z + c.z;
    const double za = a.z * a.z, zb = b.z * b.z, zc = c.z * c.z;
    const double ua = a.u * a.z, ub = b.u * b.z, uc = c.u * c.z;
    const double va = a.v * a.z, vb = b.v * b.z, vc = c.v * c.z;
    const double zz = za + zb + zc, uz = ua + ub + uc, vz = va + vb + vc;
    const double uu = a.u * a.u + b.u * b.u + c.u * c.u;
    const double vv = a.v * a.v + b.v * b.v + c.v * c.v;
    const double uv = a.u * a.v + b.u * b.v + c.u * c.v;
    V_ += area * z;
    S_u_ += area * (uz + u * z);
    S_v_ += area * (vz + v * z);
    S_z_ += area * (zz + z * z);
    S_uu_ += area * (2 * (ua * a.u + ub * b.u + uc * c.u) + uu * z + 2 * uz * u + u * u * z);
    S_vv_ += area * (2 * (va * a.v + vb * b.v + vc * c.v) + vv * z + 2 * vz * v + v * v * z);
    S_uv_ += area * (2 * (ua * a.v + ub * b.v + uc * c.v) + uv * z + uz * v + vz * u + u * v * z);
    S_uz_ += area * (2 * (ua * a.z + ub * b.z + uc * c.z) + 2 * uz * z + zz * u + u * z * z);
    S_vz_ += area * (2 * (va * a.z + vb * b.z + vc * c.z) + 2 * vz * z + zz * v + v * z * z);
    S_zz_ += area * (2 * (za * a.z + zb * b.z + zc * c.z) + 3 * zz * z + z * z * z);
  }

  // The section's triangle (origin, p, q); monomials of order k as p^k, q^k and (p + q)^k.
  void add_section_edge(const Corner& p, const Corner& q) {
    const double area = p.u * q.v - q.u * p.v;
    const double u = p.u + q.u, v = p.v + q.v;
    const double p_uu = p.u * p.u, p_uv = p.u * p.v, p_vv = p.v * p.v;
    const double q_uu = q.u * q.u, q_uv = q.u * q.v, q_vv = q.v * q.v;
    const double uu = u * u, uv = u * v, vv = v * v;
    q_[0] += area;
    q_[1] += area * u;
    q_[2] += area * v;
    q_[3] += area * (p_uu + q_uu + uu);
    q_[4] += area * (p_uv + q_uv + uv);
    q_[5] += area * (p_vv + q_vv + vv);
    q_[6] += area * (2 * (p_uu * p.u + q_uu * q.u) + uu * u);
    q_[7] += area * (2 * (p_uu * p.v + q_uu * q.v) + uu * v);
    q_[8] += area * (2 * (p_vv * p.u + q_vv * q.u) + vv * u);
    q_[9] += area * (2 * (p_vv * p.v + q_vv * q.v) + vv * v);
  }

  bool with_section_;
  double V_ = 0, S_u_ = 0, S_v_ = 0, S_z_ = 0;
  double S_uu_ = 0, S_uv_ = 0, S_vv_ = 0, S_uz_ = 0, S_vz_ = 0, S_zz_ = 0;
  std::array<double, 10> q_{};
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
  const auto corner = [&](const Vec3d& x) -> Corner {
    const Vec3d y = x - lowest;
    return {u.dot(y), v.dot(y), height_of_lowest + m.dot(y)};
  };
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
      sums.add_triangle(corner(vertices[triangle[0]]), corner(vertices[triangle[1]]),
                        corner(vertices[triangle[2]]));
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

}  // namespace vesica::detail
