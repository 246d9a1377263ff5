// Every law that a file can name, alone and composed: what all of them must keep, and the figures
// that single laws are known for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/contact_case.h"
#include "tests/support/support.h"

namespace vesica::laws_test {
namespace {

const std::vector<std::string> kNormalLaws = {
    "{law: volumetric, stiffness: 2e7, damping: 0.4}",
    "{law: volumetric, stiffness: [3e7, 6e7], restitution: 0.5, v_small: 0.01}",
    "{law: volume_power, stiffness: 1e5, exponent: 0.8, damping: 5e6}",
    "{law: hunt_crossley, stiffness: 1e7, exponent: 2, damping: 0.4}",
    "{law: hunt_crossley, stiffness: 1e6, restitution_slope: 0.2, v_small: 0.01}",
    "{law: lankarani_nikravesh, stiffness: 1e6, restitution: 0.8, v_small: 0.01}",
    "{law: hertz, material_i: {young_modulus: 10 MPa, poisson_ratio: 0.3}, material_j: "
    "{young_modulus: 1 GPa, poisson_ratio: 0.3}, radius: 40 mm, damping: 0.3}",
    "{law: kelvin_voigt, stiffness: 1e5, damping: 30}",
    "{law: adhesion, stiffness: 1e6, work_of_adhesion: 0.4, radius: 40 mm, range: 0.2 mm, "
    "damping: 0.4}",
    "{law: hyper_volumetric, stiffness: 1e6, exponent: 0.8, damping: 0.3}",
    "{law: foundation, curve: logarithmic, modulus: 2 MPa, thickness: 30 mm, damping: 0.3}",
    "{law: foundation, curve: table, depth: [0, 2 mm, 20 mm], pressure: [0, 40 kPa, 900 kPa]}",
    "{law: foundation, curve: formula, pressure: 2e7*d + 1e9*d^2, damping: 0.2}",
};
const std::vector<std::string> kVelocityLaws = {
    "{law: none}",
    "{law: coulomb_arctan, mu_f: 0.5, v_s: 0.02}",
    "{law: andersson, mu_s: 0.8, mu_d: 0.6, v_s: 0.02, exponent: 1, k_tanh: 200, mu_v: 2}",
    "{law: hollars, mu_s: 0.8, mu_d: 0.6, v_t: 0.02, k_v: 0.1}",
    "{law: specker, mu_s: 0.8, mu_d: 0.6, v_t: 0.02, mu_v: 2}",
    "{law: brown_mcphee, mu_s: 0.8, mu_d: 0.6, v_t: 0.02, mu_v: 2, f_nt: 20}",
    "{law: brown_mcphee, mu_s: 0.8, mu_d: 0.6, v_t: 0.02, transition_spin: 1}",
};
const std::vector<std::string> kBristles = {
    "{law: bristle, mu_S: 0.8, mu_C: 0.6, sigma_0: 1e4, sigma_1: 40, sigma_2: 0.1, v_S: 0.01, "
    "tau_dw: 0.5}",
    "{law: bristle, mu_C: 0.6, sigma_0: 1e5, sigma_1: 300, v_S: 0.01, dwell: false, "
    "load_proportional: false}",
    "{law: volumetric_bristle, mu_S: 0.8, mu_C: 0.6, sigma_0: 1e4, sigma_1: 40, sigma_2: 0.1, v_S: "
    "0.01, tau_dw: 0.5}",
    "{law: volumetric_bristle, mu_C: 0.6, sigma_0: 1e4, sigma_1: 40, v_S: 0.01, dwell: false, "
    "spin_scale: 0.65}",
};
const char* const kPatchLaw =
    "{law: patch, of: {law: brown_mcphee, mu_s: 0.8, mu_d: 0.6, v_t: 0.02}}";

Contact<double> make_contact(const std::string& normal, const std::string& friction,
                             const std::string& shape_i = "{type: sphere, radius: 40 mm}",
                             const std::string& shape_j = "{type: half_space}",
                             const std::string& rest = "") {
  return test::read_contact_case(
      fmt::format("i: {}\nj: {}\ncontact: {{normal: {}, friction: {}{}}}\n", shape_i, shape_j,
                  normal, friction, rest),
      "law.yaml");
}

bool is_field(const std::string& law) {
  return law.find("hyper") != std::string::npos || law.find("foundation") != std::string::npos;
}

// Every composition that a file may ask for.
std::vector<Contact<double>> all_contacts(bool bristles) {
  std::vector<Contact<double>> contacts;
  for (const auto& normal : kNormalLaws) {
    std::vector<std::string> frictions = kVelocityLaws;
    if (bristles) frictions.insert(frictions.end(), kBristles.begin(), kBristles.end());
    for (const auto& friction : frictions) contacts.push_back(make_contact(normal, friction));
    if (is_field(normal) || normal.find("{law: volumetric,") == 0) {
      contacts.push_back(make_contact(normal, kPatchLaw));
    }
  }
  return contacts;
}

struct Motions {
  Motion<double> i, j;
};
Motions random_motions(std::mt19937_64& random, double depth, double speed, double spin) {
  Motions m;
  for (Motion<double>* body : {&m.i, &m.j}) {
    body->X_WB = {test::random_rotation(random), test::random_vector(random, 0.1)};
    body->V_WB = {test::random_vector(random, spin), test::random_vector(random, speed)};
  }
  const Vec3d n = m.j.X_WB.R_WB.col(2);
  m.i.X_WB.p_WB += n * (0.04 - depth - n.dot(m.i.X_WB.p_WB - m.j.X_WB.p_WB));
  return m;
}

using States = std::array<double, kMaxFrictionStates + 1>;
States random_states(std::mt19937_64& random, const Vec3d& n) {
  const Vec3d any = test::random_vector(random, 5e-5), z = any - n * n.dot(any);
  return {z.x(),
          z.y(),
          z.z(),
          test::random_between(random, 0, 1),
          test::random_between(random, -5e-5, 5e-5),
          0};
}

// Two memories: a contact's own, where its law asks for an impact speed.
const ContactMemory<double> kMemory{0.3};

TEST(Laws, DoNothingApartAndNeverPull) {
  std::mt19937_64 random(401);
  for (const auto& contact : all_contacts(true)) {
    auto m = random_motions(random, -1e-6, 1, 5);
    States states{}, rates;
    rates.fill(1);
    const auto apart = calc_contact(contact, m.i, m.j, kMemory, states.data(), rates.data());
    EXPECT_EQ(apart.F_Ic_W.f_W.norm() + apart.F_Ic_W.tau_W.norm(), 0);
    for (int k = 0; k < contact.state_count(); ++k) EXPECT_EQ(rates[static_cast<size_t>(k)], 0);
    for (int k = 0; k < 30; ++k) {
      m = random_motions(random, test::random_log_between(random, 1e-6, 0.02), 3, 50);
      const auto normal = calc_contact(contact, m.i, m.j, kMemory).normal;
      EXPECT_GE(normal.force + normal.pull, -1e-15);  // adhesion apart; rounding of its sum
    }
  }
}

TEST(Laws, DoNotDependOnTheFrameOrTheOrderOfTheBodies) {
  std::mt19937_64 random(402);
  for (const auto& contact : all_contacts(true)) {
    auto m = random_motions(random, 3e-3, 0.1, 2);
    const Vec3d n = m.j.X_WB.R_WB.col(2);
    const States states = random_states(random, n);
    States rates{}, rates_there{}, rates_turned{};
    const auto f = calc_contact(contact, m.i, m.j, kMemory, states.data(), rates.data());

    const Mat3d R = test::random_rotation(random);
    const Vec3d shift = test::random_vector(random, 1), v0 = test::random_vector(random, 1);
    auto there = m;
    for (Motion<double>* b : {&there.i, &there.j}) {
      b->X_WB = {R * b->X_WB.R_WB, R * b->X_WB.p_WB + shift};
      b->V_WB = {R * b->V_WB.w_WB, R * b->V_WB.v_WB + v0};
    }
    States states_there = states;
    Eigen::Map<Vec3d>(states_there.data()) = R * Eigen::Map<const Vec3d>(states.data());
    const auto g =
        calc_contact(contact, there.i, there.j, kMemory, states_there.data(), rates_there.data());
    const double force = f.F_Ic_W.f_W.norm();
    EXPECT_LE((R * f.F_Ic_W.f_W - g.F_Ic_W.f_W).norm(), 1e-9 * force);
    EXPECT_LE((R * f.F_Ic_W.tau_W - g.F_Ic_W.tau_W).norm(), 1e-9 * force * 0.01);

    // The same contact written the other way round: opposite wrench; bristles bend the other way.
    auto turned = contact;
    turned.pair.turned = !turned.pair.turned;
    States opposite = states;
    for (size_t k : {0, 1, 2}) opposite[k] = -states[k];
    const auto h = calc_contact(turned, m.j, m.i, kMemory, opposite.data(), rates_turned.data());
    EXPECT_LE((f.F_Ic_W.f_W + h.F_Ic_W.f_W).norm(), 1e-9 * force);
    EXPECT_LE((f.F_Ic_W.tau_W + h.F_Ic_W.tau_W).norm(), 1e-9 * force * 0.01);
    if (contact.friction_states() > 0) {
      const Vec3d rate = Eigen::Map<Vec3d>(rates.data());
      EXPECT_LE((R * rate - Vec3d(Eigen::Map<Vec3d>(rates_there.data()))).norm(),
                1e-9 * rate.norm());
      EXPECT_LE((rate + Vec3d(Eigen::Map<Vec3d>(rates_turned.data()))).norm(), 1e-9 * rate.norm());
    }
  }
}

TEST(Laws, OfTheVelocityNeverCreateEnergy) {
  std::mt19937_64 random(403);
  for (const auto& contact : all_contacts(false)) {
    for (int k = 0; k < 60; ++k) {
      const auto m = random_motions(random, test::random_log_between(random, 1e-5, 0.02),
                                    test::random_log_between(random, 1e-6, 10),
                                    test::random_log_between(random, 1e-6, 200));
      const auto o = calc_overlap(contact, m.i.X_WB, m.j.X_WB);
      const auto f = calc_contact(contact, m.i, m.j, kMemory);
      const auto motion = calc_kinematics<double>(m.i, m.j, o.p_WC, o.n_W);
      const Vec3d v = motion.v_t - o.n_W * motion.closing_speed;
      const double power = f.F_Ic_W.f_W.dot(v) + f.F_Ic_W.tau_W.dot(motion.w);
      const double stored = f.normal.elastic * motion.closing_speed;
      const double scale = f.F_Ic_W.f_W.norm() * v.norm() +
                           f.F_Ic_W.tau_W.norm() * motion.w.norm() + std::abs(stored);
      // The integrals settle to 1e-6 of the force.
      EXPECT_LE(power + stored, (contact.needs_patch() ? 1e-5 : 1e-12) * scale);
      EXPECT_LE(f.friction.f_t.dot(f.slip), 1e-12 * scale);
    }
  }
}

// What a bristle takes from the motion is stored or dissipated; at constant load the store is a
// state function.
TEST(Laws, BristlesStoreWhatTheyDoNotDissipate) {
  std::mt19937_64 random(404);
  for (const auto& law : kBristles) {
    const auto contact = make_contact("{law: volumetric, stiffness: 2e7}", law);
    const auto* bristle = find_bristle(contact);
    for (int k = 0; k < 300; ++k) {
      auto m = random_motions(random, 3e-3, test::random_log_between(random, 1e-6, 1e-3), 1e-2);
      const Vec3d n = m.j.X_WB.R_WB.col(2);
      const States states = random_states(random, n);
      States rates{};
      const auto f = calc_contact(contact, m.i, m.j, kMemory, states.data(), rates.data());
      // The rate of the store by differences of the states, the load kept.
      const double h = 1e-7;
      States later = states;
      for (size_t s = 0; s < 5; ++s) later[s] += h * rates[s];
      const auto g = calc_contact(contact, m.i, m.j, kMemory, later.data(), rates.data());
      const double rate = f.friction.stored_rate + f.friction.stored_spin_rate;
      EXPECT_NEAR((g.friction.stored - f.friction.stored) / h, rate,
                  2e-3 * std::abs(rate) + 1e-6 * f.friction.stored / bristle->tau_br());
    }
  }
}

// Moved to and fro under a constant load, within pre-sliding and beyond, a bristle takes energy in
// every cycle.
TEST(Laws, BristlesDissipateOverACycle) {
  for (const auto& law : kBristles) {
    const auto contact = make_contact("{law: volumetric, stiffness: 2e7}", law);
    for (const double amplitude : {1e-6, 3e-5, 1e-3}) {
      Motion<double> i;
      i.X_WB.p_WB.z() = 0.037;
      States states{}, rates{};
      const double omega = 20, h = 2e-5;
      double taken = 0, before = 0;
      for (int k = 0; k < 3 * static_cast<int>(2 * kPi / omega / h); ++k) {
        i.V_WB.v_WB.x() = amplitude * omega * std::cos(omega * k * h);
        const auto f =
            calc_contact(contact, i, Motion<double>{}, kMemory, states.data(), rates.data());
        for (size_t s = 0; s < 5; ++s) states[s] += h * rates[s];
        taken -= h * f.friction.f_t.dot(f.slip);
        if (k == 2 * static_cast<int>(2 * kPi / omega / h)) before = taken;
      }
      EXPECT_GT(taken - before, 0) << law << amplitude;
    }
  }
}

TEST(Laws, DerivativesMatchDifferencesAndAreFiniteAtRest) {
  std::mt19937_64 random(405);
  using T = Dual<12>;
  for (const auto& contact : all_contacts(true)) {
    for (const double depth : {1e-5, 3e-3, 0.03}) {
      const auto m = random_motions(random, depth, 0.05, 1);
      const States states = random_states(random, m.j.X_WB.R_WB.col(2));
      std::array<T, kMaxFrictionStates + 1> seeded, rates;
      for (size_t k = 0; k < states.size(); ++k) seeded[k] = T(states[k]);
      const auto exact = calc_contact(contact, seed_motion(m.i), m.j, ContactMemory<T>{T(0.3)},
                                      seeded.data(), rates.data());
      auto wrench = [&](int direction, double step) {
        Motion<double> i = m.i;
        const Vec3d e = step * Vec3d::Unit(direction % 3);
        if (direction < 3) i.X_WB.p_WB += e;
        if (direction >= 3 && direction < 6) {
          i.X_WB.R_WB = as_rotation(quaternion_from_rotation_vector(e)) * i.X_WB.R_WB;
        }
        if (direction >= 6 && direction < 9) i.V_WB.v_WB += e;
        if (direction >= 9) i.V_WB.w_WB += e;
        States r{};
        const auto f = calc_contact(contact, i, m.j, kMemory, states.data(), r.data());
        Eigen::Matrix<double, 6, 1> column;
        column << f.F_Ic_W.f_W, f.F_Ic_W.tau_W / 0.01;
        return column;
      };
      const double scale_force = wrench(0, 0).norm();
      for (int c = 0; c < 12; ++c) {
        const double h = (c < 3 ? 1e-3 * depth : c < 6 ? 1e-5 : c < 9 ? 1e-6 : 1e-5);
        const Eigen::Matrix<double, 6, 1> difference =
            (8 * (wrench(c, h) - wrench(c, -h)) - (wrench(c, 2 * h) - wrench(c, -2 * h))) /
            (12 * h);
        for (int r = 0; r < 6; ++r) {
          const double value =
              r < 3 ? exact.F_Ic_W.f_W[r].v[c] : exact.F_Ic_W.tau_W[r - 3].v[c] / 0.01;
          // Rounding of the differences, and the integrals' own tolerance of 1e-6.
          const double slack = (contact.needs_patch() ? 2e-5 : 1e-9) * scale_force / h;
          EXPECT_NEAR(value, difference[r], 2e-4 * difference.norm() + slack)
              << "law " << contact.normal.index() << " " << contact.friction.index() << " depth "
              << depth << " column " << c << " row " << r;
        }
      }
    }
    // At rest, bristles unbent.
    auto rest = random_motions(random, 3e-3, 0, 0);
    const auto f = calc_contact(contact, seed_motion(rest.i), rest.j, ContactMemory<T>{T(0.3)});
    for (int k = 0; k < 3; ++k) {
      EXPECT_TRUE(isfinite(f.F_Ic_W.f_W[k]) && isfinite(f.F_Ic_W.tau_W[k]));
    }
  }
}

template <class Law>
void check_curve(const Law& law, double v_max) {
  for (int k = 0; k <= 400; ++k) {
    const double v = v_max * k / 400;
    const Dual<4> dual = Dual<4>::variable(std::max(v, 1e-12), 0);
    const Dual<4> mu = dual * law.ratio(Dual<4>(dual * dual));
    EXPECT_NEAR(mu.a, law.mu(v), 1e-9);
    const double scale = std::abs(law.mu_slope(0)) + std::abs(law.mu_slope(v));
    EXPECT_NEAR(mu.v[0], law.mu_slope(std::max(v, 1e-12)), 1e-9 * scale);
    if (v == 0) continue;
    const double h = 1e-4 * v;
    EXPECT_NEAR((law.mu(v + h) - law.mu(v - h)) / (2 * h), law.mu_slope(v), 1e-3 * scale);
  }
}

// The place and the height of the highest point of a curve.
template <class Law>
std::pair<double, double> find_peak(const Law& law, double v_max) {
  double low = 0, high = v_max, best = 0;
  for (int k = 0; k <= 4000; ++k) {
    const double v = v_max * k / 4000;
    if (law.mu(v) > law.mu(best)) best = v;
  }
  low = best - v_max / 4000;
  high = best + v_max / 4000;
  for (int k = 0; k < 100; ++k) {  // bisection on the analytic slope
    const double middle = 0.5 * (low + high);
    (law.mu_slope(middle) > 0 ? low : high) = middle;
  }
  return {0.5 * (low + high), law.mu(0.5 * (low + high))};
}

TEST(FrictionCurves, SlopesAndPeaksAreThoseOfTheSources) {
  const double v_t = 0.01;
  const BrownMcPhee<double> brown{.mu_s = 1.0, .mu_d = 0.8, .v_t = v_t};
  const Hollars<double> hollars{.mu_s = 1.0, .mu_d = 0.8, .v_t = v_t};
  const Specker<double> half{.mu_s = 1.0, .mu_d = 0.8, .v_t = v_t, .v_d = v_t / 2};
  const Specker<double> quarter{.mu_s = 1.0, .mu_d = 0.8, .v_t = v_t, .v_d = v_t / 4};
  const Andersson<double> andersson{.mu_s = 1.0, .mu_d = 0.8, .v_s = v_t, .k_tanh = 4 / v_t};
  const CoulombArctan<double> arctan{.mu_f = 0.8, .v_s = v_t};
  check_curve(brown, 5 * v_t);
  check_curve(half, 5 * v_t);
  check_curve(andersson, 5 * v_t);
  check_curve(arctan, 5 * v_t);
  for (const double v : {0.2 * v_t, 0.99 * v_t, 1.01 * v_t, 4 * v_t}) {  // not at its corner
    const double h = 1e-6 * v;
    EXPECT_NEAR((hollars.mu(v + h) - hollars.mu(v - h)) / (2 * h), hollars.mu_slope(v), 1e-6 / v_t);
  }
  // Brown's section 4.1: Specker's peak at 1.15 v_t for v_t = 2 v_d, 1.01 v_t for v_t = 4 v_d;
  // Hollars' exactly mu_s at v_t; Andersson's below mu_s; his own at v_t, mu_s within tanh(4).
  EXPECT_NEAR(find_peak(half, 5 * v_t).first / v_t, 1.15, 0.005);
  EXPECT_NEAR(find_peak(quarter, 5 * v_t).first / v_t, 1.01, 0.005);
  EXPECT_GT(find_peak(half, 5 * v_t).second, find_peak(quarter, 5 * v_t).second);
  EXPECT_NEAR(find_peak(brown, 5 * v_t).first / v_t, 1, 0.02);
  EXPECT_NEAR(find_peak(brown, 5 * v_t).second, 1, 1e-3);
  EXPECT_NEAR(hollars.mu(v_t), 1, 1e-12);
  EXPECT_LT(hollars.mu(1.001 * v_t), 1);
  EXPECT_LT(find_peak(andersson, 5 * v_t).second, 1);
  EXPECT_NEAR(arctan.mu(1e6), 0.8 * kPi / 2, 1e-6);
}

// A direct impact without gravity, integrated here: x'' = -F(x, v)/m.
double calc_returned_restitution(const Contact<double>& contact, double speed) {
  const double mass = 0.454;
  auto acceleration = [&](double x, double v) {
    Motion<double> i;
    i.X_WB.p_WB = Vec3d(0, 0, 0.04 - x);
    i.V_WB.v_WB = Vec3d(0, 0, -v);
    return -calc_contact(contact, i, Motion<double>{}, ContactMemory<double>{speed}).normal.force /
           mass;
  };
  double x = 0, v = speed;
  // Step: a small part of the time scale x_max/speed, found by halving until the peak is resolved.
  double h = 1e-7 / speed * 0.04;
  double last_x = 0;
  while (true) {
    const double a1 = acceleration(x, v), a2 = acceleration(x + 0.5 * h * v, v + 0.5 * h * a1);
    const double v2 = v + 0.5 * h * a1;
    const double a3 = acceleration(x + 0.5 * h * v2, v + 0.5 * h * a2);
    const double v3 = v + 0.5 * h * a2, v4 = v + h * a3;
    const double a4 = acceleration(x + h * v3, v4);
    const double dx = h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    const double dv = h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    if (x + dx <= 0 && x > 0) {
      // The last piece, where the force has almost gone.
      return -(v + dv * (x / -dx)) / speed;
    }
    x += dx;
    v += dv;
    // No more than a thousandth of the speed is lost per step.
    const double change = std::abs(dv) / speed;
    if (change > 4e-4) h *= 0.8;
    if (change < 2e-4 && h * std::abs(v) < 0.01 * std::max(x, 1e-12)) h *= 1.2;
    if (x < last_x && x < 1e-14) return -v / speed;
    last_x = x;
  }
}

TEST(Restitution, IsReturnedForEveryStiffnessLaw) {
  const std::map<std::string, std::string> stiffness = {
      {"hertz",
       "law: hertz, material_i: {young_modulus: 1 GPa, poisson_ratio: 0.3}, material_j: "
       "{young_modulus: 1 GPa, poisson_ratio: 0.3}, radius: 40 mm"},
      {"linear", "law: hunt_crossley, stiffness: 1e6, exponent: 1"},
      {"volumetric", "law: volumetric, stiffness: 1e10"}};
  for (const auto& [name, law] : stiffness) {
    double worst = 0;
    for (const double e : {0.03, 0.1, 0.3, 0.6, 0.9, 0.99}) {
      const auto contact = make_contact(
          fmt::format("{{{}, restitution: {}, v_small: 1e-4}}", law, e), "{law: none}");
      worst = std::max(worst, std::abs(calc_returned_restitution(contact, 0.5) - e));
    }
    EXPECT_LT(worst, 1e-6) << name;
    // The other rules only near one.
    for (const char* rule : {"hunt_crossley", "lankarani_nikravesh"}) {
      auto error = [&, &law = law](double e) {
        const auto contact =
            make_contact(fmt::format("{{{}, restitution: {}, v_small: 1e-4, restitution_rule: {}}}",
                                     law, e, rule),
                         "{law: none}");
        return std::abs(calc_returned_restitution(contact, 0.5) - e);
      };
      EXPECT_LT(error(0.99), 1e-3);
      EXPECT_GT(error(0.3), 0.05);
    }
  }
  // e = 1 - a c.
  const auto slope = make_contact(
      "{law: hunt_crossley, stiffness: 1e6, restitution_slope: 0.2, v_small: 1e-4}", "{law: none}");
  for (const double c : {0.1, 0.5, 2.0}) {
    EXPECT_NEAR(calc_returned_restitution(slope, c), 1 - 0.2 * c, 1e-6);
  }
}

TEST(NormalLaws, AreTheDerivativesOfTheirEnergies) {
  for (const auto& normal : kNormalLaws) {
    const auto contact = make_contact(normal, "{law: none}");
    if (!has_potential(contact)) continue;
    auto at = [&](double depth) {
      Motion<double> i;
      i.X_WB.p_WB.z() = 0.04 - depth;
      return calc_contact(contact, i, Motion<double>{}, kMemory).normal;
    };
    for (const double depth : {1e-4, 1e-3, 5e-3, 0.03}) {
      const double h = 1e-4 * depth;
      const double slope = (at(depth + h).energy - at(depth - h).energy) / (2 * h);
      EXPECT_NEAR(slope / at(depth).elastic, 1, contact.needs_patch() ? 2e-5 : 1e-7)
          << normal << " at " << depth;
    }
  }
}

TEST(NormalLaws, HyperVolumeIsClosedForACapWithoutOverhang) {
  const double a = 0.05, b = 0.03, c = 0.02, eta = 0.8, k = 1e6;
  const auto contact = make_contact("{law: hyper_volumetric, stiffness: 1e6, exponent: 0.8}",
                                    "{law: none}", "{type: ellipsoid, radii: [0.05, 0.03, 0.02]}");
  std::mt19937_64 random(406);
  for (int n = 0; n < 30; ++n) {
    Motion<double> i;
    const double angle = test::random_between(random, 0, 0.25);
    i.X_WB.R_WB = as_rotation(quaternion_from_rotation_vector(Vec3d(angle, 0.5 * angle, 0.3)));
    const Vec3d S(a, b, c);
    const double w = S.cwiseProduct(i.X_WB.R_WB.transpose() * Vec3d::UnitZ()).norm();
    const double d = test::random_between(random, 0.01, 0.3);
    i.X_WB.p_WB.z() = w * (1 - d);
    const double V_h =
        a * b * c * std::pow(w, eta - 1) * 2 * kPi *
        (std::pow(d, eta + 2) / (eta + 2) + (1 - d) * std::pow(d, eta + 1) / (eta + 1));
    // Settles to 1e-6.
    EXPECT_NEAR(calc_contact(contact, i, Motion<double>{}, kMemory).normal.force / (k * V_h), 1,
                1e-6);
  }
}

TEST(NormalLaws, ReadersRefuseWhatCannotBe) {
  auto error = [&](const std::string& normal, const std::string& friction = "{law: none}",
                   const std::string& shape = "{type: sphere, radius: 40 mm}",
                   const std::string& other = "{type: half_space}", const std::string& rest = "") {
    return test::input_error_of([&] { make_contact(normal, friction, shape, other, rest); });
  };
  using ::testing::Test;
  auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos && text.find("law.yaml:") != std::string::npos;
  };
  EXPECT_TRUE(has(error("{law: hunt_crossley, stiffness: 1 N/m}"), "N/m^p"));
  EXPECT_TRUE(has(error("{law: hunt_crossley, stiffness: 1, restitution: 0, v_small: 1}"), "0"));
  EXPECT_TRUE(has(error("{law: volumetric, stiffness: 1, v_small: 1}"), "restitution"));
  EXPECT_TRUE(has(error("{law: foundation, curve: formula, pressure: 2e6*x}"), "column 5"));
  EXPECT_TRUE(has(error("{law: foundation, curve: formula, pressure: -2e6*d}"), "not negative"));
  EXPECT_TRUE(
      has(error("{law: foundation, curve: table, depth: [0, 1], pressure: [0]}"), "as many"));
  EXPECT_TRUE(has(error("{law: volumetric, stiffness: 1}", "{law: none}", "{type: point}"),
                  "touches at a point"));
  EXPECT_TRUE(
      has(error("{law: volumetric, stiffness: 1}", "{law: none}", "{type: sphere, radius: 1}",
                "{type: half_space}", ", interference: {method: point}"),
          "'point' finds no volume"));
  EXPECT_TRUE(
      has(error("{law: volumetric, stiffness: 1}", kPatchLaw, "{type: box, size: [1, 1, 1]}",
                "{type: half_space}", ", interference: {method: voxels, voxel_size: 0.1}"),
          "patch"));
  EXPECT_TRUE(
      has(error("{law: volume_power, stiffness: 1, exponent: 1}", kPatchLaw), "pressure over"));
  EXPECT_TRUE(has(error("{law: volumetric, stiffness: 1}",
                        "{law: bristle, mu_C: 0.5, mu_S: 0.4, sigma_0: 1, sigma_1: 1, v_S: 1}"),
                  "mu_C"));
  EXPECT_TRUE(has(error("{law: volumetric, stiffness: 1}", "{law: none}",
                        "{type: sphere, radius: 1}", "{type: half_space}", ", states: {s_dw: 1}"),
                  "no states"));
}

// What a message offers instead can be had, and all else is refused.
TEST(Laws, MethodsThatAMessageOffersAreThoseThatWork) {
  const char* const shapes[] = {"{type: sphere, radius: 40 mm}", "{type: box, size: [1, 1, 1]}",
                                "{type: ellipsoid, radii: [1, 2, 3]}",
                                "{type: cylinder, radius: 1, length: 2}", "{type: half_space}"};
  const char* const laws[] = {"{law: volumetric, stiffness: 1}",
                              "{law: hunt_crossley, stiffness: 1}"};
  int refused = 0;
  for (const char* law : laws) {
    for (const char* i : shapes) {
      for (const char* j : shapes) {
        if (std::string(i) == j && std::string(i) == "{type: half_space}") continue;
        std::vector<std::string> works;
        std::vector<std::string> errors;
        for (const std::string method :
             {"auto", "closed_form", "polyhedra", "mesh", "slices", "voxels", "point"}) {
          const std::string choice = fmt::format(", interference: {{method: {}{}}}", method,
                                                 method == "voxels" ? ", voxel_size: 1 mm" : "");
          try {
            make_contact(law, "{law: none}", i, j, choice);
            works.push_back(method);
          } catch (const InputError& error) {
            errors.emplace_back(error.what());
          }
        }
        const std::string offer = fmt::format("use one of: {}", fmt::join(works, ", "));
        for (const std::string& error : errors) {
          const size_t at = error.find(offer);
          ASSERT_NE(at, std::string::npos) << i << j << law << error << " but " << offer;
          const std::string rest = error.substr(at + offer.size());
          EXPECT_TRUE(rest.empty() || rest[0] == ';') << error << " but " << offer;
          ++refused;
        }
      }
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace vesica::laws_test
