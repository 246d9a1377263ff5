// Events of a walk from markers alone (declared in gait_events.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <numeric>
#include <optional>

#include "vesica/motion/butterworth.h"
#include "vesica/motion/gait_events.h"
#include "vesica/motion/gaps.h"

namespace vesica {
namespace {

// Times in s, speeds in m/s, lengths in m.
constexpr double kLongestBridge = 0.1;     // gaps that are filled before anything else
constexpr double kLeastSpeed = 0.15;       // over the floor, and of a belt
constexpr double kLeastReach = 0.1;        // of a foot, to and fro relative to the pelvis
constexpr double kLeastHeelRise = 0.04;    // in a step; less is shuffling
constexpr double kMostTurn = 40.0;         // degrees between parts of one walk
constexpr double kStrikeOffset = -0.0122;  // force at 20 N, from the peak of acceleration
// Force at 20 N, from the crossing of speed: the first metatarsal as thirteen people have it; a
// marker on or near the toes half way between them and three people of three other laboratories
// (-5, +2 and +5 ms without it), as laboratories differ by more than people do.
constexpr double kBallOffset = -0.0170, kToeOffset = -0.0080;
constexpr double kOffSpeed = 0.9;          // of the walking speed
constexpr double kMostDelayError = 0.025;  // of fine minus coarse from its median
constexpr double kAtTheEnds = 0.05;        // events nearer to the ends lean on the filter's guess
constexpr double kShortestContact = 0.3;
constexpr double kLongestContact = 1.3;
constexpr double kLeastSupport = 0.5, kMostSupport = 1.6;  // of the median double support

using Signal = std::vector<double>;

double calc_median(Signal values) {
  if (values.empty()) return kMissing;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

// Where a parabola through sample k and its neighbours is highest.
double interpolate_peak(std::span<const double> x, int k) {
  if (k == 0 || k + 1 >= static_cast<int>(x.size())) return k;
  const double curvature = x[k - 1] - 2.0 * x[k] + x[k + 1];
  const double shift = curvature < 0.0 ? 0.5 * (x[k - 1] - x[k + 1]) / curvature : 0.0;
  return k + std::clamp(shift, -0.5, 0.5);
}

// Interior maxima of a sampled signal that stand out by `prominence` on either side, with the time
// interpolated by a parabola. Positions in samples.
std::vector<double> find_peaks(std::span<const double> x, double prominence) {
  std::vector<double> peaks;
  const int n = static_cast<int>(x.size());
  // One candidate at a time: the highest since the last valley, confirmed when the signal has
  // fallen by `prominence` from it; the same on the way up.
  int highest = 0, lowest = 0;
  bool rising = false;  // has risen by `prominence` from the lowest
  for (int k = 0; k < n; ++k) {
    if (!std::isfinite(x[k])) {
      rising = false;
      highest = lowest = k + 1;
      continue;
    }
    if (!rising) {
      if (x[k] < x[lowest]) lowest = k;
      if (x[k] > x[lowest] + prominence) {
        rising = true;
        highest = k;
      }
    } else {
      if (x[k] > x[highest]) highest = k;
      if (x[k] < x[highest] - prominence) {
        peaks.push_back(interpolate_peak(x, highest));
        rising = false;
        lowest = k;
      }
    }
  }
  return peaks;
}

// The highest local maximum from sample `first` to `last`.
std::optional<double> find_highest(std::span<const double> x, double first, double last) {
  const int begin = std::max(1, static_cast<int>(std::ceil(first)));
  const int end = std::min(static_cast<int>(x.size()) - 2, static_cast<int>(std::floor(last)));
  int best = -1;
  for (int k = begin; k <= end; ++k) {
    const bool is_peak = x[k] >= x[k - 1] && x[k] > x[k + 1];  // no beside a gap
    if (is_peak && x[k] > 0.0 && (best < 0 || x[k] > x[best])) best = k;
  }
  if (best < 0) return {};
  return interpolate_peak(x, best);
}

// Where the signal last rises through `level` from sample `first` to `last`.
std::optional<double> find_last_rise(std::span<const double> x, double level, double first,
                                     double last) {
  const int begin = std::max(1, static_cast<int>(std::ceil(first)));
  const int end = std::min(static_cast<int>(x.size()) - 1, static_cast<int>(std::floor(last)));
  for (int k = end; k >= begin; --k) {
    if (x[k - 1] < level && x[k] >= level) return k - 1 + (level - x[k - 1]) / (x[k] - x[k - 1]);
  }
  return {};
}

double at_fraction(std::span<const double> times, double index) {
  const auto k = std::min(static_cast<size_t>(std::max(0.0, index)), times.size() - 2);
  return times[k] + (index - static_cast<double>(k)) * (times[k + 1] - times[k]);
}

// What the search needs of one foot, and of the pelvis, in the lab.
struct FootTracks {
  std::vector<Vec3d> heel, ball, push;  // push: the marker whose speed tells when the foot leaves
  double off_offset = 0.0;              // s, for that marker
};
struct WalkTracks {
  std::span<const double> times;
  double rate = 0.0;  // Hz, of the times themselves
  Vec3d up = Vec3d::Zero();
  FootTracks left, right;
  std::vector<Vec3d> pelvis;

  size_t frames() const { return times.size(); }
  const FootTracks& foot(Foot side) const { return side == Foot::kLeft ? left : right; }
};

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

FootTracks make_foot_tracks(const MarkerTracks& markers, const FootMarkers& foot, int fill) {
  const auto track_of = [&](std::vector<int> indices) {
    return calc_mean_track(markers, indices, fill);
  };
  FootTracks tracks;
  tracks.heel = track_of({foot.heel});
  const int push = foot.toe >= 0 ? foot.toe : foot.inner;
  tracks.off_offset = foot.toe >= 0 ? kToeOffset : kBallOffset;
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

WalkTracks make_walk_tracks(const MarkerTracks& markers, const GaitMarkers& gait, const Vec3d& up) {
  WalkTracks walk;
  walk.times = markers.times;
  walk.up = up;
  walk.rate =
      static_cast<double>(markers.frames() - 1) / (markers.times.back() - markers.times.front());
  const int fill = std::max(1, static_cast<int>(kLongestBridge * walk.rate));
  walk.left = make_foot_tracks(markers, gait.left, fill);
  walk.right = make_foot_tracks(markers, gait.right, fill);
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

void smooth(Signal* signal, double cutoff, double rate) {
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
  smooth(&position, cutoff, rate);
  return calc_rate_of_change(position, rate);
}

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

// Fills in direction, belt and speed, or says why this is no walk.
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

// Coarse and fine estimate of one event, as fractional frames.
struct Candidate {
  double coarse = 0.0;
  std::optional<double> fine;
};

std::vector<Candidate> find_candidates(const WalkTracks& walk, Foot side, GaitEvent::Kind kind,
                                       const MarkerEvents& course) {
  const bool strike = kind == GaitEvent::Kind::kStrike;
  const FootTracks& foot = walk.foot(side);
  std::vector<Vec3d> from_pelvis(walk.frames());
  for (size_t k = 0; k < walk.frames(); ++k)
    from_pelvis[k] = (strike ? foot.heel[k] : foot.ball[k]) - walk.pelvis[k];
  Signal reach = calc_along(from_pelvis, strike ? course.ahead : Vec3d(-course.ahead));
  smooth(&reach, 10.0, walk.rate);

  Signal telling;  // the signal that tells the fine event
  if (strike) {
    telling =
        calc_rate_of_change(calc_smooth_speed(foot.heel, walk.up, 20.0, walk.rate), walk.rate);
  } else {
    telling = calc_smooth_speed(foot.push, course.ahead, 15.0, walk.rate);
    for (double& v : telling) v -= course.belt.dot(course.ahead);
  }
  std::vector<Candidate> candidates;
  for (const double peak : find_peaks(reach, kLeastReach)) {
    Candidate candidate{peak, {}};
    const auto at = [&](double seconds) { return peak + seconds * walk.rate; };
    if (strike) {
      candidate.fine = find_highest(telling, at(0.006), at(0.100));
      if (candidate.fine) *candidate.fine += kStrikeOffset * walk.rate;
    } else {
      candidate.fine = find_last_rise(telling, kOffSpeed * course.speed, at(-0.133), at(0.095));
      if (candidate.fine) *candidate.fine += foot.off_offset * walk.rate;
    }
    candidates.push_back(candidate);
  }
  return candidates;
}

// Events of one kind, both feet: fine where the delay from the coarse one is as usual.
void add_events(const WalkTracks& walk, GaitEvent::Kind kind, MarkerEvents* found) {
  std::vector<std::pair<Foot, Candidate>> candidates;
  Signal delays;
  for (const Foot side : {Foot::kLeft, Foot::kRight}) {
    for (const Candidate& c : find_candidates(walk, side, kind, *found)) {
      candidates.emplace_back(side, c);
      if (c.fine) delays.push_back((*c.fine - c.coarse) / walk.rate);
    }
  }
  const double usual = calc_median(delays);
  for (const auto& [side, c] : candidates) {
    GaitEvent event{kind, side};
    const double delay = c.fine ? (*c.fine - c.coarse) / walk.rate : kMissing;
    event.substituted = !(std::abs(delay - usual) <= kMostDelayError);
    const double seconds = std::isfinite(usual) ? usual : 0.0;
    event.time =
        at_fraction(walk.times, event.substituted ? c.coarse + seconds * walk.rate : *c.fine);
    if (event.time < walk.times.front() + kAtTheEnds ||
        event.time > walk.times.back() - kAtTheEnds) {
      ++found->left_out_at_the_ends;
      continue;
    }
    if (event.substituted) {
      found->remarks.push_back(
          c.fine
              ? fmt::format(
                    "The {} {} at {:.3f} s: its own sign is {:+.0f} ms off the usual delay; "
                    "the usual delay ({:.0f} ms after the foot's furthest reach) is used.",
                    name_of(side), name_of(kind), event.time, 1e3 * (delay - usual), 1e3 * seconds)
              : fmt::format("The {} {} at {:.3f} s has no sign of its own; the usual delay ({:.0f} "
                            "ms after the foot's furthest reach) is used.",
                            name_of(side), name_of(kind), event.time, 1e3 * seconds));
    }
    found->events.push_back(event);
  }
}

double calc_heel_rise(const WalkTracks& walk, Foot side) {
  double low = 1e9, high = -1e9;
  for (const Vec3d& p : walk.foot(side).heel) {
    if (!p.allFinite()) continue;
    low = std::min(low, p.dot(walk.up));
    high = std::max(high, p.dot(walk.up));
  }
  return high - low;
}

// Double supports: from a strike to the other foot's off that follows, or precedes it in running
// (then negative). Index of the strike and of the off among the events.
struct DoubleSupport {
  size_t strike, off;
  double duration;
};
std::vector<DoubleSupport> find_double_supports(const std::vector<GaitEvent>& events) {
  std::vector<DoubleSupport> supports;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind != GaitEvent::Kind::kStrike) continue;
    std::optional<DoubleSupport> nearest;
    for (size_t k = 0; k < events.size(); ++k) {
      if (events[k].kind != GaitEvent::Kind::kOff || events[k].foot == events[i].foot) continue;
      const double duration = events[k].time - events[i].time;
      if (!nearest || std::abs(duration) < std::abs(nearest->duration)) nearest = {i, k, duration};
    }
    if (nearest && std::abs(nearest->duration) < 0.5 * kLongestContact)
      supports.push_back(*nearest);
  }
  return supports;
}

// Whether the events as a whole are no walk; else an empty text.
std::string find_objection(const WalkTracks& walk, const std::vector<GaitEvent>& events) {
  const auto count = [&](Foot foot) {
    return std::count_if(events.begin(), events.end(),
                         [&](const GaitEvent& event) { return event.foot == foot; });
  };
  if (events.empty()) {
    return fmt::format("no foot moves to and fro by {:.0f} mm relative to the pelvis",
                       1e3 * kLeastReach);
  }
  for (const Foot foot : {Foot::kLeft, Foot::kRight}) {
    if (count(foot) == 0)
      return fmt::format("only one foot steps; the {} one does not", name_of(foot));
  }
  for (const Foot foot : {Foot::kLeft, Foot::kRight}) {
    if (const double rise = calc_heel_rise(walk, foot); rise < kLeastHeelRise) {
      return fmt::format("the {} heel rises by {:.0f} mm only (at least {:.0f}): shuffling",
                         name_of(foot), 1e3 * rise, 1e3 * kLeastHeelRise);
    }
  }
  Signal durations;
  for (const DoubleSupport& support : find_double_supports(events))
    durations.push_back(support.duration);
  if (const double median = calc_median(durations); median < 0.0) {
    return fmt::format(
        "the feet leave the floor {:.0f} ms before the other ones strike: running has no double "
        "support, and other signs of strike and off",
        -1e3 * median);
  }
  return {};
}

// Marks what breaks the rules of walking.
void apply_gates(MarkerEvents* found) {
  std::vector<GaitEvent>& events = found->events;
  const auto doubt = [&](size_t i, const std::string& sentence) {
    events[i].doubtful = true;
    found->remarks.push_back(sentence);
  };
  for (const Foot foot : {Foot::kLeft, Foot::kRight}) {
    std::optional<size_t> last;
    for (size_t i = 0; i < events.size(); ++i) {
      if (events[i].foot != foot) continue;
      if (last && events[*last].kind == events[i].kind) {
        events[*last].doubtful = true;
        doubt(i, fmt::format("Two {}s of the {} foot follow each other, at {:.3f} and {:.3f} s: an "
                             "event between them is missing.",
                             name_of(events[i].kind), name_of(foot), events[*last].time,
                             events[i].time));
      } else if (last && events[i].kind == GaitEvent::Kind::kOff) {
        const double contact = events[i].time - events[*last].time;
        if (contact < kShortestContact || contact > kLongestContact) {
          events[*last].doubtful = true;
          doubt(i,
                fmt::format("The {} foot's contact from {:.3f} s lasts {:.2f} s; {:.1f} to {:.1f} "
                            "s are usual.",
                            name_of(foot), events[*last].time, contact, kShortestContact,
                            kLongestContact));
        }
      }
      last = i;
    }
  }
  // Strikes alternate between the feet.
  const GaitEvent* before = nullptr;
  for (const GaitEvent& event : events) {
    if (event.kind != GaitEvent::Kind::kStrike) continue;
    if (before != nullptr && before->foot == event.foot) {
      found->remarks.push_back(
          fmt::format("The {} foot strikes twice, at {:.3f} and {:.3f} s, without the other one.",
                      name_of(event.foot), before->time, event.time));
    }
    before = &event;
  }
  const auto supports = find_double_supports(events);
  Signal durations;
  for (const DoubleSupport& support : supports) durations.push_back(support.duration);
  const double median = calc_median(durations);
  for (const DoubleSupport& support : supports) {
    if (support.duration >= kLeastSupport * median && support.duration <= kMostSupport * median)
      continue;
    events[support.off].doubtful = true;
    doubt(support.strike,
          fmt::format("The double support from {:.3f} s lasts {:.0f} ms; {:.0f} ms are usual here.",
                      events[support.strike].time, 1e3 * support.duration, 1e3 * median));
  }
}

// Right is right of left, seen along the walk.
void check_sides(const WalkTracks& walk, MarkerEvents* found) {
  const Vec3d to_the_right = found->ahead.cross(walk.up);
  Signal apart;
  for (size_t k = 0; k < walk.frames(); ++k) {
    const double width = (walk.right.heel[k] - walk.left.heel[k]).dot(to_the_right);
    if (std::isfinite(width)) apart.push_back(width);
  }
  if (const double width = calc_median(apart); width < -0.03) {
    found->remarks.push_back(fmt::format(
        "The right foot is {:.0f} mm to the left of the left one: left and right labels look "
        "exchanged.",
        -1e3 * width));
  }
}

}  // namespace

MarkerEvents find_marker_events(const MarkerTracks& markers, const GaitMarkers& gait,
                                const Vec3d& up) {
  MarkerEvents found;
  if (!gait.has_feet() || gait.pelvis.empty()) {
    found.why_none =
        "markers of the heel and of the ball of both feet, and of the pelvis, are needed, under "
        "names that are known";
    return found;
  }
  if (markers.frames() < 20 || !(markers.times.back() > markers.times.front())) {
    found.why_none = "there are fewer than 20 frames";
    return found;
  }
  const WalkTracks walk = make_walk_tracks(markers, gait, up);
  if (walk.frames() < 20) {
    found.why_none = "pelvis and both feet are seen together in fewer than 20 frames";
    return found;
  }
  find_course(walk, &found);
  if (!found.why_none.empty()) return found;
  add_events(walk, GaitEvent::Kind::kStrike, &found);
  add_events(walk, GaitEvent::Kind::kOff, &found);
  std::sort(found.events.begin(), found.events.end(),
            [](const GaitEvent& a, const GaitEvent& b) { return a.time < b.time; });
  found.why_none = find_objection(walk, found.events);
  if (!found.why_none.empty()) {
    found.events.clear();
    found.remarks.clear();
    return found;
  }
  apply_gates(&found);
  check_sides(walk, &found);
  return found;
}

}  // namespace vesica
