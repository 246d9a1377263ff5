#include "vesica/motion/marker_check.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "tests/support/support.h"

namespace vesica::marker_check_test {
namespace {

// Two thighs of five markers each, swinging in opposite phase while they walk along x.
MarkerTracks make_walk() {
  const std::vector<Vec3d> shape = {Vec3d(0.05, 0.1, 0.02), Vec3d(-0.05, 0.08, 0.01),
                                    Vec3d(0.03, -0.1, 0.06), Vec3d(-0.02, -0.07, -0.05),
                                    Vec3d(0.04, 0.05, 0.08)};
  MarkerTracks tracks;
  tracks.rate = 100.0;
  for (const char* side : {"L", "R"}) {
    for (int i = 0; i < 5; ++i)
      tracks.labels.push_back(std::string(side) + ".T" + std::to_string(i));
  }
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0.0, 0.0005);
  for (int k = 0; k < 300; ++k) {
    const double t = 0.01 * k;
    tracks.times.push_back(t);
    for (const double side : {-1.0, 1.0}) {
      const Mat3d R =
          Eigen::AngleAxisd(side * 0.5 * std::sin(6.0 * t), Vec3d::UnitZ()).toRotationMatrix();
      for (const Vec3d& p : shape) {
        Vec3d q = Vec3d(1.3 * t, 0.7, 0.1 * side) + R * Vec3d(p.x(), p.y(), side * p.z());
        for (int c = 0; c < 3; ++c) q[c] += noise(random);
        tracks.positions.push_back(q);
      }
    }
  }
  return tracks;
}

TEST(MarkerCheck, CleanDataHaveNoFault) { EXPECT_TRUE(find_marker_faults(make_walk()).empty()); }

TEST(MarkerCheck, FindsRigidClusters) {
  const auto clusters = find_rigid_clusters(make_walk(), {});
  ASSERT_EQ(clusters.size(), 2u);
  EXPECT_EQ(clusters[0], (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(clusters[1], (std::vector<int>{5, 6, 7, 8, 9}));
}

TEST(MarkerCheck, FindsASpikeAndWhenItEnds) {
  MarkerTracks tracks = make_walk();
  for (int k = 120; k < 123; ++k) tracks.at(k, 2) += Vec3d(0.0, 0.06, 0.0);
  const auto faults = find_marker_faults(tracks);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].kind, MarkerFaultKind::kJump);
  EXPECT_EQ(faults[0].markers, std::vector<int>{2});
  EXPECT_EQ(faults[0].first_frame, 120);
  EXPECT_TRUE(faults[0].comes_back);
  EXPECT_NEAR(faults[0].frames, 3, 1);
  EXPECT_NEAR(faults[0].size, 0.06, 0.01);
  EXPECT_NE(describe(faults[0], tracks).find("L.T2 jumps by"), std::string::npos);
}

TEST(MarkerCheck, AJumpThatStaysDoesNotComeBack) {
  MarkerTracks tracks = make_walk();
  for (size_t k = 120; k < tracks.frames(); ++k) tracks.at(k, 2) += Vec3d(0.0, 0.06, 0.0);
  const auto faults = find_marker_faults(tracks);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].kind, MarkerFaultKind::kJump);
  EXPECT_EQ(faults[0].first_frame, 120);
  EXPECT_FALSE(faults[0].comes_back);
  EXPECT_EQ(faults[0].frames, 180);
  EXPECT_NE(describe(faults[0], tracks).find("does not come back"), std::string::npos);
}

TEST(MarkerCheck, AJumpThatLastsIsBackWhenItIs) {
  for (const int frames : {1, 2, 5, 9, 30, 80}) {
    MarkerTracks tracks = make_walk();
    for (int k = 120; k < 120 + frames; ++k) tracks.at(k, 2) += Vec3d(0.0, 0.12, 0.0);
    const auto faults = find_marker_faults(tracks);
    ASSERT_EQ(faults.size(), 1u) << frames;
    EXPECT_TRUE(faults[0].comes_back) << frames;
    EXPECT_EQ(faults[0].first_frame, 120) << frames;
    EXPECT_EQ(faults[0].frames, frames);
  }
}

TEST(MarkerCheck, FindsASwapAndItsEnd) {
  MarkerTracks tracks = make_walk();
  for (int k = 80; k < 140; ++k) std::swap(tracks.at(k, 1), tracks.at(k, 3));
  const auto faults = find_marker_faults(tracks);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].kind, MarkerFaultKind::kSwap);
  EXPECT_EQ(faults[0].markers, (std::vector<int>{1, 3}));
  EXPECT_EQ(faults[0].first_frame, 80);
  EXPECT_EQ(faults[0].frames, 60);
  EXPECT_TRUE(faults[0].comes_back);
}

TEST(MarkerCheck, FindsASwapThatAGapHides) {
  MarkerTracks tracks = make_walk();
  for (int k = 80; k < 110; ++k) tracks.at(k, 1) = tracks.at(k, 3) = Vec3d::Constant(kMissing);
  for (int k = 110; k < 200; ++k) std::swap(tracks.at(k, 1), tracks.at(k, 3));
  const auto faults = find_marker_faults(tracks);
  ASSERT_GE(faults.size(), 1u);
  EXPECT_EQ(faults[0].kind, MarkerFaultKind::kSwap);
  EXPECT_EQ(faults[0].markers, (std::vector<int>{1, 3}));
  EXPECT_NEAR(faults[0].first_frame, 110, 1);
}

TEST(MarkerCheck, FindsAFlipOfThreeLabels) {
  MarkerTracks tracks = make_walk();
  for (int k = 0; k < 90; ++k) {  // from the start: no moment at which anything jumps but the end
    const Vec3d first = tracks.at(k, 5);
    tracks.at(k, 5) = tracks.at(k, 7);
    tracks.at(k, 7) = tracks.at(k, 8);
    tracks.at(k, 8) = first;
  }
  const auto faults = find_marker_faults(tracks);
  const auto flip = std::find_if(faults.begin(), faults.end(), [](const MarkerFault& fault) {
    return fault.kind == MarkerFaultKind::kFlip;
  });
  ASSERT_NE(flip, faults.end());
  EXPECT_EQ(flip->markers, (std::vector<int>{5, 7, 8}));
  EXPECT_EQ(flip->first_frame, 0);
  EXPECT_NEAR(flip->frames, 90, 1);
}

TEST(MarkerCheck, FindsExchangedSides) {
  MarkerTracks tracks = make_walk();
  for (size_t k = 0; k < tracks.frames(); ++k) std::swap(tracks.at(k, 3), tracks.at(k, 8));
  const auto faults = find_marker_faults(tracks);
  const auto side = std::find_if(faults.begin(), faults.end(), [](const MarkerFault& fault) {
    return fault.kind == MarkerFaultKind::kSide;
  });
  ASSERT_NE(side, faults.end());
  EXPECT_EQ(side->markers, (std::vector<int>{3, 8}));
}

}  // namespace
}  // namespace vesica::marker_check_test
