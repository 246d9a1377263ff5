// novel's text export of emed and pedar recordings (.lst).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "vesica/error.h"
#include "vesica/io/pressure_film.h"
#include "vesica/io/text_input.h"

namespace vesica {

namespace {

// The part of a picture that one page prints: consecutive rows and columns of the sensor matrix.
struct Page {
  long long picture = 0;
  long long first_row = 0, first_col = 0;  // one-based, as printed
  std::size_t rows = 0, cols = 0;
  std::vector<double> values;  // in the file's unit
  double force = 0.0;          // N, the printed sum of the page
};

struct LstHeader {
  double dt = 0.0;                              // s
  double row_spacing = 0.0, col_spacing = 0.0;  // m
  double area = 0.0;                            // m^2, as printed
};

// The text after `label` up to the next tab, or nothing.
std::string_view find_after(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return {};
  std::string_view rest = line.substr(at + label.size());
  return trim(rest.substr(0, rest.find('\t')));
}

double parse_leading(const LineReader& reader, std::string_view what, std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789.eE+-"), text.size());
  const std::optional<double> value = parse_number(text.substr(0, end));
  if (!value || !(*value > 0.0)) {
    reader.fail(fmt::format("{} is {}; expected a number above zero", what, quote(text)));
  }
  return *value;
}

void read_header_line(const LineReader& reader, std::string_view line, LstHeader* header) {
  if (const auto text = find_after(line, "Time/picture:"); !text.empty()) {
    header->dt = parse_leading(reader, "Time/picture", text) *
                 (text.find("ms") != std::string_view::npos ? 1e-3 : 1.0);
  }
  if (const auto text = find_after(line, "Sensor area:"); !text.empty()) {
    header->area = parse_leading(reader, "Sensor area", text) * 1e-4;  // always cm^2
  }
  if (const auto text = find_after(line, "Sensor size:"); !text.empty()) {
    const std::size_t cross = text.find('x');
    if (cross == std::string_view::npos) {
      reader.fail("Sensor size is " + quote(text) + "; expected 'width x height cm'");
    }
    const double unit = text.find("mm") != std::string_view::npos ? 1e-3 : 1e-2;
    header->col_spacing = unit * parse_leading(reader, "Sensor size", trim(text.substr(0, cross)));
    header->row_spacing = unit * parse_leading(reader, "Sensor size", trim(text.substr(cross + 1)));
  }
}

long long parse_number_of(const LineReader& reader, const char* what, std::string_view field) {
  const std::optional<long long> value = parse_integer(field);
  if (!value || *value < 1 || *value > detail::kMaxFilmSide) {
    reader.fail(fmt::format("expected the number of a {}, 1 to {}, found {}", what,
                            detail::kMaxFilmSide, quote(field)));
  }
  return *value;
}

// Column numbers, rows of pressures, and the sums; begins after the line 'Pict-No.:'.
Page read_page(LineReader& reader, long long picture) {
  Page page;
  page.picture = picture;
  std::string_view line;
  std::vector<std::string_view> fields;
  bool has_force_column = false;
  do {
    if (!reader.next(&line)) {
      reader.fail(fmt::format("the file ends before the cells of picture {}: truncated?", picture));
    }
  } while (trim(line).empty());
  split_at_whitespace(line, &fields);
  if (fields.back() == "Force") {
    has_force_column = true;
    fields.pop_back();
  }
  if (fields.empty()) reader.fail("expected the numbers of the columns");
  page.cols = fields.size();
  page.first_col = parse_number_of(reader, "column", fields[0]);
  for (std::size_t c = 0; c < page.cols; ++c) {
    if (parse_number_of(reader, "column", fields[c]) !=
        page.first_col + static_cast<long long>(c)) {
      reader.fail("the numbers of the columns are not consecutive at " + quote(fields[c]));
    }
  }
  const std::size_t width = page.cols + 1 + (has_force_column ? 1 : 0);
  while (reader.next(&line)) {
    if (trim(line).empty()) continue;
    split_at_whitespace(line, &fields);
    if (fields.size() != width) {
      reader.fail(
          fmt::format("the row has {} columns; expected {}{}", fields.size(), width,
                      reader.ended() ? "" : "; the file ends within this line: truncated?"));
    }
    const bool is_sum = fields[0] == "Force";
    if (!is_sum) {
      const long long row = parse_number_of(reader, "row", fields[0]);
      if (page.rows == 0) page.first_row = row;
      if (row != page.first_row + static_cast<long long>(page.rows)) {
        reader.fail(fmt::format("row {} does not follow row {}", row,
                                page.first_row + static_cast<long long>(page.rows) - 1));
      }
      ++page.rows;
    }
    for (std::size_t c = 1; c < width; ++c) {
      const std::optional<double> value = parse_number(fields[c]);
      if (!value)
        reader.fail(fmt::format("column {}: expected a number, found {}", c + 1, quote(fields[c])));
      if (!is_sum && c <= page.cols) page.values.push_back(*value);
      if (is_sum && c == width - 1 && has_force_column) page.force = *value;
    }
    if (is_sum) {
      if (page.rows == 0) reader.fail("the picture has no rows before its sums");
      return page;
    }
  }
  reader.fail(fmt::format("the file ends within picture {}: expected its row 'Force': truncated?",
                          picture));
}

// kPa or N/cm^2: the printed forces are sums of pressure times area, which only one of them fits.
double infer_pascals_per_unit(const std::vector<Page>& pages, double area,
                              std::vector<std::string>* warnings) {
  double force = 0.0, sum = 0.0;
  for (const Page& page : pages) {
    force += page.force;
    for (double value : page.values) sum += value;
  }
  if (force > 0.0 && sum > 0.0) {
    const double pascals = force / (sum * area);
    for (double unit : {1e3, 1e4}) {
      if (std::abs(pascals / unit - 1.0) < 0.02) return unit;
    }
    warnings->push_back(
        fmt::format("the printed forces are {:.3g} times pressure in kPa times area; kPa "
                    "was taken nevertheless",
                    pascals / 1e3));
  }
  return 1e3;
}

PressureFilm assemble(const std::vector<Page>& pages, double pascals_per_unit,
                      const std::string& name) {
  long long row_low = detail::kMaxFilmSide, row_high = 0, col_low = detail::kMaxFilmSide,
            col_high = 0;
  std::map<long long, std::size_t> frame_of;
  std::size_t given = 0;
  for (const Page& page : pages) {
    row_low = std::min(row_low, page.first_row);
    row_high = std::max(row_high, page.first_row + static_cast<long long>(page.rows));
    col_low = std::min(col_low, page.first_col);
    col_high = std::max(col_high, page.first_col + static_cast<long long>(page.cols));
    frame_of.emplace(page.picture, 0);
    given += page.values.size();
  }
  std::size_t next = 0;
  for (auto& [picture, frame] : frame_of) frame = next++;
  PressureFilm film;
  film.rows = static_cast<std::size_t>(row_high - row_low);
  film.cols = static_cast<std::size_t>(col_high - col_low);
  film.first_row = static_cast<std::size_t>(row_low - 1);
  film.first_col = static_cast<std::size_t>(col_low - 1);
  const std::size_t cells = film.rows * film.cols;
  // Pages print the loaded part of the mat; a grid a hundred times larger than all of them is a
  // lie.
  if (cells * frame_of.size() > 100 * given) {
    throw InputError(
        fmt::format("{}: the pictures name cells from row {} to {} and column {} to {}, but "
                    "print only {} values; the numbers of rows or columns are wrong",
                    name, row_low, row_high - 1, col_low, col_high - 1, given));
  }
  film.pressures.assign(cells * frame_of.size(), 0.0);
  film.has_sensor.assign(cells, 1);
  for (const Page& page : pages) {
    const std::size_t frame = frame_of[page.picture];
    for (std::size_t i = 0; i < page.values.size(); ++i) {
      const std::size_t row = static_cast<std::size_t>(page.first_row - row_low) + i / page.cols;
      const std::size_t col = static_cast<std::size_t>(page.first_col - col_low) + i % page.cols;
      film.pressures[frame * cells + row * film.cols + col] = page.values[i] * pascals_per_unit;
    }
  }
  return film;
}

}  // namespace

MotionTrial read_emed_lst(std::istream& stream, const std::string& name) {
  LineReader reader(stream, name);
  LstHeader header;
  std::vector<Page> pages;
  std::string_view line;
  while (reader.next(&line)) {
    if (line.find("Pict-No.:") == std::string_view::npos) {
      read_header_line(reader, line, &header);
      continue;
    }
    std::string_view text = find_after(line, "Pict-No.:");
    const std::optional<long long> picture =
        parse_integer(text.substr(0, text.find_first_of(" \t")));
    // Summary pictures ('MVP', the largest value of each cell) repeat what the others hold.
    if (picture) pages.push_back(read_page(reader, *picture));
  }
  if (reader.line_number() == 0)
    throw InputError(name + ":1: the file is empty; expected an emed .lst");
  if (pages.empty()) reader.fail("no picture ('Pict-No.:') found; expected an emed or pedar .lst");
  if (!(header.dt > 0.0)) reader.fail("no 'Time/picture:' found in the file");
  if (!(header.col_spacing > 0.0)) reader.fail("no 'Sensor size:' found in the file");

  MotionTrial trial;
  trial.file = name;
  trial.format = "emed";
  trial.axes = "rows and columns of the film";
  const double area = header.row_spacing * header.col_spacing;
  if (header.area > 0.0 && std::abs(header.area / area - 1.0) > 0.01) {
    trial.warnings.push_back(
        fmt::format("the sensor area is printed as {:.4g} cm2, but its sides give "
                    "{:.4g} cm2",
                    header.area * 1e4, area * 1e4));
  }
  const double pascals_per_unit = infer_pascals_per_unit(pages, area, &trial.warnings);
  PressureFilm film = assemble(pages, pascals_per_unit, name);
  film.unit_in_file = pascals_per_unit == 1e4 ? "N/cm2" : "kPa";
  film.dt = header.dt;
  film.row_spacing = header.row_spacing;
  film.col_spacing = header.col_spacing;
  trial.films.push_back(std::move(film));
  return trial;
}

MotionTrial load_emed_lst(const std::string& path) {
  std::ifstream stream = open_input(path);
  return read_emed_lst(stream, path);
}

}  // namespace vesica
