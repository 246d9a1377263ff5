// What a study of a foot says of itself: intervals, truth, what was cut short, what was left out.
#include "vesica/identification/foot_study.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/support/support.h"
#include "vesica/identification/foot_study_file.h"

namespace vesica::foot_study_test {
namespace {

using nlohmann::ordered_json;

InputFile study_of(const std::string& more, const std::string& noise = "") {
  return InputFile::parse("vesica: 1\ntype: foot\nsynthetic: {stances: 4" + noise +
                              "}\ncalibrate: [walk1, walk2]\ndynamics: none\n" + more,
                          "foot.yaml");
}
constexpr const char* kNoise =
    ", force_noise: 3 N, cop_noise: 0.4 mm, marker_noise: 0.3 mm, shift_noise: 0.3 mm, "
    "turn_noise: 0.003 rad, pressure: false";
// Short, for what does not hang on the fits' ends.
constexpr const char* kShort = "fit: {six_spheres: false, iterations: 12}\n";

ordered_json run(const std::string& more, const std::string& noise = "") {
  return make_foot_json(run_foot_study(study_of(more, noise), {}, {}));
}

bool tells(const ordered_json& list, const std::string& words) {
  for (const auto& one : list) {
    if (one.get<std::string>().find(words) != std::string::npos) return true;
  }
  return false;
}

// Wherever a study is told to stop, what it writes was fitted to the end.
TEST(FootStudy, WhatWasNotDoneIsNotWritten) {
  const ordered_json whole = run(kShort, kNoise);
  const auto is_whole = [&](const char* kind, const ordered_json& row) {
    for (const auto& one : whole[kind]) {
      if (one == row) return true;
    }
    return false;
  };
  for (int looks = 1; looks < 3000; looks = 2 * looks) {
    const auto left = std::make_shared<std::atomic<int>>(looks);
    const FootStudy study =
        run_foot_study(study_of(kShort, kNoise), {}, [left] { return --*left < 0; });
    const ordered_json json = make_foot_json(study);
    for (const char* kind :
         {"calibration", "refitted", "joint", "blind", "placebo", "mean_curve", "imposed"}) {
      for (const auto& row : json[kind]) {
        EXPECT_TRUE(is_whole(kind, row)) << looks << " " << kind << " " << row;
      }
    }
  }
}

// Intervals lie about their value, within the bounds of the fit, and on one side of zero where a
// number has a sign; without a prior too.
TEST(FootStudy, IntervalsKeepToTheBounds) {
  for (const char* weight : {"1e-3", "0"}) {
    const ordered_json json = run(
        std::string("fit: {six_spheres: false, iterations: 60, prior_weight: ") + weight + "}\n",
        kNoise);
    ASSERT_EQ(json["parameters"].size(), 29u);
    for (const auto& p : json["parameters"]) {
      const std::string name = p["name"];
      ASSERT_TRUE(p["low"].is_number() && p["high"].is_number()) << weight << " " << p;
      EXPECT_LE(p["low"].get<double>(), p["value"].get<double>()) << p;
      EXPECT_GE(p["high"].get<double>(), p["value"].get<double>()) << p;
      if (name == "stiffness" || name == "damping" || name.find("radii") != std::string::npos) {
        EXPECT_GT(p["low"].get<double>(), 0) << p;
      }
      const double spread = name.find("radii") != std::string::npos        ? 0.006
                            : name.find("angles") != std::string::npos     ? 0.12
                            : name.find("position.z") != std::string::npos ? 0.004
                            : name.find("position") != std::string::npos   ? 0.008
                                                                           : 1e9;
      EXPECT_LE(p["high"].get<double>(), p["start"].get<double>() + 4 * spread * (1 + 1e-9)) << p;
      EXPECT_GE(p["low"].get<double>(), p["start"].get<double>() - 4 * spread * (1 + 1e-9)) << p;
      const bool bound = p["at_bound"].get<bool>();
      EXPECT_FALSE(bound && p["identifiable"].get<bool>()) << p;
      if (bound) {
        EXPECT_TRUE(tells(json["undetermined"], "on a bound")) << p;
      }
    }
    if (std::string(weight) == "0") {
      EXPECT_FALSE(tells(json["undetermined"], "prior says"));
    }
  }
}

// What the stances were made with stands beside what was found, and is counted.
TEST(FootStudy, TruthStandsBesideWhatWasFound) {
  const ordered_json json = run(kShort, kNoise);
  for (const auto& p : json["parameters"]) EXPECT_TRUE(p.contains("truth")) << p;
  EXPECT_EQ(json["parameters"][0]["truth"].get<double>(), 1.6e7);
  ASSERT_EQ(json["largest_correction"].size(), 1u);
  for (const auto& turn : json["largest_correction"][0]["turn"]) {
    EXPECT_LT(turn.get<double>(), 0.5);
  }
  EXPECT_TRUE(tells(json["verdicts"], "hold what the stances were made with"));
}

// Nothing errs, heights are those of the foot and the toe angle is known: the foot is found.
TEST(FootStudy, WithoutNoiseUnseenMotionsAreForetold) {
  const InputFile file = InputFile::parse(
      "vesica: 1\ntype: foot\nsynthetic: {stances: 6, pressure: false}\n"
      "calibrate: [walk1, walk2, walk3]\ndynamics: none\n"
      "fit: {anchor: false, toe: measured, prior_weight: 0, six_spheres: false}\n",
      "foot.yaml");
  const FootStudy study = run_foot_study(file, {}, {});
  ASSERT_EQ(study.blind.size(), 3u);
  for (const FootResult& r : study.blind) {
    // Measured: 0.016 to 0.044 %.
    EXPECT_LT(r.errors.force, 1e-3) << r.trial;
    EXPECT_LT(r.errors.cop, 2e-3) << r.trial;
  }
}

TEST(FootStudy, KeysOfAMatNeedOne) {
  for (const char* key : {"pressure: sums", "pressure_weight: 0.2", "pressure_frames: 3"}) {
    const std::string error = test::input_error_of([&] {
      run_foot_study(study_of(std::string("fit: {") + key + "}\n", ", pressure: false"), {},
                     [] { return true; });
    });
    EXPECT_NE(error.find("foot.yaml:6"), std::string::npos) << error;
    EXPECT_NE(error.find("no pressure"), std::string::npos) << error;
  }
}

TEST(FootStudy, ThreadsChangeNothing) {
  const auto with = [](int threads) {
    ordered_json json = make_foot_json(
        run_foot_study(study_of("fit: {six_spheres: false, starts: 2, iterations: 8}\n", kNoise),
                       {}, {}, threads));
    json.erase("seconds");
    for (auto& one : json["source_runs"]) one.erase("seconds");
    return json;
  };
  const ordered_json one = with(1);
  EXPECT_EQ(one, with(2));
  EXPECT_EQ(one["start_costs"]["right imposed"].size(), 2u);
}

// A stance that is too short for the splines is left out, whichever it is, and the others remain.
TEST(FootStudy, AShortStanceIsLeftOut) {
  for (const size_t which : {0u, 3u}) {
    foot_detail::FootPlan plan = foot_detail::read_foot_plan(study_of(kShort, ", pressure: false"));
    FootStance& s = plan.trials.stances[which].stance;
    s.frames.resize(19);
    s.force.resize(19);
    s.cop.resize(19);
    s.shear.resize(19);
    const FootStudy study = foot_detail::run_foot_plan(plan, {}, {});
    const ordered_json json = make_foot_json(study);
    EXPECT_TRUE(tells(json["remarks"], "19 frames are too few")) << json["remarks"];
    EXPECT_EQ(study.joint.size() + study.blind.size(), 3u);
  }
}

// A stance heavier than the foot can carry is left out of what is imposed, and the study goes on.
TEST(FootStudy, AStanceThatCannotBeCarriedIsLeftOut) {
  foot_detail::FootPlan plan = foot_detail::read_foot_plan(study_of(kShort, ", pressure: false"));
  for (double& force : plan.trials.stances[3].stance.force) force *= 1e5;
  const FootStudy study = foot_detail::run_foot_plan(plan, {}, {});
  EXPECT_EQ(study.imposed.size(), 1u);
  EXPECT_TRUE(tells(make_foot_json(study)["remarks"], "with its force imposed"));
}

}  // namespace
}  // namespace vesica::foot_study_test
