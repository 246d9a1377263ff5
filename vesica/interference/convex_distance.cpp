#include "vesica/interference/convex_distance.h"

#include <cmath>
#include <limits>

namespace vesica {

namespace {

// A point of the difference A - B.
struct SupportPoint {
  Vec3d x = Vec3d::Zero();
  std::int32_t a = 0, b = 0;
};

struct Simplex {
  int count = 0;
  std::array<SupportPoint, 4> points{};
};

// The point nearest to the origin among the weighted means of some points of a simplex.
struct Nearest {
  double squared = std::numeric_limits<double>::infinity();
  Vec3d x = Vec3d::Zero();
  int count = 0;
  std::array<int, 3> index{};
  std::array<double, 3> weight{};
};

void try_vertex(const Simplex& s, int p, Nearest* best) {
  const double squared = s.points[p].x.squaredNorm();
  if (squared < best->squared) *best = {squared, s.points[p].x, 1, {p}, {1}};
}

void try_edge(const Simplex& s, int p, int q, Nearest* best) {
  const Vec3d& a = s.points[p].x;
  const Vec3d e = s.points[q].x - a;
  const double t = -a.dot(e) / e.squaredNorm();
  if (!(t > 0 && t < 1)) return;
  const Vec3d x = a + t * e;
  if (x.squaredNorm() < best->squared) *best = {x.squaredNorm(), x, 2, {p, q}, {1 - t, t}};
}

void try_triangle(const Simplex& s, int p, int q, int r, Nearest* best) {
  const Vec3d &a = s.points[p].x, &b = s.points[q].x, &c = s.points[r].x;
  const Vec3d n = (b - a).cross(c - a);
  const double nn = n.squaredNorm();
  if (!(nn > 0)) return;
  // Areas that the foot of the origin makes with the sides.
  const double u = n.dot(b.cross(c)) / nn, v = n.dot(c.cross(a)) / nn, w = n.dot(a.cross(b)) / nn;
  if (!(u > 0 && v > 0 && w > 0)) return;
  const double sum = u + v + w;
  const Vec3d x = n * (n.dot(a) / nn);
  if (x.squaredNorm() < best->squared) {
    *best = {x.squaredNorm(), x, 3, {p, q, r}, {u / sum, v / sum, w / sum}};
  }
}

bool holds_origin(const Simplex& s) {
  for (int k = 0; k < 4; ++k) {
    const Vec3d &a = s.points[(k + 1) % 4].x, &b = s.points[(k + 2) % 4].x,
                &c = s.points[(k + 3) % 4].x;
    const Vec3d n = (b - a).cross(c - a);
    const double side = n.dot(s.points[k].x - a), origin = -n.dot(a);
    if (!(side * origin > 0)) return false;
  }
  return true;
}

// Every subset is tried: with four points there are fourteen, and no case is left to rounding.
Nearest find_nearest(const Simplex& s) {
  Nearest best;
  for (int p = 0; p < s.count; ++p) try_vertex(s, p, &best);
  for (int p = 0; p < s.count; ++p) {
    for (int q = p + 1; q < s.count; ++q) try_edge(s, p, q, &best);
  }
  for (int p = 0; p < s.count; ++p) {
    for (int q = p + 1; q < s.count; ++q) {
      for (int r = q + 1; r < s.count; ++r) try_triangle(s, p, q, r, &best);
    }
  }
  return best;
}

std::int32_t find_farthest(const ConvexPolyhedron& body, const Vec3d& direction) {
  const auto& x = body.vertices();
  std::int32_t best = 0;
  double reach = direction.dot(x[0]);
  for (std::size_t v = 1; v < x.size(); ++v) {
    const double here = direction.dot(x[v]);
    if (here > reach) reach = here, best = static_cast<std::int32_t>(v);
  }
  return best;
}

}  // namespace

ShortestLine find_shortest_line(const ConvexPolyhedron& A, const ConvexPolyhedron& B,
                                const Pose<double>& X_AB) {
  constexpr int kMaxSteps = 200;  // a few suffice; each adds a vertex that is farther out
  const double size = A.ball_radius() + B.ball_radius();
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * size;
  const auto support = [&](const Vec3d& toward) {
    SupportPoint p;
    p.a = find_farthest(A, toward);
    p.b = find_farthest(B, -(X_AB.R_WB.transpose() * toward));
    p.x = A.vertices()[p.a] - X_AB * B.vertices()[p.b];
    return p;
  };
  Vec3d toward = X_AB * B.ball_center() - A.ball_center();
  Simplex simplex;
  simplex.points[0] = support(toward);
  simplex.count = 1;
  Nearest nearest = find_nearest(simplex);
  Simplex carriers = simplex;  // that `nearest` refers to
  bool overlap = false;
  for (int step = 0; step < kMaxSteps; ++step) {
    const double distance = std::sqrt(nearest.squared);
    if (distance <= rounding) break;
    const SupportPoint w = support(-nearest.x);
    // No vertex lies nearer along the line than the foot does: it is the shortest.
    if (nearest.squared - nearest.x.dot(w.x) <= rounding * distance) break;
    simplex.count = nearest.count;
    for (int k = 0; k < nearest.count; ++k) simplex.points[k] = carriers.points[nearest.index[k]];
    bool is_known = false;
    for (int k = 0; k < simplex.count; ++k) {
      is_known = is_known || (simplex.points[k].a == w.a && simplex.points[k].b == w.b);
    }
    if (is_known) break;
    simplex.points[simplex.count++] = w;
    if (simplex.count == 4 && holds_origin(simplex)) {
      overlap = true;
      break;
    }
    const Nearest next = find_nearest(simplex);
    if (!(next.squared < nearest.squared)) break;
    nearest = next;
    carriers = simplex;
  }
  ShortestLine line;
  line.distance = overlap ? 0 : std::sqrt(nearest.squared);
  line.count = nearest.count;
  for (int k = 0; k < nearest.count; ++k) {
    const SupportPoint& p = carriers.points[nearest.index[k]];
    line.a[k] = p.a;
    line.b[k] = p.b;
    line.weight[k] = nearest.weight[k];
    line.on_a += nearest.weight[k] * A.vertices()[p.a];
    line.on_b += nearest.weight[k] * (X_AB * B.vertices()[p.b]);
  }
  return line;
}

}  // namespace vesica
