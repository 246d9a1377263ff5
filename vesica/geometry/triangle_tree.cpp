#include "vesica/geometry/triangle_tree.h"

#include <numeric>

#include "vesica/geometry/bounds.h"

namespace vesica {

namespace {

using Moments = ConeSums::Moments;

// Moments of points from where they were counted, to a place from which that is at s. Three corners
// are behind every weight: s counts three times in the sum of the corners, and with
//   sum x x^T + (sum x)(sum x)^T  for  x + s:  + 4 (s (sum x)^T + (sum x) s^T) + 12 s s^T
Moments shift(const Moments& p, const Vec3d& s) {
  const Vec3d first(p[1], p[2], p[3]), q = 4 * first + 6 * p[0] * s;
  return {p[0],
          p[1] + 3 * p[0] * s.x(),
          p[2] + 3 * p[0] * s.y(),
          p[3] + 3 * p[0] * s.z(),
          p[4] + 2 * s.x() * q.x(),
          p[5] + 2 * s.y() * q.y(),
          p[6] + 2 * s.z() * q.z(),
          p[7] + s.x() * q.y() + s.y() * q.x(),
          p[8] + s.x() * q.z() + s.z() * q.x(),
          p[9] + s.y() * q.z() + s.z() * q.y()};
}

void add_to(Moments* sum, double weight, const Moments& p) {
  for (std::size_t k = 0; k < p.size(); ++k) (*sum)[k] += weight * p[k];
}

// Orders triangles so that four in a row are a leaf, four leaves a box, and so on: a range of
// leaves is parted at a multiple of the largest box that it is longer than, near its middle, along
// the longest side of the centroids' box.
class TriangleSorter {
 public:
  TriangleSorter(std::span<const Vec3d> vertices, std::span<const TriangleTree::Triangle> triangles)
      : order_(triangles.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    centroids_.reserve(triangles.size());
    for (const auto& [i, j, k] : triangles) {
      centroids_.push_back((vertices[i] + vertices[j] + vertices[k]) / 3);
    }
    sort(0, (order_.size() + kLanes - 1) / kLanes);
  }

  const std::vector<std::int32_t>& order() const { return order_; }

 private:
  // Every part has at most three quarters of the leaves, or is a box of its own: the depth is that
  // of the tree, and recursion is safe.
  void sort(std::size_t begin, std::size_t end) {
    if (end - begin <= 1) return;
    std::size_t box = 1;
    while (kLanes * box < end - begin) box *= kLanes;
    const std::size_t boxes = (end - begin + box - 1) / box, middle = begin + box * (boxes / 2);
    const auto first = order_.begin() + static_cast<std::ptrdiff_t>(kLanes * begin);
    const auto last =
        order_.begin() + static_cast<std::ptrdiff_t>(std::min(kLanes * end, order_.size()));
    Vec3d low = centroids_[*first], high = low;
    for (auto t = first; t != last; ++t) {
      low = low.cwiseMin(centroids_[*t]);
      high = high.cwiseMax(centroids_[*t]);
    }
    int axis;
    (high - low).maxCoeff(&axis);
    // Ties go by index, so that the tree is the same on every machine.
    std::nth_element(first, order_.begin() + static_cast<std::ptrdiff_t>(kLanes * middle), last,
                     [&](std::int32_t a, std::int32_t b) {
                       const double x = centroids_[a][axis], y = centroids_[b][axis];
                       return x != y ? x < y : a < b;
                     });
    sort(begin, middle);
    sort(middle, end);
  }

  std::vector<std::int32_t> order_;
  std::vector<Vec3d> centroids_;
};

std::vector<TriangleTree::Boxes> pack_boxes(const std::vector<Bounds>& bounds) {
  std::vector<TriangleTree::Boxes> fours((bounds.size() + kLanes - 1) / kLanes);
  for (std::size_t b = 0; b < kLanes * fours.size(); ++b) {
    TriangleTree::Boxes& four = fours[b / kLanes];
    for (int c = 0; c < 3; ++c) {
      const bool is_used = b < bounds.size();
      four.center[c][b % kLanes] = is_used ? bounds[b].center()[c] : 0;
      four.half[c][b % kLanes] = is_used ? bounds[b].half()[c] : TriangleTree::kNoBox;
    }
  }
  return fours;
}

Vec3d corner_of(const TriangleTree::Leaf& leaf, int triangle, int corner) {
  const auto& x = leaf.corners[corner];
  return {x[0][triangle], x[1][triangle], x[2][triangle]};
}

Lanes lesser(const Lanes& x, const Lanes& y) { return x < y ? x : y; }
Lanes greater(const Lanes& x, const Lanes& y) { return x > y ? x : y; }
int find_least_lane(const Lanes& x) {
  const int a = x[1] < x[0] ? 1 : 0, b = x[3] < x[2] ? 3 : 2;
  return x[b] < x[a] ? b : a;
}
double least_of(const Lanes& x) { return std::min(std::min(x[0], x[1]), std::min(x[2], x[3])); }

}  // namespace

void ConeSums::add_triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const Vec3d s = a + b + c, N = (b - a).cross(c - a);
  Moments p = {1, s.x(), s.y(), s.z()};
  constexpr int kPair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (std::size_t k = 0; k < 6; ++k) {
    const auto [i, j] = kPair[k];
    p[4 + k] = a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + s[i] * s[j];
  }
  add_to(&by_det_, N.dot(a), p);
  for (std::size_t k = 0; k < 3; ++k) add_to(&by_normal_[k], N[static_cast<int>(k)], p);
}

void ConeSums::add_patch(const ConeSums& patch, const Vec3d& s) {
  add_to(&by_det_, 1, patch.calc_moments(s));
  for (std::size_t k = 0; k < 3; ++k) add_to(&by_normal_[k], 1, shift(patch.by_normal_[k], s));
}

Moments ConeSums::calc_moments(const Vec3d& s) const {
  Moments p;
  for (std::size_t k = 0; k < p.size(); ++k) {
    p[k] =
        by_det_[k] + s.x() * by_normal_[0][k] + s.y() * by_normal_[1][k] + s.z() * by_normal_[2][k];
  }
  return shift(p, s);
}

TriangleTree::TriangleTree(std::span<const Vec3d> vertices, std::span<const Triangle> triangles) {
  const TriangleSorter sorter(vertices, triangles);
  triangles_.reserve(triangles.size());
  for (const std::int32_t t : sorter.order()) triangles_.push_back(triangles[t]);

  leaves_.resize((triangles.size() + kLanes - 1) / kLanes);
  std::vector<Bounds> bounds;
  for (std::size_t t = 0; t < kLanes * leaves_.size(); ++t) {
    Triangle corners = triangles_[std::min(t, triangles_.size() - 1)];
    if (t >= triangles_.size()) corners = {corners[0], corners[0], corners[0]};
    const Vec3d& first = vertices[corners[0]];
    if (t % kLanes == 0) bounds.push_back({first, first});
    for (int k = 0; k < 3; ++k) {
      const Vec3d& x = vertices[corners[k]];
      bounds.back() = bounds.back().joined_with({x, x});
      for (int c = 0; c < 3; ++c) leaves_[t / kLanes].corners[k][c][t % kLanes] = x[c];
    }
  }

  levels_.push_back({pack_boxes(bounds), {}});
  while (levels_.back().boxes.size() > kTopFours) {
    std::vector<Bounds> above;
    for (std::size_t b = 0; b < bounds.size(); ++b) {
      if (b % kLanes == 0) above.push_back(bounds[b]);
      above.back() = above.back().joined_with(bounds[b]);
    }
    const int below = level_count() - 1;
    levels_.push_back({pack_boxes(above), std::vector<ConeSums>(above.size())});
    for (std::size_t b = 0; b < bounds.size(); ++b) {
      const Vec3d middle = center_of(below + 1, static_cast<std::int32_t>(b / kLanes));
      ConeSums& sums = levels_.back().sums[b / kLanes];
      if (below > 0) {
        const auto box = static_cast<std::int32_t>(b);
        sums.add_patch(levels_[below].sums[b], center_of(below, box) - middle);
        continue;
      }
      for (int t = 0; t < kLanes; ++t) {
        sums.add_triangle(corner_of(leaves_[b], t, 0) - middle,
                          corner_of(leaves_[b], t, 1) - middle,
                          corner_of(leaves_[b], t, 2) - middle);
      }
    }
    bounds = std::move(above);
  }
  for (const Bounds& b : bounds)
    reach_ = reach_.cwiseMax(b.min.cwiseAbs().cwiseMax(b.max.cwiseAbs()));
}

Vec3d TriangleTree::center_of(int level, std::int32_t box) const {
  const auto& center = boxes(level)[box / kLanes].center;
  return {center[0][box % kLanes], center[1][box % kLanes], center[2][box % kLanes]};
}

// Level by level, as visit_below. A box has a vertex on each of its sides, so the vertex on the
// side that faces down the most is not higher than the box' lowest point and what the other two
// sizes add: boxes that begin above that are left out.
struct TriangleTree::LowestSearch {
  const TriangleTree& tree;
  Plane plane;
  Lanes bound = make_lanes(HUGE_VAL);  // the lowest vertex is not higher, in any lane
  LowestCorner lowest = {};

  void visit(int level, const std::int32_t* fours, int count) {
    Lanes low[kListed];
    for (int k = 0; k < count; ++k) {
      const Boxes& b = tree.levels_[level].boxes[fours[k]];
      const Lanes z = plane.m[0] * load_lanes(b.center[0]) + plane.m[1] * load_lanes(b.center[1]) +
                      plane.m[2] * load_lanes(b.center[2]);
      const Lanes r0 = plane.abs_m[0] * load_lanes(b.half[0]),
                  r1 = plane.abs_m[1] * load_lanes(b.half[1]),
                  r2 = plane.abs_m[2] * load_lanes(b.half[2]);
      const Lanes r = r0 + r1 + r2;
      low[k] = z - r;
      const Lanes highest = z + r - 2 * greater(greater(r0, r1), r2);
      bound = lesser(bound, r >= 0.0 ? highest : bound);  // places without box
    }
    const Lanes limit = make_lanes(least_of(bound)) + plane.margin;
    std::int32_t next[kLanes * kListed + kLanes];
    int next_count = 0;
    for (int k = 0; k < count; ++k) {
      next_count +=
          put_lane_indices(calc_lane_mask(low[k] <= limit), kLanes * fours[k], next + next_count);
    }
    if (level == 0) {
      for (int k = 0; k < next_count; ++k) tree.add_leaf(plane, next[k], &lowest);
      bound = lesser(bound, lowest.height);
    } else {
      for (int k = 0; k < next_count; k += kListed) {
        visit(level - 1, next + k, std::min(kListed, next_count - k));
      }
    }
  }
};

auto TriangleTree::make_plane(const Vec3d& m, double h) const -> Plane {
  const Vec3d a = m.cwiseAbs();
  return {{make_lanes(m.x()), make_lanes(m.y()), make_lanes(m.z())},
          {make_lanes(a.x()), make_lanes(a.y()), make_lanes(a.z())},
          make_lanes(h),
          make_lanes(calc_margin(m, h))};
}

void TriangleTree::add_leaf(const Plane& plane, std::int32_t leaf, LowestCorner* lowest) const {
  Lanes z[3];
  for (int k = 0; k < 3; ++k) {
    const auto& x = leaves_[leaf].corners[k];
    z[k] = plane.m[0] * load_lanes(x[0]) + plane.m[1] * load_lanes(x[1]) +
           plane.m[2] * load_lanes(x[2]);
  }
  lowest->add(leaf, z[0], z[1], z[2]);
}

std::int32_t TriangleTree::find_lowest_vertex(const Vec3d& m) const {
  LowestSearch search{.tree = *this, .plane = make_plane(m, 0)};
  search.visit(level_count() - 1, kTop.data(), static_cast<int>(levels_.back().boxes.size()));
  return find_vertex(search.lowest, m);
}

std::int32_t TriangleTree::find_low_vertex(const Vec3d& m) const {
  const Plane plane = make_plane(m, 0);
  auto first = std::int32_t{0}, last = static_cast<std::int32_t>(levels_.back().boxes.size());
  for (int level = level_count() - 1; level >= 0; --level) {
    Lanes least = make_lanes(HUGE_VAL);
    LaneBits where = {};
    for (std::int32_t k = first; k < last; ++k) {
      const Boxes& b = levels_[level].boxes[k];
      Lanes low = {};
      for (int c = 0; c < 3; ++c) {
        low += plane.m[c] * load_lanes(b.center[c]) - plane.abs_m[c] * load_lanes(b.half[c]);
      }
      const LaneBits is_lower = low < least, here = {k, k, k, k};
      least = is_lower ? low : least;
      where = is_lower ? here : where;
    }
    const int lane = find_least_lane(least);
    first = static_cast<std::int32_t>(kLanes * where[lane] + lane);
    last = first + 1;
  }
  LowestCorner lowest;
  add_leaf(plane, first, &lowest);
  return find_vertex(lowest, m);
}

std::int32_t TriangleTree::find_vertex(const LowestCorner& corner, const Vec3d& m) const {
  const int lane = find_least_lane(corner.height);
  const auto leaf = static_cast<std::size_t>(corner.leaf[lane]);
  int lowest = 0;
  double least = HUGE_VAL;
  for (int k = 0; k < 3; ++k) {
    const double height = m.dot(corner_of(leaves_[leaf], lane, k));
    if (height < least) {
      least = height;
      lowest = k;
    }
  }
  return triangles_[std::min(kLanes * leaf + lane, triangles_.size() - 1)][lowest];
}

}  // namespace vesica
