#include "vesica/io/sto.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <unordered_set>

#include "vesica/error.h"
#include "vesica/io/file_writer.h"
#include "vesica/io/motion_checks.h"
#include "vesica/io/text_input.h"

namespace vesica {

namespace {

struct StoHeader {
  TimeTable table;
  long long rows_stated = -1, columns_stated = -1;
  std::optional<double> range_low, range_high;
  std::size_t components = 1;  // numbers per cell, by DataType
  std::vector<std::string> warnings;
};

std::size_t count_components(LineReader& reader, std::string_view type) {
  if (type == "double") return 1;
  if (type == "Quaternion") return 4;
  if (type == "UnitVec3") return 3;
  if (type == "SpatialVec") return 6;
  if (type.substr(0, 3) == "Vec") {
    const std::optional<long long> n = parse_integer(type.substr(3));
    if (n && *n >= 1 && *n <= 12) return static_cast<std::size_t>(*n);
  }
  reader.fail("DataType is " + quote(type) +
              "; expected double, Vec2 to Vec12, UnitVec3, Quaternion or SpatialVec");
}

long long parse_count(LineReader& reader, std::string_view key, std::string_view value) {
  const std::optional<long long> count = parse_integer(value);
  if (!count || *count < 0) {
    reader.fail(
        fmt::format("{} is {}; expected a whole number of zero or more", key, quote(value)));
  }
  return *count;
}

void read_entry(LineReader& reader, std::string_view key, std::string_view value,
                StoHeader* header) {
  const std::string lower = as_lower(key);
  if (lower == "nrows" || lower == "datarows") {
    header->rows_stated = parse_count(reader, key, value);
  } else if (lower == "ncolumns" || lower == "datacolumns") {
    header->columns_stated = parse_count(reader, key, value);
  } else if (lower == "indegrees") {
    const std::string answer = as_lower(value);
    if (answer != "yes" && answer != "no" && answer != "true" && answer != "false") {
      reader.fail("inDegrees is " + quote(value) + "; expected yes or no");
    }
    header->table.in_degrees = answer == "yes" || answer == "true";
  } else if (lower == "name") {
    header->table.name = std::string(value);
  } else if (lower == "datatype") {
    header->components = count_components(reader, value);
  } else if (lower == "range") {
    std::vector<std::string_view> ends;
    split_at_whitespace(value, &ends);
    if (ends.size() == 2) {
      header->range_low = parse_number(ends[0]);
      header->range_high = parse_number(ends[1]);
    }
    if (!header->range_low || !header->range_high) {
      reader.fail("range is " + quote(value) + "; expected two times");
    }
  } else if (lower != "version") {
    header->table.header.emplace_back(key, value);
  }
}

bool is_simm_key(std::string_view word) {
  const std::string lower = as_lower(word);
  for (const char* key : {"name", "datacolumns", "datarows", "range", "otherdata", "units"}) {
    if (lower == key) return true;
  }
  return false;
}

void read_sto_header(LineReader& reader, StoHeader* header) {
  std::string_view line;
  bool first = true;
  constexpr std::size_t kMaxHeaderLines = 10000;
  while (reader.next(&line)) {
    line = trim(line);
    if (starts_with_ignoring_case(line, "endheader") && line.size() == 9) return;
    if (reader.line_number() > kMaxHeaderLines) break;
    if (line.empty() || line[0] == '#') continue;
    const std::size_t equals = line.find('=');
    const std::size_t blank = line.find_first_of(" \t");
    if (equals != std::string_view::npos) {
      read_entry(reader, trim(line.substr(0, equals)), trim(line.substr(equals + 1)), header);
    } else if (blank != std::string_view::npos && is_simm_key(line.substr(0, blank))) {
      read_entry(reader, line.substr(0, blank), trim(line.substr(blank)), header);
    } else if (first) {
      header->table.name = std::string(line);
    }
    // Any other line of the header is prose, which OpenSim ignores too.
    first = false;
  }
  if (reader.line_number() == 0) {
    throw InputError(reader.name() + ":1: the file is empty; expected a MOT or STO");
  }
  reader.fail(
      "no 'endheader' line found; expected a MOT or STO header of 'key=value' lines that ends "
      "with it");
}

// Whether the first column is the time.
bool read_column_labels(LineReader& reader, StoHeader* header) {
  std::string_view line;
  do {
    if (!reader.next(&line)) reader.fail("the file ends before the column labels");
  } while (trim(line).empty() || trim(line)[0] == '#');
  std::vector<std::string_view> fields;
  split_columns(line, &fields);
  while (!fields.empty() && fields.back().empty()) fields.pop_back();
  if (header->columns_stated >= 0 &&
      header->columns_stated != static_cast<long long>(fields.size())) {
    header->warnings.push_back(
        fmt::format("the header says {} columns, but there are {} labels; the labels hold",
                    header->columns_stated, fields.size()));
  }
  const bool has_time = as_lower(fields[0]) == "time" || as_lower(fields[0]) == "t";
  if (!has_time && !header->range_low) {
    reader.fail("the first column is " + quote(fields[0]) +
                "; expected 'time', or a 'range' in the header of a SIMM motion");
  }
  std::vector<std::string> labels(fields.begin() + (has_time ? 1 : 0), fields.end());
  if (labels.empty()) reader.fail("there are no columns beside the time");
  make_labels_unique(&labels, &header->warnings);
  for (const std::string& label : labels) {
    if (header->components == 1) header->table.columns.push_back({label, {}});
    for (std::size_t c = 1; header->components > 1 && c <= header->components; ++c) {
      header->table.columns.push_back({label + "_" + std::to_string(c), {}});
    }
  }
  return has_time;
}

class StoRowParser {
 public:
  StoRowParser(const LineReader& reader, const StoHeader& header, bool has_time)
      : reader_(reader),
        components_(header.components),
        cells_(header.table.columns.size() / header.components),
        has_time_(has_time),
        values_(header.table.columns.size()) {}

  void parse(std::string_view line) {
    split_columns(line, &fields_);
    const std::size_t expected = cells_ + (has_time_ ? 1 : 0);
    while (fields_.size() > expected && fields_.back().empty()) fields_.pop_back();
    if (fields_.size() != expected) {
      reader_.fail(fmt::format(
          "the row has {} columns; expected {} as there are labels{}", fields_.size(), expected,
          reader_.ended() ? "" : "; the file ends within this line: truncated?"));
    }
    std::size_t next = 0;
    if (has_time_) {
      const std::optional<double> time = parse_number(fields_[next++]);
      if (!time) {
        reader_.fail("expected a time in seconds, found " + quote(fields_[0]) +
                     hint_at_comma(fields_[0]));
      }
      time_ = *time;
    }
    for (std::size_t i = 0; i < cells_; ++i, ++next) {
      if (components_ == 1) {
        values_[i] = parse_cell(fields_[next], next);
      } else {
        split_at(fields_[next], ',', &parts_);
        if (parts_.size() != components_) {
          reader_.fail(fmt::format("column {}: {} has {} components; expected {} by the DataType",
                                   next + 1, quote(fields_[next]), parts_.size(), components_));
        }
        for (std::size_t c = 0; c < components_; ++c) {
          values_[i * components_ + c] = parse_cell(parts_[c], next);
        }
      }
    }
  }
  double time() const { return time_; }
  const std::vector<double>& values() const { return values_; }

 private:
  double parse_cell(std::string_view cell, std::size_t column) const {
    if (const std::optional<double> value = parse_number(cell)) return *value;
    if (cell.empty() || is_nan_text(cell)) return kMissing;
    reader_.fail(fmt::format("column {}: expected a number, found {}{}", column + 1, quote(cell),
                             hint_at_comma(cell)));
  }

  const LineReader& reader_;
  std::size_t components_, cells_;
  bool has_time_;
  double time_ = 0.0;
  std::vector<double> values_;
  std::vector<std::string_view> fields_, parts_;
};

}  // namespace

std::vector<std::string> stream_sto(std::istream& stream, const std::string& name,
                                    const TableSink& sink) {
  LineReader reader(stream, name);
  StoHeader header;
  read_sto_header(reader, &header);
  const bool has_time = read_column_labels(reader, &header);
  if (sink.header) sink.header(header.table);

  StoRowParser parser(reader, header, has_time);
  std::string_view line;
  long long rows = 0;
  double last_time = 0.0;
  // Without a time column the rows divide the header's range evenly.
  const double step =
      header.rows_stated > 1 && !has_time
          ? (*header.range_high - *header.range_low) / static_cast<double>(header.rows_stated - 1)
          : 0.0;
  while (reader.next(&line)) {
    if (trim(line).empty()) continue;
    parser.parse(line);
    const double time =
        has_time ? parser.time() : *header.range_low + step * static_cast<double>(rows);
    if (rows > 0 && time < last_time) {
      reader.fail(fmt::format("time {} comes before {} of the row before", time, last_time));
    }
    if (!std::isfinite(time)) reader.fail("the header's range gives times that are not finite");
    last_time = time;
    ++rows;
    if (sink.row) sink.row(time, parser.values());
  }
  if (rows < header.rows_stated) {
    reader.fail(
        fmt::format("the file ends after {} rows, but the header says {}: truncated? If it is "
                    "complete, correct nRows (datarows)",
                    rows, header.rows_stated));
  }
  if (rows == 0) reader.fail("there are no rows after the column labels");
  if (header.rows_stated >= 0 && rows > header.rows_stated) {
    header.warnings.push_back(fmt::format(
        "the header says {} rows, but there are {}; all were read", header.rows_stated, rows));
  }
  return header.warnings;
}

MotionTrial read_sto(std::istream& stream, const std::string& name) {
  const RowForecast forecast(stream);
  MotionTrial trial;
  trial.file = name;
  const std::string extension = as_lower(std::filesystem::path(name).extension().string());
  trial.format = extension == ".sto" ? "STO" : "MOT";
  TableSink sink;
  sink.header = [&](const TimeTable& table) { trial.analog = table; };
  sink.row = [&](double time, std::span<const double> values) {
    forecast.make_room(1, &trial.analog.times);
    forecast.make_room(values.size(), &trial.analog.values);
    trial.analog.times.push_back(time);
    trial.analog.values.insert(trial.analog.values.end(), values.begin(), values.end());
  };
  trial.warnings = stream_sto(stream, name, sink);
  return trial;
}

MotionTrial load_sto(const std::string& path) {
  std::ifstream stream = open_input(path);
  return read_sto(stream, path);
}

namespace {

void write_sto(const std::string& path, const TimeTable& table, StoVersion version,
               const std::function<const double*(std::size_t)>& row_of) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(path + ": not written: " + why);
  };
  if (table.rows() == 0 || table.columns.empty()) refuse("the table is empty");
  std::unordered_set<std::string> seen = {"time"};
  for (const TimeTable::Column& column : table.columns) {
    if (trim(column.name).empty() || column.name.find_first_of("\t\r\n") != std::string::npos) {
      refuse("the column name " + quote(column.name) + " is empty or has a tab or line end in it");
    }
    if (!seen.insert(column.name).second) refuse("two columns are called " + quote(column.name));
  }
  for (std::size_t r = 1; r < table.rows(); ++r) {
    if (!(table.times[r] > table.times[r - 1])) {
      refuse(fmt::format("time {} of row {} does not come after {}; OpenSim demands it",
                         table.times[r], r + 1, table.times[r - 1]));
    }
  }

  FileWriter file(path);
  std::string& out = file.text();
  std::string name = table.name.empty() ? std::filesystem::path(path).stem().string() : table.name;
  for (char& c : name) {
    if (c == '\n' || c == '\r' || c == '=') c = ' ';
  }
  out += fmt::format("{}\nversion={}\n", name, static_cast<int>(version));
  if (version == StoVersion::kThree) out += "DataType=double\n";
  out += fmt::format("nRows={}\nnColumns={}\ninDegrees={}\n", table.rows(),
                     table.columns.size() + 1, table.in_degrees ? "yes" : "no");
  for (const auto& [key, value] : table.header) {
    if ((key + value).find_first_of("\r\n") == std::string::npos) out += key + "=" + value + "\n";
  }
  out += "endheader\ntime";
  for (const TimeTable::Column& column : table.columns) out += "\t" + column.name;
  out += '\n';
  for (std::size_t r = 0; r < table.rows(); ++r) {
    append_number(table.times[r], &out);
    const double* values = row_of(r);
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      out += '\t';
      append_number(values[c], &out);
    }
    out += '\n';
    file.flush_if_large();
  }
  file.commit();
}

}  // namespace

void save_sto(const std::string& path, const TimeTable& table, StoVersion version) {
  if (table.values.size() != table.rows() * table.columns.size()) {
    throw InputError(path + ": not written: the number of values is not rows times columns");
  }
  write_sto(path, table, version,
            [&](std::size_t r) { return table.values.data() + r * table.columns.size(); });
}

void save_sto(const std::string& path, const TableRows& rows, StoVersion version) {
  std::vector<double> values(rows.head.columns.size());
  write_sto(path, rows.head, version, [&](std::size_t r) {
    rows.fill(r, values.data());
    return values.data();
  });
}

}  // namespace vesica
