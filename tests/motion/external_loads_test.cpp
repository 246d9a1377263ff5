#include "vesica/motion/external_loads.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "tests/support/support.h"
#include "vesica/io/c3d.h"
#include "vesica/motion/plate_channels.h"
#include "vesica/motion/trial_edit.h"

namespace vesica::external_loads_test {
namespace {

// A plate with y up that is stepped on twice, from 0.1 to 0.3 s and from 0.5 to 0.7 s.
PlateForces two_steps(const std::string& name) {
  PlateForces plate;
  plate.name = name;
  plate.rate = 1000.0;
  plate.normal = Vec3d::UnitY();
  for (int k = 0; k < 1000; ++k) {
    const double t = 0.001 * k;
    const bool loaded = (k >= 100 && k <= 300) || (k >= 500 && k <= 700);
    plate.times.push_back(t);
    plate.forces.push_back(loaded ? Vec3d(30.0 * std::sin(20 * t), 700.0 + k, -12.0)
                                  : Vec3d(0, 1, 0));
    plate.centers_of_pressure.push_back(loaded ? Vec3d(0.5 + 0.1 * t, 0.002, 0.2 - 0.3 * t)
                                               : Vec3d::Constant(kMissing));
    plate.free_moments.push_back(loaded ? 3.0 * std::cos(9 * t) : kMissing);
  }
  return plate;
}
PlateContact contact(int plate, double start, double end, Foot foot) {
  PlateContact c;
  c.plate = plate;
  c.start = start;
  c.end = end;
  c.foot = foot;
  return c;
}

TEST(ExternalLoads, OnePlateForEachFootStaysWhole) {
  const std::vector<PlateForces> plates = {two_steps("1"), two_steps("2")};
  const std::vector<PlateContact> contacts = {contact(0, 0.1, 0.3, Foot::kRight),
                                              contact(1, 0.5, 0.7, Foot::kLeft)};
  const ExternalLoads loads = assign_loads(plates, contacts, {"foot_r", "foot_l"});
  ASSERT_EQ(loads.loads.size(), 2u);
  EXPECT_EQ(loads.plates.size(), 2u);
  EXPECT_EQ(loads.loads[0].body, "foot_r");
  EXPECT_EQ(loads.loads[1].plate, "2");
  const std::string xml = make_external_loads_xml(loads, "walk", "walk.mot");
  for (const char* part :
       {"<applied_to_body>foot_l</applied_to_body>", "<datafile>walk.mot</datafile>",
        "<force_identifier>ground_force2_v</force_identifier>",
        "<point_identifier>ground_force2_p</point_identifier>",
        "<torque_identifier>ground_torque2_</torque_identifier>"}) {
    EXPECT_NE(xml.find(part), std::string::npos) << part;
  }
  // The identifiers are beginnings of columns of the table.
  const TimeTable table = make_force_table(loads.plates, "walk");
  for (const char* column : {"ground_force2_vx", "ground_force2_pz", "ground_torque2_y"}) {
    EXPECT_LT(table.find(column), table.columns.size());
  }
}

TEST(ExternalLoads, APlateThatBothFeetUseIsSharedByTime) {
  const std::vector<PlateForces> plates = {two_steps("1")};
  const std::vector<PlateContact> contacts = {contact(0, 0.0995, 0.3005, Foot::kRight),
                                              contact(0, 0.4995, 0.7005, Foot::kLeft)};
  const ExternalLoads loads = assign_loads(plates, contacts, {});
  ASSERT_EQ(loads.plates.size(), 2u);
  EXPECT_EQ(loads.plates[0].name, "1_r");
  const TimeTable table = make_force_table(loads.plates, "walk");
  const std::vector<double> right = table.column("ground_force1_r_vy");
  const std::vector<double> left = table.column("ground_force1_l_vy");
  for (std::size_t k = 0; k < 1000; ++k) {
    const double whole = plates[0].is_loaded(k) ? plates[0].forces[k].y() : 0.0;
    ASSERT_EQ(right[k] + left[k], whole);
    ASSERT_TRUE(k < 400 ? left[k] == 0.0 : right[k] == 0.0);
  }
}

TEST(ExternalLoads, LoadsWithoutAFootAreSaid) {
  const std::vector<PlateForces> plates = {two_steps("1")};
  const std::vector<PlateContact> both = {contact(0, 0.1, 0.3, Foot::kBoth)};
  const ExternalLoads loads = assign_loads(plates, both, {});
  EXPECT_EQ(loads.warnings.size(), 1u);
  EXPECT_NE(test::input_error_of([&] {
              make_external_loads_xml(loads, "walk", "walk.mot");
            }).find("could be given to a foot"),
            std::string::npos);
}

TEST(PlateChannels, ForcesOfATableComeBackFromATypeOnePlatform) {
  for (const Vec3d& up : {Vec3d(0, 1, 0), Vec3d(0, 0, 1)}) {
    // The same plate, turned so that `up` is up.
    PlateForces source = two_steps("1");
    const Mat3d R = make_rotation_to_y_up(up, Vec3d::Zero()).transpose();
    source.normal = up;
    for (std::size_t k = 0; k < source.size(); ++k) {
      source.forces[k] = R * source.forces[k];
      source.centers_of_pressure[k] = R * source.centers_of_pressure[k];
    }
    MotionTrial trial;
    trial.file = "walk.mot";
    trial.analog = make_force_table({source}, "walk");
    trial.analog.columns.push_back({"emg", "V"});
    TimeTable with_other = trial.analog;
    with_other.values.clear();
    for (std::size_t k = 0; k < 1000; ++k) {
      for (std::size_t c = 0; c < 9; ++c)
        with_other.values.push_back(trial.analog.values[9 * k + c]);
      with_other.values.push_back(0.5 * static_cast<double>(k));
    }
    trial.analog = with_other;
    make_plate_channels({source}, up, &trial);
    ASSERT_EQ(trial.plates.size(), 1u);
    ASSERT_EQ(trial.analog.columns.size(), 7u);
    std::istringstream stream(encode_c3d(trial, "o.c3d"));
    const MotionTrial back = read_c3d(stream, "o.c3d");
    ASSERT_EQ(back.plates.size(), 1u);
    EXPECT_EQ(back.plates[0].type, 1);
    EXPECT_EQ(back.analog.at(7, 6), 3.5);
    PlateOptions options;
    const std::vector<PlateForces> forces = calc_all_plate_forces(back, up, options);
    ASSERT_EQ(forces[0].size(), 1000u);
    double force = 0.0, point = 0.0, moment = 0.0;
    for (std::size_t k = 0; k < 1000; ++k) {
      ASSERT_EQ(forces[0].is_loaded(k), source.is_loaded(k));
      if (!source.is_loaded(k)) continue;
      force = std::max(force, (forces[0].forces[k] - source.forces[k]).norm());
      point = std::max(point,
                       (forces[0].centers_of_pressure[k] - source.centers_of_pressure[k]).norm());
      moment = std::max(moment, std::abs(forces[0].free_moments[k] - source.free_moments[k]));
    }
    // 32-bit floats: 6e-8 of 1,400 N and of half a metre.
    EXPECT_LT(force, 1.5e-4);
    EXPECT_LT(point, 1e-6);
    EXPECT_LT(moment, 2e-4);
  }
}

}  // namespace
}  // namespace vesica::external_loads_test
