#include "vesica/motion/trial_edit.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "tests/support/support.h"
#include "vesica/io/load_motion.h"
#include "vesica/io/sto.h"
#include "vesica/io/trc.h"
#include "vesica/motion/trial_analysis.h"

namespace vesica::trial_edit_test {
namespace {

MotionTrial make_trial() {
  MotionTrial trial;
  trial.file = "made.c3d";
  trial.format = "C3D";
  trial.markers.labels = {"A", "B"};
  trial.markers.rate = 100.0;
  trial.markers.unit_in_file = "mm";
  for (int k = 0; k < 101; ++k) {
    const double t = 0.01 * k;
    trial.markers.times.push_back(t);
    trial.markers.positions.emplace_back(t, 2.0 * t, 1.0);
    trial.markers.positions.emplace_back(t + 0.1, 2.0 * t, 0.5 + 0.1 * std::sin(6.0 * t));
  }
  ForcePlate plate;
  plate.rate = 1000.0;
  plate.origin = Vec3d(0.0, 0.0, -0.04);
  const double sx[4] = {1, -1, -1, 1}, sy[4] = {1, 1, -1, -1};
  // z of the plate into the floor: x along +x, y along -y of the lab.
  for (int i = 0; i < 4; ++i) plate.corners[i] = Vec3d(0.5 + 0.3 * sx[i], 1.0 - 0.2 * sy[i], 0.0);
  plate.channels = {0, 1, 2, 3, 4, 5};
  for (int k = 0; k < 1010; ++k) {
    const bool loaded = k > 300 && k < 800;
    const Vec3d force = loaded ? Vec3d(30.0, -10.0, 700.0) : Vec3d(Vec3d::Zero());
    const Vec3d arm = Vec3d(0.05, 0.08, 0.0) + plate.origin;
    const Vec3d moment = arm.cross(force) + Vec3d(0.0, 0.0, loaded ? 2.0 : 0.0);
    for (int i = 0; i < 3; ++i) plate.samples.push_back(force[i]);
    for (int i = 0; i < 3; ++i) plate.samples.push_back(moment[i]);
  }
  trial.plates.push_back(plate);
  trial.events.push_back({0.35, "Foot Strike", "Right", "", ""});
  return trial;
}

TEST(TrialEdit, TrimKeepsOneClock) {
  MotionTrial trial = make_trial();
  trim(&trial, 0.2, 0.6);
  EXPECT_EQ(trial.markers.frames(), 41u);
  EXPECT_NEAR(trial.markers.times.front(), 0.2, 1e-12);
  EXPECT_EQ(trial.markers.first_frame, 21);
  EXPECT_NEAR(trial.markers.at(0, 0).x(), 0.2, 1e-12);
  EXPECT_EQ(trial.plates[0].rows(), 401u);
  EXPECT_NEAR(trial.plates[0].start_time, 0.2, 1e-12);
  EXPECT_EQ(trial.events.size(), 1u);
  // The load still begins at 0.301 s.
  const auto plates = calc_all_plate_forces(trial, Vec3d::UnitZ(), {});
  const auto contacts = find_contacts(plates, {});
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].start, 0.300, 0.0011);
  EXPECT_TRUE(contacts[0].ends_after);
  EXPECT_NE(test::input_error_of([&] { trim(&trial, 5.0, 6.0); }).find("nothing"),
            std::string::npos);
  EXPECT_NE(test::input_error_of([&] { trim(&trial, 1.0, 0.5); }).find("no stretch"),
            std::string::npos);
}

TEST(TrialEdit, RotationToYUpIsOpenSims) {
  const Mat3d R = make_rotation_to_y_up(Vec3d::UnitZ(), Vec3d::Zero());
  EXPECT_EQ(Vec3d(R * Vec3d(1.0, 2.0, 3.0)), Vec3d(1.0, 3.0, -2.0));
  EXPECT_TRUE(make_rotation_to_y_up(Vec3d::UnitY(), Vec3d::Zero()).isIdentity());
  for (const Vec3d& up : {Vec3d(1, 0, 0), Vec3d(-1, 0, 0), Vec3d(0, -1, 0), Vec3d(0, 0, -1)}) {
    const Mat3d turn = make_rotation_to_y_up(up, Vec3d::Zero());
    EXPECT_LT((turn * up - Vec3d::UnitY()).norm(), 1e-12);
    EXPECT_NEAR(turn.determinant(), 1.0, 1e-12);
  }
  // Walking along any axis comes to lie along +x.
  for (const Vec3d& ahead :
       {Vec3d(1, 0.1, 0), Vec3d(0, 1, 0), Vec3d(-1, 0, 0), Vec3d(0.2, -1, 0)}) {
    const Vec3d turned = make_rotation_to_y_up(Vec3d::UnitZ(), ahead) * ahead;
    EXPECT_GT(turned.x(), 0.9 * ahead.norm());
  }
}

TEST(TrialEdit, ForcesTurnWithTheirPlates) {
  MotionTrial trial = make_trial();
  const auto before = calc_all_plate_forces(trial, Vec3d::UnitZ(), {});
  const Mat3d R = make_rotation_to_y_up(Vec3d::UnitZ(), Vec3d::Zero());
  rotate(&trial, R);
  const auto after = calc_all_plate_forces(trial, Vec3d::UnitY(), {});
  for (size_t k = 0; k < before[0].size(); k += 50) {
    EXPECT_LT((after[0].forces[k] - R * before[0].forces[k]).norm(), 1e-9);
    if (!before[0].is_loaded(k)) continue;
    EXPECT_LT((after[0].centers_of_pressure[k] - R * before[0].centers_of_pressure[k]).norm(),
              1e-12);
    EXPECT_NEAR(after[0].free_moments[k], before[0].free_moments[k], 1e-9);
  }
}

void expect_same_forces(const PlateForces& a, const PlateForces& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t k = 0; k < a.size(); ++k) {
    ASSERT_EQ(a.is_loaded(k), b.is_loaded(k)) << k;
    if (!a.is_loaded(k)) continue;
    EXPECT_EQ(a.forces[k], b.forces[k]);
    EXPECT_EQ(a.centers_of_pressure[k], b.centers_of_pressure[k]);
    EXPECT_NEAR(a.free_moments[k], b.free_moments[k], 1e-15 + 1e-12 * std::abs(a.free_moments[k]));
  }
}

TEST(TrialEdit, C3dToTrcAndMotLosesNothing) {
  if (!std::filesystem::exists(test::shared_data())) GTEST_SKIP() << "no recordings";
  MotionTrial trial = load_motion((test::shared_data() / "oxford_foot/HC038A11.c3d").string());
  rotate(&trial, make_rotation_to_y_up(Vec3d::UnitZ(), Vec3d::Zero()));
  const auto plates = calc_all_plate_forces(trial, Vec3d::UnitY(), {});
  const auto folder = std::filesystem::temp_directory_path() / "vesica_trial_edit_test";
  std::filesystem::create_directories(folder);
  const std::string trc = (folder / "walk.trc").string(), mot = (folder / "walk.mot").string();
  save_trc(trc, trial.markers);
  save_sto(mot, make_force_table(plates, "walk"));
  const MotionTrial markers = load_trc(trc), forces = load_sto(mot);
  std::filesystem::remove_all(folder);
  ASSERT_EQ(markers.markers.labels, trial.markers.labels);
  ASSERT_EQ(markers.markers.frames(), trial.markers.frames());
  for (size_t i = 0; i < trial.markers.positions.size(); ++i) {
    const Vec3d &a = trial.markers.positions[i], &b = markers.markers.positions[i];
    ASSERT_EQ(a.allFinite(), b.allFinite());
    if (a.allFinite()) {
      EXPECT_LT((a - b).norm(), 1e-8);  // 1e-5 mm: below the C3D's own float
    }
  }
  const auto again = find_plate_forces(forces.analog, Vec3d::UnitY(), {});
  ASSERT_EQ(again.size(), plates.size());
  for (size_t i = 0; i < plates.size(); ++i) expect_same_forces(plates[i], again[i]);
  // Joined, the two files tell the same steps as the one.
  const TrialAnalysis joined = analyse(join(markers, forces), {});
  EXPECT_EQ(joined.stances.size(), 2u);
  EXPECT_EQ(joined.up_name, "+y");
}

TEST(TrialEdit, JoinRefusesTwoOfAKind) {
  const MotionTrial trial = make_trial();
  EXPECT_NE(test::input_error_of([&] { join(trial, trial); }).find("both hold markers"),
            std::string::npos);
}

TEST(TrialEdit, ResamplingMarkersKeepsMotionAndGaps) {
  MotionTrial trial = make_trial();
  for (int k = 40; k < 45; ++k) trial.markers.at(k, 1) = Vec3d::Constant(kMissing);
  resample_markers(&trial.markers, 250.0);
  EXPECT_EQ(trial.markers.frames(), 251u);
  for (size_t k = 0; k < trial.markers.frames(); ++k) {
    const double t = trial.markers.times[k];
    const bool in_gap = t > 0.3901 && t < 0.4499;
    EXPECT_EQ(trial.markers.has(k, 1), !in_gap) << t;
    EXPECT_NEAR(trial.markers.at(k, 0).y(), 2.0 * t, 1e-12);
    if (!in_gap) {
      EXPECT_NEAR(trial.markers.at(k, 1).z(), 0.5 + 0.1 * std::sin(6.0 * t), 1e-6);
    }
  }
}

TEST(TrialEdit, FilteringMarkersRemovesNoiseAndKeepsMotion) {
  MotionTrial trial = make_trial();
  std::mt19937_64 random(2);
  std::normal_distribution<double> noise(0.0, 0.001);
  double before = 0.0, after = 0.0;
  const auto truth = [](double t) { return 0.5 + 0.1 * std::sin(6.0 * t); };
  for (size_t k = 0; k < trial.markers.frames(); ++k) {
    const double e = noise(random);
    trial.markers.at(k, 1).z() += e;
    before += e * e;
  }
  EXPECT_EQ(filter_markers(&trial.markers, make_low_pass(6.0, 100.0)), 0);
  for (size_t k = 0; k < trial.markers.frames(); ++k) {
    const double e = trial.markers.at(k, 1).z() - truth(trial.markers.times[k]);
    after += e * e;
  }
  // White noise keeps the share of the band: 6 Hz of 50, twelve per cent in power, plus the ends.
  EXPECT_LT(after, 0.25 * before);
}

TEST(TrialEdit, TableRateRefusesUnevenTimes) {
  TimeTable table;
  table.name = "uneven";
  table.times = {0.0, 0.01, 0.02, 0.036, 0.046, 0.056};
  EXPECT_NE(test::input_error_of([&] { find_table_rate(table); }).find("row"), std::string::npos);
  // Two rows that are missing leave the rate as it is.
  table.times = {0.0, 0.01, 0.02, 0.05, 0.06};
  EXPECT_NEAR(find_table_rate(table), 100.0, 1e-9);
  // Rounded by up to 0.03 ms over 10 ms: 0.3 %, measured 0.2 %.
  table.times = {0.0, 0.0033, 0.0067, 0.01};
  EXPECT_NEAR(find_table_rate(table), 300.0, 1.0);
}

}  // namespace
}  // namespace vesica::trial_edit_test
