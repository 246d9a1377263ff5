#include "vesica/io/csv_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "vesica/error.h"
#include "vesica/io/csv.h"
#include "vesica/io/text_input.h"

namespace vesica {
namespace {

struct ColumnSource {
  std::size_t column;
  double per_unit;  // SI per unit of the file
};

ColumnSource find_column(const CsvText& text, const CsvColumnWanted& wanted,
                         const std::string& path) {
  std::string found;
  for (std::size_t c = 0; c < text.columns.size(); ++c) {
    const auto column = parse_csv_column(text.columns[c]);
    found += fmt::format("{}'{}'", found.empty() ? "" : ", ", text.columns[c]);
    if (as_lower(column.name) != as_lower(wanted.name)) continue;
    if (column.unit.empty()) return {c, 1.0};
    try {
      return {c, parse_quantity("1 " + column.unit, wanted.dimension)};
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: column '{}': {}; a column without a unit is in {}", path,
                                   text.columns[c], error.what(), wanted.dimension.unit));
    }
  }
  throw InputError(fmt::format("{}: there is no column '{}' [{}]; the first line names {}", path,
                               wanted.name, wanted.dimension.unit, found));
}

}  // namespace

void CsvColumns::fail(std::size_t row, const std::string& message) const {
  throw InputError(fmt::format("{}:{}: {}", file, lines[row], message));
}

CsvColumns load_csv_columns(const std::string& path, const std::vector<CsvColumnWanted>& wanted) {
  const CsvText text = load_csv_text(path);
  CsvColumns columns;
  columns.file = path;
  columns.lines = text.lines;
  for (const CsvColumnWanted& want : wanted) {
    const ColumnSource source = find_column(text, want, path);
    std::vector<double> values;
    values.reserve(text.rows.size());
    for (std::size_t r = 0; r < text.rows.size(); ++r) {
      std::string cell = text.rows[r][source.column];
      if (text.delimiter == ';') std::replace(cell.begin(), cell.end(), ',', '.');
      const std::optional<double> number = parse_number(cell);
      if (!number || !std::isfinite(*number * source.per_unit)) {
        columns.fail(r, fmt::format("column '{}': expected a number, found {}; take the row out",
                                    want.name, cell.empty() ? "nothing" : quote(cell)));
      }
      values.push_back(*number * source.per_unit);
    }
    columns.values.push_back(std::move(values));
  }
  return columns;
}

}  // namespace vesica
