#include "vesica/io/motion_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/math/median.h"

namespace vesica {

namespace {

// Where a row lies on the clock, in steps; doubles, as a hole may be of any length.
std::vector<double> count_steps(std::span<const double> times, double step) {
  std::vector<double> places(times.size(), 0.0);
  for (std::size_t k = 1; k < times.size(); ++k) {
    places[k] = places[k - 1] + std::max(1.0, std::floor((times[k] - times[k - 1]) / step + 0.5));
  }
  return places;
}

// The line t0 + step * place.
struct Line {
  double start = 0.0, step = 0.0;
};

Line fit_line(std::span<const double> times, const std::vector<double>& places) {
  const auto n = static_cast<double>(times.size());
  double mean_t = 0.0, mean_p = 0.0;
  for (std::size_t k = 0; k < times.size(); ++k) {
    mean_t += (times[k] - times[0]) / n;
    mean_p += places[k] / n;
  }
  double cross = 0.0, square = 0.0;
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double p = places[k] - mean_p;
    cross += p * (times[k] - times[0] - mean_t);
    square += p * p;
  }
  Line line;
  line.step = cross / square;
  line.start = times[0] + mean_t - line.step * mean_p;
  return line;
}

constexpr double kMostJitter = 0.6;   // of a step
constexpr double kLeastStep = 0.45;   // of a step
constexpr double kMostHoles = 0.1;    // of all steps
constexpr std::size_t kFewHoles = 3;  // are holes, however short the recording
constexpr double kAgreement = 0.05;   // of a step, over the whole recording

}  // namespace

Clock find_clock(std::span<const double> times) {
  Clock clock;
  if (times.size() < 2 || !(times.back() > times.front())) return clock;
  std::vector<double> steps;
  for (std::size_t k = 1; k < times.size(); ++k) {
    if (times[k] > times[k - 1]) steps.push_back(times[k] - times[k - 1]);
  }
  // The usual step starts the count; rounded times make it one of a few values, and counting again
  // with the fitted step mends what that got wrong.
  Line line{times[0], calc_median(std::move(steps))};
  std::vector<double> places;
  for (int round = 0; round < 4; ++round) {
    std::vector<double> next = count_steps(times, line.step);
    if (next == places) break;
    places = std::move(next);
    line = fit_line(times, places);
    if (!(line.step > 0.0)) break;
  }
  if (!(line.step > 0.0)) {
    clock.is_even = false;
    return clock;
  }
  clock.step = line.step;
  std::size_t first_off = times.size();
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double off = std::abs(times[k] - line.start - line.step * places[k]);
    if (off > kMostJitter * line.step) first_off = std::min(first_off, k);
    clock.jitter = std::max(clock.jitter, off);
    if (k == 0 || places[k] - places[k - 1] < 1.5) continue;
    const double lost = std::min(places[k] - places[k - 1] - 1.0, 1e12);
    clock.holes.push_back({k - 1, static_cast<std::size_t>(lost)});
    clock.missing += static_cast<std::size_t>(lost);
  }
  // Rounding to at most a step leaves every step above half of one, and a hole as near to a whole
  // number of steps as the steps are to one.
  double usual_off = 0.1 * line.step;
  for (std::size_t k = 1; k < times.size(); ++k) {
    const double step = times[k] - times[k - 1];
    if (step < kLeastStep * line.step) first_off = std::min(first_off, k);
    if (places[k] - places[k - 1] > 1.5) continue;
    usual_off = std::max(usual_off, 1.5 * std::abs(step - line.step));
  }
  for (const ClockHole& hole : clock.holes) {
    const double step = times[hole.after + 1] - times[hole.after];
    const double rows = static_cast<double>(hole.missing + 1);
    if (rows < 1e6 && std::abs(step - rows * line.step) > usual_off + 1e-6 * step) {
      first_off = std::min(first_off, hole.after + 1);
    }
  }
  const bool many_holes =
      clock.holes.size() > kFewHoles &&
      static_cast<double>(clock.holes.size()) > kMostHoles * static_cast<double>(times.size() - 1);
  clock.is_even = first_off == times.size() && !many_holes;
  if (!clock.is_even) {
    clock.uneven_row = many_holes ? clock.holes.front().after + 1 : first_off;
  }
  return clock;
}

double find_true_rate(std::span<const double> times, double stated, const std::string& what,
                      std::vector<std::string>* warnings) {
  const Clock clock = find_clock(times);
  if (!(clock.step > 0.0)) return stated;
  const double steps = static_cast<double>(times.size() - 1 + clock.missing);
  const double drift = steps * std::abs(1.0 / stated - clock.step);
  if (stated > 0.0 && drift <= std::max(kAgreement * clock.step, 2.0 * clock.jitter)) return stated;
  warnings->push_back(fmt::format("{} says {:.6g} Hz, but the times tell {:.6g} Hz; the times hold",
                                  what, stated, clock.rate()));
  // Without the dust of the fit: 100 Hz and not 99.99999999999994 in what is written.
  const double whole = std::round(clock.rate());
  return std::abs(clock.rate() - whole) < 1e-9 * whole ? whole : clock.rate();
}

}  // namespace vesica
