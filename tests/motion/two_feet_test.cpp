// One plate under two feet that follow each other: its load belongs to neither.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/support.h"
#include "vesica/io/load_motion.h"
#include "vesica/motion/external_loads.h"
#include "vesica/motion/recordings.h"
#include "vesica/motion/same_person.h"
#include "vesica/motion/trial_analysis.h"

namespace vesica::two_feet_test {
namespace {

namespace fs = std::filesystem;

constexpr double kEnd = 1.5;  // s

// The right foot stands at x = 0 until 0.8 s and is then carried away; the left one lands 0.6 m
// ahead of it at 0.6 s.
MarkerTracks make_feet() {
  MarkerTracks tracks;
  tracks.labels = {"R.Heel", "R.MT1", "R.MT5", "L.Heel", "L.MT1", "L.MT5"};
  tracks.rate = 100.0;
  for (int k = 0; k <= 150; ++k) {
    const double t = 0.01 * k;
    tracks.times.push_back(t);
    const double right = 3.0 * std::max(0.0, t - 0.8), left = 0.6 - 3.0 * std::max(0.0, 0.6 - t);
    for (const auto& [x, z] : {std::pair{right, 0.1}, std::pair{left, -0.1}}) {
      tracks.positions.emplace_back(x, 0.02, z);
      tracks.positions.emplace_back(x + 0.18, 0.02, z + 0.03);
      tracks.positions.emplace_back(x + 0.16, 0.02, z - 0.03);
    }
  }
  return tracks;
}

// 700 N of the right foot from 0.1 s to 0.8 s, and from 0.6 s so much of the left one's as stands
// on the plate, until 0.95 s; one centre of pressure, as a plate has it.
PlateForces make_plate(double of_left) {
  PlateForces plate;
  plate.name = "1";
  plate.rate = 1000.0;
  plate.normal = Vec3d::UnitY();
  for (int k = 0; k <= 1000 * kEnd; ++k) {
    const double t = 0.001 * k;
    const double share = std::clamp((t - 0.6) / 0.2, 0.0, 1.0);
    const double right = t > 0.1 && t < 0.8 ? 700.0 * (1.0 - share) : 0.0;
    const double left = t < 0.95 ? 700.0 * share * of_left : 0.0;
    const double load = right + left;
    const bool loaded = load >= 20.0;
    const Vec3d center =
        loaded ? Vec3d((right * Vec3d(0.1, 0, 0.1) + left * Vec3d(0.62, 0, -0.1)) / load)
               : Vec3d(Vec3d::Constant(kMissing));
    plate.times.push_back(t);
    plate.forces.emplace_back(0.0, load, 0.0);
    plate.centers_of_pressure.push_back(center);
    plate.free_moments.push_back(loaded ? 0.0 : kMissing);
  }
  return plate;
}

PlateContact assign(double of_left) {
  const MarkerTracks markers = make_feet();
  const std::vector<PlateForces> plates = {make_plate(of_left)};
  auto contacts = find_contacts(plates, {});
  EXPECT_EQ(contacts.size(), 1u);
  assign_feet(contacts, plates, markers, find_gait_markers(markers.labels), Vec3d::UnitY());
  return contacts.at(0);
}

TEST(TwoFeet, ALoadThatGoesOverToTheOtherFootIsOfNeither) {
  EXPECT_EQ(assign(0.0).foot, Foot::kRight);
  EXPECT_EQ(assign(0.0).other_foot, Foot::kUnknown);
  // A heel on the edge of the plate carries a tenth.
  for (const double share : {0.1, 0.5, 1.0}) {
    const PlateContact contact = assign(share);
    EXPECT_EQ(contact.foot, Foot::kBoth) << share;
    EXPECT_EQ(contact.other_foot, Foot::kLeft) << share;
    EXPECT_GT(contact.other_from, 0.6) << share;
    EXPECT_LE(contact.other_from, 0.81) << share;
    EXPECT_NEAR(contact.other_to, 0.95, 0.005) << share;
    const std::vector<PlateForces> plates = {make_plate(share)};
    const ExternalLoads loads = assign_loads(plates, std::vector{contact}, {});
    EXPECT_TRUE(loads.loads.empty()) << share;
  }
}

struct Shared {
  const char* recording;
  const char* plate;
};
// Loads that end 0.1 to 0.5 s after the foot's toe-off, or begin as long before its strike, by its
// markers.
constexpr Shared kShared[] = {
    {"WBDS01/WBDS01walkO01F", "2"}, {"WBDS05/WBDS05walkO04S", "2"}, {"WBDS13/WBDS13walkO04S", "1"},
    {"WBDS16/WBDS16walkO08S", "4"}, {"WBDS16/WBDS16walkO10S", "4"}, {"WBDS18/WBDS18walkO09S", "2"},
    {"WBDS20/WBDS20walkO04S", "2"}, {"WBDS24/WBDS24walkO03S", "2"}, {"WBDS24/WBDS24walkO07C", "2"},
    {"WBDS30/WBDS30walkO04S", "2"}, {"WBDS34/WBDS34walkO02S", "2"}, {"WBDS34/WBDS34walkO06S", "2"}};

TrialAnalysis analyse_files(const fs::path& stem) {
  const auto recordings =
      load_recordings({stem.string() + ".trc", stem.string() + ".mot"}, SignalTables::kApart);
  return analyse(recordings.at(0).motion, {});
}

TEST(TwoFeet, RealPlatesThatTwoFeetSteppedOnAreTold) {
  const fs::path folder = test::shared_data() / "wbds";
  if (!fs::exists(folder)) GTEST_SKIP() << "no recordings at " << folder;
  for (const Shared& shared : kShared) {
    const TrialAnalysis analysis = analyse_files(folder / shared.recording);
    const bool told = std::any_of(
        analysis.warnings.begin(), analysis.warnings.end(), [&](const std::string& warning) {
          return warning.starts_with(
              fmt::format("Both feet stand on force plate {} from", shared.plate));
        });
    EXPECT_TRUE(told) << shared.recording;
  }
  const fs::path clean = test::shared_data() / "wbds07/WBDS07walkO04C";
  for (const PlateContact& contact : analyse_files(clean).contacts) {
    EXPECT_NE(contact.foot, Foot::kBoth) << contact.plate;
  }
}

TEST(TwoFeet, TwoPeopleAreToldApart) {
  const fs::path folder = test::shared_data();
  if (!fs::exists(folder / "wbds")) GTEST_SKIP() << "no recordings at " << folder;
  const auto load = [&](const char* name) { return load_motion((folder / name).string()).markers; };
  const MarkerTracks one = load("wbds07/WBDS07walkO04C.trc");
  const MarkerTracks same = load("wbds07/WBDS07walkO05C.trc");
  const MarkerTracks other = load("wbds/WBDS01/WBDS01walkO08C.trc");
  EXPECT_FALSE(compare_people(one, same).is_other()) << compare_people(one, same).rms;
  EXPECT_TRUE(compare_people(one, other).is_other()) << compare_people(one, other).rms;
  EXPECT_EQ(compare_people(one, other).moved, "");
  // One marker that was taped on anew is named, and no other person.
  MarkerTracks moved = same;
  const size_t heel = moved.find("R.Heel"), ball = moved.find("R.MT1");
  for (size_t k = 0; k < moved.frames(); ++k) {
    moved.at(k, heel) += 0.06 * (moved.at(k, heel) - moved.at(k, ball)).normalized();
  }
  EXPECT_EQ(compare_people(one, moved).moved, "R.Heel");
}

}  // namespace
}  // namespace vesica::two_feet_test
