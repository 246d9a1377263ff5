// Contacts that press by the gradient of their potential: power against the rate of the energy,
// action and reaction, derivatives, and files that ask for what there is not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/contact_case.h"
#include "tests/support/support.h"

namespace vesica::conservative_contact_test {
namespace {

const char* const kBox = "{type: box, size: [0.3, 0.3, 0.2]}";
const char* const kShapes[] = {"{type: sphere, radius: 0.06}",
                               "{type: cylinder, radius: 0.04, length: 0.1}",
                               "{type: box, size: [0.1, 0.08, 0.06]}"};

Contact<double> make_contact(const std::string& i, const std::string& j, const std::string& normal,
                             const std::string& rest = "") {
  return test::read_contact_case(
      fmt::format(
          "i: {}\nj: {}\ncontact: {{interference: {{normal: conservative}}, normal: {}{}}}\n", i, j,
          normal, rest),
      "conservative.yaml");
}

// Both bodies carried on by their velocities for the time t.
Motion<double> carry(const Motion<double>& m, double t) {
  Motion<double> moved = m;
  moved.X_WB.p_WB += t * m.V_WB.v_WB;
  moved.X_WB.R_WB = as_rotation(quaternion_from_rotation_vector(t * m.V_WB.w_WB)) * m.X_WB.R_WB;
  return moved;
}
double calc_power(const ContactForces<double>& f, const Motion<double>& i,
                  const Motion<double>& j) {
  const auto of = [&](const Motion<double>& m) {
    const Vec3d v = m.V_WB.v_WB + m.V_WB.w_WB.cross(f.p_WC - m.X_WB.p_WB);
    return f.F_Ic_W.f_W.dot(v) + f.F_Ic_W.tau_W.dot(m.V_WB.w_WB);
  };
  return of(i) - of(j);
}

// A pose at an edge or a corner of the box, with both bodies moving.
struct Case {
  Motion<double> i, j;
};
Case make_case(std::mt19937_64& random) {
  Case c;
  c.i.X_WB = {test::random_rotation(random), Vec3d(test::random_between(random, 0.152, 0.16),
                                                   test::random_between(random, 0.05, 0.15), 0.12)};
  c.i.V_WB = {test::random_vector(random, 2), test::random_vector(random, 0.2)};
  c.j.V_WB = {test::random_vector(random, 2), test::random_vector(random, 0.2)};
  return c;
}

TEST(ConservativeContact, ElasticPowerIsTheRateOfTheEnergyAndDampingDissipates) {
  std::mt19937_64 random(71);
  for (const char* shape : kShapes) {
    const auto contact =
        make_contact(shape, kBox, "{law: volumetric, stiffness: 1e7, damping: 0.3}");
    EXPECT_TRUE(has_potential(contact));
    double worst = 0;
    int touching = 0;
    while (touching < 10) {
      const Case c = make_case(random);
      const auto f = calc_contact(contact, c.i, c.j, ContactMemory<double>{});
      if (!(f.normal.energy > 1e-6)) continue;
      ++touching;
      const double h = 1e-5;
      const auto energy = [&](double t) {
        return calc_contact(contact, carry(c.i, t), carry(c.j, t), ContactMemory<double>{})
            .normal.energy;
      };
      const double rate =
          (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h);
      const double scale = f.normal.elastic * c.i.V_WB.v_WB.norm();
      worst = std::max(worst, std::abs(rate - f.normal.elastic * f.closing_speed) / scale);
      // What is not stored is damped and rolls away: never a gain.
      const double damped = (f.normal.force - f.normal.elastic) * f.closing_speed;
      const double rolled = -f.tau_roll.dot(f.w);
      EXPECT_GE(damped, 0);
      EXPECT_GE(rolled, 0);
      EXPECT_NEAR(calc_power(f, c.i, c.j) + f.normal.elastic * f.closing_speed + damped + rolled, 0,
                  1e-12 * scale);
    }
    EXPECT_LT(worst, 1e-7) << shape;  // measured 3e-9
  }
}

TEST(ConservativeContact, ActionAndReactionFromBothSides) {
  std::mt19937_64 random(72);
  const char* const rest = ", friction: {law: brown_mcphee, mu_s: 0.8, mu_d: 0.6, v_t: 0.02}";
  const char* const law = "{law: volumetric, stiffness: 1e7, damping: 0.3}";
  for (const char* shape : kShapes) {
    const auto a = make_contact(shape, kBox, law, rest), b = make_contact(kBox, shape, law, rest);
    for (int k = 0; k < 10; ++k) {
      const Case c = make_case(random);
      const auto f = calc_contact(a, c.i, c.j, ContactMemory<double>{});
      const auto g = calc_contact(b, c.j, c.i, ContactMemory<double>{});
      const double force = f.F_Ic_W.f_W.norm();
      // The polyhedra are cut the other way round, the slices run in the other's axes.
      EXPECT_LT((f.F_Ic_W.f_W + g.F_Ic_W.f_W).norm(), 1e-6 * force + 1e-12) << shape;
      EXPECT_LT((f.F_Ic_W.tau_W + g.F_Ic_W.tau_W).norm(), 1e-7 * force + 1e-12) << shape;
    }
  }
}

TEST(ConservativeContact, DerivativesMatchDifferences) {
  std::mt19937_64 random(73);
  for (const char* shape : kShapes) {
    const auto contact =
        make_contact(shape, kBox, "{law: volumetric, stiffness: 1e7, damping: 0.3}",
                     ", friction: {law: brown_mcphee, mu_s: 0.8, mu_d: 0.6, v_t: 0.02}");
    Motion<double> i;
    i.X_WB = {as_rotation(quaternion_from_rotation_vector(Vec3d(0.5, -0.4, 0.7))),
              Vec3d(0.155, 0.1, 0.125)};
    i.V_WB = {Vec3d(0.2, 0.1, 0.3), Vec3d(0.05, 0.02, -0.1)};
    using T = Dual<12>;
    const auto exact =
        calc_contact(contact, seed_motion(i), Motion<double>{}, ContactMemory<T>{T(0.0)});
    ASSERT_GT(exact.normal.force.a, 0) << shape;
    double worst = 0;
    for (int c = 0; c < 12; ++c) {
      const double h = c < 6 ? 1e-6 : 1e-5;
      const auto at = [&](double step) {
        Motion<double> m = i;
        const Vec3d e = step * Vec3d::Unit(c % 3);
        if (c < 6) m.X_WB = detail::move_by_twist(i.X_WB, i.X_WB.p_WB, c, step);
        if (c >= 6 && c < 9) m.V_WB.v_WB += e;
        if (c >= 9) m.V_WB.w_WB += e;
        const auto f = calc_contact(contact, m, Motion<double>{}, ContactMemory<double>{});
        return Vec3d(f.F_Ic_W.f_W);
      };
      const Vec3d difference = (at(h) - at(-h)) / (2 * h);
      const Vec3d dual(exact.F_Ic_W.f_W[0].v[c], exact.F_Ic_W.f_W[1].v[c],
                       exact.F_Ic_W.f_W[2].v[c]);
      worst = std::max(worst, (dual - difference).norm() / (difference.norm() + 1));
    }
    EXPECT_LT(worst, 2e-5) << shape;  // measured 3e-6, of these differences
  }
}

std::string find_message(const std::string& i, const std::string& j, const std::string& normal) {
  try {
    make_contact(i, j, normal);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ConservativeContact, WhatCannotBeIsAnErrorThatSaysWhy) {
  const std::string law = "{law: volumetric, stiffness: 1e7}";
  EXPECT_NE(find_message(kShapes[0], kShapes[1], law).find("single convex cell of planes"),
            std::string::npos);
  EXPECT_NE(find_message(kShapes[2], kBox, "{law: volume_power, stiffness: 1e6, exponent: 0.8}")
                .find("normal law volumetric"),
            std::string::npos);
  // Where the normal is that of a plane, k V n is conservative as it is.
  EXPECT_EQ(find_message(kShapes[0], "{type: half_space}", law), "");
  EXPECT_TRUE(has_potential(make_contact(kShapes[0], "{type: half_space}", law)));
}

}  // namespace
}  // namespace vesica::conservative_contact_test
