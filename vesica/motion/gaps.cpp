#include "vesica/motion/gaps.h"

#include <algorithm>
#include <cmath>

#include "vesica/math/linear_algebra.h"

namespace vesica {
namespace {

bool is_present(const Vec3d& p) { return p.allFinite(); }

constexpr int kFewestOnASide = 2;
constexpr int kMostTrials = 50;

// The fill of [first, first + count) from the samples around it, without looking inside. Returns
// nothing where a side has too few samples.
std::vector<Vec3d> calc_fill(std::span<const Vec3d> track, int first, int count, int neighbours) {
  const int n = static_cast<int>(track.size());
  std::vector<int> frames;
  int left = 0, right = 0;
  for (int k = first - 1; k >= 0 && left < neighbours && is_present(track[k]); --k, ++left) {
    frames.push_back(k);
  }
  for (int k = first + count; k < n && right < neighbours && is_present(track[k]); ++k, ++right) {
    frames.push_back(k);
  }
  if (left < kFewestOnASide || right < kFewestOnASide) return {};

  // Time in half-gaps from the middle: the cubic's columns stay of order one.
  const double middle = first + 0.5 * (count - 1);
  const double half = 0.5 * (count + 1);
  const auto row = [&](int k) {
    const double u = (k - middle) / half;
    return Eigen::RowVector4d(1.0, u, u * u, u * u * u);
  };
  const int rows = static_cast<int>(frames.size());
  Eigen::MatrixXd A(rows, 4), B(rows, 3);
  for (int i = 0; i < rows; ++i) {
    const int k = frames[i];
    const int distance = k < first ? first - k : k - (first + count - 1);
    const double weight = 1.0 / distance;
    A.row(i) = weight * row(k);
    B.row(i) = weight * track[k].transpose();
  }
  const Eigen::MatrixXd coefficients = solve_least_squares(A, B);
  const auto curve = [&](int k) -> Vec3d { return (row(k) * coefficients).transpose(); };

  const int before = first - 1, after = first + count;
  const Vec3d miss_before = track[before] - curve(before);
  const Vec3d miss_after = track[after] - curve(after);
  std::vector<Vec3d> fill(count);
  for (int i = 0; i < count; ++i) {
    const double blend = (i + 1.0) / (count + 1.0);
    fill[i] = curve(first + i) + (1.0 - blend) * miss_before + blend * miss_after;
  }
  return fill;
}

double calc_expected_error(std::span<const Vec3d> track, int count, int neighbours) {
  // Where an artificial gap fits with a full set of neighbours on either side.
  const int n = static_cast<int>(track.size());
  std::vector<int> run(n + 1, 0);  // run[k]: samples present right before k
  for (int k = 0; k < n; ++k) run[k + 1] = is_present(track[k]) ? run[k] + 1 : 0;
  const int width = count + 2 * neighbours;
  std::vector<int> places;
  for (int end = width; end <= n; ++end) {
    if (run[end] >= width) places.push_back(end - width + neighbours);
  }
  if (places.empty()) return std::nan("");
  const int trials = std::min<int>(kMostTrials, static_cast<int>(places.size()));
  double sum = 0.0;
  for (int i = 0; i < trials; ++i) {
    const int first = places[places.size() * i / trials];
    const std::vector<Vec3d> fill = calc_fill(track, first, count, neighbours);
    for (int k = 0; k < count; ++k) sum += (fill[k] - track[first + k]).squaredNorm();
  }
  return std::sqrt(sum / (trials * count));
}

}  // namespace

std::vector<Gap> find_gaps(std::span<const Vec3d> track) {
  std::vector<Gap> gaps;
  const int n = static_cast<int>(track.size());
  for (int k = 0; k < n; ++k) {
    if (is_present(track[k])) continue;
    Gap gap;
    gap.first = k;
    while (k < n && !is_present(track[k])) ++k;
    gap.count = k - gap.first;
    gap.at_start = gap.first == 0;
    gap.at_end = k == n;
    gaps.push_back(gap);
  }
  return gaps;
}

GapStatistics calc_gap_statistics(std::span<const Vec3d> track) {
  GapStatistics statistics;
  statistics.frames = static_cast<int>(track.size());
  statistics.present = statistics.frames;
  statistics.gaps = find_gaps(track);
  for (const Gap& gap : statistics.gaps) {
    statistics.present -= gap.count;
    statistics.longest = std::max(statistics.longest, gap.count);
  }
  return statistics;
}

std::vector<FilledGap> fill_gaps(std::span<Vec3d> track, const GapFillOptions& options) {
  // All fills come from measured samples alone, never from an earlier fill.
  const std::vector<Vec3d> measured(track.begin(), track.end());
  std::vector<FilledGap> filled;
  for (const Gap& gap : find_gaps(measured)) {
    if (gap.at_start || gap.at_end || gap.count > options.max_frames) continue;
    const std::vector<Vec3d> fill = calc_fill(measured, gap.first, gap.count, options.neighbours);
    if (fill.empty()) continue;
    std::copy(fill.begin(), fill.end(), track.begin() + gap.first);
    filled.push_back({gap, calc_expected_error(measured, gap.count, options.neighbours)});
  }
  return filled;
}

}  // namespace vesica
