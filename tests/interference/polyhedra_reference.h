// The shared volume of two convex polyhedra in quadruple precision, by another way than clipping:
// all points where three planes meet that no plane cuts off, gathered face by face, ordered by
// angle. Slow; right to about 1e-30 unless planes nearly coincide.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "vesica/geometry/convex_polyhedron.h"
#include "vesica/math/pose.h"
#include "vesica/math/symmetric.h"

namespace vesica::test {

__extension__ typedef __float128 Quad;
using Quad3 = std::array<Quad, 3>;

inline Quad3 operator-(const Quad3& a, const Quad3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Quad dot(const Quad3& a, const Quad3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Quad3 cross(const Quad3& a, const Quad3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Quad3 scaled(const Quad3& a, Quad s) { return {s * a[0], s * a[1], s * a[2]}; }

inline Quad magnitude(Quad x) { return x < 0 ? -x : x; }
// Two steps of Newton's from the double result: 53, 106, 113 bits.
inline Quad square_root(Quad x) {
  Quad r = std::sqrt(static_cast<double>(x));
  for (int k = 0; k < 2; ++k) r = (r + x / r) / 2;
  return r;
}

struct ReferenceMoments {
  double volume = 0, area = 0;
  Vec3d centroid = Vec3d::Zero(), area_vector_j = Vec3d::Zero();
  Symmetric3<double> M = Symmetric3<double>::zero();
};

struct QuadPlane {
  Quad3 normal;
  Quad offset;
  bool of_j;
};

inline void append_planes(const ConvexPolyhedron& body, const Pose<double>& X, bool of_j,
                          std::vector<QuadPlane>* planes) {
  const auto place = [&](std::int32_t v) {
    Quad3 p;
    for (int r = 0; r < 3; ++r) {
      p[r] = X.p_WB[r];
      for (int c = 0; c < 3; ++c) p[r] += Quad(X.R_WB(r, c)) * Quad(body.vertices()[v][c]);
    }
    return p;
  };
  for (std::size_t f = 0; f < body.planes().size(); ++f) {
    const auto corners = body.face(f);
    Quad3 n = {0, 0, 0};
    const Quad3 a = place(corners[0].vertex);
    for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
      const Quad3 t = cross(place(corners[k].vertex) - a, place(corners[k + 1].vertex) - a);
      for (int r = 0; r < 3; ++r) n[r] += t[r];
    }
    n = scaled(n, 1 / square_root(dot(n, n)));
    planes->push_back({n, dot(n, a), of_j});
  }
}

inline ReferenceMoments calc_reference(const ConvexPolyhedron& i, const Pose<double>& X_WI,
                                       const ConvexPolyhedron& j, const Pose<double>& X_WJ) {
  std::vector<QuadPlane> planes;
  append_planes(i, X_WI, false, &planes);
  append_planes(j, X_WJ, true, &planes);
  const Quad tolerance = 1e-26;
  // Vertices, and on which planes each lies.
  std::vector<Quad3> vertices;
  const std::size_t count = planes.size();
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      const Quad3 ab = cross(planes[a].normal, planes[b].normal);
      for (std::size_t c = b + 1; c < count; ++c) {
        const Quad determinant = dot(ab, planes[c].normal);
        if (magnitude(determinant) < 1e-20) continue;
        const Quad3 bc = cross(planes[b].normal, planes[c].normal);
        const Quad3 ca = cross(planes[c].normal, planes[a].normal);
        Quad3 x;
        for (int r = 0; r < 3; ++r) {
          x[r] = (planes[a].offset * bc[r] + planes[b].offset * ca[r] + planes[c].offset * ab[r]) /
                 determinant;
        }
        bool inside = true;
        for (const auto& p : planes) inside = inside && dot(p.normal, x) - p.offset < tolerance;
        if (inside) vertices.push_back(x);
      }
    }
  }
  ReferenceMoments result;
  if (vertices.size() < 4) return result;
  const Quad3 o = vertices[0];
  for (auto& x : vertices) x = x - o;
  Quad volume = 0, area_sum = 0;
  Quad first[3] = {0, 0, 0}, second[3][3] = {}, area_j[3] = {0, 0, 0};
  for (std::size_t f = 0; f < count; ++f) {
    const Quad3& n = planes[f].normal;
    const Quad d = planes[f].offset - dot(n, o);
    // A plane that an earlier one repeats adds its face once.
    bool repeated = false;
    for (std::size_t g = 0; g < f; ++g) {
      repeated = repeated || (1 - dot(planes[g].normal, n) < 1e-28 &&
                              magnitude(planes[g].offset - planes[f].offset) < tolerance);
    }
    if (repeated) continue;
    std::vector<Quad3> face;
    for (const auto& x : vertices) {
      if (magnitude(dot(n, x) - d) < 10 * tolerance) face.push_back(x);
    }
    if (face.size() < 3) continue;
    Quad3 middle = {0, 0, 0};
    for (const auto& x : face) {
      for (int r = 0; r < 3; ++r) middle[r] += x[r] / face.size();
    }
    // The longest arm is the axis of the angle.
    Quad3 u = face[0] - middle;
    for (const auto& x : face) {
      if (dot(x - middle, x - middle) > dot(u, u)) u = x - middle;
    }
    const Quad3 v = cross(n, u);
    // Anticlockwise from u: first the half with v > 0.
    std::sort(face.begin(), face.end(), [&](const Quad3& p, const Quad3& q) {
      const Quad pu = dot(p - middle, u), pv = dot(p - middle, v);
      const Quad qu = dot(q - middle, u), qv = dot(q - middle, v);
      const bool p_first = pv > 0 || (pv == 0 && pu >= 0), q_first = qv > 0 || (qv == 0 && qu >= 0);
      if (p_first != q_first) return p_first;
      return pu * qv - pv * qu > 0;
    });
    for (std::size_t k = 0; k < face.size(); ++k) {
      const Quad3 &b = face[k], &c = face[(k + 1) % face.size()], &a = middle;
      const Quad area = dot(n, cross(b - a, c - a)) / 2;
      area_sum += area;
      volume += d * area / 3;
      for (int r = 0; r < 3; ++r) {
        const Quad s_r = a[r] + b[r] + c[r];
        first[r] += d * area / 12 * s_r;
        if (planes[f].of_j) area_j[r] += area * n[r];
        for (int s = 0; s < 3; ++s) {
          second[r][s] += d * area / 60 *
                          (a[r] * a[s] + b[r] * b[s] + c[r] * c[s] + s_r * (a[s] + b[s] + c[s]));
        }
      }
    }
  }
  result.volume = static_cast<double>(volume);
  result.area = static_cast<double>(area_sum);
  if (!(volume > 0)) return result;
  Mat3d M;
  for (int r = 0; r < 3; ++r) {
    result.centroid[r] = static_cast<double>(first[r] / volume + o[r]);
    result.area_vector_j[r] = static_cast<double>(area_j[r]);
    for (int s = 0; s < 3; ++s) {
      M(r, s) = static_cast<double>(second[r][s] - first[r] * first[s] / volume);
    }
  }
  result.M = Symmetric3<double>::from_matrix(M);
  return result;
}

}  // namespace vesica::test
