#include "vesica/io/c3d_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "vesica/io/motion_checks.h"
#include "vesica/io/text_input.h"

namespace vesica::detail {

namespace {

// --- the clock

// Largest distance of a time from its place on an even clock, in steps.
double find_unevenness(const std::vector<double>& times, double rate) {
  double worst = 0.0;
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double even = times[0] + static_cast<double>(k) / rate;
    worst = std::max(worst, std::abs(times[k] - even) * rate);
  }
  return worst;
}

// The rate that the times follow: the stated one if they do. Printed times are rounded, at most to
// milliseconds: a quarter of a step is lost only where samples are.
double find_even_rate(const C3dPlan& plan, const std::vector<double>& times, double stated,
                      const char* what) {
  constexpr double kMostUneven = 0.25;
  const std::size_t n = times.size();
  if (stated > 0.0 && find_unevenness(times, stated) <= kMostUneven) return stated;
  const double seen = n > 1 ? static_cast<double>(n - 1) / (times.back() - times.front()) : stated;
  if (seen > 0.0 && std::isfinite(seen) && find_unevenness(times, seen) <= kMostUneven) return seen;
  plan.refuse(
      fmt::format("the times of the {} are uneven, and a C3D has none but an even clock; resample "
                  "first (--rate)",
                  what));
}

const std::vector<double>& frame_times(const MotionTrial& trial) {
  return trial.markers.markers() > 0 ? trial.markers.times : trial.computed.times;
}

void plan_frames(const MotionTrial& trial, C3dPlan* plan) {
  const C3dHeader* source = trial.c3d.get();
  const std::vector<double>& times = frame_times(trial);
  if (!times.empty()) {
    const double stated = trial.markers.markers() > 0 ? trial.markers.rate
                          : source != nullptr         ? source->rate
                                                      : 0.0;
    plan->rate = static_cast<float>(find_even_rate(*plan, times, stated, "markers"));
    plan->frames = static_cast<std::int64_t>(times.size());
  }
  const TimeTable& analog = trial.analog;
  if (analog.rows() == 0) return;
  if (times.empty()) {
    // No points: the frames are those of the source, or there is one sample in each.
    const double stated = source != nullptr ? source->analog_rate() : 0.0;
    const double rate = find_even_rate(*plan, analog.times, stated, "channels");
    plan->samples = source != nullptr && rate == stated ? source->samples : 1;
    plan->rate = static_cast<float>(rate / static_cast<double>(plan->samples));
    plan->frames = static_cast<std::int64_t>(analog.rows() / plan->samples);
    return;
  }
  const double stated = source != nullptr ? source->analog_rate() : 0.0;
  const double rate = find_even_rate(*plan, analog.times, stated, "channels");
  const double per_frame = rate / static_cast<double>(plan->rate);
  plan->samples = static_cast<std::size_t>(std::max(1.0, std::round(per_frame)));
  if (std::abs(per_frame / static_cast<double>(plan->samples) - 1.0) > 1e-4 ||
      plan->samples > kLargestWord) {
    plan->refuse(fmt::format(
        "there are {:.6g} rows of channels a second and {:.6g} frames: a C3D holds a whole number "
        "of samples per frame; resample the markers to a divisor of {:.6g} Hz (--rate {:.6g})",
        rate, plan->rate, rate, rate / static_cast<double>(plan->samples)));
  }
  // Frames that have all their samples; `lead`: samples between the first frame and the first row.
  const auto lead = static_cast<std::int64_t>(std::llround((analog.times[0] - times[0]) * rate));
  const auto samples = static_cast<std::int64_t>(plan->samples);
  const auto rows = static_cast<std::int64_t>(analog.rows());
  const std::int64_t begin = lead > 0 ? (lead + samples - 1) / samples : 0;
  const std::int64_t end = std::min(plan->frames, (rows + lead) / samples);
  if (rows + lead <= 0 || end <= begin) {
    plan->refuse("no frame of the markers has all its samples of the channels");
  }
  const std::int64_t left_out = plan->frames - (end - begin);
  if (left_out > 0) {
    plan->notes.push_back(fmt::format(
        "{} of {} frames have no samples, or not all, of the channels, and were left out: {} at "
        "the beginning, {} at the end.",
        left_out, plan->frames, begin, plan->frames - end));
  }
  plan->first_index = static_cast<std::size_t>(begin);
  plan->first_row = static_cast<std::size_t>(begin * samples - lead);
  plan->frames = end - begin;
}

// The number of the first frame says when the recording begins: number 1 is at zero.
void plan_start(const MotionTrial& trial, C3dPlan* plan) {
  const std::vector<double>& times = frame_times(trial);
  const double start = times.empty() ? trial.analog.times[0] : times[plan->first_index];
  const double rate = static_cast<double>(plan->rate);
  const double number = std::round(start * rate) + 1.0;
  plan->first_frame = number >= 0.0 && number < 1e9 ? static_cast<std::int64_t>(number) : 1;
  if (trial.c3d == nullptr) plan->first_frame = std::max<std::int64_t>(1, plan->first_frame);
  plan->shift = static_cast<double>(plan->first_frame - 1) / rate - start;
  // Of a C3D the numbers are exact; printed times are rounded.
  if (std::abs(plan->shift) * rate > 0.05) {
    plan->notes.push_back(
        fmt::format("the recording begins at {:.6g} s, between or before the frames of a clock "
                    "that starts at zero: all times move by {:.6g} s.",
                    start, plan->shift));
  }
  if (std::abs(plan->shift) * rate < 1e-6) plan->shift = 0.0;
}

// --- numbers

// Keeps the digits of the source; for others a step that integers could hold.
double choose_scale(const MotionTrial& trial, double units_per_metre) {
  if (trial.c3d != nullptr) return trial.c3d->point_scale;
  double largest = 0.0;
  for (const Vec3d& p : trial.markers.positions) {
    if (p.allFinite()) largest = std::max(largest, p.cwiseAbs().maxCoeff() * units_per_metre);
  }
  return largest > 0.0 ? static_cast<double>(static_cast<float>(largest / 32000.0)) : 1.0;
}

void plan_numbers(const MotionTrial& trial, const C3dSaveOptions& options, C3dPlan* plan) {
  if (options.as_it_was && trial.c3d == nullptr) {
    plan->refuse("it did not come from a C3D, so there is no way in which its numbers were stored");
  }
  if (options.as_it_was) {
    plan->order = trial.c3d->byte_order;
    plan->floats = trial.c3d->stores_floats;
  }
  plan->units_per_metre = find_units_per_metre(trial.markers.unit_in_file).value_or(1000.0);
  plan->scale = choose_scale(trial, plan->units_per_metre);
}

void plan_channels(const MotionTrial& trial, C3dPlan* plan) {
  const C3dHeader* source = trial.c3d.get();
  plan->channels = trial.analog.rows() > 0 ? trial.analog.columns.size() : 0;
  if (source != nullptr && source->channels == plan->channels) {
    std::vector<std::string> ignored;
    const std::vector<std::string> labels = make_channel_labels(*source, &ignored);
    const std::vector<std::string> units = source->parameters.find_texts("ANALOG", "UNITS");
    plan->analog_as_source = true;
    for (std::size_t c = 0; c < labels.size(); ++c) {
      const TimeTable::Column& column = trial.analog.columns[c];
      if (column.name != labels[c] || column.unit != (c < units.size() ? units[c] : "")) {
        plan->analog_as_source = false;
      }
    }
  }
  if (plan->analog_as_source) {
    plan->scaling = make_analog_scaling(*source);
  } else {
    plan->scaling.offset.assign(plan->channels, 0.0);
    plan->scaling.scale.assign(plan->channels, 1.0);
  }
  if (plan->channels * plan->samples > kLargestWord || plan->points > kLargestWord) {
    plan->refuse(fmt::format(
        "{} channels with {} samples a frame and {} points; a C3D has at most 65,535 of each a "
        "frame",
        plan->channels, plan->samples, plan->points));
  }
}

// --- labels

std::string label_of_computed(const MotionTrial& trial, std::size_t i) {
  const std::string& column = trial.computed.columns[3 * i].name;
  return column.ends_with(".x") ? column.substr(0, column.size() - 2) : column;
}

// Markers and computed points in turns, as the source has them; a renamed one stays behind the one
// before it. Without a source the markers come first.
void plan_order(const MotionTrial& trial, C3dPlan* plan) {
  std::unordered_map<std::string, std::size_t> place_of;
  if (trial.c3d != nullptr) {
    std::vector<std::string> ignored;
    const C3dPointLabels source = make_point_labels(*trial.c3d, &ignored);
    for (std::size_t i = 0; i < source.labels.size(); ++i) place_of[source.labels[i]] = i;
  }
  std::size_t marker = 0, computed = 0, marker_place = 0;
  while (marker < trial.markers.markers() || computed < plan->computed) {
    bool takes_marker = computed == plan->computed;
    if (marker < trial.markers.markers() && !takes_marker) {
      const auto found = place_of.find(trial.markers.labels[marker]);
      if (found != place_of.end()) marker_place = found->second;
      const auto other = place_of.find(label_of_computed(trial, computed));
      takes_marker = other == place_of.end() || marker_place < other->second;
    }
    plan->order_of_points.push_back(takes_marker ? C3dPlan::Source{false, marker++}
                                                 : C3dPlan::Source{true, computed++});
  }
}

std::vector<std::string> list_points(const MotionTrial& trial, const C3dPlan& plan) {
  std::vector<std::string> labels;
  labels.reserve(plan.points);
  for (const C3dPlan::Source& point : plan.order_of_points) {
    labels.push_back(point.is_computed ? label_of_computed(trial, point.index)
                                       : trial.markers.labels[point.index]);
  }
  return labels;
}

void check_labels(const C3dPlan& plan, const std::vector<std::string>& labels, const char* what) {
  std::unordered_set<std::string> seen;
  for (const std::string& label : labels) {
    const bool blank_ends = label != std::string(trim(label));
    if (label.empty() || blank_ends || label.size() > 255 ||
        label.find('\0') != std::string::npos) {
      plan.refuse(fmt::format(
          "the {} label {} is empty, begins or ends with a blank, or is longer than 255 characters",
          what, quote(label)));
    }
    if (!seen.insert(label).second)
      plan.refuse(fmt::format("two {}s are called {}", what, quote(label)));
  }
}

void plan_point_labels(const MotionTrial& trial, C3dPlan* plan) {
  const std::vector<std::string> labels = list_points(trial, *plan);
  C3dParameters& parameters = plan->parameters;
  if (const C3dHeader* source = trial.c3d.get()) {
    std::vector<std::string> ignored;
    const C3dPointLabels before = make_point_labels(*source, &ignored);
    if (before.labels == labels) return;
    // What was said of a point stays with its label.
    const std::vector<std::string> said = parameters.find_texts("POINT", "DESCRIPTIONS");
    std::unordered_map<std::string, std::string> said_of;
    for (std::size_t i = 0; i < std::min(said.size(), before.labels.size()); ++i) {
      said_of[before.labels[i]] = said[i];
    }
    std::vector<std::string> now;
    now.reserve(labels.size());
    for (const std::string& label : labels) now.push_back(said_of[label]);
    if (!said.empty()) parameters.set_texts("POINT", "DESCRIPTIONS", now);
    for (const char* list : {"ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS"}) {
      for (const std::string& name : parameters.find_texts("POINT", list)) {
        const auto found =
            std::find(trial.markers.labels.begin(), trial.markers.labels.end(), name);
        if (name.empty() || found == trial.markers.labels.end()) continue;
        plan->refuse(fmt::format("the marker {} has a name that POINT:{} lists; rename it",
                                 quote(name), list));
      }
    }
  }
  check_labels(*plan, labels, "point");
  parameters.set_texts("POINT", "LABELS", labels);
}

void plan_channel_labels(const MotionTrial& trial, C3dPlan* plan) {
  if (plan->analog_as_source) return;
  C3dParameters& parameters = plan->parameters;
  std::vector<std::string> labels, units;
  for (std::size_t c = 0; c < plan->channels; ++c) {
    labels.push_back(trial.analog.columns[c].name);
    units.push_back(trial.analog.columns[c].unit);
  }
  check_labels(*plan, labels, "channel");
  for (const char* list : {"DESCRIPTIONS", "GAIN"}) parameters.remove_list("ANALOG", list);
  parameters.remove("ANALOG", "FORMAT");
  parameters.set_texts("ANALOG", "LABELS", labels);
  parameters.set_texts("ANALOG", "UNITS", units);
  parameters.set_number("ANALOG", "GEN_SCALE", 4, 1.0);
  parameters.set_list("ANALOG", "SCALE", 4, std::vector<double>(plan->channels, 1.0));
  parameters.set_list("ANALOG", "OFFSET", 2, std::vector<double>(plan->channels, 0.0));
}

// --- parameters that follow from the data

// True if the number comes back from a parameter of the type. Bytes read as 0 to 255: a scale below
// zero, which says that the data are floats, would come back as one of integers.
bool can_hold(int type, bool is_count, double number) {
  if (type == 4) return true;
  if (number != std::round(number)) return false;
  if (type == 1) return number >= 0.0 && number <= 255.0;
  return number >= -32768.0 && number <= (is_count ? 65535.0 : 32767.0);
}

void plan_counts(const MotionTrial& trial, C3dPlan* plan) {
  C3dParameters& parameters = plan->parameters;
  const C3dHeader* source = trial.c3d.get();
  // Of a source only what it has is brought up to date: it keeps its set of parameters.
  const auto has = [&](const char* group, const char* name) {
    return source == nullptr || parameters.find(group, name) != nullptr;
  };
  const auto set = [&](const char* group, const char* name, int type, double number) {
    if (!has(group, name)) return;
    const C3dParameter* old = parameters.find(group, name);
    if (old != nullptr && old->numbers.size() == 1 && old->dimensions.empty() &&
        can_hold(old->type, type == 2, number)) {
      type = old->type;
    }
    const double stored = type == 4 ? static_cast<double>(static_cast<float>(number)) : number;
    // 16-bit counts beyond 32,767 read as negative.
    const bool same =
        old != nullptr && !old->numbers.empty() &&
        (old->numbers[0] == stored ||
         (type == 2 && C3dParameter::as_count(old->numbers[0]) == static_cast<long long>(stored)));
    if (!same) parameters.set_number(group, name, type, stored);
  };
  const std::int64_t last = plan->first_frame + plan->frames - 1;
  const double frames = static_cast<double>(plan->frames);
  set("POINT", "USED", 2, static_cast<double>(plan->points));
  if (source == nullptr || plan->frames != source->frames) {
    const C3dParameter* old = parameters.find("POINT", "FRAMES");
    const bool is_float = old != nullptr && old->type == 4;
    set("POINT", "FRAMES", 2, is_float ? frames : std::min(frames, 65535.0));
  }
  set("POINT", "SCALE", 4, plan->floats ? -plan->scale : plan->scale);
  if (source == nullptr || static_cast<float>(source->rate) != plan->rate) {
    set("POINT", "RATE", 4, static_cast<double>(plan->rate));
  }
  if (source == nullptr) {
    parameters.set_text(
        "POINT", "UNITS",
        find_units_per_metre(trial.markers.unit_in_file) ? trial.markers.unit_in_file : "mm");
  }
  set("ANALOG", "USED", 2, static_cast<double>(plan->channels));
  if (source == nullptr || source->samples != plan->samples ||
      static_cast<float>(source->rate) != plan->rate) {
    set("ANALOG", "RATE", 4, static_cast<double>(plan->rate) * static_cast<double>(plan->samples));
  }
  const bool beyond = last > kLargestWord;
  if (beyond || (source != nullptr && has("TRIAL", "ACTUAL_START_FIELD"))) {
    const auto field = [&](const char* name, std::int64_t number) {
      const std::vector<double> halves = {static_cast<double>(number & 0xffff),
                                          static_cast<double>(number >> 16)};
      const C3dParameter* old = parameters.find("TRIAL", name);
      if (old != nullptr && old->numbers.size() >= 2 &&
          C3dParameter::as_count(old->numbers[0]) +
                  65536 * C3dParameter::as_count(old->numbers[1]) ==
              number) {
        return;
      }
      parameters.set_numbers("TRIAL", name, 2, {2}, halves);
    };
    field("ACTUAL_START_FIELD", plan->first_frame);
    field("ACTUAL_END_FIELD", last);
  }
  if (plan->frames > kLargestWord && source == nullptr) {
    parameters.set_number("POINT", "LONG_FRAMES", 4, frames);
  } else if (source != nullptr && plan->frames != source->frames) {
    set("POINT", "LONG_FRAMES", 4, frames);
  }
}

}  // namespace

C3dPlan make_c3d_plan(const MotionTrial& trial, const std::string& name,
                      const C3dSaveOptions& options) {
  C3dPlan plan;
  plan.name = name;
  const MarkerTracks& markers = trial.markers;
  if (markers.positions.size() != markers.frames() * markers.markers()) {
    plan.refuse("the number of positions is not frames times markers");
  }
  if (trial.c3d != nullptr) plan.parameters = trial.c3d->parameters;
  plan.computed = trial.computed.rows() > 0 ? trial.computed.columns.size() / 3 : 0;
  if (plan.computed > 0 && markers.markers() > 0 && trial.computed.rows() != markers.frames()) {
    plan.notes.push_back(
        fmt::format("the {} computed points have {} frames and the markers {}; "
                    "they were left out.",
                    plan.computed, trial.computed.rows(), markers.frames()));
    plan.computed = 0;
  }
  plan.points = markers.markers() + plan.computed;
  if (plan.points == 0 && trial.analog.rows() == 0)
    plan.refuse("there are no markers and no table");
  plan_frames(trial, &plan);
  if (plan.frames < 1 || !(plan.rate > 0.0f)) plan.refuse("there are no frames");
  plan_start(trial, &plan);
  plan_numbers(trial, options, &plan);
  plan_channels(trial, &plan);
  plan_order(trial, &plan);
  plan_point_labels(trial, &plan);
  plan_channel_labels(trial, &plan);
  plan_counts(trial, &plan);
  plan_c3d_events(trial, &plan);
  plan_c3d_plates(trial, !options.y_screen.empty(), &plan);
  if (!options.x_screen.empty()) plan.parameters.set_text("POINT", "X_SCREEN", options.x_screen);
  if (!options.y_screen.empty()) plan.parameters.set_text("POINT", "Y_SCREEN", options.y_screen);
  return plan;
}

}  // namespace vesica::detail
