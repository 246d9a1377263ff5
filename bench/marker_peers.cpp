// One iteration beside two others: the dense factorisation of every frame's KKT matrix (LAPACK, 108
// x 108 with 42 right-hand sides), and Ceres in minimal coordinates (18 joint coordinates a frame,
// Schur elimination of the frames).
#include <ceres/ceres.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "bench/marker_parts.h"
#include "bench/minimal_coordinates.h"
#include "bench/timing.h"
#include "vesica/markers/identify.h"
#include "vesica/markers/joint_coordinates.h"
#include "vesica/markers/lower_extremity.h"

extern "C" void dsysv_(const char* uplo, const int* n, const int* nrhs, double* a, const int* lda,
                       int* ipiv, double* b, const int* ldb, double* work, const int* lwork,
                       int* info);
// OpenBLAS takes all cores unless told otherwise; null with another BLAS.
extern "C" void openblas_set_num_threads(int threads) __attribute__((weak));

namespace vesica::markers {
namespace {

template <class F>
double median_seconds(int repeats, F f) {
  std::vector<double> times;
  for (int k = 0; k < repeats; ++k) {
    const auto start = std::chrono::steady_clock::now();
    f();
    times.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return bench::median(std::move(times));
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

struct RangeOfMotion {
  Model model = make_lower_extremity(true);
  std::vector<Trial> trials;
};
RangeOfMotion make_range_of_motion(int frames) {
  RangeOfMotion out;
  MarkerNoise noise;
  noise.white_sd = 0.003;
  out.trials.push_back(make_synthetic_trial(out.model, make_subject(out.model, 1, 3),
                                            MotionKind::kRangeOfMotion, frames, 100, noise, 1)
                           .trial);
  return out;
}

// The fit in joint angles and d, for Ceres; begins where it is told to.
class MinimalProblem {
 public:
  MinimalProblem(const Model& model, const Identification& id, int threads)
      : d_(id.d.data(), id.d.data() + id.d.size()) {
    for (int k = 0; k < id.frames.frame_count(); ++k) {
      q_.push_back(calc_joint_coordinates(model, id.d, id.frames.poses(k)));
    }
    auto* order = new ceres::ParameterBlockOrdering;
    for (int k = 0; k < id.frames.frame_count(); ++k) {
      problem_.AddResidualBlock(bench::make_frame_cost(model, id.frames.frame(k)), nullptr,
                                q_[k].data(), d_.data());
      order->AddElementToGroup(q_[k].data(), 0);
    }
    order->AddElementToGroup(d_.data(), 1);
    options_.linear_solver_type = ceres::DENSE_SCHUR;
    options_.linear_solver_ordering.reset(order);
    options_.num_threads = threads;
  }
  // Up to so much beside it, at random.
  void disturb(double in_d, double in_q) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (double& x : d_) x += in_d * unit(random);
    for (auto& frame : q_) {
      for (double& x : frame) x += in_q * unit(random);
    }
  }
  ceres::Solver::Summary solve(int iterations, double tolerance) {
    options_.max_num_iterations = iterations;
    options_.function_tolerance = 0.01 * tolerance;
    options_.gradient_tolerance = tolerance;
    options_.parameter_tolerance = tolerance;
    ceres::Solver::Summary summary;
    ceres::Solve(options_, &problem_, &summary);
    return summary;
  }
  const std::vector<double>& d() const { return d_; }
  const std::vector<double>& q(int frame) const { return q_[static_cast<size_t>(frame)]; }

 private:
  std::vector<std::vector<double>> q_;
  std::vector<double> d_;
  ceres::Problem problem_;
  ceres::Solver::Options options_;
};

}  // namespace

void compare_iteration(int frames) {
  const RangeOfMotion motion = make_range_of_motion(frames);
  for (int threads : {1, 2}) {
    Options options;
    options.threads = threads;
    Identification id = identify(motion.model, motion.trials, options);
    const Eigen::VectorXd dd = Eigen::VectorXd::Constant(id.d.size(), 1e-6);
    const double evaluate =
        median_seconds(7, [&] { id.frames.evaluate(id.d, Curvature::kNewton, 0); });
    const double step = median_seconds(7, [&] { id.frames.try_step(id.d, dd, 1); });
    const double project = median_seconds(7, [&] { id.frames.project(id.d); });
    fmt::print(
        "vesica, {} thread{}: {:.3f} s an iteration of {} frames ({:.1f} us a frame: "
        "elimination {:.1f}, step {:.1f}, of which back onto the joints {:.1f})\n",
        threads, threads == 1 ? "" : "s", evaluate + step, frames, (evaluate + step) / frames * 1e6,
        evaluate / frames * 1e6, step / frames * 1e6, project / frames * 1e6);
    if (threads == 1) {
      const double dense = time_dense_frame();
      fmt::print(
          "dense LAPACK (" VESICA_LAPACK
          "), 1 thread: {:.1f} us a frame for factorisation and solves alone (ratio {:.2f})\n",
          dense * 1e6, evaluate / frames / dense);
      continue;
    }
    MinimalProblem minimal(motion.model, id, threads);
    minimal.disturb(0, 1e-3);
    const ceres::Solver::Summary summary = minimal.solve(5, 0);
    std::vector<double> per;
    for (size_t k = 1; k < summary.iterations.size(); ++k) {
      per.push_back(summary.iterations[k].iteration_time_in_seconds);
    }
    const double theirs = bench::median(std::move(per));
    fmt::print(
        "Ceres, minimal coordinates, analytic Jacobians (off automatic ones by {:.0e}), Schur, {} "
        "threads: {:.3f} s an iteration, median (ours / theirs {:.2f})\n",
        bench::compare_with_automatic(motion.model, id.frames.frame(0), minimal.q(0), minimal.d()),
        threads, theirs, (evaluate + step) / theirs);
  }
}

// The same fit in minimal coordinates (18 joint coordinates a frame instead of 63 with 45
// constraints), by Ceres to its end from near by: is it the same optimum, and what does it take?
void compare_minimal(int frames) {
  const RangeOfMotion motion = make_range_of_motion(frames);
  const Model& model = motion.model;
  Options options;
  options.threads = 2;
  const double begin = processor_seconds();
  const Identification id = identify(model, motion.trials, options);
  const double ours = processor_seconds() - begin;
  // The other begins near the end: a tenth of the usual start's error in d, and in every angle.
  MinimalProblem minimal(model, id, options.threads);
  minimal.disturb(0.003, 0.01);
  const double between = processor_seconds();
  const ceres::Solver::Summary summary = minimal.solve(200, 1e-14);
  const double theirs = processor_seconds() - between;
  double off = 0;
  for (Eigen::Index k = 0; k < id.d.size(); ++k) {
    off = std::max(off, std::abs(minimal.d()[k] - id.d[k]));
  }
  const Plan plan(model, true);
  fmt::print(
      "\nminimal coordinates, {} frames; processor time\n"
      "  eq. 11: {} coordinates and {} constraints a frame; eliminated here: {} pivots a frame; in "
      "joint angles: {} unknowns a frame\n"
      "  vesica, its own start   {:.3f} s, {} iterations, objective {:.12e}\n"
      "  Ceres, from near by     {:.3f} s, {} iterations, objective {:.12e}\n"
      "  largest difference of d {:.1e} m or rad, of the objective {:.1e} (relative)\n",
      frames, model.coordinate_count(), model.coordinate_count() - plan.dof(), plan.dof(),
      list_joint_coordinates(model).size(), ours, id.summary.iterations.size(),
      id.summary.objective, theirs, summary.iterations.size(), summary.final_cost, off,
      std::abs(summary.final_cost - id.summary.objective) / id.summary.objective);
}

}  // namespace vesica::markers
