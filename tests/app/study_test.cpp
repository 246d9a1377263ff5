// `vesica study`: the same bytes whoever makes the rows, nothing lost whatever ends them, bad input
// refused before a run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <thread>

#include "tests/app/study_support.h"
#include "tests/app/tool.h"
#include "tests/support/support.h"

namespace vesica::test::study_test {
namespace {

namespace fs = std::filesystem;

constexpr char kBall[] =
    "vesica: 1\nof: {simulate: bouncing_ball, set: {duration: 0.3 s, output.interval: 10 ms}}\n"
    "design: {method: latin_hypercube, runs: 12}\nvary:\n"
    "  height: {path: bodies.ball.pose.position.2, low: 0.2 m, high: 0.3 m}\n"
    "  mass: {path: bodies.ball.mass, distribution: normal, mean: 0.16 kg, sd: 0.02 kg, low: 0.1 "
    "kg}\n"
    "outputs:\n  peak: contacts.ball-ground.max_normal_force\n"
    "  down: {event: touchdown}\n  hash: hash\n"
    "curves: {height: {column: ball.position.z, until: 0.3 s, points: 4}}\n";

TEST(Study, RowsAreTheSameBytesWhoeverMakesThem) {
  const Workspace work;
  work.write("ball.yaml", kBall);
  ASSERT_EQ(work.run("study ball.yaml --threads 1 --out one").status, 0);
  const std::string table = work.read("one/table.csv"), curve = work.read("one/curve_height.csv");
  ASSERT_EQ(std::count(table.begin(), table.end(), '\n'), 13);
  const Outcome two = work.run("study ball.yaml --threads 2 --out two --json");
  ASSERT_EQ(two.status, 0) << two.err;
  EXPECT_EQ(two.json()["done"], 12);
  EXPECT_EQ(work.read("two/table.csv"), table);
  EXPECT_EQ(work.read("two/curve_height.csv"), curve);
  if (const char* mpirun = find_mpirun()) {
    for (const int ranks : {2, 4}) {
      const std::string out = fmt::format("ranks{}", ranks);
      Child group(work, fmt::format("{} -n {} {} study ball.yaml --out {}", mpirun, ranks,
                                    VESICA_TOOL, out));
      EXPECT_EQ(group.wait(), 0) << work.read(".group");
      EXPECT_EQ(work.read(out + "/table.csv"), table) << ranks;
      EXPECT_EQ(work.read(out + "/curve_height.csv"), curve) << ranks;
    }
  }
  const std::string command =
      fmt::format("{} study ball.yaml --threads 1 --out array", VESICA_TOOL);
  Child a(work, command), b(work, command), c(work, command);
  for (Child* group : {&a, &b, &c}) EXPECT_EQ(group->wait(), 0) << work.read(".group");
  EXPECT_EQ(work.read("array/table.csv"), table);
}

// The tool itself gives each row: `simulate` with the row's settings has the same hash of its
// recording.
TEST(Study, ARowIsTheRunOfItsSettings) {
  const Workspace work;
  work.write("ball.yaml", kBall);
  ASSERT_EQ(work.run("study ball.yaml --out s").status, 0);
  std::istringstream table(work.read("s/table.csv"));
  std::string line;
  std::getline(table, line);
  std::getline(table, line);
  std::vector<std::string> cells;
  std::istringstream row(line);
  for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
  ASSERT_EQ(cells.size(), 10u);
  const Outcome alone = work.run(fmt::format(
      "simulate bouncing_ball --json --out r --set duration=0.3 --set output.interval=10ms "
      "--set bodies.ball.pose.position.2={} --set bodies.ball.mass={}",
      cells[3], cells[4]));
  ASSERT_EQ(alone.status, 0) << alone.err;
  EXPECT_EQ(alone.json()["hash"], cells[7]);
  EXPECT_EQ(alone.json()["contacts"]["ball-ground"]["max_normal_force"], std::stod(cells[5]));
}

// A few kills at random times; `make kills` makes twenty of each.
int count_kills() {
  const char* text = std::getenv("VESICA_STUDY_KILLS");
  return text != nullptr ? std::atoi(text) : 3;
}

void kill_and_resume(const std::vector<std::string>& commands, const std::string& what) {
  const Workspace work;
  work.write("work.yaml", kWork);
  ASSERT_EQ(work.run("study work.yaml --out calm").status, 0);
  std::mt19937_64 random(count_kills());
  std::vector<int> before(200, 0);
  int kills = 0;
  for (int k = 0; k < count_kills(); ++k) {
    std::vector<std::unique_ptr<Child>> groups;
    for (const std::string& command : commands) {
      groups.push_back(std::make_unique<Child>(work, command));
    }
    // Once something was finished, so that every round has something to lose.
    const auto sum = [&] {
      const auto count = count_lines(work.path("s"), 200);
      return std::accumulate(count.begin(), count.end(), 0);
    };
    const int at = sum() + static_cast<int>(random() % 8);
    for (int tick = 0; tick < 2000 && sum() <= at && !groups[0]->has_ended(); ++tick) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    kills += !groups[0]->has_ended();
    groups[random() % groups.size()]->end();  // one of several, or the only one
    groups.clear();                           // the others too
    const auto after = count_lines(work.path("s"), 200);
    for (size_t r = 0; r < 200; ++r) EXPECT_GE(after[r], before[r]) << "lost run " << r;
    before = after;
  }
  EXPECT_GT(kills, count_kills() / 2) << "ended before it was killed";
  for (const std::string& command : commands) {
    Child group(work, command);
    EXPECT_EQ(group.wait(), 0) << work.read(".group");
  }
  EXPECT_EQ(work.read("s/table.csv"), work.read("calm/table.csv")) << what;
  // Nothing that was finished was run again.
  for (const int lines : count_lines(work.path("s"), 200)) EXPECT_EQ(lines, 1) << what;
}

TEST(Study, SurvivesKillsOfThreads) {
  kill_and_resume({fmt::format("{} study work.yaml --threads 2 --out s", VESICA_TOOL)}, "threads");
}

TEST(Study, SurvivesKillsOfRanks) {
  const char* mpirun = find_mpirun();
  if (mpirun == nullptr) GTEST_SKIP() << "mpirun is not installed";
  kill_and_resume({fmt::format("{} -n 3 {} study work.yaml --out s", mpirun, VESICA_TOOL)},
                  "ranks");
}

TEST(Study, SurvivesKillsOfAJobArray) {
  const std::string command = fmt::format("{} study work.yaml --threads 1 --out s", VESICA_TOOL);
  kill_and_resume({command, command, command}, "job array");
}

// One of an array is killed, and the others, who go on, take over what it had.
TEST(Study, ClaimsOfTheDeadAreTakenOverByTheLiving) {
  const Workspace work;
  work.write("work.yaml", kWork);
  const std::string command = fmt::format("{} study work.yaml --threads 1 --out s", VESICA_TOOL);
  Child survivor(work, command);
  {
    Child victim(work, command);
    for (int k = 0; k < 1000 && !fs::exists(work.path("s/journals")); ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    victim.end();
  }
  EXPECT_EQ(survivor.wait(), 0) << work.read(".group");
  ASSERT_EQ(work.run("study work.yaml --out calm").status, 0);
  EXPECT_EQ(work.read("s/table.csv"), work.read("calm/table.csv"));
}

TEST(Study, TheLastThatLeavesLeavesTheTable) {
  const Workspace work;
  work.write("work.yaml", kWork);
  ASSERT_EQ(work.run("study work.yaml --out calm").status, 0);
  for (const int round : {0, 1, 2}) {
    const std::string out = fmt::format("s{}", round);
    const std::string command =
        fmt::format("{} study work.yaml --threads 1 --leave --out {}", VESICA_TOOL, out);
    Child a(work, command), b(work, command), c(work, command), d(work, command);
    for (Child* group : {&a, &b, &c, &d}) EXPECT_EQ(group->wait(), 0) << work.read(".group");
    EXPECT_EQ(work.read(out + "/table.csv"), work.read("calm/table.csv"));
  }
}

// From 16 ranks the first only schedules.
TEST(Study, ManyRanksLeaveTheTableToo) {
  const char* mpirun = find_mpirun();
  if (mpirun == nullptr) GTEST_SKIP() << "mpirun is not installed";
  const Workspace work;
  work.write("work.yaml", kWork);
  ASSERT_EQ(work.run("study work.yaml --out calm").status, 0);
  Child group(work, fmt::format("timeout -k 5 120 {} -n 16 {} study work.yaml --leave --out s",
                                mpirun, VESICA_TOOL));
  EXPECT_EQ(group.wait(), 0) << work.read(".group");
  EXPECT_EQ(work.read("s/table.csv"), work.read("calm/table.csv"));
}

// Ranks that do not run the same, or cannot run: all of them end, and say why.
TEST(Study, RanksThatDifferAreRefused) {
  const char* mpirun = find_mpirun();
  if (mpirun == nullptr) GTEST_SKIP() << "mpirun is not installed";
  const Workspace work;
  std::string other = kWork;
  work.write("a.yaml", other);
  work.write("b.yaml", other.replace(other.find("runs: 200"), 9, "runs: 201"));
  const auto run = [&](const std::string& first, const std::string& second) {
    fs::remove(work.path(".group"));
    const std::string tool = VESICA_TOOL;
    Child group(work, fmt::format("timeout -k 5 60 {} -n 2 {} study {} : -n 1 {} study {}", mpirun,
                                  tool, first, tool, second));
    const int status = group.wait();
    EXPECT_NE(status, 0);
    EXPECT_NE(status, 124) << "hangs";
    return work.read(".group");
  };
  const auto expect = [](const std::string& said, const std::string& words) {
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  expect(run("a.yaml --out s", "b.yaml --out s"), "design.runs: 200 there, 201 here");
  EXPECT_FALSE(fs::exists(work.path("s/table.csv")));
  expect(run("a.yaml --out s", "a.yaml --out t"), "t: is not the folder of the first rank");
  expect(run("a.yaml --out u", "none.yaml --out u"), "none.yaml");
  expect(run("none.yaml --out v", "a.yaml --out v"), "none.yaml");
  // What was finished is kept, and ranks that agree go on.
  Child group(work, fmt::format("{} -n 3 {} study a.yaml --out s", mpirun, VESICA_TOOL));
  EXPECT_EQ(group.wait(), 0) << work.read(".group");
  ASSERT_EQ(work.run("study a.yaml --out calm").status, 0);
  EXPECT_EQ(work.read("s/table.csv"), work.read("calm/table.csv"));
}

TEST(Study, StatusCountsTheLastAttempt) {
  const Workspace work;
  const std::string text =
      "vesica: 1\nof: {function: work, set: {seconds: 0}}\ndesign: {method: list}\nvary:\n"
      "  seconds: {values: [0 s, 0.5 s]}\noutputs: {y: y}\n";
  work.write("s.yaml", text + "time_limit: 0.1 s\n");
  work.run("study s.yaml --out s");
  EXPECT_EQ(work.run("study s.yaml --out s --status --json").json()["not_done"], 1);
  work.write("s.yaml", text + "time_limit: 20 s\n");
  ASSERT_EQ(work.run("study s.yaml --out s --retry").status, 0);
  EXPECT_EQ(work.run("study s.yaml --out s --status --json").json()["not_done"], 0);
}

TEST(Study, AFullDiskEndsItAndTheSameCommandGoesOn) {
  const Workspace work;
  work.write("work.yaml", kWork);
  ASSERT_EQ(work.run("study work.yaml --out calm").status, 0);
  {
    // Files of at most 8 blocks of 512 bytes: the journal has no room for all its lines.
    Child group(work,
                fmt::format("sh -c 'ulimit -f 8; exec {} study work.yaml --out s'", VESICA_TOOL));
    EXPECT_EQ(group.wait(), 3) << work.read(".group");
  }
  EXPECT_NE(work.read(".group").find("goes on"), std::string::npos) << work.read(".group");
  const auto before = count_lines(work.path("s"), 200);
  EXPECT_GT(std::count(before.begin(), before.end(), 1), 10);
  ASSERT_EQ(work.run("study work.yaml --out s").status, 0);
  EXPECT_EQ(work.read("s/table.csv"), work.read("calm/table.csv"));
  for (const int lines : count_lines(work.path("s"), 200)) EXPECT_EQ(lines, 1);
}

TEST(Study, FailuresTimeLimitsAndCrashesAreRows) {
  const Workspace work;
  work.write("s.yaml",
             "vesica: 1\nof: {function: work, set: {seconds: 0}}\ndesign: {method: list}\nvary:\n"
             "  x: {values: [1, 2, 3, 4]}\n  seconds: {values: [0 s, 0 s, 60 s, 0 s]}\n"
             "  end: {values: [well, fail, well, crash]}\noutputs: {y: y}\ntime_limit: 0.2 s\n");
  // The crash takes the process down; the next one goes on.
  EXPECT_NE(work.run("study s.yaml --threads 1 --out s").status, 0);
  ASSERT_EQ(work.run("study s.yaml --threads 1 --out s").status, 0);
  const std::string table = work.read("s/table.csv");
  EXPECT_NE(table.find("\n0,done,,1,"), std::string::npos) << table;
  EXPECT_NE(table.find("\n1,failed,told to fail,2,"), std::string::npos) << table;
  EXPECT_NE(table.find("\n2,timed_out,stopped after 0.2 s of processor time,3,"),
            std::string::npos);
  EXPECT_NE(table.find("\n3,failed,the program crashed in this run,4,"), std::string::npos)
      << table;
  // A longer limit changes no row that is there; what was not done is tried again on request.
  work.write("s.yaml", [&] {
    std::string text = work.read("s.yaml");
    return text.replace(text.find("0.2 s"), 5, "0.3 s");
  }());
  EXPECT_EQ(work.run("study s.yaml --out s --json").json()["executed"], 0);
  EXPECT_NE(work.run("study s.yaml --threads 1 --out s --retry --json").status,
            0);  // crashes again
  ASSERT_EQ(work.run("study s.yaml --out s").status, 0);
  EXPECT_NE(work.read("s/table.csv").find("stopped after 0.3 s"), std::string::npos);
}

TEST(Study, AChangedStudyIsRefusedWithTheDifference) {
  const Workspace work;
  work.write("ball.yaml", kBall);
  fs::copy_file(source_dir() + "/scenes/bouncing_ball.yaml", work.path("scene.yaml"));
  std::string text = kBall;
  text.replace(text.find("bouncing_ball"), 13, "scene.yaml");
  work.write("study.yaml", text);
  ASSERT_EQ(work.run("study study.yaml --out s --quiet").status, 0);
  const std::string table = work.read("s/table.csv");
  std::string more = text;
  more.replace(more.find("runs: 12"), 8, "runs: 13");
  work.write("study.yaml", more + "title: words are free\n");
  const Outcome changed = work.run("study study.yaml --out s");
  EXPECT_EQ(changed.status, 2);
  EXPECT_NE(changed.err.find("design.runs: 12 there, 13 here"), std::string::npos) << changed.err;
  EXPECT_EQ(changed.err.find("title"), std::string::npos) << changed.err;
  work.write("study.yaml", text + "title: words are free\n");
  EXPECT_EQ(work.run("study study.yaml --out s --quiet").status, 0);
  std::string scene = work.read("scene.yaml");
  work.write("scene.yaml", scene + "# another\n");
  const Outcome other = work.run("study study.yaml --out s");
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("scene.yaml: sha256"), std::string::npos) << other.err;
  EXPECT_EQ(work.read("s/table.csv"), table);
}

TEST(Study, BadInputIsRefusedBeforeARun) {
  const Workspace work;
  const auto error = [&](const std::string& from, const std::string& to) {
    std::string text = kBall;
    text.replace(text.find(from), from.size(), to);
    work.write("bad.yaml", text);
    const Outcome outcome = work.run("study bad.yaml --out s");
    EXPECT_EQ(outcome.status, 2) << to << outcome.err;
    EXPECT_NE(outcome.err.find("bad.yaml:"), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(work.path("s"))) << to;
    EXPECT_EQ(work.run("check bad.yaml").status, 2) << to;
    return outcome.err;
  };
  const auto expect = [](const std::string& said, const std::string& words) {
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  expect(error("bodies.ball.mass", "bodies.bal.mass"), "'bal'");
  expect(error("bodies.ball.mass", "bodies.ball.weight"), "weight");
  expect(error("runs: 12", "runs: 0"), "bad.yaml:3");
  expect(error(", low: 0.1 kg", ""), "give 'low'");
  expect(error("low: 0.2 m, high: 0.3 m", "low: 0.2 kg, high: 0.3 kg"), "height");
  expect(error("low: 0.2 m, high: 0.3 m", "values: []"), "empty");
  expect(error("max_normal_force", "max_force"), "max_normal_force");
  expect(error("ball.position.z", "ball.z"), "ball.position.z");
  expect(error("simulate: bouncing_ball", "simulate: bouncing_bal"), "bouncing_bal");
  expect(error("latin_hypercube", "latin"), "latin_hypercube");
  expect(error("method: latin_hypercube, runs: 12", "method: morris, trajectories: 4"), "bounds");
  expect(error("method: latin_hypercube, runs: 12", "method: grid"), "distribution");
  expect(error("down: {event: touchdown}", "height: {event: touchdown}"), "factor too");
  // Names that a table or a folder has already, or cannot have.
  for (const char* name : {"run", "status", "reason", "vesica", "inputs"}) {
    expect(error("down: {event", fmt::format("{}: {{event", name)), "is a column of every table");
    expect(error("  mass: {", fmt::format("  {}: {{", name)), "is a column of every table");
  }
  expect(error("down: {event", "'down [s]': {event"), "cannot be the name of a column");
  expect(error("down: {event: touchdown}", "peak: {event: touchdown}"), "appears twice");
  for (const char* name : {"../height", "a/b", "..", "''", "a b"}) {
    expect(error("curves: {height:", fmt::format("curves: {{{}:", name)), "curve");
  }
  // An entry belongs to one factor.
  expect(error("bodies.ball.mass", "bodies.ball.pose.position.2"), "the factor 'height' sets");
  expect(error("bodies.ball.mass", "bodies.ball.pose.position.02"), "the factor 'height' sets");
  expect(error("path: bodies.ball.mass", "paths: [bodies.ball.mass, bodies.ball.mass]"), "twice");
  // Units that a figure cannot be in.
  expect(
      error("max_normal_force\n",
            "max_normal_force\n  f: {summary: contacts.ball-ground.max_normal_force, unit: m}\n"),
      "is in N");
  expect(error("{event: touchdown}", "{event: touchdown, unit: kg}"), "is in s");
  expect(error("{event: touchdown}", "{event: touchdown, take: count, unit: s}"), "plain number");
  expect(error("points: 4", "points: 4, unit: N"), "is in m");
  expect(error("{event: touchdown}", "{column: ball.position.z, crosses: 2 kg}"), "crosses");
  // Times that no run gets to.
  expect(error("{event: touchdown}", "{column: ball.position.z, at: 0.31 s}"),
         "the runs end at 0.3 s");
  expect(error("{event: touchdown}", "{column: ball.position.z, take: max, from: 1 s}"), "'from'");
  expect(error("until: 0.3 s", "until: 1 s"), "'until'");
  // Nobody typed --set.
  EXPECT_EQ(error("bodies.ball.mass", "bodies.bal.mass").find("--set"), std::string::npos);
  EXPECT_EQ(error(", low: 0.1 kg", "").find("--set"), std::string::npos);
  EXPECT_EQ(error("duration: 0.3 s", "duration: -1 s").find("--set"), std::string::npos);
  // Indented with a tab.
  expect(error("  mass: {", "\tmass: {"), "begins with a tab");
}

// What a run has is converted to the unit that is asked for.
TEST(Study, OutputsAreInTheirUnits) {
  const Workspace work;
  work.write(
      "s.yaml",
      "vesica: 1\nof: {simulate: bouncing_ball, set: {duration: 0.3 s, output.interval: 10 ms}}\n"
      "design: {method: list}\nvary:\n  mass: {path: bodies.ball.mass, values: [160 g]}\n"
      "outputs:\n  a: {summary: contacts.ball-ground.max_normal_force}\n"
      "  b: {summary: contacts.ball-ground.max_normal_force, unit: kN}\n"
      "  c: {column: ball.position.z, at: 0.1 s}\n  d: {column: ball.position.z, at: 0.1 s, unit: "
      "mm}\n"
      "  e: {event: touchdown}\n  f: {event: touchdown, unit: ms}\n"
      "  g: {column: ball.velocity.z, take: integral, unit: mm}\n"
      "  h: {column: ball.position.z, take: last}\n  i: {column: ball.position.z, take: first}\n"
      "  j: {column: ball.position.z, crosses: 200 mm, direction: down}\n"
      "  k: {column: ball.position.z, crosses: 0.2, direction: down}\n"
      "curves: {h: {column: ball.position.z, until: 0.3 s, points: 2, unit: mm}}\n");
  ASSERT_EQ(work.run("study s.yaml --out s").status, 0) << work.read(".err");
  const auto figure = [&](const char* name) {
    return nlohmann::json::parse(work.read("s/answers.json"))["outputs"][name]["mean"]
        .get<double>();
  };
  EXPECT_NEAR(figure("b"), 1e-3 * figure("a"), 1e-12 * figure("a"));
  EXPECT_NEAR(figure("d"), 1e3 * figure("c"), 1e-9);
  EXPECT_NEAR(figure("f"), 1e3 * figure("e"), 1e-9);
  // The integral of the speed is the way, but for the steps of 10 ms about the impact.
  EXPECT_NEAR(figure("g"), 1e3 * (figure("h") - figure("i")), 15);
  EXPECT_EQ(figure("j"), figure("k"));
  const std::string curve = work.read("s/curve_h.csv");
  EXPECT_NEAR(std::stod(curve.substr(curve.find("\n0,") + 3)), 1e3 * figure("i"), 1e-9);
  EXPECT_NE(work.read("s/table.csv").find("b [kN]"), std::string::npos);
}

// What did not happen is said.
TEST(Study, EmptyCellsAreTold) {
  const Workspace work;
  work.write("s.yaml",
             "vesica: 1\nof: {simulate: bouncing_ball, set: {output.interval: 10 ms}}\n"
             "design: {method: list}\nvary:\n  duration: {values: [0.1 s, 0.3 s]}\n"
             "outputs:\n  late: {column: ball.position.z, at: 0.25 s}\n  end: end_time\n");
  const Outcome outcome = work.run("study s.yaml --out s");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("late has no number in 1 of the 2 runs"), std::string::npos)
      << outcome.out;
}

TEST(Study, AnotherKindOfInputIsNamed) {
  const Workspace work;
  for (const auto& [name, words] :
       {std::pair{"bouncing_ball", "'of: {simulate: bouncing_ball.yaml}'"},
        {"lower_extremity", "vesica markers"},
        {"heel_on_ground", "vesica probe"}}) {
    const Outcome outcome = work.run(fmt::format("study {}", name));
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  }
}

// Entries that one factor sets together are alike where it leaves them alone.
TEST(Study, SeveralEntriesOfAFactorHaveOneNominalValue) {
  const Workspace work;
  const auto write = [&](const char* set, const char* more) {
    work.write("s.yaml",
               fmt::format("vesica: 1\nof: {{function: linear, set: {{{}}}}}\n"
                           "design: {{method: sweep}}\nvary:\n"
                           "  x: {{paths: [x1, x2], values: [3, 4]{}}}\noutputs: {{y: y}}\n",
                           set, more));
    return work.run("study s.yaml --json --out " + std::string(more[0] != 0 ? "n" : "s"));
  };
  const Outcome differ = write("x1: 1, x2: 2", "");
  EXPECT_EQ(differ.status, 2);
  EXPECT_NE(differ.err.find("the input has 1 at x1 and 2 at x2"), std::string::npos) << differ.err;
  EXPECT_EQ(write("x1: 1, x2: 1", "").status, 0);
  EXPECT_EQ(write("x1: 1, x2: 2", ", nominal: 5").json()["answers"]["outputs"]["y"]["greatest"],
            10);
}

TEST(Study, StudiesThatComeAlongAreGood) {
  const Workspace work;
  const Outcome list = work.run("list --json");
  int count = 0;
  for (const auto& entry : list.json()) {
    if (entry["command"] != "study") continue;
    ++count;
    const Outcome check = work.run("check " + entry["name"].get<std::string>());
    EXPECT_EQ(check.status, 0) << entry["name"] << check.err;
    EXPECT_NE(check.out.find("vesica study"), std::string::npos);
  }
  EXPECT_GE(count, 3);
}

TEST(Study, KeepsFoldersAndHdf5OnRequest) {
  const Workspace work;
  work.write("ball.yaml", std::string(kBall) + "keep: {folders: true, hdf5: true}\n");
  ASSERT_EQ(work.run("study ball.yaml --threads 1 --out s").status, 0);
  EXPECT_TRUE(fs::exists(work.path("s/runs/000011/summary.json")));
  EXPECT_EQ(work.run("report s/runs/000003").status, 0);
  ASSERT_EQ(work.run("study ball.yaml --threads 2 --out other").status, 0);
  EXPECT_EQ(work.read("s/table.h5"), work.read("other/table.h5"));
  EXPECT_GT(work.read("s/table.h5").size(), 2000u);
}

// Three trials of one law without noise: what is left out is predicted, whichever it is.
TEST(Study, CrossValidatesFitsOverTrialsAndSubjects) {
  const Workspace work;
  work.write("sliding.yaml", "vesica: 1\ntype: sliding\ndata: a.csv\nnormal_force: 10 N\n");
  // F = 10 (0.3 + 0.05 v); the third has another friction.
  const auto rows = [](double mu, double first) {
    std::string text = "speed [m/s],friction_force [N]\n";
    for (int k = 0; k < 6; ++k) {
      const double v = first + 0.1 * k;
      text += fmt::format("{},{}\n", v, 10 * (mu + 0.05 * v));
    }
    return text;
  };
  work.write("a.csv", rows(0.3, 0.1));
  work.write("b.csv", rows(0.3, 0.2));
  work.write("c.csv", rows(0.4, 0.1));
  const std::string head =
      "vesica: 1\nof: {identify: sliding.yaml}\noutputs: {mu: parameters.mu_C.value, miss: "
      "evaluated.residual_rms}\n";
  work.write("cv.yaml",
             head + "design: {method: cross_validation}\ntrials: [a.csv, b.csv, c.csv]\n");
  ASSERT_EQ(work.run("study cv.yaml --out trials").status, 0) << work.read(".err");
  std::istringstream table(work.read("trials/table.csv"));
  std::string line;
  std::getline(table, line);
  std::vector<std::vector<std::string>> cells;
  while (std::getline(table, line)) {
    std::istringstream row(line);
    auto& out = cells.emplace_back();
    for (std::string cell; std::getline(row, cell, ',');) out.push_back(cell);
  }
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_EQ(cells[2][3], "c");
  EXPECT_NEAR(std::stod(cells[2][4]), 0.3, 1e-9);  // from a and b
  EXPECT_NEAR(std::stod(cells[2][5]), 1, 1e-6);    // misses by 10 N of 0.1
  // Within subjects each has its own law, and predicts itself.
  work.write("d.csv", rows(0.4, 0.3));
  work.write("cv.yaml", head +
                            "design: {method: cross_validation, leave_out: trial}\ntrials: {one: "
                            "[a.csv, b.csv], two: [c.csv, d.csv]}\n");
  ASSERT_EQ(work.run("study cv.yaml --out within --json").status, 0) << work.read(".err");
  EXPECT_LT(nlohmann::json::parse(work.read(".out"))["answers"]["outputs"]["miss"]["greatest"],
            1e-9);
  // Across subjects the other's law is applied.
  work.write("cv.yaml", head +
                            "design: {method: cross_validation, leave_out: subject}\ntrials: {one: "
                            "[a.csv, b.csv], two: [c.csv, d.csv]}\n");
  const Outcome across = work.run("study cv.yaml --out across --json");
  ASSERT_EQ(across.status, 0) << across.err;
  EXPECT_EQ(across.json()["runs"], 2);
  EXPECT_NEAR(across.json()["answers"]["outputs"]["miss"]["least"].get<double>(), 1, 1e-6);
  work.write("cv.yaml", head + "design: {method: cross_validation}\ntrials: [a.csv]\n");
  EXPECT_EQ(work.run("study cv.yaml --out none").status, 2);
}

// Markers without noise: the truth comes back from every start, and from the run's own seed.
TEST(Study, FitsMarkersFromSeveralStarts) {
  const Workspace work;
  work.write(
      "starts.yaml",
      "vesica: 1\nof: {markers: {model: lower_extremity, synthetic: {frames: 40, white_sd: 0 m}}}\n"
      "design: {method: multi_start, runs: 3}\nvary:\n"
      "  thigh: {path: segments.thigh_l.length, low: 0.36 m, high: 0.44 m}\n"
      "outputs: {objective: objective, error: marker_error_mm.max}\n"
      "best: {output: objective}\n");
  const Outcome outcome = work.run("study starts.yaml --out s --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["done"], 3);
  EXPECT_LT(outcome.json()["answers"]["outputs"]["error"]["greatest"].get<double>(), 1e-6);
}

// Recordings are beside the study, the model is elsewhere.
TEST(Study, RecordingsThatAFactorNamesAreInputs) {
  const Workspace work;
  const std::string trc = make_hip_trc();
  work.write("hip.trc", trc);
  work.write("s.yaml",
             "vesica: 1\nof: {markers: {model: functional_hip}}\ndesign: {method: list}\n"
             "vary:\n  trials: {values: [nowhere.trc, hip.trc]}\n"
             "outputs: {error: marker_error_mm.max}\n");
  const Outcome outcome = work.run("study s.yaml --out s --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["executed"], 2);
  const std::string table = work.read("s/table.csv");
  EXPECT_NE(table.find("\n0,failed,"), std::string::npos) << table;
  EXPECT_EQ(table.find("\n1,failed,"), std::string::npos) << table;
  EXPECT_NE(work.read("s/manifest.json").find("\"hip.trc\""), std::string::npos);
  work.write("hip.trc", trc + "\n");
  const Outcome edited = work.run("study s.yaml --out s");
  EXPECT_EQ(edited.status, 2);
  EXPECT_NE(edited.err.find("hip.trc: sha256"), std::string::npos) << edited.err;
}

TEST(Study, LeavesAPageAndAnswers) {
  const Workspace work;
  work.write("ball.yaml",
             std::string(kBall) + "title: A ball & its <height>\nbest: {output: peak}\n");
  ASSERT_EQ(work.run("study ball.yaml --out s").status, 0);
  const std::string page = work.read("s/report.html");
  EXPECT_NE(page.find("A ball &amp; its &lt;height&gt;"), std::string::npos);
  const auto answers = nlohmann::json::parse(work.read("s/answers.json"));
  EXPECT_EQ(answers["outputs"]["peak"]["count"], 12);
  EXPECT_EQ(answers["best"]["runs"].size(), 10u);
  EXPECT_EQ(work.run("study ball.yaml --out s --status --json").json()["finished"], 12);
  if (std::system("command -v chromium >/dev/null 2>&1") != 0) return;
  const std::string dumped = work.path("page");
  ASSERT_EQ(std::system(fmt::format("chromium --headless --no-sandbox --disable-gpu --dump-dom "
                                    "'file://{}' >'{}' 2>/dev/null",
                                    work.path("s/report.html"), dumped)
                            .c_str()),
            0);
  EXPECT_NE(work.read("page").find("data-state=\"done\""), std::string::npos);
  EXPECT_EQ(work.read("page").find("data-error"), std::string::npos);
}

}  // namespace
}  // namespace vesica::test::study_test
