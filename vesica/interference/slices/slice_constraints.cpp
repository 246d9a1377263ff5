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
Against compare_with_box(const Quadric& g, bool is_plane, const Vec3d& center, const Vec3d& half) {
  double least, greatest;
  bound_over_box(g, is_plane, center, half, &least, &greatest);
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

// Two curved surfaces that nearly cancel, such as a peg and its bore: in both, g_a + t g_b <= 0 for
// any t > 0, and where t cancels the curvature the sum is nearly linear. Its bounds over a box are
// close where those of each surface alone say nothing. False where the signs do not allow it.
bool cancel_curvature(const Quadric& a, const Quadric& b, Quadric* sum) {
  const Vec3d diagonal_a(a.A.xx, a.A.yy, a.A.zz), diagonal_b(b.A.xx, b.A.yy, b.A.zz);
  int axis;
  diagonal_a.cwiseAbs().maxCoeff(&axis);
  const double t = -diagonal_a[axis] / diagonal_b[axis];
  if (!(t > 0) || !std::isfinite(t)) return false;
  *sum = {a.A + b.A * t, a.b + b.b * t, a.c + b.c * t};
  return true;
}

// What several curved surfaces share is mostly much smaller than the boxes of the two cells (the
// crescent between a peg and its bore). A box close round it shows most pairs to be empty, and
// which planes do not touch what the others share: in the peg's scene that saves half of the time.
// False where it is empty.
bool shrink_to_surfaces(ConstraintSet* set, Bounds* box) {
  Quadric sums[kMaxConics];
  int sum_count = 0;
  for (int k = 0; k < set->count; ++k) {
    for (int m = 0; m < k && sum_count < kMaxConics; ++m) {
      const Constraint &a = set->items[k], &b = set->items[m];
      if (!a.is_plane && !b.is_plane && cancel_curvature(a.g, b.g, &sums[sum_count])) ++sum_count;
    }
  }
  constexpr int kRounds = 2;
  for (int round = 0; round < kRounds; ++round) {
    for (int k = 0; k < sum_count; ++k) {
      if (!shrink_box(sums[k], false, box)) return false;
    }
    for (int k = 0; k < set->count; ++k) {
      if (!shrink_box(set->items[k].g, set->items[k].is_plane, box)) return false;
    }
  }
  const Vec3d center = box->center(), half = box->half();
  for (int k = 0; k < set->count; ++k) {
    Constraint& item = set->items[k];
    item.is_guard =
        item.is_plane && compare_with_box(item.g, true, center, half) == Against::kHolds;
  }
  return true;
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

bool are_apart(const Cell& i, const Cell& j, const Pose<double>& X_JI) {
  const Bounds box = i.bounds.moved(X_JI).common_with(j.bounds);
  if (box.is_empty()) return true;
  if (!box.is_finite()) return false;
  const Vec3d center = box.center(), half = box.half();
  for (const Primitive& a : i.primitives) {
    if (a.is_plane()) continue;
    Quadric a_J;
    bool is_moved = false;
    for (const Primitive& b : j.primitives) {
      // Only surfaces of opposite sense can cancel.
      if (b.is_plane() || a.is_complement == b.is_complement) continue;
      if (!is_moved) a_J = a.g.moved(X_JI);
      is_moved = true;
      Quadric sum;
      double least, greatest;
      if (!cancel_curvature(a_J, b.g, &sum)) continue;
      bound_over_box(sum, false, center, half, &least, &greatest);
      if (least > 0) return true;
    }
  }
  return false;
}

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
  const Vec3d center_of_i = i_in_J.center(), half_of_i = i_in_J.half();
  const Vec3d center_of_j = j_in_I.center(), half_of_j = j_in_I.half();
  const auto add = [&](const Primitive& p, const Quadric& g_J, int owner) {
    const bool is_plane = p.is_plane(), of_i = owner == 0;
    if ((of_i ? j.bounds : i_in_J).is_finite()) {
      const Against against =
          of_i ? compare_with_box(g_J, is_plane, j.bounds.center(), j.bounds.half())
               : compare_with_box(g_J, is_plane, center_of_i, half_of_i);
      if (against != Against::kCuts) return against == Against::kHolds;
    }
    if ((of_i ? j_in_I : i.bounds).is_finite()) {
      const Against against =
          of_i ? compare_with_box(p.g, is_plane, center_of_j, half_of_j)
               : compare_with_box(is_plane ? move_plane(g_J, X_IJ) : g_J.moved(X_IJ), is_plane,
                                  i.bounds.center(), i.bounds.half());
      if (against != Against::kCuts) return against == Against::kHolds;
    }
    if (set->count == kMaxConstraints) {
      throw InputError(fmt::format(
          "more than {} surfaces bound what two cells share; cut the cells into smaller ones",
          kMaxConstraints));
    }
    Constraint& item = set->items[set->count++];
    item = {g_J, p.type, is_plane, owner, p.axis(), p.X_SP.p_WB, {}};
    if (!is_plane) {
      const Quadric own = calc_own_quadric(p);
      item.about_anchor = {g_J.A, p.X_SP.R_WB * own.b, own.c};
      // A surface that has been moved out (the search for a gap) has another c.
      const double c = p.g(item.anchor);
      if (std::abs(c - own.c) > 1e-13 * (std::abs(p.g.c) + std::abs(own.c))) {
        item.about_anchor.c = c;
      }
    }
    if (of_i) {
      item.axis = X_JI.R_WB * item.axis;
      item.anchor = X_JI * item.anchor;
      item.about_anchor.b = X_JI.R_WB * item.about_anchor.b;
    }
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
  if (conics > 1) {
    Bounds box = box_J;
    if (!shrink_to_surfaces(set, &box)) return;
    if (box.half().norm() < 0.5 * set->size) {
      set->center = box.center();
      set->size = 2 * box.half().norm();
    }
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
  // The axis of a cylinder, cone or paraboloid: circles. Of several, as of a peg in its bore, the
  // one that most planes lie across: a plane that is nearly across has all of its corners, and a
  // panel between any two of them, within a hair of u.
  Vec3d axes[kMaxConics];
  int axis_count = 0, planes_across[kMaxConics];
  const auto count_across = [&](const Vec3d& axis) {
    int count = 0;
    for (int k = 0; k < set.count; ++k) {
      const bool bounds = set.items[k].is_plane && !set.items[k].is_guard;
      if (bounds && std::abs(2 * set.items[k].g.b.dot(axis)) > 1 - 1e-14) ++count;
    }
    return count;
  };
  for (int k = 0; k < set.count; ++k) {
    const Constraint& item = set.items[k];
    if (item.is_plane || item.type == PrimitiveType::kSphere ||
        item.type == PrimitiveType::kEllipsoid) {
      continue;
    }
    const int across = count_across(item.axis);
    int at = axis_count++;
    for (; at > 0 && planes_across[at - 1] < across; --at) {
      axes[at] = axes[at - 1];
      planes_across[at] = planes_across[at - 1];
    }
    axes[at] = item.axis;
    planes_across[at] = across;
  }
  for (int k = 0; k < axis_count; ++k) {
    if (try_direction(axes[k])) return true;
  }
  // Along an edge; with one plane or none, across the normal.
  Vec3d normal = Vec3d::Zero();
  for (int k = 0; k < set.count; ++k) {
    if (!set.items[k].is_plane || set.items[k].is_guard) continue;
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
