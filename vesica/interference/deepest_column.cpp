#include "vesica/interference/deepest_column.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vesica {
namespace {

using Vec4 = Eigen::Vector4d;
using Mat4 = Eigen::Matrix4d;

constexpr int kMaxClimb = 60;     // 10 to 15 are usual
constexpr int kMaxActive = 10;    // surfaces that hold a column; four if none is superfluous
constexpr int kMaxTangents = 40;  // of hollow surfaces; a handful is usual
constexpr double kRounding = 1e-15;

// A surface at a column: value, slopes by (x, h), curvature.
struct SurfaceAt {
  double c;
  Vec3d gradient;  // of g
  Vec4 slope;
};

Vec3d place(const ColumnSurface& s, const Vec4& z, const Vec3d& n) {
  Vec3d y = z.head<3>();
  if (s.of_j) y += z[3] * n;
  return y;
}

SurfaceAt evaluate(const ColumnSurface& s, const Vec4& z, const Vec3d& n) {
  const Vec3d y = place(s, z, n);
  SurfaceAt at;
  at.gradient = 2 * s.g.b;
  at.c = at.gradient.dot(y) + s.g.c;
  if (!s.is_plane) {
    const Vec3d Ay = s.g.A * y;
    at.c += y.dot(Ay);
    at.gradient += 2 * Ay;
  }
  at.slope.head<3>() = at.gradient;
  at.slope[3] = s.of_j ? n.dot(at.gradient) : 0.0;
  return at;
}

// The second derivative of g by (x, h), times a factor, added.
void add_curvature(const ColumnSurface& s, const Vec3d& n, double factor, Mat4* H) {
  if (s.is_plane) return;
  const Mat3d A = s.g.A.matrix() * (2 * factor);
  H->topLeftCorner<3, 3>() += A;
  if (!s.of_j) return;
  const Vec3d An = A * n;
  H->block<3, 1>(0, 3) += An;
  H->block<1, 3>(3, 0) += An.transpose();
  (*H)(3, 3) += n.dot(An);
}

// H d = r for a positive definite H, whose rows may differ in scale by many orders. False where
// rounding makes it indefinite.
bool solve_definite(Mat4 H, Vec4 r, Vec4* d) {
  Vec4 scale;
  for (int k = 0; k < 4; ++k) {
    if (!(H(k, k) > 0)) return false;
    scale[k] = 1 / std::sqrt(H(k, k));
  }
  H = scale.asDiagonal() * H * scale.asDiagonal();
  r = scale.cwiseProduct(r);
  for (int k = 0; k < 4; ++k) {  // L D L^T
    if (!(H(k, k) > kRounding)) return false;
    for (int row = k + 1; row < 4; ++row) {
      const double factor = H(row, k) / H(k, k);
      for (int column = k + 1; column <= row; ++column) H(row, column) -= factor * H(column, k);
      r[row] -= factor * r[k];
    }
  }
  for (int k = 3; k >= 0; --k) {
    r[k] /= H(k, k);
    for (int row = 0; row < k; ++row) r[row] -= H(k, row) * r[k];
  }
  *d = scale.cwiseProduct(r);
  return d->allFinite();
}

// Largest step in (0, 1] that stays well inside the surface.
double limit_step(const ColumnSurface& s, const SurfaceAt& at, const Vec4& d, const Vec3d& n) {
  constexpr double kOfTheWay = 0.99;
  const Vec3d y = place(s, d, n);
  const double a = s.is_plane ? 0 : y.dot(s.g.A * y), b = at.slope.dot(d), c = at.c;
  // a t^2 + b t + c = 0 with c < 0: the smallest positive root, without cancellation.
  double root = kInfinity;
  if (a == 0) {
    if (b > 0) root = -c / b;
  } else {
    const double square_root = b * b - 4 * a * c;
    if (square_root >= 0) {
      const double q = -0.5 * (b + std::copysign(std::sqrt(square_root), b));
      for (const double t : {q / a, q != 0 ? c / q : kInfinity}) {
        if (t > 0) root = std::min(root, t);
      }
    }
  }
  return std::min(1.0, kOfTheWay * root);
}

struct Climb {
  Vec4 z;                      // bottom, depth
  std::vector<double> weight;  // of every surface: how the depth grows as it gives way
  std::vector<SurfaceAt> at;
};

// Interior point: maximises h from a point inside. Leaves z inside all surfaces.
bool climb(std::span<const ColumnSurface> surfaces, const Vec3d& n, double size, Climb* state) {
  const size_t count = surfaces.size();
  auto& at = state->at;
  auto& weight = state->weight;
  at.resize(count);
  weight.resize(count);
  Vec4& z = state->z;
  double least = kInfinity;
  for (size_t k = 0; k < count; ++k) {
    at[k] = evaluate(surfaces[k], z, n);
    if (!(at[k].c < 0)) return false;
    least = std::min(least, -at[k].c);
  }
  // Weights of the central path through the start.
  for (size_t k = 0; k < count; ++k) weight[k] = least / -at[k].c;
  const double enough = kRounding * size;
  for (int iteration = 0; iteration < kMaxClimb; ++iteration) {
    double gap = 0;
    for (size_t k = 0; k < count; ++k) gap -= weight[k] * at[k].c;
    Vec4 dual(0, 0, 0, -1);
    for (size_t k = 0; k < count; ++k) dual += weight[k] * at[k].slope;
    if (gap <= std::max(enough, 1e-11 * z[3]) && dual.norm() < 1e-6) break;
    const double mu = 0.1 * gap / static_cast<double>(count);
    Mat4 H = Mat4::Zero();
    Vec4 r(0, 0, 0, 1);
    for (size_t k = 0; k < count; ++k) {
      const double inverse = -1 / at[k].c;
      H += (weight[k] * inverse) * at[k].slope * at[k].slope.transpose();
      add_curvature(surfaces[k], n, weight[k], &H);
      r -= (mu * inverse) * at[k].slope;
    }
    Vec4 d;
    if (!solve_definite(H, r, &d)) break;
    double step = 1;
    for (size_t k = 0; k < count; ++k) step = std::min(step, limit_step(surfaces[k], at[k], d, n));
    double dual_step = 1;
    for (size_t k = 0; k < count; ++k) {
      const double change = -(mu + weight[k] * at[k].c + weight[k] * at[k].slope.dot(d)) / at[k].c;
      if (change < 0) dual_step = std::min(dual_step, -0.99 * weight[k] / change);
    }
    step = std::min(step, dual_step);
    const Vec4 next = z + step * d;
    bool is_inside = next.allFinite();
    for (size_t k = 0; k < count && is_inside; ++k) {
      weight[k] -= step * (mu + weight[k] * at[k].c + weight[k] * at[k].slope.dot(d)) / at[k].c;
      is_inside = evaluate(surfaces[k], next, n).c < 0;
    }
    if (!is_inside) break;  // rounding
    z = next;
    for (size_t k = 0; k < count; ++k) at[k] = evaluate(surfaces[k], z, n);
  }
  return true;
}

// Elimination with full pivoting of an N x (N + columns) system; unknowns that nothing determines
// stay zero. Solutions end up in the last columns, row by unknown.
template <int Size, int Columns>
struct Elimination {
  std::array<std::array<double, Size + Columns>, Size> m{};
  int n = 0;

  void solve() {
    constexpr double kUndetermined = 1e-11;
    std::array<int, Size> unknown{};
    for (int k = 0; k < n; ++k) unknown[k] = k;
    double largest = 0;
    int rank = 0;
    for (; rank < n; ++rank) {
      int row = rank, column = rank;
      double pivot = 0;
      for (int r = rank; r < n; ++r) {
        for (int c = rank; c < n; ++c) {
          if (std::abs(m[r][c]) > pivot) pivot = std::abs(m[r][c]), row = r, column = c;
        }
      }
      largest = std::max(largest, pivot);
      if (!(pivot > kUndetermined * largest)) break;
      std::swap(m[rank], m[row]);
      if (column != rank) {
        for (int r = 0; r < n; ++r) std::swap(m[r][rank], m[r][column]);
        std::swap(unknown[rank], unknown[column]);
      }
      for (int r = 0; r < n; ++r) {
        if (r == rank) continue;
        const double factor = m[r][rank] / m[rank][rank];
        if (factor == 0) continue;
        for (int c = rank; c < n; ++c) m[r][c] -= factor * m[rank][c];
        for (int c = Size; c < Size + Columns; ++c) m[r][c] -= factor * m[rank][c];
      }
    }
    std::array<std::array<double, Columns>, Size> x{};
    for (int r = 0; r < rank; ++r) {
      for (int c = 0; c < Columns; ++c) x[unknown[r]][c] = m[r][Size + c] / m[r][r];
    }
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < Columns; ++c) m[r][Size + c] = x[r][c];
    }
  }
  double x(int row, int column) const { return m[row][Size + column]; }
};

// The surfaces that hold the column, and their weights.
struct Holding {
  std::array<ColumnSurface, kMaxActive> surface;
  std::array<double, kMaxActive> weight{};
  int count = 0;

  void add(const ColumnSurface& s, double w) {
    if (count == kMaxActive) return;
    surface[count] = s;
    weight[count++] = w;
  }
};

Holding find_holding(std::span<const ColumnSurface> surfaces, const Climb& state, double depth) {
  Holding h;
  for (size_t k = 0; k < surfaces.size(); ++k) {
    if (state.weight[k] * depth > -state.at[k].c) h.add(surfaces[k], state.weight[k]);
  }
  return h;
}

// Where a ray from p, inside, leaves a surface; infinite where it does not.
double find_exit(const ColumnSurface& s, const Vec3d& p, const Vec3d& d) {
  const LineIntervals inside = calc_line_intervals(s.g, p, d);
  double exit = kInfinity;
  for (int k = 0; k < inside.count; ++k) {
    if (inside.from[k] <= 0 && inside.to[k] >= 0) exit = inside.to[k];
  }
  return exit;
}

// The columns through the apexes of cones; true where one is deeper. It is held by its apex, which
// three planes through it stand for, and by the surface at its other end.
bool try_apexes(std::span<const ColumnSurface> surfaces, const Vec3d& n, double size, Vec4* best,
                Holding* holding) {
  bool found = false;
  for (const ColumnSurface& cone : surfaces) {
    if (!cone.is_cone || cone.is_hollow) continue;
    const Vec3d& p = cone.apex;
    const Vec3d along = cone.of_j ? Vec3d(-n) : n;  // out of the other body
    const ColumnSurface* end = nullptr;
    double depth = kInfinity;
    bool is_inside = true;
    for (const ColumnSurface& s : surfaces) {
      if (&s == &cone) continue;
      is_inside = is_inside && s.g(p) <= kRounding * size;
      if (s.of_j == cone.of_j) continue;
      const double exit = find_exit(s, p, along);
      if (exit < depth) depth = exit, end = &s;
    }
    if (!is_inside || !end || !(depth > (*best)[3])) continue;
    found = true;
    best->head<3>() = p;
    if (cone.of_j) best->head<3>() += depth * along;
    (*best)[3] = depth;
    *holding = {};
    for (int k = 0; k < 3; ++k) {
      ColumnSurface pin;
      pin.of_j = cone.of_j;
      pin.is_plane = true;
      pin.g.b = 0.5 * Vec3d::Unit(k);
      pin.g.c = -p[k];
      holding->add(pin, 0);
    }
    holding->add(*end, 1);
  }
  return found;
}

constexpr int kSize = 4 + kMaxActive;

// The conditions of optimality, linearised. Lengths in units of `size`, so that pivots compare.
template <int Columns>
void fill_conditions(const Holding& holding, const Vec4& z, const Vec3d& n, double size,
                     Elimination<kSize, Columns>* e) {
  Mat4 H = Mat4::Zero();
  for (int a = 0; a < holding.count; ++a) {
    const ColumnSurface& s = holding.surface[a];
    add_curvature(s, n, holding.weight[a] * size, &H);
    const Vec4 slope = evaluate(s, z, n).slope;
    for (int k = 0; k < 4; ++k) e->m[4 + a][k] = e->m[k][4 + a] = slope[k];
  }
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 4; ++c) e->m[r][c] = H(r, c);
  }
  e->n = 4 + holding.count;
}

// Newton on the surfaces that hold the column. Keeps what it finds while it stays a maximum inside
// the other surfaces, to rounding.
void finish(std::span<const ColumnSurface> surfaces, const Vec3d& n, double size, Holding* holding,
            Vec4* z) {
  for (int iteration = 0; iteration < 3; ++iteration) {
    Elimination<kSize, 1> e;
    fill_conditions(*holding, *z, n, size, &e);
    Vec4 residual(0, 0, 0, -1);
    for (int a = 0; a < holding->count; ++a) {
      const SurfaceAt at = evaluate(holding->surface[a], *z, n);
      residual += holding->weight[a] * at.slope;
      e.m[4 + a][kSize] = -at.c / size;
    }
    for (int k = 0; k < 4; ++k) e.m[k][kSize] = -residual[k];
    e.solve();
    Vec4 d;
    for (int k = 0; k < 4; ++k) d[k] = size * e.x(k, 0);
    // A jump is no last correction: the surfaces are not those that hold it.
    if (!d.allFinite() || d.norm() > 1e-2 * size) return;
    const Vec4 next = *z + d;
    if (!(std::abs(d[3]) <= 0.1 * (*z)[3])) return;
    for (const ColumnSurface& s : surfaces) {
      if (evaluate(s, next, n).c > 1e-9 * (size + next[3])) return;
    }
    *z = next;
    for (int a = 0; a < holding->count; ++a) holding->weight[a] += e.x(4 + a, 0);
    if (d.norm() <= kRounding * size) return;
  }
}

// Where the column may move without getting less deep (a flat face, a line), it goes as near to the
// origin as the other surfaces let it.
void center(std::span<const ColumnSurface> surfaces, const Vec3d& n, double size,
            const Holding& holding, Vec4* z) {
  constexpr double kFlat = 1e-9;
  // Directions that no condition sees: what is left of the way to the origin when all that the
  // conditions see is taken out of it.
  Mat4 H = Mat4::Zero();
  std::array<Vec4, kSize> seen;
  int count = 0;
  const auto add = [&](Vec4 v) {
    const double length = v.norm();
    for (int pass = 0; pass < 2; ++pass) {
      for (int k = 0; k < count; ++k) v -= seen[k] * seen[k].dot(v);
    }
    if (count < 4 && v.norm() > kFlat * std::max(length, 1.0)) seen[count++] = v.normalized();
  };
  for (int a = 0; a < holding.count; ++a) {
    add(evaluate(holding.surface[a], *z, n).slope);
    add_curvature(holding.surface[a], n, holding.weight[a] * size, &H);
  }
  for (int k = 0; k < 4; ++k) add(H.col(k));
  if (count == 4) return;
  Vec4 way = Vec4::Zero();
  way.head<3>() = -z->head<3>();
  for (int k = 0; k < count; ++k) way -= seen[k] * seen[k].dot(way);
  if (!(way.norm() > kFlat * size)) return;
  double step = 1;
  for (const ColumnSurface& s : surfaces) {
    SurfaceAt at = evaluate(s, *z, n);
    // Surfaces that hold the column are met along their whole length.
    const double length = way.norm(),
                 bend = s.is_plane ? 0 : way.head<3>().dot(s.g.A * Vec3d(way.head<3>()));
    if (std::abs(at.slope.dot(way)) <= kFlat * length &&
        std::abs(bend) * size <= kFlat * length * length) {
      continue;
    }
    at.c = std::min(at.c, -kRounding * size);
    step = std::min(step, limit_step(s, at, way, n));
  }
  *z += step * way;
}

void calc_column_slopes(const Vec3d& n, double size, const Holding& holding, const Vec4& z,
                        DeepestColumn* column) {
  Elimination<kSize, 9> e;
  fill_conditions(holding, z, n, size, &e);
  Eigen::Matrix<double, 4, 9> residual = Eigen::Matrix<double, 4, 9>::Zero();
  for (int a = 0; a < holding.count; ++a) {
    const ColumnSurface& s = holding.surface[a];
    if (!s.of_j) continue;
    const SurfaceAt at = evaluate(s, z, n);
    const Vec3d y = place(s, z, n);
    const Mat3d A = s.g.A.matrix() * 2.0;
    for (int k = 0; k < 9; ++k) {
      // The surface moves with j, or the top of the column with n.
      Vec3d moved, turned = Vec3d::Zero(), dn = Vec3d::Zero();
      if (k < 3) {
        moved = -Vec3d::Unit(k);
      } else if (k < 6) {
        const Vec3d w = Vec3d::Unit(k - 3);
        moved = -w.cross(y);
        turned = w.cross(at.gradient);
      } else {
        dn = Vec3d::Unit(k - 6);
        moved = z[3] * dn;
      }
      e.m[4 + a][kSize + k] = -at.gradient.dot(moved) / size;
      const Vec3d d_gradient = A * moved + turned;
      residual.col(k).head<3>() += holding.weight[a] * d_gradient;
      residual(3, k) += holding.weight[a] * (n.dot(d_gradient) + dn.dot(at.gradient));
    }
  }
  for (int r = 0; r < 4; ++r) {
    for (int k = 0; k < 9; ++k) e.m[r][kSize + k] = -residual(r, k);
  }
  e.solve();
  for (int r = 0; r < 4; ++r) {
    for (int k = 0; k < 6; ++k) column->by_twist(r, k) = size * e.x(r, k);
    for (int k = 0; k < 3; ++k) column->by_n(r, k) = size * e.x(r, 6 + k);
  }
}

// A hollow surface's tangent plane: inside it is inside the surface.
ColumnSurface make_tangent(const ColumnSurface& s, const Vec4& z, const Vec3d& n) {
  const SurfaceAt at = evaluate(s, z, n);
  ColumnSurface plane = s;
  plane.is_plane = true;
  plane.is_hollow = false;
  plane.g.A = Symmetric3<double>::zero();
  plane.g.b = 0.5 * at.gradient;
  plane.g.c = at.c - at.gradient.dot(place(s, z, n));
  return plane;
}

}  // namespace

ColumnSurface make_column_surface(const Primitive& primitive, const Pose<double>& X_WB, bool of_j,
                                  const Vec3d& origin_W) {
  const Pose<double> X{X_WB.R_WB * primitive.X_SP.R_WB, X_WB * primitive.X_SP.p_WB - origin_W};
  ColumnSurface s;
  s.g = calc_own_quadric(primitive).moved(X);
  s.of_j = of_j;
  s.is_plane = primitive.is_plane();
  s.is_hollow = primitive.is_complement && !s.is_plane;
  s.is_cone = primitive.type == PrimitiveType::kCone;
  s.apex = X.p_WB;
  return s;
}

bool find_deepest_column(std::span<const ColumnSurface> surfaces, const Vec3d& n,
                         const Vec3d& inside, double size, bool with_slopes,
                         DeepestColumn* column) {
  thread_local Climb state, best_state;  // keep their buffers
  thread_local std::vector<ColumnSurface> tangents;
  Vec4 start = Vec4::Zero();
  start.head<3>() = inside;
  const bool has_hollow =
      std::any_of(surfaces.begin(), surfaces.end(), [](const auto& s) { return s.is_hollow; });
  std::span<const ColumnSurface> convex = surfaces;
  Vec4 best = start;
  for (int round = 0; round < (has_hollow ? kMaxTangents : 1); ++round) {
    if (has_hollow) {
      tangents.assign(surfaces.begin(), surfaces.end());
      for (ColumnSurface& s : tangents) {
        if (s.is_hollow) s = make_tangent(s, best, n);
      }
      convex = tangents;
    }
    state.z = start;
    if (!climb(convex, n, size, &state)) {
      if (round == 0) return false;
      break;
    }
    const double gain = state.z[3] - best[3];
    if (round > 0 && !(gain > 0)) break;
    best = state.z;
    std::swap(state, best_state);
    if (gain < 1e-13 * size) break;
  }
  Holding holding = find_holding(surfaces, best_state, std::max(best[3], kRounding * size));
  finish(surfaces, n, size, &holding, &best);
  if (!try_apexes(surfaces, n, size, &best, &holding)) center(surfaces, n, size, holding, &best);
  if (!(best[3] > 0)) return false;  // rounding: they touch
  column->bottom = best.head<3>();
  column->depth = best[3];
  if (with_slopes) calc_column_slopes(n, size, holding, best, column);
  return true;
}

}  // namespace vesica
