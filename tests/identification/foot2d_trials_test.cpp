// Recordings that are wrong in ways of which labs know, as the planar foot takes them: mended, left
// out with the reason, or told.
#include "vesica/identification/foot2d_trials.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tests/support/support.h"
#include "vesica/error.h"
#include "vesica/io/load_motion.h"
#include "vesica/motion/marker_names.h"
#include "vesica/motion/plate_scale.h"
#include "vesica/motion/trial_edit.h"

namespace vesica::foot2d_trials_test {
namespace {

bool tells(const Foot2dTrials& trials, const std::string& words) {
  return std::any_of(trials.remarks.begin(), trials.remarks.end(), [&](const std::string& remark) {
    return remark.find(words) != std::string::npos;
  });
}

std::string list(const Foot2dTrials& trials) {
  std::string text;
  for (const std::string& remark : trials.remarks) text += remark + "\n";
  return text;
}

class Foot2dTrialsTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto folder = test::shared_data() / "wbds07";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no recordings at " << folder;
    const auto load = [&](const std::string& name) {
      return load_motion((folder / name).string());
    };
    standing_ = load("WBDS07static1.trc");
    for (const std::string name : {"O04C", "O05C"}) {
      const std::string stem = "WBDS07walk" + name;
      walks_.push_back({name, join(load(stem + ".trc"), load(stem + ".mot"))});
    }
  }
  Foot2dTrials find() const { return find_foot2d_stances(standing_, walks_, options_); }

  // Every number of a force table whose column's name has this in it.
  void change_forces(const std::string& part, const std::function<double(double)>& change) {
    for (FootTrial& walk : walks_) {
      TimeTable& table = walk.motion.analog;
      for (size_t c = 0; c < table.columns.size(); ++c) {
        if (table.columns[c].name.find(part) == std::string::npos) continue;
        for (size_t r = 0; r < table.rows(); ++r) table.at(r, c) = change(table.at(r, c));
      }
    }
  }
  void raise_markers(double height) {
    for (FootTrial& walk : walks_) {
      for (Vec3d& p : walk.motion.markers.positions) p.y() += height;
    }
  }

  MotionTrial standing_;
  std::vector<FootTrial> walks_;
  Foot2dTrialOptions options_;
};

void expect_same(const Foot2dTrials& a, const Foot2dTrials& b) {
  ASSERT_EQ(a.stances.size(), b.stances.size());
  EXPECT_NEAR(a.weight, b.weight, 1e-6);
  for (size_t k = 0; k < a.stances.size(); ++k) {
    const Foot2dStance &x = a.stances[k], &y = b.stances[k];
    EXPECT_EQ(x.name, y.name);
    ASSERT_EQ(x.frames(), y.frames());
    for (size_t f = 0; f < x.frames(); ++f) {
      EXPECT_NEAR(x.normal[f], y.normal[f], 1e-6);
      EXPECT_NEAR(x.friction[f], y.friction[f], 1e-6);
      EXPECT_NEAR(x.poses[f].x, y.poses[f].x, 1e-9);
      EXPECT_NEAR(x.H[f].y, y.H[f].y, 1e-9);
    }
  }
}

TEST_F(Foot2dTrialsTest, GoodRecordingsAreWithoutRemark) {
  const Foot2dTrials good = find();
  EXPECT_EQ(good.remarks.size(), 1u) << list(good);
  EXPECT_TRUE(tells(good, "no marker on the toes"));
}

// Stances are found in the mended walk; the plane has to be cut from the same.
TEST_F(Foot2dTrialsTest, ExchangedSidesAreMendedInThePlaneToo) {
  const Foot2dTrials whole = find();
  std::vector<std::string>& labels = walks_[1].motion.markers.labels;
  for (const SidedPair& pair : find_sided_pairs(labels)) {
    std::swap(labels[pair.left], labels[pair.right]);
  }
  const Foot2dTrials mended = find();
  EXPECT_TRUE(tells(mended, "exchanged")) << list(mended);
  expect_same(whole, mended);
}

TEST_F(Foot2dTrialsTest, DoubledPlatesAreMendedInThePlaneToo) {
  const Foot2dTrials whole = find();
  for (FootTrial& walk : walks_) {
    for (const int plate : {3, 4}) scale_plate(&walk.motion, plate, 2);
  }
  const Foot2dTrials mended = find();
  EXPECT_TRUE(tells(mended, "divided by 2")) << list(mended);
  expect_same(whole, mended);
}

// The lab's zero is not the floor, by markers alone or by markers and plates.
TEST_F(Foot2dTrialsTest, AFloorOffTheZeroIsTold) {
  const auto recorded = walks_;
  for (const double height : {0.03, 0.1, -0.03}) {
    for (const bool plates : {false, true}) {
      walks_ = recorded;
      raise_markers(height);
      if (plates) change_forces("_py", [&](double y) { return y + height; });
      const Foot2dTrials trials = find();
      const double ball = 1e3 * trials.stances[0].ball_height;
      EXPECT_TRUE(tells(trials, "above the lab's zero")) << height << plates << list(trials);
      EXPECT_NEAR(ball, 1e3 * height + 33, 8);
      EXPECT_EQ(tells(trials, fmt::format("act {:.0f} mm above it", 1e3 * height)), plates);
    }
  }
}

TEST_F(Foot2dTrialsTest, ForcesThatAreNotInNewtonsAreTold) {
  for (const double factor : {1 / 9.80665, 20.0}) {
    const auto recorded = walks_;
    change_forces("_v", [&](double f) { return factor * f; });
    change_forces("torque", [&](double m) { return factor * m; });
    const Foot2dTrials trials = find();
    EXPECT_TRUE(tells(trials, "is it in newtons?")) << factor << list(trials);
    walks_ = recorded;
  }
}

TEST_F(Foot2dTrialsTest, AShearThatIsTurnedAboutIsTold) {
  change_forces("_vx", [](double f) { return -f; });
  const Foot2dTrials trials = find();
  EXPECT_TRUE(tells(trials, "O04C: the force along the walk pushes first")) << list(trials);
  EXPECT_TRUE(tells(trials, "O05C: the force along the walk pushes first")) << list(trials);
}

// Each way of naming markers that make no foot leaves the right stances out, and says why.
TEST_F(Foot2dTrialsTest, MarkersThatMakeNoFootAreRefused) {
  struct Case {
    Foot2dMarkers markers;
    const char* words;
  };
  const Case cases[] = {
      {{{}, {"L.Heel"}, {}, {}}, "the distance from ankle to heel"},
      {{{}, {}, {"L.MT1"}, {}}, "the distance from ankle to ball"},
      {{{"L.Ankle"}, {}, {}, {}}, "the distance from ankle to"},
      {{{}, {}, {}, {"L.MT5"}}, "the distance from ball to tip of the toes"},
      {{{"L.Ankle"}, {"L.Heel"}, {"L.MT1"}, {}}, "of the other foot"},
      {{{"R.Knee"}, {}, {}, {}}, "from ankle to heel it is 4"},
      {{{}, {}, {"R.Heel"}, {"R.MT5"}}, "stands for"},
      {{{"R.Heel"}, {"R.Ankle"}, {}, {}}, "its ankle lies above its heel"},
      {{{}, {"R.MT1"}, {"R.Heel"}, {}}, "its ball lies ahead of its heel"},
      {{{}, {}, {"R.MT1"}, {"R.MT5"}}, "the tip of its toes lies ahead of its ball"},
  };
  for (const Case& c : cases) {
    options_.right = c.markers;
    const Foot2dTrials trials = find();
    for (const Foot2dStance& s : trials.stances) EXPECT_EQ(s.side, "left") << c.words;
    EXPECT_TRUE(tells(trials, c.words)) << c.words << "\n" << list(trials);
  }
}

TEST_F(Foot2dTrialsTest, MarkersThatAreMissingInSwingAreTold) {
  const Foot2dTrials whole = find();
  const Foot2dStance& s = whole.stances.front();
  MarkerTracks& markers = walks_[0].motion.markers;
  const size_t heel = markers.find(s.side == "left" ? "L.Heel" : "R.Heel");
  for (size_t f = 0; f < markers.frames(); ++f) {
    if (markers.times[f] > s.begin - 0.25 && markers.times[f] < s.begin - 0.1) {
      markers.at(f, heel) = Vec3d::Constant(kMissing);
    }
  }
  const Foot2dTrials cut = find();
  EXPECT_TRUE(tells(cut, "markers are missing in the swing before it, of which 0.0")) << list(cut);
  EXPECT_LT(cut.stances.front().frames(), s.frames());
}

TEST_F(Foot2dTrialsTest, StandingOfAnotherPersonIsTold) {
  for (const double factor : {0.9, 1.1}) {
    MotionTrial other = standing_;
    for (Vec3d& p : other.markers.positions) p *= factor;
    std::swap(other, standing_);
    const Foot2dTrials trials = find();
    EXPECT_TRUE(tells(trials, "is `standing` of the same person?")) << factor << list(trials);
    std::swap(other, standing_);
  }
}

// Floor and weight are shared: one that is not hers would move her fits.
TEST_F(Foot2dTrialsTest, WalksOfOthersAreLeftOutAndMoveNothing) {
  const Foot2dTrials own = find();
  const auto standing = standing_;
  const auto walks = walks_;
  for (const double factor : {0.85, 1.15}) {
    for (const bool standing_fits : {true, false}) {
      walks_ = walks;
      standing_ = standing;
      walks_.insert(walks_.begin(), {"other", walks[0].motion});
      for (Vec3d& p : walks_[0].motion.markers.positions) p *= factor;
      walks_.push_back({"other again", walks_[0].motion});
      walks_.push_back({"third", walks[1].motion});
      if (!standing_fits) {
        for (Vec3d& p : standing_.markers.positions) p *= 2 - factor;
        walks_.erase(walks_.begin() + 3);
      } else {
        walks_.pop_back();
      }
      const Foot2dTrials trials = find();
      EXPECT_TRUE(tells(trials, "other is left out: ")) << list(trials);
      if (standing_fits) {
        expect_same(own, trials);
      } else {
        EXPECT_TRUE(tells(trials, "is `standing` of the same person?")) << list(trials);
      }
      for (const Foot2dStance& s : trials.stances) EXPECT_FALSE(s.trial.starts_with("other"));
    }
  }
}

TEST_F(Foot2dTrialsTest, MarkersThatLeapOrFreezeAreNotSeenAndTold) {
  const Foot2dTrials own = find();
  MarkerTracks& markers = walks_[0].motion.markers;
  const MarkerTracks recorded = markers;
  for (size_t k = 0; k < 30; ++k) {
    markers.at(10 + 7 * k, (5 * k) % markers.markers()).x() += 0.08;
  }
  const Foot2dTrials mended = find();
  EXPECT_TRUE(tells(mended, "O04C: ") && tells(mended, "taken as not seen")) << list(mended);
  ASSERT_EQ(mended.stances.size(), own.stances.size());
  for (size_t k = 0; k < own.stances.size(); ++k) {
    const size_t frames = std::min(own.stances[k].frames(), mended.stances[k].frames());
    for (size_t f = 1; f <= frames; ++f) {  // the swing before may be cut
      const auto& a = own.stances[k].H[own.stances[k].frames() - f];
      const auto& b = mended.stances[k].H[mended.stances[k].frames() - f];
      EXPECT_NEAR(a.y, b.y, 0.003) << own.stances[k].name;
    }
  }
  markers = recorded;
  size_t middle = 0;
  const Foot2dStance& first = own.stances.front();
  while (markers.times[middle] < 0.5 * (first.begin + first.end)) ++middle;
  for (size_t f = middle; f < middle + 21; ++f) {
    for (size_t i = 0; i < markers.markers(); ++i) markers.at(f, i) = markers.at(middle, i);
  }
  const Foot2dTrials frozen = find();
  EXPECT_TRUE(tells(frozen, "the recording was frozen there")) << list(frozen);
  for (const Foot2dStance& s : frozen.stances) EXPECT_NE(s.name, first.name);
}

// Plates and markers with two zeros, along the walk.
TEST_F(Foot2dTrialsTest, APointOffTheFootIsTold) {
  const auto recorded = walks_;
  for (const double shift : {0.05, -0.07}) {
    change_forces("_px", [&](double x) { return x + shift; });
    const Foot2dTrials trials = find();
    EXPECT_TRUE(tells(trials, "do plates and markers share one zero?")) << shift << list(trials);
    walks_ = recorded;
  }
}

TEST_F(Foot2dTrialsTest, PoundsAreToldByTheHeight) {
  change_forces("_v", [](double f) { return f / 4.448; });
  change_forces("torque", [](double m) { return m / 4.448; });
  EXPECT_TRUE(tells(find(), "is it in newtons (pounds"));
}

TEST_F(Foot2dTrialsTest, ForcesThatPushDownAreToldOnce) {
  change_forces("_v", [](double f) { return -f; });
  change_forces("torque", [](double m) { return -m; });
  walks_.pop_back();
  try {
    find();
    FAIL() << "it was taken";
  } catch (const InputError& e) {
    const std::string why = e.what();
    const size_t at = why.find("N downwards");
    ASSERT_NE(at, std::string::npos) << why;
    EXPECT_EQ(why.find("N downwards", at + 1), std::string::npos) << why;
    EXPECT_EQ(why.find("kN"), std::string::npos) << why;
  }
}

// What real feet give for each bound of foot2d_trials.cpp.
TEST_F(Foot2dTrialsTest, BoundsAreFarFromRealFeet) {
  std::vector<Foot2dTrials> all = {find()};
  const auto folder = test::shared_data() / "oxford_foot";
  if (std::filesystem::exists(folder)) {
    const auto load = [&](const char* name) { return load_motion((folder / name).string()); };
    all.push_back(find_foot2d_stances(load("HC038A01.c3d"), {{"child", load("HC038A11.c3d")}}, {}));
  }
  const auto spread = [](const std::vector<double>& values) {
    double mean = 0, sum = 0;
    for (const double v : values) mean += v / double(values.size());
    for (const double v : values) sum += (v - mean) * (v - mean);
    return std::sqrt(sum / double(values.size()));
  };
  for (const Foot2dTrials& trials : all) {
    for (const Foot2dStance& s : trials.stances) {
      std::vector<double> AH, AP, PT;
      for (size_t f = 0; f < s.frames(); ++f) {
        AH.push_back(std::hypot(s.H[f].x - s.poses[f].x, s.H[f].y - s.poses[f].y));
        AP.push_back(std::hypot(s.P[f].x - s.poses[f].x, s.P[f].y - s.poses[f].y));
        PT.push_back(std::hypot(s.T[f].x - s.P[f].x, s.T[f].y - s.P[f].y));
      }
      EXPECT_LT(spread(AH), 0.008) << s.name;
      EXPECT_LT(spread(AP), 0.008) << s.name;
      EXPECT_LT(spread(PT), 0.008) << s.name;
      EXPECT_GT(s.ball_height, 0.02) << s.name;
      EXPECT_LT(s.ball_height, 0.045) << s.name;
    }
  }
}

}  // namespace
}  // namespace vesica::foot2d_trials_test
