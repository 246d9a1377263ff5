#include "vesica/interference/conic_pair.h"

#include <algorithm>
#include <cmath>

#include "vesica/math/scalar.h"

namespace vesica::detail {
namespace {

// On the circle a conic is f = r + p cos 2t + p' sin 2t + q cos t + q' sin t: four zeros at most,
// four extrema at most. Samples this dense part them but for extrema that nearly coincide.
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
  for (int step = 0; step < 60; ++step) {
    const double f = value(w);
    ((f < 0) == (fa < 0) ? a : b) = w;
    // The tangent of the angle to go.
    const double t = -f / slope(w), scale = 1 / std::sqrt(1 + t * t);
    const Vec2 next = {scale * (w.x - t * w.y), scale * (w.y + t * w.x)};
    if (!(cross(a, next) >= 0 && cross(next, b) >= 0 && std::abs(t) < 1)) {
      w = between(1, 1);
      continue;
    }
    w = next;
    // What is left is about the square of this step.
    if (std::abs(t) < 1e-9) break;
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

}  // namespace

int find_on_unit_circle(const Conic& conic, Vec2 points[4]) {
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

  double v[kSamples];
  for (int k = 0; k < kSamples; ++k) {
    v[k] = f.r + f.p * kTable.cos2[k] + f.p2 * kTable.sin2[k] + f.q * kTable.cos[k] +
           f.q2 * kTable.sin[k];
  }
  // How much a value can change within one spacing of an extremum.
  const double reach = 0.5 * kSpacing * kSpacing *
                       (4 * (std::abs(f.p) + std::abs(f.p2)) + std::abs(f.q) + std::abs(f.q2));
  int count = 0;
  for (int k = 0; k < kSamples && count < 4; ++k) {
    const double now = v[k], next = v[(k + 1) % kSamples];
    if ((now < 0) != (next < 0)) {
      points[count++] = find_zero(f, sample(k), sample(k + 1), now, next);
      continue;
    }
    // A pair of zeros between two samples of the same sign: only round an extremum toward zero,
    // which belongs to the sample that is nearest to zero.
    const double before = v[(k + kSamples - 1) % kSamples];
    if ((before < 0) != (now < 0)) continue;
    const double size_now = std::abs(now);
    if (size_now > std::abs(next) || size_now >= std::abs(before) || size_now > reach) continue;
    const Vec2 a = sample(k - 1), b = sample(k + 1);
    const double slope_a = f.slope(a), slope_b = f.slope(b);
    if ((slope_a < 0) == (slope_b < 0)) continue;
    const Vec2 tip = find_extremum(f, a, b, slope_a, slope_b);
    const double extremum = f.value(tip);
    if ((extremum < 0) == (now < 0) || count > 2) continue;
    points[count++] = find_zero(f, a, tip, before, extremum);
    points[count++] = find_zero(f, tip, b, extremum, next);
  }
  return count;
}

double find_tangency_on_unit_circle(const Conic& conic, Vec2* point) {
  const CircleFunction f(conic);
  double best = std::numeric_limits<double>::infinity();
  double slope = f.slope(sample(-1));
  for (int k = 0; k < kSamples; ++k) {
    const double next = f.slope(sample(k));
    if ((slope < 0) != (next < 0)) {
      const Vec2 w = find_extremum(f, sample(k - 1), sample(k), slope, next);
      const double value = f.value(w);
      if (std::abs(value) < std::abs(best)) {
        best = value;
        *point = w;
      }
    }
    slope = next;
  }
  return best;
}

int find_common_points(const Conic& a, const Conic& b, Vec2 points[4]) {
  const double det = a.xx * a.yy - a.xy * a.xy;
  if (!(a.xx > 0) || !(det > 1e-12 * a.xx * a.xx)) return 0;
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
