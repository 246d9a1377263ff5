#include "vesica/simulation/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "vesica/error.h"
#include "vesica/math/exactly.h"
#include "vesica/simulation/driver.h"
#include "vesica/simulation/events.h"
#include "vesica/simulation/fixed_step.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/recording.h"
#include "vesica/simulation/switch_times.h"

namespace vesica {
namespace {

constexpr char kInterruption[] = "interrupted: no derivatives were written";

// A contact that begins or ends more slowly than this, of the speed of its bodies, grazes: 1e-14 of
// it is rounding (that of the look beyond the touch, events.h).
constexpr double kGrazing = 1e-7;

// The steps of the plain run, and where they ended at a located event (StepReport::roots).
struct TapeStep {
  double end = 0;
  std::vector<int> roots;
};

// Steps like another, and keeps a tape.
class TapingStepper final : public detail::Stepper {
 public:
  TapingStepper(std::unique_ptr<detail::Stepper> stepper, std::vector<TapeStep>* tape)
      : stepper_(std::move(stepper)), tape_(tape) {}
  void restart(const State<double>& state) override { stepper_->restart(state); }
  void step(double until, State<double>* state, detail::StepReport* report) override {
    stepper_->step(until, state, report);
    tape_->push_back({state->t, report->roots});
  }
  void interpolate(double t, double* y) override { stepper_->interpolate(t, y); }
  bool locates_events() const override { return stepper_->locates_events(); }
  Evaluation<double>& evaluation() override { return stepper_->evaluation(); }
  const Evaluation<double>& last_step() const override { return stepper_->last_step(); }

 private:
  std::unique_ptr<detail::Stepper> stepper_;
  std::vector<TapeStep>* tape_;
};

RunResult simulate_on_tape(const System<double>& system, const RunOptions& options,
                           const RunControl& control, std::vector<TapeStep>* tape) {
  detail::Run run(system, options, control);
  run.begin();
  TapingStepper stepper(detail::make_fixed_stepper(system, options, &run.result().statistics),
                        tape);
  detail::drive(system, &stepper, &run);
  if (run.result().interrupted) throw Interrupted(kInterruption);
  return run.finish();
}

// The trajectory on dual numbers: rows at the recording interval, final state.
template <class T>
struct Trajectory {
  std::vector<double> times;
  std::vector<T> rows;
  std::vector<T> state;
  long grazes = 0;
  double seconds = 0;
};

// How the time of an event moves, as a number that is zero: the distance of its contact stays what
// it is at the end of a step whose length changes. The step is taken from `start` with an end that
// does not move and with one that moves by 1 in all directions. Where that changes nothing (a
// contact that grazes) there is no derivative: zero comes out, and it is counted.
template <class T>
T calc_time_shift(const System<T>& system, size_t slot, bool touchdown, double end,
                  const State<T>& start, const T& start_shift, FixedStepper<T, T>* stepper,
                  Evaluation<T>* data, detail::EventHandler<T, T>* events, long* grazes) {
  std::vector<ContactChange> none;
  T unit(0), distances[2];
  for (int k = 0; k < ScalarTraits<T>::kDerivatives; ++k) unit.v[k] = 1;
  for (const int moves : {0, 1}) {
    State<T> state = start;
    stepper->step(end, start_shift, moves ? unit : T(0), &state, data, &none);
    distances[moves] = events->calc_distance(slot, touchdown, *data, state);
  }
  const auto& slope = distances[0].v;
  int least = 0;  // where the difference loses no digits
  for (int k = 1; k < ScalarTraits<T>::kDerivatives; ++k) {
    if (std::abs(slope[k]) < std::abs(slope[least])) least = k;
  }
  const double rate = distances[1].v[least] - slope[least];
  const auto& contact = system.scene().contacts[system.layout().contact_of(slot)];
  const double speed =
      system.calc_rim_speed(contact.body_i, *data) + system.calc_rim_speed(contact.body_j, *data);
  T shift(0);
  if (!(std::abs(rate) > kGrazing * speed)) {
    ++*grazes;
    return shift;
  }
  for (int k = 0; k < ScalarTraits<T>::kDerivatives; ++k) shift.v[k] = -slope[k] / rate;
  return shift;
}

// The steps of the tape once more. Where they end at events their ends carry derivatives; in
// between, and for what is recorded, derivatives are those at a fixed time.
template <class T>
Trajectory<T> run(const System<T>& system, const RunOptions& options,
                  const std::vector<TapeStep>& tape, const std::vector<double>& switches,
                  const RunControl& control) {
  const auto start = std::chrono::steady_clock::now();
  Trajectory<T> result;
  State<T> state = system.make_initial_state();
  auto data = system.template make_evaluation<T>();
  auto scratch = system.template make_evaluation<T>();
  scratch.wants_gap = scratch.wants_depth = true;
  std::vector<T> rates(state.y.size());
  std::vector<ContactChange> changes;
  FixedStepper<T, T> stepper(system, static_cast<FixedStepMethod>(options.solver));
  detail::EventHandler<T, T> events(system);
  data.holds_contacts = options.locates_events;
  system.find_parts(&state, &scratch, &changes);
  system.calc_rates(0, state.y.data(), state.memory, rates.data(), &scratch);
  const T start_energy = calc_energies(system, state.y.data(), scratch).mechanical();
  if (options.locates_events) events.capture(data, &state, &changes);
  double next = 0;
  const double slack = 1e-9 * options.interval;
  // A row that falls within a step is that of its end: dual numbers are not interpolated.
  T shift(0);  // of the time at which the state is
  std::vector<T> y;
  const auto take_at_fixed_time = [&] {
    y = state.y;
    if (is_exactly(shift, 0)) return;
    system.calc_rates(state.t, y.data(), state.memory, rates.data(), &data);
    for (size_t k = 0; k < y.size(); ++k) y[k] -= rates[k] * shift;
  };
  const auto record = [&] {
    if (!(options.interval > 0 && state.t >= next - slack)) return;
    take_at_fixed_time();
    system.calc_rates(state.t, y.data(), state.memory, rates.data(), &scratch);
    result.times.push_back(state.t);
    append_row(system, y.data(), scratch, start_energy, &result.rows);
    next = static_cast<double>(result.times.size()) * options.interval;
  };
  auto stop = switches.begin();
  data.before = stop == switches.end() ? kInfinity : *stop;
  record();
  for (const TapeStep& step : tape) {
    changes.clear();
    const auto next_root = [&](size_t from) {
      while (from < step.roots.size() && step.roots[from] == 0) ++from;
      return from;
    };
    const auto step_to = [&](const T& end_shift) {
      if (is_exactly(shift, 0) && is_exactly(end_shift, 0)) {
        stepper.step(step.end, &state, &data, &changes);
      } else {
        stepper.step(step.end, shift, end_shift, &state, &data, &changes);
      }
      shift = end_shift;
    };
    const auto calc_shift = [&](size_t root) {
      return calc_time_shift(system, root, step.roots[root] < 0, step.end, state, shift, &stepper,
                             &data, &events, &result.grazes);
    };
    const size_t first = next_root(0);
    step_to(first < step.roots.size() ? calc_shift(first) : T(0));
    for (const T& x : state.y) {
      if (std::isfinite(value_of(x))) continue;
      throw RunError(fmt::format(
          "the state is no longer finite at t = {:.6g} s; use a shorter solver.step", state.t));
    }
    record();
    // What happens at the same time moves by itself: on to it by a step that has no length but in
    // its derivatives.
    for (size_t k = first; k < step.roots.size(); k = next_root(k + 1)) {
      if (k != first) step_to(calc_shift(k));
      events.cross(k, step.roots[k] < 0, data, &state, &changes);
    }
    if (options.locates_events && events.find_parts(data, &state, &changes)) {
      events.capture(data, &state, &changes);
    }
    if (stop != switches.end() && state.t >= *stop) {
      data.after = *stop;
      ++stop;
      data.before = stop == switches.end() ? kInfinity : *stop;
    }
    if (control.stop && control.stop->load(std::memory_order_relaxed)) {
      throw Interrupted(kInterruption);
    }
    if (control.progress) control.progress(state.t / options.duration);
  }
  take_at_fixed_time();
  result.state = y;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

// The next `count` paths in one run; returns its seconds.
template <class T>
double add_batch(const Model& model, const RunOptions& options,
                 const std::vector<std::string>& paths, size_t first, size_t count,
                 const std::vector<TapeStep>& tape, const std::vector<double>& switches,
                 const RunControl& control, SensitivityResult* result,
                 std::vector<std::vector<double>>* columns) {
  const auto begin = paths.begin() + static_cast<std::ptrdiff_t>(first);
  const System<T> system(make_scene<T>(model, {begin, begin + static_cast<std::ptrdiff_t>(count)}),
                         options.ledger);
  const auto trajectory = run(system, options, tape, switches, control);
  for (size_t k = 0; k < count; ++k) {
    std::vector<double> final_state, column;
    for (const auto& x : trajectory.state) final_state.push_back(x.v[static_cast<int>(k)]);
    for (const auto& x : trajectory.rows) column.push_back(x.v[static_cast<int>(k)]);
    result->final_derivatives.push_back(std::move(final_state));
    columns->push_back(std::move(column));
  }
  result->recording.times = trajectory.times;
  result->grazes = trajectory.grazes;
  return trajectory.seconds;
}

}  // namespace

SensitivityResult simulate_sensitivity(const Model& model, const RunOptions& options,
                                       const std::vector<std::string>& paths,
                                       const RunControl& control) {
  if (!is_fixed_step(options.solver)) {
    throw InputError(
        fmt::format("sensitivities run through the explicit fixed-step methods, not {}; add --set "
                    "'solver={{method: rk4, step: 1e-4}}'",
                    solver_name(options.solver)));
  }
  for (auto path = paths.begin(); path != paths.end(); ++path) {
    if (std::find(paths.begin(), path, *path) == path) continue;
    throw InputError(fmt::format("--sensitivity {} is given twice", *path));
  }
  SensitivityResult result;
  result.paths = paths;
  const System<double> plain(make_scene<double>(model), options.ledger);
  std::vector<TapeStep> tape;
  const RunResult reference = simulate_on_tape(plain, options, control, &tape);
  result.end_time = reference.end_time;
  result.warnings = make_warnings(plain, options, reference);
  const std::vector<double> switches = find_switch_times(plain.scene(), options.duration);

  std::vector<std::vector<double>> columns;
  double seconds = 0;
  // Twelve cost less than twice what four do.
  for (size_t first = 0; first < paths.size();) {
    const size_t left = paths.size() - first;
    const size_t count = std::min<size_t>(left, left > 4 ? 12 : 4);
    const auto add = left > 4 ? add_batch<Dual<12>> : add_batch<Dual<4>>;
    seconds += add(model, options, paths, first, count, tape, switches, control, &result, &columns);
    first += count;
  }
  const double plain_seconds = reference.statistics.seconds;
  result.cost = plain_seconds > 0 ? seconds / plain_seconds : 0;

  const TimeTable names = make_recording(plain);
  result.recording.name = "sensitivity";
  for (const std::string& path : paths) {
    for (const auto& column : names.columns) {
      result.recording.columns.push_back({fmt::format("d({})/d({})", column.name, path), ""});
    }
  }
  const size_t width = names.columns.size();
  for (size_t row = 0; row < result.recording.times.size(); ++row) {
    for (const auto& column : columns) {
      for (size_t c = 0; c < width; ++c) result.recording.values.push_back(column[row * width + c]);
    }
  }
  result.final_names = make_state_names(plain);
  for (auto& column : result.final_derivatives) column.resize(result.final_names.size());
  const auto touchdowns =
      std::count_if(reference.events.begin(), reference.events.end(),
                    [](const ContactEvent& e) { return e.touchdown && e.time > 0; });
  if (touchdowns > 0 && !options.locates_events) {
    result.warnings.push_back(
        fmt::format("{} touchdowns fell on a step: the derivative jumps, by an amount that shrinks "
                    "with the step, where a touchdown moves to the next step; with "
                    "solver.events: located it is smooth",
                    touchdowns));
  }
  if (result.grazes > 0) {
    result.warnings.push_back(
        fmt::format("{} times a contact begins or ends where its bodies only graze each other: "
                    "there is no derivative, and what the event changes is left out",
                    result.grazes));
  }
  return result;
}

nlohmann::ordered_json make_sensitivity_json(const SensitivityResult& result) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["end_time"] = result.end_time;
  json["cost"] = result.cost;
  for (size_t p = 0; p < result.paths.size(); ++p) {
    Json column;
    for (size_t k = 0; k < result.final_names.size(); ++k) {
      column[result.final_names[k]] = result.final_derivatives[p][k];
    }
    json["final_state_by"][result.paths[p]] = column;
  }
  json["warnings"] = result.warnings;
  return json;
}

}  // namespace vesica
