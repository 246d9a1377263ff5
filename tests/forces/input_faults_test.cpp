// Recordings and plates that contradict themselves: refused, or left out and told.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/forces/synthetic_walker.h"
#include "tests/support/support.h"
#include "vesica/forces/files.h"
#include "vesica/forces/judge.h"
#include "vesica/forces/outputs.h"
#include "vesica/forces/recording_digest.h"
#include "vesica/forces/signals.h"
#include "vesica/forces/stances.h"

namespace vesica::forces_input_faults_test {

using namespace forces;
using test::SyntheticWalker;

std::string join_lines(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

// Steps of somebody with legs of 0.9 m, on plates: what each carries in single support, N.
struct Step {
  const char* plate;
  double level;
};
struct Levelled {
  std::vector<PlateScale> scales;
  MeasuredWalk walk;
};
Levelled level(const std::vector<Step>& steps, double mass) {
  Body body;
  body.leg_length = 0.9;
  std::vector<MeasuredWalk> walks(1);
  for (size_t i = 0; i < steps.size(); ++i) {
    Contact c;
    c.side = static_cast<int>(i % 2);
    walks[0].walk.contacts.push_back(c);
    MeasuredStance s;
    s.contact = i;
    s.plate = steps[i].plate;
    s.level = s.begin_level = s.end_level = steps[i].level;
    walks[0].stances.push_back(s);
  }
  Levelled result;
  result.scales = level_plates(body, mass, &walks);
  result.walk = walks[0];
  return result;
}

TEST(ForcesPlateLevels, OneStepIsNoEvidenceForAMultiple) {
  for (const double half : {0.5, 2.0, 1.0 / 3}) {
    const Levelled one = level({{"1", 700}, {"2", 705}, {"3", 700 * half}}, 0);
    EXPECT_TRUE(one.scales.empty()) << half;
    ASSERT_EQ(one.walk.stances.size(), 2u) << half;
    ASSERT_EQ(one.walk.rejected.size(), 1u);
    EXPECT_EQ(one.walk.rejected[0].plate, "3");
    const Levelled two = level({{"1", 700}, {"2", 705}, {"3", 700 * half}, {"3", 702 * half}}, 0);
    ASSERT_EQ(two.scales.size(), 1u) << half;
    EXPECT_NEAR(two.scales[0].factor, half, 1e-12);
    EXPECT_EQ(two.walk.stances.size(), 4u);
    EXPECT_NEAR(two.walk.stances[3].level, 702, 1e-9);
  }
}

TEST(ForcesPlateLevels, AllPlatesMayBeWrong) {
  for (const double factor : {0.5, 2.0, 3.0}) {
    const std::vector<Step> steps = {{"1", 700 * factor}, {"2", 706 * factor}, {"1", 697 * factor}};
    // Nobody of that stature weighs so much, or so little.
    const Levelled untold = level(steps, 0);
    EXPECT_TRUE(untold.walk.stances.empty()) << factor;
    ASSERT_EQ(untold.walk.rejected.size(), 3u) << factor;
    EXPECT_NE(untold.walk.rejected[0].why.find("body mass index"), std::string::npos);
    // A mass that is told says by how much.
    const Levelled told = level(steps, 71.5);
    EXPECT_EQ(told.scales.size(), 2u) << factor;
    ASSERT_EQ(told.walk.stances.size(), 3u);
    EXPECT_NEAR(told.walk.stances[0].level, 700, 1e-9);
  }
  const Levelled once = level({{"1", 1400}}, 71.5);
  EXPECT_TRUE(once.walk.stances.empty());
}

TEST(ForcesPlateLevels, AToldMassThatContradictsPlatesIsNotBelieved) {
  for (const double mass : {50.0, 100.0}) {
    const Levelled wrong = level({{"1", 700}, {"2", 705}, {"1", 698}}, mass);
    EXPECT_TRUE(wrong.walk.stances.empty()) << mass;
    EXPECT_NE(wrong.walk.rejected.at(0).why.find("mass"), std::string::npos);
  }
  EXPECT_EQ(level({{"1", 700}, {"2", 705}}, 75).walk.stances.size(), 2u);
}

TEST(ForcesPlateLevels, WeightsThatDoNotGoWithTheLegsAreTold) {
  Body body;
  body.leg_length = 0.9;
  EXPECT_TRUE(say_mass_index(body, 71 * kGravity).empty());
  for (const double mass : {7.0, 30.0, 130.0, 250.0}) {
    EXPECT_NE(say_mass_index(body, mass * kGravity).find("is the mass right"), std::string::npos);
  }
}

struct Faulty {
  Body body = make_body(SyntheticWalker().make_trial(true));
  MotionTrial trial = SyntheticWalker().make_trial(false);

  // Changes every position of the markers whose names end so.
  template <class Change>
  void change(const std::string& ending, double from, double until, const Change& change) {
    MarkerTracks& m = trial.markers;
    for (size_t i = 0; i < m.markers(); ++i) {
      if (!m.labels[i].ends_with(ending)) continue;
      for (size_t k = 0; k < m.frames(); ++k) {
        if (m.times[k] > from && m.times[k] < until) m.at(k, i) = change(k, i);
      }
    }
  }
  Walk make() const { return make_walk(trial, "walk", body); }
};

// Accelerations, which forces are made of, against those of the recording without the fault.
void expect_same_accelerations(const Walk& walk, const Walk& plain) {
  const Track a = calc_untrained_total(walk), b = calc_untrained_total(plain);
  for (size_t k = 0; k < walk.frames(); ++k) {
    const size_t same = k + walk.first_frame - plain.first_frame;
    // Of body weight; 0.02 measured. 1 and more where a jump is differentiated.
    ASSERT_LT((a[k] - b[same]).norm(), 0.1) << walk.times[k];
  }
}

TEST(ForcesMarkerFaults, MarkersThatJumpAreLeftOutAndTold) {
  const Walk plain = Faulty().make();
  for (const std::string name : {"R.ASIS", "L.PSIS", "R.Heel", "L.Knee", "L.MT5"}) {
    for (const auto& [from, until] :
         {std::pair{1.2, 1.28}, std::pair{1.2, 1.45}, std::pair{4.5, 9.0}}) {
      Faulty f;
      f.change(name, from, until, [&](size_t k, size_t i) {
        return Vec3d(f.trial.markers.at(k, i) + Vec3d(0.05, 0.05, 0.03));
      });
      const Walk walk = f.make();
      EXPECT_NE(join_lines(walk.notes).find(name + " jumps by"), std::string::npos)
          << name << " until " << until << "\n"
          << join_lines(walk.notes);
      expect_same_accelerations(walk, plain);
    }
  }
  EXPECT_EQ(join_lines(plain.notes).find("jumps"), std::string::npos);
}

TEST(ForcesMarkerFaults, RecordingsThatWerePutTogetherAreCut) {
  Faulty f;
  f.change("", 3.0, 99,
           [&](size_t k, size_t i) { return Vec3d(f.trial.markers.at(k, i) + Vec3d(0.1, 0, 0)); });
  const Walk walk = f.make();
  EXPECT_LT(walk.times.back(), 3.001);
  EXPECT_NE(join_lines(walk.notes).find("put together"), std::string::npos)
      << join_lines(walk.notes);
  expect_same_accelerations(walk, Faulty().make());
}

TEST(ForcesMarkerFaults, FrozenFramesAreNotSeen) {
  for (const double seconds : {0.09, 0.3}) {
    Faulty f;
    const MotionTrial old = f.trial;
    const auto first = static_cast<size_t>(
        std::upper_bound(old.markers.times.begin(), old.markers.times.end(), 2.0) -
        old.markers.times.begin());
    f.change("", 2.0, 2.0 + seconds, [&](size_t, size_t i) { return old.markers.at(first, i); });
    const Walk walk = f.make();
    EXPECT_NE(join_lines(walk.notes).find("frozen"), std::string::npos) << seconds;
    EXPECT_EQ(walk.frames() < walk.all_times.size(), seconds > 0.1);
  }
}

TEST(ForcesMarkerFaults, StancesInWhichMarkersAreLostAreNotWhole) {
  const Walk plain = Faulty().make();
  for (const double part : {0.1, 0.5, 0.85, 0.97}) {
    const auto c = std::find_if(plain.contacts.begin(), plain.contacts.end(), [](const Contact& x) {
      return x.side == kRight && x.is_whole() && x.strike > 2.5;
    });
    ASSERT_NE(c, plain.contacts.end());
    Faulty f;
    const double lost = c->strike + part * c->duration();
    for (const char* name : {"R.Knee", "R.HF"}) {
      f.change(name, lost, 99, [](size_t, size_t) { return Vec3d(Vec3d::Constant(kMissing)); });
    }
    const Walk walk = f.make();
    const auto same =
        std::find_if(walk.contacts.begin(), walk.contacts.end(), [&](const Contact& x) {
          return x.side == kRight && std::abs(x.strike - c->strike) < 0.02;
        });
    ASSERT_NE(same, walk.contacts.end());
    EXPECT_TRUE(same->is_cut) << part;
    EXPECT_FALSE(same->is_whole()) << part;
    EXPECT_NE(join_lines(list_guesses(walk)).find("not predicted in part"), std::string::npos);
    // A load there is no measured stance.
    PlateForces plate;
    plate.name = "1";
    plate.rate = 1000;
    plate.normal = Vec3d::UnitY();
    for (double t = 0; t < plain.times.back(); t += 1e-3) {
      const bool on = t > c->strike && t < c->off;
      const auto k = static_cast<size_t>(std::lround(t * plain.rate));
      const Vec3d p = plain.as_recorded(k, plain.legs[kRight].origin[k]) + Vec3d(0.1, 0, 0);
      plate.times.push_back(t);
      plate.forces.push_back(Vec3d(0, on ? 700 : 0, 0));
      plate.centers_of_pressure.push_back(on ? p : Vec3d(Vec3d::Constant(kMissing)));
      plate.free_moments.push_back(on ? 0 : kMissing);
    }
    const MeasuredWalk measured = measure(walk, f.body, {plate});
    EXPECT_TRUE(measured.stances.empty()) << part;
    ASSERT_EQ(measured.rejected.size(), 1u);
    EXPECT_NE(measured.rejected[0].why.find("not seen"), std::string::npos)
        << measured.rejected[0].why;
  }
}

TEST(ForcesMarkerFaults, ASingleMissingMarkerIsNamed) {
  for (const std::string name : {"L.HF", "R.HF", "L.MT5", "R.PSIS", "L.ASIS"}) {
    Faulty f;
    for (std::string& label : f.trial.markers.labels) {
      if (label == name) label = "none";
    }
    const Walk walk = f.make();
    EXPECT_NE(join_lines(walk.notes).find("There is no " + name), std::string::npos) << name;
    EXPECT_FALSE(std::binary_search(walk.markers.begin(), walk.markers.end(), name.substr(2)));
  }
  // By the label that the file lacks, where its sides are exchanged.
  Faulty turned;
  for (std::string& label : turned.trial.markers.labels) {
    label[0] = label[0] == 'R' ? 'L' : 'R';
    if (label == "R.PSIS") label = "none";
  }
  EXPECT_NE(join_lines(turned.make().notes).find("There is no R.PSIS"), std::string::npos);
  for (const std::string name : {"L.MT1", "R.MT1", "L.Heel"}) {
    Faulty f;
    for (std::string& label : f.trial.markers.labels) {
      if (label == name) label = "none";
    }
    EXPECT_NE(test::input_error_of([&] { f.make(); }).find(name), std::string::npos) << name;
  }
}

TEST(ForcesMarkerFaults, WhatReadingTolerantlyFoundIsTold) {
  Faulty f;
  f.trial.warnings.push_back("the file ends early");
  EXPECT_NE(join_lines(f.make().notes).find("ends early"), std::string::npos);
  MotionTrial standing = SyntheticWalker().make_trial(true);
  standing.warnings.push_back("the file ends early");
  EXPECT_NE(join_lines(make_body(standing).notes).find("ends early"), std::string::npos);
}

TEST(ForcesDigest, CopiesHaveTheSame) {
  const SyntheticWalker walker;
  const std::string plain = calc_recording_digest(walker.make_trial(false).markers);
  SyntheticWalker moved = walker;
  moved.R << 0.6, 0, -0.8, 0.8, 0, 0.6, 0, -1, 0;
  moved.offset = Vec3d(0.3, -1, 0.05);
  MarkerTracks copy = moved.make_trial(false).markers;
  for (Vec3d& p : copy.positions) p = 1e-6 * Vec3d((1e6 * p).array().round());  // to 1 um
  EXPECT_EQ(calc_recording_digest(copy), plain);
  SyntheticWalker other = walker;
  other.steps.stride = 1.11;
  EXPECT_NE(calc_recording_digest(other.make_trial(false).markers), plain);
  EXPECT_NE(calc_recording_digest(walker.make_trial(true).markers), plain);
}

std::string error_of_standing(const MotionTrial& trial) {
  return test::input_error_of([&] { make_body(trial); });
}

TEST(ForcesStandingFaults, ExchangedLabelsAreRefused) {
  const auto exchange = [](const std::vector<std::string>& endings, char a, char b) {
    MotionTrial trial = SyntheticWalker().make_trial(true);
    for (std::string& label : trial.markers.labels) {
      if (std::find(endings.begin(), endings.end(), label.substr(2)) == endings.end()) continue;
      label[0] = label[0] == a ? b : a;
    }
    return trial;
  };
  const std::vector<std::string> foot = {"Heel", "MT1", "MT2", "MT5", "Ankle", "Ankle.Medial"};
  std::vector<std::string> leg = foot;
  leg.insert(leg.end(), {"Knee", "Knee.Medial", "HF", "TT"});
  for (const auto& part : {foot, leg, std::vector<std::string>{"Knee"}}) {
    EXPECT_NE(error_of_standing(exchange(part, 'R', 'L')).find("exchanged"), std::string::npos);
  }
  for (const auto& [one, two] : {std::pair<std::string, std::string>{"R.MT1", "R.MT5"},
                                 {"L.Knee", "L.Knee.Medial"},
                                 {"L.Ankle", "L.Ankle.Medial"}}) {
    MotionTrial trial = SyntheticWalker().make_trial(true);
    for (std::string& label : trial.markers.labels) {
      label = label == one ? two : label == two ? one : label;
    }
    EXPECT_NE(error_of_standing(trial).find(one), std::string::npos) << one;
  }
}

TEST(ForcesStandingFaults, OtherAxesAreRefused) {
  SyntheticWalker turned;
  turned.R << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  const Body body = make_body(turned.make_trial(true));
  const std::string error =
      test::input_error_of([&] { make_walk(SyntheticWalker().make_trial(false), "walk", body); });
  EXPECT_NE(error.find("+Y is up, but +Z in the standing trial"), std::string::npos) << error;
}

TEST(ForcesStandingFaults, AFrameOfAWalkIsNoStandingTrial) {
  const MotionTrial walk = SyntheticWalker().make_trial(false);
  size_t refused = 0, told = 0, frames = 0;
  for (size_t k = 0; k < walk.markers.frames(); k += 7) {
    MotionTrial frame = walk;
    frame.markers.times = {0.0};
    frame.markers.positions.assign(
        walk.markers.positions.begin() + static_cast<std::ptrdiff_t>(k * walk.markers.markers()),
        walk.markers.positions.begin() +
            static_cast<std::ptrdiff_t>((k + 1) * walk.markers.markers()));
    ++frames;
    try {
      told += join_lines(make_body(frame).notes).find("stands still") != std::string::npos ? 1 : 0;
    } catch (const std::exception&) {
      ++refused;
    }
  }
  EXPECT_EQ(refused + told, frames);
  EXPECT_GT(refused, frames / 2);
}

// Zero of the laboratory beside its floor: told, and nothing changes but heights.
TEST(ForcesStandingFaults, TheFloorIsWhereTheFeetStand) {
  const Population population =
      load_population(test::source_dir() + "/studies/forces/population.yaml");
  const SyntheticWalker walker;
  const Body plain_body = make_body(walker.make_trial(true));
  const Walk plain = make_walk(walker.make_trial(false), "walk", plain_body);
  const Prediction expected = predict(plain, plain_body, {&population, nullptr, 700});
  for (const double height : {-0.15, 0.05, 0.15, 0.3}) {
    for (const bool standing_too : {true, false}) {
      SyntheticWalker lifted = walker;
      lifted.offset = Vec3d(0, height, 0);
      const Body body = make_body((standing_too ? lifted : walker).make_trial(true));
      const Walk walk = make_walk(lifted.make_trial(false), "walk", body);
      EXPECT_NE(join_lines(standing_too ? body.notes : walk.notes).find("floor"), std::string::npos)
          << height;
      // The floor is at 20 mm below these feet's markers; 30 are usual.
      EXPECT_NEAR(walk.floor, height, 0.02) << height;
      const Prediction found = predict(walk, body, {&population, nullptr, 700});
      for (size_t side = 0; side < 2; ++side) {
        for (size_t k = 0; k < walk.frames(); ++k) {
          ASSERT_LT((found.feet[side].force[k] - expected.feet[side].force[k]).norm(), 30)  // N
              << height << " " << k;
        }
      }
    }
  }
}

}  // namespace vesica::forces_input_faults_test
