// What a population of walkers taught: docs/theory/forces.md has the equations.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "vesica/forces/walk.h"

namespace vesica::forces {

inline constexpr int kPhases = 101;                   // 0, 1, ... 100 % of stance
inline constexpr int kSupportPhases = 21;             // of double support
inline constexpr std::array<int, 2> kPlane = {0, 2};  // x and z of a 3-vector
using Curve = std::array<double, kPhases>;
using SupportCurve = std::array<double, kSupportPhases>;

// Linear between the points; u from 0 to 1, clamped.
template <size_t N>
double at_phase(const std::array<double, N>& curve, double u) {
  const double x = std::min(std::max(u, 0.0), 1.0) * static_cast<double>(N - 1);
  const auto i = std::min(static_cast<size_t>(x), N - 2);
  const double part = x - static_cast<double>(i);
  return (1 - part) * curve[i] + part * curve[i + 1];
}

// What is predicted: force (body weights; x ahead, y up, z to the outside of the foot) and centre
// of pressure (m, of a foot of usual size; along the foot and to its outside, from its origin).
enum Output { kForceX, kForceY, kForceZ, kPressureX, kPressureZ, kOutputs };
inline constexpr int kForceOutputs = 3;
inline bool is_pressure(int output) { return output >= kForceOutputs; }
const char* name_of_output(int output);

// Signals of motion that go into them (signals.h).
inline constexpr int kForceSignals = 10, kPressureSignals = 6;
// How long double supports last (the last two) tells of vertical force alone.
inline int signals_of(int output) {
  return is_pressure(output) ? kPressureSignals
                             : (output == kForceY ? kForceSignals : kForceSignals - 2);
}
const char* name_of_signal(int output, int signal);

// Constants that turn motion into signals.
struct SignalModel {
  // Trunk, head and arms count: all walks that trained show them. Pelvis and constants below are
  // for the rest then.
  bool upper_body = false;
  std::array<std::array<double, kBands.size()>, 3> total{};       // of the pelvis' acceleration
  std::array<std::array<double, kBands.size() + 1>, 2> moment{};  // and a constant, x and z
  double phase_off = 0.177, phase_strike = 0.822;  // where the other foot's events lie in stance
  std::array<Curve, 2> pressure{};                 // mean centre of pressure over phase
  SupportCurve share{}, share_bias{};              // of the leading foot in double support
  std::array<SupportCurve, 2> lead_ratio{}, trail_ratio{};  // shear over vertical force, x and z
};

// y = a + b v + sum of k s, each a curve over phase. Mean and slope on speed are those of what
// plates measured, over the plates' own stances: the baseline.
struct OutputModel {
  Curve mean{}, slope{};
  Curve a{}, b{};
  std::vector<Curve> gains;
};
struct ModelTable {
  std::array<OutputModel, kOutputs> outputs;
  // Half-width of the 95 % band, and how much of it a speed farther off by 0.1 adds.
  std::array<Curve, kOutputs> band{};
  double band_growth = 0;
};

struct Range {
  double low = 0, high = 0;
};

// Mean errors of people who were left out, % (predict.h), and what motion takes off the error of
// curves, %, on the truth and with forces reversed in time.
struct ErrorFigures {
  double force = 0, pressure = 0, ahead = 0, lateral = 0;
};
struct PopulationFigures {
  ErrorFigures own, own_fair, own_mean, stranger, stranger_fair, stranger_mean;
  double gain_own = 0, gain_own_placebo = 0, gain_stranger = 0, gain_stranger_placebo = 0;
  int people = 0;
};

struct Population {
  std::string title, source;
  std::vector<std::string> people;      // names of the folders
  std::vector<std::string> recordings;  // digests of their standing trials and walks
  int walks = 0, stances = 0;
  double mean_speed = 0;  // Froude speed
  SignalModel signals;
  ModelTable own;       // for people who were measured on plates: gains within a person
  ModelTable stranger;  // for those who were not
  Curve free_moment{}, free_moment_band{};  // N m over (weight times foot length), outward positive
  Range speed, step_length, asymmetry, double_support;  // that were trained: Froude speed, over
                                                        // leg length, |R - L| / mean, of stance
  Range leg_length;                                     // m
  std::vector<std::string> markers;  // roles without their side that all walks had
  PopulationFigures figures;
  std::string digest;  // of the file
};

// Phase of stance that follows the other foot's events: (strike, other off, other strike, off) ->
// (0, phase_off, phase_strike, 1).
double calc_phase(const Contact& contact, const SignalModel& model, double time);
inline double calc_time_phase(const Contact& contact, double time) {
  return (time - contact.strike) / contact.duration();
}

}  // namespace vesica::forces
