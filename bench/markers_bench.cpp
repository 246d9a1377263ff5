// Marker identification at the sizes of Andersen et al. 2009, and one iteration beside two others:
// the dense factorisation of every frame's KKT matrix (LAPACK, 108 x 108 with 42 right-hand sides),
// and Ceres in minimal coordinates (18 joint coordinates a frame, Schur elimination of the frames).
#include <ceres/ceres.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "bench/marker_branches.h"
#include "bench/minimal_coordinates.h"
#include "vesica/io/load_motion.h"
#include "vesica/io/trc.h"
#include "vesica/markers/confidence.h"
#include "vesica/markers/joint_coordinates.h"
#include "vesica/markers/lower_extremity.h"
#include "vesica/markers/marker_weights.h"
#include "vesica/markers/recording.h"
#include "vesica/markers/run.h"
#include "vesica/markers/thinning.h"

extern "C" void dsysv_(const char* uplo, const int* n, const int* nrhs, double* a, const int* lda,
                       int* ipiv, double* b, const int* ldb, double* work, const int* lwork,
                       int* info);
// OpenBLAS takes all cores unless told otherwise; null with another BLAS.
extern "C" void openblas_set_num_threads(int threads) __attribute__((weak));

namespace vesica::markers {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}
double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}
double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

template <class F>
double median_seconds(int repeats, F f) {
  std::vector<double> times;
  for (int k = 0; k < repeats; ++k) {
    const auto start = Clock::now();
    f();
    times.push_back(seconds_since(start));
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return times[repeats / 2];
}

// One frame of eq. 16-17 as a dense system: the matrix's values do not matter for the time.
double time_dense_frame() {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  constexpr int n = 108, rhs = 42, parameters = 41;
  std::vector<double> A(n * n), B(n * rhs);
  for (int c = 0; c < n; ++c) {
    for (int r = 0; r < n; ++r) A[c * n + r] = r >= 63 && c >= 63 ? 0 : normal(random);
  }
  for (int c = 0; c < n; ++c) {
    for (int r = 0; r < c; ++r) A[r * n + c] = A[c * n + r];
  }
  for (double& b : B) b = normal(random);
  std::vector<double> work(n * 64);
  std::vector<int> pivots(n);
  const int lwork = static_cast<int>(work.size());
  double sink = 0;
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  const double seconds = median_seconds(200, [&] {
    std::vector<double> a = A, b = B;
    int info = 0;
    dsysv_("L", &n, &rhs, a.data(), &n, pivots.data(), b.data(), &n, work.data(), &lwork, &info);
    const Eigen::Map<const Eigen::MatrixXd> X(b.data(), n, rhs), Y(B.data(), n, rhs);
    const Eigen::MatrixXd S = Y.leftCols(parameters).transpose() * X;
    sink += S(0, 0) + info;
  });
  if (!std::isfinite(sink)) fmt::print("the dense reference failed\n");
  return seconds;
}

void compare_iteration(int frames) {
  const Model model = make_lower_extremity(true);
  const Eigen::VectorXd truth = make_subject(model, 1, 3);
  MarkerNoise noise;
  noise.white_sd = 0.003;
  const std::vector<Trial> trials{
      make_synthetic_trial(model, truth, MotionKind::kRangeOfMotion, frames, 100, noise, 1).trial};
  for (int threads : {1, 2}) {
    Options options;
    options.threads = threads;
    Identification id = identify(model, trials, options);
    const Eigen::VectorXd dd = Eigen::VectorXd::Constant(id.d.size(), 1e-6);
    const double evaluate =
        median_seconds(7, [&] { id.frames.evaluate(id.d, Curvature::kNewton, 0); });
    const double step = median_seconds(7, [&] { id.frames.try_step(id.d, dd, 1); });
    fmt::print(
        "vesica, {} thread{}: {:.3f} s an iteration of {} frames ({:.1f} us a frame: "
        "elimination {:.1f}, step {:.1f})\n",
        threads, threads == 1 ? "" : "s", evaluate + step, frames, (evaluate + step) / frames * 1e6,
        evaluate / frames * 1e6, step / frames * 1e6);
    if (threads == 1) {
      const double dense = time_dense_frame();
      fmt::print(
          "dense LAPACK (" VESICA_LAPACK
          "), 1 thread: {:.1f} us a frame for factorisation and solves alone (ratio {:.2f})\n",
          dense * 1e6, evaluate / frames / dense);
      continue;
    }
    std::vector<std::vector<double>> q;
    std::vector<double> d(id.d.data(), id.d.data() + id.d.size());
    for (int k = 0; k < frames; ++k) {
      q.push_back(calc_joint_coordinates(model, id.d, id.frames.poses(k)));
      q.back()[1] += 1e-3;
    }
    ceres::Problem problem;
    auto* order = new ceres::ParameterBlockOrdering;
    for (int k = 0; k < frames; ++k) {
      problem.AddResidualBlock(bench::make_frame_cost(model, id.frames.frame(k)), nullptr,
                               q[k].data(), d.data());
      order->AddElementToGroup(q[k].data(), 0);
    }
    order->AddElementToGroup(d.data(), 1);
    ceres::Solver::Options ceres_options;
    ceres_options.linear_solver_type = ceres::DENSE_SCHUR;
    ceres_options.linear_solver_ordering.reset(order);
    ceres_options.num_threads = threads;
    ceres_options.max_num_iterations = 5;
    ceres_options.function_tolerance = 0;
    ceres_options.gradient_tolerance = 0;
    ceres_options.parameter_tolerance = 0;
    ceres::Solver::Summary summary;
    ceres::Solve(ceres_options, &problem, &summary);
    std::vector<double> per;
    for (size_t k = 1; k < summary.iterations.size(); ++k) {
      per.push_back(summary.iterations[k].iteration_time_in_seconds);
    }
    std::nth_element(per.begin(), per.begin() + static_cast<std::ptrdiff_t>(per.size() / 2),
                     per.end());
    const double theirs = per[per.size() / 2];
    fmt::print(
        "Ceres, minimal coordinates, analytic Jacobians (off automatic ones by {:.0e}), Schur, {} "
        "threads: {:.3f} s an iteration, median (ours / theirs {:.2f})\n",
        bench::compare_with_automatic(model, id.frames.frame(0), q[0], d), threads, theirs,
        (evaluate + step) / theirs);
  }
}

// The same fit in minimal coordinates (18 joint coordinates a frame instead of 63 with 45
// constraints), by Ceres to its end from the same values: is it the same optimum, and what does it
// take?
void compare_minimal(int frames) {
  const Model model = make_lower_extremity(true);
  const Eigen::VectorXd truth = make_subject(model, 1, 3);
  MarkerNoise noise;
  noise.white_sd = 0.003;
  const std::vector<Trial> trials{
      make_synthetic_trial(model, truth, MotionKind::kRangeOfMotion, frames, 100, noise, 1).trial};
  Options options;
  options.threads = 2;
  const auto begin = Clock::now();
  const Identification id = identify(model, trials, options);
  const double ours = seconds_since(begin);
  // The other begins near the end: a tenth of the usual start's error in d, and in every angle.
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<std::vector<double>> q;
  std::vector<double> d(id.d.data(), id.d.data() + id.d.size());
  for (double& x : d) x += 0.003 * unit(random);
  ceres::Problem problem;
  auto* order = new ceres::ParameterBlockOrdering;
  for (int k = 0; k < frames; ++k) {
    q.push_back(calc_joint_coordinates(model, id.d, id.frames.poses(k)));
    for (double& x : q.back()) x += 0.01 * unit(random);
  }
  for (int k = 0; k < frames; ++k) {
    problem.AddResidualBlock(bench::make_frame_cost(model, id.frames.frame(k)), nullptr,
                             q[k].data(), d.data());
    order->AddElementToGroup(q[k].data(), 0);
  }
  order->AddElementToGroup(d.data(), 1);
  ceres::Solver::Options ceres_options;
  ceres_options.linear_solver_type = ceres::DENSE_SCHUR;
  ceres_options.linear_solver_ordering.reset(order);
  ceres_options.num_threads = options.threads;
  ceres_options.max_num_iterations = 200;
  ceres_options.function_tolerance = 1e-16;
  ceres_options.gradient_tolerance = 1e-14;
  ceres_options.parameter_tolerance = 1e-14;
  ceres::Solver::Summary summary;
  ceres::Solve(ceres_options, &problem, &summary);
  double off = 0;
  for (Eigen::Index k = 0; k < id.d.size(); ++k) off = std::max(off, std::abs(d[k] - id.d[k]));
  fmt::print(
      "\nminimal coordinates, {} frames: {} unknowns for both; 2 threads\n"
      "  vesica, its own start   {:.3f} s, {} iterations, objective {:.12e}\n"
      "  Ceres, from near by     {:.3f} s, {} iterations, objective {:.12e}\n"
      "  largest difference of d {:.1e} m or rad, of the objective {:.1e} (relative)\n",
      frames, 18 * frames + 41, ours, id.summary.iterations.size(), id.summary.objective,
      summary.minimizer_time_in_seconds, summary.iterations.size(), summary.final_cost, off,
      std::abs(summary.final_cost - id.summary.objective) / id.summary.objective);
}

// 255 frames with everything that `vesica markers` does after reading: subjects, motions, kinds and
// sizes of noise, gaps and both models drawn at random. The largest, not the usual.
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
    const auto begin = Clock::now();
    const double used = processor_seconds();
    run_identification(run, {});
    wall.push_back(seconds_since(begin));
    processor.push_back(processor_seconds() - used);
    failed += run.id->summary.converged ? 0 : 1;
    if (processor.back() > worst) {
      worst = processor.back();
      what = fmt::format(
          "{}, {} parameters, size {:.1f}, white {:.1f} mm, soft tissue {:.1f} mm {:.2f} s, hidden "
          "{:.1f} %: start {:.2f} s, solve {:.2f} s, {} iterations",
          kind == MotionKind::kGait ? "gait" : "range of motion", run.model.parameter_count(), size,
          noise.white_sd * 1e3, noise.soft_tissue_sd * 1e3, noise.soft_tissue_time,
          noise.occluded_fraction * 100, run.id->summary.seconds_start,
          run.id->summary.seconds_solve, run.id->summary.iterations.size());
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

// What weights from each marker's noise do: noise from a third to three times 2 mm.
void run_weights(int repetitions) {
  const Model model = make_lower_extremity(false);
  const Eigen::VectorXd truth = make_subject(model, 1, 3);
  fmt::print("\nweights from each marker's noise, 255 frames of gait, {} repetitions\n",
             repetitions);
  for (const bool slow : {false, true}) {
    MarkerNoise noise;
    noise.white_sd = slow ? 0.0005 : 0.002;
    noise.soft_tissue_sd = slow ? 0.003 : 0;
    const double common = std::hypot(noise.white_sd, noise.soft_tissue_sd);
    for (size_t m = 0; m < model.markers.size(); ++m) {
      noise.factor.push_back(std::pow(3.0, std::sin(2.4 * static_cast<double>(m) + 1)));
    }
    double before = 0, after = 0, z = 0, held[2] = {0, 0}, seconds = 0;
    int rounds = 0, settled = 0;
    for (int r = 0; r < repetitions; ++r) {
      std::vector<Trial> trials{
          make_synthetic_trial(model, truth, MotionKind::kGait, 255, 100, noise, 1000 + r).trial};
      Identification id = identify(model, trials, {});
      const Confidence plain = calc_confidence(id, trials);
      const Eigen::VectorXd d = id.d;
      const auto begin = Clock::now();
      const MarkerNoiseEstimate estimate = fit_marker_weights(id, trials, {});
      seconds += seconds_since(begin) / repetitions;
      rounds = std::max(rounds, estimate.rounds);
      settled += estimate.converged;
      const Confidence weighed = calc_confidence(id, trials);
      for (Eigen::Index k = 0; k < truth.size(); ++k) {
        before += std::pow((d[k] - truth[k]) / plain.standard_error[k], 2);
        after += std::pow((id.d[k] - truth[k]) / plain.standard_error[k], 2);
        held[0] += std::abs(d[k] - truth[k]) < plain.robust_half_width[k];
        held[1] += std::abs(id.d[k] - truth[k]) < weighed.robust_half_width[k];
      }
      for (size_t m = 0; m < model.markers.size(); ++m) {
        const MarkerSd& marker = estimate.markers[m];
        z += std::pow((marker.sd - common * noise.factor[m]) / marker.standard_error, 2);
      }
    }
    const double intervals = repetitions * static_cast<double>(truth.size()) / 100;
    fmt::print(
        "  {}: errors of the noise over their standard errors {:.2f} rms; errors of the parameters "
        "{:.2f} of those without; robust intervals hold {:.1f} % (without {:.1f} %); {:.2f} s, at "
        "most {} rounds, {} of {} settled\n",
        slow ? "soft tissue 3 mm, 0.1 s" : "white noise 2 mm",
        std::sqrt(z / (repetitions * static_cast<double>(model.markers.size()))),
        std::sqrt(after / before), held[1] / intervals, held[0] / intervals, seconds, rounds,
        settled, repetitions);
  }
}

// Constants from every N-th frame: time, intervals over those of all frames as told and as the
// errors are.
void run_thinning(int repetitions, int frames) {
  const Model model = make_lower_extremity(true);
  const Eigen::VectorXd truth = make_subject(model, 1, 3);
  fmt::print(
      "\nconstants from every N-th of {} frames, range of motion, {} repetitions; intervals over "
      "those of all frames\n  noise         N   told (robust)  told (usual)  errors   fit s  poses "
      "s\n",
      frames, repetitions);
  for (const bool slow : {false, true}) {
    const MarkerNoise noise{slow ? 0.0005 : 0.003, slow ? 0.004 : 0, 0.1, 0, {}};
    std::vector<Eigen::VectorXd> squares(5, Eigen::VectorXd::Zero(truth.size()));
    const int every[5] = {1, 2, 5, 10, 20};
    for (int i = 0; i < 5; ++i) {
      double fit = 0, poses = 0, robust = 0, usual = 0;
      for (int r = 0; r < repetitions; ++r) {
        const std::vector<Trial> trials{make_synthetic_trial(model, truth,
                                                             MotionKind::kRangeOfMotion, frames,
                                                             100, noise, 1000 + r)
                                            .trial};
        const std::vector<Trial> some = thin_trials(trials, every[i]);
        auto begin = Clock::now();
        Identification thin = identify(model, some, {});
        fit += seconds_since(begin) / repetitions;
        squares[i] += (thin.d - truth).cwiseAbs2();
        if (every[i] == 1) continue;
        const Confidence c = calc_confidence(thin, some);
        begin = Clock::now();
        Identification all = spread_over_frames(thin, trials, {});
        poses += seconds_since(begin) / repetitions;
        const Thinning t = calc_thinning(every[i], thin, c, all, trials);
        robust += t.robust.mean() / repetitions;
        usual += t.usual.mean() / repetitions;
      }
      fmt::print("  {:<12} {:2d} {:14.2f} {:13.2f} {:8.2f} {:7.2f} {:8.2f}\n",
                 slow ? "soft tissue" : "white", every[i], every[i] == 1 ? 1 : robust,
                 every[i] == 1 ? 1 : usual,
                 std::sqrt((squares[i].cwiseQuotient(squares[0])).mean()), fit, poses);
    }
  }
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

// Share of 95 % intervals that hold the truth, and what is behind it: the mean error over the
// scatter (bias), and the scatter over the mean standard error (1 is right).
void run_coverage(const char* name, int repetitions, int frames, bool rom,
                  const MarkerNoise& noise) {
  const Model model = make_lower_extremity(rom);
  const Eigen::VectorXd truth = make_subject(model, 1, 3);
  const Eigen::Index p = truth.size();
  Eigen::MatrixXd errors(repetitions, p), white(repetitions, p), robust(repetitions, p);
  Eigen::ArrayXd robust_error = Eigen::ArrayXd::Zero(p);
  for (int r = 0; r < repetitions; ++r) {
    const std::vector<Trial> trials{
        make_synthetic_trial(model, truth, rom ? MotionKind::kRangeOfMotion : MotionKind::kGait,
                             frames, 100, noise, 1000 + r)
            .trial};
    Identification id = identify(model, trials, {});
    const Confidence c = calc_confidence(id, trials);
    errors.row(r) = (id.d - truth).transpose();
    for (Eigen::Index k = 0; k < p; ++k) {
      white(r, k) = std::abs(errors(r, k)) < c.half_width[k];
      robust(r, k) = std::abs(errors(r, k)) < c.robust_half_width[k];
    }
    robust_error += c.robust_standard_error.array() / repetitions;
  }
  const Eigen::ArrayXd mean = errors.colwise().mean();
  const Eigen::ArrayXd scatter =
      (errors.rowwise() - mean.matrix().transpose()).colwise().norm().array() /
      std::sqrt(repetitions - 1.0);
  const Eigen::ArrayXd bias = (mean / scatter).abs(), ratio = scatter / robust_error;
  const auto print = [](const char* kind, const Eigen::MatrixXd& held) {
    const Eigen::ArrayXd share = 100 * held.colwise().mean().array();
    fmt::print("  {:<18} {:5.1f} %  (parameters {:.1f} to {:.1f})\n", kind, share.mean(),
               share.minCoeff(), share.maxCoeff());
  };
  fmt::print("{}, {} repetitions of {} frames\n", name, repetitions, frames);
  print("usual intervals", white);
  print("robust intervals", robust);
  fmt::print(
      "  bias over scatter: mean {:.2f}, largest {:.2f}; scatter over robust error: mean {:.2f}, "
      "largest {:.2f}\n",
      bias.mean(), bias.maxCoeff(), ratio.mean(), ratio.maxCoeff());
}

}  // namespace
}  // namespace vesica::markers

// markers_bench [iteration] [minimal] [sizes] [always] [basin] [branches] [starts] [coverage]
// [weights] [thinning] [--all]: parts to run (none: every part); --all takes the full sizes and
// repetitions, half an hour or so.
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
  if (every || has("coverage")) {
    fmt::print("\ncoverage of 95 % intervals\n");
    const auto run_soft = [&](double time, int repetitions, int frames, bool rom) {
      run_coverage(fmt::format("soft tissue 4 mm, {:g} s, and white noise 0.5 mm", time).c_str(),
                   repetitions, frames, rom, {0.0005, 0.004, time, 0, {}});
    };
    run_coverage("white noise 2 mm", all ? 200 : 20, 255, false, {0.002, 0, 0.1, 0, {}});
    for (double time : {0.02, 0.1, 0.3, 0.5, 1.0}) run_soft(time, all ? 200 : 20, 255, false);
    run_soft(0.1, all ? 200 : 5, 4680, true);
  }
  return 0;
}
