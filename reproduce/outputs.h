// What the systems of the sources give, twice: as they are and with tolerances halved; and how it
// is shown.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reproduce/reproduce.h"

namespace vesica {

// A figure, and the same with tolerances and steps halved.
struct FigureRow {
  Figure figure;
  std::optional<double> halved;
  // More than half of what the verdict allows, or more than 1 % where it allows nothing: the figure
  // is one of the solver too, and its verdict says so.
  bool moves = false;
};
struct Reproduced {
  std::string system;
  std::vector<FigureRow> rows;
  std::vector<TimePlot> plots;
  double simulated = 0, seconds = 0;
  std::vector<std::string> failures;
};

// `once`: not a second time with tolerances and steps halved (solver_study, which varies them
// itself, never is).
Reproduced reproduce_twice(std::string_view name, const ReproduceOptions& options, bool once);

// How many rows there are of each verdict; `words`: of those reproduced that compare with words of
// the source, not with a number.
struct VerdictCounts {
  size_t reproduced = 0, words = 0, as_expected = 0, differs = 0, no_number = 0, reported = 0,
         moves = 0;
};
VerdictCounts count_verdicts(const std::vector<Reproduced>& all);
// "31 reproduced, 48 as expected, ..."
std::string describe(const VerdictCounts& counts);

nlohmann::ordered_json as_json(const std::vector<Reproduced>& all);
// Lines of 100 columns; long verdicts are notes below.
std::string make_reproduce_table(const Reproduced& system);
std::string make_counts_text(const std::vector<Reproduced>& all);  // under the tables of all
std::string make_reproduce_page(const std::vector<Reproduced>& all, bool interrupted);
std::string make_reproduce_picture(const std::vector<TimePlot>& plots);

}  // namespace vesica
