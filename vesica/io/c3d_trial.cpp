// A whole C3D file as a MotionTrial, on top of the streaming reader.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>

#include "vesica/error.h"
#include "vesica/io/c3d.h"
#include "vesica/io/motion_checks.h"
#include "vesica/io/text_input.h"

namespace vesica {

namespace {

// Vicon and others store what they computed as points too, and list the names by kind.
struct ComputedKind {
  const char* list;   // parameter of POINT with the names
  const char* units;  // parameter of POINT with the unit
};
constexpr ComputedKind kComputedKinds[] = {{"ANGLES", "ANGLE_UNITS"},
                                           {"FORCES", "FORCE_UNITS"},
                                           {"MOMENTS", "MOMENT_UNITS"},
                                           {"POWERS", "POWER_UNITS"},
                                           {"SCALARS", "SCALAR_UNITS"}};

std::unordered_map<std::string, std::string> find_computed_points(const C3dParameters& parameters) {
  std::unordered_map<std::string, std::string> unit_of;
  for (const ComputedKind& kind : kComputedKinds) {
    const std::string unit = parameters.find_text("POINT", kind.units);
    for (const std::string& label : parameters.find_texts("POINT", kind.list)) {
      if (!label.empty()) unit_of.emplace(label, unit);
    }
  }
  return unit_of;
}

std::vector<std::pair<std::string, std::string>> read_metadata(const C3dHeader& header) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const C3dParameter& parameter : header.parameters.all()) {
    const bool is_elsewhere = parameter.group == "POINT" || parameter.group == "ANALOG" ||
                              parameter.group == "EVENT" || parameter.group == "EVENT_CONTEXT" ||
                              parameter.group == "FORCE_PLATFORM";
    if (is_elsewhere || parameter.numbers.size() + parameter.texts.size() > 8) continue;
    std::string value;
    for (const std::string& text : parameter.texts) value += (value.empty() ? "" : " ") + text;
    for (double number : parameter.numbers) {
      value += value.empty() ? "" : " ";
      append_number(number, 7, &value);
    }
    if (!value.empty()) result.emplace_back(parameter.group + ":" + parameter.name, value);
  }
  return result;
}

}  // namespace

namespace detail {

std::vector<MotionEvent> read_c3d_events(const C3dHeader& header) {
  const C3dParameters& parameters = header.parameters;
  const std::vector<double> times = parameters.find_numbers("EVENT", "TIMES");
  const std::vector<std::string> labels = parameters.find_texts("EVENT", "LABELS");
  const std::vector<std::string> contexts = parameters.find_texts("EVENT", "CONTEXTS");
  const std::vector<std::string> subjects = parameters.find_texts("EVENT", "SUBJECTS");
  const std::vector<std::string> descriptions = parameters.find_texts("EVENT", "DESCRIPTIONS");
  const auto text = [](const std::vector<std::string>& from, std::size_t i) {
    return i < from.size() ? from[i] : std::string();
  };
  std::size_t used = times.size() / 2;
  if (const auto stated = parameters.find_number("EVENT", "USED")) {
    used = std::min(used, static_cast<std::size_t>(C3dParameter::as_count(*stated)));
  }
  std::vector<MotionEvent> events;
  for (std::size_t i = 0; i < used; ++i) {
    const double time = 60.0 * times[2 * i] + times[2 * i + 1];  // minutes and seconds
    if (!std::isfinite(time)) continue;
    events.push_back(
        {time, text(labels, i), text(contexts, i), text(subjects, i), text(descriptions, i)});
  }
  if (events.empty()) events = header.header_events;
  std::stable_sort(events.begin(), events.end(),
                   [](const MotionEvent& a, const MotionEvent& b) { return a.time < b.time; });
  return events;
}

C3dPointLabels make_point_labels(const C3dHeader& header, std::vector<std::string>* warnings) {
  C3dPointLabels result;
  result.labels = header.parameters.find_texts("POINT", "LABELS");
  if (result.labels.size() < header.points) {
    warnings->push_back(fmt::format("there are {} points but {} labels; the rest is unnamed",
                                    header.points, result.labels.size()));
  }
  result.labels.resize(header.points);
  make_labels_unique(&result.labels, warnings);
  const auto computed = find_computed_points(header.parameters);
  for (const std::string& label : result.labels) {
    const auto found = computed.find(label);
    result.is_computed.push_back(found != computed.end());
    if (found != computed.end()) result.units.push_back(found->second);
  }
  return result;
}

std::vector<std::string> make_channel_labels(const C3dHeader& header,
                                             std::vector<std::string>* warnings) {
  std::vector<std::string> labels = header.parameters.find_texts("ANALOG", "LABELS");
  labels.resize(header.channels);
  make_labels_unique(&labels, warnings);
  return labels;
}

}  // namespace detail

namespace {

// Collects the stream into a trial.
class Collector {
 public:
  explicit Collector(const std::string& name) { trial_.file = name; }

  void take_header(const C3dHeader& header) {
    header_ = header;
    trial_.c3d = std::make_shared<const C3dHeader>(header);
    const C3dParameters& parameters = header.parameters;
    trial_.format = "C3D";
    trial_.warnings = header.warnings;
    trial_.metadata = read_metadata(header);
    trial_.events = detail::read_c3d_events(header);

    MarkerTracks& markers = trial_.markers;
    markers.unit_in_file = parameters.find_text("POINT", "UNITS");
    if (markers.unit_in_file.empty() && header.points > 0) {
      trial_.warnings.push_back("POINT:UNITS is absent; taken as mm");
      markers.unit_in_file = "mm";
    }
    const auto units = find_units_per_metre(markers.unit_in_file);
    if (!units && header.points > 0) {
      throw InputError(fmt::format("{}: POINT:UNITS is {}; expected mm, cm, m, in or ft",
                                   trial_.file, quote(markers.unit_in_file)));
    }
    units_per_metre_ = units.value_or(1000.0);
    markers.rate = header.rate;
    markers.first_frame = header.first_frame;
    markers.digits = 9;  // what a 32 bit float needs to come back exactly

    const detail::C3dPointLabels points = detail::make_point_labels(header, &trial_.warnings);
    is_computed_ = points.is_computed;
    std::size_t next_computed = 0;
    for (std::size_t i = 0; i < points.labels.size(); ++i) {
      if (!is_computed_[i]) {
        markers.labels.push_back(points.labels[i]);
        continue;
      }
      const std::string& unit = points.units[next_computed++];
      for (const char* axis : {".x", ".y", ".z"}) {
        trial_.computed.columns.push_back({points.labels[i] + axis, unit});
      }
    }
    trial_.computed.name = "computed points";
    take_analog_header(parameters);
    reserve();
  }

  void take_chunk(const C3dChunk& chunk) {
    const C3dPoint* point = chunk.points.data();
    MarkerTracks& markers = trial_.markers;
    for (std::size_t f = 0; f < chunk.frames; ++f) {
      const double time = header_.time_of(chunk.first + static_cast<std::int64_t>(f));
      if (!markers.labels.empty()) markers.times.push_back(time);
      if (!trial_.computed.columns.empty()) trial_.computed.times.push_back(time);
      for (std::size_t p = 0; p < header_.points; ++p, ++point) {
        const bool missing = point->residual < 0.0f;
        Vec3d value =
            missing ? Vec3d(Vec3d::Constant(kMissing)) : Vec3d(point->x, point->y, point->z);
        if (is_computed_[p]) {
          trial_.computed.values.insert(trial_.computed.values.end(), value.data(),
                                        value.data() + 3);
          trial_.computed_words.push_back(point->word);
          continue;
        }
        markers.positions.push_back(value / units_per_metre_);
        markers.residuals.push_back(
            missing ? -1.0f : static_cast<float>(point->residual / units_per_metre_));
        markers.words.push_back(point->word);
      }
    }
    TimeTable& analog = trial_.analog;
    analog.values.insert(analog.values.end(), chunk.analog.begin(), chunk.analog.end());
    if (header_.channels == 0) return;
    const double rate = header_.analog_rate();
    for (std::size_t s = 0; s < chunk.frames * header_.samples; ++s) {
      const std::int64_t sample =
          (header_.first_frame - 1 + chunk.first) * static_cast<std::int64_t>(header_.samples) +
          static_cast<std::int64_t>(s);
      analog.times.push_back(static_cast<double>(sample) / rate);
    }
  }

  MotionTrial finish() {
    check_analog();
    trial_.plates = detail::make_force_plates(header_, trial_.analog, units_per_metre_, trial_.file,
                                              &trial_.warnings);
    check_marker_scale(trial_.markers, trial_.file);
    describe_axes();
    return std::move(trial_);
  }

 private:
  void take_analog_header(const C3dParameters& parameters) {
    const std::vector<std::string> units = parameters.find_texts("ANALOG", "UNITS");
    const std::vector<std::string> labels = detail::make_channel_labels(header_, &trial_.warnings);
    trial_.analog.name = "analog";
    for (std::size_t c = 0; c < header_.channels; ++c) {
      trial_.analog.columns.push_back({labels[c], c < units.size() ? units[c] : std::string()});
    }
  }

  // The frame count was checked against the size of the file, so these follow its true size.
  void reserve() {
    const auto frames = static_cast<std::size_t>(header_.frames);
    trial_.markers.times.reserve(frames);
    trial_.markers.positions.reserve(frames * trial_.markers.markers());
    trial_.markers.residuals.reserve(frames * trial_.markers.markers());
    trial_.markers.words.reserve(frames * trial_.markers.markers());
    trial_.computed.values.reserve(frames * trial_.computed.columns.size());
    trial_.analog.times.reserve(frames * header_.samples);
    trial_.analog.values.reserve(frames * header_.samples * header_.channels);
  }

  void check_analog() {
    const TimeTable& analog = trial_.analog;
    std::size_t bad_channels = 0, bad_samples = 0;
    std::string first_bad;
    for (std::size_t c = 0; c < analog.columns.size(); ++c) {
      std::size_t bad = 0;
      for (std::size_t r = 0; r < analog.rows(); ++r) {
        if (std::isinf(analog.at(r, c))) {
          throw InputError(fmt::format("{}: byte {}: analog channel {} is infinite in sample {}",
                                       trial_.file, byte_of_sample(r, c),
                                       quote(analog.columns[c].name), r + 1));
        }
        bad += std::isnan(analog.at(r, c));
      }
      if (bad == 0) continue;
      if (bad_channels++ == 0) first_bad = analog.columns[c].name;
      bad_samples = std::max(bad_samples, bad);
    }
    if (bad_channels == 0) return;
    trial_.warnings.push_back(fmt::format(
        "{} of {} analog channels are not a number in up to {} of {} samples, {} first",
        bad_channels, analog.columns.size(), bad_samples, analog.rows(), quote(first_bad)));
  }

  std::uint64_t byte_of_sample(std::size_t sample, std::size_t channel) const {
    const std::uint64_t word = header_.stores_floats ? 4 : 2;
    const std::uint64_t frame_words = 4 * header_.points + header_.channels * header_.samples;
    const std::uint64_t frame = sample / header_.samples, within = sample % header_.samples;
    return header_.data_byte +
           word * (frame * frame_words + 4 * header_.points + within * header_.channels + channel);
  }

  void describe_axes() {
    const std::string across = header_.parameters.find_text("POINT", "X_SCREEN");
    const std::string up = header_.parameters.find_text("POINT", "Y_SCREEN");
    const std::string seen = find_up_axis(trial_.markers);
    trial_.up_stated = up;
    trial_.axes =
        up.empty() ? "not stated" : fmt::format("stated: {} to the right, {} up", across, up);
    trial_.axes += seen.empty() ? "; the data do not tell which is up"
                                : "; the data suggest that " + seen + " is up";
    // Y_SCREEN is what some display had up, which programs fill in carelessly: hence no error.
    if (!up.empty() && !seen.empty() && as_lower(up) != seen && as_lower("+" + up) != seen) {
      trial_.warnings.push_back(fmt::format(
          "the file says that {} is up (POINT:Y_SCREEN), but the data suggest {}", up, seen));
    }
  }

  MotionTrial trial_;
  C3dHeader header_;
  double units_per_metre_ = 1000.0;
  std::vector<char> is_computed_;
};

}  // namespace

MotionTrial read_c3d(std::istream& stream, const std::string& name) {
  Collector collector(name);
  C3dSink sink;
  sink.header = [&](const C3dHeader& header) { collector.take_header(header); };
  sink.chunk = [&](const C3dChunk& chunk) { collector.take_chunk(chunk); };
  stream_c3d(stream, name, sink);
  return collector.finish();
}

MotionTrial load_c3d(const std::string& path) {
  std::ifstream stream = open_input(path);
  return read_c3d(stream, path);
}

}  // namespace vesica
