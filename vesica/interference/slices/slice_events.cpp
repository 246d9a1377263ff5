// Where the topology of the slices changes: the critical values of u on the faces, edges and
// vertices of the domain. Each candidate is a point; it counts where it lies in the domain, with a
// tolerance, as an event too many only costs a few slices.
#include <algorithm>
#include <cmath>
#include <limits>

#include "vesica/interference/slices/slice_domain.h"
#include "vesica/math/polynomial.h"

namespace vesica::detail {
namespace {

// Roots of a u^2 + b u + c; a double root that rounding has parted or lost is one root.
int solve_quadratic(double a, double b, double c, double roots[2]) {
  if (a == 0) {
    if (b == 0) return 0;
    roots[0] = -c / b;
    return 1;
  }
  const double d = b * b - 4 * a * c, size = b * b + 4 * std::abs(a * c);
  if (d < -1e-12 * size) return 0;
  if (d <= 0) {
    roots[0] = -0.5 * b / a;
    return 1;
  }
  const double q = -0.5 * (b + std::copysign(std::sqrt(d), b));
  roots[0] = q / a;
  if (q == 0) return 1;
  roots[1] = c / q;
  return 2;
}

// Polynomials in v of degree at most kMaxDegree.
struct Polynomial {
  int degree = 0;
  double c[kMaxDegree + 1] = {};

  static Polynomial quadratic(double c0, double c1, double c2) { return {2, {c0, c1, c2}}; }
  Polynomial operator*(const Polynomial& o) const {
    Polynomial r;
    r.degree = degree + o.degree;
    for (int i = 0; i <= degree; ++i) {
      for (int k = 0; k <= o.degree; ++k) r.c[i + k] += c[i] * o.c[k];
    }
    return r;
  }
  Polynomial combined(double s, const Polynomial& o, double t) const {
    Polynomial r;
    r.degree = std::max(degree, o.degree);
    for (int k = 0; k <= r.degree; ++k) r.c[k] = s * c[k] + t * o.c[k];
    return r;
  }
  double size() const {
    double sum = 0;
    for (int k = 0; k <= degree; ++k) sum += std::abs(c[k]);
    return sum;
  }
};

// Newton's method for a tangency near u, w: where the conic `at` u has the extremal value 0 on the
// unit circle, at w. `slope`: its derivative by u at w. False where it does not converge between
// low and high.
template <class At, class Slope>
bool polish_tangency(const At& at, const Slope& slope, double low, double high, double* u,
                     Vec2* w) {
  for (int step = 0; step < 12; ++step) {
    const Conic c = at(*u);
    const auto times = [&c](const Vec2& x) -> Vec2 {
      return {c.xx * x.x + c.xy * x.y, c.xy * x.x + c.yy * x.y};
    };
    // Half of the derivatives along the circle.
    const Vec2 t = turned(*w), gradient = times(*w) + Vec2{c.x, c.y};
    const double bend = dot(t, times(t)) - dot(gradient, *w), rate = slope(*u, *w);
    if (bend == 0 || rate == 0) return false;
    const double turn = -dot(gradient, t) / bend, change = -c(*w) / rate;
    if (!(std::abs(turn) < 0.5) || !(*u + change >= low && *u + change <= high)) return false;
    const Vec2 next = *w + turn * t;
    *w = (1 / std::sqrt(dot(next, next))) * next;
    *u += change;
    // What is left is about the square of this step.
    if (std::abs(change) < 1e-8 * (high - low) && std::abs(turn) < 1e-6) return true;
  }
  return false;
}

}  // namespace

void SliceDomain::add_event(double u, bool is_tangency, const Vec2& x, SliceEvent* events,
                            int* count, EventPlaces* places) const {
  if (!(u >= u_low_ - tolerance_ && u <= u_high_ + tolerance_) || *count >= kMaxEvents) return;
  places->sum += Vec3d(x.x, x.y, u);
  places->low = {std::min(places->low.x, x.x), std::min(places->low.y, x.y)};
  places->high = {std::max(places->high.x, x.x), std::max(places->high.y, x.y)};
  events[(*count)++] = {std::clamp(u, u_low_, u_high_), is_tangency};
}

bool SliceDomain::is_feasible(const Vec2& x, double u, int line_a, int line_b, int ellipse_a,
                              int ellipse_b, int ellipse_c) const {
  for (int k = 0; k < lines_; ++k) {
    if (k == line_a || k == line_b) continue;
    // A plane that is nearly parallel to the slices: distance, not distance within the slice.
    const double slant = std::max(1.0, std::abs(line_[k].off1));
    if (dot(line_[k].c, x) + line_[k].off0 + line_[k].off1 * u > tolerance_ * slant) return false;
  }
  for (int m = 0; m < ellipses_; ++m) {
    if (m == ellipse_a || m == ellipse_b || m == ellipse_c) continue;
    const double q = ellipse_[m].at(u)(x);
    if (ellipse_[m].is_outside ? q < -tolerance_ : q > tolerance_) return false;
  }
  return is_guarded(x, u);
}

// Edges between two planes, cut to their part in the domain.
void SliceDomain::add_vertices(SliceEvent* events, int* count, EventPlaces* places) const {
  for (int k = 0; k < lines_; ++k) {
    for (int m = k + 1; m < lines_; ++m) {
      const Line &a = line_[k], &b = line_[m];
      const double s = cross_[k][m];
      if (std::abs(s) <= kParallel) {
        // An edge within one slice, or parallel planes.
        const double slope = a.off1 - dot_[k][m] * b.off1;
        if (std::abs(slope) <= kParallel * (1 + std::abs(a.off1))) continue;
        const double u = -(a.off0 - dot_[k][m] * b.off0) / slope;
        const double off = a.off0 + a.off1 * u;
        const Vec2 foot = -off * a.c, d = turned(a.c);
        double from = -kInfinity, to = kInfinity;
        for (int l = 0; l < lines_; ++l) {
          if (l == k || l == m) continue;
          const double value = dot(line_[l].c, foot) + line_[l].off0 + line_[l].off1 * u;
          if (cross_[k][l] > kParallel) {
            to = std::min(to, -value / cross_[k][l]);
          } else if (cross_[k][l] < -kParallel) {
            from = std::max(from, -value / cross_[k][l]);
          } else if (value > tolerance_ * std::max(1.0, std::abs(line_[l].off1))) {
            to = -kInfinity;
          }
        }
        for (int e = 0; e < ellipses_; ++e) {
          if (ellipse_[e].is_outside) continue;
          const double kappa2 = ellipse_[e].kappa2(u), p = cut_[k][e].p0 + cut_[k][e].p1 * u;
          const double reach2 = kappa2 * cut_[k][e].length * cut_[k][e].length;
          if (kappa2 <= 0 || p * p > reach2) {
            to = -kInfinity;
            break;
          }
          const double middle =
              cut_[k][e].q0 + cut_[k][e].q1 * u - p / cut_[k][e].length * cut_[k][e].mu;
          const double half = std::sqrt(kappa2 * (1 - p * p / reach2)) * cut_[k][e].lambda;
          from = std::max(from, middle - half);
          to = std::min(to, middle + half);
        }
        if (from <= to && std::isfinite(from) && std::isfinite(to)) {
          add_event(u, false, foot + 0.5 * (from + to) * d, events, count, places);
        }
        continue;
      }
      // x = x0 + u x1
      const auto meet = [&](double off_a, double off_b) -> Vec2 {
        return {(off_b * a.c.y - off_a * b.c.y) / s, (off_a * b.c.x - off_b * a.c.x) / s};
      };
      const Vec2 x0 = meet(a.off0, b.off0), x1 = meet(a.off1, b.off1);
      double from = std::max(u_low_, range_low_), to = std::min(u_high_, range_high_);
      for (int l = 0; l < lines_ && from <= to; ++l) {
        if (l == k || l == m) continue;
        const double slope = dot(line_[l].c, x1) + line_[l].off1;
        const double value = dot(line_[l].c, x0) + line_[l].off0;
        if (slope > 0) {
          to = std::min(to, -value / slope);
        } else if (slope < 0) {
          from = std::max(from, -value / slope);
        } else if (value > tolerance_) {
          to = -kInfinity;
        }
      }
      if (!(from <= to + tolerance_)) continue;
      double others[2 * kMaxConics];
      int n = 0;
      for (int e = 0; e < ellipses_ && from <= to + tolerance_; ++e) {
        const Ellipse& q = ellipse_[e];
        const Vec2 Bx1 = {q.bxx * x1.x + q.bxy * x1.y, q.bxy * x1.x + q.byy * x1.y};
        const double c2 = dot(x1, Bx1) + 2 * dot(q.b1, x1) + q.c2;
        const double c1 = 2 * (dot(x0, Bx1) + dot(q.b0, x1) + dot(q.b1, x0) + q.c1);
        const double c0 = q.at(0)(x0);
        double roots[2];
        const int found = solve_quadratic(c2, c1, c0, roots);
        if (q.is_outside || c2 <= 0) {  // not one interval: take the ends, let the check decide
          for (int r = 0; r < found; ++r) others[n++] = roots[r];
        } else if (found < 2) {
          to = -kInfinity;
        } else {
          from = std::max(from, std::min(roots[0], roots[1]));
          to = std::min(to, std::max(roots[0], roots[1]));
        }
      }
      if (!(from <= to + tolerance_)) continue;
      others[n++] = from;
      others[n++] = to;
      for (int r = 0; r < n; ++r) {
        const double u = others[r];
        if (u < from - tolerance_ || u > to + tolerance_) continue;
        const Vec2 x = x0 + u * x1;
        if (is_feasible(x, u, k, m, -1, -1)) add_event(u, false, x, events, count, places);
      }
    }
  }
}

// Tips of the quadrics, and the extrema of the curves where a plane cuts a quadric.
void SliceDomain::add_tangencies(SliceEvent* events, int* count, EventPlaces* places) const {
  for (int m = 0; m < ellipses_; ++m) {
    const Ellipse& e = ellipse_[m];
    double roots[2] = {e.apex.z()};
    int found = e.is_cone ? 1 : solve_quadratic(e.s2, e.s1, e.s0, roots);
    for (int r = 0; r < found; ++r) {
      const Vec2 x = e.center(roots[r]);
      if (is_feasible(x, roots[r], -1, -1, m, -1))
        add_event(roots[r], false, x, events, count, places);
    }
    for (int k = 0; k < lines_; ++k) {
      const LineEllipse& cut = cut_[k][m];
      const double l2 = cut.length * cut.length;
      found = solve_quadratic(cut.p1 * cut.p1 - l2 * e.s2, 2 * cut.p0 * cut.p1 - l2 * e.s1,
                              cut.p0 * cut.p0 - l2 * e.s0, roots);
      for (int r = 0; r < found; ++r) {
        // p^2 = l^2 kappa^2 there: p has the digits that kappa^2 loses near a tip.
        const double u = roots[r], p = cut.p0 + cut.p1 * u;
        const Vec2 x = e.center(u) - p / cut.length * e.stretch(cut.a);
        if (is_feasible(x, u, k, -1, m, -1)) add_event(u, true, x, events, count, places);
      }
    }
  }
}

// Extrema of the curves where two quadrics meet: the slices' ellipses touch, which is where the
// cubic det(C_b + mu C_a) of their pencil has a double root. Its discriminant is a polynomial in u
// of degree 8; 4 where the ellipses are similar (two circles, say).
void SliceDomain::add_ellipse_pairs(SliceEvent* events, int* count, EventPlaces* places) const {
  for (int a = 0; a < ellipses_; ++a) {
    for (int b = a + 1; b < ellipses_; ++b) {
      const Ellipse &ea = ellipse_[a], &eb = ellipse_[b];
      double low = std::max(u_low_, range_low_), high = std::min(u_high_, range_high_);
      for (const Ellipse* e : {&ea, &eb}) {
        if (e->is_outside || !(e->s2 < 0)) continue;
        double roots[2];
        if (solve_quadratic(e->s2, e->s1, e->s0, roots) < 2) {
          high = -kInfinity;
          break;
        }
        low = std::max(low, std::min(roots[0], roots[1]));
        high = std::min(high, std::max(roots[0], roots[1]));
      }
      if (!(low < high)) continue;
      const double middle = 0.5 * (low + high), half = 0.5 * (high - low);
      // In coordinates y with x - center_a = E_a y, where a is |y| = kappa_a.
      const auto in_y = [&](const Vec2& v) -> Vec2 {  // E_a^T B_b v
        const Vec2 Bv = {eb.bxx * v.x + eb.bxy * v.y, eb.bxy * v.x + eb.byy * v.y};
        return {ea.exx * Bv.x, ea.exy * Bv.x + ea.eyy * Bv.y};
      };
      const Vec2 K0 = in_y({ea.exx, 0}), K1 = in_y({ea.exy, ea.eyy});
      const double kxx = K0.x, kxy = K0.y, kyy = K1.y;
      const Vec2 d0 = ea.center(middle) - eb.center(middle), d1 = half * (ea.k1 - eb.k1);
      const Vec2 l0 = in_y(d0), l1 = in_y(d1);
      const auto form = [&](const Vec2& v, const Vec2& w) {
        return v.x * (eb.bxx * w.x + eb.bxy * w.y) + v.y * (eb.bxy * w.x + eb.byy * w.y);
      };
      const auto kappa2 = [&](const Ellipse& e) {
        return Polynomial::quadratic(e.kappa2(middle), half * (e.s1 + 2 * e.s2 * middle),
                                     half * half * e.s2);
      };
      const Polynomial ka = kappa2(ea), kb = kappa2(eb);
      const Polynomial e =
          Polynomial::quadratic(form(d0, d0), 2 * form(d0, d1), form(d1, d1)).combined(1, kb, -1);
      const Polynomial ll = Polynomial::quadratic(dot(l0, l0), 2 * dot(l0, l1), dot(l1, l1));
      const double trace = kxx + kyy, det = kxx * kyy - kxy * kxy;
      Polynomial discriminant;
      const bool are_similar = std::abs(kxx - kyy) + 2 * std::abs(kxy) <= 1e-14 * trace;
      if (are_similar) {
        const Polynomial f = e.combined(1, ka, 0.5 * trace);
        discriminant = (f * f).combined(1, ka * ll, -4);
      } else {
        const auto adjugate = [&](const Vec2& v, const Vec2& w) {
          return v.x * (kyy * w.x - kxy * w.y) + v.y * (kxx * w.y - kxy * w.x);
        };
        const Polynomial la =
            Polynomial::quadratic(adjugate(l0, l0), 2 * adjugate(l0, l1), adjugate(l1, l1));
        // -ka mu^3 + c2 mu^2 + c1 mu + c0, mu in units of the trace
        const Polynomial c3 = ka.combined(-trace * trace, ka, 0);
        const Polynomial c2 = e.combined(trace, ka, -trace * trace);
        const Polynomial c1 = e.combined(trace, ka, -det).combined(1, ll, -1);
        const Polynomial c0 = e.combined(det / trace, la, -1 / trace);
        const Polynomial c11 = c1 * c1, c22 = c2 * c2, c03 = c0 * c3;
        discriminant = (c22 * c11)
                           .combined(1, c3 * (c1 * c11), -4)
                           .combined(1, (c22 * c2) * c0, -4)
                           .combined(1, c03 * c03, -27)
                           .combined(1, (c03 * c1) * c2, 18);
      }
      double roots[2 * kMaxDegree];
      const int found = find_roots(discriminant.c, discriminant.degree, roots);
      // b on the unit circle of a, and the derivative of its value at w by u.
      const auto at = [&](double u) -> Conic {
        const double size2 = ea.kappa2(u), size = std::sqrt(size2);
        const Vec2 d = ea.center(u) - eb.center(u), l = in_y(d);
        return {size2 * kxx, size2 * kxy, size2 * kyy,
                size * l.x,  size * l.y,  form(d, d) - eb.kappa2(u)};
      };
      const auto slope = [&](double u, const Vec2& w) {
        const Vec2 d = ea.center(u) - eb.center(u), by_u = ea.k1 - eb.k1;
        const Vec2 Kw = {kxx * w.x + kxy * w.y, kxy * w.x + kyy * w.y};
        const double size = std::sqrt(ea.kappa2(u)), growth = 0.5 * (ea.s1 + 2 * ea.s2 * u) / size;
        return 2 * growth * (size * dot(w, Kw) + dot(in_y(d), w)) + 2 * size * dot(in_y(by_u), w) +
               2 * form(d, by_u) - (eb.s1 + 2 * eb.s2 * u);
      };
      const auto add = [&](double u, const Vec2& w) {
        const Vec2 x = ea.center(u) + std::sqrt(ea.kappa2(u)) * ea.stretch(w);
        if (is_feasible(x, u, -1, -1, a, b)) add_event(u, true, x, events, count, places);
      };
      // Of ellipses that are nearly alike, as those of a peg and its bore, the discriminant has few
      // digits: its roots are off by a hundredth of the range, or lost, and a fifth of the volume
      // with them. Newton's method from either end and the middle finds where the extrema vanish.
      const bool are_alike = std::abs(kxx - kyy) + 2 * std::abs(kxy) <= 0.1 * trace;
      for (const double start : {low, middle, high}) {
        if (!are_alike || are_similar || !(ea.kappa2(start) > 0)) continue;
        Vec2 extrema[4];
        const int extremum_count = find_extrema_on_unit_circle(at(start), extrema);
        for (int k = 0; k < extremum_count; ++k) {
          double u = start;
          if (polish_tangency(at, slope, low, high, &u, &extrema[k])) add(u, extrema[k]);
        }
      }
      for (int r = 0; r < found; ++r) {
        const double u = middle + half * roots[r], k2 = ea.kappa2(u);
        if (!(k2 > 0)) continue;
        const Conic conic = at(u);
        const double offset = std::hypot(conic.x, conic.y), size = k2 * trace + offset;
        Vec2 w = {1, 0};
        // Concentric circles meet everywhere or nowhere.
        if (are_similar && offset < 1e-9 * k2 * trace) {
          add_event(u, true, ea.center(u) + std::sqrt(k2) * ea.stretch(w), events, count, places);
        } else if (std::abs(find_tangency_on_unit_circle(conic, &w)) < 1e-5 * size) {
          double exact = u;
          Vec2 place = w;
          const bool is_exact = are_alike && polish_tangency(at, slope, low, high, &exact, &place);
          add(is_exact ? exact : u, is_exact ? place : w);
        }
      }
    }
  }
}

// Vertices of a plane and two quadrics.
void SliceDomain::add_line_ellipse_pairs(SliceEvent* events, int* count,
                                         EventPlaces* places) const {
  if (ellipses_ < 2) return;
  for (int k = 0; k < lines_; ++k) {
    const Vec2 d = turned(line_[k].c), x0 = -line_[k].off0 * line_[k].c,
               x1 = -line_[k].off1 * line_[k].c;
    // Each quadric on the plane, in the coordinates (t, u) with x = x0 + u x1 + t d.
    Conic on_plane[kMaxConics];
    for (int m = 0; m < ellipses_; ++m) {
      const Ellipse& e = ellipse_[m];
      const auto times = [&e](const Vec2& v) -> Vec2 {
        return {e.bxx * v.x + e.bxy * v.y, e.bxy * v.x + e.byy * v.y};
      };
      const Vec2 B0 = times(x0), B1 = times(x1);
      on_plane[m] = {dot(d, times(d)),
                     dot(d, B1) + dot(e.b1, d),
                     dot(x1, B1) + 2 * dot(e.b1, x1) + e.c2,
                     dot(d, B0) + dot(e.b0, d),
                     dot(x1, B0) + dot(e.b0, x1) + dot(e.b1, x0) + e.c1,
                     dot(x0, B0) + 2 * dot(e.b0, x0) + e.c0};
    }
    for (int a = 0; a < ellipses_; ++a) {
      for (int b = a + 1; b < ellipses_; ++b) {
        Vec2 points[4];
        int found = find_common_points(on_plane[a], on_plane[b], points);
        if (found == 0 && !is_ellipse(on_plane[a])) {
          found = find_common_points(on_plane[b], on_plane[a], points);
        }
        for (int p = 0; p < found; ++p) {
          const double u = points[p].y;
          const Vec2 x = x0 + u * x1 + points[p].x * d;
          if (is_feasible(x, u, k, -1, a, b)) add_event(u, false, x, events, count, places);
        }
      }
    }
  }
}

bool SliceDomain::find_range(double* low, double* high) const {
  *low = std::max(u_low_, range_low_);
  *high = std::min(u_high_, range_high_);
  for (int m = 0; m < ellipses_; ++m) {
    const Ellipse& e = ellipse_[m];
    if (e.is_outside || !(e.s2 < 0)) continue;
    double roots[2];
    if (solve_quadratic(e.s2, e.s1, e.s0, roots) < 2) return false;
    *low = std::max(*low, std::min(roots[0], roots[1]));
    *high = std::min(*high, std::max(roots[0], roots[1]));
  }
  return *low < *high;
}

// A net below the events: where three curved surfaces meet nearly at a tangency, rounding may lose
// a corner. Slices beyond the outermost events ought to be empty; where one is not, its end is
// bisected for.
void SliceDomain::search_beyond(SliceEvent* events, int* count) const {
  constexpr int kProbes = 16;
  double low, high;
  if (ellipses_ < 3 || !find_range(&low, &high)) return;
  const auto is_empty = [this](double u) {
    double values[kSliceValues];
    return !evaluate(u, values) || values[kA] <= square(tolerance_);
  };
  double first = kInfinity, last = -kInfinity;
  for (int k = 0; k < *count; ++k) {
    first = std::min(first, events[k].u);
    last = std::max(last, events[k].u);
  }
  const double step = (high - low) / kProbes;
  for (int k = 0; k < kProbes; ++k) {
    const double u = low + (k + 0.5) * step;
    if ((u >= first && u <= last) || is_empty(u)) continue;
    for (const double next : {std::max(low, u - step), std::min(high, u + step)}) {
      double inside = u, outside = next;
      if (is_empty(outside)) {
        for (int bisection = 0; bisection < 60; ++bisection) {
          const double middle = 0.5 * (inside + outside);
          (is_empty(middle) ? outside : inside) = middle;
        }
      } else if (next > low && next < high) {
        continue;
      }
      if (*count < kMaxEvents) events[(*count)++] = {outside, false};
    }
  }
}

int SliceDomain::find_events(SliceEvent events[kMaxEvents], Vec3d* middle, double* spread) const {
  int count = 0;
  EventPlaces places;
  add_vertices(events, &count, &places);
  add_tangencies(events, &count, &places);
  add_ellipse_pairs(events, &count, &places);
  add_line_ellipse_pairs(events, &count, &places);
  add_ellipse_triples(events, &count, &places);
  *middle = count > 0 ? Vec3d(places.sum / count) : Vec3d::Zero();
  *spread = count > 0 ? std::hypot(places.high.x - places.low.x, places.high.y - places.low.y) : 0;
  for (const double u : {u_low_, u_high_}) {
    double values[kSliceValues];
    if (std::isfinite(u) && evaluate(u, values) && count < kMaxEvents) events[count++] = {u, false};
  }
  search_beyond(events, &count);
  if (count == 0) return 0;
  std::sort(events, events + count,
            [](const SliceEvent& a, const SliceEvent& b) { return a.u < b.u; });
  // Events closer than rounding are one.
  const double least = 1e-12 * (events[count - 1].u - events[0].u);
  int kept = 0;
  for (int k = 1; k < count; ++k) {
    if (events[k].u - events[kept].u <= least) {
      events[kept].is_tangency |= events[k].is_tangency;
    } else {
      events[++kept] = events[k];
    }
  }
  return kept + 1;
}

}  // namespace vesica::detail
