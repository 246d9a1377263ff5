// Recordings with faults that labs know: labels exchanged, plates off scale, markers on one foot.
#include "vesica/identification/foot_trials.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/support/support.h"
#include "vesica/error.h"
#include "vesica/io/load_motion.h"
#include "vesica/motion/marker_names.h"
#include "vesica/motion/plate_scale.h"
#include "vesica/motion/trial_edit.h"

namespace vesica::foot_trials_test {
namespace {

class FootTrialsTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto folder = test::shared_data() / "wbds07";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no recordings at " << folder;
    const auto load = [&](const char* name) { return load_motion((folder / name).string()); };
    standing_ = load("WBDS07static1.trc");
    for (const char* name : {"O04C", "O05C"}) {
      const std::string stem = std::string("WBDS07walk") + name;
      walks_.push_back({name, join(load((stem + ".trc").c_str()), load((stem + ".mot").c_str()))});
    }
    options_.weight = 697;
  }
  static bool tells(const FootTrials& trials, const std::string& words) {
    for (const std::string& remark : trials.remarks) {
      if (remark.find(words) != std::string::npos) return true;
    }
    return false;
  }
  static void expect_same(const FootTrials& a, const FootTrials& b) {
    ASSERT_EQ(a.stances.size(), b.stances.size());
    for (size_t k = 0; k < a.stances.size(); ++k) {
      const FootTrials::Entry &x = a.stances[k], &y = b.stances[k];
      EXPECT_EQ(x.side, y.side);
      EXPECT_NEAR(x.begin, y.begin, 1e-9);
      ASSERT_EQ(x.stance.frames.size(), y.stance.frames.size());
      for (size_t f = 0; f < x.stance.frames.size(); ++f) {
        EXPECT_NEAR(x.stance.force[f], y.stance.force[f], 1e-9 * 700);
        EXPECT_LE((x.stance.frames[f].foot.X_WB.p_WB - y.stance.frames[f].foot.X_WB.p_WB).norm(),
                  1e-12);
      }
    }
  }

  MotionTrial standing_;
  std::vector<FootTrial> walks_;
  FootTrialOptions options_;
};

TEST_F(FootTrialsTest, AWalkWithExchangedSidesIsTurnedAbout) {
  const FootTrials whole = find_foot_stances(standing_, walks_, options_);
  EXPECT_FALSE(tells(whole, "exchanged"));
  std::vector<std::string>& labels = walks_[1].motion.markers.labels;
  for (const SidedPair& pair : find_sided_pairs(labels)) {
    std::swap(labels[pair.left], labels[pair.right]);
  }
  const FootTrials mended = find_foot_stances(standing_, walks_, options_);
  EXPECT_TRUE(tells(mended, "O05C"));
  EXPECT_TRUE(tells(mended, "exchanged"));
  expect_same(whole, mended);
}

// Two plates that read twice as much, in both walks, as those of WBDS18.
TEST_F(FootTrialsTest, PlatesThatReadTwiceAreScaled) {
  const FootTrials whole = find_foot_stances(standing_, walks_, options_);
  for (FootTrial& walk : walks_) {
    for (const int plate : {3, 4}) scale_plate(&walk.motion, plate, 2);
  }
  const FootTrials mended = find_foot_stances(standing_, walks_, options_);
  EXPECT_TRUE(tells(mended, "divided by 2"));
  expect_same(whole, mended);
  // Told by hand, nothing is left to find.
  options_.plate_scale = {{3, 0.5}, {4, 0.5}};
  const FootTrials told = find_foot_stances(standing_, walks_, options_);
  EXPECT_FALSE(tells(told, "divided by 2"));
  expect_same(whole, told);
  options_.plate_scale = {{9, 0.5}};
  EXPECT_THROW(find_foot_stances(standing_, walks_, options_), InputError);
}

// A lab that puts markers on the right foot only.
TEST_F(FootTrialsTest, OneFootIsEnough) {
  const FootTrials both = find_foot_stances(standing_, walks_, options_);
  const auto hide_left = [](MarkerTracks* tracks) {
    for (std::string& label : tracks->labels) {
      for (const char* name : {"L.Heel", "L.MT1", "L.MT2", "L.MT5", "L.Ankle"}) {
        if (label == name) label = "X." + label.substr(2);
      }
    }
  };
  hide_left(&standing_.markers);
  for (FootTrial& walk : walks_) hide_left(&walk.motion.markers);
  const FootTrials right = find_foot_stances(standing_, walks_, options_);
  EXPECT_TRUE(tells(right, "no markers of the left foot"));
  EXPECT_FALSE(right.left.is_there());
  size_t expected = 0;
  for (const FootTrials::Entry& e : both.stances) expected += e.side == Foot::kRight ? 1 : 0;
  EXPECT_EQ(right.stances.size(), expected);
  for (const FootTrials::Entry& e : right.stances) EXPECT_EQ(e.side, Foot::kRight);
}

TEST_F(FootTrialsTest, AWalkIsNoStandingTrial) {
  const std::string error =
      test::input_error_of([&] { find_foot_stances(walks_[0].motion, {walks_[1]}, options_); });
  EXPECT_NE(error.find("moves"), std::string::npos) << error;
}

// The free moment is there where the point of action is, and a few newton metres in walking.
TEST_F(FootTrialsTest, FreeMomentsAreRead) {
  for (const FootTrials::Entry& e : find_foot_stances(standing_, walks_, options_).stances) {
    ASSERT_EQ(e.stance.free_moment.size(), e.stance.frames.size());
    double largest = 0;
    for (size_t f = 0; f < e.stance.frames.size(); ++f) {
      if (e.stance.force[f] < 50) continue;
      ASSERT_TRUE(std::isfinite(e.stance.free_moment[f]));
      largest = std::max(largest, std::abs(e.stance.free_moment[f]));
    }
    EXPECT_GT(largest, 1);
    EXPECT_LT(largest, 20);
  }
}

}  // namespace
}  // namespace vesica::foot_trials_test
