#include "vesica/motion/standing_floor.h"

#include <gtest/gtest.h>

#include <random>

namespace vesica::standing_floor_test {

// Points of three markers on a plane, z up.
std::vector<StandingPoint> make_points(const Vec3d& slope, double noise, int count) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> place(-2, 2);
  std::vector<StandingPoint> points;
  for (int i = 0; i < count; ++i) {
    const int marker = i % 3;
    Vec3d p(place(random), place(random), 0);
    p.z() = slope.dot(p) + 0.03 * (marker + 1) + noise * normal(random);
    points.push_back({p, marker});
  }
  return points;
}

TEST(FloorSlope, PlaneUnderMarkersOfUnknownHeight) {
  const Vec3d slope(0.006, -0.002, 0);
  const FloorSlope found = find_floor_slope(make_points(slope, 1e-3, 60), Vec3d::UnitZ());
  EXPECT_EQ(found.points, 60);
  // Of 60 points over 4 m with 1 mm: sd 0.11 mm/m.
  EXPECT_LT((found.slope - slope).norm(), 4e-4);
  EXPECT_NEAR(found.rms, 1e-3, 3e-4);
  EXPECT_NEAR(found.slope.z(), 0, 1e-15);
}

TEST(FloorSlope, PriorHoldsWhatPointsDoNotTell) {
  // Two places 0.1 m apart tell a slope to 14 mm/m: the prior of 5 takes most of it.
  std::vector<StandingPoint> points;
  for (int i = 0; i < 2; ++i) {
    points.push_back({Vec3d(0, 0, 0), 0});
    points.push_back({Vec3d(0.1, 0, 0.001), 0});
  }
  // 10 mm/m, of four points: 1 / (1 + (sd / prior)^2), sd = 1 mm / 0.1 m.
  EXPECT_NEAR(find_floor_slope(points, Vec3d::UnitZ()).slope.x(), 0.010 / (1 + 4.0), 1e-5);
  EXPECT_EQ(find_floor_slope(std::span(points).first(3), Vec3d::UnitZ()).slope, Vec3d::Zero());
}

TEST(FloorSlope, PlaceIsTheMedianOfAPart) {
  const std::vector<double> times = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
  std::vector<Vec3d> track;
  for (size_t k = 0; k < times.size(); ++k) track.emplace_back(static_cast<double>(k), 7, 0);
  track[3] = Vec3d::Constant(kMissing);
  EXPECT_EQ(find_standing_place(times, track, 0, 1, {0.15, 0.55}), Vec3d(4, 7, 0));
  EXPECT_FALSE(find_standing_place(times, track, 0, 1, kHeelStands).allFinite());  // two frames
}

}  // namespace vesica::standing_floor_test
