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
#include "vesica/io/load_motion.h"
#include "vesica/io/trc.h"
#include "vesica/markers/confidence.h"
#include "vesica/markers/joint_coordinates.h"
#include "vesica/markers/lower_extremity.h"
#include "vesica/markers/recording.h"

extern "C" void dsysv_(const char* uplo, const int* n, const int* nrhs, double* a, const int* lda,
                       int* ipiv, double* b, const int* ldb, double* work, const int* lwork,
                       int* info);

namespace vesica::markers {
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

// Minimal coordinates of the same model, generic over the scalar, for Ceres' dual numbers.
template <class T>
using V3 = Eigen::Matrix<T, 3, 1>;
template <class T>
using M3 = Eigen::Matrix<T, 3, 3>;
template <class T>
M3<T> turn(int axis, const T& angle) {
  using std::cos;
  using std::sin;
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  M3<T> R = M3<T>::Identity();
  R(i, i) = R(j, j) = cos(angle);
  R(j, i) = sin(angle);
  R(i, j) = -sin(angle);
  return R;
}

// Residuals of one frame: 18 coordinates, 41 parameters.
struct FrameCost {
  const Model* model;
  Frame frame;

  template <class T>
  T value(const Affine& a, const T* d) const {
    return a.parameter < 0 ? T(a.constant) : T(a.constant) + T(a.factor) * d[a.parameter];
  }
  template <class T>
  V3<T> point(const Segment& s, const Point& p, const T* d) const {
    V3<T> u;
    for (int k = 0; k < 3; ++k) {
      u[k] = value(p.coordinate[k], d);
      if (p.scaled[k]) u[k] *= value(s.scale[k], d);
    }
    return u;
  }
  template <class T>
  M3<T> triad(const Axis& a, const T* d) const {
    const M3<T> F =
        turn(a.sequence[0], value(a.angle[0], d)) * turn(a.sequence[1], value(a.angle[1], d));
    M3<T> out;
    out.col(0) = F.col(a.sequence[0]);
    out.col(2) = F.col(a.sequence[2]);
    out.col(1) = out.col(2).cross(out.col(0));
    return out;
  }
  template <class T>
  bool operator()(const T* q, const T* d, T* residuals) const {
    std::vector<M3<T>> R(model->segments.size());
    std::vector<V3<T>> p(model->segments.size());
    for (int s : model->order) {
      const int j = model->tree_joint[s];
      if (j < 0) {
        p[s] = V3<T>(q[0], q[1], q[2]);
        R[s] = turn(2, q[3]) * turn(0, q[4]) * turn(1, q[5]);
        q += 6;
        continue;
      }
      const Joint& joint = model->joints[j];
      const M3<T> P = triad(joint.parent_axis, d), C = triad(joint.child_axis, d);
      if (joint.type == JointType::kSpherical) {
        R[s] = R[joint.parent] * P * turn(2, q[0]) * turn(0, q[1]) * turn(1, q[2]) * C.transpose();
        q += 3;
      } else {
        R[s] = R[joint.parent] * P * turn(2, q[0]) * C.transpose();
        q += 1;
      }
      p[s] = p[joint.parent] +
             R[joint.parent] * point(model->segments[joint.parent], joint.parent_center, d) -
             R[s] * point(model->segments[s], joint.child_center, d);
    }
    for (size_t m = 0; m < model->markers.size(); ++m) {
      const Marker& marker = model->markers[m];
      const V3<T> u = point(model->segments[marker.segment], marker.position, d);
      const V3<T> x = p[marker.segment] + R[marker.segment] * u;
      for (int k = 0; k < 3; ++k) residuals[3 * m + k] = x[k] - frame.positions[m][k];
    }
    return true;
  }
};

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
          "dense LAPACK, 1 thread: {:.1f} us a frame for factorisation and solves alone "
          "(ratio {:.2f})\n",
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
      auto* cost = new ceres::AutoDiffCostFunction<FrameCost, 54, 18, 41>(
          new FrameCost{&model, id.frames.frame(k)});
      problem.AddResidualBlock(cost, nullptr, q[k].data(), d.data());
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
    const double per =
        summary.minimizer_time_in_seconds / std::max<size_t>(1, summary.iterations.size() - 1);
    fmt::print(
        "Ceres, minimal coordinates, {} threads: {:.3f} s an iteration (ours / theirs {:.2f})\n",
        threads, per, (evaluate + step) / per);
  }
}

// Reading included: the recording goes through a file, as a user's does.
void run_sizes(const std::vector<int>& sizes) {
  fmt::print(
      "\nwhole fits, noise 3 mm, reading included\n"
      "frames  variables  read s  start s  solve s  confidence s  total s  iterations  KKT"
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
    fmt::print("{:6d} {:10d} {:7.3f} {:8.3f} {:8.3f} {:13.3f} {:8.3f} {:11d}  {:.1e} {:9.0f}\n",
               frames, model.coordinate_count() * frames + model.parameter_count(), read,
               id.summary.seconds_start, id.summary.seconds_solve, seconds_since(solved),
               seconds_since(begin), id.summary.iterations.size(), id.summary.kkt_relative,
               peak_mib());
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

// markers_bench [iteration] [sizes] [basin] [branches] [starts] [coverage] [--all]: parts to run
// (none: every part);
// --all takes the full sizes and repetitions, half an hour or so.
int main(int argc, char** argv) {
  using namespace vesica::markers;
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto has = [&](const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const bool all = has("--all"), every = words.size() == (all ? 1u : 0u);
  if (every || has("iteration")) compare_iteration(4680);
  if (every || has("sizes")) {
    run_sizes(all ? std::vector<int>{255, 1000, 2000, 4680, 10000, 20000, 50000}
                  : std::vector<int>{255, 1000, 4680});
  }
  if (every || has("basin")) run_basin(20);
  if (every || has("branches")) run_branches(all ? 200 : 20);
  if (every || has("starts")) run_starts(all ? 100 : 20);
  if (every || has("coverage")) {
    fmt::print("\ncoverage of 95 % intervals\n");
    run_coverage("white noise 2 mm", all ? 200 : 20, 255, false, {0.002, 0, 0.1, 0});
    run_coverage("soft tissue 4 mm, 0.1 s, and white noise 0.5 mm", all ? 200 : 20, 255, false,
                 {0.0005, 0.004, 0.1, 0});
    run_coverage("soft tissue 4 mm, 0.1 s, and white noise 0.5 mm", all ? 200 : 5, 4680, true,
                 {0.0005, 0.004, 0.1, 0});
  }
  return 0;
}
