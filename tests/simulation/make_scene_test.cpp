#include "vesica/simulation/make_scene.h"
#include "vesica/model/model_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/support.h"

namespace vesica::make_scene_test {
namespace {

const char* const kScene =
    "vesica: 1\n"
    "bodies:\n"
    "  ball: {mass: 1, shape: {type: sphere, radius: 0.1}, pose: {position: [0, 0, 1]}}\n"
    "  ground: {fixed: true, shape: {type: half_space}}\n"
    "contacts:\n"
    "  - between: [ball, ground]\n"
    "    normal: {law: volumetric, stiffness: 1.0e7}\n"
    "duration: 1\n";

std::string error_of(const std::string& path, const std::string& value) {
  return test::input_error_of([&] {
    auto file = InputFile::parse(kScene, "scene.yaml");
    file.set(path, value);
    make_scene<double>(read_model(file));
    make_run_options(read_model(file));
  });
}

TEST(SceneInput, InertiaOfShapesIsThatOfUniformSolids) {
  auto inertia = [&](const std::string& shape) {
    auto file = InputFile::parse(kScene, "scene.yaml");
    file.set("bodies.ball.shape", shape);
    return Mat3d(make_scene<double>(read_model(file)).bodies[0].inertia.I_B);
  };
  EXPECT_NEAR(inertia("{type: sphere, radius: 0.1}")(0, 0), 0.4 * 0.01, 1e-15);
  EXPECT_NEAR(inertia("{type: box, size: [1, 2, 3]}")(0, 0), (4.0 + 9) / 12, 1e-15);
  EXPECT_NEAR(inertia("{type: ellipsoid, radii: [1, 2, 3]}")(2, 2), (1.0 + 4) / 5, 1e-15);
  // The same box as a convex hull, and turned on its body.
  const Mat3d hull = inertia(
      "{type: convex, vertices: [[0.5,1,1.5],[-0.5,1,1.5],[0.5,-1,1.5],[-0.5,-1,1.5],[0.5,1,-1.5],"
      "[-0.5,1,-1.5],[0.5,-1,-1.5],[-0.5,-1,-1.5]]}");
  EXPECT_NEAR(hull(1, 1), (1.0 + 9) / 12, 1e-12);
  const Mat3d turned =
      inertia("{type: box, size: [1, 2, 3], pose: {axis: [0, 0, 1], angle: 90 deg}}");
  EXPECT_NEAR(turned(0, 0), (1.0 + 9) / 12, 1e-12);
}

TEST(SceneInput, MistakesAreNamedWithTheirPlace) {
  EXPECT_NE(error_of("bodies.ball.mass", "-1").find("bodies.ball.mass"), std::string::npos);
  EXPECT_NE(error_of("contacts.0.between", "[ball, floor]").find("'floor'"), std::string::npos);
  EXPECT_NE(error_of("contacts.0.between", "[ball, ball]").find("itself"), std::string::npos);
  EXPECT_NE(error_of("bodies.ball.fixed", "true").find("belongs to a free body"),
            std::string::npos);
  EXPECT_NE(error_of("solver", "{method: rk4}").find("'step'"), std::string::npos);
  EXPECT_NE(error_of("solver", "{method: cvode, step: 1}").find("fixed-step"), std::string::npos);
  EXPECT_NE(error_of("solver", "{method: rk44, step: 1}").find("rk4"), std::string::npos);
  EXPECT_NE(error_of("duration", "3 kg").find("wrong dimension"), std::string::npos);
  EXPECT_NE(error_of("bodies.ball.inertia", "[1, 1, 3]").find("sum of the other two"),
            std::string::npos);
  EXPECT_NE(error_of("forces", "[{type: spring, between: [ball, moon], stiffness: 1, length: 1}]")
                .find("moon"),
            std::string::npos);
  EXPECT_NE(error_of("bodies.ball.shape", "{type: half_space}").find("has no volume"),
            std::string::npos);
  EXPECT_NE(error_of("bodies", "{ground: {fixed: true}}").find("nothing can move"),
            std::string::npos);
  // The same two bodies twice, in either order; names that mean something else or no column.
  for (const char* twice : {"[ball, ground]", "[ground, ball]"}) {
    const std::string law = "normal: {law: volumetric, stiffness: 1.0e7}}";
    const std::string first = "{between: [ball, ground], ", again = std::string(", {between: ");
    EXPECT_NE(error_of("contacts", "[" + first + law + again + twice + ", " + law + "]")
                  .find("in contact already"),
              std::string::npos)
        << twice;
  }
  for (const char* name : {"world", "\"a\\nb\"", "\"\""}) {
    EXPECT_NE(error_of("bodies", std::string("{") + name + ": {fixed: true}}").find("name"),
              std::string::npos)
        << name;
  }
}

TEST(SceneInput, PrescribedBodiesFollowTheirFunctionsAndRecordings) {
  auto file = InputFile::parse(kScene, "scene.yaml");
  file.set("bodies.ground",
           "{shape: {type: half_space}, prescribed: {velocity: [1, 0, 0], acceleration: [0, 2, 0], "
           "amplitude: [0, 0, 0.1], frequency: 2 Hz, axis: [0, 1, 0], swing: 10 deg}}");
  const auto scene = make_scene<double>(read_model(file));
  const auto& motion = scene.bodies[1].prescribed;
  // Velocities are the derivatives of the poses.
  const double t = 0.3, h = 1e-6;
  const auto m = motion.at(t), plus = motion.at(t + h), minus = motion.at(t - h);
  EXPECT_LT(((plus.X_WB.p_WB - minus.X_WB.p_WB) / (2 * h) - m.V_WB.v_WB).norm(), 1e-8);
  const Mat3d W = (plus.X_WB.R_WB - minus.X_WB.R_WB) / (2 * h) * m.X_WB.R_WB.transpose();
  EXPECT_LT((W - skew<double>(m.V_WB.w_WB)).norm(), 1e-8);

  const auto folder = std::filesystem::temp_directory_path() / "vesica_make_scene_test";
  std::filesystem::create_directories(folder);
  {
    std::ofstream csv(folder / "plate.csv");
    csv << "time [s],x [m],y [m],z [m],qw,qx,qy,qz\n";
    for (int k = 0; k <= 20; ++k) {
      const double s = 0.05 * k;
      csv << s << "," << s * s << ",0," << std::sin(s) << "," << std::cos(s / 2) << ",0,0,"
          << std::sin(s / 2) << "\n";
    }
  }
  file.set("bodies.ground", "{shape: {type: half_space}, prescribed: {file: '" +
                                (folder / "plate.csv").string() + "'}}");
  const auto recorded = make_scene<double>(read_model(file)).bodies[1].prescribed.at(0.42);
  EXPECT_NEAR(recorded.X_WB.p_WB.x(), 0.42 * 0.42, 1e-9);
  EXPECT_NEAR(recorded.V_WB.v_WB.x(), 0.84, 1e-7);
  EXPECT_NEAR(recorded.V_WB.w_WB.z(), 1, 1e-5);
  EXPECT_NEAR(recorded.X_WB.R_WB(0, 0), std::cos(0.42), 1e-6);
  // After its end the plate rests.
  const auto after = make_scene<double>(read_model(file)).bodies[1].prescribed.at(5);
  EXPECT_EQ(after.V_WB.v_WB.norm(), 0);
  std::filesystem::remove_all(folder);
  EXPECT_FALSE(
      error_of("bodies.ground", "{shape: {type: half_space}, prescribed: {file: no.csv}}").empty());
}

}  // namespace
}  // namespace vesica::make_scene_test
