#include "vesica/simulation/event_locator.h"

#include <algorithm>
#include <cmath>

namespace vesica::detail {
namespace {

// A contact begins this far inside, and ends this far outside, of the smaller body's size: beyond
// the rounding of the distance, so that either side is sure. Found to `kResolved` of it.
constexpr double kBeyond = 1e-12;
constexpr double kResolved = 1e-3;
constexpr int kMostTrials = 80;

}  // namespace

EventLocator::EventLocator(const System<double>& system)
    : system_(system), seen_(system.make_evaluation<double>()) {
  seen_.locates_events = true;
  for (size_t k = 0; k < system.layout().slots(); ++k) {
    const double size = system.calc_size(k);
    tolerances_.push_back(kBeyond * (std::isfinite(size) ? size : 1));
  }
  margins_.resize(tolerances_.size());
}

double EventLocator::calc_margin(const State<double>& state, const Evaluation<double>& window) {
  seen_.after = window.after;
  seen_.before = window.before;
  system_.calc_motions(state.t, state.y.data(), &seen_);
  system_.calc_overlaps(state.memory, &seen_);
  double least = kInfinity;
  for (size_t k = 0; k < margins_.size(); ++k) {
    const double distance = seen_.overlaps[k].distance / tolerances_[k];
    margins_[k] = 1 + (state.memory[k].touching ? -distance : distance);
    least = std::min(least, margins_[k]);
  }
  return least;
}

void EventLocator::locate(const State<double>& start, const GoTo& go_to,
                          const Evaluation<double>& window, State<double>* state,
                          std::vector<int>* roots) {
  double high = calc_margin(*state, window);
  if (!(high < 0)) return;
  // Regula falsi between the step's start (positive) and its end; an end that stays counts half
  // (Illinois), and every fourth trial halves.
  double from = start.t, until = state->t;
  double low = calc_margin(start, window), margin = high;
  bool was_low = false;
  for (int trial = 0; trial < kMostTrials && !(std::abs(margin) < kResolved); ++trial) {
    const double width = until - from;
    double t = from + width * low / (low - high);
    if (trial % 4 == 3 || !(t > from && t < until)) t = from + 0.5 * width;
    if (!(t > from && t < until)) break;  // neighbouring numbers
    go_to(t, state);
    margin = calc_margin(*state, window);
    if (margin > 0) {
      from = t;
      low = margin;
      if (was_low) high *= 0.5;
    } else {
      until = t;
      high = margin;
      if (!was_low) low *= 0.5;
    }
    was_low = margin > 0;
  }
  // What is found to touch within the same rounding does so too.
  if (!(std::abs(margin) < kResolved) && state->t != until) {
    go_to(until, state);
    calc_margin(*state, window);
  }
  roots->assign(margins_.size(), 0);
  for (size_t k = 0; k < margins_.size(); ++k) {
    if (margins_[k] < 2 * kResolved) (*roots)[k] = state->memory[k].touching ? 1 : -1;
  }
}

}  // namespace vesica::detail
