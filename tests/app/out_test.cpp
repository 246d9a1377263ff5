// What --out, --set and what comes of a run mean where they are unusual: folders in which others
// write, outputs that are no files, runs without a recording, names that give no folder.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include "tests/app/tool.h"

namespace vesica::test::out_test {
namespace {

namespace fs = std::filesystem;

constexpr char kBall[] =
    "vesica: 1\nbodies:\n"
    "  ball: {mass: 0.5, shape: {type: sphere, radius: 0.1}, pose: {position: [0, 0, 0.2]}}\n"
    "  ground: {fixed: true, shape: {type: half_space}}\n"
    "contacts:\n  - {between: [ball, ground], normal: {law: volumetric, stiffness: 1.0e7, "
    "damping: 0}}\n"
    "duration: 0.1\nsolver: {method: rk4, step: 1.0e-4}\noutput: {interval: 0.01}\n";

// Two runs into one folder took away each other's files, those of the one that had ended too.
TEST(Out, SecondRunWaitsForTheFirst) {
  const Workspace work;
  work.write("scene.yaml", kBall);
  ASSERT_EQ(work.run("simulate scene.yaml --quiet --out run").status, 0);
  Child first(work, tool_command({"simulate", "scene.yaml", "--out", "run", "--set",
                                  "duration=3.0e5", "--set", "gravity=[0, 0, -1]"}));
  ASSERT_TRUE(first.wait_for(work.path("run/partial/summary.json")));
  const std::string ended = work.read("run/recording.csv");
  for (const char* more : {"", " --sensitivity bodies.ball.mass"}) {
    const Outcome second = work.run(fmt::format("simulate scene.yaml --out run{}", more));
    EXPECT_EQ(second.status, 3) << second.out;
    EXPECT_NE(second.err.find("run: another run is under way there (process "), std::string::npos)
        << second.err;
    EXPECT_NE(second.err.find("choose another folder with --out"), std::string::npos) << second.err;
    EXPECT_EQ(second.out, "");
  }
  EXPECT_EQ(work.read("run/recording.csv"), ended);
  EXPECT_TRUE(fs::exists(work.path("run/partial/summary.json")));
  EXPECT_FALSE(first.has_ended());
  // Killed, it keeps nobody out.
  EXPECT_EQ(first.end_with(SIGKILL), -SIGKILL);
  const Outcome third = work.run("simulate scene.yaml --quiet --out run");
  EXPECT_EQ(third.status, 0) << third.err;
  EXPECT_EQ(work.read("run/recording.csv"), ended);
  EXPECT_FALSE(fs::exists(work.path("run/partial")));
  EXPECT_FALSE(fs::exists(work.path("run/.lock")));
}

TEST(Out, LinksPipesAndDevices) {
  const Workspace work;
  work.write("real.yaml", "old");
  fs::create_symlink("real.yaml", work.path("link.yaml"));
  EXPECT_EQ(work.run("knee --write link.yaml --quiet").status, 0);
  EXPECT_TRUE(fs::is_symlink(work.path("link.yaml")));
  EXPECT_NE(work.read("real.yaml").find("vesica: 1"), std::string::npos);
  const Outcome full = work.run("knee --write /dev/full");
  EXPECT_EQ(full.status, 3) << full.err;
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  ASSERT_EQ(::mkfifo(work.path("pipe").c_str(), 0600), 0);
  Child reader(work, "cat pipe >heard.yaml");
  EXPECT_EQ(work.run("knee --write pipe --quiet").status, 0);
  EXPECT_EQ(reader.wait(), 0);
  EXPECT_TRUE(fs::is_fifo(work.path("pipe")));
  EXPECT_EQ(work.read("heard.yaml"), work.read("real.yaml"));
}

// Exit status 1, 2, 3: nothing is left, the folder included, as docs/howto/exit_status.md says.
TEST(Out, FolderIntoWhichNothingCameGoes) {
  const Workspace work;
  work.write("scene.yaml", kBall);
  work.write("walk.trc", "no recording\n");
  work.write("fit.yaml", "vesica: 1\ntype: sliding\ndata: nowhere.csv\n");
  const auto files = work.files();
  for (const char* command :
       {"simulate scene.yaml --set 'solver={method: cvode}' --sensitivity bodies.ball.mass --out "
        "new",
        "simulate scene.yaml --sensitivity bodies.ball.nothing --out new/deep/er",
        "motion walk.trc --report --out new", "markers gait_wbds walk.trc --out new",
        "gait walk.trc --out new", "identify fit.yaml --out new",
        "forces predict population walk.trc --out new",
        "export scene.yaml --body nope --out new/x.glb"}) {
    const Outcome outcome = work.run(command);
    EXPECT_TRUE(outcome.status == 1 || outcome.status == 2 || outcome.status == 3) << command;
    EXPECT_EQ(work.files(), files) << command << "\n" << outcome.err;
  }
  // One that was there stays.
  fs::create_directories(work.path("new"));
  EXPECT_NE(work.run("gait walk.trc --out new").status, 0);
  EXPECT_TRUE(fs::exists(work.path("new")));
}

TEST(Out, NamesThatGiveNoFolder) {
  const Workspace work;
  fs::create_directories(work.path("sub"));
  work.write("sub/...yaml", kBall);
  for (const char* command : {"simulate sub/...yaml", "study sub/...yaml"}) {
    const Outcome outcome = work.run(command);
    EXPECT_EQ(outcome.status, 2) << command << outcome.err;
    EXPECT_NE(outcome.err.find("choose one with --out"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(work.files(), (std::vector<std::string>{"sub", "sub/...yaml"}));
  EXPECT_EQ(work.run("simulate sub/...yaml --quiet --out run").status, 0);
}

TEST(Out, RunsWithoutARecordingSaySo) {
  const Workspace work;
  work.write("scene.yaml", kBall);
  const std::string bare = "simulate scene.yaml --out run --set output.interval=0";
  const Outcome outcome = work.run(bare);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("with output.interval 0 there is no recording"), std::string::npos);
  EXPECT_EQ(outcome.out.find("look at it"), std::string::npos) << outcome.out;
  const Outcome format = work.run(bare + " --format h5,sto");
  EXPECT_EQ(format.status, 2);
  EXPECT_NE(format.err.find("--format: output.interval of the scene is 0"), std::string::npos)
      << format.err;
  // Of STO alone there is no page.
  const Outcome sto = work.run("simulate scene.yaml --out sto --format sto");
  EXPECT_EQ(sto.status, 0) << sto.err;
  EXPECT_NE(sto.out.find("needs --format csv or h5 besides"), std::string::npos) << sto.out;
  EXPECT_EQ(work.run("report sto").status, 3);
}

// The pace is that of what was simulated now, not of the time that another run had passed.
TEST(Out, PaceOfARunThatGoesOn) {
  const Workspace work;
  work.write("scene.yaml", kBall);
  ASSERT_EQ(work.run("simulate scene.yaml --quiet --out first").status, 0);
  const Outcome on = work.run("simulate --from first --set duration=0.101 --out on");
  ASSERT_EQ(on.status, 0) << on.err;
  const auto summary = nlohmann::json::parse(work.read("on/summary.json"));
  const double simulated = 0.101 - summary["continued"]["time"].get<double>();
  EXPECT_NEAR(simulated, 0.001, 1.5e-4);  // a step earlier where the last one was cut
  EXPECT_NE(on.out.find(fmt::format("simulated {:.6g} s, up to 0.101 s, with rk4", simulated)),
            std::string::npos)
      << on.out;
  const auto& solver = summary["solver"];
  EXPECT_NEAR(
      solver["simulated_seconds_per_second"].get<double>() * solver["seconds"].get<double>(),
      simulated, 1e-9 * simulated);
}

TEST(Out, ProbeHasNoMapWithoutAPressure) {
  const Workspace work;
  CaseText text;
  text.normal = "{law: hunt_crossley, stiffness: 1.0e6, damping: 0.3}";
  work.write("case.yaml", text.text());
  const Outcome outcome = work.run("probe case.yaml --pressure-map x.svg");
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_NE(outcome.err.find("hunt_crossley, gives one force and no pressure"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(work.files(), std::vector<std::string>{"case.yaml"});
}

TEST(Out, SettingAnItemOfAListThatIsNotThere) {
  const Workspace work;
  const std::string scene = work.write("scene.yaml", kBall);
  const Outcome outcome = work.run("simulate scene.yaml --set gravity.2=-1 --out run");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("--set gravity.2"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("give the whole list: --set 'gravity=[...]'"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(work.run("simulate scene.yaml --set 'gravity=[0, 0, -1]' --quiet --out run").status, 0);
}

TEST(Out, MassOfTheBodiesThatHaveOne) {
  const Workspace work;
  // A femur of shapes that overlap, a tibia with half-spaces; both need no inertia.
  const Outcome knee = work.run("mass knee");
  EXPECT_EQ(knee.status, 2);
  EXPECT_NE(knee.err.find("bodies.femur.shapes"), std::string::npos) << knee.err;
  EXPECT_NE(knee.err.find("bodies.tibia.shapes.0"), std::string::npos) << knee.err;
  EXPECT_EQ(knee.err.find("give the body"), std::string::npos) << knee.err;
  const Outcome tibia = work.run("mass knee --body tibia");
  EXPECT_EQ(tibia.err.find("femur"), std::string::npos) << tibia.err;
  EXPECT_NE(work.run("mass knee --body tiba").err.find("tibia"), std::string::npos);
  // A ball with a point on it: 2/5 m r^2. The other is left out, and it is said why.
  work.write("scene.yaml",
             "vesica: 1\nduration: 0.01\nsolver: {method: rk4, step: 1e-3}\nbodies:\n"
             "  ball: {mass: 2, shapes: [{type: sphere, radius: 0.1}, {type: point, pose: "
             "{position: [0, 0, -0.1]}}]}\n"
             "  wall: {fixed: true, shape: {type: half_space}}\n"
             "  ramp: {mass: 1, inertia: [1, 1, 1], shape: {type: half_space}, pose: {position: "
             "[0, 0, -9]}}\n");
  const Outcome outcome = work.run("mass scene.yaml --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  ASSERT_EQ(outcome.json().size(), 1u);
  EXPECT_NEAR(outcome.json()[0]["inertia"][0][0].get<double>(), 0.4 * 2 * 0.01, 1e-15);
  EXPECT_EQ(outcome.json()[0]["center"], nlohmann::json::parse("[0.0, 0.0, 0.0]"));
  EXPECT_NE(outcome.err.find("left out: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("bodies.ramp.shape"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("wall"), std::string::npos) << outcome.err;
  EXPECT_EQ(work.run("simulate scene.yaml --quiet").status, 0);
  // A mass centre off the origin by rounding is none.
  work.write("pair.yaml",
             "vesica: 1\nduration: 0.01\nbodies:\n"
             "  bar: {mass: 2, shapes: [{type: sphere, radius: 0.1, pose: {position: [0.3, 0, 0], "
             "axis: [1, 2, 3], angle: 0.3}}, {type: sphere, radius: 0.1, pose: {position: "
             "[-0.1, 0, 0]}}, {type: sphere, radius: 0.1, pose: {position: [-0.2, 0.7, 0]}}, "
             "{type: sphere, radius: 0.1, pose: {position: [0, -0.7, 0]}}]}\n");
  const auto center = work.run("mass pair.yaml --json").json()[0]["center"];
  EXPECT_EQ(center, nlohmann::json::parse("[0.0, 0.0, 0.0]"));
}

// Rounding is no figure: a heel that stands upright has its centre of pressure on the plane.
TEST(Out, RoundingIsPrintedAsZero) {
  const Workspace work;
  work.write("scene.yaml", kBall);
  const Outcome run =
      work.run("simulate scene.yaml --set 'bodies.ball.velocity={linear: [-1.0e-9, 0, 0]}' ");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out.find("-0.0000"), std::string::npos) << run.out;
  work.write("case.yaml", CaseText().text());
  const Outcome probe = work.run("probe case.yaml --table");
  const size_t begin = probe.out.find("centre of pressure");
  ASSERT_NE(begin, std::string::npos) << probe.out;
  const std::string row = probe.out.substr(begin, probe.out.find('\n', begin) - begin);
  EXPECT_EQ(row.find("e-"), std::string::npos) << row;
}

TEST(Out, FilesNamedTwiceCountOnce) {
  const Workspace work;
  ASSERT_EQ(work.run("identify --examples studies --quiet").status, 0);
  std::string yaml, csv;
  for (const auto& entry : fs::directory_iterator(work.path("studies"))) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string text = work.read("studies/" + entry.path().filename().string());
    const size_t at = text.find("\ndata: ");
    if (text.find("\ntype: sliding") == std::string::npos || at == std::string::npos) continue;
    csv = text.substr(at + 7, text.find('\n', at + 1) - at - 7);
    yaml = text.substr(0, at) + fmt::format("\ndata: [{0}, ../studies/{0}]", csv) +
           text.substr(text.find('\n', at + 1));
  }
  ASSERT_NE(yaml, "");
  work.write("studies/twice.yaml", yaml);
  const Outcome outcome = work.run("identify studies/twice.yaml --out fit");
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_NE(outcome.err.find("is the same file as " + csv), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace vesica::test::out_test
