#include "vesica/markers/exchanged_throughout.h"

#include <algorithm>
#include <cmath>

namespace vesica::markers {
namespace {

constexpr int kSampleFrames = 30;
constexpr size_t kMostPairs = 12;         // that are tried, a fit of the sample each
constexpr double kLeastPull = 0.002;      // m, mean residual of one of the two at least
constexpr double kLeastShareOfRms = 0.5;  // of the marker's rms that its mean is
constexpr double kHalf = 0.5;

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

}  // namespace

std::vector<ExchangedPair> find_exchanged_throughout(const Identification& id,
                                                     const std::vector<Trial>& trials) {
  std::vector<ExchangedPair> found;
  const Model& model = id.frames.model();
  std::vector<SuspectPair> suspects = find_suspect_pairs(id);
  if (suspects.empty() || model.has_loops() || id.summary.interrupted) return found;
  const int stride = std::max(1, id.frames.frame_count() / kSampleFrames);
  std::vector<Trial> sample;
  for (const Trial& trial : trials) sample.push_back(thin_trial(trial, stride));
  Options options;
  options.threads = id.frames.threads();
  options.tolerance = 1e-5;
  double least = identify(model, sample, options).summary.objective;
  while (!suspects.empty()) {
    ExchangedPair best;
    double of_best = kHalf * least;
    for (const SuspectPair& pair : suspects) {
      std::vector<Trial> other = sample;
      exchange(pair, other);
      const double objective = identify(model, other, options).summary.objective;
      if (!(objective < of_best)) continue;
      of_best = objective;
      best = {pair.a, pair.b, objective / least};
    }
    if (best.a == best.b) break;
    found.push_back(best);
    exchange({best.a, best.b}, sample);
    least = of_best;
    const auto shares_marker = [&](const SuspectPair& p) {
      return p.a == best.a || p.a == best.b || p.b == best.a || p.b == best.b;
    };
    suspects.erase(std::remove_if(suspects.begin(), suspects.end(), shares_marker), suspects.end());
  }
  return found;
}

}  // namespace vesica::markers
