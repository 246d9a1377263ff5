// What a study says: spread, what matters, the best runs, bands over time. docs/theory/studies.md.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "vesica/studies/table.h"

namespace vesica::studies {

struct Interval {
  double value = 0, low = 0, high = 0;  // of 95 %
};

inline constexpr std::array<double, 5> kPercentiles = {5, 25, 50, 75, 95};

// Of one factor on one output.
struct Effect {
  std::string factor;
  double rank_correlation = 0;           // Spearman's; NaN where ranks mean nothing
  double at_low = 0, at_high = 0;        // mean output where the factor is low, and high
  std::optional<Interval> first, total;  // Sobol indices
  std::optional<Interval> mu_star;       // Morris: over the range, in units of the output
  double mu = 0, sigma = 0;              // of the same
};

struct OutputAnswer {
  std::string name, unit;
  std::uint64_t count = 0;  // of finite values in runs that are done
  double mean = 0, sd = 0, least = 0, greatest = 0;
  std::array<double, 5> percentiles{};
  std::vector<Effect> effects;
};

struct BestRun {
  std::uint64_t run = 0;
  std::vector<std::string> factors;
  double value = 0;
};

struct CurveBand {
  std::string name, unit;
  std::vector<double> times;
  std::array<std::vector<double>, 5> percentiles;  // NaN where no run has a value
  std::uint64_t count = 0;
};

struct Answers {
  std::vector<OutputAnswer> outputs;
  std::vector<BestRun> best;
  std::uint64_t same_as_best = 0;  // within 1e-6 of its size, or 1e-12
  std::vector<CurveBand> bands;
  std::vector<WarningKind> warnings;  // of runs that have outputs
  std::vector<std::string> notes;
};

// From the table in the folder. `table` comes along where the caller has it.
Answers calc_answers(const Study& study, const std::string& folder, const ResultTable& table);

nlohmann::ordered_json make_answers_json(const Study& study, const Answers& answers);

// --- parts of it, for tests and callers with tables of their own

// The value below which a share of the sorted values lies, between neighbours on a straight line.
double calc_percentile(const std::vector<double>& sorted, double percent);
double calc_rank_correlation(const std::vector<double>& x, const std::vector<double>& y);

// Rows of A, B and A with one factor of B each, in the order of the design; Jansen's estimators.
struct SobolIndices {
  std::vector<Interval> first, total;
};
SobolIndices calc_sobol_indices(const std::vector<double>& A, const std::vector<double>& B,
                                const std::vector<std::vector<double>>& AB);

}  // namespace vesica::studies
