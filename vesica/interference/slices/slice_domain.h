// The intersection of two cells seen slice by slice: parallel planes across a direction u, in which
// every plane is a line and every quadric an ellipse whose shape is the same in all slices, whose
// centre is linear and whose size squared is quadratic in u. The moments of one slice are closed
// forms (Green's theorem): polygons plus segments of ellipses. docs/theory/slices.md.
#pragma once

#include "vesica/geometry/cell.h"
#include "vesica/interference/slices/conic_pair.h"

namespace vesica {
struct CellSensitivity;
}

namespace vesica::detail {

// Below this sine between a plane and the slices it is taken as parallel to them.
inline constexpr double kParallel = 1e-12;

constexpr int kMaxConstraints = 40;  // of both cells together
constexpr int kMaxConics = 8;
constexpr int kMaxEvents = 256;

struct Constraint {
  Quadric g;  // in the common frame
  PrimitiveType type;
  bool is_plane;
  int owner;   // 0: cell i, 1: cell j
  Vec3d axis;  // of a quadric of revolution
  // The same about its own centre or apex, where g has all its digits: near the apex of a cone that
  // is far from the origin, g(x) is a small difference of large numbers.
  Vec3d anchor;
  Quadric about_anchor;
  // A plane that does not touch what both cells share, and tells it from other places where all the
  // rest would hold: the far side of a hole.
  bool is_guard = false;
};

// Everything that bounds the intersection, in one frame; what cannot touch it is left out.
struct ConstraintSet {
  int count = 0;
  Constraint items[kMaxConstraints];
  Vec3d center;     // of a box around the intersection
  double size = 0;  // its diagonal
  bool is_empty = true;
};

// Whether a quick look shows that they share nothing: most sectors of a hole and the peg in it.
bool are_apart(const Cell& i, const Cell& j, const Pose<double>& X_JI);

// In j's frame. Throws InputError where neither cell is bounded.
void make_constraints(const Cell& i, const Cell& j, const Pose<double>& X_JI, ConstraintSet* set);

// A direction in which all quadrics give ellipses, cheap to integrate over; false where there is
// none (two wide cones at right angles).
bool find_slicing_direction(const ConstraintSet& set, Vec3d* u);

// Where the slice's topology changes: vertices (the slice's moments are smooth on both sides) and
// tangencies (they behave like the power 3/2 on one side).
struct SliceEvent {
  double u;
  bool is_tangency;
};

enum SliceValue {
  kA,
  kX,
  kY,
  kXX,
  kXY,
  kYY,  // area and moments
  kNx,
  kNy,
  kNu,  // rate of the area vector of j's surface inside i
  kSliceValues
};

// The surface element at a point of a slice's boundary: normal times area per unit of u, outward.
struct BoundaryPoint {
  Vec2 x;
  Vec3d area;
  int owner;
};
// Gradients of the two inequalities that meet there.
struct BoundaryCorner {
  Vec2 x;
  Vec3d gradient_i, gradient_j;
};
struct SliceBoundary {
  static constexpr int kMaxPoints = 2048, kMaxCorners = 128;
  int points = 0, corners = 0;
  BoundaryPoint point[kMaxPoints];
  BoundaryCorner corner[kMaxCorners];
};

class SliceDomain {
 public:
  // Slices along the third column of R, (x, y) along the first two, about `origin`.
  void build(const ConstraintSet& set, const Mat3d& R, const Vec3d& origin);

  // Ascending; the slices outside are empty. Also the mean of the points where the events happen,
  // which lies in the hull of the domain, and how far they are from it within their slices, at most
  // (roughly). Returns 0 where the domain is empty.
  int find_events(SliceEvent events[kMaxEvents], Vec3d* middle, double* spread) const;

  // False, and zeros, where the slice is empty.
  bool evaluate(double u, double values[kSliceValues]) const;

  // What bounds the slice: points with weights, exact for polynomials of degree 3 on lines and to
  // rounding on arcs, and the corners where a curve of i meets one of j.
  void sample_boundary(double u, SliceBoundary* boundary) const;

  // Planes across u that end the domain, and whose they are (-1: there is none).
  double u_low() const { return u_low_; }
  double u_high() const { return u_high_; }
  int low_owner() const { return low_owner_; }
  int high_owner() const { return high_owner_; }

 private:
  struct Line {
    Vec2 c;             // unit normal, outward; of a guard, part of it
    double off0, off1;  // c.x + off0 + off1 u <= 0
    int owner;
  };
  struct Ellipse {
    bool is_outside;  // the domain is outside
    int owner;
    bool is_cone;
    Vec3d apex;  // of a cone: x, y, u
    double bxx, bxy, byy;
    Vec2 b0, b1;
    double c0, c1, c2;     // x.B x + 2 (b0 + u b1).x + c0 + 2 c1 u + c2 u^2
    double exx, exy, eyy;  // x = center + kappa E w, E upper triangular
    double ixx, ixy, iyy;  // its inverse
    double det;
    Vec2 k0, k1;        // center
    double s0, s1, s2;  // kappa^2
    Vec2 center(double u) const { return k0 + u * k1; }
    double kappa2(double u) const { return s0 + u * (s1 + u * s2); }
    Vec2 stretch(const Vec2& w) const { return {exx * w.x + exy * w.y, eyy * w.y}; }
    Vec2 shrink(const Vec2& x) const { return {ixx * x.x + ixy * x.y, iyy * x.y}; }
    Conic at(double u) const {
      return {bxx, bxy, byy, b0.x + u * b1.x, b0.y + u * b1.y, c0 + u * (2 * c1 + u * c2)};
    }
  };
  // A line and an ellipse: in the unit circle's coordinates the line is a.w <= -p/(length kappa).
  struct LineEllipse {
    Vec2 a;
    double length, p0, p1;  // p = c.center + off
    double mu, lambda;      // the cut along the line: d.center + kappa (h mu +- s lambda)
    double q0, q1;          // d.center
  };
  struct SliceState;

  // Where the events are: the sum of their places, and a box round them within the slices.
  struct EventPlaces {
    Vec3d sum = Vec3d::Zero();
    Vec2 low = {kInfinity, kInfinity}, high = {-kInfinity, -kInfinity};
  };
  void add_event(double u, bool is_tangency, const Vec2& x, SliceEvent* events, int* count,
                 EventPlaces* places) const;
  void add_vertices(SliceEvent* events, int* count, EventPlaces* places) const;
  void add_tangencies(SliceEvent* events, int* count, EventPlaces* places) const;
  void add_ellipse_pairs(SliceEvent* events, int* count, EventPlaces* places) const;
  void add_line_ellipse_pairs(SliceEvent* events, int* count, EventPlaces* places) const;
  void add_ellipse_triples(SliceEvent* events, int* count, EventPlaces* places) const;
  void add_triple(const int triple[3], double low, double high, SliceEvent* events, int* count,
                  EventPlaces* places) const;
  bool find_triple_point(const int triple[3], double size, Vec3d* x) const;
  // Slices outside of it are empty; false where all are.
  bool find_range(double* low, double* high) const;
  void search_beyond(SliceEvent* events, int* count) const;
  // Whether the planes that bound nothing hold.
  bool is_guarded(const Vec2& x, double u) const {
    for (int k = 0; k < guards_; ++k) {
      if (dot(guard_[k].c, x) + guard_[k].off0 + guard_[k].off1 * u > 0) return false;
    }
    return true;
  }
  bool is_feasible(const Vec2& x, double u, int line_a, int line_b, int ellipse_a, int ellipse_b,
                   int ellipse_c = -1) const;

  // Walks along the slice's boundary; the sink takes its pieces.
  template <class Sink>
  bool walk(double u, Sink* sink) const;
  template <class Sink>
  void walk_line(const SliceState& state, int k, Sink* sink) const;
  template <class Sink>
  void walk_ellipse(const SliceState& state, int m, Sink* sink) const;
  struct MomentSink;
  struct BoundarySink;
  // Surfaces by number: lines first, then ellipses.
  int owner_of(int surface) const {
    return surface < kMaxConstraints ? line_[surface].owner
                                     : ellipse_[surface - kMaxConstraints].owner;
  }
  Vec3d calc_gradient(int surface, const Vec2& x, double u) const;

  int lines_ = 0, ellipses_ = 0, guards_ = 0;
  Line line_[kMaxConstraints], guard_[kMaxConstraints];
  Ellipse ellipse_[kMaxConics];
  LineEllipse cut_[kMaxConstraints][kMaxConics];
  double cross_[kMaxConstraints][kMaxConstraints], dot_[kMaxConstraints][kMaxConstraints];
  double u_low_ = 0, u_high_ = 0;          // planes across u
  double range_low_ = 0, range_high_ = 0;  // of a box around the domain
  int low_owner_ = -1, high_owner_ = -1;
  double tolerance_ = 0;
};

// The slices that an integral was taken from, with their weights.
struct SliceNodes {
  static constexpr int kMax = 4096;
  struct Node {
    double u, weight;
  };
  int count = 0;
  Node at[kMax];
};
// About the centroid c, in the slices' axes; `area` is the area vector there.
void calc_sensitivity(const SliceDomain& domain, const SliceNodes& nodes, const Mat3d& R,
                      const Vec3d& c, double volume, const Vec3d& area, CellSensitivity* result);

}  // namespace vesica::detail
