#include "vesica/interference/closed_form/half_space_torus.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "vesica/math/gauss_legendre.h"

namespace vesica {
namespace detail {
namespace {

// Moments of the segment x >= c of the unit disc, sigma = sqrt(1 - c^2): integrals of p^i y^j with
// p = x - c, the distance from the chord. Up to the third order; those odd in y vanish.
struct DiscSegment {
  double chord;  // half of it: sigma
  double area, p, pp, yy, ppp, pyy;
};

// As powers of sigma, for thin segments: the closed forms cancel like sigma^6. With 1/sqrt(1 - t) =
// sum b_k t^k and d/dc = -(order) of each moment (the chord moves, what it cuts off is nothing),
// every series is the integral of the one before times sum b_k sigma^(2k+1): all terms positive.
constexpr double kThinSegment = 0.2;  // sigma^2 below which 24 terms reach rounding
constexpr int kThinTerms = 24;
struct ThinSegments {
  using Terms = std::array<double, kThinTerms>;
  Terms area{}, p{}, pp{}, yy{}, ppp{}, pyy{};

  constexpr ThinSegments() {
    Terms b{};
    b[0] = 1;
    for (int k = 1; k < kThinTerms; ++k) b[at(k)] = b[at(k - 1)] * (k - 0.5) / k;
    for (int k = 0; k < kThinTerms; ++k) {
      area[at(k)] = 2 * b[at(k)] / (2 * k + 3);
      yy[at(k)] = 2.0 / 3 * b[at(k)] / (2 * k + 5);
    }
    p = integrated(area, b, 1, 5);
    pp = integrated(p, b, 2, 7);
    ppp = integrated(pp, b, 3, 9);
    pyy = integrated(yy, b, 1, 7);
  }

 private:
  static constexpr size_t at(int k) { return static_cast<size_t>(k); }
  static constexpr Terms integrated(const Terms& f, const Terms& b, double factor, int power) {
    Terms result{};
    for (int n = 0; n < kThinTerms; ++n) {
      double sum = 0;
      for (int k = 0; k <= n; ++k) sum += f[at(k)] * b[at(n - k)];
      result[at(n)] = factor * sum / (2 * n + power);
    }
    return result;
  }
};
constexpr ThinSegments kThinSegments;

DiscSegment calc_disc_segment(double c) {
  const double t = (1 - c) * (1 + c), sigma = std::sqrt(t), s3 = t * sigma, s5 = t * s3;
  if (c > 0 && t < kThinSegment) {
    const auto sum = [t](const ThinSegments::Terms& terms) {
      double value = 0;
      for (size_t k = kThinTerms; k-- > 0;) value = value * t + terms[k];
      return value;
    };
    const ThinSegments& thin = kThinSegments;
    return {sigma,
            s3 * sum(thin.area),
            s5 * sum(thin.p),
            s5 * t * sum(thin.pp),
            s5 * sum(thin.yy),
            s5 * t * t * sum(thin.ppp),
            s5 * t * sum(thin.pyy)};
  }
  const double area = std::atan2(sigma, c) - sigma * c;
  const double x = 2.0 / 3 * s3, xx = 0.25 * area + 0.5 * c * s3, xxx = x - 0.4 * s5;
  const double yy = 0.25 * area - c * s3 / 6;
  return {sigma,
          area,
          x - c * area,
          xx - 2 * c * x + c * c * area,
          yy,
          xxx - 3 * c * xx + 3 * c * c * x - c * c * c * area,
          2.0 / 15 * s5 - c * yy};
}

// The same of a disc of radius r, cut at the distance c r; lengths in metres.
template <class S>
struct Segment {
  S area, p, pp, ww, ppp, pww;
};
template <class S>
Segment<S> calc_segment(const S& c, const S& r) {
  const double at = std::clamp(value_of(c), -1.0, 1.0);
  const DiscSegment d = calc_disc_segment(at);
  const S r2 = r * r, r3 = r2 * r, r4 = r2 * r2;
  const auto as = [&](double value, double slope) {
    if constexpr (kVaries<S>) {
      return c.chain(value, slope);
    } else {
      return value;
    }
  };
  return {r2 * as(d.area, -2 * d.chord), r3 * as(d.p, -d.area),
          r4 * as(d.pp, -2 * d.p),       r4 * as(d.yy, -2.0 / 3 * d.chord * d.chord * d.chord),
          r4 * r * as(d.ppp, -3 * d.pp), r4 * r * as(d.pyy, -d.yy)};
}

// Integrals over what is below, x from x_0.
template <class S>
class CutSums {
 public:
  CutSums(const S& h, const S& s, const S& k, const S& R, const S& r, double x_0)
      : h_(h), s_(s), k_(k), R_(R), r_(r), x_0_(x_0) {}

  // The disc at phi, and its mirror image at -phi, over dphi. `whole`: not cut.
  void add_disc(const S& phi, const S& dphi, bool whole) {
    using std::cos, std::sin, std::sqrt;
    const S cos_phi = cos(phi), sin_phi = sin(phi);
    const S a = s_ * cos_phi, g2 = a * a + k_ * k_, g = sqrt(g2);
    const S H = h_ + R_ * a, inverse = S(1.0) / g;
    // Whole discs have no chord: one through their lower end serves.
    const S c = whole ? S(-1.0) : S(H * inverse / r_);
    const Segment<S> m = calc_segment(c, r_);
    const S center = c * r_;  // of the disc, from the chord, against p
    // Distance from the axis and x: value at p = w = 0, by p, by w.
    const S a_g = a * inverse, k_g = k_ * inverse, x_p = s_ * k_ * sin_phi * sin_phi * inverse;
    const S rho = R_ - a_g * center, x = k_ * R_ * cos_phi + x_p * center - x_0_;
    const S x_w = -cos_phi * inverse;
    // Times the distance from the axis, which is the length of the tube there per dphi.
    const S j = (rho * m.area - a_g * m.p) * dphi, j_p = (rho * m.p - a_g * m.pp) * dphi;
    const S j_w = -k_g * m.ww * dphi, j_pw = -k_g * m.pww * dphi;
    const S j_pp = (rho * m.pp - a_g * m.ppp) * dphi, j_ww = (rho * m.ww - a_g * m.pww) * dphi;
    // Depth: g p + z_0, where z_0 is that of the chord, 0 unless the disc is whole.
    const S z_0 = whole ? S(-H - g * r_) : S(0.0);
    const S jz = g * j_p + z_0 * j;
    const S from_center = x_p * j_p + x_w * j_w;
    sums.volume += j;
    sums.x += x * j + from_center;
    sums.z += jz;
    sums.xx += x * (x * j + S(2.0) * from_center) + x_p * (x_p * j_pp + S(2.0) * x_w * j_pw) +
               x_w * x_w * j_ww;
    sums.yy += sin_phi * sin_phi *
               (rho * (rho * j - S(2.0) * (a_g * j_p + k_g * j_w)) +
                a_g * (a_g * j_pp + S(2.0) * k_g * j_pw) + k_g * k_g * j_ww);
    sums.zz += g2 * j_pp + z_0 * (jz + g * j_p);
    sums.xz += x * jz + g * (x_p * j_pp + x_w * j_pw) + z_0 * from_center;
  }

  TorusCut<S> sums{S(0.0), S(0.0), S(0.0), S(0.0), S(0.0), S(0.0), S(0.0)};

 private:
  const S h_, s_, k_, R_, r_;
  const double x_0_;
};

constexpr int kNodes = 24;
// As many as leave rounding alone (4,000 tilts and depths, against 32 panels): toward R = r the
// chords of the discs at the sides turn fast.
int choose_panels(double R, double r) {
  if (r < 0.35 * R) return 1;
  if (r < 0.85 * R) return 2;
  return r < 0.97 * R ? 4 : 8;
}

}  // namespace

TorusTilt find_torus_tilt(double h, double s, double k, double R, double r) {
  // Flat: what the tilt changes is of the order of (R s/depth)^2.
  const double depth = std::clamp(r - std::abs(h), 1e-9 * r, r);
  const double least = 1e-7 * depth / R;
  if (s < least) return {least, std::copysign(std::sqrt((1 - least) * (1 + least)), k), 1};
  constexpr double kUpright = 1e-8;
  if (std::abs(k) < kUpright) return {1, std::copysign(kUpright, k), std::abs(k) / kUpright};
  return {s, k, 1};
}

namespace {

// All of it is below. About its centre, so that nothing cancels however deep it is.
template <class S>
TorusCut<S> calc_whole_torus(const S& h, const S& s, const S& k, const S& R, const S& r) {
  const S V = R * r * r * (2 * kPi * kPi);
  const S across = R * R * 0.5 + r * r * 0.375, along = r * r * 0.25;  // of the axis, over V
  return {V,
          S(0.0),
          -h,
          V * (k * k * across + s * s * along),
          V * across,
          V * (s * s * across + k * k * along),
          V * s * k * (along - across)};
}

}  // namespace

template <class S>
TorusCut<S> calc_torus_cut(const S& h, const S& s, const S& k, const S& R, const S& r, int panels) {
  using std::acos, std::sqrt;
  const S span = R * R - r * r;
  const S root = r * sqrt(h * h + k * k * span);
  const S dry = (root - h * R) / (span * s), wet = (-root - h * R) / (span * s);  // of cos phi
  if (wet >= S(1.0)) return calc_whole_torus(h, s, k, R, r);
  // Not by acos at its ends, where it has no slope.
  const S begin = dry >= S(1.0) ? S(0.0) : dry <= S(-1.0) ? S(kPi) : S(acos(dry));
  const S end = wet <= S(-1.0) ? S(kPi) : S(acos(wet));

  // Counted from below the lowest point where only a part of the ring is in, so that the second
  // moments do not cancel.
  const double x_0 = value_of(begin) > 0 ? -value_of(k) * value_of(R) : 0;
  CutSums<S> cut(h, s, k, R, r, x_0);
  if (panels == 0) panels = choose_panels(value_of(R), value_of(r));
  const GaussRule& gauss = gauss_legendre(kNodes);
  for (int i = 0; i < panels * kNodes && begin < end; ++i) {
    const auto at = static_cast<size_t>(i % kNodes);
    const int panel = i / kNodes;
    const double u = (panel + gauss.node[at]) / panels, weight = gauss.weight[at] / panels;
    cut.add_disc(begin + (end - begin) * (u * u * (3 - 2 * u)),
                 (end - begin) * (2 * weight * 6 * u * (1 - u)), false);
  }
  if (wet > S(-1.0)) {  // whole discs: sines and cosines of up to four phi
    const GaussRule& few = gauss_legendre(16);
    for (int i = 0; i < few.order; ++i) {
      const double u = few.node[static_cast<size_t>(i)];
      cut.add_disc(end + (S(kPi) - end) * u,
                   (S(kPi) - end) * (2 * few.weight[static_cast<size_t>(i)]), true);
    }
  }
  const TorusCut<S>& sums = cut.sums;
  TorusCut<S> result;
  result.volume = sums.volume;
  const S inverse = sums.volume > S(0.0) ? S(S(1.0) / sums.volume) : S(0.0);
  const S x = sums.x * inverse;
  result.x = x + x_0;
  result.z = sums.z * inverse;
  result.xx = sums.xx - x * sums.x;
  result.yy = sums.yy;
  result.zz = sums.zz - result.z * sums.z;
  result.xz = sums.xz - x * sums.z;
  return result;
}

template TorusCut<double> calc_torus_cut(const double&, const double&, const double&, const double&,
                                         const double&, int);
template TorusCut<Dual<4>> calc_torus_cut(const Dual<4>&, const Dual<4>&, const Dual<4>&,
                                          const Dual<4>&, const Dual<4>&, int);

}  // namespace detail

namespace {

// Real roots of x^4 + a x^3 + b x^2 + c x + d between `low` and `high`, rising: between the roots
// of the derivatives, each of which has one sign change or none in every interval of the next.
int find_quartic_roots(const std::array<double, 5>& f, double low, double high, double* roots) {
  std::array<double, 6> ends{}, found{};
  int count = 0;
  for (int degree = 1; degree <= 4; ++degree) {
    // The derivative of that degree: f's coefficients from the highest, times falling factorials.
    std::array<double, 5> q{};
    for (int k = 0; k <= degree; ++k) {
      double factor = 1;
      for (int m = 0; m < 4 - degree; ++m) factor *= 4 - k - m;
      q[static_cast<size_t>(k)] = f[static_cast<size_t>(k)] * factor;
    }
    const auto value = [&](double x) {
      double sum = 0;
      for (int k = 0; k <= degree; ++k) sum = sum * x + q[static_cast<size_t>(k)];
      return sum;
    };
    ends[0] = low;
    std::copy_n(found.begin(), count, ends.begin() + 1);
    ends[static_cast<size_t>(count) + 1] = high;
    const int intervals = count + 1;
    count = 0;
    for (int k = 0; k < intervals; ++k) {
      double a = ends[static_cast<size_t>(k)], b = ends[static_cast<size_t>(k) + 1];
      const double at_a = value(a), at_b = value(b);
      if (!((at_a < 0) != (at_b < 0))) continue;
      for (int step = 0; step < 60 && b - a > 1e-15 * (high - low); ++step) {
        const double middle = 0.5 * (a + b);
        ((value(middle) < 0) == (at_a < 0) ? a : b) = middle;
      }
      found[static_cast<size_t>(count++)] = 0.5 * (a + b);
    }
  }
  std::copy_n(found.begin(), count, roots);
  return count;
}

}  // namespace

double calc_column_below(const Torus<double>& torus, const Pose<double>& X_WI, const Vec3d& s_W,
                         const Vec3d& n_W) {
  // In units of the ring's radius; from the point nearest to the centre, so that nothing cancels.
  const double R = torus.radius, r = torus.tube_radius / R;
  const Vec3d n = X_WI.R_WB.transpose() * n_W, s = X_WI.R_WB.transpose() * (s_W - X_WI.p_WB) / R;
  const double plane = -s.dot(n);  // where the line goes through the plane
  const Vec3d o = s + plane * n;
  const double reach2 = square(1 + r) - o.squaredNorm();
  if (!(reach2 > 0)) return 0;
  // (lambda^2 + |o|^2 + 1 - r^2)^2 = 4 (x^2 + y^2)
  const double e = o.squaredNorm() + 1 - r * r;
  const double nn = square(n.x()) + square(n.y()), on = o.x() * n.x() + o.y() * n.y();
  const double oo = square(o.x()) + square(o.y());
  const std::array<double, 5> f = {1, 0, 2 * e - 4 * nn, -8 * on, e * e - 4 * oo};
  const double reach = std::sqrt(reach2);
  std::array<double, 4> roots{};
  const int count =
      find_quartic_roots(f, -reach * 1.001 - 1e-9, reach * 1.001 + 1e-9, roots.data());
  double length = 0;
  for (int k = 0; k + 1 < count; k += 2) {
    length += std::max(0.0, std::min(roots[static_cast<size_t>(k) + 1], -plane) -
                                std::min(roots[static_cast<size_t>(k)], -plane));
  }
  return length * R;
}

PatchFigures calc_patch_figures(const Torus<double>& torus, const Pose<double>& X_WI,
                                const HalfSpace& half_space, const Pose<double>& X_WJ) {
  PatchFigures figures;
  using D = Dual<4>;
  Pose<D> X;
  X.R_WB = X_WI.R_WB.cast<D>();
  X.p_WB = X_WI.p_WB.cast<D>();
  const Vec3d n = X_WJ.R_WB.col(2);
  for (int k = 0; k < 3; ++k) X.p_WB[k].v[0] = n[k];
  const Overlap<D> o = calc_overlap(torus, X, half_space, X_WJ);
  if (!(o.volume > D(0.0))) return figures;
  figures.section_area = -o.volume.v[0];
  // Wholly below, what is left of the slope is rounding.
  figures.has_section = figures.section_area > 1e-9 * square(torus.tube_radius);
  if (!figures.has_section) figures.section_area = 0;

  if (value_of(o.distance) >= -torus.tube_radius) {
    figures.shadow_area = figures.section_area;
    figures.max_depth = -value_of(o.distance);
    return figures;
  }
  // Lines through all that is below, as far as its ball of inertia reaches three times: a cap ends
  // at 2.5 times, a ring and two lumps before. A thin tube needs narrow steps.
  const Vec3d center = value_of(o.p_WC) + n * value_of(o.plane_offset);
  const double reach = 3 * std::sqrt(value_of(o.M_W.trace()) / value_of(o.volume));
  const int lines = static_cast<int>(std::clamp(16 * reach / torus.tube_radius, 128.0, 512.0));
  const double step = 2 * reach / lines;
  Vec3d u, v;
  make_basis(n, &u, &v);
  int columns = 0;
  Vec3d longest = value_of(o.p_WD) - n * value_of(o.distance);
  for (int a = 0; a < lines; ++a) {
    for (int b = 0; b < lines; ++b) {
      const Vec3d s = center + u * ((a + 0.5) * step - reach) + v * ((b + 0.5) * step - reach);
      const double depth = calc_column_below(torus, X_WI, s, n);
      columns += depth > 0;
      if (depth > figures.max_depth) {
        figures.max_depth = depth;
        longest = s;
      }
    }
  }
  // A ring too thin for the lines still has its section.
  figures.shadow_area = std::max(columns * square(step), figures.section_area);
  // The longest column, from the longest that was met.
  for (double stride = step; stride > 1e-6 * torus.tube_radius;) {
    bool found = false;
    for (const Vec3d& way : {u, v, Vec3d(-u), Vec3d(-v)}) {
      const Vec3d s = longest + way * stride;
      const double depth = calc_column_below(torus, X_WI, s, n);
      if (!(depth > figures.max_depth)) continue;
      figures.max_depth = depth;
      longest = s;
      found = true;
    }
    if (!found) stride *= 0.5;
  }
  return figures;
}

}  // namespace vesica
