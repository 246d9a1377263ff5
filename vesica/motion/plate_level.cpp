#include "vesica/motion/plate_level.h"

#include <algorithm>
#include <cmath>

namespace vesica {
namespace {

constexpr double kBin = 5.0, kFurthest = 60.0, kWidth = 15.0;  // N
constexpr double kLeastLoad = 100.0;                           // N above a far level

// Mean and spread of the samples within kWidth of `middle`, if they are a twentieth of all.
void take_level(std::span<const double> forces, double middle, IdleLevel* level) {
  level->samples.clear();
  size_t count = 0;
  for (size_t k = 0; k < forces.size(); ++k) {
    count += std::isfinite(forces[k]);
    if (std::abs(forces[k] - middle) < kWidth) level->samples.push_back(k);
  }
  if (level->samples.size() < 5 || level->samples.size() * 20 < count) return;
  const double n = static_cast<double>(level->samples.size());
  level->mean = level->sd = 0.0;
  for (const size_t k : level->samples) level->mean += forces[k] / n;
  for (const size_t k : level->samples) {
    level->sd += (forces[k] - level->mean) * (forces[k] - level->mean);
  }
  level->sd = std::sqrt(level->sd / n);
  level->found = true;
}

// The middle of the 2 kWidth that hold most of the sorted values.
double find_crowd(const std::vector<double>& sorted) {
  size_t best = 0, best_first = 0;
  for (size_t first = 0, last = 0; first < sorted.size(); ++first) {
    while (last < sorted.size() && sorted[last] < sorted[first] + 2.0 * kWidth) ++last;
    if (last - first > best) {
      best = last - first;
      best_first = first;
    }
  }
  return 0.5 * (sorted[best_first] + sorted[best_first + best - 1]);
}

}  // namespace

IdleLevel find_idle_level(std::span<const double> normal_forces) {
  IdleLevel level;
  std::vector<double> sorted;
  sorted.reserve(normal_forces.size());
  for (const double f : normal_forces) {
    if (std::isfinite(f)) sorted.push_back(f);
  }
  if (sorted.empty()) return level;
  std::sort(sorted.begin(), sorted.end());

  std::vector<int> counts(static_cast<size_t>(2.0 * kFurthest / kBin) + 1, 0);
  for (const double f : sorted) {
    if (std::abs(f) < kFurthest) ++counts[static_cast<size_t>((f + kFurthest) / kBin)];
  }
  const auto mode = std::max_element(counts.begin(), counts.end());
  if (*mode >= 5) {
    take_level(normal_forces, (static_cast<double>(mode - counts.begin()) + 0.5) * kBin - kFurthest,
               &level);
  }
  if (!level.found) {
    take_level(normal_forces, find_crowd(sorted), &level);
    level.is_far = true;
  }
  if (!level.found) return level;
  const double up = sorted.back() - level.mean, down = level.mean - sorted.front();
  level.direction = up >= down ? 1.0 : -1.0;
  if (!level.is_far) return level;
  const auto share_beyond = [&](double side) {
    const auto beyond = std::count_if(sorted.begin(), sorted.end(), [&](double f) {
      return side * (f - level.mean) > 2.0 * kWidth;
    });
    return static_cast<double>(beyond) / static_cast<double>(sorted.size());
  };
  level.found = share_beyond(-level.direction) < 0.01 && std::max(up, down) > kLeastLoad;
  return level;
}

}  // namespace vesica
