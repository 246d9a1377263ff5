#include "vesica/io/trc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unordered_set>

#include "vesica/error.h"
#include "vesica/io/file_writer.h"
#include "vesica/io/motion_checks.h"
#include "vesica/io/motion_clock.h"
#include "vesica/io/text_input.h"

namespace vesica {

namespace {

constexpr const char* kKeys[] = {"DataRate", "CameraRate",   "NumFrames",          "NumMarkers",
                                 "Units",    "OrigDataRate", "OrigDataStartFrame", "OrigNumFrames"};

bool next_line_with_text(LineReader& reader, std::string_view* line) {
  while (reader.next(line)) {
    if (!trim(*line).empty()) return true;
  }
  return false;
}

struct HeaderCounts {
  std::int64_t markers = -1;
};

HeaderCounts read_keys_and_values(LineReader& reader, TrcHeader* header) {
  std::string_view line;
  if (!next_line_with_text(reader, &line)) {
    reader.fail(
        "the file ends before the header keys; expected 'DataRate CameraRate ...' on line 2");
  }
  std::vector<std::string_view> fields;
  split_at_whitespace(line, &fields);
  const std::vector<std::string> keys(fields.begin(), fields.end());
  if (std::find(keys.begin(), keys.end(), "DataRate") == keys.end()) {
    reader.fail(
        "expected the header keys 'DataRate CameraRate NumFrames NumMarkers Units ...', found " +
        quote(trim(line)));
  }
  if (!next_line_with_text(reader, &line)) {
    reader.fail("the file ends before the header values, expected after the line of keys");
  }
  split_at_whitespace(line, &fields);
  HeaderCounts counts;
  for (std::size_t i = 0; i < keys.size() && i < fields.size(); ++i) {
    const auto number = [&]() {
      const std::optional<double> value = parse_number(fields[i]);
      if (!value || *value < 0.0) {
        reader.fail(keys[i] + " is " + quote(fields[i]) + "; expected a number of zero or more");
      }
      return *value;
    };
    const auto count = [&]() {
      const double value = number();
      if (value > 1e12 || value != std::floor(value)) {
        reader.fail(keys[i] + " is " + quote(fields[i]) + "; expected a whole number");
      }
      return static_cast<std::int64_t>(value);
    };
    if (keys[i] == "DataRate") header->rate = number();
    if (keys[i] == "CameraRate") header->camera_rate = number();
    if (keys[i] == "NumFrames") header->frames_stated = count();
    if (keys[i] == "NumMarkers") counts.markers = count();
    if (keys[i] == "Units") header->unit = std::string(fields[i]);
  }
  if (!(header->rate > 0.0 && header->rate <= 1e6)) {
    reader.fail(fmt::format("DataRate is {}; expected frames per second above zero", header->rate));
  }
  const std::optional<double> units = find_units_per_metre(header->unit);
  if (!units) {
    reader.fail("Units is " + quote(header->unit) + "; expected mm, cm, m, in or ft");
  }
  header->units_per_metre = *units;
  return counts;
}

void read_marker_labels(LineReader& reader, const HeaderCounts& counts, TrcHeader* header) {
  std::string_view line;
  if (!next_line_with_text(reader, &line)) {
    reader.fail("the file ends before the marker labels, expected as 'Frame# Time label ...'");
  }
  std::vector<std::string_view> fields;
  split_columns(line, &fields);
  std::erase_if(fields, [](std::string_view f) { return f.empty(); });
  if (fields.size() < 2 || !starts_with_ignoring_case(fields[0], "Frame") ||
      !starts_with_ignoring_case(fields[1], "Time")) {
    reader.fail("expected the column labels 'Frame# Time label ...', found " + quote(trim(line)));
  }
  header->labels.assign(fields.begin() + 2, fields.end());
  if (header->labels.empty()) reader.fail("there are no marker labels after 'Frame# Time'");
  if (counts.markers >= 0 && counts.markers != static_cast<std::int64_t>(header->labels.size())) {
    header->warnings.push_back(
        fmt::format("NumMarkers says {}, but there are {} labels; the labels hold", counts.markers,
                    header->labels.size()));
  }
  make_labels_unique(&header->labels, &header->warnings);
}

bool is_axis_line(const std::vector<std::string_view>& fields) {
  for (std::string_view field : fields) {
    if (!field.empty()) return field[0] == 'X' || field[0] == 'x';
  }
  return false;
}

// One data row into `positions`.
class TrcRowParser {
 public:
  TrcRowParser(const LineReader& reader, const TrcHeader& header)
      : reader_(reader),
        units_per_metre_(header.units_per_metre),
        positions_(header.labels.size()) {}

  TrcFrame parse(std::string_view line) {
    split_columns(line, &fields_);
    const std::size_t expected = 2 + 3 * positions_.size();
    while (fields_.size() > expected && fields_.back().empty()) fields_.pop_back();
    // Some programs drop the tabs of missing markers at the end of a row.
    const bool drops_missing = fields_.size() % 3 == 2 && fields_.size() >= 5 && reader_.ended();
    if (fields_.size() != expected && !(fields_.size() < expected && drops_missing)) {
      reader_.fail(
          fmt::format("the row has {} columns; expected {} (frame, time, 3 for each of {} "
                      "markers){}",
                      fields_.size(), expected, positions_.size(),
                      reader_.ended() ? "" : "; the file ends within this line: truncated?"));
    }
    if (!reader_.ended() && fields_.back().empty() && !fields_[fields_.size() - 2].empty()) {
      reader_.fail("the file ends within this line, before its last coordinate: truncated?");
    }
    TrcFrame frame;
    const std::optional<long long> number = parse_integer(fields_[0]);
    if (!number) reader_.fail("expected a frame number, found " + quote(fields_[0]));
    frame.number = *number;
    const std::optional<double> time = parse_number(fields_[1]);
    if (!time) {
      reader_.fail("expected a time in seconds, found " + quote(fields_[1]) +
                   hint_at_comma(fields_[1]));
    }
    frame.time = *time;
    for (std::size_t m = 0; m < positions_.size(); ++m) positions_[m] = parse_position(2 + 3 * m);
    frame.positions = positions_;
    return frame;
  }

 private:
  Vec3d parse_position(std::size_t first) const {
    if (first + 2 >= fields_.size()) return Vec3d::Constant(kMissing);
    Vec3d p;
    int missing = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string_view field = fields_[first + k];
      const std::optional<double> value = parse_number(field);
      if (value) {
        p[static_cast<int>(k)] = *value / units_per_metre_;
        continue;
      }
      if (!field.empty() && !is_nan_text(field)) {
        reader_.fail(fmt::format("column {}: expected a coordinate, found {}{}", first + k + 1,
                                 quote(field), hint_at_comma(field)));
      }
      ++missing;
    }
    // A marker with one coordinate missing is not a position.
    return missing > 0 ? Vec3d(Vec3d::Constant(kMissing)) : p;
  }

  const LineReader& reader_;
  double units_per_metre_;
  std::vector<Vec3d> positions_;
  std::vector<std::string_view> fields_;
};

}  // namespace

std::vector<std::string> stream_trc(std::istream& stream, const std::string& name,
                                    const TrcSink& sink) {
  LineReader reader(stream, name);
  std::string_view line;
  if (!next_line_with_text(reader, &line)) {
    throw InputError(name +
                     ":1: the file is empty; expected a TRC that begins with 'PathFileType'");
  }
  if (!starts_with_ignoring_case(trim(line), "PathFileType")) {
    reader.fail("expected 'PathFileType', with which every TRC begins, found " + quote(trim(line)));
  }
  TrcHeader header;
  const HeaderCounts counts = read_keys_and_values(reader, &header);
  read_marker_labels(reader, counts, &header);
  if (sink.header) sink.header(header);

  TrcRowParser parser(reader, header);
  std::vector<std::string_view> fields;
  std::int64_t frames = 0;
  double last_time = 0.0;
  bool axis_line_possible = true;
  while (next_line_with_text(reader, &line)) {
    if (std::exchange(axis_line_possible, false)) {
      split_columns(line, &fields);
      if (is_axis_line(fields)) continue;
    }
    const TrcFrame frame = parser.parse(line);
    if (frames > 0 && !(frame.time > last_time)) {
      reader.fail(
          fmt::format("time {} does not come after {} of the row before", frame.time, last_time));
    }
    last_time = frame.time;
    ++frames;
    if (sink.frame) sink.frame(frame);
  }
  if (frames < header.frames_stated) {
    reader.fail(
        fmt::format("the file ends after {} frames, but NumFrames says {}: truncated? If it "
                    "is complete, correct NumFrames on line 3",
                    frames, header.frames_stated));
  }
  if (frames == 0) reader.fail("there are no frames after the header");
  std::vector<std::string> warnings;
  if (header.frames_stated >= 0 && frames > header.frames_stated) {
    warnings.push_back(fmt::format("NumFrames says {}, but there are {} frames; all were read",
                                   header.frames_stated, frames));
  }
  return warnings;
}

MotionTrial read_trc(std::istream& stream, const std::string& name) {
  const RowForecast forecast(stream);
  MotionTrial trial;
  trial.file = name;
  trial.format = "TRC";
  MarkerTracks& markers = trial.markers;
  TrcSink sink;
  sink.header = [&](const TrcHeader& header) {
    markers.labels = header.labels;
    markers.rate = header.rate;
    markers.unit_in_file = header.unit;
    trial.warnings = header.warnings;
  };
  sink.frame = [&](const TrcFrame& frame) {
    if (markers.times.empty()) markers.first_frame = frame.number;
    forecast.make_room(1, &markers.times);
    forecast.make_room(markers.markers(), &markers.positions);
    markers.times.push_back(frame.time);
    markers.positions.insert(markers.positions.end(), frame.positions.begin(),
                             frame.positions.end());
  };
  const std::vector<std::string> warnings = stream_trc(stream, name, sink);
  trial.warnings.insert(trial.warnings.end(), warnings.begin(), warnings.end());
  markers.rate = find_true_rate(markers.times, markers.rate, "DataRate", &trial.warnings);
  check_marker_scale(markers, name);
  const std::string up = find_up_axis(markers);
  trial.axes = up.empty() ? "not stated; the data do not tell which is up"
                          : "not stated; the data suggest that " + up + " is up";
  if (!up.empty() && up != "+y") {
    trial.warnings.push_back("the data suggest that " + up +
                             " is up; OpenSim expects +y, as TRC files usually have");
  }
  return trial;
}

MotionTrial load_trc(const std::string& path) {
  std::ifstream stream = open_input(path);
  return read_trc(stream, path);
}

namespace {

void check_writable(const std::string& path, const MarkerTracks& markers) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(path + ": not written: " + why);
  };
  if (markers.frames() == 0 || markers.markers() == 0) refuse("there are no marker frames");
  if (markers.positions.size() != markers.frames() * markers.markers()) {
    refuse("the number of positions is not frames times markers");
  }
  if (!(markers.rate > 0.0)) refuse("the frame rate is not above zero");
  std::unordered_set<std::string> seen;
  for (const std::string& label : markers.labels) {
    if (trim(label).empty() || label.find_first_of("\t\r\n") != std::string::npos) {
      refuse("the marker label " + quote(label) + " is empty or has a tab or line end in it");
    }
    if (!seen.insert(label).second) refuse("two markers are called " + quote(label));
  }
  for (std::size_t f = 1; f < markers.frames(); ++f) {
    if (!(markers.times[f] > markers.times[f - 1])) {
      refuse(fmt::format("time {} of frame {} does not come after {}", markers.times[f], f + 1,
                         markers.times[f - 1]));
    }
  }
}

// The position in file units with `digits` significant digits, or with the few more that it takes
// to read back as the same position when the source carried all of a double's.
void append_length(double metres, double units_per_metre, int digits, std::string* out) {
  const double value = metres * units_per_metre;
  const std::size_t start = out->size();
  append_number(value, digits, out);
  for (int more = digits + 1; digits >= 15 && more <= 17; ++more) {
    const std::optional<double> printed = parse_number(std::string_view(*out).substr(start));
    if (!printed || *printed / units_per_metre == metres) return;
    out->resize(start);
    append_number(value, more, out);
  }
}

}  // namespace

void save_trc(const std::string& path, const MarkerTracks& markers) {
  check_writable(path, markers);
  const std::string unit = find_units_per_metre(markers.unit_in_file) ? markers.unit_in_file : "mm";
  const double units_per_metre = *find_units_per_metre(unit);
  const std::size_t count = markers.markers();

  FileWriter file(path);
  std::string& out = file.text();
  out += "PathFileType\t4\t(X/Y/Z)\t" + std::filesystem::path(path).filename().string() + "\n";
  for (const char* key : kKeys) out += std::string(key == kKeys[0] ? "" : "\t") + key;
  std::string rate;
  append_number(markers.rate, &rate);
  out += fmt::format("\n{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", rate, rate, markers.frames(), count,
                     unit, rate, markers.first_frame, markers.frames());
  out += "Frame#\tTime";
  for (const std::string& label : markers.labels) out += "\t" + label + "\t\t";
  out += "\n\t";
  for (std::size_t m = 1; m <= count; ++m) out += fmt::format("\tX{}\tY{}\tZ{}", m, m, m);
  out += "\n\n";
  for (std::size_t f = 0; f < markers.frames(); ++f) {
    out += std::to_string(markers.first_frame + static_cast<std::int64_t>(f)) + "\t";
    append_number(markers.times[f], &out);
    for (std::size_t m = 0; m < count; ++m) {
      for (int k = 0; k < 3; ++k) {
        out += '\t';
        append_length(markers.at(f, m)[k], units_per_metre, markers.digits, &out);
      }
    }
    out += '\n';
    file.flush_if_large();
  }
  file.commit();
}

}  // namespace vesica
