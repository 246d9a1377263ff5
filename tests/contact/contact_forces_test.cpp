// The wrench against the foundation integrated point by point, and the invariants that any contact
// keeps: passivity, frame invariance, action and reaction, regularity at rest.
#include "vesica/contact/contact_forces.h"

#include <ceres/jet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "vesica/contact/contact.h"
#include "vesica/contact/pressure_map.h"
#include "vesica/math/jet.h"

namespace vesica::contact_forces_test {
namespace {

// Friction linear in the slip: the law for which the closed forms are exact.
struct LinearFriction {
  double mu;
  template <class T>
  T ratio(const T&) const {
    return T(mu);
  }
};

Motion<double> random_motion(std::mt19937_64& random, double speed, double spin) {
  Motion<double> m;
  m.X_WB = {test::random_rotation(random), test::random_vector(random, 0.1)};
  m.V_WB = {test::random_vector(random, spin), test::random_vector(random, speed)};
  return m;
}

const VolumetricNormal<double> kNormal{2e7, 0.6};
const BrownMcPhee<double> kFriction{.mu_s = 0.9, .mu_d = 0.7, .v_t = 0.02};

// An ellipsoid `depth` into a half-space.
struct Scenario {
  Contact<double> contact;
  Motion<double> i, j;
};
Scenario random_setup(std::mt19937_64& random, double aspect, double relative_depth, double speed,
                      double spin) {
  Scenario s;
  const Vec3d radii(0.05, 0.05 * test::random_log_between(random, 1 / aspect, 1),
                    0.05 * test::random_log_between(random, 1 / aspect, 1));
  s.i = random_motion(random, speed, spin);
  s.j = random_motion(random, speed, spin);
  const Vec3d n = s.j.X_WB.R_WB.col(2);
  const double w = radii.cwiseProduct(s.i.X_WB.R_WB.transpose() * n).norm();
  s.i.X_WB.p_WB += n * (w * (1 - relative_depth) - n.dot(s.i.X_WB.p_WB - s.j.X_WB.p_WB));
  s.contact.pair.shapes = EllipsoidOnHalfSpace<double>{{radii}};
  s.contact.normal = kNormal;
  s.contact.friction = kFriction;
  return s;
}

TEST(ContactForces, LinearFoundationMatchesTheIntegralOverThePatch) {
  std::mt19937_64 random(31);
  for (int k = 0; k < 20; ++k) {
    // A sphere: its patch is symmetric, so that no third moment enters.
    const double radius = 0.04;
    const double depth = test::random_log_between(random, 0.02, 0.9) * radius;
    Motion<double> i = random_motion(random, 0.2, 2), j = random_motion(random, 0.2, 2);
    const Vec3d n = j.X_WB.R_WB.col(2);
    i.X_WB.p_WB += n * (radius - depth - n.dot(i.X_WB.p_WB - j.X_WB.p_WB));
    const double alpha = 0.3;
    const VolumetricNormal<double> normal{2e7, alpha};
    const LinearFriction friction{0.4};
    const auto o = calc_overlap(Sphere<double>{radius}, i.X_WB, HalfSpace{}, j.X_WB);
    const auto forces = calc_contact_forces(o, i, j, normal, friction, {}, ContactMemory<double>{});
    if (forces.edge_factor < 0.05) continue;  // there the closed form pulls, a foundation does not

    // Polar quadrature over the disc: depth and relative velocity point by point. Radial nodes are
    // midpoints in the area, 400 of them: error of a smooth integrand 1e-5.
    const double rim = std::sqrt(depth * (2 * radius - depth));
    const Vec3d center = i.X_WB.p_WB - n * n.dot(i.X_WB.p_WB - j.X_WB.p_WB);
    Vec3d force = Vec3d::Zero(), moment = Vec3d::Zero(), pressure_moment = Vec3d::Zero();
    double normal_force = 0;
    const int rings = 400, spokes = 24;
    const Vec3d u = j.X_WB.R_WB.col(0), v = j.X_WB.R_WB.col(1);
    for (int a = 0; a < rings; ++a) {
      const double rho = rim * std::sqrt((a + 0.5) / rings);
      for (int b = 0; b < spokes; ++b) {
        const double phi = 2 * kPi * b / spokes;
        const Vec3d s = center + rho * (std::cos(phi) * u + std::sin(phi) * v);
        const double f = std::sqrt(radius * radius - rho * rho) - (radius - depth);
        const Vec3d velocity = i.V_WB.v_WB + i.V_WB.w_WB.cross(s - i.X_WB.p_WB) - j.V_WB.v_WB -
                               j.V_WB.w_WB.cross(s - j.X_WB.p_WB);
        const double v_n = n.dot(velocity);
        const double area = kPi * rim * rim / (rings * spokes);
        const double p = normal.stiffness * f * (1 - alpha * v_n) * area;
        const Vec3d df = n * p - friction.mu * p * (velocity - n * v_n);
        force += df;
        moment += (s - o.p_WC).cross(df);
        normal_force += p;
        pressure_moment += p * s;
      }
    }
    EXPECT_LT((forces.F_Ic_W.f_W - force).norm(), 1e-5 * force.norm());
    EXPECT_LT((forces.F_Ic_W.tau_W - moment).norm(), 1e-5 * rim * force.norm());
    EXPECT_LT((forces.p_WP - pressure_moment / normal_force).norm(), 1e-5 * rim);
    EXPECT_NEAR(forces.normal.force / normal_force, 1, 1e-5);
  }
}

TEST(ContactForces, NeverCreateEnergy) {
  std::mt19937_64 random(32);
  for (int k = 0; k < 20000; ++k) {
    const auto s = random_setup(random, 20, test::random_log_between(random, 1e-6, 2.5),
                                test::random_log_between(random, 1e-6, 20),
                                test::random_log_between(random, 1e-6, 500));
    const auto o = calc_overlap(s.contact, s.i.X_WB, s.j.X_WB);
    const auto f = calc_contact(s.contact, s.i, s.j, ContactMemory<double>{});
    const auto motion = calc_kinematics<double>(s.i, s.j, o.p_WC, o.n_W);
    const Vec3d v = motion.v_t - o.n_W * motion.closing_speed;
    const double power = f.F_Ic_W.f_W.dot(v) + f.F_Ic_W.tau_W.dot(motion.w);
    const double stored = f.normal.elastic * motion.closing_speed;  // rate of the elastic energy
    const double scale =
        f.F_Ic_W.f_W.norm() * v.norm() + f.F_Ic_W.tau_W.norm() * motion.w.norm() + std::abs(stored);
    EXPECT_LE(power + stored, 1e-12 * scale);
    EXPECT_GE(f.normal.force, 0);
    EXPECT_TRUE(f.F_Ic_W.f_W.allFinite() && f.F_Ic_W.tau_W.allFinite());
  }
}

TEST(ContactForces, DoNotDependOnTheFrame) {
  std::mt19937_64 random(33);
  for (int k = 0; k < 200; ++k) {
    auto s = random_setup(random, 5, test::random_log_between(random, 1e-2, 1.5), 0.5, 5);
    const auto f = calc_contact(s.contact, s.i, s.j, ContactMemory<double>{});
    const Mat3d R = test::random_rotation(random);
    const Vec3d shift = test::random_vector(random, 1);
    // A common rigid motion on top: a turn, a shift, a velocity and a spin of the whole scene.
    const Vec3d v0 = test::random_vector(random, 1), w0 = test::random_vector(random, 1);
    for (Motion<double>* m : {&s.i, &s.j}) {
      m->X_WB = {R * m->X_WB.R_WB, R * m->X_WB.p_WB + shift};
      m->V_WB = {R * m->V_WB.w_WB + w0, R * m->V_WB.v_WB + v0 + w0.cross(m->X_WB.p_WB)};
    }
    const auto g = calc_contact(s.contact, s.i, s.j, ContactMemory<double>{});
    EXPECT_LE((R * f.F_Ic_W.f_W - g.F_Ic_W.f_W).norm(), 1e-10 * g.F_Ic_W.f_W.norm());
    EXPECT_LE((R * f.F_Ic_W.tau_W - g.F_Ic_W.tau_W).norm(),
              1e-10 * (g.F_Ic_W.tau_W.norm() + 0.01 * g.F_Ic_W.f_W.norm()));
  }
}

TEST(ContactForces, SwappingTheBodiesReversesTheWrench) {
  std::mt19937_64 random(34);
  for (int k = 0; k < 100; ++k) {
    auto s = random_setup(random, 5, 0.3, 0.5, 5);
    const auto f = calc_contact(s.contact, s.i, s.j, ContactMemory<double>{});
    s.contact.pair.turned = true;
    const auto g = calc_contact(s.contact, s.j, s.i, ContactMemory<double>{});
    EXPECT_LE((f.F_Ic_W.f_W + g.F_Ic_W.f_W).norm(), 1e-12 * f.F_Ic_W.f_W.norm());
    EXPECT_LT((f.F_Ic_W.tau_W + g.F_Ic_W.tau_W).norm(), 1e-12 * f.F_Ic_W.tau_W.norm() + 1e-13);
    EXPECT_LT((f.p_WP - g.p_WP).norm(), 1e-12);
  }
}

TEST(ContactForces, AreZeroApartAndRegularAtRest) {
  std::mt19937_64 random(35);
  auto s = random_setup(random, 5, -0.01, 1, 1);
  const auto apart = calc_contact(s.contact, s.i, s.j, ContactMemory<double>{});
  EXPECT_EQ(apart.F_Ic_W.f_W.norm(), 0);
  EXPECT_EQ(apart.F_Ic_W.tau_W.norm(), 0);
  s = random_setup(random, 5, 0.2, 0, 0);
  const ContactMemory<Dual<12>> memory{};
  const auto rest = calc_contact(s.contact, seed_motion(s.i), s.j, memory);
  for (int k = 0; k < 3; ++k) {
    EXPECT_TRUE(isfinite(rest.F_Ic_W.f_W[k]));
    EXPECT_TRUE(isfinite(rest.F_Ic_W.tau_W[k]));
  }
}

Motion<ceres::Jet<double, 12>> as_jets(const Motion<Dual<12>>& m) {
  using Jet = ceres::Jet<double, 12>;
  Motion<Jet> result;
  auto copy = [](const auto& from, auto* to) {
    for (Eigen::Index e = 0; e < from.size(); ++e) {
      (*to)(e).a = from(e).a;
      for (int d = 0; d < 12; ++d) (*to)(e).v[d] = from(e).v[d];
    }
  };
  copy(m.X_WB.R_WB, &result.X_WB.R_WB);
  copy(m.X_WB.p_WB, &result.X_WB.p_WB);
  copy(m.V_WB.w_WB, &result.V_WB.w_WB);
  copy(m.V_WB.v_WB, &result.V_WB.v_WB);
  return result;
}

using Jacobian = Eigen::Matrix<double, 6, 12>;
template <class Forces>
Jacobian as_jacobian(const Forces& f) {
  Jacobian J;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 12; ++c) {
      J(r, c) = f.F_Ic_W.f_W[r].v[c];
      J(3 + r, c) = f.F_Ic_W.tau_W[r].v[c];
    }
  }
  return J;
}

// Fourth-order central differences; the step in depth shrinks toward touchdown, where the wrench
// has a kink in its second derivative, and toward full immersion, likewise.
Jacobian difference_jacobian(const Scenario& s, double distance_to_kink) {
  auto wrench = [&](int direction, double step) {
    Motion<double> m = s.i;
    const Vec3d e = step * Vec3d::Unit(direction % 3);
    if (direction < 3) m.X_WB.p_WB += e;
    if (direction >= 3 && direction < 6) {
      m.X_WB.R_WB = as_rotation(quaternion_from_rotation_vector(e)) * m.X_WB.R_WB;
    }
    if (direction >= 6 && direction < 9) m.V_WB.v_WB += e;
    if (direction >= 9) m.V_WB.w_WB += e;
    const auto f = calc_contact(s.contact, m, s.j, ContactMemory<double>{});
    Eigen::Matrix<double, 6, 1> column;
    column << f.F_Ic_W.f_W, f.F_Ic_W.tau_W;
    return column;
  };
  Jacobian J;
  const double length = std::min(1e-6, 0.2 * distance_to_kink);
  for (int c = 0; c < 12; ++c) {
    const double h = c < 3 ? length : c < 6 ? length / 0.05 : c < 9 ? 1e-4 : 3e-3;
    J.col(c) =
        (8 * (wrench(c, h) - wrench(c, -h)) - (wrench(c, 2 * h) - wrench(c, -2 * h))) / (12 * h);
  }
  return J;
}

TEST(ContactForces, DerivativesMatchDifferencesThroughTouchdownAndImmersion) {
  std::mt19937_64 random(36);
  using Jet = ceres::Jet<double, 12>;
  double worst = 0, worst_jet = 0;
  for (int sweep = 0; sweep < 6; ++sweep) {
    Scenario s = random_setup(random, 4, 0, 0.1, 1);
    const Vec3d n = s.j.X_WB.R_WB.col(2);
    const Vec3d touching = s.i.X_WB.p_WB;
    const auto& pair = std::get<EllipsoidOnHalfSpace<double>>(s.contact.pair.shapes);
    const double w = pair.i.radii.cwiseProduct(s.i.X_WB.R_WB.transpose() * n).norm();
    std::vector<Jacobian> exact, difference, jets;
    std::vector<double> depths;
    for (double d = 1e-6; d < 0.1; d *= 2) depths.insert(depths.end(), {d, -d, 2 - d, 2 + d});
    for (double d = 0.1; d < 1.9; d += 0.05) depths.push_back(d);
    for (const double depth : depths) {
      s.i.X_WB.p_WB = touching - n * w * depth;
      const auto seeded = seed_motion(s.i);
      exact.push_back(as_jacobian(calc_contact(s.contact, seeded, s.j, ContactMemory<Dual<12>>{})));
      // Composed at compile time: this pair and these laws alone are compiled for Ceres' Jet.
      const auto i = as_jets(seeded), j = as_jets(cast_motion<Dual<12>>(s.j));
      jets.push_back(as_jacobian(
          calc_contact_forces(calc_overlap(pair.i, i.X_WB, HalfSpace{}, j.X_WB), i, j, kNormal,
                              kFriction, s.contact.options, ContactMemory<Jet>{})));
      difference.push_back(
          difference_jacobian(s, w * std::min(std::abs(depth), std::abs(2 - depth))));
    }
    // Force and moment rows, pose and velocity columns differ in unit: each block against its
    // largest entry of the sweep.
    for (int r : {0, 3}) {
      for (int c : {0, 3, 6, 9}) {
        double scale = 0, error = 0, jet_error = 0;
        for (size_t k = 0; k < depths.size(); ++k) {
          const auto e = exact[k].block<3, 3>(r, c);
          scale = std::max(scale, e.cwiseAbs().maxCoeff());
          error = std::max(error, (e - difference[k].block<3, 3>(r, c)).cwiseAbs().maxCoeff());
          jet_error = std::max(jet_error, (e - jets[k].block<3, 3>(r, c)).cwiseAbs().maxCoeff());
        }
        worst = std::max(worst, error / scale);
        worst_jet = std::max(worst_jet, jet_error / scale);
      }
    }
  }
  RecordProperty("worst", fmt::format("{:.2e}", worst));
  EXPECT_LT(worst, 1e-6);
  EXPECT_LT(worst_jet, 1e-12);
}

TEST(ContactForces, SourceTensorsAreThoseOfTheThesis) {
  std::mt19937_64 random(37);
  auto s = random_setup(random, 1.0001, 0.3, 0.0, 1);
  s.contact.friction = NoFriction<double>{};
  const auto o = calc_overlap(s.contact, s.i.X_WB, s.j.X_WB);
  const Vec3d w = s.i.V_WB.w_WB - s.j.V_WB.w_WB;
  const Vec3d w_t = w - o.n_W * o.n_W.dot(w);
  const Mat3d M = o.M_W.matrix();
  const Mat3d T = Mat3d::Identity() - o.n_W * o.n_W.transpose();
  const Mat3d M_t = T * M * T;
  const Mat3d J_t = M_t.trace() * Mat3d::Identity() - M_t;
  const Mat3d J_v = M.trace() * Mat3d::Identity() - M;
  const Mat3d J_s = J_t + o.plane_offset * o.plane_offset * o.volume * T;
  const double k_alpha = 2e7 * 0.6;
  const std::pair<RollingTensor, Mat3d> cases[] = {{RollingTensor::kFlattened, J_t},
                                                   {RollingTensor::kVolume, J_v},
                                                   {RollingTensor::kSurface, J_s}};
  for (const auto& [tensor, J] : cases) {
    s.contact.options.rolling_tensor = tensor;
    const auto f = calc_contact(s.contact, s.i, s.j, ContactMemory<double>{});
    const Vec3d expected = -k_alpha * J * w_t;
    EXPECT_LT((f.tau_roll - expected).norm(), 1e-10 * expected.norm());
  }
  // What PHYSICS says of a sphere at 0.3 of its radius: J_s 12 %, J_v 6 % above J_t.
  const Vec3d e = w_t.normalized();
  EXPECT_NEAR(e.dot(J_s * e) / e.dot(J_t * e), 1.12, 0.005);
  EXPECT_NEAR(e.dot(J_v * e) / e.dot(J_t * e), 1.06, 0.005);
}

TEST(ContactForces, BrownMcPheePeaksAtTheStaticCoefficient) {
  const BrownMcPhee<double> law{.mu_s = 0.9, .mu_d = 0.7, .v_t = 0.02};
  auto mu = [&](double v) { return law.mu(v); };
  EXPECT_NEAR(mu(0.02), 0.9 - 0.7 * (1 - std::tanh(4.0)), 1e-12);  // tanh(4) = 0.9993
  EXPECT_NEAR(mu(10), 0.7, 1e-3);
  double peak = 0;
  for (double v = 1e-4; v < 0.2; v += 1e-4) peak = std::max(peak, mu(v));
  EXPECT_NEAR(peak, 0.9, 1e-3);
  // Viscous part, saturated in the load.
  const BrownMcPhee<double> viscous{
      .mu_s = 0.9, .mu_d = 0.7, .v_t = 0.02, .mu_v = 5.0, .f_nt = 10.0};
  EXPECT_NEAR(calc_drag(viscous, 100.0, 1.0) - calc_drag(law, 100.0, 1.0), 5 * std::tanh(40.0),
              1e-12);
}

TEST(PressureMap, SumsToTheNormalForceAndItsCentre) {
  std::mt19937_64 random(38);
  for (int k = 0; k < 20; ++k) {
    const auto s = random_setup(random, 3, test::random_log_between(random, 0.05, 0.6), 0.2, 1);
    const auto f = calc_contact(s.contact, s.i, s.j, ContactMemory<double>{});
    const auto map = calc_pressure_map(s.contact, s.i, s.j, ContactMemory<double>{}, 240);
    if (map.pulled_area > 0) continue;
    EXPECT_NEAR(map.total_force / f.normal.force, 1, 2e-3);
    Vec3d center = Vec3d::Zero();
    for (int v = 0; v < map.grid.nv; ++v) {
      for (int u = 0; u < map.grid.nu; ++u) {
        center += map.pressure[static_cast<size_t>(v) * map.grid.nu + u] * map.grid.cell_area() *
                  map.grid.point(u, v);
      }
    }
    EXPECT_LT((center / map.total_force - f.p_WP).norm(), 5e-5);
  }
}

}  // namespace
}  // namespace vesica::contact_forces_test
