// Events from markers alone: walks with known events in any direction, and what is no walk.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/motion/synthetic_walk.h"
#include "tests/support/support.h"
#include "vesica/motion/gait_events.h"

namespace vesica::gait_events_markers_test {
namespace {

using test::SyntheticWalk;

MarkerEvents find_events(const SyntheticWalk& walk, const Vec3d& up = Vec3d::UnitY()) {
  const MarkerTracks markers = walk.make_markers();
  return find_marker_events(markers, find_gait_markers(markers.labels), up);
}

// Largest distance of an event from the true one of its foot and kind.
double calc_worst_error(const SyntheticWalk& walk, const MarkerEvents& found) {
  double worst = 0.0;
  for (const GaitEvent& event : found.events) {
    const int foot = event.foot == Foot::kRight ? 0 : 1;
    double nearest = 1e9;
    for (int n = -2; n < 30; ++n) {
      const double truth =
          event.kind == GaitEvent::Kind::kStrike ? walk.strike_of(foot, n) : walk.off_of(foot, n);
      nearest = std::min(nearest, std::abs(event.time - truth));
    }
    worst = std::max(worst, nearest);
  }
  return worst;
}

Mat3d make_turn(double degrees) {
  return Eigen::AngleAxisd(degrees * M_PI / 180.0, Vec3d::UnitY()).toRotationMatrix();
}

TEST(MarkerEvents, AnyDirectionAndAnyAxisUp) {
  SyntheticWalk walk;
  const MarkerEvents straight = find_events(walk);
  ASSERT_EQ(straight.why_none, "");
  EXPECT_TRUE(straight.remarks.empty());
  EXPECT_EQ(straight.events.size(), 21u);
  // This foot lands and leaves faster than a real one; measured 18 ms.
  EXPECT_LT(calc_worst_error(walk, straight), 0.025);
  EXPECT_NEAR(straight.speed, walk.speed(), 0.001 * walk.speed());
  EXPECT_FALSE(straight.on_treadmill());
  const Mat3d z_up = Eigen::AngleAxisd(0.5 * M_PI, Vec3d::UnitX()).toRotationMatrix();
  for (const double degrees : {37.0, 90.0, 180.0, 261.0}) {
    walk.R = z_up * make_turn(degrees);
    const MarkerEvents turned = find_events(walk, Vec3d::UnitZ());
    ASSERT_EQ(turned.events.size(), straight.events.size()) << degrees;
    for (size_t i = 0; i < turned.events.size(); ++i) {
      EXPECT_EQ(turned.events[i].foot, straight.events[i].foot);
      EXPECT_EQ(turned.events[i].kind, straight.events[i].kind);
      EXPECT_NEAR(turned.events[i].time, straight.events[i].time, 1e-9);
    }
    EXPECT_LT((turned.ahead - walk.R * Vec3d::UnitX()).norm(), 1e-3);
  }
}

TEST(MarkerEvents, ATreadmillMovesTheFloor) {
  SyntheticWalk walk;
  const MarkerEvents overground = find_events(walk);
  for (const double slip : {0.0, 0.1, -0.1}) {  // m/s, drifting along the belt
    walk.belt = walk.speed() + slip;
    const MarkerEvents found = find_events(walk);
    ASSERT_EQ(found.why_none, "");
    EXPECT_TRUE(found.on_treadmill());
    EXPECT_NEAR(-found.belt.x(), walk.belt, 0.005);  // measured 0.3 mm/s
    EXPECT_NEAR(found.speed, walk.speed(), 0.005);
    ASSERT_EQ(found.events.size(), overground.events.size());
    for (size_t i = 0; i < found.events.size(); ++i)
      EXPECT_NEAR(found.events[i].time, overground.events[i].time, 0.001);
  }
}

TEST(MarkerEvents, NoiseAndGapsAreBorne) {
  SyntheticWalk walk;
  walk.noise = 0.0005;
  MarkerTracks markers = walk.make_markers();
  const GaitMarkers gait = find_gait_markers(markers.labels);
  for (int k = 200; k < 208; ++k) markers.at(k, gait.right.heel) = Vec3d::Constant(kMissing);
  for (int k = 300; k < 500; ++k) markers.at(k, gait.pelvis[0]) = Vec3d::Constant(kMissing);
  const MarkerEvents found = find_marker_events(markers, gait, Vec3d::UnitY());
  EXPECT_EQ(found.events.size(), 21u);
  EXPECT_LT(calc_worst_error(walk, found), 0.03);  // measured 22 ms
}

TEST(MarkerEvents, AFineEventOutOfLineIsReplacedAndSaid) {
  SyntheticWalk walk;
  MarkerTracks markers = walk.make_markers();
  const GaitMarkers gait = find_gait_markers(markers.labels);
  // The heel marker is knocked upwards 80 ms after the third right strike, harder than it landed.
  const double knock = walk.strike_of(0, 2) + 0.06;
  for (size_t k = 0; k < markers.frames(); ++k) {
    const double late = markers.times[k] - knock;
    if (late > 0.0) markers.at(k, gait.right.heel).y() += 0.15 * late * std::exp(-late / 0.05) * 10;
  }
  const MarkerEvents found = find_marker_events(markers, gait, Vec3d::UnitY());
  int replaced = 0;
  for (const GaitEvent& event : found.events) replaced += event.substituted ? 1 : 0;
  EXPECT_EQ(replaced, 1);
  ASSERT_EQ(found.remarks.size(), 1u);
  EXPECT_NE(found.remarks[0].find("right strike at 2.4"), std::string::npos) << found.remarks[0];
  EXPECT_LT(calc_worst_error(walk, found), 0.025);
}

TEST(MarkerEvents, AMissingEventMakesItsNeighboursDoubtful) {
  SyntheticWalk walk;
  MarkerTracks markers = walk.make_markers();
  const GaitMarkers gait = find_gait_markers(markers.labels);
  // The right heel is lost for 0.4 s around its third strike.
  for (size_t k = 0; k < markers.frames(); ++k) {
    if (std::abs(markers.times[k] - walk.strike_of(0, 2)) < 0.2)
      markers.at(k, gait.right.heel) = Vec3d::Constant(kMissing);
  }
  const MarkerEvents found = find_marker_events(markers, gait, Vec3d::UnitY());
  EXPECT_EQ(found.events.size(), 20u);
  int doubtful = 0;
  for (const GaitEvent& event : found.events) doubtful += event.doubtful ? 1 : 0;
  EXPECT_EQ(doubtful, 2);  // the offs of the right foot before and after
  EXPECT_FALSE(found.remarks.empty());
}

TEST(MarkerEvents, WhatIsNoWalkHasNoneAndSaysWhy) {
  const auto reason_of = [](const SyntheticWalk& walk) {
    const MarkerEvents found = find_events(walk);
    EXPECT_TRUE(found.events.empty());
    return found.why_none;
  };
  const auto expect = [](const std::string& reason, const char* word) {
    EXPECT_NE(reason.find(word), std::string::npos) << reason;
  };
  SyntheticWalk standing;
  standing.stride_length = 0.0;
  expect(reason_of(standing), "standing");
  SyntheticWalk running;
  running.stance = 0.36;
  running.stride = 0.72;
  running.stride_length = 2.2;
  expect(reason_of(running), "running");
  SyntheticWalk shuffling;
  shuffling.lift = 0.01;
  expect(reason_of(shuffling), "shuffling");
  SyntheticWalk small;
  small.stride_length = 0.14;
  small.stride = 0.8;
  expect(reason_of(small), "to and fro");
  SyntheticWalk few;
  few.duration = 0.1;
  expect(reason_of(few), "20 frames");

  // Backwards: the same walk with time reversed.
  MarkerTracks markers = SyntheticWalk().make_markers();
  const GaitMarkers gait = find_gait_markers(markers.labels);
  MarkerTracks backwards = markers;
  for (size_t k = 0; k < markers.frames(); ++k) {
    for (size_t i = 0; i < markers.markers(); ++i)
      backwards.at(k, i) = markers.at(markers.frames() - 1 - k, i);
  }
  expect(find_marker_events(backwards, gait, Vec3d::UnitY()).why_none, "backwards");
  // Turning: half way along, a quarter turn.
  MarkerTracks turning = markers;
  const size_t half = markers.frames() / 2;
  for (size_t k = half; k < markers.frames(); ++k) {
    for (size_t i = 0; i < markers.markers(); ++i)
      turning.at(k, i) = make_turn(90.0) * markers.at(k, i);
  }
  expect(find_marker_events(turning, gait, Vec3d::UnitY()).why_none, "turns");
  // One foot only: a scooter carries the left one.
  MarkerTracks one = markers;
  for (size_t k = 0; k < one.frames(); ++k) {
    const Vec3d pelvis = 0.5 * (markers.at(k, 6) + markers.at(k, 7));
    for (const int i : {3, 4, 5}) {
      one.at(k, i) = pelvis + Vec3d(i == 3 ? 0.0 : 0.17, -0.88, i == 5 ? -0.13 : -0.1);
    }
  }
  expect(find_marker_events(one, gait, Vec3d::UnitY()).why_none, "one foot");
  GaitMarkers no_pelvis = gait;
  no_pelvis.pelvis.clear();
  expect(find_marker_events(markers, no_pelvis, Vec3d::UnitY()).why_none, "pelvis");
}

TEST(MarkerEvents, ExchangedSidesAreSaid) {
  MarkerTracks markers = SyntheticWalk().make_markers();
  for (std::string& label : markers.labels) label[0] = label[0] == 'R' ? 'L' : 'R';
  const MarkerEvents found =
      find_marker_events(markers, find_gait_markers(markers.labels), Vec3d::UnitY());
  ASSERT_EQ(found.remarks.size(), 1u);
  EXPECT_NE(found.remarks[0].find("exchanged"), std::string::npos);
}

}  // namespace
}  // namespace vesica::gait_events_markers_test
