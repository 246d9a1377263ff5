// The planar foot's search: the source's pipeline (genetic algorithm, SQP, pattern search) beside
// least squares with exact Jacobians from random starts, on the same stances, one after the other
// on one thread.
//
//   foot2d_bench [raw|scaled POPULATION]
//
// Without arguments three pipelines: in the source's own parameters (raw) with a population of 20,
// MATLAB's in 2012, which the source names, and of 200, its later one; and in our variables
// (scaled), which help it as much as us, with 200.
//
// Two questions. How low do both end, each run to its own end with the settings of a study (16
// starts, 8 rounds of hops), and in what time? And how soon is ours as low as the pipeline ended,
// asked to stop there (within a thousandth of J) and to hop until it is: the median of seven seeds,
// so that no lucky one counts, and the share of seeds that were. Times are processor times of this
// thread; the objective is the same code for both.
//
// And two more. From the same random points, how does Ceres, which is a library's least squares
// with bounds, end beside ours? And how often does a 95 % interval hold the value that a fit to
// recordings without noise ends at, of parameters that are called determined and end on no bound:
// with noise of the forces alone, and with that of the foot's pose too?
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string_view>
#include <vector>

#include "bench/timing.h"
#include "vesica/identification/foot2d_fit.h"
#include "vesica/identification/foot2d_pipeline.h"
#include "vesica/identification/foot2d_trials.h"
#include "vesica/math/bounded_least_squares.h"

namespace {

using namespace vesica;

constexpr int kSeeds = 7;
constexpr double kEqual = 1.001;  // both end within a thousandth of a minimum
constexpr double kNever = 1e9;    // s

struct Row {
  double pipeline_J = 0, pipeline_seconds = 0;
  double ours_J = 0, ours_seconds = 0;
  double reached = 0;  // s until ours was as low, median
  int seeds = 0;       // that were
};

template <class Run>
double time_of(const Run& run) {
  const double begin = bench::thread_nanoseconds();
  run();
  return 1e-9 * (bench::thread_nanoseconds() - begin);
}

Row compare(const Foot2dProblem& problem, const Foot2dPipelineSettings& settings) {
  Row row;
  row.pipeline_seconds =
      time_of([&] { row.pipeline_J = run_foot2d_pipeline(problem, settings).objective.total(); });
  Foot2dFitSettings ours;
  ours.threads = 1;
  ours.hops = 8;
  row.ours_seconds = time_of([&] { row.ours_J = fit_foot2d(problem, ours).objective.total(); });
  ours.target = kEqual * row.pipeline_J;
  ours.hops = 200;
  std::vector<double> times;
  for (int k = 0; k < kSeeds; ++k) {
    ours.seed = 100 + static_cast<std::uint64_t>(k);
    double J = 0;
    const double seconds = time_of([&] { J = fit_foot2d(problem, ours).objective.total(); });
    const bool reached = J <= ours.target;
    row.seeds += reached ? 1 : 0;
    times.push_back(reached ? seconds : kNever);
  }
  row.reached = bench::median(times);
  return row;
}

constexpr SyntheticNoise kNoise = {3, 0.002, 0.0003, 0.003};

std::vector<Foot2dProblem> make_problems(std::vector<std::string>* names) {
  Foot2dSynthetic synthetic;
  synthetic.noise = kNoise;
  std::vector<Foot2dProblem> problems;
  for (const Foot2dStance& stance : make_foot2d_stances(synthetic).stances) {
    const Foot2dGeometryFit geometry = fit_foot2d_geometry(stance);
    const auto poses = apply_toe(stance, geometry.toe);
    for (const Foot2dElement element :
         {Foot2dElement::kSpring, Foot2dElement::kLinear, Foot2dElement::kHyper}) {
      problems.emplace_back(stance, geometry.geometry, poses,
                            Foot2dType{element, Foot2dFriction::kArctan});
      names->push_back(fmt::format("{:<8}{:<8}", stance.name, name_of(element)));
    }
  }
  return problems;
}

void run(bool raw, int population) {
  Foot2dPipelineSettings settings;
  settings.threads = 1;
  settings.population = population;
  settings.raw = raw;
  fmt::print("pipeline in {}, population {}\n\n", raw ? "the source's parameters" : "our variables",
             population);
  fmt::print("{:<16}{:>10}{:>8}{:>10}{:>8}{:>8}{:>12}{:>7}{:>8}\n", "stance, element", "J source",
             "s", "J ours", "s", "faster", "as low [s]", "seeds", "faster");
  std::vector<std::string> names;
  const std::vector<Foot2dProblem> problems = make_problems(&names);
  std::vector<double> whole, sooner;
  int lower = 0, fifty = 0;
  for (size_t k = 0; k < problems.size(); ++k) {
    const Row r = compare(problems[k], settings);
    const bool ever = r.reached < kNever;
    whole.push_back(r.pipeline_seconds / r.ours_seconds);
    sooner.push_back(ever ? r.pipeline_seconds / r.reached : 0);
    lower += r.ours_J <= kEqual * r.pipeline_J ? 1 : 0;
    fifty += sooner.back() >= 50 ? 1 : 0;
    fmt::print("{:<16}{:>10.4f}{:>8.2f}{:>10.4f}{:>8.3f}{:>8.1f}{:>12}{:>7}{:>8}\n", names[k],
               r.pipeline_J, r.pipeline_seconds, r.ours_J, r.ours_seconds, whole.back(),
               ever ? fmt::format("{:.4f}", r.reached) : "never",
               fmt::format("{}/{}", r.seeds, kSeeds),
               ever ? fmt::format("{:.0f}", sooner.back()) : "");
    std::fflush(stdout);
  }
  fmt::print(
      "\nran to its end, ours is as low or lower in {0} of {1}, {2:.0f} times as fast (median);\n"
      "as low as the pipeline {3:.0f} times as soon (median; {4:.0f} to {5:.0f}), 50 times in {6} "
      "of {1}\n\n",
      lower, whole.size(), bench::median(whole), bench::median(sooner),
      *std::min_element(sooner.begin(), sooner.end()),
      *std::max_element(sooner.begin(), sooner.end()), fifty);
}

Eigen::VectorXd draw_start(const Foot2dProblem& problem, std::mt19937_64* random) {
  Eigen::VectorXd x(problem.variables());
  for (double& u : x) u = double((*random)() >> 11) * 0x1p-53;
  problem.tune(x.data());
  return x;
}

void run_ceres() {
  constexpr int kSteps = 1000;
  std::vector<std::string> names;
  const std::vector<Foot2dProblem> problems = make_problems(&names);
  std::vector<double> ours, ceres;
  int low_ours = 0, low_ceres = 0, ended_ours = 0, ended_ceres = 0;
  std::mt19937_64 random(1);
  for (const Foot2dProblem& problem : problems) {
    for (int k = 0; k < kSeeds; ++k) {
      const Eigen::VectorXd start = draw_start(problem, &random);
      Foot2dFitSettings settings;
      settings.iterations = kSteps;
      Foot2dFit own;
      ours.push_back(time_of([&] { own = fit_foot2d_from(problem, start, settings); }));
      BoundedProblem same;
      same.residuals = problem.residuals();
      same.start = start;
      same.lower = Eigen::VectorXd::Zero(start.size());
      same.upper = Eigen::VectorXd::Ones(start.size());
      same.evaluate = [&](const double* x, double* r, double* jacobian) {
        problem.evaluate(x, r, jacobian);
        return true;
      };
      BoundedSolution solution;
      ceres.push_back(
          time_of([&] { solution = minimise(same, {.iterations = kSteps, .stop = {}}); }));
      const double a = own.objective.total(), b = 2 * solution.cost;
      low_ours += a <= kEqual * b ? 1 : 0;
      low_ceres += b <= kEqual * a ? 1 : 0;
      ended_ours += own.converged ? 1 : 0;
      ended_ceres += solution.converged ? 1 : 0;
    }
  }
  fmt::print(
      "from {} random points, {} steps at most: ours {:.3f} s (median), converged {}, as low or "
      "lower {};\nCeres {:.3f} s, converged {}, as low or lower {}\n\n",
      ours.size(), kSteps, bench::median(ours), ended_ours, low_ours, bench::median(ceres),
      ended_ceres, low_ceres);
}

void run_coverage() {
  constexpr int kRecordings = 40;
  const auto make = [](const SyntheticNoise& noise, int seed, Foot2dElement element) {
    Foot2dSynthetic synthetic;
    synthetic.noise = noise;
    synthetic.seed = static_cast<std::uint64_t>(seed);
    const Foot2dStance stance = make_foot2d_stances(synthetic).stances.front();
    const Foot2dGeometryFit geometry = fit_foot2d_geometry(stance);
    return Foot2dProblem(stance, geometry.geometry, apply_toe(stance, geometry.toe), {element, {}});
  };
  fmt::print("intervals hold the value of a fit without noise, of {} recordings\n", kRecordings);
  for (const bool pose : {false, true}) {
    fmt::print("  noise of {}:", pose ? "force, point and the foot's pose" : "force and point");
    for (const Foot2dElement element :
         {Foot2dElement::kSpring, Foot2dElement::kLinear, Foot2dElement::kHyper}) {
      Foot2dFitSettings settings;
      settings.threads = 1;
      settings.hops = 8;
      const Foot2dProblem clean = make({}, 1, element);
      const Eigen::VectorXd x = fit_foot2d(clean, settings).x;
      const Foot2dIntervals truth = calc_foot2d_intervals(clean, x);
      int held = 0, count = 0;
      for (int k = 1; k <= kRecordings; ++k) {
        const SyntheticNoise noise = pose ? kNoise : SyntheticNoise{kNoise.force, kNoise.cop, 0, 0};
        const Foot2dProblem noisy = make(noise, k, element);
        settings.iterations = 1500;
        const Foot2dFit fit = fit_foot2d_from(noisy, x, settings);
        const Foot2dIntervals found = calc_foot2d_intervals(noisy, fit.x);
        for (size_t p = 0; p < found.parameters.size(); ++p) {
          const Foot2dEstimate& e = found.parameters[p];
          if (!e.determined || e.at_bound || truth.parameters[p].at_bound) continue;
          ++count;
          held += e.low <= truth.parameters[p].value && truth.parameters[p].value <= e.high ? 1 : 0;
        }
      }
      fmt::print("  {} {:.0f} % of {}", name_of(element), 100.0 * held / std::max(1, count), count);
    }
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) {
    run(std::string_view(argv[1]) == "raw", std::max(4, 2 * (std::atoi(argv[2]) / 2)));
    return 0;
  }
  run(true, 20);
  run(true, 200);
  run(false, 200);
  run_ceres();
  run_coverage();
  return 0;
}
