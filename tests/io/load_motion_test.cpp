#include "vesica/io/load_motion.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/io/motion_files.h"
#include "tests/support/support.h"
#include "vesica/io/motion_checks.h"

namespace vesica::load_motion_test {
namespace {

using test::input_error_of;

// What the recordings' README says of each file: markers, rows of the table, the axis that is up.
struct Known {
  const char* file;
  std::size_t markers, rows;
  const char* up;
};
constexpr Known kKnown[] = {
    {"wbds07/WBDS07static1.trc", 28, 0, "+y"},      {"wbds07/WBDS07walkO04C.trc", 22, 0, "+y"},
    {"wbds07/WBDS07walkO04C.mot", 0, 902, ""},      {"functional/right_hip.c3d", 73, 33800, "+z"},
    {"functional/right_knee.c3d", 73, 18440, "+z"}, {"opensim/walking2.c3d", 44, 9992, "+z"},
    {"opensim/markers_walk.trc", 41, 0, "+y"},      {"oxford_foot/HC038A11.c3d", 181, 2460, "+z"},
};

TEST(LoadMotion, EveryRecordingReads) {
  const auto files = test::shared_files({".trc", ".mot", ".sto", ".c3d", ".lst", ".asf"});
  if (files.empty()) GTEST_SKIP() << "no recordings beside the repository";
  EXPECT_GE(files.size(), 23u);
  for (const std::filesystem::path& path : files) {
    const MotionTrial trial = load_motion(path.string());
    EXPECT_TRUE(trial.markers.frames() > 0 || trial.analog.rows() > 0 || !trial.films.empty())
        << path;
    EXPECT_EQ(trial.file, path.string());
  }
  for (const Known& known : kKnown) {
    const MotionTrial trial = load_motion((test::shared_data() / known.file).string());
    EXPECT_EQ(trial.markers.markers(), known.markers) << known.file;
    EXPECT_EQ(trial.analog.rows(), known.rows) << known.file;
    EXPECT_EQ(find_up_axis(trial.markers), known.up) << known.file;
  }
}

TEST(LoadMotion, UnknownNamesAreErrors) {
  EXPECT_NE(input_error_of([] { load_motion("a.xyz"); }).find("the extension '.xyz' is unknown"),
            std::string::npos);
  EXPECT_NE(
      input_error_of([] { load_motion("/no/such.trc"); }).find("/no/such.trc: cannot be opened"),
      std::string::npos);
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("d.trc"));
  EXPECT_NE(input_error_of([&] { load_motion(folder.path("d.trc")); }).find("is a folder"),
            std::string::npos);
}

TEST(LoadMotion, CsvIsATableOrAFilm) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path("t.csv")) << "time,a\n0,1\n";
  std::ofstream(folder.path("p.csv"))
      << "pressure film,1\nunit,kPa\nrows,1\ncols,1\nrow_spacing,5 mm\n"
         "col_spacing,5 mm\nseconds_per_frame,0.01\nframe,1\n7\n";
  EXPECT_EQ(load_motion(folder.path("t.csv")).analog.rows(), 1u);
  EXPECT_EQ(load_motion(folder.path("p.csv")).films.at(0).at(0, 0, 0), 7e3);
}

// A walker along x with markers at heights from 0.05 to 1.5 m, up along `up`.
MarkerTracks walker(int up) {
  MarkerTracks m;
  m.labels = {"heel", "knee", "hip", "head"};
  m.rate = 100.0;
  m.unit_in_file = "mm";
  const double heights[] = {0.05, 0.5, 0.9, 1.5};
  for (int f = 0; f < 300; ++f) {
    m.times.push_back(0.01 * f);
    for (double h : heights) {
      Vec3d p = Vec3d::Zero();
      p[up] = h;
      p[(up + 1) % 3] = 0.013 * f;              // the way forward, on the positive side too
      p[(up + 2) % 3] = 0.1 * std::sin(7 * h);  // across
      m.positions.push_back(p);
    }
  }
  return m;
}

TEST(MotionChecks, FindsWhichAxisIsUp) {
  for (int up = 0; up < 3; ++up) {
    EXPECT_EQ(find_up_axis(walker(up)), std::string("+") + "xyz"[up]);
    MarkerTracks upside_down = walker(up);
    for (Vec3d& p : upside_down.positions) p = -p;
    EXPECT_EQ(find_up_axis(upside_down), std::string("-") + "xyz"[up]);
  }
  EXPECT_NO_THROW(require_up_axis(walker(1), "+y", "f"));
  EXPECT_NE(input_error_of([] {
              require_up_axis(walker(2), "+y", "f");
            }).find("f: the markers stand on the ground along +z, but +y was expected to be up"),
            std::string::npos);
}

TEST(MotionChecks, OneStrayMarkerDoesNotDecideTheScale) {
  MarkerTracks m = walker(1);
  m.at(5, 3).x() = 4e5;  // a ghost in one frame
  EXPECT_NO_THROW(check_marker_scale(m, "f"));
  EXPECT_NEAR(find_median_span(m), 1.45, 1e-12);
}

TEST(MotionChecks, LabelsBecomeUnique) {
  std::vector<std::string> labels = {"A", "", "A", "A", "A_2"}, warnings;
  make_labels_unique(&labels, &warnings);
  const std::vector<std::string> sorted = [&] {
    auto copy = labels;
    std::sort(copy.begin(), copy.end());
    return copy;
  }();
  EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
  EXPECT_EQ(labels[0], "A");
  EXPECT_EQ(labels[1], "unnamed_2");
  EXPECT_EQ(warnings.size(), 4u);
}

}  // namespace
}  // namespace vesica::load_motion_test
