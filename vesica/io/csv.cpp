#include "vesica/io/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <utility>

#include "vesica/io/file_error.h"
#include "vesica/io/file_writer.h"
#include "vesica/io/motion_checks.h"
#include "vesica/io/text_input.h"

namespace vesica {

namespace {

char find_delimiter(std::string_view line) {
  char best = ',';
  std::ptrdiff_t most = 0;
  // Semicolon before comma: where both occur the comma is a decimal one or part of a name.
  for (char c : {';', '\t', ','}) {
    const std::ptrdiff_t count = std::count(line.begin(), line.end(), c);
    if (count > most) {
      most = count;
      best = c;
    }
    if (c == ';' && count > 0) break;
  }
  return best;
}

// Next line that is neither blank nor a comment.
bool next_row(LineReader& reader, std::string_view* line) {
  while (reader.next(line)) {
    const std::string_view text = trim(*line);
    if (!text.empty() && text[0] != '#') return true;
  }
  return false;
}

// Header first, then `row(fields)` for every further line; all have the header's width.
template <class Header, class Row>
void for_each_row(LineReader& reader, const Header& take_header, const Row& take_row) {
  std::string_view line;
  if (!next_row(reader, &line)) {
    throw InputError(reader.name() +
                     ":1: the file is empty; expected names of columns in its first line");
  }
  const char delimiter = find_delimiter(line);
  std::vector<std::string_view> fields;
  split_at(line, delimiter, &fields);
  while (fields.size() > 1 && fields.back().empty()) fields.pop_back();
  const std::size_t width = fields.size();
  take_header(fields, delimiter);
  while (next_row(reader, &line)) {
    split_at(line, delimiter, &fields);
    while (fields.size() > width && fields.back().empty()) fields.pop_back();
    if (fields.size() != width) {
      reader.fail(fmt::format(
          "the row has {} cells; expected {} as in the first line{}{}", fields.size(), width,
          delimiter == ',' && fields.size() == 2 * width
              ? "; if commas are decimals here, separate the cells by semicolons"
              : "",
          reader.ended() ? "" : "; the file ends within this line: truncated?"));
    }
    take_row(fields);
  }
}

std::optional<double> parse_decimal(std::string_view field, char delimiter, std::string* scratch) {
  if (delimiter != ';' || field.find(',') == std::string_view::npos) return parse_number(field);
  scratch->assign(field);
  std::replace(scratch->begin(), scratch->end(), ',', '.');
  return parse_number(*scratch);
}

// Seconds per unit of the time column.
double read_time_column(LineReader& reader, std::string_view text) {
  const TimeTable::Column column = parse_csv_column(text);
  const std::string name = as_lower(column.name), unit = as_lower(column.unit);
  if (name != "time" && name != "t" && name != "time_s" && name != "time_ms") {
    reader.fail("the first column is " + quote(text) +
                "; expected the time, as 'time' or 'time [s]', in a table over time");
  }
  if (unit == "ms" || name == "time_ms") return 1e-3;
  if (unit.empty() || unit == "s" || unit == "sec" || unit == "seconds") return 1.0;
  reader.fail("the unit of the time is " + quote(column.unit) + "; expected s or ms");
}

}  // namespace

TimeTable::Column parse_csv_column(std::string_view text) {
  for (const char* pair : {"[]", "()"}) {
    const std::size_t open = text.rfind(pair[0]);
    if (!text.empty() && text.back() == pair[1] && open != std::string_view::npos && open > 0) {
      return {std::string(trim(text.substr(0, open))),
              std::string(trim(text.substr(open + 1, text.size() - open - 2)))};
    }
  }
  return {std::string(text), {}};
}

CsvText read_csv_text(std::istream& stream, const std::string& name) {
  LineReader reader(stream, name);
  CsvText result;
  for_each_row(
      reader,
      [&](const std::vector<std::string_view>& fields, char delimiter) {
        result.columns.assign(fields.begin(), fields.end());
        result.delimiter = delimiter;
      },
      [&](const std::vector<std::string_view>& fields) {
        result.rows.emplace_back(fields.begin(), fields.end());
        result.lines.push_back(reader.line_number());
      });
  return result;
}

CsvText load_csv_text(const std::string& path) {
  std::ifstream stream = open_input(path);
  return read_csv_text(stream, path);
}

MotionTrial read_csv(std::istream& stream, const std::string& name) {
  const RowForecast forecast(stream);
  LineReader reader(stream, name);
  MotionTrial trial;
  trial.file = name;
  trial.format = "CSV";
  TimeTable& table = trial.analog;
  double seconds_per_unit = 1.0;
  char delimiter = ',';
  std::string scratch;
  for_each_row(
      reader,
      [&](const std::vector<std::string_view>& fields, char found) {
        delimiter = found;
        seconds_per_unit = read_time_column(reader, fields[0]);
        std::vector<std::string> labels;
        for (std::size_t i = 1; i < fields.size(); ++i) {
          table.columns.push_back(parse_csv_column(fields[i]));
          labels.push_back(table.columns.back().name);
        }
        if (labels.empty()) reader.fail("there are no columns beside the time");
        make_labels_unique(&labels, &trial.warnings);
        for (std::size_t i = 0; i < labels.size(); ++i) table.columns[i].name = labels[i];
      },
      [&](const std::vector<std::string_view>& fields) {
        const std::optional<double> time = parse_decimal(fields[0], delimiter, &scratch);
        if (!time) reader.fail("expected a time, found " + quote(fields[0]));
        if (table.rows() > 0 && *time * seconds_per_unit < table.times.back()) {
          reader.fail(fmt::format("time {} comes before that of the row before", *time));
        }
        forecast.make_room(1, &table.times);
        forecast.make_room(table.columns.size(), &table.values);
        table.times.push_back(*time * seconds_per_unit);
        for (std::size_t i = 1; i < fields.size(); ++i) {
          const std::optional<double> value = parse_decimal(fields[i], delimiter, &scratch);
          if (!value && !fields[i].empty() && !is_nan_text(fields[i])) {
            reader.fail(
                fmt::format("column {}: expected a number, found {}", i + 1, quote(fields[i])));
          }
          table.values.push_back(value.value_or(kMissing));
        }
      });
  if (table.rows() == 0) reader.fail("there are no rows after the column names");
  return trial;
}

MotionTrial load_csv(const std::string& path) {
  std::ifstream stream = open_input(path);
  return read_csv(stream, path);
}

namespace {

void append_csv_names(const std::string& path, const std::vector<TimeTable::Column>& columns,
                      std::string* out) {
  *out += "time [s]";
  for (const TimeTable::Column& column : columns) {
    std::string text = column.unit.empty() ? column.name : column.name + " [" + column.unit + "]";
    if (text.find_first_of("\";\r\n") != std::string::npos) {
      throw InputError(path + ": not written: the column name " + quote(text) +
                       " has a quote, semicolon or line end in it");
    }
    *out += text.find_first_of(",;\t") == std::string::npos ? "," + text : ",\"" + text + "\"";
  }
  *out += '\n';
}

void append_csv_row(double time, const double* values, std::size_t count, std::string* out) {
  append_number(time, out);
  for (std::size_t c = 0; c < count; ++c) {
    *out += ',';
    append_number(values[c], out);
  }
  *out += '\n';
}

constexpr std::size_t kStreamBuffer = std::size_t{1} << 20;

}  // namespace

namespace {

// `row_of` gives the values of a row.
void write_csv(const std::string& path, const TimeTable& head,
               const std::function<const double*(std::size_t)>& row_of) {
  if (head.rows() == 0 || head.columns.empty()) {
    throw InputError(path + ": not written: the table is empty");
  }
  FileWriter file(path);
  append_csv_names(path, head.columns, &file.text());
  for (std::size_t r = 0; r < head.rows(); ++r) {
    append_csv_row(head.times[r], row_of(r), head.columns.size(), &file.text());
    file.flush_if_large();
  }
  file.commit();
}

}  // namespace

void save_csv(const std::string& path, const TimeTable& table) {
  if (table.values.size() != table.rows() * table.columns.size()) {
    throw InputError(path + ": not written: the table's size is not rows times columns");
  }
  write_csv(path, table,
            [&](std::size_t r) { return table.values.data() + r * table.columns.size(); });
}

void save_csv(const std::string& path, const TableRows& rows) {
  std::vector<double> values(rows.head.columns.size());
  write_csv(path, rows.head, [&](std::size_t r) {
    rows.fill(r, values.data());
    return values.data();
  });
}

CsvStream::CsvStream(std::string path, const std::vector<TimeTable::Column>& columns)
    : path_(std::move(path)), width_(columns.size()) {
  append_csv_names(path_, columns, &text_);
  file_ = std::fopen(path_.c_str(), "wb");
  if (file_ == nullptr) fail();
  flush();
}

CsvStream::~CsvStream() {
  if (file_ != nullptr) std::fclose(file_);
}

void CsvStream::add_row(double time, const double* values) {
  append_csv_row(time, values, width_, &text_);
  if (text_.size() >= kStreamBuffer) flush();
}

// Whole lines only, so that a reader who comes in between, or later, sees no half of one.
void CsvStream::flush() {
  errno = 0;
  if (std::fwrite(text_.data(), 1, text_.size(), file_) != text_.size()) fail();
  if (std::fflush(file_) != 0) fail();
  text_.clear();
}

void CsvStream::close() {
  flush();
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
}

void CsvStream::fail() const {
  throw FileError(path_ + ": cannot be written: " + std::strerror(errno));
}

}  // namespace vesica
