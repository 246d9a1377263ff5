#include "vesica/markers/exchanged_throughout.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vesica/math/parallel.h"

namespace vesica::markers {
namespace {

constexpr int kSampleFrames = 30;
constexpr size_t kMostPairs = 12;         // that are tried, a fit of the sample each
constexpr double kLeastPull = 0.002;      // m, mean residual of one of the two at least
constexpr double kLeastShareOfRms = 0.5;  // of the marker's rms that its mean is
constexpr double kHalf = 0.5;
// Of a pair's first look, from the poses and constants of the fit.
constexpr int kLookIterations = 10;
constexpr double kLookTolerance = 1e-3;

struct SuspectPair {
  int a = 0, b = 0;
  double pull = 0;  // m^2
};

// Mean residuals, in the segment, of the markers that have one, the others' zero.
std::vector<Vec3d> calc_pulls(const Identification& id) {
  const Model& model = id.frames.model();
  const Geometry geometry = calc_geometry(model, id.d);
  const size_t n = model.markers.size();
  std::vector<Vec3d> mean(n, Vec3d::Zero());
  std::vector<double> squares(n, 0), count(n, 0);
  for (int k = 0; k < id.frames.frame_count(); ++k) {
    const Frame frame = id.frames.frame(k);
    for (size_t m = 0; m < n; ++m) {
      if (frame.weights[m] <= 0) continue;
      const SegmentPose& pose = id.frames.poses(k)[model.markers[m].segment];
      const Vec3d error = frame.positions[m] - pose.p_WS;
      const Vec3d r = as_rotation(pose.q_WS).transpose() * error - geometry.markers[m].value;
      mean[m] += r;
      squares[m] += r.squaredNorm();
      ++count[m];
    }
  }
  for (size_t m = 0; m < n; ++m) {
    if (count[m] > 0) mean[m] /= count[m];
    const double pull = mean[m].norm();
    const bool is_pulled =
        pull > kLeastPull && pull > kLeastShareOfRms * std::sqrt(squares[m] / count[m]);
    if (!is_pulled) mean[m].setZero();
  }
  return mean;
}

// Pairs of a segment of which one at least is pulled: found coordinates of the other may have taken
// up all of its own.
std::vector<SuspectPair> find_suspect_pairs(const Identification& id) {
  const std::vector<Marker>& markers = id.frames.model().markers;
  const std::vector<Vec3d> pulls = calc_pulls(id);
  std::vector<SuspectPair> pairs;
  for (size_t a = 0; a < markers.size(); ++a) {
    for (size_t b = a + 1; b < markers.size(); ++b) {
      if (markers[a].segment != markers[b].segment) continue;
      const double pull = pulls[a].squaredNorm() + pulls[b].squaredNorm();
      if (pull > 0) pairs.push_back({static_cast<int>(a), static_cast<int>(b), pull});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& x, const auto& y) { return x.pull > y.pull; });
  if (pairs.size() > kMostPairs) pairs.resize(kMostPairs);
  return pairs;
}

void exchange(const SuspectPair& pair, std::vector<Trial>& trials) {
  for (Trial& trial : trials) {
    for (int k = 0; k < trial.frame_count(); ++k) {
      const size_t row = static_cast<size_t>(k) * trial.marker_count;
      std::swap(trial.positions[row + pair.a], trial.positions[row + pair.b]);
      std::swap(trial.weights[row + pair.a], trial.weights[row + pair.b]);
    }
  }
}

// Poses of every `stride`-th frame of each recording.
void copy_every(const AllFrames& from, int stride, AllFrames& to) {
  const size_t n = from.model().segments.size();
  for (int k = 0, in_trial = 0, next = 0; k < from.frame_count(); ++k, ++in_trial) {
    if (from.begins_trial(k)) in_trial = 0;
    if (in_trial % stride == 0) std::copy_n(from.poses(k), n, to.poses(next++));
  }
}

// Fits the sample with a pair's labels exchanged: from where the fit ended, and from nothing only
// where that is lower than the sample as it is labelled. With right labels the constants come most
// of the way by themselves, with wrong ones the sum grows by a multiple.
class PairFit {
 public:
  PairFit(const Identification& id, const std::vector<Trial>& trials)
      : id_(id), stride_(std::max(1, id.frames.frame_count() / kSampleFrames)) {
    for (const Trial& trial : trials) sample_.push_back(thin_trial(trial, stride_));
    options_.tolerance = 1e-5;
    options_.threads = id.frames.threads();
    least_ = identify(id.frames.model(), sample_, options_).summary.objective;
    options_.threads = 1;  // of each pair
  }

  double least() const { return least_; }
  // Infinite where it is not lower.
  double calc_objective(const SuspectPair& pair) const {
    const Model& model = id_.frames.model();
    std::vector<Trial> other = sample_;
    exchange(pair, other);
    AllFrames frames(model, other, 1);
    copy_every(id_.frames, stride_, frames);
    Eigen::VectorXd d = id_.d;
    Options look = options_;
    look.max_iterations = kLookIterations;
    look.tolerance = kLookTolerance;
    if (!(solve_all_frames(frames, d, look).objective < least_)) {
      return std::numeric_limits<double>::infinity();
    }
    return identify(model, other, options_).summary.objective;
  }
  void keep(const SuspectPair& pair, double objective) {
    exchange(pair, sample_);
    least_ = objective;
  }

 private:
  const Identification& id_;
  int stride_;
  std::vector<Trial> sample_;
  Options options_;
  double least_ = 0;  // objective of the sample as it is labelled
};

}  // namespace

std::vector<ExchangedPair> find_exchanged_throughout(const Identification& id,
                                                     const std::vector<Trial>& trials) {
  std::vector<ExchangedPair> found;
  const Model& model = id.frames.model();
  std::vector<SuspectPair> suspects = find_suspect_pairs(id);
  if (suspects.empty() || model.has_loops() || id.summary.interrupted) return found;
  PairFit fit(id, trials);
  while (!suspects.empty()) {
    std::vector<double> objective(suspects.size());
    for_each_index(static_cast<int>(suspects.size()), id.frames.threads(),
                   [&](int i, int) { objective[i] = fit.calc_objective(suspects[i]); });
    const auto best = std::min_element(objective.begin(), objective.end()) - objective.begin();
    if (!(objective[best] < kHalf * fit.least())) break;
    const SuspectPair pair = suspects[best];
    found.push_back({pair.a, pair.b, objective[best] / fit.least()});
    fit.keep(pair, objective[best]);
    const auto shares_marker = [&](const SuspectPair& p) {
      return p.a == pair.a || p.a == pair.b || p.b == pair.a || p.b == pair.b;
    };
    suspects.erase(std::remove_if(suspects.begin(), suspects.end(), shares_marker), suspects.end());
  }
  return found;
}

}  // namespace vesica::markers
