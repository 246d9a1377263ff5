#include "vesica/motion/clock_offset.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "vesica/math/median.h"

namespace vesica {
namespace {

constexpr double kStill = 0.5;          // m/s
constexpr double kShortestRest = 0.2;   // s: less is a foot turning round
constexpr double kBreak = 0.05;         // s: a rest goes on after less
constexpr double kEndsDisagree = 0.15;  // s

// Stillness begins and ends so much before the load crosses 20 N, mean over the walks of thirteen
// people; theirs lie within 17 ms of it.
constexpr double kUsual = 0.010;                    // s
constexpr double kMost = 0.035, kMostOfOne = 0.06;  // s
constexpr double kSameOffset = 0.02;                // s, of a stance with the median

struct Rest {
  double start = 0.0, end = 0.0;
};

// Velocity of a marker in each frame, over a frame on either side; NaN next to a gap.
std::vector<Vec3d> calc_velocities(const MarkerTracks& markers, int marker) {
  const size_t n = markers.frames();
  const auto i = static_cast<size_t>(marker);
  std::vector<Vec3d> velocities(n, Vec3d::Constant(kMissing));
  for (size_t k = 1; k + 1 < n; ++k) {
    velocities[k] = (markers.at(k + 1, i) - markers.at(k - 1, i)) /
                    (markers.times[k + 1] - markers.times[k - 1]);
  }
  return velocities;
}

// Its median while the foot stands on plates, by component.
Vec3d find_ground_velocity(const MarkerTracks& markers, const std::vector<Vec3d>& velocities,
                           std::span<const Stance> stances, Foot foot) {
  std::vector<double> parts[3];
  const std::vector<double>& times = markers.times;
  for (const Stance& stance : stances) {
    if (stance.foot != foot) continue;
    auto k = static_cast<size_t>(std::upper_bound(times.begin(), times.end(), stance.start) -
                                 times.begin());
    for (; k < velocities.size() && times[k] < stance.end; ++k) {
      if (!velocities[k].allFinite()) continue;
      for (int c = 0; c < 3; ++c) parts[c].push_back(velocities[k][c]);
    }
  }
  Vec3d middle = Vec3d::Zero();
  for (int c = 0; c < 3; ++c) {
    if (!parts[c].empty()) middle[c] = calc_median(std::move(parts[c]));
  }
  return middle;
}

// Speed of the slowest marker of a foot in each frame; NaN where none is known.
std::vector<double> calc_least_speeds(const MarkerTracks& markers, const FootMarkers& markers_of,
                                      std::span<const Stance> stances, Foot foot) {
  std::vector<double> least(markers.frames(), kMissing);
  for (const int marker : markers_of.all()) {
    const std::vector<Vec3d> velocities = calc_velocities(markers, marker);
    const Vec3d ground = find_ground_velocity(markers, velocities, stances, foot);
    for (size_t k = 0; k < least.size(); ++k) {
      const double speed = (velocities[k] - ground).norm();
      if (speed == speed && !(speed >= least[k])) least[k] = speed;
    }
  }
  return least;
}

// Stretches below kStill that begin and end within what was seen, ends interpolated.
std::vector<Rest> find_rests(const std::vector<double>& times, const std::vector<double>& speeds) {
  const auto crossing = [&](size_t k) {  // between k and k + 1
    const double part = (kStill - speeds[k]) / (speeds[k + 1] - speeds[k]);
    return times[k] + part * (times[k + 1] - times[k]);
  };
  std::vector<Rest> rests;
  double start = kMissing;  // NaN: not at rest, or nobody saw it begin
  for (size_t k = 0; k + 1 < speeds.size(); ++k) {
    if (!std::isfinite(speeds[k]) || !std::isfinite(speeds[k + 1])) {
      start = kMissing;
    } else if (speeds[k] >= kStill && speeds[k + 1] < kStill) {
      start = crossing(k);
    } else if (speeds[k] < kStill && speeds[k + 1] >= kStill) {
      if (std::isfinite(start)) rests.push_back({start, crossing(k)});
      start = kMissing;
    }
  }
  std::vector<Rest> joined;
  for (const Rest& rest : rests) {
    if (!joined.empty() && rest.start - joined.back().end < kBreak) {
      joined.back().end = rest.end;
    } else {
      joined.push_back(rest);
    }
  }
  std::erase_if(joined, [](const Rest& r) { return r.end - r.start < kShortestRest; });
  return joined;
}

}  // namespace

bool ClockOffset::is_off() const {
  if (stances == 1) return std::abs(seconds) > kMostOfOne;
  return agreeing >= 2 && 2 * agreeing > stances && std::abs(seconds) > kMost;
}

ClockOffset find_clock_offset(const MarkerTracks& markers, const GaitMarkers& gait,
                              std::span<const Stance> stances) {
  std::vector<double> offsets;
  for (const Foot foot : {Foot::kLeft, Foot::kRight}) {
    const FootMarkers& foot_markers = foot == Foot::kLeft ? gait.left : gait.right;
    const std::vector<Rest> rests =
        find_rests(markers.times, calc_least_speeds(markers, foot_markers, stances, foot));
    for (const Stance& stance : stances) {
      if (stance.foot != foot || stance.starts_before || stance.ends_after) continue;
      const Rest* best = nullptr;
      double most = 0.0;
      // Rests follow each other in time.
      auto from = std::lower_bound(rests.begin(), rests.end(), stance.start,
                                   [](const Rest& r, double t) { return r.end < t; });
      for (; from != rests.end() && from->start < stance.end; ++from) {
        const Rest& rest = *from;
        const double overlap = std::min(rest.end, stance.end) - std::max(rest.start, stance.start);
        if (overlap > most) {
          most = overlap;
          best = &rest;
        }
      }
      if (best == nullptr) continue;
      const double at_start = stance.start - best->start, at_end = stance.end - best->end;
      if (std::abs(at_start - at_end) > kEndsDisagree) continue;
      offsets.push_back(0.5 * (at_start + at_end) - kUsual);
    }
  }
  ClockOffset result;
  result.stances = static_cast<int>(offsets.size());
  if (offsets.empty()) return result;
  result.seconds = calc_median(offsets);
  for (const double o : offsets) {
    const double off = std::abs(o - result.seconds);
    result.spread = std::max(result.spread, off);
    result.agreeing += off < kSameOffset;
  }
  return result;
}

}  // namespace vesica
