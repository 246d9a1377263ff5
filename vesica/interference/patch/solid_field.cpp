// Columns through solids of curved cells: every surface meets a line along n in closed form. Lines
// of columns, v fixed and u running, are cut where their ends change from one surface to another;
// over v the lines are added up adaptively.
#include <algorithm>
#include <cmath>

#include "vesica/interference/patch/column_field.h"
#include "vesica/interference/slices/conic_pair.h"
#include "vesica/math/gauss_legendre.h"

namespace vesica {
namespace {

using detail::Conic;
using detail::Vec2;

constexpr int kMostPieces = 16;         // of a line in a cell
constexpr double kUprightWall = 1e-12;  // slope of a wall that is along n but for rounding

// A surface in the patch's frame: u, v along the plane, t along n, from p_C.
struct FieldSurface {
  Quadric g;
  bool of_j;
  bool is_wall;  // along n everywhere
};
// Two cells, and what their columns count for.
struct FieldCells {
  std::vector<FieldSurface> surfaces;
  double sign;
};

struct FieldPiece {
  double from, to;
  int low, high;  // surfaces where it ends
};
struct FieldEnd {
  double t, sign;
  const FieldSurface* surface;
};

// How finely: of the reference integrals over v, nodes along a line.
struct FieldOrders {
  double tolerance;
  int lines, nodes;
};
FieldOrders field_orders(int level) {
  constexpr std::array<FieldOrders, 6> kOrders = {
      {{1e-2, 4, 5}, {1e-3, 5, 7}, {1e-4, 6, 10}, {1e-5, 7, 14}, {1e-6, 8, 18}, {1e-7, 10, 24}}};
  return kOrders[static_cast<std::size_t>(level)];
}

// Flat at both ends, where a field may go like a root.
double flat_ends(double w) { return w * w * (3 - 2 * w); }
double flat_ends_slope(double w) { return 6 * w * (1 - w); }

class SolidField : public ColumnField {
 public:
  SolidField(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
             const Pose<double>& X_WJ, const Vec3d& n, const Vec3d& p_WC,
             const Symmetric3<double>& spread);
  void cover(const ColumnRule& rule, std::vector<ColumnNode>* nodes) const override;

 private:
  using Sums = Eigen::Vector3d;  // reference integrals: depth, its first moment, its square

  double find_column(double u, double v, std::vector<FieldEnd>* ends, std::size_t* kind) const;
  double find_depth(double u, double v, std::size_t* kind) const {
    return find_column(u, v, nullptr, kind);
  }
  void find_knots(double v, std::vector<double>* knots) const;
  void add_wall_knots(const Conic& g, std::vector<double>* knots) const;
  void refine_knots(double v, int nodes, std::vector<double>* knots) const;
  bool is_empty(double v) const;
  void find_range(double middle, double reach);
  Sums cover_line(double v, double weight, const ColumnRule& rule,
                  std::vector<ColumnNode>* nodes) const;
  Sums cover_panel(double from, double to, const ColumnRule& rule,
                   std::vector<ColumnNode>* nodes) const;
  void cover_range(double from, double to, const Sums& whole, double total, int depth,
                   const ColumnRule& rule, std::vector<ColumnNode>* nodes) const;
  void add_walls(double u, double v, double weight, std::vector<ColumnNode>* nodes) const;
  ColumnNode make_node(double u, double v, double area, const std::vector<FieldEnd>& ends,
                       bool with_slopes) const;

  Mat3d R_WF_;  // u, v, n
  std::vector<FieldCells> cells_;
  double reach_u_ = 0, reach_v_ = 0;  // radii of gyration
  double low_ = 0, high_ = 0;         // of v
  std::vector<double> ends_;          // of the lumps, in v
};

Conic slice_of(const FieldSurface& surface, double v) {
  const Quadric& g = surface.g;
  Conic conic = {g.A.xx,
                 g.A.xz,
                 g.A.zz,
                 g.b.x() + g.A.xy * v,
                 g.b.z() + g.A.yz * v,
                 g.c + v * (2 * g.b.y() + g.A.yy * v)};
  if (surface.is_wall) conic.xy = conic.yy = conic.y = 0;
  return conic;
}

SolidField::SolidField(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
                       const Pose<double>& X_WJ, const Vec3d& n, const Vec3d& p_WC,
                       const Symmetric3<double>& spread) {
  Vec3d u, v;
  make_basis(n, &u, &v);
  // Lines along the longer side of the patch; mixed, so that they are not along an edge.
  const Vec3d turned_u = 0.8 * u + 0.6 * v;
  v = 0.8 * v - 0.6 * u;
  u = turned_u;
  R_WF_ << u, v, n;
  const auto seen = [&](const Pose<double>& X) {
    return Pose<double>{R_WF_.transpose() * X.R_WB, R_WF_.transpose() * (X.p_WB - p_WC)};
  };
  const Pose<double> X_FI = seen(X_WI), X_FJ = seen(X_WJ);
  const auto add = [](const Cell& cell, const Pose<double>& X, bool of_j, FieldCells* all) {
    for (const Primitive& p : cell.primitives) {
      FieldSurface s{p.g.moved(X), of_j, false};
      const Quadric& g = s.g;
      const double size = std::abs(g.A.xx) + std::abs(g.A.yy);
      s.is_wall = std::abs(g.A.xz) + std::abs(g.A.yz) + std::abs(g.A.zz) <= kUprightWall * size &&
                  std::abs(2 * g.b.z()) < kUprightWall;
      all->surfaces.push_back(s);
    }
  };
  reach_u_ = std::sqrt(std::max(0.0, u.dot(spread * u)));
  reach_v_ = std::sqrt(std::max(0.0, v.dot(spread * v)));
  struct Lump {
    double middle, reach;
  };
  std::vector<Lump> lumps;
  for (const SignedCell& a : i) {
    for (const SignedCell& b : j) {
      if (i.size() * j.size() > 1) {
        // Where each two cells meet: together they may be lumps that lie far apart.
        const CellMoments m =
            detail::calc_cell_pair(a.cell, X_WI, b.cell, X_WJ, {1e-4, 400}, false).moments;
        if (!(m.volume > 0)) continue;
        lumps.push_back({v.dot(m.centroid - p_WC), std::sqrt(v.dot(m.M * v) / m.volume)});
      }
      FieldCells pair;
      pair.sign = a.sign * b.sign;
      add(a.cell, X_FI, false, &pair);
      add(b.cell, X_FJ, true, &pair);
      cells_.push_back(std::move(pair));
    }
  }
  for (const Lump& lump : lumps) find_range(lump.middle, lump.reach);
  if (lumps.empty()) find_range(0, reach_v_);
}

double SolidField::find_column(double u, double v, std::vector<FieldEnd>* ends,
                               std::size_t* kind) const {
  const Vec3d p(u, v, 0), d(0, 0, 1);
  double depth = 0;
  std::size_t mark = 0;
  if (ends) ends->clear();
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const FieldCells& cells = cells_[c];
    FieldPiece list[kMostPieces] = {{-kInfinity, kInfinity, -1, -1}}, next[kMostPieces];
    int count = 1;
    for (std::size_t s = 0; s < cells.surfaces.size() && count > 0; ++s) {
      const LineIntervals inside = calc_line_intervals(cells.surfaces[s].g, p, d);
      int kept = 0;
      for (int k = 0; k < count; ++k) {
        for (int m = 0; m < inside.count && kept < kMostPieces; ++m) {
          FieldPiece piece = list[k];
          if (inside.from[m] > piece.from) {
            piece.from = inside.from[m];
            piece.low = static_cast<int>(s);
          }
          if (inside.to[m] < piece.to) {
            piece.to = inside.to[m];
            piece.high = static_cast<int>(s);
          }
          if (piece.from < piece.to) next[kept++] = piece;
        }
      }
      std::copy(next, next + kept, list);
      count = kept;
    }
    for (int k = 0; k < count; ++k) {
      const FieldPiece& piece = list[k];
      if (piece.low < 0 || piece.high < 0) continue;
      depth += cells.sign * (piece.to - piece.from);
      mark = mark * 1000003 + (c + 1) * 4099 + static_cast<std::size_t>(piece.low) * 64 +
             static_cast<std::size_t>(piece.high) + 1;
      if (!ends) continue;
      const auto& all = cells.surfaces;
      ends->push_back({piece.from, -cells.sign, &all[static_cast<std::size_t>(piece.low)]});
      ends->push_back({piece.to, cells.sign, &all[static_cast<std::size_t>(piece.high)]});
    }
  }
  if (kind) *kind = mark;
  return std::max(depth, 0.0);
}

// Roots of a x^2 + 2 b x + c.
void add_roots(double a, double b, double c, std::vector<double>* roots) {
  if (std::abs(a) < 1e-14 * (std::abs(b) + std::abs(a))) {
    if (b != 0) roots->push_back(-0.5 * c / b);
    return;
  }
  const double d = b * b - a * c;
  if (!(d >= 0)) return;
  const double q = -(b + std::copysign(std::sqrt(d), b));
  roots->push_back(q / a);
  if (q != 0) roots->push_back(c / q);
}

void SolidField::add_wall_knots(const Conic& g, std::vector<double>* knots) const {
  // Where the surface stands upright: the discriminant in t, or the surface itself.
  if (g.yy == 0 && g.xy == 0 && g.y == 0) {
    add_roots(g.xx, g.x, g.c, knots);
  } else {
    add_roots(g.xy * g.xy - g.yy * g.xx, g.xy * g.y - g.yy * g.x, g.y * g.y - g.yy * g.c, knots);
  }
}

// Places on a line where columns may change their kind; more than there are do no harm.
void SolidField::find_knots(double v, std::vector<double>* knots) const {
  knots->clear();
  for (const FieldCells& cells : cells_) {
    for (std::size_t a = 0; a < cells.surfaces.size(); ++a) {
      const Conic p = slice_of(cells.surfaces[a], v);
      add_wall_knots(p, knots);
      const bool p_flat = p.xx == 0 && p.xy == 0 && p.yy == 0;
      for (std::size_t b = 0; b < a; ++b) {
        const Conic q = slice_of(cells.surfaces[b], v);
        const bool q_flat = q.xx == 0 && q.xy == 0 && q.yy == 0;
        if (p_flat || q_flat) {
          const Conic &line = p_flat ? p : q, &other = p_flat ? q : p;
          if (line.y == 0) continue;  // a wall has its own knots
          // t = k + m u on the line
          const double k = -0.5 * line.c / line.y, m = -line.x / line.y;
          add_roots(other.xx + m * (2 * other.xy + m * other.yy),
                    other.x + m * other.y + k * (other.xy + m * other.yy),
                    other.c + k * (2 * other.y + k * other.yy), knots);
        } else {
          Vec2 points[4];
          const bool p_ellipse = p.xx * p.yy > p.xy * p.xy && p.xx > 0;
          const int count = p_ellipse ? detail::find_common_points(p, q, points)
                                      : detail::find_common_points(q, p, points);
          for (int m = 0; m < count; ++m) knots->push_back(points[m].x);
        }
      }
    }
  }
  std::erase_if(*knots, [](double u) { return !std::isfinite(u); });
  std::sort(knots->begin(), knots->end());
  // Only those beside a column; a knot within rounding of the last is the same.
  thread_local std::vector<double> kept;
  kept.clear();
  const double same = 1e-12 * (reach_u_ + reach_v_);
  for (std::size_t k = 0; k < knots->size(); ++k) {
    const double u = (*knots)[k];
    if (!kept.empty() && u - kept.back() < same) continue;
    kept.push_back(u);
  }
  knots->clear();
  bool was_in = false;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const bool is_in =
        k + 1 < kept.size() && find_depth(0.5 * (kept[k] + kept[k + 1]), v, nullptr) > 0;
    if (is_in || was_in) knots->push_back(kept[k]);
    was_in = is_in;
  }
}

// Where a panel has columns of two kinds after all, the place between is found by halving.
void SolidField::refine_knots(double v, int nodes, std::vector<double>* knots) const {
  const GaussRule& gauss = gauss_legendre(nodes);
  const std::size_t known = knots->size();
  for (std::size_t k = 0; k + 1 < known; ++k) {
    const double from = (*knots)[k], length = (*knots)[k + 1] - from;
    double last = 0;
    std::size_t last_kind = 0;
    for (int m = 0; m < gauss.order; ++m) {
      const double u = from + length * flat_ends(gauss.node[static_cast<std::size_t>(m)]);
      std::size_t kind = 0;
      find_depth(u, v, &kind);
      if (m > 0 && kind != last_kind) {
        double a = last, b = u;
        for (int step = 0; step < 45; ++step) {
          const double middle = 0.5 * (a + b);
          std::size_t there = 0;
          find_depth(middle, v, &there);
          (there == last_kind ? a : b) = middle;
        }
        knots->push_back(b);
      }
      last = u;
      last_kind = kind;
    }
  }
  if (knots->size() > known) std::sort(knots->begin(), knots->end());
}

bool SolidField::is_empty(double v) const {
  thread_local std::vector<double> knots;
  find_knots(v, &knots);
  return knots.empty();
}

// A lump lies about its centroid: lines within five radii of gyration, the ends by halving.
void SolidField::find_range(double middle, double reach) {
  constexpr int kLines = 20;
  constexpr double kStep = 5.0 / kLines;
  if (!(reach > 0)) return;
  int first = kLines + 1, last = -kLines - 1;
  for (int k = -kLines; k <= kLines; ++k) {
    if (is_empty(middle + kStep * reach * k)) continue;
    first = std::min(first, k);
    last = std::max(last, k);
  }
  if (first > last) return;
  const auto find_end = [&](int inside, int step) {
    double in = middle + kStep * reach * inside, out = middle + kStep * reach * (inside + step);
    for (int k = 0; k < 40; ++k) {
      const double half = 0.5 * (in + out);
      (is_empty(half) ? out : in) = half;
    }
    return out;
  };
  ends_.push_back(find_end(first, -1));
  ends_.push_back(find_end(last, 1));
  low_ = *std::min_element(ends_.begin(), ends_.end());
  high_ = *std::max_element(ends_.begin(), ends_.end());
}

ColumnNode SolidField::make_node(double u, double v, double area, const std::vector<FieldEnd>& ends,
                                 bool with_slopes) const {
  ColumnNode node;
  node.s = u * R_WF_.col(0) + v * R_WF_.col(1);
  node.area = area;
  node.depth = 0;
  for (const FieldEnd& end : ends) {
    node.depth += end.sign * end.t;
    if (!with_slopes) continue;
    const Vec3d x(u, v, end.t), N = end.surface->g.gradient(x);
    // A wall, or the very silhouette: no first-order change along n.
    if (std::abs(N.z()) < 1e-9 * N.norm()) continue;
    const Vec3d moved = R_WF_ * Vec3d(N * (end.sign / N.z())), turned = (R_WF_ * x).cross(moved);
    auto& by = end.surface->of_j ? node.by_j : node.by_i;
    for (int k = 0; k < 3; ++k) {
      by[static_cast<std::size_t>(k)] += moved[k];
      by[static_cast<std::size_t>(k + 3)] += turned[k];
    }
  }
  node.depth = std::max(node.depth, 0.0);
  return node;
}

// The border at a wall: what its motion adds on the inside and takes from the outside.
void SolidField::add_walls(double u, double v, double weight,
                           std::vector<ColumnNode>* nodes) const {
  thread_local std::vector<FieldEnd> ends;
  const double beside = 1e-9 * (reach_u_ + reach_v_);
  const FieldSurface* wall = nullptr;
  for (const FieldCells& cells : cells_) {
    for (const FieldSurface& s : cells.surfaces) {
      const Vec3d N = s.g.gradient(Vec3d(u, v, 0));
      if (s.is_wall && std::abs(s.g(Vec3d(u, v, 0))) <= 1e-9 * N.norm() * (reach_u_ + reach_v_)) {
        wall = &s;
      }
    }
  }
  if (!wall) return;
  const Vec3d N = wall->g.gradient(Vec3d(u, v, 0));
  if (!(std::abs(N.x()) > 1e-6 * N.norm())) return;
  for (const double side : {-1.0, 1.0}) {
    const double depth = find_column(u + side * beside, v, &ends, nullptr);
    if (!(depth > 0)) continue;
    double middle = 0;
    for (const FieldEnd& end : ends) middle += end.t / static_cast<double>(ends.size());
    ColumnNode node;
    node.s = u * R_WF_.col(0) + v * R_WF_.col(1);
    node.depth = depth;
    node.area = 0;
    node.is_border = true;
    // Outward of the wall's body is along N; columns on its inner side gain what it sweeps.
    const double gain = side * N.x() < 0 ? weight : -weight;
    const Vec3d moved = R_WF_ * Vec3d(N * (gain / std::abs(N.x())));
    const Vec3d turned = (node.s + middle * R_WF_.col(2)).cross(moved);
    auto& by = wall->of_j ? node.by_j : node.by_i;
    for (int k = 0; k < 3; ++k) {
      by[static_cast<std::size_t>(k)] += moved[k];
      by[static_cast<std::size_t>(k + 3)] += turned[k];
    }
    nodes->push_back(node);
  }
}

SolidField::Sums SolidField::cover_line(double v, double weight, const ColumnRule& rule,
                                        std::vector<ColumnNode>* nodes) const {
  thread_local std::vector<double> knots;
  thread_local std::vector<FieldEnd> ends;
  const FieldOrders orders = field_orders(rule.level);
  find_knots(v, &knots);
  if (knots.size() < 2) return Sums::Zero();
  refine_knots(v, orders.nodes, &knots);
  if (rule.with_slopes) {
    for (const double u : knots) add_walls(u, v, weight, nodes);
  }
  if (rule.cut > 0) {
    const double u_still = R_WF_.col(0).dot(rule.still), v_still = R_WF_.col(1).dot(rule.still);
    const double low = knots.front(), high = knots.back();
    const auto add = [&](double u) {
      if (u > low && u < high) knots.push_back(u);
    };
    add(u_still);
    double r = std::max(rule.cut, std::abs(v - v_still));
    for (int k = 0; k < 20 && r < high - low + std::abs(u_still); ++k, r *= 3) {
      add(u_still - r);
      add(u_still + r);
    }
    std::sort(knots.begin(), knots.end());
  }
  const GaussRule& gauss = gauss_legendre(orders.nodes);
  Sums sums = Sums::Zero();
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    const double from = knots[k], length = knots[k + 1] - from;
    if (!(length > 0) || !(find_depth(from + 0.5 * length, v, nullptr) > 0)) continue;
    for (int m = 0; m < gauss.order; ++m) {
      const double w = gauss.node[static_cast<std::size_t>(m)];
      const double u = from + length * flat_ends(w);
      const double area =
          weight * length * flat_ends_slope(w) * gauss.weight[static_cast<std::size_t>(m)];
      find_column(u, v, &ends, nullptr);
      const ColumnNode node = make_node(u, v, area, ends, rule.with_slopes);
      sums += area * node.depth * Sums(1, u / reach_u_, node.depth);
      nodes->push_back(node);
    }
  }
  return sums;
}

// From and to in w, v = low + (high - low) flat_ends(w).
SolidField::Sums SolidField::cover_panel(double from, double to, const ColumnRule& rule,
                                         std::vector<ColumnNode>* nodes) const {
  const GaussRule& gauss = gauss_legendre(field_orders(rule.level).lines);
  Sums sums = Sums::Zero();
  for (int k = 0; k < gauss.order; ++k) {
    const double w = from + (to - from) * gauss.node[static_cast<std::size_t>(k)];
    const double weight = gauss.weight[static_cast<std::size_t>(k)] * (to - from) *
                          flat_ends_slope(w) * (high_ - low_);
    sums += cover_line(low_ + (high_ - low_) * flat_ends(w), weight, rule, nodes);
  }
  return sums;
}

// `whole`: the sums of the panel, whose nodes are the last in the list. Halved until the halves
// agree with it.
void SolidField::cover_range(double from, double to, const Sums& whole, double total, int depth,
                             const ColumnRule& rule, std::vector<ColumnNode>* nodes) const {
  std::vector<ColumnNode> left, right;
  const double middle = 0.5 * (from + to);
  const Sums a = cover_panel(from, middle, rule, &left), b = cover_panel(middle, to, rule, &right);
  const Sums error = a + b - whole, size = a + b;
  const double scale = size[0] > 0 ? size[2] / size[0] : 1;
  const double most = std::max(
      {std::abs(error[0]), std::abs(error[1]), std::abs(error[2]) / std::max(scale, 1e-300)});
  if (depth > 0 && most > field_orders(rule.level).tolerance * total) {
    cover_range(from, middle, a, total, depth - 1, rule, nodes);
    cover_range(middle, to, b, total, depth - 1, rule, nodes);
    return;
  }
  nodes->insert(nodes->end(), left.begin(), left.end());
  nodes->insert(nodes->end(), right.begin(), right.end());
}

void SolidField::cover(const ColumnRule& rule, std::vector<ColumnNode>* nodes) const {
  if (!(high_ > low_)) return;
  std::vector<double> knots = {0, 1};
  const auto add = [&](double v) {
    if (!(v > low_ && v < high_)) return;
    double a = 0, b = 1;
    for (int k = 0; k < 50; ++k) {
      const double w = 0.5 * (a + b);
      (low_ + (high_ - low_) * flat_ends(w) < v ? a : b) = w;
    }
    knots.push_back(b);
  };
  for (const double v : ends_) add(v);
  if (rule.cut > 0) {
    const double v_still = R_WF_.col(1).dot(rule.still);
    add(v_still);
    double r = rule.cut;
    for (int k = 0; k < 20 && r < high_ - low_; ++k, r *= 3) {
      add(v_still - r);
      add(v_still + r);
    }
  }
  std::sort(knots.begin(), knots.end());
  std::vector<ColumnNode> unused;
  std::vector<Sums> whole;
  double total = 0;
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    whole.push_back(cover_panel(knots[k], knots[k + 1], rule, &unused));
    unused.clear();
    total += whole.back()[0];
  }
  constexpr int kMostHalvings = 14;
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    cover_range(knots[k], knots[k + 1], whole[k], total, kMostHalvings, rule, nodes);
  }
}

}  // namespace

std::unique_ptr<ColumnField> make_column_field(const SolidParts& i, const Pose<double>& X_WI,
                                               const SolidParts& j, const Pose<double>& X_WJ,
                                               const Vec3d& n_W, const Vec3d& p_WC,
                                               const Symmetric3<double>& spread_W) {
  return std::make_unique<SolidField>(i, X_WI, j, X_WJ, n_W, p_WC, spread_W);
}

}  // namespace vesica
