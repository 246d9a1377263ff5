// Which way is up, and plates whose corners are listed in a wrong order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tests/support/support.h"
#include "vesica/io/load_motion.h"
#include "vesica/motion/heading.h"
#include "vesica/motion/same_recording.h"
#include "vesica/motion/trial_analysis.h"
#include "vesica/motion/trial_edit.h"
#include "vesica/motion/up_axis.h"

namespace vesica::upright_test {
namespace {

MotionTrial load_shared(const char* name) {
  return load_motion((test::shared_data() / name).string());
}

bool speaks_of(const std::vector<std::string>& warnings, const std::string& text) {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const std::string& w) { return w.find(text) != std::string::npos; });
}

constexpr int kReversedOrders[4][4] = {{3, 2, 1, 0}, {1, 0, 3, 2}, {0, 3, 2, 1}, {2, 1, 0, 3}};

TEST(Upright, ReversedCornersLeaveTheSubjectOnItsFeet) {
  if (!std::filesystem::exists(test::shared_data())) GTEST_SKIP() << "no recordings";
  for (const char* name : {"oxford_foot/HC038A11.c3d", "opensim/walking2.c3d"}) {
    const MotionTrial trial = load_shared(name);
    const TrialAnalysis truth = analyse(trial, {});
    EXPECT_FALSE(speaks_of(truth.warnings, "in conflict")) << name;
    EXPECT_FALSE(speaks_of(truth.warnings, "wrong way round")) << name;
    for (const auto& order : kReversedOrders) {
      MotionTrial turned = trial;
      for (size_t p = 0; p < trial.plates.size(); ++p) {
        for (int i = 0; i < 4; ++i) {
          turned.plates[p].corners[i] = trial.plates[p].corners[order[i]];
        }
      }
      const TrialAnalysis found = analyse(turned, {});
      EXPECT_EQ(found.up_name, truth.up_name) << name;
      EXPECT_TRUE(speaks_of(found.warnings, "in conflict")) << name;
      EXPECT_TRUE(speaks_of(found.warnings, "wrong way round")) << name;
      // The forces are those of the file as it should be: to the last bit, as the order found is
      // the true one.
      ASSERT_EQ(found.plates.size(), truth.plates.size());
      for (size_t p = 0; p < truth.plates.size(); ++p) {
        for (size_t k = 0; k < truth.plates[p].size(); k += 50) {
          EXPECT_GE(found.plates[p].normal.dot(found.up), 0.99);
          if (!truth.plates[p].is_loaded(k)) continue;
          EXPECT_LT(
              (found.plates[p].centers_of_pressure[k] - truth.plates[p].centers_of_pressure[k])
                  .norm(),
              1e-12)
              << name << " " << p;
          EXPECT_LT((found.plates[p].forces[k] - truth.plates[p].forces[k]).norm(), 1e-9);
        }
      }
    }
  }
}

TEST(Upright, OnePlateOfTwoIsOutvoted) {
  if (!std::filesystem::exists(test::shared_data())) GTEST_SKIP() << "no recordings";
  MotionTrial trial = load_shared("oxford_foot/HC038A11.c3d");
  std::reverse(trial.plates[0].corners, trial.plates[0].corners + 4);
  const TrialAnalysis found = analyse(trial, {});
  EXPECT_EQ(found.up_name, "+z");
  EXPECT_TRUE(speaks_of(found.warnings, "The corners of force plate 1 say -z"));
}

TEST(Upright, CornersListedFromAnotherOneAreTold) {
  if (!std::filesystem::exists(test::shared_data())) GTEST_SKIP() << "no recordings";
  MotionTrial trial = load_shared("oxford_foot/HC038A11.c3d");
  int told = 0, far = 0;
  for (size_t p = 0; p < trial.plates.size(); ++p) {
    MotionTrial turned = trial;
    std::rotate(turned.plates[p].corners, turned.plates[p].corners + 2,
                turned.plates[p].corners + 4);
    const TrialAnalysis found = analyse(turned, {});
    for (const PlateContact& contact : found.contacts) {
      far += contact.plate == static_cast<int>(p) && contact.distance > 0.08;
    }
    told += speaks_of(found.warnings, "Are they listed from another corner?");
    EXPECT_EQ(found.up_name, "+z");
  }
  EXPECT_GT(far, 0);
  EXPECT_EQ(told, far);
}

TEST(Upright, AUserWhoSaysOtherwiseIsTold) {
  if (!std::filesystem::exists(test::shared_data())) GTEST_SKIP() << "no recordings";
  const MotionTrial trial = load_shared("oxford_foot/HC038A11.c3d");
  const GaitMarkers gait = find_gait_markers(trial.markers.labels);
  EXPECT_TRUE(find_up(trial, gait, "z").warnings.empty());
  const UpAxis wrong = find_up(trial, gait, "-z");
  EXPECT_EQ(wrong.name, "-z");
  EXPECT_TRUE(speaks_of(wrong.warnings, "-z up is taken"));
  EXPECT_NE(test::input_error_of([&] { find_up(trial, gait, "q"); }).find("expected x, y or z"),
            std::string::npos);
}

TEST(Upright, HeadingNeedsNoFirstFrame) {
  if (!std::filesystem::exists(test::shared_data())) GTEST_SKIP() << "no recordings";
  MotionTrial trial = load_shared("oxford_foot/HC038A11.c3d");
  MarkerTracks& markers = trial.markers;
  const GaitMarkers gait = find_gait_markers(markers.labels);
  const Vec3d whole = find_heading(markers, gait, Vec3d::UnitZ());
  EXPECT_GT(whole.normalized().y(), 0.99);  // the recording's own notes: walking +Y
  for (const int marker : gait.pelvis) {
    for (size_t k = 0; k < 10; ++k) markers.at(k, marker).setConstant(kMissing);
  }
  EXPECT_GT(find_heading(markers, gait, Vec3d::UnitZ()).normalized().dot(whole.normalized()),
            0.999);
  // On a belt the feet tell: the pelvis stays where it is.
  for (size_t k = 0; k < markers.frames(); ++k) {
    const Vec3d drift =
        whole * (static_cast<double>(k) / static_cast<double>(markers.frames() - 1));
    for (size_t i = 0; i < markers.markers(); ++i) markers.at(k, i) -= drift;
  }
  EXPECT_GT(find_heading(markers, gait, Vec3d::UnitZ()).normalized().dot(whole.normalized()), 0.95);
  EXPECT_EQ(find_heading(markers, GaitMarkers{}, Vec3d::UnitZ()).norm(), 0.0);
}

TEST(SameRecording, IsFoundWhateverItsNameAndLength) {
  if (!std::filesystem::exists(test::shared_data())) GTEST_SKIP() << "no recordings";
  const MotionTrial walk = load_shared("wbds07/WBDS07walkO04C.trc");
  const MotionTrial other = load_shared("wbds07/WBDS07walkO05C.trc");
  EXPECT_EQ(count_shared_frames(walk, walk), walk.markers.frames());
  EXPECT_EQ(count_shared_frames(walk, other), 0u);
  MotionTrial part = walk;
  trim(&part, walk.markers.times[50], walk.markers.times[149]);
  for (double& t : part.markers.times) t -= 0.3;  // its own clock
  for (Vec3d& p : part.markers.positions) p = (p * 1e5).array().round().matrix() / 1e5;  // 0.01 mm
  EXPECT_EQ(count_shared_frames(walk, part), 100u);
  EXPECT_EQ(count_shared_frames(part, walk), 100u);
  const MotionTrial forces = load_shared("wbds07/WBDS07walkO04C.mot");
  EXPECT_EQ(count_shared_frames(forces, forces), forces.analog.rows());
  EXPECT_EQ(count_shared_frames(forces, load_shared("wbds07/WBDS07walkO05C.mot")), 0u);
  EXPECT_EQ(count_shared_frames(walk, forces), 0u);
}

}  // namespace
}  // namespace vesica::upright_test
