// What the tool says where a word, an option or a file is not what it should be, and that no option
// is taken that would do nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/app/tool.h"

namespace vesica::test::words_test {
namespace {

constexpr const char* kBall =
    "vesica: 1\n"
    "bodies:\n"
    "  ground: {fixed: true, shape: {type: half_space}}\n"
    "  ball:\n"
    "    mass: 0.5\n"
    "    shape: {type: sphere, radius: 0.05}\n"
    "    pose: {position: [0, 0, 0.3]}\n"
    "contacts:\n"
    "  - {between: [ball, ground], normal: {law: volumetric, stiffness: 2e8, damping: 0.3}}\n";

struct Said {
  const char* arguments;
  int status;
  const char* message;
};

void expect_all(const Workspace& work, const std::vector<Said>& all) {
  for (const Said& said : all) {
    const Outcome outcome = work.run(said.arguments);
    EXPECT_EQ(outcome.status, said.status) << said.arguments << "\n" << outcome.err;
    EXPECT_NE(outcome.err.find(said.message), std::string::npos) << said.arguments << "\n"
                                                                 << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("error: ")) << outcome.err;
    EXPECT_EQ(outcome.out, "") << said.arguments;
  }
}

TEST(Words, DidYouMean) {
  const Workspace work;
  expect_all(work, {{"simualte bouncing_ball", 2, "did you mean 'simulate'?"},
                    {"sim bouncing_ball", 2, "did you mean 'simulate'?"},
                    {"xyzzy", 2, "known here: list, check, "},
                    {"laws volumetrik", 2, "did you mean 'volumetric'?"},
                    {"laws nothing_like_it", 2, "known here: volumetric"},
                    {"simulate bouncing_bal", 3, "did you mean 'bouncing_ball'?"},
                    {"probe heel_on_grund.yaml", 3, "did you mean 'heel_on_ground'?"},
                    {"study bouce", 3, "did you mean 'bounce'?"},
                    {"reproduce tippe_to", 2, "did you mean 'tippe_top'?"},
                    {"simulate bouncing_ball --sets duration=1", 2, "did you mean --set?"},
                    {"simulate bouncing_ball --format cvs", 2, "did you mean 'csv'?"},
                    {"simulate bouncing_ball twice", 2, "'twice' is one word too many"},
                    {"export bouncing_ball", 2, "--out is required"}});
}

TEST(Words, HelpIsACommandToo) {
  const Workspace work;
  const Outcome all = work.run("help");
  EXPECT_EQ(all.status, 0);
  EXPECT_EQ(all.out, work.run("--help").out);
  const Outcome one = work.run("help simulate");
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(one.out, work.run("simulate --help").out);
  EXPECT_EQ(work.run("help simualte").status, 2);
}

TEST(Words, ThreadsAreForOneTypeOfIdentification) {
  const Workspace work;
  ASSERT_EQ(work.run("identify --examples bench --quiet").status, 0);
  for (const char* command : {"identify bench/impact.yaml", "identify --examples bench"}) {
    const Outcome outcome = work.run(fmt::format("{} --threads 1", command));
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_NE(outcome.err.find("--threads"), std::string::npos) << outcome.err;
  }
}

TEST(Words, OptionsThatWouldDoNothingAreRefused) {
  const Workspace work;
  work.write("case.yaml", CaseText().text());
  work.write("ball.yaml", std::string(kBall) + "duration: 0.1\n");
  work.write("walk.trc", "");
  for (const char* command :
       {"list", "check ball.yaml", "laws", "probe case.yaml", "simulate ball.yaml", "report run",
        "export ball.yaml --out a.glb", "mass ball.yaml", "motion walk.trc", "gait walk.trc",
        "suggest --mass 1"}) {
    const Outcome outcome = work.run(fmt::format("{} --threads 1", command));
    EXPECT_EQ(outcome.status, 2) << command << outcome.err;
    EXPECT_NE(outcome.err.find("takes no --threads"), std::string::npos) << outcome.err;
  }
  expect_all(work,
             {{"list --out x", 2, "takes no --out"},
              {"check ball.yaml --out x", 2, "takes no --out"},
              {"mass ball.yaml --out x", 2, "takes no --out"},
              {"laws hertz --out x", 2, "--svg FILE writes"},
              {"probe case.yaml --out x", 2, "--pressure-map FILE writes"},
              {"probe case.yaml --cells 20", 2, "--cells: is for --pressure-map"},
              {"motion walk.trc --out x", 2, "--report and --to write"},
              {"motion walk.trc --order 2", 2, "--order: is that of --filter"},
              {"motion walk.trc --stop-band 9", 2, "goes with --pass-band"},
              {"motion walk.trc --axes keep", 2, "name them with --to"},
              {"motion walk.trc --to trc --foot-bodies a,b", 2, "--to loads.xml"},
              {"motion walk.trc --to trc --c3d-as-it-was", 2, "--to c3d"},
              {"identify --examples x --out y", 2, "--examples DIR says where"},
              {"markers --example x --out y", 2, "writes recordings and fits nothing"},
              {"markers lower_extremity walk.trc --sex male", 2, "--sex: is for joint moments"},
              {"markers lower_extremity walk.trc --axes joint", 2, "--axes: is for joint moments"},
              {"markers three_models --neutral walk.trc", 2, "a study fits several"},
              {"markers three_models --loss tukey", 2, "--loss: is for a model"},
              {"markers lower_extremity walk.trc --loss-width 1cm", 2, "squares have none"},
              {"study bounce --status --retry", 2, "--status runs nothing"},
              {"study bounce --status --threads 2", 2, "--status runs nothing"},
              {"study bounce --status --out x", 3, "--status: there is no folder x"},
              {"gait walk.trc --example x", 2, "FILE: --example DIR writes walks"},
              {"gait --example x --pool", 2, "--pool: --example DIR writes walks"},
              {"markers lower_extremity --example x", 2, "MODEL: --example FOLDER writes"},
              {"markers --example x --lowpass 6", 2, "--lowpass: --example FOLDER writes"},
              {"identify study.yaml --examples x", 2, "STUDY: --examples DIR says where"},
              {"probe case.yaml --table --derivatives", 2, "--derivatives: the table has none"},
              {"reproduce tippe_top tippe_top", 2, "tippe_top is named twice"}});
  EXPECT_EQ(work.files(), (std::vector<std::string>{"ball.yaml", "case.yaml", "walk.trc"}));
}

// A sphere on a plane has one normal, whatever is asked for.
TEST(Words, NormalOfAClosedFormIsRefused) {
  const Workspace work;
  CaseText text;
  text.more = "  interference: {normal: eigenvector}\n";
  work.write("case.yaml", text.text());
  expect_all(work, {{"probe case.yaml", 2,
                     "case.yaml:12: contact.interference.normal: does nothing here"}});
  text.more = "  interference: {normal: eigenvector, method: slices}\n";
  work.write("case.yaml", text.text());
  EXPECT_EQ(work.run("probe case.yaml").status, 0);
}

TEST(Words, SceneAndCaseAreToldApart) {
  const Workspace work;
  work.write("case.yaml", CaseText().text());
  work.write("endless.yaml", kBall);
  work.write("alone.yaml",
             "vesica: 1\nbodies:\n  ball: {mass: 1, shape: {type: sphere, radius: 1}}\n");
  expect_all(work,
             {{"simulate endless.yaml", 2, "'duration' is missing, how long the scene runs"},
              {"check endless.yaml", 2, "'duration' is missing"},
              {"check alone.yaml", 2, "'duration' is missing"},
              {"probe endless.yaml", 2, "this is a scene, for `vesica simulate`"},
              {"probe bouncing_ball", 2, "this is a scene, for `vesica simulate`"},
              {"probe alone.yaml", 2, "this is a scene, for `vesica simulate`"},
              {"simulate case.yaml", 2, "this is a case of one contact, for `vesica probe`"}});
  EXPECT_EQ(work.run("simulate endless.yaml --set duration='10 ms' --quiet").status, 0);
}

TEST(Words, InputsOfAnotherCommand) {
  const Workspace work;
  work.write("ball.yaml", std::string(kBall) + "duration: 0.1\n");
  work.write("walk.trc", "");
  const char* scene = "this is an input for `vesica simulate`, not for `vesica ";
  expect_all(work,
             {{"identify ball.yaml", 2, scene},
              {"markers ball.yaml walk.trc", 2, scene},
              {"suggest ball.yaml", 2, scene},
              {"suggest ball.yaml --mass 3", 2, scene},
              {"forces predict ball.yaml walk.trc", 2, scene},
              {"simulate foot", 2, "an input for `vesica identify`, not for `vesica simulate`"},
              {"export foot_drag --out a.glb", 2, "`vesica identify`, not for `vesica export`"},
              {"mass gait_wbds", 2, "an input for `vesica markers`, not for `vesica mass`"},
              {"probe ishigami", 2, "an input for `vesica study`, not for `vesica probe`"},
              {"identify three_models", 2, "for `vesica markers`, not for `vesica identify`"},
              {"markers plug_in_gait walk.trc", 2, "for `vesica markers --map`, not for"},
              {"suggest --mass heavy", 2, "error: --mass: "}});
}

TEST(Words, TabsInYaml) {
  const Workspace work;
  std::string text = CaseText().text();
  text.replace(text.find("    pose"), 4, "\t");
  work.write("case.yaml", text);
  expect_all(work,
             {{"probe case.yaml", 2, "case.yaml:5: not valid YAML: the line begins with a tab"}});
}

TEST(Words, SettingsAddKeys) {
  const Workspace work;
  work.write("ball.yaml", std::string(kBall) + "duration: 10 ms\n");
  const Outcome run = work.run(
      "simulate ball.yaml --json --set bodies.ball.velocity.linear='[1, 0, 0]' --set "
      "solver.method=rk4 --set solver.step='1 ms' --set contacts.0.friction='{law: brown_mcphee, "
      "mu_s: 0.5, mu_d: 0.4, v_t: 0.01}'");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.json()["solver"]["method"], "rk4");
  EXPECT_NEAR(run.json()["final_state"]["ball"]["position"][0], 0.01, 1e-12);
  expect_all(work, {{"simulate ball.yaml --set bodies.bal.mass=1", 2, "did you mean 'ball'?"},
                    {"simulate ball.yaml --set bodies.box.mass=1", 2, "a new one is given whole"},
                    {"simulate ball.yaml --set bodys.ball.mass=1", 2, "did you mean 'bodies'?"},
                    {"simulate ball.yaml --set bodies.ball.nonsense.x=1", 2,
                     "bodies.ball: unknown key 'nonsense'"}});
  const Outcome whole = work.run(
      "simulate ball.yaml --json --set 'bodies.box={mass: 1, shape: {type: box, size: [1, 1, "
      "1]}}'");
  ASSERT_EQ(whole.status, 0) << whole.err;
  EXPECT_TRUE(whole.json()["final_state"].contains("box"));
}

// Two paths that share their first 25 letters.
TEST(Words, SensitivityHeadingsDiffer) {
  const Workspace work;
  work.write("ball.yaml",
             std::string(kBall) + "duration: 10 ms\nsolver: {method: rk4, step: 1 ms}\n");
  const Outcome run = work.run(
      "simulate ball.yaml --sensitivity contacts.0.normal.stiffness --sensitivity "
      "bodies.ball.pose.position.2 --sensitivity bodies.ball.pose.position.0");
  ASSERT_EQ(run.status, 0) << run.err;
  for (const char* text :
       {"[1] by contacts.0.normal.stiffness", "[2] by bodies.ball.pose.position.2",
        "[3] by bodies.ball.pose.position.0"}) {
    EXPECT_NE(run.out.find(text), std::string::npos) << run.out;
  }
}

// The gravity that scenes have where they say nothing, and that suggest computes with.
TEST(Words, OneGravity) {
  const Workspace work;
  ASSERT_EQ(work.run("suggest --mass 1 --radius 0.1 --depth 0.001 --mu-C 0.5 --out s").status, 0);
  EXPECT_NE(work.read("s/scene.yaml").find("-9.80665"), std::string::npos);
  work.write(
      "fall.yaml",
      "vesica: 1\nduration: 1\nbodies:\n  ball: {mass: 1, shape: {type: sphere, radius: 1}}\n");
  const Outcome run = work.run("simulate fall.yaml --json");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NEAR(run.json()["final_state"]["ball"]["velocity"][2], -9.80665, 1e-9);
}

// A rod of 1 m from the world to a pendulum's tip: the start is 60 mm too far off, and the file's
// author is told.
TEST(Words, AssemblyTellsWhatItMoved) {
  const Workspace work;
  const auto scene = [](const char* start) {
    return fmt::format(
        "vesica: 1\n"
        "duration: 10 ms\n"
        "bodies:\n"
        "  slider:\n"
        "    mass: 1\n"
        "    inertia: [1, 1, 1]\n"
        "    joint: {{type: prismatic, parent: world, axis: [1, 0, 0], start: {}}}\n"
        "loops:\n"
        "  - {{type: rod, between: [slider, world], length: 1 m}}\n",
        start);
  };
  work.write("off.yaml", scene("1.06 m"));
  work.write("closed.yaml", scene("1 m"));
  const Outcome off = work.run("simulate off.yaml --json");
  ASSERT_EQ(off.status, 0) << off.err;
  ASSERT_EQ(off.json()["warnings"].size(), 1u) << off.out;
  EXPECT_NE(off.json()["warnings"][0].get<std::string>().find("slider.joint.position by -0.06 m"),
            std::string::npos)
      << off.json()["warnings"][0];
  EXPECT_NE(work.run("check off.yaml").err.find("by -0.06 m"), std::string::npos);
  EXPECT_TRUE(work.run("simulate closed.yaml --json").json()["warnings"].empty());
}

}  // namespace
}  // namespace vesica::test::words_test
