// vesica motion and vesica markers on recordings with clocks, plates and samples that are wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/app/tool.h"
#include "tests/support/support.h"

namespace vesica::motion_clocks_test {
namespace {

using test::Outcome;
using test::Workspace;

// One plate, two stances of a second each at 100 Hz; rows from `nan_from` on have no vertical
// force.
std::string make_mot(int nan_from = 1000, int nan_until = 1000, double offset = 0.0) {
  std::string text = "made\nversion=1\nnRows=400\nnColumns=10\ninDegrees=no\nendheader\ntime";
  for (const char* name : {"ground_force1_vx", "ground_force1_vy", "ground_force1_vz",
                           "ground_force1_px", "ground_force1_py", "ground_force1_pz",
                           "ground_torque1_x", "ground_torque1_y", "ground_torque1_z"}) {
    text += std::string("\t") + name;
  }
  text += "\n";
  for (int k = 0; k < 400; ++k) {
    const bool loaded = (k > 50 && k < 150) || (k > 250 && k < 350);
    const std::string vertical =
        k >= nan_from && k < nan_until ? "nan" : std::to_string((loaded ? 700.0 : 0.0) + offset);
    text += std::to_string(k / 100.0) + "\t0\t" + vertical + "\t0\t0.3\t0\t0.2\t0\t0\t0\n";
  }
  return text;
}

bool has_warning(const nlohmann::json& trial, const std::string& part) {
  for (const auto& warning : trial["warnings"]) {
    if (warning.get<std::string>().find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(MotionClocks, MissingForcesAreToldAndStayMissing) {
  const Workspace work;
  work.write("walk.mot", make_mot(80, 90));
  const Outcome strict = work.run("motion walk.mot --json --strict --to sto --out again");
  EXPECT_EQ(strict.status, 1);
  const auto trial = strict.json()["trials"][0];
  EXPECT_EQ(trial["plates"][0]["missing"], 10);
  EXPECT_TRUE(has_warning(trial, "10 of 400 samples are not numbers, first at 0.8000 s"));
  const auto again = work.run("motion again/walk.sto --json").json()["trials"][0];
  EXPECT_EQ(again["plates"][0]["missing"], 10);
  work.write("good.mot", make_mot());
  EXPECT_EQ(work.run("motion good.mot --json --strict").status, 0);
}

TEST(MotionClocks, OptionsDoSomethingOrSayWhyNot) {
  const Workspace work;
  work.write("walk.mot", make_mot(1000, 1000, 30.0));
  const auto as_is = work.run("motion walk.mot --json").json()["trials"][0];
  EXPECT_TRUE(has_warning(as_is, "--baseline quiet"));
  const auto quiet = work.run("motion walk.mot --baseline quiet --json").json()["trials"][0];
  EXPECT_NEAR(quiet["plates"][0]["subtracted"].get<double>(), 30.0, 1e-6);
  EXPECT_NEAR(quiet["plates"][0]["peak_force"].get<double>(), 700.0, 1e-6);
  EXPECT_FALSE(has_warning(quiet, "--baseline"));
  const auto file = work.run("motion walk.mot --baseline file --json").json()["trials"][0];
  EXPECT_TRUE(has_warning(file, "needs a C3D"));
  EXPECT_TRUE(has_warning(file, "reads 30.0 N after --baseline file"));
  const auto idle = work.run("motion walk.mot --fill 5 --rate 50 --json").json()["trials"][0];
  EXPECT_TRUE(has_warning(idle, "--fill did nothing"));
  EXPECT_TRUE(has_warning(idle, "--rate did nothing"));
  ASSERT_EQ(work.run("gait --example walks --quiet").status, 0);
  const auto markers =
      work.run(
              "motion walks/walk1.trc --threshold '30 N' --baseline quiet --shift-forces '1 ms' "
              "--filter-forces 20 --json")
          .json()["trials"][0];
  for (const char* option : {"--threshold", "--baseline", "--shift-forces", "--filter-forces"}) {
    EXPECT_TRUE(has_warning(markers, std::string(option) + " did nothing")) << option;
  }
  EXPECT_EQ(work.run("motion walk.mot --face-x").status, 2);
  EXPECT_EQ(work.run("motion walk.mot --face-x --to sto --axes keep --out x").status, 2);
  const auto moved =
      work.run("motion walk.mot --shift-forces \"0.5 s\" --json").json()["trials"][0];
  EXPECT_NEAR(
      moved["stances"][0]["start"].get<double>() - as_is["stances"][0]["start"].get<double>(), 0.5,
      1e-9);
}

TEST(MotionClocks, HostileTablesAreAnswered) {
  const Workspace work;
  const std::string header = "made\nversion=1\nnColumns=2\nendheader\ntime\tangle\n";
  work.write("backwards.mot", header + "0\t1\n0.02\t2\n0.01\t3\n");
  const Outcome backwards = work.run("motion backwards.mot");
  EXPECT_EQ(backwards.status, 2);
  EXPECT_NE(backwards.err.find("backwards.mot:8"), std::string::npos) << backwards.err;
  work.write("one.mot", header + "0\t1\n");
  EXPECT_EQ(work.run("motion one.mot").status, 0);
  const Outcome filtered = work.run("motion one.mot --filter \"6 Hz\"");
  EXPECT_EQ(filtered.status, 2);
  EXPECT_NE(filtered.err.find("two at different times"), std::string::npos) << filtered.err;
  std::string mixed = header;
  for (int k = 0; k < 50; ++k) mixed += std::to_string(0.01 * k) + "\t1\n";
  for (int k = 0; k < 50; ++k) mixed += std::to_string(0.5 + 0.02 * k) + "\t1\n";
  work.write("mixed.mot", mixed);
  EXPECT_TRUE(has_warning(work.run("motion mixed.mot --json").json()["trials"][0], "uneven"));
  EXPECT_EQ(work.run("motion mixed.mot --filter \"6 Hz\"").status, 2);
}

TEST(MotionClocks, TheSameRecordingTwiceIsNoticed) {
  if (!std::filesystem::exists(test::shared_data())) GTEST_SKIP() << "no recordings";
  const Workspace work;
  const std::string walk = (test::shared_data() / "wbds07/WBDS07walkO04C.trc").string();
  const std::string other = (test::shared_data() / "wbds07/WBDS07walkO05C.trc").string();
  std::filesystem::copy_file(walk, work.path("copy.trc"));
  const auto trials =
      work.run("motion --json " + walk + " " + other + " copy.trc").json()["trials"];
  ASSERT_EQ(trials.size(), 3u);
  EXPECT_FALSE(has_warning(trials[0], "same recording"));
  EXPECT_FALSE(has_warning(trials[1], "same recording"));
  EXPECT_TRUE(has_warning(trials[2], "same recording as " + walk));
}

}  // namespace
}  // namespace vesica::motion_clocks_test
