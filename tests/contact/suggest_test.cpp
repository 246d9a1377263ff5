// Suggested parameters do what their rules are for: the force goes the depth, bristles are
// critically damped, contradictions are refused.
#include "vesica/identification/suggest.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/support.h"

namespace vesica::suggest_test {
namespace {

KnownFacts facts_of(const std::string& text) {
  return read_facts(InputFile::parse("vesica: 1\n" + text, "facts.yaml"));
}
Suggestion suggest(const std::string& text) { return suggest_parameters(facts_of(text)); }

const char* const kBall = "mass: 250 g\nradius: 30 mm\nmu_C: 0.4\n";

TEST(Suggest, ExpectedForceGoesTheAllowedDepth) {
  // A cap of a sphere by its own formula, pi d^2 (3 R - d)/3.
  const double d = 0.2e-3, R = 0.03;
  const Suggestion ball = suggest(std::string(kBall) + "force: 40 N\ndepth: 0.2 mm\n");
  EXPECT_NEAR(ball.at("stiffness") * M_PI * d * d * (3 * R - d) / 3, 40, 1e-9);
  const Suggestion point = suggest(std::string(kBall) + "law: point\nforce: 40 N\ndepth: 0.2 mm\n");
  EXPECT_NEAR(point.at("stiffness") * std::pow(d, 1.5), 40, 1e-9);
  const Suggestion box =
      suggest("mass: 2\nbox: [0.2, 0.1, 0.05]\nmu_C: 0.5\ngravity: 10\ndepth: 0.1 mm\n");
  EXPECT_NEAR(box.at("stiffness") * 0.02 * 1e-4, 20, 1e-9);
}

TEST(Suggest, HertzFromMaterials) {
  // Steel on steel, R = 10 mm: E* = 210/(2 (1 - 0.09)) GPa, k = 4/3 E* sqrt(R).
  const std::string steel =
      "mass: 0.1\nradius: 10 mm\nmu_C: 0.2\nlaw: point\nyoung_modulus: 210 GPa\npoisson_ratio: "
      "0.3\nyoung_modulus_j: 210 GPa\npoisson_ratio_j: 0.3\n";
  const double k = 4.0 / 3 * 210e9 / (2 * 0.91) * std::sqrt(0.01);
  const Suggestion s = suggest(steel);
  EXPECT_NEAR(s.at("stiffness") / k, 1, 1e-12);
  EXPECT_NEAR(k * std::pow(s.at("depth"), 1.5), 0.1 * 9.80665, 1e-9);
}

TEST(Suggest, BristlesAreCriticallyDampedUnderTheirLoad) {
  for (const char* load : {"", "force: 40 N\n"}) {
    const Suggestion s =
        suggest(std::string(kBall) + load + "depth: 0.2 mm\nmu_S: 0.5\npresliding: 50 um\n");
    EXPECT_NEAR(s.at("sigma_0"), 1e4, 1e-6);
    const double f_n = s.at("force"), m = s.at("mass");
    // m x'' + f_n sigma_1 x' + f_n sigma_0 x = 0 has a double root.
    EXPECT_NEAR(std::pow(f_n * s.at("sigma_1"), 2) / (4 * m * f_n * s.at("sigma_0")), 1, 1e-12);
    EXPECT_GE(s.at("tau_dw"), 10 * s.at("tau_br"));
    EXPECT_LE(s.at("v_eps"), 0.1 * s.at("v_S"));
  }
}

TEST(Suggest, SpeedsStayBelowThoseExpected) {
  const Suggestion s = suggest(
      std::string(kBall) +
      "depth: 0.2 mm\nimpact_speed: [0.05 m/s, 2 m/s]\nsliding_speed: 4 mm/s\nrestitution: 0.3\n");
  EXPECT_LT(s.at("v_small"), 0.05);
  EXPECT_LT(s.at("v_S"), 4e-3 / 10);
  const Suggestion unknown = suggest(std::string(kBall) + "depth: 0.2 mm\n");
  EXPECT_EQ(unknown.at("v_S"), 1e-3);
  EXPECT_EQ(unknown.at("v_small"), 1e-3);
}

TEST(Suggest, EveryRowNamesWhereItComesFrom) {
  const Suggestion s = suggest(std::string(kBall) + "depth: 0.2 mm\n");
  for (const SuggestedValue& v : s.values) {
    EXPECT_FALSE(v.source.empty()) << v.name;
    EXPECT_TRUE(v.source == "given" || !v.rule.empty()) << v.name;
    EXPECT_FALSE(v.source == "given" && v.assumed) << v.name;
  }
}

TEST(Suggest, DoubtfulCasesAreWarnedOf) {
  const auto warnings = [](const std::string& more) {
    return suggest(std::string(kBall) + more).warnings;
  };
  EXPECT_TRUE(warnings("depth: 0.05 mm\n").empty());
  EXPECT_EQ(warnings("depth: 5 mm\n").size(), 2u);  // at rest, and when it lands
  const auto dwell = warnings("depth: 0.05 mm\nmu_S: 0.5\ntau_dw: 1 ms\n");
  ASSERT_EQ(dwell.size(), 1u);
  EXPECT_NE(dwell[0].find("tau_br"), std::string::npos);
}

TEST(Suggest, RefusesWhatIsMissingOrContradicts) {
  const auto error_of = [](const std::string& text) {
    return test::input_error_of([&] { suggest(text); });
  };
  const std::string ball = kBall;
  EXPECT_NE(error_of("mass: 1\nradius: 0.1\ndepth: 1 mm\n").find("mu_C"), std::string::npos);
  EXPECT_NE(error_of(ball).find("depth"), std::string::npos);
  EXPECT_NE(error_of(ball + "depth: 1 kg\n").find("facts.yaml:5"), std::string::npos);
  EXPECT_NE(error_of(ball + "depth: 1 mm\nweight: 3 N\n").find("not both"), std::string::npos);
  EXPECT_NE(error_of(ball + "depth: 1 mm\nrestitution: 1.2\n").find("at most 1"),
            std::string::npos);
  EXPECT_NE(error_of(ball + "depth: 1 mm\nmu_S: 0.1\n").find("below mu_C"), std::string::npos);
  EXPECT_NE(error_of(ball + "depth: 1 mm\nyoung_modulus: 1 GPa\n").find("poisson_ratio"),
            std::string::npos);
  EXPECT_NE(error_of(ball + "gravity: 0\ndepth: 1 mm\n").find("'force'"), std::string::npos);
  EXPECT_NE(error_of(ball + "depth: .nan\n").find("depth"), std::string::npos);
  EXPECT_NE(error_of(ball + "depth: 4 mm\nimpact_speed: 100 m/s\n").find("impact_speed"),
            std::string::npos);
}

}  // namespace
}  // namespace vesica::suggest_test
