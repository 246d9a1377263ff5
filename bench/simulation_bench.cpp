// A ball that lies in contact, at a fixed step of 50 us with semi-implicit Euler, beside MuJoCo and
// Simbody with integrators of the same class: steps per second. A ball that bounces, with steps of
// the solvers' own, beside Simbody with the same laws: error and time. How fast the stick-slip of
// Brown runs with every adaptive solver. All in one run, recording and ledger
// off; where solvers choose their steps, by the time of the thread. Argument: the
// folder of the scenes.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "bench/simbody_ball.h"
#include "bench/timing.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/fixed_step.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/simulate.h"

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

struct MujocoSettings {
  const char* solver;  // Newton, CG, PGS
  const char* cone;    // pyramidal, elliptic
  int condim;          // 3: sliding friction; 4: and spinning, which the others have too
};

double run_mujoco(const MujocoSettings& settings) {
  const char* const path = "vesica_bench_ball.xml";
  if (FILE* file = std::fopen(path, "w")) {
    std::fprintf(file,
                 "<mujoco><option timestep='%g' integrator='Euler' solver='%s' cone='%s' "
                 "jacobian='dense'/><worldbody><geom type='plane' size='5 5 1' condim='%d'/>"
                 "<body pos='0 0 0.0495'><freejoint/><geom type='sphere' size='0.05' mass='0.5' "
                 "friction='0.5 0.005 0.0001' condim='%d'/></body></worldbody></mujoco>",
                 kStep, settings.solver, settings.cone, settings.condim, settings.condim);
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

// Ten bounces, the last at 1.9 s.
constexpr vesica::bench::ThrownBall kBall = {0.16, 0.03, 0.33, 0.6, 20,   1e6,
                                             0.1,  0.5,  0.4,  0.1, 9.81, 2};

struct Thrown {
  std::string name;
  std::function<vesica::bench::BallRun()> run;
  vesica::bench::BallRun last = {};
  std::vector<double> seconds = {};
  double error = 0;
};

std::string make_thrown_scene() {
  // Hunt and Crossley's stiffness from the modulus, as Simbody has it.
  const double k = 4.0 / 3 * std::sqrt(kBall.radius) * kBall.modulus;
  char text[1000];
  std::snprintf(
      text, sizeof text,
      "vesica: 1\ngravity: [0, 0, %.17g]\nbodies:\n"
      "  ball: {mass: %.17g, shape: {type: sphere, radius: %.17g}, pose: {position: [0, "
      "0, %.17g]}, velocity: {linear: [%.17g, 0, 0], angular: [0, %.17g, 0]}}\n"
      "  ground: {fixed: true, shape: {type: half_space}}\n"
      "contacts:\n  - between: [ball, ground]\n"
      "    normal: {law: hunt_crossley, stiffness: %.17g, exponent: 1.5, damping: %.17g}\n"
      "    friction: {law: hollars, mu_s: %.17g, mu_d: %.17g, v_t: %.17g}\n"
      "duration: %.17g\nsolver: {ledger: false}\noutput: {interval: 0}\n",
      -kBall.gravity, kBall.mass, kBall.radius, kBall.height, kBall.speed, kBall.spin, k,
      1.5 * kBall.dissipation, kBall.mu_s, kBall.mu_d, kBall.v_t, kBall.duration);
  return text;
}

vesica::bench::BallRun throw_ball(const vesica::System<double>& system,
                                  const vesica::RunOptions& options) {
  const double start = vesica::bench::thread_nanoseconds();
  const vesica::RunResult result = simulate(system, options);
  const double seconds = 1e-9 * (vesica::bench::thread_nanoseconds() - start);
  if (!result.failure.empty()) std::printf("%s\n", result.failure.c_str());
  vesica::bench::BallRun run;
  run.seconds = seconds;
  run.steps = result.statistics.steps;
  for (int k = 0; k < 3; ++k) {
    run.position[k] = result.state[static_cast<size_t>(k)];
    run.velocity[k] = result.state[static_cast<size_t>(7 + k)];
    run.spin[k] = result.state[static_cast<size_t>(10 + k)];
  }
  return run;
}

// Of position [m], velocity and that of the rim [m/s], together.
double calc_difference(const vesica::bench::BallRun& a, const vesica::bench::BallRun& b) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    sum += std::pow(a.position[k] - b.position[k], 2) + std::pow(a.velocity[k] - b.velocity[k], 2) +
           std::pow(kBall.radius * (a.spin[k] - b.spin[k]), 2);
  }
  return std::sqrt(sum);
}

// The time that `of` takes for an error, between two of its runs in logarithms; 0 where it is not
// among them.
double calc_time_at(const std::vector<const Thrown*>& of, double error) {
  for (size_t k = 1; k < of.size(); ++k) {
    const double coarse = of[k - 1]->error, fine = of[k]->error;
    if (!(coarse >= error && error >= fine)) continue;
    const double share = std::log(coarse / error) / std::log(coarse / fine);
    return std::exp((1 - share) * std::log(vesica::bench::median(of[k - 1]->seconds)) +
                    share * std::log(vesica::bench::median(of[k]->seconds)));
  }
  return 0;
}

void compare_thrown_balls() {
  using vesica::Solver;
  using vesica::bench::SimbodyIntegrator;
  const auto file = vesica::InputFile::parse(make_thrown_scene(), "bench");
  const vesica::System<double> system(vesica::make_scene<double>(vesica::read_model(file)), false);
  vesica::RunOptions options = vesica::make_run_options(vesica::read_model(file));
  std::vector<Thrown> runs;
  const std::pair<const char*, Solver> solvers[] = {{"vesica dopri5", Solver::kDopri5},
                                                    {"vesica rodas5p", Solver::kRodas5p},
                                                    {"vesica cvode", Solver::kCvode},
                                                    {"vesica arkode", Solver::kArkode}};
  for (const auto& [name, solver] : solvers) {
    for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11}) {
      options.solver = solver;
      options.tolerance = tolerance;
      char label[100];
      std::snprintf(label, sizeof label, "%s %.0e", name, tolerance);
      runs.push_back({label, [&system, options] { return throw_ball(system, options); }});
    }
  }
  const std::pair<const char*, SimbodyIntegrator> integrators[] = {
      {"Simbody RungeKuttaMerson", SimbodyIntegrator::kRungeKuttaMerson},
      {"Simbody RungeKutta3", SimbodyIntegrator::kRungeKutta3}};
  for (const auto& [name, method] : integrators) {
    for (const double accuracy : {0.0, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
      char label[100];
      std::snprintf(label, sizeof label, accuracy > 0 ? "%s %.0e" : "%s, its defaults", name,
                    accuracy);
      runs.push_back({label, [method, accuracy] {
                        return vesica::bench::throw_simbody_ball(kBall, method, accuracy);
                      }});
    }
  }

  options.solver = Solver::kArkode;
  options.tolerance = 1e-13;
  const auto reference = throw_ball(system, options);
  const auto other =
      vesica::bench::throw_simbody_ball(kBall, SimbodyIntegrator::kRungeKuttaMerson, 1e-12);
  for (int round = 0; round < kRepeats; ++round) {
    for (Thrown& each : runs) {
      each.last = each.run();
      each.seconds.push_back(each.last.seconds);
    }
  }
  std::vector<const Thrown*> ours;
  for (Thrown& each : runs) {
    each.error = calc_difference(each.last, reference);
    if (each.name.starts_with("vesica dopri5")) ours.push_back(&each);
  }
  std::printf(
      "\na ball bounces for %g s: error at the end against vesica's arkode at 1e-13 "
      "(Simbody's Runge-Kutta-Merson at 1e-12 is %.1e from that), time of the thread, medians of "
      "%d; "
      "last: over dopri5's time at the same error\n\n",
      kBall.duration, calc_difference(other, reference), kRepeats);
  std::printf("  %-40s %10s %8s %12s %10s\n", "", "error", "steps", "time [ms]", "of dopri5");
  for (const Thrown& each : runs) {
    const double seconds = vesica::bench::median(each.seconds);
    const double same = calc_time_at(ours, each.error);
    std::printf("  %-40s %10.1e %8ld %12.3f", each.name.c_str(), each.error, each.last.steps,
                1e3 * seconds);
    std::printf(same > 0 ? " %10.1f\n" : "\n", seconds / same);
  }
}

// Rabinowicz' experiment (Brown 4.3.1): the source ran it 3100 times as fast as real time. Errors
// that are compared are of this size: where rounding moves a step, that of one run changes by a
// third.
constexpr double kStickSlipError = 2.9e-5;  // m

void time_stick_slip(const std::string& scenes) {
  using vesica::Solver;
  const auto file = vesica::InputFile::load(scenes + "/brown_stick_slip.yaml");
  const vesica::System<double> system(vesica::make_scene<double>(vesica::read_model(file)), false);
  vesica::RunOptions options = vesica::make_run_options(vesica::read_model(file));
  options.interval = 0;
  const auto x_of = [](const vesica::RunResult& run) { return run.state[0]; };
  options.tolerance = 1e-11;
  const double reference = x_of(simulate(system, options));
  struct Case {
    const char* name;
    Solver solver;
    double tolerance;
    std::vector<double> rates = {};
    vesica::RunResult last = {};
  };
  std::vector<Case> cases;
  for (const double tolerance : {1e-5, 1e-6, 1e-7, 1e-8}) {
    cases.push_back({"rodas5p", Solver::kRodas5p, tolerance});
    cases.push_back({"cvode", Solver::kCvode, tolerance});
    cases.push_back({"dopri5", Solver::kDopri5, tolerance});
    cases.push_back({"arkode", Solver::kArkode, tolerance});
  }
  for (int round = 0; round < kRepeats; ++round) {
    for (Case& c : cases) {
      options.solver = c.solver;
      options.tolerance = c.tolerance;
      const double start = vesica::bench::thread_nanoseconds();
      c.last = simulate(system, options);
      c.rates.push_back(c.last.end_time / (1e-9 * (vesica::bench::thread_nanoseconds() - start)));
    }
  }
  std::printf("\nbrown_stick_slip (source: 3100 times real time), medians of %d\n\n", kRepeats);
  std::printf("  %-18s %12s %8s %10s %14s\n", "", "error [m]", "steps", "rejected", "times real");
  for (const Case& c : cases) {
    std::printf("  %-8s %9.0e %12.1e %8ld %10ld %14.0f\n", c.name, c.tolerance,
                std::abs(x_of(c.last) - reference), c.last.statistics.steps,
                c.last.statistics.rejected, vesica::bench::median(c.rates));
  }
  // Between two runs in logarithms, as above.
  const Case* coarse = nullptr;
  for (const Case& fine : cases) {
    if (fine.solver != Solver::kRodas5p) continue;
    const auto error_of = [&](const Case& c) { return std::abs(x_of(c.last) - reference); };
    if (coarse && error_of(*coarse) >= kStickSlipError && kStickSlipError >= error_of(fine)) {
      const double share = std::log(error_of(*coarse) / kStickSlipError) /
                           std::log(error_of(*coarse) / error_of(fine));
      std::printf("\n  rodas5p at an error of %.1e m: %.0f times real time\n", kStickSlipError,
                  std::pow(vesica::bench::median(coarse->rates), 1 - share) *
                      std::pow(vesica::bench::median(fine.rates), share));
    }
    coarse = &fine;
  }
}

}  // namespace

int main(int count, char** arguments) {
  const double vesica = run_vesica();
  // MuJoCo as it comes, and the fastest of its settings.
  const MujocoSettings usual = {"Newton", "pyramidal", 3};
  const double mujoco = run_mujoco(usual);
  MujocoSettings fastest = usual;
  double fastest_rate = mujoco;
  for (const char* solver : {"Newton", "CG", "PGS"}) {
    for (const char* cone : {"pyramidal", "elliptic"}) {
      for (const int condim : {3, 4}) {
        const double rate = run_mujoco({solver, cone, condim});
        if (rate > fastest_rate) {
          fastest_rate = rate;
          fastest = {solver, cone, condim};
        }
      }
    }
  }
  using vesica::bench::SimbodyForce;
  const auto run_simbody = [](SimbodyForce kind) {
    return median_rate(
        5000, [kind](long steps) { vesica::bench::step_simbody_ball(steps, kStep, kind); });
  };
  const double simbody = run_simbody(SimbodyForce::kHuntCrossley),
               smooth = run_simbody(SimbodyForce::kSmooth);
  std::printf("a ball in contact, semi-implicit Euler, step 50 us, medians of %d repeats\n\n",
              kRepeats);
  const std::string best = std::string("MuJoCo, ") + fastest.solver + ", " + fastest.cone +
                           ", condim " + std::to_string(fastest.condim);
  std::printf("  %-40s %14s %10s\n", "engine", "steps/s", "vesica is");
  std::printf("  %-40s %14.3g\n", "vesica", vesica);
  const auto print = [&](const std::string& name, double rate) {
    std::printf("  %-40s %14.3g %8.1f x\n", name.c_str(), rate, vesica / rate);
  };
  print("MuJoCo, Euler, as it comes", mujoco);
  print(best, fastest_rate);
  print("Simbody, HuntCrossleyForce", simbody);
  print("Simbody, SmoothSphereHalfSpaceForce", smooth);
  compare_thrown_balls();
  time_stick_slip(count > 1 ? arguments[1] : "scenes");
  return 0;
}
