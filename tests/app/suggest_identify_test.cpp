// `vesica suggest` and `vesica identify` from outside.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/app/tool.h"

namespace vesica::test::suggest_identify_test {
namespace {

double value_of(const nlohmann::json& result, const std::string& name) {
  for (const auto& p : result["parameters"]) {
    if (p["name"] == name) return p["value"];
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST(SuggestCommand, ItsSceneRunsAndBehavesAsSuggested) {
  const Workspace work;
  struct Case {
    double half_height;
    const char* facts;
  };
  const Case cases[] = {
      {0.03,
       "--mass '250 g' --radius '30 mm' --depth '0.05 mm' --mu-C 0.4 --impact-speed 0.3 "
       "--restitution 0.6 --sliding-speed 0.1"},
      {0.01,
       "--mass 0.1 --radius '10 mm' --law point --young-modulus '2 GPa' --poisson-ratio 0.4 "
       "--mu-C 0.2 --mu-S 0.3 --impact-speed '[0.05, 0.2]'"},
      {0.025,
       "--mass 2 --box '[0.2, 0.1, 0.05]' --force '50 N' --depth '0.05 mm' --mu-C 0.5 "
       "--sliding-speed 0.05 --impact-speed 0.05"}};
  for (const Case& c : cases) {
    const Outcome suggested = work.run(std::string("suggest --json --out s ") + c.facts);
    ASSERT_EQ(suggested.status, 0) << suggested.err;
    const auto result = suggested.json();
    const Outcome run = work.run("simulate s/scene.yaml --json --out r");
    ASSERT_EQ(run.status, 0) << run.err;
    const auto summary = run.json();
    const auto& body = summary["final_state"]["body"];
    // At rest at the end, as deep as the expected force was allowed to go.
    const auto& contact = summary["contacts"].begin().value();
    const double depth = value_of(result, "depth");
    EXPECT_LT(std::abs(body["velocity"][2].get<double>()), 1e-4);
    EXPECT_NEAR(c.half_height - body["position"][2].get<double>(), depth, 0.01 * depth);
    EXPECT_GE(contact["touchdowns"].get<int>(), 1);
    // The undamped estimates bound what happens; hysteretic damping may add a little force early.
    EXPECT_LE(contact["max_depth"].get<double>(), 1.01 * value_of(result, "deepest"));
    EXPECT_LE(contact["max_normal_force"].get<double>(), 1.3 * value_of(result, "peak_force"));
    // An explicit method with the suggested step resolves the contact and is not told to be finer.
    const Outcome fixed =
        work.run(fmt::format("simulate s/scene.yaml --set 'solver={{method: rk4, step: {}}}' "
                             "--set duration=0.02 --json --out r",
                             value_of(result, "step")));
    ASSERT_EQ(fixed.status, 0) << fixed.err;
    const auto explicit_run = fixed.json();
    EXPECT_TRUE(explicit_run["warnings"].empty()) << explicit_run["warnings"];
    // Measured: 0.25 to 0.28 of the time constant; the rule aims at 0.3.
    EXPECT_GT(explicit_run["contacts"].begin().value()["max_step_over_time_constant"].get<double>(),
              0.2);
  }
}

TEST(SuggestCommand, FileAndOptionsTogether) {
  const Workspace work;
  work.write("facts.yaml", "vesica: 1\nmass: 2 kg\nradius: 0.1 m\nmu_C: 0.3\ndepth: 1 mm\n");
  const auto a = work.run("suggest facts.yaml --json").json();
  const auto b = work.run("suggest facts.yaml --mass 4 --json").json();
  EXPECT_NEAR(value_of(b, "stiffness") / value_of(a, "stiffness"), 2, 1e-12);
  const Outcome wrong = work.run("suggest facts.yaml --mass '4 m'");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("mass"), std::string::npos);
  EXPECT_EQ(work.run("suggest").status, 2);
}

TEST(IdentifyCommand, ExamplesRunAndAreWritten) {
  const Workspace work;
  ASSERT_EQ(work.run("identify --examples bench").status, 0);
  for (const char* type : {"indentation", "impact", "sliding", "presliding", "stick_slip"}) {
    const Outcome outcome =
        work.run(std::string("identify bench/") + type + ".yaml --json --out o");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["type"], type);
    // A curve of this study alone.
    EXPECT_EQ(work.read("o/ring_down_fit.csv").empty(), std::string(type) != "presliding") << type;
  }
  EXPECT_EQ(nlohmann::json::parse(work.read("o/identify.json"))["type"], "stick_slip");
  EXPECT_EQ(work.run("identify").status, 2);
  EXPECT_EQ(work.run("identify nowhere.yaml").status, 3);
}

}  // namespace
}  // namespace vesica::test::suggest_identify_test
