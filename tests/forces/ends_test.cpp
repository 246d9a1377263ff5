// A walk has a foot on the floor at any time: at the ends of a recording, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/forces/synthetic_walker.h"
#include "tests/support/support.h"
#include "vesica/forces/files.h"
#include "vesica/forces/outputs.h"
#include "vesica/forces/recordings.h"
#include "vesica/forces/signals.h"
#include "vesica/motion/trial_edit.h"

namespace vesica::forces_ends_test {

using namespace forces;
using test::SyntheticWalker;

Population load_shipped() {
  return load_population(test::source_dir() + "/studies/forces/population.yaml");
}

// Whether a foot of the walker stands, and how far the nearest of its events is.
struct Truth {
  bool on = false;
  double distance = 1;
};
Truth find_truth(const SyntheticWalk& steps, int foot, double t) {
  Truth truth;
  for (int n = -2; n < 8; ++n) {
    const double strike = steps.strike_of(foot, n), off = steps.off_of(foot, n);
    truth.on = truth.on || (t >= strike && t <= off);
    truth.distance = std::min({truth.distance, std::abs(t - strike), std::abs(t - off)});
  }
  return truth;
}

// Wherever the recording begins and ends, feet that stand carry.
TEST(ForcesEnds, FeetThatStandCarryWhereverTheRecordingIsCut) {
  const Population population = load_shipped();
  const SyntheticWalker walker;
  const Body body = make_body(walker.make_trial(true));
  const MotionTrial whole = walker.make_trial(false);
  for (int cut = 0; cut < 55; ++cut) {
    for (const bool at_end : {true, false}) {
      MotionTrial trial = whole;
      const double t = at_end ? 4.0 + 0.02 * cut : 0.9 + 0.02 * cut;
      trim(&trial, at_end ? 0.0 : t, at_end ? t : whole.markers.times.back());
      Walk walk = make_walk(trial, "walk", body);
      level_floor(body, {&walk});
      const Prediction prediction = predict(walk, body, {&population, nullptr, 700});
      for (size_t k = 0; k < walk.frames(); ++k) {
        for (int side = 0; side < 2; ++side) {
          const Truth truth = find_truth(walker.steps, side, walk.times[k]);
          // Events of this walker, whose feet stop at once, are found within 40 ms.
          if (truth.distance < 0.06) continue;
          ASSERT_EQ(prediction.feet[static_cast<size_t>(side)].on[k], truth.on)
              << (at_end ? "ends at " : "begins at ") << t << ", foot " << side << " at "
              << walk.times[k];
        }
      }
    }
  }
}

// A periodic walk: filters at its ends say what they would say if it went on.
TEST(ForcesEnds, AccelerationsAtTheEndsAreThoseOfAWalkThatGoesOn) {
  const SyntheticWalker walker;
  const Body body = make_body(walker.make_trial(true));
  const MotionTrial whole = walker.make_trial(false);
  const Walk uncut = make_walk(whole, "whole", body);
  const Track expected = calc_untrained_total(uncut);
  for (int cut = 0; cut < 11; ++cut) {
    MotionTrial trial = whole;
    trim(&trial, 1.5 + 0.05 * cut, 4.0 + 0.05 * cut);
    const Walk walk = make_walk(trial, "cut", body);
    const Track total = calc_untrained_total(walk);
    const auto shift =
        static_cast<size_t>(std::lround((walk.times.front() - uncut.times.front()) * walk.rate));
    for (const size_t k : {size_t{0}, size_t{5}, walk.frames() - 6, walk.frames() - 1}) {
      // Of body weight; 6e-4 measured; 0.9 where filters see an end.
      EXPECT_LT((total[k] - expected[k + shift]).norm(), 0.005) << "cut " << cut << ", frame " << k;
    }
  }
}

TEST(ForcesEnds, GuessesAreTold) {
  const SyntheticWalker walker;
  const Body body = make_body(walker.make_trial(true));
  MotionTrial trial = walker.make_trial(false);
  // 20 ms after the right foot's off: too near to the end to be found.
  trim(&trial, 0.0, walker.steps.off_of(0, 3) + 0.02);
  const Walk walk = make_walk(trial, "walk", body);
  std::string all;
  for (const std::string& text : list_guesses(walk)) all += text + "\n";
  EXPECT_NE(all.find("right foot"), std::string::npos) << all;
  EXPECT_NE(all.find("its off lies beyond the recording or too near to its ends"),
            std::string::npos)
      << all;
  const auto guessed =
      std::find_if(walk.contacts.begin(), walk.contacts.end(),
                   [](const Contact& c) { return c.side == kRight && c.ends_after; });
  ASSERT_NE(guessed, walk.contacts.end());
  EXPECT_FALSE(guessed->doubtful);
  EXPECT_NEAR(guessed->off, walker.steps.off_of(0, 3), 0.05);
}

// 45 of 84 recordings had a foot that stood at an end and was said to be off, 0.4 to 0.5 s long.
TEST(ForcesEnds, RealWalksCarryTheirWeightFromTheFirstFrameToTheLast) {
  if (!std::filesystem::exists(test::shared_data() / "wbds")) {
    GTEST_SKIP() << "no recordings at " << test::shared_data();
  }
  const Population population = load_shipped();
  int walks = 0;
  for (const char* root : {"wbds", "wbds07"}) {
    for (const std::string& folder : list_person_folders((test::shared_data() / root).string())) {
      const FolderFiles files = list_folder(folder);
      const Body body = make_body(load_standing(files.standing, {}));
      for (const WalkFiles& file : files.walks) {
        Walk walk = make_walk(load_walk(file, false, {}), file.motion, body);
        level_floor(body, {&walk});
        const Prediction prediction = predict(walk, body, {&population, nullptr, 700});
        double least = 1e9;
        for (size_t k = 0; k < walk.frames(); ++k) {
          least =
              std::min(least, prediction.feet[0].force[k].y() + prediction.feet[1].force[k].y());
        }
        EXPECT_GT(least, 0.3 * 700) << file.motion;
        ++walks;
      }
    }
  }
  EXPECT_EQ(walks, 89);
}

}  // namespace vesica::forces_ends_test
