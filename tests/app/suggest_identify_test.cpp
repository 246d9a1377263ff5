// `vesica suggest` and `vesica identify` from outside.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/app/tool.h"

namespace vesica::test {
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
  for (const char* facts :
       {"--mass '250 g' --radius '30 mm' --depth '0.05 mm' --mu-C 0.4 --impact-speed 0.3 "
        "--restitution 0.6 --sliding-speed 0.1",
        "--mass 0.1 --radius '10 mm' --law point --young-modulus '2 GPa' --poisson-ratio 0.4 "
        "--mu-C 0.2 --mu-S 0.3 --impact-speed '[0.05, 0.2]'",
        "--mass 2 --box '[0.2, 0.1, 0.05]' --force '50 N' --depth '0.05 mm' --mu-C 0.5 "
        "--sliding-speed 0.05 --impact-speed 0.05"}) {
    const Outcome suggested = work.run(std::string("suggest --json --out s ") + facts);
    ASSERT_EQ(suggested.status, 0) << suggested.err;
    const auto result = suggested.json();
    const Outcome run = work.run("simulate s/scene.yaml --json --out r");
    ASSERT_EQ(run.status, 0) << run.err;
    const auto summary = run.json();
    const auto& body = summary["final_state"]["body"];
    // At rest at the end, as deep as the expected force was allowed to go (scene figures have six
    // digits).
    const auto& contact = summary["contacts"].begin().value();
    EXPECT_LT(std::abs(body["velocity"][2].get<double>()), 1e-4);
    EXPECT_LT(std::abs(body["velocity"][0].get<double>()), 0.1);
    EXPECT_GE(contact["touchdowns"].get<int>(), 1);
    // The undamped estimates bound what happens; hysteretic damping may add a little force early.
    EXPECT_LE(contact["max_depth"].get<double>(), 1.01 * value_of(result, "deepest"));
    EXPECT_LE(contact["max_normal_force"].get<double>(), 1.3 * value_of(result, "peak_force"));
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
  }
  EXPECT_EQ(nlohmann::json::parse(work.read("o/identify.json"))["type"], "stick_slip");
  EXPECT_FALSE(work.read("o/ring_down_fit.csv").empty());
  EXPECT_EQ(work.run("identify").status, 2);
  EXPECT_EQ(work.run("identify nowhere.yaml").status, 2);
}

}  // namespace
}  // namespace vesica::test
