// Models: built in code, read, written and read again, with derivatives.
#include "vesica/model/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "tests/support/support.h"
#include "vesica/model/model_file.h"
#include "vesica/model/probe.h"
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

// Set in code in a way that a file cannot have: kept, or refused, never dropped.
TEST(Model, NothingThatCodeSetsIsDropped) {
  Model m = make_ball_on_ground();
  Mat3d I;
  I << 2e-3, 1e-4, 0, 1e-4, 2e-3, 0, 0, 0, 2e-3;
  m.bodies[1].inertia = model::Inertia<>{.I = I};
  EXPECT_EQ(Mat3d(make_scene<double>(m).bodies[1].inertia.I_B), I);
  m = make_ball_on_ground();
  model::Frame<> turned;
  turned.quaternion = {0.6, 0.8, 0, 0};
  m.bodies[1].pose = turned;
  EXPECT_EQ(make_scene<double>(m).q0[4], 0.8);
  turned = {};
  turned.angle = 0.5;
  m.bodies[1].pose = turned;
  EXPECT_NEAR(make_scene<double>(m).q0[6], std::sin(0.25), 1e-15);
  VolumetricNormal<double> law{1e7, 0.0};
  law.layers = {3e7, 6e7};  // makes 2e7, which 1e7 is not
  m.contacts[0].normal = law;
  const auto scene = make_scene<double>(m);
  EXPECT_EQ(std::get<VolumetricNormal<double>>(scene.contacts[0].contact.normal).stiffness, 1e7);

  const auto refuses = [](const char* path, const auto& change) {
    Model wrong = make_ball_on_ground();
    wrong.bodies[1].pose.reset();
    wrong.bodies[1].joint =
        model::Joint<>{.type = "revolute", .parent = "world", .axes = {Vec3d::UnitY()}};
    change(wrong, *wrong.bodies[1].joint);
    const std::string error = error_of(wrong);
    EXPECT_EQ(error.find(std::string("model: ") + path), 0u) << path << ": " << error;
    EXPECT_FALSE(test::input_error_of([&] { write_model(wrong); }).empty()) << path;
  };
  using Joint = model::Joint<>;
  refuses("solver.method", [](Model& w, Joint&) { w.run.solver = static_cast<Solver>(42); });
  refuses("output.checkpoints", [](Model& w, Joint&) { w.run.checkpoint_interval = -1; });
  refuses("solver.max_step", [](Model& w, Joint&) { w.run.max_step = -1; });
  refuses("bodies.ball.joint.axis", [](Model&, Joint& j) { j.axes.push_back(Vec3d::UnitX()); });
  refuses("bodies.ball.joint.axis", [](Model&, Joint& j) { j.type = "weld"; });
  refuses("bodies.ball.joint.start", [](Model&, Joint& j) { j.start_pose.emplace(); });
  refuses("bodies.ball.joint.start", [](Model&, Joint& j) {
    j = Joint{.type = "spherical", .parent = "world", .start = {1.0}};
  });
  refuses("bodies.ball.joint.start", [](Model&, Joint& j) {
    j.start = {1.0};
    j.driven = {model::Signal<>{.rate = 1.0}};
  });
  refuses("bodies.ball.joint.driven", [](Model&, Joint& j) { j.driven.resize(2); });
  refuses("bodies.ball.joint.driven.until",
          [](Model&, Joint& j) { j.driven = {model::Signal<>{.step = 2.0}}; });
  refuses("bodies.ball.joint.driven.frequency",
          [](Model&, Joint& j) { j.driven = {model::Signal<>{.phase = 2.0}}; });
  refuses("bodies.ball.joint.motor.gain",
          [](Model&, Joint& j) { j.motors = {model::JointMotor<>{.gain = 3.0}}; });
}

TEST(Model, SeedsThatDoNotFitAreRefused) {
  const Model m = make_ball_on_ground();
  EXPECT_NE(test::input_error_of([&] {
              make_scene<Dual<4>>(m, {"bodies.ball.mass", "bodies.ball.mass"});
            }).find("twice"),
            std::string::npos);
  EXPECT_NE(test::input_error_of([&] {
              make_scene<Dual<4>>(m, {"bodies.ball.mass", "gravity.0", "gravity.1", "gravity.2",
                                      "bodies.ball.pose.position.0"});
            }).find("room for 4"),
            std::string::npos);
}

const char* const kScene =
    "vesica: 1\nbodies:\n  ground: {fixed: true, shape: {type: half_space}}\n"
    "  arm: {mass: 1, inertia: [1, 1, 1], joint: {type: revolute, parent: world, axis: [0, 1, "
    "0]%s}}\n"
    "  ball: {mass: 1, shape: {type: sphere, radius: 0.1}}\n%s\nduration: 1\n";
std::string scene_text(const std::string& joint, const std::string& rest) {
  std::string text = kScene;
  text.replace(text.find("%s"), 2, joint);
  text.replace(text.find("%s"), 2, rest);
  return text;
}

// Every number of a file has the path that it has in the file, also where it is zero or alone in a
// list, and comes back when it is written.
TEST(Model, NumbersKeepTheirPaths) {
  const std::vector<std::array<std::string, 3>> cases = {
      {", motor: [{input: position, value: 0, gain: 20}]", "", "bodies.arm.joint.motor.0.gain"},
      {", spring: [{stiffness: 2}]", "", "bodies.arm.joint.spring.0.stiffness"},
      {", spring: {stiffness: 2}", "", "bodies.arm.joint.spring.stiffness"},
      {"",
       "forces:\n  - {type: spring, between: [arm, ball], points: [[0, 0, 0], [0, 0, 0]], "
       "stiffness: "
       "1, length: 1}",
       "forces.0.points.1.0"},
      {"",
       "forces:\n  - {type: bushing, between: [arm, ball], frames: [{}, {position: [0, 0, 0]}], "
       "stiffness: 1, damping: 0}",
       "forces.0.damping"},
      {"",
       "forces:\n  - {type: bushing, between: [arm, ball], frames: [{}, {position: [0, 0, 0]}], "
       "stiffness: [1, 2, 3]}",
       "forces.0.frames.1.position.0"},
  };
  for (const auto& [joint, rest, path] : cases) {
    Model m = read_model(InputFile::parse(scene_text(joint, rest), "test.yaml"));
    for (int k = 0; k < 2; ++k) {
      const auto numbers = list_numbers(m);
      EXPECT_TRUE(std::any_of(numbers.begin(), numbers.end(), [&, &path = path](const auto& n) {
        return n.path == path;
      })) << path;
      m = read_model(InputFile::parse(write_model(m), "written.yaml"));
    }
  }
}

TEST(Model, WhatIsZeroOrUnusualComesBack) {
  for (const char* rest :
       {"  belt: {prescribed: {amplitude: [0, 0, 0], frequency: 2}}",
        "  plate: {fixed: true, shape: {type: solid, cells: [{intersect: [{type: box, size: [1, 1, "
        "1]}], mirror: [], repeat: [{count: 2, step: [2, 0, 0]}]}]}}",
        "contacts:\n  - {between: [ball, ground], normal: {law: lankarani_nikravesh, stiffness: "
        "1e6, "
        "restitution: 0.7, v_small: 0.01, restitution_rule: gonthier}}",
        "contacts:\n  - {between: [ball, ground], normal: {law: lankarani_nikravesh, stiffness: "
        "1e6, "
        "restitution: 0.7, v_small: 0.01}}",
        "contacts:\n  - {between: [ball, ground], normal: {law: volumetric, stiffness: [1e7, "
        "2e7]}, "
        "friction: {law: brown_mcphee, mu_s: 1, mu_d: 1, v_t: 1, mu_v: 0, f_nt: 10}}",
        "description: [any, thing]", "description:"}) {
    const Model m = read_model(InputFile::parse(scene_text("", rest), "test.yaml"));
    const std::string text = write_model(m);
    const Model again = read_model(InputFile::parse(text, "written.yaml"));
    EXPECT_EQ(write_model(again), text) << rest;
    const auto before = list_numbers(m), after = list_numbers(again);
    ASSERT_EQ(before.size(), after.size()) << rest;
    for (size_t k = 0; k < before.size(); ++k) EXPECT_EQ(before[k].value, after[k].value) << rest;
  }
  // The rule decides the damping.
  const auto damping = [](const char* rule) {
    const auto m = read_model(InputFile::parse(
        scene_text("",
                   std::string("contacts:\n  - {between: [ball, ground], normal: {law: "
                               "lankarani_nikravesh, stiffness: 1e6, restitution: 0.7, v_small: "
                               "0.01") +
                       rule + "}}"),
        "test.yaml"));
    return std::get<LankaraniNikravesh<double>>(m.contacts[0].normal)
        .damping.alpha(ContactMemory<double>{1});
  };
  EXPECT_NEAR(damping(""), 0.75 * (1 - 0.49), 1e-15);
  EXPECT_NEAR(damping(", restitution_rule: hunt_crossley"), 1.5 * 0.3, 1e-15);
}

TEST(Model, WhatIsMissingIsSaidAsThat) {
  const auto error = [](const std::string& rest) {
    return test::input_error_of(
        [&] { read_model(InputFile::parse(scene_text("", rest), "test.yaml")); });
  };
  const auto contact = [&](const std::string& laws) {
    return error("contacts:\n  - {between: [ball, ground], " + laws + "}");
  };
  const std::string normal = "normal: {law: volumetric, stiffness: 1e7}, ";
  EXPECT_NE(contact(normal + "friction: {law: patch}").find("the key 'of' is missing"),
            std::string::npos);
  EXPECT_NE(contact("normal: {stiffness: 1}").find("the key 'law' is missing"), std::string::npos);
  EXPECT_NE(contact("normal: {law: foundation, depth: [0, 1]}").find("the key 'curve' is missing"),
            std::string::npos);
  EXPECT_NE(error("  a: {fixed: true, shape: {radius: 1}}").find("the key 'type' is missing"),
            std::string::npos);
  EXPECT_NE(error("  a: {mass: 1, inertia: 5}").find("expected a list"), std::string::npos);
  EXPECT_NE(error("  a: {mass: 1, inertia: [1, 1, 1], joint: {type: revolute, parent: world, axes: "
                  "[[1, 0, 0], [0, 1, 0]]}}")
                .find("joint.axes: belongs to joints of type universal"),
            std::string::npos);
  EXPECT_NE(error("  a: {prescribed: {file: ''}}").find("expected the name of a file"),
            std::string::npos);
  // Aliases make a short text deep or long; it is refused in no time.
  EXPECT_NE(error("x: &a [*a]").find("unknown key 'x'"), std::string::npos);
  std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int k = 1; k < 9; ++k) {
    bomb += "a" + std::to_string(k) + ": &a" + std::to_string(k) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j > 0 ? ", *a" : "*a") + std::to_string(k - 1);
    bomb += "]\n";
  }
  EXPECT_NE(error(bomb).find("unknown key 'a0'"), std::string::npos);
}

TEST(Model, NamesThatWouldCollideAreRefused) {
  const auto error = [](const std::string& text) {
    return test::input_error_of(
        [&] { make_scene<double>(read_model(InputFile::parse(text, "test.yaml"))); });
  };
  const std::string ball = "{mass: 1, shape: {type: sphere, radius: 0.1}}";
  const std::string law = "normal: {law: volumetric, stiffness: 1e7}}\n";
  EXPECT_NE(error("vesica: 1\nbodies: {a-b: " + ball + ", c: " + ball + ", a: " + ball +
                  ", b-c: " + ball + "}\ncontacts:\n  - {between: [a-b, c], " + law +
                  "  - {between: [a, b-c], " + law + "duration: 1\n")
                .find("another contact is called 'a-b-c'"),
            std::string::npos);
  EXPECT_NE(error("vesica: 1\nbodies: {'a;b': " + ball + "}\nduration: 1\n").find("semicolons"),
            std::string::npos);
  EXPECT_NE(error("vesica: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], joint: {type: weld, "
                  "parent: b}}\n  b: " +
                  ball + "\nduration: 1\n")
                .find("test.yaml:3: bodies.a.joint.parent: 'b' stands further down"),
            std::string::npos);
  EXPECT_NE(error("vesica: 1\nbodies: {b: " + ball + "}\ndurration: 1\ncontacts: []\n")
                .find("did you mean 'duration'"),
            std::string::npos);
  EXPECT_NE(error("vesica: 1\nbodies: {b: " + ball +
                  "}\nforces:\n  - {type: force, body: b, force: [1, 0, 0], until: 1, ramp: "
                  "0.6}\nduration: 1\n")
                .find("forces.0.ramp"),
            std::string::npos);
}

// A case built in code is checked, and what laws derive is derived.
TEST(Model, CasesFromCode) {
  Case c;
  c.bodies[0].shapes = {{Sphere<double>{0.02}}};
  c.bodies[0].pose = model::Frame<>::at({0, 0, 0.019});
  c.bodies[1].shapes = {{HalfSpace{}}};
  Hertz<double> hertz;
  hertz.material_i = {1e7, 0.3};
  hertz.material_j = {1e9, 0.3};
  hertz.radii[0] = 0.02;
  c.contact.normal = hertz;
  const ProbeCase probe = make_probe_case(c);
  const double E = 1 / (0.91 / 1e7 + 0.91 / 1e9);
  EXPECT_NEAR(calc_contact(probe.contact, probe.i, probe.j, probe.memory).normal.force,
              4.0 / 3 * E * std::sqrt(0.02) * std::pow(1e-3, 1.5), 1e-9);
  c.bodies[0].shapes = {{Sphere<double>{-1.0}}};
  EXPECT_EQ(test::input_error_of([&] { make_probe_case(c); }),
            "model: bodies.i.shape.radius: must be greater than zero, found -1");
}

}  // namespace
}  // namespace vesica::model_test
