#include "vesica/model/law_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vesica {

// "N/m^p, p the exponent" is N/m^p; a plain number is a dash.
std::string FieldLister::unit_of(const Dimension& dimension) {
  const std::string unit = dimension.unit;
  if (unit == dimension::kNumber.unit) return "-";
  return unit.substr(0, unit.find(','));
}

void FieldLister::add(const Field& field, const std::string& unit) {
  const auto known = std::find_if(rows.begin(), rows.end(),
                                  [&](const ParameterRow& row) { return row.key == field.key; });
  if (known != rows.end()) return;  // in another form
  rows.push_back({std::string(field.key), unit, std::string(field.meaning), !field.unless});
}

void FieldLister::word(const Field& field, const Words& words, size_t*) {
  add(field, "");
  if (rows.back().meaning.empty()) rows.back().meaning = fmt::format("{}", fmt::join(words, ", "));
}

void FieldLister::below(std::string_view key, const Content& content) {
  const std::vector<ParameterRow> outside = std::exchange(rows, {});
  content();
  std::string inside;
  for (const ParameterRow& row : rows) {
    if (row.key == "law") {  // one of several: the parameters are those of each
      inside = "law: " + row.meaning + "; with its parameters";
      break;
    }
    inside += fmt::format("{}{}: {}", inside.empty() ? "" : ", ", row.key, row.meaning);
    if (!row.unit.empty() && row.unit != "-") inside += fmt::format(" [{}]", row.unit);
  }
  rows = outside;
  rows.push_back({std::string(key), "", "{" + inside + "}", true});
}

}  // namespace vesica
