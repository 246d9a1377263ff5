#include "vesica/motion/plates.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "tests/support/support.h"

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
