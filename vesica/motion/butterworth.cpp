#include "vesica/motion/butterworth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "vesica/error.h"

namespace vesica {
namespace {

using std::numbers::pi;

// Frequency of the analog prototype.
double warp(double frequency, double rate) { return std::tan(pi * frequency / rate); }
double unwarp(double w, double rate) { return std::atan(w) * rate / pi; }

void check_frequency(double frequency, double rate, const char* what) {
  if (!(rate > 0.0) || !std::isfinite(rate)) {
    throw InputError(
        fmt::format("filter: the sampling rate is {:.6g} Hz; it must be positive", rate));
  }
  if (!(frequency > 0.0) || !(frequency < 0.5 * rate)) {
    throw InputError(fmt::format(
        "filter: {} of {:.6g} Hz is not between 0 and half the sampling rate of {:.6g} Hz ({:.6g} "
        "Hz); choose it in that range",
        what, frequency, rate, 0.5 * rate));
  }
}

// One pass: poles of the prototype at w_c exp(i theta_k) on the left half circle, in conjugate
// pairs, each pair a section; an odd order adds one real pole.
std::vector<SecondOrderSection> make_sections(int order, double w_c) {
  std::vector<SecondOrderSection> sections;
  for (int k = 0; k < order / 2; ++k) {
    const double minus_cos = std::sin(pi * (2 * k + 1) / (2.0 * order));
    const double w2 = w_c * w_c;
    const double a0 = 1.0 + 2.0 * minus_cos * w_c + w2;
    const double b = w2 / a0;
    sections.push_back(
        {b, 2.0 * b, b, 2.0 * (w2 - 1.0) / a0, (1.0 - 2.0 * minus_cos * w_c + w2) / a0});
  }
  if (order % 2 == 1) {
    const double b = w_c / (1.0 + w_c);
    sections.push_back({b, b, 0.0, (w_c - 1.0) / (w_c + 1.0), 0.0});
  }
  return sections;
}

// Runs one pass over x, starting as if x[0] had been the input for ever.
void run_pass(std::span<const SecondOrderSection> sections, std::span<double> x) {
  for (const SecondOrderSection& s : sections) {
    // Unit gain at zero frequency: input = output = x0 in the steady state.
    const double x0 = x[0];
    double s2 = (s.b2 - s.a2) * x0;
    double s1 = (s.b1 - s.a1) * x0 + s2;
    for (double& value : x) {
      const double y = s.b0 * value + s1;
      s1 = s.b1 * value - s.a1 * y + s2;
      s2 = s.b2 * value - s.a2 * y;
      value = y;
    }
  }
}

}  // namespace

double ZeroPhaseFilter::gain(double frequency) const {
  // The corner of one pass back from the cut-off of both.
  const double n2 = 2.0 * pass_order;
  const double ratio = warp(frequency, rate) / warp(cutoff, rate);
  return 1.0 / (1.0 + (std::numbers::sqrt2 - 1.0) * std::pow(ratio, n2));
}

int ZeroPhaseFilter::padding() const {
  double slowest = 0.0;
  for (const SecondOrderSection& s : sections) {
    // Complex pair: the product of the poles is a2; real pole: -a1.
    const double discriminant = s.a1 * s.a1 - 4.0 * s.a2;
    const double radius =
        discriminant < 0.0 ? std::sqrt(s.a2) : 0.5 * (std::abs(s.a1) + std::sqrt(discriminant));
    slowest = std::max(slowest, radius);
  }
  const double samples = slowest > 0.0 ? std::log(1e-9) / std::log(slowest) : 0.0;
  return std::max(fewest_samples() - 1, static_cast<int>(std::ceil(samples)));
}

ZeroPhaseFilter make_low_pass(double cutoff, double rate, int total_order) {
  check_frequency(cutoff, rate, "a cut-off");
  if (total_order < 2 || total_order > 16 || total_order % 2 != 0) {
    throw InputError(
        fmt::format("filter: an order of {} over both passes; it must be even, 2 to 16 (4: two "
                    "passes of order 2)",
                    total_order));
  }
  ZeroPhaseFilter filter;
  filter.rate = rate;
  filter.cutoff = cutoff;
  filter.pass_order = total_order / 2;
  const double w_c =
      warp(cutoff, rate) / std::pow(std::numbers::sqrt2 - 1.0, 0.5 / filter.pass_order);
  filter.sections = make_sections(filter.pass_order, w_c);
  return filter;
}

ZeroPhaseFilter make_low_pass(const BandSpecification& bands, double rate) {
  check_frequency(bands.pass_edge, rate, "a pass band edge");
  check_frequency(bands.stop_edge, rate, "a stop band edge");
  if (!(bands.pass_edge < bands.stop_edge)) {
    throw InputError(fmt::format(
        "filter: the pass band ends at {} Hz and the stop band begins at {} Hz; a low-pass filter "
        "needs the pass band below the stop band",
        bands.pass_edge, bands.stop_edge));
  }
  if (!(bands.pass_loss > 0.0) || !(bands.pass_loss < bands.stop_loss)) {
    throw InputError(
        fmt::format("filter: a loss of {} dB in the pass band and {} dB in the stop band; the "
                    "first must be positive and below the second",
                    bands.pass_loss, bands.stop_loss));
  }
  // Amplitude of both passes: 1 + (w/w_c)^2n = 10^(loss/20).
  const double pass = std::pow(10.0, bands.pass_loss / 20.0) - 1.0;
  const double stop = std::pow(10.0, bands.stop_loss / 20.0) - 1.0;
  const double w_pass = warp(bands.pass_edge, rate);
  const double w_stop = warp(bands.stop_edge, rate);
  const double order = std::log(stop / pass) / (2.0 * std::log(w_stop / w_pass));
  // A specification that an order meets exactly shall not be lifted to the next by rounding.
  const int n = std::max(1, static_cast<int>(std::ceil(std::min(order, 1e6) - 1e-9)));
  if (n > 16) {
    throw InputError(
        fmt::format("filter: {} dB at {} Hz and {} dB at {} Hz take an order of {} over both "
                    "passes, more than 32, which rings; move the bands apart or ask for less",
                    bands.pass_loss, bands.pass_edge, bands.stop_loss, bands.stop_edge, 2 * n));
  }
  const double w_c = w_pass / std::pow(pass, 0.5 / n);
  ZeroPhaseFilter filter;
  filter.rate = rate;
  filter.cutoff = unwarp(w_c * std::pow(std::numbers::sqrt2 - 1.0, 0.5 / n), rate);
  filter.pass_order = n;
  filter.sections = make_sections(n, w_c);
  return filter;
}

void filter_signal(const ZeroPhaseFilter& filter, std::span<double> signal) {
  const int n = static_cast<int>(signal.size());
  if (n < filter.fewest_samples()) {
    throw InputError(fmt::format("filter: {} samples; order {} needs at least {}", n,
                                 2 * filter.pass_order, filter.fewest_samples()));
  }
  const int pad = std::min(filter.padding(), n - 1);
  std::vector<double> x(n + 2 * pad);
  const double first = signal.front();
  const double last = signal.back();
  for (int k = 0; k < pad; ++k) {
    x[pad - 1 - k] = 2.0 * first - signal[k + 1];
    x[pad + n + k] = 2.0 * last - signal[n - 2 - k];
  }
  std::copy(signal.begin(), signal.end(), x.begin() + pad);
  run_pass(filter.sections, x);
  std::reverse(x.begin(), x.end());
  run_pass(filter.sections, x);
  std::reverse(x.begin(), x.end());
  std::copy_n(x.begin() + pad, n, signal.begin());
}

int filter_between_gaps(const ZeroPhaseFilter& filter, std::span<double> signal) {
  int untouched = 0;
  for (size_t begin = 0; begin < signal.size();) {
    if (!std::isfinite(signal[begin])) {
      ++begin;
      continue;
    }
    size_t end = begin;
    while (end < signal.size() && std::isfinite(signal[end])) ++end;
    const std::span<double> run = signal.subspan(begin, end - begin);
    if (static_cast<int>(run.size()) >= filter.fewest_samples()) {
      filter_signal(filter, run);
    } else {
      untouched += static_cast<int>(run.size());
    }
    begin = end;
  }
  return untouched;
}

}  // namespace vesica
