#include "vesica/interference/cell_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "vesica/error.h"
#include "vesica/interference/slice_domain.h"
#include "vesica/math/linear_algebra.h"

namespace vesica {
namespace {

// The parts of a line in a cell: intervals, ascending.
struct Interval {
  double from, to;
  const Primitive *at_from, *at_to;
};
constexpr int kMaxIntervals = 16;

int clip_line(const Cell& cell, const Vec3d& p, const Vec3d& d, Interval* list, int count) {
  for (const Primitive& primitive : cell.primitives) {
    const LineIntervals inside = calc_line_intervals(primitive.g, p, d);
    Interval next[kMaxIntervals];
    int n = 0;
    for (int k = 0; k < count; ++k) {
      for (int m = 0; m < inside.count && n < kMaxIntervals; ++m) {
        Interval piece = list[k];
        if (inside.from[m] > piece.from) {
          piece.from = inside.from[m];
          piece.at_from = &primitive;
        }
        if (inside.to[m] < piece.to) {
          piece.to = inside.to[m];
          piece.at_to = &primitive;
        }
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
    Interval first[kMaxIntervals] = {{-kInfinity, kInfinity, nullptr, nullptr}};
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

void add_common_parts(const std::vector<Cell>& cells, size_t next, const SignedCell& part,
                      SolidParts* parts) {
  constexpr size_t kMaxParts = 4096;
  if (parts->size() >= kMaxParts) {
    throw InputError(fmt::format(
        "the cells of this solid overlap in more than {} combinations; let them only touch",
        kMaxParts));
  }
  parts->push_back(part);
  for (size_t k = next; k < cells.size(); ++k) {
    Cell common = make_common_cell(part.cell, cells[k]);
    // Cells that only touch share nothing; neither do most whose boxes overlap.
    const Vec3d half = common.bounds.half();
    if (common.bounds.is_empty() || half.minCoeff() < 1e-9 * half.maxCoeff()) continue;
    if (common.bounds.is_finite() && !(calc_cell_moments(part.cell, cells[k], {}).volume > 0)) {
      continue;
    }
    add_common_parts(cells, k + 1, {std::move(common), -part.sign}, parts);
  }
}

// Its kinds of surface, each once.
std::string describe(const Cell& cell) {
  std::vector<std::string_view> names;
  for (const Primitive& p : cell.primitives) {
    const auto name = primitive_name(p.type);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// All surfaces further out by s.
Cell inflated(Cell cell, double s) {
  for (Primitive& p : cell.primitives) p.g.c -= s;
  cell.bounds.min.array() -= s;
  cell.bounds.max.array() += s;
  return cell;
}

}  // namespace

SolidParts make_solid_parts(const Solid& solid) {
  SolidParts parts;
  for (size_t k = 0; k < solid.cells.size(); ++k) {
    add_common_parts(solid.cells, k + 1, {solid.cells[k], 1}, &parts);
  }
  return parts;
}

namespace detail {

CellPairResult calc_cell_pair(const Cell& i, const Pose<double>& X_WI, const Cell& j,
                              const Pose<double>& X_WJ, const SliceOptions& options,
                              bool with_derivatives) {
  CellPairResult r;
  r.moments = calc_cell_moments(i, j, calc_relative_pose(X_WJ, X_WI), options,
                                with_derivatives ? &r.sensitivity : nullptr);
  if (!r.moments.has_converged && r.moments.slices == 0) {
    throw InputError(fmt::format(
        "what a cell of {} shares with a cell of {} has no direction whose slices are all ellipses "
        "(wide cones at right angles do that); cut one of them by planes into smaller cells, or "
        "make the cones narrower",
        describe(i), describe(j)));
  }
  r.moments.centroid = X_WJ * r.moments.centroid;
  r.moments.M = r.moments.M.rotated(X_WJ.R_WB);
  r.moments.area_vector = X_WJ.R_WB * r.moments.area_vector;
  r.R_WS = X_WJ.R_WB * r.sensitivity.R_JS;
  return r;
}

bool find_column(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
                 const Pose<double>& X_WJ, const Vec3d& p, const Vec3d& n, ColumnEnd ends[2]) {
  const Ray in_i(X_WI, p, n), in_j(X_WJ, p, n);
  double longest = 0;
  for (const SignedCell& a : i) {
    if (a.sign < 0) continue;
    Interval first[kMaxIntervals] = {{-kInfinity, kInfinity, nullptr, nullptr}};
    const int na = clip_line(a.cell, in_i.p, in_i.d, first, 1);
    const auto is_of_i = [&](const Primitive* at) {
      return at >= a.cell.primitives.data() &&
             at < a.cell.primitives.data() + a.cell.primitives.size();
    };
    for (const SignedCell& b : j) {
      if (b.sign < 0) continue;
      Interval list[kMaxIntervals];
      std::copy(first, first + na, list);
      const int count = clip_line(b.cell, in_j.p, in_j.d, list, na);
      for (int k = 0; k < count; ++k) {
        const double length = list[k].to - list[k].from;
        if (!(length > longest) || !list[k].at_from || !list[k].at_to) continue;
        longest = length;
        const auto make_end = [&](double t, const Primitive* at) {
          const bool of_i = is_of_i(at);
          const Ray& ray = of_i ? in_i : in_j;
          return ColumnEnd{t, of_i, at->g, at->g.gradient(ray.p + t * ray.d).dot(ray.d)};
        };
        ends[0] = make_end(list[k].from, list[k].at_from);
        ends[1] = make_end(list[k].to, list[k].at_to);
      }
    }
  }
  return longest > 0;
}

Gap calc_gap(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
             const Pose<double>& X_WJ) {
  const Pose<double> X_JI = calc_relative_pose(X_WJ, X_WI), X_IJ = calc_relative_pose(X_WI, X_WJ);
  Gap best{kInfinity, X_WI.p_WB, Vec3d::UnitZ()};
  for (const SignedCell& a : i) {
    for (const SignedCell& b : j) {
      if (a.sign < 0 || b.sign < 0) continue;
      // Distance of the boxes along any axis of either: a lower bound.
      const Bounds a_J = a.cell.bounds.moved(X_JI), b_I = b.cell.bounds.moved(X_IJ);
      const double boxes = std::max({(a_J.min - b.cell.bounds.max).maxCoeff(),
                                     (b.cell.bounds.min - a_J.max).maxCoeff(),
                                     (b_I.min - a.cell.bounds.max).maxCoeff(),
                                     (a.cell.bounds.min - b_I.max).maxCoeff(), 0.0});
      if (boxes >= best.distance) continue;
      const double size =
          std::min(a.cell.bounds.is_finite() ? a.cell.bounds.half().norm() : kInfinity,
                   b.cell.bounds.is_finite() ? b.cell.bounds.half().norm() : kInfinity);
      const Vec3d apart = X_WI * a.cell.bounds.center() - X_WJ * b.cell.bounds.center();
      const bool has_direction = apart.allFinite() && apart.norm() > 0;
      if (boxes > size) {
        best.distance = boxes;
        if (has_direction) best.n_W = apart.normalized();
        best.p_WC = a.cell.bounds.is_finite() ? X_WI * a.cell.bounds.center() : X_WI.p_WB;
        continue;
      }
      const auto meet = [&](double s) {
        return calc_cell_moments(a.cell, inflated(b.cell, s), X_JI, {1e-4, 200});
      };
      double low = 0, high = std::max(boxes, 1e-3 * size);
      while (high < 16 * size && !(meet(high).volume > 0)) {
        low = high;
        high *= 2;
      }
      if (low >= best.distance) continue;
      for (int k = 0; k < 50 && high - low > 1e-10 * size; ++k) {
        const double s = 0.5 * (low + high);
        (meet(s).volume > 0 ? high : low) = s;
      }
      if (high >= best.distance) continue;
      const CellMoments m = meet(high + 1e-5 * size);
      best.distance = high;
      if (m.volume > 0) {
        best.p_WC = X_WJ * m.centroid;
        best.n_W = X_WJ.R_WB * m.area_vector.normalized();
        best.p_WC -= 0.5 * high * best.n_W;
      }
    }
  }
  return best;
}

PrincipalAxes calc_principal_axes(const Symmetric3<double>& M, const Vec3d& guess) {
  const auto [values, vectors] = calc_eigen<3>(M.matrix());
  int first = 0;
  (vectors.transpose() * guess).cwiseAbs().maxCoeff(&first);
  PrincipalAxes axes;
  for (int k = 0; k < 3; ++k) {
    axes.axis[k] = vectors.col((first + k) % 3);
    axes.moment[k] = values[(first + k) % 3];
  }
  if (axes.axis[0].dot(guess) < 0) axes.axis[0] = -axes.axis[0];
  return axes;
}

bool find_plane_normal(const SolidParts& j, const Vec3d& guess_J, Vec3d* n_J) {
  double best = 0;
  for (const SignedCell& part : j) {
    for (const Primitive& p : part.cell.primitives) {
      if (!p.is_plane()) continue;
      const Vec3d n = 2 * p.g.b;
      if (n.dot(guess_J) > best) {
        best = n.dot(guess_J);
        *n_J = n;
      }
    }
  }
  return best > 0;
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
