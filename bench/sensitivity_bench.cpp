// What derivatives of a run cost, in plain runs: four and twelve numbers of the scene at once, rk4,
// recording off. The three are timed in turn, so that a busy machine slows all of them; medians.
//
//   build/bin/sensitivity_bench [SCENES_FOLDER]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "vesica/model/model_file.h"
#include "vesica/simulation/fixed_step.h"
#include "vesica/simulation/make_scene.h"

namespace {

using namespace vesica;
using Clock = std::chrono::steady_clock;
constexpr int kRepeats = 15;

struct SeededCase {
  const char* scene;
  double step;
  int steps;
  std::vector<std::pair<const char*, const char*>> changes;  // into contact
  std::vector<std::string> seeds;
};

const std::vector<SeededCase> kCases = {
    {"bouncing_ball",
     2e-5,
     2000,
     {{"bodies.ball.pose.position.2", "0.0299"}},
     {"bodies.ball.mass", "bodies.ball.shape.radius", "contacts.0.normal.stiffness"}},
    {"rocking_ellipsoid",
     2e-5,
     2000,
     {{"bodies.stone.pose.position.2", "0.0562"}},
     {"bodies.stone.mass", "bodies.stone.shape.radii.0", "contacts.0.normal.stiffness"}},
    {"box_drop_edge",
     2e-5,
     1000,
     {{"bodies.box.pose.position.2", "0.0979"}},
     {"bodies.box.mass", "bodies.box.shape.size.0", "contacts.0.normal.stiffness"}},
    {"tippe_top",
     2e-5,
     1000,
     {{"bodies.top.pose.position.2", "12.01 mm"}},
     {"bodies.top.mass", "bodies.top.inertia.0", "contacts.0.normal.stiffness"}},
    {"box_on_slope", 2e-5, 500, {}, {"bodies.box.mass", "contacts.0.normal.stiffness"}},
    {"ball_on_table",
     1e-4,
     200,
     {{"bodies.ball.pose.position.2", "0.099"}},
     {"bodies.ball.mass", "contacts.0.normal.stiffness"}},
    {"pendulum_ahmed",
     1e-6,
     2000,
     {{"bodies.surface.pose.position.2", "-1.81703"}},
     {"bodies.link1.mass", "bodies.link2.inertia.1", "contacts.0.normal.stiffness"}},
    {"arm_on_plate",
     1e-5,
     500,
     {{"bodies.plate.pose.position.2", "0.25002"}},
     {"bodies.swing.mass", "bodies.forearm.inertia.1.1", "contacts.0.normal.stiffness"}},
};

template <class T>
double time_run(const System<T>& system, const SeededCase& c) {
  State<T> state = system.make_initial_state();
  auto data = system.template make_evaluation<T>();
  std::vector<ContactChange> changes;
  FixedStepper<T, T> stepper(system, FixedStepMethod::kRk4);
  const auto start = Clock::now();
  for (int k = 0; k < c.steps; ++k) stepper.step(state.t + c.step, &state, &data, &changes);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<long>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

}  // namespace

// Seeds beyond those that a number can carry are left out.
std::vector<std::string> seeds_of(const SeededCase& c, size_t most) {
  return {c.seeds.begin(),
          c.seeds.begin() + static_cast<std::ptrdiff_t>(std::min(most, c.seeds.size()))};
}

int main(int count, char** arguments) {
  const std::string folder = count > 1 ? arguments[1] : "scenes";
  std::printf("derivatives of a run by numbers of its scene, in plain runs; medians of %d\n\n",
              kRepeats);
  std::printf("  %-20s %12s %8s %8s\n", "scene", "plain [us]", "4", "12");
  std::printf("  %-20s %12s %8s %8s\n", "", "per step", "at once", "at once");
  for (const SeededCase& c : kCases) {
    InputFile file = InputFile::load(folder + "/" + c.scene + ".yaml");
    for (const auto& [path, value] : c.changes) file.set(path, value);
    const System<double> plain(make_scene<double>(read_model(file)), true);
    const System<Dual<4>> four(make_scene<Dual<4>>(read_model(file), seeds_of(c, 4)), true);
    const System<Dual<12>> twelve(make_scene<Dual<12>>(read_model(file), seeds_of(c, 12)), true);
    std::vector<double> seconds[3];
    for (int k = 0; k < kRepeats; ++k) {
      seconds[0].push_back(time_run(plain, c));
      seconds[1].push_back(time_run(four, c));
      seconds[2].push_back(time_run(twelve, c));
    }
    const double base = median(seconds[0]);
    std::printf("  %-20s %12.2f %8.2f %8.2f\n", c.scene, base / c.steps * 1e6,
                median(seconds[1]) / base, median(seconds[2]) / base);
  }
  return 0;
}
