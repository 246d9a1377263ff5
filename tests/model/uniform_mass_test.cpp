// Mass properties of shapes filled with one density, against formulas from a handbook.
#include "vesica/model/uniform_mass.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/support/support.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/make_scene.h"

namespace vesica::uniform_mass_test {
namespace {

UniformMass<double> measure(const std::string& shapes) {
  const Model model = read_model(InputFile::parse(
      "vesica: 1\nduration: 1\nbodies:\n  b:\n    mass: 1\n    inertia: [1, 1, 1]\n    shapes: " +
          shapes + "\n",
      "test"));
  std::vector<PlacedShape<double>> placed;
  for (const auto& shape : model.bodies[0].shapes) {
    placed.push_back(make_shape(shape, *model.places, "bodies.b.shapes"));
  }
  return calc_uniform_mass<double>(placed, {*model.places, "bodies.b.shapes"});
}

void expect_diagonal(const UniformMass<double>& mass, const Vec3d& moments, double relative) {
  const Mat3d expected = moments.asDiagonal();
  EXPECT_LT((mass.I - expected).norm(), relative * moments.norm()) << mass.I;
}

TEST(UniformMass, SingleShapes) {
  const double pi = 3.14159265358979323846;
  // Cylinder: m r^2/2 about its axis, m (3 r^2 + l^2)/12 across. Measured: 1e-15.
  const UniformMass<double> cylinder = measure("[{type: cylinder, radius: 0.02, length: 0.1}]");
  const double m = pi * 4e-4 * 0.1;
  EXPECT_NEAR(cylinder.volume, m, 1e-12 * m);
  expect_diagonal(cylinder, {m * (12e-4 + 0.01) / 12, m * (12e-4 + 0.01) / 12, m * 2e-4}, 1e-12);
  // Cone of height h, radius r at the base: centroid h/4 above the base; 3 m r^2/10 about its axis.
  const UniformMass<double> cone = measure("[{type: cone, angle: 90 deg, height: 0.1}]");
  const double mc = pi * 0.01 * 0.1 / 3;
  EXPECT_NEAR(cone.volume, mc, 1e-9 * mc);
  EXPECT_NEAR(cone.center.norm(), 0.075, 1e-9);  // from its apex
  EXPECT_NEAR(cone.I(2, 2), 0.3 * mc * 0.01, 1e-9 * mc * 0.01);
  EXPECT_NEAR(cone.I(0, 0), mc * (3.0 / 20 * 0.01 + 3.0 / 80 * 0.01), 1e-9 * mc * 0.01);
  // Torus: m (5 r^2 + 4 R^2)/8 across, m (3 r^2/4 + R^2) about its axis.
  const UniformMass<double> torus = measure("[{type: torus, radius: 0.1, tube_radius: 0.02}]");
  const double mt = 2 * pi * pi * 0.1 * 4e-4;
  EXPECT_NEAR(torus.volume, mt, 1e-14 * mt);
  expect_diagonal(torus, {mt * (20e-4 + 0.04) / 8, mt * (20e-4 + 0.04) / 8, mt * (3e-4 + 0.01)},
                  1e-14);
}

// A dumb-bell: two balls of radius r at +-a, a bar between them that just touches both.
TEST(UniformMass, SeveralShapes) {
  const double pi = 3.14159265358979323846, r = 0.03, a = 0.1, s = 0.01, l = 0.14;
  const UniformMass<double> bell = measure(
      "[{type: sphere, radius: 0.03, pose: {position: [0.1, 0, 0]}}, {type: sphere, radius: 0.03, "
      "pose: {position: [-0.1, 0, 0]}}, {type: box, size: [0.14, 0.01, 0.01]}]");
  const double ball = 4 * pi / 3 * r * r * r, bar = l * s * s;
  EXPECT_NEAR(bell.volume, 2 * ball + bar, 1e-14 * ball);
  EXPECT_LT(bell.center.norm(), 1e-16);
  const double across = 2 * ball * (0.4 * r * r + a * a) + bar * (l * l + s * s) / 12;
  expect_diagonal(bell, {2 * ball * 0.4 * r * r + bar * s * s / 6, across, across}, 1e-14);
}

// A shape off the origin, turned: I about its own centre, R I R^T.
TEST(UniformMass, OffTheOrigin) {
  const UniformMass<double> box = measure(
      "[{type: box, size: [0.1, 0.2, 0.3], pose: {position: [1, 2, 3], axis: [0, 0, 1], angle: 90 "
      "deg}}]");
  const double m = 6e-3;
  EXPECT_LT((box.center - Vec3d(1, 2, 3)).norm(), 1e-15);
  expect_diagonal(box, Vec3d(0.01 + 0.09, 0.04 + 0.09, 0.01 + 0.04) * m / 12, 1e-13);
}

TEST(UniformMass, SharedVolumeIsRefused) {
  const std::string message = test::input_error_of([] {
    measure(
        "[{type: sphere, radius: 0.1}, {type: sphere, radius: 0.1, pose: {position: [0.1, 0, "
        "0]}}]");
  });
  EXPECT_NE(message.find("shapes 0 and 1 overlap by 0.00131 m^3"), std::string::npos) << message;
  EXPECT_NE(message.find("give the body 'inertia'"), std::string::npos) << message;
  EXPECT_NE(test::input_error_of([] { measure("[{type: half_space}]"); }).find("has no volume"),
            std::string::npos);
  EXPECT_NE(test::input_error_of([] { measure("[{type: point}]"); }).find("has no volume"),
            std::string::npos);
}

// What a method of contact cannot tell is refused at the body, with advice for a body. A dome of
// 200 faces and a ball in it: more surfaces than slices take.
TEST(UniformMass, OverlapThatCannotBeToldIsRefused) {
  std::string obj = "v 0 0 0.1\nv 0 0 -0.1\n";
  constexpr int kSides = 100;
  for (int k = 0; k < kSides; ++k) {
    const double angle = 2 * 3.14159265358979323846 * k / kSides;
    obj += fmt::format("v {:.17g} {:.17g} 0\n", 0.1 * std::cos(angle), 0.1 * std::sin(angle));
  }
  for (int k = 0; k < kSides; ++k) {
    const int a = 3 + k, b = 3 + (k + 1) % kSides;
    obj += fmt::format("f 1 {} {}\nf 2 {} {}\n", a, b, b, a);
  }
  const auto path = std::filesystem::temp_directory_path() / fmt::format("dome_{}.obj", getpid());
  std::ofstream(path) << obj;
  const std::string shapes =
      fmt::format("[{{type: mesh, file: {}}}, {{type: sphere, radius: 0.12}}]", path.string());
  const std::string message = test::input_error_of([&] { measure(shapes); });
  std::filesystem::remove(path);
  EXPECT_NE(message.find("bodies.b.shapes"), std::string::npos) << message;
  EXPECT_NE(message.find("give the body 'inertia'"), std::string::npos) << message;
  EXPECT_EQ(message.find("cut the cells"), std::string::npos) << message;
}

// A point marks a place, for a law at a point, and weighs nothing.
TEST(UniformMass, PointsAddNothing) {
  const UniformMass<double> alone = measure("[{type: sphere, radius: 0.1}]");
  const UniformMass<double> with =
      measure("[{type: point, pose: {position: [0, 0, -0.1]}}, {type: sphere, radius: 0.1}]");
  EXPECT_EQ(with.volume, alone.volume);
  EXPECT_EQ(with.center, alone.center);
  EXPECT_EQ(with.I, alone.I);
}

// As the default of a body: its mass over the volume.
TEST(UniformMass, IsTheDefaultInertia) {
  const auto make = [](const std::string& shapes) {
    return make_scene<double>(read_model(InputFile::parse(
        "vesica: 1\nduration: 1\nbodies:\n  b:\n    mass: 3\n    shapes: " + shapes + "\n",
        "test")));
  };
  const auto scene = make(
      "[{type: sphere, radius: 0.03, pose: {position: [0.1, 0, 0]}}, {type: sphere, radius: 0.03, "
      "pose: {position: [-0.1, 0, 0]}}]");
  const Vec3d expected(3 * 0.4 * 9e-4, 3 * (0.4 * 9e-4 + 0.01), 3 * (0.4 * 9e-4 + 0.01));
  EXPECT_LT((scene.bodies[0].inertia.I_B.diagonal() - expected).norm(), 1e-15);
  const std::string message = test::input_error_of(
      [&] { make("[{type: sphere, radius: 0.03, pose: {position: [1, 0, 0]}}]"); });
  EXPECT_NE(message.find("mass centre at [1, 0, 0] m"), std::string::npos) << message;
}

}  // namespace
}  // namespace vesica::uniform_mass_test
