// knee_bench [SCENES]: how many times faster than real time the knee swings (scenes/knee.yaml),
// without and with pressure maps (knee_maps.yaml), and how long a Monte-Carlo run takes. Processor
// time, medians; SCENES: the folder, "scenes" without.
#include <fmt/format.h>

#include <memory>
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

}  // namespace
}  // namespace vesica::bench

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "scenes";
  vesica::bench::measure_swings(folder);
  vesica::bench::measure_parts(folder + "/knee.yaml");
}
