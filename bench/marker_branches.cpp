#include "bench/marker_parts.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>

#include "vesica/markers/frame_marks.h"
#include "vesica/markers/identify.h"
#include "vesica/markers/lower_extremity.h"
#include "vesica/markers/pose_spread.h"

namespace vesica::markers {

void add_faults(const Model& model, const Faults& faults, std::uint64_t seed, Trial& trial) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  const int frames = trial.frame_count(), n = trial.marker_count;
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
    const int first = static_cast<int>((frames - length) * uniform(random));
    for (int f = first; faults.lost && f < first + length; ++f) {
      trial.positions[static_cast<size_t>(f) * n + m].setConstant(
          std::numeric_limits<double>::quiet_NaN());
    }
  }
  set_weights(model, 0, trial);
}

namespace {

struct Faulty {
  std::vector<Trial> trials;
  std::vector<SegmentPose> poses;  // the truth
};

Faulty make_faulty(const Model& model, const Faults& faults, double white_sd, std::uint64_t seed) {
  MarkerNoise noise;
  noise.white_sd = white_sd;
  SyntheticTrial made = make_synthetic_trial(model, make_subject(model, 1, seed), MotionKind::kGait,
                                             255, 100, noise, seed);
  add_faults(model, faults, seed, made.trial);
  return {{std::move(made.trial)}, std::move(made.poses)};
}

struct Counts {
  long frames = 0, marked = 0, off_marked = 0, off = 0, minima = 0;
  double worst = 0;    // deg, of frames that are not marked
  double seconds = 0;  // processor time

  void add(const Counts& more) {
    frames += more.frames;
    marked += more.marked;
    off_marked += more.off_marked;
    off += more.off;
    minima += more.minima;
    worst = std::max(worst, more.worst);
    seconds += more.seconds;
  }
};

Counts run_recording(const Model& model, const Faulty& faulty, bool choose) {
  Counts out;
  Options options;
  options.threads = 1;
  options.choose_branches = choose;
  const double begin = thread_seconds();
  Identification id = identify(model, faulty.trials, options);
  const FrameMarks marks =
      choose ? mark_frames(id.frames, id.d, id.summary.branches.get()) : FrameMarks{};
  out.seconds = thread_seconds() - begin;
  out.minima = id.summary.converged && id.summary.minimum ? 1 : 0;
  const size_t segments = model.segments.size();
  for (int k = 0; k < id.frames.frame_count(); ++k) {
    double angle = 0;
    for (size_t s = 0; s < segments; ++s) {
      angle = std::max(angle, calc_turn(id.frames.poses(k)[s], faulty.poses[k * segments + s]));
    }
    angle *= 180 / kPi;
    const bool is_marked = choose && marks.reason[k] != MarkReason::kNone;
    ++out.frames;
    out.marked += is_marked;
    if (angle <= 5) continue;
    ++(is_marked ? out.off_marked : out.off);
    if (!is_marked) out.worst = std::max(out.worst, angle);
  }
  return out;
}

void run_faults(const std::string& name, int recordings, const Faults& faults, double noise,
                const Loss& loss) {
  Model model = make_lower_extremity(false);
  model.loss = loss;
  std::vector<Counts> alone(recordings), paths(recordings);
  for_each_repetition(name, recordings, [&](int r) {
    const Faulty faulty = make_faulty(model, faults, noise, 1000 + r);
    alone[r] = run_recording(model, faulty, false);
    paths[r] = run_recording(model, faulty, true);
  });
  Counts sums[2];
  double most = 0;
  for (int r = 0; r < recordings; ++r) {
    sums[0].add(alone[r]);
    sums[1].add(paths[r]);
    most = std::max(most, paths[r].seconds);
  }
  for (int k = 0; k < 2; ++k) {
    const Counts& c = sums[k];
    fmt::print("  {:<40} {:<6} {:6d} {:7d} {:8d} {:9d} {:9.1f} {:8d} {:8.3f}", name,
               k == 0 ? "alone" : "paths", c.frames, c.marked, c.off_marked, c.off, c.worst,
               c.minima, c.seconds / recordings);
    if (k == 1) fmt::print(" {:8.3f} {:6.2f}", most, sums[1].seconds / sums[0].seconds);
    fmt::print("\n");
  }
  std::fflush(stdout);
}

// Start values as far from the truth as the parameters of `size` subjects are from each other. The
// best optimum is that from the truth itself, or a lower one.
struct StartOutcome {
  bool best = false, said = false;
  double above = 0;  // how much higher, relative
  double seconds = 0;
  // From the start values alone, without any search: how much higher, and how far the subtalar axes
  // are off then, rad.
  double alone_above = 0, alone_axis = 0;
};

// The larger of both feet.
double calc_subtalar_error(const Model& model, const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  double worst = 0;
  for (const char* name : {"subtalar_l", "subtalar_r"}) {
    const auto axis = [&](const Eigen::VectorXd& d) -> Vec3d {
      const auto angle = [&](const char* letter) {
        for (int k = 0; k < d.size(); ++k) {
          if (model.parameters[k].name == std::string(name) + letter) return d[k];
        }
        return 0.0;
      };
      return Eigen::AngleAxisd(angle(".y"), Vec3d::UnitY()) *
             (Eigen::AngleAxisd(angle(".x"), Vec3d::UnitX()) * Vec3d::UnitZ());
    };
    worst = std::max(worst, std::acos(std::clamp(axis(a).dot(axis(b)), -1.0, 1.0)));
  }
  return worst;
}

StartOutcome run_start(bool rom, bool mirrored, double size, int subject) {
  Model model = make_lower_extremity(rom);
  const Eigen::VectorXd truth = make_subject(model, size, 1000 + subject);
  MarkerNoise noise;
  noise.white_sd = 0.002;
  const std::vector<Trial> trials{
      make_synthetic_trial(model, truth, rom ? MotionKind::kRangeOfMotion : MotionKind::kGait,
                           rom ? 480 : 255, rom ? 10 : 100, noise, 1000 + subject)
          .trial};
  Model at_truth = model;
  for (int k = 0; k < truth.size(); ++k) at_truth.parameters[k].start = truth[k];
  if (mirrored) {
    for (int k = 0; k < truth.size(); ++k) {
      model.parameters[k].start = 2 * model.parameters[k].start - truth[k];
    }
  }
  Options options;
  options.threads = 1;
  Options from_truth = options;
  from_truth.find_start = false;
  const double best = identify(at_truth, trials, from_truth).summary.objective;
  const Identification alone = identify(model, trials, from_truth);
  const double begin = thread_seconds();
  const Summary s = identify(model, trials, options).summary;
  StartOutcome out;
  out.seconds = thread_seconds() - begin;
  out.above = s.objective / best - 1;
  out.best = s.converged && out.above < 1e-9;
  out.said = !s.converged || s.starts_alike < 2;
  out.alone_above = alone.summary.objective / best - 1;
  out.alone_axis = calc_subtalar_error(model, alone.d, truth);
  return out;
}

void run_size(const std::string& name, bool rom, bool mirrored, double size, int subjects) {
  std::vector<StartOutcome> outcomes(subjects);
  for_each_repetition(fmt::format("{}, size {:g}", name, size), subjects,
                      [&](int r) { outcomes[r] = run_start(rom, mirrored, size, r); });
  int found = 0, said = 0, warned = 0;
  double seconds = 0;
  std::string silent;
  for (int r = 0; r < subjects; ++r) {
    const StartOutcome& o = outcomes[r];
    found += o.best;
    said += !o.best && o.said;
    warned += o.best && o.said;
    seconds += o.seconds / subjects;
    if (!o.best && !o.said) silent += fmt::format(" {} (+{:.2g} %)", r, 100 * o.above);
  }
  fmt::print("  {:<40} {:5.1f} {:5d}/{} {:6d} {:7d} {:10d} {:8.3f} {}\n", name, size, found,
             subjects, said, subjects - found - said, warned, seconds, silent);
  std::string alone;
  for (int r = 0; r < subjects; ++r) {
    const StartOutcome& o = outcomes[r];
    if (o.alone_above > 1e-9) {
      alone += fmt::format(" {}: +{:.0f} % {:.0f} deg;", r, 100 * o.alone_above,
                           o.alone_axis * 180 / kPi);
    }
  }
  if (!alone.empty()) {
    fmt::print("    without a search (excess, subtalar axis off):{}\n", alone);
  }
  std::fflush(stdout);
}

}  // namespace

void run_branches(int recordings) {
  fmt::print(
      "\nbranches: {} recordings of 255 frames of gait a row; alone: every frame by itself, paths: "
      "chosen over the recording; processor time\n"
      "  markers                                  poses  frames  marked  more than 5 deg off   "
      "worst "
      " minima  seconds  largest  paths\n"
      "                                                                   marked  unmarked  "
      "unmarked "
      "            mean           / alone\n",
      recordings);
  const Loss squares, huber{LossType::kHuber, 0.01}, tukey{LossType::kTukey, 0.02};
  for (const double noise : {0.001, 0.002}) {
    const auto run = [&](const char* name, bool lost, bool wild, const Loss& loss) {
      run_faults(fmt::format("{}, {:g} mm", name, 1e3 * noise), recordings, {lost, wild}, noise,
                 loss);
    };
    run("all, squares", false, false, squares);
    run("lost, squares", true, false, squares);
    run("lost and wild, Tukey 2 cm", true, true, tukey);
    run("lost and wild, Huber 1 cm", true, true, huber);
    run("lost and wild, squares", true, true, squares);
  }
}

void run_starts(int subjects) {
  fmt::print(
      "\nstarts: noise 2 mm; best: the optimum that is reached from the truth; said: not reached, "
      "and told; warned: reached, and warned all the same; processor time\n"
      "  recording                                 size      best   said  silent     warned  "
      "seconds "
      " silent ones\n");
  run_size("gait, 255 frames", false, false, 1, subjects);
  run_size("gait, 255 frames", false, false, 2, subjects);
  run_size("range of motion, 480 frames", true, false, 1, subjects);
  run_size("range of motion, 480 frames", true, false, 2, subjects);
  run_size("range of motion, mirrored start values", true, true, 1, subjects);
  run_size("range of motion, mirrored start values", true, true, 2, subjects);
}

}  // namespace vesica::markers
