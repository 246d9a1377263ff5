// Events of a walk from markers alone (declared in gait_events.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "vesica/motion/walk_course.h"

namespace vesica {
namespace {

using detail::calc_along;
using detail::calc_rate_of_change;
using detail::calc_smooth_speed;
using detail::FootTracks;
using detail::Signal;
using detail::smooth_signal;
using detail::WalkTracks;

// Times in s, lengths in m.
constexpr double kLeastReach = 0.1;        // of a foot, to and fro relative to the pelvis
constexpr double kLeastHeelRise = 0.04;    // in a step; less is shuffling
constexpr double kMostDelayError = 0.025;  // of fine minus coarse from its median
constexpr double kAtTheEnds = 0.05;        // events nearer to the ends lean on the filter's guess
constexpr double kShortestContact = 0.3;
constexpr double kLongestContact = 1.3;
constexpr double kLeastSupport = 0.5, kMostSupport = 1.6;  // of the median double support

// The median, of an even number the mean of the two in the middle; NaN of none.
double calc_middle(Signal values) {
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
// Coarse and fine estimate of one event, as fractional frames.
struct Candidate {
  double coarse = 0.0;
  std::optional<double> fine;
};

std::vector<Candidate> find_candidates(const WalkTracks& walk, Foot side, GaitEvent::Kind kind,
                                       const MarkerEvents& course, const MarkerEventRule& rule) {
  const bool strike = kind == GaitEvent::Kind::kStrike;
  const FootTracks& foot = walk.foot(side);
  std::vector<Vec3d> from_pelvis(walk.frames());
  for (size_t k = 0; k < walk.frames(); ++k)
    from_pelvis[k] = (strike ? foot.heel[k] : foot.ball[k]) - walk.pelvis[k];
  Signal reach = calc_along(from_pelvis, strike ? course.ahead : Vec3d(-course.ahead));
  smooth_signal(&reach, 10.0, walk.rate);

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
      if (candidate.fine) *candidate.fine += rule.strike_offset * walk.rate;
    } else {
      candidate.fine =
          find_last_rise(telling, rule.off_speed * course.speed, at(-0.133), at(0.095));
      if (candidate.fine) *candidate.fine += foot.off_offset * walk.rate;
    }
    candidates.push_back(candidate);
  }
  return candidates;
}

// Events of one kind, both feet: fine where the delay from the coarse one is as usual.
void add_events(const WalkTracks& walk, GaitEvent::Kind kind, const MarkerEventRule& rule,
                MarkerEvents* found) {
  std::vector<std::pair<Foot, Candidate>> candidates;
  Signal delays;
  for (const Foot side : {Foot::kLeft, Foot::kRight}) {
    for (const Candidate& c : find_candidates(walk, side, kind, *found, rule)) {
      candidates.emplace_back(side, c);
      if (c.fine) delays.push_back((*c.fine - c.coarse) / walk.rate);
    }
  }
  const double usual = calc_middle(delays);
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
  if (const double median = calc_middle(durations); median < 0.0) {
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
  const double median = calc_middle(durations);
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
  if (const double width = calc_middle(apart); width < -0.03) {
    found->sides_exchanged = true;
    found->remarks.push_back(fmt::format(
        "The right foot is {:.0f} mm to the left of the left one: left and right labels look "
        "exchanged; vesica motion --rename with a map that exchanges them would mend that.",
        -1e3 * width));
  }
}

}  // namespace

MarkerEvents find_marker_events(const MarkerTracks& markers, const GaitMarkers& gait,
                                const Vec3d& up, const MarkerEventRule& rule) {
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
  const WalkTracks walk = detail::make_walk_tracks(markers, gait, up, rule);
  if (walk.frames() < 20) {
    found.why_none = "pelvis and both feet are seen together in fewer than 20 frames";
    return found;
  }
  detail::find_course(walk, &found);
  if (!found.why_none.empty()) return found;
  add_events(walk, GaitEvent::Kind::kStrike, rule, &found);
  add_events(walk, GaitEvent::Kind::kOff, rule, &found);
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
