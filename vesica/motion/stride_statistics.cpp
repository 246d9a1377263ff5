#include "vesica/motion/stride_statistics.h"

#include <cmath>
#include <limits>
#include <map>

#include "vesica/math/quantiles.h"

namespace vesica {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Whether a ratio of variances is larger than chance allows in 95 of 100 cases. Paulson's normal
// approximation (1942) of F's distribution, good to 1 % from three degrees below on; with fewer
// nothing is decided.
bool exceeds_chance(double F, double above, double below) {
  if (below < 3.0) return false;
  const double a = 2.0 / (9.0 * above), b = 2.0 / (9.0 * below), root = std::cbrt(F);
  const double z = ((1.0 - b) * root - (1.0 - a)) / std::sqrt(b * root * root + a);
  return z > 1.645;
}

}  // namespace

MeanInterval calc_mean_interval(std::span<const double> values, std::span<const int> trials) {
  struct Group {
    int count = 0;
    double sum = 0.0;
  };
  std::map<int, Group> groups;
  MeanInterval result;
  double sum = 0.0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    Group& group = groups[trials[i]];
    ++group.count;
    group.sum += values[i];
    sum += values[i];
    ++result.count;
  }
  result.trials = static_cast<int>(groups.size());
  const double n = result.count;
  result.mean = result.count > 0 ? sum / n : kUnknown;
  result.sd = result.low = result.high = result.standard_error = result.dof = kUnknown;
  if (result.count < 2) return result;

  double total = 0.0, between = 0.0;  // sums of squares
  for (const double v : values) {
    if (std::isfinite(v)) total += (v - result.mean) * (v - result.mean);
  }
  for (const auto& [trial, group] : groups) {
    const double away = group.sum / group.count - result.mean;
    between += group.count * away * away;
  }
  result.sd = std::sqrt(total / (n - 1.0));
  result.standard_error = result.sd / std::sqrt(n);
  result.dof = n - 1.0;
  const double G = result.trials;
  if (G >= 2.0 && n > G) {
    const double mean_between = between / (G - 1.0);
    const double mean_within = std::max(0.0, total - between) / (n - G);
    result.trials_differ = mean_within > 0.0
                               ? exceeds_chance(mean_between / mean_within, G - 1.0, n - G)
                               : mean_between > 0.0;
    if (result.trials_differ) {
      result.standard_error = std::sqrt(mean_between / n);
      result.dof = G - 1.0;
    }
  }
  const double half = calc_student_t_quantile(0.975, result.dof) * result.standard_error;
  result.low = result.mean - half;
  result.high = result.mean + half;
  return result;
}

SymmetryIndex calc_symmetry(const MeanInterval& left, const MeanInterval& right) {
  const double sum = left.mean + right.mean;
  SymmetryIndex symmetry;
  symmetry.index = 200.0 * (right.mean - left.mean) / sum;
  const double by_right = 400.0 * left.mean / (sum * sum) * right.standard_error;
  const double by_left = 400.0 * right.mean / (sum * sum) * left.standard_error;
  const double variance = by_right * by_right + by_left * by_left;
  const double dof =
      variance * variance / (std::pow(by_right, 4) / right.dof + std::pow(by_left, 4) / left.dof);
  const double half = variance > 0.0    ? calc_student_t_quantile(0.975, dof) * std::sqrt(variance)
                      : variance == 0.0 ? 0.0
                                        : kUnknown;
  symmetry.low = symmetry.index - half;
  symmetry.high = symmetry.index + half;
  return symmetry;
}

}  // namespace vesica
