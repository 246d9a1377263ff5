#include "vesica/motion/gait_cycles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "vesica/motion/resample.h"

namespace vesica {
namespace {

Foot other_of(Foot foot) { return foot == Foot::kLeft ? Foot::kRight : Foot::kLeft; }

bool is_whole(const Stance& stance) {
  return (stance.foot == Foot::kLeft || stance.foot == Foot::kRight) && !stance.starts_before &&
         !stance.ends_after && !stance.partial;
}

std::string lower_case(const std::string& text) {
  std::string lower = text;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::vector<GaitEvent> as_gait_events(const std::vector<MotionEvent>& listed) {
  std::vector<GaitEvent> events;
  for (const MotionEvent& event : listed) {
    const std::string label = lower_case(event.label), context = lower_case(event.context);
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

constexpr double kSameEvent = 0.06;  // s between what markers and what a plate tell

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

// --- names of columns

// The name for the other side, and the name without a side, for every way to read a side.
struct SideReading {
  Foot side;
  std::string mirrored, bare;
};

std::string tidy(std::string name) {
  const auto is_joint = [](char c) { return c == '_' || c == '.' || c == ' ' || c == '-'; };
  std::string result;
  for (const char c : name) {
    if (is_joint(c) && (result.empty() || is_joint(result.back()))) continue;
    result += c;
  }
  while (!result.empty() && is_joint(result.back())) result.pop_back();
  return result;
}

std::vector<SideReading> find_side_readings(const std::string& name) {
  std::vector<SideReading> readings;
  const std::string lower = lower_case(name);
  const auto is_letter = [&](size_t i) {
    return i < lower.size() && std::isalnum(static_cast<unsigned char>(lower[i]));
  };
  const auto add = [&](size_t at, size_t length, const std::string& other, Foot side) {
    std::string mirrored = name, bare = name;
    mirrored.replace(at, length, other);
    bare.erase(at, length);
    bare = tidy(bare);
    if (!bare.empty()) readings.push_back({side, mirrored, bare});
  };
  for (const Foot side : {Foot::kLeft, Foot::kRight}) {
    const bool left = side == Foot::kLeft;
    // A letter by itself between punctuation, or in front of the name.
    const char letter = left ? 'l' : 'r';
    for (size_t i = 0; i < lower.size(); ++i) {
      if (lower[i] != letter || (i > 0 && is_letter(i - 1))) continue;
      if (is_letter(i + 1) && i > 0 && name[i - 1] != ':') continue;
      const char other = left ? 'r' : 'l';
      const bool upper = name[i] != lower[i];
      add(i, 1,
          std::string(1, upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(other)))
                               : other),
          side);
    }
    const std::string word = left ? "left" : "right", opposite = left ? "right" : "left";
    if (const size_t at = lower.find(word); at != std::string::npos) {
      std::string other = opposite;
      const std::string written = name.substr(at, word.size());
      if (written[0] != lower[at]) other[0] = static_cast<char>(std::toupper(other[0]));
      if (written.back() != lower[at + word.size() - 1]) {
        for (char& c : other) c = static_cast<char>(std::toupper(c));
      }
      add(at, word.size(), other, side);
    }
  }
  return readings;
}

// --- curves

void finish(CycleCurve* curve) {
  const auto n = static_cast<double>(curve->values.size());
  for (int i = 0; i < kCyclePoints; ++i) {
    double sum = 0.0, square = 0.0;
    for (const CycleValues& v : curve->values) sum += v[i];
    curve->mean[i] = sum / n;
    for (const CycleValues& v : curve->values)
      square += (v[i] - curve->mean[i]) * (v[i] - curve->mean[i]);
    curve->sd[i] = n > 1.0 ? std::sqrt(square / (n - 1.0)) : kMissing;
  }
}

class CurveCollection {
 public:
  void add(const std::string& name, const std::string& unit, Foot foot, int stride,
           const CycleValues& values) {
    if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
      ++left_out_;
      return;
    }
    auto at = std::find_if(curves_.begin(), curves_.end(), [&](const CycleCurve& curve) {
      return curve.name == name && curve.foot == foot;
    });
    if (at == curves_.end()) {
      CycleCurve curve;
      curve.name = name;
      curve.unit = unit;
      curve.foot = foot;
      curves_.push_back(curve);
      at = curves_.end() - 1;
    }
    at->strides.push_back(stride);
    at->values.push_back(values);
  }

  int left_out() const { return left_out_; }

  // Signals in the order in which they came, left before right.
  std::vector<CycleCurve> take() {
    std::vector<std::string> order;
    for (CycleCurve& curve : curves_) {
      finish(&curve);
      if (std::find(order.begin(), order.end(), curve.name) == order.end())
        order.push_back(curve.name);
    }
    const auto rank = [&](const CycleCurve& c) {
      return std::pair(std::find(order.begin(), order.end(), c.name) - order.begin(),
                       c.foot == Foot::kLeft ? 0 : 1);
    };
    std::stable_sort(curves_.begin(), curves_.end(),
                     [&](const CycleCurve& a, const CycleCurve& b) { return rank(a) < rank(b); });
    return std::move(curves_);
  }

 private:
  std::vector<CycleCurve> curves_;
  int left_out_ = 0;
};

double calc_cycle_time(const Stride& stride, int point) {
  return stride.start + stride.stride_time() * point / (kCyclePoints - 1);
}

void add_table_curves(const TimeTable& table, const Stride& stride, int index,
                      CurveCollection* curves) {
  for (const SidedColumns& pair : find_sided_columns(table.columns)) {
    const int column = stride.foot == Foot::kLeft ? pair.left : pair.right;
    std::string unit = table.columns[column].unit;
    curves->add(pair.name, unit, stride.foot, index,
                normalise_in_time(table.times, table.column(column), stride.start, stride.end));
  }
}

void add_height_curves(const GaitTrial& trial, const Stride& stride, int index,
                       CurveCollection* curves) {
  const MarkerTracks& markers = trial.motion.markers;
  const GaitMarkers& gait = trial.analysis.gait;
  const FootMarkers& foot = stride.foot == Foot::kLeft ? gait.left : gait.right;
  const auto add = [&](const char* name, int marker) {
    if (marker < 0 || markers.frames() == 0) return;
    std::vector<double> height(markers.frames());
    double lowest = 1e300;
    for (size_t k = 0; k < height.size(); ++k) {
      height[k] = 1e3 * markers.at(k, marker).dot(trial.analysis.up);
      if (std::isfinite(height[k])) lowest = std::min(lowest, height[k]);
    }
    for (double& h : height) h -= lowest;
    curves->add(name, "mm", stride.foot, index,
                normalise_in_time(markers.times, height, stride.start, stride.end));
  };
  add("heel_height", foot.heel);
  add("forefoot_height", foot.toe >= 0 ? foot.toe : foot.inner);
}

// Sum of the plates of a stance at a time, linear between samples (a spline would swing at the
// strike).
Vec3d calc_force_at(const GaitTrial& trial, const Stance& stance, double time) {
  Vec3d sum = Vec3d::Zero();
  for (const int i : stance.contacts) {
    const PlateForces& plate = trial.analysis.plates[trial.analysis.contacts[i].plate];
    const auto after = std::upper_bound(plate.times.begin(), plate.times.end(), time);
    if (after == plate.times.begin() || after == plate.times.end()) continue;
    const auto k = static_cast<size_t>(after - plate.times.begin());
    const double part = (time - plate.times[k - 1]) / (plate.times[k] - plate.times[k - 1]);
    sum += (1.0 - part) * plate.forces[k - 1] + part * plate.forces[k];
  }
  return sum;
}

void add_force_curves(const GaitTrial& trial, const Stride& stride, int index, double weight,
                      CurveCollection* curves) {
  const auto stance = std::find_if(trial.analysis.stances.begin(), trial.analysis.stances.end(),
                                   [&](const Stance& s) {
                                     return is_whole(s) && s.foot == stride.foot &&
                                            std::abs(s.start - stride.start) < kSameEvent &&
                                            std::abs(s.end - stride.off) < kSameEvent;
                                   });
  if (stance == trial.analysis.stances.end()) return;
  const MarkerEvents& walk = trial.analysis.walk;
  const Vec3d to_the_right = walk.ahead.cross(trial.analysis.up);
  const Vec3d medial = stride.foot == Foot::kLeft ? to_the_right : Vec3d(-to_the_right);
  CycleValues vertical{}, forward{}, inward{};
  for (int i = 0; i < kCyclePoints; ++i) {
    const double t = calc_cycle_time(stride, i);
    if (t > stance->end) continue;  // the foot swings
    const Vec3d force = calc_force_at(trial, *stance, t);
    vertical[i] = force.dot(trial.analysis.up);
    forward[i] = force.dot(walk.ahead);
    inward[i] = force.dot(medial);
  }
  const auto add = [&](const std::string& name, const CycleValues& force) {
    curves->add(name, "N", stride.foot, index, force);
    if (!std::isfinite(weight)) return;
    CycleValues share{};
    for (int i = 0; i < kCyclePoints; ++i) share[i] = 100.0 * force[i] / weight;
    curves->add(name + "_bw", "% body weight", stride.foot, index, share);
  };
  add("force_vertical", vertical);
  if (walk.ahead.norm() == 0.0) return;
  add("force_forward", forward);
  add("force_medial", inward);
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

CycleValues normalise_in_time(std::span<const double> times, std::span<const double> values,
                              double start, double end) {
  // A quarter of a second beyond either end is enough for a spline, and spares the rest.
  constexpr double kAround = 0.25;
  const auto begin = std::lower_bound(times.begin(), times.end(), start - kAround);
  const auto stop = std::upper_bound(times.begin(), times.end(), end + kAround);
  const auto first = static_cast<size_t>(begin - times.begin());
  const auto count = static_cast<size_t>(stop - begin);
  std::vector<double> at(kCyclePoints);
  for (int i = 0; i < kCyclePoints; ++i) at[i] = start + (end - start) * i / (kCyclePoints - 1);
  const std::vector<double> resampled =
      resample(times.subspan(first, count), values.subspan(first, count), at);
  CycleValues result{};
  std::copy(resampled.begin(), resampled.end(), result.begin());
  return result;
}

std::vector<SidedColumns> find_sided_columns(const std::vector<TimeTable::Column>& columns) {
  const auto find_column = [&](const std::string& name) {
    const auto at = std::find_if(columns.begin(), columns.end(),
                                 [&](const TimeTable::Column& c) { return c.name == name; });
    return at == columns.end() ? -1 : static_cast<int>(at - columns.begin());
  };
  std::vector<SidedColumns> result;
  std::vector<bool> taken(columns.size(), false);
  for (size_t i = 0; i < columns.size(); ++i) {
    if (taken[i]) continue;
    SidedColumns entry{columns[i].name, static_cast<int>(i), static_cast<int>(i)};
    for (const SideReading& reading : find_side_readings(columns[i].name)) {
      const int partner = find_column(reading.mirrored);
      if (partner < 0 || taken[partner] || partner == static_cast<int>(i)) continue;
      taken[partner] = true;
      const bool left = reading.side == Foot::kLeft;
      entry = {reading.bare, left ? static_cast<int>(i) : partner,
               left ? partner : static_cast<int>(i)};
      break;
    }
    taken[i] = true;
    result.push_back(entry);
  }
  return result;
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
  CurveCollection curves;
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
    for (const std::string& remark : trial.analysis.walk.remarks)
      notes.push_back(trial.name + ": " + remark);
    summary.notes.insert(summary.notes.end(), notes.begin(), notes.end());
    summary.on_treadmill = summary.on_treadmill || trial.analysis.walk.on_treadmill();
    measure_lengths(trial, &strides);
    for (const Stride& stride : strides) {
      const auto index = static_cast<int>(summary.strides.size());
      summary.strides.push_back(stride);
      for (const TimeTable& table : trial.tables) add_table_curves(table, stride, index, &curves);
      add_force_curves(trial, stride, index, summary.weight.weight, &curves);
      add_height_curves(trial, stride, index, &curves);
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
