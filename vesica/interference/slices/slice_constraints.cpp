// What bounds the intersection of two cells, in one frame, and the direction to slice it along.
#include <fmt/format.h>

#include <cmath>

#include "vesica/error.h"
#include "vesica/interference/slices/quadric_bounds.h"
#include "vesica/interference/slices/slice_domain.h"

namespace vesica::detail {
namespace {

Quadric move_plane(const Quadric& g, const Pose<double>& X) {
  Quadric moved;
  moved.b = X.R_WB * g.b;
  moved.c = g.c - 2 * moved.b.dot(X.p_WB);
  return moved;
}

enum class Against { kCuts, kHolds, kFails };

// Strictly: a surface that only just holds may be one that the box comes from.
Against compare_with_box(const Constraint& item, const Vec3d& center, const Vec3d& half) {
  double least, greatest;
  bound_over_box(item.g, item.is_plane, center, half, &least, &greatest);
  if (least > 0) return Against::kFails;
  return greatest < -1e-12 * half.norm() ? Against::kHolds : Against::kCuts;
}

// A plane against a whole ellipsoid.
Against compare_with_ellipsoid(const Constraint& plane, const Constraint& ball) {
  // The support of x.A x + 2 b.x + c = 0 along n: sqrt(n.A^-1 n kappa^2) about the centre -A^-1 b.
  double along, height;
  const Vec3d n = 2 * plane.g.b;
  if (ball.type == PrimitiveType::kSphere) {
    const double inverse = 1 / ball.g.A.xx;
    height = plane.g.c - n.dot(ball.g.b) * inverse;
    along = std::sqrt((ball.g.b.squaredNorm() * inverse - ball.g.c) * inverse);
  } else {
    const Mat3d inverse = ball.g.A.matrix().inverse();
    const Vec3d center = -(inverse * ball.g.b);
    height = plane.g.c + n.dot(center);
    along = std::sqrt(n.dot(inverse * n) * -(ball.g.b.dot(center) + ball.g.c));
  }
  if (height >= along) return Against::kFails;
  return height <= -along ? Against::kHolds : Against::kCuts;
}

bool is_same(const Constraint& a, const Constraint& b, double sign) {
  const auto entries = [](const Quadric& g) {
    Eigen::Matrix<double, 10, 1> v;
    v << g.A.xx, g.A.yy, g.A.zz, g.A.xy, g.A.xz, g.A.yz, g.b, g.c;
    return v;
  };
  const auto x = entries(a.g), y = entries(b.g);
  return (x - sign * y).cwiseAbs().maxCoeff() <= 1e-13 * x.cwiseAbs().maxCoeff();
}

// How round the quadric's ellipses across u are: 0 where they are not ellipses, 1 for circles.
double calc_roundness(const Symmetric3<double>& A, const Vec3d& u) {
  Vec3d x, y;
  make_basis(u, &x, &y);
  const double xx = x.dot(A * x), xy = x.dot(A * y), yy = y.dot(A * y);
  const double middle = 0.5 * (xx + yy), half = std::hypot(0.5 * (xx - yy), xy);
  const double large = std::abs(middle) + half, small = std::abs(middle) - half;
  return large > 0 && small > 0 ? small / large : 0;
}

}  // namespace

void make_constraints(const Cell& i, const Cell& j, const Pose<double>& X_JI, ConstraintSet* set) {
  set->count = 0;
  set->is_empty = true;
  const Pose<double> X_IJ = {X_JI.R_WB.transpose(), -(X_JI.R_WB.transpose() * X_JI.p_WB)};
  const Bounds box_J = i.bounds.moved(X_JI).common_with(j.bounds);
  const Bounds box_I = j.bounds.moved(X_IJ).common_with(i.bounds);
  if (box_J.is_empty() || box_I.is_empty()) return;
  if (!box_J.is_finite() || !box_I.is_finite()) {
    throw InputError(
        "two cells without bounds cannot meet: what they share may be infinite; give one of them a "
        "length, a height or more planes");
  }
  // The smaller box is the frame of reference for sizes.
  const bool smaller_is_J = box_J.half().squaredNorm() <= box_I.half().squaredNorm();
  set->center = smaller_is_J ? box_J.center() : X_JI * box_I.center();
  set->size = 2 * (smaller_is_J ? box_J : box_I).half().norm();

  // A surface of one cell against the box of the other, along the axes of either.
  const Bounds i_in_J = i.bounds.moved(X_JI), j_in_I = j.bounds.moved(X_IJ);
  const auto add = [&](const Primitive& p, const Quadric& g_J, int owner) {
    Vec3d axis = p.axis(), anchor = p.X_SP.p_WB;
    Quadric about_anchor;
    if (!p.is_plane()) {
      const Quadric own = calc_own_quadric(p);
      about_anchor = {g_J.A, p.X_SP.R_WB * own.b, own.c};
      // A surface that has been moved out (the search for a gap) has another c.
      const double c = p.g(anchor);
      if (std::abs(c - own.c) > 1e-13 * (std::abs(p.g.c) + std::abs(own.c))) about_anchor.c = c;
    }
    if (owner == 0) {
      axis = X_JI.R_WB * axis;
      anchor = X_JI * anchor;
      about_anchor.b = X_JI.R_WB * about_anchor.b;
    }
    const Constraint item{g_J, p.type, p.is_plane(), owner, axis, anchor, about_anchor};
    const Bounds& in_J = owner == 0 ? j.bounds : i_in_J;
    const Bounds& in_I = owner == 0 ? j_in_I : i.bounds;
    if (in_J.is_finite()) {
      const Against against = compare_with_box(item, in_J.center(), in_J.half());
      if (against != Against::kCuts) return against == Against::kHolds;
    }
    if (in_I.is_finite()) {
      Constraint turned = item;
      turned.g = owner == 0 ? p.g : (item.is_plane ? move_plane(g_J, X_IJ) : g_J.moved(X_IJ));
      const Against against = compare_with_box(turned, in_I.center(), in_I.half());
      if (against != Against::kCuts) return against == Against::kHolds;
    }
    if (set->count == kMaxConstraints) {
      throw InputError(fmt::format(
          "more than {} surfaces bound what two cells share; cut the cells into smaller ones",
          kMaxConstraints));
    }
    set->items[set->count++] = item;
    return true;
  };
  for (const Primitive& p : i.primitives) {
    if (!add(p, p.is_plane() ? move_plane(p.g, X_JI) : p.g.moved(X_JI), 0)) return;
  }
  for (const Primitive& p : j.primitives) {
    if (!add(p, p.g, 1)) return;
  }

  // Planes that miss an ellipsoid, or hold on all of it; surfaces that are there twice.
  int conics = 0;
  for (int k = 0; k < set->count; ++k) {
    const Constraint& item = set->items[k];
    bool drop = false;
    for (int m = 0; m < set->count && !drop; ++m) {
      if (m == k) continue;
      const Constraint& other = set->items[m];
      if (item.is_plane && !other.is_plane && other.g.A.xx > 0 &&
          (other.type == PrimitiveType::kSphere || other.type == PrimitiveType::kEllipsoid)) {
        const Against against = compare_with_ellipsoid(item, other);
        if (against == Against::kFails) return;
        drop = against == Against::kHolds;
      } else if (item.is_plane == other.is_plane && m < k) {
        if (item.is_plane && (item.g.b - other.g.b).squaredNorm() < 1e-28) {
          // Parallel: the one further in bounds.
          if (item.g.c > other.g.c) set->items[m] = item;
          drop = true;
        } else if (!item.is_plane && is_same(item, other, 1)) {
          drop = true;
        } else if (!item.is_plane && is_same(item, other, -1)) {
          return;
        }
      }
    }
    if (drop) {
      for (int m = k + 1; m < set->count; ++m) set->items[m - 1] = set->items[m];
      --set->count;
      --k;
    } else if (!item.is_plane) {
      ++conics;
    }
  }
  if (conics > kMaxConics) {
    throw InputError(fmt::format(
        "{} curved surfaces bound what two cells share, more than {}; cut the cells into smaller "
        "ones",
        conics, kMaxConics));
  }
  set->is_empty = false;
}

bool find_slicing_direction(const ConstraintSet& set, Vec3d* u) {
  const auto roundness = [&](const Vec3d& direction) {
    double least = 1;
    for (int k = 0; k < set.count; ++k) {
      if (!set.items[k].is_plane) {
        least = std::min(least, calc_roundness(set.items[k].g.A, direction));
      }
    }
    return least;
  };
  // In order of preference; the first whose ellipses are round enough is taken, else the best.
  constexpr double kRoundEnough = 0.05, kLeastRoundness = 1e-3;
  double best = 0;
  const auto try_direction = [&](const Vec3d& direction) {
    const double length = direction.norm();
    if (!(length > 1e-6)) return false;
    const Vec3d candidate = direction / length;
    const double r = roundness(candidate);
    if (r > best) {
      best = r;
      *u = candidate;
    }
    return r >= kRoundEnough;
  };
  // The axis of a cylinder, cone or paraboloid: circles.
  Vec3d axes[kMaxConics];
  int axis_count = 0;
  for (int k = 0; k < set.count; ++k) {
    const Constraint& item = set.items[k];
    if (item.is_plane || item.type == PrimitiveType::kSphere ||
        item.type == PrimitiveType::kEllipsoid) {
      continue;
    }
    axes[axis_count++] = item.axis;
    if (try_direction(item.axis)) return true;
  }
  // Along an edge; with one plane or none, across the normal.
  Vec3d normal = Vec3d::Zero();
  for (int k = 0; k < set.count; ++k) {
    if (!set.items[k].is_plane) continue;
    const Vec3d n = 2 * set.items[k].g.b;
    if (normal.isZero()) {
      normal = n;
    } else if (try_direction(normal.cross(n))) {
      return true;
    }
  }
  if (normal.isZero()) {
    for (int k = 0; k < set.count; ++k) {
      const Vec3d n = set.items[k].g.gradient(set.center);
      normal += (set.items[k].owner == 0 ? 1 : -1) * n;
    }
    if (normal.norm() < 1e-9) normal = Vec3d::UnitX();
  }
  Vec3d x, y;
  make_basis(Vec3d(normal.normalized()), &x, &y);
  if (try_direction(x)) return true;
  for (int a = 0; a < axis_count; ++a) {
    for (int b = a + 1; b < axis_count; ++b) {
      if (try_direction(axes[a] + axes[b]) || try_direction(axes[a] - axes[b])) return true;
    }
  }
  const Vec3d others[] = {{1, 0, 0}, {0, 1, 0},  {0, 0, 1},  {1, 1, 0},  {1, 0, 1},  {0, 1, 1},
                          {1, 1, 1}, {1, -1, 1}, {-1, 1, 1}, {1, 1, -1}, {2, -1, 3}, {-3, 2, 1}};
  for (const Vec3d& direction : others) {
    if (try_direction(direction)) return true;
  }
  return best >= kLeastRoundness;
}

}  // namespace vesica::detail
