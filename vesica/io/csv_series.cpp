#include "vesica/io/csv_series.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "vesica/error.h"

namespace vesica {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\"");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\"") - first + 1);
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const size_t comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

std::string resolve_path(const std::string& folder, const std::string& name) {
  const std::filesystem::path path(name);
  return path.is_absolute() || folder.empty() ? name : (std::filesystem::path(folder) / path).string();
}

CsvSeries load_csv_series(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError(fmt::format("{}: cannot be opened; does the file exist?", path));
  std::ostringstream text;
  text << stream.rdbuf();
  return parse_csv_series(text.str(), path);
}

CsvSeries parse_csv_series(std::string_view text, const std::string& source) {
  CsvSeries series;
  int line_number = 0;
  size_t width = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++line_number;
    if (trimmed(line).empty() || line.front() == '#') continue;
    const auto cells = split(line);
    if (width == 0) {
      width = cells.size();
      for (size_t k = 1; k < width; ++k) {
        series.names.emplace_back(trimmed(cells[k].substr(0, cells[k].find('['))));
      }
      if (trimmed(cells[0].substr(0, cells[0].find('['))) != "time" || width < 2) {
        throw InputError(fmt::format(
            "{}:{}: expected a header 'time, name, ...', found '{}'", source, line_number,
            std::string(line.substr(0, 60))));
      }
      series.columns.resize(width - 1);
      continue;
    }
    if (cells.size() != width) {
      throw InputError(fmt::format("{}:{}: expected {} columns, found {}", source, line_number, width,
                                   cells.size()));
    }
    for (size_t k = 0; k < width; ++k) {
      double value = 0;
      const auto [last, code] =
          std::from_chars(cells[k].data(), cells[k].data() + cells[k].size(), value);
      if (code != std::errc() || last != cells[k].data() + cells[k].size() || !std::isfinite(value)) {
        throw InputError(fmt::format("{}:{}: '{}' is not a finite number", source, line_number,
                                     cells[k].substr(0, 40)));
      }
      if (k == 0) {
        if (!series.times.empty() && value <= series.times.back()) {
          throw InputError(fmt::format("{}:{}: time does not increase ({} after {})", source,
                                       line_number, value, series.times.back()));
        }
        series.times.push_back(value);
      } else {
        series.columns[k - 1].push_back(value);
      }
    }
  }
  if (series.times.size() < 2) {
    throw InputError(fmt::format("{}: a series needs a header and at least two rows", source));
  }
  return series;
}

}  // namespace vesica
