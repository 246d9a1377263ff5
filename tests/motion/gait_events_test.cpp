#include "vesica/motion/gait_events.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/support.h"

namespace vesica::gait_events_test {
namespace {

using std::numbers::pi;

// A walker along x at 1.2 m/s, y up, z right; stride 1.1 s, stance 62 %. A foot stands still in
// stance, then swings forwards on a cosine; one plate per step.
constexpr double kSpeed = 1.2, kStride = 1.1, kStance = 0.62 * kStride, kWeight = 700.0;

double strike_of(int step) { return 0.3 + 0.5 * kStride * step; }  // even: right, odd: left

Vec3d foot_at(double t, int side) {  // heel; side 0 right, 1 left
  const double phase = (t - 0.3) / kStride - 0.5 * side;
  const double count = std::floor(phase);
  const double part = (phase - count) * kStride;
  const double length = kSpeed * kStride;
  const double stand = length * (count + 0.5 * side) + 0.25;
  const double z = side == 0 ? 0.1 : -0.1;
  if (part < kStance) return Vec3d(stand, 0.02, z);
  const double swing = (part - kStance) / (kStride - kStance);
  return Vec3d(stand + length * 0.5 * (1.0 - std::cos(pi * swing)),
               0.02 + 0.1 * std::sin(pi * swing), z);
}

MarkerTracks make_markers() {
  MarkerTracks tracks;
  tracks.labels = {"R.Heel", "R.MT1", "R.MT5", "L.Heel", "L.MT1", "L.MT5", "R.ASIS", "L.ASIS"};
  tracks.rate = 100.0;
  for (int k = 0; k < 400; ++k) {
    const double t = 0.01 * k;
    tracks.times.push_back(t);
    for (int side = 0; side < 2; ++side) {
      const Vec3d heel = foot_at(t, side);
      tracks.positions.push_back(heel);
      tracks.positions.push_back(heel + Vec3d(0.18, 0.0, 0.03));
      tracks.positions.push_back(heel + Vec3d(0.16, 0.0, -0.03));
    }
    const double x = kSpeed * (t - 0.3);
    tracks.positions.emplace_back(x, 0.9, 0.1);
    tracks.positions.emplace_back(x, 0.9, -0.1);
  }
  return tracks;
}

// Load of one step: trapezoid whose sum over both feet is body weight.
double load_at(double t, int step) {
  const double part = t - strike_of(step);
  const double both = kStance - 0.5 * kStride;  // double support
  if (part < 0.0 || part > kStance) return 0.0;
  return kWeight * std::min({1.0, part / both, (kStance - part) / both});
}

std::vector<PlateForces> make_plates(int steps) {
  std::vector<PlateForces> plates;
  for (int step = 0; step < steps; ++step) {
    PlateForces plate;
    plate.name = std::to_string(step + 1);
    plate.rate = 1000.0;
    plate.normal = Vec3d::UnitY();
    const Vec3d heel = foot_at(strike_of(step) + 0.1, step % 2);
    const double x0 = heel.x() - 0.15, x1 = heel.x() + 0.35;
    const double z0 = heel.z() - 0.15, z1 = heel.z() + 0.15;
    plate.corners = {Vec3d(x1, 0, z1), Vec3d(x0, 0, z1), Vec3d(x0, 0, z0), Vec3d(x1, 0, z0)};
    for (int k = 0; k < 4000; ++k) {
      const double t = 0.001 * k;
      const double load = load_at(t, step);
      const bool loaded = load >= 20.0;
      const double along = 0.2 * std::clamp((t - strike_of(step)) / kStance, 0.0, 1.0);
      plate.times.push_back(t);
      plate.forces.emplace_back(0.0, load, 0.0);
      plate.centers_of_pressure.push_back(loaded ? Vec3d(heel + Vec3d(along, -0.02, 0.01))
                                                 : Vec3d(Vec3d::Constant(kMissing)));
      plate.free_moments.push_back(loaded ? 0.0 : kMissing);
    }
    plates.push_back(plate);
  }
  return plates;
}

TEST(GaitEvents, ContactsBeginAndEndAtTheThreshold) {
  const auto plates = make_plates(5);
  const auto contacts = find_contacts(plates, {});
  ASSERT_EQ(contacts.size(), 5u);
  const double both = kStance - 0.5 * kStride;
  for (int step = 0; step < 5; ++step) {
    const double delay = 20.0 / kWeight * both;
    EXPECT_NEAR(contacts[step].start, strike_of(step) + delay, 1e-6);
    EXPECT_NEAR(contacts[step].end, strike_of(step) + kStance - delay, 1e-6);
    EXPECT_NEAR(contacts[step].peak_force, kWeight, 1e-6);
  }
}

TEST(GaitEvents, KnocksAreIgnoredAndDropoutsBridged) {
  auto plates = make_plates(1);
  for (int k = 100; k < 130; ++k) plates[0].forces[k] = Vec3d(0, 60, 0);  // 30 ms knock
  for (int k = 500; k < 510; ++k) plates[0].forces[k] = Vec3d::Zero();    // 10 ms dropout
  const auto contacts = find_contacts(plates, {});
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_GT(contacts[0].end - contacts[0].start, 0.6);
}

TEST(GaitEvents, FeetAreAssigned) {
  const auto plates = make_plates(5);
  auto contacts = find_contacts(plates, {});
  const MarkerTracks markers = make_markers();
  const GaitMarkers gait = find_gait_markers(markers.labels);
  ASSERT_TRUE(gait.has_feet());
  EXPECT_EQ(gait.pelvis.size(), 2u);
  assign_feet(contacts, plates, markers, gait, Vec3d::UnitY());
  for (int step = 0; step < 5; ++step) {
    EXPECT_EQ(contacts[step].foot, step % 2 == 0 ? Foot::kRight : Foot::kLeft);
    EXPECT_LT(contacts[step].distance, 0.03);
    EXPECT_GT(contacts[step].other_distance, 0.1);
    EXPECT_FALSE(contacts[step].partial);
  }
}

TEST(GaitEvents, APartialStepAndTwoFeetOnOnePlateAreSaid) {
  const MarkerTracks markers = make_markers();
  const GaitMarkers gait = find_gait_markers(markers.labels);
  auto plates = make_plates(2);
  for (Vec3d& corner : plates[0].corners) corner.x() += 0.2;  // the heel stands before the plate
  auto contacts = find_contacts(plates, {});
  assign_feet(contacts, plates, markers, gait, Vec3d::UnitY());
  EXPECT_TRUE(contacts[0].partial);
  EXPECT_FALSE(contacts[1].partial);
  // One big plate under both steps.
  auto big = make_plates(2);
  for (size_t k = 0; k < big[0].size(); ++k) big[0].forces[k] += big[1].forces[k];
  for (size_t k = 0; k < big[0].size(); ++k) {
    if (!big[0].is_loaded(k)) big[0].centers_of_pressure[k] = big[1].centers_of_pressure[k];
  }
  big[0].corners = {Vec3d(2, 0, 1), Vec3d(-1, 0, 1), Vec3d(-1, 0, -1), Vec3d(2, 0, -1)};
  big.resize(1);
  auto both = find_contacts(big, {});
  assign_feet(both, big, markers, gait, Vec3d::UnitY());
  EXPECT_EQ(both[0].foot, Foot::kBoth);
}

TEST(GaitEvents, AStepOverTwoPlatesIsOneStance) {
  auto plates = make_plates(1);
  PlateForces second = plates[0];
  for (size_t k = 0; k < second.size(); ++k) {
    // Load moves from the first to the second between 0.5 and 0.7 s.
    const double share = std::clamp((second.times[k] - 0.5) / 0.2, 0.0, 1.0);
    second.forces[k] *= share;
    plates[0].forces[k] *= 1.0 - share;
  }
  plates.push_back(second);
  auto contacts = find_contacts(plates, {});
  ASSERT_EQ(contacts.size(), 2u);
  for (PlateContact& contact : contacts) contact.foot = Foot::kRight;
  const auto stances = find_stances(contacts, plates);
  ASSERT_EQ(stances.size(), 1u);
  EXPECT_EQ(stances[0].contacts.size(), 2u);
  EXPECT_NEAR(stances[0].peak_force, kWeight, 1e-6);
}

TEST(GaitEvents, MarkersAloneFindTheSteps) {
  const MarkerTracks markers = make_markers();
  const auto events =
      find_marker_events(markers, find_gait_markers(markers.labels), Vec3d::UnitY()).events;
  int strikes = 0, offs = 0;
  for (const GaitEvent& event : events) {
    const bool strike = event.kind == GaitEvent::Kind::kStrike;
    // The nearest true event of that foot and kind.
    double nearest = 1e9;
    for (int step = -4; step < 10; ++step) {
      const bool right = step % 2 == 0;
      if (right != (event.foot == Foot::kRight)) continue;
      const double truth = strike_of(step) + (strike ? 0.0 : kStance);
      nearest = std::min(nearest, std::abs(event.time - truth));
    }
    // Here the foot slows down before it lands, so it is furthest ahead of the pelvis early by up
    // to tens of milliseconds; a real foot does so less (measured on recordings elsewhere).
    EXPECT_LT(nearest, 0.06);
    (strike ? strikes : offs) += 1;
  }
  EXPECT_GE(strikes, 5);
  EXPECT_GE(offs, 5);
}

TEST(GaitEvents, BodyWeightOverWholeStrides) {
  const auto plates = make_plates(5);
  auto contacts = find_contacts(plates, {});
  for (size_t i = 0; i < contacts.size(); ++i)
    contacts[i].foot = i % 2 == 0 ? Foot::kRight : Foot::kLeft;
  const auto strides = calc_stride_weights(find_stances(contacts, plates), plates, 20.0);
  // Steps 1-3, 2-4; the stride from step 0 begins with the other foot on bare floor.
  ASSERT_EQ(strides.size(), 2u);
  for (const WeightEstimate& stride : strides) EXPECT_NEAR(stride.weight, kWeight, 0.002 * kWeight);
}

TEST(GaitEvents, NamesOfCommonMarkerSets) {
  const std::vector<std::string> oxford = {"HC:LHEE", "HC:LTOE", "HC:LP1M", "HC:LD5M",
                                           "HC:RHEE", "HC:RTOE", "HC:SACR", "HC:LASI"};
  const GaitMarkers a = find_gait_markers(oxford);
  EXPECT_EQ(a.left.heel, 0);
  EXPECT_EQ(a.left.toe, 1);
  EXPECT_EQ(a.left.inner, 2);
  EXPECT_EQ(a.left.outer, 3);
  EXPECT_EQ(a.right.heel, 4);
  EXPECT_EQ(a.pelvis, (std::vector<int>{6, 7}));
  const std::vector<std::string> calc = {"calc_r", "toe_r", "calc_l", "toe_l", "V.Sacral", "Ear_R"};
  const GaitMarkers b = find_gait_markers(calc);
  EXPECT_EQ(b.right.heel, 0);
  EXPECT_EQ(b.left.toe, 3);
  EXPECT_EQ(b.pelvis, std::vector<int>{4});
}

}  // namespace
}  // namespace vesica::gait_events_test
