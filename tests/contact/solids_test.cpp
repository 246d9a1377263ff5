// Solids from files and the pairs they make: the general methods against the closed forms of the
// same contact, and files that make no sense.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/support.h"
#include "vesica/contact/contact_input.h"
#include "vesica/contact/pair_input.h"
#include "vesica/contact/solid_input.h"
#include "vesica/interference/slices/solid_moments.h"

namespace vesica::solids_test {
namespace {

Contact<double> make_contact(const std::string& i, const std::string& j,
                             const std::string& rest = "") {
  const auto file = InputFile::parse(
      fmt::format("i: {}\nj: {}\ncontact: {{normal: {{law: volumetric, stiffness: 1e7, damping: "
                  "0.3}}, friction: {{law: brown_mcphee, mu_s: 0.8, mu_d: 0.6, v_t: 0.02}}{}}}\n",
                  i, j, rest),
      "solids.yaml");
  const auto root = file.root();
  return read_contact<double>(root.at("contact"), read_shape<double>(root.at("i"), "."),
                              read_shape<double>(root.at("j"), "."));
}

const char* const kTable = "{type: box, size: [1, 1, 1], pose: {position: [0, 0, -0.5]}}";
const char* const kGround = "{type: half_space}";

TEST(Solids, OnALargeBoxTheyAreOnAHalfSpace) {
  std::mt19937_64 random(431);
  const std::map<std::string, std::string> shapes = {
      {"{type: sphere, radius: 0.05}", "slices"},
      {"{type: ellipsoid, radii: [0.05, 0.03, 0.04]}", "slices"},
      {"{type: box, size: [0.1, 0.08, 0.06]}", "polyhedra"}};
  for (const auto& [shape, method] : shapes) {
    const auto general = make_contact(shape, kTable), exact = make_contact(shape, kGround);
    EXPECT_EQ(method_name(general.pair), method);
    EXPECT_FALSE(has_potential(general));
    for (int k = 0; k < 20; ++k) {
      Motion<double> i;
      i.X_WB.R_WB = test::random_rotation(random);
      i.X_WB.p_WB = Vec3d(0.1, 0.2, 0);
      const double gap = calc_overlap(exact, i.X_WB, Pose<double>{}).distance;
      i.X_WB.p_WB.z() -= gap + test::random_between(random, 1e-4, 5e-3);
      i.V_WB = {test::random_vector(random, 1), test::random_vector(random, 0.1)};
      const auto a = calc_overlap(general, i.X_WB, Pose<double>{});
      const auto b = calc_overlap(exact, i.X_WB, Pose<double>{});
      EXPECT_NEAR(a.volume / b.volume, 1, 2e-8);
      EXPECT_LT((a.p_WC - b.p_WC).norm(), 1e-8);
      EXPECT_LT((a.n_W - b.n_W).norm(), 1e-7);
      EXPECT_LT((a.M_W.matrix() - b.M_W.matrix()).norm(), 2e-7 * b.M_W.matrix().norm());
      // The normal force is the same; friction acts on the plane there, through the centroid here.
      const auto f = calc_contact(general, i, Motion<double>{}, ContactMemory<double>{});
      const auto g = calc_contact(exact, i, Motion<double>{}, ContactMemory<double>{});
      EXPECT_NEAR(f.normal.force / g.normal.force, 1, 1e-6);
    }
  }
}

TEST(Solids, DerivativesMatchDifferences) {
  std::mt19937_64 random(432);
  for (const char* shape :
       {"{type: cylinder, radius: 0.04, length: 0.1}", "{type: box, size: [0.1, 0.08, 0.06]}"}) {
    const auto contact = make_contact(shape, "{type: box, size: [0.3, 0.3, 0.2]}");
    Motion<double> i;
    i.X_WB = {test::random_rotation(random), Vec3d(0.15, 0.02, 0.13)};
    i.V_WB = {Vec3d(0.2, 0.1, 0.3), Vec3d(0.05, 0.02, -0.1)};
    using T = Dual<12>;
    const auto exact =
        calc_contact(contact, seed_motion(i), Motion<double>{}, ContactMemory<T>{T(0.0)});
    ASSERT_GT(exact.normal.force.a, 0) << shape;
    for (int c = 0; c < 12; ++c) {
      const double h = c < 6 ? 1e-6 : 1e-5;
      auto at = [&](double step) {
        auto m = i;
        const Vec3d e = step * Vec3d::Unit(c % 3);
        if (c < 3) m.X_WB.p_WB += e;
        if (c >= 3 && c < 6) {
          m.X_WB.R_WB = as_rotation(quaternion_from_rotation_vector(e)) * m.X_WB.R_WB;
        }
        if (c >= 6 && c < 9) m.V_WB.v_WB += e;
        if (c >= 9) m.V_WB.w_WB += e;
        return calc_contact(contact, m, Motion<double>{}, ContactMemory<double>{}).F_Ic_W.f_W;
      };
      const Vec3d difference = (at(h) - at(-h)) / (2 * h);
      for (int r = 0; r < 3; ++r) {
        EXPECT_NEAR(exact.F_Ic_W.f_W[r].v[c], difference[r],
                    1e-4 * difference.norm() + 1e-3 * exact.normal.force.a)
            << shape << " " << c;
      }
    }
  }
}

TEST(Solids, OfCellsHaveTheirVolume) {
  const auto file = InputFile::parse(
      "plate:\n  type: solid\n  cells:\n"
      "    - intersect: [{type: box, size: [0.2, 0.2, 0.02]}, {type: cylinder, radius: 0.03, "
      "complement: true}]\n"
      "    - {intersect: [{type: cylinder, radius: 0.01}, {type: slab, thickness: 0.06}], pose: "
      "{position: [0.08, 0.08, 0.04]}, mirror: [1, 0, 0], repeat: {count: 2, step: [0, -0.16, "
      "0]}}\n"
      "capsule: {type: capsule, radius: 0.02, length: 0.1}\n",
      "solids.yaml");
  const auto plate = calc_solid_moments(read_solid(file.root().at("plate")));
  EXPECT_NEAR(plate.volume, 0.02 * (0.04 - kPi * 9e-4) + 4 * kPi * 1e-4 * 0.06, 1e-11);
  EXPECT_NEAR(plate.centroid.x(), 0, 1e-9);
  EXPECT_NEAR(plate.centroid.y(), 0, 1e-9);
  const auto capsule = calc_solid_moments(read_solid(file.root().at("capsule")));
  EXPECT_NEAR(capsule.volume, kPi * 4e-4 * 0.1 + 4.0 / 3 * kPi * 8e-6, 1e-12);
}

TEST(Solids, FilesThatMakeNoSenseSaySo) {
  auto error = [](const std::string& i, const std::string& j, const std::string& rest = "") {
    return test::input_error_of([&] { make_contact(i, j, rest); });
  };
  auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos && text.find("solids.yaml:") != std::string::npos;
  };
  EXPECT_TRUE(has(error(kGround, kGround), "cannot meet"));
  EXPECT_TRUE(has(error("{type: cylinder, radius: -1, length: 1}", kGround), "greater than zero"));
  EXPECT_TRUE(has(error("{type: solid, cells: []}", kGround), "at least one cell"));
  EXPECT_TRUE(
      has(error("{type: solid, cells: [{intersect: [{type: cylinder, radius: 1}]}]}", kGround),
          "bounds"));
  EXPECT_TRUE(has(error("{type: solid, cells: [{intersect: [{type: cube}]}]}", kGround), "cube"));
  EXPECT_TRUE(has(error("{type: sphere, radius: 1}", kTable, ", interference: {method: polyhedra}"),
                  "slices"));
}

}  // namespace
}  // namespace vesica::solids_test
