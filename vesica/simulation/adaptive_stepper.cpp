#include "vesica/simulation/adaptive_stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "vesica/error.h"
#include "vesica/simulation/switch_times.h"

namespace vesica::detail {
namespace {

constexpr double kShortest = 16 * std::numeric_limits<double>::epsilon();  // of the time
constexpr double kLittleTime = 1e-9;                                       // s, at the start
constexpr double kNotFinite = 0.1;  // of a step that met forces that are not finite
// Of a step that is taken again: from which share of it the margin is extrapolated, how near to
// zero the margin shall come, and how often it may be taken.
constexpr double kSecant = 1e-3, kNearZero = 0.5;
constexpr int kMostRetakes = 5;

}  // namespace

AdaptiveStepper::AdaptiveStepper(const System<double>& system, const RunOptions& options,
                                 RunStatistics* statistics, const std::atomic<bool>* stop)
    : system_(system),
      size_(system.layout().size()),
      start_(system.make_initial_state()),
      end_(start_.y),
      error_(start_.y),
      weights_(start_.y),
      data_(system.make_evaluation<double>()),
      statistics_(statistics),
      stop_(stop),
      longest_(std::min(options.max_step > 0 ? options.max_step : kInfinity,
                        calc_signal_step(system.scene()))),
      tolerance_(options.tolerance),
      absolute_(calc_state_scales(system)),
      locator_(system),
      trial_(start_),
      rates_(end_) {
  data_.holds_contacts = true;
  for (double& a : absolute_) a *= tolerance_;
  crossed_.reserve(8);
}

void AdaptiveStepper::restart(const State<double>&) {
  next_ = 0;
  has_end_ = false;
}

void AdaptiveStepper::calc_rates(double share, const double* y, double* rates) {
  if (stop_ && stop_->load(std::memory_order_relaxed)) throw Interrupted("within a step");
  system_.calc_rates(start_.t + share * length_, y, start_.memory, rates, &data_);
  ++statistics_->evaluations;
  // What is held apart is seen at a distance of zero.
  for (size_t k = 0; k < start_.memory.size(); ++k) {
    const double distance = data_.overlaps[k].distance;
    if (start_.memory[k].touching ? distance > 0 : distance <= 0) {
      crossed_.push_back(share);
      return;
    }
  }
}

double AdaptiveStepper::calc_norm(const double* x) const {
  double sum = 0;
  for (int k = 0; k < size_; ++k) {
    const double scaled = x[k] * weights_[static_cast<size_t>(k)];
    sum += scaled * scaled;
  }
  return std::sqrt(sum / size_);
}

// Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, II.4: so that an explicit
// Euler step, and one as long as the second derivative allows, err by a hundredth. It does not look
// at the end of the run, on which the path may not depend.
double AdaptiveStepper::guess_step(double limit) {
  const double* rates = start_rates();
  const double y = calc_norm(start_.y.data()), f = calc_norm(rates);
  double h = std::min(y > 1e-10 && f > 1e-10 ? 0.01 * y / f : 1e-6, limit);
  for (int k = 0; k < size_; ++k) end_[k] = start_.y[k] + h * rates[k];
  length_ = h;
  calc_rates(1, end_.data(), rates_.data());
  for (int k = 0; k < size_; ++k) rates_[k] -= rates[k];
  const double change = calc_norm(rates_.data()) / h;
  const double steepest = std::max(f, change);
  if (!std::isfinite(steepest)) return 1e-3 * h;
  const double longer =
      steepest > 1e-15 ? std::pow(0.01 / steepest, 1.0 / order()) : std::max(1e-6, 1e-3 * h);
  return std::min({100 * h, longer, limit});
}

void AdaptiveStepper::step(double until, State<double>* state, StepReport* report) {
  if (has_end_) go_on();
  start_ = *state;
  if (!has_end_) {
    crossed_.clear();
    calc_rates(0, start_.y.data(), start_rates());
  }
  for (size_t k = 0; k < weights_.size(); ++k) {
    weights_[k] = 1 / (tolerance_ * std::abs(start_.y[k]) + absolute_[k]);
  }
  const double limit = calc_max_step(system_, longest_, data_);
  if (!(next_ > 0)) next_ = guess_step(limit);

  const double left = until - start_.t;
  const double shortest = kShortest * std::max(start_.t, kLittleTime);
  bool rejected = false;
  for (;;) {
    length_ = std::min(next_, limit);
    // What rounding leaves of a step is none.
    if (length_ > left * (1 - 1e-9)) length_ = left;
    crossed_.clear();
    attempt(length_);
    const double error = calc_norm(error_.data());
    const double factor = std::isfinite(error) ? calc_factor(error) : kNotFinite;
    next_ = length_ * (rejected ? std::min(factor, 1.0) : factor);
    if (error <= 1) break;
    rejected = true;
    ++statistics_->rejected;
    if (next_ > shortest) continue;
    throw RunError(
        std::isfinite(error)
            ? fmt::format("{} could not meet the tolerance with the shortest step at t = {:.6g} s "
                          "(last step {:.2e} s); {}",
                          name(), start_.t, length_, remedy())
            : fmt::format("{} met forces that are not finite at t = {:.6g} s (last step {:.2e} s); "
                          "check masses, stiffnesses and start positions",
                          name(), start_.t, length_));
  }
  ++statistics_->steps;
  accept();
  has_end_ = true;
  state->t = length_ < left ? start_.t + length_ : until;
  state->y = end_;
  if (!crossed_.empty()) find_events(state, report);
  report->step = state->t - start_.t;
}

void AdaptiveStepper::find_events(State<double>* state, StepReport* report) {
  const auto go_to = [&](double t, State<double>* at) {
    at->t = t;
    calc_between((t - start_.t) / length_, at->y.data());
  };
  // Where a stage has seen one, its polynomial may have one too: a contact that begins and ends
  // within the step.
  std::sort(crossed_.begin(), crossed_.end());
  for (size_t k = 0; k < crossed_.size(); ++k) {
    const double share = crossed_[k];
    trial_ = *state;
    if (share < 1) go_to(start_.t + share * length_, &trial_);
    locator_.locate(start_, go_to, data_, &trial_, &report->roots);
    if (report->roots.empty()) continue;
    *state = trial_;
    const bool lifts = std::count(report->roots.begin(), report->roots.end(), 1) > 0;
    if (lifts) retake(state);
    system_.calc_rates(state->t, state->y.data(), state->memory, rates_.data(), &data_);
    return;
  }
}

void AdaptiveStepper::retake(State<double>* state) {
  const double length = length_, before = state->t - kSecant * length;
  calc_between((before - start_.t) / length, trial_.y.data());
  trial_.t = before;
  const double margin_before = locator_.calc_margin(trial_, data_);
  const double slope = (locator_.calc_margin(*state, data_) - margin_before) / (state->t - before);
  double t = state->t;
  for (int k = 0; k < kMostRetakes && slope < 0 && t > start_.t && t < start_.t + length; ++k) {
    length_ = t - start_.t;
    attempt(length_);
    trial_.t = t;
    trial_.y = end_;
    const double margin = locator_.calc_margin(trial_, data_);
    if (std::abs(margin) < kNearZero) {
      *state = trial_;
      return;
    }
    t -= margin / slope;
  }
  length_ = length;  // the first one stays
  attempt(length_);
}

}  // namespace vesica::detail
