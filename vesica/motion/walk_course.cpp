#include "vesica/motion/walk_course.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>

#include "vesica/motion/butterworth.h"
#include "vesica/motion/gaps.h"

namespace vesica::detail {
namespace {

// Times in s, speeds in m/s.
constexpr double kLongestBridge = 0.1;  // gaps that are filled before anything else
constexpr double kLeastSpeed = 0.15;    // over the floor, and of a belt
constexpr double kMostTurn = 40.0;      // degrees between parts of one walk

std::vector<Vec3d> calc_mean_track(const MarkerTracks& markers, std::span<const int> indices,
                                   int longest_fill) {
  GapFillOptions fill;
  fill.max_frames = longest_fill;
  std::vector<Vec3d> mean(markers.frames(), Vec3d::Zero());
  for (const int i : indices) {
    std::vector<Vec3d> track = markers.track(i);
    fill_gaps(track, fill);
    for (size_t k = 0; k < mean.size(); ++k)
      mean[k] += track[k] / static_cast<double>(indices.size());
  }
  return mean;
}

FootTracks make_foot_tracks(const MarkerTracks& markers, const FootMarkers& foot, int fill,
                            const MarkerEventRule& rule) {
  const auto track_of = [&](std::vector<int> indices) {
    return calc_mean_track(markers, indices, fill);
  };
  FootTracks tracks;
  tracks.heel = track_of({foot.heel});
  const int push = foot.toe >= 0 ? foot.toe : foot.inner;
  tracks.off_offset = foot.toe >= 0 ? rule.toe_offset : rule.ball_offset;
  tracks.push = track_of({push});
  const bool has_both = foot.inner >= 0 && foot.outer >= 0;
  tracks.ball = has_both ? track_of({foot.inner, foot.outer}) : tracks.push;
  return tracks;
}

// Drops the frames before and after everything is seen: people walk into the volume and out of it.
void keep_what_is_seen(WalkTracks* walk) {
  const auto is_seen = [&](size_t k) {
    return walk->pelvis[k].allFinite() && walk->left.heel[k].allFinite() &&
           walk->right.heel[k].allFinite() && walk->left.push[k].allFinite() &&
           walk->right.push[k].allFinite();
  };
  size_t first = 0, last = walk->frames();
  while (first < last && !is_seen(first)) ++first;
  while (last > first && !is_seen(last - 1)) --last;
  walk->times = walk->times.subspan(first, last - first);
  const auto cut = [&](std::vector<Vec3d>* track) {
    *track = std::vector<Vec3d>(track->begin() + static_cast<std::ptrdiff_t>(first),
                                track->begin() + static_cast<std::ptrdiff_t>(last));
  };
  cut(&walk->pelvis);
  for (FootTracks* foot : {&walk->left, &walk->right}) {
    cut(&foot->heel);
    cut(&foot->ball);
    cut(&foot->push);
  }
}

}  // namespace

WalkTracks make_walk_tracks(const MarkerTracks& markers, const GaitMarkers& gait, const Vec3d& up,
                            const MarkerEventRule& rule) {
  WalkTracks walk;
  walk.times = markers.times;
  walk.up = up;
  walk.rate =
      static_cast<double>(markers.frames() - 1) / (markers.times.back() - markers.times.front());
  const int fill = std::max(1, static_cast<int>(kLongestBridge * walk.rate));
  walk.left = make_foot_tracks(markers, gait.left, fill, rule);
  walk.right = make_foot_tracks(markers, gait.right, fill, rule);
  // A marker that is seldom seen is not worth the frames that it would cost.
  std::vector<int> pelvis;
  double most = 0.0;
  const auto presence = [&](int i) {
    return calc_gap_statistics(markers.track(i)).fraction_present();
  };
  for (const int i : gait.pelvis) most = std::max(most, presence(i));
  for (const int i : gait.pelvis) {
    if (presence(i) > 0.9 * most) pelvis.push_back(i);
  }
  walk.pelvis = calc_mean_track(markers, pelvis, fill);
  keep_what_is_seen(&walk);
  return walk;
}

void smooth_signal(Signal* signal, double cutoff, double rate) {
  filter_between_gaps(make_low_pass(std::min(cutoff, 0.4 * rate), rate), *signal);
}

Signal calc_along(std::span<const Vec3d> track, const Vec3d& direction) {
  Signal signal(track.size());
  for (size_t k = 0; k < track.size(); ++k) signal[k] = track[k].dot(direction);
  return signal;
}

Signal calc_rate_of_change(const Signal& x, double rate) {
  Signal slope(x.size(), kMissing);
  for (size_t k = 1; k + 1 < x.size(); ++k) slope[k] = 0.5 * rate * (x[k + 1] - x[k - 1]);
  return slope;
}

Signal calc_smooth_speed(std::span<const Vec3d> track, const Vec3d& direction, double cutoff,
                         double rate) {
  Signal position = calc_along(track, direction);
  smooth_signal(&position, cutoff, rate);
  return calc_rate_of_change(position, rate);
}

namespace {

// Least-squares velocity of a track from frame `first` to `last`; NaN where too little is seen.
Vec3d calc_mean_velocity(const WalkTracks& walk, std::span<const Vec3d> track, size_t first,
                         size_t last) {
  double n = 0.0, st = 0.0, stt = 0.0;
  Vec3d sx = Vec3d::Zero(), stx = Vec3d::Zero();
  for (size_t k = first; k < last; ++k) {
    if (!track[k].allFinite()) continue;
    const double t = walk.times[k] - walk.times[first];
    n += 1.0;
    st += t;
    stt += t * t;
    sx += track[k];
    stx += t * track[k];
  }
  const double spread = n * stt - st * st;
  if (n < 0.5 * static_cast<double>(last - first) || !(spread > 0.0))
    return Vec3d::Constant(kMissing);
  const Vec3d velocity = (n * stx - st * sx) / spread;
  return velocity - velocity.dot(walk.up) * walk.up;
}

// Where the toes point, on average: horizontal, unit; zero where that is nowhere.
Vec3d calc_facing(const WalkTracks& walk) {
  Vec3d facing = Vec3d::Zero();
  for (const FootTracks* foot : {&walk.left, &walk.right}) {
    for (size_t k = 0; k < walk.frames(); ++k) {
      const Vec3d along = foot->ball[k] - foot->heel[k];
      if (along.allFinite()) facing += along;
    }
  }
  facing -= facing.dot(walk.up) * walk.up;
  return facing.norm() > 0.0 ? Vec3d(facing.normalized()) : Vec3d(Vec3d::Zero());
}

// The velocity that the feet have most of the time: that of the floor, as in walking each foot
// stands for more than half of it. The mean over the narrowest range of forward speed that holds
// 30 % of all samples.
Vec3d calc_floor_velocity(const WalkTracks& walk, const Vec3d& facing,
                          std::initializer_list<const FootTracks*> feet) {
  const Vec3d side = walk.up.cross(facing);
  std::vector<std::pair<double, double>> samples;  // forwards, to the side
  for (const FootTracks* foot : feet) {
    const Signal along = calc_smooth_speed(foot->ball, facing, 10.0, walk.rate);
    const Signal across = calc_smooth_speed(foot->ball, side, 10.0, walk.rate);
    for (size_t k = 0; k < along.size(); ++k) {
      if (std::isfinite(along[k]) && std::isfinite(across[k]))
        samples.emplace_back(along[k], across[k]);
    }
  }
  const size_t held = samples.size() * 3 / 10;
  if (held < 5) return Vec3d::Constant(kMissing);
  std::sort(samples.begin(), samples.end());
  size_t best = 0;
  for (size_t i = 0; i + held < samples.size(); ++i) {
    if (samples[i + held].first - samples[i].first <
        samples[best + held].first - samples[best].first) {
      best = i;
    }
  }
  double along = 0.0, across = 0.0;
  for (size_t i = best; i < best + held; ++i) {
    along += samples[i].first / static_cast<double>(held);
    across += samples[i].second / static_cast<double>(held);
  }
  return along * facing + across * side;
}

double calc_angle_degrees(const Vec3d& a, const Vec3d& b) {
  return std::acos(std::clamp(a.normalized().dot(b.normalized()), -1.0, 1.0)) * 180.0 /
         std::numbers::pi;
}

// Largest angle between the directions of walking in stretches of a second.
double calc_turn(const WalkTracks& walk, const Vec3d& floor) {
  const auto length = static_cast<size_t>(walk.rate);
  std::vector<Vec3d> directions;
  for (size_t first = 0; first + length < walk.frames(); first += std::max<size_t>(1, length / 2)) {
    const Vec3d v = calc_mean_velocity(walk, walk.pelvis, first, first + length) - floor;
    if (v.allFinite() && v.norm() > 2.0 * kLeastSpeed) directions.push_back(v);
  }
  double most = 0.0;
  for (const Vec3d& a : directions) {
    for (const Vec3d& b : directions) most = std::max(most, calc_angle_degrees(a, b));
  }
  return most;
}

}  // namespace

void find_course(const WalkTracks& walk, MarkerEvents* found) {
  const Vec3d facing = calc_facing(walk);
  const auto floor_of = [&](std::initializer_list<const FootTracks*> feet) {
    return facing.norm() > 0.0 ? calc_floor_velocity(walk, facing, feet)
                               : Vec3d(Vec3d::Constant(kMissing));
  };
  const Vec3d floor = floor_of({&walk.left, &walk.right});
  const Vec3d left = floor_of({&walk.left}), right = floor_of({&walk.right});
  const Vec3d pelvis = calc_mean_velocity(walk, walk.pelvis, 0, walk.frames());
  if (!floor.allFinite() || !pelvis.allFinite()) {
    found->why_none = "heel, ball of the foot or pelvis are seen in too few frames";
    return;
  }
  if ((left - right).norm() > 2.0 * kLeastSpeed) {
    found->why_none = fmt::format(
        "the feet stand on floors of different speed, left {:.2f} and right {:.2f} m/s: one foot "
        "only steps, or a split belt",
        left.dot(facing), right.dot(facing));
    return;
  }
  const Vec3d belt = floor.norm() > kLeastSpeed ? floor : Vec3d(Vec3d::Zero());
  const Vec3d over_floor = pelvis - belt;
  if (const double turn = calc_turn(walk, belt); turn > kMostTurn) {
    found->why_none = fmt::format(
        "the walk turns by {:.0f} degrees (at most {:.0f} are followed); cut it into straight "
        "parts",
        turn, kMostTurn);
    return;
  }
  if (over_floor.norm() < kLeastSpeed) {
    found->why_none = fmt::format(
        "the pelvis moves over the floor under the feet at {:.2f} m/s only: standing, or motion on "
        "the spot",
        over_floor.norm());
    return;
  }
  const double off_course = calc_angle_degrees(over_floor, facing);
  if (off_course > 60.0) {
    found->why_none = fmt::format(
        "the walk goes {:.0f} degrees off where the feet point: backwards or sideways", off_course);
    return;
  }
  found->belt = belt;
  found->speed = over_floor.norm();
  found->ahead = over_floor.normalized();
}

}  // namespace vesica::detail
