// knee_bench [SCENES]: how many times faster than real time the knee swings (scenes/knee.yaml),
// without and with pressure maps (knee_maps.yaml), with the strands of a table, and as the tool
// runs it with its files; how long a run of a study takes beside the swing, and a thousand of them.
// Processor time, medians; SCENES: the folder, "scenes" without.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bench/timing.h"
#include "tests/biomechanics/lenhart_surfaces.h"
#include "vesica/biomechanics/knee_strands.h"
#include "vesica/io/yaml.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/simulate.h"

namespace vesica::bench {
namespace {

struct Case {
  std::string name;
  Solver solver;
  double tolerance, interval;
  const char* scene = "/knee.yaml";
};

constexpr int kRounds = 25;

void measure_swings(const std::string& folder) {
  const Case cases[] = {
      {"dopri5, 1e-5, 100 Hz", Solver::kDopri5, 1e-5, 1e-2},
      {"dopri5, 1e-5, 100 Hz, maps", Solver::kDopri5, 1e-5, 1e-2, "/knee_maps.yaml"},
      {"dopri5, 1e-5, 1 kHz", Solver::kDopri5, 1e-5, 1e-3},
      {"dopri5, 1e-6, 1 kHz", Solver::kDopri5, 1e-6, 1e-3},
      {"dopri5, 1e-8, 1 kHz", Solver::kDopri5, 1e-8, 1e-3},
      {"rodas5p, 1e-5, 100 Hz", Solver::kRodas5p, 1e-5, 1e-2},
      {"cvode, 1e-5, 100 Hz", Solver::kCvode, 1e-5, 1e-2}};
  Rounds rounds;
  double duration = 0;
  std::vector<double> ends;
  for (const Case& c : cases) {
    Model model = load_model(folder + c.scene);
    model.run.solver = c.solver;
    model.run.tolerance = c.tolerance;
    model.run.interval = c.interval;
    duration = model.run.duration;
    const RunOptions options = make_run_options(model);
    auto system = std::make_shared<System<double>>(make_scene<double>(model), options.ledger);
    const RunResult once = simulate(*system, options);
    ends.push_back(once.recording.column(once.recording.find("knee.flexion")).back() * 180 / kPi);
    rounds.add(c.name, 1, [system, options] { keep(simulate(*system, options)); });
  }
  rounds.measure(kRounds);
  fmt::print("a swing of {} s, twelve ligaments, two spheres on planes\n", duration);
  size_t k = 0;
  for (const Case& c : cases) {
    const double ms = rounds.time(c.name) * 1e-6;
    fmt::print("  {:<28}{:8.3f} ms  {:6.0f} x real time   flexion at the end {:.4f} deg\n", c.name,
               ms, duration * 1e3 / ms, ends[k++]);
  }
}

// The published strands, which are beside the repository: straight, and over their surfaces.
void measure_strands(const std::string& table) {
  if (!std::filesystem::exists(table)) return fmt::print("no {}: its knee is left out\n", table);
  constexpr double kDuration = 0.1;  // before a strand's end comes inside its surface
  Rounds rounds;
  const std::string surfaces[] = {"", test::save_lenhart_surfaces()};
  const char* names[] = {"straight", "over surfaces"};
  double evaluations[2];
  for (int k = 0; k < 2; ++k) {
    Model model =
        biomechanics::make_knee(biomechanics::make_strand_options(table, nullptr, surfaces[k]));
    model.run.tolerance = 1e-5;
    model.run.interval = 1e-2;
    model.run.duration = kDuration;
    const RunOptions options = make_run_options(model);
    auto system = std::make_shared<System<double>>(make_scene<double>(model), options.ledger);
    const RunResult once = simulate(*system, options);
    if (!once.failure.empty()) fmt::print("{} strands: {}\n", names[k], once.failure);
    evaluations[k] = static_cast<double>(once.statistics.evaluations);
    rounds.add(names[k], 1, [system, options] { keep(simulate(*system, options)); });
  }
  rounds.measure(kRounds);
  fmt::print("55 strands, dopri5, 1e-5, 100 Hz, the first {} s of the swing\n", kDuration);
  for (int k = 0; k < 2; ++k) {
    const double ms = rounds.time(names[k]) * 1e-6;
    fmt::print("  {:<28}{:8.3f} ms  {:6.2f} x real time   {:.1f} us an evaluation\n", names[k], ms,
               kDuration * 1e3 / ms, 1e3 * ms / evaluations[k]);
  }
  std::filesystem::remove(surfaces[1]);
}

// What a run of a study costs beside the swing: reading the scene, statics.
void measure_parts(const std::string& file) {
  Rounds rounds;
  const InputFile input = InputFile::load(file);
  const std::string text = input.dump();
  const Model model = load_model(file);
  rounds.add("read", 1, [&] { keep(read_model(InputFile::parse(text, "knee.yaml"))); });
  rounds.add("statics", 1, [&] { keep(make_scene<double>(model)); });
  rounds.measure(kRounds);
  fmt::print("reading the scene {:.3f} ms, statics {:.3f} ms\n", rounds.time("read") * 1e-6,
             rounds.time("statics") * 1e-6);
}

// A swing as a user has it: read, run and written by the tool, by the clock of its run.
void measure_tool(const std::string& tool) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / fmt::format("knee_bench_run_{}", getpid());
  if (!fs::exists(tool)) return;
  for (const char* scene : {"knee", "knee_maps"}) {
    std::vector<double> rates;
    for (int k = 0; k < 9; ++k) {
      const std::string command = fmt::format(
          "{} simulate {} --quiet --set solver.tolerance=1e-5 --set "
          "'output.interval=10 ms' --out {}",
          tool, scene, folder.string());
      if (std::system(command.c_str()) != 0) return fmt::print("{} failed\n", command);
      const auto summary = nlohmann::json::parse(std::ifstream(folder / "summary.json"));
      rates.push_back(summary["solver"]["simulated_seconds_per_second"].get<double>());
    }
    std::sort(rates.begin(), rates.end());
    fmt::print(
        "vesica simulate {}, 1e-5, 100 Hz, files written: {:.0f} x real time by the clock "
        "(middle of {}, {:.0f} to {:.0f})\n",
        scene, rates[rates.size() / 2], rates.size(), rates.front(), rates.back());
  }
  fs::remove_all(folder);
}

// A thousand knees as a user has them, by the tool beside this program: the clock, and the
// processor time of all threads. The tables of one and of two threads are compared.
void measure_study(const std::string& tool) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / fmt::format("knee_bench_{}", getpid());
  if (!fs::exists(tool)) return fmt::print("no {}: its study is left out\n", tool);
  std::vector<double> wall, processor;
  std::set<std::string> tables;
  const auto run = [&](int threads) {
    fs::remove_all(folder);
    rusage before{}, after{};
    getrusage(RUSAGE_CHILDREN, &before);
    const auto start = std::chrono::steady_clock::now();
    const std::string command = fmt::format(
        "{} study knee_monte_carlo --quiet --threads {} --out {}", tool, threads, folder.string());
    if (std::system(command.c_str()) != 0) fmt::print("{} failed\n", command);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    getrusage(RUSAGE_CHILDREN, &after);
    const auto seconds = [](const timeval& t) {
      return double(t.tv_sec) + 1e-6 * double(t.tv_usec);
    };
    wall.push_back(time.count());
    processor.push_back(seconds(after.ru_utime) + seconds(after.ru_stime) -
                        seconds(before.ru_utime) - seconds(before.ru_stime));
    std::ostringstream table;
    table << std::ifstream(folder / "table.csv").rdbuf();
    tables.insert(table.str());
  };
  for (int k = 0; k < 3; ++k) run(2);
  const auto middle = [](std::vector<double> x) {
    std::sort(x.begin(), x.end());
    return x[x.size() / 2];
  };
  const double clock = middle(wall), work = middle(processor);
  run(1);
  fs::remove_all(folder);
  fmt::print(
      "vesica study knee_monte_carlo --threads 2, 1,000 runs: {:.1f} s by the clock, {:.1f} s of "
      "processor time (middle of 3)\ntables of two threads, three times, and of one: {}\n",
      clock, work, tables.size() == 1 ? "the same bytes" : "DIFFERENT");
}

}  // namespace
}  // namespace vesica::bench

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "scenes";
  vesica::bench::measure_swings(folder);
  vesica::bench::measure_strands(folder + "/../../shared/data/knee/lenhart2015_ligaments.csv");
  vesica::bench::measure_parts(folder + "/knee.yaml");
  const auto here = std::filesystem::path(argv[0]).parent_path();
  vesica::bench::measure_tool((here / "vesica").string());
  vesica::bench::measure_study((here / "vesica").string());
}
