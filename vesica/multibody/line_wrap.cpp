#include "vesica/multibody/line_wrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "vesica/error.h"

namespace vesica {
namespace {

// Of the distance from the centre over that of the surface: what rounding leaves of a point that
// lies on it.
constexpr double kOnSurface = 1e-9;
// A tangent shorter than this, on the unit sphere, is none: its square root has no derivative.
constexpr double kTangent2 = 1e-14;

// Both points outside, and whether the straight line between them misses the unit sphere.
bool misses(const Vec3d& x_p, const Vec3d& x_q) {
  for (const Vec3d* x : {&x_p, &x_q}) {
    if (x->norm() >= 1 - kOnSurface) continue;
    throw RunError(fmt::format(
        "an end of a line lies inside the surface that it wraps over, at {:.4g} of the way from "
        "the centre to the surface: move the point out, or make the surface smaller",
        x->norm()));
  }
  const Vec3d d = x_q - x_p;
  const double along = -x_p.dot(d), d2 = d.squaredNorm();
  if (!(along > 0) || !(along < d2)) return true;  // an end is the nearest point
  return x_p.cross(d).squaredNorm() >= d2;
}

template <class T>
WrappedSegment<T> straight(const Vec3<T>& p, const Vec3<T>& q) {
  using std::sqrt;
  WrappedSegment<T> s;
  s.a = p;
  s.b = q;
  const Vec3<T> d = q - p;
  const T l2 = d.squaredNorm();
  if (value_of(l2) == 0) {
    s.e_a = s.e_b = Vec3<T>(T(0), T(0), T(0));
    return s;
  }
  s.length = sqrt(l2);
  s.e_a = s.e_b = d / s.length;
  return s;
}

template <class T>
T norm_of(const Vec3<T>& v) {
  using std::sqrt;
  return sqrt(v.squaredNorm());
}
template <class T>
Vec3<T> unit_of(const Vec3<T>& v) {
  return v / norm_of(v);
}

// Length of the tangent from a point at distance rho to the unit sphere.
template <class T>
T calc_tangent(const T& rho) {
  using std::sqrt;
  const T k2 = (rho - T(1)) * (rho + T(1));
  return value_of(k2) > kTangent2 ? T(sqrt(k2)) : T(0);
}

// Across u, in the plane of u and x; where x lies along u, the guide or an axis gives the plane.
Vec3d choose_side(const Vec3d& u, const Vec3d& x, const std::optional<Vec3d>& guide) {
  const auto across = [&](const Vec3d& y) { return Vec3d(y - u * u.dot(y)); };
  const Vec3d e = across(x);
  if (e.norm() > 1e-12 * x.norm()) return e.normalized();
  if (guide && across(*guide).norm() > 1e-9 * guide->norm()) return across(*guide).normalized();
  Vec3d v, w;
  make_basis(u, &v, &w);
  return v;
}

}  // namespace

template <class T>
WrappedSegment<T> wrap_sphere(const T& radius, const Vec3<T>& p, const Vec3<T>& q,
                              const std::optional<Vec3d>& guide) {
  using std::atan2;
  const Vec3<T> x_p = p / radius, x_q = q / radius;
  if (misses(value_of(x_p), value_of(x_q))) return straight(p, q);
  const T rho_p = norm_of(x_p), rho_q = norm_of(x_q);
  const Vec3<T> u = x_p / rho_p, w = x_q / rho_q;
  const T cosine = u.dot(w);
  Vec3<T> v = w - u * cosine;
  const double sine = value_of(v).norm();
  if (sine > 1e-12) {
    v = unit_of(v);
  } else {  // opposite points: all planes are alike
    v = cast_vector<T>(choose_side(value_of(u), value_of(x_q), guide));
  }
  const T between = atan2(w.dot(v), cosine);
  const T k_p = calc_tangent(rho_p), k_q = calc_tangent(rho_q);
  const T arc = between - atan2(k_p, T(1)) - atan2(k_q, T(1));
  WrappedSegment<T> s;
  s.wraps = true;
  s.length = radius * (k_p + k_q + arc);
  // In the plane: a is turned from u towards v by the angle whose cosine is 1/rho.
  const Vec3<T> v_q = (u - w * cosine) * (T(1) / norm_of(Vec3<T>(u - w * cosine)));
  const Vec3<T> back = sine > 1e-12 ? v_q : Vec3<T>(v);
  s.a = (u + v * k_p) * (radius / rho_p);
  s.b = (w + back * k_q) * (radius / rho_q);
  s.e_a = (v - u * k_p) / rho_p;
  s.e_b = (w * k_q - back) / rho_q;
  return s;
}

template <class T>
WrappedSegment<T> wrap_cylinder(const T& radius, const Vec3<T>& p, const Vec3<T>& q) {
  using std::sqrt;
  const auto flat = [](const Vec3<T>& x) { return Vec3<T>(x[0], x[1], T(0)); };
  const Vec3<T> p_flat = flat(p), q_flat = flat(q);
  // Where both ways round are as long, the left one.
  const Vec3d left(-value_of(p_flat[1]), value_of(p_flat[0]), 0);
  WrappedSegment<T> s = wrap_sphere(radius, p_flat, q_flat, left);
  if (!s.wraps) return straight(p, q);
  // Unrolled the line is straight: it rises as much on every part of the way.
  const T rise = (q[2] - p[2]) / s.length, stretch = sqrt(T(1) + rise * rise);
  s.a[2] = p[2] + rise * (radius * calc_tangent(T(norm_of(p_flat) / radius)));
  s.b[2] = q[2] - rise * (radius * calc_tangent(T(norm_of(q_flat) / radius)));
  for (Vec3<T>* e : {&s.e_a, &s.e_b}) *e = Vec3<T>((*e)[0], (*e)[1], rise) / stretch;
  s.length = s.length * stretch;
  return s;
}

namespace {

// x, x' and the physical length, together a point of the way.
template <class T>
using Strand = Eigen::Matrix<T, 7, 1>;
// The same in plain numbers with derivatives by the angle phi: those of x and x' are
// alpha x' + beta w and gamma w - alpha x; of the length.
using Wide = Eigen::Matrix<double, 11, 1>;

template <class S>
auto place_of(const S& s) {
  return Vec3<typename S::Scalar>(s[0], s[1], s[2]);
}
template <class S>
auto heading_of(const S& s) {
  return Vec3<typename S::Scalar>(s[3], s[4], s[5]);
}

template <class T>
Vec3<T> scaled(const Vec3<T>& radii, const Vec3<T>& x) {
  return Vec3<T>(radii[0] * x[0], radii[1] * x[1], radii[2] * x[2]);
}

template <class T>
struct Metric {
  Vec3<T> radii, D;

  explicit Metric(const Vec3<T>& given) : radii(given) {
    for (int k = 0; k < 3; ++k) D[k] = T(1) / (radii[k] * radii[k]);
  }
  Strand<T> operator()(const Strand<T>& s) const {
    const Vec3<T> x = place_of(s), v = heading_of(s), Dx = scaled(D, x), w = x.cross(v);
    const T turn = w.dot(Dx) / x.dot(Dx);
    const Vec3<T> bend = -x - w * turn;
    Strand<T> slope;
    slope << v[0], v[1], v[2], bend[0], bend[1], bend[2], norm_of(scaled(radii, v));
    return slope;
  }
};

// With the neighbours of the way: alpha' = -turn beta, beta' = gamma + turn alpha,
// gamma' = -beta - d(turn)/d(phi).
struct WideMetric {
  Vec3d radii, D;

  Wide operator()(const Wide& s) const {
    const Vec3d x = place_of(s), v = heading_of(s), w = x.cross(v);
    const Vec3d Dx = D.cwiseProduct(x), Sv = radii.cwiseProduct(v);
    const double alpha = s[7], beta = s[8], gamma = s[9];
    const double xDx = x.dot(Dx), vDx = v.dot(Dx), wDx = w.dot(Dx), speed = Sv.norm();
    const Vec3d Dw = D.cwiseProduct(w);
    const double turn = wDx / xDx;
    const double turn_phi = (-beta * xDx - gamma * vDx + alpha * v.dot(Dw) + beta * w.dot(Dw) -
                             2 * turn * (alpha * vDx + beta * wDx)) /
                            xDx;
    const Vec3d bend = -x - w * turn;
    const double stretch = Sv.dot(radii.cwiseProduct(gamma * w - alpha * x)) / speed;
    Wide slope;
    slope << v[0], v[1], v[2], bend[0], bend[1], bend[2], speed, -turn * beta, gamma + turn * alpha,
        -beta - turn_phi, stretch;
    return slope;
  }
};

// One step by Gragg's method: midpoint rules of 2, 4, ... 2 kColumns parts, extrapolated in the
// square of their step to order 2 kColumns. (The coefficients of a Runge-Kutta method of that order
// would fill a page.) Three columns are enough to come near a solution.
constexpr int kFine = 6, kRough = 3;
template <int kColumns = kFine, class F, class S>
S step_geodesic(const F& f, const S& from, double h) {
  using T = typename S::Scalar;
  std::array<S, kColumns> row;
  const S first = f(from);
  for (int k = 0; k < kColumns; ++k) {
    const int parts = 2 * (k + 1);
    const double part = h / parts;
    S before = from, now = from + first * T(part);
    for (int j = 1; j < parts; ++j) {
      const S next = before + f(now) * T(2 * part);
      before = now;
      now = next;
    }
    // Half of the last point and of one that a half step leads to: odd terms cancel.
    S value = (now + before + f(now) * T(part)) * T(0.5);
    // Neville, in place: row[j] is column j of the line before.
    for (int j = 0; j < k; ++j) {
      const double ratio = static_cast<double>(k + 1) / (k - j);
      const S better = value + (value - row[j]) * T(1 / (ratio * ratio - 1));
      row[j] = value;
      value = better;
    }
    row[k] = value;
  }
  return row[kColumns - 1];
}

// Steps that keep errors of places and directions below 1e-11 for radii up to 1:4 (measured against
// steps of a fortieth): the sharper the ellipsoid the shorter.
double calc_longest_step(const Vec3d& radii) {
  return 0.6 * std::pow(radii.maxCoeff() / radii.minCoeff(), -1.1);
}
int count_steps(const Vec3d& radii, double sigma) {
  return std::max(1, static_cast<int>(std::ceil(sigma / calc_longest_step(radii))));
}

// Where the way begins: the tangent from x_p at the angle phi.
template <class T>
struct Horizon {
  Vec3<T> u, e1, e2;
  T rho, tangent;

  Strand<T> at(const T& phi) const {
    using std::cos;
    using std::sin;
    const Vec3<T> e = e1 * cos(phi) + e2 * sin(phi);
    const Vec3<T> x = (u + e * tangent) / rho, v = (e - u * tangent) / rho;
    Strand<T> s;
    s << x[0], x[1], x[2], v[0], v[1], v[2], T(0);
    return s;
  }
};
// Angles count from the plane of `side`.
template <class T>
Horizon<T> make_horizon(const Vec3<T>& x_p, const Vec3d& side) {
  Horizon<T> h;
  h.rho = norm_of(x_p);
  h.u = x_p / h.rho;
  h.tangent = calc_tangent(h.rho);
  const Vec3<T> s = cast_vector<T>(side);
  h.e1 = unit_of(Vec3<T>(s - h.u * h.u.dot(s)));
  h.e2 = h.u.cross(h.e1);
  return h;
}

// The way of one angle and arc, with its derivative by the angle, and what it misses q by.
struct Shot {
  Wide end = Wide::Zero();
  Vec3d x, v, x_phi, v_phi;
  double turn = 0;  // of the geodesic
  double f1 = 0, f2 = 0, f1_phi = 0, f2_phi = 0, f1_sigma = 0, f2_sigma = 0;
  bool is_shortest = true;  // no neighbour has met it on the way

  // How f2 changes with the angle where f1 is held at zero: negative at a minimum of the length.
  double slope() const { return f2_phi - turn * f1_phi; }
  // The tangent plane passes q, or the way begins to lead away from it.
  bool is_over() const { return miss() >= 0; }
  double miss() const { return std::max(f1, -f1_sigma); }
};

struct Way {
  double phi = 0, sigma = 0;
  Shot shot;
};

class Shooter {
 public:
  Shooter(const Vec3d& radii, const Vec3d& x_p, const Vec3d& x_q, const Vec3d& side)
      : metric_{radii, radii.cwiseProduct(radii).cwiseInverse()},
        x_q_(x_q),
        horizon_(make_horizon<double>(x_p, side)) {}

  template <int kColumns = kFine>
  Shot shoot(double phi, double sigma) const {
    Wide s = start(phi);
    const int steps = count_steps(metric_.radii, sigma);
    bool is_shortest = true;
    for (int k = 0; k < steps; ++k) {
      s = step_geodesic<kColumns>(metric_, s, sigma / steps);
      is_shortest = is_shortest && s[8] > 0;
    }
    Shot shot = aim(s);
    shot.is_shortest = is_shortest;
    return shot;
  }

  // Roughly, on to where it is over.
  Way follow(double phi) const {
    const double h = calc_longest_step(metric_.radii);
    Way way{phi, 0, aim(start(phi))};
    while (!way.shot.is_over() && way.sigma < 2 * kPi) {
      const Wide s = way.shot.end;
      const Shot next = aim(step_geodesic<kRough>(metric_, s, h));
      if (!next.is_over()) {
        way.shot = next;
        way.sigma += h;
        continue;
      }
      // A secant that keeps both sides: what follows starts with Newton.
      double low = 0, high = h, at_low = way.shot.miss(), at_high = next.miss();
      way.shot = next;
      for (int k = 0; k < 4 && std::abs(way.shot.miss()) > 1e-6; ++k) {
        const double middle = low + (high - low) * at_low / (at_low - at_high);
        way.shot = aim(step_geodesic<kRough>(metric_, s, middle));
        const double here = way.shot.miss();
        (here >= 0 ? high : low) = middle;
        (here >= 0 ? at_high : at_low) = here;
        if (k == 3 || std::abs(here) <= 1e-6) way.sigma += middle;
      }
      break;
    }
    return way;
  }

  // From p to q.
  double calc_length(const Way& way) const {
    const Vec3d out = heading_of(horizon_.at(way.phi));
    return horizon_.tangent * metric_.radii.cwiseProduct(out).norm() + way.shot.end[6] +
           calc_tangent(x_q_.norm()) * metric_.radii.cwiseProduct(way.shot.v).norm();
  }

 private:
  Wide start(double phi) const {
    const Strand<double> s = horizon_.at(phi);
    // dx/dphi = w tangent/rho, dx'/dphi = w'/rho: the frame turns about u.
    const Vec3d e_phi = horizon_.e2 * std::cos(phi) - horizon_.e1 * std::sin(phi);
    const Vec3d w = place_of(s).cross(heading_of(s));
    Wide wide;
    for (int k = 0; k < 7; ++k) wide[k] = s[k];
    wide[7] = wide[10] = 0;
    wide[8] = w.dot(e_phi) * horizon_.tangent / horizon_.rho;
    wide[9] = w.dot(e_phi) / horizon_.rho;
    return wide;
  }
  Shot aim(const Wide& s) const {
    Shot shot;
    shot.end = s;
    shot.x = place_of(s);
    shot.v = heading_of(s);
    const Vec3d w = shot.x.cross(shot.v), Dx = metric_.D.cwiseProduct(shot.x);
    shot.x_phi = s[7] * shot.v + s[8] * w;
    shot.v_phi = s[9] * w - s[7] * shot.x;
    shot.turn = w.dot(Dx) / shot.x.dot(Dx);
    shot.f1 = shot.x.dot(x_q_) - 1;
    shot.f2 = w.dot(x_q_);
    shot.f1_phi = shot.x_phi.dot(x_q_);
    shot.f2_phi = (shot.x_phi.cross(shot.v) + shot.x.cross(shot.v_phi)).dot(x_q_);
    shot.f1_sigma = shot.v.dot(x_q_);
    shot.f2_sigma = shot.turn * shot.f1_sigma;  // x cross x'' = turn x'
    return shot;
  }

  WideMetric metric_;
  Vec3d x_q_;
  Horizon<double> horizon_;
};

// Newton from a guess; nothing where it does not converge to a minimum of the length.
std::optional<Way> polish(const Shooter& shooter, double phi, double sigma, double q_size) {
  constexpr int kMostSteps = 30;
  constexpr double kNear = 1e-5, kConverged = 1e-13;
  double last = kInfinity;
  bool is_rough = true;
  for (int k = 0; k < kMostSteps; ++k) {
    Way way{phi, sigma,
            is_rough ? shooter.shoot<kRough>(phi, sigma) : shooter.shoot<kFine>(phi, sigma)};
    const Shot& s = way.shot;
    const double error = std::max(std::abs(s.f1), std::abs(s.f2)) / q_size;
    // Rounding ends it too: where a good step no longer helps.
    if (!is_rough && (error < kConverged || (error < 100 * kConverged && error >= 0.5 * last))) {
      // Its tangent points to q, not away from it.
      if (!s.is_shortest || !(s.slope() < 0) || !(s.f1_sigma > 0)) return std::nullopt;
      return way;
    }
    last = is_rough ? kInfinity : error;
    const double det = s.f1_phi * s.f2_sigma - s.f1_sigma * s.f2_phi;
    const double d_phi = (s.f2 * s.f1_sigma - s.f1 * s.f2_sigma) / det;
    const double d_sigma = (s.f1 * s.f2_phi - s.f2 * s.f1_phi) / det;
    const double size = std::max(std::abs(d_phi), std::abs(d_sigma));
    if (!std::isfinite(size)) return std::nullopt;
    const double shrink = std::min(1.0, 0.5 / size);
    phi += d_phi * shrink;
    sigma = std::max(1e-3 * sigma, sigma + d_sigma * shrink);
    if (sigma > 2 * kPi) return std::nullopt;
    is_rough = is_rough && error > kNear && k < kMostSteps / 2;
  }
  return std::nullopt;
}

// The string slides from the angle phi to where it hangs: f2 is the force that drives it.
std::optional<Way> slide(const Shooter& shooter, double phi, double stride, double q_size,
                         double reach = 2 * kPi) {
  const double sign = shooter.follow(phi).shot.f2 < 0 ? -1 : 1;
  for (double way = 0; way < reach; way += stride) {
    double low = phi + sign * way, high = low + sign * stride;
    if (shooter.follow(high).shot.f2 * sign > 0) continue;
    for (int k = 0; k < 12; ++k) {
      const Way middle = shooter.follow(0.5 * (low + high));
      const auto found = polish(shooter, middle.phi, std::max(middle.sigma, 1e-9), q_size);
      if (found && std::abs(found->phi - middle.phi) < stride) return found;
      (middle.shot.f2 * sign > 0 ? low : high) = middle.phi;
    }
  }
  return std::nullopt;
}

struct Solution {
  Vec3d side;
  Way way;
};

// The way that a string takes from the angle phi, counted from the plane of the centre.
std::optional<Way> let_go(const Shooter& shooter, double phi, double sigma, double q_size) {
  // From that plane Newton's way is short.
  constexpr double kNear = 0.6;
  if (std::abs(phi) < kNear && sigma > 0) {
    const auto found = polish(shooter, 0, sigma, q_size);
    if (found && std::abs(found->phi) < kNear) return found;
  }
  constexpr double kStride = 0.3;
  const auto found = slide(shooter, phi, kStride, q_size);
  return found ? found : slide(shooter, phi, kStride / 8, q_size);
}

// Points that see each other across the centre may have two ways that neighbours do not shorten:
// those within the focal curve of a point, which is the greater the less the surface is a sphere.
bool may_have_two(const Vec3d& radii, double angle) {
  return angle > kPi - std::min(0.5 * kPi, 3 * (1 - radii.minCoeff() / radii.maxCoeff()));
}

// Whether a line that misses the surface does so beyond the guide's side of it: a string that is
// laid over that side may hang there.
bool may_hang(const Vec3d& x_p, const Vec3d& x_q, const Vec3d& radii,
              const std::optional<Vec3d>& guide) {
  if (!guide) return false;
  const Vec3d d = x_q - x_p;
  const double part = std::clamp(-x_p.dot(d) / std::max(d.squaredNorm(), 1e-300), 0.0, 1.0);
  return guide->cwiseQuotient(radii).dot(x_p + part * d) < 0;
}

// Nothing: the line is straight.
std::optional<Solution> find_way(const Vec3d& radii, const Vec3d& x_p, const Vec3d& x_q,
                                 const std::optional<Vec3d>& guide) {
  const bool is_free = misses(x_p, x_q);
  if (is_free && !may_hang(x_p, x_q, radii, guide)) return std::nullopt;
  const double rho_p = std::max(1.0, x_p.norm()), rho_q = std::max(1.0, x_q.norm());
  const Vec3d u = x_p / x_p.norm();
  Solution solution;
  solution.side = choose_side(u, x_q, guide);
  const Shooter shooter(radii, x_p, x_q, solution.side);
  // The great circle of the unit sphere.
  const double between = std::atan2(u.cross(x_q).norm(), u.dot(x_q));
  const double sigma = between - std::acos(1 / rho_p) - std::acos(1 / rho_q);
  double phi = 0;
  if (guide) {
    const Vec3d g = guide->cwiseQuotient(radii);
    phi = std::atan2(g.dot(u.cross(solution.side)), g.dot(solution.side));
  }
  if (is_free) {
    const Way start = shooter.follow(phi);
    if (!(start.sigma > 0)) return std::nullopt;  // sees q past the surface
    auto hangs = polish(shooter, phi, start.sigma, rho_q);
    if (!hangs || std::abs(hangs->phi - phi) > 0.6) {
      hangs = slide(shooter, phi, 0.3, rho_q, 0.5 * kPi);
    }
    if (!hangs) return std::nullopt;
    solution.way = *hangs;
    return solution;
  }
  auto found = let_go(shooter, phi, sigma, rho_q);
  if (!guide && may_have_two(radii, between)) {
    const auto other = slide(shooter, (found ? found->phi : 0) + kPi, 0.5, rho_q);
    if (other && (!found || shooter.calc_length(*other) < shooter.calc_length(*found))) {
      found = other;
    }
  }
  if (!found) {
    throw RunError(
        fmt::format("no way of a line over an ellipsoid was found: radii {:.4g}, {:.4g}, {:.4g} m, "
                    "points at {:.4g} and {:.4g} of the distance of the surface; less flat radii "
                    "help, or a guide",
                    radii.x(), radii.y(), radii.z(), x_p.norm(), x_q.norm()));
  }
  solution.way = *found;
  return solution;
}

// The angle, and where the way ends.
template <class T>
struct Corrected {
  T phi;
  Strand<T> end;
};

// A step of Newton on T gives derivatives: value and Jacobian are those of the solution.
template <class T>
Corrected<T> correct(const Vec3<T>& radii, const Horizon<T>& horizon, const Vec3<T>& x_q,
                     const Way& way) {
  const Shot& s = way.shot;
  if constexpr (ScalarTraits<T>::kDerivatives == 0) {
    return {way.phi, s.end.template head<7>()};
  } else {
    const Metric<T> m(radii);
    Corrected<T> r{T(way.phi), horizon.at(T(way.phi))};
    const int steps = count_steps(value_of(radii), way.sigma);
    for (int k = 0; k < steps; ++k) r.end = step_geodesic(m, r.end, way.sigma / steps);
    const Vec3<T> x = place_of(r.end), v = heading_of(r.end);
    const T f1 = x.dot(x_q) - T(1), f2 = x.cross(v).dot(x_q);
    const double det = s.f1_phi * s.f2_sigma - s.f1_sigma * s.f2_phi;
    const T d_phi = (f2 * s.f1_sigma - f1 * s.f2_sigma) / det;
    const T d_sigma = (f1 * s.f2_phi - f2 * s.f1_phi) / det;
    r.phi = r.phi + d_phi;
    Strand<double> by_phi;
    by_phi << s.x_phi[0], s.x_phi[1], s.x_phi[2], s.v_phi[0], s.v_phi[1], s.v_phi[2], s.end[10];
    r.end = r.end + m(r.end) * d_sigma + by_phi.template cast<T>() * d_phi;
    return r;
  }
}

}  // namespace

template <class T>
WrappedSegment<T> wrap_ellipsoid(const Vec3<T>& radii, const Vec3<T>& p, const Vec3<T>& q,
                                 const std::optional<Vec3d>& guide) {
  Vec3<T> x_p, x_q;
  for (int k = 0; k < 3; ++k) {
    x_p[k] = p[k] / radii[k];
    x_q[k] = q[k] / radii[k];
  }
  const auto found = find_way(value_of(radii), value_of(x_p), value_of(x_q), guide);
  if (!found) return straight(p, q);
  const Horizon<T> horizon = make_horizon(x_p, found->side);
  const Corrected<T> r = correct(radii, horizon, x_q, found->way);
  const Strand<T> start = horizon.at(r.phi);
  WrappedSegment<T> s;
  s.wraps = true;
  s.a = scaled(radii, place_of(start));
  s.b = scaled(radii, place_of(r.end));
  const Vec3<T> out = scaled(radii, heading_of(start)), on = scaled(radii, heading_of(r.end));
  const T out_size = norm_of(out), on_size = norm_of(on);
  s.e_a = out / out_size;
  s.e_b = on / on_size;
  s.length = horizon.tangent * out_size + r.end[6] + calc_tangent(norm_of(x_q)) * on_size;
  return s;
}

std::vector<Vec3d> sample_wrap(const Vec3d& radii, const Vec3d& p, const Vec3d& q,
                               const std::optional<Vec3d>& guide, int count) {
  const Vec3d x_p = p.cwiseQuotient(radii), x_q = q.cwiseQuotient(radii);
  const auto found = find_way(radii, x_p, x_q, guide);
  if (!found) return {p, q};
  const Metric<double> m(radii);
  Strand<double> s = make_horizon<double>(x_p, found->side).at(found->way.phi);
  std::vector<Vec3d> points = {p, radii.cwiseProduct(place_of(s))};
  const double part = found->way.sigma / (count - 1);
  const int steps = count_steps(radii, part);
  for (int k = 1; k < count; ++k) {
    for (int j = 0; j < steps; ++j) s = step_geodesic(m, s, part / steps);
    points.push_back(radii.cwiseProduct(place_of(s)));
  }
  points.push_back(q);
  return points;
}

std::vector<Vec3d> sample_wrap(const LineWrap<double>& wrap, const Vec3d& p, const Vec3d& q,
                               int count) {
  if (!wrap.is_cylinder) return sample_wrap(wrap.radii, p, q, wrap.guide, count);
  const WrappedSegment<double> s = wrap_cylinder(wrap.radii.x(), p, q);
  if (!s.wraps) return {p, q};
  const double from = std::atan2(s.a.y(), s.a.x());
  const double arc =
      std::atan2(s.a.x() * s.b.y() - s.a.y() * s.b.x(), s.a.x() * s.b.x() + s.a.y() * s.b.y());
  std::vector<Vec3d> points = {p};
  for (int k = 0; k < count; ++k) {
    const double part = static_cast<double>(k) / (count - 1), angle = from + part * arc;
    points.emplace_back(wrap.radii.x() * std::cos(angle), wrap.radii.x() * std::sin(angle),
                        s.a.z() + part * (s.b.z() - s.a.z()));
  }
  points.push_back(q);
  return points;
}

#define VESICA_INSTANTIATE(T)                                                               \
  template WrappedSegment<T> wrap_sphere(const T&, const Vec3<T>&, const Vec3<T>&,          \
                                         const std::optional<Vec3d>&);                      \
  template WrappedSegment<T> wrap_cylinder(const T&, const Vec3<T>&, const Vec3<T>&);       \
  template WrappedSegment<T> wrap_ellipsoid(const Vec3<T>&, const Vec3<T>&, const Vec3<T>&, \
                                            const std::optional<Vec3d>&)
VESICA_INSTANTIATE(double);
VESICA_INSTANTIATE(Dual<4>);
VESICA_INSTANTIATE(Dual<12>);
#undef VESICA_INSTANTIATE

}  // namespace vesica
