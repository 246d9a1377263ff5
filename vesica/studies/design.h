// Which runs a study makes: for every run a point in the unit cube of its factors, as a function of
// the run's number alone.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace vesica::studies {

enum class Method {
  kList,             // the k-th value of every factor
  kSweep,            // one factor at a time, the others at their nominal value
  kGrid,             // every combination
  kLatinHypercube,   // every factor's range in as many slices as runs, each slice once
  kSobol,            // Sobol's sequence, scrambled
  kMonteCarlo,       // independent draws
  kMorris,           // trajectories for elementary effects
  kSobolIndices,     // two samples and their mixtures, for indices of variance
  kMultiStart,       // the input as it is, then starts spread over the ranges
  kCrossValidation,  // each fold of recordings left out once
};
const std::vector<std::string_view>& method_names();
std::string_view name_of(Method method);
bool is_sampled(Method method);  // draws from distributions

struct Design {
  Method method = Method::kList;
  std::uint64_t seed = 1;
  std::uint64_t samples = 0;         // rows, trajectories, starts or folds
  std::uint64_t repeats = 1;         // of every point, with seeds of their own
  std::uint64_t levels = 4;          // of Morris' grid, even
  std::vector<std::uint64_t> sizes;  // of every factor: how many values; 0: a distribution
  std::vector<double> copula;  // lower triangle of Cholesky's factor by rows; empty: independent

  std::uint64_t factors() const { return sizes.size(); }
  std::uint64_t points() const;
  std::uint64_t runs() const { return points() * repeats; }
};

// Where a point has a factor: a level of its list, a probability of its distribution, or the value
// that the input has (sweep, multi-start).
struct FactorPlace {
  bool is_nominal = false;
  std::uint64_t level = 0;
  double probability = 0;  // Morris: ends included
};
std::vector<FactorPlace> calc_point(const Design& design, std::uint64_t point);

// Of sobol_indices, within the runs of a row: A, B, then A with one factor of B each.
inline std::uint64_t calc_row_length(const Design& design) { return design.factors() + 2; }

// Of one of Morris' trajectories: the factor that each of its steps moves (as many as factors), and
// by how much of the range, with its sign.
struct MorrisStep {
  std::uint64_t factor = 0;
  double change = 0;
};
std::vector<MorrisStep> calc_morris_steps(const Design& design, std::uint64_t trajectory);

// Cholesky's factor of a correlation matrix by rows, empty where that is not positive definite.
std::vector<double> factor_correlations(const std::vector<double>& matrix, std::uint64_t size);

}  // namespace vesica::studies
