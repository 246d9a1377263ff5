// Loops over threads: every index once, the same bits and the same exception whatever the number
// of threads, scratch memory in one hand at a time. `make threads` looks for races in them.
#include "vesica/math/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace vesica::parallel_test {
namespace {

double add_harmonics(int count, int threads) {
  return reduce_in_order(
      count, 7, threads, 0.0, [](int k, int, double& sum) { sum += 1 / (1.0 + k); },
      [](double& total, double sum) { total += sum; });
}

TEST(Parallel, EveryIndexRunsOnce) {
  for (const int threads : {1, 2, 3, 64}) {
    for (const int count : {0, 1, 2, 1000}) {
      std::vector<int> calls(static_cast<size_t>(count), 0);
      for_each_index(count, threads, [&](int k, int) { ++calls[static_cast<size_t>(k)]; });
      EXPECT_EQ(calls, std::vector<int>(static_cast<size_t>(count), 1));
    }
  }
}

TEST(Parallel, AWorkerIsInOneCallAtATime) {
  const int threads = 3;
  std::vector<std::atomic<int>> busy(threads);
  std::atomic<int> clashes{0};
  for (int round = 0; round < 50; ++round) {
    for_each_index(200, threads, [&](int k, int worker) {
      if (worker < 0 || worker >= threads) std::abort();
      if (busy[static_cast<size_t>(worker)]++ != 0) ++clashes;
      volatile double x = k;
      for (int i = 0; i < 100; ++i) x = x + std::sqrt(i);
      --busy[static_cast<size_t>(worker)];
    });
  }
  EXPECT_EQ(clashes, 0);
}

TEST(Parallel, SumsHaveTheSameBitsForAnyNumberOfThreads) {
  // The rounding shows: another order gives other bits.
  const double alone = add_harmonics(10000, 1);
  double backwards = 0;
  for (int k = 10000; k-- > 0;) backwards += 1 / (1.0 + k);
  EXPECT_NE(alone, backwards);
  EXPECT_NEAR(alone, backwards, 1e-12);  // measured 1.8e-14
  for (const int threads : {2, 3, 8}) EXPECT_EQ(add_harmonics(10000, threads), alone);
}

TEST(Parallel, TheFirstExceptionByIndexArrives) {
  for (const int threads : {1, 2, 4}) {
    for (int round = 0; round < 100; ++round) {
      std::string what;
      try {
        for_each_index(100, threads, [&](int k, int) {
          // Later ones fail sooner.
          volatile double x = 0;
          for (int i = 0; i < 20 * (100 - k); ++i) x = x + i;
          if (k % 7 == 5) throw std::runtime_error(std::to_string(k));
        });
      } catch (const std::runtime_error& error) {
        what = error.what();
      }
      ASSERT_EQ(what, "5") << threads << " threads";
    }
  }
}

TEST(Parallel, LoopsWithinLoops) {
  std::vector<double> sums(40);
  for_each_index(40, 2, [&](int k, int) { sums[static_cast<size_t>(k)] = add_harmonics(k, 2); });
  for (int k = 0; k < 40; ++k) EXPECT_EQ(sums[static_cast<size_t>(k)], add_harmonics(k, 1));
}

}  // namespace
}  // namespace vesica::parallel_test
