// Models: built in code, read, written and read again, with derivatives.
#include "vesica/model/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tests/support/support.h"
#include "vesica/model/model_file.h"
#include "vesica/model/seeds.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/simulate_model.h"

namespace vesica::model_test {
namespace {

std::vector<std::string> shipped_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_dir() + "/scenes")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Model make_ball_on_ground() {
  Model m;
  m.bodies.push_back({.name = "ground", .fixed = true, .shapes = {{HalfSpace{}}}});
  m.bodies.push_back({.name = "ball",
                      .mass = 0.5,
                      .shapes = {{Sphere<double>{0.05}}},
                      .pose = model::Frame<>::at({0, 0, 0.3})});
  m.contacts.push_back(
      {.between = {"ball", "ground"}, .normal = VolumetricNormal<double>{2e8, 0.3}});
  m.run.duration = 0.3;
  return m;
}

TEST(Model, BuiltInCodeFallsAsItShould) {
  Model m = make_ball_on_ground();
  m.bodies[1].velocity = model::Velocity<>{.linear = Vec3d(1, 0, 0), .angular = Vec3d(0, 0, 3)};
  m.run.duration = 0.2;  // touches at sqrt(2 0.25/g) = 0.2258 s
  const RunResult result = simulate(m);
  ASSERT_TRUE(result.failure.empty()) << result.failure;
  const auto z = result.recording.column(result.recording.find("ball.position.z"));
  const auto x = result.recording.column(result.recording.find("ball.position.x"));
  EXPECT_NEAR(x.back(), 0.2, 1e-9);
  EXPECT_NEAR(value_of(result.end.kinetic),
              0.25 * (1 + std::pow(9.80665 * 0.2, 2)) + 0.5 * 0.4 * 0.5 * 0.0025 * 9, 1e-6);
  EXPECT_NEAR(z.back(), 0.3 - 0.5 * 9.80665 * 0.04, 1e-7);  // 3.2e-8, with a tolerance of 1e-8
}

// Every scene that comes along, written and read again: the same text, the same numbers at the same
// paths, and the same motion bit by bit.
TEST(Model, WrittenAndReadIsTheSame) {
  int scenes = 0, cases = 0;
  for (const std::string& file : shipped_files()) {
    SCOPED_TRACE(file);
    const InputFile input = InputFile::load(file);
    if (!is_scene(input)) {
      const std::string text = write_case(read_case(input));
      EXPECT_EQ(write_case(read_case(InputFile::parse(text, file))), text);
      ++cases;
      continue;
    }
    Model read = read_model(input);
    const std::string text = write_model(read);
    Model again = read_model(InputFile::parse(text, file));
    EXPECT_EQ(write_model(again), text);
    const auto numbers = list_numbers(read), others = list_numbers(again);
    ASSERT_EQ(numbers.size(), others.size());
    for (size_t k = 0; k < numbers.size(); ++k) {
      EXPECT_EQ(numbers[k].path, others[k].path);
      EXPECT_EQ(numbers[k].value, others[k].value) << numbers[k].path;
    }
    for (Model* m : {&read, &again}) {
      m->run.duration = std::min(m->run.duration, 0.02);
      m->run.checkpoints.clear();
    }
    EXPECT_EQ(simulate(read).hash.text(), simulate(again).hash.text());
    ++scenes;
  }
  EXPECT_GE(scenes, 20);
  EXPECT_GE(cases, 1);
}

// A law for every kind of parameter, in a model that no file has.
TEST(Model, LawsAreWrittenWithAllTheyHave) {
  Model m = make_ball_on_ground();
  const std::vector<NormalLaw<double>> normals = {
      VolumetricNormal<double>{1e7, HystereticDamping<double>::with_restitution(0.7, 0.02)},
      VolumePower<double>{.stiffness = 1e7, .exponent = 0.8, .damping = 3},
      HuntCrossley<double>{1e6, 1.5, 0.2}, KelvinVoigt<double>{1e5, 30},
      HyperVolumetric<double>{1e10, 1.5, 0.1}};
  const std::vector<FrictionLaw<double>> frictions = {
      NoFriction<double>{}, BrownMcPhee<double>{.mu_s = 0.5, .mu_d = 0.4, .v_t = 0.01},
      Specker<double>{.mu_s = 0.5, .mu_d = 0.4, .v_t = 0.01, .v_d = 0.004},
      PatchFriction<double>{Hollars<double>{.mu_s = 0.5, .mu_d = 0.4, .v_t = 0.01}, 1e-5}};
  for (const auto& normal : normals) {
    for (const auto& friction : frictions) {
      m.contacts[0].normal = normal;
      m.contacts[0].friction = friction;
      const std::string text = write_model(m);
      const Model again = read_model(InputFile::parse(text, "written.yaml"));
      EXPECT_EQ(write_model(again), text);
      EXPECT_EQ(again.contacts[0].normal.index(), normal.index());
      EXPECT_EQ(again.contacts[0].friction.index(), friction.index());
      const auto before = list_numbers(m), after = list_numbers(again);
      ASSERT_EQ(before.size(), after.size()) << text;
      for (size_t k = 0; k < before.size(); ++k) EXPECT_EQ(before[k].value, after[k].value) << text;
    }
  }
}

TEST(Model, TextsThatLookLikeSomethingElseComeBack) {
  Model m = make_ball_on_ground();
  for (const char* title : {"true", "12", "a: b", "# no", "\"quoted\"", "two\nlines", "- x", "ä",
                            "null", "back\\slash", "~", "{}"}) {
    m.title = title;
    EXPECT_EQ(read_model(InputFile::parse(write_model(m), "t")).title, title);
  }
}

std::string error_of(const Model& m) {
  return test::input_error_of([&] { make_scene<double>(m); });
}

// What is built in code is checked as what is read, and the message says where.
TEST(Model, WhatIsWrongInCodeIsSaidWithItsPath) {
  Model m = make_ball_on_ground();
  m.bodies[1].mass = -1;
  EXPECT_EQ(error_of(m), "model: bodies.ball.mass: must be greater than zero, found -1");
  m = make_ball_on_ground();
  m.bodies[1].mass.reset();
  EXPECT_EQ(error_of(m), "model: bodies.ball: the key 'mass' is missing");
  m = make_ball_on_ground();
  m.bodies[1].pose->position.x() = std::nan("");
  EXPECT_EQ(error_of(m), "model: bodies.ball.pose.position.0: must be finite, found nan");
  m = make_ball_on_ground();
  m.contacts[0].between[1] = "grund";
  EXPECT_EQ(error_of(m),
            "model: contacts.0.between.1: 'grund' is not known; did you mean 'ground'?");
  m = make_ball_on_ground();
  m.bodies[0].name = "ball";
  EXPECT_NE(error_of(m).find("the name 'ball' is given twice"), std::string::npos);
  m = make_ball_on_ground();
  m.bodies[1].joint =
      model::Joint<>{.type = "revolut", .parent = "world", .axes = {Vec3d::UnitY()}};
  m.bodies[1].pose.reset();
  EXPECT_NE(error_of(m).find("model: bodies.ball.joint.type: 'revolut' is not known"),
            std::string::npos);
  m = make_ball_on_ground();
  m.contacts[0].friction = BrownMcPhee<double>{.mu_s = 0.3, .mu_d = 0.4, .v_t = 0.01};
  EXPECT_EQ(error_of(m), "model: contacts.0.friction.mu_s: must not be below mu_d");
  m = make_ball_on_ground();
  m.run.duration = 0;
  EXPECT_EQ(error_of(m), "model: duration: must be greater than zero, found 0");
  m = make_ball_on_ground();
  m.contacts[0].interference = model::Interference{.method = "polyhedra"};
  EXPECT_NE(error_of(m).find("model: contacts.0.interference.method"), std::string::npos);
}

TEST(Model, SeedsBecomeDerivatives) {
  const Model m = make_ball_on_ground();
  const auto scene =
      make_scene<Dual<4>>(m, {"bodies.ball.mass", "contacts.0.normal.damping",
                              "bodies.ball.pose.position.2", "bodies.ball.shape.radius"});
  EXPECT_EQ(scene.bodies[1].inertia.mass.v[0], 1);
  EXPECT_EQ(scene.q0[2].v[2], 1);
  EXPECT_EQ(scene.q0[1].v[2], 0);
  // 2/5 m r^2 by m and by r.
  EXPECT_NEAR(scene.bodies[1].inertia.I_B(0, 0).v[0], 0.4 * 0.05 * 0.05, 1e-18);
  EXPECT_NEAR(scene.bodies[1].inertia.I_B(0, 0).v[3], 0.8 * 0.5 * 0.05, 1e-16);
  for (const char* path : {"bodies.ball.colour", "bodies.ball", "contacts.1.normal.stiffness"}) {
    EXPECT_NE(test::input_error_of([&] { make_scene<Dual<4>>(m, {path}); }).find("has no number"),
              std::string::npos)
        << path;
  }
  EXPECT_NE(test::input_error_of([&] {
              make_scene<Dual<4>>(m, {"duration"});
            }).find("derivatives by it are not available"),
            std::string::npos);
}

// What follows from another number follows its derivative too.
TEST(Model, DefaultsThatFollowOtherNumbersFollowTheirDerivatives) {
  Model m = make_ball_on_ground();
  Bristle<double> bristle;
  bristle.p = {.mu_S = 0.5, .mu_C = 0.4, .sigma_0 = 1e4, .sigma_1 = 30, .v_S = 0.01, .tau_dw = 1};
  bristle.p.has_v_eps = false;
  m.contacts[0].friction = bristle;
  const auto scene = make_scene<Dual<4>>(m, {"contacts.0.friction.v_S"});
  const auto& p = std::get<Bristle<Dual<4>>>(scene.contacts[0].contact.friction).p;
  EXPECT_EQ(p.v_eps.a, 1e-4);
  EXPECT_EQ(p.v_eps.v[0], 0.01);
  m.contacts[0].friction = Specker<double>{.mu_s = 0.5, .mu_d = 0.4, .v_t = 0.02, .has_v_d = false};
  const auto other = make_scene<Dual<4>>(m, {"contacts.0.friction.v_t"});
  const auto& s = std::get<Specker<Dual<4>>>(other.contacts[0].contact.friction);
  EXPECT_EQ(s.v_d.a, 0.01);
  EXPECT_EQ(s.v_d.v[0], 0.5);
}

}  // namespace
}  // namespace vesica::model_test
