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

std::string judge_expected(bool holds, const std::string& expectation) {
  return fmt::format("{}: {}", holds ? "as expected" : "differs", expectation);
}
std::string judge_expected(double ours, double expected, double relative,
                           const std::string& expectation) {
  return judge_expected(std::abs(ours - expected) <= relative * std::abs(expected),
                        fmt::format("{} = {:.5g}", expectation, expected));
}

Rows::Rows(SystemReport* report, std::string system, nlohmann::ordered_json where)
    : report_(report), system_(std::move(system)), where_(std::move(where)) {}

void Rows::add(const char* quantity, double ours, const char* unit, const std::string& verdict,
               std::optional<double> source) {
  report_->figures.push_back({system_, quantity, where_, source, ours, unit, verdict});
}

// Measured: 1.3e-5 for ten_boxes, 4e-6 and less for the others with adaptive steps.
void Rows::add_energy(const SceneRun& run, double bound) {
  const double* ledger = run.result().state.data() + run.system().layout().ledger_start();
  double dissipated = 0;
  for (int k : {kNormalDamping, kRolling, kSliding, kSpinning}) dissipated += ledger[k];
  const double part = std::abs(run.result().residual) / dissipated;
  const bool closes = part <= bound;
  add("ledger_residual", part, "1",
      judge_expected(closes,
                     fmt::format("the ledger closes to {:g} of what is dissipated", bound)));
  if (!closes) {
    report_->failures.push_back(
        fmt::format("{} {}: the energy ledger does not close: {:.2g} J of {:.2g} J dissipated; "
                    "a smaller tolerance or step is needed",
                    system_, where_.dump(), run.result().residual, dissipated));
  }
  add("non_potential_work", run.result().non_potential_work, "J",
      "reported: of normals that turn and of bristles under changing load");
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
