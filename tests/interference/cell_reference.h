// Moments of the points where all of some quadrics are negative, by iterated quadrature of exact
// columns; shares no code with the library. Columns run along z, and along y, at fixed x, the
// places where they change their kind are computed: vertical tangents of the curves and points
// where two curves meet. Along x those places are bisected for, as the values where the list of
// those points changes. Between such places everything is analytic but for square roots at the
// ends, which y = m - h cos t removes; nested Clenshaw-Curtis rules with bisection do the rest.
//
// The frame is arbitrary. Turned at random it sees no degenerate pose as such, and two frames tell
// how far the result can be trusted. Nothing is assumed about the domain but that it is bounded and
// connected.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "vesica/geometry/cell.h"

namespace vesica::test {

using Real = long double;
using RealVec = Eigen::Matrix<Real, 3, 1>;
using RealMat = Eigen::Matrix<Real, 3, 3>;

// x.A x + 2 b.x + c <= 0
struct RealQuadric {
  RealMat A;
  RealVec b;
  Real c;
  bool is_plane;
};

// The quadrics of a cell, placed in long double.
inline void add_quadrics(const Cell& cell, const Pose<double>& X, std::vector<RealQuadric>* all) {
  const RealMat R = X.R_WB.cast<Real>();
  const RealVec p = X.p_WB.cast<Real>();
  for (const Primitive& primitive : cell.primitives) {
    const RealMat A = R * primitive.g.A.matrix().cast<Real>() * R.transpose();
    const RealVec b = R * primitive.g.b.cast<Real>() - A * p;
    const Real c = Real(primitive.g.c) - 2 * p.dot(R * primitive.g.b.cast<Real>()) + p.dot(A * p);
    all->push_back({A, b, c, primitive.is_plane()});
  }
}

class CellReference {
 public:
  struct Result {
    double volume = 0;
    Vec3d centroid = Vec3d::Zero();
    Mat3d M = Mat3d::Zero();    // about the centroid
    double error_estimate = 0;  // relative, of volume and second moments
  };

  // Seen from the axes R, columns along its third. `inside` is a point of the domain or near it and
  // `length` about its size: where to look for it, and the scale of tolerances.
  CellReference(const std::vector<RealQuadric>& quadrics, const Mat3d& R, const Vec3d& inside,
                double length)
      : R_(R), origin_(inside), length_(length) {
    const RealMat T = R.cast<Real>();
    const RealVec p = inside.cast<Real>();
    for (const RealQuadric& q : quadrics) {
      const RealMat A = T.transpose() * q.A * T;
      const RealVec b = T.transpose() * (q.A * p + q.b);
      surfaces_.push_back({A.cast<double>(), b.cast<double>(),
                           static_cast<double>(p.dot(q.A * p + 2 * q.b) + q.c), q.is_plane});
    }
  }

  Result calc(double tolerance = 1e-11) {
    Result result;
    // A slice that meets the domain, then its ends.
    double start = 0;
    for (int k = 1; k <= 64 && find_breaks(start).size() < 2; ++k) {
      start = (k % 2 == 0 ? 1 : -1) * 0.05 * k * length_;
    }
    if (find_breaks(start).size() < 2) return result;
    std::vector<double> events = {find_end(start, -1), find_end(start, 1)};
    constexpr int kSamples = 48;
    const double low = events[0], high = events[1];
    double x0 = low;
    Breaks at0 = find_breaks(low);
    for (int k = 1; k <= kSamples; ++k) {
      const double x1 = low + (high - low) * (0.5 - 0.5 * std::cos(k * kPi / kSamples));
      Breaks at1 = find_breaks(x1);
      find_events(x0, at0, x1, at1, 1e-14 * (high - low), &events);
      x0 = x1;
      at0 = std::move(at1);
    }
    std::sort(events.begin(), events.end());

    const auto over_all = [&](double outer, double inner) {
      Moments sum = Moments::Zero();
      error_ = 0;
      for (size_t k = 1; k < events.size(); ++k) {
        if (!(events[k] - events[k - 1] > 1e-13 * (high - low))) continue;
        sum += over([&](double x) { return slice(x, inner / (high - low)); }, events[k - 1],
                    events[k], outer);
      }
      return sum;
    };
    scale_.setOnes();
    const Moments rough = over_all(1e300, 1e300);
    const double second = std::abs(rough[4]) + std::abs(rough[5]) + std::abs(rough[6]);
    if (!(rough[0] > 0) || !(second > 0)) return result;
    const double first = std::sqrt(rough[0] * second);
    scale_ << rough[0], first, first, first, second, second, second, second, second, second;
    const Moments m = over_all(tolerance, 0.1 * tolerance);
    result.volume = m[0];
    const Vec3d c = Vec3d(m[1], m[2], m[3]) / m[0];
    Mat3d about_origin;
    about_origin << m[4], m[7], m[8], m[7], m[5], m[9], m[8], m[9], m[6];
    result.M = R_ * (about_origin - m[0] * c * c.transpose()) * R_.transpose();
    result.centroid = origin_ + R_ * c;
    result.error_estimate = error_;
    return result;
  }

 private:
  using Moments = Eigen::Matrix<double, 10, 1>;  // V, x, y, z, xx, yy, zz, xy, xz, yz
  struct Surface {
    Mat3d A;
    Vec3d b;
    double c;
    bool is_plane;
  };
  // A surface at fixed x: a z^2 + 2 (b0 + b1 y) z + c0 + 2 c1 y + c2 y^2.
  struct Curve {
    double a, b0, b1, c0, c1, c2;
    double operator()(double y, double z) const {
      return z * (a * z + 2 * (b0 + b1 * y)) + c0 + y * (2 * c1 + y * c2);
    }
  };
  // A place where the columns change their kind, and a bit for each curve that makes it.
  struct Break {
    double y;
    unsigned curves;
    bool operator<(const Break& o) const { return y < o.y; }
  };
  using Breaks = std::vector<Break>;
  static constexpr size_t kMaxSurfaces = 16, kMaxEvents = 100;

  Curve curve_at(const Surface& s, double x) const {
    return {s.A(2, 2),
            s.A(0, 2) * x + s.b[2],
            s.A(1, 2),
            x * (s.A(0, 0) * x + 2 * s.b[0]) + s.c,
            s.A(0, 1) * x + s.b[1],
            s.A(1, 1)};
  }

  static int solve_quadratic(double a, double b, double c, double roots[2]) {  // a y^2 + 2 b y + c
    const double d = b * b - a * c;
    if (d < 0) return 0;
    const double q = -(b + std::copysign(std::sqrt(d), b));
    int n = 0;
    if (a != 0) roots[n++] = q / a;
    if (q != 0) roots[n++] = c / q;
    return n;
  }

  // Real roots within [-w, w]: between those of the derivative, by bisection. Extrema that only
  // just miss zero count.
  static std::vector<double> find_roots(const std::vector<double>& p, double w) {
    const auto value = [&p](double y) {
      double v = 0;
      for (size_t k = p.size(); k-- > 0;) v = v * y + p[k];
      return v;
    };
    std::vector<double> ends = {-w};
    if (p.size() > 2) {
      std::vector<double> slope;
      for (size_t k = 1; k < p.size(); ++k) slope.push_back(static_cast<double>(k) * p[k]);
      for (const double y : find_roots(slope, w)) ends.push_back(y);
    }
    ends.push_back(w);
    double size = 0, power = 1;
    for (const double c : p) {
      size += std::abs(c) * power;
      power *= w;
    }
    std::vector<double> roots;
    for (size_t k = 1; k < ends.size(); ++k) {
      double a = ends[k - 1], b = ends[k];
      const double fa = value(a);
      if (k > 1 && std::abs(fa) < 1e-14 * size) roots.push_back(a);
      if ((fa < 0) == (value(b) < 0)) continue;
      for (int step = 0; step < 60; ++step) {
        const double m = 0.5 * (a + b);
        ((value(m) < 0) == (fa < 0) ? a : b) = m;
      }
      roots.push_back(0.5 * (a + b));
    }
    return roots;
  }

  // All places within the domain, ascending.
  Breaks find_breaks(double x) const {
    Curve curve[kMaxSurfaces];
    const int count = static_cast<int>(surfaces_.size());
    for (int k = 0; k < count; ++k) curve[k] = curve_at(surfaces_[static_cast<size_t>(k)], x);
    const auto is_plane = [&](int k) { return surfaces_[static_cast<size_t>(k)].is_plane; };
    Breaks breaks;
    const double tolerance = 1e-10 * length_;
    const auto add = [&](double y, double z, int k, int m) {
      if (!std::isfinite(y) || !std::isfinite(z)) return;
      for (int s = 0; s < count; ++s) {
        if (s != k && s != m && curve[s](y, z) > tolerance) return;
      }
      breaks.push_back({y, 1u << k | 1u << m});
    };
    for (int k = 0; k < count; ++k) {
      const Curve& q = curve[k];
      if (!is_plane(k)) {
        double roots[2];
        const int n = solve_quadratic(q.b1 * q.b1 - q.a * q.c2, q.b0 * q.b1 - q.a * q.c1,
                                      q.b0 * q.b0 - q.a * q.c0, roots);
        for (int r = 0; r < n; ++r) add(roots[r], -(q.b0 + q.b1 * roots[r]) / q.a, k, k);
      }
      for (int m = k + 1; m < count; ++m) {
        const Curve& p = curve[m];
        if (is_plane(k) && is_plane(m)) {
          const double det = 4 * (q.b0 * p.c1 - p.b0 * q.c1);
          const double y = 2 * (p.b0 * q.c0 - q.b0 * p.c0) / det;
          add(y, -(q.c0 + 2 * q.c1 * y) / (2 * q.b0), k, m);
        } else if (is_plane(k) || is_plane(m)) {
          const Curve &line = is_plane(k) ? q : p, &conic = is_plane(k) ? p : q;
          const double z0 = -line.c0 / (2 * line.b0), z1 = -line.c1 / line.b0;
          double roots[2];
          const int n =
              solve_quadratic(conic.a * z1 * z1 + 2 * conic.b1 * z1 + conic.c2,
                              conic.a * z0 * z1 + conic.b0 * z1 + conic.b1 * z0 + conic.c1,
                              conic.a * z0 * z0 + 2 * conic.b0 * z0 + conic.c0, roots);
          for (int r = 0; r < n; ++r) add(roots[r], z0 + z1 * roots[r], k, m);
        } else {
          add_conics(q, p, k, m, add);
        }
      }
    }
    std::sort(breaks.begin(), breaks.end());
    return breaks;
  }

  // Elimination of z leaves a polynomial of degree 4.
  template <class Add>
  void add_conics(const Curve& q, const Curve& p, int k, int m, const Add& add) const {
    const std::array<double, 3> f = {q.a * p.c0 - p.a * q.c0, 2 * (q.a * p.c1 - p.a * q.c1),
                                     q.a * p.c2 - p.a * q.c2};
    const std::array<double, 2> g = {q.a * p.b0 - p.a * q.b0, q.a * p.b1 - p.a * q.b1};
    const std::array<double, 4> h = {
        q.b0 * p.c0 - p.b0 * q.c0, q.b1 * p.c0 + 2 * q.b0 * p.c1 - p.b1 * q.c0 - 2 * p.b0 * q.c1,
        q.b0 * p.c2 + 2 * q.b1 * p.c1 - p.b0 * q.c2 - 2 * p.b1 * q.c1, q.b1 * p.c2 - p.b1 * q.c2};
    std::vector<double> r(5, 0.0);
    for (size_t s = 0; s < 3; ++s) {
      for (size_t t = 0; t < 3; ++t) r[s + t] += f[s] * f[t];
    }
    for (size_t s = 0; s < 2; ++s) {
      for (size_t t = 0; t < 4; ++t) r[s + t] -= 4 * g[s] * h[t];
    }
    for (const double y : find_roots(r, 8 * length_)) {
      const double b = q.b0 + q.b1 * y;
      const double root =
          std::sqrt(std::max(0.0, b * b - q.a * (q.c0 + y * (2 * q.c1 + y * q.c2))));
      const double z0 = (-b - root) / q.a, z1 = (-b + root) / q.a;
      add(y, std::abs(p(y, z0)) < std::abs(p(y, z1)) ? z0 : z1, k, m);
    }
  }

  // Whether they are made by the same curves in the same order. Those that coincide have none
  // among them, and count as one.
  bool are_alike(const Breaks& a, const Breaks& b) const {
    const auto next = [this](const Breaks& list, size_t* k) {
      unsigned curves = 0;
      for (const size_t first = *k; *k < list.size(); ++*k) {
        if (*k > first && list[*k].y - list[*k - 1].y > 1e-9 * length_) break;
        curves |= list[*k].curves;
      }
      return curves;
    };
    size_t k = 0, m = 0;
    while (k < a.size() && m < b.size()) {
      if (next(a, &k) != next(b, &m)) return false;
    }
    return k == a.size() && m == b.size();
  }
  void find_events(double a, const Breaks& at_a, double b, const Breaks& at_b, double least,
                   std::vector<double>* events) const {
    if (are_alike(at_a, at_b) || events->size() > kMaxEvents) return;
    const double middle = 0.5 * (a + b);
    if (b - a < least || !(a < middle && middle < b)) {
      events->push_back(middle);
      return;
    }
    const Breaks at = find_breaks(middle);
    find_events(a, at_a, middle, at, least, events);
    find_events(middle, at, b, at_b, least, events);
  }
  // The last slice that is not empty.
  double find_end(double inside, double sign) const {
    double step = 0.1 * length_, outside = inside + sign * step;
    while (find_breaks(outside).size() >= 2) {
      inside = outside;
      step *= 2;
      outside = inside + sign * step;
    }
    for (int k = 0; k < 60; ++k) {
      const double m = 0.5 * (inside + outside);
      (find_breaks(m).size() >= 2 ? inside : outside) = m;
    }
    return inside;
  }

  // What is left of the column (x, y), interval by interval.
  Moments column(const Curve* curve, double x, double y) const {
    constexpr double kFar = 1e30;
    double from[8] = {-kFar}, to[8] = {kFar};
    int pieces = 1;
    for (size_t k = 0; k < surfaces_.size() && pieces > 0; ++k) {
      const Curve& q = curve[k];
      const double b = q.b0 + q.b1 * y, c = q.c0 + y * (2 * q.c1 + y * q.c2);
      double low, high;
      bool is_outside = false;  // the part between low and high goes
      if (surfaces_[k].is_plane) {
        low = b > 0 ? -kFar : -c / (2 * b);
        high = b > 0 ? -c / (2 * b) : kFar;
      } else {
        const double d = b * b - q.a * c;
        is_outside = q.a < 0;
        if (!(d > 0)) {
          if (is_outside) continue;
          return Moments::Zero();
        }
        const double s = -(b + std::copysign(std::sqrt(d), b)), z0 = s / q.a, z1 = c / s;
        low = std::min(z0, z1);
        high = std::max(z0, z1);
      }
      const int before = pieces;
      int kept = 0;
      double next_from[8], next_to[8];
      const auto keep = [&](double f, double t) {
        if (f < t && kept < 8) {
          next_from[kept] = f;
          next_to[kept++] = t;
        }
      };
      for (int p = 0; p < before; ++p) {
        if (is_outside) {
          keep(from[p], std::min(to[p], low));
          keep(std::max(from[p], high), to[p]);
        } else {
          keep(std::max(from[p], low), std::min(to[p], high));
        }
      }
      pieces = kept;
      std::copy(next_from, next_from + kept, from);
      std::copy(next_to, next_to + kept, to);
    }
    Moments m = Moments::Zero();
    for (int p = 0; p < pieces; ++p) {
      const double L = to[p] - from[p];
      const double z = 0.5 * (from[p] + to[p]), zz = L * (z * z + L * L / 12);
      Moments one;
      one << L, x * L, y * L, z * L, x * x * L, y * y * L, zz, x * y * L, x * z * L, y * z * L;
      m += one;
    }
    return m;
  }

  Moments slice(double x, double tolerance) {
    Curve curve[kMaxSurfaces];
    for (size_t k = 0; k < surfaces_.size(); ++k) curve[k] = curve_at(surfaces_[k], x);
    const Breaks breaks = find_breaks(x);
    Moments sum = Moments::Zero();
    const double before = error_;
    for (size_t k = 1; k < breaks.size(); ++k) {
      if (!(breaks[k].y - breaks[k - 1].y > 1e-14 * length_)) continue;
      sum += over([&](double y) { return column(curve, x, y); }, breaks[k - 1].y, breaks[k].y,
                  tolerance);
    }
    error_ = before;  // the outer integral sees it
    return sum;
  }

  // The integral of f from a to b, y = m - h cos t, to `tolerance` in units of the scales.
  template <class F>
  Moments over(const F& f, double a, double b, double tolerance) {
    const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
    const auto g = [&](double t) -> Moments {
      return f(middle - half * std::cos(t)) * (half * std::sin(t));
    };
    Moments sum = Moments::Zero();
    refine(g, 0, kPi, tolerance, 14, &sum);
    return sum;
  }

  // Clenshaw-Curtis with 9, 17 and 33 points, each with all points of the one before.
  static constexpr int kPoints = 32;
  struct Rules {
    double node[kPoints + 1], weight[3][kPoints + 1] = {};
    Rules() {
      for (int k = 0; k <= kPoints; ++k) node[k] = std::cos(k * kPi / kPoints);
      for (int rule = 0; rule < 3; ++rule) {
        const int n = 8 << rule;
        for (int k = 0; k <= n; ++k) {
          double w = 1;
          for (int j = 1; j <= n / 2; ++j) {
            w -= (j == n / 2 ? 1 : 2) * std::cos(2 * j * k * kPi / n) / (4 * j * j - 1);
          }
          weight[rule][k * kPoints / n] = w * (k == 0 || k == n ? 1.0 : 2.0) / n;
        }
      }
    }
  };
  template <class G>
  void refine(const G& g, double a, double b, double tolerance, int depth, Moments* sum) {
    static const Rules kRules;
    const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
    std::array<Moments, kPoints + 1> at;
    Moments value, before = Moments::Zero();
    double error = 0;
    for (int rule = 0; rule < 3; ++rule) {
      const int step = 4 >> rule;
      value.setZero();
      for (int k = 0; k <= kPoints; k += step) {
        const auto i = static_cast<size_t>(k);
        if (rule == 0 || k / step % 2 == 1) at[i] = g(middle + half * kRules.node[k]);
        value += kRules.weight[rule][k] * at[i];
      }
      value *= half;
      error = (value - before).cwiseQuotient(scale_).cwiseAbs().maxCoeff();
      if (rule > 0 && error <= tolerance) break;
      before = value;
    }
    if (error <= tolerance || depth == 0) {
      *sum += value;
      error_ += error;
      return;
    }
    refine(g, a, middle, 0.5 * tolerance, depth - 1, sum);
    refine(g, middle, b, 0.5 * tolerance, depth - 1, sum);
  }

  std::vector<Surface> surfaces_;
  Mat3d R_;
  Vec3d origin_;
  double length_;
  Moments scale_ = Moments::Ones();
  double error_ = 0;
};

}  // namespace vesica::test
