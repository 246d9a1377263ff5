// Trees: forward dynamics of a chain by articulated bodies and by the mass matrix, beside Simbody;
// a double pendulum at equal achieved error beside Simbody; and how fast the systems of the sources
// run at a tolerance of 1e-6, recording and ledger off. Arguments: the folder of the scenes.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "bench/simbody_pendulum.h"
#include "vesica/model/model_file.h"
#include "vesica/multibody/dynamics.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/simulate.h"

namespace {

using Clock = std::chrono::steady_clock;
using namespace vesica;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}
double median_of(int repeats, const std::function<double()>& measure) {
  std::vector<double> all;
  for (int k = 0; k < repeats; ++k) all.push_back(measure());
  std::nth_element(all.begin(), all.begin() + repeats / 2, all.end());
  return all[static_cast<size_t>(repeats / 2)];
}

Tree<double> make_chain(int n) {
  Tree<double> tree;
  for (int k = 0; k < n; ++k) {
    Joint<double> joint;
    joint.type = JointType::kRevolute;
    joint.parent = k - 1;
    joint.axis = Vec3d::UnitY();
    if (k > 0) joint.X_PF.p_WB = Vec3d(0, 0, -0.5);
    joint.X_BM.p_WB = Vec3d(0, 0, 0.5);
    const double i = 2.0 / 12;
    tree.add_body(make_free_body<double>(2, Vec3d(i, i, 0.01).asDiagonal()), joint);
  }
  return tree;
}

struct Chain {
  Tree<double> tree;
  TreeData<double> data;
  std::vector<double> q, u, tau, rates, bias;
  std::vector<Wrench<double>> weights;
  MatrixX<double> M;
  Eigen::LLT<MatrixX<double>> factor;

  explicit Chain(int n) : tree(make_chain(n)), data(make_tree_data<double>(tree)) {
    const auto size = static_cast<size_t>(n);
    q.assign(size, 0.1);
    u.assign(size, 0.2);
    tau.assign(size, 0.0);
    rates = bias = tau;
    weights.assign(size, {Vec3d(0, 0, -9.81 * 2), Vec3d::Zero()});
    M.resize(n, n);
    factor = Eigen::LLT<MatrixX<double>>(n);
  }
  void articulated() {
    calc_tree_motions(tree, 0, q.data(), u.data(), &data);
    factor_tree(tree, &data);
    calc_forward_dynamics(tree, weights, tau.data(), rates.data(), &data);
  }
  void by_mass_matrix() {
    calc_tree_motions(tree, 0, q.data(), u.data(), &data);
    calc_mass_matrix(tree, &data, &M);
    calc_inverse_dynamics(tree, weights, tau.data(), bias.data(), &data);
    factor.compute(M);
    Eigen::Map<Eigen::VectorXd> x(rates.data(), tree.nu());
    x = -Eigen::Map<const Eigen::VectorXd>(bias.data(), tree.nu());
    factor.solveInPlace(x);
  }
};

void compare_chains() {
  fmt::print("forward dynamics of a chain of hinges [us], medians of 7\n\n");
  fmt::print("  {:>6}{:>16}{:>16}{:>12}\n", "links", "articulated", "mass matrix", "Simbody");
  for (int n : {1, 2, 4, 6, 10, 20, 30}) {
    Chain chain(n);
    const long count = 200000 / n;
    auto time = [&](const std::function<void()>& f) {
      return median_of(7, [&] {
        const auto start = Clock::now();
        for (long k = 0; k < count; ++k) {
          chain.q[0] = 1e-3 * static_cast<double>(k % 1000);
          f();
        }
        return 1e6 * seconds_since(start) / static_cast<double>(count);
      });
    };
    const double articulated = time([&] { chain.articulated(); });
    const double matrix = time([&] { chain.by_mass_matrix(); });
    const double simbody =
        median_of(3, [&] { return 1e6 / bench::rate_simbody_chain(n, count / 10); });
    fmt::print("  {:>6}{:>16.3f}{:>16.3f}{:>12.2f}\n", n, articulated, matrix, simbody);
  }
}

struct Swing {
  double error, seconds;
};

void compare_pendulums() {
  const char* const text =
      "vesica: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  a: {mass: 2, inertia: [0.166666666666666667, 0.166666666666666667, 0.01], joint: {type: "
      "revolute, parent: world, axis: [0, 1, 0], in_body: {position: [0, 0, 0.5]}, start: 1.5}}\n"
      "  b: {mass: 2, inertia: [0.166666666666666667, 0.166666666666666667, 0.01], joint: {type: "
      "revolute, parent: a, axis: [0, 1, 0], in_parent: {position: [0, 0, -0.5]}, in_body: "
      "{position: [0, 0, 0.5]}, start: 0.5}}\n"
      "duration: 5\nsolver: {method: arkode, tolerance: 1.0e-8, ledger: false}\n"
      "output: {interval: 0}\n";
  const auto file = InputFile::parse(text, "bench");
  const System<double> system(make_scene<double>(read_model(file)), false);
  auto options = make_run_options(read_model(file));
  auto run = [&](Solver solver, double tolerance) {
    options.solver = solver;
    options.tolerance = tolerance;
    return simulate(system, options);
  };
  const auto reference = run(Solver::kArkode, 1e-13);
  const double q1 = reference.state[0], q2 = reference.state[1];
  auto ours = [&](Solver solver, double tolerance) -> Swing {
    double error = 0;
    const double seconds = median_of(5, [&] {
      const auto result = run(solver, tolerance);
      error = std::hypot(result.state[0] - q1, result.state[1] - q2);
      return result.statistics.seconds;
    });
    return {error, seconds};
  };
  auto simbody = [&](double accuracy) -> Swing {
    double error = 0;
    const double seconds = median_of(3, [&] {
      const auto result = bench::swing_simbody_pendulum(5, accuracy);
      error = std::hypot(result.q1 - q1, result.q2 - q2);
      return result.seconds;
    });
    return {error, seconds};
  };
  fmt::print("\na double pendulum swings for 5 s: error of the angles at the end, wall time\n\n");
  fmt::print("  {:<34}{:>12}{:>14}\n", "", "error [rad]", "time [ms]");
  auto print = [](const std::string& name, const Swing& s) {
    fmt::print("  {:<34}{:>12.2e}{:>14.3f}\n", name, s.error, 1e3 * s.seconds);
  };
  for (double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    print(fmt::format("vesica arkode {:.0e}", tolerance), ours(Solver::kArkode, tolerance));
    print(fmt::format("vesica cvode {:.0e}", tolerance), ours(Solver::kCvode, tolerance));
    print(fmt::format("Simbody Runge-Kutta-Merson {:.0e}", tolerance), simbody(tolerance));
  }
}

void time_systems(const std::string& scenes) {
  fmt::print("\nsystems of the sources at tolerance 1e-6: simulated seconds per second\n\n");
  fmt::print("  {:<22}{:>12}{:>12}\n", "", "vesica", "source");
  const std::pair<const char*, const char*> systems[] = {
      {"restitution", ""},       {"bowden_leben", ""},   {"brown_stick_slip", "3100"},
      {"brown_impact", "3.1"},   {"inclined_plane", ""}, {"cylinder_point", ""},
      {"pendulum_settling", ""}, {"pendulum_ahmed", ""}, {"arm_on_plate", ""}};
  for (const auto& [name, source] : systems) {
    const auto file = InputFile::load(fmt::format("{}/{}.yaml", scenes, name));
    auto options = make_run_options(read_model(file));
    options.tolerance = 1e-6;  // the arm keeps its fixed step of 1 ms
    options.interval = 0;
    const System<double> system(make_scene<double>(read_model(file)), false);
    const double rate = median_of(5, [&] {
      const auto result = simulate(system, options);
      if (!result.failure.empty()) fmt::print("{}\n", result.failure);
      return result.end_time / result.statistics.seconds;
    });
    fmt::print("  {:<22}{:>12.4g}{:>12}\n", name, rate, source);
  }
}

}  // namespace

int main(int count, char** arguments) {
  compare_chains();
  compare_pendulums();
  time_systems(count > 1 ? arguments[1] : "scenes");
  return 0;
}
