// Recordings of one person and of others; trials in which the subject stands, and does not.
#include "vesica/markers/same_subject.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/markers/walking_people.h"
#include "tests/support/support.h"
#include "vesica/io/load_motion.h"
#include "vesica/markers/lower_extremity.h"
#include "vesica/markers/model_file.h"
#include "vesica/markers/recording.h"
#include "vesica/motion/trial_tidy.h"

namespace vesica::markers::same_subject_test {
namespace {

namespace fs = std::filesystem;
using vesica::test::input_error_of;

Trial make_walk(const Model& model, std::uint64_t subject, std::uint64_t seed) {
  const MarkerNoise noise{0.0005, 0.003, 0.1, 0, {}};
  return make_synthetic_trial(model, make_subject(model, 1, subject), MotionKind::kGait, 150, 100,
                              noise, seed)
      .trial;
}

// The first frame over and over, with a sway of 1 cm.
Trial make_standing(const Trial& walk) {
  Trial standing = walk;
  for (int f = 0; f < walk.frame_count(); ++f) {
    for (int m = 0; m < walk.marker_count; ++m) {
      standing.positions[static_cast<size_t>(f) * walk.marker_count + m] =
          walk.positions[m] + Vec3d(0.01 * std::sin(0.05 * f), 0, 0);
    }
  }
  return standing;
}

TEST(SameSubject, OthersAreToldAndTheSamePersonIsNot) {
  const Model model = make_lower_extremity(false);
  for (std::uint64_t subject = 1; subject <= 6; ++subject) {
    const Trial reference = make_walk(model, subject, 1);
    for (std::uint64_t other = 1; other <= 6; ++other) {
      const Trial trial = make_walk(model, other, 2);
      const SizeDifference d = compare_sizes(model, reference, trial);
      EXPECT_EQ(d.pairs, 6 + 2 * (1 + 6));  // pelvis 4 markers, shanks 2, feet 4
      EXPECT_EQ(d.is_other(), subject != other) << subject << " " << other << " " << d.rms;
      EXPECT_EQ(describe_other_person(model, reference, trial).empty(), subject == other);
    }
  }
}

// The rms of the pairs by hand: one of a triangle's sides is 30 mm longer.
TEST(SameSubject, DifferenceIsThatOfTheDistances) {
  Model model;
  model.segments = {Segment{"plate"}};
  for (const char* name : {"a", "b", "c"}) model.markers.push_back({name, 0, {}, 1, ""});
  Trial one;
  one.name = "one";
  one.marker_count = 3;
  one.positions = {Vec3d(0, 0, 0), Vec3d(0.4, 0, 0), Vec3d(0, 0.3, 0)};
  one.weights = {1, 1, 1};
  Trial other = one;
  other.name = "other";
  other.positions[1].x() = 0.43;
  const double hypotenuse = std::hypot(0.43, 0.3) - 0.5;
  const SizeDifference d = compare_sizes(model, one, other);
  EXPECT_NEAR(d.rms, std::sqrt((0.03 * 0.03 + hypotenuse * hypotenuse) / 3), 1e-12);
  EXPECT_EQ(d.a, 0);
  EXPECT_EQ(d.b, 1);
  EXPECT_NEAR(d.in_other, 0.43, 1e-12);
  EXPECT_EQ(d.moved, -1);  // one pair alone would be left to agree
  other.weights[1] = 0;
  EXPECT_FALSE(compare_sizes(model, one, other).is_other());
}

TEST(SameSubject, OneMarkerThatWasTapedOnAnewIsNamed) {
  const Model model = make_lower_extremity(false);
  const Trial reference = make_walk(model, 3, 1);
  Trial trial = make_walk(model, 3, 2);
  const int moved = model.find_marker("RTOE"), beside = model.find_marker("RHEEL");
  for (int f = 0; f < trial.frame_count(); ++f) {
    Vec3d* row = &trial.positions[static_cast<size_t>(f) * trial.marker_count];
    row[moved] += 0.06 * (row[beside] - row[moved]).normalized();
  }
  EXPECT_EQ(compare_sizes(model, reference, trial).moved, moved);
  EXPECT_NE(
      describe_other_person(model, reference, trial).find("marker RTOE sits at another place"),
      std::string::npos)
      << describe_other_person(model, reference, trial);
}

TEST(SameSubject, AWalkIsNoStandingTrial) {
  const Model model = make_lower_extremity(false);
  Trial walk = make_walk(model, 3, 1);
  walk.name = "walk";
  const std::string message = input_error_of([&] { check_stands(model, walk); });
  EXPECT_NE(message.find("walk: given as a standing trial"), std::string::npos) << message;
  check_stands(model, make_standing(walk));
  // On a treadmill the pelvis stays, the legs do not.
  for (int f = 0; f < walk.frame_count(); ++f) {
    for (int m = 0; m < walk.marker_count; ++m) {
      walk.positions[static_cast<size_t>(f) * walk.marker_count + m].x() -= 1.3 * f / walk.rate;
    }
  }
  EXPECT_THROW(check_stands(model, walk), InputError);
  // One wild marker does not make it a walk.
  Trial standing = make_standing(walk);
  for (int f = 0; f < standing.frame_count(); f += 2) {
    standing.positions[static_cast<size_t>(f) * standing.marker_count + 4] += Vec3d(1, 0, 0);
  }
  check_stands(model, standing);
}

// Every standing trial with every walk, of two people in a plain run (walking_people.h).
TEST(SameSubject, PeopleOfTheSharedRecordingsAreToldApart) {
  const fs::path data = vesica::test::shared_data();
  if (!fs::exists(data / "wbds")) GTEST_SKIP() << "no recordings at " << data;
  test::print_choice();
  const Model model =
      load_model(vesica::test::source_dir() + "/studies/markers/gait_wbds.yaml", nullptr);
  struct Trials {
    Trial standing;
    std::vector<Trial> walks;
  };
  const auto read = [&](const std::string& path) {
    MotionTrial motion = load_motion(path);
    tidy(&motion);
    return make_trial(model, motion, path, {}, nullptr);
  };
  std::vector<Trials> people;
  for (const test::Person& person : test::list_people({"wbds07", "WBDS24"})) {
    Trials& trials = people.emplace_back();
    trials.standing = read(person.standing);
    EXPECT_NO_THROW(check_stands(model, trials.standing)) << person.standing;
    for (const std::string& path : person.walks) {
      const Trial walk = read(path);
      EXPECT_THROW(check_stands(model, walk), InputError) << path;
      trials.walks.push_back(thin_trial(walk, 5));
    }
  }
  double same = 0, others = 1;
  for (const Trials& a : people) {
    for (const Trials& b : people) {
      for (const Trial& walk : b.walks) {
        const double rms = compare_sizes(model, a.standing, walk).rms;
        if (&a == &b) {
          same = std::max(same, rms);
        } else {
          others = std::min(others, rms);
        }
      }
    }
  }
  // Measured over every walk: 5.1 and 9.0 mm.
  EXPECT_LT(same, 0.0065);
  EXPECT_GT(others, 0.0080);
  RecordProperty("same", std::to_string(same));
  RecordProperty("others", std::to_string(others));
}

}  // namespace
}  // namespace vesica::markers::same_subject_test
