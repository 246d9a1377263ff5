// The planar foot's elements against closed forms, quadrature and the library's own bristle.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

#include "tests/support/support.h"
#include "vesica/biomechanics/foot2d_table.h"
#include "vesica/contact/coulomb_arctan.h"
#include "vesica/error.h"

namespace vesica::foot2d_elements_test {
namespace {

using test::random_between;

constexpr Foot2dElement kAll[] = {Foot2dElement::kSpring, Foot2dElement::kLinear,
                                  Foot2dElement::kHyper, Foot2dElement::kEllipsoid,
                                  Foot2dElement::kHyperEllipsoid};

Foot2dMount make_mount(std::mt19937_64& random) {
  Foot2dMount m;
  const double angle = random_between(random, -3, 3);
  m.x = random_between(random, -0.1, 0.1);
  m.y = random_between(random, 0.01, 0.03);
  m.cos = std::cos(angle);
  m.sin = std::sin(angle);
  m.vx = random_between(random, -0.2, 0.2);
  m.vy = random_between(random, -0.2, 0.1);
  m.spin = random_between(random, -3, 3);
  return m;
}

Foot2dParameters<double> make_parameters(std::mt19937_64& random) {
  Foot2dParameters<double> p;
  p.stiffness = 3e6;
  p.damping = 0.4;
  p.exponent = random_between(random, 0.7, 1.4);
  p.size = random_between(random, 0.03, 0.05);
  p.height = random_between(random, 0.025, 0.04);
  p.tilt = random_between(random, -0.7, 0.7);
  p.mu = 0.4;
  p.v_s = 0.05;
  p.dx = random_between(random, -0.01, 0.01);
  p.dy = random_between(random, -0.01, 0.01);
  return p;
}

// Volume below the ground and its centroid, by columns over the shadow of an ellipsoid with
// half-axes r1 (at the angle q), r2 and r3 (across the plane).
struct Shared {
  double volume = 0, x = 0, y = 0;
};
Shared integrate(double cx, double cy, double q, double r1, double r2, double r3) {
  constexpr int kSteps = 1200;
  const double c = std::cos(q), s = std::sin(q);
  const double reach = std::sqrt(r1 * r1 * c * c + r2 * r2 * s * s), h = 2 * reach / kSteps;
  const double a = s * s / (r1 * r1) + c * c / (r2 * r2);
  Shared out;
  for (int i = 0; i < kSteps; ++i) {
    const double u = -reach + (i + 0.5) * h;
    for (int k = 0; k < kSteps; ++k) {
      const double w = -r3 + (k + 0.5) * 2 * r3 / kSteps;
      // ((u c + v s)/r1)^2 + ((-u s + v c)/r2)^2 + (w/r3)^2 = 1 for v.
      const double b = u * c * s * (1 / (r1 * r1) - 1 / (r2 * r2));
      const double d = u * u * (c * c / (r1 * r1) + s * s / (r2 * r2)) + w * w / (r3 * r3) - 1;
      const double root = b * b - a * d;
      if (root <= 0) continue;
      const double low = cy + (-b - std::sqrt(root)) / a, top = cy + (-b + std::sqrt(root)) / a;
      const double high = std::min(0.0, top);
      if (high <= low) continue;
      const double dV = (high - low) * h * 2 * r3 / kSteps;
      out.volume += dV;
      out.x += dV * (cx + u);
      out.y += dV * 0.5 * (low + high);
    }
  }
  out.x /= out.volume;
  out.y /= out.volume;
  return out;
}

TEST(Foot2dElements, TablesHaveTheSourcesParameters) {
  EXPECT_EQ(name_foot2d_parameters({Foot2dElement::kSpring, {}}).size(), 24u);
  EXPECT_EQ(name_foot2d_parameters({Foot2dElement::kLinear, {}}).size(), 21u);
  EXPECT_EQ(name_foot2d_parameters({Foot2dElement::kHyper, {}}).size(), 24u);
  EXPECT_EQ(
      name_foot2d_parameters({Foot2dElement::kHyperEllipsoid, Foot2dFriction::kBristle}).size(),
      36u);
  EXPECT_THROW(make_shourijeh_element({Foot2dElement::kEllipsoid, {}}, 0), InputError);
}

// Tables 2 to 4 as they are printed: a row a parameter and point, optimum, bounds ("-": none).
// Lengths in mm.
constexpr const char* kTable2 =
    "k_S H 9.8e3 0 -  P 2.2e3 0 -  T 6.6e4 0 -  a_S H 85.7 0 -  P 1.3e3 0 -  T 15.8 0 - "
    "L_0 H 55 1 60  P 50 1 55  T 42 1 45  n_S H 0.93 0.1 10  P 0.95 0.1 10  T 0.89 0.1 10 "
    "mu_f H 0.33 1e-3 1  P 0.41 1e-3 1  T 0.45 1e-3 1 "
    "v_s H 0.062 1e-6 0.1  P 0.035 1e-6 0.1  T 0.055 1e-6 0.1 "
    "dx H -14.2 0 20  P -12.9 0 20  T -0.6 0 20  dy H -9.3 0 20  P 8.4 0 20  T 18.2 0 20";
constexpr const char* kTable3 =
    "k_V H 1.94e6 0 -  P 2.08e6 0 -  T 4.12e5 0 -  a_V H 1.6 0 -  P 0.53 0 -  T 0.31 0 - "
    "R_V H 56 1 60  P 54 1 55  T 43 1 45  mu_f H 0.24 1e-3 1  P 0.28 1e-3 1  T 0.34 1e-3 1 "
    "v_s H 0.029 1e-6 0.1  P 0.052 1e-6 0.1  T 0.059 1e-6 0.1 "
    "dx H -11.9 0 20  P -13.4 0 20  T -0.8 0 20  dy H -10.8 0 20  P 7.9 0 20  T 17.8 0 20";
constexpr const char* kTable4 =
    "k_h H 7.4e5 0 -  P 1.1e6 0 -  T 6.8e5 0 -  a_h H 4.1e7 0 -  P 6.3e5 0 -  T 1.9e7 0 - "
    "R_V H 54 1 60  P 52 1 55  T 43 1 45  H H 0.78 0.1 10  P 0.85 0.1 10  T 0.83 0.1 10 "
    "mu_f H 0.24 1e-3 1  P 0.27 1e-3 1  T 0.35 1e-3 1 "
    "v_s H 0.031 1e-6 0.1  P 0.048 1e-6 0.1  T 0.061 1e-6 0.1 "
    "dx H -12.0 0 20  P -13.1 0 20  T 2.1 0 20  dy H -10.6 0 20  P 8.3 0 20  T 18.5 0 20";

TEST(Foot2dElements, TablesAreAsPrinted) {
  const std::pair<Foot2dElement, const char*> tables[] = {{Foot2dElement::kSpring, kTable2},
                                                          {Foot2dElement::kLinear, kTable3},
                                                          {Foot2dElement::kHyper, kTable4}};
  for (const auto& [element, table] : tables) {
    const auto rows = make_foot2d_rows({element, {}});
    std::istringstream words(table);
    std::string name;
    size_t seen = 0;
    while (words >> name) {
      const auto row = std::find_if(rows.begin(), rows.end(),
                                    [&](const Foot2dRow& r) { return r.name == name; });
      ASSERT_NE(row, rows.end()) << name;
      const double unit = row->unit == "m" ? 1e-3 : 1;
      for (size_t point = 0; point < 3; ++point) {
        std::string letter, lower, upper;
        double optimum = 0;
        words >> letter >> optimum >> lower >> upper;
        ASSERT_EQ(letter, kFoot2dPointNames[point]) << name;
        EXPECT_NEAR(row->source[point], unit * optimum, 1e-12 * std::abs(optimum)) << name;
        ++seen;
        if (upper == "-") continue;  // chosen here (foot2d_table.h)
        EXPECT_NEAR(row->upper[point], unit * std::stod(upper), 1e-15) << name;
        // The bounds of dx and dy as printed exclude most of the optima beside them.
        const bool place = name == "dx" || name == "dy";
        EXPECT_NEAR(row->lower[point], unit * (place ? -20 : std::stod(lower)), 1e-15) << name;
      }
    }
    EXPECT_EQ(seen, 3 * rows.size());
  }
}

TEST(Foot2dElements, VariablesGiveTheSourcesOptimaBack) {
  for (const Foot2dElement element :
       {Foot2dElement::kSpring, Foot2dElement::kLinear, Foot2dElement::kHyper}) {
    const Foot2dType type{element, {}};
    const auto rows = make_foot2d_rows(type);
    for (int point = 0; point < 3; ++point) {
      const auto p = make_shourijeh_element(type, point);
      const auto u = as_foot2d_variables(type, rows, point, p);
      const auto back = as_foot2d_parameters(type, rows, point, u.data());
      for (size_t k = 0; k < rows.size(); ++k) {
        EXPECT_GT(u[k], 0) << rows[k].name;
        EXPECT_LT(u[k], 1) << rows[k].name;
        const double value = parameter_of(p, rows[k].slot);
        EXPECT_NEAR(parameter_of(back, rows[k].slot), value, 1e-10 * std::abs(value) + 1e-15);
      }
    }
  }
}

TEST(Foot2dElements, SpringIsHuntAndCrossleys) {
  const Foot2dParameters<double> p = make_shourijeh_element({}, 0);
  Foot2dMount m;
  m.y = 0.03;
  m.vy = -0.002;
  m.vx = 0.1;
  Foot2dBristle<double> bristle;
  const auto f = calc_foot2d_force({}, p, m, 0.01, &bristle);
  // dx along x, dy along y.
  const double L = 0.03 - 0.0093;
  const double normal = 9.8e3 * std::pow(0.055 - L, 0.93) * (1 + 85.7 * 0.002);
  EXPECT_NEAR(f.normal, normal, 1e-9 * normal);
  EXPECT_NEAR(f.friction, -normal * 0.33 * std::atan(0.1 / 0.062), 1e-9 * normal);
  EXPECT_NEAR(f.x, -0.0142, 1e-12);
}

TEST(Foot2dElements, VolumesCentroidsAndTheirSpeedMeetQuadrature) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 4; ++k) {
    const Foot2dMount m = make_mount(random);
    Foot2dParameters<double> p = make_parameters(random);
    for (const bool sphere : {true, false}) {
      const double q = std::atan2(m.sin, m.cos) + p.tilt;
      const double rx = p.dx * m.cos - p.dy * m.sin, ry = p.dx * m.sin + p.dy * m.cos;
      const double r2 = sphere ? p.size : p.height;
      const Shared exact = integrate(m.x + rx, m.y + ry, q, p.size, r2, r2);
      ASSERT_GT(exact.volume, 0);
      const Foot2dType linear{sphere ? Foot2dElement::kLinear : Foot2dElement::kEllipsoid, {}};
      const Foot2dType hyper{sphere ? Foot2dElement::kHyper : Foot2dElement::kHyperEllipsoid, {}};
      Foot2dBristle<double> bristle;
      const auto f = calc_foot2d_force(linear, p, m, 0.01, &bristle);
      const auto h = calc_foot2d_force(hyper, p, m, 0.01, &bristle);
      // The body's point at the centroid.
      const double c = -(m.vy + m.spin * (exact.x - m.x)), slip = m.vx - m.spin * (exact.y - m.y);
      const double mu = p.mu * std::atan(slip / p.v_s);
      // 1200 columns each way: 2e-5 measured.
      const double normal = p.stiffness * exact.volume * (1 + p.damping * c);
      EXPECT_NEAR(f.normal, normal, 1e-4 * normal);
      EXPECT_NEAR(f.x, exact.x, 1e-6);
      EXPECT_NEAR(f.friction, -normal * mu, 3e-4 * normal);
      const double power =
          p.stiffness * std::pow(exact.volume, p.exponent) + p.damping * exact.volume * c;
      EXPECT_NEAR(h.normal, power, 2e-4 * power);
    }
  }
}

TEST(Foot2dElements, AnEllipsoidOfEqualAxesIsTheSphere) {
  std::mt19937_64 random(2);
  for (int k = 0; k < 20; ++k) {
    const Foot2dMount m = make_mount(random);
    Foot2dParameters<double> p = make_parameters(random);
    p.height = p.size;
    Foot2dBristle<double> bristle;
    const auto a = calc_foot2d_force<double>({Foot2dElement::kLinear, {}}, p, m, 0.01, &bristle);
    const auto b = calc_foot2d_force<double>({Foot2dElement::kEllipsoid, {}}, p, m, 0.01, &bristle);
    EXPECT_NEAR(a.normal, b.normal, 1e-9);
    EXPECT_NEAR(a.friction, b.friction, 1e-9);
    EXPECT_NEAR(a.x, b.x, 1e-12);
  }
}

TEST(Foot2dElements, NothingPullsAndNothingActsApart) {
  std::mt19937_64 random(3);
  for (const Foot2dElement element : kAll) {
    for (int k = 0; k < 50; ++k) {
      Foot2dMount m = make_mount(random);
      Foot2dParameters<double> p = make_parameters(random);
      p.damping = 1e9;
      m.vy = 0.5;
      m.spin = 0;
      Foot2dBristle<double> bristle{0.01};
      auto f = calc_foot2d_force<double>({element, {}}, p, m, 0.01, &bristle);
      EXPECT_EQ(f.normal, 0);
      EXPECT_EQ(f.friction, 0);
      m.y = 0.2;
      m.vy = -0.5;
      f = calc_foot2d_force<double>({element, {}}, p, m, 0.01, &bristle);
      EXPECT_FALSE(f.touches);
      EXPECT_EQ(f.normal, 0);
      EXPECT_EQ(bristle.z, 0);  // no memory of what was before
    }
  }
  // Wholly below the ground: the volume of the sphere.
  Foot2dParameters<double> p = make_parameters(random);
  Foot2dMount m;
  m.y = -1;
  Foot2dBristle<double> bristle;
  const auto f = calc_foot2d_force<double>({Foot2dElement::kLinear, {}}, p, m, 0.01, &bristle);
  EXPECT_NEAR(f.normal, p.stiffness * 4 * kPi / 3 * std::pow(p.size, 3), 1e-9 * f.normal);
}

TEST(Foot2dElements, DerivativesMeetDifferences) {
  std::mt19937_64 random(4);
  for (const Foot2dElement element : kAll) {
    for (const Foot2dFriction friction : {Foot2dFriction::kArctan, Foot2dFriction::kBristle}) {
      const Foot2dType type{element, friction};
      const auto rows = make_foot2d_rows(type);
      for (int trial = 0; trial < 5; ++trial) {
        Foot2dMount m = make_mount(random);
        m.y = 0.01;  // all touch
        Foot2dParameters<double> p = make_parameters(random);
        p.sigma_0 = 300;
        p.tau = 0.01;
        if (type.is_hyper()) p.damping = 1e5;
        if (element == Foot2dElement::kSpring) p.stiffness = 3e4;
        const auto u = as_foot2d_variables(type, rows, 1, p);
        // Three frames, so that the bristle's state carries derivatives.
        const auto run = [&]<class T>(const std::vector<T>& x) {
          const auto q = as_foot2d_parameters(type, rows, 1, x.data());
          Foot2dBristle<T> bristle;
          Foot2dForce<T> f;
          for (int k = 0; k < 3; ++k) f = calc_foot2d_force(type, q, m, 0.004, &bristle);
          return f;
        };
        std::vector<Dual<12>> x;
        for (size_t k = 0; k < u.size(); ++k) {
          x.push_back(Dual<12>::variable(u[k], static_cast<int>(k)));
        }
        const Foot2dForce<Dual<12>> f = run(x);
        ASSERT_TRUE(f.touches);
        for (size_t k = 0; k < u.size(); ++k) {
          constexpr double h = 1e-6;
          std::vector<double> a = u, b = u;
          a[k] -= h;
          b[k] += h;
          const auto fa = run(a), fb = run(b);
          const auto check = [&](double low, double high, double slope, double scale) {
            EXPECT_NEAR((high - low) / (2 * h), slope, 2e-6 * scale + 2e-5 * std::abs(slope))
                << name_of(element) << " " << rows[k].name;
          };
          check(fa.normal, fb.normal, f.normal.v[static_cast<int>(k)], f.normal.a);
          check(fa.friction, fb.friction, f.friction.v[static_cast<int>(k)], f.normal.a);
          check(fa.x, fb.x, f.x.v[static_cast<int>(k)], 0.1);
        }
      }
    }
  }
}

// From touchdown to far below the ground, against closed forms of a cap of height h:
// V = pi h^2 (R - h/3), dV/dR = 2 pi R h, dV/dh = pi h (2R - h); wholly below 4/3 pi R^3.
TEST(Foot2dElements, SlopesAreThoseOfTheCapAtEveryDepth) {
  constexpr double R = 0.04, k = 3e6, a = 0.4, c = 0.1, H = 0.8, mu = 0.3, v = 0.07, v_s = 0.05;
  using D = Dual<8>;
  for (const double h : {1e-8, 1e-6, 1e-4, 0.01, R, 1.9 * R, 2 * R - 1e-9, 2 * R + 1e-9, 5 * R}) {
    const double part = std::min(h, 2 * R);
    const double V = kPi * part * part * (R - part / 3), y = R - h;
    const double dV_dR = h < 2 * R ? 2 * kPi * R * h : 4 * kPi * R * R;
    const double dV_dh = h < 2 * R ? kPi * h * (2 * R - h) : 0;
    for (const Foot2dElement element : kAll) {
      const Foot2dType type{element, {}};
      Foot2dParameters<D> p;
      p.stiffness = k;
      p.damping = type.is_hyper() ? D(1e5) : D(a);
      p.exponent = D::variable(H, 0);
      p.size = D::variable(R, 1);
      p.height = D::variable(R, 1);  // grows with it: a sphere
      p.mu = mu;
      p.v_s = v_s;
      p.dy = D::variable(0, 2);
      Foot2dMount m;
      m.y = y;
      m.vy = -c;
      m.vx = v;
      Foot2dBristle<D> bristle;
      const Foot2dForce<D> f = calc_foot2d_force(type, p, m, 0.01, &bristle);
      ASSERT_TRUE(f.touches) << h;
      double F = 0, by_H = 0, by_R = 0, by_y = 0;
      if (element == Foot2dElement::kSpring) {
        F = k * std::pow(h, H) * (1 + a * c);
        by_H = F * std::log(h);
        by_R = F * H / h;
        by_y = -by_R;
      } else if (type.is_hyper()) {
        const double slope = k * H * std::pow(V, H - 1) + 1e5 * c;
        F = k * std::pow(V, H) + 1e5 * V * c;
        by_H = k * std::pow(V, H) * std::log(V);
        by_R = slope * dV_dR;
        by_y = -slope * dV_dh;
      } else {
        F = k * V * (1 + a * c);
        by_R = k * dV_dR * (1 + a * c);
        by_y = -k * dV_dh * (1 + a * c);
      }
      const std::string where = fmt::format("{} {}", name_of(element), h);
      // Depth is a difference of numbers of 40 mm: 1e-8 of it is known to 1e-9.
      const double rounding = 1e-11 + 1e-16 / h;
      const auto near = [&](double ours, double expected, double scale) {
        EXPECT_NEAR(ours, expected, 10 * rounding * (std::abs(expected) + scale)) << where;
      };
      near(f.normal.a, F, 0);
      near(f.normal.v[0], by_H, 0);
      near(f.normal.v[1], by_R, 0);
      near(f.normal.v[2], by_y, std::abs(by_R));
      // (14, 15): the slip is that of the mount, which does not spin.
      near(f.friction.a, -F * mu * std::atan(v / v_s), 0);
      near(f.friction.v[1], -by_R * mu * std::atan(v / v_s), 0);
    }
  }
}

// The library's law (contact/bristle.h), integrated with steps a thousand times shorter.
double integrate_bristle(const Foot2dParameters<double>& p,
                         const std::function<double(double)>& slip, double duration) {
  BristleParameters<double> law;
  law.mu_S = law.mu_C = p.mu;
  law.sigma_0 = p.sigma_0;
  law.sigma_1 = p.sigma_0 * p.tau;
  law.v_S = p.v_s;
  law.v_eps = 0.01 * p.v_s;
  law.dwell = false;
  double z = 0, b = 0;
  constexpr int kSteps = 400000;
  for (int k = 0; k < kSteps; ++k) {
    const double v = slip(duration * (k + 1) / kSteps);
    const double s = std::exp(-v * v / (law.v_S * law.v_S));
    const auto step = detail::advance_bristle<double, double, double>(
        law, s, v, v * direction_ratio(v * v, law.v_eps), z, law.mu_C, law.mu_S);
    z += step.rate * duration / kSteps;
    b = step.b;
  }
  return b;
}

TEST(Foot2dElements, BristleConvergesToTheLibrarysLaw) {
  Foot2dParameters<double> p;
  p.mu = 0.5;
  p.v_s = 0.02;
  p.sigma_0 = 400;
  p.tau = 0.02;
  const auto slip = [](double t) { return 0.03 * std::sin(25 * t); };
  double before = 0;
  for (const double duration : {0.02, 0.05, 0.11, 0.2}) {
    const double exact = integrate_bristle(p, slip, duration);
    const auto error = [&](int steps) {
      double z = 0, b = 0;
      const double dt = duration / steps;
      for (int k = 0; k < steps; ++k)
        b = detail::advance_foot2d_bristle(p, slip((k + 1) * dt), dt, &z);
      return std::abs(b - exact);
    };
    // Of first order: 20 frames 2 %, ten times as many a tenth of it.
    EXPECT_LT(error(20), 0.05 * p.mu);
    EXPECT_LT(error(2000), 0.02 * error(20) + 1e-5);
    before = std::max(before, error(20));
  }
  EXPECT_GT(before, 0);
}

TEST(Foot2dElements, PointsAndMountsFollowFromLengthsAndAngles) {
  const auto g = make_shourijeh_geometry();
  Foot2dPose q{0.1, 0.09, -0.6, 0.4, 0.3, -0.2, 1.1, -0.7};
  const auto p = calc_foot2d_points(g, q.x, q.y, q.theta, q.phi);
  EXPECT_NEAR(std::hypot(p.H.x - q.x, p.H.y - q.y), g.AH, 1e-15);
  EXPECT_NEAR(std::hypot(p.P.x - q.x, p.P.y - q.y), g.AP, 1e-15);
  EXPECT_NEAR(std::hypot(p.T_.x - p.P.x, p.T_.y - p.P.y), g.PT, 1e-15);
  // Law of cosines in AHP, and the heel behind the joint.
  const double HP = std::hypot(p.H.x - p.P.x, p.H.y - p.P.y);
  EXPECT_NEAR(HP * HP, g.AH * g.AH + g.AP * g.AP - 2 * g.AH * g.AP * std::cos(g.beta), 1e-15);
  EXPECT_LT(p.H.x, p.P.x);
  const auto mounts = calc_foot2d_mounts(g, q);
  constexpr double h = 1e-6;
  const auto at = [&](double t) {
    Foot2dPose r = q;
    r.x += t * q.vx;
    r.y += t * q.vy;
    r.theta += t * q.spin;
    r.phi += t * q.toe_spin;
    return calc_foot2d_mounts(g, r);
  };
  const auto a = at(-h), b = at(h);
  for (size_t e = 0; e < 3; ++e) {
    EXPECT_NEAR((b[e].x - a[e].x) / (2 * h), mounts[e].vx, 1e-9);
    EXPECT_NEAR((b[e].y - a[e].y) / (2 * h), mounts[e].vy, 1e-9);
    EXPECT_NEAR((b[e].sin - a[e].sin) / (2 * h), mounts[e].spin * mounts[e].cos, 1e-8);
  }
}

}  // namespace
}  // namespace vesica::foot2d_elements_test
