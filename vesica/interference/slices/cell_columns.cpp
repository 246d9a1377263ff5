// Lines along the contact normal through two solids: depth field, areas, the deepest column.
#include <algorithm>
#include <array>
#include <cmath>

#include "vesica/interference/deepest_column.h"
#include "vesica/interference/slices/cell_pair.h"

namespace vesica {
namespace {

// The parts of a line in a cell: intervals, ascending.
struct Interval {
  double from, to;
};
constexpr int kMaxIntervals = 16;

int clip_line(const Cell& cell, const Vec3d& p, const Vec3d& d, Interval* list, int count) {
  for (const Primitive& primitive : cell.primitives) {
    const LineIntervals inside = calc_line_intervals(primitive.g, p, d);
    Interval next[kMaxIntervals];
    int n = 0;
    for (int k = 0; k < count; ++k) {
      for (int m = 0; m < inside.count && n < kMaxIntervals; ++m) {
        const Interval piece = {std::max(list[k].from, inside.from[m]),
                                std::min(list[k].to, inside.to[m])};
        if (piece.from < piece.to) next[n++] = piece;
      }
    }
    std::copy(next, next + n, list);
    count = n;
    if (count == 0) break;
  }
  return count;
}

// A line as seen from a body.
struct Ray {
  Vec3d p, d;
  Ray(const Pose<double>& X, const Vec3d& p_W, const Vec3d& d_W)
      : p(X.R_WB.transpose() * (p_W - X.p_WB)), d(X.R_WB.transpose() * d_W) {}
};

// Signed sum of the lengths in all pairs of parts.
double calc_column(const SolidParts& i, const Ray& in_i, const SolidParts& j, const Ray& in_j) {
  double sum = 0;
  for (const SignedCell& a : i) {
    Interval first[kMaxIntervals] = {{-kInfinity, kInfinity}};
    const int n = clip_line(a.cell, in_i.p, in_i.d, first, 1);
    if (n == 0) continue;
    for (const SignedCell& b : j) {
      Interval list[kMaxIntervals];
      std::copy(first, first + n, list);
      const int count = clip_line(b.cell, in_j.p, in_j.d, list, n);
      for (int k = 0; k < count; ++k) sum += a.sign * b.sign * (list[k].to - list[k].from);
    }
  }
  return sum;
}

// Where a line shares a stretch of both cells, with the deepest top of b over bottom of a.
struct SharedStretch {
  double depth = 0;   // 0: it misses
  double middle = 0;  // of the shared stretch
};
SharedStretch find_stretch(const Cell& a, const Ray& in_a, const Cell& b, const Ray& in_b) {
  Interval in_i[kMaxIntervals] = {{-kInfinity, kInfinity}}, in_j[kMaxIntervals] = {in_i[0]};
  const int count_i = clip_line(a, in_a.p, in_a.d, in_i, 1);
  const int count_j = count_i > 0 ? clip_line(b, in_b.p, in_b.d, in_j, 1) : 0;
  SharedStretch best;
  for (int k = 0; k < count_i; ++k) {
    for (int m = 0; m < count_j; ++m) {
      const double from = std::max(in_i[k].from, in_j[m].from);
      const double to = std::min(in_i[k].to, in_j[m].to), depth = in_j[m].to - in_i[k].from;
      if (from < to && std::isfinite(depth) && depth > best.depth) {
        best = {depth, 0.5 * (std::max(from, to - depth) + std::min(to, from + depth))};
      }
    }
  }
  return best;
}

// The stretch of a line round the place t in which it stays in one cell or another of a solid:
// cells that touch, to `slack`, hold together.
Interval find_stay(const SolidParts& parts, const Ray& ray, double t, double slack) {
  Interval stay = {t, t};
  bool grows = true;
  while (grows) {
    grows = false;
    for (const SignedCell& part : parts) {
      if (part.sign < 0) continue;
      Interval list[kMaxIntervals] = {{-kInfinity, kInfinity}};
      const int count = clip_line(part.cell, ray.p, ray.d, list, 1);
      for (int k = 0; k < count; ++k) {
        if (list[k].from > stay.to + slack || list[k].to < stay.from - slack) continue;
        grows = grows || list[k].from < stay.from - slack || list[k].to > stay.to + slack;
        stay = {std::min(stay.from, list[k].from), std::max(stay.to, list[k].to)};
      }
    }
  }
  return stay;
}

// Points in both of two cells of which one may be hollow, so that the centroid of what they share
// need not be in it: the middles of what they share on lines round the centroid that are deeper
// than the lines beside. Rings are met at sqrt(2) of their radius of gyration.
constexpr int kMaxStarts = 8;
int find_starts(const detail::SharedCells& shared, const Pose<double>& X_WI,
                const Pose<double>& X_WJ, const Vec3d& n, std::array<Vec3d, kMaxStarts>* starts) {
  // The same lines seen from either body.
  Vec3d u, v, axis = n;
  const int largest = std::abs(n.x()) > 0.6 ? 0 : std::abs(n.y()) > 0.6 ? 1 : 2;
  if (axis[largest] < 0) axis = -axis;
  make_basis(axis, &u, &v);
  u *= std::sqrt(std::max(0.0, u.dot(shared.M_W * u)) / shared.volume);
  v *= std::sqrt(std::max(0.0, v.dot(shared.M_W * v)) / shared.volume);
  struct Line {
    double depth = 0;
    Vec3d middle;
  };
  const auto look = [&](double a, double b) {
    const Vec3d p = shared.p_WC + a * u + b * v;
    const auto [depth, middle] =
        find_stretch(*shared.i, Ray(X_WI, p, n), *shared.j, Ray(X_WJ, p, n));
    Line line;
    if (depth > 0) line = {depth, p + middle * n};
    return line;
  };
  constexpr int kAngles = 16, kRings = 6;
  constexpr double kRadii[kRings] = {0.25, 0.5, 1.0, 1.4142135623730951, 2.0, 2.8};
  std::array<std::array<Line, kAngles>, kRings> lines;
  for (int r = 0; r < kRings; ++r) {
    for (int k = 0; k < kAngles; ++k) {
      const double angle = 2 * kPi * (k + 0.5) / kAngles;
      lines[r][k] = look(kRadii[r] * std::cos(angle), kRadii[r] * std::sin(angle));
    }
  }
  std::array<double, kMaxStarts> depths{};
  int count = 0;
  const auto add = [&](const Line& line) {
    const int last = count < kMaxStarts ? count++ : kMaxStarts - 1;
    if (last == kMaxStarts - 1 && line.depth <= depths[last]) return;
    depths[last] = line.depth;
    (*starts)[last] = line.middle;
    for (int k = last; k > 0 && depths[k] > depths[k - 1]; --k) {
      std::swap(depths[k], depths[k - 1]);
      std::swap((*starts)[k], (*starts)[k - 1]);
    }
  };
  const Line middle = look(0, 0);
  if (middle.depth > 0) add(middle);
  for (int r = 0; r < kRings; ++r) {
    for (int k = 0; k < kAngles; ++k) {
      const double depth = lines[r][k].depth;
      if (!(depth > 0)) continue;
      // Among equals (a ring) the first counts.
      bool is_deepest = true;
      for (int s = std::max(0, r - 1); s <= std::min(kRings - 1, r + 1); ++s) {
        for (int m = k - 1; m <= k + 1; ++m) {
          const int other = (m + kAngles) % kAngles;
          const bool is_before = s < r || (s == r && other < k);
          const double beside = lines[s][other].depth * (is_before ? 1 + 1e-9 : 1 - 1e-9);
          if ((s != r || other != k) && beside > depth) is_deepest = false;
        }
      }
      if (is_deepest) add(lines[r][k]);
    }
  }
  // Whatever its shape, a part of it is within three radii of gyration.
  constexpr int kGrid = 20;
  for (int a = -kGrid; a <= kGrid && count == 0; ++a) {
    for (int b = -kGrid; b <= kGrid && count == 0; ++b) {
      const Line line = look(3.0 * a / kGrid, 3.0 * b / kGrid);
      if (line.depth > 0) add(line);
    }
  }
  return count;
}

}  // namespace

namespace detail {

bool find_deepest_column(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
                         const Pose<double>& X_WJ, const Vec3d& n, const Vec3d& origin_W,
                         std::span<const SharedCells> shared, bool with_slopes,
                         DeepestColumn* best) {
  thread_local std::vector<ColumnSurface> surfaces;  // keeps its buffer
  bool found = false;
  double size = 0;
  for (const SharedCells& cells : shared) {
    surfaces.clear();
    for (const Primitive& p : cells.i->primitives) {
      surfaces.push_back(make_column_surface(p, X_WI, false, origin_W));
    }
    for (const Primitive& p : cells.j->primitives) {
      surfaces.push_back(make_column_surface(p, X_WJ, true, origin_W));
    }
    // At the very touch the moments are rounding.
    size = std::min({std::sqrt(std::max(0.0, cells.M_W.trace()) / cells.volume),
                     cells.i->bounds.half().norm(), cells.j->bounds.half().norm()});
    if (!(size > 0)) continue;
    const auto climb = [&](const Vec3d& start) {
      DeepestColumn column;
      if (!vesica::find_deepest_column(surfaces, n, start - origin_W, size, with_slopes, &column)) {
        return false;
      }
      if (!found || column.depth > best->depth) *best = column;
      found = true;
      return true;
    };
    const bool is_hollow = std::any_of(surfaces.begin(), surfaces.end(),
                                       [](const ColumnSurface& s) { return s.is_hollow; });
    if (!is_hollow && climb(cells.p_WC)) continue;
    std::array<Vec3d, kMaxStarts> starts;
    const int count = find_starts(cells, X_WI, X_WJ, n, &starts);
    for (int k = 0; k < count; ++k) climb(starts[k]);
  }
  if (!found || (i.size() == 1 && j.size() == 1)) return found;
  // Cells that touch are one body: the column may go on through its neighbours.
  const Vec3d middle = origin_W + best->bottom + 0.5 * best->depth * n;
  const double slack = 1e-9 * size;
  const Interval in_i = find_stay(i, Ray(X_WI, middle, n), 0, slack);
  const Interval in_j = find_stay(j, Ray(X_WJ, middle, n), 0, slack);
  const double depth = in_j.to - in_i.from;
  if (std::isfinite(depth) && depth > best->depth + slack) {
    best->bottom += (in_i.from + 0.5 * best->depth) * n;
    best->depth = depth;
  }
  return true;
}

}  // namespace detail

void sample_columns(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
                    const Pose<double>& X_WJ, const Vec3d& origin_W, const Vec3d& u_W,
                    const Vec3d& v_W, double u0, double v0, double du, double dv, int nu, int nv,
                    std::vector<double>* depth) {
  const Vec3d n = u_W.cross(v_W);
  depth->assign(static_cast<size_t>(nu) * static_cast<size_t>(nv), 0.0);
  size_t k = 0;
  for (int b = 0; b < nv; ++b) {
    for (int a = 0; a < nu; ++a, ++k) {
      const Vec3d p = origin_W + (u0 + (a + 0.5) * du) * u_W + (v0 + (b + 0.5) * dv) * v_W;
      (*depth)[k] = calc_column(i, Ray(X_WI, p, n), j, Ray(X_WJ, p, n));
    }
  }
}

PatchFigures calc_patch_figures(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
                                const Pose<double>& X_WJ, const Vec3d& n_W, const Vec3d& p_WC) {
  PatchFigures figures;
  const SharedMoments<double> m = calc_shared_moments(i, X_WI, j, X_WJ, {1e-4, 400});
  if (!(m.volume > 0)) return figures;
  Vec3d u, v;
  make_basis(n_W, &u, &v);
  // Twice, the second time on the patch that the first has seen.
  constexpr int kLines = 64;
  double half = 0;
  for (const SignedCell& part : i) half = std::max(half, part.cell.bounds.half().norm());
  for (const SignedCell& part : j) {
    const double other = part.cell.bounds.half().norm();
    half = std::isfinite(half) ? std::min(half, std::isfinite(other) ? other : half) : other;
  }
  half = std::min(2 * half, 8 * std::sqrt(m.M_W.trace() / m.volume));
  double u_low = -half, u_high = half, v_low = -half, v_high = half;
  std::vector<double> depth;
  for (int pass = 0; pass < 2; ++pass) {
    const double du = (u_high - u_low) / kLines, dv = (v_high - v_low) / kLines;
    sample_columns(i, X_WI, j, X_WJ, p_WC, u, v, u_low, v_low, du, dv, kLines, kLines, &depth);
    figures = {};
    int a0 = kLines, a1 = -1, b0 = kLines, b1 = -1;
    for (int b = 0; b < kLines; ++b) {
      for (int a = 0; a < kLines; ++a) {
        const double f = depth[static_cast<size_t>(b * kLines + a)];
        if (!(f > 0)) continue;
        figures.shadow_area += du * dv;
        figures.max_depth = std::max(figures.max_depth, f);
        a0 = std::min(a0, a);
        a1 = std::max(a1, a);
        b0 = std::min(b0, b);
        b1 = std::max(b1, b);
      }
    }
    if (a1 < 0) break;
    const double u_start = u_low, v_start = v_low;
    u_low = u_start + (a0 - 1) * du;
    u_high = u_start + (a1 + 2) * du;
    v_low = v_start + (b0 - 1) * dv;
    v_high = v_start + (b1 + 2) * dv;
  }
  return figures;
}

}  // namespace vesica
