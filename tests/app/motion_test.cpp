// The tool as a user runs it: vesica motion.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/support.h"

namespace vesica::motion_test {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  int status;
  std::string out;
};

// Standard output alone; what goes to standard error is added where `with_errors`.
Outcome run(const std::string& arguments, bool with_errors = false) {
  const std::string command =
      std::string(VESICA_TOOL) + " motion " + arguments + (with_errors ? " 2>&1" : " 2>/dev/null");
  Outcome outcome{-1, ""};
  std::FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer;
  for (size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    outcome.out.append(buffer.data(), n);
  }
  outcome.status = WEXITSTATUS(pclose(pipe));
  return outcome;
}

class MotionTool : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(test::shared_data())) GTEST_SKIP() << "no recordings";
    folder_ = fs::temp_directory_path() / ("vesica_motion_test_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  static std::string data(const std::string& name) { return (test::shared_data() / name).string(); }
  std::string out() const { return " --out " + folder_.string(); }
  fs::path folder_;
};

TEST_F(MotionTool, TableFitsATerminalAndNamesTheSteps) {
  const Outcome outcome =
      run(data("wbds07/WBDS07walkO04C.trc") + " " + data("wbds07/WBDS07walkO04C.mot"));
  EXPECT_EQ(outcome.status, 0);
  std::istringstream lines(outcome.out);
  std::string line;
  std::getline(lines, line);  // the files' names may be of any length
  while (std::getline(lines, line)) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_NE(outcome.out.find("22 at 150 Hz"), std::string::npos);
  EXPECT_NE(outcome.out.find("right   4"), std::string::npos);
  EXPECT_NE(outcome.out.find("body weight"), std::string::npos);
}

TEST_F(MotionTool, JsonIsAllThatStandardOutputHolds) {
  const Outcome outcome = run("--json " + data("oxford_foot/HC038A11.c3d"));
  EXPECT_EQ(outcome.status, 0);
  const auto trial = nlohmann::json::parse(outcome.out)["trials"][0];
  EXPECT_EQ(trial["up"], "+z");
  EXPECT_EQ(trial["stances"].size(), 2u);
  EXPECT_EQ(trial["stances"][0]["foot"], "right");
  EXPECT_EQ(trial["file_events"].size(), 10u);
}

TEST_F(MotionTool, ConvertsC3dForOpenSim) {
  const Outcome outcome =
      run("--json --to trc,mot --face-x " + data("oxford_foot/HC038A11.c3d") + out());
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "HC038A11.trc"));
  EXPECT_TRUE(fs::exists(folder_ / "HC038A11.mot"));
  const Outcome again = run("--json " + (folder_ / "HC038A11.trc").string() + " " +
                            (folder_ / "HC038A11.mot").string());
  const auto before = nlohmann::json::parse(outcome.out)["trials"][0];
  const auto after = nlohmann::json::parse(again.out)["trials"][0];
  EXPECT_EQ(after["up"], "+y");
  ASSERT_EQ(after["stances"].size(), 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(after["stances"][i]["foot"], before["stances"][i]["foot"]);
    EXPECT_NEAR(after["stances"][i]["start"].get<double>(),
                before["stances"][i]["start"].get<double>(), 0.002);
  }
}

TEST_F(MotionTool, ReportIsOnePageThatAsksForNothing) {
  EXPECT_EQ(run("--report " + data("opensim/walking2.c3d") + out()).status, 0);
  std::ifstream file(folder_ / "walking2.html");
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  EXPECT_EQ(page.find("src="), std::string::npos);
  EXPECT_EQ(page.find("href="), std::string::npos);
  // The data between their tags are JSON.
  const std::string open = "type=\"application/json\">";
  const size_t begin = page.find(open) + open.size();
  const auto data_of_page =
      nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  std::map<std::string, int> kinds;
  for (const auto& figure : data_of_page) {
    ++kinds[figure["kind"]];
    if (figure["kind"] == "presence") {
      EXPECT_EQ(figure["rows"].size(), 44u);
    } else if (figure["kind"] == "tracks") {
      EXPECT_EQ(figure["tracks"].size(), 44u);
    }
  }
  const std::map<std::string, int> expected = {
      {"time", 6}, {"footprint", 1}, {"presence", 1}, {"tracks", 1}};
  EXPECT_EQ(kinds, expected);
  EXPECT_NE(page.find("things to look at"), std::string::npos);
}

TEST_F(MotionTool, TrimsFiltersAndFills) {
  // A walk with six frames of its first marker blanked: x, y and z follow frame and time.
  std::ifstream original(data("wbds07/WBDS07walkO04C.trc"));
  std::ofstream gappy(folder_ / "gappy.trc");
  std::string line;
  for (int number = 1; std::getline(original, line); ++number) {
    const int frame = number - 6;
    if (frame > 200 && frame <= 206) {
      size_t at = line.find('\t', line.find('\t') + 1);  // behind the time
      size_t end = at;
      for (int i = 0; i < 3; ++i) end = line.find('\t', end + 1);
      line.replace(at, end - at, "\t\t\t");
    }
    gappy << line << '\n';
  }
  gappy.close();
  const Outcome outcome =
      run("--json --from '1 s' --until 2 --fill 20 --filter '6 Hz' --rate 100 " +
          (folder_ / "gappy.trc").string());
  EXPECT_EQ(outcome.status, 0);
  const auto trial = nlohmann::json::parse(outcome.out)["trials"][0];
  EXPECT_NEAR(trial["markers"]["start"].get<double>(), 1.0, 0.0034);
  EXPECT_EQ(trial["markers"]["rate"], 100.0);
  ASSERT_EQ(trial["filled"].size(), 1u);
  EXPECT_EQ(trial["filled"][0]["marker"], "R.ASIS");
  EXPECT_EQ(trial["filled"][0]["frames"], 6);
  EXPECT_LT(trial["filled"][0]["expected_error"].get<double>(), 0.002);
  EXPECT_EQ(trial["edits"].size(), 4u);
}

TEST_F(MotionTool, FunctionalJoints) {
  const Outcome outcome = run("--json " + data("functional/right_knee.c3d") +
                              " --joint-axis RTHI1,RTHI2,RTHI3:RLEG1,RLEG2,RLEG3"
                              " --joint-center RTHI1,RTHI2,RTHI3:RLEG1,RLEG2,RLEG3");
  EXPECT_EQ(outcome.status, 0);
  const auto joints = nlohmann::json::parse(outcome.out)["trials"][0]["joints"];
  EXPECT_LT(joints[0]["sphere"]["rms"].get<double>(), 0.0014);
  EXPECT_LT(joints[1]["axis"]["hinge_ratio"].get<double>(), 0.1);
}

TEST_F(MotionTool, StatusTellsWhatHappened) {
  EXPECT_EQ(run("--strict " + data("opensim/walking2.c3d")).status, 1);
  const auto expect_refused = [](const std::string& arguments, const std::string& words,
                                 int status = 2) {
    const Outcome outcome = run(arguments, true);
    EXPECT_EQ(outcome.status, status) << arguments;
    EXPECT_NE(outcome.out.find(words), std::string::npos) << outcome.out;
  };
  const std::string walk = data("wbds07/WBDS07walkO04C.trc");
  expect_refused("missing.trc", "missing.trc", 3);
  expect_refused("--filter '80 Hz' " + walk, "half the sampling rate");
  expect_refused("--filter '6 m' " + walk, "--filter 6 m");
  expect_refused("--from 7 " + walk, "nothing was recorded");
  expect_refused("--joint-center A,B,C:D,E,F " + walk, "no marker 'A'");
  expect_refused("--pass-band 6 " + walk, "go together");
  expect_refused("--to mot " + walk + out(), "no table or forces");
  expect_refused("--to doc " + walk, "--to");
}

TEST_F(MotionTool, NeverReplacesWhatItRead) {
  fs::copy_file(data("wbds07/WBDS07walkO04C.trc"), folder_ / "walk.trc");
  const Outcome outcome = run("--to trc " + (folder_ / "walk.trc").string() + out(), true);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.out.find("would replace"), std::string::npos);
}

}  // namespace
}  // namespace vesica::motion_test
