#include "vesica/markers/branches.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "vesica/markers/pose_spread.h"
#include "vesica/math/median.h"
#include "vesica/math/parallel.h"

namespace vesica::markers {
namespace {

constexpr double kDegrees = kPi / 180;
constexpr double kMostSquares = 25;       // that one marker counts in a path, of sigma^2
constexpr double kSame = 2 * kDegrees;    // poses that are nearer than this are one
constexpr double kOther = 5 * kDegrees;   // that are farther apart are another
constexpr double kJump = 3 * kDegrees;    // beyond the usual angle: costs 1
constexpr double kLeastSigma = 1e-4;      // m: exact markers have no noise to compare with
constexpr double kWeak = 1.5 * kDegrees;  // spread above which a frame may have a mirrored pose
constexpr double kReach = 0.7;            // rad, how far beside its pose that is looked for
constexpr size_t kMostCandidates = 6;     // of a frame
constexpr double kWild = 5;               // sigma, of a residual
constexpr double kAccuracy = 1e-5;        // rad, of candidates
constexpr double kNear = 1e-2;            // rad, of where they begin
// Tukey's loss sees nothing beyond its width, so that a limb is first brought near with a wider
// one.
constexpr double kWideTukey = 0.1;  // m

using Poses = std::vector<SegmentPose>;

struct Candidate {
  Poses poses;
  double cost = 0;
};

// Poses of a frame that were reached from one end of a stretch.
struct Found {
  int frame = 0;
  Poses poses;
};

class BranchChooser {
 public:
  BranchChooser(AllFrames& frames, const Eigen::VectorXd& d)
      : frames_(frames),
        model_(frames.model()),
        wide_model_(make_wide(model_)),
        n_(model_.segments.size()),
        count_(frames.frame_count()),
        candidates_(count_) {
    for (int k = 0; k < frames.threads(); ++k) {
      solvers_.push_back(std::make_unique<FrameSolver>(model_, d));
      wide_solvers_.push_back(std::make_unique<FrameSolver>(wide_model_, d));
    }
  }

  Branches run(bool move) {
    measure();
    find_suspects();
    for_each_index(count_, frames_.threads(), [&](int k, int worker) {
      if (suspect_[k]) add_mirrored(k, worker);
    });
    follow_stretches();
    return choose(move);
  }

 private:
  const Plan& plan() const { return solvers_[0]->plan(); }
  const Geometry& geometry() const { return solvers_[0]->geometry(); }
  static Model make_wide(const Model& model) {
    Model wide = model;
    wide.loss.width = std::max(kWideTukey, wide.loss.width);
    return wide;
  }
  const SegmentPose* present(int k) const { return frames_.poses(k); }
  // Of neighbours, either way.
  bool same_trial(int k, int next) const {
    return std::min(k, next) >= 0 && std::max(k, next) < count_ &&
           !frames_.begins_trial(std::max(k, next));
  }
  double calc_squares(int m, const Frame& frame, const SegmentPose* poses) const {
    return (calc_marker(geometry(), model_, m, poses) - frame.positions[m]).squaredNorm();
  }
  double calc_cost(int k, const SegmentPose* poses) const {
    const Frame frame = frames_.frame(k);
    double sum = 0;
    for (size_t m = 0; m < model_.markers.size(); ++m) {
      if (frame.weights[m] <= 0) continue;
      const double r2 = calc_squares(static_cast<int>(m), frame, poses) / (sigma_ * sigma_);
      sum += frame.weights[m] * std::min(r2, kMostSquares);
    }
    return sum;
  }
  struct Turn {
    double angle = 0;
    int segment = 0;
  };
  Turn find_largest_turn(const Poses& a, const Poses& b) const {
    Turn largest;
    for (size_t s = 0; s < n_; ++s) {
      const double angle = calc_turn(a[s], b[s]);
      if (angle > largest.angle) largest = {angle, static_cast<int>(s)};
    }
    return largest;
  }
  double calc_jump(const SegmentPose* a, const SegmentPose* b) const {
    double sum = 0;
    for (size_t s = 0; s < n_; ++s) {
      const double beyond = std::max(0.0, calc_turn(a[s], b[s]) - usual_turn_[s]) / kJump;
      sum += beyond * beyond;
    }
    return sum;
  }

  // Noise, and how far segments turn from frame to frame.
  void measure() {
    std::vector<double> squares;
    for (int k = 0; k < count_; ++k) {
      const Frame frame = frames_.frame(k);
      for (size_t m = 0; m < model_.markers.size(); ++m) {
        if (frame.weights[m] <= 0) continue;
        squares.push_back(calc_squares(static_cast<int>(m), frame, present(k)));
      }
    }
    const double equations = 3.0 * static_cast<double>(squares.size());
    const double unknowns = static_cast<double>(plan().dof()) * count_;
    // The median of a sum of three squares of unit variance is 2.366; what the poses have taken up
    // is missing from the residuals.
    const double share = std::max(0.1, 1 - unknowns / std::max(1.0, equations));
    sigma_ = std::max(kLeastSigma, std::sqrt(calc_median(squares) / 2.366 / share));
    std::vector<double> turns;
    for (size_t s = 0; s < n_; ++s) {
      turns.clear();
      for (int k = 1; k < count_; ++k) {
        if (same_trial(k - 1, k)) turns.push_back(calc_turn(present(k - 1)[s], present(k)[s]));
      }
      double usual = 0;
      if (!turns.empty()) {
        const auto at = turns.begin() + static_cast<std::ptrdiff_t>(turns.size() * 4 / 5);
        std::nth_element(turns.begin(), at, turns.end());
        usual = *at;
      }
      usual_turn_.push_back(std::max(1 * kDegrees, 1.5 * usual));
    }
  }

  // Frames that lack a marker which the recording mostly shows, with one far off, or far from the
  // frame beside.
  void find_suspects() {
    suspect_.assign(count_, 0);
    const size_t markers = model_.markers.size();
    for (int begin = 0, end = 0; begin < count_; begin = end) {
      for (end = begin + 1; end < count_ && !frames_.begins_trial(end);) ++end;
      std::vector<int> seen(markers, 0);
      for (int k = begin; k < end; ++k) {
        for (size_t m = 0; m < markers; ++m) seen[m] += frames_.frame(k).weights[m] > 0;
      }
      for (int k = begin; k < end; ++k) {
        const Frame frame = frames_.frame(k);
        for (size_t m = 0; m < markers; ++m) {
          if (frame.weights[m] <= 0) {
            if (2 * seen[m] > end - begin) suspect_[k] = 1;
          } else if (calc_squares(static_cast<int>(m), frame, present(k)) >
                     kWild * kWild * sigma_ * sigma_) {
            suspect_[k] = 1;
          }
        }
        if (k > begin && calc_jump(present(k - 1), present(k)) > 9)
          suspect_[k - 1] = suspect_[k] = 1;
      }
    }
    for (int k = 0; k < count_; ++k) {
      candidates_[k].push_back({Poses(present(k), present(k) + n_), calc_cost(k, present(k))});
    }
  }

  // Which candidate of a frame the poses are; as many as it has where they are none of those.
  size_t find_candidate(int k, const Poses& poses) const {
    const std::vector<Candidate>& list = candidates_[k];
    size_t c = 0;
    while (c < list.size() && find_largest_turn(list[c].poses, poses).angle >= kSame) ++c;
    return c;
  }
  void add_candidate(int k, const Poses& poses) {
    std::vector<Candidate>& list = candidates_[k];
    if (list.size() >= kMostCandidates || find_candidate(k, poses) < list.size()) return;
    const double cost = calc_cost(k, poses.data());
    if (std::isfinite(cost)) list.push_back({poses, cost});
  }
  void solve(int k, int worker, Poses& poses) {
    FrameSolver& solver = *solvers_[worker];
    solver.project(poses.data());
    if (model_.loss.type == LossType::kTukey) {
      wide_solvers_[worker]->solve(frames_.frame(k), poses.data(), 30, kNear);
    }
    solver.solve(frames_.frame(k), poses.data(), 30, kAccuracy);
  }

  void add_mirrored(int k, int worker) {
    const PoseSpread spread = calc_pose_spread(plan(), geometry(), frames_.frame(k), present(k));
    if (spread.largest() * sigma_ < kWeak) return;
    for (const double side : {-kReach, kReach}) {
      Poses poses(present(k), present(k) + n_);
      for (size_t b = 0; b < n_; ++b) {
        const auto row = 6 * static_cast<Eigen::Index>(b);
        SegmentPose& pose = poses[plan().bodies()[b].segment];
        pose = turn_pose(pose, side * spread.softest.segment<3>(row + 3),
                         side * spread.softest.segment<3>(row));
      }
      solve(k, worker, poses);
      add_candidate(k, poses);
    }
  }

  // Stretches of suspect frames, from both of their ends. What one finds the others do not see, so
  // that it is the same with any number of threads.
  void follow_stretches() {
    struct End {
      int frame, step;
    };
    std::vector<End> ends;
    for (const int step : {+1, -1}) {
      for (int k = 0; k < count_; ++k) {
        const bool is_end = suspect_[k] && !(same_trial(k, k - step) && suspect_[k - step]);
        if (is_end && same_trial(k, k - step)) ends.push_back({k, step});
      }
    }
    std::vector<std::vector<Found>> found(ends.size());
    for_each_index(static_cast<int>(ends.size()), frames_.threads(), [&](int i, int worker) {
      found[i] = follow(ends[i].frame, ends[i].step, worker);
    });
    for (const std::vector<Found>& of_end : found) {
      for (const Found& f : of_end) add_candidate(f.frame, f.poses);
    }
  }

  // From the frame before `k` (after it, with step -1) on, each frame from the one before, until
  // the poses are those that the recording has already.
  std::vector<Found> follow(int k, int step, int worker) {
    std::vector<Found> found;
    Poses last(present(k - step), present(k - step) + n_), before = last;
    if (same_trial(k - 2 * step, k - step)) {
      before.assign(present(k - 2 * step), present(k - 2 * step) + n_);
    }
    for (; same_trial(k - step, k); k += step) {
      Poses poses = model_.loss.type == LossType::kTukey ? extrapolate(before, last) : last;
      solve(k, worker, poses);
      const size_t c = find_candidate(k, poses);
      if (c == 0 && !suspect_[k]) break;
      if (c < candidates_[k].size()) {
        poses = candidates_[k][c].poses;
      } else if (std::isfinite(calc_cost(k, poses.data()))) {
        found.push_back({k, poses});
      } else {
        break;
      }
      before = std::move(last);
      last = std::move(poses);
    }
    return found;
  }
  Poses extrapolate(const Poses& before, const Poses& last) const {
    Poses next(n_);
    for (size_t s = 0; s < n_; ++s) {
      const Quaternion<double>&a = before[s].q_WS, &b = last[s].q_WS;
      next[s].p_WS = 2 * last[s].p_WS - before[s].p_WS;
      next[s].q_WS = b * Quaternion<double>{a.w, -a.x, -a.y, -a.z} * b;
    }
    return next;
  }

  Branches choose(bool move) {
    Branches out;
    out.sigma = sigma_;
    out.margin.assign(count_, std::numeric_limits<double>::infinity());
    out.apart.assign(count_, 0.0);
    out.segment.assign(count_, 0);
    // Least costs from the trial's beginning and from its end, each with the frame's own.
    std::vector<std::vector<double>> from(count_), to(count_);
    const auto sweep = [&](int first, int last, int step, std::vector<std::vector<double>>& cost) {
      for (int k = first; k != last + step; k += step) {
        for (const Candidate& c : candidates_[k]) {
          double least = k == first ? 0 : std::numeric_limits<double>::infinity();
          for (size_t b = 0; k != first && b < candidates_[k - step].size(); ++b) {
            least =
                std::min(least, cost[k - step][b] + calc_jump(candidates_[k - step][b].poses.data(),
                                                              c.poses.data()));
          }
          cost[k].push_back(least + c.cost);
        }
      }
    };
    for (int begin = 0, end = 0; begin < count_; begin = end) {
      for (end = begin + 1; end < count_ && !frames_.begins_trial(end);) ++end;
      sweep(begin, end - 1, +1, from);
      sweep(end - 1, begin, -1, to);
      size_t chosen = 0;
      for (int k = end - 1; k >= begin; --k) {
        const std::vector<Candidate>& list = candidates_[k];
        size_t best = 0;
        double least = std::numeric_limits<double>::infinity();
        for (size_t c = 0; c < list.size(); ++c) {
          const double jump = k == end - 1 ? 0
                                           : calc_jump(list[c].poses.data(),
                                                       candidates_[k + 1][chosen].poses.data());
          if (from[k][c] + jump < least) {
            least = from[k][c] + jump;
            best = c;
          }
        }
        chosen = best;
        const double path = from[k][chosen] + to[k][chosen] - list[chosen].cost;
        for (size_t c = 0; c < list.size(); ++c) {
          const Turn turn = find_largest_turn(list[c].poses, list[chosen].poses);
          const double more = from[k][c] + to[k][c] - list[c].cost - path;
          if (turn.angle <= kOther || more >= out.margin[k]) continue;
          out.margin[k] = more;
          out.apart[k] = turn.angle;
          out.segment[k] = turn.segment;
        }
        if (chosen == 0 || !move) continue;
        std::copy(list[chosen].poses.begin(), list[chosen].poses.end(), frames_.poses(k));
        ++out.moved;
      }
    }
    return out;
  }

  AllFrames& frames_;
  const Model& model_;
  Model wide_model_;
  std::vector<std::unique_ptr<FrameSolver>> solvers_, wide_solvers_;  // one a thread
  size_t n_;
  int count_;
  double sigma_ = 0;
  std::vector<double> usual_turn_;  // rad, of each segment from one frame to the next
  std::vector<char> suspect_;
  std::vector<std::vector<Candidate>> candidates_;  // the first is the present pose
};

}  // namespace

Branches choose_branches(AllFrames& frames, const Eigen::VectorXd& d) {
  return BranchChooser(frames, d).run(true);
}

Branches inspect_branches(AllFrames& frames, const Eigen::VectorXd& d) {
  return BranchChooser(frames, d).run(false);
}

}  // namespace vesica::markers
