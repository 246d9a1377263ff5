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

Vec2 at_angle(double t) { return {std::cos(t), std::sin(t)}; }

// The zero between a and b, where f changes its sign.
Vec2 refine(const CircleFunction& f, double a, double b, double fa) {
  double t = 0.5 * (a + b);
  Vec2 w = at_angle(t);
  for (int step = 0; step < 60; ++step) {
    const double value = f.value(w), slope = f.slope(w);
    if ((value < 0) == (fa < 0)) {
      a = t;
    } else {
      b = t;
    }
    double next = t - value / slope;
    if (!(next > a && next < b)) next = 0.5 * (a + b);
    const double change = next - t;
    t = next;
    w = at_angle(t);
    if (std::abs(change) < 1e-9) {
      // One more Newton step without a bracket: the error is squared.
      const double s = f.slope(w);
      if (s != 0) {
        const double last = f.value(w) / s;
        if (std::abs(last) < 1e-7) w = {w.x + last * w.y, w.y - last * w.x};
      }
      break;
    }
  }
  return w;
}

// The extremum near the sample at angle t, where the slope changes its sign within one spacing.
double find_extremum(const CircleFunction& f, double t) {
  double a = t - kSpacing, b = t + kSpacing;
  const double sa = f.slope(at_angle(a));
  for (int step = 0; step < 60; ++step) {
    const Vec2 w = at_angle(t);
    const double slope = f.slope(w), bend = f.bend(w);
    if ((slope < 0) == (sa < 0)) {
      a = t;
    } else {
      b = t;
    }
    double next = t - slope / bend;
    if (!(next > a && next < b)) next = 0.5 * (a + b);
    const double change = std::abs(next - t);
    t = next;
    if (change < 1e-12) break;
  }
  return t;
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
    const double t = k * kSpacing;
    if ((now < 0) != (next < 0)) {
      points[count++] = refine(f, t, t + kSpacing, now);
      continue;
    }
    // A pair of zeros between two samples of the same sign: only round an extremum toward zero,
    // which belongs to the sample that is nearest to zero.
    const double before = v[(k + kSamples - 1) % kSamples];
    if ((before < 0) != (now < 0)) continue;
    const double size_now = std::abs(now);
    if (size_now > std::abs(next) || size_now >= std::abs(before) || size_now > reach) continue;
    const double e = find_extremum(f, t);
    const double extremum = f.value(at_angle(e));
    if ((extremum < 0) == (now < 0) || count > 2) continue;
    points[count++] = refine(f, t - kSpacing, e, now);
    points[count++] = refine(f, e, t + kSpacing, extremum);
  }
  return count;
}

double find_tangency_on_unit_circle(const Conic& conic, Vec2* point) {
  const CircleFunction f(conic);
  double best = std::numeric_limits<double>::infinity();
  double slope = f.slope({kTable.cos[kSamples - 1], kTable.sin[kSamples - 1]});
  for (int k = 0; k < kSamples; ++k) {
    const double next = f.slope({kTable.cos[k], kTable.sin[k]});
    if ((slope < 0) != (next < 0)) {
      double a = (k - 1) * kSpacing, b = k * kSpacing, t = 0.5 * (a + b);
      for (int step = 0; step < 50 && b - a > 1e-14; ++step) {
        const Vec2 w = at_angle(t);
        const double s = f.slope(w), bend = f.bend(w);
        if ((s < 0) == (slope < 0)) {
          a = t;
        } else {
          b = t;
        }
        const double old = t;
        t = t - s / bend;
        if (!(t > a && t < b)) t = 0.5 * (a + b);
        if (std::abs(t - old) < 1e-13) break;
      }
      const Vec2 w = at_angle(t);
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
