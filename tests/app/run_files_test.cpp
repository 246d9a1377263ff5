// Folders that runs leave: whole wherever they are taken, of one run only, and nothing outside
// them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/app/tool.h"

namespace vesica::test::run_files_test {
namespace {

namespace fs = std::filesystem;

// A tetrahedron with its mass centre at the origin falls on the ground; a lid follows a recording.
constexpr const char* kTetrahedron =
    "v 0.03 0.03 0.03\nv -0.03 -0.03 0.03\nv -0.03 0.03 -0.03\nv 0.03 -0.03 -0.03\n"
    "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
constexpr const char* kScene =
    "vesica: 1\n"
    "duration: 20 ms\n"
    "bodies:\n"
    "  ground: {fixed: true, shape: {type: half_space}}\n"
    "  stone:\n"
    "    mass: 0.1\n"
    "    shape: {type: mesh, file: meshes/stone.obj}\n"
    "    pose: {position: [0, 0, 0.031]}\n"
    "  lid:\n"
    "    prescribed: {file: lid.csv}\n"
    "    shape: {type: box, size: [0.1, 0.1, 0.01]}\n"
    "contacts:\n"
    "  - {between: [stone, ground], normal: {law: volumetric, stiffness: 1e8, damping: 0.5}}\n";

void write_scene(const Workspace& work) {
  fs::create_directories(work.path("lab/meshes"));
  work.write("lab/meshes/stone.obj", kTetrahedron);
  work.write("lab/lid.csv", "time,x,y,z\n0,0,0,1\n0.01,0,0,1.1\n0.02,0,0,1.2\n0.03,0,0,1.3\n");
  work.write("lab/scene.yaml", kScene);
}

TEST(RunFiles, FolderIsComplete) {
  const Workspace work;
  write_scene(work);
  const Outcome run = work.run("simulate lab/scene.yaml --out run --json");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(fs::exists(work.path("run/files/stone.obj")));
  EXPECT_TRUE(fs::exists(work.path("run/files/lid.csv")));
  // The run goes on from the scene as it was, and from the copies.
  ASSERT_EQ(work.run("simulate lab/scene.yaml --from run --set duration=0.025 --out on").status, 0);
  // Elsewhere, and nothing of where it came from is left.
  fs::create_directories(work.path("away"));
  fs::rename(work.path("run"), work.path("away/run"));
  fs::remove_all(work.path("lab"));
  fs::remove_all(work.path("on"));
  for (const char* command :
       {"report away/run", "export away/run --out stone.stl", "check away/run/scene.yaml",
        "simulate --from away/run --set duration=0.025 --out on --quiet"}) {
    const Outcome outcome = work.run(command);
    EXPECT_EQ(outcome.status, 0) << command << "\n" << outcome.err;
  }
  const Outcome again = work.run("simulate away/run/scene.yaml --out again --json");
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.json()["hash"], run.json()["hash"]);
}

TEST(RunFiles, FilesOfOneNameStayTwo) {
  const Workspace work;
  write_scene(work);
  fs::create_directories(work.path("lab/other"));
  work.write("lab/other/stone.obj", kTetrahedron);
  const Outcome run = work.run(
      "simulate lab/scene.yaml --out run --quiet --set 'bodies.lid={fixed: true, shape: {type: "
      "mesh, file: other/stone.obj}, pose: {position: [0, 0, 1]}}'");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(fs::exists(work.path("run/files/stone.obj")));
  EXPECT_TRUE(fs::exists(work.path("run/files/stone_2.obj")));
  EXPECT_FALSE(fs::exists(work.path("run/files/lid.csv")));
  EXPECT_EQ(work.run("report run").status, 0);
}

TEST(RunFiles, SecondRunLeavesNothingOfTheFirst) {
  const Workspace work;
  write_scene(work);
  ASSERT_EQ(work.run("simulate lab/scene.yaml --out run --format csv,h5,sto").status, 0);
  ASSERT_EQ(work.run("report run").status, 0);
  work.write("run/mine.txt", "of the user");
  work.write("fall.yaml",
             "vesica: 1\nduration: 10 ms\nsolver: {method: rk4, step: 1 ms}\n"
             "bodies:\n  ball: {mass: 1, shape: {type: sphere, radius: 1}}\n");
  ASSERT_EQ(work.run("simulate fall.yaml --out run").status, 0);
  const auto files_of_run = [&] {
    std::vector<std::string> names;
    for (const std::string& name : work.files()) {
      if (name.starts_with("run/")) names.push_back(name.substr(4));
    }
    return names;
  };
  const std::vector<std::string> expected = {"checkpoints.jsonl", "mine.txt", "recording.csv",
                                             "scene.yaml", "summary.json"};
  EXPECT_EQ(files_of_run(), expected);
  // Derivatives of the same scene stand beside the run; those of another take its place.
  ASSERT_EQ(work.run("simulate fall.yaml --out run --sensitivity bodies.ball.mass").status, 0);
  EXPECT_TRUE(fs::exists(work.path("run/recording.csv")));
  EXPECT_TRUE(fs::exists(work.path("run/sensitivity.csv")));
  ASSERT_EQ(work.run("simulate fall.yaml --out run --set bodies.ball.mass=2 --sensitivity "
                     "bodies.ball.mass")
                .status,
            0);
  EXPECT_EQ(files_of_run(), (std::vector<std::string>{"mine.txt", "scene.yaml", "sensitivity.csv",
                                                      "sensitivity.json"}));
}

// A scene's name wins over a folder of the same name, as the one that a run has left.
TEST(RunFiles, FolderDoesNotHideAScene) {
  const Workspace work;
  fs::create_directories(work.path("bouncing_ball"));
  EXPECT_EQ(work.run("check bouncing_ball").status, 0);
}

// What markers and identify left of other trials and studies goes; what is not theirs, or has been
// changed since, stays.
TEST(RunFiles, FitsLeaveNothingOfTheFitBefore) {
  const Workspace work;
  for (const char* name : {"a.trc", "b.trc"}) work.write(name, make_hip_trc());
  fs::create_directories(work.path("fit"));
  work.write("fit/mine.txt", "kept");
  ASSERT_EQ(work.run("markers functional_hip a.trc --out fit --quiet").status, 0);
  EXPECT_TRUE(fs::exists(work.path("fit/a_joints.mot")));
  work.write("fit/a_fitted.trc", "mine now");
  ASSERT_EQ(work.run("markers functional_hip b.trc --out fit --quiet").status, 0);
  EXPECT_FALSE(fs::exists(work.path("fit/a_joints.mot")));
  EXPECT_FALSE(fs::exists(work.path("fit/a_joint_centers.trc")));
  for (const char* name : {"b_joints.mot", "summary.json", "a_fitted.trc", "mine.txt"}) {
    EXPECT_TRUE(fs::exists(work.path(std::string("fit/") + name))) << name;
  }
  // Another command's files are not this one's.
  ASSERT_EQ(work.run("identify --examples bench").status, 0);
  ASSERT_EQ(work.run("identify bench/impact.yaml --out fit --quiet").status, 0);
  EXPECT_TRUE(fs::exists(work.path("fit/b_joints.mot")));
  EXPECT_TRUE(fs::exists(work.path("fit/identify.json")));
  // A list that somebody has written to lead elsewhere.
  work.write("outside.txt", "kept");
  work.write("fit/.written_by_markers", "4 0 ../outside.txt\n4 0 /etc/hostname\nx\n");
  ASSERT_EQ(work.run("markers functional_hip b.trc --out fit --quiet").status, 0);
  EXPECT_TRUE(fs::exists(work.path("outside.txt")));
}

TEST(RunFiles, NamesStayWithinOut) {
  const Workspace work;
  ASSERT_EQ(work.run("markers --example rec --quiet").status, 0);
  work.write("study.yaml",
             "vesica: 1\nstudy: names\nevaluate: rec/gait.trc\nmodels:\n"
             "  ../outside: {model: lower_extremity.yaml, trials: [rec/gait.trc]}\n");
  const Outcome outcome = work.run("markers study.yaml --out out");
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_NE(outcome.err.find("the model's name '../outside'"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(work.path("outside")));
}

}  // namespace
}  // namespace vesica::test::run_files_test
