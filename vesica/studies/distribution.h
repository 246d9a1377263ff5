// What values a factor of a study takes: a distribution with its quantiles, or a list.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vesica/io/yaml.h"

namespace vesica::studies {

// Equations and sources: docs/theory/studies.md.
struct Distribution {
  enum class Kind {
    kUniform,     // low, high
    kLogUniform,  // low, high > 0: uniform in the logarithm
    kNormal,      // mean, sd; with low, high truncated
    kLogNormal,   // median, sigma of the logarithm; with low, high truncated
    kTriangular,  // low, mode, high
    kBeta,        // low, high, alpha, beta
  };
  Kind kind = Kind::kUniform;
  double low = 0, high = 0;  // infinite where there is no bound
  double a = 0, b = 0;       // mean, sd; median, sigma; mode; alpha, beta

  // The value that is not exceeded with probability u, 0 < u < 1.
  double quantile(double u) const;
  bool has_low() const;
  bool has_high() const;
  // The least and the greatest that a study can draw: the bounds, or the quantiles at 2^-54 from
  // the ends.
  double least() const;
  double greatest() const;
};

std::string_view name_of(Distribution::Kind kind);

// A number with what follows it, "20 mm": the unit is not looked at here, since the reader of the
// input that it goes to does that.
struct NumberWithUnit {
  double value = 0;
  std::string unit;
};
NumberWithUnit read_number_with_unit(const InputNode& node);

// The keys of a distribution within the description of a factor; nothing where it has none of
// them. All numbers carry one unit, which is returned in `unit`. InputError where keys are missing
// or contradict each other.
std::optional<Distribution> read_distribution(const InputNode& factor, std::string* unit);

// The inverse of the regularised incomplete beta function I_x(a, b) = u.
double calc_beta_quantile(double u, double a, double b);
double calc_normal_probability(double z);

}  // namespace vesica::studies
