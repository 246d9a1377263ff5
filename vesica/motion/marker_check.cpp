#include "vesica/motion/marker_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/math/median.h"
#include "vesica/motion/exchanged_labels.h"
#include "vesica/motion/marker_names.h"
#include "vesica/motion/rigid_fit.h"

namespace vesica {
namespace {

// --- jumps and swaps
// ------------------------------------------------------------------------------

// Where a marker should be at a frame, from its last frames, and how far off it may be.
struct Prediction {
  bool known = false;
  Vec3d position = Vec3d::Zero();
  double limit = 0.0;  // m
};

class Predictor {
 public:
  Predictor(const MarkerTracks& tracks, const MarkerCheckOptions& options)
      : tracks_(tracks), options_(options), dt_(tracks.rate > 0.0 ? 1.0 / tracks.rate : 0.01) {}

  Prediction predict(size_t frame, size_t marker) const {
    Prediction prediction;
    size_t last = frame;
    while (last > 0 && !tracks_.has(last - 1, marker)) --last;
    // Over gaps longer than a tenth of a second anything may have happened.
    if (last == 0 || static_cast<double>(frame - last) * dt_ > 0.1) return prediction;
    const size_t k = last - 1;
    const double steps = static_cast<double>(frame - k);
    prediction.known = true;
    prediction.position = tracks_.at(k, marker);
    double acceleration_time = steps * steps;
    if (k > 0 && tracks_.has(k - 1, marker)) {
      prediction.position += steps * (tracks_.at(k, marker) - tracks_.at(k - 1, marker));
    } else {
      // Without a velocity the limit has to cover one: 5 m/s, that of a swinging foot.
      acceleration_time += 5.0 * steps / (options_.acceleration * dt_);
    }
    prediction.limit =
        std::max(options_.least_jump, options_.acceleration * dt_ * dt_ * acceleration_time);
    return prediction;
  }

 private:
  const MarkerTracks& tracks_;
  const MarkerCheckOptions& options_;
  double dt_;
};

// A swap explains both markers much better than two coincident jumps would.
bool is_swap(const Vec3d& a, const Prediction& of_a, const Vec3d& b, const Prediction& of_b) {
  const double straight = (a - of_a.position).norm() + (b - of_b.position).norm();
  const double crossed = (a - of_b.position).norm() + (b - of_a.position).norm();
  return crossed < 0.25 * straight;
}

// A jump back to where a marker came from, within this many frames, is one fault and not two.
constexpr int kSpikeFrames = 10;

struct Jump {
  int marker, frame;
  Vec3d step;  // from the predicted to the measured position
};

// Jumps of a marker in quick succession: a spike disturbs the prediction of the frames after it.
struct JumpGroup {
  int first = 0, last = 0;  // frames
  int back = -1;            // frame from which on it is where it would be without them; -1: none
  double size = 0.0;        // m, of the first
  Vec3d displacement = Vec3d::Zero();  // m, that stays
};

// A prediction goes on with the velocity before, so that a step s at frame k is a displacement of
// s (n - k + 1) at frame n: a lasting jump by D is a step D and then -D, a spike D, -2 D, D.
JumpGroup make_group(std::span<const Jump> jumps) {
  JumpGroup group{jumps.front().frame, jumps.back().frame, -1, jumps.front().step.norm()};
  for (const Jump& jump : jumps) {
    const int n = jump.frame;
    Vec3d displacement = Vec3d::Zero();
    for (const Jump& before : jumps) {
      if (before.frame <= n) displacement += (n - before.frame + 1) * before.step;
    }
    group.displacement = displacement;
    const bool is_back = displacement.norm() < 0.5 * group.size;
    if (is_back && group.back < 0) group.back = n;
    if (!is_back) group.back = -1;
  }
  return group;
}

std::vector<MarkerFault> as_faults(const std::vector<Jump>& jumps, int frames) {
  std::vector<JumpGroup> groups;
  for (size_t i = 0, end = 0; i < jumps.size(); i = end) {
    for (end = i + 1; end < jumps.size() && jumps[end].frame - jumps[end - 1].frame <= kSpikeFrames;
         ++end) {
    }
    groups.push_back(make_group(std::span(jumps).subspan(i, end - i)));
  }
  std::vector<MarkerFault> faults;
  for (size_t i = 0; i < groups.size(); ++i) {
    MarkerFault fault;
    fault.markers = {jumps[0].marker};
    fault.first_frame = groups[i].first;
    fault.frames = frames - groups[i].first;
    fault.size = groups[i].size;
    if (groups[i].back >= 0) {
      fault.comes_back = true;
      fault.frames = std::max(1, groups[i].back - groups[i].first);
    } else if (i + 1 < groups.size() &&
               (groups[i].displacement + groups[i + 1].displacement).norm() <
                   0.5 * groups[i].displacement.norm()) {
      // The next one undoes it.
      fault.comes_back = true;
      fault.frames = groups[i + 1].first - groups[i].first;
      ++i;
    }
    faults.push_back(fault);
  }
  return faults;
}

void find_jumps_and_swaps(const MarkerTracks& tracks, const MarkerCheckOptions& options,
                          std::vector<MarkerFault>* faults) {
  const Predictor predictor(tracks, options);
  const int markers = static_cast<int>(tracks.markers());
  const int frames = static_cast<int>(tracks.frames());
  std::vector<std::vector<Jump>> jumps(markers);
  std::vector<MarkerFault> swaps;
  std::vector<int> quiet_until(markers, 0);  // after a swap the prediction recovers in two frames
  std::vector<Prediction> predictions(markers);
  for (int k = 1; k < frames; ++k) {
    std::vector<int> moved;
    for (int i = 0; i < markers; ++i) {
      if (k < quiet_until[i] || !tracks.has(k, i)) continue;
      predictions[i] = predictor.predict(k, i);
      const double miss = (tracks.at(k, i) - predictions[i].position).norm();
      // Half the limit makes a candidate for a swap; a jump needs all of it.
      if (predictions[i].known && miss > 0.5 * predictions[i].limit) moved.push_back(i);
    }
    std::vector<bool> explained(markers, false);
    for (size_t a = 0; a < moved.size(); ++a) {
      for (size_t b = a + 1; b < moved.size() && !explained[moved[a]]; ++b) {
        const int i = moved[a], j = moved[b];
        if (explained[j]) continue;
        if (!is_swap(tracks.at(k, i), predictions[i], tracks.at(k, j), predictions[j])) continue;
        explained[i] = explained[j] = true;
        quiet_until[i] = quiet_until[j] = k + 2;
        const auto open = std::find_if(swaps.rbegin(), swaps.rend(), [&](const MarkerFault& fault) {
          return !fault.comes_back && fault.markers == std::vector<int>{i, j};
        });
        if (open != swaps.rend()) {
          open->comes_back = true;
          open->frames = k - open->first_frame;
          continue;
        }
        MarkerFault fault;
        fault.kind = MarkerFaultKind::kSwap;
        fault.markers = {i, j};
        fault.first_frame = k;
        fault.frames = frames - k;
        fault.size = (tracks.at(k, i) - tracks.at(k, j)).norm();
        swaps.push_back(fault);
      }
    }
    for (const int i : moved) {
      const Vec3d step = tracks.at(k, i) - predictions[i].position;
      if (!explained[i] && step.norm() > predictions[i].limit) jumps[i].push_back({i, k, step});
    }
  }
  faults->insert(faults->end(), swaps.begin(), swaps.end());
  for (const auto& of_marker : jumps) {
    const auto found = as_faults(of_marker, frames);
    faults->insert(faults->end(), found.begin(), found.end());
  }
}

// --- rigid clusters
// -------------------------------------------------------------------------------

constexpr size_t kLargestCluster = 6;  // 720 ways to permute
constexpr size_t kSmallestCluster = 4;

std::vector<Vec3d> positions_at(const MarkerTracks& tracks, int frame,
                                std::span<const int> cluster) {
  std::vector<Vec3d> points;
  for (const int i : cluster) points.push_back(tracks.at(frame, i));
  return points;
}

// The shape that most frames have: of some frames spread over the trial, the one that the others
// fit best, by their median misfit. (Distances alone would not do: a cluster and its mirror image
// share them.)
std::vector<Vec3d> find_usual_shape(const MarkerTracks& tracks, std::span<const int> cluster) {
  constexpr size_t kCandidates = 15, kJudges = 60;
  std::vector<std::vector<Vec3d>> complete;
  for (size_t k = 0; k < tracks.frames(); ++k) {
    const std::vector<Vec3d> points = positions_at(tracks, static_cast<int>(k), cluster);
    if (std::all_of(points.begin(), points.end(), [](const Vec3d& p) { return p.allFinite(); })) {
      complete.push_back(points);
    }
  }
  const auto spread = [&](size_t count) {
    std::vector<size_t> chosen;
    for (size_t i = 0; i < std::min(count, complete.size()); ++i) {
      chosen.push_back(i * complete.size() / std::min(count, complete.size()));
    }
    return chosen;
  };
  double best = 1e9;
  std::vector<Vec3d> shape;
  for (const size_t candidate : spread(kCandidates)) {
    std::vector<double> misfits;
    for (const size_t judge : spread(kJudges)) {
      const RigidFit fit = fit_rigid(complete[candidate], complete[judge]);
      misfits.push_back(fit.found ? fit.rms : 1e9);
    }
    const double middle = calc_median(misfits);
    if (middle < best) {
      best = middle;
      shape = complete[candidate];
    }
  }
  return shape;
}

// A swap that both tests found is one fault. Where the frame-to-frame test saw only its end, the
// stretch is the whole of it; where the stretch begins with the trial, nobody can tell whether the
// labels are right before or after.
void add_exchange(const MarkerFault& found, std::vector<MarkerFault>* faults) {
  const auto near = [](int a, int b) { return std::abs(a - b) <= 2; };
  const int end = found.first_frame + found.frames;
  bool known = false;
  for (MarkerFault& fault : *faults) {
    if (fault.kind != MarkerFaultKind::kSwap || fault.markers != found.markers) continue;
    if (near(end, fault.first_frame) && found.first_frame > 0) fault = found;
    known = known || near(found.first_frame, fault.first_frame) || near(end, fault.first_frame) ||
            near(found.first_frame, fault.first_frame + fault.frames);
  }
  if (!known) faults->push_back(found);
}

// No rigid motion takes one cluster onto the other with a smaller rms: two points whose distance
// differs by e are off by e together, so by e^2/2 at least in the sum of squares.
double calc_least_misfit(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  double most = 0.0;
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      most = std::max(most, std::abs((a[i] - a[j]).norm() - (b[i] - b[j]).norm()));
    }
  }
  return most / std::sqrt(2.0 * static_cast<double>(a.size()));
}

// Stretches in which a cluster's labels are permuted. Transpositions are swaps, which the
// frame-to-frame test cannot see where the trial begins with them or a gap hides the moment.
void find_flips(const MarkerTracks& tracks, const MarkerCheckOptions& options,
                std::vector<MarkerFault>* faults) {
  for (const std::vector<int>& cluster : find_rigid_clusters(tracks, options)) {
    const std::vector<Vec3d> shape = find_usual_shape(tracks, cluster);
    if (shape.empty()) continue;
    const int n = static_cast<int>(cluster.size());
    ExchangeOptions exchange;
    exchange.limit = options.flip_misfit;
    LabelFit labels;
    labels.frames = static_cast<int>(tracks.frames());
    double misfit = 0.0;  // of the frame that is looked at
    labels.as_labelled = [&](int frame) {
      const RigidFit fit = fit_rigid(shape, positions_at(tracks, frame, cluster));
      misfit = fit.points == n ? fit.rms : kMissing;
      return misfit;
    };
    labels.relabelled = [&](int frame, std::span<const int> order, int) {
      std::vector<Vec3d> permuted;
      for (const int i : order) permuted.push_back(tracks.at(frame, cluster[i]));
      // Most orders are out of the question by their distances, a hundredth of a fit's work.
      if (calc_least_misfit(shape, permuted) >= exchange.share * misfit) return kInfinity;
      const RigidFit fit = fit_rigid(shape, permuted);
      return fit.found ? fit.rms : kInfinity;
    };
    for (MarkerFault& fault : find_exchanged_labels(labels, list_permutations(n), exchange)) {
      for (int& i : fault.markers) i = cluster[i];
      add_exchange(fault, faults);
    }
  }
}

// --- sides
// ----------------------------------------------------------------------------------------

// From left to right all pairs point the same way, as seen in each frame by the majority.
void find_exchanged_sides(const MarkerTracks& tracks, std::vector<MarkerFault>* faults) {
  const auto pairs = find_sided_pairs(tracks.labels);
  if (pairs.size() < 3) return;
  const size_t stride = std::max<size_t>(1, tracks.frames() / 200);
  for (size_t p = 0; p < pairs.size(); ++p) {
    int against = 0, seen = 0;
    double size = 0.0;
    for (size_t k = 0; k < tracks.frames(); k += stride) {
      Vec3d others = Vec3d::Zero();
      for (size_t q = 0; q < pairs.size(); ++q) {
        const Vec3d across = tracks.at(k, pairs[q].right) - tracks.at(k, pairs[q].left);
        if (q != p && across.allFinite() && across.norm() > 0.0) others += across.normalized();
      }
      const Vec3d own = tracks.at(k, pairs[p].right) - tracks.at(k, pairs[p].left);
      // Without agreement of the others there is no side to compare with.
      if (!own.allFinite() || others.norm() < 0.5 * static_cast<double>(pairs.size() - 1)) continue;
      ++seen;
      size = std::max(size, own.norm());
      if (own.dot(others.normalized()) < -0.02) ++against;
    }
    if (seen < 5 || against < 0.9 * seen) continue;
    MarkerFault fault;
    fault.kind = MarkerFaultKind::kSide;
    fault.markers = {pairs[p].left, pairs[p].right};
    fault.frames = static_cast<int>(tracks.frames());
    fault.size = size;
    faults->push_back(fault);
  }
}

}  // namespace

PairDistance calc_pair_distance(const MarkerTracks& tracks, size_t i, size_t j) {
  std::vector<double> distances;
  const size_t stride = std::max<size_t>(1, tracks.frames() / 400);
  for (size_t k = 0; k < tracks.frames(); k += stride) {
    if (tracks.has(k, i) && tracks.has(k, j)) {
      distances.push_back((tracks.at(k, i) - tracks.at(k, j)).norm());
    }
  }
  PairDistance pair;
  if (distances.size() < 20) return pair;
  pair.middle = calc_median(distances);
  for (double& d : distances) d = std::abs(d - pair.middle);
  pair.spread = 1.4826 * calc_median(distances);
  return pair;
}

const char* name_of(MarkerFaultKind kind) {
  switch (kind) {
    case MarkerFaultKind::kJump:
      return "jump";
    case MarkerFaultKind::kSwap:
      return "swap";
    case MarkerFaultKind::kFlip:
      return "flip";
    case MarkerFaultKind::kSide:
      return "side";
    case MarkerFaultKind::kStray:
      return "stray";
  }
  return "";
}

std::vector<std::vector<int>> find_rigid_clusters(const MarkerTracks& tracks,
                                                  const MarkerCheckOptions& options) {
  const int n = static_cast<int>(tracks.markers());
  std::vector<std::vector<bool>> rigid(n, std::vector<bool>(n, false));
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      const PairDistance pair = calc_pair_distance(tracks, i, j);
      // Apart by more than three spreads, or a swap of the two would not show.
      rigid[i][j] = rigid[j][i] =
          pair.spread < options.rigid_spread && pair.middle > 3.0 * options.rigid_spread;
    }
  }
  std::vector<bool> taken(n, false);
  std::vector<std::vector<int>> clusters;
  for (int i = 0; i < n; ++i) {
    if (taken[i]) continue;
    std::vector<int> cluster = {i};
    for (int j = i + 1; j < n && cluster.size() < kLargestCluster; ++j) {
      const bool fits = !taken[j] && std::all_of(cluster.begin(), cluster.end(),
                                                 [&](int member) { return rigid[member][j]; });
      if (fits) cluster.push_back(j);
    }
    if (cluster.size() < kSmallestCluster) continue;
    for (const int member : cluster) taken[member] = true;
    clusters.push_back(cluster);
  }
  return clusters;
}

std::vector<MarkerFault> find_marker_faults(const MarkerTracks& tracks,
                                            const MarkerCheckOptions& options) {
  std::vector<MarkerFault> faults;
  find_jumps_and_swaps(tracks, options, &faults);
  find_flips(tracks, options, &faults);
  find_exchanged_sides(tracks, &faults);
  std::stable_sort(faults.begin(), faults.end(), [](const MarkerFault& a, const MarkerFault& b) {
    return a.first_frame < b.first_frame;
  });
  return faults;
}

std::string describe(const MarkerFault& fault, const MarkerTracks& tracks) {
  std::string names;
  for (size_t i = 0; i < fault.markers.size(); ++i) {
    names += i == 0 ? "" : i + 1 == fault.markers.size() ? " and " : ", ";
    names += tracks.labels[fault.markers[i]];
  }
  const std::string when = fmt::format("at {:.3f} s (frame {})", tracks.times[fault.first_frame],
                                       tracks.first_frame + fault.first_frame);
  const std::string until =
      fault.comes_back
          ? fmt::format(" and {} back after {} frame{}", fault.markers.size() == 1 ? "is" : "are",
                        fault.frames, fault.frames == 1 ? "" : "s")
          : "";
  const double mm = 1000.0 * fault.size;
  switch (fault.kind) {
    case MarkerFaultKind::kJump:
      return fmt::format("{} jumps by {:.0f} mm {}{}.", names, mm, when,
                         fault.comes_back ? until : " and does not come back");
    case MarkerFaultKind::kSwap:
      return fmt::format("{} swap labels {}{}.", names, when, until);
    case MarkerFaultKind::kFlip:
      return fmt::format("{} carry each other's labels {}{}: their cluster misfits by {:.0f} mm.",
                         names, when, until, mm);
    case MarkerFaultKind::kSide:
      return fmt::format("{} seem to be exchanged: all other pairs point the other way.", names);
    case MarkerFaultKind::kStray:
      return fmt::format("{} is up to {:.0f} mm off {}{}.", names, mm, when, until);
  }
  return names;
}

}  // namespace vesica
