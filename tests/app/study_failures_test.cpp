// `vesica study` where runs, processes and ranks end in ways that they should not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <thread>
#include <tuple>

#include "tests/app/study_support.h"
#include "tests/app/tool.h"

namespace vesica::test::study_failures_test {
namespace {

namespace fs = std::filesystem;

// Twelve runs; the fourth takes its process with it, as where memory runs out.
std::string make_deadly(const std::string& end) {
  return "vesica: 1\nof: {function: work, set: {seconds: 20 ms}}\ndesign: {method: list}\nvary:\n"
         "  x: {from: 0, to: 11, steps: 12}\n"
         "  end: {values: [well, well, well, " +
         end +
         ", well, well, well, well, well, well, well, well]}\n"
         "outputs: {y: y}\n";
}

constexpr char kKilled[] = "its process was killed 3 times while at it";
constexpr char kCrashed[] = "the program crashed in this run";

void expect(const std::string& said, const std::string& words) {
  EXPECT_NE(said.find(words), std::string::npos) << said;
}

// Starts until it is through; how many it took.
int count_starts(const Workspace& work, const std::vector<std::string>& commands) {
  for (int starts = 1; starts <= 10; ++starts) {
    std::vector<std::unique_ptr<Child>> children;
    for (const std::string& command : commands) {
      children.push_back(std::make_unique<Child>(work, command));
    }
    bool good = true;
    for (const auto& child : children) good = child->wait() == 0 && good;
    if (good) return starts;
  }
  return 11;
}

// The one run is a row with its reason, all others are done, and none was finished twice.
void expect_one_failed(const Workspace& work, const std::string& reason) {
  const std::string table = work.read("s/table.csv");
  expect(table, "\n3,failed,\"" + reason);
  int done = 0;
  for (size_t at = table.find(",done,"); at != std::string::npos; at = table.find(",done,", at + 1))
    ++done;
  EXPECT_EQ(done, 11) << table;
  for (const int lines : count_lines(work.path("s"), 12)) EXPECT_EQ(lines, 1);
}

TEST(StudyFailures, ARunThatIsKilledFromOutsideIsTriedThreeTimes) {
  for (const int threads : {1, 4}) {
    const Workspace work;
    work.write("s.yaml", make_deadly("kill"));
    EXPECT_EQ(count_starts(work, {fmt::format("{} study s.yaml --threads {} --out s", VESICA_TOOL,
                                              threads)}),
              4);
    expect_one_failed(work, kKilled);
    // Once more on request, and again not for ever.
    EXPECT_EQ(count_starts(work, {fmt::format("{} study s.yaml --threads {} --out s", VESICA_TOOL,
                                              threads)}),
              1);
    Child again(work, fmt::format("{} study s.yaml --retry --out s", VESICA_TOOL));
    EXPECT_EQ(again.wait(), -SIGKILL);
  }
}

// Attempts count whoever made them: three processes take the run from each other.
TEST(StudyFailures, AttemptsOfAllWorkersCount) {
  const Workspace work;
  work.write("s.yaml", make_deadly("kill"));
  const std::string command = fmt::format("{} study s.yaml --threads 1 --out s", VESICA_TOOL);
  EXPECT_LE(count_starts(work, {command, command, command}), 4);
  expect_one_failed(work, kKilled);
}

// Whoever stops a run does not blame it: any number of stops leaves it to be run.
TEST(StudyFailures, StopsDoNotCountAsAttempts) {
  const Workspace work;
  work.write("s.yaml",
             "vesica: 1\nof: {function: work}\ndesign: {method: list}\nvary:\n"
             "  seconds: {values: [2 s]}\noutputs: {y: y}\n");
  const auto wait_for_notes = [&](const std::string& word, int count) {
    for (int k = 0; k < 6000 && count_notes(work.path("s"), word) < count; ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  };
  int starts = 0;
  for (const int signal : {SIGTERM, SIGINT, SIGTERM, SIGTERM}) {
    Child child(work, fmt::format("{} study s.yaml --out s", VESICA_TOOL));
    wait_for_notes("begun", ++starts);
    EXPECT_EQ(child.end_with(signal), 130) << work.read(".group");
  }
  // Stopped, and killed before it could end by itself.
  for (int k = 0; k < 4; ++k) {
    Child child(work, fmt::format("{} study s.yaml --out s", VESICA_TOOL));
    wait_for_notes("begun", ++starts);
    kill(child.pid(), SIGTERM);
    wait_for_notes("left", starts);
    child.end();
  }
  ASSERT_EQ(work.run("study s.yaml --out s").status, 0);
  expect(work.read("s/table.csv"), "\n0,done,");
}

// mpirun ends all ranks where one dies; the same command goes on, and ends.
TEST(StudyFailures, RanksThatCrashOrAreKilled) {
  const char* mpirun = find_mpirun();
  if (mpirun == nullptr) GTEST_SKIP() << "mpirun is not installed";
  for (const auto& [end, reason, starts] :
       {std::tuple{"crash", kCrashed, 2}, {"kill", kKilled, 4}}) {
    const Workspace work;
    work.write("s.yaml", make_deadly(end));
    EXPECT_EQ(count_starts(work, {fmt::format("timeout -k 5 60 {} -n 3 {} study s.yaml --out s",
                                              mpirun, VESICA_TOOL)}),
              starts)
        << work.read(".group");
    if (std::string(end) == "kill") {
      expect_one_failed(work, reason);
    } else {
      expect(work.read("s/table.csv"), std::string("\n3,failed,") + reason);
    }
  }
}

// Of several ranks one cannot go on: all end, say why, and keep what is finished.
TEST(StudyFailures, RanksThatCannotGoOn) {
  const char* mpirun = find_mpirun();
  if (mpirun == nullptr) GTEST_SKIP() << "mpirun is not installed";
  const Workspace work;
  std::string slow = kWork;
  work.write("work.yaml", slow.replace(slow.find("4 ms"), 4, "8 ms"));
  ASSERT_EQ(work.run("study work.yaml --out calm").status, 0);
  const auto run = [&](const std::string& first, const std::string& second,
                       const std::string& out) {
    fs::remove(work.path(".group"));
    const std::string tool = fmt::format("exec {} study work.yaml --out {}", VESICA_TOOL, out);
    // Without memory that ranks share: a limit of files is one of that too.
    Child child(work, fmt::format("timeout -k 5 60 {} --mca btl self,tcp -n 1 sh -c '{} {}' : -n 1 "
                                  "sh -c '{} {}'",
                                  mpirun, first, tool, second, tool));
    const int status = child.wait();
    EXPECT_NE(status, 0) << out;
    EXPECT_NE(status, 124) << "hangs";
    EXPECT_EQ(work.run("study work.yaml --out " + out).status, 0);
    EXPECT_EQ(work.read(out + "/table.csv"), work.read("calm/table.csv")) << out;
    for (const int lines : count_lines(work.path(out), 200)) EXPECT_EQ(lines, 1) << out;
    return work.read(".group");
  };
  // The disk of one is full after some lines.
  expect(run("", "ulimit -f 4;", "other_fills"), "goes on");
  expect(run("ulimit -f 4;", "", "first_fills"), "goes on");
  // One is stopped, as a scheduler does.
  run("", "(sleep 0.5; kill -TERM $$) &", "other_stops");
  run("(sleep 0.5; kill -TERM $$) &", "", "first_stops");
  // One is killed.
  run("", "(sleep 0.5; kill -KILL $$) &", "other_dies");
  run("(sleep 0.5; kill -KILL $$) &", "", "first_dies");
}

// An input that changes under the ranks.
TEST(StudyFailures, RanksWhoseInputChanges) {
  const char* mpirun = find_mpirun();
  if (mpirun == nullptr) GTEST_SKIP() << "mpirun is not installed";
  const Workspace work;
  const auto write = [&](const char* more) {
    work.write("scene.yaml",
               std::string("vesica: 1\nbodies:\n  ball: {mass: 1 kg, inertia: [1, 1, 1], shape: "
                           "{type: sphere, radius: 0.1}, pose: {position: [0, 0, 0.3]}}\n"
                           "  ground: {fixed: true, shape: {type: half_space}}\ncontacts:\n"
                           "  - {between: [ball, ground], normal: {law: volumetric, stiffness: "
                           "1.0e6, damping: 0.5}}\n"
                           "duration: 1 s\nsolver: {method: rk4, step: 1.0e-5}\n") +
                   more);
  };
  write("");
  work.write("s.yaml",
             "vesica: 1\nof: {simulate: scene.yaml}\ndesign: {method: monte_carlo, runs: 200}\n"
             "vary:\n  mass: {path: bodies.ball.mass, low: 1 kg, high: 2 kg}\n"
             "outputs: {force: contacts.ball-ground.max_normal_force}\n");
  Child child(work,
              fmt::format("timeout -k 5 60 {} -n 2 {} study s.yaml --out s", mpirun, VESICA_TOOL));
  ASSERT_TRUE(child.wait_for(work.path("s/claims")));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  write("# another\n");
  const int status = child.wait();
  EXPECT_NE(status, 0);
  EXPECT_NE(status, 124) << "hangs";
  expect(work.read(".group"), "has changed while the study ran");
}

TEST(StudyFailures, FitsOfIdentifyAreStoppedByTheirLimit) {
  const Workspace work;
  std::string rows = "belt_speed [m/s],peak_friction [N]\n";
  for (int k = 0; k < 2000; ++k) rows += fmt::format("{},{}\n", 1e-3 * (1 + k % 97), 11 + k % 7);
  work.write("belt.csv", rows);
  work.write("fit.yaml",
             "vesica: 1\ntype: stick_slip\ndata: belt.csv\nmass: 1 kg\nspring_stiffness: 100 N/m\n"
             "normal_force: 20 N\nmu_S: 0.9\nmu_C: 0.5\n");
  work.write("s.yaml",
             "vesica: 1\nof: {identify: fit.yaml}\ndesign: {method: list}\nvary:\n"
             "  mass: {values: [1 kg]}\noutputs: {tau: parameters.tau_dw.value}\n"
             "time_limit: 50 ms\n");
  work.run("study s.yaml --out s");
  const std::string table = work.read("s/table.csv");
  expect(table, "\n0,timed_out,stopped after 0.05 s of processor time");
}

// Rows of two builds do not belong together, though both call themselves 0.1.0.
TEST(StudyFailures, AnotherBuildIsRefused) {
  const Workspace work;
  work.write("work.yaml", kWork);
  ASSERT_EQ(work.run("study work.yaml --out s --quiet").status, 0);
  const std::string table = work.read("s/table.csv");
  const size_t at = table.find("+", table.find("\n0,"));
  ASSERT_NE(at, std::string::npos) << table.substr(0, 200);
  const std::string id = table.substr(at + 1, 12);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << id;
  expect(work.run("--version").out, id);
  // Of the program on disk, as other tools see it.
  if (std::system("command -v readelf >/dev/null 2>&1") == 0) {
    ASSERT_EQ(std::system(
                  fmt::format("readelf -n '{}' >'{}' 2>/dev/null", VESICA_TOOL, work.path("notes"))
                      .c_str()),
              0);
    expect(work.read("notes"), "Build ID: " + id);
  }
  fs::copy_file(VESICA_TOOL, work.path("other"));
  std::string bytes = work.read("other");
  const std::string raw = [&] {
    std::string out;
    for (size_t k = 0; k < id.size(); k += 2)
      out += static_cast<char>(std::stoi(id.substr(k, 2), nullptr, 16));
    return out;
  }();
  const size_t note = bytes.find(raw);
  ASSERT_NE(note, std::string::npos);
  bytes[note] = static_cast<char>(bytes[note] ^ 1);
  work.write("other", bytes);
  Child other(work, "./other study work.yaml --out s");
  EXPECT_EQ(other.wait(), 2);
  expect(work.read(".group"), "version: 0.1.0+" + id + " there");
}

}  // namespace
}  // namespace vesica::test::study_failures_test
