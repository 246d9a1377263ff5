#include "vesica/studies/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "vesica/studies/random.h"

namespace vesica::studies {
namespace {

constexpr std::array<std::string_view, 4> kCommandNames = {"simulate", "identify", "markers",
                                                           "function"};

std::string with_unit(const std::string& number, const std::string& unit) {
  return unit.empty() ? number : number + " " + unit;
}

// Names of files as a YAML list.
std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    std::string quoted;
    for (const char c : name) quoted += c == '\'' ? std::string("''") : std::string(1, c);
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", quoted);
  }
  return "[" + text + "]";
}

// A number at the start of the text, whatever unit follows; NaN: none.
double number_of(const std::string& text) {
  double x = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), x);
  return code == std::errc() ? x : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::string_view name_of(Command command) { return kCommandNames[static_cast<size_t>(command)]; }

RunPoint make_run_point(const Study& study, std::uint64_t run) {
  RunPoint point;
  point.run = run;
  point.seed = calc_run_seed(study.design.seed, run);
  const std::uint64_t index = run / study.design.repeats;
  if (study.design.method == Method::kCrossValidation) {
    const Fold& fold = study.folds[index];
    const char* train = study.command == Command::kMarkers ? "trials" : "data";
    point.settings = {{train, list_of(fold.train)}, {"evaluate", list_of(fold.test)}};
    point.cells = {fold.name};
    return point;
  }
  const auto places = calc_point(study.design, index);
  size_t varied = 0;
  for (const Factor& factor : study.factors) {
    std::string text, cell;
    if (factor.is_seed) {
      text = cell = fmt::format("{}", point.seed);
    } else {
      const FactorPlace& at = places[varied++];
      if (at.is_nominal) {
        text = factor.nominal;
        cell = factor.nominal_cell;
      } else if (factor.distribution) {
        cell = format_cell(factor.distribution->quantile(at.probability));
        text = with_unit(cell, factor.unit);
      } else {
        text = factor.values[at.level];
        cell = factor.is_number ? format_cell(number_of(text)) : text;
      }
    }
    point.cells.push_back(cell);
    if (text.empty()) continue;  // what the input has
    for (const std::string& path : factor.paths) point.settings.emplace_back(path, text);
  }
  return point;
}

std::vector<std::string> make_factor_columns(const Study& study) {
  if (study.design.method == Method::kCrossValidation) return {"left_out"};
  std::vector<std::string> names;
  for (const Factor& factor : study.factors) {
    names.push_back(factor.unit.empty() ? factor.name
                                        : fmt::format("{} [{}]", factor.name, factor.unit));
  }
  return names;
}

std::vector<double> calc_factor_numbers(const Study& study, std::uint64_t run) {
  const std::vector<std::string> cells = make_run_point(study, run).cells;
  std::vector<double> numbers;
  for (size_t k = 0; k < study.factors.size(); ++k) {
    const Factor& f = study.factors[k];
    const auto level = std::find(f.values.begin(), f.values.end(), cells[k]);
    numbers.push_back(f.is_number               ? number_of(cells[k])
                      : level == f.values.end() ? std::numeric_limits<double>::quiet_NaN()
                                                : static_cast<double>(level - f.values.begin()));
  }
  return numbers;
}

}  // namespace vesica::studies
