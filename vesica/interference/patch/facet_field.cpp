// Columns between plane faces: the faces above and below are laid over each other, seen along n;
// over every piece of that overlay the depth is linear.
#include <algorithm>
#include <cmath>

#include "vesica/interference/patch/column_field.h"
#include "vesica/interference/polyhedra/shared_polyhedron.h"
#include "vesica/math/gauss_legendre.h"

namespace vesica {
namespace {

using FacetPoint = Eigen::Vector2d;
// A corner with the line of the edge that leaves it. After many cuts a corner is known to rounding,
// and so is where a short edge is, but not its direction: polygons are cut by the lines of the
// faces that they come from.
struct FacetCorner {
  FacetPoint p, from, to;
};
using FacetPolygon = std::vector<FacetCorner>;  // convex, anticlockwise

// A face's normal this square to n is along n but for rounding.
constexpr double kUprightFacet = 1e-12;
// Below this part of the patch a piece is a sliver of rounding.
constexpr double kSliver = 1e-14;

double facet_cross(const FacetPoint& a, const FacetPoint& b) {
  return a.x() * b.y() - a.y() * b.x();
}

double calc_facet_area(const FacetPolygon& c) {
  double area = 0;
  for (std::size_t k = 1; k + 1 < c.size(); ++k) {
    area += 0.5 * facet_cross(c[k].p - c[0].p, c[k + 1].p - c[0].p);
  }
  return area;
}

// The parts left and right of the line from a to b.
void split_facet(const FacetPolygon& polygon, const FacetPoint& a, const FacetPoint& b,
                 FacetPolygon* left, FacetPolygon* right) {
  left->clear();
  right->clear();
  const FacetPoint e = b - a;
  const std::size_t count = polygon.size();
  // Once for each corner: computed twice it may differ in its last digit, and a corner be lost.
  thread_local std::vector<double> side;
  side.resize(count);
  for (std::size_t k = 0; k < count; ++k) side[k] = facet_cross(e, polygon[k].p - a);
  for (std::size_t k = 0; k < count; ++k) {
    const FacetCorner &at = polygon[k], &next = polygon[k + 1 < count ? k + 1 : 0];
    const double x = side[k], y = side[k + 1 < count ? k + 1 : 0];
    if (x > 0 || (x == 0 && y >= 0)) left->push_back(at);
    if (x == 0 && y < 0) left->push_back({at.p, a, b});
    if (x < 0 || (x == 0 && y <= 0)) right->push_back(at);
    if (x == 0 && y > 0) right->push_back({at.p, b, a});
    if ((x > 0 && y < 0) || (x < 0 && y > 0)) {
      const FacetPoint cut = at.p + x / (x - y) * (next.p - at.p);
      left->push_back(x > 0 ? FacetCorner{cut, a, b} : FacetCorner{cut, at.from, at.to});
      right->push_back(x > 0 ? FacetCorner{cut, at.from, at.to} : FacetCorner{cut, b, a});
    }
  }
}

struct FacetBox {
  FacetPoint low, high;
  explicit FacetBox(const FacetPolygon& p) : low(p[0].p), high(p[0].p) {
    for (const FacetCorner& x : p) {
      low = low.cwiseMin(x.p);
      high = high.cwiseMax(x.p);
    }
  }
  bool meets(const FacetBox& o) const {
    return (low.array() < o.high.array()).all() && (o.low.array() < high.array()).all();
  }
};

// Where columns end on a plane: at the height offset - slope.s over the point s; `sign` +1 at their
// upper ends. slope = N/(N.n).
struct FacetEnd {
  Vec3d slope;
  double offset, sign;
  bool of_j;
};

struct FacetPiece {
  FacetPolygon polygon;
  std::vector<FacetEnd> ends;
};

// A face along n, seen from above a line: corners (along it, height).
struct FacetBorder {
  Vec3d normal, along;
  double distance;  // normal.x on the face
  std::vector<FacetPoint> polygon;
  bool of_j;
};

// Whether the overlap is worth a cut; `whole` receives it.
bool find_common_facet(const FacetPolygon& a, const FacetPolygon& b, double sliver,
                       FacetPolygon* common) {
  FacetPolygon left, right;
  *common = a;
  for (std::size_t k = 0; k < b.size(); ++k) {
    split_facet(*common, b[k].from, b[k].to, &left, &right);
    if (left.size() < 3) return false;
    common->swap(left);
  }
  return calc_facet_area(*common) > sliver;
}

// What of a is not in b, in convex parts: f(polygon).
template <class F>
void cut_away(const FacetPolygon& a, const FacetPolygon& b, double sliver, const F& f) {
  FacetPolygon rest = a, left, right;
  for (std::size_t k = 0; k < b.size(); ++k) {
    split_facet(rest, b[k].from, b[k].to, &left, &right);
    if (right.size() >= 3 && calc_facet_area(right) > sliver) f(right);
    if (left.size() < 3) return;
    rest.swap(left);
  }
}

class FacetField : public ColumnField {
 public:
  explicit FacetField(const Vec3d& n) : n_(n) { make_basis(n, &u_, &v_); }

  // A face of the shared volume with the ends that its columns have there; corners from p_C.
  // `alone`: no face before it lies over the same place.
  void add_face(const std::vector<Vec3d>& corners, const Vec3d& normal, bool of_j, bool alone,
                const FacetEnd* opposite);
  // Pieces whose columns have as many upper as lower ends.
  void finish();
  void set_box(const Box<double>& box, const Pose<double>& X_WI, const Vec3d& p_WC) {
    has_size_ = true;
    size_ = box.size;
    R_WI_ = X_WI.R_WB;
    centre_ = X_WI.p_WB - p_WC;
  }

  void cover(const ColumnRule& rule, std::vector<ColumnNode>* nodes) const override;

 private:
  FacetPoint flat(const Vec3d& x) const { return {u_.dot(x), v_.dot(x)}; }
  Vec3d lifted(const FacetPoint& p) const { return p.x() * u_ + p.y() * v_; }
  void lay_over(FacetPiece face);
  void cover_triangle(const FacetPiece& piece, const FacetPoint& a, const FacetPoint& b,
                      const FacetPoint& c, const ColumnRule& rule, int depth,
                      std::vector<ColumnNode>* nodes) const;
  void cover_border(const FacetBorder& border, int order, std::vector<ColumnNode>* nodes) const;
  // `moved`: how far what sits at x goes per velocity there, a vector; added to the node's slopes.
  void add_slopes(const Vec3d& x, const Vec3d& moved, bool of_j, ColumnNode* node) const;

  Vec3d n_, u_, v_;
  std::vector<FacetPiece> pieces_;
  std::vector<FacetBorder> borders_;
  double extent2_ = 0;  // of the patch, squared
  bool has_size_ = false;
  Vec3d size_, centre_;
  Mat3d R_WI_;
};

void FacetField::add_face(const std::vector<Vec3d>& corners, const Vec3d& normal, bool of_j,
                          bool alone, const FacetEnd* opposite) {
  if (corners.size() < 3) return;
  const double rise = normal.dot(n_);
  for (const Vec3d& x : corners) extent2_ = std::max(extent2_, flat(x).squaredNorm());
  if (std::abs(rise) < kUprightFacet) {
    FacetBorder border;
    border.normal = normal;
    border.along = n_.cross(normal).normalized();
    border.distance = normal.dot(corners[0]);
    border.of_j = of_j;
    for (const Vec3d& x : corners) border.polygon.emplace_back(border.along.dot(x), n_.dot(x));
    borders_.push_back(std::move(border));
    return;
  }
  FacetPiece face;
  std::vector<FacetPoint> outline;
  for (const Vec3d& x : corners) outline.push_back(flat(x));
  if (rise < 0) std::reverse(outline.begin(), outline.end());
  for (std::size_t k = 0; k < outline.size(); ++k) {
    const FacetPoint& next = outline[k + 1 < outline.size() ? k + 1 : 0];
    if (next != outline[k]) face.polygon.push_back({outline[k], outline[k], next});
  }
  if (!(calc_facet_area(face.polygon) > kSliver * extent2_)) return;
  face.ends.push_back({normal / rise, normal.dot(corners[0]) / rise, rise > 0 ? 1.0 : -1.0, of_j});
  if (opposite) {
    face.ends.push_back(*opposite);
    face.ends.back().sign = rise > 0 ? -1.0 : 1.0;
  }
  if (alone) {
    pieces_.push_back(std::move(face));
  } else {
    lay_over(std::move(face));
  }
}

void FacetField::lay_over(FacetPiece face) {
  const double sliver = kSliver * extent2_;
  std::vector<FacetPolygon> rest = {face.polygon};
  std::vector<FacetPiece> result;
  FacetPolygon common;
  const FacetBox box(face.polygon);
  for (FacetPiece& piece : pieces_) {
    if (!FacetBox(piece.polygon).meets(box) ||
        !find_common_facet(piece.polygon, face.polygon, sliver, &common)) {
      result.push_back(std::move(piece));
      continue;
    }
    cut_away(piece.polygon, face.polygon, sliver, [&](const FacetPolygon& part) {
      result.push_back({part, piece.ends});
    });
    std::vector<FacetPolygon> left;
    for (const FacetPolygon& part : rest) {
      cut_away(part, piece.polygon, sliver, [&](const FacetPolygon& p) { left.push_back(p); });
    }
    rest.swap(left);
    FacetPiece both{common, std::move(piece.ends)};
    both.ends.insert(both.ends.end(), face.ends.begin(), face.ends.end());
    result.push_back(std::move(both));
  }
  for (FacetPolygon& part : rest) result.push_back({std::move(part), face.ends});
  pieces_.swap(result);
}

void FacetField::finish() {
  std::erase_if(pieces_, [](const FacetPiece& piece) {
    double balance = 0;
    for (const FacetEnd& end : piece.ends) balance += end.sign;
    return balance != 0;
  });
}

void FacetField::add_slopes(const Vec3d& x, const Vec3d& moved, bool of_j, ColumnNode* node) const {
  const Vec3d turned = x.cross(moved);
  auto& by = of_j ? node->by_j : node->by_i;
  for (int k = 0; k < 3; ++k) {
    by[static_cast<std::size_t>(k)] += moved[k];
    by[static_cast<std::size_t>(k + 3)] += turned[k];
  }
  if (!has_size_ || of_j) return;
  const Vec3d x_I = R_WI_.transpose() * (x - centre_), moved_I = R_WI_.transpose() * moved;
  for (int k = 0; k < 3; ++k) {
    node->by_size[static_cast<std::size_t>(k)] += moved_I[k] * x_I[k] / size_[k];
  }
}

// Gauss nodes per side of a triangle.
int facet_order(int level) {
  constexpr std::array<int, 6> kOrders = {3, 5, 8, 12, 18, 26};
  return kOrders[static_cast<std::size_t>(level)];
}

// Halved toward the point that does not slip until it is no larger than its distance from there, or
// than the length over which friction turns.
void FacetField::cover_triangle(const FacetPiece& piece, const FacetPoint& a, const FacetPoint& b,
                                const FacetPoint& c, const ColumnRule& rule, int depth,
                                std::vector<ColumnNode>* nodes) const {
  const double area2 = facet_cross(b - a, c - a);
  if (!(area2 > 0)) return;
  if (rule.cut > 0 && depth > 0) {
    const FacetPoint middle = (a + b + c) / 3, still = flat(rule.still);
    const double reach = std::sqrt(std::max(
        {(a - middle).squaredNorm(), (b - middle).squaredNorm(), (c - middle).squaredNorm()}));
    const double away = (middle - still).norm() - reach;
    if (reach > std::max(0.5 * rule.cut, 0.7 * away)) {
      const FacetPoint ab = 0.5 * (a + b), bc = 0.5 * (b + c), ca = 0.5 * (c + a);
      cover_triangle(piece, a, ab, ca, rule, depth - 1, nodes);
      cover_triangle(piece, ab, b, bc, rule, depth - 1, nodes);
      cover_triangle(piece, ca, bc, c, rule, depth - 1, nodes);
      cover_triangle(piece, ab, bc, ca, rule, depth - 1, nodes);
      return;
    }
  }
  const GaussRule& gauss = gauss_legendre(facet_order(rule.level));
  for (int k = 0; k < gauss.order; ++k) {
    const double x = gauss.node[static_cast<std::size_t>(k)];
    for (int m = 0; m < gauss.order; ++m) {
      const double y = gauss.node[static_cast<std::size_t>(m)];
      ColumnNode node;
      node.s = lifted(a + x * ((b - a) + y * (c - b)));
      node.area = area2 * x * gauss.weight[static_cast<std::size_t>(k)] *
                  gauss.weight[static_cast<std::size_t>(m)];
      node.depth = 0;
      for (const FacetEnd& end : piece.ends) {
        const double height = end.offset - end.slope.dot(node.s);
        node.depth += end.sign * height;
        if (rule.with_slopes) {
          add_slopes(node.s + height * n_, end.sign * end.slope, end.of_j, &node);
        }
      }
      node.depth = std::max(node.depth, 0.0);
      nodes->push_back(node);
    }
  }
}

void FacetField::cover_border(const FacetBorder& border, int order,
                              std::vector<ColumnNode>* nodes) const {
  std::vector<double> knots;
  for (const FacetPoint& p : border.polygon) knots.push_back(p.x());
  std::sort(knots.begin(), knots.end());
  const GaussRule& gauss = gauss_legendre(order);
  const Vec3d across = border.normal * border.distance;
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    const double length = knots[k + 1] - knots[k];
    if (!(length > 0)) continue;
    for (int m = 0; m < gauss.order; ++m) {
      const double l = knots[k] + length * gauss.node[static_cast<std::size_t>(m)];
      double low = kInfinity, high = -kInfinity;
      for (std::size_t e = 0; e < border.polygon.size(); ++e) {
        const FacetPoint &p = border.polygon[e],
                         &q = border.polygon[e + 1 < border.polygon.size() ? e + 1 : 0];
        if ((p.x() < l) == (q.x() < l)) continue;
        const double z = p.y() + (l - p.x()) / (q.x() - p.x()) * (q.y() - p.y());
        low = std::min(low, z);
        high = std::max(high, z);
      }
      if (!(high > low)) continue;
      ColumnNode node;
      const Vec3d x = across + l * border.along + 0.5 * (low + high) * n_;
      node.s = x - n_ * n_.dot(x);
      node.depth = high - low;
      node.area = 0;
      node.is_border = true;
      const double weight = length * gauss.weight[static_cast<std::size_t>(m)];
      add_slopes(x, weight * border.normal, border.of_j, &node);
      nodes->push_back(node);
    }
  }
}

void FacetField::cover(const ColumnRule& rule, std::vector<ColumnNode>* nodes) const {
  constexpr int kMostHalvings = 24;
  for (const FacetPiece& piece : pieces_) {
    const FacetPolygon& p = piece.polygon;
    for (std::size_t k = 1; k + 1 < p.size(); ++k) {
      cover_triangle(piece, p[0].p, p[k].p, p[k + 1].p, rule, kMostHalvings, nodes);
    }
  }
  if (!rule.with_slopes) return;
  for (const FacetBorder& border : borders_) cover_border(border, facet_order(rule.level), nodes);
}

// What of a face lies below the height `top` along n.
void clip_below(std::vector<Vec3d>* corners, const Vec3d& n, double top) {
  std::vector<Vec3d> wet;
  const std::size_t count = corners->size();
  std::vector<double> height;
  for (const Vec3d& x : *corners) height.push_back(n.dot(x) - top);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t l = k + 1 < count ? k + 1 : 0;
    if (height[k] < 0) wet.push_back((*corners)[k]);
    if ((height[k] < 0) == (height[l] < 0)) continue;
    const std::size_t in = height[k] < 0 ? k : l, out = in == k ? l : k;
    wet.push_back((*corners)[in] +
                  height[in] / (height[in] - height[out]) * ((*corners)[out] - (*corners)[in]));
  }
  corners->swap(wet);
}

// The faces of a body under a plane: every one ends columns that end on the plane, too, or would
// but for another face.
struct WetFace {
  std::vector<Vec3d> corners;
  Vec3d normal;
};
std::unique_ptr<FacetField> make_wet_field(std::vector<WetFace> faces, const Vec3d& n, double top) {
  auto field = std::make_unique<FacetField>(n);
  const FacetEnd plane = {n, top, 1, true};
  bool overhangs = false;
  for (WetFace& face : faces) {
    clip_below(&face.corners, n, top);
    if (face.corners.size() >= 3) overhangs = overhangs || face.normal.dot(n) > kUprightFacet;
  }
  for (const WetFace& face : faces) {
    field->add_face(face.corners, face.normal, false, !overhangs, &plane);
  }
  return field;
}

}  // namespace

std::unique_ptr<ColumnField> make_column_field(const ConvexPolyhedron& i, const Pose<double>& X_WI,
                                               const ConvexPolyhedron& j, const Pose<double>& X_WJ,
                                               const Vec3d& n_W, const Vec3d& p_WC) {
  auto field = std::make_unique<FacetField>(n_W);
  detail::SharedPolyhedron shared;
  if (!shared.build(i, X_WI, j, X_WJ)) return field;
  const Vec3d shift = shared.centroid_W() - p_WC;
  std::vector<Vec3d> corners;
  // Lower faces first: they do not lie over each other.
  for (const bool lower : {true, false}) {
    for (const detail::SharedFace& face : shared.faces()) {
      if ((face.normal.dot(n_W) < 0) != lower) continue;
      corners.clear();
      for (std::int32_t k = face.begin; k < face.end; ++k) {
        corners.push_back(shared.vertex(k) + shift);
      }
      field->add_face(corners, face.normal, face.of_j, lower, nullptr);
    }
  }
  field->finish();
  return field;
}

std::unique_ptr<ColumnField> make_column_field(const TriangleMesh& mesh, const Pose<double>& X_WI,
                                               const Pose<double>& X_WJ, const Vec3d& p_WC) {
  const Vec3d n = X_WJ.R_WB.col(2);
  const double top = n.dot(X_WJ.p_WB - p_WC);
  std::vector<WetFace> faces;
  const auto& vertices = mesh.vertices();
  for (const auto& t : mesh.triangles()) {
    WetFace face;
    double lowest = kInfinity;
    for (int k = 0; k < 3; ++k) {
      face.corners.push_back(X_WI * vertices[static_cast<std::size_t>(t[k])] - p_WC);
      lowest = std::min(lowest, n.dot(face.corners.back()));
    }
    if (lowest >= top) continue;
    const Vec3d area = (face.corners[1] - face.corners[0]).cross(face.corners[2] - face.corners[0]);
    if (!(area.norm() > 0)) continue;
    face.normal = area.normalized();
    faces.push_back(std::move(face));
  }
  return make_wet_field(std::move(faces), n, top);
}

std::unique_ptr<ColumnField> make_column_field(const Box<double>& box, const Pose<double>& X_WI,
                                               const Pose<double>& X_WJ, const Vec3d& p_WC) {
  const Vec3d n = X_WJ.R_WB.col(2);
  std::vector<WetFace> faces;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-0.5, 0.5}) {
      WetFace face;
      const int a = (axis + 1) % 3, b = (axis + 2) % 3;
      constexpr double kTurn[4][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
      for (int k = 0; k < 4; ++k) {
        const auto& corner = kTurn[side > 0 ? k : 3 - k];
        Vec3d x;
        x[axis] = side * box.size[axis];
        x[a] = corner[0] * box.size[a];
        x[b] = corner[1] * box.size[b];
        face.corners.push_back(X_WI * x - p_WC);
      }
      face.normal = (side > 0 ? 1.0 : -1.0) * X_WI.R_WB.col(axis);
      faces.push_back(std::move(face));
    }
  }
  auto field = make_wet_field(std::move(faces), n, n.dot(X_WJ.p_WB - p_WC));
  field->set_box(box, X_WI, p_WC);
  return field;
}

}  // namespace vesica
