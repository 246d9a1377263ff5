#include "reproduce/presets.h"

#include <fmt/format.h>

#include <cmath>

namespace vesica::detail {

Settings with_preset(const char* preset, size_t contacts, Settings settings) {
  for (size_t k = 0; k < contacts; ++k) {
    settings.emplace_back(fmt::format("contacts.{}.preset", k), preset);
  }
  return settings;
}

PresetRuns::PresetRuns(const ReproduceOptions& options, const std::string& scene, size_t contacts,
                       const Settings& settings, SystemReport* report)
    : exact_(options, scene, with_preset("exact", contacts, settings), report),
      source_(options, scene, with_preset("gonthier2007", contacts, settings), report) {}

void PresetRuns::each(const std::function<void(const char*, const SceneRun&)>& visit) const {
  visit("exact", exact_);
  visit("gonthier2007", source_);
}

TimePlot PresetRuns::plot(const std::string& title, const std::string& unit,
                          const std::vector<std::pair<std::string, Series>>& series) const {
  std::vector<std::pair<std::string, std::vector<double>>> curves;
  for (const auto& [name, of] : series) {
    const std::string prefix = name.empty() ? "" : fmt::format("{}, ", name);
    curves.emplace_back(fmt::format("{}exact", prefix), of(exact_));
    curves.emplace_back(fmt::format("{}gonthier2007", prefix), of(source_));
  }
  return make_plot(title, unit, exact_, curves);
}

PresetRuns::Series column_of(const std::string& name, double factor) {
  return [=](const SceneRun& run) {
    auto values = run.column(name);
    for (double& x : values) x *= factor;
    return values;
  };
}

}  // namespace vesica::detail
