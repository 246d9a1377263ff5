// Slices: error against an independent reference and time, over random and degenerate poses of
// every family, and beside them the voxel octree with a thousand times as much time.
//
//   slices_bench [RANDOM DEGENERATE]    poses per family, 1000 and 100 unless told
#include <fmt/format.h>

#include <cstdlib>

#include "bench/timing.h"
#include "tests/interference/cell_accuracy.h"
#include "vesica/interference/voxels/voxels.h"

namespace vesica::bench {
namespace {

using namespace vesica::test;

constexpr double kVoxelBudget = 20e6;  // ns for one pose
constexpr int kVoxelPoses = 20;        // of each family, the first random ones

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1))];
}

// The least of three, each the mean of four calls.
double measure_slices(const CellCase& c) {
  double least = 1e300;
  for (int round = 0; round < 3; ++round) {
    const double start = thread_nanoseconds();
    for (int k = 0; k < 4; ++k) keep(calc_cell_moments(c.i, c.j, c.X));
    least = std::min(least, 0.25 * (thread_nanoseconds() - start));
  }
  return least;
}

// The finest voxels that the budget allows: halved while four times the last time is within it.
struct VoxelRun {
  CellErrors errors;
  double nanoseconds = 0;
};
VoxelRun run_voxels(const CellCase& c, const CellReference::Result& r) {
  const SolidParts i = {{c.i, 1}}, j = {{c.j, 1}};
  VoxelRun run;
  for (double h = 0.25 * std::cbrt(r.volume); 4 * run.nanoseconds < kVoxelBudget; h *= 0.5) {
    const double start = thread_nanoseconds();
    VoxelMoments m;
    try {
      m = calc_voxel_moments(i, c.X, j, Pose<double>{}, h);
    } catch (const std::exception&) {
      break;  // more voxels than the method takes: the run before stands
    }
    run.nanoseconds = thread_nanoseconds() - start;
    run.errors = compare(m.volume, m.centroid, m.M.matrix(), r);
  }
  return run;
}

void run_family(const CellFamily& family, int random_count, int degenerate_count) {
  std::mt19937_64 random(31), frames(32);
  CellErrors errors[2], agreement;
  std::vector<double> times[2], slices[2], voxel_errors, voxel_second, voxel_times;
  int unconverged = 0;
  for (int k = 0; k < random_count + degenerate_count; ++k) {
    const bool is_random = k < random_count;
    const CellCase c =
        is_random ? family.make_random(random) : family.make_degenerate(random, k - random_count);
    const CellMoments m = calc_cell_moments(c.i, c.j, c.X);
    unconverged += m.has_converged ? 0 : 1;
    const auto r = calc_reference(c, m, frames);
    const int kind = is_random ? 0 : 1;
    errors[kind].include(compare(m.volume, m.centroid, m.M.matrix(), r));
    if (k % 10 == 0) {
      const auto again = calc_reference(c, m, frames);
      agreement.include(compare(again.volume, again.centroid, again.M, r));
    }
    times[kind].push_back(1e-3 * measure_slices(c));
    slices[kind].push_back(m.slices);
    if (k < kVoxelPoses) {
      const VoxelRun voxels = run_voxels(c, r);
      voxel_errors.push_back(voxels.errors.volume);
      voxel_second.push_back(voxels.errors.second);
      voxel_times.push_back(1e-6 * voxels.nanoseconds);
    }
  }
  for (const int kind : {0, 1}) {
    if (times[kind].empty()) continue;
    fmt::print("{:<21}{:<11} {:7.1e} {:7.1e} {:7.1e}  {:5.1f} {:6.1f} {:7.1f}  {:4.0f} {:5.0f}",
               kind == 0 ? family.name : "", kind == 0 ? "random" : "degenerate",
               errors[kind].volume, errors[kind].second, errors[kind].centroid,
               quantile(times[kind], 0.5), quantile(times[kind], 0.9), quantile(times[kind], 1),
               quantile(slices[kind], 0.5), quantile(slices[kind], 1));
    if (kind == 0) {
      fmt::print("  {:7.1e} {:7.1e} {:5.1f}  {:7.1e}", quantile(voxel_errors, 0.5),
                 quantile(voxel_second, 0.5), quantile(voxel_times, 0.5),
                 std::max(agreement.volume, agreement.second));
    }
    fmt::print("\n");
  }
  if (unconverged > 0) fmt::print("  {} poses have not converged\n", unconverged);
  std::fflush(stdout);
}

}  // namespace
}  // namespace vesica::bench

int main(int argc, char** argv) {
  const int random_count = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int degenerate_count = argc > 2 ? std::atoi(argv[2]) : 100;
  fmt::print(
      "largest relative errors of volume V, second moment M, centroid c; microseconds median, 90 "
      "%, "
      "max; slices median, max;\nvoxels: median errors of V and M at the milliseconds given ({} "
      "poses); reference: two frames agree to\n",
      vesica::bench::kVoxelPoses);
  fmt::print("{:<32} {:>7} {:>7} {:>7}  {:>5} {:>6} {:>7}  {:>4} {:>5}  {:>7} {:>7} {:>5}  {:>7}\n",
             "", "V", "M", "c", "med", "90%", "max", "med", "max", "voxel V", "voxel M", "ms",
             "ref");
  for (const auto& family : vesica::test::make_cell_families()) {
    vesica::bench::run_family(family, random_count, degenerate_count);
  }
  return 0;
}
