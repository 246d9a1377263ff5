// Lines that wrap, in scenes: energy, derivatives, files, what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "tests/simulation/loaded_scene.h"
#include "tests/support/support.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/sensitivity.h"

namespace vesica::wraps_test {
namespace {

std::string strap(const std::string& shape, const std::string& wrap,
                  const std::string& solver = "method: cvode, tolerance: 1.0e-10") {
  return fmt::format(R"(
vesica: 1
gravity: [9.8, 0, 0]
bodies:
  wall: {{fixed: true}}
  post:
    fixed: true
    shapes:
      - {}
  weight:
    mass: 2
    inertia: [2.0e-3, 2.0e-3, 2.0e-3]
    pose: {{position: [0.42, 20 mm, 10 mm]}}
    velocity: {{linear: [0.1, 0.1, -0.05]}}
forces:
  - type: ligament
    name: strap
    points:
      - {{body: wall, position: [-0.3, 0, 40 mm]}}
      - {{body: weight}}
    wraps:
      - {}
    stiffness: 4.0e3
    slack_length: 0.72
duration: 1
solver: {{{}}}
output: {{interval: 5 ms}}
)",
                     shape, wrap, solver);
}
constexpr const char* kEllipsoid = "{type: ellipsoid, radii: [60 mm, 90 mm, 45 mm], name: end}";
constexpr const char* kSphere = "{type: sphere, radius: 60 mm, name: end}";
constexpr const char* kWrap = "{body: post, shape: end}";

RunResult run(const std::string& text) {
  const auto scene = test::load_scene(text);
  RunResult result = simulate(scene.system, scene.options);
  EXPECT_TRUE(result.failure.empty()) << result.failure;
  return result;
}

TEST(Wraps, NoEnergyIsMadeOrLost) {
  for (const char* shape : {kEllipsoid, kSphere}) {
    const RunResult result = run(strap(shape, kWrap));
    EXPECT_LT(std::abs(result.residual), 1e-7 * result.energy_scale) << shape;
    EXPECT_NEAR(result.end_energy, result.start_energy, 1e-6 * result.energy_scale) << shape;
    // It is pulled tight, and longer than straight.
    const TimeTable& r = result.recording;
    const auto force = r.column(r.find("strap.force")), length = r.column(r.find("strap.length"));
    EXPECT_GT(*std::max_element(force.begin(), force.end()), 10);
    bool wraps = false;
    for (size_t k = 0; k < length.size(); ++k) {
      const Vec3d d(r.at(k, r.find("weight.position.x")) + 0.3,
                    r.at(k, r.find("weight.position.y")),
                    r.at(k, r.find("weight.position.z")) - 0.04);
      EXPECT_GE(length[k], d.norm() * (1 - 1e-12));
      wraps = wraps || length[k] > d.norm() * (1 + 1e-3);
    }
    EXPECT_TRUE(wraps) << shape;
  }
}

// The shipped scene: in the plane of the motion the ellipsoid is a circle of 24 mm, over which the
// way of the strap is two tangents and an arc; where it is free, a straight line.
TEST(Wraps, CapsuleStrapIsTangentsAndAnArc) {
  const Model model = load_model(test::source_dir() + "/scenes/capsule_strap.yaml");
  const System<double> system(make_scene<double>(model), true);
  const RunResult result = simulate(system, make_run_options(model));
  ASSERT_TRUE(result.failure.empty()) << result.failure;
  const TimeTable& r = result.recording;
  const double radius = 0.024;
  const Eigen::Vector2d p(-0.022, 0.040);
  bool has_wrapped = false, was_free = false;
  for (size_t k = 0; k < r.rows(); ++k) {
    const double angle = r.at(k, r.find("shank.joint.angle"));
    const Eigen::Vector2d q = Eigen::Rotation2Dd(angle) * Eigen::Vector2d(-0.018, -0.030);
    const double between = std::acos(p.dot(q) / (p.norm() * q.norm()));
    const double arc = between - std::acos(radius / p.norm()) - std::acos(radius / q.norm());
    const double tangents =
        std::sqrt(p.squaredNorm() - radius * radius) + std::sqrt(q.squaredNorm() - radius * radius);
    const double length = arc > 0 ? tangents + radius * arc : (q - p).norm();
    (arc > 0 ? has_wrapped : was_free) = true;
    EXPECT_NEAR(r.at(k, r.find("capsule.length")), length, 1e-10);
  }
  EXPECT_TRUE(has_wrapped);
  EXPECT_TRUE(was_free);
  EXPECT_LT(std::abs(result.residual), 1e-6 * result.energy_scale);
}

TEST(Wraps, AShapeOfItsOwnIsTheSame) {
  const RunResult named = run(strap(kEllipsoid, kWrap));
  const RunResult own = run(
      strap(kEllipsoid, "{body: post, shape: {type: ellipsoid, radii: [60 mm, 90 mm, 45 mm]}}"));
  EXPECT_EQ(named.hash.text(), own.hash.text());
  // And so is a sphere given as an ellipsoid, to the solver's error.
  const RunResult sphere = run(strap(kSphere, kWrap));
  const RunResult round =
      run(strap("{type: ellipsoid, radii: [60 mm, 60 mm, 60 mm], name: end}", kWrap));
  for (size_t k = 0; k < 6; ++k) EXPECT_NEAR(sphere.state[k], round.state[k], 1e-7);
}

TEST(Wraps, SensitivityIsThatOfDifferences) {
  const std::string path = "bodies.post.shapes.0.radii.0";
  const auto text = [&](double radius) {
    return strap(
        fmt::format("{{type: ellipsoid, radii: [{:.9g}, 90 mm, 45 mm], name: end}}", radius), kWrap,
        "method: rk4, step: 2.0e-4");
  };
  const auto scene = test::load_scene(text(0.06));
  const SensitivityResult s =
      simulate_sensitivity(read_model(scene.file), scene.options, {path}, RunControl{});
  const RunResult up = run(text(0.06 + 1e-6)), down = run(text(0.06 - 1e-6));
  for (size_t k = 0; k < 3; ++k) {
    const double slope = (up.state[k] - down.state[k]) / 2e-6;
    EXPECT_NEAR(s.final_derivatives[0][k], slope, 1e-4 * (1 + std::abs(slope))) << k;
  }
}

TEST(Wraps, SurviveAModelThatIsWrittenAndReadAgain) {
  const Model model = read_model(InputFile::parse(
      strap(kEllipsoid, "{body: post, shape: end, guide: [0, 0, 0.1]}"), "test.yaml"));
  const Model again = read_model(InputFile::parse(write_model(model), "again.yaml"));
  const auto& wrap = std::get<model::Ligament<>>(again.forces[0].force).line.wraps.at(0);
  EXPECT_EQ(wrap.shape, "end");
  EXPECT_EQ(wrap.guide, Vec3d(0, 0, 0.1));
}

TEST(Wraps, WhatCannotBeIsRefusedWithItsPlace) {
  const auto expect = [](const std::string& text, const std::string& part) {
    const std::string message = test::input_error_of([&] { test::load_scene(text); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(strap(kEllipsoid, "{body: post, shape: ent}"), "did you mean 'end'?");
  expect(strap(kEllipsoid, "{body: wall, shape: end}"), "no shape of 'wall' has a name");
  expect(strap(kEllipsoid, "{segment: 1, body: post, shape: end}"), "there is no such segment");
  expect(strap("{type: box, size: [0.1, 0.1, 0.1], name: end}", kWrap),
         "a sphere, an ellipsoid or a");
  expect(strap("{type: sphere, radius: 400 mm, name: end}", kWrap), "lies inside the surface");
  expect(strap("{type: cylinder, radius: 20 mm, length: 0.2, name: end}",
               "{body: post, shape: end, guide: [0, 0, 0.5]}"),
         "the shorter way");
  // A guide inside says of no side.
  expect(strap(kEllipsoid, "{body: post, shape: end, guide: [0, 80 mm, 0]}"),
         "forces.0.wraps.0.guide: lies inside the surface");
  expect(strap(kSphere, "{body: post, shape: end, guide: [0, 0, 0]}"), "lies inside the surface");
}

}  // namespace
}  // namespace vesica::wraps_test
