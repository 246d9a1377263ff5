// Runs that go wrong or go on: exit status of every command, --out that cannot be written, signals,
// a killed run, --from.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <thread>

#include "tests/app/tool.h"

namespace vesica::test::runs_test {
namespace {

namespace fs = std::filesystem;

constexpr char kScene[] =
    "vesica: 1\nbodies:\n"
    "  ball: {mass: 0.5, inertia: [1.0e-3, 1.0e-3, 1.0e-3], shape: {type: sphere, radius: 0.1}, "
    "pose: {position: [0, 0, 0.2]}, velocity: {linear: [1, 0, 0]}}\n"
    "  ground: {fixed: true, shape: {type: half_space}}\n"
    "contacts:\n  - {between: [ball, ground], normal: {law: volumetric, stiffness: 1.0e7, "
    "restitution: 0.8, v_small: 0.01}, friction: {law: bristle, mu_S: 0.5, mu_C: 0.4, v_S: 0.01, "
    "sigma_0: 1.0e4, sigma_1: 50, tau_dw: 1}}\n"
    "duration: 0.6\nsolver: {method: rk4, step: 1.0e-4}\noutput: {interval: 0.01}\n";

TEST(ExitStatus, ThreeWhereSomethingCannotBeRead) {
  const Workspace work;
  work.write("scene.yaml", kScene);
  const char* commands[] = {"check nowhere.yaml",
                            "check /proc/self/mem",
                            "probe nowhere.yaml",
                            "simulate nowhere.yaml",
                            "simulate --from nowhere",
                            "report nowhere",
                            "report .",
                            "export nowhere.yaml --out a.glb",
                            "motion nowhere.trc",
                            "markers nowhere.yaml nowhere.trc",
                            "markers lower_extremity nowhere.trc",
                            "suggest nowhere.yaml",
                            "identify nowhere.yaml"};
  for (const char* command : commands) {
    const Outcome outcome = work.run(command);
    EXPECT_EQ(outcome.status, 3) << command << "\n" << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("error: ")) << outcome.err;
    EXPECT_EQ(outcome.out, "") << command;
  }
  EXPECT_EQ(work.files(), std::vector<std::string>{"scene.yaml"});
}

// Tried before the work: the run of years is not begun.
TEST(ExitStatus, ThreeWhereOutCannotBeWritten) {
  const Workspace work;
  work.write("scene.yaml", kScene);
  work.write("case.yaml", CaseText().text());
  work.write("file", "");
  ASSERT_EQ(work.run("identify --examples studies --quiet").status, 0);
  ASSERT_EQ(work.run("simulate scene.yaml --quiet --out run").status, 0);
  const auto files = work.files();
  std::string yaml;
  for (const auto& entry : fs::directory_iterator(work.path("studies"))) {
    if (entry.path().extension() == ".yaml") yaml = entry.path().string();
  }
  for (const char* out : {"file", "file/deeper", "/dev/full", "/proc/nowhere"}) {
    const std::string commands[] = {
        "simulate scene.yaml --set duration=3.0e5",
        "simulate scene.yaml --set duration=3.0e4 --sensitivity bodies.ball.mass",
        "simulate --from run --set duration=3.0e5",
        "reproduce restitution",
        "report run",
        "probe case.yaml --pressure-map map.svg",
        "laws hertz --svg hertz.svg",
        "suggest --mass 1 --radius 0.1 --depth 0.001 --mu-C 0.5",
        "identify " + yaml,
        "export scene.yaml --format glb"};
    for (const std::string& command : commands) {
      // Files, not folders, are what these write: in a folder that cannot be.
      const bool is_file = command.starts_with("export") || command.starts_with("report");
      const Outcome outcome =
          work.run(fmt::format("{} --out {}{}", command, out, is_file ? "/a.html" : ""));
      EXPECT_EQ(outcome.status, 3) << command << " " << out << "\n" << outcome.err;
      EXPECT_TRUE(outcome.err.starts_with("error: ")) << outcome.err;
    }
  }
  EXPECT_EQ(work.files(), files);
}

TEST(ExitStatus, ThreeWhereOutputCannotBeWritten) {
  const Workspace work;
  work.write("scene.yaml", kScene);
  const auto run = [&](const std::string& arguments) {
    const std::string command =
        fmt::format("cd '{}' && '{}' {} 2>.err", work.folder(), VESICA_TOOL, arguments);
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  for (const char* command : {"list", "--help", "laws hertz --json", "probe heel_on_ground",
                              "simulate scene.yaml --json --out run"}) {
    EXPECT_EQ(run(fmt::format("{} >/dev/full", command)), 3) << command;
    EXPECT_NE(work.read(".err").find("No space left"), std::string::npos) << work.read(".err");
    // Nobody listens any more: no word about it, and files are whole.
    EXPECT_EQ(run(fmt::format("{} 2>.err2 | true", command)), 0) << command;
    EXPECT_EQ(work.read(".err2").find("error"), std::string::npos) << work.read(".err2");
  }
  EXPECT_TRUE(fs::exists(work.path("run/summary.json")));
  EXPECT_EQ(run("nonsense 2>/dev/full"), 2);
  EXPECT_EQ(run("check nowhere 2>&-"), 3);
  EXPECT_EQ(run("check scene.yaml >&-"), 3);
}

// Notes that cannot be written are no reason to end otherwise, nor a matter of standard output.
TEST(ExitStatus, StandardErrorMayBeFull) {
  const Workspace work;
  work.write("case.yaml", CaseText().text());
  work.write("scene.yaml", kScene);
  const auto run = [&](const char* arguments) {
    const int status = std::system(
        fmt::format("cd '{}' && '{}' {} >.out 2>/dev/full", work.folder(), VESICA_TOOL, arguments)
            .c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  EXPECT_EQ(run("probe case.yaml --pressure-map map.svg"), 0);
  EXPECT_EQ(run("export scene.yaml --out a.glb"), 0);
  EXPECT_EQ(run("simulate scene.yaml --out run --set 'solver={method: euler, step: 1.0e-2}' --set "
                "contacts.0.normal.stiffness=1.0e14 --set duration=20"),
            1);
}

// Threads bring stacks of their own: a limit beyond the address space is none of theirs.
TEST(ExitStatus, ZeroWhereTheUsualStackIsTooLargeForAThread) {
  const Workspace work;
  work.write("hip.trc", make_hip_trc());
  // Where OpenBLAS is installed it starts threads of its own as it is loaded, and gives up here.
  const int status =
      std::system(fmt::format("bash -c \"ulimit -s 200000000000 || exit 77; cd '{}' && "
                              "OPENBLAS_NUM_THREADS=1 '{}' markers "
                              "functional_hip hip.trc --threads 2 --out hip >.out 2>.err\"",
                              work.folder(), VESICA_TOOL)
                      .c_str());
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "the stack has a hard limit";
  EXPECT_EQ(WEXITSTATUS(status), 0) << work.read(".err");
}

TEST(ExitStatus, ThreeWhereNoScenesAreFound) {
  const Workspace work;
  for (const char* command : {"list", "list --json", "simulate bouncing_ball"}) {
    const int status =
        std::system(fmt::format("cd '{}' && VESICA_DATA=/nowhere '{}' {} >.out 2>.err",
                                work.folder(), VESICA_TOOL, command)
                        .c_str());
    EXPECT_EQ(WEXITSTATUS(status), 3) << command;
    EXPECT_EQ(work.read(".out"), "") << command;
    for (const char* part : {"/nowhere", "VESICA_DATA"}) {
      EXPECT_NE(work.read(".err").find(part), std::string::npos) << work.read(".err");
    }
  }
}

// A limit of file size stands for a full disk.
TEST(ExitStatus, ThreeWhereTheDiskIsFullInMidRun) {
  const Workspace work;
  work.write("scene.yaml", kScene);
  for (const char* format : {"csv", "h5"}) {
    const std::string command = fmt::format(
        "ulimit -f 64; cd '{}' && '{}' simulate scene.yaml --set output.interval=1.0e-4 --format "
        "{} --out run >.out 2>.err",
        work.folder(), VESICA_TOOL, format);
    const int status = std::system(fmt::format("bash -c \"{}\"", command).c_str());
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 3) << work.read(".err");
    EXPECT_NE(work.read(".err").find("cannot be written"), std::string::npos) << work.read(".err");
    EXPECT_FALSE(fs::exists(work.path("run/summary.json")));
  }
}

TEST(ExitStatus, OneWhereARunFails) {
  const Workspace work;
  work.write("scene.yaml", kScene);
  const Outcome outcome = work.run(
      "simulate scene.yaml --quiet --out run --set 'solver={method: euler, step: 1.0e-2}' --set "
      "contacts.0.normal.stiffness=1.0e14 --set duration=20");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  const auto summary = nlohmann::json::parse(work.read("run/summary.json"));
  EXPECT_FALSE(summary["completed"]);
  EXPECT_NE(summary["failure"].get<std::string>().find("solver.step"), std::string::npos);
  EXPECT_GT(summary["rows"].get<int>(), 5);
  const Outcome from = work.run("simulate --from run --set duration=40");
  EXPECT_EQ(from.status, 2);
  EXPECT_NE(from.err.find("there are none"), std::string::npos) << from.err;
}

// Files that a scene names are found from its run folder too.
TEST(GoingOn, ScenesWithMeshesGoOn) {
  const Workspace work;
  fs::create_directory(work.path("input"));
  work.write("input/tetra.obj",
             "v -0.1 -0.1 0\nv 0.1 -0.1 0\nv 0 0.1 0\nv 0 0 0.2\n"
             "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  work.write("input/scene.yaml",
             "vesica: 1\nbodies:\n  t: {mass: 1, inertia: [0.01, 0.01, 0.01], shape: {type: mesh, "
             "file: tetra.obj}, pose: {position: [0, 0, 0.001]}}\n"
             "  ground: {fixed: true, shape: {type: half_space}}\n"
             "contacts: [{between: [t, ground], normal: {law: volumetric, stiffness: 1.0e7, "
             "damping: 1}, friction: {law: none}}]\n"
             "duration: 0.02\nsolver: {method: rk4, step: 1.0e-4}\n");
  ASSERT_EQ(work.run("simulate input/scene.yaml --quiet --out run").status, 0);
  EXPECT_EQ(work.run("check run/scene.yaml").status, 0);
  EXPECT_EQ(work.run("export run --out a.stl --quiet").status, 0);
  const Outcome rest = work.run("simulate --from run --quiet --set duration=0.03 --out rest");
  EXPECT_EQ(rest.status, 0) << rest.err;
}

TEST(Refusals, BeforeTheRunWithLineAndKey) {
  const Workspace work;
  work.write("scene.yaml", kScene);
  const std::pair<const char*, const char*> bad[] = {
      {"--set solver.step=1.0e-12", "solver.step: 0.6 s take 6e+11 steps"},
      {"--set duration=1.0e9", "scene.yaml:8: solver.step: "},
      {"--set output.interval=1.0e-12", "output.interval: 0.6 s take 6e+11 rows"},
      {"--set solver.step=1.0e-1 --set duration=1.0e8 --set output.interval=0.1 --format sto",
       "output.interval: "},
      {"--set bodies.ball.velocity.linear.0=1.0e200", "scene.yaml:3: bodies: "},
  };
  for (const auto& [settings, message] : bad) {
    const Outcome outcome = work.run(fmt::format("simulate scene.yaml {}", settings));
    EXPECT_EQ(outcome.status, 2) << settings << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << settings << outcome.err;
  }
  const Outcome outcome = work.run(
      "simulate scene.yaml --set 'solver={method: cvode}' --set "
      "'contacts.0.interference={method: voxels, voxel_size: 0.005}' --out run");
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_FALSE(fs::exists(work.path("run/partial")));
}

// --- going on

// With fixed steps the whole recording is the one of a run that never stopped; adaptive ones, of a
// run that has a checkpoint there.
TEST(GoingOn, RecordingsHaveTheSameBytes) {
  const Workspace work;
  work.write("scene.yaml", kScene);
  const std::pair<const char*, const char*> solvers[] = {
      {"{method: rk4, step: 1.0e-4}", ""},
      {"{method: cvode, tolerance: 1.0e-7}", "--set output.checkpoints=[0.25]"},
      {"{method: arkode, tolerance: 1.0e-7}", "--set output.checkpoints=[0.25]"},
      {"{method: dopri5, tolerance: 1.0e-7}", "--set output.checkpoints=[0.25]"},
      {"{method: rodas5p, tolerance: 1.0e-7}", "--set output.checkpoints=[0.25]"}};
  for (const auto& [solver, checkpoint] : solvers) {
    SCOPED_TRACE(solver);
    const std::string scene = fmt::format(
        "simulate scene.yaml --quiet --format csv,h5 --set "
        "'solver={}'",
        solver);
    ASSERT_EQ(work.run(fmt::format("{} {} --out whole", scene, checkpoint)).status, 0);
    ASSERT_EQ(work.run(fmt::format("{} --set duration=0.25 --out first", scene)).status, 0);
    const Outcome second =
        work.run("simulate --from first --json --set duration=0.6 --format csv,h5 --out second");
    ASSERT_EQ(second.status, 0) << second.err;
    EXPECT_EQ(work.read("second/recording.csv"), work.read("whole/recording.csv"));
    const auto whole = nlohmann::json::parse(work.read("whole/summary.json"));
    EXPECT_EQ(second.json()["hash"], whole["hash"]);
    EXPECT_EQ(second.json()["rows"], whole["rows"]);
    EXPECT_EQ(second.json()["final_state"], whole["final_state"]);
    EXPECT_EQ(second.json()["energy"], whole["energy"]);
    EXPECT_EQ(second.json()["continued"]["run"], "first");
    EXPECT_NEAR(second.json()["continued"]["time"].get<double>(), 0.25, 1.01e-4);
    // HDF5 alone is enough to go on, and to look at.
    fs::remove(work.path("first/recording.csv"));
    ASSERT_EQ(work.run("simulate --from first --quiet --set duration=0.6 --out third").status, 0);
    EXPECT_EQ(work.read("third/recording.csv"), work.read("whole/recording.csv"));
    EXPECT_EQ(work.run("report first --quiet").status, 0);
    EXPECT_EQ(work.run("report third --quiet").status, 0);
    for (const char* folder : {"whole", "first", "second", "third"}) {
      fs::remove_all(work.path(folder));
    }
  }
}

TEST(GoingOn, FromATime) {
  const Workspace work;
  work.write("scene.yaml", kScene);
  ASSERT_EQ(work.run("simulate scene.yaml --quiet --set output.checkpoints=0.2 --out run").status,
            0);
  const auto from = [&](const std::string& arguments) {
    return work.run("simulate --json " + arguments);
  };
  for (const char* time : {"0.2", "0.39", "200 ms", "0.2 s"}) {
    const Outcome outcome = from(fmt::format("--from 'run@{}' --out again", time));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NEAR(outcome.json()["continued"]["time"].get<double>(), 0.2, 1e-12) << time;
    EXPECT_EQ(work.read("again/recording.csv"), work.read("run/recording.csv"));
  }
  EXPECT_EQ(from("--from run@0.45").json()["continued"]["time"], 0.4);
  EXPECT_TRUE(fs::exists(work.path("run_from_0.4/summary.json")));
  const std::pair<const char*, const char*> bad[] = {
      {"--from run@0.1", "at or before 0.1 s; there are those at 0.2, 0.4"},
      {"--from run", "--set duration=1.2"},
      {"--from run@soon", "RUN@TIME"},
      {"--from run@0.2 --out run", "choose another folder"},
      {"--from run@0.2 --set bodies.ball.mass=2", "bodies.ball.mass: 0.5 in the run, 2 here"},
      {"--from run@0.2 --set 'solver={method: cvode}'", "solver.method: rk4 in the run, cvode"},
      {"bouncing_ball --from run@0.2", "in the run"},
      {"--from run@0.2 --sensitivity bodies.ball.mass", "--sensitivity"},
      {"", "SCENE"},
  };
  for (const auto& [arguments, message] : bad) {
    const Outcome outcome = from(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << arguments << "\n" << outcome.err;
  }
  EXPECT_EQ(from("scene.yaml --from run@0.2 --out again").status, 0);
  // Another interval: the recording begins where the run goes on, and the summary says so.
  const Outcome finer = from("--from run@0.4 --set output.interval=0.001 --out finer");
  EXPECT_EQ(finer.json()["rows"], 200);
  EXPECT_NE(finer.json()["continued"]["counted"].get<std::string>().find("the ledger is"),
            std::string::npos);
}

// A run that went on with another interval has no rows from before, and those that go on from it
// have its own: the bytes that a run of that interval has from there on.
TEST(GoingOn, ChainsWithAnotherIntervalKeepTheRowsThatAreThere) {
  const Workspace work;
  work.write("scene.yaml", kScene);
  const auto run = [&](const std::string& arguments) {
    const Outcome outcome = work.run("simulate --json " + arguments + " --format csv,h5");
    EXPECT_EQ(outcome.status, 0) << arguments << outcome.err;
    return outcome;
  };
  const std::string finer = "--set output.interval=0.002 ";
  run("scene.yaml --out whole " + finer);
  run("scene.yaml --set duration=0.2 --out a");
  run("--from a --set duration=0.4 --out b " + finer);
  for (const char* format : {"csv", "h5"}) {
    const Outcome c = run("--from b --set duration=0.6 --out c");
    EXPECT_EQ(c.json()["rows"], 200) << format;
    EXPECT_NE(c.json()["continued"]["counted"].get<std::string>().find("recording from 0.202 s on"),
              std::string::npos)
        << c.json()["continued"];
    const std::string whole = work.read("whole/recording.csv"), last = work.read("c/recording.csv");
    const std::string rows = last.substr(last.find('\n'));
    EXPECT_TRUE(whole.ends_with(rows)) << format;
    fs::remove(work.path("b/recording.csv"));
  }
  // Nothing before its first row is there to be taken over.
  run("--from a --set duration=0.4 --set output.interval=0.05 --set output.checkpoints=[0.21] "
      "--out d");
  EXPECT_EQ(run("--from d@0.21 --set duration=0.6 --out e").json()["rows"], 8);
}

// What --sensitivity does not do is refused, what it is told is heeded.
TEST(Sensitivity, OptionsAreHeededOrRefused) {
  const Workspace work;
  work.write("scene.yaml", kScene);
  const std::string command =
      "simulate scene.yaml --set duration=0.01 --sensitivity bodies.ball.mass ";
  const Outcome quiet = work.run(command + "--quiet --out run");
  EXPECT_EQ(quiet.status, 0) << quiet.err;
  EXPECT_EQ(quiet.out, "");
  EXPECT_TRUE(fs::exists(work.path("run/sensitivity.csv")));
  for (const auto& [more, named] : std::vector<std::pair<std::string, std::string>>{
           {"--format h5", "leave --format out"},
           {"--sensitivity bodies.ball.mass", "bodies.ball.mass is given twice"}}) {
    const Outcome outcome = work.run(command + more);
    EXPECT_EQ(outcome.status, 2) << more;
    EXPECT_NE(outcome.err.find(named), std::string::npos) << outcome.err;
  }
  const Outcome bare = work.run(command + "--set output.interval=0 --out bare");
  EXPECT_EQ(bare.status, 0) << bare.err;
  EXPECT_TRUE(fs::exists(work.path("bare/sensitivity.json")));
}

// --- signals

std::string long_run(const std::string& more = "") {
  std::vector<std::string> words = {"simulate", "scene.yaml", "--set", "duration=3.0e5",
                                    "--out",    "run",        "--set", "output.interval=0.01"};
  if (more.empty()) {
    words.insert(words.end(), {"--format", "csv,h5"});
  } else {
    words.insert(words.end(), {"--set", "duration=3.0e4", "--sensitivity", more});
  }
  return tool_command(words);
}

TEST(Signals, AnInterruptedRunIsKeptAndGoesOn) {
  const Workspace work;
  work.write("scene.yaml", kScene);
  Child process(work, long_run());
  ASSERT_TRUE(process.wait_for(work.path("run/partial/summary.json")));
  EXPECT_EQ(process.end_with(SIGINT), 130);
  const auto summary = nlohmann::json::parse(work.read("run/summary.json"));
  EXPECT_TRUE(summary["interrupted"]);
  EXPECT_FALSE(fs::exists(work.path("run/partial")));
  const double end = summary["end_time"];
  const Outcome rest = work.run(
      fmt::format("simulate --from run --json --set duration={:.17g} --out rest", end + 1));
  ASSERT_EQ(rest.status, 0) << rest.err;
  EXPECT_EQ(rest.json()["continued"]["time"].get<double>(), end);
  const std::string before = work.read("run/recording.csv"),
                    after = work.read("rest/recording.csv");
  EXPECT_EQ(after.substr(0, before.size()), before);
  EXPECT_GT(after.size(), before.size());
}

TEST(Signals, AKilledRunCanBeReadAndGoesOn) {
  const Workspace work;
  work.write("scene.yaml", kScene);
  Child process(work, long_run());
  ASSERT_TRUE(process.wait_for(work.path("run/partial/summary.json")));
  EXPECT_EQ(process.end_with(SIGKILL), -SIGKILL);
  EXPECT_FALSE(fs::exists(work.path("run/summary.json")));
  const Outcome report = work.run("report run");
  EXPECT_EQ(report.status, 0) << report.err;
  EXPECT_NE(work.read("run/report.html").find("has not ended"), std::string::npos);
  // From the CSV, then from the HDF5 that nobody closed.
  const auto partial = nlohmann::json::parse(work.read("run/partial/summary.json"));
  const double time = partial["end_time"];
  for (const char* out : {"first", "second"}) {
    const Outcome rest = work.run(
        fmt::format("simulate --from run --json --set duration={:.17g} --out {}", time + 0.5, out));
    ASSERT_EQ(rest.status, 0) << rest.err;
    EXPECT_GE(rest.json()["continued"]["time"].get<double>(), time);
    fs::remove(work.path("run/partial/recording.csv"));
  }
  EXPECT_EQ(work.read("first/recording.csv"), work.read("second/recording.csv"));
}

// Beside an earlier run that ended, too: the last run is what the name means, and it is said.
TEST(Signals, AKilledRunCountsBeforeTheOneThatEndedBefore) {
  const Workspace work;
  work.write("scene.yaml", kScene);
  ASSERT_EQ(work.run("simulate scene.yaml --quiet --out run").status, 0);
  Child process(work, long_run());
  ASSERT_TRUE(process.wait_for(work.path("run/partial/summary.json")));
  EXPECT_EQ(process.end_with(SIGKILL), -SIGKILL);
  const double time = nlohmann::json::parse(work.read("run/partial/summary.json"))["end_time"];
  const std::string on =
      fmt::format("simulate --from run --json --set duration={:.17g} --out ", time + 0.5);
  const Outcome rest = work.run(on + "rest"), report = work.run("report run");
  ASSERT_EQ(rest.status, 0) << rest.err;
  EXPECT_GE(rest.json()["continued"]["time"].get<double>(), time);
  for (const Outcome& each : {rest, report}) {
    EXPECT_NE(each.err.find("to use that, remove run/partial"), std::string::npos) << each.err;
  }
  EXPECT_EQ(work.run("report run --quiet").err, "");
  EXPECT_NE(work.read("run/report.html").find("an earlier run, which ended"), std::string::npos);
  // Killed before it left anything: neither is taken for the other.
  for (const char* name : {"summary.json", "checkpoints.jsonl"}) {
    fs::remove(work.path(fmt::format("run/partial/{}", name)));
  }
  work.write("run/partial/checkpoints.jsonl", "");
  EXPECT_EQ(work.run("report run").status, 3);
  EXPECT_EQ(work.run(on + "again").status, 2);
  for (const char* command : {"report run", "simulate --from run"}) {
    const Outcome none = work.run(command);
    EXPECT_NE(none.err.find("to use that, remove run/partial"), std::string::npos) << none.err;
  }
  fs::remove_all(work.path("run/partial"));
  const Outcome earlier = work.run("simulate --from run --json --set duration=0.7 --out earlier");
  EXPECT_EQ(earlier.json()["continued"]["time"], 0.6);
}

// Nothing to keep: they end at once and leave nothing behind.
TEST(Signals, OthersEndAtOnce) {
  const Workspace work;
  work.write("scene.yaml", kScene);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Child process(work, long_run("bodies.ball.mass"));
    ASSERT_TRUE(process.wait_for(work.path("run")));
    EXPECT_EQ(process.end_with(signal), 130);
    EXPECT_EQ(work.files(), std::vector<std::string>{"scene.yaml"});
  }
}

TEST(Signals, ReproduceKeepsWhatIsDone) {
  const Workspace work;
  Child process(work, tool_command({"reproduce", "peg_in_hole", "--out", "out"}));
  ASSERT_TRUE(process.wait_for(work.path("out")));
  EXPECT_EQ(process.end_with(SIGTERM), 130);
  EXPECT_TRUE(work.files().empty());
}

}  // namespace
}  // namespace vesica::test::runs_test
