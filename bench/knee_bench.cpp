// knee_bench [SCENES]: how many times faster than real time the knee swings (scenes/knee.yaml),
// without and with pressure maps (knee_maps.yaml), how long a run of a study takes beside the
// swing, and a thousand of them. Processor time, medians; SCENES: the folder, "scenes" without.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bench/timing.h"
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
  vesica::bench::measure_parts(folder + "/knee.yaml");
  const auto here = std::filesystem::path(argv[0]).parent_path();
  vesica::bench::measure_study((here / "vesica").string());
}
