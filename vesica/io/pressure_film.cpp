#include "vesica/io/pressure_film.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/error.h"
#include "vesica/io/file_writer.h"
#include "vesica/io/motion_checks.h"
#include "vesica/io/text_input.h"

namespace vesica {

namespace {

// Pascals per unit; nothing if the word is no unit of pressure.
std::optional<double> find_pascals_per_unit(std::string_view unit) {
  const std::string word = as_lower(trim(unit));
  if (word == "pa") return 1.0;
  if (word == "kpa") return 1e3;
  if (word == "mpa") return 1e6;
  if (word == "n/cm2" || word == "n/cm^2") return 1e4;
  if (word == "psi") return 6894.757293168;
  if (word == "mmhg" || word == "mm hg") return 133.322387415;
  if (word == "kg/cm2" || word == "kg/cm^2" || word == "kgf/cm2") return 98066.5;
  return std::nullopt;
}

double parse_pascals_per_unit(const LineReader& reader, std::string_view unit) {
  if (const auto found = find_pascals_per_unit(unit)) return *found;
  reader.fail("the unit of pressure is " + quote(unit) +
              "; expected kPa, Pa, MPa, N/cm2, psi, mmHg or kg/cm2 (raw counts must be calibrated "
              "before the export)");
}

// "5.08 mm" in metres.
double parse_length(const LineReader& reader, std::string_view text) {
  std::vector<std::string_view> fields;
  split_at_whitespace(text, &fields);
  const auto value = fields.empty() ? std::nullopt : parse_number(fields[0]);
  const auto units = fields.size() < 2 ? std::nullopt : find_units_per_metre(fields[1]);
  if (!value || !units || !(*value > 0.0)) {
    reader.fail("found " + quote(text) + "; expected a length with its unit, such as '5.08 mm'");
  }
  return *value / *units;
}

double parse_positive(const LineReader& reader, std::string_view what, std::string_view text) {
  const std::optional<double> value = parse_number(trim(text));
  if (!value || !(*value > 0.0)) {
    reader.fail(fmt::format("{} is {}; expected a number above zero", what, quote(trim(text))));
  }
  return *value;
}

std::size_t parse_side(const LineReader& reader, std::string_view what, std::string_view text) {
  const std::optional<long long> value = parse_integer(trim(text));
  if (!value || *value < 1 || *value > detail::kMaxFilmSide) {
    reader.fail(
        fmt::format("{} is {}; expected 1 to {}", what, quote(trim(text)), detail::kMaxFilmSide));
  }
  return static_cast<std::size_t>(*value);
}

// A cell between 5 cm and 0.1 mm wide; anything else is a wrong unit.
void check_cell_size(const PressureFilm& film, const std::string& name) {
  for (double spacing : {film.row_spacing, film.col_spacing}) {
    if (spacing >= 1e-4 && spacing <= 0.05) continue;
    throw InputError(
        fmt::format("{}: a cell is {} m wide: is the unit of length right? Expected 0.1 mm "
                    "to 50 mm",
                    name, as_readable(spacing)));
  }
}

// One row of cells of an F-Scan or CSV frame.
void read_cells(const LineReader& reader, std::string_view line, double pascals_per_unit,
                std::size_t row, std::vector<std::string_view>* fields, PressureFilm* film) {
  split_at(line, ',', fields);
  while (fields->size() > film->cols && fields->back().empty()) fields->pop_back();
  if (fields->size() != film->cols) {
    reader.fail(fmt::format("the row has {} cells; expected {}{}", fields->size(), film->cols,
                            reader.ended() ? "" : "; the file ends within this line: truncated?"));
  }
  for (std::size_t c = 0; c < film->cols; ++c) {
    const std::string_view cell = (*fields)[c];
    if (cell == "B" || cell == "b") {
      film->pressures.push_back(0.0);
      continue;
    }
    const std::optional<double> value = parse_number(cell);
    if (!value) {
      reader.fail(fmt::format("cell {}: expected a pressure, or B for no sensor, found {}", c + 1,
                              quote(cell)));
    }
    film->pressures.push_back(*value * pascals_per_unit);
    film->has_sensor[row * film->cols + c] = 1;
  }
}

// The lines of one frame, which must all be there.
void read_frame(LineReader& reader, double pascals_per_unit, std::vector<std::string_view>* fields,
                PressureFilm* film) {
  std::string_view line;
  for (std::size_t row = 0; row < film->rows; ++row) {
    if (!reader.next(&line)) {
      reader.fail(fmt::format("the file ends after {} of the {} rows of frame {}: truncated?", row,
                              film->rows, film->frames() + 1));
    }
    read_cells(reader, line, pascals_per_unit, row, fields, film);
  }
}

MotionTrial make_trial(const std::string& name, const char* format, PressureFilm film,
                       std::vector<std::string> warnings) {
  check_cell_size(film, name);
  MotionTrial trial;
  trial.file = name;
  trial.format = format;
  trial.films.push_back(std::move(film));
  trial.warnings = std::move(warnings);
  trial.axes = "rows and columns of the film";
  return trial;
}

// ---- F-Scan
// --------------------------------------------------------------------------------------

struct FscanHeader {
  double pascals_per_unit = 0.0;
  double sensel_area = 0.0;  // m^2
  long long start_frame = 1, end_frame = -1;
};

void read_fscan_entry(const LineReader& reader, std::string_view key, std::string_view value,
                      FscanHeader* header, PressureFilm* film) {
  if (key == "ROWS") film->rows = parse_side(reader, key, value);
  if (key == "COLS") film->cols = parse_side(reader, key, value);
  if (key == "ROW_SPACING") film->row_spacing = parse_length(reader, value);
  if (key == "COL_SPACING") film->col_spacing = parse_length(reader, value);
  if (key == "SECONDS_PER_FRAME") film->dt = parse_positive(reader, key, value);
  if (key == "START_FRAME") header->start_frame = parse_integer(value).value_or(1);
  if (key == "END_FRAME") header->end_frame = parse_integer(value).value_or(-1);
  if (key == "UNITS") {
    header->pascals_per_unit = parse_pascals_per_unit(reader, value);
    film->unit_in_file = std::string(value);
  }
  if (key == "SENSEL_AREA") {
    std::vector<std::string_view> fields;
    split_at_whitespace(value, &fields);
    if (fields.size() == 2 && (fields[1] == "mm2" || fields[1] == "cm2")) {
      header->sensel_area =
          parse_number(fields[0]).value_or(0.0) * (fields[1] == "mm2" ? 1e-6 : 1e-4);
    }
  }
  film->header.emplace_back(key, value);
}

void require_grid(const LineReader& reader, const PressureFilm& film, double pascals_per_unit) {
  const char* missing = film.rows == 0            ? "ROWS"
                        : film.cols == 0          ? "COLS"
                        : film.row_spacing == 0.0 ? "ROW_SPACING"
                        : film.col_spacing == 0.0 ? "COL_SPACING"
                        : film.dt == 0.0          ? "SECONDS_PER_FRAME"
                        : pascals_per_unit == 0.0 ? "UNITS"
                                                  : nullptr;
  if (missing != nullptr) {
    reader.fail(
        fmt::format("the header has no {}, which is needed before the first frame", missing));
  }
}

}  // namespace

MotionTrial read_fscan_asf(std::istream& stream, const std::string& name) {
  LineReader reader(stream, name);
  PressureFilm film;
  FscanHeader header;
  std::vector<std::string> warnings;
  std::vector<std::string_view> fields;
  std::string_view line;
  bool first = true, ended = false;
  while (!ended && reader.next(&line)) {
    line = trim(line);
    if (line.empty()) continue;
    if (first && !starts_with_ignoring_case(line, "DATA_TYPE")) {
      reader.fail("expected 'DATA_TYPE', with which an F-Scan movie begins, found " + quote(line));
    }
    first = false;
    if (line == "@@") {
      ended = true;
    } else if (starts_with_ignoring_case(line, "Frame ") && film.rows > 0) {
      require_grid(reader, film, header.pascals_per_unit);
      film.has_sensor.resize(film.rows * film.cols, 0);
      read_frame(reader, header.pascals_per_unit, &fields, &film);
    } else if (film.pressures.empty()) {
      const std::size_t blank = std::min(line.find_first_of(" \t"), line.size());
      read_fscan_entry(reader, line.substr(0, blank), trim(line.substr(blank)), &header, &film);
    } else {
      reader.fail("expected 'Frame' or the closing '@@', found " + quote(line));
    }
  }
  if (first) throw InputError(name + ":1: the file is empty; expected an F-Scan movie (.asf)");
  if (film.pressures.empty()) reader.fail("there are no frames after the header");
  const auto frames = static_cast<long long>(film.frames());
  if (header.end_frame >= 0 && frames < header.end_frame - header.start_frame + 1) {
    reader.fail(
        fmt::format("the file ends after {} frames, but its header says frames {} to {}: "
                    "truncated?",
                    frames, header.start_frame, header.end_frame));
  }
  if (!ended) warnings.push_back("the closing '@@' is missing");
  if (header.sensel_area > 0.0 && std::abs(header.sensel_area / film.cell_area() - 1.0) > 0.01) {
    warnings.push_back(fmt::format("SENSEL_AREA is {:.4g} mm2, but the spacings give {:.4g} mm2",
                                   header.sensel_area * 1e6, film.cell_area() * 1e6));
  }
  return make_trial(name, "F-Scan", std::move(film), std::move(warnings));
}

MotionTrial load_fscan_asf(const std::string& path) {
  std::ifstream stream = open_input(path);
  return read_fscan_asf(stream, path);
}

// ---- CSV
// -----------------------------------------------------------------------------------------

MotionTrial read_pressure_csv(std::istream& stream, const std::string& name) {
  LineReader reader(stream, name);
  PressureFilm film;
  double pascals_per_unit = 0.0;
  std::vector<std::string_view> fields;
  std::string_view line;
  bool first = true;
  while (reader.next(&line)) {
    if (trim(line).empty()) continue;
    split_at(line, ',', &fields);
    const std::string_view key = fields[0];
    if (std::exchange(first, false)) {
      if (key != kPressureCsvMark) {
        reader.fail("expected 'pressure film,1' in the first line, found " + quote(line));
      }
      continue;
    }
    const std::string_view value = fields.size() > 1 ? fields[1] : std::string_view();
    if (key == "frame") {
      require_grid(reader, film, pascals_per_unit);
      film.has_sensor.resize(film.rows * film.cols, 0);
      read_frame(reader, pascals_per_unit, &fields, &film);
      continue;
    }
    if (!film.pressures.empty()) reader.fail("expected 'frame,number', found " + quote(line));
    if (key == "unit") {
      pascals_per_unit = parse_pascals_per_unit(reader, value);
      film.unit_in_file = std::string(value);
    } else if (key == "rows") {
      film.rows = parse_side(reader, key, value);
    } else if (key == "cols") {
      film.cols = parse_side(reader, key, value);
    } else if (key == "row_spacing") {
      film.row_spacing = parse_length(reader, value);
    } else if (key == "col_spacing") {
      film.col_spacing = parse_length(reader, value);
    } else if (key == "seconds_per_frame") {
      film.dt = parse_positive(reader, key, value);
    } else if (key == "start_time") {
      const std::optional<double> time = parse_number(value);
      if (!time) reader.fail("start_time is " + quote(value) + "; expected seconds");
      film.start_time = *time;
    } else {
      reader.fail("unknown entry " + quote(key) +
                  "; expected unit, rows, cols, row_spacing, col_spacing, seconds_per_frame, "
                  "start_time or frame");
    }
  }
  if (first) throw InputError(name + ":1: the file is empty; expected 'pressure film,1'");
  if (film.pressures.empty()) reader.fail("there are no frames after the header");
  return make_trial(name, "CSV", std::move(film), {});
}

MotionTrial load_pressure_csv(const std::string& path) {
  std::ifstream stream = open_input(path);
  return read_pressure_csv(stream, path);
}

void save_pressure_csv(const std::string& path, const PressureFilm& film) {
  if (film.frames() == 0 || film.has_sensor.size() != film.rows * film.cols ||
      film.pressures.size() != film.frames() * film.rows * film.cols) {
    throw InputError(path +
                     ": not written: the film is empty or its size is not frames times cells");
  }
  FileWriter file(path);
  std::string& out = file.text();
  const auto entry = [&](const char* key, double value, const char* unit) {
    out += key + std::string(",");
    append_number(value, &out);
    out += std::string(unit) + "\n";
  };
  out += std::string(kPressureCsvMark) + ",1\nunit,Pa\n";
  out += fmt::format("rows,{}\ncols,{}\n", film.rows, film.cols);
  entry("row_spacing", film.row_spacing, " m");
  entry("col_spacing", film.col_spacing, " m");
  entry("seconds_per_frame", film.dt, "");
  entry("start_time", film.start_time, "");
  for (std::size_t f = 0; f < film.frames(); ++f) {
    out += fmt::format("frame,{}\n", f + 1);
    for (std::size_t r = 0; r < film.rows; ++r) {
      for (std::size_t c = 0; c < film.cols; ++c) {
        if (c > 0) out += ',';
        if (film.has_sensor[r * film.cols + c]) {
          append_number(film.at(f, r, c), &out);
        } else {
          out += 'B';
        }
      }
      out += '\n';
    }
    file.flush_if_large();
  }
  file.commit();
}

}  // namespace vesica
