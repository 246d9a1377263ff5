#include "vesica/identification/foot2d_pipeline.h"

#include <nlopt.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <pagmo/algorithms/compass_search.hpp>
#include <pagmo/algorithms/sga.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>

#include "vesica/error.h"
#include "vesica/math/parallel.h"

namespace vesica {
namespace {

using Seconds = std::chrono::duration<double>;

// What all steps share.
struct Search {
  const Foot2dProblem& problem;
  const Foot2dPipelineSettings& settings;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  std::atomic<long> evaluations{0};

  double elapsed() const { return Seconds(std::chrono::steady_clock::now() - begin).count(); }
  bool is_over() const {
    return (settings.stop && settings.stop()) ||
           (settings.time_limit > 0 && elapsed() > settings.time_limit);
  }
  // The problem's variables from the search's.
  std::vector<double> as_variables(const double* x) const {
    const auto n = static_cast<size_t>(problem.variables());
    if (!settings.raw) return {x, x + n};
    std::vector<double> all;
    for (int point = 0; point < 3; ++point) {
      const auto own =
          as_foot2d_variables_of_raw(problem.type(), problem.rows(), point,
                                     x + problem.rows().size() * static_cast<size_t>(point));
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }
  double evaluate(const double* x, double* gradient) {
    ++evaluations;
    if (!settings.raw) return problem.objective(x, gradient);
    return problem.objective(as_variables(x).data(), nullptr);
  }
};

// For pagmo, which wants it to be made without arguments.
struct BoxProblem {
  Search* search = nullptr;

  pagmo::vector_double fitness(const pagmo::vector_double& x) const {
    return {search->evaluate(x.data(), nullptr)};
  }
  std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    const auto n = static_cast<size_t>(search == nullptr ? 1 : search->problem.variables());
    return {pagmo::vector_double(n, 0.0), pagmo::vector_double(n, 1.0)};
  }
};

struct FlatPoint {
  std::vector<double> x;
  double J = 0;
};

FlatPoint best_of(const pagmo::population& population) {
  return {population.champion_x(), population.champion_f()[0]};
}

FlatPoint run_genetic(Search* search, int number) {
  constexpr int kAtOnce = 10;  // generations between looks at the clock
  const Foot2dPipelineSettings& s = search->settings;
  const auto seed = static_cast<unsigned>(s.seed * 1000003ULL + static_cast<std::uint64_t>(number));
  pagmo::population population(pagmo::problem(BoxProblem{search}),
                               static_cast<pagmo::population::size_type>(s.population), seed);
  // One coordinate in each child is drawn anew on average.
  const double mutation = 1.0 / search->problem.variables();
  pagmo::sga genetic(kAtOnce, 0.9, 10.0, mutation, 20.0, 2u, "sbx", "polynomial", "tournament",
                     seed);
  for (int done = 0; done < s.generations && !search->is_over(); done += kAtOnce) {
    population = genetic.evolve(population);
  }
  return best_of(population);
}

double evaluate_for_nlopt(unsigned n, const double* x, double* gradient, void* data) {
  auto* search = static_cast<Search*>(data);
  if (gradient == nullptr) return search->evaluate(x, nullptr);
  if (search->settings.exact_gradient) return search->evaluate(x, gradient);
  constexpr double kStep = 1.5e-8;  // sqrt of the rounding, as MATLAB's
  std::vector<double> moved(x, x + n);
  const double J = search->evaluate(x, nullptr);
  for (unsigned k = 0; k < n; ++k) {
    moved[k] = x[k] + (x[k] + kStep <= 1 ? kStep : -kStep);
    gradient[k] = (search->evaluate(moved.data(), nullptr) - J) / (moved[k] - x[k]);
    moved[k] = x[k];
  }
  return J;
}

FlatPoint run_sqp(Search* search, const FlatPoint& start) {
  struct Free {
    void operator()(nlopt_opt o) const { nlopt_destroy(o); }
  };
  const auto n = static_cast<unsigned>(search->problem.variables());
  const std::unique_ptr<std::remove_pointer_t<nlopt_opt>, Free> sqp(
      nlopt_create(NLOPT_LD_SLSQP, n));
  nlopt_set_lower_bounds1(sqp.get(), 0.0);
  nlopt_set_upper_bounds1(sqp.get(), 1.0);
  nlopt_set_min_objective(sqp.get(), evaluate_for_nlopt, search);
  nlopt_set_ftol_abs(sqp.get(), 0.1 * search->settings.tolerance);
  nlopt_set_xtol_abs1(sqp.get(), 1e-9);
  nlopt_set_maxeval(sqp.get(), 1000);
  if (search->settings.time_limit > 0) {
    nlopt_set_maxtime(sqp.get(), std::max(0.01, search->settings.time_limit - search->elapsed()));
  }
  FlatPoint end = start;
  nlopt_optimize(sqp.get(), end.x.data(), &end.J);  // what it says is judged by J alone
  for (double& u : end.x) u = std::clamp(u, 0.0, 1.0);
  end.J = search->evaluate(end.x.data(), nullptr);
  return end.J < start.J ? end : start;
}

FlatPoint run_pattern(Search* search, const FlatPoint& start) {
  pagmo::population population(pagmo::problem(BoxProblem{search}), 0u, 1u);
  population.push_back(start.x, {start.J});
  const pagmo::compass_search pattern(100000u, 0.1, 1e-6, 0.5);
  return best_of(pattern.evolve(population));
}

}  // namespace

Foot2dPipelineResult run_foot2d_pipeline(const Foot2dProblem& problem,
                                         const Foot2dPipelineSettings& settings) {
  if (settings.seeds < 1 || settings.population < 4 || settings.population % 2 != 0) {
    throw InputError("foot2d: the pipeline needs a seed and an even population of 4 or more");
  }
  if (settings.raw && settings.exact_gradient) {
    throw InputError("foot2d: gradients are exact in the search's own variables only, not in raw");
  }
  Search search{problem, settings};
  Foot2dPipelineResult result;
  result.of_genetic.resize(static_cast<size_t>(settings.seeds));
  result.of_sqp = result.of_genetic;
  std::vector<FlatPoint> points(static_cast<size_t>(settings.seeds));
  for_each_index(settings.seeds, calc_thread_count(settings.threads), [&](int k, int) {
    const auto at = static_cast<size_t>(k);
    const FlatPoint genetic = run_genetic(&search, k);
    points[at] = run_sqp(&search, genetic);
    result.of_genetic[at] = genetic.J;
    result.of_sqp[at] = points[at].J;
  });
  FlatPoint best =
      *std::min_element(points.begin(), points.end(),
                        [](const FlatPoint& a, const FlatPoint& b) { return a.J < b.J; });
  while (result.rounds < settings.rounds && !search.is_over()) {
    ++result.rounds;
    const double before = best.J;
    const FlatPoint pattern = run_pattern(&search, best);
    if (pattern.J < best.J) best = run_sqp(&search, pattern);
    if (before - best.J < settings.tolerance) {
      result.converged = true;
      break;
    }
  }
  const std::vector<double> x = search.as_variables(best.x.data());
  result.x = Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
  result.objective = problem.objective(result.x.data());
  result.evaluations = search.evaluations;
  result.seconds = search.elapsed();
  return result;
}

}  // namespace vesica
