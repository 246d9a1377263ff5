// Walks that are recorded otherwise than those that were trained.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/forces/synthetic_walker.h"
#include "tests/support/support.h"
#include "vesica/forces/evaluate.h"
#include "vesica/forces/files.h"
#include "vesica/forces/judge.h"
#include "vesica/io/yaml.h"
#include "vesica/motion/trial_edit.h"

namespace vesica::forces_conditions_test {

using namespace forces;
using test::SyntheticWalker;

Population load_shipped() {
  return load_population(test::source_dir() + "/studies/forces/population.yaml");
}

Body make_standing_body() { return make_body(SyntheticWalker().make_trial(true)); }

Prediction predict_walk(Walk* walk, const Body& body, const Population& population) {
  level_floor(body, {walk});
  return predict(*walk, body, {&population, nullptr, 700});
}

// Galileo: on a belt that goes as fast as the walk, forces are the same, and points move with it.
TEST(ForcesConditions, ABeltChangesNothingButPlaces) {
  const Population population = load_shipped();
  const Body body = make_standing_body();
  const SyntheticWalker walker;
  MotionTrial trial = walker.make_trial(false);
  Walk floor = make_walk(trial, "floor", body);
  const Vec3d v(walker.steps.speed(), 0, 0);
  for (size_t k = 0; k < trial.markers.frames(); ++k) {
    for (size_t i = 0; i < trial.markers.markers(); ++i) {
      trial.markers.positions[k * trial.markers.markers() + i] -= v * trial.markers.times[k];
    }
  }
  Walk belt = make_walk(trial, "belt", body);
  EXPECT_NEAR(belt.belt_W.x(), -v.x(), 0.01);
  ASSERT_EQ(floor.contacts.size(), belt.contacts.size());
  const Prediction one = predict_walk(&floor, body, population);
  const Prediction two = predict_walk(&belt, body, population);
  for (size_t side = 0; side < 2; ++side) {
    for (size_t k = 0; k < floor.frames(); ++k) {
      ASSERT_LT((one.feet[side].force[k] - two.feet[side].force[k]).norm(), 10) << k;  // N
      if (!one.feet[side].on[k] || !two.feet[side].on[k]) continue;
      const Vec2d& p = one.feet[side].pressure[k];
      const Vec2d& q = two.feet[side].pressure[k];
      const Vec3d p_W = floor.as_recorded(k, {p[0], 0, p[1]}) - v * floor.times[k];
      ASSERT_LT((p_W - belt.as_recorded(k, {q[0], 0, q[1]})).norm(), 0.005) << k;
    }
  }
  bool marked = false;
  for (const std::string& text :
       judge(calc_figures(belt, body), belt, body, population, 600).outside) {
    marked = marked || text.find("treadmill") != std::string::npos;
  }
  EXPECT_TRUE(marked);
}

TEST(ForcesConditions, AnotherMarkerSetIsMarked) {
  const Population population = load_shipped();
  const SyntheticWalker walker;
  MotionTrial standing = walker.make_trial(true), trial = walker.make_trial(false);
  const Body body = make_body(standing);
  const Walk walk = make_walk(trial, "walk", body);
  const auto list_outside = [&](const Walk& w, const Body& b) {
    std::string all;
    for (const std::string& text : judge(calc_figures(w, b), w, b, population, 600).outside) {
      all += text;
    }
    return all;
  };
  EXPECT_NE(list_outside(walk, body).find("Iliac.Crest"), std::string::npos);
  Body child = body;
  child.leg_length = 0.55;
  EXPECT_NE(list_outside(walk, child).find("leg length"), std::string::npos);
}

TEST(ForcesConditions, AWalkIsNoStandingTrial) {
  const std::string error =
      test::input_error_of([] { make_body(SyntheticWalker().make_trial(false)); });
  EXPECT_NE(error.find("stand still"), std::string::npos) << error;
}

// Errors that are the same throughout are the same in every tenth.
TEST(ForcesConditions, TenthsOfAStance) {
  const Body body = make_standing_body();
  const Walk walk = make_walk(SyntheticWalker().make_trial(false), "walk", body);
  MeasuredStance s;
  s.contact = 1;
  s.begin = walk.contacts[1].strike;
  s.end = walk.contacts[1].off;
  s.force.assign(walk.frames(), Vec3d(0, 500, 0));
  s.pressure.assign(walk.frames(), Vec2d::Zero());
  Track force(walk.frames(), Vec3d(7, 507, -14));
  const std::vector<Vec2d> pressure(walk.frames(), Vec2d(0.006, 0.008));
  const Errors whole = calc_errors(walk, s, 700, force, pressure);
  EXPECT_NEAR(whole.force, 1, 1e-9);
  EXPECT_NEAR(whole.pressure, 5, 1e-9);
  for (const Errors& e : calc_tenth_errors(walk, s, 700, force, pressure)) {
    EXPECT_NEAR(e.force, whole.force, 1e-9);
    EXPECT_NEAR(e.pressure, whole.pressure, 1e-9);
    EXPECT_NEAR(e.ahead, 1, 1e-9);
    EXPECT_NEAR(e.lateral, 2, 1e-9);
  }
  // More force at the end is an error of the last tenth alone.
  for (size_t k = 0; k < walk.frames(); ++k) {
    if (walk.times[k] > s.begin + 0.91 * (s.end - s.begin)) force[k].y() += 70;
  }
  const TenthErrors late = calc_tenth_errors(walk, s, 700, force, pressure);
  EXPECT_NEAR(late[8].force, 1, 1e-9);
  EXPECT_GT(late[9].force, 8);
}

// A mean over nobody is no zero.
TEST(ForcesConditions, WhatWasNotJudgedIsNoFigure) {
  PersonScore judged, alone;
  judged.stances.resize(2);
  judged.stances[0].own.force = 2;
  judged.stances[1].own.force = 4;
  alone.stances.resize(1);
  alone.stances[0].own = {kMissing, kMissing, kMissing, kMissing};
  EXPECT_NEAR(average({judged, alone}, &StanceScore::own).force, 3, 1e-12);
  EXPECT_TRUE(std::isnan(average({alone}, &StanceScore::own).force));
  Population population = load_shipped();
  population.figures.own = {kMissing, kMissing, kMissing, kMissing};
  population.figures.gain_own = kMissing;
  const Population again =
      read_population(InputFile::parse(make_population_yaml(population), "population"));
  EXPECT_TRUE(std::isnan(again.figures.own.force));
  EXPECT_TRUE(std::isnan(again.figures.gain_own));
  EXPECT_EQ(again.figures.people, population.figures.people);
}

TEST(ForcesConditions, TitlesWithAnythingInThemComeBack) {
  Population population = load_shipped();
  population.title = "line\nbreak\t\"quoted\" \\ #: - \x7f";
  const Population again =
      read_population(InputFile::parse(make_population_yaml(population), "population"));
  EXPECT_EQ(again.title, population.title);
}

}  // namespace vesica::forces_conditions_test
