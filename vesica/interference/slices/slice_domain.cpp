#include "vesica/interference/slices/slice_domain.h"

#include <cmath>
#include <limits>

#include "vesica/interference/closed_form/circular_segment.h"
#include "vesica/math/scalar.h"

namespace vesica::detail {
namespace {

// Monotone in the angle, from 0 to 4.
double pseudo_angle(const Vec2& w) { return w.y >= 0 ? 1 - w.x : 3 + w.x; }

// The triangle of the origin, p and q, and its first and second moments about the origin.
void add_triangle(const Vec2& p, const Vec2& q, double twice_area, double* values) {
  const Vec2 sum = p + q;
  const double first = twice_area / 6, second = twice_area / 24;
  values[kA] += 0.5 * twice_area;
  values[kX] += first * sum.x;
  values[kY] += first * sum.y;
  values[kXX] += second * (p.x * p.x + q.x * q.x + sum.x * sum.x);
  values[kXY] += second * (p.x * p.y + q.x * q.y + sum.x * sum.y);
  values[kYY] += second * (p.y * p.y + q.y * q.y + sum.y * sum.y);
}

}  // namespace

struct SliceDomain::SliceState {
  double u;
  double off[kMaxConstraints];
  bool active[kMaxConics];  // an ellipse that exists in this slice and may bound the domain
  double kappa[kMaxConics];
  Vec2 center[kMaxConics];
  // Line and ellipse: -1 the ellipse is off the line's inside, 0 the line does not cut, 1 it cuts.
  int kind[kMaxConstraints][kMaxConics];
  double h[kMaxConstraints][kMaxConics], s[kMaxConstraints][kMaxConics];
  // Points on the unit circle of the ellipse, from other ellipses.
  int points[kMaxConics];
  Vec2 point[kMaxConics][4 * kMaxConics];
  int partner[kMaxConics][4 * kMaxConics];
};

void SliceDomain::build(const ConstraintSet& set, const Mat3d& R, const Vec3d& origin) {
  lines_ = ellipses_ = guards_ = 0;
  u_low_ = -kInfinity;
  u_high_ = kInfinity;
  low_owner_ = high_owner_ = -1;
  tolerance_ = 1e-9 * set.size;
  const double middle = R.col(2).dot(set.center - origin);
  range_low_ = middle - set.size;
  range_high_ = middle + set.size;
  for (int k = 0; k < set.count; ++k) {
    const Constraint& item = set.items[k];
    if (item.is_plane) {
      const Vec3d n = R.transpose() * (2 * item.g.b);
      const double value = 2 * item.g.b.dot(origin) + item.g.c;
      if (item.is_guard) {
        guard_[guards_++] = {{n.x(), n.y()}, value, n.z(), item.owner};
        continue;
      }
      const double length = std::hypot(n.x(), n.y());
      if (length < kParallel) {
        const double limit = -value / n.z();
        if (n.z() > 0 && limit < u_high_) {
          u_high_ = limit;
          high_owner_ = item.owner;
        } else if (n.z() < 0 && limit > u_low_) {
          u_low_ = limit;
          low_owner_ = item.owner;
        }
        continue;
      }
      line_[lines_++] = {
          {n.x() / length, n.y() / length}, value / length, n.z() / length, item.owner};
      continue;
    }
    Ellipse& e = ellipse_[ellipses_++];
    const Mat3d A = R.transpose() * item.g.A.matrix() * R;
    const Vec3d from_anchor = origin - item.anchor;
    const Vec3d b = R.transpose() * (item.about_anchor.A * from_anchor + item.about_anchor.b);
    const double c = item.about_anchor(from_anchor);
    e.is_cone = item.type == PrimitiveType::kCone && item.about_anchor.c == 0;
    e.apex = -(R.transpose() * from_anchor);
    e.is_outside = A(0, 0) < 0;
    const double sign = e.is_outside ? -1 : 1;
    e.owner = item.owner;
    e.bxx = sign * A(0, 0);
    e.bxy = sign * A(0, 1);
    e.byy = sign * A(1, 1);
    e.b0 = {sign * b.x(), sign * b.y()};
    e.b1 = {sign * A(0, 2), sign * A(1, 2)};
    e.c0 = sign * c;
    e.c1 = sign * b.z();
    e.c2 = sign * A(2, 2);
    // B = L L^T, E = L^-T
    const double l1 = std::sqrt(e.bxx), l2 = e.bxy / l1, l3 = std::sqrt(e.byy - l2 * l2);
    e.exx = 1 / l1;
    e.exy = -l2 / (l1 * l3);
    e.eyy = 1 / l3;
    e.ixx = l1;
    e.ixy = l2;
    e.iyy = l3;
    e.det = e.exx * e.eyy;
    const auto solve = [&e](const Vec2& v) -> Vec2 {  // -B^-1 v
      const double y = (v.y - e.bxy / e.bxx * v.x) * e.eyy * e.eyy;
      return {-(v.x - e.bxy * y) / e.bxx, -y};
    };
    e.k0 = solve(e.b0);
    e.k1 = solve(e.b1);
    e.s0 = -(e.c0 + dot(e.b0, e.k0));
    e.s1 = -(2 * e.c1 + dot(e.b0, e.k1) + dot(e.b1, e.k0));
    e.s2 = -(e.c2 + dot(e.b1, e.k1));
  }
  for (int k = 0; k < lines_; ++k) {
    const Line& line = line_[k];
    const Vec2 d = turned(line.c);
    for (int m = 0; m < lines_; ++m) {
      cross_[k][m] = cross(line.c, line_[m].c);
      dot_[k][m] = dot(line.c, line_[m].c);
    }
    for (int m = 0; m < ellipses_; ++m) {
      const Ellipse& e = ellipse_[m];
      LineEllipse& cut = cut_[k][m];
      const Vec2 a = {e.exx * line.c.x, e.exy * line.c.x + e.eyy * line.c.y};
      cut.length = std::sqrt(dot(a, a));
      cut.a = (1 / cut.length) * a;
      cut.p0 = dot(line.c, e.k0) + line.off0;
      cut.p1 = dot(line.c, e.k1) + line.off1;
      cut.mu = dot(d, e.stretch(cut.a));
      cut.lambda = e.det / cut.length;
      cut.q0 = dot(d, e.k0);
      cut.q1 = dot(d, e.k1);
    }
  }
}

template <class Sink>
bool SliceDomain::walk(double u, Sink* sink) const {
  SliceState state;
  state.u = u;
  for (int m = 0; m < ellipses_; ++m) {
    const double kappa2 = ellipse_[m].kappa2(u);
    state.active[m] = kappa2 > 0;
    if (!state.active[m]) {
      if (!ellipse_[m].is_outside) return false;
      continue;
    }
    state.kappa[m] = std::sqrt(kappa2);
    state.center[m] = ellipse_[m].center(u);
    state.points[m] = 0;
  }
  for (int k = 0; k < lines_; ++k) {
    state.off[k] = line_[k].off0 + line_[k].off1 * u;
    for (int m = 0; m < ellipses_; ++m) {
      if (!state.active[m]) continue;
      const LineEllipse& cut = cut_[k][m];
      const double p = cut.p0 + cut.p1 * u, reach = cut.length * state.kappa[m];
      const double d = (reach - p) * (reach + p);
      if (d > 0) {
        state.kind[k][m] = 1;
        state.h[k][m] = -p / reach;
        state.s[k][m] = std::sqrt(d) / reach;
      } else if (p < 0) {
        state.kind[k][m] = 0;
      } else {
        if (!ellipse_[m].is_outside) return false;
        state.kind[k][m] = -1;
      }
    }
  }
  // Ellipses with ellipses: one answer for both.
  for (int a = 0; a < ellipses_; ++a) {
    if (!state.active[a]) continue;
    for (int b = a + 1; b < ellipses_; ++b) {
      if (!state.active[b]) continue;
      const Ellipse &ea = ellipse_[a], &eb = ellipse_[b];
      const Vec2 delta = state.center[a] - state.center[b];
      const double ka = state.kappa[a];
      const Vec2 Bd = {eb.bxx * delta.x + eb.bxy * delta.y, eb.bxy * delta.x + eb.byy * delta.y};
      Conic conic;
      conic.xx = ka * ka * ea.exx * ea.exx * eb.bxx;
      conic.xy = ka * ka * ea.exx * (ea.exy * eb.bxx + ea.eyy * eb.bxy);
      conic.yy =
          ka * ka * (ea.exy * (ea.exy * eb.bxx + 2 * ea.eyy * eb.bxy) + ea.eyy * ea.eyy * eb.byy);
      conic.x = ka * ea.exx * Bd.x;
      conic.y = ka * (ea.exy * Bd.x + ea.eyy * Bd.y);
      conic.c = dot(delta, Bd) - state.kappa[b] * state.kappa[b];
      CirclePart parts[kMaxConstraints];
      int part_count = 0;
      for (int k = 0; k < lines_; ++k) {
        if (state.kind[k][a] == 1) parts[part_count++] = {cut_[k][a].a, state.h[k][a]};
      }
      Vec2 w[4];
      const int count = find_on_unit_circle(conic, w, parts, part_count);
      for (int k = 0; k < count; ++k) {
        state.partner[a][state.points[a]] = kMaxConstraints + b;
        state.point[a][state.points[a]++] = w[k];
        state.partner[b][state.points[b]] = kMaxConstraints + a;
        Vec2 v = eb.shrink(delta + ka * ea.stretch(w[k]));
        state.point[b][state.points[b]++] = (1 / std::sqrt(dot(v, v))) * v;
      }
    }
  }
  for (int m = 0; m < ellipses_; ++m) {
    if (state.active[m]) walk_ellipse(state, m, sink);
  }
  for (int k = 0; k < lines_; ++k) walk_line(state, k, sink);
  return true;
}

template <class Sink>
void SliceDomain::walk_line(const SliceState& state, int k, Sink* sink) const {
  double from = -kInfinity, to = kInfinity;
  int from_surface = -1, to_surface = -1;
  const auto begin = [&](double t, int surface) {
    if (t > from) {
      from = t;
      from_surface = surface;
    }
  };
  const auto end = [&](double t, int surface) {
    if (t < to) {
      to = t;
      to_surface = surface;
    }
  };
  const auto interval = [&](int m, double* a, double* b) {
    const LineEllipse& cut = cut_[k][m];
    const double middle = cut.q0 + cut.q1 * state.u + state.kappa[m] * state.h[k][m] * cut.mu;
    const double half = state.kappa[m] * state.s[k][m] * cut.lambda;
    *a = middle - half;
    *b = middle + half;
  };
  for (int m = 0; m < ellipses_; ++m) {
    if (ellipse_[m].is_outside) continue;
    if (state.kind[k][m] != 1) return;
    double a, b;
    interval(m, &a, &b);
    begin(a, kMaxConstraints + m);
    end(b, kMaxConstraints + m);
  }
  for (int m = 0; m < lines_ && from < to; ++m) {
    if (m == k) continue;
    // The line is x = -off c + t d; line m allows cross t + off_m - off dot <= 0.
    const double slope = cross_[k][m], value = state.off[m] - state.off[k] * dot_[k][m];
    if (slope > 0) {
      end(-value / slope, m);
    } else if (slope < 0) {
      begin(-value / slope, m);
    } else if (value > 0) {
      return;
    }
  }
  if (!(from < to) || !std::isfinite(from) || !std::isfinite(to)) return;
  // What lies inside an ellipse that the domain is outside of goes away.
  struct Piece {
    double from, to;
    int from_surface, to_surface;
  };
  Piece piece[kMaxConics + 1] = {{from, to, from_surface, to_surface}};
  int pieces = 1;
  for (int m = 0; m < ellipses_; ++m) {
    if (!ellipse_[m].is_outside || !state.active[m] || state.kind[k][m] != 1) continue;
    double a, b;
    interval(m, &a, &b);
    const int before = pieces;
    for (int p = 0; p < before; ++p) {
      if (b <= piece[p].from || a >= piece[p].to) continue;
      const Piece whole = piece[p];
      piece[p].to = a;  // may turn negative in length: skipped below
      piece[p].to_surface = kMaxConstraints + m;
      if (b < whole.to) piece[pieces++] = {b, whole.to, kMaxConstraints + m, whole.to_surface};
    }
  }
  for (int p = 0; p < pieces; ++p) {
    if (!(piece[p].from < piece[p].to)) continue;
    const double t = 0.5 * (piece[p].from + piece[p].to);
    const Vec2 middle = -state.off[k] * line_[k].c + t * turned(line_[k].c);
    if (is_guarded(middle, state.u)) {
      sink->add_line(k, state.off[k], piece[p].from, piece[p].to, piece[p].from_surface,
                     piece[p].to_surface);
    }
  }
}

template <class Sink>
void SliceDomain::walk_ellipse(const SliceState& state, int m, Sink* sink) const {
  constexpr int kMaxCuts = 2 * kMaxConstraints + 4 * kMaxConics;
  const Ellipse& e = ellipse_[m];
  Vec2 cut[kMaxCuts];
  double angle[kMaxCuts];
  int surface[kMaxCuts];
  int cuts = 0;
  const auto add = [&](const Vec2& w, int other) {
    const double a = pseudo_angle(w);
    int k = cuts++;
    for (; k > 0 && angle[k - 1] > a; --k) {
      angle[k] = angle[k - 1];
      cut[k] = cut[k - 1];
      surface[k] = surface[k - 1];
    }
    angle[k] = a;
    cut[k] = w;
    surface[k] = other;
  };
  for (int k = 0; k < lines_; ++k) {
    if (state.kind[k][m] < 0) return;
    if (state.kind[k][m] == 0) continue;
    const Vec2 along = state.h[k][m] * cut_[k][m].a, across = state.s[k][m] * turned(cut_[k][m].a);
    add(along + across, k);
    add(along - across, k);
  }
  for (int k = 0; k < state.points[m]; ++k) add(state.point[m][k], state.partner[m][k]);

  // Relative: below 0 within ellipse b.
  const auto margin = [&](const Vec2& w, int b) {
    const Vec2 v =
        ellipse_[b].shrink(state.center[m] + state.kappa[m] * e.stretch(w) - state.center[b]);
    const double kappa2 = state.kappa[b] * state.kappa[b];
    return (dot(v, v) - kappa2) / kappa2;
  };
  // Whether an arc is in the domain; c is the cosine of half its angle. All of it lies on one side
  // of everything else, but where it just touches an ellipse rounding has the say, and so a point
  // beside the middle is asked.
  const auto is_inside = [&](const Vec2& middle, double c) {
    for (int k = 0; k < lines_; ++k) {
      if (state.kind[k][m] == 1 && dot(cut_[k][m].a, middle) > state.h[k][m]) return false;
    }
    for (int b = 0; b < ellipses_; ++b) {
      if (b == m || !state.active[b]) continue;
      double value = margin(middle, b);
      if (std::abs(value) < 1e-9) {
        const double s = std::sqrt(std::max(0.0, 0.5 * (1 - c)));  // of a quarter
        const double t = c > 0 ? s / std::sqrt(1 - s * s) : 1;
        for (const double side : {-t, t}) {
          const Vec2 w = (1 / std::sqrt(1 + t * t)) * (middle + side * turned(middle));
          const double other = margin(w, b);
          if (std::abs(other) > std::abs(value)) value = other;
        }
      }
      if ((value <= 0) == ellipse_[b].is_outside) return false;
    }
    return guards_ == 0 ||
           is_guarded(state.center[m] + state.kappa[m] * e.stretch(middle), state.u);
  };
  if (cuts == 0) {
    if (is_inside({1, 0}, -1)) sink->add_ellipse(m, state);
    return;
  }
  for (int k = 0; k < cuts; ++k) {
    const int next = k + 1 < cuts ? k + 1 : 0;
    const Vec2 &from = cut[k], &to = cut[next];
    const double turn = k + 1 < cuts ? angle[k + 1] - angle[k] : angle[0] + 4 - angle[k];
    const Vec2 chord = to - from;
    const double length = std::sqrt(dot(chord, chord));
    Vec2 middle;
    if (length > 1e-12) {
      middle = (1 / length) * Vec2{chord.y, -chord.x};
    } else if (turn > 2) {
      middle = -1.0 * from;
    } else {
      continue;
    }
    const double c = dot(middle, from);
    if (is_inside(middle, c)) {
      sink->add_arc(m, state, from, to, middle, 0.5 * length, c, surface[k], surface[next]);
    }
  }
}

// The moments of the slice about the origin, and the area vector of j's surface.
struct SliceDomain::MomentSink {
  const SliceDomain& domain;
  double u;
  double* values;

  void add_line(int k, double off, double from, double to, int, int) {
    const Line& line = domain.line_[k];
    const Vec2 d = turned(line.c), foot = -off * line.c;
    const double length = to - from;
    add_triangle(foot + from * d, foot + to * d, -off * length, values);
    if (line.owner == 1) {
      values[kNx] += length * line.c.x;
      values[kNy] += length * line.c.y;
      values[kNu] += length * line.off1;
    }
  }

  // The region between the origin and the arc: the triangle on the chord and the segment beyond it.
  void add_arc(int m, const SliceState& state, const Vec2& from, const Vec2& to, const Vec2& middle,
               double s, double c, int, int) {
    const Ellipse& e = domain.ellipse_[m];
    const double kappa = state.kappa[m], sign = e.is_outside ? -1 : 1;
    const Vec2 center = state.center[m];
    const Vec2 p = center + kappa * e.stretch(from), q = center + kappa * e.stretch(to);
    add_triangle(p, q, sign * cross(p, q), values);

    const CircularSegment segment = calc_circular_segment(s, c);
    const Vec2 base = 0.5 * (p + q), along = kappa * e.stretch(middle),
               across = kappa * e.stretch(turned(middle));
    const double scale = sign * kappa * kappa * e.det;
    const double area = scale * segment.area, first = scale * segment.x, xx = scale * segment.xx,
                 yy = scale * segment.yy;
    values[kA] += area;
    values[kX] += area * base.x + first * along.x;
    values[kY] += area * base.y + first * along.y;
    values[kXX] += area * base.x * base.x + 2 * first * along.x * base.x + xx * along.x * along.x +
                   yy * across.x * across.x;
    values[kXY] += area * base.x * base.y + first * (along.x * base.y + along.y * base.x) +
                   xx * along.x * along.y + yy * across.x * across.y;
    values[kYY] += area * base.y * base.y + 2 * first * along.y * base.y + xx * along.y * along.y +
                   yy * across.y * across.y;
    if (e.owner == 1) {
      const Vec2 normal = {sign * (q.y - p.y), sign * (p.x - q.x)};
      values[kNx] += normal.x;
      values[kNy] += normal.y;
      values[kNu] -= dot(e.k1, normal);
      const double growth = e.s1 + 2 * e.s2 * u;  // of kappa^2; none of a cylinder
      if (growth != 0) values[kNu] -= sign * growth * e.det * std::atan2(s, c);
    }
  }

  void add_ellipse(int m, const SliceState& state) {
    const Ellipse& e = domain.ellipse_[m];
    const double sign = e.is_outside ? -1 : 1, kappa2 = state.kappa[m] * state.kappa[m];
    const Vec2 c = state.center[m];
    const double area = sign * kPi * kappa2 * e.det, second = 0.25 * area * kappa2;
    values[kA] += area;
    values[kX] += area * c.x;
    values[kY] += area * c.y;
    // E E^T
    values[kXX] += area * c.x * c.x + second * (e.exx * e.exx + e.exy * e.exy);
    values[kXY] += area * c.x * c.y + second * e.exy * e.eyy;
    values[kYY] += area * c.y * c.y + second * e.eyy * e.eyy;
    if (e.owner == 1) values[kNu] -= sign * (e.s1 + 2 * e.s2 * u) * e.det * kPi;
  }
};

// Points of the boundary with their surface elements.
struct SliceDomain::BoundarySink {
  const SliceDomain& domain;
  double u;
  SliceBoundary* out;

  void add_point(const Vec2& x, double nx, double ny, double nu, int owner) {
    if (out->points < SliceBoundary::kMaxPoints)
      out->point[out->points++] = {x, {nx, ny, nu}, owner};
  }
  // The end of a piece of j where i cuts it off.
  void add_corner(const Vec2& x, int surface, int other) {
    if (other < 0 || domain.owner_of(surface) != 1 || domain.owner_of(other) != 0) return;
    if (out->corners == SliceBoundary::kMaxCorners) return;
    out->corner[out->corners++] = {x, domain.calc_gradient(other, x, u),
                                   domain.calc_gradient(surface, x, u)};
  }

  void add_line(int k, double off, double from, double to, int from_surface, int to_surface) {
    const Line& line = domain.line_[k];
    const Vec2 d = turned(line.c), foot = -off * line.c;
    // Two-point Gauss: exact for cubics.
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    for (const double t : {middle - half / std::sqrt(3.0), middle + half / std::sqrt(3.0)}) {
      add_point(foot + t * d, half * line.c.x, half * line.c.y, half * line.off1, line.owner);
    }
    add_corner(foot + from * d, k, from_surface);
    add_corner(foot + to * d, k, to_surface);
  }

  // The element of the ellipse's surface over the angle d.
  void add_element(int m, const SliceState& state, const Vec2& w, double d) {
    const Ellipse& e = domain.ellipse_[m];
    const double kappa = state.kappa[m], sign = e.is_outside ? -d : d;
    const Vec2 x = state.center[m] + kappa * e.stretch(w);
    const Vec2 tangent = kappa * e.stretch(turned(w));
    const Vec2 normal = {sign * tangent.y, -sign * tangent.x};
    add_point(x, normal.x, normal.y,
              -(dot(e.k1, normal) + sign * 0.5 * (e.s1 + 2 * e.s2 * u) * e.det), e.owner);
  }
  void add_arc(int m, const SliceState& state, const Vec2& from, const Vec2& to, const Vec2& middle,
               double s, double c, int from_surface, int to_surface) {
    // Trigonometric polynomials of degree 4: eight Gauss points are exact to rounding up to a
    // quarter of a radian to either side, to 1e-11 up to one radian; longer arcs are parted.
    static constexpr double kNodes[4] = {0.9602898564975363, 0.7966664774136267, 0.5255324099163290,
                                         0.1834346424956498};
    static constexpr double kWeights[4] = {0.1012285362903763, 0.2223810344533745,
                                           0.3137066458778873, 0.3626837833783620};
    const double alpha = std::atan2(s, c);
    const int parts = 1 + static_cast<int>(alpha / 0.8);
    const Vec2 side = turned(middle);
    const double half = alpha / parts;
    for (int p = 0; p < parts; ++p) {
      const double center = -alpha + (2 * p + 1) * half;
      for (int k = 0; k < 8; ++k) {
        const double node = k < 4 ? -kNodes[k] : kNodes[7 - k];
        const double weight = k < 4 ? kWeights[k] : kWeights[7 - k];
        const double angle = center + half * node;
        add_element(m, state, std::cos(angle) * middle + std::sin(angle) * side, half * weight);
      }
    }
    const Ellipse& e = domain.ellipse_[m];
    const auto place = [&](const Vec2& w) {
      return state.center[m] + state.kappa[m] * e.stretch(w);
    };
    add_corner(place(from), kMaxConstraints + m, from_surface);
    add_corner(place(to), kMaxConstraints + m, to_surface);
  }
  void add_ellipse(int m, const SliceState& state) {
    // The trapezoid rule is exact for degree 4.
    constexpr int kPoints = 6;
    for (int k = 0; k < kPoints; ++k) {
      const double angle = 2 * kPi * k / kPoints;
      add_element(m, state, {std::cos(angle), std::sin(angle)}, 2 * kPi / kPoints);
    }
  }
};

Vec3d SliceDomain::calc_gradient(int surface, const Vec2& x, double u) const {
  if (surface < kMaxConstraints) {
    const Line& line = line_[surface];
    return {line.c.x, line.c.y, line.off1};
  }
  const Ellipse& e = ellipse_[surface - kMaxConstraints];
  const double sign = e.is_outside ? -2 : 2;
  return {sign * (e.bxx * x.x + e.bxy * x.y + e.b0.x + u * e.b1.x),
          sign * (e.bxy * x.x + e.byy * x.y + e.b0.y + u * e.b1.y),
          sign * (dot(e.b1, x) + e.c1 + e.c2 * u)};
}

bool SliceDomain::evaluate(double u, double values[kSliceValues]) const {
  for (int k = 0; k < kSliceValues; ++k) values[k] = 0;
  MomentSink sink{*this, u, values};
  return walk(u, &sink) && values[kA] != 0;
}

void SliceDomain::sample_boundary(double u, SliceBoundary* boundary) const {
  boundary->points = boundary->corners = 0;
  BoundarySink sink{*this, u, boundary};
  walk(u, &sink);
}

}  // namespace vesica::detail
