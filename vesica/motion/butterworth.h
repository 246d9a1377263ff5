// Zero-phase Butterworth low-pass filters: forwards, then backwards, so that nothing is delayed.
//
// One pass of order n with corner w_c has |H|^2 = 1 / (1 + (w/w_c)^2n), w = tan(pi f / rate) being
// the frequency of the analog prototype (bilinear transform, so the digital response is this
// formula exactly). Both passes together have 1 / (1 + (w/w_c)^2n) as amplitude, which is 3 dB down
// not at w_c but at w_c (sqrt 2 - 1)^(1/2n). The corner is moved up by that factor, in w and not in
// f (Winter's rule does it in f, right only far below half the sampling rate), so that the
// *result* is 3 dB down at the cut-off that was asked for.
//
// What it cannot do: tell motion from noise where their bands overlap (impacts lose their peak), or
// know what came before the first sample. Within about one period of the cut-off from either end
// the result leans on the assumption that the signal goes on point-symmetrically about its end
// sample.
#pragma once

#include <span>
#include <vector>

namespace vesica {

// y = b0 x + s1;  s1 = b1 x - a1 y + s2;  s2 = b2 x - a2 y  (transposed direct form II).
struct SecondOrderSection {
  double b0, b1, b2, a1, a2;
};

struct ZeroPhaseFilter {
  double rate = 0.0;    // samples per second
  double cutoff = 0.0;  // Hz, where the result of both passes is 3 dB down
  int pass_order = 0;   // of one pass; the amplitude falls by 2 x 6 dB x pass_order per octave
  std::vector<SecondOrderSection> sections;  // of one pass

  // Amplitude of the result at a frequency in Hz; the phase is zero.
  double gain(double frequency) const;
  // Fewest samples that filter_signal takes: below that the ends are all there is.
  int fewest_samples() const { return 3 * pass_order + 1; }
  // Samples by which the signal is extended at either end: the slowest pole decays below 1e-9.
  int padding() const;
};

// 3 dB down at `cutoff` after both passes. `total_order` counts both passes (4: two passes of order
// 2, the habit in gait analysis) and is even. Throws InputError unless 0 < cutoff < rate/2 and
// total_order is even, 2 to 16.
ZeroPhaseFilter make_low_pass(double cutoff, double rate, int total_order = 4);

// The lowest order that loses at most `pass_loss` dB below `pass_edge` and at least `stop_loss` dB
// above `stop_edge`, both passes together. The loss at `pass_edge` is met exactly, that at
// `stop_edge` exceeded. Throws InputError where it would take a total order above 32.
struct BandSpecification {
  double pass_edge;         // Hz
  double stop_edge;         // Hz
  double pass_loss = 1.0;   // dB
  double stop_loss = 40.0;  // dB
};
ZeroPhaseFilter make_low_pass(const BandSpecification& bands, double rate);

// Filters in place. The signal is extended by point reflection about its end samples (a straight
// line stays straight) and each pass starts in the steady state of its first sample. All samples
// must be finite. Throws InputError for fewer than fewest_samples().
void filter_signal(const ZeroPhaseFilter& filter, std::span<double> signal);

// The same for a signal with gaps (NaN): each uninterrupted run by itself, so that no value leaks
// over a gap. Runs too short to filter stay as they are; returns the number of samples in them.
int filter_between_gaps(const ZeroPhaseFilter& filter, std::span<double> signal);

}  // namespace vesica
