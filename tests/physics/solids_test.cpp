// Systems of general solids, as the scenes of the same name run them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/simulate.h"

namespace vesica::solids_test {
namespace {

RunResult run_scene(const std::string& name) {
  const auto file = InputFile::load(test::source_dir() + "/scenes/" + name + ".yaml");
  const auto options = make_run_options(read_model(file));
  const System<double> system(make_scene<double>(read_model(file)), options.ledger);
  RunResult result = simulate(system, options);
  EXPECT_TRUE(result.failure.empty()) << result.failure;
  return result;
}

double value_at(const RunResult& result, const std::string& column, double time) {
  const TimeTable& r = result.recording;
  const size_t c = r.find(column);
  EXPECT_LT(c, r.columns.size()) << column;
  size_t row = 0;
  while (row + 1 < r.rows() && r.times[row] < time - 1e-9) ++row;
  return r.values[row * r.columns.size() + c];
}

// Gonthier 5.2.1: after the first bounce about 0.2 m/s and -2 rad/s; 0.197 m/s at 0.35 s; the spin
// is gone at 1.9 s; the ball starts to tilt at y = 0.28 m; its contact ends at around 4.3 s.
TEST(BallOnTable, IsTheSources) {
  const auto r = run_scene("ball_on_table");
  EXPECT_NEAR(value_at(r, "ball.velocity.y", 0.35), 0.197, 0.0005);  // measured 0.1971
  EXPECT_NEAR(value_at(r, "ball.spin.x", 0.35), -2, 0.05);           // -1.96
  EXPECT_GT(value_at(r, "ball.spin.z", 1.5), 0.1);
  EXPECT_LT(value_at(r, "ball.spin.z", 2.0), 0.02);
  EXPECT_NEAR(value_at(r, "ball.position.y", 3.357), 0.28, 0.002);  // where v_y is least: 0.2810
  ASSERT_FALSE(r.events.empty());
  EXPECT_FALSE(r.events.back().touchdown);
  EXPECT_NEAR(r.events.back().time, 4.3373, 1e-3);  // 4.33734; 4.33729 at 1e-10
  EXPECT_LT(std::abs(r.residual), 1e-5 * 4.05);     // of the energy at the start; measured 1.5e-6 J
}

TEST(BoxOnSlope, StaysForAMinute) {
  const auto r = run_scene("box_on_slope");
  double drift2 = 0;
  for (const char* axis : {"x", "y", "z"}) {
    const std::string column = std::string("box.position.") + axis;
    drift2 += square(value_at(r, column, 60) - value_at(r, column, 1));
  }
  EXPECT_LT(std::sqrt(drift2), 1e-7);  // measured 3e-11
}

TEST(TenBoxes, StandForAMinute) {
  const auto r = run_scene("ten_boxes");
  for (const char* axis : {"x", "y", "z"}) {
    const std::string column = std::string("box9.position.") + axis;
    EXPECT_NEAR(value_at(r, column, 60), value_at(r, column, 5), 1e-4);  // measured 9e-9
  }
  for (int k = 0; k < 10; ++k) {
    for (const char* axis : {"x", "y", "z"}) {
      EXPECT_LT(std::abs(value_at(r, fmt::format("box{}.velocity.{}", k, axis), 60)), 1e-5);
    }
  }
  // Their own weight has pressed them together: 10 contacts under 1 to 10 weights, 0.04 m^2 each.
  EXPECT_NEAR(value_at(r, "box9.position.z", 60), 0.95 - 55 * 9.80665 / (1e7 * 0.04), 2e-4);
}

}  // namespace
}  // namespace vesica::solids_test
