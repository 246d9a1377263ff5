#include "vesica/interference/slices/conic_pair.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vesica/math/polynomial.h"
#include "vesica/math/scalar.h"

namespace vesica::detail {
namespace {

// On the circle a conic is f = r + p cos 2t + p' sin 2t + q cos t + q' sin t: four zeros at most,
// four extrema at most. Samples this dense part them but where three zeros or two extrema nearly
// coincide, which bounds of the derivatives tell; a quartic equation is solved there.
constexpr int kSamples = 16;
constexpr double kSpacing = 2 * kPi / kSamples;

struct SampleTable {
  double cos[kSamples], sin[kSamples], cos2[kSamples], sin2[kSamples];
  SampleTable() {
    for (int k = 0; k < kSamples; ++k) {
      cos[k] = std::cos(k * kSpacing);
      sin[k] = std::sin(k * kSpacing);
      cos2[k] = std::cos(2 * k * kSpacing);
      sin2[k] = std::sin(2 * k * kSpacing);
    }
  }
};
const SampleTable kTable;

struct CircleFunction {
  double r, p, p2, q, q2;

  explicit CircleFunction(const Conic& g)
      : r(0.5 * (g.xx + g.yy) + g.c), p(0.5 * (g.xx - g.yy)), p2(g.xy), q(2 * g.x), q2(2 * g.y) {}
  CircleFunction(double r_, double p_, double p2_, double q_, double q2_)
      : r(r_), p(p_), p2(p2_), q(q_), q2(q2_) {}
  CircleFunction derivative() const { return {0, 2 * p2, -2 * p, q2, -q}; }

  double value(const Vec2& w) const {
    return r + p * (w.x - w.y) * (w.x + w.y) + p2 * 2 * w.x * w.y + q * w.x + q2 * w.y;
  }
  double slope(const Vec2& w) const {
    return -4 * p * w.x * w.y + 2 * p2 * (w.x - w.y) * (w.x + w.y) - q * w.y + q2 * w.x;
  }
  double bend(const Vec2& w) const {
    return -4 * (p * (w.x - w.y) * (w.x + w.y) + p2 * 2 * w.x * w.y) - q * w.x - q2 * w.y;
  }
};

Vec2 sample(int k) {
  k = (k + kSamples) % kSamples;
  return {kTable.cos[k], kTable.sin[k]};
}

// Where `value` vanishes between a and b, at which it has the values fa and fb of opposite sign; b
// is less than half a turn further round. Newton's method, kept inside the bracket, on unit
// vectors: no sine or cosine.
template <class Value, class Slope>
Vec2 find_zero(const Value& value, const Slope& slope, Vec2 a, Vec2 b, double fa, double fb) {
  const auto between = [&](double of_a, double of_b) {
    const Vec2 sum = of_a * a + of_b * b;
    return (1 / std::sqrt(dot(sum, sum))) * sum;
  };
  Vec2 w = between(std::abs(fb), std::abs(fa));
  double before = 1;
  for (int step = 0; step < 60; ++step) {
    const double f = value(w);
    ((f < 0) == (fa < 0) ? a : b) = w;
    // The tangent of the angle to go; its cosine without a root where that is exact.
    const double t = -f / slope(w), t2 = t * t;
    const double scale = t2 < 1e-5 ? 1 - t2 * (0.5 - 0.375 * t2) : 1 / std::sqrt(1 + t2);
    const Vec2 next = {scale * (w.x - t * w.y), scale * (w.y + t * w.x)};
    // What is left is about t (t/before)^2. Before the bracket is asked: w is one of its ends, and
    // rounding may put a last step beyond it.
    if (std::abs(t) * t2 < 1e-15 * before * before || std::abs(t) < 1e-14) return next;
    before = std::abs(t);
    if (!(cross(a, next) >= 0 && cross(next, b) >= 0 && before < 1)) {
      w = between(1, 1);
      before = 1;
      continue;
    }
    w = next;
  }
  return w;
}
Vec2 find_zero(const CircleFunction& f, const Vec2& a, const Vec2& b, double fa, double fb) {
  return find_zero([&f](const Vec2& w) { return f.value(w); },
                   [&f](const Vec2& w) { return f.slope(w); }, a, b, fa, fb);
}
Vec2 find_extremum(const CircleFunction& f, const Vec2& a, const Vec2& b, double sa, double sb) {
  return find_zero([&f](const Vec2& w) { return f.slope(w); },
                   [&f](const Vec2& w) { return f.bend(w); }, a, b, sa, sb);
}

// All zeros, by the tangent of half the angle: one quartic for either half of the circle.
int find_zeros_of_quartics(const CircleFunction& f, Vec2 points[4]) {
  int count = 0;
  for (const double side : {1.0, -1.0}) {
    const double q = side * f.q, q2 = side * f.q2;
    const double c[5] = {f.r + f.p + q, 4 * f.p2 + 2 * q2, 2 * f.r - 6 * f.p, 2 * q2 - 4 * f.p2,
                         f.r + f.p - q};
    double roots[2 * kMaxDegree];
    const int found = find_roots(c, 4, roots);
    for (int k = 0; k < found && count < 4; ++k) {
      const double t = roots[k], scale = side / (1 + t * t);
      points[count++] = {scale * (1 - t) * (1 + t), scale * 2 * t};
    }
  }
  return count;
}

// Whether all of the circle between two neighbouring samples is outside of one of the parts.
bool is_outside(const Vec2& a, const Vec2& b, const CirclePart* parts, int part_count) {
  for (int k = 0; k < part_count; ++k) {
    const double at_a = dot(parts[k].a, a), at_b = dot(parts[k].a, b);
    // Unless the part is within the spacing.
    if (at_a > parts[k].h && at_b > parts[k].h && at_a + at_b > -1.9) return true;
  }
  return false;
}

int find_zeros(const CircleFunction& f, Vec2 points[4], const CirclePart* parts, int part_count) {
  double v[kSamples];
  for (int k = 0; k < kSamples; ++k) {
    v[k] = f.r + f.p * kTable.cos2[k] + f.p2 * kTable.sin2[k] + f.q * kTable.cos[k] +
           f.q2 * kTable.sin[k];
  }
  // How much a value can change within one spacing of an extremum; the slope where two or three
  // extrema lie within a spacing, and the value where zeros lie between them.
  const double first = std::abs(f.q) + std::abs(f.q2), second = std::abs(f.p) + std::abs(f.p2);
  const double reach = 1.0 / 2 * kSpacing * kSpacing * (4 * second + first);
  const double slope_of_two = 1.0 / 2 * kSpacing * kSpacing * (8 * second + first);
  const double slope_of_three = 1.0 / 6 * kSpacing * kSpacing * kSpacing * (16 * second + first);
  int count = 0;
  for (int k = 0; k < kSamples; ++k) {
    const int following = (k + 1) % kSamples;
    const double now = v[k], next = v[following];
    const double small = std::min(std::abs(now), std::abs(next)),
                 large = std::max(std::abs(now), std::abs(next));
    const bool changes = (now < 0) != (next < 0);
    // Two zeros need an extremum beyond zero, within half a spacing of one of the two.
    if (!changes && (small > 0.25 * reach || large > reach)) continue;
    const Vec2 a = sample(k), b = sample(following);
    if (is_outside(a, b, parts, part_count)) continue;
    if (!changes || large < kSpacing * slope_of_two) {
      const double slope_a = f.slope(a), slope_b = f.slope(b);
      const double limit = (slope_a < 0) == (slope_b < 0) ? slope_of_two : slope_of_three;
      if (large < kSpacing * limit && std::max(std::abs(slope_a), std::abs(slope_b)) < limit) {
        return find_zeros_of_quartics(f, points);
      }
      if (!changes) {
        // Toward zero at a, away from it at b.
        if ((slope_a < 0) == (now < 0) || (slope_b < 0) != (now < 0)) continue;
        const Vec2 tip = find_extremum(f, a, b, slope_a, slope_b);
        const double extremum = f.value(tip);
        if ((extremum < 0) == (now < 0)) continue;
        if (count > 2) return find_zeros_of_quartics(f, points);
        points[count++] = find_zero(f, a, tip, now, extremum);
        points[count++] = find_zero(f, tip, b, extremum, next);
        continue;
      }
    }
    if (count == 4) return find_zeros_of_quartics(f, points);
    points[count++] = find_zero(f, a, b, now, next);
  }
  return count;
}

}  // namespace

int find_on_unit_circle(const Conic& conic, Vec2 points[4], const CirclePart* parts,
                        int part_count) {
  const CircleFunction f(conic);
  const double size = std::abs(conic.xx) + std::abs(conic.yy);
  if (std::abs(f.p) + std::abs(f.p2) <= 1e-14 * size) {
    // Two circles: their common chord.
    const double length2 = f.q * f.q + f.q2 * f.q2;
    const double length = std::sqrt(length2);
    const double d = (length - f.r) * (length + f.r);
    if (!(d > 0)) return 0;
    const double along = -f.r / length2, across = std::sqrt(d) / length2;
    points[0] = {along * f.q - across * f.q2, along * f.q2 + across * f.q};
    points[1] = {along * f.q + across * f.q2, along * f.q2 - across * f.q};
    return 2;
  }
  return find_zeros(f, points, parts, part_count);
}

int find_extrema_on_unit_circle(const Conic& conic, Vec2 points[4]) {
  return find_zeros(CircleFunction(conic).derivative(), points, nullptr, 0);
}

double find_tangency_on_unit_circle(const Conic& conic, Vec2* point) {
  const CircleFunction f(conic);
  double best = std::numeric_limits<double>::infinity();
  Vec2 extrema[4];
  const int count = find_zeros(f.derivative(), extrema, nullptr, 0);
  for (int k = 0; k < count; ++k) {
    const double value = f.value(extrema[k]);
    if (std::abs(value) < std::abs(best)) {
      best = value;
      *point = extrema[k];
    }
  }
  return best;
}

int find_common_points(const Conic& a, const Conic& b, Vec2 points[4]) {
  if (!is_ellipse(a)) return 0;
  const double det = a.xx * a.yy - a.xy * a.xy;
  const Vec2 center = {(a.xy * a.y - a.yy * a.x) / det, (a.xy * a.x - a.xx * a.y) / det};
  const double kappa2 = -(a.x * center.x + a.y * center.y + a.c);
  if (!(kappa2 > 0)) return 0;
  const double kappa = std::sqrt(kappa2);
  // Columns of E: center + E w is the ellipse for unit w (Cholesky).
  const double l1 = std::sqrt(a.xx), l2 = a.xy / l1, l3 = std::sqrt(det) / l1;
  const double exx = kappa / l1, exy = -kappa * l2 / (l1 * l3), eyy = kappa / l3;
  const Vec2 at_center = {b.xx * center.x + b.xy * center.y + b.x,
                          b.xy * center.x + b.yy * center.y + b.y};
  Conic on_circle;
  on_circle.xx = exx * exx * b.xx;
  on_circle.xy = exx * (exy * b.xx + eyy * b.xy);
  on_circle.yy = exy * exy * b.xx + 2 * exy * eyy * b.xy + eyy * eyy * b.yy;
  on_circle.x = exx * at_center.x;
  on_circle.y = exy * at_center.x + eyy * at_center.y;
  on_circle.c = b(center);
  Vec2 w[4];
  const int count = find_on_unit_circle(on_circle, w);
  for (int k = 0; k < count; ++k) {
    points[k] = {center.x + exx * w[k].x + exy * w[k].y, center.y + eyy * w[k].y};
  }
  return count;
}

}  // namespace vesica::detail
