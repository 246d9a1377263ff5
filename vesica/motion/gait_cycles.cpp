#include "vesica/motion/gait_cycles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "vesica/io/text_input.h"
#include "vesica/motion/gait_curves.h"

namespace vesica {

namespace detail {

bool is_whole(const Stance& stance) {
  return (stance.foot == Foot::kLeft || stance.foot == Foot::kRight) && !stance.starts_before &&
         !stance.ends_after && !stance.partial;
}

}  // namespace detail

namespace {

using detail::is_whole;
using detail::kSameEvent;

Foot other_of(Foot foot) { return foot == Foot::kLeft ? Foot::kRight : Foot::kLeft; }

std::vector<GaitEvent> as_gait_events(const std::vector<MotionEvent>& listed) {
  std::vector<GaitEvent> events;
  for (const MotionEvent& event : listed) {
    const std::string label = as_lower(event.label), context = as_lower(event.context);
    const bool strike = label.find("strike") != std::string::npos;
    const bool off = label.find("off") != std::string::npos;
    const bool left = context == "left" || label.find("left") != std::string::npos;
    const bool right = context == "right" || label.find("right") != std::string::npos;
    if (strike == off || left == right) continue;
    events.push_back({strike ? GaitEvent::Kind::kStrike : GaitEvent::Kind::kOff,
                      left ? Foot::kLeft : Foot::kRight, event.time});
  }
  return events;
}

std::vector<GaitEvent> as_gait_events(const std::vector<Stance>& stances) {
  std::vector<GaitEvent> events;
  for (const Stance& stance : stances) {
    if (stance.foot != Foot::kLeft && stance.foot != Foot::kRight) continue;
    if (!stance.starts_before)
      events.push_back({GaitEvent::Kind::kStrike, stance.foot, stance.start});
    if (!stance.ends_after) events.push_back({GaitEvent::Kind::kOff, stance.foot, stance.end});
  }
  return events;
}

int move_to_plates(const std::vector<Stance>& stances, std::vector<GaitEvent>* events) {
  int moved = 0;
  for (GaitEvent& event : *events) {
    for (const Stance& stance : stances) {
      if (stance.foot != event.foot || !is_whole(stance)) continue;
      const double time = event.kind == GaitEvent::Kind::kStrike ? stance.start : stance.end;
      if (std::abs(time - event.time) > kSameEvent) continue;
      event.time = time;
      ++moved;
      break;
    }
  }
  return moved;
}

// The next event of a kind and foot after a time.
const GaitEvent* find_next(const std::vector<GaitEvent>& events, GaitEvent::Kind kind, Foot foot,
                           double after) {
  for (const GaitEvent& event : events) {
    if (event.kind == kind && event.foot == foot && event.time > after) return &event;
  }
  return nullptr;
}

// Mean of the heel over its flat stance, in the frame of the belt; NaN where too little is seen.
Vec3d find_footprint(const GaitTrial& trial, Foot foot, double strike, double stance) {
  const MarkerTracks& markers = trial.motion.markers;
  const GaitMarkers& gait = trial.analysis.gait;
  const int heel = foot == Foot::kLeft ? gait.left.heel : gait.right.heel;
  Vec3d sum = Vec3d::Zero();
  int seen = 0, frames = 0;
  const double first = strike + 0.15 * stance, last = strike + 0.40 * stance;
  if (heel < 0 || markers.frames() == 0 || last > markers.times.back())
    return Vec3d::Constant(kMissing);
  for (size_t k = 0; k < markers.frames(); ++k) {
    const double t = markers.times[k];
    if (t < first || t > last) continue;
    ++frames;
    if (!markers.has(k, heel)) continue;
    ++seen;
    sum += markers.at(k, heel) - trial.analysis.walk.belt * t;
  }
  if (seen == 0 || 2 * seen < frames) return Vec3d::Constant(kMissing);
  return sum / seen;
}

// --- body weight

// Mean total load of somebody who stands on plates with both feet: it must keep within 3 % (sd).
std::optional<double> find_standing_weight(const TrialAnalysis& analysis) {
  if (!analysis.walk.events.empty() || analysis.plates.empty()) return {};
  bool left = false, right = false;
  for (const PlateContact& contact : analysis.contacts) {
    left = left || contact.foot == Foot::kLeft || contact.foot == Foot::kBoth;
    right = right || contact.foot == Foot::kRight || contact.foot == Foot::kBoth;
  }
  if (!left || !right) return {};
  const size_t n = analysis.plates[0].size();
  double sum = 0.0, square = 0.0;
  for (size_t k = 0; k < n; ++k) {
    double total = 0.0;
    for (const PlateForces& plate : analysis.plates) {
      if (plate.size() != n) return {};
      total += plate.normal_force(k);
    }
    sum += total;
    square += total * total;
  }
  const double mean = sum / static_cast<double>(n);
  const double variance = square / static_cast<double>(n) - mean * mean;
  if (!(mean > 50.0) || variance > 0.03 * 0.03 * mean * mean) return {};
  return mean;
}

double calc_mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v;
  return values.empty() ? kMissing : sum / static_cast<double>(values.size());
}

BodyWeight find_weight(const std::vector<GaitTrial>& trials, double told,
                       std::vector<std::string>* notes) {
  BodyWeight result;
  for (const GaitTrial& trial : trials) {
    if (const auto weight = find_standing_weight(trial.analysis))
      result.standing.push_back(*weight);
    for (const WeightEstimate& stride : trial.analysis.weights)
      result.strides.push_back(stride.weight);
  }
  const double standing = calc_mean(result.standing), strides = calc_mean(result.strides);
  if (std::isfinite(told)) {
    result.weight = told;
    result.source = "as given";
  } else if (std::isfinite(standing)) {
    result.weight = standing;
    result.source = fmt::format("standing on plates, {} trial{}", result.standing.size(),
                                result.standing.size() == 1 ? "" : "s");
  } else if (std::isfinite(strides)) {
    result.weight = strides;
    result.source = fmt::format("mean force over {} whole stride{} on plates",
                                result.strides.size(), result.strides.size() == 1 ? "" : "s");
  }
  for (const auto& [name, other] :
       {std::pair{"standing on plates", standing}, std::pair{"whole strides on plates", strides}}) {
    if (std::isfinite(other) && std::abs(other - result.weight) > 0.03 * result.weight) {
      notes->push_back(fmt::format(
          "Body weight is taken as {:.1f} N ({}); {} give {:.1f} N, which is {:+.1f} % off.",
          result.weight, result.source, name, other, 100.0 * (other / result.weight - 1.0)));
    }
  }
  return result;
}

}  // namespace

std::vector<GaitEvent> choose_events(const GaitTrial& trial, EventSource source,
                                     std::vector<std::string>* notes) {
  const TrialAnalysis& analysis = trial.analysis;
  std::vector<GaitEvent> events;
  std::string from = "markers";
  switch (source) {
    case EventSource::kAuto:
      events = analysis.walk.events;
      if (events.empty()) {
        events = as_gait_events(trial.motion.events);
        from = "the file";
      }
      if (const int moved = move_to_plates(analysis.stances, &events); moved > 0) {
        notes->push_back(fmt::format("{}: {} events from {}, {} of them at the plates' times.",
                                     trial.name, events.size(), from, moved));
      } else if (!events.empty()) {
        notes->push_back(fmt::format("{}: {} events from {}.", trial.name, events.size(), from));
      }
      break;
    case EventSource::kMarkers:
      events = analysis.walk.events;
      break;
    case EventSource::kPlates:
      events = as_gait_events(analysis.stances);
      break;
    case EventSource::kFile:
      events = as_gait_events(trial.motion.events);
      break;
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const GaitEvent& a, const GaitEvent& b) { return a.time < b.time; });
  return events;
}

std::vector<Stride> find_strides(const std::vector<GaitEvent>& events, int trial,
                                 std::vector<std::string>* notes) {
  std::vector<Stride> strides;
  int doubtful = 0, broken = 0;
  for (const GaitEvent& first : events) {
    if (first.kind != GaitEvent::Kind::kStrike) continue;
    const auto next = [&](GaitEvent::Kind kind, Foot foot) {
      return find_next(events, kind, foot, first.time);
    };
    const GaitEvent* last = next(GaitEvent::Kind::kStrike, first.foot);
    if (last == nullptr) continue;
    const GaitEvent* inner[] = {next(GaitEvent::Kind::kOff, other_of(first.foot)),
                                next(GaitEvent::Kind::kStrike, other_of(first.foot)),
                                next(GaitEvent::Kind::kOff, first.foot)};
    bool is_doubtful = first.doubtful || last->doubtful, is_broken = false;
    double before = first.time;
    for (const GaitEvent* event : inner) {
      is_broken =
          is_broken || event == nullptr || event->time <= before || event->time >= last->time;
      if (is_broken) break;
      is_doubtful = is_doubtful || event->doubtful;
      before = event->time;
    }
    if (is_broken || is_doubtful) {
      (is_broken ? broken : doubtful) += 1;
      continue;
    }
    Stride stride;
    stride.trial = trial;
    stride.foot = first.foot;
    stride.start = first.time;
    stride.other_off = inner[0]->time;
    stride.other_strike = inner[1]->time;
    stride.off = inner[2]->time;
    stride.end = last->time;
    strides.push_back(stride);
  }
  if (doubtful > 0)
    notes->push_back(
        fmt::format("{} strides are left out: an event of theirs is doubtful.", doubtful));
  if (broken > 0) {
    notes->push_back(fmt::format(
        "{} strides are left out: off, strike and off between their strikes are not all there, in "
        "this order.",
        broken));
  }
  return strides;
}

void measure_lengths(const GaitTrial& trial, std::vector<Stride>* strides) {
  const Vec3d& ahead = trial.analysis.walk.ahead;
  if (ahead.norm() == 0.0) return;
  const Vec3d to_the_right = ahead.cross(trial.analysis.up);
  for (Stride& stride : *strides) {
    const double stance = stride.off - stride.start;
    const Vec3d here = find_footprint(trial, stride.foot, stride.start, stance);
    const Vec3d other = find_footprint(trial, other_of(stride.foot), stride.other_strike, stance);
    const Vec3d next = find_footprint(trial, stride.foot, stride.end, stance);
    const double outwards = stride.foot == Foot::kRight ? 1.0 : -1.0;
    stride.stride_length = (next - here).dot(ahead);
    stride.step_length = (next - other).dot(ahead);
    stride.step_width = outwards * (next - other).dot(to_the_right);
  }
}

const std::array<ParameterKind, kParameters>& get_parameter_kinds() {
  static constexpr std::array<ParameterKind, kParameters> kKinds = {{{"stride_time", "s"},
                                                                     {"step_time", "s"},
                                                                     {"cadence", "steps/min"},
                                                                     {"stance", "%"},
                                                                     {"swing", "%"},
                                                                     {"single_support", "%"},
                                                                     {"double_support", "%"},
                                                                     {"stride_length", "m"},
                                                                     {"step_length", "m"},
                                                                     {"step_width", "m"},
                                                                     {"speed", "m/s"}}};
  return kKinds;
}

std::array<double, kParameters> calc_parameters(const Stride& s) {
  const double T = s.stride_time(), percent = 100.0 / T;
  return {T,
          s.end - s.other_strike,
          120.0 / T,
          percent * (s.off - s.start),
          percent * (s.end - s.off),
          percent * (s.other_strike - s.other_off),
          percent * ((s.other_off - s.start) + (s.off - s.other_strike)),
          s.stride_length,
          s.step_length,
          s.step_width,
          s.stride_length / T};
}

std::vector<GaitParameter> summarise_parameters(const std::vector<Stride>& strides) {
  std::vector<GaitParameter> parameters;
  for (int p = 0; p < kParameters; ++p) {
    const auto interval_of = [&](std::optional<Foot> foot) {
      std::vector<double> values;
      std::vector<int> trials;
      for (const Stride& stride : strides) {
        if (foot && stride.foot != *foot) continue;
        values.push_back(calc_parameters(stride)[p]);
        trials.push_back(stride.trial);
      }
      return calc_mean_interval(values, trials);
    };
    GaitParameter parameter;
    parameter.name = get_parameter_kinds()[p].name;
    parameter.unit = get_parameter_kinds()[p].unit;
    parameter.left = interval_of(Foot::kLeft);
    parameter.right = interval_of(Foot::kRight);
    parameter.both = interval_of({});
    parameter.symmetry = calc_symmetry(parameter.left, parameter.right);
    parameters.push_back(parameter);
  }
  return parameters;
}

std::vector<std::string> GaitSummary::signal_names() const {
  std::vector<std::string> names;
  for (const CycleCurve& curve : curves) {
    if (std::find(names.begin(), names.end(), curve.name) == names.end())
      names.push_back(curve.name);
  }
  return names;
}

GaitSummary analyse_gait(const std::vector<GaitTrial>& trials, const GaitOptions& options) {
  GaitSummary summary;
  summary.weight = find_weight(trials, options.weight, &summary.notes);
  detail::CurveCollection curves;
  for (size_t i = 0; i < trials.size(); ++i) {
    const GaitTrial& trial = trials[i];
    summary.trials.push_back(trial.name);
    std::vector<std::string> notes;
    const std::vector<GaitEvent> events = choose_events(trial, options.events, &notes);
    std::vector<std::string> left_out;
    std::vector<Stride> strides = find_strides(events, static_cast<int>(i), &left_out);
    if (strides.empty()) {
      const std::string& reason = trial.analysis.walk.why_none;
      const bool from_markers =
          options.events == EventSource::kAuto || options.events == EventSource::kMarkers;
      summary.no_walk.push_back(trial.name + ": " +
                                (from_markers && !reason.empty() ? reason
                                 : !left_out.empty()             ? left_out.front()
                                 : options.events == EventSource::kFile && events.empty()
                                     ? "the file lists no strikes and offs of a side"
                                     : "no foot strikes twice"));
      continue;
    }
    for (const std::string& note : left_out) notes.push_back(trial.name + ": " + note);
    for (const std::string& warning : trial.analysis.warnings)
      notes.push_back(trial.name + ": " + warning);
    summary.notes.insert(summary.notes.end(), notes.begin(), notes.end());
    summary.on_treadmill = summary.on_treadmill || trial.analysis.walk.on_treadmill();
    measure_lengths(trial, &strides);
    for (const Stride& stride : strides) {
      const auto index = static_cast<int>(summary.strides.size());
      summary.strides.push_back(stride);
      for (const TimeTable& table : trial.tables)
        detail::add_table_curves(table, stride, index, &curves);
      detail::add_force_curves(trial, stride, index, summary.weight.weight, &curves);
      detail::add_height_curves(trial, stride, index, &curves);
    }
  }
  if (curves.left_out() > 0) {
    summary.notes.push_back(
        fmt::format("{} curves are left out: their signal has gaps or ends within the stride.",
                    curves.left_out()));
  }
  summary.curves = curves.take();
  summary.parameters = summarise_parameters(summary.strides);
  return summary;
}

}  // namespace vesica
