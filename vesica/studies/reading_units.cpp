// In which unit a figure of a run is, and how it gets into the one that the study asks for.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "vesica/io/units.h"
#include "vesica/studies/readings.h"

namespace vesica::studies {
namespace {

using UnitJson = nlohmann::ordered_json;

// Keys of the summary of a run (simulation/summary.cpp), by the last word of the path.
constexpr std::pair<std::string_view, std::string_view> kUnitsByKey[] = {
    {"end_time", "s"},           {"step", "s"},
    {"max_normal_force", "N"},   {"max_depth", "m"},
    {"impulse", "N s"},          {"impulse_inaccurate", "N s"},
    {"impulse_not_flat", "N s"}, {"energy_through", "J"},
    {"non_potential_work", "J"}, {"time", "s"},
    {"closing_speed", "m/s"},    {"max_force", "N"},
    {"mean_force", "N"},         {"max_outside", "N"},
    {"max_peak_pressure", "Pa"}, {"max_area", "m^2"}};
// And by a word within it: items of lists, parts of the energy.
constexpr std::pair<std::string_view, std::string_view> kUnitsByPart[] = {
    {"position", "m"},
    {"velocity", "m/s"},
    {"spin", "rad/s"},
    {"marker_error_mm", "mm"},
    {"evaluated_error_mm", "mm"}};

std::vector<std::string_view> split_path(std::string_view path) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t dot = path.find('.');
    parts.push_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    path.remove_prefix(dot + 1);
  }
}

// Empty: a plain number, or nobody knows.
std::string find_summary_unit(const std::string& path, const UnitJson& summary) {
  // Fits say it beside the value.
  const size_t dot = path.rfind('.');
  if (dot != std::string::npos) {
    const UnitJson* parent = find_in_json(summary, path.substr(0, dot), nullptr, nullptr);
    if (parent != nullptr && parent->is_object() && parent->contains("unit")) {
      return path.substr(dot + 1) == "determined" ? "" : (*parent)["unit"].get<std::string>();
    }
  }
  const auto parts = split_path(path);
  if (parts.front() == "energy") return "J";
  if (parts.front() != "parameters") {
    for (const auto& [key, unit] : kUnitsByKey) {
      if (parts.back() == key) return std::string(unit);
    }
  }
  for (const auto& [part, unit] : kUnitsByPart) {
    for (const std::string_view p : parts) {
      if (p == part) return std::string(unit);
    }
  }
  return "";
}

std::string unit_of_column(const Reading& r, const RunLeavings& leavings) {
  const auto [table, column] = find_column(r, leavings);
  const std::string& unit = table->columns[column].unit;
  return unit == "1" ? "" : unit;
}

std::string find_own_unit(const Reading& r, const RunLeavings& leavings) {
  switch (r.kind) {
    case Reading::Kind::kSummary:
      return find_summary_unit(r.path, *leavings.summary);
    case Reading::Kind::kColumn: {
      const std::string_view take = column_takes()[r.take];
      if (take.starts_with("time_of")) return "s";
      const std::string unit = unit_of_column(r, leavings);
      if (take != "integral") return unit;
      return unit.empty() ? "s" : unit + " s";
    }
    case Reading::Kind::kAt:
    case Reading::Kind::kCurve:
      return unit_of_column(r, leavings);
    case Reading::Kind::kCrossing:
      return "s";
    case Reading::Kind::kEvent:
      return r.takes_speed ? "m/s" : "s";
    case Reading::Kind::kCount:
      break;
  }
  return "";
}

// The level of a crossing in the unit of its column.
void settle_level(const RunLeavings& leavings, Reading* r) {
  if (r->kind != Reading::Kind::kCrossing || r->level_unit.empty()) return;
  const std::string unit = unit_of_column(*r, leavings);
  if (unit.empty()) {
    throw InputError(fmt::format("{}: '{}' is a plain number; give 'crosses' without a unit",
                                 r->place, r->column));
  }
  try {
    r->level = convert_units(r->level, r->level_unit, unit);
    r->level_unit.clear();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: 'crosses' of '{}', which is in {}: {}", r->place, r->column,
                                 unit, error.what()));
  }
}

}  // namespace

void settle_unit(const RunLeavings& leavings, Reading* r) {
  for (const auto& when : {r->from_when, r->until_when, r->at_when}) {
    if (when) settle_unit(leavings, when.get());
  }
  settle_level(leavings, r);
  if (r->unit.empty()) return;
  const std::string own = find_own_unit(*r, leavings);
  if (own == r->unit) return;
  const std::string what = r->kind == Reading::Kind::kSummary ? r->path
                           : r->column.empty()                ? "a number of events"
                                                              : r->column;
  if (own.empty()) {
    throw InputError(fmt::format(
        "{}: {} is a plain number, or one whose unit is not known; take 'unit: {}' away", r->place,
        what, r->unit));
  }
  try {
    r->scale = convert_units(1, own, r->unit);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {} is in {}, which does not go into 'unit: {}': {}", r->place,
                                 what, own, r->unit, error.what()));
  }
}

}  // namespace vesica::studies
