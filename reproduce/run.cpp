#include "reproduce/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/model/model_file.h"
#include "vesica/simulation/make_scene.h"

namespace vesica::detail {

SceneRun::SceneRun(const ReproduceOptions& options, const std::string& name,
                   const Settings& settings, SystemReport* report)
    : SceneRun(
          options,
          [&] {
            InputFile file = InputFile::load(fmt::format("{}/{}.yaml", options.scenes, name));
            for (const auto& [path, value] : settings) file.set(path, value);
            return read_model(file);
          }(),
          report) {}

SceneRun::SceneRun(const ReproduceOptions& options, const Model& model, SystemReport* report)
    : options_(make_run_options(model)), system_(make_scene<double>(model), options_.ledger) {
  options_.tolerance *= options.tolerance_scale;
  options_.step *= options.tolerance_scale;
  RunControl control;
  control.stop = options.stop;
  result_ = simulate(system_, options_, control);
  if (result_.interrupted) throw Interrupted("interrupted");
  report->simulated += result_.end_time;
  report->seconds += result_.statistics.seconds;
  if (!result_.failure.empty()) {
    report->failures.push_back(fmt::format("{}: {}", model.places->file(), result_.failure));
  }
}

std::vector<double> SceneRun::column(const std::string& name) const {
  const size_t index = result_.recording.find(name);
  if (index == result_.recording.columns.size()) {
    throw InputError(fmt::format("reproduce: the recording has no column {}", name));
  }
  return result_.recording.column(index);
}

std::vector<double> SceneRun::magnitude(const std::string& name, std::string_view axes) const {
  std::vector<double> total(times().size(), 0.0);
  for (const char axis : axes) {
    const auto part = column(fmt::format("{}.{}", name, axis));
    for (size_t k = 0; k < total.size(); ++k) total[k] = std::hypot(total[k], part[k]);
  }
  return total;
}

std::vector<double> SceneRun::energy() const {
  std::vector<double> total(times().size(), 0.0);
  for (const char* name : {"kinetic", "gravity", "contact", "springs"}) {
    const auto part = column(fmt::format("energy.{}", name));
    for (size_t k = 0; k < total.size(); ++k) total[k] += part[k];
  }
  return total;
}

std::vector<double> SceneRun::total_energy() const {
  auto total = energy();
  const auto stored = column("energy.stored");
  for (size_t k = 0; k < total.size(); ++k) total[k] += stored[k];
  return total;
}

size_t SceneRun::row_at(double time) const {
  const auto row = std::lower_bound(times().begin(), times().end(), time) - times().begin();
  return std::min(static_cast<size_t>(row), times().size() - 1);
}

double SceneRun::value_at(const std::string& name, double time) const {
  const auto values = column(name);
  const size_t row = row_at(time);
  if (row == 0 || times()[row] <= time) return values[row];
  const double part = (time - times()[row - 1]) / (times()[row] - times()[row - 1]);
  return values[row - 1] + part * (values[row] - values[row - 1]);
}

double SceneRun::distance(const std::string& name, double from, double until) const {
  double moved = 0;
  for (const char axis : {'x', 'y', 'z'}) {
    const auto part = fmt::format("{}.{}", name, axis);
    moved = std::hypot(moved, value_at(part, until) - value_at(part, from));
  }
  return moved;
}

double SceneRun::first_event(bool touchdown) const {
  for (const ContactEvent& event : result_.events) {
    if (event.touchdown == touchdown) return event.time;
  }
  return -1;
}

Rows::Rows(SystemReport* report, std::string system, nlohmann::ordered_json where)
    : report_(report), system_(std::move(system)), where_(std::move(where)) {}

void Rows::add(const char* quantity, double ours, const char* unit, const Verdict& verdict) {
  report_->figures.push_back({system_, quantity, where_, verdict.source, ours, unit, verdict.text,
                              verdict.expected, verdict.tolerance, verdict.place});
}

// Measured: 1.3e-5 for ten_boxes, 4e-6 and less for the others with adaptive steps.
void Rows::add_energy(const SceneRun& run, double bound) {
  const double* ledger = run.result().state.data() + run.system().layout().ledger_start();
  double dissipated = 0;
  for (int k : {kNormalDamping, kRolling, kSliding, kSpinning}) dissipated += ledger[k];
  const double part = std::abs(run.result().residual) / dissipated;
  add("ledger_residual", part, "",
      match_zero(part, bound, "the ledger closes, as a part of what is dissipated"));
  if (!(part <= bound)) {
    report_->failures.push_back(
        fmt::format("{} {}: the energy ledger does not close: {:.2g} J of {:.2g} J dissipated; "
                    "a smaller tolerance or step is needed",
                    system_, where_.dump(), run.result().residual, dissipated));
  }
  add("non_potential_work", run.result().non_potential_work, "J",
      reported("of normals that turn and of bristles under changing load"));
}

TimePlot make_plot(const std::string& title, const std::string& unit, const SceneRun& run,
                   const std::vector<std::pair<std::string, std::vector<double>>>& series,
                   const std::string& note) {
  constexpr size_t kPixels = 700;
  std::vector<const std::vector<double>*> columns;
  for (const auto& s : series) columns.push_back(&s.second);
  const auto rows = choose_rows(columns, run.times().size(), kPixels);
  TimePlot plot;
  plot.title = title;
  plot.unit = unit;
  plot.note = note;
  for (size_t r : rows) plot.times.push_back(run.times()[r]);
  for (const auto& s : series) {
    PlotSeries& out = plot.series.emplace_back();
    out.name = s.first;
    for (size_t r : rows) out.y.push_back(s.second[r]);
  }
  return plot;
}

}  // namespace vesica::detail
