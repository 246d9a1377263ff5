// A foot's contact in files of others: YAML back and forth, the table, and the spheres of an
// OpenSim model, whose forces are computed here from the file alone.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <pugixml.hpp>
#include <sstream>

#include "tests/support/support.h"
#include "vesica/biomechanics/foot_file.h"
#include "vesica/biomechanics/foot_osim.h"
#include "vesica/error.h"
#include "vesica/io/csv.h"

namespace vesica::foot_files_test {
namespace {

constexpr double kWeight = 700;

// A stance: height so that the foot carries a curve, pitch from heel to toe.
std::vector<FootFrame> make_stance(const FootModel& foot, double more) {
  std::vector<FootFrame> frames;
  for (int k = 1; k < 80; ++k) {
    const double u = k / 80.0;
    FootFrame frame;
    frame.time = 0.008 * k;
    frame.foot.X_WB.R_WB = as_rotation_123({0.2 * (1 - u) * (1 - u) - 0.5 * u * u * u, 0.02, -0.1});
    frame.foot.V_WB.w_WB = {-0.5 - more, 0, 0};
    frame.angles.assign(foot.joints.size(), 0.4 * u * u);
    frame.rates.assign(foot.joints.size(), 0.5);
    const double force =
        (1 + more) * kWeight * std::sin(M_PI * u) * (1 + 0.2 * std::cos(4 * M_PI * u));
    frame.foot.X_WB.p_WB.z() = find_lift(foot, frame, force);
    frame.foot.V_WB.v_WB = {0, 0, 0.05 * std::cos(M_PI * u)};
    frames.push_back(frame);
  }
  return frames;
}

TEST(FootFile, ReadsBackAsTheSameFoot) {
  const FootModel foot = make_brown_foot();
  const FootModel back = read_foot(InputFile::parse(write_foot(foot, "a: \"b\""), "foot.yaml"));
  EXPECT_EQ(back.stiffness, foot.stiffness);
  EXPECT_EQ(back.damping, foot.damping);
  ASSERT_EQ(back.ellipsoids.size(), foot.ellipsoids.size());
  for (size_t k = 0; k < foot.ellipsoids.size(); ++k) {
    EXPECT_EQ(back.ellipsoids[k].name, foot.ellipsoids[k].name);
    EXPECT_EQ(back.ellipsoids[k].segment, foot.ellipsoids[k].segment);
    EXPECT_EQ(back.ellipsoids[k].radii, foot.ellipsoids[k].radii);
    EXPECT_EQ(back.ellipsoids[k].position, foot.ellipsoids[k].position);
    EXPECT_EQ(back.ellipsoids[k].angles, foot.ellipsoids[k].angles);
  }
  ASSERT_EQ(back.joints.size(), 1u);
  EXPECT_LE((back.joints[0].X_PF.R_WB - foot.joints[0].X_PF.R_WB).norm(), 1e-14);
  EXPECT_EQ(back.joints[0].X_PF.p_WB, foot.joints[0].X_PF.p_WB);
}

TEST(FootFile, BadFilesAreNamedWithTheirPlace) {
  const std::string text = write_foot(make_brown_foot(), "");
  const auto error = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    return test::input_error_of([&] { read_foot(InputFile::parse(other, "foot.yaml")); });
  };
  EXPECT_NE(error("segment: foot", "segment: fout").find("foot.yaml:"), std::string::npos);
  EXPECT_NE(error("segment: foot", "segment: fout").find("foot"), std::string::npos);
  EXPECT_NE(error("radii: [", "radii: [-").find("radii"), std::string::npos);
  EXPECT_NE(error("N/m^3", "N/m").find("stiffness"), std::string::npos);
}

TEST(FootFile, TheTableHasARowForEveryEllipsoid) {
  std::istringstream stream(write_foot_table(make_brown_foot()));
  const CsvText table = read_csv_text(stream, "foot.csv");
  ASSERT_EQ(table.rows.size(), 3u);
  ASSERT_EQ(table.columns.size(), 11u);
  EXPECT_EQ(table.rows[2][0], "toe");
  EXPECT_EQ(table.rows[2][1], "toe");
  EXPECT_NEAR(std::stod(table.rows[0][3]), 0.054, 1e-15);
}

// Below: nothing of ours but the motion. OpenSim's axes are forward, up, right.
using Triple = std::array<double, 3>;
Triple read_triple(const pugi::xml_node& node) {
  std::istringstream stream(node.text().get());
  Triple t{};
  stream >> t[0] >> t[1] >> t[2];
  EXPECT_FALSE(stream.fail()) << node.name();
  return t;
}
Vec3d to_ours(const Triple& t) { return {t[2], t[0], t[1]}; }

struct ReadSphere {
  bool on_toes = false;
  Vec3d place;
  double radius = 0, stiffness = 0, dissipation = 0, constant = 0, hertz = 0, crossley = 0;
};

pugi::xml_node find_named(const pugi::xml_node& set, const std::string& name) {
  for (const pugi::xml_node& node : set.child("objects").children()) {
    if (node.attribute("name").value() == name) return node;
  }
  return {};
}

std::vector<ReadSphere> read_spheres(const pugi::xml_node& model) {
  std::vector<ReadSphere> spheres;
  const pugi::xml_node geometry = model.child("ContactGeometrySet");
  const pugi::xml_node floor = find_named(geometry, "floor");
  EXPECT_STREQ(floor.name(), "ContactHalfSpace");
  EXPECT_STREQ(floor.child("socket_frame").text().get(), "/ground");
  // Turned so that its x leads down: the half-space is what lies along +x.
  EXPECT_NEAR(read_triple(floor.child("orientation"))[2], -M_PI / 2, 1e-12);
  for (const pugi::xml_node& force : model.child("ForceSet").child("objects").children()) {
    EXPECT_STREQ(force.name(), "SmoothSphereHalfSpaceForce");
    const std::string path = force.child("socket_sphere").text().get();
    EXPECT_EQ(path.rfind("/contactgeometryset/", 0), 0u);
    EXPECT_STREQ(force.child("socket_half_space").text().get(), "/contactgeometryset/floor");
    const pugi::xml_node sphere = find_named(geometry, path.substr(20));
    EXPECT_STREQ(sphere.name(), "ContactSphere");
    const std::string frame = sphere.child("socket_frame").text().get();
    EXPECT_TRUE(frame == "/bodyset/calcn_r" || frame == "/bodyset/toes_r") << frame;
    EXPECT_FALSE(find_named(model.child("BodySet"), frame.substr(9)).empty());
    ReadSphere s;
    s.on_toes = frame == "/bodyset/toes_r";
    s.place = to_ours(read_triple(sphere.child("location")));
    s.radius = sphere.child("radius").text().as_double();
    s.stiffness = force.child("stiffness").text().as_double();
    s.dissipation = force.child("dissipation").text().as_double();
    s.constant = force.child("constant_contact_force").text().as_double();
    s.hertz = force.child("hertz_smoothing").text().as_double();
    s.crossley = force.child("hunt_crossley_smoothing").text().as_double();
    for (const char* key :
         {"static_friction", "dynamic_friction", "viscous_friction", "transition_velocity"}) {
      EXPECT_GT(force.child(key).text().as_double(), 0) << key;
    }
    spheres.push_back(s);
  }
  return spheres;
}

// The toe joint's frame on the foot, from the file: body-fixed x, y, z turns in OpenSim's axes.
Pose<double> read_toe(const pugi::xml_node& model) {
  const pugi::xml_node joint = model.child("JointSet").child("objects").child("PinJoint");
  const pugi::xml_node frame = joint.child("frames").child("PhysicalOffsetFrame");
  EXPECT_STREQ(frame.child("socket_parent").text().get(), "/bodyset/calcn_r");
  EXPECT_STREQ(joint.child("socket_parent_frame").text().get(), frame.attribute("name").value());
  const Triple a = read_triple(frame.child("orientation"));
  const auto turn = [](double angle, int x, int y) {
    Mat3d R = Mat3d::Identity();
    R(x, x) = R(y, y) = std::cos(angle);
    R(y, x) = std::sin(angle);
    R(x, y) = -R(y, x);
    return R;
  };
  const Mat3d R = turn(a[0], 1, 2) * turn(a[1], 2, 0) * turn(a[2], 0, 1);
  Mat3d to;  // rows: right, forward, up in OpenSim's axes
  to << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  return {to * R * to.transpose(), to_ours(read_triple(frame.child("translation")))};
}

Vec3d calc_load(const std::vector<ReadSphere>& spheres, const Pose<double>& toe,
                const FootFrame& f) {
  Vec3d load = Vec3d::Zero();
  for (const ReadSphere& s : spheres) {
    Vec3d p = s.place, carried = Vec3d::Zero();
    if (s.on_toes) {
      const double c = std::cos(f.angles[0]), n = std::sin(f.angles[0]);
      const Vec3d bent(p.x(), c * p.y() - n * p.z(), n * p.y() + c * p.z());
      p = toe * bent;
    }
    const Vec3d center = f.foot.X_WB * p;
    const double depth = s.radius - center.z();
    const Vec3d point = center - Vec3d(0, 0, s.radius - depth / 2);
    if (s.on_toes) {
      const Vec3d axis = f.foot.X_WB.R_WB * toe.R_WB.col(0);
      carried = (axis * f.rates[0]).cross(point - f.foot.X_WB * toe.p_WB);
    }
    const Vec3d v = f.foot.V_WB.v_WB + f.foot.V_WB.w_WB.cross(point - f.foot.X_WB.p_WB) + carried;
    const double k = 0.5 * std::pow(s.stiffness, 2.0 / 3), closing = -v.z();
    double force = 4.0 / 3 * k * std::sqrt(s.radius * k) *
                   std::pow(std::sqrt(depth * depth + s.constant), 1.5);
    force *= 0.5 + 0.5 * std::tanh(s.hertz * depth);
    force *= 1 + 1.5 * s.dissipation * closing;
    force *= 0.5 + 0.5 * std::tanh(s.crossley * (closing + 2 / (3 * s.dissipation)));
    load += force * Vec3d(1, center.x(), center.y());
  }
  return load;
}

TEST(OsimSpheres, TheFileGivesTheErrorThatItStates) {
  const FootModel foot = make_brown_foot();
  const std::vector<FootFrame> frames = make_stance(foot, 0);
  const OsimSpheres set = fit_osim_spheres(foot, frames, kWeight);
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_string(write_osim(set, foot, "r", 0.9).c_str());
  ASSERT_TRUE(parsed) << parsed.description();
  const pugi::xml_node root = document.child("OpenSimDocument");
  EXPECT_GE(root.attribute("Version").as_int(), 40000);
  const pugi::xml_node model = root.child("Model");
  const std::vector<ReadSphere> spheres = read_spheres(model);
  ASSERT_EQ(spheres.size(), 6u);
  const Pose<double> toe = read_toe(model);

  double force2 = 0, cop2 = 0, largest = 0;
  int count = 0;
  for (const FootFrame& f : frames) {
    const Vec3d load = calc_load(spheres, toe, f), wanted = calc_foot_load(foot, f);
    force2 += std::pow(load[0] - wanted[0], 2);
    largest = std::max(largest, std::abs(load[0] - wanted[0]));
    if (load[0] < 50 || wanted[0] < 50) continue;
    cop2 += (load.tail<2>() / load[0] - wanted.tail<2>() / wanted[0]).squaredNorm();
    ++count;
  }
  EXPECT_NEAR(std::sqrt(force2 / double(frames.size())) / kWeight, set.force_error, 1e-9);
  EXPECT_NEAR(largest / kWeight, set.largest_force_error, 1e-9);
  EXPECT_NEAR(std::sqrt(cop2 / count) / 0.2, set.cop_error, 1e-9);
  EXPECT_LE(set.force_error, 0.03);  // measured 0.024
  EXPECT_LE(set.cop_error, 0.03);    // 0.026
}

// More spheres come nearer.
TEST(OsimSpheres, MoreSpheresComeNearer) {
  const FootModel foot = make_brown_foot();
  const std::vector<FootFrame> frames = make_stance(foot, 0);
  const double one = fit_osim_spheres(foot, frames, kWeight, 1).force_error;
  EXPECT_LT(fit_osim_spheres(foot, frames, kWeight, 3).force_error, one);
}

TEST(OsimSpheres, WhatMakesNoSenseIsRefused) {
  EXPECT_THROW(fit_osim_spheres(make_brown_foot(), {}, kWeight), InputError);
  const FootModel foot = make_brown_foot();
  EXPECT_THROW(fit_osim_spheres(foot, make_stance(foot, 0), 0), InputError);
}

}  // namespace
}  // namespace vesica::foot_files_test
