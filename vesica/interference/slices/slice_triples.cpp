// Vertices of three quadrics. What three curved surfaces share may have no other events: no tip and
// no place where two of them touch, only corners (docs/theory/slices.md).
//
// In a slice three conics have a common point where their resultant vanishes, which is a polynomial
// of degree 8 in u, as three quadrics meet in eight points. It is interpolated from nine slices;
// its roots only say where to look, Newton's method on the three quadrics finds the points.
#include <algorithm>
#include <cmath>

#include "vesica/interference/slices/slice_domain.h"
#include "vesica/math/polynomial.h"

namespace vesica::detail {
namespace {

constexpr int kSlicesOfTriple = kMaxDegree + 1;

// Values at v_k = cos((k + 1/2) pi / 9) to coefficients of the powers of v.
struct ChebyshevTable {
  double v[kSlicesOfTriple];
  double power_of_value[kSlicesOfTriple][kSlicesOfTriple];
  ChebyshevTable() {
    constexpr int n = kSlicesOfTriple;
    double polynomial[n][n] = {};  // T_m by powers
    polynomial[0][0] = polynomial[1][1] = 1;
    for (int m = 2; m < n; ++m) {
      for (int p = 0; p < n; ++p) {
        polynomial[m][p] = (p > 0 ? 2 * polynomial[m - 1][p - 1] : 0) - polynomial[m - 2][p];
      }
    }
    for (int k = 0; k < n; ++k) {
      v[k] = std::cos((k + 0.5) * kPi / n);
      for (int p = 0; p < n; ++p) {
        power_of_value[p][k] = 0;
        for (int m = 0; m < n; ++m) {
          power_of_value[p][k] +=
              (m == 0 ? 1.0 : 2.0) / n * std::cos(m * (k + 0.5) * kPi / n) * polynomial[m][p];
        }
      }
    }
  }
};
const ChebyshevTable kChebyshev;

// By columns, with row pivots.
double calc_determinant(double m[6][6]) {
  double det = 1;
  for (int k = 0; k < 6; ++k) {
    int pivot = k;
    for (int r = k + 1; r < 6; ++r) {
      if (std::abs(m[r][k]) > std::abs(m[pivot][k])) pivot = r;
    }
    if (m[pivot][k] == 0) return 0;
    if (pivot != k) {
      for (int c = k; c < 6; ++c) std::swap(m[k][c], m[pivot][c]);
      det = -det;
    }
    det *= m[k][k];
    for (int r = k + 1; r < 6; ++r) {
      const double factor = m[r][k] / m[k][k];
      for (int c = k + 1; c < 6; ++c) m[r][c] -= factor * m[k][c];
    }
  }
  return det;
}

// The resultant of three conics (Salmon, 1885): the determinant of their coefficients and of those
// of the three derivatives of their Jacobian, which vanish at a common point too.
double calc_resultant(const Conic& a, const Conic& b, const Conic& c) {
  // Symmetric forms in (x, y, 1).
  struct Form {
    double m[3][3];
    explicit Form(const Conic& g) : m{{g.xx, g.xy, g.x}, {g.xy, g.yy, g.y}, {g.x, g.y, g.c}} {}
  };
  const Form f[3] = {Form(a), Form(b), Form(c)};
  double rows[6][6];  // xx, yy, 11, xy, x1, y1
  for (int k = 0; k < 3; ++k) {
    const auto& m = f[k].m;
    const double row[6] = {m[0][0], m[1][1], m[2][2], 2 * m[0][1], 2 * m[0][2], 2 * m[1][2]};
    std::copy(row, row + 6, rows[k]);
    std::fill(rows[3 + k], rows[3 + k] + 6, 0);
  }
  for (int k = 0; k < 3; ++k) {
    // Half gradients p = P v and q = Q v of the other two; their cross product by components.
    const auto &own = f[k].m, &P = f[(k + 1) % 3].m, &Q = f[(k + 2) % 3].m;
    for (int component = 0; component < 3; ++component) {
      const double *p1 = P[(component + 1) % 3], *p2 = P[(component + 2) % 3];
      const double *q1 = Q[(component + 1) % 3], *q2 = Q[(component + 2) % 3];
      const auto term = [&](int r, int s) { return p1[r] * q2[s] - p2[r] * q1[s]; };
      const double cross[6] = {term(0, 0),
                               term(1, 1),
                               term(2, 2),
                               term(0, 1) + term(1, 0),
                               term(0, 2) + term(2, 0),
                               term(1, 2) + term(2, 1)};
      for (int derivative = 0; derivative < 3; ++derivative) {
        for (int n = 0; n < 6; ++n)
          rows[3 + derivative][n] += own[component][derivative] * cross[n];
      }
    }
  }
  return calc_determinant(rows);
}

}  // namespace

void SliceDomain::add_ellipse_triples(SliceEvent* events, int* count, EventPlaces* places) const {
  if (ellipses_ < 3) return;
  double low, high;
  if (!find_range(&low, &high)) return;
  for (int a = 0; a < ellipses_; ++a) {
    for (int b = a + 1; b < ellipses_; ++b) {
      for (int c = b + 1; c < ellipses_; ++c) {
        const int triple[3] = {a, b, c};
        add_triple(triple, low, high, events, count, places);
      }
    }
  }
}

void SliceDomain::add_triple(const int triple[3], double low, double high, SliceEvent* events,
                             int* count, EventPlaces* places) const {
  // A little further than the range: a corner at its end is one of the domain.
  const double middle = 0.5 * (low + high), half = 0.5 * (high - low) * (1 + 1e-6);
  // In the smallest one's coordinates, where it is a circle about the origin and nothing is flat.
  int first = 0;
  double least = kInfinity, K = 0;
  for (int k = 0; k < 3; ++k) {
    const Ellipse& e = ellipse_[triple[k]];
    const double kappa2 = std::max({e.kappa2(low), e.kappa2(middle), e.kappa2(high)});
    if (kappa2 > 0 && kappa2 * e.det < least) {
      least = kappa2 * e.det;
      first = k;
      K = std::sqrt(kappa2);
    }
  }
  if (!(K > 0)) return;
  const Ellipse& ea = ellipse_[triple[first]];
  const Ellipse* others[2] = {&ellipse_[triple[(first + 1) % 3]],
                              &ellipse_[triple[(first + 2) % 3]]};
  struct Form {
    double trace, xx, xy;  // without the part that is a multiple of the circle
  } form[2];
  double roundness = 0;
  for (int k = 0; k < 2; ++k) {
    const Ellipse& e = *others[k];
    const double xx = ea.exx * ea.exx * e.bxx, xy = ea.exx * (ea.exy * e.bxx + ea.eyy * e.bxy);
    const double yy = ea.exy * (ea.exy * e.bxx + 2 * ea.eyy * e.bxy) + ea.eyy * ea.eyy * e.byy;
    form[k] = {0.5 * K * K * (xx + yy), 0.5 * K * K * (xx - yy), K * K * xy};
    roundness = std::max(roundness,
                         (std::abs(form[k].xx) + std::abs(form[k].xy)) / std::abs(form[k].trace));
  }
  // Circles have two points in common at infinity, and their resultant vanishes: common chords.
  const bool are_similar = roundness < 1e-6;

  double polynomial[kSlicesOfTriple] = {};
  for (int k = 0; k < kSlicesOfTriple; ++k) {
    const double u = middle + half * kChebyshev.v[k];
    const double rho = ea.kappa2(u) / (K * K);
    Conic conic[2];
    for (int o = 0; o < 2; ++o) {
      const Ellipse& e = *others[o];
      const Vec2 d = ea.center(u) - e.center(u);
      const Vec2 Bd = {e.bxx * d.x + e.bxy * d.y, e.bxy * d.x + e.byy * d.y};
      conic[o] = {form[o].xx,
                  form[o].xy,
                  -form[o].xx,
                  K * ea.exx * Bd.x,
                  K * (ea.exy * Bd.x + ea.eyy * Bd.y),
                  dot(d, Bd) - e.kappa2(u) + form[o].trace * rho};
    }
    double value;
    if (are_similar) {
      const Conic &p = conic[0], &q = conic[1];
      const double D = 2 * (p.x * q.y - p.y * q.x);
      const double x = p.y * q.c - q.y * p.c, y = q.x * p.c - p.x * q.c;
      value = x * x + y * y - rho * D * D;
    } else {
      value = calc_resultant({1, 0, 1, 0, 0, -rho}, conic[0], conic[1]);
    }
    for (int p = 0; p < kSlicesOfTriple; ++p) {
      polynomial[p] += kChebyshev.power_of_value[p][k] * value;
    }
  }
  double roots[2 * kMaxDegree];
  const int found = find_roots(polynomial, kMaxDegree, roots);

  const double size = range_high_ - range_low_;
  Vec3d known[3 * 4 * 2 * kMaxDegree];
  int knowns = 0;
  for (int r = 0; r < found; ++r) {
    const double u = middle + half * roots[r];
    for (int k = 0; k < 3; ++k) {
      const int a = triple[k], b = triple[(k + 1) % 3], c = triple[(k + 2) % 3];
      Vec2 points[4];
      const int common = find_common_points(ellipse_[a].at(u), ellipse_[b].at(u), points);
      for (int p = 0; p < common; ++p) {
        const double g = ellipse_[c].at(u)(points[p]);
        const Vec3d slope = calc_gradient(kMaxConstraints + c, points[p], u);
        if (!(std::abs(g) < 0.2 * size * slope.norm())) continue;
        Vec3d x(points[p].x, points[p].y, u);
        if (!find_triple_point(triple, size, &x)) continue;
        bool is_known = false;
        for (int n = 0; n < knowns && !is_known; ++n) {
          is_known = (known[n] - x).squaredNorm() < square(1e-3 * tolerance_);
        }
        if (is_known) continue;
        known[knowns++] = x;
        const Vec2 place = {x.x(), x.y()};
        if (is_feasible(place, x.z(), -1, -1, triple[0], triple[1], triple[2])) {
          add_event(x.z(), false, place, events, count, places);
        }
      }
    }
  }
}

// Newton's method on the three quadrics; false where it does not arrive.
bool SliceDomain::find_triple_point(const int triple[3], double size, Vec3d* x) const {
  for (int step = 0; step < 20; ++step) {
    Vec3d gradient[3], g;
    const Vec2 place = {x->x(), x->y()};
    for (int k = 0; k < 3; ++k) {
      const Ellipse& e = ellipse_[triple[k]];
      g[k] = (e.is_outside ? -1 : 1) * e.at(x->z())(place);
      gradient[k] = calc_gradient(kMaxConstraints + triple[k], place, x->z());
    }
    const Vec3d c0 = gradient[1].cross(gradient[2]), c1 = gradient[2].cross(gradient[0]),
                c2 = gradient[0].cross(gradient[1]);
    const double det = gradient[0].dot(c0);
    if (det == 0) return false;
    const Vec3d change = (g[0] * c0 + g[1] * c1 + g[2] * c2) / det;
    const double length = change.norm();
    if (!(length < 2 * size)) return false;
    *x -= change;
    // What is left is about the square of this step.
    if (length < 1e-9 * size) return true;
  }
  return false;
}

}  // namespace vesica::detail
