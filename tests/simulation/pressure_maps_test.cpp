// Pressure maps of runs: beside the recorded force, restarts, files, what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tests/simulation/loaded_scene.h"
#include "tests/support/support.h"
#include "vesica/simulation/map_file.h"
#include "vesica/simulation/run_checks.h"
#include "vesica/simulation/summary.h"

namespace vesica::pressure_maps_test {
namespace {

std::string scene_text(const std::string& solver, const std::string& more = "") {
  return fmt::format(R"(
vesica: 1
bodies:
  ball:
    mass: 0.16
    shape: {{type: sphere, radius: 30 mm}}
    pose: {{position: [0, 0, 60 mm]}}
    velocity: {{linear: [0.4, 0.1, 0], angular: [0, 3, 5]}}
  ground: {{fixed: true, shape: {{type: half_space}}}}
contacts:
  - between: [ball, ground]
    normal: {{law: volumetric, stiffness: 2.0e8, restitution: 0.7, v_small: 0.02}}
    friction: {{law: brown_mcphee, mu_s: 0.5, mu_d: 0.4, v_t: 0.01}}
duration: 0.4
solver: {{{}}}
output:
  interval: 2 ms
{}
  pressure_maps:
    - contact: ball-ground
      body: ground
      frame: {{position: [100 mm, 0, 0]}}
      size: [300 mm, 100 mm]
      cell: 2 mm
      interval: 2 ms
      regions: {{left: {{y: [-50 mm, 0]}}, right: {{y: [0, 50 mm]}}}}
    - {{name: on the ball, contact: ball-ground, body: ball, size: [60 mm, 60 mm], cell: 3 mm}}
)",
                     solver, more);
}

struct Frames : RunObserver {
  std::vector<std::vector<double>> times = std::vector<std::vector<double>>(2);
  std::vector<std::vector<std::vector<double>>> cells =
      std::vector<std::vector<std::vector<double>>>(2);
  std::vector<Checkpoint> checkpoints;
  void on_map(size_t map, double t, const PressureFrame& frame,
              const std::vector<double>& /*sums*/) override {
    times[map].push_back(t);
    cells[map].push_back(frame.pressure);
  }
  void on_checkpoint(const Checkpoint& c) override { checkpoints.push_back(c); }
};

class Solvers : public ::testing::TestWithParam<const char*> {};

TEST_P(Solvers, CellsAddUpToTheRecordedForce) {
  const auto scene = test::load_scene(scene_text(GetParam()));
  Frames frames;
  RunControl control;
  control.observer = &frames;
  const RunResult result = simulate(scene.system, scene.options, control);
  ASSERT_TRUE(result.failure.empty()) << result.failure;
  const TimeTable& rows = result.recording;
  const TimeTable& sums = result.map_sums[0];
  ASSERT_EQ(rows.times, sums.times);  // the same instants
  const auto force = rows.column(rows.find("ball-ground.normal_force"));
  const auto mapped = sums.column(sums.find("ball-ground.map.force"));
  const auto left = sums.column(sums.find("ball-ground.map.left.force"));
  const auto right = sums.column(sums.find("ball-ground.map.right.force"));
  const auto x = rows.column(rows.find("ball-ground.pressure_center.x"));
  const auto center = sums.column(sums.find("ball-ground.map.center.x"));
  int touching = 0;
  for (size_t k = 0; k < force.size(); ++k) {
    const auto& cells = frames.cells[0][k];
    const double sum = std::accumulate(cells.begin(), cells.end(), 0.0) * 2e-3 * 2e-3;
    EXPECT_NEAR(mapped[k], force[k], 1e-12 * force[k]);
    EXPECT_NEAR(sum, force[k], 1e-11 * force[k]);
    EXPECT_NEAR(left[k] + right[k], force[k], 1e-11 * force[k]);
    if (!(force[k] > 1)) continue;
    ++touching;
    EXPECT_NEAR(center[k], x[k] - 0.1, 2e-4);
  }
  EXPECT_GT(touching, 5);
  // The ball's map turns with it; 10 ms are the default.
  EXPECT_EQ(result.map_sums[1].rows(), 41u);
  const auto summary = make_summary(scene.system, scene.options, result);
  const auto& map = summary["pressure_maps"]["ball-ground"];
  EXPECT_EQ(map["frames"].get<size_t>(), 201u);
  EXPECT_NEAR(map["max_force"].get<double>(), *std::max_element(force.begin(), force.end()), 1e-9);
  EXPECT_LT(map["sampling_error"].get<double>(), 0.01);
  EXPECT_NEAR(map["regions"]["left"]["share"].get<double>() +
                  map["regions"]["right"]["share"].get<double>(),
              1, 1e-9);
}
INSTANTIATE_TEST_SUITE_P(All, Solvers,
                         ::testing::Values("method: rk4, step: 2.0e-5", "method: cvode",
                                           "method: dopri5", "method: rodas5p",
                                           "method: rk4, step: 3.0e-5, events: located"));

TEST(PressureMaps, ARunThatGoesOnHasTheSameFrames) {
  const auto scene =
      test::load_scene(scene_text("method: rk4, step: 2.0e-5", "  checkpoints: [0.15]"));
  Frames whole, rest;
  RunControl control;
  control.observer = &whole;
  simulate(scene.system, scene.options, control);
  ASSERT_FALSE(whole.checkpoints.empty());
  control.observer = &rest;
  control.from = &whole.checkpoints.front();
  simulate(scene.system, scene.options, control);
  for (size_t m = 0; m < 2; ++m) {
    const size_t count = rest.times[m].size();
    ASSERT_GT(count, 20u);
    ASSERT_LT(count, whole.times[m].size());
    EXPECT_GT(rest.times[m].front(), 0.15);
    for (size_t k = 0; k < count; ++k) {
      const size_t same = whole.times[m].size() - count + k;
      EXPECT_EQ(rest.times[m][k], whole.times[m][same]);
      EXPECT_EQ(rest.cells[m][k], whole.cells[m][same]);
    }
  }
}

TEST(PressureMaps, FilesReadBackAsTheyWere) {
  const auto scene = test::load_scene(scene_text("method: cvode"));
  const MapOptions& map = scene.options.maps[0];
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("vesica_map_{}.h5", getpid())).string();
  const size_t cells = 150 * 50, width = make_map_table(map).columns.size();
  std::vector<double> pressure(cells), sums(width);
  {
    MapStream stream(path, map);
    for (int f = 0; f < 3; ++f) {
      for (size_t k = 0; k < cells; ++k) pressure[k] = k % 7 == 0 ? 0.1 * f + k : 0;
      std::iota(sums.begin(), sums.end(), f);
      stream.add_frame(0.01 * f, pressure, sums);
    }
    stream.flush();
    EXPECT_EQ(load_pressure_map(path).frames(), 3u);  // while it is open
    stream.close();
  }
  const MapSeries series = load_pressure_map(path);
  ASSERT_EQ(series.frames(), 3u);
  EXPECT_EQ(series.contact, "ball-ground");
  EXPECT_EQ(series.body, "ground");
  EXPECT_EQ(series.x.size(), 150u);
  EXPECT_NEAR(series.x.front(), -0.149, 1e-15);
  EXPECT_EQ(series.sums.times[2], 0.02);
  EXPECT_EQ(series.sums.at(1, 3), 4);
  EXPECT_EQ(
      std::vector<double>(series.pressure.end() - static_cast<long>(cells), series.pressure.end()),
      pressure);
  std::filesystem::remove(path);
}

TEST(PressureMaps, SurviveAModelThatIsWrittenAndReadAgain) {
  const auto file = InputFile::parse(scene_text("method: cvode"), "test.yaml");
  const Model model = read_model(file);
  const Model again = read_model(InputFile::parse(write_model(model), "again.yaml"));
  ASSERT_EQ(again.run.maps.size(), 2u);
  EXPECT_EQ(again.run.maps[0].regions[1].name, "right");
  EXPECT_EQ(again.run.maps[0].regions[1].y, model.run.maps[0].regions[1].y);
  EXPECT_EQ(again.run.maps[1].title(), "on the ball");
  EXPECT_EQ(again.run.maps[0].frame->position, Vec3d(0.1, 0, 0));
}

TEST(PressureMaps, WhatCannotBeIsRefusedWithItsPlace) {
  const auto fails = [](const std::string& from, const std::string& to) {
    std::string text = scene_text("method: cvode");
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    return test::input_error_of([&] { test::load_scene(text); });
  };
  const auto expect = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(fails("contact: ball-ground", "contact: ball-grund"), "did you mean 'ball-ground'?");
  expect(fails("body: ground", "body: gruond"), "output.pressure_maps.0.body");
  expect(fails("cell: 2 mm", "cell: 7 mm"), "a whole number of cells");
  expect(fails("y: [0, 50 mm]", "y: [50 mm, 0]"), "output.pressure_maps.0.regions.right.y");
  expect(fails("name: on the ball", "name: ball-ground"),
         "another map is called 'ball-ground' too");
  expect(fails("name: on the ball", "name: a/b"), "names a file");
  // A space and an underscore are one in the names of files.
  std::string two = scene_text("method: cvode");
  two.replace(two.find("contact: ball-ground"), 20,
              "name: on_the_ball\n      contact: ball-ground");
  expect(test::input_error_of([&] { test::load_scene(two); }),
         "another map is called 'on_the_ball'");
  expect(fails("law: volumetric, stiffness: 2.0e8, restitution: 0.7, v_small: 0.02",
               "law: hunt_crossley, stiffness: 1.0e6, exponent: 1.5"),
         "hunt_crossley");
}

TEST(PressureMaps, MapsThatFillTheDiskAreRefused) {
  std::string text = scene_text("method: cvode");
  text.replace(text.find("duration: 0.4"), 13, "duration: 4e5");
  text.replace(text.find("interval: 2 ms"), 14, "interval: 60");
  const auto file = InputFile::parse(text, "test.yaml");
  const Model model = read_model(file);
  const std::string message = test::input_error_of([&] {
    check_map_disk(model, make_run_options(model), std::filesystem::temp_directory_path());
  });
  EXPECT_NE(message.find("output.pressure_maps"), std::string::npos) << message;
}

}  // namespace
}  // namespace vesica::pressure_maps_test
