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
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "bench/timing.h"
#include "vesica/identification/foot2d_fit.h"
#include "vesica/identification/foot2d_pipeline.h"
#include "vesica/identification/foot2d_trials.h"

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

std::vector<Foot2dProblem> make_problems(std::vector<std::string>* names) {
  Foot2dSynthetic synthetic;
  synthetic.noise = {3, 0.002, 0.0003, 0.003};
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

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) {
    run(std::string_view(argv[1]) == "raw", std::max(4, 2 * (std::atoi(argv[2]) / 2)));
    return 0;
  }
  run(true, 20);
  run(true, 200);
  run(false, 200);
  return 0;
}
