// vesica motion as a user exports a recording: markers chosen and renamed, C3D and back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/app/tool.h"

namespace vesica::test::motion_export_test {
namespace {

constexpr int kFrames = 40;

// mm; quarters, which a 32-bit float holds.
double coordinate(int frame, int marker, int axis) {
  return 250.0 * marker + 2.75 * frame + 400.25 * axis;
}

std::string make_trc(const std::vector<std::string>& labels) {
  std::string text = "PathFileType\t4\t(X/Y/Z)\twalk.trc\n";
  text +=
      "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\t"
      "OrigNumFrames\n";
  text += fmt::format("100\t100\t{}\t{}\tmm\t100\t1\t{}\n", kFrames, labels.size(), kFrames);
  text += "Frame#\tTime";
  for (const std::string& label : labels) text += "\t" + label + "\t\t";
  text += "\n\t";
  for (std::size_t m = 1; m <= labels.size(); ++m) text += fmt::format("\tX{0}\tY{0}\tZ{0}", m);
  text += "\n\n";
  for (int f = 0; f < kFrames; ++f) {
    text += fmt::format("{}\t{:.2f}", f + 1, 0.01 * f);
    for (int m = 0; m < static_cast<int>(labels.size()); ++m) {
      for (int k = 0; k < 3; ++k) text += fmt::format("\t{}", coordinate(f, m, k));
    }
    text += "\n";
  }
  return text;
}

// Labels and numbers of a TRC, by nothing but its lines.
struct PlainTrc {
  std::vector<std::string> labels;
  std::vector<std::vector<double>> rows;  // without number and time
};
PlainTrc read_plainly(const std::string& text) {
  PlainTrc trc;
  std::istringstream lines(text);
  std::string line, word;
  for (int i = 0; i < 4; ++i) std::getline(lines, line);
  std::istringstream names(line);
  names >> word >> word;
  while (names >> word) trc.labels.push_back(word);
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream numbers(line);
    double value;
    if (!(numbers >> value >> value)) continue;
    trc.rows.emplace_back();
    while (numbers >> value) trc.rows.back().push_back(value);
  }
  return trc;
}

void expect_markers(const PlainTrc& trc, const std::vector<std::string>& labels,
                    const std::vector<int>& sources) {
  EXPECT_EQ(trc.labels, labels);
  ASSERT_EQ(trc.rows.size(), static_cast<std::size_t>(kFrames));
  for (int f = 0; f < kFrames; ++f) {
    const std::vector<double>& row = trc.rows[static_cast<std::size_t>(f)];
    ASSERT_EQ(row.size(), 3 * sources.size());
    for (std::size_t m = 0; m < sources.size(); ++m) {
      for (int k = 0; k < 3; ++k) {
        // Nine digits are printed: 2e-6 mm of 1,500 mm.
        EXPECT_NEAR(row[3 * m + static_cast<std::size_t>(k)], coordinate(f, sources[m], k), 1e-5);
      }
    }
  }
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class MotionExport : public ::testing::Test {
 protected:
  void SetUp() override { space_.write("walk.trc", make_trc({"R.Heel", "L.Heel", "R.Toe"})); }
  void expect_error(const std::string& arguments, const std::string& part) const {
    const Outcome outcome = space_.run(arguments);
    EXPECT_NE(outcome.status, 0) << arguments;
    EXPECT_TRUE(contains(outcome.err, part)) << arguments << ": " << outcome.err;
  }
  const Workspace space_;
};

TEST_F(MotionExport, ChosenAndRenamedMarkersGoThroughC3d) {
  space_.write("map.yaml", "vesica: 1\nmarker_map: mine\nnames:\n  R.Heel: RHEE\n  R.Toe: RTOE\n");
  const Outcome there =
      space_.run("motion walk.trc --markers 'R*' --rename map.yaml --to c3d --out there");
  ASSERT_EQ(there.status, 0) << there.err;
  const Outcome back = space_.run("motion there/walk.c3d --to trc --axes keep --out back");
  ASSERT_EQ(back.status, 0) << back.err;
  expect_markers(read_plainly(space_.read("back/walk.trc")), {"RHEE", "RTOE"}, {0, 2});
  // From then on the C3D stays as it is.
  ASSERT_EQ(space_.run("motion there/walk.c3d --to c3d --out again").status, 0);
  EXPECT_TRUE(space_.read("again/walk.c3d") == space_.read("there/walk.c3d"));
}

TEST_F(MotionExport, AllIsWhatTheRecordingHolds) {
  space_.write("map.csv", "from,to\nL.Heel,LHEE\n");
  const Outcome outcome = space_.run(
      "motion walk.trc --drop 'R.T?e' --rename map.csv --to all,c3d --axes keep --out all");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  expect_markers(read_plainly(space_.read("all/walk.trc")), {"R.Heel", "LHEE"}, {0, 1});
  EXPECT_EQ(space_.read("all/walk.c3d").substr(1, 1), "P");
}

TEST_F(MotionExport, UnknownNamesAreErrors) {
  const std::string motion = "motion walk.trc --to trc --out x ";
  expect_error(motion + "--markers 'Q*'", "'Q*' matches no marker");
  expect_error(motion + "--drop nobody", "'nobody' matches no marker");
  expect_error(motion + "--drop '*'", "leave no marker");
  expect_error(motion + "--rename nothing", "nothing: there is no such file");
  space_.write("none.csv", "from,to\nnobody,somebody\n");
  expect_error(motion + "--rename none.csv", "nobody");
  space_.write("clash.csv", "from,to\nR.Heel,L.Heel\n");
  expect_error(motion + "--rename clash.csv", "clash.csv:2");
  for (const std::string& file : space_.files()) EXPECT_NE(file, "x/walk.trc");
  expect_error("motion walk.trc --c3d-as-it-was --to c3d --out x", "did not come from a C3D");

  // One name of a map of one's own: a warning, once.
  space_.write("some.csv", "from,to\nR.Heel,RHEE\nnobody,somebody\n");
  const Outcome outcome = space_.run(motion + "--rename some.csv --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string said = "The map 'some' has names that no marker has: nobody.";
  EXPECT_TRUE(contains(outcome.out, said)) << outcome.out;
  EXPECT_EQ(space_.run(motion + "--rename some.csv --strict").status, 1);
}

TEST_F(MotionExport, CheckKnowsMapsOfBothKinds) {
  space_.write("good.csv", "from,to\nR.Heel,RHEE\n");
  space_.write("good.yaml", "vesica: 1\nmarker_map: mine\nnames:\n  R.Heel: RHEE\n");
  for (const char* name : {"good.csv", "good.yaml", "plug_in_gait"}) {
    const Outcome outcome = space_.run(std::string("check --json ") + name);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.json().at("kind"), "markers --map");
  }
  space_.write("twice.csv", "from,to\nR.Heel,RHEE\nR.Heel,other\n");
  expect_error("check twice.csv", "twice.csv:3");
  space_.write("short.csv", "from,to\nR.Heel\n");
  expect_error("check short.csv", "short.csv:2");
  space_.write("twice.yaml", "vesica: 1\nmarker_map: m\nnames:\n  a: b\n  a: c\n");
  expect_error("check twice.yaml", "appears twice");
  // No YAML at all, and nothing to hang on.
  space_.write("comma.yaml", "\n,IALSL.A");
  expect_error("check comma.yaml", "comma.yaml");
}

}  // namespace
}  // namespace vesica::test::motion_export_test
