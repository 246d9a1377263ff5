// Factors of a study: paths, values, distributions, nominal values.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "vesica/io/units.h"
#include "vesica/studies/execute.h"
#include "vesica/studies/study_parts.h"

namespace vesica::studies {
namespace {

// The levels of a factor: a list, or a range in equal steps.
void read_values(const InputNode& node, Factor* factor) {
  bool has_unit = false;
  const auto note_unit = [&](const InputNode& item, const std::string& unit) {
    if (has_unit && unit != factor->unit) {
      item.fail(
          fmt::format("has the unit '{}', another value of this factor '{}'; give all of them "
                      "in one unit",
                      unit, factor->unit));
    }
    has_unit = true;
    factor->unit = unit;
  };
  if (const auto values = node.find("values")) {
    if (node.find("from") || node.find("to")) values->fail("goes without 'from' and 'to'");
    const auto items = values->items();
    if (items.empty()) values->fail("is empty: give at least one value");
    for (const InputNode& item : items) factor->values.push_back(item.dump());
    // Numbers as such only where all of them are.
    try {
      for (const InputNode& item : items) read_number_with_unit(item);
    } catch (const InputError&) {
      factor->is_number = false;
      return;
    }
    for (size_t k = 0; k < items.size(); ++k) {
      const NumberWithUnit number = read_number_with_unit(items[k]);
      note_unit(items[k], number.unit);
      factor->values[k] =
          format_cell(number.value) + (number.unit.empty() ? "" : " " + number.unit);
    }
    return;
  }
  if (!node.find("from") && !node.find("to")) return;
  const NumberWithUnit from = read_number_with_unit(node.at("from"));
  const NumberWithUnit to = read_number_with_unit(node.at("to"));
  note_unit(node.at("from"), from.unit);
  note_unit(node.at("to"), to.unit);
  const int steps = node.at("steps").integer(2, 1000000);
  const auto spacing = node.find("spacing");
  const bool is_log = spacing && spacing->choice({"linear", "log"}) == 1;
  if (is_log && !(from.value > 0 && to.value > 0)) {
    spacing->fail("steps of equal ratio need 'from' and 'to' above 0");
  }
  for (int k = 0; k < steps; ++k) {
    const double part = static_cast<double>(k) / (steps - 1);
    const double x = k == 0           ? from.value
                     : k == steps - 1 ? to.value
                     : is_log         ? from.value * std::pow(to.value / from.value, part)
                                      : from.value + part * (to.value - from.value);
    factor->values.push_back(format_cell(x) + (from.unit.empty() ? "" : " " + from.unit));
  }
}

}  // namespace

Factor read_factor(const std::string& name, const InputNode& node) {
  node.allow({"path", "paths", "values", "from", "to", "steps", "spacing", "distribution", "low",
              "high", "mean", "sd", "median", "sigma", "mode", "alpha", "beta", "nominal", "seed"});
  Factor factor;
  factor.name = name;
  factor.place = node.place();
  if (const auto paths = node.find("paths")) {
    if (node.find("path")) paths->fail("goes without 'path'");
    for (const InputNode& path : paths->items()) factor.paths.push_back(path.text());
    if (factor.paths.empty()) paths->fail("is empty: name at least one entry of the input");
  } else {
    factor.paths.push_back(node.find("path") ? node.at("path").text() : name);
  }
  if (const auto seed = node.find("seed")) {
    if (!seed->flag()) seed->fail("is true, or left out");
    node.allow({"path", "paths", "seed"});
    factor.is_seed = true;
    return factor;
  }
  factor.distribution = read_distribution(node, &factor.unit);
  read_values(node, &factor);
  if (factor.distribution && !factor.values.empty()) {
    node.fail("has both values and a distribution; give one of them");
  }
  if (!factor.distribution && factor.values.empty()) {
    node.fail(
        "takes no values: give 'values', 'from', 'to' and 'steps', or a distribution ('low' and "
        "'high', or 'distribution' with its parameters)");
  }
  if (const auto nominal = node.find("nominal")) {
    factor.nominal = nominal->dump();
    const std::string unit = factor.is_number ? read_number_with_unit(*nominal).unit : factor.unit;
    if (unit != factor.unit) {
      nominal->fail(
          fmt::format("has the unit '{}', other numbers of this factor '{}'; give all of them in "
                      "one unit",
                      unit, factor.unit));
    }
  }
  return factor;
}

namespace {

bool has_name(const InputNode& item, const std::string& name) {
  const auto found = item.is_map() ? item.find("name") : std::nullopt;
  return found && found->is_scalar() && found->text() == name;
}

}  // namespace

std::optional<InputNode> find_entry(const InputNode& root, std::string_view path,
                                    std::string* plain) {
  std::optional<InputNode> node = root;
  while (!path.empty()) {
    const size_t dot = path.find('.');
    std::string key(path.substr(0, dot));
    if (node->is_list()) {
      const auto items = node->items();
      const bool is_index = key.find_first_not_of("0123456789") == std::string::npos;
      size_t index = is_index ? std::strtoul(key.c_str(), nullptr, 10) : 0;
      if (!is_index) {
        while (index < items.size() && !has_name(items[index], key)) ++index;
      }
      if (index >= items.size()) return std::nullopt;
      node = items[index];
      key = std::to_string(index);
    } else if (node->is_map()) {
      // Keys may have dots themselves.
      const bool is_rest = node->find(std::string(path)).has_value();
      if (is_rest) key = std::string(path);
      node = node->find(key);
      if (!node) return std::nullopt;
      if (is_rest) path = {};
    } else {
      return std::nullopt;
    }
    if (plain != nullptr) *plain += key + ".";
    path =
        dot == std::string_view::npos || path.empty() ? std::string_view() : path.substr(dot + 1);
  }
  return node;
}

namespace {

// A scalar of the input, as the study would write it; empty: there is none.
std::string find_in_input(const InputNode& root, const std::string& path) {
  const auto node = find_entry(root, path, nullptr);
  return node ? node->dump() : "";
}

std::string find_in_inputs(const RunInput& input, const std::string& path) {
  const std::string found = find_in_input(input.file.root(), path);
  return found.empty() && input.options ? find_in_input(input.options->root(), path) : found;
}

std::string make_nominal_cell(const Factor& factor);

// A factor of several entries leaves them alone together: they must be alike then.
void check_same_nominal(const RunInput& input, const Factor& factor) {
  Factor other = factor;
  const std::string first = make_nominal_cell(factor);
  for (const std::string& path : factor.paths) {
    other.nominal = find_in_inputs(input, path);
    if (other.nominal == factor.nominal || make_nominal_cell(other) == first) continue;
    throw InputError(
        fmt::format("{}: the input has {} at {} and {} at {}; say what both are while others "
                    "change ('nominal')",
                    factor.place, factor.nominal.empty() ? "nothing" : factor.nominal,
                    factor.paths.front(), other.nominal.empty() ? "nothing" : other.nominal, path));
  }
}

// The nominal value as the factor's column has it: the input may be in another unit, or in none.
std::string make_nominal_cell(const Factor& factor) {
  if (factor.nominal.empty() || !factor.is_number) return factor.nominal;
  NumberWithUnit number;
  try {
    number = read_number_with_unit(InputFile::parse("x: " + factor.nominal, "x").root().at("x"));
  } catch (const InputError&) {
    return "";  // a word or a list, in place of which the factor puts numbers
  }
  if (number.unit == factor.unit) return format_cell(number.value);
  try {
    // Fifteen digits: 0.3 m is 300 mm, not 300.00000000000006.
    const double x = convert_units(number.value, number.unit, factor.unit);
    return format_cell(std::stod(fmt::format("{:.15g}", x)));
  } catch (const InputError& error) {
    throw InputError(fmt::format(
        "{}: the input has {} at {}, which is not in the unit of this factor: {}; give 'nominal'{}",
        factor.place, factor.nominal, factor.paths.front(), error.what(),
        factor.unit.empty() ? "" : " in " + factor.unit));
  }
}

}  // namespace

void fill_nominal_values(Study* study) {
  const bool uses_nominal =
      study->design.method == Method::kSweep || study->design.method == Method::kMultiStart;
  const RunInput input = make_run_input(*study, {});
  for (Factor& factor : study->factors) {
    if (factor.is_seed) continue;
    if (factor.nominal.empty()) {
      factor.nominal = find_in_inputs(input, factor.paths.front());
      if (uses_nominal) check_same_nominal(input, factor);
    }
    factor.nominal_cell = make_nominal_cell(factor);
  }
}

}  // namespace vesica::studies
