// A walk whose markers are hidden, moved or frozen for a while: what the frames beside say, and
// what the user hears.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>

#include "tests/support/support.h"
#include "vesica/io/load_motion.h"
#include "vesica/markers/model_file.h"
#include "vesica/markers/outputs.h"
#include "vesica/markers/run.h"
#include "vesica/markers/same_subject.h"
#include "vesica/markers/standing.h"

namespace vesica::markers::lost_segment_test {
namespace {

namespace fs = std::filesystem;

class EditedWalk : public ::testing::Test {
 protected:
  void SetUp() override {
    const fs::path folder = vesica::test::shared_data() / "wbds07";
    if (!fs::exists(folder)) GTEST_SKIP() << "no recordings at " << folder;
    standing_ = load_motion((folder / "WBDS07static1.trc").string());
    walk_ = load_motion((folder / "WBDS07walkO04C.trc").string());
  }

  markers::Run& fit(markers::Run& run, const std::function<void(MarkerTracks&)>& edit) const {
    run.model = load_model(vesica::test::source_dir() + "/studies/markers/gait_wbds_standing.yaml",
                           nullptr);
    calibrate(standing_, run.model);
    MotionTrial motion = walk_;
    edit(motion.markers);
    run.trials.push_back(make_trial(run.model, motion, "walk", {}, &run.warnings));
    run_identification(run, {});
    run.neutral =
        find_neutral_pose(run, make_trial(run.model, standing_, "standing", {}, nullptr), {}, 0);
    return run;
  }

  static void hide(std::initializer_list<const char*> names, size_t first, size_t end,
                   MarkerTracks& tracks) {
    for (const char* name : names) {
      for (size_t k = first; k < end; ++k) {
        tracks.at(k, tracks.find(name)).setConstant(std::numeric_limits<double>::quiet_NaN());
      }
    }
  }

  // deg, largest over the angles of rows [first, end).
  static double compare(const TimeTable& a, const TimeTable& b, size_t first, size_t end) {
    double most = 0;
    for (size_t r = first; r < end; ++r) {
      for (size_t c = 0; c < a.columns.size(); ++c) {
        if (a.columns[c].unit != "deg") continue;
        const size_t at = r * a.columns.size() + c;
        most = std::max(most, std::abs(a.values[at] - b.values[at]));
      }
    }
    return most;
  }

  static std::string find_warning(const markers::Run& run, const std::string& words) {
    for (const std::string& warning : run.warnings) {
      if (warning.find(words) != std::string::npos) return warning;
    }
    return {};
  }

  MotionTrial standing_, walk_;
};

TEST_F(EditedWalk, ALostShankIsPutBetweenTheFramesBeside) {
  markers::Run whole, lost;
  fit(whole, [](MarkerTracks&) {});
  fit(lost, [](MarkerTracks& tracks) { hide({"R.HF", "R.TT", "R.Ankle"}, 100, 180, tracks); });
  const TimeTable truth = make_joint_table(whole, 0), table = make_joint_table(lost, 0);
  // Weights fade for some frames beside the gap.
  EXPECT_LT(compare(truth, table, 0, 90), 0.5);
  EXPECT_LT(compare(truth, table, 190, truth.rows()), 0.5);
  // The open turn about the shank's length is interpolated; what markers of thigh and foot hold is
  // not. Axial rotation of a knee and an ankle in walking spans some 20 deg.
  EXPECT_LT(compare(truth, table, 90, 190), 20);  // measured 11.4
  const size_t knee = table.find("knee_flexion_r");
  for (size_t r = 100; r < 180; ++r) {
    const size_t at = r * table.columns.size() + knee;
    EXPECT_NEAR(table.values[at], truth.values[at], 10) << r;
  }
  const std::string said = find_warning(lost, "frames 101 to 180");
  EXPECT_NE(said.find("shank_r"), std::string::npos) << said;
  EXPECT_NE(said.find("between the frames beside"), std::string::npos) << said;
  for (size_t k = 0; k < lost.marks.turn.size(); ++k) {
    EXPECT_LE(lost.marks.turn[k], kPi);
    const bool in_gap = k >= 100 && k < 180;
    if (in_gap) {
      EXPECT_EQ(lost.marks.reason[k], MarkReason::kLoose) << k;
    }
  }
}

TEST_F(EditedWalk, FramesWithoutAnyMarkerAreBetweenThoseBeside) {
  markers::Run whole, lost;
  fit(whole, [](MarkerTracks&) {});
  fit(lost, [](MarkerTracks& tracks) {
    for (size_t k = 200; k < 212; ++k) {
      for (size_t m = 0; m < tracks.markers(); ++m) {
        tracks.at(k, m).setConstant(std::numeric_limits<double>::quiet_NaN());
      }
    }
  });
  // 80 ms of a walk are nearly straight.
  EXPECT_LT(compare(make_joint_table(whole, 0), make_joint_table(lost, 0), 0, 451), 12);
  EXPECT_NE(find_warning(lost, "frames 201 to 212").find("all segments"), std::string::npos);
}

// A marker that sits 3 cm beside where it did in the standing trial, all the time.
TEST_F(EditedWalk, AMarkerTapedOnElsewhereIsNamed) {
  markers::Run run;
  fit(run, [](MarkerTracks&) {});
  const Trial standing = make_trial(run.model, standing_, "standing", {}, nullptr);
  EXPECT_EQ(describe_other_person(run.model, standing, run.trials[0]), "");
  Trial moved = run.trials[0];
  const int m = run.model.find_marker("R.HF");
  const int other = run.model.find_marker("R.TT");
  for (int k = 0; k < moved.frame_count(); ++k) {
    const size_t at = static_cast<size_t>(k) * moved.marker_count;
    moved.positions[at + m] +=
        0.03 * (moved.positions[at + m] - moved.positions[at + other]).normalized();
  }
  const std::string said = describe_other_person(run.model, standing, moved);
  EXPECT_NE(said.find("R.HF"), std::string::npos) << said;
  EXPECT_NE(said.find("another place than in standing"), std::string::npos) << said;
}

// Every marked frame is told, one way or another.
TEST_F(EditedWalk, AMarkerThatMovesOnTheSkinIsNamed) {
  markers::Run run;
  fit(run, [](MarkerTracks& tracks) {
    const size_t knee = tracks.find("R.Knee");
    for (size_t k = 200; k < tracks.frames(); ++k) tracks.at(k, knee).y() += 0.04;
  });
  ASSERT_NE(run.marks.reason[300], MarkReason::kNone);
  const std::string said = find_warning(run, "R.Knee");
  EXPECT_NE(said, "");
  EXPECT_NE(said.find("mm"), std::string::npos) << said;
}

}  // namespace
}  // namespace vesica::markers::lost_segment_test
