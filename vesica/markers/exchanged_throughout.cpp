#include "vesica/markers/exchanged_throughout.h"

#include <algorithm>
#include <cmath>

namespace vesica::markers {
namespace {

constexpr int kSampleFrames = 30;
constexpr size_t kMostPairs = 6;          // that are tried, a fit of the sample each
constexpr double kLeastPull = 0.002;      // m, mean residual of each of the two
constexpr double kLeastShareOfRms = 0.5;  // of the marker's rms that its mean is
constexpr double kHalf = 0.5;

struct SuspectPair {
  int a = 0, b = 0;
  double pull = 0;  // m^2
};

// Pairs of a segment whose mean residuals, in the segment, point away from each other's.
std::vector<SuspectPair> find_opposed_pairs(const Identification& id) {
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
  const auto is_pulled = [&](size_t m) {
    return count[m] > 0 && mean[m].norm() / count[m] > kLeastPull &&
           mean[m].norm() / count[m] > kLeastShareOfRms * std::sqrt(squares[m] / count[m]);
  };
  std::vector<SuspectPair> pairs;
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = a + 1; b < n; ++b) {
      if (model.markers[a].segment != model.markers[b].segment) continue;
      if (!is_pulled(a) || !is_pulled(b)) continue;
      const double pull = -mean[a].dot(mean[b]) / (count[a] * count[b]);
      if (pull > 0) pairs.push_back({static_cast<int>(a), static_cast<int>(b), pull});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& x, const auto& y) { return x.pull > y.pull; });
  if (pairs.size() > kMostPairs) pairs.resize(kMostPairs);
  return pairs;
}

}  // namespace

std::vector<ExchangedPair> find_exchanged_throughout(const Identification& id,
                                                     const std::vector<Trial>& trials) {
  std::vector<ExchangedPair> found;
  const Model& model = id.frames.model();
  const std::vector<SuspectPair> suspects = find_opposed_pairs(id);
  if (suspects.empty() || model.has_loops()) return found;
  const int stride = std::max(1, id.frames.frame_count() / kSampleFrames);
  std::vector<Trial> sample;
  for (const Trial& trial : trials) sample.push_back(thin_trial(trial, stride));
  Options options;
  options.threads = id.frames.threads();
  options.tolerance = 1e-5;
  const double as_labelled = identify(model, sample, options).summary.objective;
  for (const SuspectPair& pair : suspects) {
    std::vector<Trial> other = sample;
    for (Trial& trial : other) {
      for (int k = 0; k < trial.frame_count(); ++k) {
        const size_t row = static_cast<size_t>(k) * trial.marker_count;
        std::swap(trial.positions[row + pair.a], trial.positions[row + pair.b]);
        std::swap(trial.weights[row + pair.a], trial.weights[row + pair.b]);
      }
    }
    const double share = identify(model, other, options).summary.objective / as_labelled;
    if (share < kHalf) found.push_back({pair.a, pair.b, share});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& x, const auto& y) { return x.share < y.share; });
  for (size_t k = 0; k < found.size(); ++k) {
    const ExchangedPair& best = found[k];
    const auto shares_marker = [&](const ExchangedPair& p) {
      return p.a == best.a || p.a == best.b || p.b == best.a || p.b == best.b;
    };
    found.erase(std::remove_if(found.begin() + static_cast<std::ptrdiff_t>(k) + 1, found.end(),
                               shares_marker),
                found.end());
  }
  return found;
}

}  // namespace vesica::markers
