// Fits of scenes whose figure rises and falls: a stone thrown up, z = v t - g t^2/2 at the end.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/support.h"
#include "vesica/studies/scene_fit.h"

namespace vesica::studies::scene_fit_test {
namespace {

// v = 5 m/s, g = 10 m/s^2: z = 5 (t - t^2), at most 1.25 m at 0.5 s.
SceneFit fit_throw(const std::string& low, const std::string& high, double height,
                   const std::string& start = "") {
  const std::string scene =
      (std::filesystem::temp_directory_path() / "scene_fit_throw.yaml").string();
  std::ofstream(scene) << "vesica: 1\ngravity: [0, 0, -10]\nbodies:\n"
                          "  stone: {mass: 1, inertia: [1, 1, 1], velocity: {linear: [0, 0, 5]}}\n"
                          "duration: 1\nsolver: {method: rk4, step: 0.1}\n";
  const std::string text =
      "vesica: 1\ntype: scene\nof: {simulate: throw}\nfit:\n  t: {path: "
      "duration, low: " +
      low + ", high: " + high + start +
      "}\ntargets:\n  z: {read: {summary: final_state.stone.position.2}, "
      "value: " +
      std::to_string(height) + ", tolerance: 1.0e-6}\n";
  return fit_scene(InputFile::parse(text, "fit.yaml"), [&](const std::string&) { return scene; });
}

TEST(SceneFit, PlacesThatMeetTheTargetsAreAllNamed) {
  const SceneFit fit = fit_throw("0.1 s", "0.95 s", 0.8, ", start: 0.7 s");
  ASSERT_TRUE(fit.converged) << fit.message;
  EXPECT_NEAR(fit.parameters[0].value, 0.8, 1e-6);  // that of the start
  ASSERT_EQ(fit.others.size(), 1u) << fit.message;
  EXPECT_NEAR(fit.others[0][0], 0.2, 1e-6);
  EXPECT_NEAR(fit.targets[0].reached, 0.8, 1e-6);
  EXPECT_NE(fit.message.find("met at several places: t 0.8 s; t 0.2 s"), std::string::npos)
      << fit.message;
  // On one branch there is one.
  const SceneFit one = fit_throw("0.1 s", "0.45 s", 0.8);
  EXPECT_TRUE(one.converged && one.others.empty() && one.message.empty()) << one.message;
}

TEST(SceneFit, WhatCannotBeReachedEndsAtTheNearest) {
  // The top lies inside, wherever it starts: no bound is blamed.
  for (const char* start : {"", ", start: 0.15 s", ", start: 0.95 s"}) {
    const SceneFit top = fit_throw("0.1 s", "0.95 s", 2, start);
    EXPECT_FALSE(top.converged);
    EXPECT_NEAR(top.targets[0].reached, 1.25, 1e-3);
    EXPECT_EQ(top.message.find("bound:"), std::string::npos) << top.message;
  }
  const SceneFit low = fit_throw("0.1 s", "0.4 s", 1.25);
  EXPECT_FALSE(low.converged);
  EXPECT_NEAR(low.parameters[0].value, 0.4, 1e-12);
  EXPECT_NE(low.message.find("at its bound: widen it"), std::string::npos) << low.message;
}

}  // namespace
}  // namespace vesica::studies::scene_fit_test
