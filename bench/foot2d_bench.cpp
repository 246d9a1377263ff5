// The planar foot's search: the source's pipeline (genetic algorithm, SQP, pattern search) beside
// least squares with exact Jacobians from random starts, on the same stances, one after the other
// on one thread.
//
//   foot2d_bench [POPULATION]      of the genetic algorithm; 200 unless given, 20 is MATLAB's of
//   2012
//
// Two questions: how low each ends, and how soon ours is as low as the pipeline ended. Ours is
// asked to stop there: 8 starts and up to 60 rounds of hops, then the same with other seeds, up to
// four times; all of that counts. Times are processor times of this thread; both search with the
// same objective, in the same variables.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "bench/timing.h"
#include "vesica/identification/foot2d_fit.h"
#include "vesica/identification/foot2d_pipeline.h"
#include "vesica/identification/foot2d_trials.h"

namespace {

using namespace vesica;

constexpr std::uint64_t kAttempts = 4;
constexpr double kEqual = 1.001;  // both end within a thousandth of a minimum

struct Row {
  double pipeline_J = 0, pipeline_seconds = 0;
  double ours_J = 0, ours_seconds = 0;
  double reached = -1;  // s until ours was as low, to a thousandth of J; negative: never
};

Row compare(const Foot2dProblem& problem, const Foot2dPipelineSettings& settings) {
  Row row;
  double begin = bench::thread_nanoseconds();
  const Foot2dPipelineResult pipeline = run_foot2d_pipeline(problem, settings);
  row.pipeline_seconds = 1e-9 * (bench::thread_nanoseconds() - begin);
  row.pipeline_J = pipeline.objective.total();
  begin = bench::thread_nanoseconds();
  row.ours_J = 1e300;
  for (std::uint64_t attempt = 0; attempt < kAttempts && row.reached < 0; ++attempt) {
    Foot2dFitSettings ours;
    ours.starts = 8;
    ours.hops = 60;
    ours.target = kEqual * row.pipeline_J;
    ours.threads = 1;
    ours.seed = 100 + attempt;
    row.ours_J = std::min(row.ours_J, fit_foot2d(problem, ours).objective.total());
    row.ours_seconds = 1e-9 * (bench::thread_nanoseconds() - begin);
    if (row.ours_J <= kEqual * row.pipeline_J) row.reached = row.ours_seconds;
  }
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  Foot2dPipelineSettings settings;
  settings.threads = 1;
  settings.population = argc > 1 ? std::max(4, 2 * (std::atoi(argv[1]) / 2)) : 200;
  Foot2dSynthetic synthetic;
  synthetic.noise = {3, 0.002, 0.0003, 0.003};
  const Foot2dTrials trials = make_foot2d_stances(synthetic);
  fmt::print("{:<8}{:<10}{:>10}{:>10}{:>10}{:>10}{:>16}{:>10}\n", "stance", "element", "J source",
             "s", "J ours", "s", "s until as low", "faster");
  std::vector<double> ratios;
  for (const Foot2dStance& stance : trials.stances) {
    const Foot2dGeometryFit geometry = fit_foot2d_geometry(stance);
    const auto poses = apply_toe(stance, geometry.toe);
    for (const Foot2dElement element :
         {Foot2dElement::kSpring, Foot2dElement::kLinear, Foot2dElement::kHyper}) {
      const Foot2dProblem problem(stance, geometry.geometry, poses,
                                  {element, Foot2dFriction::kArctan});
      const Row r = compare(problem, settings);
      const double ratio = r.reached > 0 ? r.pipeline_seconds / r.reached : 0;
      ratios.push_back(ratio);
      fmt::print("{:<8}{:<10}{:>10.4f}{:>10.2f}{:>10.4f}{:>10.2f}{:>16}{:>10}\n", stance.name,
                 name_of(element), r.pipeline_J, r.pipeline_seconds, r.ours_J, r.ours_seconds,
                 r.reached > 0 ? fmt::format("{:.3f}", r.reached) : "never",
                 ratio > 0 ? fmt::format("{:.0f} x", ratio) : "");
      std::fflush(stdout);
    }
  }
  fmt::print("faster, median of {}: {:.0f} x; least {:.0f} x (0: never as low in {} attempts)\n",
             ratios.size(), bench::median(ratios), *std::min_element(ratios.begin(), ratios.end()),
             kAttempts);
  return 0;
}
