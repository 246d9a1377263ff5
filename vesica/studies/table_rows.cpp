#include "vesica/studies/table_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "vesica/io/file_error.h"

namespace vesica::studies {

TableRows::TableRows(const std::string& path) : stream_(path, std::ios::binary) {
  if (!stream_) throw FileError(fmt::format("{}: cannot be opened; does the file exist?", path));
}

bool TableRows::next(std::vector<std::string>* cells) {
  if (!std::getline(stream_, line_)) return false;
  // A line that ends within quotes goes on.
  while (std::count(line_.begin(), line_.end(), '"') % 2 != 0 && std::getline(stream_, more_)) {
    line_ += '\n' + more_;
  }
  size_t count = 0;
  const auto begin_cell = [&]() -> std::string& {
    if (count == cells->size()) cells->emplace_back();
    (*cells)[count].clear();
    return (*cells)[count++];
  };
  std::string* cell = &begin_cell();
  bool is_quoted = false;
  for (size_t k = 0; k < line_.size(); ++k) {
    const char c = line_[k];
    if (c == '"') {
      // Two of them within quotes are one.
      if (is_quoted && k + 1 < line_.size() && line_[k + 1] == '"') {
        *cell += line_[++k];
      } else {
        is_quoted = !is_quoted;
      }
    } else if (c == ',' && !is_quoted) {
      cell = &begin_cell();
    } else {
      *cell += c;
    }
  }
  cells->resize(count);
  return true;
}

double read_number_cell(const std::string& cell, bool* is_word) {
  double x = 0;
  const char* last = cell.data() + cell.size();
  const auto [end, code] = std::from_chars(cell.data(), last, x);
  const bool is_number = !cell.empty() && code == std::errc() && end == last;
  if (is_word != nullptr) *is_word = !cell.empty() && !is_number;
  return is_number ? x : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace vesica::studies
