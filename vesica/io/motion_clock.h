// Whether the times of a recording are a clock: even steps, holes, and the rate that they tell.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace vesica {

// Rows that are not there: the clock goes on by more than one step from row `after` to the next.
struct ClockHole {
  std::size_t after = 0;    // index of the last row before it
  std::size_t missing = 0;  // rows that even steps would have between
};

// Times as t0 + step * (whole number). The whole numbers count rows, one more from row to row, and
// more across a hole; t0 and the step follow by least squares, so that printed times may be
// rounded.
struct Clock {
  double step = 0.0;    // s; 0 for fewer than two different times
  double jitter = 0.0;  // s, largest distance of a time from its even place
  std::vector<ClockHole> holes;
  std::size_t missing = 0;  // rows, in all holes
  // False where no even clock explains the times: off by more than 0.6 of a step somewhere
  // (rounding to a whole step moves a time by half of one), or more than every tenth step is a
  // hole, which is a change of rate and no loss of rows.
  bool is_even = true;
  std::size_t uneven_row = 0;  // the first row that is off, where `is_even` is false

  double rate() const { return step > 0.0 ? 1.0 / step : 0.0; }
};
// `times` are finite and never decrease.
Clock find_clock(std::span<const double> times);

// The rate to compute with: `stated` where it fits the times (over the whole recording within a
// twentieth of a step, or within the rounding of the times), else that of the times, which is told
// in `warnings`. `what` is how the file calls it: "DataRate".
double find_true_rate(std::span<const double> times, double stated, const std::string& what,
                      std::vector<std::string>* warnings);

}  // namespace vesica
