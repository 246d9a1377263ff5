// Marker identification at the sizes of Andersen et al. 2009.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>

#include "bench/marker_parts.h"
#include "bench/timing.h"
#include "vesica/io/load_motion.h"
#include "vesica/io/trc.h"
#include "vesica/markers/confidence.h"
#include "vesica/markers/lower_extremity.h"
#include "vesica/markers/recording.h"
#include "vesica/markers/run.h"
#include "vesica/math/parallel.h"

namespace vesica::markers {

double thread_seconds() { return 1e-9 * bench::thread_nanoseconds(); }
double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void for_each_repetition(const std::string& what, int count, const std::function<void(int)>& f) {
  std::atomic<int> done{0};
  for_each_index(count, 0, [&](int k, int) {
    f(k);
    const int now = ++done;
    if (isatty(2) != 0) {
      fmt::print(stderr, "\r{}: {} of {}   {}", what, now, count, now == count ? "\n" : "");
    } else if (10 * now / count > 10 * (now - 1) / count) {
      fmt::print(stderr, "{}: {} of {}\n", what, now, count);
    }
  });
}

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}
double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// 255 frames with everything that `vesica markers` does after reading: subjects, motions, kinds and
// sizes of noise, gaps, wild markers, losses and both models drawn at random. The largest, not the
// usual.
void run_always(int runs) {
  std::vector<double> wall, processor;
  double worst = 0;
  std::string what;
  int failed = 0;
  for (int r = 0; r < runs; ++r) {
    std::mt19937_64 random(r + 1);
    std::uniform_real_distribution<double> unit;
    Run run;
    run.model = make_lower_extremity(unit(random) < 0.5);
    const double size = 0.5 + 1.5 * unit(random);
    const Eigen::VectorXd truth = make_subject(run.model, size, 1000 + r);
    MarkerNoise noise;
    noise.white_sd = 0.005 * unit(random);
    noise.soft_tissue_sd = unit(random) < 0.5 ? 0 : 0.008 * unit(random);
    noise.soft_tissue_time = 0.02 + 0.5 * unit(random);
    noise.occluded_fraction = unit(random) < 0.5 ? 0 : 0.05 * unit(random);
    const auto kind = unit(random) < 0.5 ? MotionKind::kGait : MotionKind::kRangeOfMotion;
    run.trials.push_back(
        make_synthetic_trial(run.model, truth, kind, 255, 100, noise, r + 1).trial);
    const Faults faults{unit(random) < 0.5, unit(random) < 0.5};
    if (faults.lost || faults.wild) add_faults(run.model, faults, 1000 + r, run.trials[0]);
    const int loss = static_cast<int>(3 * unit(random));
    if (loss > 0) run.model.loss = {loss == 1 ? LossType::kHuber : LossType::kTukey, 0.01 * loss};
    const auto begin = Clock::now();
    const double used = processor_seconds();
    run_identification(run, {});
    wall.push_back(seconds_since(begin));
    processor.push_back(processor_seconds() - used);
    failed += run.id->summary.converged ? 0 : 1;
    if (processor.back() > worst) {
      const char* names[] = {"squares", "Huber", "Tukey"};
      worst = processor.back();
      what = fmt::format(
          "{}, {} parameters, {}, size {:.1f}, white {:.1f} mm, soft tissue {:.1f} mm {:.2f} s, "
          "hidden "
          "{:.1f} %{}{}: start {:.2f} s, solve {:.2f} s, {} iterations",
          kind == MotionKind::kGait ? "gait" : "range of motion", run.model.parameter_count(),
          names[loss], size, noise.white_sd * 1e3, noise.soft_tissue_sd * 1e3,
          noise.soft_tissue_time, noise.occluded_fraction * 100, faults.lost ? ", lost" : "",
          faults.wild ? ", wild" : "", run.id->summary.seconds_start, run.id->summary.seconds_solve,
          run.id->summary.iterations.size());
    }
  }
  const auto print = [&](const char* name, std::vector<double>& times) {
    std::sort(times.begin(), times.end());
    fmt::print("  {:<16} median {:.3f}, 95 % {:.3f}, largest {:.3f}; over 0.5 s: {}\n", name,
               times[times.size() / 2], times[times.size() * 95 / 100], times.back(),
               std::count_if(times.begin(), times.end(), [](double t) { return t > 0.5; }));
  };
  fmt::print("\n255 frames, {} random recordings, seconds without reading; not converged: {}\n",
             runs, failed);
  print("wall clock", wall);
  print("processor", processor);
  fmt::print("  most work: {}\n", what);
}

// Reading included: the recording goes through a file, as a user's does.
void run_sizes(const std::vector<int>& sizes) {
  fmt::print(
      "\nwhole fits, noise 3 mm, reading included\n"
      "frames  variables  read s  start s  solve s  confidence s  total s  iterations (start)  KKT"
      "      peak MiB\n");
  const auto file = std::filesystem::temp_directory_path() / fmt::format("vesica_{}.trc", getpid());
  for (int frames : sizes) {
    const bool rom = frames > 255;
    const Model model = make_lower_extremity(rom);
    const MotionKind kind = rom ? MotionKind::kRangeOfMotion : MotionKind::kGait;
    {
      MarkerTracks tracks;
      tracks.rate = 100;
      tracks.unit_in_file = "mm";
      for (const Marker& m : model.markers) tracks.labels.push_back(m.name);
      tracks.positions = make_synthetic_trial(model, make_subject(model, 1, 3), kind, frames, 100,
                                              {0.003, 0, 0.1, 0}, 1)
                             .trial.positions;
      for (int f = 0; f < frames; ++f) tracks.times.push_back(f / 100.0);
      save_trc(file.string(), tracks);
    }
    const auto begin = Clock::now();
    const std::vector<Trial> trials{make_trial(model, load_motion(file.string()), "", {}, nullptr)};
    const double read = seconds_since(begin);
    Identification id = identify(model, trials, {});
    const auto solved = Clock::now();
    calc_confidence(id, trials);
    fmt::print(
        "{:6d} {:10d} {:7.3f} {:8.3f} {:8.3f} {:13.3f} {:8.3f} {:11d} {:7d}  {:.1e} {:9.0f}\n",
        frames, model.coordinate_count() * frames + model.parameter_count(), read,
        id.summary.seconds_start, id.summary.seconds_solve, seconds_since(solved),
        seconds_since(begin), id.summary.iterations.size(), id.summary.start_iterations,
        id.summary.kkt_relative, peak_mib());
  }
  std::filesystem::remove(file);
}

// How far the start values may be off: exact markers, so that a success is d to 1e-9.
void run_basin(int subjects) {
  fmt::print(
      "\nstart values off the truth, {} subjects, 60 frames of gait, exact markers; found: d to "
      "1e-9\n                                 automatic start                    from the values\n"
      "  size  largest error          found  iterations  error    KKT      found  iterations\n",
      subjects);
  const Model model = make_lower_extremity(false);
  for (double size : {0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0}) {
    int found[2] = {0, 0};
    size_t most[2] = {0, 0};  // iterations of those that were found
    double centimetres = 0, degrees = 0, error = 0, kkt = 0;
    for (int subject = 0; subject < subjects; ++subject) {
      const Eigen::VectorXd truth = make_subject(model, size, 100 + subject);
      const Eigen::VectorXd off = (truth - model.start_values()).cwiseAbs();
      for (int k = 0; k < off.size(); ++k) {
        double& largest = model.parameters[k].unit == Unit::kMeter ? centimetres : degrees;
        largest = std::max(largest,
                           off[k] * (model.parameters[k].unit == Unit::kMeter ? 100 : 180 / kPi));
      }
      const std::vector<Trial> trials{
          make_synthetic_trial(model, truth, MotionKind::kGait, 60, 50, {}, 1).trial};
      for (int how = 0; how < 2; ++how) {
        Options options;
        options.find_start = how == 0;
        const Identification id = identify(model, trials, options);
        const double miss = (id.d - truth).cwiseAbs().maxCoeff();
        if (miss > 1e-9) continue;
        ++found[how];
        most[how] = std::max(most[how], id.summary.iterations.size() + id.summary.start_iterations);
        if (how == 1) continue;
        error = std::max(error, miss);
        kkt = std::max(kkt, id.summary.kkt_relative);
      }
    }
    fmt::print(
        "  {:4.1f}  {:4.1f} cm, {:4.1f} deg   {:4d}/{} {:10d}  {:.0e}  {:.0e} {:8d}/{} {:10d}\n",
        size, centimetres, degrees, found[0], subjects, most[0], error, kkt, found[1], subjects,
        most[1]);
  }
}

}  // namespace
}  // namespace vesica::markers

// markers_bench [iteration] [minimal] [sizes] [always] [basin] [branches] [starts] [coverage]
// [weights] [thinning] [--all]: parts to run (none: every part); --all takes the full sizes and
// repetitions, an hour or so.
int main(int argc, char** argv) {
  using namespace vesica::markers;
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto has = [&](const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const bool all = has("--all"), every = words.size() == (all ? 1u : 0u);
  if (every || has("iteration")) compare_iteration(4680);
  if (every || has("minimal")) compare_minimal(255);
  if (every || has("always")) run_always(all ? 200 : 40);
  if (every || has("weights")) run_weights(all ? 40 : 5);
  if (every || has("thinning")) run_thinning(all ? 20 : 3, 2000);
  if (every || has("sizes")) {
    run_sizes(all ? std::vector<int>{255, 1000, 2000, 4680, 10000, 20000, 50000}
                  : std::vector<int>{255, 1000, 4680});
  }
  if (every || has("basin")) run_basin(20);
  if (every || has("branches")) run_branches(all ? 200 : 20);
  if (every || has("starts")) run_starts(all ? 100 : 20);
  if (every || has("coverage")) run_coverage(all ? 200 : 20, all ? 200 : 5);
  return 0;
}
