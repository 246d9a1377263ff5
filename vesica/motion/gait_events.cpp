#include "vesica/motion/gait_events.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vesica/motion/butterworth.h"

namespace vesica {
namespace {

// Time at which the normal force crosses the threshold between samples k-1 and k.
double calc_crossing(const PlateForces& plate, size_t k, double threshold) {
  const double f0 = plate.normal_force(k - 1);
  const double f1 = plate.normal_force(k);
  const double part = f1 == f0 ? 1.0 : std::clamp((threshold - f0) / (f1 - f0), 0.0, 1.0);
  return plate.times[k - 1] + part * (plate.times[k] - plate.times[k - 1]);
}

std::vector<PlateContact> find_plate_contacts(const PlateForces& plate, int index,
                                              const PlateContactOptions& options) {
  std::vector<PlateContact> contacts;
  const size_t n = plate.size();
  for (size_t k = 0; k < n; ++k) {
    if (plate.normal_force(k) < options.threshold) continue;
    PlateContact contact;
    contact.plate = index;
    contact.starts_before = k == 0;
    contact.start = k == 0 ? plate.times[0] : calc_crossing(plate, k, options.threshold);
    while (k < n && plate.normal_force(k) >= options.threshold) {
      contact.peak_force = std::max(contact.peak_force, plate.normal_force(k));
      ++k;
    }
    contact.ends_after = k == n;
    contact.end = k == n ? plate.times[n - 1] : calc_crossing(plate, k, options.threshold);
    if (!contacts.empty() && contact.start - contacts.back().end < options.bridge) {
      contacts.back().end = contact.end;
      contacts.back().ends_after = contact.ends_after;
      contacts.back().peak_force = std::max(contacts.back().peak_force, contact.peak_force);
    } else {
      contacts.push_back(contact);
    }
  }
  std::erase_if(contacts,
                [&](const PlateContact& c) { return c.end - c.start < options.shortest; });
  return contacts;
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

// The first local maximum from `first` to `last` that is at least half as high as the highest
// there, interpolated; `otherwise` where there is none. (The ball of the foot landing may shake the
// heel harder than the heel's own landing before it.)
double find_landing(std::span<const double> x, double first, double last, double otherwise) {
  const int begin = std::max(1, static_cast<int>(std::ceil(first)));
  const int end = std::min(static_cast<int>(x.size()) - 2, static_cast<int>(std::floor(last)));
  const auto is_peak = [&](int k) { return x[k] >= x[k - 1] && x[k] > x[k + 1]; };  // no by a gap
  double highest = 0.0;
  for (int k = begin; k <= end; ++k) {
    if (is_peak(k)) highest = std::max(highest, x[k]);
  }
  for (int k = begin; k <= end; ++k) {
    if (is_peak(k) && x[k] > 0.0 && x[k] >= 0.5 * highest) return interpolate_peak(x, k);
  }
  return otherwise;
}

double at_fraction(std::span<const double> times, double index) {
  const auto k = std::min(static_cast<size_t>(index), times.size() - 2);
  return times[k] + (index - static_cast<double>(k)) * (times[k + 1] - times[k]);
}

}  // namespace

const char* name_of(Foot foot) {
  switch (foot) {
    case Foot::kLeft:
      return "left";
    case Foot::kRight:
      return "right";
    case Foot::kBoth:
      return "both";
    default:
      return "unknown";
  }
}

const char* name_of(GaitEvent::Kind kind) {
  return kind == GaitEvent::Kind::kStrike ? "strike" : "off";
}

std::vector<PlateContact> find_contacts(std::span<const PlateForces> plates,
                                        const PlateContactOptions& options) {
  std::vector<PlateContact> contacts;
  for (size_t i = 0; i < plates.size(); ++i) {
    const auto found = find_plate_contacts(plates[i], static_cast<int>(i), options);
    contacts.insert(contacts.end(), found.begin(), found.end());
  }
  std::stable_sort(contacts.begin(), contacts.end(),
                   [](const PlateContact& a, const PlateContact& b) { return a.start < b.start; });
  return contacts;
}

std::vector<Stance> find_stances(std::span<const PlateContact> contacts,
                                 std::span<const PlateForces> plates) {
  constexpr double kSameStep = 0.03;  // s between the end on one plate and the start on the next
  std::vector<Stance> stances;
  for (size_t i = 0; i < contacts.size(); ++i) {
    const PlateContact& c = contacts[i];
    const auto same = std::find_if(stances.rbegin(), stances.rend(), [&](const Stance& s) {
      return s.foot == c.foot && c.start < s.end + kSameStep;
    });
    const bool known = c.foot == Foot::kLeft || c.foot == Foot::kRight;
    if (known && same != stances.rend()) {
      if (c.end > same->end) same->ends_after = c.ends_after;
      same->end = std::max(same->end, c.end);
      same->contacts.push_back(static_cast<int>(i));
      // Beyond the edge of one plate of several is how a foot gets onto the next.
      continue;
    }
    Stance stance;
    stance.foot = c.foot;
    stance.start = c.start;
    stance.end = c.end;
    stance.starts_before = c.starts_before;
    stance.ends_after = c.ends_after;
    stance.contacts = {static_cast<int>(i)};
    stance.partial = c.partial;
    stances.push_back(stance);
  }
  for (Stance& stance : stances) {
    const PlateForces& first = plates[contacts[stance.contacts[0]].plate];
    for (size_t k = 0; k < first.size(); ++k) {
      if (first.times[k] < stance.start || first.times[k] > stance.end) continue;
      double sum = 0.0;
      for (const int i : stance.contacts) {
        const PlateForces& plate = plates[contacts[i].plate];
        if (k < plate.size()) sum += plate.normal_force(k);
      }
      stance.peak_force = std::max(stance.peak_force, sum);
    }
  }
  return stances;
}

std::vector<GaitEvent> find_marker_events(const MarkerTracks& markers, const GaitMarkers& gait,
                                          const Vec3d& up) {
  const size_t frames = markers.frames();
  std::vector<GaitEvent> events;
  if (!gait.has_feet() || gait.pelvis.empty() || frames < 20) return events;

  const auto toe_of = [](const FootMarkers& foot) { return foot.toe >= 0 ? foot.toe : foot.inner; };
  // Ahead is where the toes point, on average: that holds on a treadmill too.
  Vec3d ahead = Vec3d::Zero();
  for (size_t k = 0; k < frames; ++k) {
    for (const FootMarkers* foot : {&gait.left, &gait.right}) {
      const Vec3d along = markers.at(k, toe_of(*foot)) - markers.at(k, foot->heel);
      if (along.allFinite()) ahead += along;
    }
  }
  ahead -= ahead.dot(up) * up;
  if (!(ahead.norm() > 0.0)) return events;
  ahead.normalize();

  const double dt = 1.0 / markers.rate;
  const auto smooth = [&](std::vector<double> signal, double cutoff) {
    filter_between_gaps(make_low_pass(std::min(cutoff, 0.3 * markers.rate), markers.rate), signal);
    return signal;
  };
  const auto ahead_of_pelvis = [&](int marker, double sign) {
    std::vector<double> signal(frames, kMissing);
    for (size_t k = 0; k < frames; ++k) {
      Vec3d pelvis = Vec3d::Zero();
      for (const int i : gait.pelvis) pelvis += markers.at(k, i);
      pelvis /= static_cast<double>(gait.pelvis.size());
      signal[k] = sign * (markers.at(k, marker) - pelvis).dot(ahead);
    }
    return smooth(signal, 8.0);
  };
  const auto upward_acceleration = [&](int marker) {
    std::vector<double> height(frames), acceleration(frames, kMissing);
    for (size_t k = 0; k < frames; ++k) height[k] = markers.at(k, marker).dot(up);
    height = smooth(height, 12.0);
    for (size_t k = 1; k + 1 < frames; ++k) {
      acceleration[k] = (height[k + 1] - 2.0 * height[k] + height[k - 1]) / (dt * dt);
    }
    return acceleration;
  };
  for (const Foot side : {Foot::kLeft, Foot::kRight}) {
    const FootMarkers& foot = side == Foot::kLeft ? gait.left : gait.right;
    for (const GaitEvent::Kind kind : {GaitEvent::Kind::kStrike, GaitEvent::Kind::kOff}) {
      const bool strike = kind == GaitEvent::Kind::kStrike;
      const int marker = strike ? foot.heel : toe_of(foot);
      const std::vector<double> reach = ahead_of_pelvis(marker, strike ? 1.0 : -1.0);
      const std::vector<double> landing = upward_acceleration(foot.heel);
      // A step moves the foot by most of a metre relative to the pelvis; a tenth is no step.
      for (const double peak : find_peaks(reach, 0.1)) {
        const double found =
            strike ? find_landing(landing, peak - 0.03 / dt, peak + 0.10 / dt, peak) : peak;
        events.push_back({kind, side, at_fraction(markers.times, found)});
      }
    }
  }
  // Walking takes both feet; one alone that goes to and fro is a functional trial on one leg.
  const auto has = [&](Foot foot) {
    return std::any_of(events.begin(), events.end(),
                       [&](const GaitEvent& event) { return event.foot == foot; });
  };
  if (!has(Foot::kLeft) || !has(Foot::kRight)) events.clear();
  std::sort(events.begin(), events.end(),
            [](const GaitEvent& a, const GaitEvent& b) { return a.time < b.time; });
  return events;
}

std::vector<WeightEstimate> calc_stride_weights(std::span<const Stance> stances,
                                                std::span<const PlateForces> plates,
                                                double threshold) {
  std::vector<WeightEstimate> strides;
  if (plates.empty()) return strides;
  const size_t n = plates[0].size();
  for (const PlateForces& plate : plates) {
    if (plate.size() != n) return strides;  // plates on different clocks do not sum
  }
  std::vector<double> total(n, 0.0);
  for (const PlateForces& plate : plates) {
    for (size_t k = 0; k < n; ++k) total[k] += plate.normal_force(k);
  }
  const std::vector<double>& times = plates[0].times;
  for (const Foot foot : {Foot::kLeft, Foot::kRight}) {
    const Stance* last = nullptr;
    for (const Stance& stance : stances) {
      if (stance.foot != foot || stance.starts_before) continue;
      const Stance* first = last;
      last = &stance;
      if (first == nullptr || stance.start - first->start > 3.0) continue;
      // The other foot must have stood on a plate when this one struck, at both ends: else weight
      // was on bare floor. So must each of its stances in between.
      const auto begin = static_cast<size_t>(
          std::lower_bound(times.begin(), times.end(), first->start) - times.begin());
      const auto end = static_cast<size_t>(
          std::lower_bound(times.begin(), times.end(), stance.start) - times.begin());
      if (begin < 2 || end <= begin) continue;
      const auto loaded = [&](size_t k) { return total[k] > threshold; };
      bool covered = loaded(begin - 2) && loaded(end - 2);
      double sum = 0.0;
      for (size_t k = begin; k < end; ++k) {
        covered = covered && loaded(k);
        sum += total[k];
      }
      if (covered) {
        strides.push_back(
            {first->start, stance.start, foot, sum / static_cast<double>(end - begin)});
      }
    }
  }
  return strides;
}

}  // namespace vesica
