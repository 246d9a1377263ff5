// Recordings with faults that labs know: labels exchanged, plates off scale, markers on one foot.
#include "vesica/identification/foot_trials.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include <fstream>

#include "tests/support/support.h"
#include "vesica/error.h"
#include "vesica/identification/foot_study_file.h"
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

TEST_F(FootTrialsTest, MarkersThatLeapAreNotSeen) {
  const FootTrials whole = find_foot_stances(standing_, walks_, options_);
  EXPECT_FALSE(tells(whole, "not seen"));
  MarkerTracks& markers = walks_[0].motion.markers;
  for (const char* label : {"R.Heel", "R.MT1", "L.Heel"}) {
    for (const size_t f : {40u, 90u, 150u, 200u}) markers.at(f, markers.find(label)).y() += 0.08;
  }
  const FootTrials mended = find_foot_stances(standing_, walks_, options_);
  EXPECT_TRUE(tells(mended, "taken as not seen in 12 frames"));
  ASSERT_EQ(mended.stances.size(), whole.stances.size());
  for (size_t k = 0; k < whole.stances.size(); ++k) {
    const FootStance &a = whole.stances[k].stance, &b = mended.stances[k].stance;
    ASSERT_EQ(a.frames.size(), b.frames.size());
    for (size_t f = 0; f < a.frames.size(); ++f) {
      EXPECT_LE((a.frames[f].foot.X_WB.p_WB - b.frames[f].foot.X_WB.p_WB).norm(), 0.002);
    }
  }
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

// Another zero and other axes of the lab, y up as before.
void move_lab(double turn, const Vec3d& shift, MotionTrial* motion) {
  const Mat3d R = as_rotation_123({0, turn, 0});
  for (Vec3d& p : motion->markers.positions) p = R * p + shift;
  for (const PlateColumns& plate : find_plate_columns(motion->analog)) {
    for (size_t row = 0; row < motion->analog.rows(); ++row) {
      const auto move = [&](const auto& columns, const Vec3d& by) {
        Vec3d v;
        for (size_t c = 0; c < 3; ++c) v[static_cast<int>(c)] = motion->analog.at(row, columns[c]);
        v = R * v + by;
        for (size_t c = 0; c < 3; ++c) motion->analog.at(row, columns[c]) = v[static_cast<int>(c)];
      };
      move(plate.v, Vec3d::Zero());
      move(plate.m, Vec3d::Zero());
      move(plate.p, shift);
    }
  }
}

// Wherever the lab has its zero and its axes, a stance is the same.
TEST_F(FootTrialsTest, TheLabsZeroAndAxesDoNotMatter) {
  const FootTrials before = find_foot_stances(standing_, walks_, options_);
  for (const auto& [turn, shift] : {std::pair{0.0, Vec3d(-3, 0, 1)}, std::pair{0.7, Vec3d(0, 0, 0)},
                                    std::pair{M_PI, Vec3d(2.4, 0, 5)}}) {
    MotionTrial standing = standing_;
    move_lab(turn, shift, &standing);
    std::vector<FootTrial> walks = walks_;
    for (FootTrial& walk : walks) move_lab(turn, shift, &walk.motion);
    const FootTrials after = find_foot_stances(standing, walks, options_);
    ASSERT_EQ(before.stances.size(), after.stances.size()) << turn;
    for (size_t k = 0; k < before.stances.size(); ++k) {
      const FootStance &a = before.stances[k].stance, &b = after.stances[k].stance;
      ASSERT_EQ(a.frames.size(), b.frames.size());
      for (size_t f = 0; f < a.frames.size(); ++f) {
        EXPECT_NEAR(a.force[f], b.force[f], 1e-7);
        EXPECT_LE((a.frames[f].foot.X_WB.p_WB - b.frames[f].foot.X_WB.p_WB).norm(), 1e-9);
        EXPECT_LE((a.frames[f].foot.X_WB.R_WB - b.frames[f].foot.X_WB.R_WB).norm(), 1e-9);
        if (a.force[f] > 50) {
          EXPECT_LE((a.cop[f] - b.cop[f]).norm(), 1e-9);
        }
        if (a.force[f] > 50) {
          EXPECT_LE((a.shear[f] - b.shear[f]).norm(), 1e-6);
        }
      }
    }
  }
}

void exchange(const std::string& a, const std::string& b, MarkerTracks* tracks) {
  for (std::string& label : tracks->labels) {
    if (label == a) {
      label = b;
    } else if (label == b) {
      label = a;
    }
  }
}

// Standing trials that are not those of the walks, weights and forces that are not theirs: each is
// refused or told, and what is as it should be is not.
TEST_F(FootTrialsTest, RecordingsThatDoNotBelongTogetherAreTold) {
  options_.check = true;
  const FootTrials honest = find_foot_stances(standing_, walks_, options_);
  for (const char* words : {"same", "flat", "peak", "disagree"}) {
    EXPECT_FALSE(tells(honest, words)) << words;
  }
  struct Fault {
    const char* what;
    std::function<void(MotionTrial* standing, std::vector<FootTrial>* walks)> make;
    const char* told;
  };
  const auto each = [](MotionTrial* motion, const std::function<Vec3d(const Vec3d&)>& f) {
    for (Vec3d& p : motion->markers.positions) p = f(p);
  };
  const std::vector<Fault> faults = {
      {"another axis up",
       [&](MotionTrial* s, auto*) {
         each(s, [](const Vec3d& p) { return Vec3d(p.x(), -p.z(), p.y()); });
       },
       "turned over"},
      {"another unit",
       [&](MotionTrial* s, auto*) { each(s, [](const Vec3d& p) { return Vec3d(10 * p); }); },
       "not the markers of the foot"},
      {"another height",
       [&](MotionTrial* s, auto*) {
         each(s, [](const Vec3d& p) { return Vec3d(p + Vec3d(0, 0.2, 0)); });
       },
       "lower than it stood"},
      {"another person",
       [&](MotionTrial* s, auto*) { each(s, [](const Vec3d& p) { return Vec3d(1.1 * p); }); },
       "same person"},
      {"metatarsals exchanged",
       [](MotionTrial* s, auto*) { exchange("R.MT1", "R.MT5", &s->markers); }, "R.MT5 to R.Ankle"},
      {"heel and ankle exchanged",
       [](MotionTrial*, auto* walks) {
         for (FootTrial& w : *walks) exchange("R.Heel", "R.Ankle", &w.motion.markers);
       },
       "R.Heel"},
  };
  for (const Fault& fault : faults) {
    MotionTrial standing = standing_;
    std::vector<FootTrial> walks = walks_;
    fault.make(&standing, &walks);
    std::string said;
    try {
      for (const std::string& r : find_foot_stances(standing, walks, options_).remarks) {
        said += r + "\n";
      }
    } catch (const InputError& e) {
      said = e.what();
    }
    EXPECT_NE(said.find(fault.told), std::string::npos) << fault.what << ":\n" << said;
  }
  for (const double weight : {71.0, 1400.0}) {
    FootTrialOptions other = options_;
    other.weight = weight;
    EXPECT_TRUE(tells(find_foot_stances(standing_, walks_, other), "is `weight` right"));
  }
  std::swap(walks_[0].motion.analog, walks_[1].motion.analog);
  EXPECT_TRUE(tells(find_foot_stances(standing_, walks_, options_), "are they of one walk"));
}

// A marker of the great toe that the standing trial has and a walk has not: refused where it is
// asked for, else told.
TEST_F(FootTrialsTest, ALostMarkerOfTheGreatToeIsTold) {
  const auto folder = test::shared_data() / "wbds07";
  const auto own = std::filesystem::temp_directory_path() / "vesica_lost_hallux";
  std::filesystem::create_directories(own);
  const auto copy = [&](const char* name) {
    std::ifstream in(folder / name);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    for (const char* side : {"L.", "R."}) {
      const size_t at = text.find(std::string(side) + "TT");  // any marker that both trials have
      ASSERT_NE(at, std::string::npos);
      text.replace(at, 4, std::string(side) + "Hallux");
    }
    std::ofstream(own / name) << text;
  };
  copy("WBDS07static1.trc");
  copy("WBDS07walkO04C.trc");
  const auto read = [&](bool lost, const std::string& fit) {
    const std::string forces = (folder / "WBDS07walkO04C.mot").string();
    std::string text = "vesica: 1\ntype: foot\nstanding: " + (own / "WBDS07static1.trc").string() +
                       "\nwalks:\n  - {name: a, markers: " + (own / "WBDS07walkO04C.trc").string() +
                       ", forces: " + forces + "}\n";
    if (lost) {
      text += "  - {name: b, markers: " + (folder / "WBDS07walkO05C.trc").string() +
              ", forces: " + (folder / "WBDS07walkO05C.mot").string() + "}\n";
    }
    return foot_detail::read_foot_plan(
        InputFile::parse(text + "calibrate: [a]\nweight: 697 N\n" + fit, "lost.yaml"));
  };
  using Toe = FootFitSettings::Toe;
  EXPECT_EQ(read(false, "").joint.toe, Toe::kMeasured);
  EXPECT_EQ(read(false, "fit: {toe: measured}\n").joint.toe, Toe::kMeasured);
  const foot_detail::FootPlan plan = read(true, "");
  EXPECT_EQ(plan.joint.toe, Toe::kShared);
  EXPECT_EQ(plan.source.toe, Toe::kOwn);
  EXPECT_TRUE(tells(plan.trials, "has no marker L.Hallux") ||
              tells(plan.trials, "has no marker R.Hallux"));
  const std::string error = test::input_error_of([&] { read(true, "fit: {toe: measured}\n"); });
  EXPECT_NE(error.find(".Hallux"), std::string::npos) << error;
  EXPECT_NE(error.find("walk b"), std::string::npos) << error;
  std::filesystem::remove_all(own);
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
