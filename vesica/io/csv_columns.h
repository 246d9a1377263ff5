// Columns of a CSV by name, as numbers in SI: for tables of measurements, in any order of columns.
#pragma once

#include <string>
#include <vector>

#include "vesica/io/units.h"

namespace vesica {

struct CsvColumnWanted {
  std::string name;
  Dimension dimension;
};

// values[c][r]: column c as it was asked for, row r, which stands in line lines[r] of the file.
struct CsvColumns {
  std::string file;
  std::vector<std::vector<double>> values;
  std::vector<std::size_t> lines;

  std::size_t rows() const { return lines.size(); }
  // Throws InputError "file:line: message".
  [[noreturn]] void fail(std::size_t row, const std::string& message) const;
};

// "depth [mm]" is converted; without a unit a column is SI. Other columns of the file are ignored.
// Every wanted cell holds a finite number: a gap, nan, a unit of another dimension or a missing
// column is an InputError with its line.
CsvColumns load_csv_columns(const std::string& path, const std::vector<CsvColumnWanted>& wanted);

}  // namespace vesica
