#include "vesica/motion/gaps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/support.h"

namespace vesica::gaps_test {
namespace {

const Vec3d kGap = Vec3d::Constant(kMissing);

std::vector<Vec3d> make_swing(int frames) {
  std::vector<Vec3d> track(frames);
  for (int k = 0; k < frames; ++k) {
    const double t = 0.01 * k;
    track[k] = Vec3d(1.2 * t + 0.2 * std::sin(6.0 * t), 0.1 * std::cos(12.0 * t), 0.3 + 0.05 * t);
  }
  return track;
}

TEST(Gaps, AreFoundWithTheirEnds) {
  std::vector<Vec3d> track = make_swing(20);
  for (const int k : {0, 1, 7, 8, 9, 19}) track[k] = kGap;
  const GapStatistics statistics = calc_gap_statistics(track);
  ASSERT_EQ(statistics.gaps.size(), 3u);
  EXPECT_TRUE(statistics.gaps[0].at_start);
  EXPECT_EQ(statistics.gaps[1].first, 7);
  EXPECT_EQ(statistics.gaps[1].count, 3);
  EXPECT_TRUE(statistics.gaps[2].at_end);
  EXPECT_EQ(statistics.longest, 3);
  EXPECT_EQ(statistics.present, 14);
}

TEST(Gaps, FillReproducesACubicAndLeavesTheRest) {
  std::vector<Vec3d> truth(60);
  for (int k = 0; k < 60; ++k) {
    const double t = 0.1 * k;
    truth[k] = Vec3d(1.0 + t, t * t - 2.0 * t, 0.01 * t * t * t);
  }
  std::vector<Vec3d> track = truth;
  for (int k = 0; k < 3; ++k) track[k] = kGap;    // at the start: stays
  for (int k = 20; k < 28; ++k) track[k] = kGap;  // filled
  for (int k = 40; k < 55; ++k) track[k] = kGap;  // too long: stays
  const std::vector<FilledGap> filled = fill_gaps(track, GapFillOptions{});
  ASSERT_EQ(filled.size(), 1u);
  EXPECT_EQ(filled[0].gap.first, 20);
  for (int k = 20; k < 28; ++k) EXPECT_LT((track[k] - truth[k]).norm(), 1e-10);
  EXPECT_TRUE(std::isnan(track[0].x()));
  EXPECT_TRUE(std::isnan(track[45].x()));
  EXPECT_EQ(track[30], truth[30]);
}

TEST(Gaps, ExpectedErrorTellsTheTrueError) {
  // On a stationary signal the error that the fill states and the error that it makes agree; the
  // true one is taken over gaps everywhere.
  const std::vector<Vec3d> truth = make_swing(1500);
  for (const int length : {4, 10, 16}) {
    double sum = 0.0, stated = 0.0;
    int count = 0;
    for (int first = 100; first + length < 1400; first += 41, ++count) {
      std::vector<Vec3d> track = truth;
      for (int k = 0; k < length; ++k) track[first + k] = kGap;
      const auto filled = fill_gaps(track, GapFillOptions{20, 10});
      ASSERT_EQ(filled.size(), 1u);
      stated += filled[0].expected_error;
      for (int k = 0; k < length; ++k)
        sum += (track[first + k] - truth[first + k]).squaredNorm() / length;
    }
    EXPECT_NEAR(stated / count, std::sqrt(sum / count), 0.25 * std::sqrt(sum / count));
  }
}

}  // namespace
}  // namespace vesica::gaps_test
