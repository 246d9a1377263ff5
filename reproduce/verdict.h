// What is said of a figure: always the result of a comparison, whose sides and tolerance are kept.
// Internal to reproduce/.
#pragma once

#include <optional>
#include <string>

#include "reproduce/reproduce.h"

namespace vesica::detail {

struct Verdict {
  std::string text;
  std::optional<double> source, expected;  // what it was compared with
  std::optional<double> tolerance;         // how far off it may be, in the figure's unit
  std::string place;                       // in the source
};

// How far off a number of the source may be, by how it stands there: one rule for all of them.
// `digit` is the unit of the last digit that is printed.
constexpr double as_printed(double digit) { return digit / 2; }
constexpr double about(double digit) { return digit; }  // "about", "around"
constexpr double off_a_plot(double value) { return 0.05 * (value < 0 ? -value : value); }
constexpr double by_formula(double value) { return 1e-3 * (value < 0 ? -value : value); }

// Against a number that stands in the source's text, at `place` there. `reason`: why it differs, if
// it does.
Verdict match_source(double ours, double source, double tolerance, const std::string& place,
                     const std::string& reason);

// Against what follows from the inputs (statics, energy, a closed form), which `what` names.
Verdict match_expected(double ours, double expected, double relative, const std::string& what);
Verdict match_within(double ours, double expected, double tolerance, const std::string& what);
// For what should be zero.
Verdict match_zero(double ours, double tolerance, const std::string& what);

// Against words of the source; `words` say what was compared, and with which tolerance.
Verdict match_words(bool holds, const std::string& words, const std::string& place);
// The same for an expectation of ours that is no number.
Verdict match_expectation(bool holds, const std::string& words);

Verdict no_number();                           // a picture at most
Verdict no_number(const std::string& remark);  // of what it shows
Verdict reported(const std::string& what);     // nothing to compare it with

}  // namespace vesica::detail
