// The tool as a user runs it: vesica gait.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/app/tool.h"
#include "tests/support/support.h"

namespace vesica::gait_app_test {
namespace {

namespace fs = std::filesystem;

TEST(GaitTool, WritesTablesAndAPage) {
  const fs::path data = test::shared_data();
  if (!fs::exists(data)) GTEST_SKIP() << "no recordings at " << data;
  const test::Workspace space;
  const std::string walk = fs::absolute(data / "wbds07/WBDS07walkO04C").string();
  const std::string files = walk + ".trc " + walk + ".mot";
  ASSERT_EQ(space.run("gait --quiet --out out " + files).status, 0);
  for (const char* name : {"gait.html", "gait.json", "gait_parameters.csv", "gait_strides.csv",
                           "gait_curves.csv", "gait_cycles.csv"}) {
    EXPECT_FALSE(space.read(std::string("out/") + name).empty()) << name;
  }
  const auto json = nlohmann::json::parse(space.read("out/gait.json"));
  EXPECT_EQ(json["strides"].size(), 4u);
  EXPECT_NEAR(json["parameters"]["stride_time"]["both"]["mean"].get<double>(), 1.06, 0.02);
  // Mean curves of one session serve as normative ones of the next: nothing is off.
  const auto again = space.run("gait --quiet --json --normative out/gait_curves.csv " + files);
  ASSERT_EQ(again.status, 0) << again.err;
  const auto read_again = again.json();
  int compared = 0;
  for (const auto& curve : read_again["curves"]) {
    if (!curve.contains("normative")) continue;
    ++compared;
    EXPECT_LT(curve["normative"]["rms"].get<double>(), 1e-9);
    EXPECT_EQ(curve["normative"]["outside_percent"].get<double>(), 0.0);
  }
  EXPECT_GT(compared, 0);
}

TEST(GaitTool, RefusesWhatWouldDoNothing) {
  const fs::path data = test::shared_data();
  if (!fs::exists(data)) GTEST_SKIP() << "no recordings at " << data;
  const test::Workspace space;
  const std::string walk = fs::absolute(data / "wbds07/WBDS07walkO04C").string() + ".trc";
  space.write("other.csv", "percent,unheard_of_mean,unheard_of_sd\n0,1,1\n100,1,1\n");
  space.write("lone.csv", "time,knee_l,knee_r\n0,1,1\n1,2,2\n");
  const auto expect = [&](const std::string& arguments, int status, const char* word) {
    const auto outcome = space.run("gait " + arguments);
    EXPECT_EQ(outcome.status, status) << arguments;
    EXPECT_NE(outcome.err.find(word), std::string::npos) << outcome.err;
  };
  expect("--normative other.csv " + walk, 2, "heel_height");
  expect("--weight \"600 N\" " + walk, 2, "no force plates");
  expect("--threshold \"30 N\" " + walk, 2, "no force plates");
  expect("--events plates " + walk, 2, "no force plates");
  expect("--events file " + walk, 1, "lists no strikes");
  expect("lone.csv", 2, "belongs to the trial");
  expect(walk + " lone.csv lone.csv", 2, "given already");
  expect(walk + " " + walk, 2, "give the recording once");
  expect(fs::absolute(data / "wbds07/WBDS07static1.trc").string(), 1, "standing");
}

}  // namespace
}  // namespace vesica::gait_app_test
