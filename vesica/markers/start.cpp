#include "vesica/markers/start.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "vesica/markers/functional.h"
#include "vesica/markers/identify.h"
#include "vesica/markers/joint_coordinates.h"
#include "vesica/markers/parameter_step.h"
#include "vesica/markers/pose_spread.h"
#include "vesica/math/median.h"
#include "vesica/math/parallel.h"

namespace vesica::markers {
namespace {

// Frames that follow one another from one start. Fixed, for the same result with any threads.
constexpr int kStretch = 64;
// Starts of a frame from nothing, tried while the fit is worse than kGoodFit.
constexpr int kStarts = 8;
constexpr double kGoodFit = 0.008;  // m, rms
// Starts of d, tried while some markers fit far worse than most.
constexpr int kAttempts = 8;
// Objectives within this factor belong to one minimum.
constexpr double kAlike = 1.02;
constexpr double kTurnedAround = 120 * kPi / 180;
// Of poses that are to be told apart or begin an iteration over all frames.
constexpr double kCoarse = 1e-4;  // rad

double calc_rms(const Frame& frame, size_t markers, double objective) {
  double weight = 0;
  for (size_t m = 0; m < markers; ++m) weight += std::max(0.0, frame.weights[m]);
  return weight > 0 ? std::sqrt(2 * objective / weight) : 0;
}

// Moves everything that hangs on each root so that the mean marker error vanishes.
void center_on_markers(const Model& model, const Geometry& geometry, const Frame& frame,
                       SegmentPose* poses) {
  std::vector<int> root(model.segments.size());
  for (int s : model.order) {
    const int j = model.tree_joint[s];
    root[s] = j >= 0 && model.joints[j].parent != kGround ? root[model.joints[j].parent] : s;
  }
  for (int r : model.order) {
    if (root[r] != r || model.tree_joint[r] >= 0) continue;
    Vec3d sum = Vec3d::Zero();
    double weight = 0;
    for (size_t m = 0; m < model.markers.size(); ++m) {
      if (frame.weights[m] <= 0 || root[model.markers[m].segment] != r) continue;
      sum += frame.weights[m] *
             (frame.positions[m] - calc_marker(geometry, model, static_cast<int>(m), poses));
      weight += frame.weights[m];
    }
    if (weight <= 0) continue;
    for (size_t s = 0; s < model.segments.size(); ++s) {
      if (root[s] == r) poses[s].p_WS += sum / weight;
    }
  }
}

// Orientations with all joint angles zero; lengths do not matter for those.
std::vector<SegmentPose> make_neutral(const Model& model) {
  std::vector<SegmentPose> neutral(model.segments.size());
  const std::vector<double> zeros(list_joint_coordinates(model).size(), 0.0);
  place_segments(model, model.start_values(), zeros, neutral.data());
  return neutral;
}

Quaternion<double> conjugate(const Quaternion<double>& q) { return {q.w, -q.x, -q.y, -q.z}; }

// Orientations from the segments' own markers, from neighbours where those are too few.
void guess_poses(const FrameSolver& solver, const Frame& frame,
                 const std::vector<SegmentPose>& neutral, SegmentPose* poses) {
  const Model& model = solver.plan().model();
  const Geometry& geometry = solver.geometry();
  const size_t n = model.segments.size();
  std::vector<char> known(n, 0);
  for (size_t s = 0; s < n; ++s) {
    const RigidFit fit = fit_segment(model, geometry, frame, static_cast<int>(s));
    known[s] = fit.found;
    if (fit.found) poses[s] = as_segment_pose(fit.X_WB);
  }
  if (std::none_of(known.begin(), known.end(), [](char k) { return k != 0; })) {
    std::vector<Vec3d> a, b;
    for (size_t m = 0; m < model.markers.size(); ++m) {
      if (frame.weights[m] <= 0) continue;
      a.push_back(calc_marker(geometry, model, static_cast<int>(m), neutral.data()));
      b.push_back(frame.positions[m]);
    }
    const SegmentPose whole = as_segment_pose(fit_rigid(a, b).X_WB);
    for (size_t s = 0; s < n; ++s) poses[s].q_WS = whole.q_WS * neutral[s].q_WS;
  } else {
    const auto follow = [&](int from, int to) {
      const Quaternion<double>& f = neutral[from].q_WS;
      poses[to].q_WS =
          poses[from].q_WS * (Quaternion<double>{f.w, -f.x, -f.y, -f.z} * neutral[to].q_WS);
      known[to] = 1;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (const Joint& joint : model.joints) {
        if (joint.parent == kGround) continue;
        if (known[joint.parent] && !known[joint.child]) {
          follow(joint.parent, joint.child);
          changed = true;
        } else if (known[joint.child] && !known[joint.parent]) {
          follow(joint.child, joint.parent);
          changed = true;
        }
      }
    }
  }
  solver.project(poses);
  center_on_markers(model, geometry, frame, poses);
}

// Weak priors, so that a few frames cannot send a parameter away along a direction they hardly
// determine.
Model soften(const Model& model) {
  Model soft = model;
  // Tukey's loss ignores whatever is far off, and at first everything is; Huber's does not.
  if (soft.loss.type == LossType::kTukey) soft.loss.type = LossType::kHuber;
  for (Parameter& p : soft.parameters) {
    if (std::isfinite(p.prior_sd)) continue;
    p.prior_mean = p.start;
    p.prior_sd = p.unit == Unit::kMeter ? 0.05 : 0.3;
  }
  return soft;
}

// Frames spread over all trials: of each part of the recording, the first with the most markers.
Trial take_sample(const AllFrames& frames, int wanted) {
  const int count = frames.frame_count();
  Trial few;
  few.marker_count = static_cast<int>(frames.model().markers.size());
  wanted = std::min(count, std::max(1, wanted));
  const auto seen = [&](int k) {
    const Frame f = frames.frame(k);
    return std::count_if(f.weights, f.weights + few.marker_count, [](double w) { return w > 0; });
  };
  for (int k = 0; k < wanted; ++k) {
    const auto begin = static_cast<int>(static_cast<long>(k) * count / wanted);
    const auto end = static_cast<int>(static_cast<long>(k + 1) * count / wanted);
    int chosen = begin;
    for (int i = begin; i < end; ++i) {
      if (seen(i) > seen(chosen)) chosen = i;
    }
    const Frame f = frames.frame(chosen);
    few.positions.insert(few.positions.end(), f.positions, f.positions + few.marker_count);
    few.weights.insert(few.weights.end(), f.weights, f.weights + few.marker_count);
  }
  return few;
}

// Puts segments that are turned around, by more than kTurnedAround from where all joint angles are
// zero, back to there. Returns how many.
int turn_back(const Model& model, const std::vector<SegmentPose>& neutral, SegmentPose* poses) {
  int count = 0;
  for (const int s : model.order) {
    const int j = model.tree_joint[s];
    if (j < 0 || model.joints[j].parent == kGround) continue;
    const int parent = model.joints[j].parent;
    const Quaternion<double> straight =
        poses[parent].q_WS * (conjugate(neutral[parent].q_WS) * neutral[s].q_WS);
    if (calc_turn({Vec3d::Zero(), straight}, poses[s]) < kTurnedAround) continue;
    poses[s].q_WS = straight;
    ++count;
  }
  return count;
}

std::vector<SegmentPose> copy_poses(const AllFrames& frames) {
  const size_t n = frames.model().segments.size();
  return {frames.poses(0), frames.poses(0) + n * frames.frame_count()};
}

// Poses of the sample's frames at the constants of the solvers. A frame that is solved alone at
// constants that are far off fits best with a segment turned around, and such frames then hold the
// constants where they are: these keep the guess.
void place_sample(AllFrames& frames, std::vector<std::unique_ptr<FrameSolver>>& solvers,
                  const std::vector<SegmentPose>& neutral) {
  const Model& model = frames.model();
  for_each_index(frames.frame_count(), frames.threads(), [&](int k, int worker) {
    FrameSolver& solver = *solvers[worker];
    SegmentPose* poses = frames.poses(k);
    guess_poses(solver, frames.frame(k), neutral, poses);
    std::vector<SegmentPose> solved(poses, poses + model.segments.size()), turned;
    solver.solve(frames.frame(k), solved.data(), 50, kCoarse);
    turned = solved;
    if (turn_back(model, neutral, turned.data()) == 0) {
      std::copy(solved.begin(), solved.end(), poses);
    }
  });
}

// Segments of the sample that are turned around are turned back. Returns in how many frames.
long straighten(AllFrames& frames, std::vector<std::unique_ptr<FrameSolver>>& solvers,
                const std::vector<SegmentPose>& neutral) {
  std::vector<char> moved(frames.frame_count(), 0);
  for_each_index(frames.frame_count(), frames.threads(), [&](int k, int worker) {
    if (turn_back(frames.model(), neutral, frames.poses(k)) == 0) return;
    solvers[worker]->project(frames.poses(k));
    moved[k] = 1;
  });
  return std::count(moved.begin(), moved.end(), 1);
}

// Frames solved again from nothing, kept where they fit better. Returns how many.
long refresh_frames(AllFrames& frames, std::vector<std::unique_ptr<FrameSolver>>& solvers,
                    const std::vector<SegmentPose>& neutral) {
  const size_t n = frames.model().segments.size();
  std::vector<char> moved(frames.frame_count(), 0);
  for_each_index(frames.frame_count(), frames.threads(), [&](int k, int worker) {
    FrameSolver& solver = *solvers[worker];
    std::vector<SegmentPose> other(n);
    guess_poses(solver, frames.frame(k), neutral, other.data());
    const double tried = solver.solve(frames.frame(k), other.data(), 50, kCoarse).objective;
    const double present =
        calc_objective(solver.plan(), solver.geometry(), frames.frame(k), frames.poses(k));
    if (tried > 0.99 * present) return;
    std::copy(other.begin(), other.end(), frames.poses(k));
    moved[k] = 1;
  });
  return std::count(moved.begin(), moved.end(), 1);
}

struct Attempt {
  Eigen::VectorXd d;  // where it begins, and ends
  double objective = 0;
  double kkt_start = 0;
  int iterations = 0;  // of all that was solved
  long turned = 0;     // frames with a segment turned around
};

// The sample's problem from an attempt's d, with poses from nothing. Frames that ended in minima of
// their own, and segments that are turned around, are put right and all is solved again.
void solve_sample(const Model& model, const std::vector<Trial>& sample,
                  const std::vector<SegmentPose>& neutral, const Options& options, Attempt& out) {
  AllFrames some(model, sample, options.threads);
  std::vector<std::unique_ptr<FrameSolver>> solvers;
  for (int k = 0; k < some.threads(); ++k) {
    solvers.push_back(std::make_unique<FrameSolver>(model, out.d));
  }
  const auto solve = [&](Eigen::VectorXd& d) {
    const Summary summary = solve_all_frames(some, d, options);
    out.iterations += static_cast<int>(summary.iterations.size());
    return summary;
  };
  const auto set_parameters = [&] {
    for (auto& solver : solvers) solver->set_parameters(out.d);
  };
  place_sample(some, solvers, neutral);
  Summary summary = solve(out.d);
  out.kkt_start = summary.kkt_start;
  set_parameters();
  if (refresh_frames(some, solvers, neutral) > 0) {
    summary = solve(out.d);
    set_parameters();
  }
  const std::vector<SegmentPose> kept = copy_poses(some);
  out.turned = straighten(some, solvers, neutral);
  if (out.turned > 0) {
    Eigen::VectorXd other = out.d;
    const Summary straight = solve(other);
    if (straight.objective < summary.objective) {
      summary = straight;
      out.d = other;
      set_parameters();
      out.turned = straighten(some, solvers, neutral);
    } else {
      std::copy(kept.begin(), kept.end(), some.poses(0));
    }
  }
  out.objective = summary.objective;
}

// Turns one segment after the other by half, with what hangs on it. Returns whether that was lower.
bool leave_saddle(FrameSolver& solver, const Frame& frame, SegmentPose* poses) {
  const Model& model = solver.plan().model();
  const size_t n = model.segments.size();
  std::vector<SegmentPose> best(poses, poses + n);
  double objective = calc_objective(solver.plan(), solver.geometry(), frame, poses);
  const double before = objective;
  for (size_t s = 0; s < n; ++s) {
    std::vector<char> hangs(n, 0);
    hangs[s] = 1;
    for (const int t : model.order) {
      const int j = model.tree_joint[t];
      if (j >= 0 && model.joints[j].parent != kGround && hangs[model.joints[j].parent]) {
        hangs[t] = 1;
      }
    }
    for (int axis = 0; axis < 3; ++axis) {  // of the segment
      std::vector<SegmentPose> turned(poses, poses + n);
      const Vec3d theta = kPi * (as_rotation(turned[s].q_WS) * Vec3d::Unit(axis));
      for (size_t t = 0; t < n; ++t) {
        if (hangs[t]) turned[t] = turn_pose(turned[t], theta, Vec3d::Zero());
      }
      solver.project(turned.data());
      const double tried = solver.solve(frame, turned.data()).objective;
      if (tried < objective * (1 - 1e-9)) {
        objective = tried;
        best = turned;
      }
    }
  }
  if (!(objective < before)) return false;
  std::copy(best.begin(), best.end(), poses);
  return true;
}

}  // namespace

RigidFit fit_segment(const Model& model, const Geometry& geometry, const Frame& frame,
                     int segment) {
  std::vector<Vec3d> points, measured;
  for (size_t m = 0; m < model.markers.size(); ++m) {
    if (model.markers[m].segment != segment || frame.weights[m] <= 0) continue;
    points.push_back(geometry.markers[m].value);
    measured.push_back(frame.positions[m]);
  }
  return fit_rigid(points, measured);
}

FrameSolve solve_frame_from_scratch(FrameSolver& solver, const Frame& frame, SegmentPose* poses,
                                    double accuracy) {
  const Model& model = solver.plan().model();
  const size_t n = model.segments.size();
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<SegmentPose> guess(n), best(n);
  guess_poses(solver, frame, make_neutral(model), guess.data());
  best = guess;
  const double coarse = std::max(accuracy, kCoarse);
  FrameSolve result = solver.solve(frame, best.data(), 50, coarse);
  for (int start = 1; start < kStarts; ++start) {
    if (calc_rms(frame, model.markers.size(), result.objective) < kGoodFit) break;
    std::vector<SegmentPose> other = guess;
    for (SegmentPose& pose : other) {
      const Vec3d theta(normal(random), normal(random), normal(random));
      pose = turn_pose(pose, 0.5 * theta, Vec3d::Zero());
    }
    solver.project(other.data());
    center_on_markers(model, solver.geometry(), frame, other.data());
    const FrameSolve tried = solver.solve(frame, other.data(), 50, coarse);
    if (tried.objective < result.objective) {
      result = tried;
      best = other;
    }
  }
  if (accuracy < coarse) result = solver.solve(frame, best.data(), 50, accuracy);
  std::copy(best.begin(), best.end(), poses);
  return result;
}

void solve_frames(AllFrames& frames, const Eigen::VectorXd& d, double accuracy) {
  const bool tukey = frames.model().loss.type == LossType::kTukey;
  Model model = frames.model();
  if (tukey) model.loss.type = LossType::kHuber;  // see soften()
  const int count = frames.frame_count();
  const size_t n = model.segments.size();
  const int stretches = (count + kStretch - 1) / kStretch;
  std::vector<std::unique_ptr<FrameSolver>> solvers;
  for (int k = 0; k < frames.threads(); ++k) {
    solvers.push_back(std::make_unique<FrameSolver>(model, d));
  }
  std::vector<double> objective(count);
  for_each_index(stretches, frames.threads(), [&](int stretch, int worker) {
    FrameSolver& solver = *solvers[worker];
    const int begin = stretch * kStretch, end = std::min(count, begin + kStretch);
    std::vector<SegmentPose> again(n);
    for (int k = begin; k < end; ++k) {
      if (k == begin) {
        objective[k] =
            solve_frame_from_scratch(solver, frames.frame(k), frames.poses(k), accuracy).objective;
        continue;
      }
      std::copy_n(frames.poses(k - 1), n, frames.poses(k));
      objective[k] = solver.solve(frames.frame(k), frames.poses(k), 50, accuracy).objective;
      if (objective[k] > 4 * objective[k - 1] &&
          calc_rms(frames.frame(k), model.markers.size(), objective[k]) > kGoodFit) {
        const double fresh =
            solve_frame_from_scratch(solver, frames.frame(k), again.data(), accuracy).objective;
        if (fresh < objective[k]) {
          objective[k] = fresh;
          std::copy(again.begin(), again.end(), frames.poses(k));
        }
      }
    }
  });
  if (tukey) {
    solvers.clear();
    for (int k = 0; k < frames.threads(); ++k) {
      solvers.push_back(std::make_unique<FrameSolver>(frames.model(), d));
    }
    for_each_index(count, frames.threads(), [&](int k, int worker) {
      solvers[worker]->solve(frames.frame(k), frames.poses(k), 50, accuracy);
    });
  }
  improve_outliers(frames, d);
}

long improve_outliers(AllFrames& frames, const Eigen::VectorXd& d) {
  const int count = frames.frame_count();
  const size_t n = frames.model().segments.size();
  FrameSolver solver(frames.model(), d);
  std::vector<double> objective(count);
  for (int k = 0; k < count; ++k) {
    objective[k] =
        calc_objective(solver.plan(), solver.geometry(), frames.frame(k), frames.poses(k));
  }
  const double limit = 6 * calc_median(objective);
  std::vector<SegmentPose> other(n);
  std::vector<char> moved(count, 0);
  const auto retry = [&](int k, int from) {
    if (objective[k] <= limit || objective[from] >= objective[k]) return;
    std::copy_n(frames.poses(from), n, other.begin());
    solver.project(other.data());
    const double tried = solver.solve(frames.frame(k), other.data(), 50, kCoarse).objective;
    if (tried >= 0.99 * objective[k]) return;
    objective[k] = solver.solve(frames.frame(k), other.data()).objective;
    moved[k] = 1;
    std::copy(other.begin(), other.end(), frames.poses(k));
  };
  for (int k = 1; k < count; ++k) retry(k, k - 1);
  for (int k = count - 1; k-- > 0;) retry(k, k + 1);
  return std::count(moved.begin(), moved.end(), 1);
}

long leave_saddles(AllFrames& frames, const Eigen::VectorXd& d) {
  const auto results = frames.inspect(d, Curvature::kNewton);
  std::vector<std::unique_ptr<FrameSolver>> solvers;
  for (int k = 0; k < frames.threads(); ++k) {
    solvers.push_back(std::make_unique<FrameSolver>(frames.model(), d));
  }
  std::vector<char> moved(frames.frame_count(), 0);
  for_each_index(frames.frame_count(), frames.threads(), [&](int k, int worker) {
    if (!results[k].indefinite) return;
    moved[k] = leave_saddle(*solvers[worker], frames.frame(k), frames.poses(k));
  });
  return std::count(moved.begin(), moved.end(), 1);
}

Start find_start(const AllFrames& frames, int start_frames, const std::atomic<bool>* stop) {
  const Model& model = frames.model();
  const std::vector<Trial> sample{take_sample(frames, start_frames)};
  Model soft = model;
  fit_joints(AllFrames(model, sample, frames.threads()), soft);
  soft = soften(soft);
  // Two at a time: the second one is always wanted, and each by itself waits less for its threads.
  const int at_once = std::min(2, frames.threads());
  Options options;
  options.threads = frames.threads() / at_once;
  options.max_iterations = 30;
  options.tolerance = 1e-4;
  options.stop = stop;
  const std::vector<SegmentPose> neutral = make_neutral(soft);
  const Eigen::VectorXd first = project_parameters(soft, soft.start_values());
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  Start best;
  double least = 1e300;
  for (int begin = 0; begin < kAttempts; begin += at_once) {
    std::vector<Attempt> attempts(at_once);
    for (int i = 0; i < at_once; ++i) {
      Eigen::VectorXd& d = attempts[i].d = first;
      if (begin + i == 0) continue;
      for (int k = 0; k < d.size(); ++k) d[k] += 0.5 * soft.parameters[k].prior_sd * normal(random);
      d = project_parameters(soft, d);
    }
    for_each_index(at_once, at_once,
                   [&](int i, int) { solve_sample(soft, sample, neutral, options, attempts[i]); });
    for (const Attempt& tried : attempts) {
      ++best.attempts;
      best.iterations += tried.iterations;
      if (best.attempts == 1) {
        best.kkt = tried.kkt_start * frames.frame_count() / sample[0].frame_count();
      }
      const bool lower = tried.objective < least / kAlike, alike = tried.objective < least * kAlike;
      if (tried.objective < least) {
        least = tried.objective;
        best.d = tried.d;
      }
      if (lower) best.reached = 0;
      // A minimum whose segments are turned around is none to agree on.
      if ((lower || alike) && 10 * tried.turned < sample[0].frame_count()) ++best.reached;
      if (best.reached >= 2 || (stop && *stop)) return best;
    }
  }
  return best;
}

}  // namespace vesica::markers
