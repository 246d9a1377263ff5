// Runs that stop and go on, recordings that are streamed, what is refused before a run.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>

#include "tests/simulation/loaded_scene.h"
#include "tests/support/support.h"
#include "vesica/simulation/checkpoint_file.h"
#include "vesica/simulation/recording.h"
#include "vesica/simulation/recording_hdf5.h"
#include "vesica/simulation/run_checks.h"

namespace vesica::checkpoint_test {
namespace {

namespace fs = std::filesystem;

std::string temporary(const std::string& name) {
  return (fs::temp_directory_path() / fmt::format("vesica_{}_{}", getpid(), name)).string();
}

struct Seen : RunObserver {
  std::vector<double> rows;  // time first
  std::vector<Checkpoint> checkpoints;
  void on_row(double t, const std::vector<double>& values) override {
    rows.push_back(t);
    rows.insert(rows.end(), values.begin(), values.end());
  }
  void on_checkpoint(const Checkpoint& checkpoint) override { checkpoints.push_back(checkpoint); }
};

struct Outcome {
  Seen seen;
  RunResult result;
};

Outcome run(const std::string& text, const Checkpoint* from = nullptr) {
  const auto scene = test::load_scene(text);
  Outcome outcome;
  RunControl control;
  control.observer = &outcome.seen;
  control.from = from;
  if (from) control.pulse = 0;  // after every step: looking changes nothing
  outcome.result = simulate(scene.system, scene.options, control);
  EXPECT_TRUE(outcome.result.failure.empty()) << outcome.result.failure;
  return outcome;
}

// Its rows end with those, bit by bit.
void expect_tail(const std::vector<double>& all, const std::vector<double>& tail) {
  ASSERT_GE(all.size(), tail.size());
  ASSERT_GT(tail.size(), 0u);
  EXPECT_EQ(std::memcmp(all.data() + (all.size() - tail.size()), tail.data(),
                        tail.size() * sizeof(double)),
            0);
}

// Tumbling solids of two cells with restitution and bristles; a push that ends at a checkpoint.
std::string make_scene(const std::string& duration, const std::string& solver,
                       const std::string& checkpoints) {
  return fmt::format(
      "vesica: 1\nbodies:\n"
      "  die:\n    mass: 0.1\n    inertia: [4.0e-5, 4.0e-5, 4.0e-5]\n"
      "    shapes:\n"
      "      - {{type: box, size: [0.05, 0.05, 0.03]}}\n"
      "      - {{type: box, size: [0.02, 0.02, 0.03], pose: {{position: [0, 0, 0.03]}}}}\n"
      "    pose: {{position: [0, 0, 0.07], axis: [1, 2, 0.5], angle: 0.7}}\n"
      "    velocity: {{linear: [0.3, 0.1, -1], angular: [3, 5, 2]}}\n"
      "  table: {{fixed: true, shape: {{type: box, size: [1, 1, 0.1]}}, pose: {{position: [0, 0, "
      "-0.05]}}}}\n"
      "contacts:\n  - between: [die, table]\n"
      "    normal: {{law: volumetric, stiffness: 1.0e9, restitution: 0.5, v_small: 1.0e-3}}\n"
      "    friction: {{law: brown_mcphee, mu_s: 0.4, mu_d: 0.3, v_t: 0.01}}\n"
      "forces:\n  - {{type: force, body: die, force: [0.5, 0, 0], from: 0.04, until: 0.06}}\n"
      "duration: {}\nsolver: {}\noutput: {{interval: 0.003{}}}\n",
      duration, solver, checkpoints.empty() ? "" : ", checkpoints: " + checkpoints);
}

const std::vector<const char*> kFixed = {"{method: rk4, step: 2.0e-5}",
                                         "{method: semi_implicit_euler, step: 1.0e-5}"};
const std::vector<const char*> kAdaptive = {
    "{method: cvode, tolerance: 1.0e-7}", "{method: arkode, tolerance: 1.0e-7}",
    "{method: dopri5, tolerance: 1.0e-7}", "{method: rodas5p, tolerance: 1.0e-7}"};

// From every checkpoint, through text as on disk, the run goes on with the same bytes. Fixed steps
// do not notice that they left one.
TEST(Checkpoint, RunsGoOnWithTheSameBytes) {
  for (const bool fixed : {true, false}) {
    for (const char* solver : fixed ? kFixed : kAdaptive) {
      SCOPED_TRACE(solver);
      const std::string text = make_scene("0.15", solver, "[0.06, 0.1]");
      const Outcome whole = run(text);
      ASSERT_GT(whole.result.monitors[0].touchdowns, 1);
      ASSERT_GE(whole.seen.checkpoints.size(), 3u);
      for (const Checkpoint& checkpoint : whole.seen.checkpoints) {
        if (checkpoint.state.t >= 0.149) continue;
        SCOPED_TRACE(checkpoint.state.t);
        const Checkpoint read = parse_checkpoint(as_line(checkpoint), "here");
        EXPECT_TRUE(read == checkpoint);
        const Outcome rest = run(text, &read);
        EXPECT_EQ(rest.seen.rows.size() / (whole.result.recording.columns.size() + 1),
                  51 - count_rows(checkpoint.state.t, 0.003));
        expect_tail(whole.seen.rows, rest.seen.rows);
        EXPECT_TRUE(rest.result.final_state == whole.result.final_state);
        EXPECT_EQ(rest.result.residual, whole.result.residual);
      }
      if (fixed) {
        const Outcome plain = run(make_scene("0.15", solver, ""));
        EXPECT_EQ(plain.result.hash.text(), whole.result.hash.text());
      }
    }
  }
}

// A run that ended earlier goes on as one that was longer from the start: with fixed steps as if it
// had not ended, also where its duration is no multiple of the step; with the others as one that
// has a checkpoint there.
TEST(Checkpoint, AShorterRunGoesOnAsALongerOne) {
  for (const char* solver : {kFixed[0], kAdaptive[0], kAdaptive[1], kAdaptive[2], kAdaptive[3]}) {
    SCOPED_TRACE(solver);
    const bool fixed = solver == kFixed[0];
    for (const char* end : {"0.06", "0.1", "0.100007"}) {
      SCOPED_TRACE(end);
      const Outcome first = run(make_scene(end, solver, ""));
      const Checkpoint* last = nullptr;
      for (const Checkpoint& each : first.seen.checkpoints) {
        if (!each.cut) last = &each;
      }
      ASSERT_NE(last, nullptr);
      EXPECT_NEAR(last->state.t, std::stod(end), fixed ? 2.1e-5 : 0);
      const std::string at = fixed ? "" : fmt::format("[{}]", end);
      const Outcome second = run(make_scene("0.15", solver, at), last);
      const Outcome whole = run(make_scene("0.15", solver, at));
      expect_tail(whole.seen.rows, second.seen.rows);
      EXPECT_TRUE(second.result.final_state == whole.result.final_state);
    }
  }
}

TEST(Checkpoint, AnInterruptedRunGoesOn) {
  const std::string text = make_scene("0.15", kFixed[0], "");
  const auto scene = test::load_scene(text);
  std::atomic<bool> stop{false};
  struct Stopper : Seen {
    std::atomic<bool>* stop;
    void on_row(double t, const std::vector<double>& values) override {
      Seen::on_row(t, values);
      if (t > 0.07) *stop = true;
    }
  } seen;
  seen.stop = &stop;
  RunControl control;
  control.observer = &seen;
  control.stop = &stop;
  control.keep_rows = false;
  const RunResult result = simulate(scene.system, scene.options, control);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.recording.rows(), 0u);
  EXPECT_EQ(result.rows * (result.recording.columns.size() + 1), seen.rows.size());
  ASSERT_FALSE(seen.checkpoints.empty());
  EXPECT_NEAR(seen.checkpoints.back().state.t, 0.072, 2.1e-5);
  const Outcome rest = run(text, &seen.checkpoints.back());
  seen.rows.insert(seen.rows.end(), rest.seen.rows.begin(), rest.seen.rows.end());
  EXPECT_EQ(seen.rows, run(text).seen.rows);
}

// Looking at a run, which the clock on the wall decides, changes nothing that it leaves. Without
// damping the largest energy is that of the deepest state, between two looks of the steps' own.
TEST(Checkpoint, TheClockDoesNotReachTheLargestEnergy) {
  for (const char* solver : {kFixed[0], kFixed[1], kAdaptive[0], kAdaptive[2], kAdaptive[3]}) {
    SCOPED_TRACE(solver);
    const auto scene = test::load_scene(fmt::format(
        "vesica: 1\nbodies:\n"
        "  ball: {{mass: 0.5, inertia: [1.0e-3, 1.0e-3, 1.0e-3], shape: {{type: sphere, radius: "
        "0.1}}, pose: {{position: [0, 0, 0.11]}}}}\n"
        "  ground: {{fixed: true, shape: {{type: half_space}}}}\n"
        "contacts: [{{between: [ball, ground], normal: {{law: volumetric, stiffness: 1.0e7}}, "
        "friction: {{law: none}}}}]\n"
        "duration: 0.1\nsolver: {}\noutput: {{checkpoints: 0.02}}\n",
        solver));
    Seen seen[2];
    RunResult results[2];
    for (const int often : {0, 1}) {
      RunControl control;
      control.observer = &seen[often];
      control.pulse = often ? 0 : 1e9;
      results[often] = simulate(scene.system, scene.options, control);
    }
    EXPECT_EQ(results[0].monitors[0].touchdowns, 1);
    EXPECT_EQ(results[0].largest_energy, results[1].largest_energy);
    EXPECT_EQ(results[0].energy_scale, results[1].energy_scale);
    EXPECT_TRUE(seen[0].checkpoints == seen[1].checkpoints);
  }
}

// A signal is seen within a step too: the solver looks in every evaluation.
TEST(Checkpoint, AStopWithinAStepKeepsTheStateBefore) {
  for (const char* solver : kAdaptive) {
    const auto scene = test::load_scene(make_scene("0.15", solver, ""));
    std::atomic<bool> stop{true};
    Seen seen;
    RunControl control;
    control.observer = &seen;
    control.stop = &stop;
    const RunResult result = simulate(scene.system, scene.options, control);
    EXPECT_TRUE(result.interrupted);
    EXPECT_TRUE(result.failure.empty()) << result.failure;
    EXPECT_EQ(result.end_time, 0);
    ASSERT_EQ(seen.checkpoints.size(), 1u);
    EXPECT_EQ(seen.checkpoints[0].state.t, 0);
  }
}

TEST(Checkpoint, TextKeepsEveryBit) {
  Checkpoint c;
  c.state.t = 0.1 + 0.2;
  c.state.y = {-0.0, 5e-324, 1.7976931348623157e308, 1.0 / 3, -2.2250738585072014e-308, 1e22, 3};
  c.state.memory = {{{-0.1, true}, -1, true}, {{1e-17, false}, 7, false}};
  c.largest_energy = std::nextafter(1.0, 2.0);
  c.cut = true;
  const Checkpoint read = parse_checkpoint(as_line(c), "here");
  EXPECT_TRUE(read == c);
  EXPECT_TRUE(std::signbit(read.state.y[0]));
  EXPECT_THROW(parse_checkpoint("{\"time\": 1}", "here"), InputError);
}

TEST(Checkpoint, FilesKeepWhatStaysAndTheLast) {
  const std::string path = temporary("checkpoints.jsonl");
  const auto at = [](double t) {
    Checkpoint c;
    c.state.t = t;
    c.state.y = {t};
    return c;
  };
  CheckpointFile file(path);
  file.add(at(1), true);
  file.add(at(1.5), false);
  file.add(at(1.75), false);
  ASSERT_EQ(load_checkpoints(path).size(), 2u);  // while it is open
  EXPECT_EQ(load_checkpoints(path)[1].state.t, 1.75);
  file.add(at(2), true);
  file.add(at(3), true);
  file.close();
  EXPECT_EQ(load_checkpoints(path).size(), 3u);
  fs::resize_file(path, fs::file_size(path) - 5);  // killed in the middle of a line
  ASSERT_EQ(load_checkpoints(path).size(), 2u);
  EXPECT_EQ(load_checkpoints(path)[1].state.t, 2);
  fs::remove(path);
}

// What was flushed is there for a reader, although nobody has closed the file: a copy is what a
// killed program leaves.
TEST(RecordingHdf5, RowsAreThereOnceFlushed) {
  const std::string path = temporary("stream.h5"), copy = temporary("copy.h5");
  const std::vector<TimeTable::Column> columns = {{"a", "m"}, {"b", "N"}, {"c", "1"}};
  Hdf5Stream stream(path, columns);
  const auto add = [&](int from, int until) {
    for (int k = from; k < until; ++k) {
      const double values[] = {k + 0.1, -1.0 * k, std::sqrt(k)};
      stream.add_row(0.01 * k, values);
    }
  };
  const auto expect_rows = [&](const std::string& file, size_t least) {
    const TimeTable table = load_hdf5(file);
    ASSERT_GE(table.rows(), least);
    ASSERT_EQ(table.columns.size(), 3u);
    EXPECT_EQ(table.columns[1].name, "b");
    EXPECT_EQ(table.columns[1].unit, "N");
    for (size_t r = 0; r < least; ++r) {
      const auto k = static_cast<double>(r);
      ASSERT_EQ(table.times[r], 0.01 * k);
      ASSERT_EQ(table.at(r, 1), -k);
      ASSERT_EQ(table.at(r, 2), std::sqrt(k));
    }
  };
  int rows = 0;
  for (const int more : {1, 7, 3000, 50000}) {  // within a chunk, over several
    add(rows, rows + more);
    rows += more;
    stream.flush();
    add(rows, rows + 40000);  // written in part, not flushed
    rows += 40000;
    fs::copy_file(path, copy, fs::copy_options::overwrite_existing);
    expect_rows(copy, static_cast<size_t>(rows - 40000));
  }
  stream.close();
  expect_rows(path, static_cast<size_t>(rows));
  fs::remove(path);
  fs::remove(copy);
}

TEST(RecordingHdf5, SavedRecordingsReadBack) {
  const auto scene = test::load_scene(make_scene("0.02", kFixed[0], ""));
  const RunResult result = simulate(scene.system, scene.options);
  EXPECT_EQ(result.hash.text(), calc_hash(result.recording));
  EXPECT_EQ(result.rows, result.recording.rows());
  const std::string path = temporary("saved.h5");
  save_hdf5(path, result.recording);
  const TimeTable read = load_hdf5(path);
  EXPECT_EQ(calc_hash(read), calc_hash(result.recording));
  fs::remove(path);
  EXPECT_THROW(load_hdf5(path), InputError);
  EXPECT_THROW(save_hdf5("/dev/null/no/folder.h5", result.recording), InputError);
}

void expect_refused(const std::function<void()>& f, const std::vector<std::string>& words) {
  const std::string message = test::input_error_of(f);
  for (const std::string& word : words) {
    EXPECT_NE(message.find(word), std::string::npos) << message << "\nexpected: " << word;
  }
}

// Refused when the file is read, at the key that would have to change.
TEST(RunChecks, WhatWouldEndBadlyIsRefusedAtItsKey) {
  const auto options_of = [](const std::string& set) {
    auto file = InputFile::parse(make_scene("0.15", kFixed[0], ""), "scene.yaml");
    file.set(set.substr(0, set.find('=')), set.substr(set.find('=') + 1));
    return read_run_options(file);
  };
  expect_refused([&] { options_of("solver.step=1.0e-12"); },
                 {"solver.step", "1.5e+11 steps", "shorter duration"});
  expect_refused([&] { options_of("duration=1.0e7"); }, {"solver.step", "5e+11 steps"});
  expect_refused([&] { options_of("output.interval=1.0e-12"); }, {"output.interval", "rows"});
  expect_refused([&] { options_of("output.checkpoints=1.0e-7"); },
                 {"output.checkpoints", "checkpoints"});
  expect_refused([&] { options_of("output.checkpoints=[0.1, 0.05]"); },
                 {"output.checkpoints.1", "increase"});
  expect_refused([&] { options_of("solver={method: cvode, max_step: 1.0e-12}"); },
                 {"solver.max_step", "steps"});
  EXPECT_EQ(options_of("output.checkpoints=0.05").checkpoints, (std::vector<double>{0.05, 0.1}));
  EXPECT_EQ(options_of("output.checkpoints=[0.02, 0.15, 7]").checkpoints,
            (std::vector<double>{0.02}));
}

TEST(RunChecks, MemoryDiskAndStart) {
  const auto file = InputFile::parse(make_scene("0.15", kFixed[0], ""), "scene.yaml");
  RunOptions options = read_run_options(file);
  check_memory(file, options, 40);
  check_disk(file, options, 400, "/tmp");
  options.duration = 1e9;  // 3e11 rows
  expect_refused([&] { check_memory(file, options, 40); },
                 {"output.interval", "3.3e+11 rows", "memory"});
  expect_refused([&] { check_disk(file, options, 400, "/tmp"); }, {"output.interval", "disk"});

  const auto start = [](const std::string& path, const std::string& value) {
    auto changed = InputFile::parse(make_scene("0.15", kFixed[0], ""), "scene.yaml");
    changed.set(path, value);
    check_start(changed, System<double>(read_scene<double>(changed), true));
  };
  start("duration", "0.2");
  expect_refused([&] { start("bodies.die.velocity.angular", "[1.0e308, 1.0e308, 0]"); },
                 {"scene.yaml:3: bodies", "not finite", "units"});
  expect_refused([&] { start("bodies.die.velocity.linear", "[1.0e200, 0, 0]"); },
                 {"bodies", "not finite"});
}

}  // namespace
}  // namespace vesica::checkpoint_test
