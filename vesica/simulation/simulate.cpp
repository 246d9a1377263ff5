#include "vesica/simulation/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "vesica/io/file_error.h"
#include "vesica/simulation/driver.h"
#include "vesica/simulation/event_locator.h"
#include "vesica/simulation/fixed_step.h"

namespace vesica {
namespace detail {

namespace {

// Steps on the grid of multiples of the step; shorter ones where the run stops between, and where
// contacts begin and end if those are to be located.
class FixedGridStepper : public Stepper {
 public:
  FixedGridStepper(const System<double>& system, const RunOptions& options,
                   RunStatistics* statistics)
      : system_(system),
        step_(options.step),
        stepper_(system, static_cast<FixedStepMethod>(options.solver)),
        stages_(tableau(static_cast<FixedStepMethod>(options.solver)).stages),
        data_(system.make_evaluation<double>()),
        between_(system.make_evaluation<double>()),
        end_rates_(static_cast<size_t>(system.layout().size())),
        statistics_(statistics) {
    if (options.locates_events) locator_.emplace(system);
    data_.holds_contacts = data_.locates_events = between_.holds_contacts = options.locates_events;
  }

  void restart(const State<double>&) override {}

  void step(double until, State<double>* state, StepReport* report) override {
    before_ = data_.start_distances;
    from_ = state->t;
    const double end = calc_step_end(from_, step_, until);
    y_from_ = state->y;
    if (locator_) start_ = *state;
    stepper_.step(end, state, &data_, &report->changes);
    if (locator_) {
      const auto go_to = [&](double t, State<double>* at) {
        *at = start_;
        stepper_.step(t, at, &data_, &none_);
      };
      locator_->locate(start_, go_to, data_, state, &report->roots);
    }
    // What begins and ends at the start of this step happened in the last one; placed there by
    // linear interpolation.
    for (const ContactChange& change : report->changes) {
      const auto k = static_cast<size_t>(change.slot);
      const double now = data_.start_distances[k];
      const double fraction = now / (now - before_[k]);
      const double back = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) * last_ : 0;
      report->times.push_back(std::max(0.0, from_ - back));
    }
    last_ = report->step = state->t - from_;
    state_ = state;
    has_end_rates_ = false;
    ++statistics_->steps;
    statistics_->evaluations += stages_;
  }

  // Cubic, through the states and rates of both ends.
  void interpolate(double t, double* y) override {
    if (!has_end_rates_) {  // those before what happens at its end
      between_.after = data_.after;
      between_.before = data_.before;
      system_.calc_rates(state_->t, state_->y.data(), state_->memory, end_rates_.data(), &between_);
      has_end_rates_ = true;
    }
    const double h = state_->t - from_, s = (t - from_) / h;
    const double a = (1 + 2 * s) * (1 - s) * (1 - s), b = s * (1 - s) * (1 - s) * h;
    const double c = s * s * (3 - 2 * s), d = s * s * (s - 1) * h;
    const auto& start_rates = stepper_.start_rates();
    for (size_t k = 0; k < y_from_.size(); ++k) {
      y[k] = a * y_from_[k] + b * start_rates[k] + c * state_->y[k] + d * end_rates_[k];
    }
  }

  bool locates_events() const override { return locator_.has_value(); }
  Evaluation<double>& evaluation() override { return data_; }
  const Evaluation<double>& last_step() const override { return data_; }

 private:
  const System<double>& system_;
  double step_, from_ = 0, last_ = 0;
  FixedStepper<double, double> stepper_;
  int stages_;
  Evaluation<double> data_, between_;
  std::vector<double> before_, y_from_, end_rates_;
  const State<double>* state_ = nullptr;
  std::optional<EventLocator> locator_;
  State<double> start_;
  std::vector<ContactChange> none_;
  bool has_end_rates_ = false;
  RunStatistics* statistics_;
};

}  // namespace

std::unique_ptr<Stepper> make_fixed_stepper(const System<double>& system, const RunOptions& options,
                                            RunStatistics* statistics) {
  return std::make_unique<FixedGridStepper>(system, options, statistics);
}

}  // namespace detail

namespace {

// A solver that differentiates, and a method that cannot: said before the solver starts.
void check_derivatives(const Scene<double>& scene, Solver solver) {
  for (const auto& contact : scene.contacts) {
    bool has = has_derivatives(contact.contact.pair);
    if (contact.parts) {
      for (const auto& shapes : contact.parts->pairs) has = has && has_derivatives(shapes.pair);
    }
    if (!has) {
      throw InputError(fmt::format(
          "{}: the method voxels has no derivatives, which {} needs; use a fixed-step solver "
          "(rk4), or the method slices",
          contact.name, solver_name(solver)));
    }
  }
}

std::unique_ptr<detail::Stepper> make_stepper(const System<double>& system,
                                              const RunOptions& options, RunStatistics* statistics,
                                              const std::atomic<bool>* stop) {
  switch (options.solver) {
    case Solver::kDopri5:
      return detail::make_explicit_stepper(system, options, statistics, stop);
    case Solver::kRodas5p:
      return detail::make_rosenbrock_stepper(system, options, statistics, stop);
    case Solver::kCvode:
      return detail::make_cvode_stepper(system, options, statistics, stop);
    case Solver::kArkode:
      return detail::make_arkode_stepper(system, options, statistics, stop);
    default:
      return detail::make_fixed_stepper(system, options, statistics);
  }
}

// What to change where a contact makes energy.
std::string explain_made_energy(const System<double>& system, size_t contact) {
  const Contact<double>& c = system.scene().contacts[contact].contact;
  std::vector<std::string> remedies;
  if (!system.contact_has_potential(contact)) {
    if (c.relaxes()) remedies.emplace_back("no 'relaxation' (a solver that locates events)");
    if (c.measure() != Measure::kVolume || std::holds_alternative<VolumePower<double>>(c.normal)) {
      remedies.emplace_back("the normal law volumetric");
    }
    remedies.emplace_back(
        "'interference: {normal: conservative}' where one body is convex and of "
        "planes");
    remedies.emplace_back("a stiffer contact (less depth over edges)");
    remedies.emplace_back("damping");
  }
  if (find_bristle(c)) {
    remedies.emplace_back("bristles with 'load_proportional: false', or velocity-based friction");
  }
  return fmt::format("what helps: {}", fmt::join(remedies, "; "));
}

}  // namespace

RunResult simulate(const System<double>& system, const RunOptions& options,
                   const RunControl& control) {
  detail::Run run(system, options, control);
  RunStatistics* statistics = &run.result().statistics;
  if (options.solver == Solver::kCvode || options.solver == Solver::kRodas5p) {
    check_derivatives(system.scene(), options.solver);
  }
  try {
    run.begin();
    const auto stepper = make_stepper(system, options, statistics, control.stop);
    detail::drive(system, stepper.get(), &run);
  } catch (const Interrupted&) {
    run.result().interrupted = true;
    run.leave_checkpoint();
  } catch (const FileError& error) {
    run.result().failure = error.what();
    run.result().cannot_write = true;
  } catch (const std::exception& error) {  // what was recorded is kept
    run.result().failure = error.what();
  }
  if (control.progress) control.progress(1);
  return run.finish();
}

namespace {

// Of the patch's width, the root mean square of the distance from its middle: that of a face is
// some hundred depths, of a cube's corner 0.6. A corner is 1.2 (square face) to 1.7 (edge) of it
// from the middle, 1.3 where it alone dips in; the deepest point of a cap 0.
constexpr double kWideOverDeep = 10, kBesideMiddle = 0.5;

// Of all pairs of its parts.
WhereItWouldPull where_it_would_pull(const SceneContact<double>& c) {
  if (!c.parts) return where_it_would_pull(c.contact, c.contact);
  WhereItWouldPull worst = WhereItWouldPull::kLifts;
  for (const auto& shapes : c.parts->pairs) {
    worst = std::max(worst, where_it_would_pull(c.contact, shapes));
  }
  return worst;
}

}  // namespace

double calc_flatness(const Overlap<double>& o) {
  const double M_nn = o.n_W.dot(o.M_W * o.n_W), M_t = o.M_W.trace() - M_nn;
  return M_nn > 0 && M_t > 0 ? std::sqrt(6 * M_nn / M_t) : 0;
}

bool pushes_at_corner(const Overlap<double>& o) {
  if (!(o.volume > 0)) return false;
  const double M_t = o.M_W.trace() - o.n_W.dot(o.M_W * o.n_W);
  const double width = std::sqrt(std::max(0.0, M_t) / o.volume);
  const Vec3d arm = o.p_WD - o.p_WC;
  return width > kWideOverDeep * -o.distance &&
         (arm - arm.dot(o.n_W) * o.n_W).norm() > kBesideMiddle * width;
}

std::vector<std::string> make_warnings(const System<double>& system, const RunOptions& options,
                                       const RunResult& result) {
  std::vector<std::string> warnings = system.scene().notes;
  for (size_t k = 0; k < result.monitors.size(); ++k) {
    const ContactMonitor& m = result.monitors[k];
    const std::string& name = system.scene().contacts[k].name;
    // Before the first step it may still come; a run that goes on from another did not see it all.
    if (system.scene().begins_at_rest && m.max_force == 0 && m.touchdowns == 0 &&
        m.steps_in_contact == 0 && result.start_time == 0 && result.end_time > 0) {
      const auto& contact = system.scene().contacts[k];
      warnings.push_back(fmt::format(
          "{}: {} and {} never touch here: are the shapes of this contact where they should be?",
          name, system.scene().bodies[static_cast<size_t>(contact.body_i)].name,
          system.scene().bodies[static_cast<size_t>(contact.body_j)].name));
    }
    if (m.steps_in_contact == 0) continue;
    const bool needs_patch = system.scene().contacts[k].contact.needs_patch();
    auto percent = [&](long count) {
      return 100.0 * static_cast<double>(count) / static_cast<double>(m.steps_in_contact);
    };
    if (m.steps_clamped > 0) {
      warnings.push_back(
          fmt::format("{}: in {:.2g} % of its steps the bodies separate so fast that damping would "
                      "pull; the force was held at 0",
                      name, percent(m.steps_clamped)));
    }
    const WhereItWouldPull pulled = where_it_would_pull(system.scene().contacts[k]);
    if (m.steps_lifted > 0 && pulled != WhereItWouldPull::kLifts) {
      warnings.push_back(fmt::format(
          "{}: in {:.2g} % of its steps rolling is so fast that the foundation would pull at the "
          "edge of the patch; {}",
          name, percent(m.steps_lifted),
          pulled == WhereItWouldPull::kPulls
              ? "this preset lets it pull: use preset exact or less damping"
              : "what lifts there is found as for a cap, which these shapes are not: less damping "
                "avoids it"));
    }
    if (static_cast<double>(m.steps_at_corner) >
        kCornerBound * static_cast<double>(m.steps_in_contact)) {
      warnings.push_back(
          fmt::format("{}: in {:.3g} % of its steps a face or an edge lies flat; a law by depth "
                      "pushes at one corner of it and rocks the body, which makes runs slow and "
                      "their results those of the corner: use a volumetric law",
                      name, percent(m.steps_at_corner)));
    }
    if (m.max_depth_ratio > 0.1) {
      warnings.push_back(
          fmt::format("{}: depth reaches {:.2g} of the smaller shape; the foundation model is for "
                      "depths below a tenth: use a stiffer contact",
                      name, m.max_depth_ratio));
    }
    if (m.impulse_not_flat > kNotFlatBound * m.impulse) {
      warnings.push_back(
          fmt::format("{}: {:.2g} % of its impulse went through a patch that is no thin layer (a "
                      "corner, a short edge, a body that is pressed in deeply): stiffness and "
                      "friction there are nominal",
                      name, 100 * m.impulse_not_flat / m.impulse));
    }
    if (m.impulse_inaccurate > kInaccurateBound * m.impulse) {
      warnings.push_back(
          fmt::format("{}: {:.2g} % of its impulse passed while the {} missed {}tolerance, by an "
                      "error of up to "
                      "{:.1e} of it; loosen the tolerance{}",
                      name, 100 * m.impulse_inaccurate / m.impulse,
                      needs_patch ? "integral over the patch" : "shared volume",
                      needs_patch ? "its " : "interference.", m.max_method_error,
                      needs_patch ? ", or smooth the law (a greater v_t)"
                                  : ", or cut the solids into simpler cells"));
    }
    if (m.non_potential_work - m.uncertain_work > kMadeBound * result.energy_scale) {
      warnings.push_back(fmt::format(
          "{}: the contact made {:.3g} J, {:.2g} % of the {:.3g} J that went through it and {:.2g} "
          "% "
          "of the run's {:.3g} J: its normal turns or its load changes on bent bristles, and no "
          "potential holds it; {}",
          name, m.non_potential_work, 100 * m.non_potential_work / m.energy_through,
          m.energy_through, 100 * m.non_potential_work / result.energy_scale, result.energy_scale,
          explain_made_energy(system, k)));
    }
    if (is_fixed_step(options.solver) && m.max_step_rate > 0.3) {
      warnings.push_back(
          fmt::format("{}: the step is {:.2g} of the contact's time constant; below 0.3 it is "
                      "resolved: use a step of {:.1e} s or method cvode",
                      name, m.max_step_rate, m.step_of_max_rate * 0.3 / m.max_step_rate));
    }
  }
  for (size_t k = 0; k < result.lines.size(); ++k) {
    const LineMonitor& m = result.lines[k];
    const auto& line = system.scene().lines[k];
    if (m.inside_tension > 0) {
      const auto& points = line.path.points;
      const std::array<int, 2> bodies = {points.front().body, points.back().body};
      const auto name = [&](int end) {
        return system.scene().bodies[static_cast<size_t>(bodies[static_cast<size_t>(end)])].name;
      };
      warnings.push_back(fmt::format(
          "the ligament {} pulls with up to {:.3g} N while its end on {} lies inside {}, {:.2g} mm "
          "below the surface that touches (t = {:.4g} s): no ligament runs there; "
          "look at its attachment and at the shapes",
          line.name, m.inside_tension, name(m.inside_end), name(1 - m.inside_end),
          1e3 * m.inside_depth, m.inside_time));
    }
    if (!(m.max_strain > kStrainBound)) continue;
    warnings.push_back(fmt::format(
        "the ligament {} is strained by {:.3g} % at t = {:.4g} s; most tear before {:.2g} "
        "%: look at its slack length and attachments, or at how far the motion goes",
        line.name, 100 * m.max_strain, m.time, 100 * kStrainBound));
  }
  for (size_t k = 0; k < result.maps.size(); ++k) {
    const MapMonitor& m = result.maps[k];
    const std::string& name = options.maps[k].title();
    if (m.edge_on > 0) {
      warnings.push_back(
          fmt::format("the pressure map {} is seen from the side in {} of {} frames, where all of "
                      "it counts as outside: turn its frame so that z is along the contact normal",
                      name, m.edge_on, m.frames));
    } else if (m.max_outside > kOutsideBound * m.most.force) {
      warnings.push_back(
          fmt::format("the pressure map {}: up to {:.3g} N of at most {:.3g} N press beside its "
                      "cells; choose a larger size, or another frame",
                      name, m.max_outside, m.most.force));
    }
    if (m.calc_error() > kSamplingBound) {
      warnings.push_back(fmt::format(
          "the pressure map {}: its samples gave the normal force within {:.2g} % before "
          "they were scaled to it; smaller cells are more accurate",
          name, 100 * m.calc_error()));
    }
  }
  if (is_fixed_step(options.solver) && options.step > options.duration) {
    warnings.push_back(
        fmt::format("solver.step, {:.3g} s, is longer than the duration: steps of {:.3g} s at most "
                    "were taken",
                    options.step, options.duration));
  }
  if (static_cast<double>(result.statistics.stiff_steps) >
      kStiffBound * static_cast<double>(result.statistics.steps)) {
    warnings.push_back(fmt::format(
        "in {:.3g} % of the steps stability, not accuracy, set the step: the scene is stiff there, "
        "and method cvode or rodas5p takes longer steps",
        100 * static_cast<double>(result.statistics.stiff_steps) /
            static_cast<double>(result.statistics.steps)));
  }
  const double scale = result.energy_scale;
  if (system.layout().ledger && scale > 0 && std::abs(result.residual) > kLedgerBound * scale) {
    warnings.push_back(fmt::format(
        "energy does not add up: {:.3g} J of {:.3g} J {}; use a shorter step or a tighter "
        "tolerance",
        std::abs(result.residual), scale, result.residual > 0 ? "appeared" : "vanished"));
  }
  return warnings;
}

}  // namespace vesica
