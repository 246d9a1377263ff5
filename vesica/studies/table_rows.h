// Rows of a table that this room wrote (RFC 4180), one after the other: a table may be larger than
// the memory.
#pragma once

#include <fstream>
#include <string>
#include <vector>

namespace vesica::studies {

class TableRows {
 public:
  // FileError where it cannot be opened.
  explicit TableRows(const std::string& path);
  // False: there are no more. The first row has the names of the columns.
  bool next(std::vector<std::string>* cells);

 private:
  std::ifstream stream_;
  std::string line_, more_;
};

// A cell as a number; NaN where it is empty or a word. `is_word`: it is not empty, and no number.
double read_number_cell(const std::string& cell, bool* is_word = nullptr);

}  // namespace vesica::studies
