// A MotionTrial as a C3D file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "vesica/error.h"
#include "vesica/io/c3d.h"
#include "vesica/io/file_writer.h"
#include "vesica/io/motion_checks.h"
#include "vesica/io/text_input.h"

namespace vesica {

namespace {

constexpr std::size_t kBlockBytes = 512;
constexpr std::int64_t kLargestWord = 65535;

// Everything that is decided before the first byte is written.
struct C3dPlan {
  std::string name;  // of the file, for messages
  C3dByteOrder order = C3dByteOrder::kIntel;
  bool floats = true;
  double scale = 1.0;  // POINT:SCALE without its sign
  double units_per_metre = 1000.0;
  std::size_t points = 0, computed = 0, channels = 0, samples = 0;
  std::int64_t first_frame = 1, frames = 0;
  float rate = 0.0f;
  double shift = 0.0;           // s: times in the file minus times of the trial
  std::size_t first_index = 0;  // of the trial's frames
  std::size_t first_row = 0;    // of the analog table, at that frame
  struct Source {
    bool is_computed;
    std::size_t index;  // of the markers, or of the computed points
  };
  std::vector<Source> order_of_points;
  bool analog_as_source = false;
  detail::C3dAnalogScaling scaling;
  C3dParameters parameters;
  std::vector<std::string> notes;

  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(name + ": not written: " + why);
  }
};

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
    const std::vector<std::string> labels = detail::make_channel_labels(*source, &ignored);
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
    plan->scaling = detail::make_analog_scaling(*source);
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
    const detail::C3dPointLabels source = detail::make_point_labels(*trial.c3d, &ignored);
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
    const detail::C3dPointLabels before = detail::make_point_labels(*source, &ignored);
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

bool are_same(const std::vector<MotionEvent>& a, const std::vector<MotionEvent>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [](const MotionEvent& one, const MotionEvent& other) {
        return one.time == other.time && one.label == other.label && one.context == other.context &&
               one.subject == other.subject && one.description == other.description;
      });
}

// True where the events of the header block hold as they are.
bool plan_events(const MotionTrial& trial, C3dPlan* plan) {
  if (trial.c3d != nullptr && plan->shift == 0.0 &&
      are_same(trial.events, detail::read_c3d_events(*trial.c3d))) {
    return true;
  }
  if (trial.c3d == nullptr && trial.events.empty()) return true;
  C3dParameters& parameters = plan->parameters;
  std::vector<double> times;
  std::vector<std::string> labels, contexts, subjects, descriptions;
  for (const MotionEvent& event : trial.events) {
    const double time = event.time + plan->shift;
    double minutes = std::floor(time / 60.0);
    float seconds = static_cast<float>(time - 60.0 * minutes);
    if (seconds >= 60.0f) {  // rounded up
      minutes += 1.0;
      seconds = 0.0f;
    }
    times.push_back(minutes);
    times.push_back(static_cast<double>(seconds));
    labels.push_back(event.label);
    contexts.push_back(event.context);
    subjects.push_back(event.subject);
    descriptions.push_back(event.description);
  }
  // Icons and flags of events that are no longer the same ones.
  for (const char* list :
       {"ICON_IDS", "GENERIC_FLAGS", "TIMES", "LABELS", "CONTEXTS", "SUBJECTS", "DESCRIPTIONS"}) {
    parameters.remove_list("EVENT", list);
  }
  const std::size_t count = trial.events.size();
  parameters.set_number("EVENT", "USED", 2, static_cast<double>(count));
  if (count == 0) return false;
  for (std::size_t i = 0, part = 1; i < count; i += 255, ++part) {
    const std::size_t end = std::min(i + 255, count);
    parameters.set_numbers("EVENT", part == 1 ? "TIMES" : "TIMES" + std::to_string(part), 4,
                           {2, static_cast<int>(end - i)},
                           {times.begin() + static_cast<std::ptrdiff_t>(2 * i),
                            times.begin() + static_cast<std::ptrdiff_t>(2 * end)});
  }
  parameters.set_texts("EVENT", "LABELS", labels);
  parameters.set_texts("EVENT", "CONTEXTS", contexts);
  parameters.set_texts("EVENT", "SUBJECTS", subjects);
  parameters.set_texts("EVENT", "DESCRIPTIONS", descriptions);
  return false;
}

// Plates that did not come from a C3D: their channels are columns of the table.
void plan_new_plates(const MotionTrial& trial, C3dPlan* plan) {
  const std::size_t count = trial.plates.size();
  C3dParameters& parameters = plan->parameters;
  if (count > 255) plan->refuse(fmt::format("there are {} force plates", count));
  std::size_t most = 0;
  for (const ForcePlate& plate : trial.plates) most = std::max(most, plate.channels.size());
  std::vector<double> types, corners, origins, channels, matrices;
  bool calibrated = false;
  for (const ForcePlate& plate : trial.plates) {
    types.push_back(plate.type);
    for (const Vec3d& corner : plate.corners) {
      for (int k = 0; k < 3; ++k) corners.push_back(corner[k] * plan->units_per_metre);
    }
    for (int k = 0; k < 3; ++k) origins.push_back(plate.origin[k] * plan->units_per_metre);
    for (std::size_t c = 0; c < most; ++c) {
      const int channel = c < plate.channels.size() ? plate.channels[c] : -1;
      if (channel >= static_cast<int>(plan->channels)) {
        plan->refuse(
            fmt::format("a force plate uses channel {} of {}", channel + 1, plan->channels));
      }
      channels.push_back(channel + 1.0);
    }
    calibrated = calibrated || plate.type == 4;
    for (int col = 0; col < 6; ++col) {
      for (int row = 0; row < 6; ++row) {
        matrices.push_back(plate.calibration(row, col) * (row < 3 ? 1.0 : plan->units_per_metre));
      }
    }
  }
  const int n = static_cast<int>(count);
  parameters.set_number("FORCE_PLATFORM", "USED", 2, static_cast<double>(count));
  parameters.set_list("FORCE_PLATFORM", "TYPE", 2, types);
  const int zero_first = count > 0 ? trial.plates[0].zero_first : 0;
  const int zero_last = count > 0 ? trial.plates[0].zero_last : 0;
  parameters.set_numbers("FORCE_PLATFORM", "ZERO", 2, {2},
                         {static_cast<double>(zero_first), static_cast<double>(zero_last)});
  parameters.set_numbers("FORCE_PLATFORM", "CORNERS", 4, {3, 4, n}, corners);
  parameters.set_numbers("FORCE_PLATFORM", "ORIGIN", 4, {3, n}, origins);
  parameters.set_numbers("FORCE_PLATFORM", "CHANNEL", 2, {static_cast<int>(most), n}, channels);
  if (calibrated) parameters.set_numbers("FORCE_PLATFORM", "CAL_MATRIX", 4, {6, 6, n}, matrices);
}

// Plates of the source, which may have been turned with the recording or have lost the frames that
// their baseline was to come from.
void plan_plates(const MotionTrial& trial, bool turned, C3dPlan* plan) {
  if (trial.c3d == nullptr) {
    if (!trial.plates.empty()) plan_new_plates(trial, plan);
    return;
  }
  C3dParameters& parameters = plan->parameters;
  const auto used = static_cast<std::size_t>(
      C3dParameter::as_count(parameters.find_number("FORCE_PLATFORM", "USED").value_or(0.0)));
  if (used == 0) return;
  if (turned && trial.plates.size() != used) {
    plan->refuse(fmt::format(
        "{} of the file's {} force plates could not be read and would not turn with the markers; "
        "keep the axes (--axes keep)",
        used - std::min(used, trial.plates.size()), used));
  }
  const C3dParameter* old = parameters.find("FORCE_PLATFORM", "CORNERS");
  if (turned && old != nullptr) {
    std::vector<double> corners = old->numbers;
    for (std::size_t i = 0; i < trial.plates.size(); ++i) {
      for (std::size_t k = 0; k < 12 && 12 * i + k < corners.size(); ++k) {
        corners[12 * i + k] =
            trial.plates[i].corners[k / 3][static_cast<int>(k % 3)] * plan->units_per_metre;
      }
    }
    parameters.set_numbers("FORCE_PLATFORM", "CORNERS", 4, old->dimensions, corners);
  }
  const C3dParameter* zero = parameters.find("FORCE_PLATFORM", "ZERO");
  const bool forgotten = std::all_of(trial.plates.begin(), trial.plates.end(),
                                     [](const ForcePlate& p) { return p.zero_last == 0; });
  if (zero != nullptr && zero->numbers.size() >= 2 && zero->numbers[0] >= 1.0 &&
      zero->numbers[1] >= zero->numbers[0] && forgotten && !trial.plates.empty()) {
    parameters.set_numbers("FORCE_PLATFORM", "ZERO", zero->type, zero->dimensions,
                           std::vector<double>(zero->numbers.size(), 0.0));
  }
}

C3dPlan make_plan(const MotionTrial& trial, const std::string& name, const C3dSaveOptions& options,
                  bool* keeps_header_events) {
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
        fmt::format("the {} computed points have {} frames and the markers {}; they were left out.",
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
  *keeps_header_events = plan_events(trial, &plan);
  plan_plates(trial, !options.y_screen.empty(), &plan);
  if (!options.x_screen.empty()) plan.parameters.set_text("POINT", "X_SCREEN", options.x_screen);
  if (!options.y_screen.empty()) plan.parameters.set_text("POINT", "Y_SCREEN", options.y_screen);
  return plan;
}

// --- bytes

void put(std::string* block, std::size_t at, const std::string& bytes) {
  block->replace(at, bytes.size(), bytes);
}

// The header block: what the source has, in the new byte order, and what follows from the data.
std::string encode_header(const C3dPlan& plan, const C3dHeader* source, bool keeps_events,
                          std::size_t data_block) {
  std::string block(kBlockBytes, '\0');
  const auto put_word = [&](std::size_t word, int value) {
    std::string bytes;
    append_int16(plan.order, value, &bytes);
    put(&block, 2 * (word - 1), bytes);
  };
  const auto put_float = [&](std::size_t word, float value) {
    std::string bytes;
    if (!append_float(plan.order, value, &bytes)) {
      plan.refuse(fmt::format("{} cannot be held by the old kind of numbers", value));
    }
    put(&block, 2 * (word - 1), bytes);
  };
  // Words 150 to 152 say that there are events and how many; 153 to 188 hold their times as
  // floats; single bytes, flags and labels, follow.
  constexpr std::size_t kEvents = 150, kEventTimes = 153, kEventBytes = 189;
  if (source != nullptr) {
    const char* old = source->block.data();
    for (std::size_t word = 6; word < kEvents; ++word) {
      put_word(word, decode_int16(source->byte_order, old + 2 * (word - 1)));
    }
    if (keeps_events) {
      for (std::size_t word = kEvents; word < kEventTimes; ++word) {
        put_word(word, decode_int16(source->byte_order, old + 2 * (word - 1)));
      }
      if (plan.order == source->byte_order) {
        put(&block, 2 * (kEventTimes - 1), source->block.substr(2 * (kEventTimes - 1), 72));
      } else {
        for (std::size_t word = kEventTimes; word < kEventBytes; word += 2) {
          put_float(word, decode_float(source->byte_order, old + 2 * (word - 1)));
        }
      }
      put(&block, 2 * (kEventBytes - 1), source->block.substr(2 * (kEventBytes - 1)));
    }
  }
  const std::int64_t last = plan.first_frame + plan.frames - 1;
  block[0] = 2;
  block[1] = 0x50;
  put_word(2, static_cast<int>(plan.points));
  put_word(3, static_cast<int>(plan.channels * plan.samples));
  put_word(4, static_cast<int>(std::min(plan.first_frame, kLargestWord)));
  put_word(5, static_cast<int>(std::min(last, kLargestWord)));
  put_float(7, static_cast<float>(plan.floats ? -plan.scale : plan.scale));
  put_word(9, static_cast<int>(data_block));
  put_word(10, static_cast<int>(plan.samples));
  put_float(11, plan.rate);
  return block;
}

// Numbers of the frames, one after the other.
class FrameEncoder {
 public:
  FrameEncoder(const MotionTrial& trial, const C3dPlan& plan) : trial_(trial), plan_(plan) {}

  void append(std::size_t frame, std::string* out) const {
    const std::size_t index = plan_.first_index + frame;
    const MarkerTracks& markers = trial_.markers;
    for (const C3dPlan::Source& point : plan_.order_of_points) {
      if (!point.is_computed) {
        const std::size_t at = index * markers.markers() + point.index;
        append_point(markers.positions[at] * plan_.units_per_metre, markers.words, at, out);
        continue;
      }
      const double* value =
          &trial_.computed.values[index * trial_.computed.columns.size() + 3 * point.index];
      append_point(Vec3d(value[0], value[1], value[2]), trial_.computed_words,
                   index * plan_.computed + point.index, out);
    }
    const std::size_t row = plan_.first_row + frame * plan_.samples;
    for (std::size_t s = 0; plan_.channels > 0 && s < plan_.samples; ++s) {
      for (std::size_t c = 0; c < plan_.channels; ++c) {
        append_sample(trial_.analog.at(row + s, c), c, out);
      }
    }
  }

 private:
  void append_point(const Vec3d& value, const std::vector<float>& words, std::size_t at,
                    std::string* out) const {
    const float stored = words.empty() ? 0.0f : words[at];
    const bool missing = !value.allFinite();
    // Missing: the number below zero that the source had. Present where the source had nothing: a
    // residual of zero, which marks a point that was computed.
    const float word =
        missing ? (stored < 0.0f ? stored : -1.0f) : (stored >= 0.0f ? stored : 0.0f);
    if (plan_.floats) {
      for (int k = 0; k < 3; ++k) append_real(missing ? 0.0 : value[k], out);
      append_real(static_cast<double>(word), out);
      return;
    }
    for (int k = 0; k < 3; ++k) append_integer(missing ? 0.0 : value[k] / plan_.scale, false, out);
    append_integer(static_cast<double>(word), word > 32767.0f, out);
  }

  void append_sample(double value, std::size_t channel, std::string* out) const {
    const double scale = plan_.scaling.scale[channel], offset = plan_.scaling.offset[channel];
    double raw = scale == 0.0 ? offset : value / scale;
    if (scale != 0.0 && offset != 0.0) raw += offset;  // adding zero would lose the sign of -0
    if (std::isnan(scale)) raw = 0.0;  // the source's scale is none; nothing of the samples is left
    if (!plan_.floats) return append_integer(raw, plan_.scaling.is_unsigned, out);
    // Adding the offset rounds: the neighbour may be the one that was read.
    auto stored = static_cast<float>(raw);
    if (offset != 0.0 && std::isfinite(stored)) {
      for (const float other :
           {std::nextafter(stored, -INFINITY), std::nextafter(stored, INFINITY)}) {
        if ((static_cast<double>(stored) - offset) * scale == value) break;
        if ((static_cast<double>(other) - offset) * scale == value) stored = other;
      }
    }
    if (std::isfinite(raw) || std::isnan(raw)) return append_real(static_cast<double>(stored), out);
    plan_.refuse(fmt::format("channel {} holds {}, which is too large for a 32-bit float",
                             quote(trial_.analog.columns[channel].name), value));
  }

  void append_real(double value, std::string* out) const {
    const auto stored = static_cast<float>(value);
    if (std::isfinite(value) && !std::isfinite(stored)) {
      plan_.refuse(fmt::format("{} is too large for a 32-bit float", value));
    }
    if (!append_float(plan_.order, stored, out)) {
      plan_.refuse(
          fmt::format("{} is no number that a DEC file can hold; write Intel numbers", value));
    }
  }

  void append_integer(double steps, bool is_unsigned, std::string* out) const {
    const double whole = std::round(steps);
    const double low = is_unsigned ? 0.0 : -32768.0, high = is_unsigned ? 65535.0 : 32767.0;
    // Positions come back from 32-bit floats: 32,767 steps are off by 0.002 at most.
    if (!(std::abs(steps - whole) < 0.01) || whole < low || whole > high) {
      plan_.refuse(fmt::format(
          "{} steps are no whole number from {} to {}: the file had 16-bit integers, and what was "
          "changed does not fit them; write floats",
          steps, low, high));
    }
    append_int16(plan_.order, static_cast<int>(whole), out);
  }

  const MotionTrial& trial_;
  const C3dPlan& plan_;
};

// `flush` may take what is there and empty the text.
std::vector<std::string> write_c3d_bytes(const MotionTrial& trial, const std::string& name,
                                         const C3dSaveOptions& options, std::string* out,
                                         const std::function<void()>& flush) {
  bool keeps_header_events = true;
  C3dPlan plan = make_plan(trial, name, options, &keeps_header_events);
  const auto encode_section = [&] { return plan.parameters.encode(plan.order, name); };
  std::string section = encode_section();
  const std::size_t data_block = 2 + section.size() / kBlockBytes;
  if (data_block > static_cast<std::size_t>(kLargestWord))
    plan.refuse("the parameters take more than 32 MB");
  if (plan.parameters.find("POINT", "DATA_START") != nullptr || trial.c3d == nullptr) {
    const auto stated = plan.parameters.find_number("POINT", "DATA_START");
    if (stated || trial.c3d == nullptr) {
      plan.parameters.set_number("POINT", "DATA_START", 2, static_cast<double>(data_block));
    }
    section = encode_section();
  }
  // A new entry may have made it longer by a block; the second time its length stands.
  const std::size_t final_block = 2 + section.size() / kBlockBytes;
  if (final_block != data_block) {
    plan.parameters.set_number("POINT", "DATA_START", 2, static_cast<double>(final_block));
    section = encode_section();
  }
  const std::string head =
      encode_header(plan, trial.c3d.get(), keeps_header_events, final_block) + section;
  *out += head;
  const FrameEncoder frames(trial, plan);
  const std::size_t frame_bytes =
      (4 * plan.points + plan.channels * plan.samples) * (plan.floats ? 4 : 2);
  for (std::size_t f = 0; f < static_cast<std::size_t>(plan.frames); ++f) {
    frames.append(f, out);
    flush();
  }
  const std::size_t bytes = frame_bytes * static_cast<std::size_t>(plan.frames);
  *out += std::string((kBlockBytes - bytes % kBlockBytes) % kBlockBytes, '\0');
  return plan.notes;
}

}  // namespace

std::vector<std::string> save_c3d(const std::string& path, const MotionTrial& trial,
                                  const C3dSaveOptions& options) {
  FileWriter file(path);
  const std::vector<std::string> notes =
      write_c3d_bytes(trial, path, options, &file.text(), [&] { file.flush_if_large(); });
  file.commit();
  return notes;
}

std::string encode_c3d(const MotionTrial& trial, const std::string& name,
                       const C3dSaveOptions& options, std::vector<std::string>* notes) {
  std::string bytes;
  std::vector<std::string> said = write_c3d_bytes(trial, name, options, &bytes, [] {});
  if (notes != nullptr) *notes = std::move(said);
  return bytes;
}

}  // namespace vesica
