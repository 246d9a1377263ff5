#include "vesica/motion/plates.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "tests/support/support.h"
#include "vesica/motion/gait_events.h"
#include "vesica/motion/trial_edit.h"

namespace vesica::plates_test {
namespace {

// A push of the subject on a plate, in the plate's own axes (z into the floor).
struct Push {
  Vec3d force;    // on the plate, force.z() > 0
  double x, y;    // on the surface, from its centre
  double torque;  // free moment about z on the plate
};

constexpr double kA = 0.21, kB = 0.16;  // corner sensors' offsets, m

ForcePlate make_plate(int type, const Mat3d& R, const Vec3d& center, const Vec3d& origin,
                      const std::vector<Push>& pushes) {
  ForcePlate plate;
  plate.type = type;
  plate.origin = type == 3 ? Vec3d(kA, kB, origin.z()) : origin;
  plate.rate = 1000.0;
  plate.start_time = 0.25;
  const double half_x = 0.3, half_y = 0.2;
  const double sx[4] = {1, -1, -1, 1}, sy[4] = {1, 1, -1, -1};
  for (int i = 0; i < 4; ++i) {
    plate.corners[i] = center + R * Vec3d(sx[i] * half_x, sy[i] * half_y, 0.0);
  }
  std::mt19937_64 random(17);
  if (type == 4) {
    for (int i = 0; i < 36; ++i) plate.calibration.data()[i] = test::random_between(random, -1, 1);
    plate.calibration.diagonal().array() += 5.0;
  }
  for (const Push& push : pushes) {
    // Moment about the measuring origin, which lies at -origin from the surface's centre.
    const Vec3d p(push.x, push.y, 0.0);
    const Vec3d arm = origin + p;
    const Vec3d moment = arm.cross(push.force) + Vec3d(0.0, 0.0, push.torque);
    std::vector<double> channels;
    if (type == 1) {
      channels = {push.force.x(), push.force.y(), push.force.z(), push.x, push.y, push.torque};
    } else if (type == 3) {
      // Four sensors that carry the load: vertical shares from the balance of force and of both
      // moments, with a free internal share w; pairs of horizontal ones from force and Mz.
      const Vec3d M = (p + Vec3d(0, 0, origin.z())).cross(push.force) + Vec3d(0, 0, push.torque);
      const double w = 3.0;
      const double sum = push.force.z() / 4.0, mx = M.x() / (4.0 * kB), my = M.y() / (4.0 * kA);
      const double fz[4] = {sum + mx - my + w, sum + mx + my - w, sum - mx + my + w,
                            sum - mx - my - w};
      // Mz = b (Fx34 - Fx12) + a (Fy14 - Fy23), split evenly.
      const double dx = 0.5 * M.z() / kB, dy = 0.5 * M.z() / kA;
      channels = {0.5 * (push.force.x() - dx),
                  0.5 * (push.force.x() + dx),
                  0.5 * (push.force.y() + dy),
                  0.5 * (push.force.y() - dy),
                  fz[0],
                  fz[1],
                  fz[2],
                  fz[3]};
    } else {
      Eigen::Matrix<double, 6, 1> wrench;
      wrench.head<3>() = push.force;
      wrench.tail<3>() = moment;
      if (type == 4) wrench = plate.calibration.inverse() * wrench;
      channels.assign(wrench.data(), wrench.data() + 6);
    }
    for (const double value : channels) plate.samples.push_back(value);
    plate.channels.resize(channels.size());
  }
  return plate;
}

std::vector<Push> make_pushes(std::mt19937_64& random, int count) {
  std::vector<Push> pushes;
  for (int i = 0; i < count; ++i) {
    pushes.push_back(
        {Vec3d(test::random_between(random, -150, 150), test::random_between(random, -80, 80),
               test::random_between(random, 60, 900)),
         test::random_between(random, -0.28, 0.28), test::random_between(random, -0.18, 0.18),
         test::random_between(random, -8, 8)});
  }
  return pushes;
}

TEST(Plates, AllTypesGiveTheForceThatWasApplied) {
  std::mt19937_64 random(3);
  for (int type = 1; type <= 4; ++type) {
    for (int trial = 0; trial < 20; ++trial) {
      const Mat3d R = test::random_rotation(random);
      const Vec3d center = test::random_vector(random, 2.0);
      const Vec3d origin =
          type == 1 || type == 3 ? Vec3d(0.0, 0.0, -0.04) : Vec3d(0.002, -0.003, -0.041);
      const std::vector<Push> pushes = make_pushes(random, 10);
      ForcePlate plate = make_plate(type, R, center, origin, pushes);
      if (trial % 2 == 1) {  // a file that stores the force on the subject
        for (size_t k = 0; k < plate.samples.size(); ++k) {
          const size_t channel = k % plate.channels.size();
          if (type != 1 || (channel != 3 && channel != 4)) plate.samples[k] = -plate.samples[k];
        }
      }
      const PlateForces forces = calc_plate_forces(plate, "1", {});
      EXPECT_TRUE(forces.warnings.empty());
      EXPECT_LT((forces.normal + R.col(2)).norm(), 1e-12);
      for (size_t k = 0; k < pushes.size(); ++k) {
        EXPECT_NEAR(forces.times[k], 0.25 + 0.001 * k, 1e-12);
        EXPECT_LT((forces.forces[k] + R * pushes[k].force).norm(), 1e-9) << type;
        const Vec3d point = center + R * Vec3d(pushes[k].x, pushes[k].y, 0.0);
        EXPECT_LT((forces.centers_of_pressure[k] - point).norm(), 1e-12) << type;
        // On the subject about -z: both signs turn, and cancel.
        EXPECT_NEAR(forces.free_moments[k], pushes[k].torque, 1e-9) << type;
      }
    }
  }
}

TEST(Plates, WrenchIsTheSameAboutAnyPoint) {
  // Force at the centre of pressure plus free moment is statically the same as the channels.
  std::mt19937_64 random(5);
  const Mat3d R = test::random_rotation(random);
  const Vec3d center = test::random_vector(random, 2.0), origin(0.001, 0.002, -0.05);
  const std::vector<Push> pushes = make_pushes(random, 5);
  const ForcePlate plate = make_plate(2, R, center, origin, pushes);
  const PlateForces forces = calc_plate_forces(plate, "1", {});
  const Vec3d measuring_point = center - R * origin;
  for (size_t k = 0; k < pushes.size(); ++k) {
    const Vec3d moment_on_plate =
        -((forces.centers_of_pressure[k] - measuring_point).cross(forces.forces[k]) +
          forces.free_moments[k] * forces.normal);
    const Vec3d recorded = R * Vec3d(plate.at(k, 3), plate.at(k, 4), plate.at(k, 5));
    EXPECT_LT((moment_on_plate - recorded).norm(), 1e-9);
  }
}

TEST(Plates, NoPointBelowTheThreshold) {
  const ForcePlate plate =
      make_plate(2, Mat3d::Identity(), Vec3d::Zero(), Vec3d(0, 0, -0.04),
                 {{Vec3d(0, 0, 10), 0.1, 0.1, 0}, {Vec3d(0, 0, 500), 0.1, 0.1, 0}});
  PlateOptions options;
  options.threshold = 20.0;
  const PlateForces forces = calc_plate_forces(plate, "1", options);
  EXPECT_FALSE(forces.is_loaded(0));
  EXPECT_TRUE(std::isnan(forces.free_moments[0]));
  EXPECT_TRUE(forces.is_loaded(1));
}

TEST(Plates, AnOriginStoredUpsideDownIsTurnedAndSaid) {
  const std::vector<Push> pushes = {{Vec3d(100, 50, 700), 0.1, -0.05, 2}};
  ForcePlate plate =
      make_plate(2, Mat3d::Identity(), Vec3d::Zero(), Vec3d(0.003, 0.001, -0.04), pushes);
  plate.origin = -plate.origin;
  const PlateForces forces = calc_plate_forces(plate, "2", {});
  ASSERT_EQ(forces.warnings.size(), 1u);
  EXPECT_NE(forces.warnings[0].find("40.0 mm above"), std::string::npos);
  EXPECT_NEAR(forces.centers_of_pressure[0].x(), 0.1, 1e-12);
}

TEST(Plates, QuietBaselineRemovesAnOffset) {
  std::vector<Push> pushes(400, {Vec3d(0, 0, 1e-9), 0.0, 0.0, 0.0});
  for (int k = 200; k < 300; ++k) pushes[k] = {Vec3d(20, 10, 650), 0.12, -0.07, 1.5};
  ForcePlate plate = make_plate(2, Mat3d::Identity(), Vec3d::Zero(), Vec3d(0, 0, -0.04), pushes);
  for (size_t k = 0; k < plate.rows(); ++k) {
    plate.samples[6 * k + 2] += 18.0;  // N
    plate.samples[6 * k + 4] += 2.5;   // N m
  }
  EXPECT_EQ(calc_plate_forces(plate, "1", {}).warnings.size(), 1u);
  PlateOptions options;
  options.baseline = PlateBaseline::kQuiet;
  const PlateForces forces = calc_plate_forces(plate, "1", options);
  EXPECT_NEAR(forces.idle_offset, 18.0, 1e-6);
  EXPECT_NEAR(forces.centers_of_pressure[250].x(), 0.12, 1e-6);
  EXPECT_NEAR(forces.normal_force(250), 650.0, 1e-6);
  // The same by frames that the file names: 20 marker frames of 5 samples.
  options.baseline = PlateBaseline::kFile;
  options.frame_rate = 200.0;
  plate.zero_first = 1;
  plate.zero_last = 20;
  EXPECT_NEAR(calc_plate_forces(plate, "1", options).normal_force(250), 650.0, 1e-6);
}

bool tells(const PlateForces& plate, const std::string& text) {
  return std::any_of(plate.warnings.begin(), plate.warnings.end(),
                     [&](const std::string& w) { return w.find(text) != std::string::npos; });
}

ForcePlate make_offset_plate(double offset) {
  std::vector<Push> pushes(400, {Vec3d(0, 0, 1e-9), 0.0, 0.0, 0.0});
  for (int k = 200; k < 300; ++k) pushes[k] = {Vec3d(20, 10, 650), 0.12, -0.07, 1.5};
  ForcePlate plate = make_plate(2, Mat3d::Identity(), Vec3d::Zero(), Vec3d(0, 0, -0.04), pushes);
  for (size_t k = 0; k < plate.rows(); ++k) {
    plate.samples[6 * k + 2] += offset + 0.5 * std::sin(0.7 * static_cast<double>(k));
    plate.samples[6 * k + 4] += 0.02 * offset;
  }
  return plate;
}

TEST(Plates, QuietBaselineWorksForAnyOffset) {
  PlateOptions quiet;
  quiet.baseline = PlateBaseline::kQuiet;
  for (const double offset : {-900.0, -300.0, -70.0, -30.0, 0.0, 30.0, 70.0, 150.0, 600.0}) {
    const ForcePlate plate = make_offset_plate(offset);
    const PlateForces forces = calc_plate_forces(plate, "1", quiet);
    EXPECT_NEAR(forces.idle_offset, offset, 0.1) << offset;
    EXPECT_NEAR(forces.normal_force(250), 650.0, 1.0) << offset;
    EXPECT_NEAR(forces.centers_of_pressure[250].x(), 0.12, 1e-3) << offset;
    EXPECT_FALSE(forces.is_loaded(100)) << offset;
    EXPECT_EQ(tells(forces, "right only if nothing was on it"), std::abs(offset) > 60.0) << offset;
    // Without the option the offset is told, with the remedy.
    EXPECT_EQ(tells(calc_plate_forces(plate, "1", {}), "--baseline quiet"), std::abs(offset) > 5.0)
        << offset;
  }
  // Loaded throughout: there is no rest, and that is said.
  const std::vector<Push> standing(400, {Vec3d(1, 2, 650), 0.02, 0.01, 0.0});
  const ForcePlate plate =
      make_plate(2, Mat3d::Identity(), Vec3d::Zero(), Vec3d(0, 0, -0.04), standing);
  const PlateForces forces = calc_plate_forces(plate, "1", quiet);
  EXPECT_NEAR(forces.normal_force(250), 650.0, 1e-6);
  EXPECT_TRUE(tells(forces, "nothing was subtracted"));
}

TEST(Plates, FileBaselineSaysWhereThereIsNone) {
  PlateOptions file;
  file.baseline = PlateBaseline::kFile;
  file.frame_rate = 200.0;
  ForcePlate plate = make_offset_plate(18.0);
  plate.zero_stated[0] = 1.0;  // ZERO [1 0]
  const PlateForces none = calc_plate_forces(plate, "1", file);
  EXPECT_TRUE(tells(none, "FORCE_PLATFORM:ZERO 1 0"));
  EXPECT_TRUE(tells(none, "reads 18.0 N after --baseline file"));
  // Frames beyond the recording are no frames either.
  plate.zero_first = 500;
  plate.zero_last = 510;
  EXPECT_TRUE(tells(calc_plate_forces(plate, "1", file), "nothing was subtracted"));
  // Frames in which somebody stood there: what is left is told.
  plate.zero_first = 42;
  plate.zero_last = 58;
  EXPECT_TRUE(
      tells(calc_plate_forces(plate, "1", file), "after --baseline file with nothing on it"));
  // Cut off, they still count.
  plate.zero_first = 1;
  plate.zero_last = 20;
  keep_file_baseline(&plate, 200.0);
  plate.zero_first = plate.zero_last = 0;
  const PlateForces kept = calc_plate_forces(plate, "1", file);
  EXPECT_NEAR(kept.normal_force(250), 650.0, 1.0);
  EXPECT_TRUE(kept.warnings.empty());
}

TEST(Plates, SamplesThatAreNoNumbersAreMissing) {
  ForcePlate plate = make_offset_plate(0.0);
  for (size_t k = 240; k < 260; ++k) plate.samples[6 * k + 3] = kMissing;
  PlateOptions filtered;
  filtered.filter_cutoff = 50.0;
  for (const PlateOptions& options : {PlateOptions{}, filtered}) {
    const PlateForces forces = calc_plate_forces(plate, "1", options);
    EXPECT_EQ(forces.missing, 20u);
    EXPECT_TRUE(tells(forces, "20 of 400 samples are not numbers, first at 0.4900 s"));
    for (size_t k = 0; k < 400; ++k) EXPECT_EQ(forces.is_missing(k), k >= 240 && k < 260) << k;
  }
  for (double& value : plate.samples) value = kMissing;
  const PlateForces all = calc_plate_forces(plate, "1", {});
  EXPECT_TRUE(tells(all, "none of its 400 samples is a number"));
  EXPECT_EQ(all.missing, 400u);
}

TimeTable make_table(double scale) {
  TimeTable table;
  for (const char* name : {"ground_force_vx", "ground_force_vy", "ground_force_vz",
                           "ground_force_px", "ground_force_py", "ground_force_pz",
                           "ground_torque_x", "ground_torque_y", "ground_torque_z"}) {
    table.columns.push_back({name, ""});
  }
  for (int k = 0; k < 300; ++k) {
    const double t = 0.01 * k;
    const double load = k > 50 && k < 250 ? 600.0 + 50.0 * std::sin(6.0 * t) : 0.0;
    table.times.push_back(t);
    const double x = 0.2 + 0.05 * t;
    for (const double value : {0.1 * load, load, 0.02 * load, scale * x, 0.0, scale * 0.1, 0.0,
                               scale * 0.003 * load, 0.0}) {
      table.values.push_back(value);
    }
  }
  return table;
}

TEST(Plates, TablesOfForcesAreFoundAndMillimetresNoticed) {
  const Vec3d up = Vec3d::UnitY();
  const auto plates = find_plate_forces(make_table(1.0), up, {});
  ASSERT_EQ(plates.size(), 1u);
  EXPECT_TRUE(plates[0].warnings.empty());
  EXPECT_NEAR(plates[0].centers_of_pressure[100].x(), 0.25, 1e-12);
  EXPECT_NEAR(plates[0].rate, 100.0, 1e-9);
  const auto millimetres = find_plate_forces(make_table(1000.0), up, {});
  ASSERT_EQ(millimetres[0].warnings.size(), 1u);
  EXPECT_NEAR(millimetres[0].centers_of_pressure[100].x(), 0.25, 1e-12);
  EXPECT_NEAR(millimetres[0].free_moments[100], plates[0].free_moments[100], 1e-9);
}

TEST(Plates, FilteringATableKeepsASmoothPointInPlace) {
  PlateOptions options;
  options.filter_cutoff = 20.0;
  const auto plates = find_plate_forces(make_table(1.0), Vec3d::UnitY(), options);
  for (int k = 80; k < 220; ++k) {
    // The point moves evenly, the load slowly: 20 Hz changes neither by more than the load's edges
    // 30 samples away leave, measured 2e-6 m.
    EXPECT_NEAR(plates[0].centers_of_pressure[k].x(), 0.2 + 0.05 * 0.01 * k, 1e-5);
    EXPECT_NEAR(plates[0].centers_of_pressure[k].z(), 0.1, 1e-5);
  }
}

TEST(Plates, MissingRowsOfATableAreNeverZero) {
  TimeTable table = make_table(1.0);
  for (size_t k = 100; k < 110; ++k) table.at(k, 1) = kMissing;  // a force
  for (size_t k = 150; k < 155; ++k) table.at(k, 3) = kMissing;  // a point, under load
  for (size_t k = 0; k < 20; ++k) table.at(k, 3) = kMissing;     // a point where there is no load
  const auto plates = find_plate_forces(table, Vec3d::UnitY(), {});
  EXPECT_EQ(plates[0].missing, 15u);
  EXPECT_TRUE(tells(plates[0], "15 of 300 samples are not numbers, first at 1.0000 s"));
  EXPECT_TRUE(plates[0].is_missing(105));
  EXPECT_TRUE(plates[0].is_missing(152));
  EXPECT_FALSE(plates[0].is_missing(10));
  // A contact that was not seen to end or begin says so, and weighs nothing made up.
  const auto contacts = find_contacts(plates, {});
  ASSERT_EQ(contacts.size(), 3u);
  EXPECT_TRUE(contacts[0].ends_after);
  EXPECT_TRUE(contacts[1].starts_before);
  EXPECT_NEAR(contacts[0].end, 0.99, 1e-12);
  EXPECT_NEAR(contacts[1].start, 1.10, 1e-12);
  // Written and read again they are missing still.
  const TimeTable written = make_force_table(plates, "again");
  EXPECT_EQ(find_plate_forces(written, Vec3d::UnitY(), {})[0].missing, 15u);
}

TEST(Plates, BaselineOfATable) {
  // The truth plus a constant wrench, point and free moment computed from the sum: closed form.
  const TimeTable truth = make_table(1.0);
  const Vec3d F0(2.0, 25.0, -1.0), M0(0.4, 0.3, -0.9);  // moment about the origin
  TimeTable table = truth;
  for (size_t k = 0; k < table.rows(); ++k) {
    Vec3d F, p, T;
    for (int i = 0; i < 3; ++i) {
      F[i] = truth.at(k, i);
      p[i] = truth.at(k, 3 + i);
      T[i] = truth.at(k, 6 + i);
    }
    const Vec3d M = p.cross(F) + T + M0;
    F += F0;
    const Vec3d point(M.z() / F.y(), 0.0, -M.x() / F.y());
    const Vec3d free = Vec3d::UnitY() * (M - point.cross(F)).y();
    for (int i = 0; i < 3; ++i) {
      table.at(k, i) = F[i];
      table.at(k, 3 + i) = point[i];
      table.at(k, 6 + i) = free[i];
    }
  }
  const auto as_is = find_plate_forces(table, Vec3d::UnitY(), {});
  EXPECT_TRUE(tells(as_is[0], "reads 25.0 N with nothing on it; --baseline quiet"));
  EXPECT_GT((as_is[0].centers_of_pressure[100] - Vec3d(0.25, 0.0, 0.1)).norm(), 0.005);
  PlateOptions options;
  options.baseline = PlateBaseline::kQuiet;
  const auto quiet = find_plate_forces(table, Vec3d::UnitY(), options);
  EXPECT_TRUE(quiet[0].warnings.empty());
  EXPECT_NEAR(quiet[0].subtracted, 25.0, 1e-9);
  for (size_t k = 60; k < 240; ++k) {
    EXPECT_LT((quiet[0].centers_of_pressure[k] - Vec3d(0.2 + 0.0005 * k, 0.0, 0.1)).norm(), 1e-9);
    EXPECT_NEAR(quiet[0].normal_force(k), truth.at(k, 1), 1e-9);
    EXPECT_NEAR(quiet[0].free_moments[k], truth.at(k, 7), 1e-9);
  }
  options.baseline = PlateBaseline::kFile;
  EXPECT_TRUE(tells(find_plate_forces(table, Vec3d::UnitY(), options)[0], "needs a C3D"));
}

TEST(Plates, RefusesWhatItCannotRead) {
  ForcePlate plate = make_plate(2, Mat3d::Identity(), Vec3d::Zero(), Vec3d(0, 0, -0.04),
                                {{Vec3d(0, 0, 500), 0.0, 0.0, 0.0}});
  plate.type = 21;
  EXPECT_NE(test::input_error_of([&] { calc_plate_forces(plate, "3", {}); }).find("type 21"),
            std::string::npos);
  plate.type = 3;
  EXPECT_NE(test::input_error_of([&] { calc_plate_forces(plate, "3", {}); }).find("needs 8"),
            std::string::npos);
  plate.type = 2;
  for (Vec3d& corner : plate.corners) corner = Vec3d::Zero();
  EXPECT_NE(test::input_error_of([&] { calc_plate_forces(plate, "3", {}); }).find("no area"),
            std::string::npos);
}

}  // namespace
}  // namespace vesica::plates_test
