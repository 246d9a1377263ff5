// Moments of the points where all of some quadrics are negative, by brute force in long double:
// nested adaptive Clenshaw-Curtis quadrature over lines. Shares no code with the library. The
// domain must be met by every line along z in at most one interval, and be such that the lengths of
// those intervals have one hill: convex domains, and a ball sunk into a groove.
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
// V, x, y, z, xx, yy, zz, xy, xz, yz
using RealMoments = Eigen::Matrix<Real, 10, 1>;

struct RealQuadric {
  RealMat A;
  RealVec b;
  Real c;
};

class CellReference {
 public:
  // Primitives of both cells in one frame; lines run along `n`, planes of lines across `u`; the
  // plane across u through `center` must meet the domain.
  CellReference(const std::vector<RealQuadric>& quadrics, const RealVec& u, const RealVec& n,
                const RealVec& center, Real size)
      : center_(center), size_(size) {
    R_.col(0) = u.normalized();
    R_.col(2) = (n - R_.col(0) * n.dot(R_.col(0))).normalized();
    R_.col(1) = R_.col(2).cross(R_.col(0));
    for (const RealQuadric& q : quadrics) {
      RealQuadric m;
      m.A = R_.transpose() * q.A * R_;
      m.b = R_.transpose() * (q.A * center + q.b);
      m.c = center.dot(q.A * center + 2 * q.b) + q.c;
      quadrics_.push_back(m);
    }
  }

  struct Result {
    Real volume;
    RealVec centroid;
    RealMat M;
  };
  Result calc(Real tolerance = 1e-11L) {
    Result result{0, RealVec::Zero(), RealMat::Zero()};
    const auto height = [&](Real x) { return find_top(x).second; };
    if (!(height(0) > 0)) return result;
    const Real x0 = find_end(height, 0, -size_), x1 = find_end(height, 0, size_);
    // Rough integral first, as the scale of the tolerances.
    const RealMoments rough = over_x(x0, x1, 1e30L, 1e30L);
    const Real scale = std::abs(rough[0]);
    const RealMoments m = over_x(x0, x1, tolerance * scale, tolerance * scale);
    result.volume = m[0];
    const RealVec c = RealVec(m[1], m[2], m[3]) / m[0];
    RealMat second;
    second << m[4], m[7], m[8], m[7], m[5], m[9], m[8], m[9], m[6];
    result.M = R_ * (second - m[0] * c * c.transpose()) * R_.transpose();
    result.centroid = center_ + R_ * c;
    return result;
  }

 private:
  // The part of the line (x, y) inside all quadrics, the longest where a complement parts it.
  // Returns its length, or a negative number.
  Real interval(Real x, Real y, Real* from, Real* to) const {
    *from = -4 * size_;
    *to = 4 * size_;
    bool misses = false;
    std::array<std::array<Real, 2>, 8> holes;
    size_t hole_count = 0;
    for (const RealQuadric& q : quadrics_) {
      const Real a = q.A(2, 2);
      const Real b = q.A(0, 2) * x + q.A(1, 2) * y + q.b[2];
      const Real c = x * (q.A(0, 0) * x + 2 * q.A(0, 1) * y + 2 * q.b[0]) +
                     y * (q.A(1, 1) * y + 2 * q.b[1]) + q.c;
      if (std::abs(a) < 1e-17L) {
        if (std::abs(b) < 1e-17L) {
          if (c > 0) misses = true;
        } else if (b > 0) {
          *to = std::min(*to, -c / (2 * b));
        } else {
          *from = std::max(*from, -c / (2 * b));
        }
        continue;
      }
      const Real d = b * b - a * c;
      if (a > 0) {
        if (d <= 0) {
          misses = true;
          continue;
        }
        const Real root = std::sqrt(d);
        *from = std::max(*from, (-b - root) / a);
        *to = std::min(*to, (-b + root) / a);
      } else if (d > 0) {
        const Real root = std::sqrt(d);
        holes[hole_count++] = {(-b + root) / a, (-b - root) / a};
      }
    }
    for (size_t k = 0; k < hole_count; ++k) {
      const auto& [a, b] = holes[k];
      if (b <= *from || a >= *to) continue;
      if (a - *from > *to - b) {
        *to = a;
      } else {
        *from = b;
      }
    }
    return misses ? -4 * size_ : *to - *from;
  }

  // Where, at x, the lines along z meet every quadric: within it the length of their common part is
  // concave.
  void limits(Real x, Real* low, Real* high) const {
    *low = -size_;
    *high = size_;
    for (const RealQuadric& q : quadrics_) {
      const Real a = q.A(2, 2);
      Real c2, c1, c0;  // c2 y^2 + 2 c1 y + c0 <= 0
      const Real b0 = q.A(0, 2) * x + q.b[2], b1 = q.A(1, 2);
      c2 = q.A(1, 1);
      c1 = q.A(0, 1) * x + q.b[1];
      c0 = x * (q.A(0, 0) * x + 2 * q.b[0]) + q.c;
      if (std::abs(a) < 1e-17L) {
        if (std::abs(b0) + std::abs(b1) > 1e-17L) continue;
        if (c1 > 1e-17L) *high = std::min(*high, -c0 / (2 * c1));
        if (c1 < -1e-17L) *low = std::max(*low, -c0 / (2 * c1));
        continue;
      }
      if (a < 0) continue;
      // a c - b^2 <= 0
      c2 = a * c2 - b1 * b1;
      c1 = a * c1 - b0 * b1;
      c0 = a * c0 - b0 * b0;
      const Real d = c1 * c1 - c2 * c0;
      if (!(c2 > 0)) continue;
      const Real root = d > 0 ? std::sqrt(d) : 0;
      *low = std::max(*low, (-c1 - root) / c2);
      *high = std::min(*high, (-c1 + root) / c2);
    }
  }
  template <class F>
  Real find_hill(const F& f, Real a, Real b) const {
    const Real g = (std::sqrt(Real(5)) - 1) / 2;
    Real x1 = b - g * (b - a), x2 = a + g * (b - a), f1 = f(x1), f2 = f(x2);
    for (int k = 0; k < 60; ++k) {
      if (f1 > f2) {
        b = x2;
        x2 = x1;
        f2 = f1;
        x1 = b - g * (b - a);
        f1 = f(x1);
      } else {
        a = x1;
        x1 = x2;
        f1 = f2;
        x2 = a + g * (b - a);
        f2 = f(x2);
      }
    }
    return (a + b) / 2;
  }
  template <class F>
  Real find_end(const F& f, Real inside, Real outside) const {
    for (int k = 0; k < 64; ++k) {
      const Real m = (inside + outside) / 2;
      (f(m) > 0 ? inside : outside) = m;
    }
    return inside;
  }
  std::pair<Real, Real> find_top(Real x) const {
    Real from, to;
    const auto length = [&](Real y) { return interval(x, y, &from, &to); };
    Real low, high;
    limits(x, &low, &high);
    const Real y = find_hill(length, low, high);
    return {y, low < high ? length(y) : -1};
  }

  RealMoments line(Real x, Real y) const {
    Real from, to;
    RealMoments m = RealMoments::Zero();
    const Real L = interval(x, y, &from, &to);
    if (!(L > 0)) return m;
    const Real z = (from + to) / 2, zz = L * (z * z + L * L / 12);
    m << L, x * L, y * L, z * L, x * x * L, y * y * L, zz, x * y * L, x * z * L, y * z * L;
    return m;
  }
  // Substituted so that square roots at both ends are smooth.
  template <class F>
  RealMoments over(const F& f, Real a, Real b, Real tolerance) const {
    const Real pi = std::acos(Real(-1)), middle = (a + b) / 2, half = (b - a) / 2;
    const auto g = [&](Real t) -> RealMoments {
      return f(middle - half * std::cos(t)) * (half * std::sin(t));
    };
    RealMoments sum = RealMoments::Zero();
    refine(g, 0, pi, tolerance, 40, &sum);
    return sum;
  }
  // Adaptive Clenshaw-Curtis with 9 and 17 points: it looks at the ends of every panel, between
  // which and the outermost point a Gauss rule would not see a kink.
  template <class G>
  void refine(const G& g, Real a, Real b, Real tolerance, int depth, RealMoments* sum) const {
    static const std::array<std::array<Real, 17>, 3> kRule = [] {
      std::array<std::array<Real, 17>, 3> rule{};
      const Real pi = std::acos(Real(-1));
      for (int n : {8, 16}) {
        for (int k = 0; k <= n; ++k) {
          Real w = 1;
          for (int j = 1; j <= n / 2; ++j) {
            w -= (j == n / 2 ? 1 : 2) * std::cos(2 * j * k * pi / n) / (4 * j * j - 1);
          }
          w *= (k == 0 || k == n ? Real(1) : Real(2)) / n;
          rule[n == 8 ? 1 : 2][n == 8 ? 2 * k : k] = w;
        }
      }
      for (int k = 0; k <= 16; ++k) rule[0][k] = std::cos(k * pi / 16);
      return rule;
    }();
    RealMoments coarse = RealMoments::Zero(), fine = RealMoments::Zero();
    for (int k = 0; k <= 16; ++k) {
      const RealMoments v = g((a + b) / 2 + (b - a) / 2 * kRule[0][k]);
      coarse += v * kRule[1][k];
      fine += v * kRule[2][k];
    }
    if (depth == 0 || (fine - coarse).norm() * (b - a) / 2 <= tolerance) {
      *sum += fine * ((b - a) / 2);
      return;
    }
    refine(g, a, (a + b) / 2, tolerance, depth - 1, sum);
    refine(g, (a + b) / 2, b, tolerance, depth - 1, sum);
  }
  RealMoments over_y(Real x, Real tolerance) const {
    Real from, to;
    const auto length = [&](Real y) { return interval(x, y, &from, &to); };
    const Real top = find_top(x).first;
    if (!(length(top) > 0)) return RealMoments::Zero();
    return over([&](Real y) { return line(x, y); }, find_end(length, top, -size_),
                find_end(length, top, size_), tolerance);
  }
  RealMoments over_x(Real a, Real b, Real tolerance, Real inner) const {
    return over([&](Real x) { return over_y(x, inner / (b - a)); }, a, b, tolerance);
  }

  std::vector<RealQuadric> quadrics_;
  RealMat R_;
  RealVec center_;
  Real size_;
};

// The quadrics of a cell, placed in long double.
inline void add_quadrics(const Cell& cell, const Pose<double>& X, std::vector<RealQuadric>* all) {
  const RealMat R = X.R_WB.cast<Real>();
  const RealVec p = X.p_WB.cast<Real>();
  for (const Primitive& primitive : cell.primitives) {
    const RealMat A = R * primitive.g.A.matrix().cast<Real>() * R.transpose();
    const RealVec b = R * primitive.g.b.cast<Real>() - A * p;
    const Real c = Real(primitive.g.c) - 2 * p.dot(R * primitive.g.b.cast<Real>()) + p.dot(A * p);
    all->push_back({A, b, c});
  }
}

}  // namespace vesica::test
