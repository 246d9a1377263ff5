// `vesica identify` with `type: foot`, as a user runs it.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/app/tool.h"

namespace vesica::foot_test {
namespace {

namespace fs = std::filesystem;
using test::Child;
using test::Outcome;
using test::tool_command;
using test::Workspace;

constexpr const char* kStudy =
    "vesica: 1\ntype: foot\nsynthetic: {stances: 4}\ncalibrate: [walk1, walk2]\n";

TEST(FootStudy, SyntheticStancesAreJudgedBesidePlaceboAndMeanCurve) {
  const Workspace work;
  work.write("foot.yaml", kStudy);
  const Outcome outcome = work.run("identify foot.yaml --json --out f");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["calibration"].size(), 1u);
  EXPECT_EQ(json["refitted"].size(), 3u);  // all but the one that was fitted
  // Two of the calibration, three refits, two of the joint fit, two stances foretold in two ways.
  EXPECT_EQ(json["placebo"].size(), 11u);
  EXPECT_EQ(json["joint"].size(), 2u);
  for (const char* kind : {"blind", "mean_curve", "six_spheres", "imposed"}) {
    ASSERT_EQ(json[kind].size(), 2u) << kind;  // walks that do not calibrate
    for (const auto& row : json[kind]) {
      EXPECT_EQ(row["side"], "right");
      EXPECT_GE(row["cop_error_percent"].get<double>(), 0);
    }
  }
  // The imposed force is the measured one.
  for (const auto& row : json["imposed"]) {
    EXPECT_LE(row["force_error_percent"].get<double>(), 1e-6);
  }
  for (const char* kind : {"calibration", "refitted", "blind", "imposed"}) {
    for (const auto& row : json[kind]) EXPECT_TRUE(row.contains("pressure_error_percent")) << kind;
  }
  ASSERT_EQ(json["source_runs"].size(), 3u);
  EXPECT_GT(json["source_runs"][0]["friction_error_percent"].get<double>(), 0);
  EXPECT_FALSE(json["source_runs"][1].contains("friction_error_percent"));
  EXPECT_EQ(json["parameters"].size(), 29u);
  EXPECT_EQ(json["verdicts"].size(), 4u);
  EXPECT_NE(work.read("f/report.html").find("mean curve"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(work.read("f/identify.json"))["blind"], json["blind"]);
}

TEST(FootStudy, ThreadsAreTakenAndContactsChecked) {
  const Workspace work;
  work.write("foot.yaml", std::string(kStudy) + "fit: {iterations: 3, six_spheres: false}\n");
  const Outcome outcome = work.run("identify foot.yaml --threads 1 --out f --quiet");
  EXPECT_NE(outcome.status, 2) << outcome.err;
  EXPECT_NE(outcome.out.find("blind"), std::string::npos);
  const Outcome check = work.run("check f/foot_right.yaml");
  EXPECT_EQ(check.status, 0) << check.err;
  EXPECT_NE(check.out.find("a foot's contact"), std::string::npos) << check.out;
  std::string text = work.read("f/foot_right.yaml");
  work.write("bad.yaml", text.replace(text.find("damping"), 7, "dampnig"));
  EXPECT_EQ(work.run("check bad.yaml").status, 2);
}

TEST(FootStudy, BadInputIsNamedWithItsPlace) {
  const Workspace work;
  const auto error = [&](const std::string& from, const std::string& to) {
    std::string text = kStudy;
    text.replace(text.find(from), from.size(), to);
    work.write("bad.yaml", text);
    const Outcome outcome = work.run("identify bad.yaml");
    EXPECT_EQ(outcome.status, 2) << text << outcome.err;
    return outcome.err;
  };
  EXPECT_NE(error("walk2", "wolk2").find("bad.yaml:4"), std::string::npos);
  EXPECT_NE(error("walk2", "wolk2").find("walk2"), std::string::npos);
  EXPECT_NE(error("stances: 4", "stances: 1").find("bad.yaml:3"), std::string::npos);
  EXPECT_NE(error("stances: 4}", "stances: 4}\nfit: {toe: bent}").find("bad.yaml:4"),
            std::string::npos);
  EXPECT_NE(error("stances: 4", "stonces: 4").find("stances"), std::string::npos);
  EXPECT_NE(error("calibrate: [walk1, walk2]", "calibrate: []").find("at least one walk"),
            std::string::npos);
  EXPECT_NE(error("stances: 4", "force_noise: 3 kg").find("bad.yaml:3"), std::string::npos);
}

// What an earlier run left stays whole. How soon the fit is at work depends on the machine.
TEST(FootCommand, AnInterruptedFitReplacesNothing) {
  const Workspace work;
  fs::create_directories(work.path("fit"));
  work.write("fit/identify.json", "whole");
  for (const int wait : {300, 1000, 3000}) {
    Child process(work, tool_command({"identify", "foot", "--out", "fit"}));
    std::this_thread::sleep_for(std::chrono::milliseconds(wait));
    const int status = process.end_with(SIGINT);
    EXPECT_EQ(work.read("fit/identify.json"), "whole");
    if (!fs::exists(work.path("fit/partial"))) continue;
    EXPECT_EQ(status, 130);
    const auto json = nlohmann::json::parse(work.read("fit/partial/identify.json"));
    EXPECT_TRUE(json.value("interrupted", false));
    EXPECT_NE(work.read("fit/partial/report.html").find("Interrupted"), std::string::npos);
    return;
  }
  FAIL() << "no fit was at work after three seconds";
}

}  // namespace
}  // namespace vesica::foot_test
