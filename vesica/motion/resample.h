// Values at other times: a cubic spline through the samples (not-a-knot ends), by uninterrupted
// run.
#pragma once

#include <span>
#include <vector>

#include "vesica/math/spline.h"

namespace vesica {

// `values` (NaN where missing) at `new_times`; NaN in gaps and outside of the recording. A time
// that lies within 1e-9 s of a sample counts as that sample.
std::vector<double> resample(std::span<const double> times, std::span<const double> values,
                             std::span<const double> new_times);

// Even times at `rate` from `first` to at most `last` (1e-9 s tolerance). Throws InputError for a
// rate that is not positive or asks for more than 100 million samples.
std::vector<double> make_even_times(double first, double last, double rate);

// `values` sampled at `rate` brought to `new_rate`. Going down, frequencies that the new rate
// cannot carry are removed first (zero-phase, order 8, 3 dB down at 0.4 of the new rate): without
// that, 60 Hz hum in a force plate becomes a false 10 Hz sway at 50 Hz.
std::vector<double> change_rate(std::span<const double> times, std::span<const double> values,
                                double rate, double new_rate, std::span<const double> new_times);

}  // namespace vesica
