// What the volumetric systems of reproduce.h share: a scene run with the exact contact and with the
// source's approximations side by side, rows with the energy ledger. Internal to reproduce/.
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

// Verdicts where there is no source: what was expected, and whether it holds.
std::string judge_expected(bool holds, const std::string& expectation);
std::string judge_expected(double ours, double expected, double relative,
                           const std::string& expectation);

// Rows of one system and case.
class Rows {
 public:
  Rows(SystemReport* report, std::string system, nlohmann::ordered_json where);

  void add(const char* quantity, double ours, const char* unit, const std::string& verdict,
           std::optional<double> source = std::nullopt);
  // Two rows: what the integrator gained or lost over what was dissipated, above whose bound the
  // run has failed; and what contacts without a potential, and bristles, took or gave.
  void add_energy(const SceneRun& run, double bound = 1e-4);

 private:
  SystemReport* report_;
  std::string system_;
  nlohmann::ordered_json where_;
};

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
