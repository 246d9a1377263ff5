// Time series in CSV: a header with names (units in brackets are checked against SI), then numbers;
// the first column is time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vesica {

struct CsvSeries {
  std::vector<std::string> names;  // without time and without units
  std::vector<double> times;
  std::vector<std::vector<double>> columns;
};

// Errors name file and line. Times must increase strictly; at least two rows.
CsvSeries load_csv_series(const std::string& path);
CsvSeries parse_csv_series(std::string_view text, const std::string& source);

// A file name in an input, relative to the folder of that input.
std::string resolve_path(const std::string& folder, const std::string& name);

}  // namespace vesica
