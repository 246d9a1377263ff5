// Plates that read a multiple of the others, in made and in real walks; files put together.
#include "vesica/motion/plate_scale.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "tests/support/support.h"
#include "vesica/io/load_motion.h"
#include "vesica/motion/trial_analysis.h"
#include "vesica/motion/trial_edit.h"

namespace vesica::plate_scale_test {
namespace {

namespace fs = std::filesystem;

struct Steps {
  std::vector<PlateForces> plates;
  std::vector<PlateContact> contacts;
  std::vector<Stance> stances;
};

// One stance of 0.6 s on each plate: a half sine on a table of `levels` (mean from 25 to 75 %: 0.9
// of the peak).
Steps make_steps(const std::vector<double>& levels) {
  Steps steps;
  for (size_t i = 0; i < levels.size(); ++i) {
    PlateForces plate;
    plate.name = std::to_string(i + 1);
    plate.rate = 1000;
    plate.normal = Vec3d::UnitY();
    const double start = 0.5 * static_cast<double>(i) + 0.1;
    for (int k = 0; k < 4000; ++k) {
      const double t = k / 1000.0, s = (t - start) / 0.6;
      const double mean = 2 * std::sqrt(2.0) / M_PI;  // of sin from 25 to 75 %
      plate.times.push_back(t);
      plate.forces.emplace_back(0, s > 0 && s < 1 ? levels[i] / mean * std::sin(M_PI * s) : 0, 0);
    }
    steps.plates.push_back(plate);
    PlateContact contact;
    contact.plate = static_cast<int>(i);
    contact.foot = i % 2 == 0 ? Foot::kLeft : Foot::kRight;
    contact.start = start;
    contact.end = start + 0.6;
    steps.contacts.push_back(contact);
    Stance stance;
    stance.foot = contact.foot;
    stance.start = contact.start;
    stance.end = contact.end;
    stance.contacts = {static_cast<int>(i)};
    steps.stances.push_back(stance);
  }
  return steps;
}

PlateScale find_scale(const std::vector<double>& levels, double stature) {
  const Steps steps = make_steps(levels);
  return find_plate_scale(steps.stances, steps.contacts, steps.plates, stature);
}

TEST(PlateScale, AMultipleIsNoticedAndAPartialStepIsNot) {
  // 533 N and 1,067 N at 1.55 m: mass indices of 24 and 49.
  const PlateScale twice = find_scale({533, 530, 1064, 1070}, 1.55);
  EXPECT_TRUE(twice.is_off());
  EXPECT_EQ(twice.factor, 2);
  EXPECT_EQ(twice.high, (std::vector<int>{2, 3}));
  EXPECT_TRUE(twice.high_is_wrong());
  // One plate in a thousandth and a partial step beside: the multiple is told all the same.
  EXPECT_TRUE(find_scale({523, 401, 1064}, 1.55).is_off());
  EXPECT_EQ(find_scale({533, 5330, 530, 531}, 1.55).factor, 10);
  // The lower ones are wrong: 600 N at 1.7 m is a body (23), 300 N is none.
  EXPECT_FALSE(find_scale({600, 300, 605, 598}, 1.7).is_off());
  EXPECT_FALSE(find_scale({600, 298, 605, 300}, 1.7).is_off());
  // Without a stature two of each have to agree.
  EXPECT_TRUE(find_scale({533, 530, 1064, 1070}, kMissing).is_off());
  EXPECT_FALSE(find_scale({533, 530, 1064, 1070}, kMissing).high_is_wrong());
  EXPECT_FALSE(find_scale({533, 1064}, kMissing).is_off());
  EXPECT_FALSE(find_scale({533, 560, 545, 541}, 1.55).is_off());
  EXPECT_FALSE(find_scale({533}, 1.55).is_off());
  EXPECT_FALSE(find_scale({}, 1.55).is_off());
}

TEST(PlateScale, AFootPartlyBesideAPlateIsMarkedByItsForce) {
  Steps steps = make_steps({600, 300, 605, 560});
  const PlateScale scale = find_plate_scale(steps.stances, steps.contacts, steps.plates, 1.7);
  mark_partial_steps(scale, steps.plates, steps.contacts, steps.stances);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(steps.contacts[i].partial, i == 1);
    EXPECT_EQ(steps.stances[i].partial, i == 1);
  }
  EXPECT_NEAR(steps.contacts[1].carried, 300.0 / 605.0, 1e-3);
  // Somebody with a stick on the right: 480 N there, step after step.
  steps = make_steps({600, 480, 605, 482});
  mark_partial_steps({}, steps.plates, steps.contacts, steps.stances);
  for (size_t i = 0; i < 4; ++i) EXPECT_FALSE(steps.contacts[i].partial);
  // Where two plates read twice, each is compared with its own group.
  steps = make_steps({533, 400, 1064, 1070});
  mark_partial_steps(find_plate_scale(steps.stances, steps.contacts, steps.plates, 1.55),
                     steps.plates, steps.contacts, steps.stances);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(steps.contacts[i].partial, i == 1);
}

// Steps of real walks that the plates' own numbers show to be partial: 280 and 400 N of 546 in the
// first file, 361 N of 660 in the second; in the third all are whole.
TEST(PlateScale, PartialStepsOfRealWalks) {
  const fs::path data = test::shared_data() / "wbds";
  if (!fs::exists(data)) GTEST_SKIP() << "no recordings at " << data;
  const auto find_partial = [&](const std::string& name) {
    const std::string stem = (data / name.substr(0, 6) / name).string();
    const TrialAnalysis a =
        analyse(join(load_motion(stem + ".trc"), load_motion(stem + ".mot")), {});
    std::set<int> plates;
    for (const PlateContact& c : a.contacts) {
      if (c.partial) plates.insert(c.plate + 1);
    }
    return plates;
  };
  EXPECT_EQ(find_partial("WBDS08walkO01C"), (std::set<int>{2, 3}));
  EXPECT_EQ(find_partial("WBDS34walkO01C"), (std::set<int>{3}));
  EXPECT_EQ(find_partial("WBDS01walkO08C"), (std::set<int>{}));
}

TEST(PlateScale, TheSentenceHasTheRemedy) {
  const Steps steps = make_steps({533, 530, 1064, 1070});
  const std::string text =
      describe(find_plate_scale(steps.stances, steps.contacts, steps.plates, 1.55), steps.plates);
  EXPECT_NE(text.find("plates 3 and 4 read 2.0"), std::string::npos) << text;
  EXPECT_NE(text.find("--plate-scale 3:0.5,4:0.5"), std::string::npos) << text;
}

TEST(PlateScale, ScalesForcesAndMomentsNotPoints) {
  MotionTrial table;
  table.file = "f.mot";
  for (const char* name : {"ground_force1_vx", "ground_force1_vy", "ground_force1_vz",
                           "ground_force1_px", "ground_force1_py", "ground_force1_pz",
                           "ground_torque1_x", "ground_torque1_y", "ground_torque1_z", "emg"}) {
    table.analog.columns.push_back({name, ""});
  }
  table.analog.times = {0.0};
  table.analog.values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  scale_plate(&table, 1, 0.5);
  EXPECT_EQ(table.analog.values, (std::vector<double>{0.5, 1, 1.5, 4, 5, 6, 3.5, 4, 4.5, 10}));
  EXPECT_NE(test::input_error_of([&] { scale_plate(&table, 2, 0.5); }).find("no force plate 2"),
            std::string::npos);
}

// 89 walks of thirteen people: two plates of one person read twice too much, no others do.
TEST(PlateScale, OneOfThirteenPeople) {
  const fs::path data = test::shared_data();
  if (!fs::exists(data)) GTEST_SKIP() << "no recordings at " << data;
  int told = 0, expected = 0, false_alarms = 0, walks = 0;
  for (const char* folder : {"wbds", "wbds07"}) {
    for (const auto& entry : fs::recursive_directory_iterator(data / folder)) {
      if (entry.path().extension() != ".mot") continue;
      ++walks;
      const MotionTrial trial =
          join(load_motion(fs::path(entry.path()).replace_extension(".trc").string()),
               load_motion(entry.path().string()));
      const TrialAnalysis analysis = analyse(trial, {});
      // In one of them both feet stepped on either of the plates that are right.
      const bool is_wrong = entry.path().filename().string().starts_with("WBDS18") &&
                            entry.path().stem() != "WBDS18walkO09S";
      expected += is_wrong;
      told += is_wrong && analysis.plate_scale.is_off();
      false_alarms += !is_wrong && analysis.plate_scale.is_off();
      if (analysis.plate_scale.is_off()) {
        fmt::print("  {}: {}\n", entry.path().stem().string(),
                   describe(analysis.plate_scale, analysis.plates));
        EXPECT_EQ(analysis.plate_scale.factor, 2);
        EXPECT_TRUE(analysis.plate_scale.high_is_wrong());
      }
    }
  }
  fmt::print("plates off scale: told in {} of {} walks, {} false alarms in {}\n", told, expected,
             false_alarms, walks - expected);
  EXPECT_EQ(told, expected);
  EXPECT_EQ(false_alarms, 0);
}

}  // namespace
}  // namespace vesica::plate_scale_test
