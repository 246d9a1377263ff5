// The results: one table, sorted by run, the same bytes whoever made the rows.
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "vesica/studies/study.h"

namespace vesica::studies {

struct TableCounts {
  std::uint64_t rows = 0;
  std::array<std::uint64_t, 4> of_status{};  // by Status
  std::uint64_t torn = 0;                    // lines of journals that do not count
};

// Reads the journals of the folder and writes table.csv, timing.csv, warnings.csv, curve_NAME.csv
// and, where the study asks for it, table.h5. A run that is in no journal has no row.
TableCounts write_table(const Study& study, const std::string& version, const std::string& folder,
                        const std::string& aside);

// The columns of table.csv.
std::vector<std::string> make_table_columns(const Study& study);

// What runs warned of: warnings that differ in their numbers alone are of one kind.
struct WarningKind {
  std::string text;  // of the first run that has it
  std::uint64_t runs = 0, first_run = 0;
};
std::string find_warning_kind(const std::string& warning);

// The table as numbers, for answers: cells that are no numbers are NaN.
struct ResultTable {
  std::vector<std::uint64_t> runs;
  std::vector<int> status;                                 // by Status
  std::unordered_map<std::uint64_t, std::string> reasons;  // by run, of those that are not done
  std::vector<std::vector<double>> outputs;                // by output, then row
  std::vector<WarningKind> warnings{};                     // by first run
};
ResultTable load_results(const Study& study, const std::string& folder);
// Of a curve, over the runs that are done: the values at some of its times, by time. A few of them
// at once, since all may be more than the memory holds.
std::vector<std::vector<double>> load_curve(const Study& study, const std::string& folder,
                                            size_t curve, size_t first_time, size_t times);

}  // namespace vesica::studies
