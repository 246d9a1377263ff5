#include "bench/marker_branches.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>

#include "vesica/markers/frame_marks.h"
#include "vesica/markers/identify.h"
#include "vesica/markers/lower_extremity.h"
#include "vesica/markers/pose_spread.h"

namespace vesica::markers {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_from(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Faulty {
  std::vector<Trial> trials;
  std::vector<SegmentPose> poses;  // the truth
};
struct Faults {
  bool lost = false, wild = false;
  double noise = 0.001;  // m
};

// Gait of one subject: one to three markers are not seen for 10 to 50 frames, 1 to 3 % of what is
// seen lies 15 cm off in any direction.
Faulty make_faulty(const Model& model, const Faults& faults, std::uint64_t seed) {
  constexpr int kFrames = 255;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  MarkerNoise noise;
  noise.white_sd = faults.noise;
  SyntheticTrial made = make_synthetic_trial(model, make_subject(model, 1, seed), MotionKind::kGait,
                                             kFrames, 100, noise, seed);
  Trial& trial = made.trial;
  const auto n = static_cast<int>(model.markers.size());
  const double share = 0.01 + 0.02 * uniform(random);
  for (Vec3d& y : trial.positions) {
    const bool hit = uniform(random) < share;
    const Vec3d direction = Vec3d(normal(random), normal(random), normal(random)).normalized();
    if (faults.wild && hit) y += 0.15 * direction;
  }
  const int count = 1 + static_cast<int>(3 * uniform(random));
  for (int k = 0; k < count; ++k) {
    const int m = static_cast<int>(n * uniform(random));
    const int length = 10 + static_cast<int>(41 * uniform(random));
    const int first = static_cast<int>((kFrames - length) * uniform(random));
    for (int f = first; faults.lost && f < first + length; ++f) {
      trial.positions[static_cast<size_t>(f) * n + m].setConstant(
          std::numeric_limits<double>::quiet_NaN());
    }
  }
  set_weights(model, 0, trial);
  return {{std::move(trial)}, std::move(made.poses)};
}

void run_faults(const char* name, int recordings, const Faults& faults, const Loss& loss) {
  Model model = make_lower_extremity(false);
  model.loss = loss;
  const size_t segments = model.segments.size();
  for (const bool choose : {false, true}) {
    long off = 0, off_marked = 0, marked = 0, frames = 0, at_optimum = 0;
    double worst = 0, seconds = 0;
    for (int r = 0; r < recordings; ++r) {
      const Faulty faulty = make_faulty(model, faults, 1000 + r);
      Options options;
      options.choose_branches = choose;
      const auto begin = Clock::now();
      Identification id = identify(model, faulty.trials, options);
      const FrameMarks marks = choose ? mark_frames(id.frames, id.d) : FrameMarks{};
      seconds += seconds_from(begin);
      at_optimum += id.summary.converged && id.summary.minimum;
      for (int k = 0; k < id.frames.frame_count(); ++k) {
        double angle = 0;
        for (size_t s = 0; s < segments; ++s) {
          angle = std::max(angle, calc_turn(id.frames.poses(k)[s], faulty.poses[k * segments + s]));
        }
        angle *= 180 / kPi;
        const bool is_marked = choose && marks.reason[k] != MarkReason::kNone;
        ++frames;
        marked += is_marked;
        if (angle <= 5) continue;
        if (is_marked) {
          ++off_marked;
        } else {
          ++off;
          worst = std::max(worst, angle);
        }
      }
    }
    fmt::print("  {:<44} {:<8} {:6d} {:8d} {:8d} {:8d} {:10.1f} {:9d} {:9.3f}\n", name,
               choose ? "paths" : "alone", frames, marked, off_marked, off, worst, at_optimum,
               seconds / recordings);
  }
}

// Start values as far from the truth as the parameters of `size` subjects are from each other. The
// best optimum is that from the truth itself, or a lower one.
void run_size(const char* name, bool rom, bool mirrored, double size, int subjects) {
  int found = 0, said = 0, silent = 0;
  double seconds = 0;
  for (int r = 0; r < subjects; ++r) {
    Model model = make_lower_extremity(rom);
    const Eigen::VectorXd truth = make_subject(model, size, 1000 + r);
    MarkerNoise noise;
    noise.white_sd = 0.002;
    const std::vector<Trial> trials{
        make_synthetic_trial(model, truth, rom ? MotionKind::kRangeOfMotion : MotionKind::kGait,
                             rom ? 480 : 255, rom ? 10 : 100, noise, 1000 + r)
            .trial};
    Model at_truth = model;
    for (int k = 0; k < truth.size(); ++k) at_truth.parameters[k].start = truth[k];
    if (mirrored) {
      for (int k = 0; k < truth.size(); ++k) {
        model.parameters[k].start = 2 * model.parameters[k].start - truth[k];
      }
    }
    Options from_truth;
    from_truth.find_start = false;
    const double best = identify(at_truth, trials, from_truth).summary.objective;
    const auto begin = Clock::now();
    const Summary s = identify(model, trials, {}).summary;
    seconds += seconds_from(begin);
    const bool is_best = s.converged && s.objective < best * (1 + 1e-9);
    const bool is_said = !s.converged || s.starts_alike < 2;
    found += is_best;
    said += !is_best && is_said;
    silent += !is_best && !is_said;
  }
  fmt::print("  {:<44} {:5.1f} {:8d}/{} {:8d} {:8d} {:9.3f}\n", name, size, found, subjects, said,
             silent, seconds / subjects);
}

}  // namespace

void run_branches(int recordings) {
  fmt::print(
      "\nbranches: {} recordings of 255 frames of gait a row; alone: every frame by itself, paths: "
      "chosen over the recording\n"
      "  markers                                      poses    frames   marked  off by more than 5 "
      "deg   worst [deg] minimum seconds\n"
      "                                                                          marked  unmarked  "
      " "
      "unmarked              each\n",
      recordings);
  const Loss squares, tukey{LossType::kTukey, 0.02};
  run_faults("all, noise 1 mm", recordings, {false, false, 0.001}, squares);
  run_faults("lost, noise 1 mm", recordings, {true, false, 0.001}, squares);
  run_faults("lost and wild, noise 1 mm, Tukey 2 cm", recordings, {true, true, 0.001}, tukey);
  run_faults("lost and wild, noise 1 mm, squares", recordings, {true, true, 0.001}, squares);
  run_faults("all, noise 2 mm", recordings, {false, false, 0.002}, squares);
  run_faults("lost, noise 2 mm", recordings, {true, false, 0.002}, squares);
  run_faults("lost and wild, noise 2 mm, Tukey 2 cm", recordings, {true, true, 0.002}, tukey);
}

void run_starts(int subjects) {
  fmt::print(
      "\nstarts: noise 2 mm; best: the optimum that is reached from the truth; said: not reached, "
      "and told\n"
      "  recording                                     size      best     said   silent  "
      "seconds\n");
  run_size("gait, 255 frames", false, false, 1, subjects);
  run_size("gait, 255 frames", false, false, 2, subjects);
  run_size("range of motion, 480 frames", true, false, 1, subjects);
  run_size("range of motion, 480 frames", true, false, 2, subjects);
  run_size("range of motion, mirrored start values", true, true, 1, subjects);
}

}  // namespace vesica::markers
