#include "vesica/io/trc.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/io/motion_files.h"
#include "tests/support/support.h"

namespace vesica::trc_test {
namespace {

using test::input_error_of;
using test::TemporaryFolder;

MotionTrial read(const std::string& text) {
  std::istringstream stream(text);
  return read_trc(stream, "t.trc");
}
std::string error_of(const std::string& text) {
  return input_error_of([&] { read(text); });
}

std::string header(const std::string& values = "100\t100\t2\t2\tmm\t100\t1\t2") {
  return "PathFileType\t4\t(X/Y/Z)\tt.trc\n"
         "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOri"
         "gNumFrames\n" +
         values + "\nFrame#\tTime\tA\t\t\tB\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n";
}
const char* const kRows = "1\t0\t1\t2\t3\t400\t500\t600\n2\t0.01\t1.5\t2\t3\t401\t501\t601\n";

TEST(Trc, ReadsPositionsInMetres) {
  const MotionTrial trial = read(header() + kRows);
  const MarkerTracks& m = trial.markers;
  ASSERT_EQ(m.frames(), 2u);
  ASSERT_EQ(m.markers(), 2u);
  EXPECT_EQ(m.labels[1], "B");
  EXPECT_EQ(m.rate, 100.0);
  EXPECT_EQ(m.times[1], 0.01);
  EXPECT_EQ(m.at(1, 0).x(), 0.0015);
  EXPECT_EQ(m.at(0, 1).z(), 0.6);
  EXPECT_TRUE(trial.warnings.empty());
}

TEST(Trc, BlankAndNanCoordinatesAreMissing) {
  const MotionTrial trial = read(header("100\t100\t4\t2\tmm\t100\t1\t4") +
                                 "1\t0\t1\t2\t3\t\t\t\n"
                                 "2\t0.01\tnan\tNaN\t-nan\t401\t501\t601\n"
                                 "3\t0.02\t1\t\t3\t401\t501\t601\t\t\n"
                                 "4\t0.03\t1\t2\t3\n");
  const MarkerTracks& m = trial.markers;
  ASSERT_EQ(m.frames(), 4u);
  EXPECT_TRUE(m.has(0, 0));
  EXPECT_FALSE(m.has(0, 1));
  EXPECT_FALSE(m.has(1, 0));
  EXPECT_FALSE(m.has(2, 0)) << "one coordinate alone is no position";
  EXPECT_TRUE(std::isnan(m.at(2, 0).z()));
  EXPECT_FALSE(m.has(3, 1)) << "tabs of missing markers dropped at the end of a row";
}

TEST(Trc, ToleratesWhatProgramsWrite) {
  // Header values in a mix of tabs and spaces, CR LF, no X1 line, more rows than stated, a doubled
  // label.
  std::string text =
      "PathFileType  4\t(X/Y/Z) C:\\a b\\\r\n"
      "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\r\n"
      "  100.0\t\t  100.0\t\t    1\t\t     3\t\t mm\r\n"
      "Frame#\tTime\tA\t\t\tA\t\t\r\n"
      "1\t0\t1\t2\t3\t400\t500\t600\r\n\r\n2\t0.01\t1\t2\t3\t400\t500\t600";
  const MotionTrial trial = read(text);
  EXPECT_EQ(trial.markers.frames(), 2u);
  EXPECT_EQ(trial.markers.labels[1], "A_2");
  EXPECT_EQ(trial.warnings.size(), 3u);  // NumMarkers, the label, NumFrames
}

TEST(Trc, ErrorsNameTheLine) {
  EXPECT_NE(error_of("").find("t.trc:1: the file is empty"), std::string::npos);
  EXPECT_NE(error_of("version=1\n").find("t.trc:1: expected 'PathFileType'"), std::string::npos);
  EXPECT_NE(error_of("PathFileType 4\n").find("ends before the header keys"), std::string::npos);
  EXPECT_NE(error_of(header("100\t100\t2\t2\tparsec\t100\t1\t2") + kRows)
                .find("t.trc:3: Units is 'parsec'"),
            std::string::npos);
  EXPECT_NE(error_of(header("0\t100\t2\t2\tmm\t100\t1\t2") + kRows).find("t.trc:3: DataRate"),
            std::string::npos);
  EXPECT_NE(error_of(header() + "1\t0\t1\t2\tx\t400\t500\t600\n")
                .find("t.trc:7: column 5: expected a coordinate, found 'x'"),
            std::string::npos);
  EXPECT_NE(error_of(header() + "1\t0\t1\t2\tinf\t400\t500\t600\n").find("t.trc:7: column 5"),
            std::string::npos);
  EXPECT_NE(error_of(header() + "1\t0\t1\t2\n").find("t.trc:7: the row has 4 columns; expected 8"),
            std::string::npos);
  EXPECT_NE(error_of(header() + kRows + "3\t0.01\t1\t2\t3\t4\t5\t6\n")
                .find("t.trc:9: time 0.01 does not come after 0.01"),
            std::string::npos);
  EXPECT_NE(error_of(header()).find("ends after 0 frames, but NumFrames says 2"),
            std::string::npos);
}

TEST(Trc, TruncatedFilesAreErrorsWhereverTheyEnd) {
  const std::string text = header() + kRows;
  // Every prefix but the ones that lose only the last line's end, or trailing digits of the last
  // number, which no reader can tell.
  const std::size_t complete = text.size() - 3;
  for (std::size_t length = 0; length < complete; ++length) {
    EXPECT_NE(error_of(text.substr(0, length)).find("t.trc:"), std::string::npos) << length;
  }
  EXPECT_NO_THROW(read(text.substr(0, text.size() - 1)));
}

TEST(Trc, CountsThatLieDoNotAllocate) {
  EXPECT_NE(error_of(header("100\t100\t900000000000\t2\tmm\t100\t1\t2") + kRows)
                .find("ends after 2 frames, but NumFrames says 900000000000"),
            std::string::npos);
  const MotionTrial trial = read(header("100\t100\t2\t900000000\tmm\t100\t1\t2") + kRows);
  EXPECT_EQ(trial.markers.markers(), 2u);
}

TEST(Trc, WrongScaleIsAnErrorThatSaysWhatItSaw) {
  const std::string rows = "1\t0\t1\t2\t3\t400\t1702\t600\n2\t0.01\t1\t2\t3\t400\t1702\t600\n";
  const std::string large = error_of(header("100\t100\t2\t2\tm\t100\t1\t2") + rows);
  EXPECT_NE(large.find("markers span 1,700 m"), std::string::npos) << large;
  EXPECT_NE(large.find("millimetres labelled as metres?"), std::string::npos) << large;
  const std::string small =
      error_of(header() + "1\t0\t0\t0\t0\t0.4\t1.7\t0.6\n2\t0.01\t0\t0\t0\t0.4\t1.7\t0.6\n");
  EXPECT_NE(small.find("metres labelled as millimetres?"), std::string::npos) << small;
}

// What OpenSim's TRC reader checks, written independently of ours (docs/formats/trc.md).
void expect_opens_in_opensim(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  const auto next = [&](bool keep_empty) {
    std::getline(in, line);
    std::vector<std::string> tokens;
    std::istringstream stream(line);
    std::string token;
    while (std::getline(stream, token, '\t')) {
      if (keep_empty || !token.empty()) tokens.push_back(token);
    }
    return tokens;
  };
  EXPECT_EQ(next(false).at(0), "PathFileType");
  EXPECT_EQ(next(false),
            (std::vector<std::string>{"DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units",
                                      "OrigDataRate", "OrigDataStartFrame", "OrigNumFrames"}));
  const std::vector<std::string> values = next(false);
  ASSERT_EQ(values.size(), 8u);
  const std::size_t markers = std::stoul(values[3]);
  const std::vector<std::string> labels = next(false);
  ASSERT_EQ(labels.size(), markers + 2);
  EXPECT_EQ(labels[0], "Frame#");
  EXPECT_EQ(labels[1], "Time");
  const std::vector<std::string> axes = next(false);
  ASSERT_EQ(axes.size(), 3 * markers);
  for (std::size_t i = 0; i < markers; ++i) {
    EXPECT_EQ(axes[3 * i], fmt::format("X{}", i + 1));
    EXPECT_EQ(axes[3 * i + 2], fmt::format("Z{}", i + 1));
  }
  std::getline(in, line);
  EXPECT_TRUE(line.empty());
  std::size_t rows = 0;
  double time = -1e300;
  while (std::getline(in, line)) {
    // Old versions merge neighbouring tabs, so a row must have no empty field.
    EXPECT_EQ(line.find("\t\t"), std::string::npos);
    std::istringstream stream(line);
    std::size_t count = 0;
    for (std::string token; stream >> token; ++count) {
      const double value = std::stod(token);
      if (count != 1) continue;
      EXPECT_GT(value, time);
      time = value;
    }
    ASSERT_EQ(count, 3 * markers + 2);
    ++rows;
  }
  EXPECT_EQ(rows, std::stoul(values[2]));
}

// The numbers of a TRC's rows, read by the standard library; nothing for a marker that is missing,
// whether as blank fields or as nan.
std::vector<std::vector<double>> numbers_of(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  for (int i = 0; i < 5; ++i) std::getline(in, line);
  std::vector<std::vector<double>> rows;
  while (std::getline(in, line)) {
    std::istringstream stream(line);
    std::vector<double> row;
    for (std::string token; stream >> token;) {
      const double number = std::stod(token);
      if (!std::isnan(number)) row.push_back(number);
    }
    if (!row.empty()) rows.push_back(row);
  }
  return rows;
}

// Equal bit for bit, or missing in both.
bool is_same(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Vec3d& p, const Vec3d& q) {
    return p == q || (p.array().isNaN().all() && q.array().isNaN().all());
  });
}

TEST(Trc, RoundTripKeepsEveryPrintedDigit) {
  const TemporaryFolder folder;
  int files = 0;
  for (const std::filesystem::path& path : test::shared_files({".trc"})) {
    const MotionTrial trial = load_trc(path.string());
    const std::string written = folder.path("out.trc");
    save_trc(written, trial.markers);
    // Equal doubles by an independent reader: the decimals are those of the original.
    EXPECT_EQ(numbers_of(path.string()), numbers_of(written)) << path;
    expect_opens_in_opensim(written);
    const MotionTrial again = load_trc(written);
    EXPECT_TRUE(is_same(again.markers.positions, trial.markers.positions)) << path;
    EXPECT_EQ(again.markers.labels, trial.markers.labels);
    ++files;
  }
  if (files == 0) GTEST_SKIP() << "no recordings beside the repository";
  EXPECT_GE(files, 8);
}

TEST(Trc, RoundTripKeepsSeventeenDigitsAndMissingMarkers) {
  const TemporaryFolder folder;
  MotionTrial trial =
      read(header() +
           "1\t0\t-331.70579133039671\t92.359238560165202\t0.1\t\t\t\n"
           "2\t0.0066666666666666671\t331.7057913303967\t92.35923856016521\t3e-5\t401\t501\t601\n");
  save_trc(folder.path("a.trc"), trial.markers);
  expect_opens_in_opensim(folder.path("a.trc"));
  const MotionTrial again = load_trc(folder.path("a.trc"));
  EXPECT_FALSE(again.markers.has(0, 1));
  EXPECT_EQ(again.markers.times, trial.markers.times);
  for (std::size_t f = 0; f < 2; ++f) EXPECT_EQ(again.markers.at(f, 0), trial.markers.at(f, 0));
}

TEST(Trc, WriterRefusesWhatOpenSimWould) {
  const TemporaryFolder folder;
  const MarkerTracks good = read(header() + kRows).markers;
  const auto refusal = [&](const std::function<void(MarkerTracks*)>& spoil) {
    MarkerTracks bad = good;
    spoil(&bad);
    const std::string message = input_error_of([&] { save_trc(folder.path("x.trc"), bad); });
    EXPECT_FALSE(std::filesystem::exists(folder.path("x.trc")));
    return message;
  };
  EXPECT_NE(refusal([](MarkerTracks* m) { m->labels[1] = "A"; }).find("two markers are called 'A'"),
            std::string::npos);
  EXPECT_NE(refusal([](MarkerTracks* m) { m->labels[1] = "A\tB"; }).find("tab"), std::string::npos);
  EXPECT_NE(refusal([](MarkerTracks* m) { m->times[1] = 0.0; }).find("does not come after"),
            std::string::npos);
  EXPECT_NE(refusal([](MarkerTracks* m) { *m = MarkerTracks(); }).find("no marker frames"),
            std::string::npos);
}

}  // namespace
}  // namespace vesica::trc_test
