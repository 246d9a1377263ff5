// Steps per second of a ball that lies in contact, at a fixed step of 50 us with semi-implicit
// Euler, beside MuJoCo and Simbody with integrators of the same class, in one run; recording off
// everywhere.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "bench/simbody_ball.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/fixed_step.h"
#include "vesica/simulation/make_scene.h"

namespace {

using Clock = std::chrono::steady_clock;
constexpr double kStep = 50e-6;
constexpr int kRepeats = 9;

template <class Run>
double median_rate(long steps, const Run& run) {
  std::vector<double> rates;
  for (int k = 0; k < kRepeats; ++k) {
    const auto start = Clock::now();
    run(steps);
    rates.push_back(static_cast<double>(steps) /
                    std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::nth_element(rates.begin(), rates.begin() + kRepeats / 2, rates.end());
  return rates[kRepeats / 2];
}

const char* const kScene =
    "vesica: 1\n"
    "bodies:\n"
    "  ball: {mass: 0.5, shape: {type: sphere, radius: 0.05}, pose: {position: [0, 0, 0.0495]},\n"
    "         velocity: {linear: [0.1, 0, 0], angular: [0, 1, 3]}}\n"
    "  ground: {fixed: true, shape: {type: half_space}}\n"
    "contacts:\n"
    "  - between: [ball, ground]\n"
    "    normal: {law: volumetric, stiffness: 1.0e8, damping: 0.5}\n"
    "    friction: {law: brown_mcphee, mu_s: 0.6, mu_d: 0.5, v_t: 0.01}\n"
    "duration: 1\n"
    "solver: {method: semi_implicit_euler, step: 5.0e-5}\n";

double run_vesica() {
  const auto file = vesica::InputFile::parse(kScene, "bench");
  const vesica::System<double> system(vesica::make_scene<double>(vesica::read_model(file)), false);
  vesica::State<double> state = system.make_initial_state();
  std::vector<vesica::ContactChange> changes;
  auto data = system.make_evaluation<double>();
  vesica::FixedStepper<double, double> stepper(system, vesica::FixedStepMethod::kSemiImplicitEuler);
  const double rate = median_rate(200000, [&](long steps) {
    for (long k = 0; k < steps; ++k) {
      changes.clear();
      stepper.step(state.t + kStep, &state, &data, &changes);
    }
  });
  if (!(data.forces[0].normal.force > 0)) std::printf("vesica: the ball is not in contact\n");
  return rate;
}

double run_mujoco() {
  const char* const path = "vesica_bench_ball.xml";
  if (FILE* file = std::fopen(path, "w")) {
    std::fprintf(file,
                 "<mujoco><option timestep='%g' integrator='Euler'/><worldbody>"
                 "<geom type='plane' size='5 5 1'/>"
                 "<body pos='0 0 0.0495'><freejoint/><geom type='sphere' size='0.05' mass='0.5' "
                 "friction='0.5 0.005 0.0001'/></body></worldbody></mujoco>",
                 kStep);
    std::fclose(file);
  }
  char error[500] = "";
  mjModel* model = mj_loadXML(path, nullptr, error, sizeof error);
  std::remove(path);
  if (!model) {
    std::printf("mujoco: %s\n", error);
    return 0;
  }
  mjData* data = mj_makeData(model);
  data->qvel[0] = 0.1;
  data->qvel[4] = 1;
  data->qvel[5] = 3;
  const double rate = median_rate(50000, [&](long steps) {
    for (long k = 0; k < steps; ++k) mj_step(model, data);
  });
  if (data->ncon == 0) std::printf("mujoco: the ball is not in contact\n");
  mj_deleteData(data);
  mj_deleteModel(model);
  return rate;
}

}  // namespace

int main() {
  const double vesica = run_vesica();
  const double mujoco = run_mujoco();
  const double simbody =
      median_rate(5000, [](long steps) { vesica::bench::step_simbody_ball(steps, kStep); });
  std::printf("a ball in contact, semi-implicit Euler, step 50 us, medians of %d repeats\n\n",
              kRepeats);
  std::printf("  %-28s %14s %10s\n", "engine", "steps/s", "vesica is");
  std::printf("  %-28s %14.3g\n", "vesica", vesica);
  std::printf("  %-28s %14.3g %8.1f x\n", "MuJoCo, Euler", mujoco, vesica / mujoco);
  std::printf("  %-28s %14.3g %8.1f x\n", "Simbody, semi-explicit Euler", simbody,
              vesica / simbody);
  return 0;
}
