// Fast rolling: the closed form of a patch that lifts in part against the foundation integrated
// point by point, clamped where it would pull, through the whole range from all pressed to gone.
#include "vesica/contact/lifted_patch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "tests/support/support.h"
#include "vesica/contact/contact.h"

namespace vesica::lifted_patch_test {
namespace {

using test::random_between;
using test::random_log_between;
using test::random_vector;

constexpr double kStiffness = 2e7, kAlpha = 0.6;

struct Scenario {
  Contact<double> contact;
  Motion<double> i, j;
};

// --- The foundation, point by point, from the shapes themselves.

// Where a line s + t n runs inside a body.
using Column = std::function<std::optional<std::array<double, 2>>(const Vec3d& s)>;

Column ellipsoid_column(const Vec3d& radii, const Pose<double>& X, const Vec3d& n) {
  return [=](const Vec3d& s) -> std::optional<std::array<double, 2>> {
    const Vec3d p = (X.R_WB.transpose() * (s - X.p_WB)).cwiseQuotient(radii);
    const Vec3d d = (X.R_WB.transpose() * n).cwiseQuotient(radii);
    const double a = d.squaredNorm(), b = p.dot(d), root2 = b * b - a * (p.squaredNorm() - 1);
    if (root2 <= 0) return std::nullopt;
    return std::array{(-b - std::sqrt(root2)) / a, (-b + std::sqrt(root2)) / a};
  };
}

using Sums = Eigen::Matrix<double, 5, 1>;  // of phi, rho phi, |rho|^2 phi, weighed by the depth

// Simpson's rule, halved until the first entry settles.
Sums integrate(const std::function<Sums(double)>& f, double a, double b, double tolerance) {
  std::function<Sums(double, double, const Sums&, const Sums&, const Sums&, const Sums&, int)>
      refine = [&](double l, double r, const Sums& fl, const Sums& fm, const Sums& fr,
                   const Sums& whole, int level) -> Sums {
    const double m = 0.5 * (l + r), h = (r - l) / 12;
    const Sums fa = f(0.5 * (l + m)), fb = f(0.5 * (m + r));
    const Sums left = h * (fl + 4 * fa + fm), right = h * (fm + 4 * fb + fr);
    const Sums two = left + right;
    if (level == 0 || std::abs(two[0] - whole[0]) < tolerance * (r - l)) return two;
    return refine(l, m, fl, fa, fm, left, level - 1) + refine(m, r, fm, fb, fr, right, level - 1);
  };
  Sums sum = Sums::Zero();
  const int pieces = 8;
  for (int k = 0; k < pieces; ++k) {
    const double l = a + (b - a) * k / pieces, r = a + (b - a) * (k + 1) / pieces;
    const Sums fl = f(l), fm = f(0.5 * (l + r)), fr = f(r);
    sum += refine(l, r, fl, fm, fr, (r - l) / 6 * (fl + 4 * fm + fr), 9);
  }
  return sum;
}

struct Load {
  double force, roll, spin;  // f_n, |tau_roll|, f_n times the pressure's radius of gyration
  Vec3d tau_roll;
};

Load integrate_foundation(const Scenario& s, const Overlap<double>& o, const Column& column_i,
                          const Column& column_j, double reach) {
  Vec3d e1, e2;
  make_basis(o.n_W, &e1, &e2);
  const double tolerance = 2e-5 * o.volume / reach;
  auto at = [&](double x, double y) -> Sums {
    const Vec3d p = o.p_WC + x * e1 + y * e2;
    const auto i = column_i(p), j = column_j(p);
    if (!i || !j) return Sums::Zero();
    const double depth = std::min((*i)[1], (*j)[1]) - std::max((*i)[0], (*j)[0]);
    if (!(depth > 0)) return Sums::Zero();
    const double v_n = o.n_W.dot(s.i.V_WB.v_WB + s.i.V_WB.w_WB.cross(p - s.i.X_WB.p_WB) -
                                 s.j.V_WB.v_WB - s.j.V_WB.w_WB.cross(p - s.j.X_WB.p_WB));
    const Vec3d rho = p - o.p_WC;
    Sums sum;
    sum << 1, rho, rho.squaredNorm();
    return sum * (depth * std::max(0.0, 1 - kAlpha * v_n));
  };
  const Sums sum = kStiffness * integrate(
                                    [&](double x) {
                                      return integrate([&](double y) { return at(x, y); }, -reach,
                                                       reach, tolerance / reach);
                                    },
                                    -reach, reach, tolerance);
  Load load;
  const Vec3d first = sum.segment<3>(1);
  load.force = sum[0];
  load.tau_roll = first.cross(o.n_W);
  load.roll = load.tau_roll.norm();
  load.spin = sum[0] > 0 ? std::sqrt(std::max(0.0, sum[0] * sum[4] - first.squaredNorm())) : 0;
  return load;
}

// Friction linear in the slip: its torque shows the spread of the pressure.
struct LinearFriction {
  template <class T>
  T ratio(const T&) const {
    return T(1);
  }
};

Load calc_load(const Scenario& s, const Overlap<double>& o) {
  const VolumetricNormal<double> normal{kStiffness, kAlpha};
  const auto f = calc_contact_forces(o, s.i, s.j, normal, LinearFriction{}, s.contact.options,
                                     ContactMemory<double>{});
  const double torque = -f.friction.spin_torque / f.spin;  // f_n spread^2
  return {f.normal.force, f.tau_roll.norm(), std::sqrt(std::max(0.0, torque * f.normal.force)),
          f.tau_roll};
}

// Sets spins and velocities so that 1 + alpha c is `factor` at the centroid, and changes by 1 from
// there to the edge of an upright paraboloid.
void set_rolling(std::mt19937_64& random, double factor, const Overlap<double>& o, Scenario* s) {
  s->j.V_WB = {random_vector(random, 1), random_vector(random, 0.1)};
  Vec3d w = random_vector(random, 1);
  const Vec3d u = o.n_W.cross(w);
  w *= 1 / (kAlpha * std::sqrt(6 * u.dot(o.M_W * u) / o.volume));
  s->i.V_WB = {s->j.V_WB.w_WB + w, random_vector(random, 0.1)};
  const double c = calc_kinematics(s->i, s->j, o, Measure::kVolume).closing_speed;
  s->i.V_WB.v_WB += o.n_W * (c - (factor - 1) / kAlpha);
}

// An ellipsoid, `depth` times the distance of its lowest point into the ground.
Scenario make_cap(std::mt19937_64& random, const Vec3d& radii, double depth) {
  Scenario s;
  s.i.X_WB = {test::random_rotation(random), random_vector(random, 0.1)};
  s.j.X_WB = {test::random_rotation(random), random_vector(random, 0.1)};
  const Vec3d n = s.j.X_WB.R_WB.col(2);
  const double w = radii.cwiseProduct(s.i.X_WB.R_WB.transpose() * n).norm();
  s.i.X_WB.p_WB += n * (w * (1 - depth) - n.dot(s.i.X_WB.p_WB - s.j.X_WB.p_WB));
  s.contact.pair.shapes = EllipsoidOnHalfSpace<double>{{radii}};
  s.contact.normal = VolumetricNormal<double>{kStiffness, kAlpha};
  s.contact.friction = BrownMcPhee<double>{.mu_s = 0.9, .mu_d = 0.7, .v_t = 0.02};
  return s;
}

Vec3d random_radii(std::mt19937_64& random, double aspect) {
  return 0.05 * Vec3d(1, random_log_between(random, 1 / aspect, 1),
                      random_log_between(random, 1 / aspect, 1));
}

struct Errors {
  double force = 0, roll = 0, spin = 0;
  void take(const Load& ours, const Load& exact, const Load& scale) {
    force = std::max(force, std::abs(ours.force - exact.force) / scale.force);
    roll = std::max(roll, (ours.tau_roll - exact.tau_roll).norm() / scale.roll);
    spin = std::max(spin, std::abs(ours.spin - exact.spin) / scale.spin);
  }
};

// Over factors from pressed everywhere to far beyond lift-off, each in a motion of its own. Below a
// factor of zero, where everything fades, errors are shares of what the patch carries at a factor
// of zero.
Errors find_errors(std::mt19937_64& random, const Scenario& cap, const Overlap<double>& o,
                   const Column& i, const Column& j, double reach) {
  Errors errors;
  for (const double factor : {2.0, 0.9, 0.6, 0.3, 0.1, 0.0, -0.3, -0.6, -1.8}) {
    Scenario s = cap;
    set_rolling(random, factor, o, &s);
    const Load exact = integrate_foundation(s, o, i, j, reach);
    Load scale = exact;
    if (factor < 0) {
      Scenario at_zero = s;
      at_zero.i.V_WB.v_WB += o.n_W * (factor / kAlpha);
      scale = integrate_foundation(at_zero, o, i, j, reach);
    }
    errors.take(calc_load(s, o), exact, scale);
    if (factor == -1.8) {
      EXPECT_EQ(calc_load(s, o).force, 0);
    }
  }
  return errors;
}

Errors find_cap_errors(double aspect, double least, double most) {
  std::mt19937_64 random(71);
  Errors worst;
  for (int k = 0; k < 12; ++k) {
    const Vec3d radii = random_radii(random, aspect);
    const Scenario s = make_cap(random, radii, random_log_between(random, least, most));
    const auto o = calc_overlap(s.contact, s.i.X_WB, s.j.X_WB);
    const Vec3d n = o.n_W, ground = s.j.X_WB.p_WB;
    const Column below = [=](const Vec3d& p) -> std::optional<std::array<double, 2>> {
      return std::array{-1.0, n.dot(ground - p)};
    };
    const double reach = 2.9 * std::sqrt(o.M_W.trace() / o.volume);
    const Errors e = find_errors(random, s, o, ellipsoid_column(radii, s.i.X_WB, n), below, reach);
    worst = {std::max(worst.force, e.force), std::max(worst.roll, e.roll),
             std::max(worst.spin, e.spin)};
  }
  ::testing::Test::RecordProperty(
      fmt::format("aspect {} depth {}", aspect, most),
      fmt::format("{:.4f} {:.4f} {:.4f}", worst.force, worst.roll, worst.spin));
  return worst;
}

TEST(LiftedPatch, OfCapsIsThatOfTheClampedFoundation) {
  // Bounds: the worst of 400 caps with 100 factors each, as the page on contact has it; beside them
  // what these dozen reach.
  const Errors sphere = find_cap_errors(1, 0.01, 0.5);
  EXPECT_LT(sphere.force, 0.004);  // 0.0034
  EXPECT_LT(sphere.roll, 0.005);   // 0.0045
  EXPECT_LT(sphere.spin, 0.006);   // 0.0054
  const Errors shallow = find_cap_errors(4, 0.001, 0.1);
  EXPECT_LT(shallow.force, 0.005);  // 0.0016
  EXPECT_LT(shallow.roll, 0.008);   // 0.0053
  EXPECT_LT(shallow.spin, 0.021);   // 0.0065
  const Errors deep = find_cap_errors(4, 0.1, 0.5);
  EXPECT_LT(deep.force, 0.009);  // 0.0043
  EXPECT_LT(deep.roll, 0.017);   // 0.0115
  EXPECT_LT(deep.spin, 0.031);   // 0.0195
}

TEST(LiftedPatch, OfTwoSpheresIsThatOfTheClampedFoundation) {
  std::mt19937_64 random(72);
  Errors worst;
  for (const double other : {1.0, 0.3, 5.0}) {
    Scenario s;
    const double R_i = 0.04, R_j = R_i * other;
    s.i.X_WB = {test::random_rotation(random), random_vector(random, 0.1)};
    const double depth = random_log_between(random, 0.02, 0.5) * std::min(R_i, R_j);
    s.j.X_WB = s.i.X_WB;
    s.j.X_WB.p_WB += random_vector(random, 1).normalized() * (R_i + R_j - depth);
    s.contact.pair.shapes = SphereOnSphere<double>{{R_i}, {R_j}};
    const auto o = calc_overlap(s.contact, s.i.X_WB, s.j.X_WB);
    const double reach = 1.05 * std::sqrt(2 * depth * std::min(R_i, R_j));
    const Errors e =
        find_errors(random, s, o, ellipsoid_column(Vec3d::Constant(R_i), s.i.X_WB, o.n_W),
                    ellipsoid_column(Vec3d::Constant(R_j), s.j.X_WB, o.n_W), reach);
    worst = {std::max(worst.force, e.force), std::max(worst.roll, e.roll),
             std::max(worst.spin, e.spin)};
  }
  RecordProperty("worst", fmt::format("{:.4f} {:.4f} {:.4f}", worst.force, worst.roll, worst.spin));
  EXPECT_LT(worst.force, 0.004);  // 0.0002
  EXPECT_LT(worst.roll, 0.005);   // 0.0003
  EXPECT_LT(worst.spin, 0.006);   // 0.0004
}

// --- Smoothness

using Wrench6 = Eigen::Matrix<double, 6, 1>;
using Jacobian = Eigen::Matrix<double, 6, 12>;

Wrench6 calc_wrench(const Scenario& s, const Motion<double>& i) {
  const auto f = calc_contact(s.contact, i, s.j, ContactMemory<double>{});
  Wrench6 F;
  F << f.F_Ic_W.f_W, f.F_Ic_W.tau_W;
  return F;
}
Jacobian calc_jacobian(const Scenario& s) {
  const auto f = calc_contact(s.contact, seed_motion(s.i), s.j, ContactMemory<Dual<12>>{});
  Jacobian J;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 12; ++c) {
      J(r, c) = f.F_Ic_W.f_W[r].v[c];
      J(3 + r, c) = f.F_Ic_W.tau_W[r].v[c];
    }
  }
  return J;
}
Motion<double> moved(Motion<double> m, int direction, double step) {
  const Vec3d e = step * Vec3d::Unit(direction % 3);
  if (direction < 3) m.X_WB.p_WB += e;
  if (direction >= 3 && direction < 6) {
    m.X_WB.R_WB = as_rotation(quaternion_from_rotation_vector(e)) * m.X_WB.R_WB;
  }
  if (direction >= 6 && direction < 9) m.V_WB.v_WB += e;
  if (direction >= 9) m.V_WB.w_WB += e;
  return m;
}

// The factor at which the edge of the patch begins to lift; the motion is left there.
double find_switch(const Overlap<double>& o, Scenario* s) {
  const Vec3d v = s->i.V_WB.v_WB;
  double low = 0, high = 6;  // of the factor
  for (int k = 0; k < 60; ++k) {
    const double factor = 0.5 * (low + high);
    s->i.V_WB.v_WB = v - o.n_W * (factor / kAlpha);
    const auto f = calc_contact(s->contact, s->i, s->j, ContactMemory<double>{});
    (f.edge_factor < 0 ? low : high) = factor;
  }
  s->i.V_WB.v_WB = v - o.n_W * (high / kAlpha);
  return high;
}

TEST(LiftedPatch, DerivativesMatchDifferencesAtTheSwitchToo) {
  std::mt19937_64 random(73);
  double worst = 0;
  for (int k = 0; k < 20; ++k) {
    const Scenario cap =
        make_cap(random, random_radii(random, 4), random_log_between(random, 0.02, 0.6));
    const auto o = calc_overlap(cap.contact, cap.i.X_WB, cap.j.X_WB);
    Scenario s = cap;
    set_rolling(random, 0, o, &s);
    Scenario edge = s;
    const double at_edge = find_switch(o, &edge);
    // Far from lifting, where the third moment comes in (32 sigma^2) and on it, all pressed, both
    // sides of the switch and on it, to lift-off.
    for (const double factor : {4.0, std::sqrt(32.0 / 6), at_edge + 0.5, at_edge + 3e-6, at_edge,
                                at_edge - 3e-6, 0.5, 0.0, -0.4, -0.9}) {
      Scenario now = s;
      now.i.V_WB.v_WB -= o.n_W * (factor / kAlpha);
      const Jacobian exact = calc_jacobian(now);
      Jacobian difference;
      for (int c = 0; c < 12; ++c) {
        const double h = c < 3 ? 1e-7 : c < 6 ? 2e-6 : c < 9 ? 1e-5 : 1e-4;
        auto at = [&](double step) { return calc_wrench(now, moved(now.i, c, step)); };
        difference.col(c) = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      }
      for (int r : {0, 3}) {
        for (int c : {0, 3, 6, 9}) {
          const auto e = exact.block<3, 3>(r, c);
          worst = std::max(worst, (e - difference.block<3, 3>(r, c)).norm() / e.norm());
        }
      }
    }
  }
  RecordProperty("worst", fmt::format("{:.2e}", worst));
  EXPECT_LT(worst, 1e-6);  // 5e-9
}

// Value and slope on both sides of the switch, and where the last of the patch lifts.
TEST(LiftedPatch, JoinsWithEqualSlopes) {
  std::mt19937_64 random(74);
  for (int k = 0; k < 50; ++k) {
    Scenario s = make_cap(random, random_radii(random, 4), random_log_between(random, 1e-4, 1));
    const auto o = calc_overlap(s.contact, s.i.X_WB, s.j.X_WB);
    set_rolling(random, 0, o, &s);
    find_switch(o, &s);
    Scenario before = s, after = s;
    before.i.V_WB.v_WB -= o.n_W * (1e-9 / kAlpha);
    after.i.V_WB.v_WB += o.n_W * (1e-9 / kAlpha);
    const auto f = calc_contact(before.contact, before.i, before.j, ContactMemory<double>{});
    const auto g = calc_contact(after.contact, after.i, after.j, ContactMemory<double>{});
    EXPECT_GT(f.edge_factor, 0);
    EXPECT_LT(g.edge_factor, 0);
    const Wrench6 a = calc_wrench(before, before.i), b = calc_wrench(after, after.i);
    EXPECT_LT((a - b).head<3>().norm(), 1e-8 * a.head<3>().norm());
    EXPECT_LT((a - b).tail<3>().norm(), 1e-8 * (a.tail<3>().norm() + 0.01 * a.head<3>().norm()));
    const Jacobian p = calc_jacobian(before), q = calc_jacobian(after);
    for (int c = 0; c < 12; ++c) {
      EXPECT_LT((p - q).col(c).norm(), 1e-6 * p.col(c).norm()) << "direction " << c;
    }
  }
}

// --- Energy

double calc_gain(const Scenario& s, double relaxed) {
  const auto o = calc_overlap(s.contact, s.i.X_WB, s.j.X_WB);
  const double* no_states = nullptr;
  double* no_rates = nullptr;
  const auto f =
      calc_contact_forces(o, s.i, s.j, std::get<VolumetricNormal<double>>(s.contact.normal),
                          std::get<BrownMcPhee<double>>(s.contact.friction), s.contact.options,
                          ContactMemory<double>{}, no_states, no_rates, relaxed * o.volume);
  EXPECT_GE(f.normal.force, 0);
  const auto motion = calc_kinematics(s.i, s.j, o, Measure::kVolume);
  const Vec3d v = motion.v_t - o.n_W * motion.closing_speed;
  const double power = f.F_Ic_W.f_W.dot(v) + f.F_Ic_W.tau_W.dot(motion.w);
  const double stored = f.normal.elastic * motion.closing_speed;
  const double scale =
      f.F_Ic_W.f_W.norm() * v.norm() + f.F_Ic_W.tau_W.norm() * motion.w.norm() + std::abs(stored);
  return scale > 0 ? (power + stored) / scale : 0;
}

TEST(LiftedPatch, NeverGivesEnergy) {
  std::mt19937_64 random(75);
  double most = -1;
  for (int k = 0; k < 5000; ++k) {
    Scenario s = make_cap(random, random_radii(random, 20), random_log_between(random, 1e-6, 2.2));
    if (k % 3 == 0) {
      s.contact.pair.shapes = SphereOnSphere<double>{{0.04}, {0.03}};
      s.j.X_WB.p_WB = s.i.X_WB.p_WB + random_vector(random, 1).normalized() *
                                          (0.07 - random_log_between(random, 1e-7, 0.06));
    }
    const auto o = calc_overlap(s.contact, s.i.X_WB, s.j.X_WB);
    set_rolling(random, random_between(random, -1.5, 1.5), o, &s);
    most = std::max(most, calc_gain(s, k % 2 == 0 ? 0 : random_between(random, 0, 1.1)));
  }
  EXPECT_LE(most, 1e-12);  // 2e-16
}

// --- What stays as published

TEST(LiftedPatch, PresetsOfTheSourcesPullAsPublished) {
  std::mt19937_64 random(76);
  for (int k = 0; k < 20; ++k) {
    Scenario s = make_cap(random, random_radii(random, 3), 0.1);
    EXPECT_EQ(where_it_would_pull(s.contact, s.contact), WhereItWouldPull::kLifts);
    const auto o = calc_overlap(s.contact, s.i.X_WB, s.j.X_WB);
    set_rolling(random, 0.5, o, &s);
    s.contact.options = {RollingTensor::kVolume, ApplyAt::kCentroid, Coupling::kNone};
    const auto f = calc_contact(s.contact, s.i, s.j, ContactMemory<double>{});
    EXPECT_NEAR(f.edge_factor, -0.5, 1e-12);
    EXPECT_NEAR(f.normal.force / (kStiffness * o.volume * 0.5), 1, 1e-12);
    EXPECT_EQ(where_it_would_pull(s.contact, s.contact), WhereItWouldPull::kPulls);
    const Vec3d w = s.i.V_WB.w_WB - s.j.V_WB.w_WB, w_t = w - o.n_W * o.n_W.dot(w);
    const Vec3d J_w = w_t * o.M_W.trace() - o.M_W * w_t;
    EXPECT_LT((f.tau_roll + kStiffness * kAlpha * J_w).norm(), 1e-12 * f.tau_roll.norm());
  }
}

}  // namespace
}  // namespace vesica::lifted_patch_test
