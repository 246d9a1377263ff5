// CSV: tables as text, with comma, semicolon or tab between cells. docs/formats/mot_sto.md.
#pragma once

#include <cstdio>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "vesica/io/motion_data.h"

namespace vesica {

// A table of any content: names of the columns, rows of text with the line each came from. Lines
// that begin with # and blank lines are skipped; cells are trimmed, quotes removed.
struct CsvText {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> lines;
  char delimiter = ',';
};
CsvText load_csv_text(const std::string& path);
CsvText read_csv_text(std::istream& stream, const std::string& name);
// "name [unit]" or "name (unit)" into its parts.
TimeTable::Column parse_csv_column(std::string_view text);

// A table over time: the first column is the time ("time", "t", "Time (s)", "time [ms]"); the
// others are numbers, empty or nan for missing; "name [unit]" and "name (unit)" give a column its
// unit. With semicolons between the cells a decimal comma is understood. Into MotionTrial::analog.
MotionTrial load_csv(const std::string& path);
MotionTrial read_csv(std::istream& stream, const std::string& name);

// Commas, decimal points, "name [unit]" in the first line, time in seconds, values that read back
// as the same double.
void save_csv(const std::string& path, const TimeTable& table);
void save_csv(const std::string& path, const TableRows& rows);

// The same, row by row as they come: memory does not grow, and what was flushed can be read while
// more follows, or after the program was killed. It writes to `path` itself: where nobody is to see
// an unfinished file, that is a place aside. Throws FileError.
class CsvStream {
 public:
  CsvStream(std::string path, const std::vector<TimeTable::Column>& columns);
  ~CsvStream();
  CsvStream(const CsvStream&) = delete;
  CsvStream& operator=(const CsvStream&) = delete;

  void add_row(double time, const double* values);
  void flush();
  void close();

 private:
  [[noreturn]] void fail() const;

  std::string path_, text_;
  std::size_t width_;
  std::FILE* file_ = nullptr;
};

}  // namespace vesica
