// Runs that go on at the same time in one process, on one System: nothing is shared but what does
// not change, so each gives the bits of a run alone. `make threads` looks for races in them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/support/support.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/simulate.h"

namespace vesica::runs_test {
namespace {

struct Case {
  const char* scene;
  const char* duration;
  const char* step = nullptr;    // else the scene's
  const char* method = nullptr;  // likewise
};

class RunsAtOnce : public testing::TestWithParam<Case> {};

TEST_P(RunsAtOnce, GiveTheBitsOfARunAlone) {
  auto file = InputFile::load(test::source_dir() + "/scenes/" + GetParam().scene + ".yaml");
  file.set("duration", GetParam().duration);
  if (GetParam().step != nullptr && GetParam().method != nullptr) {
    file.set("solver", fmt::format("{{method: {}, step: {}}}", GetParam().method, GetParam().step));
  } else if (GetParam().step != nullptr) {
    file.set("solver.step", GetParam().step);
  } else if (GetParam().method != nullptr) {
    file.set("solver.method", GetParam().method);
  }
  const auto options = make_run_options(read_model(file));
  const System<double> system(make_scene<double>(read_model(file)), options.ledger);

  std::vector<RunResult> results(3);
  std::vector<std::thread> threads;
  for (RunResult& result : results) {
    threads.emplace_back([&] { result = simulate(system, options); });
  }
  for (std::thread& thread : threads) thread.join();

  const RunResult alone = simulate(system, options);
  ASSERT_EQ(alone.failure, "");
  long contact_steps = 0;
  for (const ContactMonitor& monitor : alone.monitors) contact_steps += monitor.steps_in_contact;
  EXPECT_GT(contact_steps, 0);  // a run without contact would test little
  for (const RunResult& result : results) {
    EXPECT_EQ(result.failure, "");
    EXPECT_TRUE(result.final_state == alone.final_state);
    EXPECT_EQ(result.statistics.evaluations, alone.statistics.evaluations);
  }
}

// Closed forms with cvode, polyhedra, slices with fixed steps, many parts (they touch at 0.55 s).
INSTANTIATE_TEST_SUITE_P(Scenes, RunsAtOnce,
                         testing::Values(Case{"bouncing_ball", "0.4 s"},
                                         Case{"box_drop_edge", "0.4 s"},
                                         Case{"bouncing_ball", "0.4 s", nullptr, "dopri5"},
                                         Case{"bouncing_ball", "0.4 s", nullptr, "rodas5p"},
                                         Case{"ball_on_table", "0.2 s", "1 ms", "rk4"},
                                         Case{"battery_box", "0.57 s", "0.5 ms"}),
                         [](const auto& run) {
                           return std::string(run.param.scene) +
                                  (run.param.method ? run.param.method : "");
                         });

}  // namespace
}  // namespace vesica::runs_test
