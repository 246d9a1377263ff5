// What the volumetric systems of reproduce.h share: a scene run with the exact contact and with the
// source's approximations side by side. Internal to reproduce/.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reproduce/run.h"

namespace vesica::detail {

// The settings and a preset for so many contacts.
Settings with_preset(const char* preset, size_t contacts, Settings settings = {});

// A scene with the presets exact and gonthier2007 of all its contacts.
class PresetRuns {
 public:
  PresetRuns(const ReproduceOptions& options, const std::string& scene, size_t contacts,
             const Settings& settings, SystemReport* report);

  const SceneRun& exact() const { return exact_; }
  void each(const std::function<void(const char* preset, const SceneRun&)>& visit) const;
  // Both in one plot.
  using Series = std::function<std::vector<double>(const SceneRun&)>;
  TimePlot plot(const std::string& title, const std::string& unit,
                const std::vector<std::pair<std::string, Series>>& series) const;

 private:
  SceneRun exact_, source_;
};

PresetRuns::Series column_of(const std::string& name, double factor = 1);

}  // namespace vesica::detail
